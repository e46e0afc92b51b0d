// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/friction/global_admm.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>

#include <internal/check.hpp>
#include <internal/deadline.hpp>
#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/linear_algebra/factorization.hpp>

#include "global_internal.hpp"
#include "set_kernels.hpp"

namespace nonsmooth::friction {
namespace {

using Sparse = Eigen::SparseMatrix<double>;

class GlobalAdmmMethod {
 public:
  GlobalAdmmMethod(const GlobalProblem& problem, const GlobalAdmm& options, GlobalResult& result)
      : problem_(problem),
        options_(options),
        result_(result),
        deadline_(options.time_limit),
        scales_(internal::global_scales(problem)),
        symmetric_(Sparse(problem.A - Sparse(problem.A.transpose())).coeffs().isZero(0.0)) {}

  void run() {
    penalty_ = options_.penalty;
    if (!factorize()) return finish(Status::NumericalFailure, "A + H^T R^-1 H is singular");
    y_ = z_ = options_.start;
    if (!z_.isZero(0.0)) look_behind_start();
    extrapolated_ = y_;
    Index next_check = 1, next_balance = 20;
    double reference = std::numeric_limits<double>::infinity(), weight = 1.0;
    while (true) {
      if (!step(extrapolated_)) return finish(Status::NumericalFailure, "numbers overflow");
      ++result_.iterations;
      const bool last = result_.iterations >= options_.max_iterations;
      if (last || result_.iterations >= next_check) {
        next_check = result_.iterations + 10;
        internal::keep_better(problem_, scales_, v_, r_, result_);
        if (internal::measured(problem_, scales_, options_.measure, result_) <= options_.tolerance)
          return finish(Status::Solved, "");
        if (result_.certificate.error <= result_.certificate.round_off && ++at_round_off_ > 10)
          return finish(Status::Stalled, "at round-off");
        if (last) return finish(Status::IterationLimit, "max_iterations reached");
        if (deadline_.passed()) return finish(Status::TimeLimit, "time_limit reached");
      }
      compare();
      if (result_.iterations >= next_balance) {
        next_balance = 2 * result_.iterations;
        if (rebalance(extrapolated_)) {
          y_ = extrapolated_;
          reference = std::numeric_limits<double>::infinity();
          weight = 1.0;
          if (!factorize()) return finish(Status::NumericalFailure, "A + H^T R^-1 H is singular");
          continue;
        }
      }
      next_ = extrapolated_ + options_.relaxation * (r_ - z_);
      const double size = weighted(r_ - z_);
      if (options_.accelerate && size < 0.999 * reference) {
        const double heavier = 0.5 * (1.0 + std::sqrt(1.0 + 4.0 * weight * weight));
        extrapolated_ = next_ + ((weight - 1.0) / heavier) * (next_ - y_);
        weight = heavier;
        reference = size;
      } else {
        extrapolated_ = next_;  // Nesterov's weights start anew
        weight = 1.0;
        reference = std::max(reference, size) / 0.999;
      }
      y_ = next_;
    }
  }

 private:
  void finish(Status status, std::string_view reason) {
    internal::conclude(problem_, scales_, options_.tolerance, options_.measure, result_, status, reason);
  }

  [[nodiscard]] bool factorize() {
    R_ = penalty_ * scales_.rho.cwiseInverse();
    const Sparse weighted_H = R_.cwiseInverse().asDiagonal() * problem_.H;
    matrix_ = problem_.A + Sparse(Sparse(problem_.H.transpose()) * weighted_H);
    if (symmetric_) {
      if (!factors_) factors_ = std::make_unique<SparseFactorization>(Structure::SymmetricPositiveDefinite);
      if (factors_->factorize(matrix_)) return true;
      symmetric_ = false;
      factors_.reset();
    }
    if (!factors_) factors_ = std::make_unique<SparseFactorization>();
    return factors_->factorize(matrix_);
  }

  /// y = r - û / R of the start, so that a solution is a fixed point: v by factors of A alone. Left at r without them.
  void look_behind_start() {
    SparseFactorization factors(symmetric_ ? Structure::SymmetricPositiveDefinite : Structure::General);
    if (!factors.factorize(problem_.A)) return;
    v_ = problem_.f + problem_.H.transpose() * z_;
    factors.solve_in_place(v_);
    velocity_ = problem_.H * v_ + problem_.w;
    for (Index b = 0; b < problem_.K.num_blocks(); ++b)
      modify_velocity(problem_.K[b], velocity_.segment(problem_.K.offset(b), problem_.K.size(b)));
    y_ = z_ - velocity_.cwiseQuotient(R_);
  }

  /// z, v and r of y.
  [[nodiscard]] bool step(const Eigen::VectorXd& y) {
    z_before_ = z_;
    z_ = y;
    for (Index b = 0; b < problem_.K.num_blocks(); ++b)
      project(problem_.K[b], z_.data() + problem_.K.offset(b), problem_.K.size(b));
    velocity_ = R_.cwiseProduct(z_ - y);
    b_ = velocity_ + R_.cwiseProduct(z_) - problem_.w;
    for (Index b = 0; b < problem_.K.num_blocks(); ++b)
      b_[problem_.K.offset(b)] -=
          velocity_lift(problem_.K[b], velocity_.data() + problem_.K.offset(b), problem_.K.size(b));
    v_ = problem_.f + problem_.H.transpose() * b_.cwiseQuotient(R_);
    factors_->solve_in_place(v_);
    r_ = (b_ - problem_.H * v_).cwiseQuotient(R_);
    return r_.allFinite() && v_.allFinite();
  }

  /// |x| in the unit of u, so that blocks of different masses count alike.
  [[nodiscard]] double weighted(const Eigen::VectorXd& x) const { return x.cwiseQuotient(scales_.rho).norm(); }

  /// Notes how the relative changes of r, |r - z| / |z|, and of û, R |z - z_before| / max(|û|, |q|), compare.
  void compare() {
    const double velocity = std::max(velocity_.norm(), scales_.q.norm()) / penalty_;
    const double primal = weighted(r_ - z_) * velocity, dual = weighted(z_ - z_before_) * weighted(z_);
    if (!(primal > 0.0) || !(dual > 0.0)) return;
    log_ratio_ += std::log(primal / dual);
    ++compared_;
  }

  /// A better penalty where they lie far apart in the mean since the last change; y keeps û.
  [[nodiscard]] bool rebalance(Eigen::VectorXd& y) {
    constexpr double far = 5.0;  // smaller changes are not worth a factorization
    const double ratio =
        std::clamp(std::exp(compared_ > 0 ? 0.5 * log_ratio_ / static_cast<double>(compared_) : 0.0), 1e-2, 1e2);
    log_ratio_ = 0.0;
    compared_ = 0;
    const double next = std::clamp(penalty_ * ratio, 1e-8, 1e8);
    if (refactorizations_ >= options_.max_refactorizations || (ratio < far && ratio > 1.0 / far) || next == penalty_)
      return false;
    y = z_ + (y - z_) * (penalty_ / next);
    penalty_ = next;
    ++refactorizations_;
    return true;
  }

  const GlobalProblem& problem_;
  const GlobalAdmm& options_;
  GlobalResult& result_;
  detail::Deadline deadline_;
  const internal::GlobalScales scales_;
  bool symmetric_;
  double penalty_ = 1.0, log_ratio_ = 0.0;
  Index refactorizations_ = 0, compared_ = 0, at_round_off_ = 0;
  Sparse matrix_;
  std::unique_ptr<SparseFactorization> factors_;
  Eigen::VectorXd R_, y_, extrapolated_, next_, z_, z_before_, v_, r_, b_, velocity_;
};

}  // namespace

void GlobalAdmm::validate() const {
  check::positive("friction::GlobalAdmm::tolerance", tolerance);
  check::at_least("friction::GlobalAdmm::max_iterations", max_iterations, 1);
  check::positive("friction::GlobalAdmm::penalty", penalty);
  if (!(relaxation > 0.0 && relaxation < 2.0))
    throw InvalidArgument("friction::GlobalAdmm::relaxation", std::to_string(relaxation), "a number in (0, 2)");
  check::at_least("friction::GlobalAdmm::max_refactorizations", max_refactorizations, 0);
  detail::check_time_limit("friction::GlobalAdmm::time_limit", time_limit);
}

GlobalResult solve(const GlobalProblem& problem, const GlobalAdmm& options) {
  return internal::solve_canonical(problem, options, "global admm", "friction::GlobalAdmm::start",
                                   [](const GlobalProblem& canonical, const GlobalAdmm& own, GlobalResult& result) {
                                     GlobalAdmmMethod(canonical, own, result).run();
                                   });
}

}  // namespace nonsmooth::friction
