// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <nonsmooth/kernel/analysis/first_order.hpp>
#include <nonsmooth/kernel/analysis/mechanical.hpp>
#include <nonsmooth/kernel/event_driven.hpp>
#include <nonsmooth/kernel/examination.hpp>
#include <nonsmooth/kernel/integrators.hpp>
#include <nonsmooth/kernel/model.hpp>
#include <nonsmooth/kernel/smooth_integrators.hpp>

/// What can be said of a model before it runs, island by island: parts that no interaction and no contact ties.
///
///     const analysis::ModelExamination found = analysis::examine(model);
///     std::cout << analysis::to_string(found);
namespace nonsmooth::analysis {

struct ExaminationOptions {
  /// Penetration or lateness of a contact that is allowed [m]; 0: binds no step.
  double penetration = 0.0;
  double steps_a_period = 20.0;  ///< of the fastest oscillation; > 0. 20: an error of some 1 % a period at order 2
  /// Islands with more states or rows are named and not examined, and simulation by events is not tried of a model that
  /// has more: costs grow like their cube. >= 1.
  Index most_states = 200;
  Index most_exact = 12;  ///< MatrixOptions::max_exact, in [1, 24]
  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// The step that accuracy asks for; implicit schemes are stable for longer ones where nothing grows.
struct StepAdvice {
  double fastest_rate = 0.0;         ///< largest |eigenvalue| of all islands, multipliers zero or y held [1/s]
  double slowest_rate = 0.0;         ///< the smallest that is not zero [1/s]
  double fastest_oscillation = 0.0;  ///< largest |imaginary part| [rad/s]
  double growth = 0.0;               ///< largest real part, 0 where none is positive [1/s]
  double for_rates = 0.0;            ///< min(2 pi / (steps_a_period oscillation), 1 / (10 growth)) [s]
  double for_penetration = 0.0;      ///< penetration / approach [s]
  double step = 0.0;                 ///< the least of these, infinity where nothing binds [s]
};

/// Whether a scheme integrates the model. HigherOrderMoreau is tried where a relative degree is 2 and more: as
/// link_higher_order() makes the model, of the interactions that `reason` names.
struct SchemeVerdict {
  std::string scheme;                                       ///< "MoreauJean (theta = 1/2)"
  std::variant<Integrator, SmoothIntegrator> integrator{};  ///< of TimeStepping, or of EventDriven
  bool can = false;
  std::string reason{};  ///< why not, or what to expect
};

/// What happens at the initial instant: the state is not consistent, or an impulse acts.
struct InitialJump {
  bool known = false;
  std::string why_not;        ///< where event-driven simulation does not take the model
  std::vector<Event> events;  ///< Impact, Jump, Impulse... at the state's t
  Eigen::VectorXd change;     ///< of State::unknowns
  Eigen::VectorXd moved;      ///< of State::positions: out of obstacles, back on equalities
};

struct ModelExamination {
  std::vector<FirstOrderIsland> first_order;
  std::vector<MechanicalIsland> mechanical;
  InitialJump jump;
  StepAdvice step;
  std::vector<SchemeVerdict> schemes;
  std::string recommended;           ///< one of these; empty: none can
  std::string_view recommended_for;  ///< the reason
  Remarks remarks;                   ///< what TimeStepping says of the model with the scheme recommended
};

/// Examines a model at a state, or at its initial state: relative degrees, Markov parameters, zero dynamics, passivity,
/// controllability and observability, classes of D and C B, index, existence and uniqueness with the theorem that says
/// so, redundant and contradicting constraints, W's spectrum, Painlevé's bound, time scales and what follows for
/// schemes and steps. What cannot be told is NotKnown, or named in `why_not`; so is what a callable throws or returns
/// that is not finite. Feedback is not looked into: verdicts are of the model without it (`driven`). Simulations are
/// made to see whether they can be, with the model's own initial state. Cost: O(n^3) an island, matrix classes
/// 2^most_exact.
/// @throws InvalidArgument if the state belongs to another revision, has arrays of other sizes or holds numbers that
/// are not finite, or for options out of range; what a contact source or a relation's h throws.
[[nodiscard]] ModelExamination examine(const NonSmoothDynamicalSystem& model, const State& state,
                                       const ExaminationOptions& options = {});
[[nodiscard]] ModelExamination examine(const NonSmoothDynamicalSystem& model, const ExaminationOptions& options = {});

/// A text of one section an island, for people.
[[nodiscard]] std::string to_string(const ModelExamination& examination);

}  // namespace nonsmooth::analysis
