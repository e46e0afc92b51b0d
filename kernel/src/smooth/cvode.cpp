// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/error.hpp>

#include "step_control.hpp"
#include "stepper.hpp"

#ifdef NONSMOOTH_HAVE_SUNDIALS

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

namespace nonsmooth::smooth {

namespace {

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
struct FreeNonlinearSolver {
  void operator()(SUNNonlinearSolver solver) const noexcept { SUNNonlinSolFree(solver); }
};
struct FreeMemory {
  void operator()(void* memory) const noexcept { CVodeFree(&memory); }
};
template <class Pointer, class Free>
using Owned = std::unique_ptr<std::remove_pointer_t<Pointer>, Free>;

/// With error messages of CVODE dropped: outcomes say it.
void say_nothing(int, const char*, const char*, char*, void*) {}

/// What CVODE refuses can only be for lack of memory: arguments are checked before.
void expect_success(int flag) {
  if (flag != CV_SUCCESS) throw std::bad_alloc();
}

using VectorMap = Eigen::Map<Eigen::VectorXd>;

/// CVODE integrates w with z = w + offset, where the offset is what amend() has added: so its history stays good.
/// Steps end at t_limit where that is nearer than a step; the first step after start() or shorten() is of order 1, of
/// a length CVODE finds, as that of a step of high order would be rejected. The polynomial through a step is of
/// the order of the method, and shorten() ends on it.
class CvodeStepper final : public Stepper {
 public:
  CvodeStepper(const Cvode& method, const ErrorControl& control, RightHandSide& f)
      : f_(f), control_(control), bdf_(method.method == Cvode::Method::Bdf) {
    check_control(control);
    if (control.fixed_step > 0.0) {
      throw InvalidArgument("ErrorControl::fixed_step", "a fixed step", "0 with CVODE, whose order and step vary");
    }
    SUNContext context = nullptr;
    expect_success(SUNContext_Create(nullptr, &context));
    context_.reset(context);
  }

  void start(double t, const Eigen::VectorXd& z) override {
    t_ = t_start_ = t;
    if (memory_ == nullptr || z.size() != z_.size()) make(z.size());
    z_ = z;
    restart_ = true;
    stepped_ = false;
  }

  Outcome advance(double t_limit) override {
    stepped_ = dense_made_ = false;
    t_start_ = t_;
    finite_ = true;
    if (restart_ && t_limit - t_ <= kTooClose * std::max(std::abs(t_), std::abs(t_limit))) return tiny_step(t_limit);
    if (restart_) restart();
    expect_success(CVodeSetStopTime(memory_.get(), t_limit));
    expect_success(CVodeSetMinStep(memory_.get(), smallest_step(t_)));
    restart_ = true;  // unless the step is taken
    double t = t_;
    const int flag = CVode(memory_.get(), t_limit, w_.get(), &t, CV_ONE_STEP);
    if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
    long fails = 0, unsolved = 0;
    CVodeGetNumErrTestFails(memory_.get(), &fails);
    CVodeGetNumNonlinSolvConvFails(memory_.get(), &unsolved);
    rejected_ += static_cast<Index>(fails + unsolved) - counted_;
    counted_ = static_cast<Index>(fails + unsolved);
    if (flag < 0 || !(t > t_)) return finite_ ? Outcome::StepTooSmall : Outcome::NotFinite;
    restart_ = false;
    stepped_ = true;
    t_ = flag == CV_TSTOP_RETURN ? t_limit : t;
    z_ = w() + offset_;
    return Outcome::Taken;
  }

  Outcome shorten(double t_end) override {
    if (t_end == t_) return Outcome::Taken;
    if (tiny_) {
      z_ += (t_end - t_) * slope_;
    } else {
      derivative(t_end, 0);
      z_ = w() + offset_;
    }
    t_ = t_end;
    dense_made_ = false;
    restart_ = true;
    return Outcome::Taken;
  }

  void amend(const Eigen::VectorXd& z) override {
    dense();
    if (stepped_) {  // the polynomial's end moves along
      dense_.coefficients.col(1) += z - z_;
    } else {
      dense_.coefficients.col(0) = z;
    }
    offset_ += z - z_;
    z_ = z;
  }

  const DensePolynomial& dense() override {
    if (dense_made_) return dense_;
    dense_made_ = true;
    dense_.t0 = t_start_, dense_.h = t_ - t_start_;
    auto& c = dense_.coefficients;
    if (!stepped_) {
      dense_.degree = 0;
      c.col(0) = z_;
    } else if (tiny_) {
      dense_.degree = 1;
      c.col(1) = dense_.h * slope_;
      c.col(0) = z_ - c.col(1);
    } else {
      int order = 0;
      CVodeGetLastOrder(memory_.get(), &order);
      dense_.degree = order;
      double factor = 1.0;  // h^k / k!
      for (int k = 0; k <= order; ++k) {
        derivative(t_start_, k);
        c.col(k) = factor * w();
        factor *= dense_.h / (k + 1);
      }
      c.col(0) += offset_;
    }
    return dense_;
  }

 private:
  // CVODE asks for a first step of several ulp of t.
  static constexpr double kTooClose = 128.0 * std::numeric_limits<double>::epsilon();

  [[nodiscard]] VectorMap w() { return VectorMap(N_VGetArrayPointer(w_.get()), z_.size()); }

  void derivative(double t, int k) {
    double current = 0.0, last = 0.0;
    CVodeGetCurrentTime(memory_.get(), &current);
    CVodeGetLastStep(memory_.get(), &last);
    expect_success(CVodeGetDky(memory_.get(), std::clamp(t, current - last, std::max(current, t_)), k, w_.get()));
  }

  void make(Index n) {
    z_.resize(n), argument_.resize(n), slope_.resize(n), offset_.resize(n);
    offset_.setZero();
    dense_.coefficients.resize(n, (bdf_ ? 5 : 12) + 1);
    memory_.reset(), fixed_point_.reset(), linear_.reset(), matrix_.reset();
    w_.reset(N_VNew_Serial(n, context_.get()));
    memory_.reset(CVodeCreate(bdf_ ? CV_BDF : CV_ADAMS, context_.get()));
    if (w_ == nullptr || memory_ == nullptr) throw std::bad_alloc();
    void* memory = memory_.get();
    w().setZero();
    expect_success(CVodeSetErrHandlerFn(memory, say_nothing, nullptr));
    expect_success(CVodeInit(memory, right_hand_side, 0.0, w_.get()));
    expect_success(CVodeSetUserData(memory, this));
    expect_success(CVodeSStolerances(memory, control_.relative, control_.absolute));
    expect_success(CVodeSetMaxConvFails(memory, 200));  // to where f is not finite however short the step
    expect_success(CVodeSetMaxErrTestFails(memory, 50));
    if (control_.largest_step > 0.0) expect_success(CVodeSetMaxStep(memory, control_.largest_step));
    if (control_.initial_step > 0.0) expect_success(CVodeSetInitStep(memory, control_.initial_step));
    if (bdf_) {
      matrix_.reset(SUNDenseMatrix(n, n, context_.get()));
      linear_.reset(SUNLinSol_Dense(w_.get(), matrix_.get(), context_.get()));
      expect_success(CVodeSetLinearSolver(memory, linear_.get(), matrix_.get()));
    } else {
      fixed_point_.reset(SUNNonlinSol_FixedPoint(w_.get(), 0, context_.get()));
      expect_success(CVodeSetNonlinearSolver(memory, fixed_point_.get()));
    }
    started_ = false;
  }

  void restart() {
    w() = z_;
    offset_.setZero();
    counted_ = 0;
    expect_success(CVodeReInit(memory_.get(), t_, w_.get()));
    if (started_) expect_success(CVodeSetInitStep(memory_.get(), 0.0));  // 0: found from f
    started_ = true;
    tiny_ = false;
  }

  /// An explicit Euler step over a length at which it is exact to round-off.
  Outcome tiny_step(double t_limit) {
    ++evaluations_;
    f_(t_, z_, slope_);
    if (!all_finite(slope_)) return Outcome::NotFinite;
    z_ += (t_limit - t_) * slope_;
    t_ = t_limit;
    stepped_ = tiny_ = true;
    return Outcome::Taken;
  }

  static int right_hand_side(double t, N_Vector w, N_Vector wdot, void* data) {
    auto& self = *static_cast<CvodeStepper*>(data);
    try {
      self.argument_ = VectorMap(N_VGetArrayPointer(w), self.z_.size()) + self.offset_;
      ++self.evaluations_;
      self.f_(t, self.argument_, self.slope_);
      self.finite_ = all_finite(self.slope_);
      VectorMap(N_VGetArrayPointer(wdot), self.z_.size()) = self.slope_;
      return self.finite_ ? 0 : 1;  // 1: CVODE tries a shorter step
    } catch (...) {
      self.thrown_ = std::current_exception();  // not through code in C
      return -1;
    }
  }

  RightHandSide& f_;
  ErrorControl control_;
  bool bdf_;
  Owned<SUNContext, FreeContext> context_;
  Owned<N_Vector, FreeVector> w_;
  Owned<SUNMatrix, FreeMatrix> matrix_;
  Owned<SUNLinearSolver, FreeLinearSolver> linear_;
  Owned<SUNNonlinearSolver, FreeNonlinearSolver> fixed_point_;
  std::unique_ptr<void, FreeMemory> memory_;
  Eigen::VectorXd argument_, slope_, offset_;
  DensePolynomial dense_;
  std::exception_ptr thrown_;
  bool finite_ = true;    // the last value of f
  bool restart_ = true;   // CVODE's memory is not that of (t(), z())
  bool started_ = false;  // the first step's length has been used
  bool stepped_ = false;  // t_start_ and t_ are those of a step
  bool tiny_ = false;     // the last step was an Euler step
  bool dense_made_ = false;
  Index counted_ = 0;  // rejections in CVODE's counters
};

}  // namespace

std::unique_ptr<Stepper> make_stepper(const Cvode& method, const ErrorControl& control, RightHandSide& f) {
  return std::make_unique<CvodeStepper>(method, control, f);
}

}  // namespace nonsmooth::smooth

bool nonsmooth::Cvode::available() noexcept { return true; }

#else

namespace nonsmooth::smooth {

std::unique_ptr<Stepper> make_stepper(const Cvode&, const ErrorControl&, RightHandSide&) {
  throw InvalidArgument("integrator", "Cvode in a build without SUNDIALS",
                        "another one, or Nonsmooth built with NONSMOOTH_WITH_SUNDIALS");
}

}  // namespace nonsmooth::smooth

bool nonsmooth::Cvode::available() noexcept { return false; }

#endif
