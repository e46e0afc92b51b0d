// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/error.hpp>

#include "stepper.hpp"

#ifdef NONSMOOTH_HAVE_SUNDIALS

#include <memory>
#include <new>

#include <cvode/cvode.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <internal/check.hpp>

#include "sundials.hpp"

namespace nonsmooth::smooth {

namespace {

struct FreeNonlinearSolver {
  void operator()(SUNNonlinearSolver solver) const noexcept { SUNNonlinSolFree(solver); }
};
struct FreeCvode {
  void operator()(void* memory) const noexcept { CVodeFree(&memory); }
};

class CvodeStepper final : public SundialsStepper {
 public:
  template <class Starter>
  CvodeStepper(bool bdf, const Starter& starter, const ErrorControl& control, RightHandSide& f)
      : SundialsStepper("CVODE", starter, control, f), bdf_(bdf) {}

 private:
  [[nodiscard]] Index count_multipliers() const override { return 0; }
  [[nodiscard]] int highest_order() const override { return bdf_ ? 5 : 12; }

  void free_memory() override { memory_.reset(), fixed_point_.reset(), linear_.reset(), matrix_.reset(); }

  void make_memory() override {
    memory_.reset(CVodeCreate(bdf_ ? CV_BDF : CV_ADAMS, context_.get()));
    if (memory_ == nullptr) throw std::bad_alloc();
    void* memory = memory_.get();
    expect_success(CVodeSetErrHandlerFn(memory, say_nothing, nullptr));
    expect_success(CVodeInit(memory, right_hand_side, 0.0, w_.get()));
    expect_success(CVodeSetUserData(memory, this));
    expect_success(CVodeSStolerances(memory, control_.relative, control_.absolute));
    expect_success(CVodeSetMaxConvFails(memory, 200));  // to where f is not finite however short the step
    expect_success(CVodeSetMaxErrTestFails(memory, 50));
    if (control_.largest_step > 0.0) expect_success(CVodeSetMaxStep(memory, control_.largest_step));
    if (bdf_) {
      const Index n = z_.size();
      matrix_.reset(SUNDenseMatrix(n, n, context_.get()));
      linear_.reset(SUNLinSol_Dense(w_.get(), matrix_.get(), context_.get()));
      expect_success(CVodeSetLinearSolver(memory, linear_.get(), matrix_.get()));
    } else {
      fixed_point_.reset(SUNNonlinSol_FixedPoint(w_.get(), 0, context_.get()));
      expect_success(CVodeSetNonlinearSolver(memory, fixed_point_.get()));
    }
  }

  bool restart(double) override {
    w() = z_;
    expect_success(CVodeReInit(memory_.get(), t_, w_.get()));
    return true;
  }

  Step take_step(double t_limit, double& t) override {
    expect_success(CVodeSetStopTime(memory_.get(), t_limit));
    expect_success(CVodeSetMinStep(memory_.get(), shortest_step()));
    const int flag = CVode(memory_.get(), t_limit, w_.get(), &t, CV_ONE_STEP);
    return flag < 0 ? Step::Failed : flag == CV_TSTOP_RETURN ? Step::AtLimit : Step::Taken;
  }

  [[nodiscard]] Index count_rejected() const override {
    long fails = 0, unsolved = 0;
    CVodeGetNumErrTestFails(memory_.get(), &fails);
    CVodeGetNumNonlinSolvConvFails(memory_.get(), &unsolved);
    return static_cast<Index>(fails + unsolved);
  }

  void estimate_errors() override { CVodeGetEstLocalErrors(memory_.get(), w_.get()); }

  [[nodiscard]] int last_order() const override {
    int order = 0;
    CVodeGetLastOrder(memory_.get(), &order);
    return order;
  }

  void derivative(double t, int k) override {
    double current = 0.0, last = 0.0;
    CVodeGetCurrentTime(memory_.get(), &current);
    CVodeGetLastStep(memory_.get(), &last);
    expect_success(CVodeGetDky(memory_.get(), within(t, current, last), k, w_.get()));
  }

  static int right_hand_side(double t, N_Vector w, N_Vector wdot, void* data) {
    auto& self = *static_cast<CvodeStepper*>(data);
    return self.guarded([&] {
      self.argument_ = map(w) + self.offset_;
      ++self.evaluations_;
      self.f_(t, self.argument_, self.slope_);
      map(wdot) = self.slope_;
      return check::all_finite(self.slope_);
    });
  }

  bool bdf_;
  Owned<SUNMatrix, FreeMatrix> matrix_;
  Owned<SUNLinearSolver, FreeLinearSolver> linear_;
  Owned<SUNNonlinearSolver, FreeNonlinearSolver> fixed_point_;
  std::unique_ptr<void, FreeCvode> memory_;
};

}  // namespace

std::unique_ptr<Stepper> make_stepper(const Cvode& method, const ErrorControl& control, RightHandSide& f) {
  if (method.method == Cvode::Method::Bdf) return std::make_unique<CvodeStepper>(true, RadauIIA{}, control, f);
  return std::make_unique<CvodeStepper>(false, DormandPrince{}, control, f);
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
