// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/systems/sweeping_process.hpp>

#include <internal/check.hpp>
#include <internal/round_off.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "model/describe.hpp"
#include "model/equations/differences.hpp"
#include "model/fingerprint/fingerprint_text.hpp"
#include "own_problem.hpp"

namespace nonsmooth {
namespace {

constexpr double kProjects = 1e-6;            ///< of the way and the point, by which P(P(y)) may miss P(y)
constexpr double kSweepingTolerance = 1e-10;  ///< of the certificate of a step that is implicit in f

/// P_{C(t)} of one step: by the user's projection or by the set that it is.
class CatchingUp final : public ProcessStepper {
 public:
  CatchingUp(const SweepingProcess& process, std::string who) : process_(process), who_(std::move(who)) {
    const Index n = process_.x0.size();
    f_ = y_ = again_ = Eigen::VectorXd::Zero(n);
    if (process_.set.constant()) set_ = *process_.set.constant();
    if (process_.theta > 0.0 && process_.f) begin_implicit(n);
  }

  OwnProblem step(double t, double t_next, double h, VectorRef x) override {
    if (process_.set.function()) set_ = processes::set_at(who_, "C(t)", process_.set, t_next, x.size());
    if (process_.theta > 0.0 && process_.f) return step_implicitly(t, t_next, h, x);
    if (process_.f) {
      evaluate_f(t, x, f_);
      require_finite(who_, "f(t, x)", f_);
      x += h * f_;
    }
    project(t_next, x);
    return {};
  }

 private:
  void evaluate_f(double t, ConstVectorRef x, VectorRef value) const {
    value.setZero();
    guarded(who_, "f(t, x)", [&] { process_.f(t, x, value); });
  }

  /// x := P_{C(t)}(x).
  void project(double t, VectorRef x) {
    const bool users = static_cast<bool>(process_.project);
    if (users || set_.user_accuracy() > 0.0) y_ = x;
    once(t, x);
    if (!users && !(set_.user_accuracy() > 0.0)) return;
    again_ = x;
    once(t, again_);
    const double miss = (again_ - x).cwiseAbs().maxCoeff();
    if (miss > kProjects * ((y_ - x).cwiseAbs().maxCoeff() + x.cwiseAbs().maxCoeff()))
      throw CallableFailure{"project(t, x) of " + who_ + " is no projection: P(P(y)) is " + check::text(miss) +
                            " away from P(y)"};
  }

  void once(double t, VectorRef x) const {
    if (process_.project) {
      guarded(who_, "project(t, x)", [&] { process_.project(t, x); });
      return require_finite(who_, "project(t, x)", x);
    }
    vi::ProjectionReport report;
    guarded(who_, "the projection on C(t)", [&] { report = set_.project(x, x); });
    if (report.ok()) return;
    if (report.status == Status::Infeasible) {
      const bool proved = report.proof.size() == set_.proof_rows() && set_.proves_empty(report.proof);
      processes::fail_empty(who_, "C(t)", t, report.proof, proved, x.size());
    }
    throw ProcessFailure("The projection on C(t) of " + who_ + " was off by " + check::text(report.error) + " after " +
                             std::to_string(report.iterations) +
                             " iterations: the set may have no point at t = " + check::text(t) + " s.",
                         report.status, x.size());
  }

  /// F(y) = y - x_k - h f(t_theta, theta y + (1-theta) x_k) on C(t_{k+1}).
  void begin_implicit(Index n) {
    before_ = between_ = Eigen::VectorXd::Zero(n);
    problem_.F.num_unknowns = problem_.F.num_values = n;
    problem_.F.name = "x+ - x - h f of " + who_;
    problem_.F.value = [this](ConstVectorRef y, VectorRef value) {
      between_ = process_.theta * y + (1.0 - process_.theta) * before_;
      evaluate_f(t_theta_, between_, f_);
      value = y - before_ - h_ * f_;
    };
    problem_.F.dense_jacobian = [this](ConstVectorRef y, MatrixRef J) {
      between_ = process_.theta * y + (1.0 - process_.theta) * before_;
      if (process_.f_dx) {
        guarded(who_, "f_dx(t, x)", [&] { process_.f_dx(t_theta_, between_, J); });
      } else {
        differences::jacobian(between_, J, [&](ConstVectorRef x, VectorRef value) { evaluate_f(t_theta_, x, value); });
      }
      J *= -h_ * process_.theta;
      J.diagonal().array() += 1.0;
    };
  }

  OwnProblem step_implicitly(double t, double t_next, double h, VectorRef x) {
    before_ = x;
    h_ = h;
    t_theta_ = t + process_.theta * h;
    problem_.K = process_.project ? vi::ConvexSet(vi::UserSet{.size = x.size(),
                                                              .project =
                                                                  [this, t_next](ConstVectorRef y, VectorRef p) {
                                                                    p = y;
                                                                    once(t_next, p);
                                                                  }})
                                  : set_;
    return processes::solve(
        who_, "C(t)", t_next, problem_, kSweepingTolerance,
        [&](ConstVectorRef y) { return 16.0 * eps * (2.0 * before_.cwiseAbs().maxCoeff() + y.cwiseAbs().maxCoeff()); },
        x);
  }

  const SweepingProcess& process_;
  std::string who_;
  vi::ConvexSet set_;
  Eigen::VectorXd f_, y_, again_, before_, between_;
  double h_ = 0.0, t_theta_ = 0.0;
  vi::Problem problem_;
};

/// A point that a moving set drags.
class CallableSweepingProcess final : public ProcessWithLaw {
 public:
  explicit CallableSweepingProcess(SweepingProcess process) : process_(std::move(process)) {}

  [[nodiscard]] std::string name() const override { return process_.name; }
  [[nodiscard]] Eigen::VectorXd initial_unknowns() const override { return process_.x0.value(); }
  [[nodiscard]] const char* kind() const override { return "sweeping process"; }
  [[nodiscard]] const char* law() const override { return "its set"; }
  [[nodiscard]] std::string remark() const override {
    return "a sweeping process: one solution where its convex set moves Lipschitz-continuously";
  }
  [[nodiscard]] std::unique_ptr<ProcessStepper> stepper(std::string who) const override {
    return std::make_unique<CatchingUp>(process_, std::move(who));
  }
  void add_to(fingerprint::Line& line) const override {
    const Eigen::VectorXd& x = process_.x0.value();
    line.add("x0", fingerprint::text(x))
        .add("project",
             "a function, at t = 0 " + fingerprint::asked([&] {
               Eigen::VectorXd projected = x;
               if (process_.project) {
                 process_.project(0.0, projected);
               } else {
                 static_cast<void>(processes::set_at({}, "C(t)", process_.set, 0.0, x.size()).project(x, projected));
               }
               return fingerprint::text(projected);
             }));
    line.add("f", process_.f ? "a function, at t = 0 " + fingerprint::asked([&] {
                                 Eigen::VectorXd f = Eigen::VectorXd::Zero(x.size());
                                 process_.f(0.0, x, f);
                                 return fingerprint::text(f);
                               })
                             : std::string("none"));
    if (process_.theta > 0.0) line.add("theta", fingerprint::text(process_.theta));
  }

 private:
  SweepingProcess process_;
};

void validate(const SweepingProcess& system) {
  const Index n = system.x0.size();
  describe::check_initial("SweepingProcess", "x0", system.x0, n);
  if (!system.project && system.set.empty())
    throw InvalidArgument("SweepingProcess::project", "no function, and no set", "the projection on C(t), or C(t)");
  if (system.project && !system.set.empty())
    throw InvalidArgument("SweepingProcess::project", "a function beside a set", "one of them");
  if (!system.project) processes::check_set("SweepingProcess::set", system.set, n);
  check::range("SweepingProcess::theta", system.theta, 0.0, 1.0);
}

}  // namespace

std::shared_ptr<const DynamicalSystem> make_system(SweepingProcess system) {
  validate(system);
  return std::make_shared<const CallableSweepingProcess>(std::move(system));
}

}  // namespace nonsmooth
