// SPDX-License-Identifier: Apache-2.0
#include "even_friction.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <internal/decompositions.hpp>

#include "least_norm.hpp"

namespace nonsmooth::events {
namespace {

constexpr double kGap = 1e-10;                 ///< 2 m / t where the path ends
constexpr double kAtBound = 1e-6;              ///< 1 - (|f_i| / (rho c_i))^2 below it
constexpr double kLeastSpeed = 1e-6;           ///< of the fastest: no pivot, and no direction of its own
constexpr double kNear = 1e-6;                 ///< how near the path comes to rho
constexpr double kFaster = 8.0;                ///< t from one point of the path to the next
constexpr double kDependentEquations = 1e-11;  ///< pivots of equations that depend on one another, relative
constexpr int kMostNewton = 40, kMostHalvings = 60;

/// x = (rho, y), in parts of bounds: G_i = (f_i) / c_i.
class CentralPath {
 public:
  CentralPath(const Eigen::VectorXd& f_0, const std::vector<Index>& sizes, const Eigen::VectorXd& bounds,
              const Eigen::MatrixXd& N)
      : sizes_(sizes), G_0_(f_0), B_(N) {
    Index row = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i, row += sizes[i - 1]) {
      G_0_.segment(row, sizes[i]) /= bounds[static_cast<Index>(i)];
      B_.middleRows(row, sizes[i]) /= bounds[static_cast<Index>(i)];
    }
    h_.resize(contacts());
    x_.setZero(1 + N.cols());
    const double largest = std::sqrt(-margins(x_).minCoeff());
    x_[0] = 1.5 * largest;
    t_ = 2.0 * static_cast<double>(contacts()) / largest;
  }

  /// Along the path, until 2 m / t is `gap`.
  void follow(double gap) {
    const double last = 2.0 * static_cast<double>(contacts()) / gap;
    centre();
    while (t_ < last) {
      t_ = std::min(kFaster * t_, last);
      centre();
    }
  }
  [[nodiscard]] double ratio() const { return x_[0]; }
  [[nodiscard]] Eigen::VectorXd parts() const { return G_0_ + B_ * x_.tail(B_.cols()); }
  [[nodiscard]] const Eigen::VectorXd& margins() { return margins(x_); }

 private:
  [[nodiscard]] Index contacts() const { return std::ssize(sizes_); }
  /// rho^2 - |G_i|^2.
  const Eigen::VectorXd& margins(const Eigen::VectorXd& x) {
    G_ = G_0_ + B_ * x.tail(B_.cols());
    Index row = 0;
    for (Index i = 0; i < contacts(); ++i) {
      const Index size = sizes_[static_cast<std::size_t>(i)];
      const double norm = G_.segment(row, size).norm();
      h_[i] = (x[0] - norm) * (x[0] + norm);
      row += size;
    }
    return h_;
  }
  [[nodiscard]] double value(const Eigen::VectorXd& x) {
    if (!(x[0] > 0.0) || !(margins(x).minCoeff() > 0.0)) return std::numeric_limits<double>::infinity();
    return t_ * x[0] - h_.array().log().sum();
  }
  void centre() {
    const Index n = x_.size();
    Eigen::MatrixXd hessian(n, n);
    Eigen::VectorXd gradient(n), of_one(n), trial;
    for (int round = 0; round < kMostNewton; ++round) {
      const double here = value(x_);
      gradient.setZero();
      hessian.setZero();
      gradient[0] = t_;
      Index row = 0;
      for (Index i = 0; i < contacts(); ++i) {
        const Index size = sizes_[static_cast<std::size_t>(i)];
        const auto B = B_.middleRows(row, size);
        of_one << 2.0 * x_[0], -2.0 * B.transpose() * G_.segment(row, size);
        gradient -= of_one / h_[i];
        hessian += of_one * of_one.transpose() / (h_[i] * h_[i]);
        hessian(0, 0) -= 2.0 / h_[i];
        hessian.bottomRightCorner(n - 1, n - 1) += 2.0 / h_[i] * B.transpose() * B;
        row += size;
      }
      const Eigen::VectorXd scale = hessian.diagonal().cwiseAbs().cwiseSqrt().cwiseInverse();
      const Eigen::MatrixXd scaled = scale.asDiagonal() * hessian * scale.asDiagonal();
      const CholeskyFactors factors(scaled);
      if (!factors.is_positive_definite()) return;
      const Eigen::VectorXd right = -scale.cwiseProduct(gradient);
      Eigen::VectorXd step = right;
      factors.solve_in_place(step);
      step = step.cwiseProduct(scale);
      const double decrement = -gradient.dot(step);
      if (!(decrement > 1e-12)) return;
      double length = 1.0;
      int halvings = 0;
      for (; halvings < kMostHalvings; ++halvings, length *= 0.5) {
        trial = x_ + length * step;
        if (value(trial) <= here - 0.1 * length * decrement) break;
      }
      if (halvings == kMostHalvings) {
        (void)value(x_);
        return;  // round-off of the terms
      }
      x_ = trial;
    }
  }

  const std::vector<Index>& sizes_;
  Eigen::VectorXd G_0_, G_, h_, x_;
  Eigen::MatrixXd B_;
  double t_ = 1.0;
};

/// The equations of rho, v and the friction of those that are not at the bound, in this order.
class Motion {
 public:
  Motion(const Eigen::VectorXd& f_0, const std::vector<Index>& sizes, const Eigen::VectorXd& bounds,
         const Eigen::MatrixXd& N)
      : f_0_(f_0), sizes_(sizes), bounds_(bounds) {
    const Eigen::MatrixXd transposed = N.transpose();
    Q_ = singular_values(transposed, true).V.rightCols(f_0.size() - N.cols());
  }

  /// From a motion u near the answer; `even` stays as it is where the iteration leads elsewhere.
  void polish(const Eigen::VectorXd& u, EvenFriction& even) {
    const Index rank = Q_.cols();
    Index unknowns = 1 + rank;
    for (std::size_t i = 0; i < sizes_.size(); ++i) unknowns += even.at_bound[i] ? 0 : sizes_[i];
    Eigen::VectorXd x(unknowns), v = Q_.transpose() * u;
    if (!(v.norm() > 0.0)) return;
    x[0] = even.ratio;
    x.segment(1, rank) = v.normalized();
    Index next = 1 + rank;
    for (std::size_t i = 0, row = 0; i < sizes_.size(); row += static_cast<std::size_t>(sizes_[i++])) {
      if (even.at_bound[i]) continue;
      x.segment(next, sizes_[i]) = even.friction.segment(static_cast<Index>(row), sizes_[i]);
      next += sizes_[i];
    }
    double last = std::numeric_limits<double>::infinity();
    Eigen::VectorXd step;
    for (int round = 0; round < kMostNewton; ++round) {
      if (!linearise(x, even.at_bound)) return;
      if (!find_step(step)) return;
      x -= step;
      const double size = step.head(1 + rank).norm();
      if (!std::isfinite(size)) return;
      if (size >= 0.5 * last && size <= kNear) break;  // round-off
      last = size;
    }
    if (!(last <= kNear) || !(std::abs(x[0] - even.ratio) <= kNear * even.ratio) || !linearise(x, even.at_bound))
      return;
    const double unbalanced = residual_.head(rank).norm(), moving = residual_.tail(unknowns - rank).norm();
    if (unbalanced <= kNear * f_0_.norm() && moving <= kNear) take(x, even);
  }

 private:
  /// Contacts at one place that the body turns about have one friction between them: of their shares the step changes
  /// as little as can be.
  bool find_step(Eigen::VectorXd& step) {
    const FullPivotLu lu(jacobian_);
    if (lu.is_invertible()) {
      step = lu.solve(residual_);
      return true;
    }
    const Index of_pivots = jacobian_.cols() - 1 - Q_.cols();
    if (of_pivots == 0) return false;
    least_.compute_unscaled(jacobian_);
    least_.solve(residual_, step);
    return true;
  }
  /// The residual, its Jacobian, f and the speeds at x. False where one at the bound has no direction.
  bool linearise(const Eigen::VectorXd& x, const std::vector<char>& at_bound) {
    const Index rank = Q_.cols(), n = f_0_.size();
    Eigen::MatrixXd of_f = Eigen::MatrixXd::Zero(n, x.size());
    residual_.setZero(x.size());
    jacobian_.setZero(x.size(), x.size());
    const Eigen::VectorXd u = Q_ * x.segment(1, rank);
    f_.resize(n);
    speeds_.setZero(bounds_.size());
    Index next = 1 + rank;
    for (Index i = 0, row = 0; i < bounds_.size(); row += sizes_[static_cast<std::size_t>(i++)]) {
      const Index size = sizes_[static_cast<std::size_t>(i)];
      const auto u_i = u.segment(row, size);
      if (at_bound[static_cast<std::size_t>(i)]) {
        speeds_[i] = u_i.norm();
        if (!(speeds_[i] > kLeastSpeed * u.norm())) return false;
        const Eigen::VectorXd n_i = u_i / speeds_[i];
        f_.segment(row, size) = x[0] * bounds_[i] * n_i;
        of_f.block(row, 0, size, 1) = bounds_[i] * n_i;
        of_f.block(row, 1, size, rank) =
            x[0] * bounds_[i] / speeds_[i] *
            (Q_.middleRows(row, size) - n_i * (n_i.transpose() * Q_.middleRows(row, size)));
        continue;
      }
      f_.segment(row, size) = x.segment(next, size);
      of_f.block(row, next, size, size).setIdentity();
      residual_.segment(next, size) = u_i;
      jacobian_.block(next, 1, size, rank) = Q_.middleRows(row, size);
      next += size;
    }
    residual_.head(rank) = Q_.transpose() * (f_ - f_0_);
    jacobian_.topRows(rank) = Q_.transpose() * of_f;
    residual_[rank] = 0.5 * (x.segment(1, rank).squaredNorm() - 1.0);
    jacobian_.row(rank).segment(1, rank) = x.segment(1, rank).transpose();
    return true;
  }
  void take(const Eigen::VectorXd& x, EvenFriction& even) {
    even.ratio = x[0];
    even.friction = f_;
    even.motion = -(Q_ * x.segment(1, Q_.cols()));
    double slowest = std::numeric_limits<double>::infinity();
    for (Index i = 0; i < bounds_.size(); ++i) {
      if (even.at_bound[static_cast<std::size_t>(i)]) slowest = std::min(slowest, speeds_[i]);
    }
    for (Index i = 0; i < bounds_.size(); ++i) {
      even.shares[i] =
          even.at_bound[static_cast<std::size_t>(i)] ? slowest / speeds_[i] : std::numeric_limits<double>::infinity();
    }
  }

  const Eigen::VectorXd& f_0_;
  const std::vector<Index>& sizes_;
  const Eigen::VectorXd& bounds_;
  LeastNorm least_{kDependentEquations};
  Eigen::MatrixXd Q_, jacobian_;
  Eigen::VectorXd residual_, f_, speeds_;
};

}  // namespace

EvenFriction even_friction(const Eigen::VectorXd& f_0, const std::vector<Index>& sizes, const Eigen::VectorXd& bounds,
                           const Eigen::MatrixXd& N) {
  EvenFriction even;
  even.friction = f_0;
  even.shares.setOnes(bounds.size());
  even.at_bound.assign(sizes.size(), 0);
  if (f_0.isZero(0.0)) return even;
  CentralPath path(f_0, sizes, bounds, N);
  path.follow(kGap);
  even.ratio = path.ratio();
  const Eigen::VectorXd margins = path.margins();
  even.friction = path.parts();
  Eigen::VectorXd u(f_0.size());
  for (Index i = 0, row = 0; i < bounds.size(); row += sizes[static_cast<std::size_t>(i++)]) {
    auto f_i = even.friction.segment(row, sizes[static_cast<std::size_t>(i)]);
    u.segment(row, f_i.size()) = f_i / (bounds[i] * margins[i]);
    f_i *= bounds[i];
    even.at_bound[static_cast<std::size_t>(i)] = margins[i] <= kAtBound * even.ratio * even.ratio;
  }
  even.shares = bounds.cwiseProduct(margins);
  even.shares /= even.shares.maxCoeff();
  Motion motion(f_0, sizes, bounds, N);
  motion.polish(u, even);
  return even;
}

}  // namespace nonsmooth::events
