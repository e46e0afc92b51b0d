// SPDX-License-Identifier: Apache-2.0
#include <problems/scarf.hpp>

#include <cmath>
#include <utility>

namespace nonsmooth::problems {
namespace {

using Eigen::MatrixXd, Eigen::VectorXd;

// Commodities: capital at the end of the period, nondurables, durables, capital at its beginning, skilled, unskilled
// labour.
constexpr Index commodities = 6, activities = 8, consumers = 5;

struct Economy {
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

void values(const Economy& economy, ConstVectorRef x, VectorRef f) {
  const auto p = x.head(commodities), y = x.segment(commodities, activities), income = x.tail(consumers);
  f.head(commodities) = economy.output * y + economy.endowments.rowwise().sum();
  f.segment(commodities, activities) = -economy.output.transpose() * p;
  f.tail(consumers) = income - economy.endowments.transpose() * p;
  for (Index h = 0; h < consumers; ++h) {
    const double sigma = economy.elasticities[h];
    double sum = 0.0;
    for (Index c = 0; c < commodities; ++c)
      if (economy.shares(c, h) > 0.0) sum += economy.shares(c, h) * std::pow(p[c], 1.0 - sigma);
    for (Index c = 0; c < commodities; ++c)
      if (economy.shares(c, h) > 0.0) f[c] -= income[h] * economy.shares(c, h) * std::pow(p[c], -sigma) / sum;
  }
}

void slopes(const Economy& economy, ConstVectorRef x, MatrixRef J) {
  const auto p = x.head(commodities), income = x.tail(consumers);
  J.block(0, commodities, commodities, activities) = economy.output;
  J.block(commodities, 0, activities, commodities) = -economy.output.transpose();
  J.bottomLeftCorner(consumers, commodities) = -economy.endowments.transpose();
  J.bottomRightCorner(consumers, consumers).setIdentity();
  for (Index h = 0; h < consumers; ++h) {
    const double sigma = economy.elasticities[h];
    VectorXd weight = VectorXd::Zero(commodities);  // alpha p^-sigma
    for (Index c = 0; c < commodities; ++c)
      if (economy.shares(c, h) > 0.0) weight[c] = economy.shares(c, h) * std::pow(p[c], -sigma);
    const double sum = weight.dot(p);
    for (Index c = 0; c < commodities; ++c) {
      if (weight[c] == 0.0) continue;
      J(c, c) += sigma * income[h] * weight[c] / (p[c] * sum);
      J(c, commodities + activities + h) -= weight[c] / sum;
      for (Index k = 0; k < commodities; ++k)
        J(c, k) += (1.0 - sigma) * income[h] * weight[c] * weight[k] / (sum * sum);
    }
  }
}

}  // namespace

Mcp scarf_activity_analysis() {
  const Economy economy;
  const Index n = commodities + activities + consumers;
  NonlinearMap F{.num_unknowns = n,
                 .num_values = n,
                 .value = [economy](ConstVectorRef x, VectorRef f) { values(economy, x, f); },
                 .dense_jacobian = [economy](ConstVectorRef x, MatrixRef J) { slopes(economy, x, J); }};
  Mcp mcp{"scarf's activity analysis", mcp::complementarity(std::move(F), VectorXd::Ones(n)), {}, 0.0};
  mcp.problem.start.tail(consumers) = economy.endowments.colwise().sum().transpose();
  mcp.problem.lower.head(commodities).setConstant(1e-5);  // F divides by prices of what is demanded
  mcp.problem.lower[3] = 0.0;                             // capital at the beginning is not
  mcp.problem.lower[commodities + activities] = mcp.problem.upper[commodities + activities] =
      mcp.problem.start[commodities + activities];
  return mcp;
}

}  // namespace nonsmooth::problems
