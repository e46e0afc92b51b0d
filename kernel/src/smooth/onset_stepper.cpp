// SPDX-License-Identifier: Apache-2.0
#include "onset_stepper.hpp"

#include <utility>

#include "model/memory.hpp"
#include "step_control.hpp"

namespace nonsmooth::smooth {
namespace {

/// An explicit step is stable over so many times in which a direction turns; it is worth its order where that is so
/// many steps of Radau's long.
constexpr double kStable = 3.0, kWorthIt = 4.0;
/// A step longer by that than the one before is as short as it is because of that one.
constexpr double kGrows = 5.0;
/// A slip begins below so many times what counts as none, and has its direction from so many on.
constexpr double kBegins = 4.0, kBegun = 1.0, kEarly = 1e3;
constexpr Index kMostUnknowns = 400;  ///< dense factors of a step

}  // namespace

OnsetStepper::OnsetStepper(std::unique_ptr<Stepper> method, const ErrorControl& control, RightHandSide& f,
                           Turning& turning)
    : method_(std::move(method)), control_(control), f_(f), turning_(turning) {}

void OnsetStepper::start(double t, const Eigen::VectorXd& z) {
  t_ = t_start_ = t;
  z_ = z;
  starts_ = true;
  grows_ = false;
}

void OnsetStepper::begin(Phase phase) {
  phase_ = phase;
  if (phase == Phase::Kept) {
    turning_.keep(t_, z_);
  } else {
    turning_.let_go();
  }
  if (phase == Phase::Slow) radau_ = std::make_unique<RadauStepper>(control_, f_);
  taker().start(t_, z_);
}

/// What takes the next step.
void OnsetStepper::choose() {
  if (std::exchange(starts_, false)) {
    const double begun = f_.size() <= kMostUnknowns ? turning_.begun(t_, z_) : kEarly;
    begin(begun >= kEarly ? Phase::Whole : begun < kBegun ? Phase::Kept : Phase::Slow);
  }
  if (phase_ == Phase::Kept && turning_.begun(t_, z_) >= kBegun) begin(Phase::Slow);
  if (phase_ != Phase::Slow) return;
  const double turn = turning_.fastest(t_, z_, finest_);
  radau_->set_finest(&finest_);
  const double length = t_ - t_start_;
  if (grows_ && turning_.begun(t_, z_) < kEarly) return;
  if (length > 0.0 && kStable * turn >= kWorthIt * length) begin(Phase::Whole);
}

/// Cuts a step of Kept where the slowest slip is between kBegun and kBegins, if it is faster at the end.
void OnsetStepper::end_where_slips_have_directions() {
  double before = t_start_, behind = t_, begun = turning_.begun(t_, z_);
  while (begun > kBegins && behind - before > 2.0 * smallest_step(t_)) {
    const double middle = 0.5 * (before + behind);
    method_->dense().evaluate(middle, inside_);
    const double there = turning_.begun(middle, inside_);
    (there < kBegun ? before : behind) = middle;
    if (there >= kBegun) begun = there;
  }
  if (behind < t_) (void)take([&](Stepper& stepper) { return stepper.shorten(behind); });
}

template <class Call>
Outcome OnsetStepper::take(Call&& call) {
  Stepper& stepper = taker();
  const Index evaluations = stepper.evaluations(), rejected = stepper.rejected();
  const Outcome outcome = call(stepper);
  evaluations_ += stepper.evaluations() - evaluations;
  rejected_ += stepper.rejected() - rejected;
  worst_ = stepper.worst();
  t_start_ = stepper.t_start();
  t_ = stepper.t();
  z_ = stepper.z();
  return outcome;
}

Outcome OnsetStepper::advance(double t_limit) {
  choose();
  const double before = t_ - t_start_;
  const Outcome outcome = take([&](Stepper& stepper) { return stepper.advance(t_limit); });
  grows_ = phase_ == Phase::Slow && (t_ >= t_limit || (grows_ && t_ - t_start_ >= kGrows * before));
  if (outcome == Outcome::Taken && phase_ == Phase::Kept) end_where_slips_have_directions();
  return outcome;
}

Outcome OnsetStepper::shorten(double t_end) {
  grows_ = phase_ == Phase::Slow;
  return take([&](Stepper& stepper) { return stepper.shorten(t_end); });
}

void OnsetStepper::amend(const Eigen::VectorXd& z) {
  z_ = z;
  taker().amend(z);
}

const DensePolynomial& OnsetStepper::dense() { return taker().dense(); }

/// What the other method keeps over a start, then what Radau's has.
bool OnsetStepper::save(std::vector<double>& numbers) {
  std::vector<double> kept, radau;
  bool whole = true;
  if (phase_ == Phase::Slow) {
    whole = method_->save_to_start(kept) && radau_->save(radau);
  } else {
    whole = method_->save(kept);
  }
  if (!whole) return numbers.clear(), false;
  memory::Writer memory(numbers);
  memory(phase_, grows_, kept, radau);
  return true;
}

bool OnsetStepper::save_to_start(std::vector<double>& numbers) {
  std::vector<double> kept, none;
  Phase whole = Phase::Whole;
  if (!method_->save_to_start(kept)) return numbers.clear(), false;
  memory::Writer memory(numbers);
  memory(whole, grows_, kept, none);
  return true;
}

void OnsetStepper::resume(const std::vector<double>& numbers) {
  std::vector<double> kept, radau;
  memory::Reader memory(numbers);
  memory(phase_, grows_, kept, radau);
  if (!kept.empty()) method_->resume(kept);
  if (phase_ == Phase::Slow) {
    radau_ = std::make_unique<RadauStepper>(control_, f_);
    radau_->resume(radau);
  }
  starts_ = false;
  t_start_ = taker().t_start();
  t_ = taker().t();
  z_ = taker().z();
}

}  // namespace nonsmooth::smooth
