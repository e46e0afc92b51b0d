// SPDX-License-Identifier: Apache-2.0
#include <problems/qp.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include <problems/lcp.hpp>
#include <problems/random_matrices.hpp>

namespace nonsmooth::problems {
namespace {

constexpr double no_bound = std::numeric_limits<double>::infinity();
using Triplets = std::vector<Eigen::Triplet<double>>;

/// |F x - f|^2 as Q and c; returns f^T f.
double least_squares(const Eigen::MatrixXd& F, const Eigen::VectorXd& f, qp::Problem& problem) {
  problem.Q = 2.0 * F.transpose() * F;
  problem.c = -2.0 * F.transpose() * f;
  return f.squaredNorm();
}

void set_equations(qp::Problem& problem, const Eigen::MatrixXd& A, const Eigen::VectorXd& b) {
  problem.A = A;
  problem.row_lower = problem.row_upper = b;
}

PublishedQp hs21() {
  return {"HS21",
          {.Q = Eigen::MatrixXd{{0.02, 0}, {0, 2}},
           .c = Eigen::VectorXd::Zero(2),
           .A = Eigen::MatrixXd{{10, -1}},
           .row_lower = Eigen::VectorXd{{10}},
           .lower = Eigen::VectorXd{{2, -50}},
           .upper = Eigen::VectorXd{{50, 50}}},
          -100.0,
          -99.96,
          0.005};
}

PublishedQp hs35() {
  return {"HS35",
          {.Q = Eigen::MatrixXd{{4, 2, 2}, {2, 4, 0}, {2, 0, 2}},
           .c = Eigen::VectorXd{{-8, -6, -4}},
           .A = Eigen::MatrixXd{{1, 1, 2}},
           .row_upper = Eigen::VectorXd{{3}},
           .lower = Eigen::VectorXd::Zero(3)},
          9.0,
          1.0 / 9.0,
          1e-12};
}

PublishedQp hs51_to_53(int number) {
  PublishedQp one{"HS" + std::to_string(number), {}, 0.0, 0.0, 1e-12};
  const double first = number == 52 ? 4.0 : 1.0;
  const Eigen::MatrixXd F{{first, -1, 0, 0, 0}, {0, 1, 1, 0, 0}, {0, 0, 0, 1, 0}, {0, 0, 0, 0, 1}};
  one.constant = least_squares(F, Eigen::VectorXd{{0, 2, 1, 1}}, one.problem);
  const Eigen::MatrixXd A{{1, 3, 0, 0, 0}, {0, 0, 1, 1, -2}, {0, 1, 0, 0, -1}};
  set_equations(one.problem, A, Eigen::VectorXd{{number == 51 ? 4.0 : 0.0, 0, 0}});
  if (number == 53) {
    one.problem.lower = Eigen::VectorXd::Constant(5, -10.0);
    one.problem.upper = Eigen::VectorXd::Constant(5, 10.0);
  }
  if (number > 51) {
    one.value = number == 52 ? 5.32664756 : 4.09302326;
    one.half_digit = 5e-9;
  }
  return one;
}

PublishedQp hs76() {
  return {"HS76",
          {.Q = Eigen::MatrixXd{{2, 0, -1, 0}, {0, 1, 0, 0}, {-1, 0, 2, 1}, {0, 0, 1, 1}},
           .c = Eigen::VectorXd{{-1, -3, 1, -1}},
           .A = Eigen::MatrixXd{{1, 2, 1, 1}, {3, 1, 2, -1}, {0, -1, -4, 0}},
           .row_upper = Eigen::VectorXd{{5, 4, -1.5}},
           .lower = Eigen::VectorXd::Zero(4)},
          0.0,
          -4.68181818,
          5e-9};
}

PublishedQp hs118() {
  PublishedQp one{"HS118", {}, 0.0, 664.82045, 5e-6};
  qp::Problem& problem = one.problem;
  problem.Q.setZero(15, 15);
  problem.c.resize(15);
  problem.A.setZero(17, 15);
  problem.row_lower.resize(17);
  problem.row_upper.setConstant(17, no_bound);
  problem.lower.setZero(15);
  problem.upper.resize(15);
  const double linear[] = {2.3, 1.7, 2.2}, square[] = {0.0001, 0.0001, 0.00015}, most[] = {90, 120, 60};
  const double above[] = {13, 14, 13}, sums[] = {60, 50, 70, 85, 100};
  for (Index k = 0; k < 5; ++k) {
    for (Index l = 0; l < 3; ++l) {
      const Index j = 3 * k + l;
      problem.c[j] = linear[l];
      problem.Q(j, j) = 2.0 * square[l];
      problem.upper[j] = most[l];
      problem.A(12 + k, j) = 1.0;
      if (k == 0) continue;
      problem.A(j - 3, j) = 1.0;
      problem.A(j - 3, j - 3) = -1.0;
      problem.row_lower[j - 3] = -7.0;
      problem.row_upper[j - 3] = above[l] - 7.0;
    }
    problem.row_lower[12 + k] = sums[k];
  }
  problem.lower.head(3) << 8, 43, 3;
  problem.upper.head(3) << 21, 57, 16;
  return one;
}

PublishedQp hs268() {
  PublishedQp one{"HS268", {}, 14463.0, 0.0, 1e-8};  // values of 1e4 cancel: eps 1e5 and more is rounding
  one.problem.Q = 2.0 * Eigen::MatrixXd{{10197, -12454, -1013, 1948, 329},
                                        {-12454, 20909, -1733, -4914, -186},
                                        {-1013, -1733, 1755, 1089, -174},
                                        {1948, -4914, 1089, 1515, -22},
                                        {329, -186, -174, -22, 27}};
  one.problem.c = -2.0 * Eigen::VectorXd{{-9170, 17099, -2271, -4336, -43}};
  one.problem.A = Eigen::MatrixXd{
      {-1, -1, -1, -1, -1}, {10, 10, -3, 5, 4}, {-8, 1, -2, -5, 3}, {8, -1, 2, 5, -3}, {-4, -2, 3, -5, 1}};
  one.problem.row_lower = Eigen::VectorXd{{-5, 20, -40, 11, -30}};
  return one;
}

PublishedQp genhs28() {
  constexpr Index n = 10;
  PublishedQp one{"GENHS28", {}, 0.0, 0.927173694, 5e-10};
  Eigen::MatrixXd F = Eigen::MatrixXd::Zero(n - 1, n), A = Eigen::MatrixXd::Zero(n - 2, n);
  for (Index i = 0; i < n - 1; ++i) F(i, i) = F(i, i + 1) = 1.0;
  for (Index i = 0; i < n - 2; ++i) A.row(i).segment(i, 3) << 1, 2, 3;
  least_squares(F, Eigen::VectorXd::Zero(n - 1), one.problem);
  set_equations(one.problem, A, Eigen::VectorXd::Ones(n - 2));
  return one;
}

PublishedQp zecevic2() {
  return {"ZECEVIC2",
          {.Q = Eigen::MatrixXd{{0, 0}, {0, 4}},
           .c = Eigen::VectorXd{{-2, -3}},
           .A = Eigen::MatrixXd{{1, 1}, {1, 4}},
           .row_upper = Eigen::VectorXd{{2, 4}},
           .lower = Eigen::VectorXd::Zero(2),
           .upper = Eigen::VectorXd::Constant(2, 10.0)},
          0.0,
          -4.125,
          1e-12};
}

Eigen::SparseMatrix<double> assembled(Index rows, Index columns, const Triplets& entries) {
  Eigen::SparseMatrix<double> matrix(rows, columns);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

/// Rows, unknowns and the objective in units that are powers of 2, so that all numbers stay exact, over so many
/// decades.
void take_units(Random& random, double decades, Qp& qp) {
  qp::Problem& problem = qp.problem;
  const auto units = [&](Index size) {
    return Eigen::VectorXd::NullaryExpr(
               size, [&] { return std::exp2(std::round(3.32 * uniform(random, -0.5, 0.5) * decades)); })
        .eval();
  };
  const Eigen::VectorXd columns = units(problem.c.size()), rows = units(problem.A.rows());
  problem.Q = (columns.asDiagonal() * problem.Q * columns.asDiagonal()).eval();
  problem.c.array() *= columns.array();
  problem.A = (rows.asDiagonal() * problem.A * columns.asDiagonal()).eval();
  problem.row_lower.array() *= rows.array();
  problem.row_upper.array() *= rows.array();
  problem.lower.array() /= columns.array();
  problem.upper.array() /= columns.array();
  qp.x.array() /= columns.array();
  qp.y.array() /= rows.array();
}

}  // namespace

std::vector<PublishedQp> published_qps() {
  return {hs21(), hs35(),  hs51_to_53(51), hs51_to_53(52), hs51_to_53(53),
          hs76(), hs118(), hs268(),        genhs28(),      zecevic2()};
}

qp::SparseProblem cvxqp(int kind, Index n) {
  const auto place = [n](Index factor, Index i) { return (factor * i - 1) % n; };  // zero-based; i from 1
  Triplets Q, A;
  for (Index i = 1; i <= n; ++i) {
    const Index at[] = {i - 1, place(2, i), place(3, i)};
    for (const Index row : at) {
      for (const Index column : at) Q.emplace_back(int(row), int(column), double(i));
    }
  }
  const Index m = kind == 1 ? n / 2 : kind == 2 ? n / 4 : 3 * n / 4;
  for (Index i = 1; i <= m; ++i) {
    A.emplace_back(int(i - 1), int(i - 1), 1.0);
    A.emplace_back(int(i - 1), int(place(4, i)), 2.0);
    A.emplace_back(int(i - 1), int(place(5, i)), 3.0);
  }
  qp::SparseProblem problem;
  problem.Q = assembled(n, n, Q);
  problem.c.setZero(n);
  problem.A = assembled(m, n, A);
  problem.row_lower.setConstant(m, 6.0);
  problem.row_upper = problem.row_lower;
  problem.lower.setConstant(n, 0.1);
  problem.upper.setConstant(n, 10.0);
  return problem;
}

qp::SparseProblem powell20(Index n) {
  qp::SparseProblem problem;
  problem.Q.resize(n, n);
  problem.Q.setIdentity();
  problem.c.setZero(n);
  Triplets A;
  problem.row_lower.resize(n);
  for (Index k = 1; k < n; ++k) {
    A.emplace_back(int(k - 1), int(k), 1.0);
    A.emplace_back(int(k - 1), int(k - 1), -1.0);
    problem.row_lower[k - 1] = (k % 2 == 0 ? double(k) : -double(k)) - 0.5;
  }
  A.emplace_back(int(n - 1), 0, 1.0);
  A.emplace_back(int(n - 1), int(n - 1), -1.0);
  problem.row_lower[n - 1] = double(n) - 0.5;
  problem.A = assembled(n, n, A);
  return problem;
}

qp::SparseProblem yao(Index p, double& constant) {
  const Index n = p + 2;
  qp::SparseProblem problem;
  problem.Q.resize(n, n);
  problem.Q.setIdentity();
  problem.c.resize(n);
  for (Index i = 0; i < n; ++i) problem.c[i] = -std::sin(double(i + 1) / double(n));
  constant = 0.5 * problem.c.squaredNorm();
  Triplets A;
  for (Index i = 0; i < p; ++i) {
    A.emplace_back(int(i), int(i), 1.0);
    A.emplace_back(int(i), int(i + 1), -2.0);
    A.emplace_back(int(i), int(i + 2), 1.0);
  }
  problem.A = assembled(p, n, A);
  problem.row_lower.setZero(p);
  problem.lower.setConstant(n, -no_bound);
  problem.upper.setConstant(n, no_bound);
  problem.lower[0] = 0.08;
  problem.lower.tail(2).setZero();
  problem.upper.tail(2).setZero();
  return problem;
}

qp::SparseProblem wathen(Index nx, Index ny, std::uint64_t seed) {
  Random random(seed);
  const Eigen::Matrix4d first{{6, -6, 2, -8}, {-6, 32, -6, 20}, {2, -6, 6, -6}, {-8, 20, -6, 32}};
  const Eigen::Matrix4d second{{3, -8, 2, -6}, {-8, 16, -8, 20}, {2, -8, 3, -8}, {-6, 20, -8, 16}};
  Eigen::MatrixXd element(8, 8);
  element << first, second, second.transpose(), first;
  const Index n = 3 * nx * ny + 2 * nx + 2 * ny + 1;
  Triplets Q;
  for (Index j = 1; j <= ny; ++j) {
    for (Index i = 1; i <= nx; ++i) {
      Index node[8];
      node[0] = 3 * j * nx + 2 * i + 2 * j;
      node[1] = node[0] - 1;
      node[2] = node[1] - 1;
      node[3] = (3 * j - 1) * nx + 2 * j + i - 2;
      node[4] = 3 * (j - 1) * nx + 2 * i + 2 * j - 4;
      node[5] = node[4] + 1;
      node[6] = node[5] + 1;
      node[7] = node[3] + 1;
      const double density = uniform(random, 0.0, 100.0) / 45.0;
      for (Index row = 0; row < 8; ++row) {
        for (Index column = 0; column < 8; ++column)
          Q.emplace_back(int(node[row]), int(node[column]), density * element(row, column));
      }
    }
  }
  qp::SparseProblem problem;
  problem.Q = assembled(n, n, Q);
  problem.c = 10.0 * entries(random, n, 1);
  problem.lower.setZero(n);
  problem.upper.setOnes(n);
  problem.A.resize(0, n);
  return problem;
}

Qp planted_qp(const QpShape& shape, std::uint64_t seed) {
  Random random(seed);
  const Index n = shape.n, own_rows = shape.m, m = shape.dependent ? 2 * shape.m : shape.m;
  Qp qp;
  qp::Problem& problem = qp.problem;
  const Index rank = shape.rank < 0 ? n : shape.rank;
  const Eigen::MatrixXd F = normal_matrix(random, n, rank);
  problem.Q = F * F.transpose() / double(n);
  if (shape.rank < 0) problem.Q.diagonal().array() += 0.5;
  problem.Q = (0.5 * (problem.Q + problem.Q.transpose())).eval();
  problem.A = normal_matrix(random, m, n);
  if (shape.dependent) problem.A.bottomRows(own_rows) = problem.A.topRows(own_rows);
  qp.x = normal_matrix(random, n, 1);
  qp.y.setZero(m);
  Eigen::VectorXd s = Eigen::VectorXd::Zero(n);
  // A value with bounds around it, or at one of them with a multiplier that pushes.
  const auto plant = [&](double value, bool equation, double& low, double& high, double& multiplier) {
    low = value - uniform(random, 0.1, 1.1);
    high = value + uniform(random, 0.1, 1.1);
    if (uniform(random, 0.0, 1.0) < 0.3) low = -no_bound;
    if (uniform(random, 0.0, 1.0) < 0.3) high = no_bound;
    if (equation) {
      low = high = value;
      multiplier = uniform(random, -1.0, 1.0);
    } else if (uniform(random, 0.0, 1.0) < 0.33) {
      const bool degenerate = uniform(random, 0.0, 1.0) < shape.degenerate;
      const double push = degenerate ? 0.0 : uniform(random, 0.1, 1.1);
      const bool below = uniform(random, 0.0, 1.0) < 0.5;
      (below ? low : high) = value;
      multiplier = below ? push : -push;
    }
  };
  problem.row_lower.resize(m);
  problem.row_upper.resize(m);
  problem.lower.resize(n);
  problem.upper.resize(n);
  for (Index j = 0; j < n; ++j) plant(qp.x[j], false, problem.lower[j], problem.upper[j], s[j]);
  const Eigen::VectorXd Ax = problem.A * qp.x;
  for (Index i = 0; i < m; ++i) {
    if (i >= own_rows) {
      problem.row_lower[i] = problem.row_lower[i - own_rows];
      problem.row_upper[i] = problem.row_upper[i - own_rows];
    } else {
      plant(Ax[i], i < shape.equations, problem.row_lower[i], problem.row_upper[i], qp.y[i]);
    }
  }
  problem.c = problem.A.transpose() * qp.y + s - problem.Q * qp.x;
  if (shape.decades > 0.0) take_units(random, shape.decades, qp);
  return qp;
}

Qp whole_qp(Index n, Index m, Index rank, double decades, std::uint64_t seed) {
  Random random(seed);
  Qp qp;
  qp::Problem& problem = qp.problem;
  const auto entries = [&random](Index rows, Index columns) {
    Eigen::MatrixXd matrix(rows, columns);
    for (double& entry : matrix.reshaped()) entry = double(whole(random, -3, 3));
    return matrix;
  };
  const Eigen::MatrixXd F = entries(n, rank);
  problem.Q = F * F.transpose();
  problem.A = entries(m, n);
  qp.x = Eigen::VectorXd::NullaryExpr(
      n, [&] { return whole(random, 0, 1) ? double(whole(random, 1, 4)) : -double(whole(random, 1, 4)); });
  qp.y.setZero(m);
  Eigen::VectorXd s = Eigen::VectorXd::Zero(n);
  const auto plant = [&random](double value, double& low, double& high, double& multiplier) {
    low = whole(random, 0, 1) ? -no_bound : value - double(whole(random, 0, 3));
    high = whole(random, 0, 1) ? no_bound : value + double(whole(random, 0, 3));
    if (low == value) multiplier += double(whole(random, 0, 3));
    if (high == value) multiplier -= double(whole(random, 0, 3));
  };
  for (Eigen::VectorXd* bounds : {&problem.lower, &problem.upper}) bounds->resize(n);
  for (Eigen::VectorXd* bounds : {&problem.row_lower, &problem.row_upper}) bounds->resize(m);
  for (Index j = 0; j < n; ++j) plant(qp.x[j], problem.lower[j], problem.upper[j], s[j]);
  const Eigen::VectorXd Ax = problem.A * qp.x;
  for (Index i = 0; i < m; ++i) plant(Ax[i], problem.row_lower[i], problem.row_upper[i], qp.y[i]);
  problem.c = problem.A.transpose() * qp.y + s - problem.Q * qp.x;
  take_units(random, decades, qp);
  return qp;
}

Qp cone_qp(Index n, Index m, std::uint64_t seed) {
  Random random(seed);
  Qp qp;
  qp::Problem& problem = qp.problem;
  Eigen::MatrixXd F(n, n);
  for (double& entry : F.reshaped()) entry = double(whole(random, -2, 2));
  problem.Q = F.transpose() * F;
  problem.Q.diagonal().array() += 1.0;
  problem.A.setZero(m, n);
  problem.row_lower.setZero(m);
  problem.row_upper.setConstant(m, no_bound);
  qp.x.setZero(n);
  qp.y.setZero(m);
  const Index zeros = whole(random, 1, n);  // and behind them what is not 0
  for (Index j = zeros; j < n; ++j) qp.x[j] = double(whole(random, 1, 3));
  for (Index i = 0; i < m; ++i) {
    const bool active = whole(random, 0, 2) > 0;
    for (Index j = 0; j < (active ? zeros : n); ++j)
      if (whole(random, 0, 2) == 0) problem.A(i, j) = double(whole(random, -2, 2));
    if (active) {
      qp.y[i] = double(whole(random, 0, 3));
      if (whole(random, 0, 2) == 0) problem.row_upper[i] = 0.0;
    } else if (problem.A.row(i).dot(qp.x) < 0.0) {
      problem.A.row(i) *= -1.0;
    }
  }
  problem.c = problem.A.transpose() * qp.y - problem.Q * qp.x;
  return qp;
}

Qp infeasible_qp(Index n, Index m, std::uint64_t seed) {
  Random random(seed);
  Qp qp = planted_qp({.n = n, .m = m}, seed);
  qp::Problem& problem = qp.problem;
  // The last row is minus a combination of the others, plus what a bounded unknown adds, and asks for too much.
  qp.proof.setZero(m);
  problem.row_lower.setConstant(-no_bound);
  problem.row_upper.setConstant(no_bound);
  problem.A.row(m - 1).setZero();
  double least = 0.0;
  for (Index i = 0; i + 1 < m; ++i) {
    problem.row_lower[i] = uniform(random, -1.0, 1.0);
    if (i % 2 == 1 && m > 2) continue;
    // Integers of at most 8: sums of their products have no rounding.
    problem.A.row(i) = (4.0 * problem.A.row(i)).array().round();
    const double weight = double(whole(random, 1, 3));
    qp.proof[i] = weight;
    problem.A.row(m - 1) -= weight * problem.A.row(i);
    least += weight * problem.row_lower[i];
  }
  problem.lower[0] = -1.0;
  problem.upper[0] = 2.0;
  problem.A(m - 1, 0) += 3.0;  // r_0 = 3, at most 6
  qp.proof[m - 1] = 1.0;
  problem.row_lower[m - 1] = 6.0 - least + 0.5;
  return qp;
}

Qp unbounded_qp(Index n, Index m, std::uint64_t seed) {
  Random random(seed);
  Qp qp;
  qp::Problem& problem = qp.problem;
  // d of ones and zeros; F^T d = 0 as the rows of F on d come in pairs of opposite sign.
  const Index half = std::max<Index>(1, n / 4);
  Eigen::VectorXd d = Eigen::VectorXd::Zero(n);
  d.head(2 * half).setOnes();
  Eigen::MatrixXd F = (4.0 * normal_matrix(random, n, n)).array().round();
  problem.A = (4.0 * normal_matrix(random, m, n)).array().round();
  for (Index j = 0; j < half; ++j) {
    F.row(half + j) = -F.row(j);
    problem.A.col(half + j) = -problem.A.col(j);
  }
  problem.Q = F * F.transpose();
  const Eigen::VectorXd x = normal_matrix(random, n, 1);
  const Eigen::VectorXd Ax = problem.A * x;
  problem.row_lower = Ax - Eigen::VectorXd::Ones(m);
  problem.row_upper = Ax + Eigen::VectorXd::Ones(m);
  problem.lower = x - Eigen::VectorXd::Ones(n);
  problem.upper = x + Eigen::VectorXd::Ones(n);
  for (Index j = 0; j < 2 * half; ++j) problem.upper[j] = no_bound;
  problem.c = normal_matrix(random, n, 1);
  problem.c[0] -= problem.c.dot(d) + 1.0;
  qp.proof = d;
  return qp;
}

qp::SparseProblem sparse(const qp::Problem& problem) {
  qp::SparseProblem result;
  result.Q = problem.Q.sparseView();
  result.c = problem.c;
  result.A = problem.A.sparseView();
  result.row_lower = problem.row_lower;
  result.row_upper = problem.row_upper;
  result.lower = problem.lower;
  result.upper = problem.upper;
  return result;
}

qp::Problem dense(const qp::SparseProblem& problem) {
  return {.Q = Eigen::MatrixXd(problem.Q),
          .c = problem.c,
          .A = Eigen::MatrixXd(problem.A),
          .row_lower = problem.row_lower,
          .row_upper = problem.row_upper,
          .lower = problem.lower,
          .upper = problem.upper};
}

}  // namespace nonsmooth::problems
