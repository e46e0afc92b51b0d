// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <memory>

#include <nonsmooth/numerics/qp/problem.hpp>

namespace nonsmooth::qp {

/// The dual active set method: from the minimiser under the equations alone, the row or bound that is violated most
/// (over its normal's length by the diagonal of Q^-1, so that units do not matter) becomes active, and those whose
/// multiplier would change its sign leave, until none is violated. Each step raises the dual value. Q is factored once;
/// a step updates the orthogonal factors of the active rows.
///
/// Positive definite Q: finite, accurate to round-off, with a proof where no x is feasible. Where Q is singular (a
/// scaled pivot below 1e-11; linear programs) the same runs on Q + rho I around the last answer, until that repeats
/// (proximal points); what grows without end gives the direction of an unbounded program.
///
/// Small and medium dense programs, above all a sequence of them that differ little. Cost: n^3 and O(n (n + m)) a step,
/// steps about the number of active rows, few from a good start.
/// Source: Goldfarb, Idnani 1983 [goldfarb1983]; proximal points: Rockafellar 1976 [rockafellar1976].
struct DualActiveSet {
  double tolerance = 1e-10;   ///< Certificate::residual <= tolerance; > 0. Exact up to round-off at the right set.
  Index max_steps = 100'000;  ///< rows that become active or leave, >= 1
  Eigen::VectorXd start_x{};  ///< n, m, n entries as a Result has them, or all empty: the first active set is
  Eigen::VectorXd start_y{};  ///< {i : y_i != 0} and {j : x_j at the bound that s_j pushes on}
  Eigen::VectorXd start_s{};
  double time_limit = std::numeric_limits<double>::infinity();  ///< [s], > 0; then Status::TimeLimit

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// @throws InvalidArgument as Problem::validate and DualActiveSet::validate, and for starts of other sizes.
[[nodiscard]] Result solve(const Problem& problem, const DualActiveSet& options);

/// The hot loop's door, for control and other sequences: dense programs one after the other, without allocation from
/// the second one on while n and m stand (but for proofs).
///
/// Same bits: the result depends on the arguments alone (the result that comes in among them), never on earlier calls.
class DualActiveSetWorkspace {
 public:
  DualActiveSetWorkspace();
  ~DualActiveSetWorkspace();
  DualActiveSetWorkspace(DualActiveSetWorkspace&&) noexcept;
  DualActiveSetWorkspace& operator=(DualActiveSetWorkspace&&) noexcept;

  /// Solves into `result`, from the active set of its x, y and s where they have the sizes of the problem.
  /// `same_matrices` promises Q and A of the last call, bit for bit: Q is not factored again where it is positive
  /// definite. Nothing is validated.
  void solve(const Problem& problem, const DualActiveSet& options, bool same_matrices, Result& result);

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace nonsmooth::qp
