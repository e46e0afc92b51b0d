// SPDX-License-Identifier: Apache-2.0
#include <problems/lcp.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace nonsmooth::problems {

Lcp murty(Index n) {
  Lcp lcp{"murty",
          {Eigen::MatrixXd::Identity(n, n), -Eigen::VectorXd::Ones(n)},
          Verdict::Solvable,
          Eigen::VectorXd::Zero(n),
          true};
  for (Index i = 0; i < n; ++i) {
    for (Index j = i + 1; j < n; ++j) lcp.problem.M(i, j) = 2.0;
  }
  lcp.z[n - 1] = 1.0;
  return lcp;
}

Lcp fathi(Index n) {
  const Eigen::MatrixXd lower = murty(n).problem.M.transpose();
  Lcp lcp{"fathi",
          {lower * lower.transpose(), -Eigen::VectorXd::Ones(n)},
          Verdict::Solvable,
          Eigen::VectorXd::Zero(n),
          true};
  lcp.z[0] = 1.0;
  return lcp;
}

Lcp interior() {
  Lcp lcp{"interior",
          {Eigen::MatrixXd{{2, 1}, {1, 2}}, Eigen::VectorXd{{-5, -6}}},
          Verdict::Solvable,
          Eigen::VectorXd{{4.0 / 3.0, 7.0 / 3.0}},
          true};
  return lcp;
}

Eigen::MatrixXd normal_matrix(std::mt19937_64& random, Index rows, Index cols) {
  std::normal_distribution<double> normal;
  return Eigen::MatrixXd::NullaryExpr(rows, cols, [&] { return normal(random); });
}

void plant(Lcp& lcp, std::mt19937_64& random, double degenerate) {
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  const Index n = lcp.problem.M.rows();
  lcp.z.setZero(n);
  Eigen::VectorXd w = Eigen::VectorXd::Zero(n);
  for (Index i = 0; i < n; ++i) {
    const double side = uniform(random);
    if (side < degenerate) continue;
    (side < degenerate + (1.0 - degenerate) / 2.0 ? lcp.z : w)[i] = 0.1 + uniform(random);
  }
  lcp.problem.q = w - lcp.problem.M * lcp.z;
}

Lcp random_spd(Index n, std::uint64_t seed, double degenerate) {
  std::mt19937_64 random(seed);
  const Eigen::MatrixXd A = normal_matrix(random, n, n);
  Lcp lcp{
      "spd", {A * A.transpose() / double(n) + 0.5 * Eigen::MatrixXd::Identity(n, n), {}}, Verdict::Solvable, {}, true};
  plant(lcp, random, degenerate);
  return lcp;
}

Lcp random_p(Index n, std::uint64_t seed, double degenerate) {
  Lcp lcp = random_spd(n, seed);
  std::mt19937_64 random(seed + 1);
  const Eigen::MatrixXd B = normal_matrix(random, n, n) / std::sqrt(double(n));
  lcp.name = "p";
  lcp.problem.M += B - B.transpose();
  plant(lcp, random, degenerate);
  return lcp;
}

Lcp random_psd(Index n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const Eigen::MatrixXd A = normal_matrix(random, n, std::max<Index>(1, n / 2));
  Lcp lcp{"psd", {A * A.transpose(), {}}, Verdict::Solvable, {}, false};
  plant(lcp, random, 0.0);
  return lcp;
}

Lcp random_infeasible(Index n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(0.1, 1.0);
  const Eigen::VectorXd y = Eigen::VectorXd::NullaryExpr(n, [&] { return uniform(random); }).normalized();
  const Eigen::MatrixXd projector = Eigen::MatrixXd::Identity(n, n) - y * y.transpose();
  const Eigen::MatrixXd A = projector * normal_matrix(random, n, n);
  Lcp lcp{"infeasible", {A * A.transpose(), {}}, Verdict::Infeasible, {}, false};
  if (n == 1) lcp.problem.M(0, 0) = 0.0;
  lcp.problem.q = normal_matrix(random, n, 1);
  lcp.problem.q -= (lcp.problem.q.dot(y) + 1.0) * y;  // q·y = -1
  return lcp;
}

Lcp rescaled(Lcp lcp, std::uint64_t seed, double decades) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> exponent(-decades / 4.0, decades / 4.0);
  const Index n = lcp.problem.q.size();
  const Eigen::VectorXd d = Eigen::VectorXd::NullaryExpr(n, [&] { return std::pow(10.0, exponent(random)); });
  lcp.problem.M = d.asDiagonal() * lcp.problem.M * d.asDiagonal();
  lcp.problem.q = lcp.problem.q.cwiseProduct(d);
  if (lcp.z.size() == n) lcp.z = lcp.z.cwiseQuotient(d);
  lcp.name += ", rescaled";
  return lcp;
}

lcp::SparseProblem obstacle_1d(Index n) {
  const double h = 1.0 / double(n + 1);
  lcp::SparseProblem problem{Eigen::SparseMatrix<double>(n, n), Eigen::VectorXd(n)};
  std::vector<Eigen::Triplet<double>> entries;
  for (Index i = 0; i < n; ++i) {
    entries.emplace_back(int(i), int(i), 2.0);
    if (i > 0) entries.emplace_back(int(i), int(i - 1), -1.0);
    if (i + 1 < n) entries.emplace_back(int(i), int(i + 1), -1.0);
    const double x = double(i + 1) * h;
    problem.q[i] = -h * h * (x > 0.25 && x < 0.75 ? 2.0 : -8.0);
  }
  problem.M.setFromTriplets(entries.begin(), entries.end());
  return problem;
}

lcp::SparseProblem obstacle_2d(Index m) {
  const double h = 1.0 / double(m + 1);
  const double pi = std::acos(-1.0);
  lcp::SparseProblem problem{Eigen::SparseMatrix<double>(m * m, m * m), Eigen::VectorXd(m * m)};
  std::vector<Eigen::Triplet<double>> entries;
  for (Index j = 0; j < m; ++j) {
    for (Index i = 0; i < m; ++i) {
      const int row = int(j * m + i);
      entries.emplace_back(row, row, 4.0);
      if (i > 0) entries.emplace_back(row, row - 1, -1.0);
      if (i + 1 < m) entries.emplace_back(row, row + 1, -1.0);
      if (j > 0) entries.emplace_back(row, row - int(m), -1.0);
      if (j + 1 < m) entries.emplace_back(row, row + int(m), -1.0);
      problem.q[row] = -h * h * 10.0 * std::sin(2.0 * pi * double(i + 1) * h) * std::sin(2.0 * pi * double(j + 1) * h);
    }
  }
  problem.M.setFromTriplets(entries.begin(), entries.end());
  return problem;
}

lcp::SparseProblem sparse(const lcp::Problem& problem) { return {problem.M.sparseView(), problem.q}; }

double independent_residual(const Eigen::MatrixXd& M, const Eigen::VectorXd& q, const Eigen::VectorXd& z) {
  long double error = 0.0L;
  long double q_norm = 0.0L;
  long double magnitude = 0.0L;
  for (Index i = 0; i < q.size(); ++i) {
    long double w = q[i];
    long double sum = std::abs(q[i]);
    long double row = 0.0L;
    for (Index j = 0; j < q.size(); ++j) {
      w += static_cast<long double>(M(i, j)) * z[j];
      sum += std::abs(static_cast<long double>(M(i, j)) * z[j]);
      row = std::max(row, std::abs(static_cast<long double>(M(i, j))));
    }
    const long double s = M(i, i) > 0.0 ? M(i, i) : (row > 0.0L ? row : 1.0L);
    error = std::max(error, std::abs(std::min(s * z[i], w)));
    q_norm = std::max(q_norm, std::abs(static_cast<long double>(q[i])));
    magnitude = std::max(magnitude, sum);
  }
  if (!z.allFinite()) return std::numeric_limits<double>::infinity();
  // What the sums themselves may have lost counts as error, and the data alone are the scale: no z vouches for itself.
  error += static_cast<long double>(q.size()) * 0x1p-64L * magnitude;
  return error == 0.0L ? 0.0 : static_cast<double>(error / q_norm);
}

double independent_residual(const Eigen::SparseMatrix<double>& M, const Eigen::VectorXd& q, const Eigen::VectorXd& z) {
  const auto n = static_cast<std::size_t>(q.size());
  std::vector<long double> w(q.data(), q.data() + n), sum(n), row(n), diagonal(n);
  for (std::size_t i = 0; i < n; ++i) sum[i] = std::abs(w[i]);
  for (Index j = 0; j < q.size(); ++j) {
    for (Eigen::SparseMatrix<double>::InnerIterator entry(M, j); entry; ++entry) {
      const auto i = static_cast<std::size_t>(entry.row());
      const long double product = static_cast<long double>(entry.value()) * z[j];
      w[i] += product;
      sum[i] += std::abs(product);
      row[i] = std::max(row[i], std::abs(static_cast<long double>(entry.value())));
      if (entry.row() == j) diagonal[i] = entry.value();
    }
  }
  if (!z.allFinite()) return std::numeric_limits<double>::infinity();
  long double error = 0.0L, q_norm = 0.0L, magnitude = 0.0L;
  for (std::size_t i = 0; i < n; ++i) {
    const long double s = diagonal[i] > 0.0L ? diagonal[i] : (row[i] > 0.0L ? row[i] : 1.0L);
    error = std::max(error, std::abs(std::min(s * z[static_cast<Index>(i)], w[i])));
    q_norm = std::max(q_norm, std::abs(static_cast<long double>(q[static_cast<Index>(i)])));
    magnitude = std::max(magnitude, sum[i]);
  }
  // What the sums themselves may have lost counts as error, and the data alone are the scale: no z vouches for itself.
  error += static_cast<long double>(q.size()) * 0x1p-64L * magnitude;
  return error == 0.0L ? 0.0 : static_cast<double>(error / q_norm);
}

}  // namespace nonsmooth::problems
