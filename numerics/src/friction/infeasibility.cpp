// SPDX-License-Identifier: Apache-2.0
#include "infeasibility.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "../mixed/newton_system.hpp"
#include "../mixed/projection_jacobian.hpp"
#include "projection_method.hpp"

namespace nonsmooth::friction::internal {
namespace {

/// |W|^T |y|, what the sums of W^T y are made of.
Eigen::VectorXd transposed_terms(const BlockSparseMatrix& W, const Eigen::VectorXd& y) {
  Eigen::VectorXd terms = Eigen::VectorXd::Zero(W.rows());
  for (Index b = 0; b < W.num_block_rows(); ++b)
    for (Index k = W.row_begin(b); k < W.row_begin(b + 1); ++k) {
      const Index column = W.column(k);
      terms.segment(W.offset(column), W.size(column)) +=
          W.block(b, k).cwiseAbs().transpose() * y.segment(W.offset(b), W.size(b)).cwiseAbs();
    }
  return terms;
}

/// What u violates, as a multiplier: (u_N)^- on normal rows, -u on Free ones, 0 on the others.
void violation(const ProductSet& K, const Eigen::VectorXd& u, Eigen::VectorXd& y) {
  y.setZero(u.size());
  for (Index b = 0; b < K.num_blocks(); ++b) {
    const Index o = K.offset(b), n = K.size(b);
    if (K[b].kind == SetKind::Free) {
      y.segment(o, n) = -u.segment(o, n);
    } else if (K[b].kind == SetKind::Orthant) {
      y.segment(o, n) = (-u.segment(o, n)).cwiseMax(0.0);
    } else {
      y[o] = std::max(0.0, -u[o]);
    }
  }
}

}  // namespace

bool proves_infeasible(const Problem& problem, const Eigen::VectorXd& y) {
  const ProductSet& K = problem.K;
  if (y.size() != problem.q.size() || !y.allFinite()) return false;
  constexpr double round_off = 4.0 * std::numeric_limits<double>::epsilon();
  if (!(problem.q.dot(y) < -round_off * problem.q.cwiseAbs().dot(y.cwiseAbs()))) return false;
  Eigen::VectorXd image(y.size());
  mixed::internal::multiply_transposed(problem.W, y, image);
  image = -image;
  const Eigen::VectorXd noise = round_off * transposed_terms(problem.W, y);
  for (Index b = 0; b < K.num_blocks(); ++b) {
    const Index o = K.offset(b), n = K.size(b);
    switch (K[b].kind) {
      case SetKind::Free:
        if ((image.segment(o, n).cwiseAbs() - noise.segment(o, n)).maxCoeff() > 0.0) return false;
        break;
      case SetKind::Orthant:
        if (y.segment(o, n).minCoeff() < 0.0 || (image + noise).segment(o, n).minCoeff() < 0.0) return false;
        break;
      default:
        if (y[o] < 0.0 || y.segment(o + 1, n - 1).cwiseAbs().maxCoeff() != 0.0) return false;
        // K* = {u_N >= mu |u_T| + ...}: what û adds to u_N is the support function of the disks.
        if (image[o] + noise.segment(o, n).sum() < velocity_lift(K[b], image.data() + o, n)) return false;
    }
  }
  return true;
}

bool find_proof(const Problem& problem, Index max_iterations, Eigen::VectorXd& y) {
  const BlockSparseMatrix& W = problem.W;
  const Index n = W.rows();
  Eigen::VectorXd rho, r = Eigen::VectorXd::Zero(n), ahead = r, next(n), u(n), image(n), step(n);
  mixed::internal::natural_scales(problem, rho);
  double curvature = 1.0, momentum = 1.0;
  for (Index k = 0; k < max_iterations; ++k) {
    W.multiply_add(ahead, problem.q, u);
    violation(problem.K, u, y);
    const double value = 0.5 * y.squaredNorm();
    if (value == 0.0) return false;
    if (k % 20 == 0 && proves_infeasible(problem, y)) return true;
    mixed::internal::multiply_transposed(W, y, image);  // minus the gradient
    while (true) {  // the least curvature that bounds the function from above along the step, in the metric 1 / rho^2
      next = ahead + image.cwiseProduct(rho.cwiseAbs2()) / curvature;
      project(problem.K, next);
      step = next - ahead;
      W.multiply_add(next, problem.q, u);
      violation(problem.K, u, y);
      const double model = value - image.dot(step) + 0.5 * curvature * step.cwiseQuotient(rho).squaredNorm();
      if (0.5 * y.squaredNorm() <= model * (1.0 + 1e-12) || curvature > 1e12) break;
      curvature *= 2.0;
    }
    const bool turned = image.dot(next - r) < 0.0;
    const double before = turned ? 1.0 : momentum;
    momentum = 0.5 * (1.0 + std::sqrt(1.0 + 4.0 * before * before));
    ahead = next + (turned ? 0.0 : (before - 1.0) / momentum) * (next - r);
    r = next;
    curvature *= 0.95;
  }
  W.multiply_add(r, problem.q, u);
  violation(problem.K, u, y);
  return proves_infeasible(problem, y);
}

}  // namespace nonsmooth::friction::internal
