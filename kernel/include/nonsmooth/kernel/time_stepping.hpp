// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include <Eigen/Core>

#include <nonsmooth/kernel/one_step_ns_problem.hpp>
#include <nonsmooth/kernel/simulation.hpp>
#include <nonsmooth/numerics/thread_pool.hpp>

namespace nonsmooth {

/// What an interaction did to one of its mechanical systems in a step.
struct StepReaction {
  Eigen::VectorXd impulse;    ///< H^T p along the system's velocities, p the multipliers of the step [N s], [N m s]
  Eigen::VectorXd positions;  ///< the system's, where H was evaluated
};

/// What a contact that was found anew (NonSmoothDynamicalSystem::detect) did to one of its bodies in a step.
struct ContactStepReaction : StepReaction {
  std::uint32_t source = 0;   ///< which of the model's sources
  std::uint64_t feature = 0;  ///< which of its contacts, as ContactMemory has it
  SystemHandle other{};       ///< the other body; a handle of no model: the ground
  Eigen::MatrixXd H{};        ///< its rows along the body's velocities, u = H v + ...
};

/// Is shown a one-step problem with its solution, of the part of a step that goes on for `length` to t [s]; the problem
/// is good until it returns. It has to catch what it throws.
using ProblemWatch = std::function<void(const OneStepNSProblem& problem, double t, double length)>;

/// Event-capturing simulation: fixed steps t_k = t_0 + k h; the last step of advance_to(T) ends at T.
class TimeStepping : public Simulation {
 public:
  /// Takes a copy of the model (descriptions are shared) and examines it (TimeSteppingOptions::examination).
  /// @throws InvalidArgument for an empty model, bad options, a law, relation or system that its scheme does not know,
  /// an iteration matrix that is singular or not positive (with the step that would do), a mass that is not symmetric
  /// positive definite, a remark that is refused.
  TimeStepping(NonSmoothDynamicalSystem model, TimeSteppingOptions options, double t0 = 0.0);

  [[nodiscard]] const State& state() const noexcept override { return state_; }
  /// For initial conditions and controls. Coordinates and t may be written between steps: the next step evaluates the
  /// outputs anew where they were, and a new grid of steps starts where t was.
  [[nodiscard]] State& state() {
    if (!handed_out_) hand_out();
    return state_;
  }
  /// What was found in the model and its initial state before the first step, and was not refused.
  [[nodiscard]] const Remarks& examination() const noexcept override { return remarks_; }
  /// What was noticed in all steps so far. Nothing is looked for with Examination::Off. The energy of mechanics is
  /// looked at where every mechanical system is linear with constant forces and no other input, every relation affine
  /// and every law passive, under Moreau-Jean without projection. Cost: one pass over the unknowns a step; no memory
  /// after the second step, but for a first finding other than a penetration.
  [[nodiscard]] const RunRemarks& findings() const noexcept override { return findings_; }
  /// Other states in which the last step might have ended as well, its problem having several answers. Looked for where
  /// the examination says that there may be such steps, and the problem is small (Remark::Kind::Ambiguity).
  [[nodiscard]] const std::vector<State>& alternatives() const noexcept { return alternatives_; }
  /// The nonsmooth problem of the last step, with its solution: of the last linearisation where Newton's iteration made
  /// several, of the last part where the step was subdivided. Empty where nothing acted. Good until the next step, edit
  /// or set_state(); nothing is copied. @throws InvalidArgument of a simulation that was moved from.
  [[nodiscard]] const OneStepNSProblem& problem() const override;
  /// The last problem of the projection of positions in the last step (TimeSteppingOptions::projection); empty where
  /// there was nothing to move. Good as long as problem().
  [[nodiscard]] const OneStepNSProblem& projection_problem() const;
  /// Shows `watch`, as long as what is returned lives, the problem of each part of a step once it is solved or has
  /// failed: of a step that is made at once the one that problem() has then; of one that is subdivided those of the
  /// whole and of each part (OnFailure::Subdivide); of AdaptiveTimeStepping of the whole and of both parts, of lengths
  /// that were rejected too. Not of steps that only look: verify, findings(), alternatives(). It changes no result.
  /// @throws InvalidArgument of an empty function, of a simulation that was moved from.
  [[nodiscard]] std::shared_ptr<const ProblemWatch> watch_problems(ProblemWatch watch) const;
  /// H^T p of an interaction on one of its systems in the last step, with the H that the step itself used: of relations
  /// that vary at q* of its scheme (SchemeCoefficients), not at the end where a projection moved it. Over all
  /// interactions and detected contacts of a system with a constant M they add up to M (v_{k+1} - v_k) less the impulse
  /// of its forces, to round-off, however far the iteration of a step is from its end. Of a subdivided step, H is that
  /// of its last part; Form::Global likewise. @throws InvalidArgument where the present state is not the end of a step:
  /// before the first one, after one that was not taken, an edit, set_state(), coordinates that were written; of
  /// handles of another model, an interaction of first order or one that does not act on the system.
  [[nodiscard]] StepReaction reaction(InteractionHandle interaction, SystemHandle system) const;
  /// The same of all contacts found anew that acted on a system in the last step, in the order of State::contacts; H,
  /// and the system, are where it started. Not of contacts between bodies that sleep. Of a subdivided step, impulses
  /// too are those of its last part. @throws InvalidArgument likewise
  [[nodiscard]] std::vector<ContactStepReaction> contact_reactions(SystemHandle system) const;
  /// Replaces the state; outputs that are not those of its coordinates, to 1e-12 of the terms that each is the sum of,
  /// are evaluated anew. @throws InvalidArgument if it belongs to another revision, has arrays of other sizes, or holds
  /// numbers that are not finite or positions that are no configuration (MechanicalSystem::validate_position).
  void set_state(const State& state) override;
  [[nodiscard]] const NonSmoothDynamicalSystem& model() const noexcept override { return model_; }
  [[nodiscard]] const TimeSteppingOptions& options() const noexcept { return options_; }

  /// One step of length h. A step that fails on its problem keeps it: StepReport::problem.
  virtual StepReport step();

  /// The threads of its steps (TimeSteppingOptions::threads), idle between two of them: for what is done with a state
  /// that was shown. @throws InvalidArgument of a simulation that was moved from.
  [[nodiscard]] ThreadPool& threads() const;

 protected:
  RunReport run(double T, Call call, void* observer) override;
  void adopt(NonSmoothDynamicalSystem model) override;

 private:
  friend class ActingContacts;
  friend class AdaptiveTimeStepping;
  friend class RealTimeStepping;
  [[nodiscard]] double check_end(double T, double h) const;
  bool take_up(RunReport& report, Call call, void* observer);
  RunReport run_by(const std::function<StepReport(double h)>& make_step, double T, Call call, void* observer);
  bool look_at_written(double h, StepReport& failed);
  StepReport step_by(double h);
  StepReport certain_step(double h);
  StepReport watched_step(double h);
  void watch_depth(double h, const StepReport& report);
  void tell_lasting(const StepReport& report, RunRemarks& remarks) const;
  void find_other_ends(double h, const State& before, StepReport& report);
  void tell_last_impulses(RunReport& report);
  void repeat_subdivided(double h, const State& before, StepReport& report);
  void begin();
  void start_watching();
  void hand_out();
  [[nodiscard]] bool has_reactions() const;
  void require_reactions(const char* function) const;

  NonSmoothDynamicalSystem model_;
  TimeSteppingOptions options_;
  State state_;
  Workspace workspace_;
  Workspace other_workspace_, subdivision_workspace_;  // of possible steps, and of subdivided ones
  Remarks remarks_;
  RunRemarks findings_, noticed_;     // of all steps, and of the last
  bool watches_ = false;              // something is looked for after a step
  bool watches_free_motion_ = false;  // and after one in which nothing touches
  std::vector<State> alternatives_;
  std::vector<Index> doubtful_;                       // systems whose steps may have several answers: they are sought
  bool handed_out_ = false;                           // the state may be written by others
  Eigen::VectorXd known_positions_, known_unknowns_;  // what its outputs are of, once it was handed out
};

}  // namespace nonsmooth
