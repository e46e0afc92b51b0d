// SPDX-License-Identifier: Apache-2.0
#include "interior_iteration.hpp"

#include <algorithm>
#include <cmath>

namespace nonsmooth::friction::internal {
namespace {

using Vector = Eigen::Vector3d;

constexpr double smallest_shift = 1e-14;  // of W + B: redundant bilateral rows
constexpr double to_the_boundary = 0.99;  // share of the way that a step goes
constexpr double short_step = 0.1, long_step = 0.5;
// Of the smoothing of |y_T| in units of the barrier: of order one it bends the path, near 0 it leaves a kink.
constexpr double smoothing = 0.1;
// How much of the residual the next barrier keeps up with: without it the barrier outruns a nonlinear residual, and
// the iterates end at the boundary far from a solution.
constexpr double keep_up = 0.1;

constexpr InteriorEnd observed = {Status::NotRun, ""};
constexpr InteriorEnd limit_reached = {Status::IterationLimit, "max_iterations reached"};
constexpr InteriorEnd singular = {Status::Stalled, "the matrix of a step is singular to working precision"};
constexpr InteriorEnd no_progress = {Status::Stalled, "De Saxcé's term makes no progress"};

}  // namespace

void InteriorIteration::prepare(const ProductSet& K) {
  K_ = &K;
  cones_.prepare(K);
  const Index cones = cones_.size(), rows = K.num_rows();
  degree_ = static_cast<double>(std::max<Index>(cones, 1));
  scaling_.resize(static_cast<std::size_t>(cones));
  for (ConePoint* point : {&x_, &y_, &dx_, &dy_, &c_, &z_}) point->resize(cones);
  D_.resize(3 * cones);
  t_.resize(cones);
  s_.setZero(cones);
  for (GrowingVector* vector : {&residual_, &lifted_, &rhs_, &dr_, &shift_}) vector->resize(rows);
  alpha_.setZero(K.num_blocks());
  B_.prepare(K);
  barrier_ = 1.0;
}

/// x >= size e and y >= size e, as near to where they are as that allows.
void InteriorIteration::start(double size) {
  rhs_ = system_->r();
  cones_.move_inside(size, rhs_);
  system_->move_to(rhs_);
  for (Index j = 0; j < cones_.size(); ++j) y_(0, j) = std::max(y_(0, j), y_.col(j).tail<2>().norm() + size);
}

/// x, the barrier, De Saxcé's term with its gradient, and the residual W r + q + G^T e s - G^T y.
void InteriorIteration::look(Term term) {
  cones_.to_cones(system_->r(), x_);
  barrier_ = x_.cwiseProduct(y_).sum() / degree_;
  const double epsilon = smoothing * barrier_;
  t_.setZero();
  for (Index j = 0; j < cones_.size() && term == Term::Inside; ++j) {
    if (!cones_.lifts(j)) continue;
    const double smooth = std::hypot(y_.col(j).tail<2>().norm(), epsilon);
    s_[j] = smooth - epsilon;
    t_.col(j) = y_.col(j).tail<2>() / smooth;
  }
  z_ = y_;
  z_.row(0) -= s_.transpose();
  lifted_.setZero();
  cones_.add_velocity(z_, lifted_);
  residual_ = system_->u() - lifted_;
}

/// Factors of W + G^T T^-1 H G + alpha, alpha raised where it is singular to working precision.
bool InteriorIteration::factorize() {
  for (Index j = 0; j < cones_.size(); ++j) {
    NesterovTodd& scaling = scaling_[static_cast<std::size_t>(j)];
    scaling.update(x_.col(j), y_.col(j));
    D_.middleCols<3>(3 * j) = scaling.H;
    D_.row(0).segment<3>(3 * j) -= t_.col(j).transpose() * scaling.H.bottomRows<2>();
  }
  cones_.assemble(D_, B_);
  for (Index b = 0; b < K_->num_blocks(); ++b)
    shift_.segment(K_->offset(b), K_->size(b)).setConstant(std::max(alpha_[b], smallest_shift));
  for (int attempt = 0; attempt < 6; ++attempt, shift_ = (100.0 * shift_).cwiseMax(1e-12))
    if (system_->factorize(B_, shift_)) return true;
  return false;
}

/// dx, dy with H dx + dy = c, c = c_: dr of W dr + residual = G^T T^-1 dy.
void InteriorIteration::direction() {
  z_ = c_;
  for (Index j = 0; j < cones_.size(); ++j) z_(0, j) -= t_.col(j).dot(c_.col(j).tail<2>());
  rhs_ = -residual_;
  cones_.add_velocity(z_, rhs_);
  system_->solve(rhs_, dr_);
  cones_.to_cones(dr_, dx_);
  for (Index j = 0; j < cones_.size(); ++j)
    dy_.col(j) = c_.col(j) - scaling_[static_cast<std::size_t>(j)].H * dx_.col(j);
}

/// The corrector of Mehrotra towards x∘y = target e, from the predictor in dx, dy.
void InteriorIteration::correct(double target) {
  for (Index j = 0; j < cones_.size(); ++j) {
    const NesterovTodd& scaling = scaling_[static_cast<std::size_t>(j)];
    Vector b = -jordan_product(scaling.lambda, scaling.lambda) -
               jordan_product(scaling.unscale(dx_.col(j)), scaling.scale(dy_.col(j)));
    b[0] += target;
    c_.col(j) = scaling.unscale(jordan_quotient(scaling.lambda, b));
  }
  direction();
}

double InteriorIteration::step_to_boundary() const {
  double t = std::numeric_limits<double>::infinity();
  for (Index j = 0; j < cones_.size(); ++j)
    t = std::min(
        {t, internal::step_to_boundary(x_.col(j), dx_.col(j)), internal::step_to_boundary(y_.col(j), dy_.col(j))});
  return t;
}

/// After a step of length t: a short one says which contacts stand in the way, and those get a larger proximal weight.
void InteriorIteration::regularize(double t) {
  constexpr double first = 1e-3, rise = 10.0, fall = 0.5, in_the_way = 0.8;
  if (t < short_step || t > long_step) alpha_ *= fall;
  if (t >= short_step) return;
  for (Index j = 0; j < cones_.size(); ++j) {
    const double own =
        std::min(internal::step_to_boundary(x_.col(j), dx_.col(j)), internal::step_to_boundary(y_.col(j), dy_.col(j)));
    double& alpha = alpha_[cones_.block(j)];
    if (own < in_the_way) alpha = std::max(rise * alpha, first);
  }
}

bool InteriorIteration::step(Term term) {
  if (!factorize()) return false;
  c_ = -y_;  // predictor: x∘y = 0
  direction();
  double centering = 0.0;
  if (barrier_ > 0.0) {
    const double t = std::min(1.0, step_to_boundary());
    const double reached = (x_ + t * dx_).cwiseProduct(y_ + t * dy_).sum() / degree_;
    const double error = term == Term::Inside ? residual_.norm() / std::sqrt(degree_) : 0.0;
    centering = std::clamp(std::max(std::pow(reached / barrier_, 3), keep_up * error / barrier_), 1e-8, 1.0);
  }
  correct(centering * barrier_);
  const double t = std::min(1.0, to_the_boundary * step_to_boundary());
  if (!(t > 0.0) || !dr_.allFinite()) return false;
  regularize(t);
  system_->advance(t);
  y_ += t * dy_;
  return true;
}

InteriorEnd InteriorIteration::run(const ProductSet& K, InteriorSystem& system, Term term, Index limit,
                                   Index& iterations) {
  system_ = &system;
  prepare(K);
  y_.setZero();
  start(1.0);
  return term == Term::Inside ? run_inside(limit, iterations) : run_outside(limit, iterations);
}

InteriorEnd InteriorIteration::run_inside(Index limit, Index& iterations) {
  while (true) {
    if (system_->observe()) return observed;
    if (iterations >= limit) return limit_reached;
    look(Term::Inside);
    ++iterations;
    if (!step(Term::Inside)) return singular;
  }
}

Eigen::VectorXd InteriorIteration::gains() const {
  Eigen::VectorXd result = Eigen::VectorXd::Zero(cones_.size());
  for (Index j = 0; j < cones_.size(); ++j)
    if (cones_.lifts(j)) result[j] = y_.col(j).tail<2>().norm();
  return result;
}

InteriorEnd InteriorIteration::run_outside(Index limit, Index& iterations) {
  constexpr double forcing = 0.1, loosest = 1e-2, tightest = 1e-14;
  constexpr Index patience = 30;  // steps of one cone program; a dozen are usual
  constexpr Index memory = 10;
  Anderson anderson(cones_.size(), memory);
  Safeguard safeguard;
  double tolerance = loosest;
  while (true) {
    Index steps = 0;
    for (;; ++steps) {
      if (system_->observe()) return observed;
      look(Term::Outside);
      if (std::max(residual_.lpNorm<Eigen::Infinity>(), barrier_) <= tolerance || steps >= patience) break;
      if (iterations >= limit) return limit_reached;
      ++iterations;
      if (!step(Term::Outside)) break;
    }
    const Eigen::VectorXd f = gains() - s_;
    const double size = f.lpNorm<Eigen::Infinity>();
    if (steps == 0 && tolerance <= tightest) return no_progress;
    const Eigen::VectorXd before = s_;
    s_ = safeguard.next(
        before, f, [&](const auto& s, const auto& change) { return anderson.next(s, change); },
        [&] { anderson.forget(); });
    s_ = s_.cwiseMax(0.0);
    tolerance = std::clamp(forcing * size, tightest, steps == 0 ? std::max(forcing * tolerance, tightest) : tolerance);
    // From where the change of s lets the iterate be feasible again without touching the boundary.
    start(std::max((s_ - before).lpNorm<Eigen::Infinity>(), tolerance));
  }
}

}  // namespace nonsmooth::friction::internal
