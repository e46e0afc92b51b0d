// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include <nonsmooth/numerics/error.hpp>

#include "../number.hpp"
#include "mps.hpp"

namespace nonsmooth::problem_files {
namespace {

[[noreturn]] void refuse_mps(const std::string& found, const std::string& expected) {
  throw InvalidArgument("write_problem: problem", found, expected + "; use .h5");
}

/// Zeros keep their signs.
bool same_bits(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }

/// Every entry that is not +0; of a sparse matrix every stored one.
Eigen::SparseMatrix<double> stored_entries(const Eigen::SparseMatrix<double>& matrix) { return matrix; }
Eigen::SparseMatrix<double> stored_entries(const Eigen::MatrixXd& matrix) {
  std::vector<Eigen::Triplet<double>> entries;
  for (Index j = 0; j < matrix.cols(); ++j) {
    for (Index i = 0; i < matrix.rows(); ++i) {
      if (same_bits(matrix(i, j), 0.0)) continue;
      entries.emplace_back(static_cast<int>(i), static_cast<int>(j), matrix(i, j));
    }
  }
  Eigen::SparseMatrix<double> stored(matrix.rows(), matrix.cols());
  stored.setFromTriplets(entries.begin(), entries.end());
  return stored;
}

std::string finite_side(double value, const std::string& what) {
  if (std::abs(value) >= mps_infinity) {
    refuse_mps(what + " " + number(value), "less than 1e20 in magnitude, which MPS takes for infinite");
  }
  return number(value);
}

struct RowText {
  char type = 'L';
  double side = 0.0;
  double range = -1.0;  ///< < 0: none
  bool open = false;    ///< its side is infinite
};

/// With both sides finite a range is added to one of them when it is read: it must give the other back.
RowText row_text(double lower, double upper, Index row) {
  if (same_bits(lower, upper)) return {.type = 'E', .side = lower};
  if (std::isinf(lower) && std::isinf(upper)) return {.open = true};
  if (std::isinf(lower)) return {.type = 'L', .side = upper};
  if (std::isinf(upper)) return {.type = 'G', .side = lower};
  const double range = upper - lower;
  if (lower + range == upper) return {.type = 'G', .side = lower, .range = range};
  if (upper - range == lower) return {.type = 'L', .side = upper, .range = range};
  refuse_mps("sides of row " + std::to_string(row) + " that no range gives back exactly", "one side, or such sides");
}

void append_bounds(std::string& text, double lower, double upper, const std::string& column) {
  const auto line = [&](const char* type, const std::string& value) {
    text += std::string(" ") + type + " BND " + column + (value.empty() ? "" : " ") + value + '\n';
  };
  const std::string what = "a bound of " + column;
  if (std::isinf(lower) && std::isinf(upper)) return line("FR", "");
  if (same_bits(lower, upper)) return line("FX", finite_side(lower, what));
  if (std::isinf(lower)) line("MI", "");
  if (std::isfinite(lower) && !same_bits(lower, 0.0)) line("LO", finite_side(lower, what));
  if (std::isfinite(upper)) line("UP", finite_side(upper, what));
}

std::string column_name(Index j) { return "X" + std::to_string(j); }
std::string row_name(Index i) { return "R" + std::to_string(i); }

template <class Program>
std::string text_of_program(const Program& problem, std::string_view title) {
  const Index n = problem.num_unknowns(), m = problem.num_rows();
  const auto at = [](const Eigen::VectorXd& bounds, Index i, double otherwise) {
    return bounds.size() > 0 ? bounds[i] : otherwise;
  };
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::string text = "NAME " + std::string(title) + "\nROWS\n N COST\n", sides, ranges, bounds;
  for (Index i = 0; i < m; ++i) {
    const RowText row = row_text(at(problem.row_lower, i, -infinity), at(problem.row_upper, i, infinity), i);
    text += std::string(" ") + row.type + ' ' + row_name(i) + '\n';
    sides +=
        " RHS " + row_name(i) + ' ' + (row.open ? "1e30" : finite_side(row.side, "a side of " + row_name(i))) + '\n';
    if (row.range >= 0.0) ranges += " RNG " + row_name(i) + ' ' + finite_side(row.range, "a range") + '\n';
  }
  text += "COLUMNS\n";
  const Eigen::SparseMatrix<double> A = stored_entries(problem.A), Q = stored_entries(problem.Q);
  for (Index j = 0; j < n; ++j) {
    const std::string column = column_name(j);
    text += ' ' + column + " COST " + number(problem.c[j]) + '\n';
    for (Eigen::SparseMatrix<double>::InnerIterator entry(A, m > 0 ? j : 0); m > 0 && entry; ++entry) {
      text += ' ' + column + ' ' + row_name(entry.row()) + ' ' + number(entry.value()) + '\n';
    }
    append_bounds(bounds, at(problem.lower, j, -infinity), at(problem.upper, j, infinity), column);
  }
  if (!sides.empty()) text += "RHS\n" + sides;
  if (!ranges.empty()) text += "RANGES\n" + ranges;
  if (!bounds.empty()) text += "BOUNDS\n" + bounds;
  if (Q.nonZeros() > 0) text += "QMATRIX\n";
  for (Index j = 0; j < n; ++j) {
    for (Eigen::SparseMatrix<double>::InnerIterator entry(Q, j); entry; ++entry) {
      text += ' ' + column_name(entry.row()) + ' ' + column_name(j) + ' ' + number(entry.value()) + '\n';
    }
  }
  return text + "ENDATA\n";
}

}  // namespace

std::string mps_of(const AnyProblem& problem, std::string_view title) {
  if (title.find('\n') != std::string_view::npos) refuse_mps("a title of several lines", "one line, as MPS holds");
  if (const auto* const dense = std::get_if<qp::Problem>(&problem)) return text_of_program(*dense, title);
  if (const auto* const sparse = std::get_if<qp::SparseProblem>(&problem)) return text_of_program(*sparse, title);
  refuse_mps("a problem of class " + std::string(to_string(class_of(problem))), "a qp, as MPS holds");
}

}  // namespace nonsmooth::problem_files
