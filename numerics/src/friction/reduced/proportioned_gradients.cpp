// SPDX-License-Identifier: Apache-2.0
#include "proportioned_gradients.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "projection_method.hpp"

namespace nonsmooth::friction::internal {

ProportionedGradients::ProportionedGradients(const mixed::Problem& problem) : problem_(problem) {
  const Index n = problem.W.rows();
  zero_.setZero(n);
  scale_.setOnes(n);
  bounded_.resize(n);
  for (Index b = 0; b < problem.K.num_blocks(); ++b) {
    const auto diagonal = problem.W.block(b, problem.W.diagonal(b)).diagonal();
    for (Index i = 0; i < problem.K.size(b); ++i) {
      const Index row = problem.K.offset(b) + i;
      if (diagonal[i] > 0.0) scale_[row] = 1.0 / std::sqrt(diagonal[i]);
      bounded_[row] = problem.K[b].kind != SetKind::Free;
    }
  }
}

void ProportionedGradients::multiply(const Eigen::VectorXd& x, Eigen::VectorXd& y) {
  scaled_ = scale_.cwiseProduct(x);
  problem_.W.multiply_add(scaled_, zero_, y);
  y.array() *= scale_.array();
}

void ProportionedGradients::refresh_gradient() {
  multiply(x_, g_);
  g_ += scale_.cwiseProduct(problem_.q);
}

double ProportionedGradients::largest_eigenvalue() {
  constexpr int products = 20;  // an estimate above half of it is enough: a projected step may be twice as long
  p_.setOnes(zero_.size());
  for (Index i = 1; i < p_.size(); i += 2) p_[i] = -0.7;  // not along the smooth vectors alone
  double value = 0.0;
  for (int k = 0; k < products; ++k) {
    p_.normalize();
    multiply(p_, Ap_);
    value = Ap_.norm();
    p_.swap(Ap_);
  }
  return value > 0.0 ? value : 1.0;
}

void ProportionedGradients::split() {
  const auto held = bounded_ && !(x_.array() > 0.0);
  inside_ = held.select(0.0, g_.array());
  outward_ = held.select(g_.array().min(0.0), 0.0);
}

void ProportionedGradients::solve(double tolerance, Index max_iterations, const detail::Deadline& deadline,
                                  mixed::Result& result) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr Index refresh = 64;  // sums of increments drift
  Monitor monitor(problem_, tolerance, Measure::Certificate, deadline.remaining(), result);
  Eigen::VectorXd r(zero_.size()), u(zero_.size());
  const auto look = [&] {
    r = scale_.cwiseProduct(x_);
    u = g_.cwiseQuotient(scale_);
    return monitor.observe(r, u);
  };
  Ap_.resize(zero_.size()), g_.resize(zero_.size());
  const double step = 1.0 / largest_eigenvalue();
  x_ = result.r.cwiseQuotient(scale_);
  x_ = bounded_.select(x_.array().max(0.0), x_.array());
  refresh_gradient();
  if (look()) return monitor.finish(Status::Stalled, "");
  split();
  p_ = inside_;
  for (Index k = 0; k < max_iterations; ++k) {
    // What a projected step of this length would gain on the free rows: min(x / step, g) where that is g > 0.
    const double share =
        (bounded_ && inside_.array() > 0.0)
            .select((x_.array() / step).min(inside_.array()) * inside_.array(), inside_.array().square())
            .sum();
    const bool proportional = outward_.squaredNorm() <= share;
    const Eigen::VectorXd& d = proportional ? p_ : outward_;
    multiply(d, Ap_);
    const double curvature = d.dot(Ap_), slope = g_.dot(d);
    const double best = curvature > 0.0 ? slope / curvature : infinity;
    double border = infinity;
    for (Index i = 0; i < d.size(); ++i)
      if (bounded_[i] && d[i] > 0.0) border = std::min(border, x_[i] / d[i]);
    ++result.iterations;
    if (!std::isfinite(std::min(best, border)))
      return monitor.finish(Status::Stalled, "the quadratic falls without end: it has no minimum");
    const double along = std::min(best, border);
    x_ -= along * d;
    g_ -= along * Ap_;
    const bool leaves = border < best;
    if (leaves) {
      x_ = bounded_.select(x_.array().max(0.0), x_.array());  // the row that met its bound, exactly
      split();
      x_ -= step * inside_;
      x_ = bounded_.select(x_.array().max(0.0), x_.array());
    }
    if (leaves || k % refresh == refresh - 1) refresh_gradient();
    split();
    if (proportional && !leaves)
      p_ = inside_ - (inside_.dot(Ap_) / curvature) * p_;
    else
      p_ = inside_;
    if (Monitor::due(k) && look()) return monitor.finish(Status::Stalled, "");
  }
  monitor.finish(Status::IterationLimit, "max_iterations reached");
}

}  // namespace nonsmooth::friction::internal
