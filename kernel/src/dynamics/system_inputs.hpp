// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <limits>
#include <vector>

#include <Eigen/Core>

#include <nonsmooth/kernel/model.hpp>

#include "step_view.hpp"

namespace nonsmooth {

/// A force f(t) or input b(t), evaluated at most once an instant.
struct TimeFunction {
  const VectorData::Function* function = nullptr;
  Index system = 0;
  Eigen::VectorXd before, after;  ///< at the explicit point, t_k as a rule, and at t_{k+1}
  double t_after = std::numeric_limits<double>::quiet_NaN();
};

/// A feedback of a system, evaluated once a step.
struct FeedbackValue {
  const Feedback* function = nullptr;
  Index system = 0;
  Eigen::VectorXd value;
};

/// An impulse at an instant.
struct ImpulsiveLoad {
  Index system = 0;
  double instant = 0.0;
  const Eigen::VectorXd* impulse = nullptr;
};

/// Component z follows velocity(t).
struct PrescribedComponent {
  Index z = 0, system = 0, component = 0;
  const std::function<double(double)>* velocity = nullptr;
};

/// What acts on systems of every kind, and the scratch of their solves. Batches read it.
struct SystemInputs {
  std::vector<TimeFunction> time_functions;
  std::vector<FeedbackValue> feedbacks;
  std::vector<Index> feedback_of_system;  ///< -1: none
  std::vector<ImpulsiveLoad> impulsive_loads;
  std::vector<PrescribedComponent> prescribed;
  std::vector<double> buffer;  ///< of solves

  void clear(std::size_t systems);
  /// The feedback, the impulsive loads and the prescribed velocities of a description.
  void add(const NonSmoothDynamicalSystem::System& record, Index system, const Layout::System& place);
  /// Its number in time_functions, or -1 for constant data.
  Index add_time_function(const VectorData& data, Index system, Index n);
  /// Feedbacks at t_k, and functions of time at the explicit point (t_k as a rule) and at the end of the step.
  void sample(const StepView& step) {
    if (!feedbacks.empty()) sample_feedbacks(step);
    if (!time_functions.empty()) sample_functions(step);
  }

  /// The value of a feedback of the system, or nullptr.
  [[nodiscard]] const Eigen::VectorXd* feedback_of(Index system) const {
    if (feedbacks.empty()) return nullptr;
    const Index index = feedback_of_system[static_cast<std::size_t>(system)];
    return index < 0 ? nullptr : &feedbacks[static_cast<std::size_t>(index)].value;
  }
  [[nodiscard]] const TimeFunction& time_function(Index i) const { return time_functions[static_cast<std::size_t>(i)]; }
  /// At least `size` numbers.
  [[nodiscard]] double* scratch(Index size) {
    if (buffer.size() < static_cast<std::size_t>(size)) buffer.resize(static_cast<std::size_t>(size));
    return buffer.data();
  }
  [[nodiscard]] bool is_prescribed(Index system, Index component) const;
  /// Rows of b of prescribed components := 0.
  void cut(Index system, MatrixRef b) const;

 private:
  void sample_feedbacks(const StepView& step);
  void sample_functions(const StepView& step);
};

/// The velocity that a component has at the end of the step.
[[nodiscard]] double prescribed_velocity(const StepView& step, const PrescribedComponent& prescribed);

}  // namespace nonsmooth
