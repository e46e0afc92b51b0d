// SPDX-License-Identifier: Apache-2.0
#include "interval_rows.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <internal/decompositions.hpp>

#include "infeasibility.hpp"
#include "local.hpp"
#include "proof_memory.hpp"
#include "relay/internal.hpp"

namespace nonsmooth::mixed::internal {
namespace {

/// True if result.r is confirmed to be a solution. At round-off u in doubled precision tells, whatever doubles said.
bool confirmed(const Problem& problem, double tolerance, Result& result) {
  Certificate& certificate = result.certificate;
  certificate = certify(problem, result.r, result.u);
  if (!(certificate.residual <= tolerance || certificate.error <= certificate.round_off)) return false;
  end(result, Status::Solved, "by pivoting between bounds");
  confirm(problem, tolerance, result);
  return result.ok() && certificate.residual <= tolerance;
}

class IntervalRows {
 public:
  IntervalRows(const Problem& problem, ConstMatrixRef dense) : problem_(problem), dense_(dense) {
    const Index n = problem.W.rows();
    lower_.resize(n);
    upper_.resize(n);
    for (Index b = 0; b < problem.K.num_blocks(); ++b) {
      const auto bounds = local::interval(problem.K[b]);
      lower_.segment(problem.K.offset(b), problem.K.size(b)).setConstant(bounds.lower);
      upper_.segment(problem.K.offset(b), problem.K.size(b)).setConstant(bounds.upper);
    }
  }

  [[nodiscard]] relay::View view() const { return {dense_, problem_.q, lower_, upper_}; }

  /// Refines result.r where its error is round-off. True if that confirms it.
  bool refine(double tolerance, Result& result) {
    for (int k = 0; k < max_refinements && result.certificate.error <= result.certificate.round_off; ++k) {
      step(result);
      if (confirmed(problem_, tolerance, result)) return true;
    }
    return false;
  }

  /// The same from every place of the rows at, or between, their bounds. False, and the result as it was, if none does.
  bool refine_all(double tolerance, Result& result) {
    const Index n = problem_.W.rows();
    Result other = result;
    std::vector<int> place(static_cast<std::size_t>(n), 0);  // 0 between, 1 lower, 2 upper
    for (;;) {
      for (Index i = 0; i < n; ++i) other.r[i] = value(i, place[static_cast<std::size_t>(i)]);
      step(other);
      if (confirmed(problem_, tolerance, other) || refine(tolerance, other)) {
        result = other;
        return true;
      }
      std::size_t k = 0;
      while (k < place.size() && ++place[k] == 3) place[k++] = 0;
      if (k == place.size()) return false;
    }
  }

 private:
  static constexpr int max_refinements = 3;  // each gains the digits that one solve gives
  static constexpr double tiny = 0x1p-100;   // off a bound at 0, but no round-off beside any answer

  [[nodiscard]] double value(Index i, int place) const {
    if (place == 1 && lower_[i] > -local::infinity) return lower_[i];
    if (place == 2 && upper_[i] < local::infinity) return upper_[i];
    if (lower_[i] < 0.0 && upper_[i] > 0.0) return 0.0;
    if (lower_[i] == 0.0 && upper_[i] > 0.0) return std::min(tiny, upper_[i]);
    if (lower_[i] < 0.0 && upper_[i] == 0.0) return std::max(-tiny, lower_[i]);
    if (upper_[i] == local::infinity) return lower_[i] + 1.0;
    return lower_[i] == -local::infinity ? upper_[i] - 1.0 : 0.5 * (lower_[i] + upper_[i]);
  }

  /// Newton's step on the rows strictly between their bounds, u in doubled precision. Columns are weighted so that
  /// where they are dependent the smallest r_j moves, the one whose digits reach furthest down.
  void step(Result& result) {
    between_.clear();
    for (Index i = 0; i < result.r.size(); ++i)
      if (result.r[i] > lower_[i] && result.r[i] < upper_[i]) between_.push_back(i);
    if (between_.empty()) return;
    velocity_in_doubled_precision(problem_, result.r, result.u);
    const double largest = result.r.lpNorm<Eigen::Infinity>();
    const double smallest = largest > 0.0 ? std::numeric_limits<double>::epsilon() * largest : 1.0;
    Eigen::VectorXd weight(static_cast<Index>(between_.size()));
    for (Index k = 0; k < weight.size(); ++k)
      weight[k] = std::max(std::abs(result.r[between_[static_cast<std::size_t>(k)]]), smallest);
    weight = weight.cwiseInverse();
    PivotedQr factors;
    factors.compute(dense_(between_, between_) * weight.asDiagonal());
    const Eigen::VectorXd change = factors.solve(result.u(between_)).cwiseProduct(weight);
    for (Index k = 0; k < change.size(); ++k) {
      const Index i = between_[static_cast<std::size_t>(k)];
      result.r[i] = std::clamp(result.r[i] - change[k], lower_[i], upper_[i]);
    }
  }

  const Problem& problem_;
  ConstMatrixRef dense_;
  Eigen::VectorXd lower_, upper_;
  std::vector<Index> between_;
};

/// Up to so many rows (729 places) all places of the rows are tried.
constexpr Index most_refined_rows = 6;

}  // namespace

bool solve_interval_rows(const Problem& problem, ConstMatrixRef dense, const Limits& limits, Result& result) {
  IntervalRows rows(problem, dense);
  relay::Result pivoted;
  relay::detail::automatic(rows.view(), limits.tolerance, limits.max_iterations, limits.time_limit, pivoted);
  result.iterations += pivoted.iterations;
  const GrowingVector before = result.r;
  const Certificate certificate = certify(problem, result.r, result.u);
  result.r = pivoted.z;
  if (confirmed(problem, limits.tolerance, result)) return true;
  if (pivoted.status == Status::Infeasible) {
    ProofMemory memory;
    memory.y = pivoted.proof;
    if (prove(problem, memory, result.proof)) {
      end(result, Status::Infeasible, pivoted.reason);
      return true;
    }
    result.proof.resize(0);
  }
  const bool at_round_off = result.certificate.error <= result.certificate.round_off;
  if (rows.refine(limits.tolerance, result)) return true;
  if (at_round_off && problem.W.rows() <= most_refined_rows && rows.refine_all(limits.tolerance, result)) return true;
  end(result, pivoted.ok() ? Status::Stalled : pivoted.status, pivoted.reason);
  if (!(result.certificate.residual <= certificate.residual)) {
    result.r = before;
    result.certificate = certificate;
  }
  return false;
}

}  // namespace nonsmooth::mixed::internal
