// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <nonsmooth/kernel/simulation.hpp>

namespace nonsmooth {

/// Energies and works of one step, over all mechanical systems of a model [J], SI units throughout.
///
///     kinetic + potential - (those before) = contact + friction + constraint + damping + external + sleep + numerical
///
/// with p · H (v_{k+1} + v_k) / 2 for the work of an impulse p, the one average that makes the balance of kinetic
/// energy exact for impacts; where a system fell asleep in the step, v_{k+1} is what that took away. What is left,
/// `numerical`, is what the scheme itself adds: zero to rounding for linear systems under Moreau-Jean with theta = 1/2,
/// negative for theta > 1/2, of the order of the scheme for nonlinear ones.
struct LedgerEntry {
  double t = 0.0;           ///< end of the step [s]
  double kinetic = 0.0;     ///< v^T M v / 2
  double potential = 0.0;   ///< q^T K q / 2 - f q for constant f, V(q); NaN where a system's is not known
  double contact = 0.0;     ///< work of the normal rows of unilateral contacts and cones, detected ones too
  double friction = 0.0;    ///< work of their tangential rows, and of friction in joints
  double constraint = 0.0;  ///< work of all other mechanical interactions: equalities, relays, springs
  double damping = 0.0;     ///< work of C: -h v^T C v at the mean velocity
  double external = 0.0;    ///< work of forces that are functions of time, at the mean velocity, of prescribed impulses
  double sleep = 0.0;       ///< -v^T M v / 2 of systems that fell asleep in the step (TimeSteppingOptions::sleep), <= 0
  double numerical = 0.0;   ///< the rest of the balance; NaN where the potential is, and for the first entry
  double penetration = 0.0;  ///< largest -y of unilateral contacts that are rigid, 0 where there is none [m]
  double drift = 0.0;        ///< largest |y| of equalities, which are held at the level of velocities [m]
  double compression = 0.0;  ///< largest -y of SpringDashpotLaw, whose springs are there to be pressed [m]
  Eigen::VectorXd momentum;  ///< M v, by unknown (0 for first-order systems)

  [[nodiscard]] double energy() const noexcept { return kinetic + potential; }
  /// What contact, friction and damping of linear systems took out in the step, >= 0 but for rounding. What loads on
  /// bodies damp is part of `numerical`, what dampers damp that are laws part of `constraint`.
  [[nodiscard]] double dissipation() const noexcept { return -(contact + friction + damping); }
};

/// Keeps the energy balance of a run: the state before the first step is recorded, then the one after each.
///
///     Ledger ledger(simulation);
///     simulation.advance_to(T, [&](const State& x) { plot(ledger.record(x).energy()); });
///
/// Of an event-driven run the works are those of impacts, at their instants; what contacts, constraints and prescribed
/// impulses do besides counts as `numerical`, with the error of the integrator.
///
/// Forces of nonlinear systems and loads of bodies that are not in a potential (bearings, drag), feedbacks and
/// prescribed velocities count as `numerical`; so does, of a step that was subdivided, what its impulses did between
/// its parts. Cost: one product with M and K a step. The model is not copied: it has to live as long as the ledger.
class Ledger {
 public:
  explicit Ledger(const NonSmoothDynamicalSystem& model);
  /// Of a simulation's model, opened with its present state.
  explicit Ledger(const Simulation& simulation);

  /// The entry of the step that ended in `state`. The first call only opens the balance: its works are 0.
  /// @throws InvalidArgument if the state belongs to another revision of the model.
  const LedgerEntry& record(const State& state);

  [[nodiscard]] const LedgerEntry& last() const noexcept { return entry_; }
  /// Sums of contact, friction, constraint, damping, external, sleep and numerical of all steps recorded.
  [[nodiscard]] const LedgerEntry& total() const noexcept { return total_; }

 private:
  void find_end(const State& state);
  [[nodiscard]] Eigen::VectorXd velocity_taken(const State& state, const Layout::Interaction& place) const;
  void add_energies(const State& state, const Layout::System& place);
  void add_works(const State& state);

  const NonSmoothDynamicalSystem* model_;
  std::shared_ptr<const Layout> layout_;
  LedgerEntry entry_, total_;
  Eigen::VectorXd unknowns_, velocities_;  ///< of the state before; velocities without what moves by itself
  Eigen::VectorXd own_velocities_;         ///< of this state
  Eigen::VectorXd end_;                    ///< unknowns at the end of the step, before somebody fell asleep
  std::vector<Index> asleep_;              ///< SleepMemory::island of the state before
  bool some_fell_ = false;                 ///< asleep in this step
  double t_ = 0.0;
  bool open_ = false;
};

}  // namespace nonsmooth
