// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <memory>
#include <new>
#include <string>
#include <type_traits>
#include <utility>

#include <nvector/nvector_serial.h>
#include <sundials/sundials_context.h>
#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>
#include <nonsmooth/numerics/error.hpp>

#include "step_control.hpp"
#include "stepper.hpp"

/// What CVODE and IDA share; for builds with SUNDIALS only.
namespace nonsmooth::smooth {

/// Objects of SUNDIALS, freed in the opposite order of their making.
struct FreeContext {
  void operator()(SUNContext context) const noexcept { SUNContext_Free(&context); }
};
struct FreeVector {
  void operator()(N_Vector vector) const noexcept { N_VDestroy(vector); }
};
struct FreeMatrix {
  void operator()(SUNMatrix matrix) const noexcept { SUNMatDestroy(matrix); }
};
struct FreeLinearSolver {
  void operator()(SUNLinearSolver solver) const noexcept { SUNLinSolFree(solver); }
};
template <class Pointer, class Free>
using Owned = std::unique_ptr<std::remove_pointer_t<Pointer>, Free>;

/// Error messages are dropped: outcomes say it.
inline void say_nothing(int, const char*, const char*, char*, void*) {}

/// What SUNDIALS refuses can only be for lack of memory: arguments are checked before. Success is 0 in all its
/// packages.
inline void expect_success(int flag) {
  if (flag != 0) throw std::bad_alloc();
}

/// A multistep method integrates w = (z - offset; multipliers), where the offset is what amend() has added: so its
/// history stays good. Steps end at t_limit where that is nearer than a step. A one-step method, the starter, takes the
/// first step after start() or shorten(): with the package's own, of order 1, a gap that opens without velocity along a
/// curve could close again; and it takes steps again that are shortened: on the polynomial through a step of a stiff
/// method, what is fast is wrong by the tolerance, and its rates, which decide the next mode, by much more.
class SundialsStepper : public Stepper {
 public:
  void start(double t, const Eigen::VectorXd& z) override {
    t_ = t_start_ = t;
    const Index multipliers = count_multipliers();
    if (w_ == nullptr || z.size() != z_.size() || multipliers != num_multipliers_) {
      num_multipliers_ = multipliers;
      z_.resize(z.size()), argument_.resize(z.size()), slope_.resize(z.size()), offset_.resize(z.size());
      dense_.coefficients.resize(z.size(), highest_order() + 1);
      free_memory();
      w_.reset(N_VNew_Serial(z.size() + multipliers, context_.get()));
      if (w_ == nullptr) throw std::bad_alloc();
      w().setZero();
      make_memory();
    }
    z_ = z;
    offset_.setZero();
    phase_ = Phase::Begin;
    stepped_ = dense_made_ = by_starter_ = false;
  }

  Outcome advance(double t_limit) override {
    stepped_ = dense_made_ = by_starter_ = false;
    t_start_ = t_;
    start_z_ = z_;
    finite_ = true;
    retaken_ = interpolates_ = false;
    const bool close = t_limit - t_ <= kTooClose * std::max(std::abs(t_), std::abs(t_limit));
    if (phase_ == Phase::Begin || phase_ == Phase::Starting || (phase_ == Phase::Started && close)) {
      return take_starting_step(t_limit);
    }
    const bool begins = phase_ == Phase::Started;
    phase_ = Phase::Begin;  // unless the step is taken
    if (begins) {
      offset_.setZero();
      counted_ = 0;
      if (!restart(t_limit)) {
        worst_ = worst_entry(slope_, z_, z_, control_);
        return Outcome::NotFinite;
      }
    }
    double t = t_;
    const Step step = take_step(t_limit, t);
    if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
    const Index rejected = count_rejected();
    rejected_ += rejected - counted_;
    counted_ = rejected;
    if (step == Step::Failed || !(t > t_)) {
      if (finite_) {
        estimate_errors();
        slope_ = w().head(z_.size());
      }
      worst_ = worst_entry(slope_, z_, z_, control_);
      return finite_ ? Outcome::StepTooSmall : Outcome::NotFinite;
    }
    phase_ = Phase::Running;
    stepped_ = true;
    t_ = full_end_ = step == Step::AtLimit ? t_limit : t;
    z_ = w().head(z_.size()) + offset_;
    return Outcome::Taken;
  }

  Outcome shorten(double t_end) override {
    if (t_end == t_) return Outcome::Taken;
    dense();
    phase_ = Phase::Begin;
    if (by_starter_ || !interpolates_) {
      const Outcome outcome = take_again(t_end);
      if (by_starter_ && outcome != Outcome::Taken) return outcome;
      interpolates_ = outcome != Outcome::Taken;  // the starter finds no way through what lies behind the event
    }
    t_ = t_end;
    if (interpolates_) {
      derivative(t_end, 0);
      z_ = w().head(z_.size()) + offset_;
      dense_made_ = false;
    } else {
      z_ = starter_->z();
      if (retaken_) cut_dense();
    }
    return Outcome::Taken;
  }

  void amend(const Eigen::VectorXd& z) override {
    if (by_starter_) {
      starter_->amend(z);
    } else {
      dense();
      if (stepped_) {  // the polynomial's end moves along
        dense_.coefficients.col(1) += z - z_;
      } else {
        dense_.coefficients.col(0) = z;
      }
      offset_ += z - z_;
    }
    z_ = z;
  }

  /// The packages do not show their histories, but at a start they have none: there the starter's is all.
  [[nodiscard]] bool save_to_start(std::vector<double>& numbers) override { return starter_->save(numbers); }
  void resume(const std::vector<double>& numbers) override { starter_->resume(numbers); }

  const DensePolynomial& dense() override {
    if (by_starter_) return starter_->dense();
    if (dense_made_) return dense_;
    dense_made_ = true;
    dense_.t0 = t_start_, dense_.h = t_ - t_start_;
    auto& c = dense_.coefficients;
    if (!stepped_) {
      dense_.degree = 0;
      c.col(0) = z_;
    } else {
      const int order = last_order();
      dense_.degree = order;
      double factor = 1.0;  // h^k / k!
      for (int k = 0; k <= order; ++k) {
        derivative(t_start_, k);
        c.col(k) = factor * w().head(z_.size());
        factor *= dense_.h / (k + 1);
      }
      c.col(0) += offset_;
    }
    return dense_;
  }

 protected:
  enum class Step : unsigned char { Taken, AtLimit, Failed };
  using VectorMap = Eigen::Map<Eigen::VectorXd>;

  /// @throws InvalidArgument for a fixed step; `package` is its name, `starter` what the first steps are taken with.
  template <class Method>
  SundialsStepper(const char* package, const Method& starter, const ErrorControl& control, RightHandSide& f)
      : f_(f), control_(control) {
    check_control(control);
    if (control.fixed_step > 0.0) {
      throw InvalidArgument("ErrorControl::fixed_step", "a fixed step",
                            std::string("0 with ") + package + ", whose order and step vary");
    }
    SUNContext context = nullptr;
    expect_success(SUNContext_Create(nullptr, &context));
    context_.reset(context);
    starter_ = make_stepper(starter, control, f);
  }

  // What each package does its way. The order of calls: free, make, restart, take, then the others.
  [[nodiscard]] virtual Index count_multipliers() const = 0;  ///< in w, behind z
  [[nodiscard]] virtual int highest_order() const = 0;
  virtual void free_memory() = 0;
  virtual void make_memory() = 0;            ///< for vectors like w_
  virtual bool restart(double t_limit) = 0;  ///< at (t_, z_), offset zero; false: values that are not finite
  virtual Step take_step(double t_limit, double& t) = 0;   ///< into w_
  [[nodiscard]] virtual Index count_rejected() const = 0;  ///< since the restart
  [[nodiscard]] virtual int last_order() const = 0;
  virtual void estimate_errors() = 0;            ///< of the last attempt, into w_
  virtual void derivative(double t, int k) = 0;  ///< of w, into w_; t in the last step

  [[nodiscard]] static VectorMap map(N_Vector vector) {
    return VectorMap(N_VGetArrayPointer(vector), static_cast<Index>(N_VGetLength(vector)));
  }
  [[nodiscard]] VectorMap w() { return map(w_.get()); }
  /// From t_; the package refuses one above the longest.
  [[nodiscard]] double shortest_step() const {
    const double longest = control_.largest_step;
    return longest > 0.0 ? std::min(smallest_step(t_), longest) : smallest_step(t_);
  }
  /// t within the last step [end - length, end] of the package, whose own end may be round-off away from t_.
  [[nodiscard]] double within(double t, double end, double length) const {
    return std::clamp(t, end - length, std::max(end, t_));
  }
  /// What a callback in C returns: 0, 1 for values that are not finite (a shorter step is tried), -1 for an exception,
  /// which waits until C is left. `evaluate` returns whether all is finite.
  template <class Evaluate>
  int guarded(Evaluate&& evaluate) noexcept {
    try {
      finite_ = evaluate();
      return finite_ ? 0 : 1;
    } catch (...) {
      thrown_ = std::current_exception();
      return -1;
    }
  }

  RightHandSide& f_;
  ErrorControl control_;
  Owned<SUNContext, FreeContext> context_;
  Owned<N_Vector, FreeVector> w_;
  Eigen::VectorXd argument_, offset_;
  Eigen::VectorXd slope_;  ///< the rates that were asked for last

 private:
  static constexpr double kTooClose = 128.0 * std::numeric_limits<double>::epsilon();  // to begin a step
  static constexpr int kMostStartingSteps = 3;

  enum class Phase : unsigned char {
    Begin,     ///< nothing of before counts
    Starting,  ///< the starter's steps were cut at their limits so far
    Started,   ///< the starter has brought t() away from the start; the package's memory is not that of (t(), z())
    Running,   ///< it is
  };

  Outcome take_starting_step(double t_limit) {
    if (phase_ == Phase::Begin) {
      starter_->start(t_, z_);
      starting_steps_ = 0;
    }
    phase_ = Phase::Begin;  // unless the step is taken
    const Outcome outcome = counted([&] { return starter_->advance(t_limit); });
    worst_ = starter_->worst();
    if (outcome != Outcome::Taken) return outcome;
    t_ = full_end_ = starter_end_ = starter_->t();
    z_ = starter_->z();
    by_starter_ = true;
    phase_ = t_ < t_limit || ++starting_steps_ == kMostStartingSteps ? Phase::Started : Phase::Starting;
    return outcome;
  }

  /// The starter to t_end, over the step just taken: within its own step, or the last of those it needs.
  Outcome take_again(double t_end) {
    if (!by_starter_ && (!retaken_ || t_end <= starter_->t_start())) {
      starter_->start(t_start_, start_z_);
      starter_end_ = t_start_;
      retaken_ = true;
    }
    return counted([&] {
      while (starter_end_ < t_end) {
        if (const Outcome outcome = starter_->advance(full_end_); outcome != Outcome::Taken) return outcome;
        starter_end_ = starter_->t();
      }
      return starter_->shorten(t_end);
    });
  }

  /// The polynomial on [t_start(), t()] only, through z().
  void cut_dense() {
    const double share = (t_ - t_start_) / dense_.h;
    double factor = 1.0;
    for (Index k = 0; k <= dense_.degree; ++k, factor *= share) dense_.coefficients.col(k) *= factor;
    dense_.h = t_ - t_start_;
    slope_ = z_;
    for (Index k = 0; k <= dense_.degree; ++k) slope_ -= dense_.coefficients.col(k);
    dense_.coefficients.col(1) += slope_;
  }

  /// A call of the starter's whose evaluations and rejections are ours.
  template <class Call>
  Outcome counted(Call&& call) {
    const struct Count {
      SundialsStepper& self;
      Index evaluations = self.starter_->evaluations(), rejected = self.starter_->rejected();
      ~Count() {
        self.evaluations_ += self.starter_->evaluations() - evaluations;
        self.rejected_ += self.starter_->rejected() - rejected;
      }
    } count{*this};
    return call();
  }

  Index num_multipliers_ = 0;
  std::unique_ptr<Stepper> starter_;
  int starting_steps_ = 0;
  Eigen::VectorXd start_z_;    // at t_start_
  double full_end_ = 0.0;      // of the step just taken, before it was shortened
  double starter_end_ = 0.0;   // of the starter's
  bool retaken_ = false;       // by the starter, to be shortened
  bool interpolates_ = false;  // the polynomial is shortened
  DensePolynomial dense_;
  std::exception_ptr thrown_;
  Phase phase_ = Phase::Begin;
  bool finite_ = true;       // the last value of f
  bool stepped_ = false;     // t_start_ and t_ are those of a step of the package
  bool by_starter_ = false;  // ... of the starter
  bool dense_made_ = false;
  Index counted_ = 0;  // rejections in the package's counters
};

}  // namespace nonsmooth::smooth
