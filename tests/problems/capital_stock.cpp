// SPDX-License-Identifier: Apache-2.0
#include <problems/capital_stock.hpp>

#include <cmath>
#include <utility>

namespace nonsmooth::problems {
namespace {

using Eigen::MatrixXd, Eigen::VectorXd;

/// Where x_t, p_t and r_t of a plan begin, and how many.
struct PlanLayout {
  Index goods, activities, resources;

  explicit PlanLayout(const CapitalEconomy& economy)
      : goods(economy.inputs.rows()), activities(economy.inputs.cols()), resources(economy.uses.rows()) {}
  [[nodiscard]] Index period() const { return activities + goods + resources; }
  [[nodiscard]] Index x(Index t) const { return t * period(); }
  [[nodiscard]] Index p(Index t) const { return x(t) + activities; }
  [[nodiscard]] Index r(Index t) const { return p(t) + goods; }
};

Mcp capital_mcp(const char* name, Index n, std::function<void(ConstVectorRef, VectorRef)> value,
                std::function<void(ConstVectorRef, MatrixRef)> slopes) {
  NonlinearMap F{
      .num_unknowns = n, .num_values = n, .value = std::move(value), .dense_jacobian = std::move(slopes), .name = name};
  return {name, mcp::complementarity(std::move(F), VectorXd::Ones(n)), {}, 0.0};
}

}  // namespace

double CapitalEconomy::utility(const VectorXd& x) const {
  return weights.dot((enjoyment * x).array().log1p().matrix()) - 0.5 * toil.dot(x.cwiseAbs2());
}

VectorXd CapitalEconomy::marginal_utility(const VectorXd& x) const {
  return enjoyment.transpose() *
             weights.cwiseQuotient((enjoyment * x).array().matrix() + VectorXd::Ones(weights.size())) -
         toil.cwiseProduct(x);
}

MatrixXd CapitalEconomy::marginal_slopes(const VectorXd& x) const {
  const VectorXd enjoyed = (enjoyment * x).array() + 1.0;
  MatrixXd slopes = -enjoyment.transpose() * weights.cwiseQuotient(enjoyed.cwiseAbs2()).asDiagonal() * enjoyment;
  slopes.diagonal() -= toil;
  return slopes;
}

Mcp invariant_capital(const CapitalEconomy& economy) {
  const PlanLayout at(economy);
  const Index m = at.activities, n = at.goods, l = at.resources;
  const MatrixXd lost = economy.inputs - economy.discount * economy.outputs;
  return capital_mcp(
      "invariant capital", at.period(),
      [=](ConstVectorRef y, VectorRef f) {
        const VectorXd x = y.head(m);
        f.head(m) =
            -economy.marginal_utility(x) + lost.transpose() * y.segment(m, n) + economy.uses.transpose() * y.tail(l);
        f.segment(m, n) = (economy.outputs - economy.inputs) * x;
        f.tail(l) = economy.resources - economy.uses * x;
      },
      [=](ConstVectorRef y, MatrixRef J) {
        J.topLeftCorner(m, m) = -economy.marginal_slopes(y.head(m));
        J.block(0, m, m, n) = lost.transpose();
        J.topRightCorner(m, l) = economy.uses.transpose();
        J.block(m, 0, n, m) = economy.outputs - economy.inputs;
        J.bottomLeftCorner(l, m) = -economy.uses;
      });
}

Mcp capital_plan(const CapitalEconomy& economy, const VectorXd& stock, const VectorXd& prices, Index periods) {
  const PlanLayout at(economy);
  const Index m = at.activities, n = at.goods, l = at.resources;
  return capital_mcp(
      "capital plan", periods * at.period(),
      [=](ConstVectorRef y, VectorRef f) {
        double weight = 1.0;  // alpha^t
        for (Index t = 0; t < periods; ++t, weight *= economy.discount) {
          const VectorXd x = y.segment(at.x(t), m);
          const VectorXd next =
              t + 1 < periods ? VectorXd(y.segment(at.p(t + 1), n)) : VectorXd(weight * economy.discount * prices);
          const VectorXd left = t == 0 ? stock : VectorXd(economy.outputs * y.segment(at.x(t - 1), m));
          f.segment(at.x(t), m) = -weight * economy.marginal_utility(x) +
                                  economy.inputs.transpose() * y.segment(at.p(t), n) -
                                  economy.outputs.transpose() * next + economy.uses.transpose() * y.segment(at.r(t), l);
          f.segment(at.p(t), n) = left - economy.inputs * x;
          f.segment(at.r(t), l) = economy.resources - economy.uses * x;
        }
      },
      [=](ConstVectorRef y, MatrixRef J) {
        double weight = 1.0;
        for (Index t = 0; t < periods; ++t, weight *= economy.discount) {
          J.block(at.x(t), at.x(t), m, m) = -weight * economy.marginal_slopes(y.segment(at.x(t), m));
          J.block(at.x(t), at.p(t), m, n) = economy.inputs.transpose();
          J.block(at.x(t), at.r(t), m, l) = economy.uses.transpose();
          J.block(at.p(t), at.x(t), n, m) = -economy.inputs;
          J.block(at.r(t), at.x(t), l, m) = -economy.uses;
          if (t == 0) continue;
          J.block(at.x(t - 1), at.p(t), m, n) = -economy.outputs.transpose();
          J.block(at.p(t), at.x(t - 1), n, m) = economy.outputs;
        }
      });
}

CapitalEconomy machines_and_grain(double discount) {
  return {.inputs = MatrixXd{{0.1, 0.5, 0.0, 0.3, 1.0, 0.0, 0.0, 0.1, 1.0, 0.0},
                             {0.3, 0.2, 0.3, 0.3, 0.0, 1.0, 1.0, 0.6, 0.0, 0.0}},
          .outputs = MatrixXd{{1.0, 1.4, 0.0, 0.25, 0.9, 0.0, 0.0, 0.08, 0.6, 0.0},
                              {0.0, 0.0, 1.0, 1.3, 0.0, 0.95, 0.0, 0.0, 0.0, 0.0}},
          .uses = MatrixXd{{1.2, 0.5, 0.8, 0.3, 0.0, 0.0, 0.0, 0.2, 0.0, 0.5},
                           {0.0, 0.0, 0.8, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.3}},
          .enjoyment = MatrixXd{{0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.2},
                                {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.1, 1.0, 0.3}},
          .resources = VectorXd{{10.0, 8.0}},
          .weights = VectorXd{{6.0, 4.0}},
          .toil = VectorXd::Constant(10, 0.02),
          .discount = discount};
}

CapitalEconomy two_techniques(double discount, double labour) {
  return {.inputs = MatrixXd{{1.0, 1.0, 1.0}},
          .outputs = MatrixXd{{4.0, 2.6, 0.0}},
          .uses = MatrixXd{{2.0, 1.0, 0.0}},
          .enjoyment = MatrixXd{{0.0, 0.0, 1.0}},
          .resources = VectorXd::Constant(1, labour),
          .weights = VectorXd::Ones(1),
          .toil = VectorXd::Zero(3),
          .discount = discount};
}

VectorXd two_techniques_answer(double discount, double labour) {
  const bool second = discount > 5.0 / 6.0;
  const double c = second ? 1.0 : 2.0, g = second ? 2.6 : 4.0;
  const double x = labour / c, eaten = (g - 1.0) * x, p = 1.0 / (1.0 + eaten);
  return VectorXd{{second ? 0.0 : x, second ? x : 0.0, eaten, p, p * (discount * g - 1.0) / c}};
}

}  // namespace nonsmooth::problems
