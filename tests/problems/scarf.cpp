// SPDX-License-Identifier: Apache-2.0
#include <problems/scarf.hpp>

#include <cmath>
#include <utility>

namespace nonsmooth::problems {
namespace {

using Eigen::MatrixXd, Eigen::VectorXd;

// Commodities: capital at the end of the period, nondurables, durables, capital at its beginning, skilled, unskilled
// labour.
constexpr Index num_commodities = 6, num_activities = 8, num_consumers = 5;

struct ActivityEconomy {
  MatrixXd endowments{{0, 0, 0, 0, 0},   {0, 0, 0, 0, 0},       {1, 2, 1.5, 1, 2},
                      {3, 0.1, 2, 1, 6}, {5, 0.1, 6, 0.1, 0.1}, {0.1, 7, 0.1, 8, 0.5}};
  MatrixXd demands{{4, 0.4, 2, 5, 3}, {2, 4, 2, 5, 4},     {3.2, 1, 1.5, 4.5, 2},
                   {0, 0, 0, 0, 0},   {0.2, 0, 0.5, 0, 0}, {0, 0.6, 0, 0.2, 0.2}};
  VectorXd elasticities{{1.2, 1.6, 0.8, 0.5, 0.6}};
  // Two of durables, three of nondurables, capital as it is, two of new capital.
  MatrixXd output{{4, 4, 1.6, 1.6, 1.6, 0.9, 7, 8},   {0, 0, 6, 8, 7, 0, 0, 0},        {4, 3.5, 0, 0, 0, 0, 0, 0},
                  {-5.3, -5, -2, -2, -2, -1, -4, -5}, {-2, -1, -2, -4, -1, 0, -3, -2}, {-1, -6, -3, -1, -8, 0, -1, -8}};
  MatrixXd shares = demands * demands.colwise().sum().cwiseInverse().asDiagonal();
};

void excess(const ActivityEconomy& economy, ConstVectorRef x, VectorRef f) {
  const auto p = x.head(num_commodities), y = x.segment(num_commodities, num_activities),
             income = x.tail(num_consumers);
  f.head(num_commodities) = economy.output * y + economy.endowments.rowwise().sum();
  f.segment(num_commodities, num_activities) = -economy.output.transpose() * p;
  f.tail(num_consumers) = income - economy.endowments.transpose() * p;
  for (Index h = 0; h < num_consumers; ++h) {
    const double sigma = economy.elasticities[h];
    double sum = 0.0;
    for (Index c = 0; c < num_commodities; ++c)
      if (economy.shares(c, h) > 0.0) sum += economy.shares(c, h) * std::pow(p[c], 1.0 - sigma);
    for (Index c = 0; c < num_commodities; ++c)
      if (economy.shares(c, h) > 0.0) f[c] -= income[h] * economy.shares(c, h) * std::pow(p[c], -sigma) / sum;
  }
}

void excess_slopes(const ActivityEconomy& economy, ConstVectorRef x, MatrixRef J) {
  const auto p = x.head(num_commodities), income = x.tail(num_consumers);
  J.block(0, num_commodities, num_commodities, num_activities) = economy.output;
  J.block(num_commodities, 0, num_activities, num_commodities) = -economy.output.transpose();
  J.bottomLeftCorner(num_consumers, num_commodities) = -economy.endowments.transpose();
  J.bottomRightCorner(num_consumers, num_consumers).setIdentity();
  for (Index h = 0; h < num_consumers; ++h) {
    const double sigma = economy.elasticities[h];
    VectorXd weight = VectorXd::Zero(num_commodities);  // alpha p^-sigma
    for (Index c = 0; c < num_commodities; ++c)
      if (economy.shares(c, h) > 0.0) weight[c] = economy.shares(c, h) * std::pow(p[c], -sigma);
    const double sum = weight.dot(p);
    for (Index c = 0; c < num_commodities; ++c) {
      if (weight[c] == 0.0) continue;
      J(c, c) += sigma * income[h] * weight[c] / (p[c] * sum);
      J(c, num_commodities + num_activities + h) -= weight[c] / sum;
      for (Index k = 0; k < num_commodities; ++k)
        J(c, k) += (1.0 - sigma) * income[h] * weight[c] * weight[k] / (sum * sum);
    }
  }
}

}  // namespace

Mcp scarf_activity_analysis() {
  const ActivityEconomy economy;
  const Index n = num_commodities + num_activities + num_consumers;
  NonlinearMap F{.num_unknowns = n,
                 .num_values = n,
                 .value = [economy](ConstVectorRef x, VectorRef f) { excess(economy, x, f); },
                 .dense_jacobian = [economy](ConstVectorRef x, MatrixRef J) { excess_slopes(economy, x, J); }};
  Mcp mcp{"scarf's activity analysis", mcp::complementarity(std::move(F), VectorXd::Ones(n)), {}, 0.0};
  mcp.problem.start.tail(num_consumers) = economy.endowments.colwise().sum().transpose();
  mcp.problem.lower.head(num_commodities).setConstant(1e-5);  // F divides by prices of what is demanded
  mcp.problem.lower[3] = 0.0;                                 // capital at the beginning is not
  mcp.problem.lower[num_commodities + num_activities] = mcp.problem.upper[num_commodities + num_activities] =
      mcp.problem.start[num_commodities + num_activities];
  return mcp;
}

}  // namespace nonsmooth::problems
