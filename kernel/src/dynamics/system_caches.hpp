// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "system_batch.hpp"

namespace nonsmooth {

struct OwnProblem;

/// The systems of a model in batches, one a kind, and what acts on all of them.
struct SystemCaches {
  /// Where a system is.
  struct Place {
    SystemBatch* batch = nullptr;
    Index place = 0;                           ///< in the batch
    const double* diagonal_inverse = nullptr;  ///< see SystemBatch
  };

  SystemInputs inputs;
  std::vector<std::unique_ptr<SystemBatch>>
      kinds;                            ///< in the order in which systems ask them; cleared with the schemes
  std::vector<SystemBatch*> batches;    ///< those that have systems
  std::vector<SystemBatch*> nonlinear;  ///< those of them whose A changes with the iterate
  std::vector<Place> places;            ///< by system; of prepare_instants() as the systems asked for

  [[nodiscard]] const Place& at(Index system) const { return places[static_cast<std::size_t>(system)]; }
  /// The diagonal of A^-1, or nullptr where A is not diagonal.
  [[nodiscard]] const double* diagonal_inverse(Index system) const { return at(system).diagonal_inverse; }
};

namespace stages {

/// @throws InvalidArgument where a system cannot have its scheme with this h.
void prepare_systems(const NonSmoothDynamicalSystem& model, const Discretisation& discretisation,
                     SystemCaches& systems);

/// These mechanical systems, by number in the layout, to be asked at instants alone; first: by system, its first packed
/// velocity. Cost: of the systems asked for, not of all.
void prepare_instants(const NonSmoothDynamicalSystem& model, const Layout& layout, const std::vector<Index>& asked,
                      const std::vector<Index>& first, SystemCaches& systems);

/// b := A^-1 b for the system's columns b (n x any), prescribed components zeroed.
inline void apply_inverse(SystemCaches& systems, Index system, MatrixRef b) {
  const auto& at = systems.at(system);
  at.batch->apply_inverse(at.place, b);
}
/// b := P of an input b: A^-1 b (mechanics), h multiplier_weight A^-1 b (first order), the hold's integral times b.
inline void apply_input(const Discretisation& discretisation, SystemCaches& systems, Index system, MatrixRef b) {
  const auto& at = systems.at(system);
  at.batch->apply_input(discretisation, at.place, b);
}

/// The problems that systems solved by themselves in free_state(); nullptr: there are no such systems.
[[nodiscard]] const OwnProblem* own_problems(const SystemCaches& systems);
/// z_free of the linear systems; independent of r and of Newton's iterates.
void free_state(const StepView& step, SystemCaches& systems, Eigen::VectorXd& z_free);
/// The positions of the iterate: retract(q_k, h (position z + (1-position) v_k)), for systems that something nonlinear
/// looks at; scratch of `systems` is written.
void predict_positions(const StepView& step, SystemCaches& systems, Iterate& iterate);
/// The residual without reactions of the nonlinear mechanical systems at the iterate.
void evaluate_systems(const StepView& step, const Iterate& iterate, SystemCaches& systems);
/// z_free, A of the nonlinear systems, linearised about the iterate. After evaluate_systems.
void linearise_systems(const StepView& step, const Iterate& iterate, SystemCaches& systems, Eigen::VectorXd& z_free);
/// Keeps H^T r of the linearised step that ended at z, for motion_holds.
void keep_impulses(const Discretisation& discretisation, const Eigen::VectorXd& z_free, const Eigen::VectorXd& z,
                   SystemCaches& systems);
/// After evaluate_systems: no residual, reactions as kept, is above the tolerance. False where a system cannot tell.
[[nodiscard]] bool motion_holds(double tolerance, SystemCaches& systems);

}  // namespace stages
}  // namespace nonsmooth
