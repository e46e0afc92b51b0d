// SPDX-License-Identifier: Apache-2.0
// Bimatrix games: Nash equilibria as complementarity problems.
#pragma once

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <nonsmooth/numerics/lcp/problem.hpp>
#include <nonsmooth/numerics/mlcp/problem.hpp>

namespace nonsmooth::problems {

using Strategies = std::pair<Eigen::VectorXd, Eigen::VectorXd>;

/// The first player picks row i, the second column j, and they receive A(i, j) and B(i, j).
struct Bimatrix {
  std::string name;
  Eigen::MatrixXd A, B;
  std::vector<Strategies> equilibria{};  ///< known ones
  bool complete = false;                 ///< there are no others

  /// Costs instead of payoffs, all >= 1: equilibria are those of the game.
  [[nodiscard]] Eigen::MatrixXd first_cost() const { return (A.maxCoeff() + 1.0 - A.array()).matrix(); }
  [[nodiscard]] Eigen::MatrixXd second_cost() const { return (B.maxCoeff() + 1.0 - B.array()).matrix(); }
};

/// What the better of the two gains by leaving (x, y), plus how far x, y are from being probabilities; zero at an
/// equilibrium alone. By plain sums in long double.
inline double regret(const Bimatrix& game, const Eigen::VectorXd& x, const Eigen::VectorXd& y) {
  long double first = 0.0L, second = 0.0L, best_row = -1e300L, best_column = -1e300L, sum_x = 0.0L, sum_y = 0.0L;
  long double sign = 0.0L;
  for (Index i = 0; i < x.size(); ++i) {
    long double value = 0.0L;
    for (Index j = 0; j < y.size(); ++j) {
      value += static_cast<long double>(game.A(i, j)) * y[j];
      second += static_cast<long double>(game.B(i, j)) * x[i] * y[j];
    }
    first += value * x[i], sum_x += x[i], best_row = std::max(best_row, value);
    sign = std::max(sign, static_cast<long double>(-x[i]));
  }
  for (Index j = 0; j < y.size(); ++j) {
    long double value = 0.0L;
    for (Index i = 0; i < x.size(); ++i) value += static_cast<long double>(game.B(i, j)) * x[i];
    sum_y += y[j], best_column = std::max(best_column, value);
    sign = std::max(sign, static_cast<long double>(-y[j]));
  }
  return static_cast<double>(std::max(best_row - first, best_column - second) + std::abs(sum_x - 1.0L) +
                             std::abs(sum_y - 1.0L) + sign);
}

/// Lemke and Howson's form with costs A, B > 0: w = [0 A; B^T 0] z - 1. z = (x', y') gives x = x'/sum x', y = y'/sum
/// y'; every equilibrium is one z. Lemke's covering vector 1 may end at a ray here. Lemke, Howson 1964
/// [lemkehowson1964].
inline lcp::Problem lemke_howson_form(const Bimatrix& game) {
  const Index m = game.A.rows(), n = game.A.cols();
  lcp::Problem problem{Eigen::MatrixXd::Zero(m + n, m + n), Eigen::VectorXd::Constant(m + n, -1.0)};
  problem.M.topRightCorner(m, n) = game.first_cost();
  problem.M.bottomLeftCorner(n, m) = game.second_cost().transpose();
  return problem;
}

inline Strategies strategies_of(const Bimatrix& game, ConstVectorRef z) {
  Eigen::VectorXd x = z.head(game.A.rows()), y = z.segment(game.A.rows(), game.A.cols());
  x /= x.sum(), y /= y.sum();
  return {x, y};
}

/// The z of an equilibrium in Lemke and Howson's form: x' = x/(x·B y), y' = y/(x·A y), with costs.
inline Eigen::VectorXd lemke_howson_point(const Bimatrix& game, const Strategies& s) {
  Eigen::VectorXd z(s.first.size() + s.second.size());
  z << s.first / s.first.dot(game.second_cost() * s.second), s.second / s.first.dot(game.first_cost() * s.second);
  return z;
}

/// The mixed form: free expected costs (a, b), w_x = A y - a, w_y = B^T x - b, 0 = sum x - 1, 0 = sum y - 1.
inline mlcp::Problem mixed_form(const Bimatrix& game) {
  const Index m = game.A.rows(), n = game.A.cols();
  mlcp::Problem p{Eigen::MatrixXd::Zero(2, 2),     Eigen::MatrixXd::Zero(m + n, m + n), Eigen::MatrixXd::Zero(2, m + n),
                  Eigen::MatrixXd::Zero(m + n, 2), Eigen::VectorXd{{-1, -1}},           Eigen::VectorXd::Zero(m + n)};
  p.B.topRightCorner(m, n) = game.first_cost();
  p.B.bottomLeftCorner(n, m) = game.second_cost().transpose();
  p.C.row(0).head(m).setOnes();
  p.C.row(1).tail(n).setOnes();
  p.D = -p.C.transpose();
  return p;
}

/// The mixed form as an LCP, its free unknowns split: z = (x, y, a+, b+, a-, b-). M is copositive, and M z >= 0,
/// z·M z = 0 leave x = y = 0, a+ <= a-, b+ <= b-, hence q·z >= 0: Lemke reaches a solution (Cottle, Pang, Stone 1992,
/// section 4.4 [cottle1992]).
inline lcp::Problem split_form(const Bimatrix& game) {
  const mlcp::Problem mixed = mixed_form(game);
  const Index k = mixed.b.size();
  lcp::Problem problem{Eigen::MatrixXd::Zero(k + 4, k + 4), Eigen::VectorXd::Zero(k + 4)};
  problem.M.topLeftCorner(k, k) = mixed.B;
  problem.M.block(0, k, k, 2) = mixed.D;
  problem.M.block(0, k + 2, k, 2) = -mixed.D;
  problem.M.block(k, 0, 2, k) = mixed.C;
  problem.M.block(k + 2, 0, 2, k) = -mixed.C;
  problem.q.segment(k, 2) = mixed.a;
  problem.q.tail(2) = -mixed.a;
  return problem;
}

inline std::vector<Bimatrix> games() {
  const auto v = [](std::initializer_list<double> values) {
    Eigen::VectorXd x(static_cast<Index>(values.size()));
    std::copy(values.begin(), values.end(), x.data());
    return x;
  };
  const double third = 1.0 / 3.0;
  return {
      {"prisoner's dilemma",
       Eigen::MatrixXd{{-1, -3}, {0, -2}},
       Eigen::MatrixXd{{-1, 0}, {-3, -2}},
       {{v({0, 1}), v({0, 1})}},
       true},
      {"battle of the sexes",
       Eigen::MatrixXd{{2, 0}, {0, 1}},
       Eigen::MatrixXd{{1, 0}, {0, 2}},
       {{v({1, 0}), v({1, 0})}, {v({0, 1}), v({0, 1})}, {v({2 * third, third}), v({third, 2 * third})}},
       true},
      {"matching pennies",
       Eigen::MatrixXd{{1, -1}, {-1, 1}},
       Eigen::MatrixXd{{-1, 1}, {1, -1}},
       {{v({0.5, 0.5}), v({0.5, 0.5})}},
       true},
      {"chicken",
       Eigen::MatrixXd{{0, 7}, {2, 6}},
       Eigen::MatrixXd{{0, 2}, {7, 6}},
       {{v({1, 0}), v({0, 1})}, {v({0, 1}), v({1, 0})}, {v({third, 2 * third}), v({third, 2 * third})}},
       true},
      {"rock, paper, scissors",
       Eigen::MatrixXd{{0, -1, 1}, {1, 0, -1}, {-1, 1, 0}},
       Eigen::MatrixXd{{0, 1, -1}, {-1, 0, 1}, {1, -1, 0}},
       {{v({third, third, third}), v({third, third, third})}},
       true},
      // Fictitious play never settles on it. Shapley 1964 [shapley1964].
      {"shapley",
       Eigen::MatrixXd{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
       Eigen::MatrixXd{{0, 1, 0}, {0, 0, 1}, {1, 0, 0}},
       {{v({third, third, third}), v({third, third, third})}},
       true},
  };
}

/// Payoffs uniform in [0, 1].
inline Bimatrix random_game(Index m, Index n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  const auto payoffs = [&] { return Eigen::MatrixXd::NullaryExpr(m, n, [&] { return uniform(random); }).eval(); };
  Bimatrix game{"random", payoffs(), {}};
  game.B = payoffs();
  return game;
}

}  // namespace nonsmooth::problems
