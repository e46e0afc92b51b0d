// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/mixed/admm.hpp>

#include <algorithm>
#include <cmath>
#include <memory>

#include <nonsmooth/numerics/error.hpp>

#include "../deadline.hpp"
#include "canonical.hpp"
#include "internal.hpp"
#include "newton_system.hpp"
#include "projection_jacobian.hpp"

namespace nonsmooth::mixed {
namespace {

/// True if W is symmetric to the last bits of its largest entries in each pair of blocks.
bool is_symmetric(const BlockSparseMatrix& W) {
  for (Index i = 0; i < W.num_block_rows(); ++i)
    for (Index k = W.row_begin(i); k < W.row_begin(i + 1); ++k) {
      const Index j = W.column(k);
      if (j < i) continue;
      const Index l = W.find(j, i);
      const auto upper = W.block(i, k);
      if (l < 0) {
        if (!upper.isZero(0.0)) return false;
        continue;
      }
      const auto lower = W.block(j, l);
      const double size = std::max(upper.cwiseAbs().maxCoeff(), lower.cwiseAbs().maxCoeff());
      if ((upper - lower.transpose()).cwiseAbs().maxCoeff() > 4.0 * std::numeric_limits<double>::epsilon() * size)
        return false;
    }
  // A block below the diagonal without its mirror.
  for (Index i = 0; i < W.num_block_rows(); ++i)
    for (Index k = W.row_begin(i); k < W.row_begin(i + 1); ++k)
      if (W.column(k) < i && W.find(W.column(k), i) < 0 && !W.block(i, k).isZero(0.0)) return false;
  return true;
}

/// Anderson's extrapolation of a fixed point v = v + f(v): the affine combination of the last iterates whose f is
/// smallest.
class Extrapolation {
 public:
  Extrapolation(Index n, Index memory) : dv_(n, memory), df_(n, memory) {}
  void forget() noexcept { count_ = filled_ = 0; }

  void add(const Eigen::VectorXd& v, const Eigen::VectorXd& f) {
    if (dv_.cols() == 0) return;
    if (count_ > 0) {
      const Index column = (count_ - 1) % dv_.cols();
      dv_.col(column) = v - v_;
      df_.col(column) = f - f_;
      filled_ = std::min(filled_ + 1, dv_.cols());
    }
    v_ = v;
    f_ = f;
    ++count_;
  }
  [[nodiscard]] Index filled() const noexcept { return filled_; }

  /// The extrapolated v + f of the last iterate into v. False where the differences carry no information.
  [[nodiscard]] bool apply(Eigen::VectorXd& v) {
    if (filled_ < 2) return false;
    const auto F = df_.leftCols(filled_);
    gram_ = F.transpose().lazyProduct(F);
    // Nearly parallel differences are damped, so that their weights stay of order one.
    gram_.diagonal().array() += 1e-12 * gram_.trace();
    weights_ = F.transpose().lazyProduct(f_);
    DenseFactorization factors(Structure::SymmetricPositiveDefinite);
    if (!gram_.allFinite() || !factors.factorize(gram_)) return false;
    factors.solve_in_place(weights_);
    v = v_ + f_ - (dv_.leftCols(filled_) + F) * weights_;
    return v.allFinite();
  }

 private:
  Eigen::MatrixXd dv_, df_, gram_;
  Eigen::VectorXd v_, f_, weights_;
  Index count_ = 0, filled_ = 0;
};

class Method {
 public:
  Method(const Problem& problem, const Admm& options, Result& result)
      : problem_(problem),
        options_(options),
        result_(result),
        deadline_(options.time_limit),
        A_(problem.K),
        C_(problem.K),
        extrapolation_(problem.W.rows(), options.memory) {
    internal::natural_scales(problem, rho_);
    for (Index b = 0; b < problem.K.num_blocks(); ++b) {
      const Index n = problem.K.size(b);
      for (Index i = 0; i < n; ++i) C_.block(b)[i * (n + 1)] = 1.0;
    }
    symmetric_ = is_symmetric(problem.W);
    const Index n = problem.W.rows();
    z_.setZero(n), r_.resize(n), f_.resize(n), u_.resize(n), z_before_.resize(n);
  }

  void run() {
    penalty_ = options_.penalty;
    z_ = result_.r;
    internal::keep_better(problem_, z_, u_, result_);
    if (result_.certificate.residual <= options_.tolerance) return finish(Status::Solved, "");
    if (!factorize()) return finish(Status::NumericalFailure, "W + R is singular");
    // û = u + g of the start, so that a start at a solution is a fixed point.
    v_ = u_;
    for (Index b = 0; b < problem_.K.num_blocks(); ++b)
      modify_velocity(problem_.K[b], v_.segment(problem_.K.offset(b), problem_.K.size(b)));
    v_ = z_ - v_.cwiseQuotient(R_);
    Index next_check = 1, next_balance = 20, last_gain = 0, plain_until = 0, patience = 500;
    double best = std::numeric_limits<double>::infinity();
    double reference = std::numeric_limits<double>::infinity();
    Eigen::VectorXd fallback;
    while (true) {
      if (!step()) return finish(Status::NumericalFailure, "numbers overflow");
      ++result_.iterations;
      if (result_.iterations >= next_check) {
        internal::keep_better(problem_, z_, u_, result_);
        next_check = result_.iterations + 10;
        if (result_.certificate.residual <= options_.tolerance) return finish(Status::Solved, "");
        if (result_.certificate.error <= result_.certificate.round_off && ++at_round_off_ > 10)
          return finish(Status::Stalled, "at round-off");
        if (deadline_.passed()) return finish(Status::TimeLimit, "time_limit reached");
      }
      if (result_.iterations >= options_.max_iterations) {
        internal::keep_better(problem_, z_, u_, result_);
        return finish(Status::IterationLimit, "max_iterations reached");
      }
      const double size = weighted(f_);
      if (fallback.size() > 0 && !(size <= 2.0 * reference)) {
        v_ = fallback;  // the extrapolated point was worse: on from the plain one, without history
        fallback.resize(0);
        extrapolation_.forget();
        continue;
      }
      fallback.resize(0);
      reference = size;
      if (size < 0.9 * best) {
        best = size;
        last_gain = result_.iterations;
      } else if (result_.iterations >= last_gain + patience) {
        // Extrapolation wanders: the plain iteration for a while, each time longer, for that one converges.
        plain_until = result_.iterations + patience;
        last_gain = plain_until;
        patience *= 2;
        extrapolation_.forget();
      }
      compare();
      if (result_.iterations >= next_balance) {
        next_balance = 2 * result_.iterations;
        if (rebalance()) {
          best = std::numeric_limits<double>::infinity();
          extrapolation_.forget();
          if (!factorize()) return finish(Status::NumericalFailure, "W + R is singular");
          continue;
        }
      }
      if (options_.memory > 0 && result_.iterations >= plain_until) {
        f_ *= options_.relaxation;
        extrapolation_.add(v_, f_);
        fallback = v_ + f_;
        if (!extrapolation_.apply(v_)) {
          v_ = fallback;
          fallback.resize(0);
        }
      } else {
        v_ += options_.relaxation * f_;
      }
    }
  }

 private:
  void finish(Status status, std::string_view reason) {
    internal::conclude(problem_, options_.tolerance, result_, status, reason);
  }

  [[nodiscard]] bool factorize() {
    R_ = penalty_ * rho_.cwiseInverse();
    for (Index b = 0; b < problem_.K.num_blocks(); ++b) {
      const Index o = problem_.K.offset(b), n = problem_.K.size(b);
      // One R a block: P_K of a cone is the projection in the norm of R only then. Orthants and boxes take any.
      for (Index i = 0; i < n; ++i) A_.block(b)[i * (n + 1)] = R_[o + i];
    }
    if (symmetric_) {
      if (!system_) system_ = std::make_unique<internal::NewtonSystem>(problem_, Structure::SymmetricPositiveDefinite);
      if (system_->factorize(A_, C_)) return true;
      symmetric_ = false;
      system_.reset();
    }
    if (!system_) system_ = std::make_unique<internal::NewtonSystem>(problem_);
    return system_->factorize(A_, C_);
  }

  /// z, r and f = r - z of v.
  [[nodiscard]] bool step() {
    z_before_ = z_;
    z_ = v_;
    for (Index b = 0; b < problem_.K.num_blocks(); ++b)
      project(problem_.K[b], z_.data() + problem_.K.offset(b), problem_.K.size(b));
    r_ = R_.cwiseProduct(2.0 * z_ - v_) - problem_.q;
    for (Index b = 0; b < problem_.K.num_blocks(); ++b) {
      const Index o = problem_.K.offset(b), n = problem_.K.size(b);
      if (problem_.K[b].kind == SetKind::Rolling) {
        f_.segment(o, n) = (z_ - v_).segment(o, n);
        r_[o] -= R_[o] * velocity_lift(problem_.K[b], f_.data() + o, n);
        continue;
      }
      const double gain = dilatancy(problem_.K[b]);
      if (gain == 0.0) continue;
      r_[o] -= gain * R_[o] * (z_ - v_).segment(o + 1, n - 1).norm();
    }
    system_->solve_in_place(r_);
    f_ = r_ - z_;
    return f_.allFinite();
  }

  /// |x| in the unit of u, so that blocks of different masses count alike.
  [[nodiscard]] double weighted(const Eigen::VectorXd& x) const { return x.cwiseQuotient(rho_).norm(); }

  /// Notes how the relative changes of r, |r - z| / |z|, and of û = R (z - v), R |z - z_before| / max(|û|, |q|),
  /// compare (where everything sticks û tends to 0, and q is the measure of it).
  void compare() {
    const double velocity = std::max(weighted(z_ - v_), problem_.q.norm() / penalty_);
    const double primal = weighted(f_) * velocity, dual = weighted(z_ - z_before_) * weighted(z_);
    if (!(primal > 0.0) || !(dual > 0.0)) return;
    log_ratio_ += std::log(primal / dual);
    ++compared_;
  }

  /// A better penalty where they lie far apart in the mean since the last change; v keeps û.
  [[nodiscard]] bool rebalance() {
    const double mean = compared_ > 0 ? 0.5 * log_ratio_ / static_cast<double>(compared_) : 0.0;
    log_ratio_ = 0.0;
    compared_ = 0;
    if (refactorizations_ >= options_.max_refactorizations) return false;
    const double ratio = std::clamp(std::exp(mean), 1e-2, 1e2);
    if (ratio < far && ratio > 1.0 / far) return false;
    const double next = std::clamp(penalty_ * ratio, 1e-8, 1e8);
    if (next == penalty_) return false;
    v_ = z_ + (v_ - z_) * (penalty_ / next);
    penalty_ = next;
    ++refactorizations_;
    return true;
  }

  static constexpr double far = 20.0;  // small changes are not worth a factorization and the history

  const Problem& problem_;
  const Admm& options_;
  Result& result_;
  detail::Deadline deadline_;
  std::unique_ptr<internal::NewtonSystem> system_;
  internal::BlockDiagonal A_, C_;
  Extrapolation extrapolation_;
  bool symmetric_ = false;
  double penalty_ = 1.0, log_ratio_ = 0.0;
  Index refactorizations_ = 0, compared_ = 0, at_round_off_ = 0;
  Eigen::VectorXd rho_, R_, v_, z_, r_, f_, u_, z_before_;
};

}  // namespace

void Admm::validate() const {
  check::positive("mixed::Admm::tolerance", tolerance);
  check::at_least("mixed::Admm::max_iterations", max_iterations, 1);
  check::positive("mixed::Admm::penalty", penalty);
  if (!(relaxation > 0.0 && relaxation < 2.0))
    throw InvalidArgument("mixed::Admm::relaxation", std::to_string(relaxation), "a number in (0, 2)");
  check::at_least("mixed::Admm::max_refactorizations", max_refactorizations, 0);
  check::at_least("mixed::Admm::memory", memory, 0);
  detail::check_time_limit("mixed::Admm::time_limit", time_limit);
}

Result solve(const Problem& problem, const Admm& options) {
  problem.validate();
  options.validate();
  if (!problem.K.is_canonical()) return internal::solve_canonical(problem, options);
  Result result;
  internal::begin(problem, "admm", result);
  internal::set_start(problem, "mixed::Admm::start", options.start, result);
  Method(problem, options, result).run();
  return result;
}

}  // namespace nonsmooth::mixed
