// SPDX-License-Identifier: Apache-2.0
#include <problems/exact.hpp>

#include <algorithm>
#include <utility>

#include <boost/multiprecision/cpp_int.hpp>

namespace nonsmooth::problems {
namespace {

using Rational = boost::multiprecision::cpp_rational;

std::size_t place(Index i) { return static_cast<std::size_t>(i); }

/// The sum of a_i b_i, and of |a_i b_i|.
std::pair<Rational, Rational> product(const Eigen::VectorXd& a, const Eigen::VectorXd& b) {
  Rational sum = 0, size = 0;
  for (Index i = 0; i < a.size(); ++i) {
    const Rational term = Rational(a[i]) * Rational(b[i]);
    sum += term;
    size += abs(term);
  }
  return {sum, size};
}

}  // namespace

double exact_error(const lcp::Problem& problem, const Eigen::VectorXd& z) {
  Rational worst = 0;
  for (Index i = 0; i < z.size(); ++i) {
    const Rational w = product(problem.M.row(i), z).first + Rational(problem.q[i]);
    double scale = problem.M(i, i);
    if (!(scale > 0.0)) scale = problem.M.row(i).cwiseAbs().maxCoeff();
    if (scale == 0.0) scale = 1.0;
    const Rational scaled = Rational(scale) * Rational(z[i]);
    worst = std::max<Rational>(worst, abs(std::min(scaled, w)));
  }
  return worst.convert_to<double>();
}

bool exact_proof(const lcp::Problem& problem, const Eigen::VectorXd& y, double allowance) {
  if (y.size() != problem.q.size() || !(y.minCoeff() >= 0.0)) return false;
  const Rational share(allowance);
  for (Index j = 0; j < y.size(); ++j) {
    const auto [sum, size] = product(problem.M.col(j), y);
    if (sum > share * size) return false;
  }
  const auto [sum, size] = product(problem.q, y);
  return sum < -share * size;
}

int exact_minor_sign(const Eigen::MatrixXd& M, const std::vector<Index>& rows) {
  const std::size_t n = rows.size();
  std::vector<std::vector<Rational>> A(n);
  for (std::size_t i = 0; i < n; ++i)
    for (const Index j : rows) A[i].emplace_back(M(rows[i], j));
  int sign = 1;
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    while (pivot < n && A[pivot][k] == 0) ++pivot;
    if (pivot == n) return 0;
    if (pivot != k) {
      A[pivot].swap(A[k]);
      sign = -sign;
    }
    if (A[k][k] < 0) sign = -sign;
    for (std::size_t i = k + 1; i < n; ++i) {
      const Rational factor = A[i][k] / A[k][k];
      for (std::size_t j = k; j < n; ++j) A[i][j] -= factor * A[k][j];
    }
  }
  return sign;
}

MinorSigns exact_minor_signs(const Eigen::MatrixXd& M) {
  MinorSigns signs;
  for (std::size_t key = 1; key < std::size_t{1} << place(M.rows()); ++key) {
    std::vector<Index> rows;
    for (Index i = 0; i < M.rows(); ++i)
      if ((key >> place(i)) & 1U) rows.push_back(i);
    const int sign = exact_minor_sign(M, rows);
    ++(sign > 0 ? signs.positive : sign < 0 ? signs.negative : signs.zero);
  }
  return signs;
}

}  // namespace nonsmooth::problems
