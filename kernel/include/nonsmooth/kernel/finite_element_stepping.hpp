// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include <nonsmooth/kernel/event_driven.hpp>
#include <nonsmooth/kernel/sensitivity.hpp>
#include <nonsmooth/kernel/simulation.hpp>

namespace nonsmooth {

/// Collocation with s stages in each element.
enum class FiniteElementFamily : unsigned char {
  /// Order 2 s - 1, along surfaces and through switches as in smooth phases; damps what is stiff.
  RadauIIA,
  /// Order 2 s; ends of elements are put back on the surfaces that x slides along, which keeps it there.
  GaussLegendre,
};

struct FiniteElementOptions {
  double step = 0.0;  ///< h > 0 [s]
  FiniteElementFamily family = FiniteElementFamily::RadauIIA;
  Index stages = 3;    ///< s in 1..8: order 5 with Radau's, as tolerances of 1e-8 to 1e-12 want
  Index elements = 2;  ///< of a step, 1..32: one on each side of a switch
  bool sensitivities =
      false;  ///< FiniteElementStepping::sensitivity(); costs about as much as an iteration of Newton's
  EventThresholds thresholds{};  ///< position and acceleration: when x is on a surface, and which motions differ
  /// Of several motions that go on from a switch: Stop, Utkin or Choose.
  OnAmbiguity on_ambiguity = OnAmbiguity::Stop;
  std::function<Index(const std::vector<OtherMotion>& motions)> choose{};  ///< as EventDrivenOptions::choose

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// Finite elements with switch detection: steps of a fixed length h whose order is kept through switches and sliding.
/// A step is `elements` elements of collocation; where x meets a surface, enters sliding or leaves it, the instant is
/// an unknown more and the condition that holds there an equation more, so that the switch is the end of an element,
///
///     X_j = x_0 + h_e sum_k a_jk F(X_k) alpha_k,   c(X_j) = 0 where x slides,   c(x_1) = 0 or alpha(x_1) in {0, 1} at
///     the last of the elements before a switch, which all are as long; those behind it share the rest of h.
///
/// A step depends on t and x at its start alone, so that a run that goes on from a state has the same bits, but where x
/// is there within EventThresholds::position of a surface that it is not on, or Choose is asked again. Of several
/// surfaces at once that x slides along, the motion is the multi-affine one (equivalent control), where x' is unique or
/// on_ambiguity says so; where no alpha makes it, the run ends with NoMode. Where another motion comes to leave several
/// surfaces, an element ends. Where Newton's iteration on the modes fails, or several alpha make one x', the rest of
/// the step, or the largest of 1/2, 1/4 and 1/8 of it that has an answer, is one program with complementarity
/// constraints for all its elements, by Radau's stages (mpcc/nonlinear.hpp, to 1e-6 of the terms), and modes are
/// followed again from there: findings() tell it (RunRemark::Kind::StepProblem), its switches are in
/// no list, and with `sensitivities` the run ends as if there were none. A rest where fields balance though no alpha is
/// determined (a ball behind its last bounce) is followed, without `sensitivities`. Sources: Nurkanović, Sperl,
/// Albrecht & Diehl 2024 [nurkanovic2024]; Ascher & Petzold 1991 [ascher1991].
///
///     FiniteElementStepping simulation(model, {.step = 0.1, .stages = 4});
///     const RunReport report = simulation.advance_to(2.0);
///     const Eigen::MatrixXd& dx = simulation.sensitivity(handles.system).transition;
///
/// Takes models of FilippovSystems alone. A surface that is met and left again between two of 2 s places of an element
/// is passed over: where that may be, take shorter steps, or EventDriven, which bounds its guards.
/// Cost: per element about 5 factorizations of s (n + surfaces that x slides along) unknowns, dense.
class FiniteElementStepping : public Simulation {
 public:
  /// @throws InvalidArgument: a model that is empty or holds anything but FilippovSystems, bad options.
  FiniteElementStepping(NonSmoothDynamicalSystem model, FiniteElementOptions options, double t0 = 0.0);
  ~FiniteElementStepping() override;
  FiniteElementStepping(FiniteElementStepping&&) noexcept;
  FiniteElementStepping& operator=(FiniteElementStepping&&) noexcept;

  /// Where a run ended by NoMode, Ambiguous or Chattering: at that switch; at the start of the step, where another
  /// system fails before it. Outputs and multipliers are of the modes at the end of the last step.
  [[nodiscard]] const State& state() const override;
  [[nodiscard]] const NonSmoothDynamicalSystem& model() const override;
  [[nodiscard]] const Remarks& examination() const override;       ///< none: what is wrong is found at switches
  [[nodiscard]] const RunRemarks& findings() const override;       ///< SeveralAnswers, as EventDriven's; StepProblem
  [[nodiscard]] const OneStepNSProblem& problem() const override;  ///< empty: modes are followed, no problem is solved
  /// Replaces the state; sensitivities begin there. @throws InvalidArgument if it is of another revision or not finite.
  void set_state(const State& state) override;
  [[nodiscard]] const FiniteElementOptions& options() const;

  [[nodiscard]] const std::vector<Event>& events() const override;  ///< all switches since the start
  /// The motions among which none was chosen at the switch where the run ended (Outcome::Ambiguous); else empty.
  [[nodiscard]] const std::vector<OtherMotion>& alternatives() const;
  /// Since the start or set_state(). To parameters p of the fields: as states with p' = 0. @throws InvalidArgument
  /// without FiniteElementOptions::sensitivities, of a handle that is not a FilippovSystem's of the model.
  [[nodiscard]] const Sensitivity& sensitivity(SystemHandle system) const;

 protected:
  RunReport run(double T, Call call, void* observer) override;
  void adopt(NonSmoothDynamicalSystem model) override;

 private:
  struct Implementation;
  [[nodiscard]] Implementation& implementation() const;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace nonsmooth
