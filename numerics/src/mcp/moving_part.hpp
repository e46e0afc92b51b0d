// SPDX-License-Identifier: Apache-2.0
// What of a mixed complementarity problem is left where unknowns cannot move; not installed.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <internal/deadline.hpp>
#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/mcp/problem.hpp>

#include "internal.hpp"

namespace nonsmooth::mcp::detail {

/// True where unknowns may leave the problem: some l_i = h_i, or rows are said to be affine.
[[nodiscard]] bool may_shrink(const Problem& problem) noexcept;

/// The problem in the unknowns that can move. Those with l_i = h_i stay where they are; so does x_i at l_i where F_i is
/// affine and positive on all of [l, h], at h_i where it is negative: every solution has it there. A bound that an
/// affine row gives in this way counts for the next, in at most 20 passes over their entries.
/// Source: Ferris, Munson 2001 [ferris2001].
class MovingPart {
 public:
  /// `x`: a start within the bounds, at which affine rows are looked at. The problem outlives this.
  MovingPart(const Problem& problem, const Eigen::VectorXd& x);
  ~MovingPart();
  MovingPart(const MovingPart&) = delete;
  MovingPart& operator=(const MovingPart&) = delete;

  [[nodiscard]] bool empty() const noexcept { return moving_.empty(); }
  [[nodiscard]] bool is_all() const noexcept { return static_cast<Index>(moving_.size()) == problem_.size(); }
  /// Of the unknowns that move; its certificate has the scale of the whole.
  [[nodiscard]] const Problem& rest() const noexcept { return rest_; }
  [[nodiscard]] Eigen::VectorXd restricted(const Eigen::VectorXd& x) const;
  /// The result of the whole problem, judged by its own certificate.
  [[nodiscard]] Result whole(Result&& found, double tolerance) const;
  /// What was not finite in the last call, by the numbers of the whole problem; empty: nothing.
  [[nodiscard]] std::string not_finite() const;

 private:
  struct Shared;

  void hold_by_affine_rows(const Eigen::VectorXd& x);
  void make_rest();
  [[nodiscard]] std::string message() const;  // of what was not finite last

  const Problem& problem_;
  Eigen::VectorXd lower_, upper_;
  std::vector<Index> moving_;
  std::unique_ptr<Shared> shared_;  // what the callables of rest_ ask, which live as long as this
  Problem rest_;
  Index values_ = 0, jacobians_ = 0;  // asked so far, beside those of a solve
};

/// Solves a problem of which may_shrink() by `options` without what does not move. `argument` names options.start.
template <class Options>
Result solve_moving_part(const Problem& problem, Options options, const std::string& argument) {
  const nonsmooth::detail::Deadline deadline(options.time_limit);
  const MovingPart part(problem, start_of(problem, argument, options.start, options.check_jacobian));
  options.check_jacobian = false;
  const double tolerance = options.tolerance;
  if (part.empty()) {
    Result found;
    found.solver = "preprocessing";
    found.status = Status::Solved;
    found.reason = "no unknown can move";
    return part.whole(std::move(found), tolerance);
  }
  options.start = part.restricted(options.start);
  const auto attempt = [&] {
    options.time_limit = deadline.remaining();
    try {
      return part.whole(solve(part.rest(), options), tolerance);
    } catch (const InvalidArgument&) {
      if (const std::string told = part.not_finite(); !told.empty())
        throw InvalidArgument("mcp::Problem::F", told, "finite numbers at the start");
      throw;
    }
  };
  Result result = attempt();
  const double residual = result.certificate.residual;
  if (result.status != Status::Stalled || !(residual > tolerance && residual < 1e3 * tolerance)) return result;
  // Columns that left may have made rows steeper than the rest knows: once more, by as much.
  Result first = result;
  options.tolerance *= 0.5 * tolerance / residual;
  options.start = part.restricted(first.x);
  result = attempt();
  if (!result.ok() && !(result.certificate.residual < residual)) std::swap(first, result);
  result.iterations += first.iterations;
  result.values += first.values;
  result.jacobians += first.jacobians;
  return result;
}

}  // namespace nonsmooth::mcp::detail
