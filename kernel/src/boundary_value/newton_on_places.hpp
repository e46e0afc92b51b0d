// SPDX-License-Identifier: Apache-2.0
// Newton's method on the minimum map of a discrete boundary value problem; not installed.
#pragma once

#include <set>
#include <vector>

#include <internal/deadline.hpp>
#include <nonsmooth/numerics/linear_algebra/factorization.hpp>

#include "discrete_problem.hpp"

namespace nonsmooth::boundary_value::detail {

/// Where v_i is: -1 at its lower bound, 1 at its upper bound, 0 between, where w_i = 0.
using Places = std::vector<signed char>;

/// The linear equations of one choice of places: A u + C v = -a, and of each i  (D u + B v)_i = -b_i  between,
/// s_i v_i = s_i bound at a bound. One pattern for all places.
class PlacesSystem {
 public:
  /// Of another linearisation, whose pattern may be the same.
  void set(const mlcp::SparseProblem& linear);
  /// z = (u, v); false where the matrix is singular to working precision.
  [[nodiscard]] bool solve(const mlcp::SparseProblem& linear, const Places& places, Eigen::VectorXd& z);
  /// The places that z points at: what is at a bound stays there while w has its sign to `tolerance`, what is between
  /// leaves where v is not inside its bounds by tolerance / s. So what is neither (w = 0 and v = 0, to rounding) is at
  /// the bound. Of rows that have an `earlier` one, those alone leave a bound that are as far off as none beside them.
  void next(const mlcp::SparseProblem& linear, const Eigen::VectorXd& z, double tolerance,
            const std::vector<Index>& earlier, Places& places) const;

 private:
  SparseFactorization factors_;
  Eigen::SparseMatrix<double> matrix_;
  std::vector<double> values_;  // of matrix_ with all rows between
  Eigen::VectorXd s_, right_, correction_;
};

/// One mesh: the iterate (u, v), its places, and how it was left.
struct OnMesh {
  Eigen::VectorXd u, v;
  Places places;
  std::vector<Index> earlier;  ///< of DiscreteProblem::earlier_rows
  mlcp::SparseProblem linear;  ///< of the last linearisation
  Certificate certificate;
  Status status = Status::NotRun;
  std::string_view reason, solver;
  Index iterations = 0;
};

using nonsmooth::detail::Deadline;

/// Solves the problem of one mesh from the iterate and places in `on`.
void solve_on_mesh(DiscreteProblem& discrete, bool is_linear, const Limits& limits, const Deadline& deadline,
                   OnMesh& on);

}  // namespace nonsmooth::boundary_value::detail
