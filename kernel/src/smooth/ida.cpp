// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/error.hpp>

#include "stepper.hpp"

#ifdef NONSMOOTH_HAVE_SUNDIALS

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <new>

#include <ida/ida.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <internal/check.hpp>

#include "sundials.hpp"

namespace nonsmooth::smooth {

namespace {

struct FreeIda {
  void operator()(void* memory) const noexcept { IDAFree(&memory); }
};

/// The implicit form with z and its multipliers as unknowns. Multipliers enter by no derivative and have no tolerance:
/// their weight is as good as nothing, in the error test and in that of Newton's iteration, where one that is wrong
/// moves z.
class IdaStepper final : public SundialsStepper {
 public:
  IdaStepper(const ErrorControl& control, RightHandSide& f) : SundialsStepper("IDA", RadauIIA{}, control, f) {}

 private:
  [[nodiscard]] Index count_multipliers() const override { return f_.num_multipliers(); }
  [[nodiscard]] int highest_order() const override { return 5; }

  void free_memory() override { memory_.reset(), linear_.reset(), matrix_.reset(), wdot_.reset(); }

  void make_memory() override {
    const Index n = w().size();
    wdot_.reset(N_VNew_Serial(n, context_.get()));
    memory_.reset(IDACreate(context_.get()));
    if (wdot_ == nullptr || memory_ == nullptr) throw std::bad_alloc();
    map(wdot_.get()).setZero();
    void* memory = memory_.get();
    expect_success(IDASetErrHandlerFn(memory, say_nothing, nullptr));
    expect_success(IDAInit(memory, residual, 0.0, w_.get(), wdot_.get()));
    expect_success(IDASetUserData(memory, this));
    expect_success(IDAWFtolerances(memory, weights));
    expect_success(IDASetMaxConvFails(memory, 200));  // to where f is not finite however short the step
    expect_success(IDASetMaxErrTestFails(memory, 50));
    if (control_.largest_step > 0.0) expect_success(IDASetMaxStep(memory, control_.largest_step));
    matrix_.reset(SUNDenseMatrix(n, n, context_.get()));
    linear_.reset(SUNLinSol_Dense(w_.get(), matrix_.get(), context_.get()));
    expect_success(IDASetLinearSolver(memory, linear_.get(), matrix_.get()));
    expect_success(IDASetJacFn(memory, jacobian));
  }

  bool restart(double t_limit) override {
    ++evaluations_;
    f_.consistent_rates(t_, z_, rates_, multipliers_);
    slope_ = rates_;
    if (!check::all_finite(rates_) || !check::all_finite(multipliers_)) return false;
    w() << z_, multipliers_;
    map(wdot_.get()) << rates_, Eigen::VectorXd::Zero(multipliers_.size());
    expect_success(IDAReInit(memory_.get(), t_, w_.get(), wdot_.get()));
    // IDA's own first step moves the solution by no more than half its tolerance; at most its thousandth of the way, as
    // one over many oscillations may find nothing changed at its end.
    ++evaluations_;
    const double longest = 1e-3 * (t_limit - t_);
    const double h = first_step(f_, t_, z_, rates_, longest, control_, 1, argument_, slope_);
    expect_success(IDASetInitStep(memory_.get(), h));
    return true;
  }

  Step take_step(double t_limit, double& t) override {
    expect_success(IDASetStopTime(memory_.get(), t_limit));
    expect_success(IDASetMinStep(memory_.get(), shortest_step()));
    const int flag = IDASolve(memory_.get(), t_limit, &t, w_.get(), wdot_.get(), IDA_ONE_STEP);
    return flag < 0 ? Step::Failed : flag == IDA_TSTOP_RETURN ? Step::AtLimit : Step::Taken;
  }

  [[nodiscard]] Index count_rejected() const override {
    long fails = 0, unsolved = 0;
    IDAGetNumErrTestFails(memory_.get(), &fails);
    IDAGetNumStepSolveFails(memory_.get(), &unsolved);
    return static_cast<Index>(fails + unsolved);
  }

  void estimate_errors() override { IDAGetEstLocalErrors(memory_.get(), w_.get()); }

  [[nodiscard]] int last_order() const override {
    int order = 0;
    IDAGetLastOrder(memory_.get(), &order);
    return order;
  }

  void derivative(double t, int k) override {
    double current = 0.0, last = 0.0;
    IDAGetCurrentTime(memory_.get(), &current);
    IDAGetLastStep(memory_.get(), &last);
    expect_success(IDAGetDky(memory_.get(), within(t, current, last), k, w_.get()));
  }

  /// The residual at argument_, rates_, multipliers_; true where it is finite.
  bool evaluate(double t, Eigen::VectorXd& result) {
    ++evaluations_;
    f_.residual(t, argument_, rates_, multipliers_, result);
    if (check::all_finite(result)) return true;
    slope_ = result.head(z_.size());
    return false;
  }

  void take_arguments(N_Vector w, N_Vector wdot) {
    const Index n = z_.size();
    argument_ = map(w).head(n) + offset_;
    multipliers_ = map(w).tail(multipliers_.size());
    rates_ = map(wdot).head(n);
  }

  static int residual(double t, N_Vector w, N_Vector wdot, N_Vector result, void* data) {
    auto& self = *static_cast<IdaStepper*>(data);
    return self.guarded([&] {
      self.take_arguments(w, wdot);
      const bool finite = self.evaluate(t, self.residual_);
      map(result) = self.residual_;
      return finite;
    });
  }

  /// dr/dz + factor dr/dzdot and dr/dlambda by differences.
  static int jacobian(double t, double factor, N_Vector w, N_Vector wdot, N_Vector, SUNMatrix matrix, void* data,
                      N_Vector, N_Vector, N_Vector) {
    auto& self = *static_cast<IdaStepper*>(data);
    return self.guarded([&] {
      self.take_arguments(w, wdot);
      return self.evaluate(t, self.residual_) && self.differentiate(t, factor, matrix);
    });
  }

  bool differentiate(double t, double factor, SUNMatrix matrix) {
    const double root = std::sqrt(std::numeric_limits<double>::epsilon());
    const Index n = z_.size(), all = n + multipliers_.size();
    Eigen::Map<Eigen::MatrixXd> J(SUNDenseMatrix_Data(matrix), all, all);
    double h = 0.0;
    IDAGetCurrentStep(memory_.get(), &h);
    for (Index j = 0; j < n; ++j) {
      // Of the size of z_j, of its change in a step or of what the tolerances call zero, whichever is largest.
      const double z = argument_[j], rate = rates_[j];
      double step = root * std::max({std::abs(z), std::abs(h * rate), control_.absolute / control_.relative});
      bool finite = false;
      for (int side = 0; side < 2 && !finite; ++side, step = -step) {  // backwards at the border of where f is defined
        argument_[j] = z + step;
        const double moved = argument_[j] - z;
        rates_[j] = rate + factor * moved;
        finite = evaluate(t, moved_);
        J.col(j) = (moved_ - residual_) / moved;
      }
      argument_[j] = z;
      rates_[j] = rate;
      if (!finite) return false;
    }
    for (Index j = n; j < all; ++j) {  // linear in them: any step will do
      double& multiplier = multipliers_[j - n];
      const double kept = multiplier, step = std::max(1.0, std::abs(kept));
      multiplier += step;
      if (!evaluate(t, moved_)) return false;
      J.col(j) = (moved_ - residual_) / (multiplier - kept);
      multiplier = kept;
    }
    return true;
  }

  static int weights(N_Vector w, N_Vector result, void* data) {
    const auto& self = *static_cast<const IdaStepper*>(data);
    const Index n = self.z_.size(), all = map(w).size();
    // IDA takes the mean square over all unknowns; the error control's is over those of z.
    const double share = std::sqrt(static_cast<double>(all) / static_cast<double>(n));
    auto weight = map(result);
    weight.head(n) = share / (self.control_.absolute + self.control_.relative * map(w).head(n).array().abs());
    weight.tail(all - n).setConstant(std::numeric_limits<double>::min());
    return 0;
  }

  Owned<N_Vector, FreeVector> wdot_;
  Owned<SUNMatrix, FreeMatrix> matrix_;
  Owned<SUNLinearSolver, FreeLinearSolver> linear_;
  std::unique_ptr<void, FreeIda> memory_;
  Eigen::VectorXd rates_, multipliers_, residual_, moved_;
};

}  // namespace

std::unique_ptr<Stepper> make_stepper(const Ida&, const ErrorControl& control, RightHandSide& f) {
  return std::make_unique<IdaStepper>(control, f);
}

}  // namespace nonsmooth::smooth

bool nonsmooth::Ida::available() noexcept { return true; }

#else

namespace nonsmooth::smooth {

std::unique_ptr<Stepper> make_stepper(const Ida&, const ErrorControl&, RightHandSide&) {
  throw InvalidArgument("integrator", "Ida in a build without SUNDIALS",
                        "another one, or Nonsmooth built with NONSMOOTH_WITH_SUNDIALS");
}

}  // namespace nonsmooth::smooth

bool nonsmooth::Ida::available() noexcept { return false; }

#endif
