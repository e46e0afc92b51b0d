// SPDX-License-Identifier: Apache-2.0
#include <problems/games.hpp>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <random>

namespace nonsmooth::problems {

Eigen::MatrixXd Bimatrix::first_cost() const { return (A.maxCoeff() + 1.0 - A.array()).matrix(); }

Eigen::MatrixXd Bimatrix::second_cost() const { return (B.maxCoeff() + 1.0 - B.array()).matrix(); }

double regret(const Bimatrix& game, const Eigen::VectorXd& x, const Eigen::VectorXd& y) {
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

lcp::Problem lemke_howson_form(const Bimatrix& game) {
  const Index m = game.A.rows(), n = game.A.cols();
  lcp::Problem problem{Eigen::MatrixXd::Zero(m + n, m + n), Eigen::VectorXd::Constant(m + n, -1.0)};
  problem.M.topRightCorner(m, n) = game.first_cost();
  problem.M.bottomLeftCorner(n, m) = game.second_cost().transpose();
  return problem;
}

Strategies strategies_of(const Bimatrix& game, ConstVectorRef z) {
  Eigen::VectorXd x = z.head(game.A.rows()), y = z.segment(game.A.rows(), game.A.cols());
  x /= x.sum(), y /= y.sum();
  return {x, y};
}

Eigen::VectorXd lemke_howson_point(const Bimatrix& game, const Strategies& s) {
  Eigen::VectorXd z(s.first.size() + s.second.size());
  z << s.first / s.first.dot(game.second_cost() * s.second), s.second / s.first.dot(game.first_cost() * s.second);
  return z;
}

mlcp::Problem mixed_form(const Bimatrix& game) {
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

lcp::Problem split_form(const Bimatrix& game) {
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

std::vector<Bimatrix> games() {
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

Bimatrix random_game(Index m, Index n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  const auto payoffs = [&] { return Eigen::MatrixXd::NullaryExpr(m, n, [&] { return uniform(random); }).eval(); };
  Bimatrix game{"random", payoffs(), {}};
  game.B = payoffs();
  return game;
}

}  // namespace nonsmooth::problems
