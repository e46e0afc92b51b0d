// SPDX-License-Identifier: Apache-2.0
// The mixed linear complementarity problem of Siconos's texts: one matrix in blocks, or A, B, C, D, or both.
#include <algorithm>
#include <numeric>

#include "../number.hpp"
#include "siconos_layouts.hpp"

namespace nonsmooth::problem_files {
namespace {

/// Siconos's tests append a solution (u, v, w) to some files, often without its last number: nothing of the problem.
void skip_appended_solution(Cursor& cursor, Index n, Index m) {
  const std::size_t begin = cursor.position();
  std::size_t end = begin;
  double value = 0.0;
  while (end < cursor.tokens().size() && parse_real(cursor.tokens()[end], value)) ++end;
  const auto count = static_cast<Index>(end - begin);
  if (count == n + 2 * m || count == n + 2 * m - 1) cursor.seek(end);
}

/// Where each row and column of M goes: the free ones first, then the constrained, each in the order of the file.
struct Order {
  std::vector<Index> free, constrained;
};

Order read_blocks(Cursor& cursor, Index n, Index m) {
  std::vector<Index> ends = {cursor.integer("blocksRows, its first number", 0, 0)};
  while (ends.back() < n + m) ends.push_back(cursor.integer("blocksRows", ends.back() + 1, n + m));
  Order order;
  for (std::size_t block = 0; block + 1 < ends.size(); ++block) {
    auto& rows =
        cursor.integer("blocksIsComp (0 equality, 1 complementarity)", 0, 1) == 0 ? order.free : order.constrained;
    for (Index i = ends[block]; i < ends[block + 1]; ++i) rows.push_back(i);
  }
  if (static_cast<Index>(order.free.size()) != n) {
    cursor.fail_back(std::to_string(order.free.size()) + " rows in equality blocks", std::to_string(n));
  }
  return order;
}

void split_matrix(const Eigen::MatrixXd& M, const Order& order, mlcp::Problem& problem) {
  const auto n = static_cast<Index>(order.free.size()), m = static_cast<Index>(order.constrained.size());
  const Index p = M.rows() - m;
  // With p = n rows move as columns do; a rectangular M has its equality rows first.
  std::vector<Index> rows(static_cast<std::size_t>(M.rows()));
  std::iota(rows.begin(), rows.end(), Index{0});
  if (p == n) {
    std::copy(order.free.begin(), order.free.end(), rows.begin());
    std::copy(order.constrained.begin(), order.constrained.end(), rows.begin() + n);
  }
  const std::vector<Index> equalities(rows.begin(), rows.begin() + p), others(rows.begin() + p, rows.end());
  problem.A = M(equalities, order.free);
  problem.C = M(equalities, order.constrained);
  problem.D = M(others, order.free);
  problem.B = M(others, order.constrained);
}

/// The two storages of one file say the same, up to the digits a text may have lost.
void check_agreement(const Cursor& cursor, const char* name, const Eigen::MatrixXd& one, const Eigen::MatrixXd& other,
                     double scale) {
  for (Index j = 0; j < other.cols(); ++j) {
    for (Index i = 0; i < other.rows(); ++i) {
      if (std::abs(one(i, j) - other(i, j)) <= 1e-5 * scale) continue;
      cursor.fail_back(std::string(name) + "(" + std::to_string(i) + ", " + std::to_string(j) +
                           ") = " + number(other(i, j)) + " in the second storage",
                       number(one(i, j)) + " as in the first");
    }
  }
}

double largest(const Eigen::MatrixXd& matrix) { return matrix.size() == 0 ? 0.0 : matrix.cwiseAbs().maxCoeff(); }

Reading read_new(Cursor& cursor, MatrixCache& matrices, bool short_q) {
  const bool one_matrix = cursor.integer("isStorageType1", 0, 1) == 1;
  const bool four_matrices = cursor.integer("isStorageType2", 0, 1) == 1;
  if (!one_matrix && !four_matrices) cursor.fail_back("neither storage", "at least one of the two");
  if (short_q && !(one_matrix && four_matrices)) cursor.fail_back("one storage", "both, which a short q needs");
  const Index n = cursor.count("the number of free unknowns", 0);
  const Index m = cursor.count("the number of constrained unknowns", 0);
  if (n + m == 0) cursor.fail_back("no unknown", "at least one");
  mlcp::Problem problem;
  Index p = n;
  Eigen::VectorXd q;
  Order order;
  if (one_matrix) {
    order = read_blocks(cursor, n, m);
    const auto stored = matrices.read(cursor, "M");
    p = stored->rows - m;
    const bool free_first =
        std::is_sorted(order.free.begin(), order.free.end()) && (n == 0 || order.free.back() == n - 1);
    if (stored->columns != n + m || p < 0 || (p != n && !free_first) || (short_q && p <= n)) {
      cursor.fail_back("M of " + std::to_string(stored->rows) + " x " + std::to_string(stored->columns),
                       "n + m = " + std::to_string(n + m) +
                           " columns; more or less rows only where the free unknowns "
                           "come first");
    }
    q = cursor.vector("q", short_q ? n + m : p + m);
    split_matrix(stored->to_dense(), order, problem);
    problem.a.resize(p);
    problem.b.resize(m);
    const auto entry = [&](Index i) { return i < q.size() ? q[i] : 0.0; };
    for (Index i = 0; i < p; ++i) problem.a[i] = entry(p == n ? order.free[static_cast<std::size_t>(i)] : i);
    for (Index i = 0; i < m; ++i) {
      problem.b[i] = entry(p == n ? order.constrained[static_cast<std::size_t>(i)] : p + i);
    }
    if (short_q && p > n + m) {
      cursor.fail_back("q of " + std::to_string(n + m) + " numbers", "one a row of M, " + std::to_string(p + m));
    }
  }
  if (four_matrices) {
    const Index rows = short_q ? n : p;
    const Eigen::MatrixXd A = cursor.rows("A", rows, n), B = cursor.rows("B", m, m);
    const Eigen::MatrixXd C = cursor.rows("C", rows, m), D = cursor.rows("D", m, n);
    const Eigen::VectorXd a = cursor.vector("a", rows), b = cursor.vector("b", m);
    if (!one_matrix) {
      problem = {.A = A, .B = B, .C = C, .D = D, .a = a, .b = b};
    } else {
      const double scale = std::max({largest(problem.A), largest(problem.B), largest(problem.C), largest(problem.D)});
      check_agreement(cursor, "A", problem.A, A, scale);
      check_agreement(cursor, "B", problem.B, B, scale);
      check_agreement(cursor, "C", problem.C, C, scale);
      check_agreement(cursor, "D", problem.D, D, scale);
      if (short_q) {
        problem.b = b;
      } else {
        const double vector_scale = std::max(largest(problem.a), largest(problem.b));
        check_agreement(cursor, "a", problem.a, a, vector_scale);
        check_agreement(cursor, "b", problem.b, b, vector_scale);
      }
    }
  }
  if (p == n) skip_appended_solution(cursor, n, m);
  std::string title = closing_remark(cursor);
  problem.validate();
  return {std::move(problem), std::move(title)};
}

}  // namespace

Reading read_mlcp(Cursor& cursor, MatrixCache& matrices) { return read_new(cursor, matrices, false); }

Reading read_mlcp_short_q(Cursor& cursor, MatrixCache& matrices) { return read_new(cursor, matrices, true); }

Reading read_mlcp_old(Cursor& cursor, MatrixCache&) {
  // With n = 0 an mlcp of today that was cut short could be read so, with m = 0 an lcp.
  const Index n = cursor.count("the number of free unknowns", 1);
  const Index m = cursor.count("the number of constrained unknowns", 1);
  const Index p = cursor.integer("the number of rows", m, cursor.remaining()) - m;
  mlcp::Problem problem;
  problem.A = cursor.rows("A", p, n);
  problem.B = cursor.rows("B", m, m);
  problem.C = cursor.rows("C", p, m);
  problem.D = cursor.rows("D", m, n);
  problem.a = cursor.vector("a", p);
  problem.b = cursor.vector("b", m);
  skip_appended_solution(cursor, n, m);
  std::string title = closing_remark(cursor);
  problem.validate();
  return {std::move(problem), std::move(title)};
}

}  // namespace nonsmooth::problem_files
