// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <Eigen/Core>

#include "element.hpp"
#include "step_problem.hpp"

namespace nonsmooth::finite_elements {

/// How a step ended.
enum class SwitchedOutcome : unsigned char {
  Advanced,
  NotConverged,  ///< Newton's iteration of an element or of a switch, in elements however short
  NoMode,        ///< the rule found no mode to go on with
  Undetermined,  ///< the mode that goes on has no alpha, or more than one
  Chattering,    ///< more switches in the step than kMostSwitches
};

/// Which mode goes on from an instant.
class ModeRule {
 public:
  virtual ~ModeRule() = default;
  /// `largest`: the magnitudes of x that its surfaces are judged by. False: none, or none that is to be chosen.
  [[nodiscard]] virtual bool choose(double t, const Eigen::VectorXd& x, const Eigen::VectorXd& largest,
                                    SwitchedMode& mode) = 0;
  /// Of the mode chosen last: its x' is the only one that goes on.
  [[nodiscard]] virtual bool is_only_motion() const { return false; }
  /// The motion chosen last is the only one, by no alpha that its surfaces determine, and stays until then at x, which
  /// is put onto them.
  [[nodiscard]] virtual bool rests_until(double end, Eigen::VectorXd& x) { return (void)end, (void)x, false; }
  /// Of the mode chosen last, where x slides along several surfaces: other motions may come to go on from it too.
  [[nodiscard]] virtual bool may_leave() const { return false; }
  /// Positive as long as none does.
  [[nodiscard]] virtual double margin_to_leave(double t, const Eigen::VectorXd& x) = 0;
};

/// Finite elements with switch detection: one step of length h in `elements` elements of equal length; where the mode
/// changes, after the fraction tau of the step, those up to the switch share tau and those after it share the rest, so
/// that the switch is the end of an element and the polynomials of both sides keep their order. The length of the
/// elements before a switch is an unknown more, and the guard that vanishes there,
///
///     c_j(x) = 0 of a surface that is met,   alpha_j(x) = 0 or 1 of one that is left,   ModeRule::margin_to_leave()
///
/// an equation more. This is the method of Nurkanović, Sperl, Albrecht & Diehl 2024 [nurkanovic2024] with the sequence
/// of modes followed instead of found by a complementarity problem: cross complementarity (a mode that stands through
/// an element) and step equilibration (equal lengths between switches) hold by construction. Where Newton's iteration
/// on a mode fails, or its alpha is not determined though x' is, what is left of the step is that problem
/// (StepProblem).
class SwitchedStepper {
 public:
  static constexpr Index kMostElements = 64;   // of a phase that Newton does not solve in fewer
  static constexpr Index kMostSwitches = 200;  // a step; more is a sequence that converges, or a step far too long

  SwitchedStepper(SwitchedField& field, ModeRule& rule, const Collocation& collocation, Index elements);

  /// From x at t over h. The mode is what the rule says there; `goes_on`: where the last step ended here, its mode, as
  /// long as no guard vanishes in it. `transition` (n x n), where it is given, is multiplied from the left by dx(h)/dx.
  [[nodiscard]] SwitchedOutcome step(double t, const Eigen::VectorXd& x, double h, bool goes_on,
                                     Eigen::MatrixXd* transition);

  // Of the last step.
  [[nodiscard]] const Eigen::VectorXd& x() const noexcept { return x_; }     ///< where it ended
  [[nodiscard]] double reached() const noexcept { return reached_; }         ///< of h: the last switch, if it failed
  [[nodiscard]] const SwitchedMode& mode() const noexcept { return mode_; }  ///< in which it ended
  [[nodiscard]] Index iterations() const noexcept { return iterations_; }    ///< Newton's, of all elements
  /// A switch whose guard hardly moved with the length of its element: it grazes, and the transition is unbounded
  /// there.
  [[nodiscard]] bool grazed() const noexcept { return grazed_; }
  /// Several guards vanished at one switch: dx/dx holds for directions that keep their order alone.
  [[nodiscard]] bool coincided() const noexcept { return coincided_; }
  /// The end of the step came by StepProblem, with that residual; negative: it did not.
  [[nodiscard]] double of_problem() const noexcept { return of_problem_; }

 private:
  /// A zero-crossing function of a mode, positive inside: of surface `surface`, its c with its sign, or alpha or 1 -
  /// alpha of a sliding one; or the rule's.
  struct Guard {
    Index surface = -1;
    bool sliding = false, upper = false;  // upper: 1 - alpha
    bool leaving = false;                 // the rule's margin

    [[nodiscard]] bool of_surface() const noexcept { return !sliding && !leaving; }
    friend bool operator==(const Guard&, const Guard&) = default;
  };
  struct Place {
    Index element = 0;
    double s = 1.0;
    Guard guard;
    bool found = false;
  };

  void list_guards();
  double margin(const Guard& guard, double t, const Eigen::VectorXd& x);
  double tolerance(const Guard& guard, double t, const Eigen::VectorXd& x);
  double rate(const Guard& guard, double t, const Eigen::VectorXd& x);
  void gradient(const Guard& guard, double t, const Eigen::VectorXd& x, Eigen::VectorXd& slope, double& by_time);
  Place first_violation(const Element& element, const Guard* but_at_end);
  bool march(Index count, double length, bool kept);
  bool locate(Index count, const Guard& guard, double& length);
  bool phase(double left, Index elements, double& length, Index& used, Guard& guard, bool& switched);
  void chain(Index used, bool switched, const Guard& guard, double share, Eigen::MatrixXd& transition);
  SwitchedOutcome choose();
  SwitchedOutcome follow_modes(double h, bool goes_on, Eigen::MatrixXd* transition);
  bool rescue(double h);
  bool keep();
  SwitchedOutcome enter(bool goes_on, Eigen::MatrixXd* transition);
  SwitchedOutcome change_mode(Eigen::MatrixXd* transition);
  void measure(double h);
  bool begin_mode();
  [[nodiscard]] bool vanishes(const Guard& guard);  // at x_
  [[nodiscard]] Index num_vanishing();

  SwitchedField* field_;
  ModeRule* rule_;
  const Collocation* collocation_;
  Index elements_;
  ModeField mode_field_;
  StepProblem problem_;
  std::vector<Element> chain_;
  SwitchedMode mode_;
  std::vector<Guard> guards_;
  Eigen::VectorXd x_, largest_, alpha_, c_, F_, F_before_, probe_alpha_, place_x_, place_alpha_, ahead_;
  Eigen::MatrixXd G_;
  Element::Derivatives of_end_;
  Eigen::RowVectorXd elapsed_;  // d(time since the step's start), by the directions of `transition`
  double t_ = 0.0, reached_ = 0.0, of_problem_ = -1.0;
  Index iterations_ = 0;
  bool grazed_ = false, coincided_ = false;
  bool mode_known_ = true;  ///< false: x came here by StepProblem
};

}  // namespace nonsmooth::finite_elements
