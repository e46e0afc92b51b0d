// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/friction/cone_relaxation.hpp>

#include <algorithm>
#include <optional>
#include <vector>

#include <internal/check.hpp>

#include "mixed/natural_map.hpp"
#include "outer_loop.hpp"
#include "set_kernels.hpp"

namespace nonsmooth::friction {
namespace {

class ConeRelaxationMethod {
 public:
  ConeRelaxationMethod(const Problem& problem, const ConeRelaxation& options, mixed::Result& result)
      : problem_(problem),
        options_(options),
        result_(result),
        monitor_(problem, options.tolerance, options.measure, options.time_limit, result),
        convex_(internal::relaxation_of(problem)),
        map_(convex_.K),
        zero_(Eigen::VectorXd::Zero(problem.W.rows())) {
    for (Index b = 0; b < problem.K.num_blocks(); ++b)
      if (problem.K[b].kind == SetKind::Coulomb2D || problem.K[b].kind == SetKind::Coulomb3D) contacts_.push_back(b);
    e_.resize(problem.W.rows());
    product_.resize(problem.W.rows());
  }

  void run() {
    Eigen::VectorXd r = result_.r, u(r.size());
    problem_.W.multiply_add(r, problem_.q, u);
    if (monitor_.observe(r, u)) return monitor_.finish(Status::Stalled, "");
    Eigen::VectorXd s = gains(u);
    if (r.isZero(0.0)) s.setZero();  // nothing is known of the sliding yet
    internal::Anderson anderson(s.size(), options_.outer == ConeRelaxation::Outer::Anderson ? options_.memory : 0);
    internal::Safeguard safeguard;
    internal::InnerAccuracy accuracy;
    for (Index k = 0; k < options_.max_iterations; ++k) {
      const double tolerance = accuracy.tolerance(monitor_, r, u);
      for (Index i = 0; i < s.size(); ++i) convex_.q[normal(i)] = problem_.q[normal(i)] + s[i];
      if (!convex_.q.allFinite())
        return monitor_.finish(Status::NumericalFailure, "numbers overflow: gains of sliding without bound");
      const double relative = tolerance / convex_.q.lpNorm<Eigen::Infinity>();  // 0 or NaN where either is 0
      const mixed::Result inner =
          internal::solve_inner(convex_, options_.inner, relative > 0.0 ? relative : 1e-10, monitor_.remaining(), r);
      result_.iterations += inner.iterations;
      if (inner.r.allFinite()) r = inner.r;
      problem_.W.multiply_add(r, problem_.q, u);
      if (monitor_.observe(r, u)) return monitor_.finish(Status::Stalled, "");
      if (!accuracy.learn(monitor_, inner.iterations, inner.ok()))
        return monitor_.finish(Status::Stalled, "the inner solver makes no progress");
      const Eigen::VectorXd step = gains(u) - s;
      const auto accelerate = [&](const Eigen::VectorXd& x, const Eigen::VectorXd& f) -> Eigen::VectorXd {
        Eigen::VectorXd next;
        if (options_.outer == ConeRelaxation::Outer::Newton && newton(r, u, x, f, next)) return next;
        return anderson.next(x, f);
      };
      s = safeguard.next(s, step, accelerate, [&] { anderson.forget(); });
      s = s.cwiseMax(0.0);
    }
    monitor_.finish(Status::IterationLimit, "max_iterations reached");
  }

 private:
  [[nodiscard]] Index normal(Index contact) const {
    return problem_.K.offset(contacts_[static_cast<std::size_t>(contact)]);
  }

  /// G = mu |u_T| of each contact.
  [[nodiscard]] Eigen::VectorXd gains(const Eigen::VectorXd& u) const {
    Eigen::VectorXd result(static_cast<Index>(contacts_.size()));
    for (Index i = 0; i < result.size(); ++i) {
      const Index b = contacts_[static_cast<std::size_t>(i)];
      result[i] = velocity_lift(problem_.K[b], u.data() + problem_.K.offset(b), problem_.K.size(b));
    }
    return result;
  }

  /// s + (I - G'(s))^-1 f at the solution (r, u) of the convex problem. False where the system is singular.
  [[nodiscard]] bool newton(const Eigen::VectorXd& r, const Eigen::VectorXd& u, const Eigen::VectorXd& s,
                            const Eigen::VectorXd& f, Eigen::VectorXd& next) {
    constexpr double regularization = 1e-9;  // of W, in units of its local eigenvalues: redundant contacts that stick
    const Eigen::VectorXd& rho = monitor_.rho();
    v_ = u;
    for (Index i = 0; i < s.size(); ++i) v_[normal(i)] += s[i];
    Eigen::VectorXd gradient(zero_.size()), rhs = zero_;
    gradient.setZero();
    map_.linearize(mixed::internal::Form::Natural, rho, r, v_, e_);
    map_.add_proximal_term(regularization, rho);
    for (Index contact = 0; contact < s.size(); ++contact) {
      const Index b = contacts_[static_cast<std::size_t>(contact)], o = problem_.K.offset(b), n = problem_.K.size(b);
      double* C = map_.C.block(b);
      mixed::internal::velocity_jacobian(problem_.K[b], u.data() + o, n, gradient.data() + o);
      for (Index i = 0; i < n; ++i) rhs[o + i] = -C[i] * f[contact];
      for (Index j = 1; j < n; ++j)
        for (Index i = 0; i < n; ++i) C[j * n + i] += C[i] * gradient[o + j];
    }
    if (!system_) system_.emplace(problem_);
    ++result_.iterations;
    if (!system_->factorize(map_.A, map_.C)) return false;
    system_->solve_in_place(rhs);
    if (!rhs.allFinite()) return false;
    problem_.W.multiply_add(rhs, zero_, product_);
    next = s + f;
    for (Index i = 0; i < s.size(); ++i) {
      const Index o = normal(i), n = problem_.K.size(contacts_[static_cast<std::size_t>(i)]);
      next[i] += gradient.segment(o + 1, n - 1).dot(product_.segment(o + 1, n - 1));
    }
    if (!next.allFinite()) return false;
    return true;
  }

  const Problem& problem_;
  const ConeRelaxation& options_;
  mixed::Result& result_;
  internal::Monitor monitor_;
  Problem convex_;
  mixed::internal::NaturalMap map_;
  std::optional<mixed::internal::NewtonSystem> system_;
  std::vector<Index> contacts_;  // blocks with friction
  const Eigen::VectorXd zero_;
  Eigen::VectorXd e_, v_, product_;
};

void run_cone_relaxation(const Problem& problem, const ConeRelaxation& options, mixed::Result& result) {
  ConeRelaxationMethod(problem, options, result).run();
}

}  // namespace

void ConeRelaxation::validate() const {
  check::positive("friction::ConeRelaxation::tolerance", tolerance);
  check::within("friction::ConeRelaxation::memory", memory, 1, check::most_iterates);
  check::at_least("friction::ConeRelaxation::max_iterations", max_iterations, 1);
  detail::check_time_limit("friction::ConeRelaxation::time_limit", time_limit);
}

Result solve(const Problem& problem, const ConeRelaxation& options) {
  return internal::solve_by(problem, options, "cone relaxation", "friction::ConeRelaxation::start", false,
                            run_cone_relaxation);
}

}  // namespace nonsmooth::friction
