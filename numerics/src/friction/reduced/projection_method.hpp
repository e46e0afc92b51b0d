// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the projection and threshold methods share: the law on whole vectors, when to stop, the public door.

#include <string_view>

#include <internal/deadline.hpp>
#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/friction/problem.hpp>

#include "measure.hpp"
#include "mixed/canonical.hpp"
#include "mixed/internal.hpp"
#include "mixed/newton_system.hpp"

namespace nonsmooth::friction::internal {

/// r := P_K(r), every block.
void project(const ProductSet& K, VectorRef r);
/// v = û of u, every block.
void modify_velocity(const ProductSet& K, const Eigen::VectorXd& u, Eigen::VectorXd& v);
/// sqrt(sum x_i^2 / rho_i): reactions of blocks of different masses count alike.
[[nodiscard]] double reaction_norm(const Eigen::VectorXd& x, const Eigen::VectorXd& rho);
/// sqrt(sum x_i^2 rho_i), its dual.
[[nodiscard]] double velocity_norm(const Eigen::VectorXd& x, const Eigen::VectorXd& rho);

/// @throws InvalidArgument for a set that the family does not solve and, unless `rolling`, for Rolling blocks.
void check_sets(std::string_view method, const ProductSet& K, bool rolling);

/// The problem without the gain of û: Coulomb cones as second-order cones (the convex relaxation).
[[nodiscard]] Problem relaxation_of(const Problem& problem);

/// The vectors of a monitor, each with an entry a row.
template <class Vector>
struct MonitorMemory {
  Vector rho, error, best_r, u;
};

/// Keeps the best iterate in the measure of the solve and says when to stop. Vector: Eigen::VectorXd, or GrowingVector
/// of a method that keeps its memory.
template <class Vector>
class BasicMonitor {
 public:
  BasicMonitor(const Problem& problem, double tolerance, Measure measure, double time_limit, mixed::Result& result)
      : BasicMonitor(problem, tolerance, measure, time_limit, nullptr, result) {}
  /// The same with vectors that outlive it.
  BasicMonitor(const Problem& problem, double tolerance, Measure measure, double time_limit,
               MonitorMemory<Vector>* memory, mixed::Result& result);
  BasicMonitor(const BasicMonitor&) = delete;
  BasicMonitor& operator=(const BasicMonitor&) = delete;

  /// Looks at an iterate and its u = W r + q. True where the solve ends: the tolerance is met by the recomputed
  /// certificate, numbers overflow, the time is up, or the error has been at round-off for long.
  [[nodiscard]] bool observe(ConstVectorRef r, ConstVectorRef u);
  /// True where iteration k is worth a look: always at first, then at intervals, since a look costs half a product.
  [[nodiscard]] static bool due(Index k) noexcept { return k < 32 || k % 8 == 0; }

  /// The measure of (r, u), not recomputed from r.
  [[nodiscard]] double residual(ConstVectorRef r, ConstVectorRef u);
  [[nodiscard]] double best() const noexcept { return best_; }
  /// Certificate::residual of (r, u), whatever the measure, not recomputed from r.
  [[nodiscard]] double certificate_residual(ConstVectorRef r, ConstVectorRef u);
  [[nodiscard]] double scale() const noexcept { return scale_; }  ///< of the certificate [unit of q]
  [[nodiscard]] double last() const noexcept { return last_; }    ///< of the last look
  /// What is left of time_limit [s].
  [[nodiscard]] double remaining() const { return deadline_.remaining(); }
  [[nodiscard]] const detail::Deadline& deadline() const noexcept { return deadline_; }
  [[nodiscard]] const Vector& rho() const noexcept { return vectors_.rho; }

  /// Ends the solve with the best iterate: Solved where its recomputed measure allows it, else what observe() stopped
  /// on, else `otherwise`.
  void finish(Status otherwise, std::string_view reason);

 private:
  [[nodiscard]] double recompute(ConstVectorRef r);

  const Problem& problem_;
  const double tolerance_;
  const Measure measure_;
  const detail::Deadline deadline_;
  mixed::Result& result_;
  MonitorMemory<Vector> own_;  // where none is kept
  MonitorMemory<Vector>& vectors_;
  Certificate certificate_;
  double best_, last_, scale_;
  Index looks_ = 0, at_round_off_ = 0;
  Status status_ = Status::NotRun;
  std::string_view reason_;
};

using Monitor = BasicMonitor<Eigen::VectorXd>;
extern template class BasicMonitor<Eigen::VectorXd>;
extern template class BasicMonitor<GrowingVector>;

/// Starts from `start`, runs `run(problem, options, result)` on canonical sets and adds the field's figures.
template <class Options, class Run>
void solve_canonical_into(const Problem& problem, const Options& options, std::string_view name,
                          std::string_view start_argument, ConstVectorRef start, Run run, Result& result) {
  mixed::internal::begin(problem, name, result);
  mixed::internal::set_start(problem, start_argument, start, result);
  run(problem, options, result);
  note_round_off(problem, options.measure, result);
  result.figures = mixed::friction_figures(problem, result.r, result.u);
}

/// Checks, and solves what is no canonical problem by its canonical form.
template <class Options, class Run>
[[nodiscard]] Result solve_by(const Problem& problem, const Options& options, std::string_view name,
                              std::string_view start_argument, bool rolling, Run run) {
  problem.validate();
  options.validate();
  check_sets(name, problem.K, rolling);
  if (!problem.K.is_canonical()) return mixed::internal::solve_canonical(problem, options);
  Result result;
  solve_canonical_into(problem, options, name, start_argument, options.start, run, result);
  return result;
}

}  // namespace nonsmooth::friction::internal
