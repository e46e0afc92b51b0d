// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include <nonsmooth/kernel/layout.hpp>

namespace nonsmooth {

/// What detected contacts leave to the next step: the impulse of each feature, sorted by source and feature.
struct ContactMemory {
  std::uint64_t feature = 0;
  std::uint32_t source = 0;                         ///< which of the model's contact sources
  std::uint32_t rows = 2;                           ///< of the contact
  std::array<double, 6> impulse{};                  ///< row by row, the normal one first; `rows` of them [N s]
  double work_normal = 0.0, work_tangential = 0.0;  ///< p H (v+ + v-) / 2 of the last step, of the others together [J]
  double gap = 0.0;                                 ///< at its start [m]
  Index sleeper = -1;  ///< a system that it acts on and that fell asleep with it, by layout; -1: none
};

/// Who sleeps (TimeSteppingOptions::sleep), by system of the layout; empty: it was never asked for.
struct SleepMemory {
  std::vector<Index> island;  ///< the first system of the island that it sleeps in; -1: awake
  std::vector<Index> rested;  ///< steps in a row that it was at rest
  /// Pairs of systems that something acted between: in the last step; of those that sleep, in their last two.
  std::vector<std::array<Index, 2>> touching;
  Eigen::VectorXd accelerations;  ///< by unknown, w / h at falling asleep
  Eigen::VectorXd taken;          ///< by unknown, v that falling asleep took away; no step depends on it; may be empty

  [[nodiscard]] bool sleeps(Index system) const {
    return !island.empty() && island[static_cast<std::size_t>(system)] >= 0;
  }
};

/// What the next step of an event-driven simulation depends on beside t, q, v and x, as numbers of those who know them;
/// their counts follow from the model, the mode and the integrator. EventDriven::advance_to() leaves it,
/// EventDriven::set_state() goes on from it; a state that was changed since, or never had one, begins a motion instead.
/// Of an AdaptiveTimeStepping: `integrator` has the length of the next step, by system whether the rates of its
/// reactions in the last part are those of a force, and these rates by unknown; the others are empty.
struct EventHistory {
  /// A hash of the state and of all below: what does not fit it any more is no history. 0: none.
  std::uint64_t of = 0;
  /// q, v and x as they are integrated (of descriptor systems, part of x); what waits at t; the interval between
  /// instants at which data may jump; how far was searched, instants in a row and their pace; guards at the step's end.
  std::vector<double> loop;
  /// By contact: status, direction of slip, impacts so far, the longest step and way. By row: force, percussion, and
  /// the largest terms met of y, u and udot. Of the mode: round-off and zeros of its guards.
  std::vector<double> mechanics;
  std::vector<double> first_order;  ///< by row: branch, multiplier, guards; the largest |x| met, rates, steps
  std::vector<double> users;  ///< by guard of EventDrivenOptions::events: sign, round-off, largest value, last zero
  /// Length and error of the last step, the slope at t; of implicit methods the iteration matrix. Empty: of CVODE and
  /// IDA, which do not show theirs, so that they begin anew.
  std::vector<double> integrator;
};

/// Everything that changes while a model is simulated, as one value: copy it, step the copy, compare bits.
///
/// Lives for one revision of one model; stepping a model with a state of another revision is refused. Views returned
/// by the accessors are valid while the state lives and is not assigned to.
class State {
 public:
  State() = default;
  explicit State(std::shared_ptr<const Layout> layout);

  double t = 0.0;          ///< [s]
  double t_origin = 0.0;   ///< the grid is t = t_origin + k grid_step; a step of another length starts a new one at t
  double grid_step = 0.0;  ///< [s]; 0 before the first step
  std::int64_t k = 0;      ///< steps since t_origin
  std::int64_t steps = 0;  ///< of time-stepping since the initial state, whatever their lengths

  using View = Eigen::Map<Eigen::VectorXd>;
  using ConstView = Eigen::Map<const Eigen::VectorXd>;

  [[nodiscard]] ConstView q(SystemHandle system) const;  ///< configuration, nq. @throws for a first-order system
  [[nodiscard]] ConstView v(SystemHandle system) const;  ///< velocity, nv. @throws for a first-order system
  [[nodiscard]] ConstView x(SystemHandle system) const;  ///< state, n. @throws for a mechanical system
  [[nodiscard]] View q(SystemHandle system);
  [[nodiscard]] View v(SystemHandle system);
  [[nodiscard]] View x(SystemHandle system);

  [[nodiscard]] ConstView y(InteractionHandle interaction) const;        ///< gap h(q), or C x + D lambda + e
  [[nodiscard]] ConstView u(InteractionHandle interaction) const;        ///< H v. @throws for a first-order one
  [[nodiscard]] ConstView impulse(InteractionHandle interaction) const;  ///< over the last step [N s]. @throws likewise
  /// The part of impulse() that impacts made [N s]: all of it in the step in which an approaching contact closed, none
  /// of it in steps over which it stayed closed (and for laws without impacts). @throws likewise
  [[nodiscard]] ConstView percussion(InteractionHandle interaction) const;
  /// (impulse - percussion) / h of the last step: the mean force of contacts that stay closed [N]; 0 before the first
  /// step. Of event-driven states: the force at t. @throws likewise
  [[nodiscard]] Eigen::VectorXd force(InteractionHandle interaction) const;
  /// mu of the projection of positions in the last step, summed over its iterations; q moved by A^-1 H^T mu, or within
  /// the step by M^-1 H^T mu (Projection::WithinStep). Zero where nothing was moved. [N s^2] where A is a mass. @throws
  /// for a first-order one
  [[nodiscard]] ConstView projection(InteractionHandle interaction) const;
  [[nodiscard]] ConstView lambda(InteractionHandle interaction) const;  ///< multiplier. @throws for a mechanical one

  /// True where the last step's scheme kept its unknown (SchemeCoefficients::keeps_unknown); otherwise it starts from
  /// v.
  [[nodiscard]] bool has_differences() const noexcept { return differences_t == t; }

  [[nodiscard]] bool is_asleep(SystemHandle system) const;  ///< @throws InvalidArgument of a stale handle
  /// The island of a system is awake in the next step, at rest for no step so far. To be called where positions of
  /// those that sleep were written. @throws InvalidArgument of a stale handle
  void wake(SystemHandle system);
  void wake();  ///< all of them

  [[nodiscard]] const std::shared_ptr<const Layout>& layout() const noexcept { return layout_; }

  // The contiguous arrays behind the views, in the order of the layout; for stages and observers of everything.
  Eigen::VectorXd positions;    ///< q of all mechanical systems
  Eigen::VectorXd unknowns;     ///< v of mechanical systems, x of first-order ones
  Eigen::VectorXd outputs;      ///< y
  Eigen::VectorXd velocities;   ///< u (zero for first-order rows)
  Eigen::VectorXd multipliers;  ///< impulses of mechanical interactions, lambda of first-order ones
  Eigen::VectorXd percussions;  ///< see percussion()
  Eigen::VectorXd forces;       ///< of mechanical rows at t [N], where an event-driven simulation wrote it; else empty
  Eigen::VectorXd projections;  ///< see projection(); no step depends on them
  /// By unknown, where a scheme keeps it: z of the last step, (A - a) / h of GeneralisedAlpha. Behind them, where that
  /// has joints, by row their forces at t [N], and 1, or 0 after an impact, from which these are to be found anew.
  Eigen::VectorXd differences;
  double differences_t = -std::numeric_limits<double>::infinity();  ///< when they were made [s]
  Eigen::VectorXd law_memory;  ///< what laws remember, block by block: the largest gap of a bond [m]
  double last_step = 0.0;      ///< length of the last step [s]; 0 before the first
  std::vector<ContactMemory> contacts;
  SleepMemory sleep;
  EventHistory events;  ///< of event-driven simulation and adaptive steps; not in hash_of()

 private:
  std::shared_ptr<const Layout> layout_;
};

/// XXH64 over every bit of the state that the next step depends on.
[[nodiscard]] std::uint64_t hash_of(const State& state) noexcept;

}  // namespace nonsmooth
