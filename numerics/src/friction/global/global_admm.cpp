// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/friction/global_admm.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include <internal/check.hpp>
#include <internal/deadline.hpp>
#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/linear_algebra/factorization.hpp>

#include "global_admm_workspace.hpp"
#include "global_internal.hpp"
#include "normal_matrix.hpp"
#include "set_kernels.hpp"

namespace nonsmooth::friction {

/// Factors of matrices that are symmetric and positive definite, or not, each kind made when it is first asked for.
struct internal::GlobalAdmmMemory {
  struct Factors {
    std::optional<SparseFactorization> symmetric, general;

    [[nodiscard]] SparseFactorization& of(bool is_symmetric) {
      std::optional<SparseFactorization>& kind = is_symmetric ? symmetric : general;
      if (!kind) kind.emplace(is_symmetric ? Structure::SymmetricPositiveDefinite : Structure::General);
      return *kind;
    }
  };
  NormalMatrix normal;
  Factors of_normal, of_A;
  GrowingVector start;
  GrowingVector R, y, extrapolated, next, z, z_before, r, b, velocity;  // an entry a row
  GrowingVector v, pull;                                                // one a dof
};

namespace {

constexpr std::string_view admm_of_A_and_H = "global admm";
constexpr const char* admm_of_A_and_H_start = "friction::GlobalAdmm::start";

class GlobalAdmmMethod {
 public:
  /// From memory.start, in the place of options.start.
  GlobalAdmmMethod(const GlobalProblem& problem, const GlobalAdmm& options, const internal::GlobalScales& scales,
                   internal::GlobalAdmmMemory& memory, GlobalResult& result)
      : problem_(problem),
        options_(options),
        result_(result),
        deadline_(options.time_limit),
        scales_(scales),
        symmetric_(internal::is_symmetric(problem.A)),
        memory_(memory),
        R_(memory.R),
        y_(memory.y),
        extrapolated_(memory.extrapolated),
        next_(memory.next),
        z_(memory.z),
        z_before_(memory.z_before),
        v_(memory.v),
        r_(memory.r),
        b_(memory.b),
        velocity_(memory.velocity),
        pull_(memory.pull) {
    memory.normal.prepare(problem.A, problem.H);
  }

  void run() {
    penalty_ = options_.penalty;
    if (!factorize()) return finish(Status::NumericalFailure, "A + H^T R^-1 H is singular");
    y_ = z_ = memory_.start;
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
    const Eigen::SparseMatrix<double>& matrix = memory_.normal.write(R_);
    if (symmetric_) {
      factors_ = &memory_.of_normal.of(true);
      if (factors_->factorize(matrix)) return true;
      symmetric_ = false;
    }
    factors_ = &memory_.of_normal.of(false);
    return factors_->factorize(matrix);
  }

  /// v = f + H^T r.
  void push(const GrowingVector& r) {
    pull_.resize(problem_.f.size());
    pull_.noalias() = problem_.H.transpose() * r;
    v_ = problem_.f + pull_;
  }

  /// y = r - û / R of the start, so that a solution is a fixed point: v by factors of A alone. Left at r without them.
  void look_behind_start() {
    SparseFactorization& factors = memory_.of_A.of(symmetric_);
    if (!factors.factorize(problem_.A)) return;
    push(z_);
    factors.solve_in_place(v_);
    velocity_.resize(problem_.w.size());
    velocity_.noalias() = problem_.H * v_;
    velocity_ += problem_.w;
    for (Index b = 0; b < problem_.K.num_blocks(); ++b)
      modify_velocity(problem_.K[b], velocity_.segment(problem_.K.offset(b), problem_.K.size(b)));
    y_ = z_ - velocity_.cwiseQuotient(R_);
  }

  /// z, v and r of y.
  [[nodiscard]] bool step(const GrowingVector& y) {
    z_before_ = z_;
    z_ = y;
    for (Index b = 0; b < problem_.K.num_blocks(); ++b)
      project(problem_.K[b], z_.data() + problem_.K.offset(b), problem_.K.size(b));
    velocity_ = R_.cwiseProduct(z_ - y);
    b_ = velocity_ + R_.cwiseProduct(z_) - problem_.w;
    for (Index b = 0; b < problem_.K.num_blocks(); ++b)
      b_[problem_.K.offset(b)] -=
          velocity_lift(problem_.K[b], velocity_.data() + problem_.K.offset(b), problem_.K.size(b));
    r_ = b_.cwiseQuotient(R_);
    push(r_);
    factors_->solve_in_place(v_);
    r_.noalias() = problem_.H * v_;
    r_ = (b_ - r_).cwiseQuotient(R_);
    return r_.allFinite() && v_.allFinite();
  }

  /// |x| in the unit of u, so that blocks of different masses count alike.
  template <class Vector>
  [[nodiscard]] double weighted(const Eigen::MatrixBase<Vector>& x) const {
    return x.cwiseQuotient(scales_.rho).norm();
  }

  /// Notes how the relative changes of r, |r - z| / |z|, and of û, R |z - z_before| / max(|û|, |q|), compare.
  void compare() {
    const double velocity = std::max(velocity_.norm(), scales_.q.norm()) / penalty_;
    const double primal = weighted(r_ - z_) * velocity, dual = weighted(z_ - z_before_) * weighted(z_);
    if (!(primal > 0.0) || !(dual > 0.0)) return;
    log_ratio_ += std::log(primal / dual);
    ++compared_;
  }

  /// A better penalty where they lie far apart in the mean since the last change; y keeps û.
  [[nodiscard]] bool rebalance(GrowingVector& y) {
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
  const internal::GlobalScales& scales_;
  bool symmetric_;
  double penalty_ = 1.0, log_ratio_ = 0.0;
  Index refactorizations_ = 0, compared_ = 0, at_round_off_ = 0;
  internal::GlobalAdmmMemory& memory_;
  SparseFactorization* factors_ = nullptr;
  GrowingVector &R_, &y_, &extrapolated_, &next_, &z_, &z_before_, &v_, &r_, &b_, &velocity_, &pull_;
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
  return internal::solve_canonical(problem, options, admm_of_A_and_H, admm_of_A_and_H_start,
                                   [](const GlobalProblem& canonical, const GlobalAdmm& own, GlobalResult& result) {
                                     internal::GlobalAdmmMemory memory;
                                     memory.start = own.start;
                                     const internal::GlobalScales scales = internal::global_scales(canonical);
                                     GlobalAdmmMethod(canonical, own, scales, memory, result).run();
                                   });
}

void internal::GlobalAdmmWorkspace::solve(const GlobalProblem& problem, const GlobalAdmm& options,
                                          const GlobalScales& scales, ConstVectorRef start, GlobalResult& result) {
  GlobalAdmmMemory& memory = memory_.get();
  begin_in_workspace(problem, options, admm_of_A_and_H, admm_of_A_and_H_start, start, memory.start, result);
  GlobalAdmmMethod(problem, options, scales, memory, result).run();
}

}  // namespace nonsmooth::friction
