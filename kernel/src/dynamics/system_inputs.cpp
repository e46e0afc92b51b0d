// SPDX-License-Identifier: Apache-2.0
// What acts on systems of every kind: functions of time, feedbacks, impulsive loads, prescribed velocities.
#include "system_inputs.hpp"

#include <algorithm>
#include <cmath>

#include "model/guarded.hpp"

namespace nonsmooth {
namespace {

void sample_function(const StepView& step, const TimeFunction& entry, double t, Eigen::VectorXd& value) {
  const std::string& who = step.system(entry.system).name;
  value.setZero();
  guarded(who, "the function of time", [&] { (*entry.function)(t, value); });
  require_finite(who, "the function of time", value);
}

}  // namespace

void SystemInputs::clear(std::size_t systems) {
  time_functions.clear();
  feedbacks.clear();
  feedback_of_system.assign(systems, -1);
  impulsive_loads.clear();
  prescribed.clear();
}

void SystemInputs::add(const NonSmoothDynamicalSystem::System& record, Index system, const Layout::System& place) {
  if (const Feedback& function = record.description->feedback()) {
    feedback_of_system[static_cast<std::size_t>(system)] = static_cast<Index>(feedbacks.size());
    feedbacks.push_back({&function, system, Eigen::VectorXd::Zero(place.n)});
  }
  if (!record.mechanical) return;
  for (const PrescribedVelocity& one : record.mechanical->prescribed())
    prescribed.push_back({place.z + one.component, system, one.component, &one.velocity});
  for (const PrescribedImpulse& load : record.mechanical->impulses())
    impulsive_loads.push_back({system, load.instant, &load.impulse.value()});
}

Index SystemInputs::add_time_function(const VectorData& data, Index system, Index n) {
  if (!data.function()) return -1;
  TimeFunction entry;
  entry.function = data.function();
  entry.system = system;
  entry.before = entry.after = Eigen::VectorXd::Zero(n);
  time_functions.push_back(std::move(entry));
  return static_cast<Index>(time_functions.size()) - 1;
}

void SystemInputs::sample_feedbacks(const StepView& step) {
  for (FeedbackValue& entry : feedbacks) {
    const std::string& who = step.system(entry.system).name;
    entry.value.setZero();
    guarded(who, "the feedback", [&] { (*entry.function)(step.state, entry.value); });
    require_finite(who, "the feedback", entry.value);
  }
}

void SystemInputs::sample_functions(const StepView& step) {
  for (TimeFunction& f : time_functions) {
    const double t_before = step.state.t + step.scheme(f.system).explicit_point * step.h();
    if (f.t_after == t_before) {
      f.before.swap(f.after);
    } else {
      sample_function(step, f, t_before, f.before);
    }
    f.t_after = std::numeric_limits<double>::quiet_NaN();  // should the callable fail, nothing is cached
    sample_function(step, f, step.t_next, f.after);
    f.t_after = step.t_next;
  }
}

bool SystemInputs::is_prescribed(Index system, Index component) const {
  return std::any_of(prescribed.begin(), prescribed.end(), [&](const PrescribedComponent& one) {
    return one.system == system && one.component == component;
  });
}

void SystemInputs::cut(Index system, MatrixRef b) const {
  for (const PrescribedComponent& one : prescribed) {
    if (one.system == system) b.row(one.component).setZero();
  }
}

double prescribed_velocity(const StepView& step, const PrescribedComponent& prescribed) {
  const std::string& who = step.system(prescribed.system).name;
  double value = 0.0;
  guarded(who, "the prescribed velocity", [&] { value = (*prescribed.velocity)(step.t_next); });
  if (!std::isfinite(value))
    throw CallableFailure{"the prescribed velocity of " + who + " returned a number that is not finite"};
  return value;
}

}  // namespace nonsmooth
