// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/systems/differential_variational_inequality.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <internal/check.hpp>
#include <internal/decompositions.hpp>
#include <internal/round_off.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "dvi_functions.hpp"
#include "model/describe.hpp"
#include "model/fingerprint/fingerprint_text.hpp"
#include "own_problem.hpp"

namespace nonsmooth {
namespace {

using Dvi = DifferentialVariationalInequality;

/// One step as VI(K(t+), Phi), Phi(u) = G(t+, x+(u), u), x+(u) the root of x - base(u) - h f(t, theta x + (1-theta)
/// x_k), base(u) = x_k + h b(t, x_k, u).
class DviStepper final : public ProcessStepper {
 public:
  DviStepper(const Dvi& system, std::string who) : system_(system), functions_(system, std::move(who)) {
    const Index n = functions_.n(), m = functions_.m();
    before_ = x_ = between_ = base_ = f_ = residual_ = change_ = Eigen::VectorXd::Zero(n);
    started_ = at_ = slope_ = Eigen::VectorXd::Zero(m);
    A_ = Eigen::MatrixXd::Identity(n, n);
    X_ = Eigen::MatrixXd::Zero(n, m);
    C_ = Eigen::MatrixXd::Zero(m, n);
    D_ = Eigen::MatrixXd::Zero(m, m);
    problem_.F.num_unknowns = problem_.F.num_values = m;
    problem_.F.name = "G of " + functions_.who();
    problem_.F.value = [this](ConstVectorRef u, VectorRef value) { phi(u, value); };
    problem_.F.dense_jacobian = [this](ConstVectorRef u, MatrixRef J) { phi_du(u, J); };
  }

  OwnProblem step(double t, double t_next, double h, VectorRef z) override {
    const Index n = functions_.n(), m = functions_.m();
    t_ = t;
    t_next_ = t_next;
    h_ = h;
    before_ = x_ = z.head(n);
    started_ = z.tail(m);
    known_ = false;
    if (explicit_f()) functions_.f(t, before_, f_);
    if (system_.linearised) functions_.G_dx(t_next, before_, started_, C_);
    problem_.K = processes::set_at(functions_.who(), "K(t)", system_.K, t_next, m);
    Eigen::VectorXd u = started_;
    OwnProblem solved;
    try {
      solved = processes::solve(
          functions_.who(), "K(t)", t_next, problem_, system_.tolerance,
          [this](ConstVectorRef found) { return rounding(found); }, u);
    } catch (const ProcessFailure& failure) {
      if (failure.status == Status::Infeasible) throw;
      throw ProcessFailure(failure.detail + " Index at the start of the step: " + reason_of_index() + ".",
                           failure.status, failure.rows, failure.certificate);
    }
    find_x(u);
    require_finite(functions_.who(), "the state x", x_);
    z.head(n) = x_;
    z.tail(m) = u;
    return solved;
  }

 private:
  [[nodiscard]] bool explicit_f() const { return system_.theta == 0.0 || !system_.f; }

  std::string reason_of_index() {
    try {
      return index_at(functions_, problem_.K, t_, before_, started_).reason;
    } catch (const CallableFailure& failure) {
      return failure.detail;
    }
  }

  /// x_ := x+(u); NaN where Newton's iteration ends nowhere.
  void find_x(ConstVectorRef u) {
    if (known_ && at_ == u) return;
    known_ = true;
    at_ = u;
    functions_.b(t_, before_, u, base_);
    base_ = before_ + h_ * base_;
    if (explicit_f()) {
      x_ = base_ + h_ * f_;
      return;
    }
    if (!x_.allFinite()) x_ = before_;
    double last = std::numeric_limits<double>::infinity();
    for (int k = 0; k < 50; ++k) {
      between_ = system_.theta * x_ + (1.0 - system_.theta) * before_;
      functions_.f(t_, between_, f_);
      functions_.f_dx(t_, between_, A_);
      A_ *= -h_ * system_.theta;
      A_.diagonal().array() += 1.0;
      factors_.compute(A_);
      residual_ = x_ - base_ - h_ * f_;
      if (!residual_.allFinite() || !A_.allFinite()) break;
      factors_.solve(residual_, change_);
      const double size = change_.cwiseAbs().maxCoeff();
      if (!(size < std::numeric_limits<double>::infinity())) break;
      x_ -= change_;
      const double scale = x_.cwiseAbs().maxCoeff() + before_.cwiseAbs().maxCoeff();
      // At rounding, or where rounding keeps it from shrinking any more.
      if (size <= 2.0 * eps * scale || (size >= 0.5 * last && size <= 1e-12 * scale)) return;
      last = size;
    }
    x_.setConstant(std::numeric_limits<double>::quiet_NaN());
  }

  void phi(ConstVectorRef u, VectorRef value) {
    find_x(u);
    if (!x_.allFinite()) {
      value.setConstant(std::numeric_limits<double>::quiet_NaN());
    } else if (system_.linearised) {
      functions_.G(t_next_, before_, u, value);
      value.noalias() += C_ * (x_ - before_);
    } else {
      functions_.G(t_next_, x_, u, value);
    }
  }

  /// C (1 - h theta A)^-1 h B + D.
  void phi_du(ConstVectorRef u, MatrixRef J) {
    find_x(u);
    functions_.b_du(t_, before_, u, X_);
    X_ *= h_;
    if (!explicit_f()) factors_.solve_in_place(X_, buffer_);
    const Eigen::VectorXd& x = system_.linearised ? before_ : x_;
    if (!system_.linearised) functions_.G_dx(t_next_, x, u, C_);
    functions_.G_du(t_next_, x, u, D_);
    J.noalias() = C_ * X_;
    J += D_;
  }

  /// What rounding makes of G's terms at u: x+ is known to some eps of the terms that it is the sum of.
  double rounding(ConstVectorRef u) {
    find_x(u);
    functions_.G(t_next_, x_, u, slope_);
    if (!system_.linearised) functions_.G_dx(t_next_, x_, u, C_);
    const Eigen::VectorXd terms = before_.cwiseAbs() + x_.cwiseAbs() + base_.cwiseAbs() + h_ * f_.cwiseAbs();
    return 64.0 * eps * (C_.cwiseAbs() * terms + slope_.cwiseAbs()).maxCoeff();
  }

  const Dvi& system_;
  DviFunctions functions_;
  double t_ = 0.0, t_next_ = 0.0, h_ = 0.0;
  Eigen::VectorXd before_, started_;  // x_k, u_k
  bool known_ = false;
  Eigen::VectorXd at_, x_;  // u, and x+ there
  Eigen::VectorXd between_, base_, f_, residual_, change_, slope_;
  Eigen::MatrixXd A_, X_, C_, D_;
  LuFactors factors_;
  std::vector<double> buffer_;
  vi::Problem problem_;
};

class DviProcess final : public ProcessWithLaw {
 public:
  explicit DviProcess(Dvi system) : system_(std::move(system)) {}

  [[nodiscard]] std::string name() const override { return system_.name; }
  [[nodiscard]] Eigen::VectorXd initial_unknowns() const override {
    Eigen::VectorXd z(system_.x0.size() + system_.u0.size());
    z << system_.x0.value(), system_.u0.value();
    return z;
  }
  [[nodiscard]] const char* kind() const override { return "differential variational inequality"; }
  [[nodiscard]] const char* law() const override { return "its inequality"; }
  [[nodiscard]] std::string remark() const override {
    const std::string found = "a differential variational inequality: ";
    try {
      return found + index_of(system_, 0.0, system_.x0.value(), system_.u0.value()).reason;
    } catch (const InvalidArgument& refusal) {
      return found + refusal.what();
    }
  }
  [[nodiscard]] std::unique_ptr<ProcessStepper> stepper(std::string who) const override {
    return std::make_unique<DviStepper>(system_, std::move(who));
  }
  void add_to(fingerprint::Line& line) const override {
    using fingerprint::asked;
    using fingerprint::text;
    const Eigen::VectorXd &x = system_.x0.value(), &u = system_.u0.value();
    const auto at_start = [&](Index size, const auto& call) {
      return asked([&] {
        DviFunctions functions(system_, system_.name);
        Eigen::VectorXd value = Eigen::VectorXd::Zero(size);
        call(functions, value);
        return text(value);
      });
    };
    line.add("x0", text(x)).add("u0", text(u)).add("theta", text(system_.theta));
    line.add("linearised", Index{system_.linearised});
    line.add("f at the start", at_start(x.size(), [&](DviFunctions& d, VectorRef value) { d.f(0.0, x, value); }));
    line.add("b at the start", at_start(x.size(), [&](DviFunctions& d, VectorRef value) { d.b(0.0, x, u, value); }));
    line.add("G at the start", at_start(u.size(), [&](DviFunctions& d, VectorRef value) { d.G(0.0, x, u, value); }));
    line.add("K, the point nearest to u0", at_start(u.size(), [&](DviFunctions&, VectorRef value) {
               static_cast<void>(processes::set_at({}, "K(t)", system_.K, 0.0, u.size()).project(u, value));
             }));
  }

 private:
  Dvi system_;
};

const std::string kType = "DifferentialVariationalInequality";

/// Numbers of rows, u0 set where it was left out.
void check_fields(Dvi& system) {
  describe::check_initial(kType, "x0", system.x0, system.x0.size());
  if (!system.G) throw InvalidArgument(kType + "::G", "no function", "G(t, x, u)");
  if (static_cast<bool>(system.B) == static_cast<bool>(system.b))
    throw InvalidArgument(kType + "::B", system.B ? "a function beside b" : "no function, and no b",
                          "B(t, x) or b(t, x, u)");
  if (system.u0.size() == 0) {
    vi::ConvexSet first;
    if (system.K.constant()) first = *system.K.constant();
    if (system.K.function()) {
      try {
        first = (*system.K.function())(0.0);
      } catch (const std::exception& error) {
        throw InvalidArgument(kType + "::K", std::string("a function that threw at t = 0: ") + error.what(), "a set");
      }
    }
    system.u0 = Eigen::VectorXd::Zero(first.size());
  }
  if (system.u0.size() == 0 && !system.K.empty())
    throw InvalidArgument(kType + "::K", "a set of no rows", "a set of m rows, one a control u");
  processes::check_set(kType + "::K", system.K, system.u0.size());
  describe::check_initial(kType, "u0", system.u0, system.u0.size());
  check::range(kType + "::theta", system.theta, 0.0, 1.0);
  check::positive(kType + "::tolerance", system.tolerance);
  if (system.linearised && system.theta != 0.0)
    throw InvalidArgument(kType + "::linearised", "theta = " + check::text(system.theta),
                          "theta = 0, as this scheme takes f at t_k and x_k");
}

/// Values at the start, and the index there.
void check_start(const Dvi& system) {
  const Eigen::VectorXd &x = system.x0.value(), &u = system.u0.value();
  try {
    DviFunctions functions(system, "the system");
    Eigen::VectorXd of_x = Eigen::VectorXd::Zero(x.size()), of_u = Eigen::VectorXd::Zero(u.size());
    functions.f(0.0, x, of_x);
    require_finite("the system", "f(t, x)", of_x);
    functions.b(0.0, x, u, of_x);
    require_finite("the system", system.B ? "B(t, x)" : "b(t, x, u)", of_x);
    functions.G(0.0, x, u, of_u);
    require_finite("the system", "G(t, x, u)", of_u);
    if (!system.needs_index) return;
    const DviIndex found =
        index_at(functions, processes::set_at("the system", "K(t)", system.K, 0.0, u.size()), 0.0, x, u);
    if (found.index < 0)
      throw InvalidArgument(kType + " at the start", found.reason,
                            "D definite (index 0), or D = 0 and C B or then C A B definite (1, 2); needs_index = false "
                            "tries all the same");
    if (found.index == 2 && system.theta == 0.0)
      throw InvalidArgument(kType + "::theta", "0 with " + found.reason,
                            "theta > 0: with 0 u+ does not act on G(t+, x+, .) within the step");
  } catch (const CallableFailure& failure) {
    throw InvalidArgument(kType + " at the start", failure.detail, "functions that give finite values there");
  }
}

}  // namespace

DviIndex index_of(const DifferentialVariationalInequality& system, double t, ConstVectorRef x, ConstVectorRef u) {
  Dvi checked = system;
  check_fields(checked);
  check::size("index_of: x", x.size(), checked.x0.size(), "as x0");
  check::size("index_of: u", u.size(), checked.u0.size(), "as u0 or K");
  try {
    DviFunctions functions(checked, checked.name.empty() ? "the system" : checked.name);
    return index_at(functions, processes::set_at(functions.who(), "K(t)", checked.K, t, u.size()), t, x, u);
  } catch (const CallableFailure& failure) {
    throw InvalidArgument("index_of", failure.detail, "functions that give values at t, x and u");
  }
}

std::shared_ptr<const DynamicalSystem> make_system(DifferentialVariationalInequality system) {
  check_fields(system);
  check_start(system);
  return std::make_shared<const DviProcess>(std::move(system));
}

}  // namespace nonsmooth
