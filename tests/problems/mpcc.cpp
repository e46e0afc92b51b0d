// SPDX-License-Identifier: Apache-2.0
#include "mpcc.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <utility>

#include <nonsmooth/numerics/qp.hpp>

#include "lcp.hpp"

namespace nonsmooth::problems {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
using mpcc::Stationarity;

constexpr double without_bound = std::numeric_limits<double>::infinity();

/// 0 <= x_1 ⟂ x_2 >= 0 in the plane.
mpcc::Problem corner(const Matrix& Q, const Vector& c) {
  return {.Q = Q, .c = c, .G = Matrix{{1, 0}}, .g = Vector::Zero(1), .H = Matrix{{0, 1}}, .h = Vector::Zero(1)};
}

/// 0 <= x_2 ⟂ x_2 - x_1 >= 0.
mpcc::Problem wedge(const Matrix& Q, const Vector& c) {
  mpcc::Problem problem = corner(Q, c);
  problem.G = Matrix{{0, 1}};
  problem.H = Matrix{{-1, 1}};
  return problem;
}

/// Unknowns (x, y, l_1, l_2, l_3): min (x - 5)^2 + (2 y + 1)^2, y the least of (y - 1)^2 - 1.5 x y under 3 x - y >= 3,
/// x - y / 2 <= 4, x + y <= 7; x, y >= 0.
mpcc::Problem bard1() {
  mpcc::Problem problem{.Q = Matrix::Zero(5, 5), .c = Vector::Zero(5)};
  problem.Q(0, 0) = 2;
  problem.Q(1, 1) = 8;
  problem.c.head(2) << -10, 4;
  problem.A = Matrix{{-1.5, 2, 1, -0.5, 1}};
  problem.row_lower = problem.row_upper = Vector{{2}};
  problem.lower = Vector::Constant(5, -without_bound);
  problem.lower.head(2).setZero();
  problem.G = Matrix{{3, -1, 0, 0, 0}, {-1, 0.5, 0, 0, 0}, {-1, -1, 0, 0, 0}};
  problem.g = Vector{{-3, 4, 7}};
  problem.H = Matrix::Identity(5, 5).bottomRows(3);
  problem.h = Vector::Zero(3);
  return problem;
}

/// Unknowns (x, y, u): min x^2 + (y - 10)^2, 0 <= x <= 15, y >= 0, 4 (x + 2 y - 30) + u = 0, 0 <= 20 - x - y ⟂ u >= 0.
mpcc::Problem gauvin() {
  return {.Q = Vector{{2, 2, 0}}.asDiagonal(),
          .c = Vector{{0, -20, 0}},
          .A = Matrix{{4, 8, 1}},
          .row_lower = Vector{{120}},
          .row_upper = Vector{{120}},
          .lower = Vector{{0, 0, -without_bound}},
          .upper = Vector{{15, without_bound, without_bound}},
          .G = Matrix{{-1, -1, 0}},
          .g = Vector{{20}},
          .H = Matrix{{0, 0, 1}},
          .h = Vector{{0}}};
}

/// Unknowns (x, y, l): min x^2 / 2 + x y / 2 - 95 x, 0 <= x <= 200, 2 y + x / 2 - 100 = l, 0 <= y ⟂ l >= 0. On y > 0 it
/// is 0.375 x^2 - 70 x: -9800 / 3 at x = 280 / 3.
mpcc::Problem stackelberg1() {
  return {.Q = Matrix{{1, 0.5, 0}, {0.5, 0, 0}, {0, 0, 0}},
          .c = Vector{{-95, 0, 0}},
          .A = Matrix{{0.5, 2, -1}},
          .row_lower = Vector{{100}},
          .row_upper = Vector{{100}},
          .lower = Vector{{0, -without_bound, -without_bound}},
          .upper = Vector{{200, without_bound, without_bound}},
          .G = Matrix{{0, 1, 0}},
          .g = Vector{{0}},
          .H = Matrix{{0, 0, 1}},
          .h = Vector{{0}}};
}

}  // namespace

std::vector<PublishedMpcc> published_mpccs() {
  const Matrix zero = Matrix::Zero(2, 2), one = Matrix::Identity(2, 2);
  mpcc::Problem ralph1 = wedge(zero, Vector{{2, -1}});
  ralph1.lower = Vector{{0, -without_bound}};
  // min x_1 + x_2 - x_3, x_3 <= 4 x_1, x_3 <= 4 x_2.
  const mpcc::Problem scholtes4{.Q = Matrix::Zero(3, 3),
                                .c = Vector{{1, 1, -1}},
                                .A = Matrix{{-4, 0, 1}, {0, -4, 1}},
                                .row_upper = Vector::Zero(2),
                                .G = Matrix{{1, 0, 0}},
                                .g = Vector::Zero(1),
                                .H = Matrix{{0, 1, 0}},
                                .h = Vector::Zero(1)};
  std::vector<PublishedMpcc> all;
  all.push_back({"ralph1", ralph1, 0.0, 0.0, 0.0, Stationarity::Bouligand});
  all.push_back({"ralph2", corner(Matrix{{2, -4}, {-4, 2}}, Vector::Zero(2)), 0.0, 0.0, 0.0});
  all.push_back({"scholtes3", corner(one, Vector{{-1, -1}}), 1.0, 0.5, 0.5});
  all.push_back({"scholtes4", scholtes4, 0.0, 0.0, 0.0, Stationarity::Bouligand});
  all.push_back({"jr1", wedge(2.0 * one, Vector{{-2, 0}}), 1.0, 0.5, 0.5});
  all.push_back({"jr2", wedge(2.0 * one, Vector{{0, -2}}), 1.0, 0.5, 0.5});
  all.push_back({"kth1", corner(zero, Vector{{1, 1}}), 0.0, 0.0, 0.0});
  all.push_back({"kth2", corner(Matrix{{0, 0}, {0, 2}}, Vector{{1, -2}}), 1.0, 0.0, 0.0});
  all.push_back({"kth3", corner(Matrix{{1, 0}, {0, 2}}, Vector{{-1, -2}}), 1.5, 0.5, 1.0});
  all.push_back({"bard1", bard1(), 26.0, 17.0, 17.0});
  all.push_back({"gauvin", gauvin(), 100.0, 20.0, 20.0});
  all.push_back({"stackelberg1", stackelberg1(), 0.0, -9800.0 / 3.0, -9800.0 / 3.0});
  return all;
}

Mpcc planted_mpcc(const MpccShape& shape, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  const Index n = shape.n, m = shape.m, k = shape.pairs;
  Mpcc result;
  mpcc::Problem& problem = result.problem;
  const Matrix F = normal_matrix(random, n, n);
  problem.Q = F * F.transpose() / double(n) + 0.5 * Matrix::Identity(n, n);
  problem.Q = (0.5 * (problem.Q + problem.Q.transpose())).eval();
  problem.A = normal_matrix(random, m, n);
  problem.G = normal_matrix(random, k, n);
  problem.H = normal_matrix(random, k, n);
  result.x = normal_matrix(random, n, 1);
  result.y.setZero(m);
  result.u.setZero(k);
  result.v.setZero(k);
  problem.g = -problem.G * result.x;
  problem.h = -problem.H * result.x;
  const Vector Ax = problem.A * result.x;
  problem.row_lower = Ax - Vector::Ones(m);
  problem.row_upper = Ax + Vector::Ones(m);
  for (Index i = 0; i < m; ++i) {
    if (uniform(random) > 0.4) continue;
    problem.row_lower[i] = Ax[i];
    result.y[i] = uniform(random);
  }
  for (Index i = 0; i < k; ++i) {
    const bool both = uniform(random) < shape.biactive, of_G = uniform(random) < 0.5;
    // On beta multipliers are positive; else the side that is 0 has one of any sign.
    if (both || of_G) result.u[i] = both ? 0.1 + uniform(random) : 2.0 * uniform(random) - 1.0;
    if (both || !of_G) result.v[i] = both ? 0.1 + uniform(random) : 2.0 * uniform(random) - 1.0;
    if (!both) (of_G ? problem.h : problem.g)[i] += 0.5 + uniform(random);
  }
  problem.c = problem.A.transpose() * result.y + problem.G.transpose() * result.u + problem.H.transpose() * result.v -
              problem.Q * result.x;
  problem.lower = result.x - Vector::Constant(n, 10.0);
  problem.upper = result.x + Vector::Constant(n, 10.0);
  if (!shape.indefinite) return result;
  for (Index i = 0; i < k; ++i) {  // -w a_i b_i, whose gradient at x is -w (b_i G_i + a_i H_i)
    const double w = 1.0 + uniform(random);
    const Vector G = problem.G.row(i), H = problem.H.row(i);
    const double a = G.dot(result.x) + problem.g[i], b = H.dot(result.x) + problem.h[i];
    problem.Q -= w * (G * H.transpose() + H * G.transpose());
    problem.c -= w * (problem.h[i] * G + problem.g[i] * H);
    result.u[i] -= w * b;
    result.v[i] -= w * a;
  }
  problem.Q = (0.5 * (problem.Q + problem.Q.transpose())).eval();
  return result;
}

Mpcc infeasible_mpcc(const MpccShape& shape, std::uint64_t seed) {
  Mpcc result = planted_mpcc(shape, seed);
  mpcc::Problem& problem = result.problem;
  const Index m = problem.num_rows(), k = problem.num_pairs();
  problem.A.conservativeResize(m + 1, Eigen::NoChange);
  problem.A.row(m) = -2.0 * problem.G.row(0);
  problem.row_lower.conservativeResize(m + 1);
  problem.row_upper.conservativeResize(m + 1);
  problem.row_lower[m] = 2.0 * problem.g[0] + 1.0;  // -2 G x >= 2 g + 1
  problem.row_upper[m] = without_bound;
  result.proof.setZero(m + 1 + 2 * k);
  result.proof[m] = 1.0;
  result.proof[m + 1] = 2.0;
  return result;
}

Mpcc unbounded_mpcc(const MpccShape& shape, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  const Index n = std::max<Index>(2, shape.n), m = shape.m, k = shape.pairs, half = std::max<Index>(1, n / 4);
  Mpcc result;
  mpcc::Problem& problem = result.problem;
  // d of ones and zeros; what does not move along it has columns of opposite sign there.
  result.proof.setZero(n);
  result.proof.head(2 * half).setOnes();
  Matrix F = normal_matrix(random, n, n).transpose();
  problem.A = normal_matrix(random, m, n);
  problem.G = normal_matrix(random, k, n);
  problem.H = normal_matrix(random, k, n);
  F = (4.0 * F).array().round();
  for (Matrix* rows : {&F, &problem.A, &problem.G, &problem.H}) rows->middleCols(half, half) = -rows->leftCols(half);
  problem.Q = F.transpose() * F;
  result.x = normal_matrix(random, n, 1);
  const Vector Ax = problem.A * result.x;
  problem.row_lower = Ax - Vector::Ones(m);
  problem.row_upper = Ax + Vector::Ones(m);
  problem.g = -problem.G * result.x;
  problem.h.setZero(k);
  for (Index i = 0; i < k; ++i) {
    problem.H(i, 0) += 0.5 + uniform(random);
    problem.h[i] = uniform(random) - problem.H.row(i).dot(result.x);
    if (uniform(random) < 0.5) continue;
    problem.G.row(i).swap(problem.H.row(i));
    std::swap(problem.g[i], problem.h[i]);
  }
  problem.c = normal_matrix(random, n, 1);
  problem.c[0] -= problem.c.dot(result.proof) + 1.0;
  return result;
}

double least_of_pieces(const mpcc::Problem& problem) {
  const Index n = problem.num_unknowns(), m = problem.num_rows(), k = problem.num_pairs();
  double least = without_bound;
  for (unsigned bits = 0; bits < (1U << k); ++bits) {
    qp::Problem piece{.Q = problem.Q, .c = problem.c, .lower = problem.lower, .upper = problem.upper};
    piece.A.resize(m + 2 * k, n);
    if (m > 0) piece.A.topRows(m) = problem.A;
    piece.A.middleRows(m, k) = problem.G;
    piece.A.bottomRows(k) = problem.H;
    piece.row_lower.resize(m + 2 * k);
    piece.row_upper.setConstant(m + 2 * k, without_bound);
    if (m > 0) piece.row_lower.head(m).setConstant(-without_bound);
    if (problem.row_lower.size() > 0) piece.row_lower.head(m) = problem.row_lower;
    if (problem.row_upper.size() > 0) piece.row_upper.head(m) = problem.row_upper;
    piece.row_lower.tail(2 * k) << -problem.g, -problem.h;
    for (Index i = 0; i < k; ++i) {
      const Index row = m + ((bits >> i) & 1U ? i : k + i);
      piece.row_upper[row] = piece.row_lower[row];
    }
    const qp::Result found = qp::solve(piece);
    if (found.unbounded()) return -without_bound;
    if (found.ok()) least = std::min(least, found.figures.value);
  }
  return least;
}

double independent_residual(const mpcc::Problem& problem, const Vector& x, const Vector& y, const Vector& u,
                            const Vector& v) {
  using Long = Eigen::Matrix<long double, Eigen::Dynamic, 1>;
  using LongMatrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
  const auto wide = [](const Matrix& matrix) { return LongMatrix(matrix.cast<long double>()); };
  const Long X = x.cast<long double>();
  long double worst = 0;
  const auto look = [&worst](long double error, long double terms) {
    if (error > 0) worst = std::max(worst, error / std::max(terms, 1.0L));
  };
  Long s = wide(problem.Q) * X + problem.c.cast<long double>();
  const long double slope = s.cwiseAbs().maxCoeff() + problem.c.cwiseAbs().maxCoeff();
  const auto rows = [&](const Matrix& matrix, const Vector& offset, const Vector& multipliers, Index i) {
    s -= wide(matrix).row(i).transpose() * static_cast<long double>(multipliers[i]);
    return Long(wide(matrix).row(i).transpose()).dot(X) + (offset.size() > 0 ? offset[i] : 0.0);
  };
  for (Index i = 0; i < y.size(); ++i) {
    const long double value = rows(problem.A, Vector(), y, i);
    const double low = problem.row_lower.size() > 0 ? problem.row_lower[i] : -without_bound;
    const double high = problem.row_upper.size() > 0 ? problem.row_upper[i] : without_bound;
    look(std::max<long double>({low - value, value - high, 0}), std::abs(value));
    if (y[i] != 0.0) look(std::abs(y[i] * (value - (y[i] > 0.0 ? low : high))), slope * std::abs(value));
  }
  for (Index i = 0; i < u.size(); ++i) {
    const long double a = rows(problem.G, problem.g, u, i), b = rows(problem.H, problem.h, v, i);
    const long double size = 1.0L + std::max(std::abs(problem.g[i]), std::abs(problem.h[i]));
    look(std::abs(std::min(a, b)), size);
    look(std::max(-a, -b), size);
    look(std::abs(a * u[i]), slope * size);
    look(std::abs(b * v[i]), slope * size);
  }
  for (Index j = 0; j < x.size(); ++j) {
    const double low = problem.lower.size() > 0 ? problem.lower[j] : -without_bound;
    const double high = problem.upper.size() > 0 ? problem.upper[j] : without_bound;
    look(std::max<long double>({low - X[j], X[j] - high, 0}), std::abs(X[j]));
    const double at = s[j] > 0 ? low : high;
    look(std::isfinite(at) ? std::min(std::abs(s[j] * (X[j] - at)), std::abs(s[j])) : std::abs(s[j]), slope);
  }
  return static_cast<double>(worst);
}

}  // namespace nonsmooth::problems
