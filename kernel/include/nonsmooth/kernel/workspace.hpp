// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <variant>

#include <nonsmooth/kernel/integrators.hpp>
#include <nonsmooth/kernel/model.hpp>
#include <nonsmooth/numerics/mixed/gauss_seidel.hpp>
#include <nonsmooth/numerics/mixed/workspace.hpp>

namespace nonsmooth {

/// When something is nonlinear: iterate until, in each system, no unknown moves between two iterates by more than
/// tolerance (|z|_inf + |z_k|_inf + |z_free - z_k|_inf).
struct NewtonOptions {
  double tolerance = 1e-9;    ///< > 0, relative; the last correction of a quadratic iteration is far below it
  Index max_iterations = 50;  ///< >= 1; 1 asks for the linearly implicit scheme, and nothing is checked
};

/// What a step does whose problem or Newton loop does not reach its tolerance.
enum class OnFailure : unsigned char {
  Stop,    ///< the state stays where it was, the report says why
  Accept,  ///< the best iterate is taken, the report counts it
};

struct TimeSteppingOptions {
  /// For the systems of its order; systems of the other order get that order's default scheme.
  std::variant<MoreauJean, EulerMoreau> integrator = MoreauJean{};
  double step = 0.0;  ///< h > 0 [s]; no default: it is the user's choice of accuracy
  /// How one-step problems are solved. Automatic picks by family; its tolerance is Certificate::residual.
  std::variant<mixed::Automatic, mixed::GaussSeidel> solver = mixed::Automatic{};
  NewtonOptions newton{};
  OnFailure on_failure = OnFailure::Stop;
  int threads = 1;  ///< >= 1; the state's bits do not depend on it

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// What became of one step.
struct StepReport {
  enum class Outcome : unsigned char { Completed, SolverFailed, NewtonLimit, CallableFailed };

  Outcome outcome = Outcome::Completed;
  bool taken = true;               ///< the state advanced
  double t = 0.0;                  ///< the end of the step [s]
  Status solver = Status::Solved;  ///< of the one-step problem (Solved where there was none)
  Certificate certificate;         ///< of it
  Index rows = 0;                  ///< its size
  Index newton_iterations = 0;
  Index solver_iterations = 0;  ///< sweeps, pivots or Newton steps of the last one-step problem
  std::string detail;           ///< which callable failed and how; empty otherwise

  [[nodiscard]] bool ok() const noexcept { return outcome == Outcome::Completed; }
  explicit operator bool() const noexcept { return ok(); }
  [[nodiscard]] std::string message() const;
};

/// Caches of a step: factors, Jacobians, the assembled problem. Nothing in it changes a result: a state stepped with a
/// fresh workspace gives the same bits.
class Workspace {
 public:
  explicit Workspace(int threads = 1);
  ~Workspace();
  Workspace(Workspace&&) noexcept;
  Workspace& operator=(Workspace&&) noexcept;

  struct Implementation;
  [[nodiscard]] Implementation& implementation() noexcept { return *implementation_; }

 private:
  std::unique_ptr<Implementation> implementation_;
};

/// One step of length h from `state`, in place: a function of its arguments (options.step is not read).
/// @throws InvalidArgument if the state belongs to another revision of the model.
StepReport step(const NonSmoothDynamicalSystem& model, const TimeSteppingOptions& options, double h, State& state,
                Workspace& workspace);

}  // namespace nonsmooth
