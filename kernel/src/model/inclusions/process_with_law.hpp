// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <utility>

#include <nonsmooth/kernel/dynamical_system.hpp>
#include <nonsmooth/numerics/certificate.hpp>
#include <nonsmooth/numerics/status.hpp>

#include "model/guarded.hpp"

namespace nonsmooth {

namespace fingerprint {
class Line;
}

/// The problem of a step that a process solved by itself; no rows: a projection that ended Solved.
struct OwnProblem {
  Index rows = 0, iterations = 0;
  bool failed = false;        ///< one of them was not solved, and the step ended there
  bool at_round_off = false;  ///< above its tolerance, by no more than the rounding of its terms
  Certificate certificate{};
};

/// The problem of a process was not solved: ends the step, SolverFailed.
struct ProcessFailure : CallableFailure {
  ProcessFailure(std::string text, Status how, Index size, Certificate reached = {})
      : CallableFailure(std::move(text)), status(how), rows(size), certificate(reached) {}
  Status status;
  Index rows;
  Certificate certificate;
};

/// What takes a process from t to t_next; it has the memory of its steps, which changes no result.
class ProcessStepper {
 public:
  virtual ~ProcessStepper() = default;
  ProcessStepper() = default;
  ProcessStepper(const ProcessStepper&) = delete;
  ProcessStepper& operator=(const ProcessStepper&) = delete;

  /// x, at t, becomes that of t_next = t + h (but for rounding). Throws CallableFailure, ProcessFailure.
  virtual OwnProblem step(double t, double t_next, double h, VectorRef x) = 0;
};

/// A first-order system that has its law within it: its state at t_{k+1} follows from that at t_k alone, and no
/// interaction acts on it.
class ProcessWithLaw : public DynamicalSystem {
 public:
  [[nodiscard]] virtual const char* kind() const = 0;    ///< "sweeping process": for messages
  [[nodiscard]] virtual const char* law() const = 0;     ///< "its set": what its law is
  [[nodiscard]] virtual std::string remark() const = 0;  ///< what is known of its solutions, a sentence
  /// `who`: its name, for messages. The stepper refers to this process.
  [[nodiscard]] virtual std::unique_ptr<ProcessStepper> stepper(std::string who) const = 0;
  virtual void add_to(fingerprint::Line& line) const = 0;
};

}  // namespace nonsmooth
