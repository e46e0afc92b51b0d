// SPDX-License-Identifier: Apache-2.0
#pragma once

// qp::Problem's rows and bounds as equations E x = e and inequalities C x >= d, which most optimizers want.

#include <algorithm>
#include <cmath>
#include <vector>

#include <Eigen/SparseCore>

#include <nonsmooth/numerics/qp/problem.hpp>

namespace nonsmooth::optimizers {

struct OneSided {
  /// Where a row comes from: +-1 times row i of A, or the unknown j.
  struct Source {
    Index row = -1, unknown = -1;
    double sign = 1.0;
  };
  std::vector<Source> equations, inequalities;
  std::vector<Eigen::Triplet<double>> E, C;
  std::vector<double> e, d;

  explicit OneSided(const qp::SparseProblem& problem) {
    const Eigen::SparseMatrix<double, Eigen::RowMajor> A = problem.A;
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const auto entry = [](const Eigen::VectorXd& v, Index i, double none) { return v.size() == 0 ? none : v[i]; };
    const auto add = [&](Index row, Index unknown, double bound, double sign, bool equation) {
      if (std::isinf(bound)) return;
      auto& triplets = equation ? E : C;
      const auto at = static_cast<int>((equation ? e : d).size());
      if (row >= 0) {
        for (Eigen::SparseMatrix<double, Eigen::RowMajor>::InnerIterator it(A, row); it; ++it)
          triplets.emplace_back(at, static_cast<int>(it.col()), sign * it.value());
      } else {
        triplets.emplace_back(at, static_cast<int>(unknown), sign);
      }
      (equation ? e : d).push_back(sign * bound);
      (equation ? equations : inequalities).push_back({row, unknown, sign});
    };
    const auto both = [&](Index row, Index unknown, double lower, double upper) {
      if (lower == upper) return add(row, unknown, lower, 1.0, true);
      add(row, unknown, lower, 1.0, false);
      add(row, unknown, upper, -1.0, false);
    };
    for (Index i = 0; i < problem.num_rows(); ++i)
      both(i, -1, entry(problem.row_lower, i, -infinity), entry(problem.row_upper, i, infinity));
    for (Index j = 0; j < problem.num_unknowns(); ++j)
      both(-1, j, entry(problem.lower, j, -infinity), entry(problem.upper, j, infinity));
  }

  /// Adds a multiplier of that source, Q x + c = E^T u + C^T v, to those of the rows of A.
  static void gather(const Source& source, double multiplier, Eigen::VectorXd& y) {
    if (source.row >= 0) y[source.row] += source.sign * multiplier;
  }
};

}  // namespace nonsmooth::optimizers
