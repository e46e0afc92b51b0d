// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include "hidden_error.hpp"
#include "internal.hpp"
#include "local.hpp"
#include "rolling_cone.hpp"
#include "set_kernels.hpp"
#include "solved_to_round_off.hpp"

namespace nonsmooth::mixed::internal {
namespace {

using Real = long double;

/// Calls `visit(row, u)` for every row of a block, u = (W r + q)_row by compensated sums of exact products, as if in
/// 106 bits: round-off is then below any tolerance on the certificate's scale, which is at least 2^-46 of the terms.
/// Source: Ogita, Rump, Oishi, Accurate sum and dot product, 2005.
template <class Visit>
void block_velocity(const Problem& problem, const double* r, Index block, Visit visit) {
  const BlockSparseMatrix& W = problem.W;
  const Index offset = W.offset(block), rows = W.size(block);
  for (Index i = 0; i < rows; ++i) {
    double sum = problem.q[offset + i], rest = 0.0;
    for (Index k = W.row_begin(block); k < W.row_begin(block + 1); ++k) {
      const Index j = W.column(k), first = W.offset(j), columns = W.size(j);
      const double* value = W.values(k) + i;
      for (Index c = 0; c < columns; ++c) {
        const double factor = value[c * rows], product = factor * r[first + c];
        const double total = sum + product, part = total - sum;
        rest += std::fma(factor, r[first + c], -product) + ((sum - (total - part)) + (product - part));
        sum = total;
      }
    }
    visit(i, static_cast<Real>(sum) + static_cast<Real>(rest));
  }
}

double scale_of(const BlockSparseMatrix& W, Index block, Index first, Index last) {
  const double* diagonal = W.values(W.diagonal(block));
  double trace = 0.0;
  for (Index i = first; i < last; ++i) trace += diagonal[i * W.size(block) + i];
  return trace > 0.0 ? trace / static_cast<double>(last - first) : local::largest_entry(W, block, first, last);
}

/// max |e|_inf over a block of a cone or a cylinder, and where û is in K*, e = (r - P_K(r - rho û)) / rho; the
/// block's u is summed three times, so that nothing is stored: for |û|, for |z_T| and for e. On the boundary r cancels
/// in e: what that leaves is added to the error.
Real cone_error(const Problem& problem, const double* all_r, Index block) {
  const BlockSet& set = problem.K[block];
  const double* r = all_r + problem.W.offset(block);
  const Index n = problem.W.size(block);
  const Real rho = 1.0L / static_cast<Real>(scale_of(problem.W, block, 0, n));
  Real u_0 = 0.0L, u_T = 0.0L, z_T = 0.0L, force = 0.0L;
  block_velocity(problem, all_r, block, [&](Index i, Real u) {
    force = std::max(force, std::abs(static_cast<Real>(r[i])));
    if (i == 0) {
      u_0 = u;
    } else {
      u_T += u * u;
      const Real z = r[i] - rho * u;
      z_T += z * z;
    }
  });
  z_T = std::sqrt(z_T);
  const Real hat = u_0 + static_cast<Real>(lift_factor(set)) * std::sqrt(u_T);
  const Real mu = set.mu, z_0 = r[0] - rho * hat;
  Real axial = 0.0L, ratio = 0.0L;  // P_K(z) = (axial, ratio z_T)
  bool inside = false;
  if (set.kind == SetKind::VonMises) {
    inside = z_T <= static_cast<Real>(set.radius);
    axial = z_0;
    ratio = inside ? 1.0L : static_cast<Real>(set.radius) / z_T;
  } else if (z_0 > 0.0L && z_T <= mu * z_0) {
    inside = true;
  } else if (mu * z_T > -z_0) {
    axial = (z_0 + mu * z_T) / (1.0L + mu * mu);
    ratio = z_T > 0.0L ? mu * axial / z_T : 0.0L;
  }
  const Real border = set.kind == SetKind::VonMises ? static_cast<Real>(set.radius) : mu * z_0;
  const Real noise = 16.0L * std::numeric_limits<Real>::epsilon();
  Real worst = 0.0L;
  if (set.kind != SetKind::VonMises)
    worst = opening_error(mu - static_cast<Real>(lift_factor(set)), u_0, std::sqrt(u_T), force / rho);
  if (!inside || border - z_T <= noise * (std::abs(border) + z_T)) {
    for (Index i = 0; i < n; ++i) worst = std::max(worst, noise * std::abs(r[i]) / rho);
  }
  block_velocity(problem, all_r, block, [&](Index i, Real u) {
    Real e = i == 0 ? hat : u;
    if (!inside && i > 0) e = (r[i] - ratio * (r[i] - rho * u)) / rho;
    if (!inside && i == 0 && set.kind != SetKind::VonMises) e = (r[0] - axial) / rho;
    worst = std::max(worst, std::abs(e));
  });
  return worst;
}

/// The same for a rolling cone; its few rows are kept.
Real rolling_error(const Problem& problem, const double* all_r, Index block) {
  const BlockSet& set = problem.K[block];
  const double* r = all_r + problem.W.offset(block);
  const Index n = problem.W.size(block);
  const Real rho = 1.0L / static_cast<Real>(scale_of(problem.W, block, 0, n));
  Real u[6] = {}, length[3] = {}, force = 0.0L;
  block_velocity(problem, all_r, block, [&](Index i, Real value) { u[i] = value; });
  const detail::RollingGroups groups = detail::rolling_groups(set, n);
  Real hat = u[0];
  for (int k = 0; k < groups.count; ++k) {
    const detail::RollingGroup& group = groups.groups[k];
    Real u_G = 0.0L, z_G = 0.0L;
    for (Index i = group.first; i < group.first + group.size; ++i) {
      const Real z = r[i] - rho * u[i];
      u_G += u[i] * u[i];
      z_G += z * z;
    }
    hat += static_cast<Real>(group.bound) * std::sqrt(u_G);
    length[k] = std::sqrt(z_G);
  }
  const auto projection = detail::project_on_rolling_cone(groups, r[0] - rho * hat, length);
  const Real noise = 16.0L * std::numeric_limits<Real>::epsilon();
  const bool axial = projection.apex || projection.moved;
  for (Index i = 0; i < n; ++i) force = std::max(force, std::abs(static_cast<Real>(r[i])));
  Real worst =
      std::max(opening_error(0.0L, u[0], 0.0L, force / rho), std::abs(axial ? (r[0] - projection.axial) / rho : hat));
  if (axial) worst = std::max(worst, noise * std::abs(r[0]) / rho);
  for (int k = 0; k < groups.count; ++k) {
    const detail::RollingGroup& group = groups.groups[k];
    const Real border = static_cast<Real>(group.bound) * projection.axial;
    const bool outside = projection.apex || projection.outside[k];
    const Real ratio = outside && length[k] > 0.0L ? border / length[k] : 0.0L;
    const bool close = outside || border - length[k] <= noise * (std::abs(border) + length[k]);
    for (Index i = group.first; i < group.first + group.size; ++i) {
      if (close) worst = std::max(worst, noise * std::abs(static_cast<Real>(r[i])) / rho);
      worst = std::max(worst, std::abs(outside ? (r[i] - ratio * (r[i] - rho * u[i])) / rho : u[i]));
    }
  }
  return worst;
}

Real block_error(const Problem& problem, const double* r, Index block) {
  const BlockSet& set = problem.K[block];
  const Index offset = problem.W.offset(block);
  Real worst = 0.0L;
  switch (set.kind) {
    case SetKind::Free:
      block_velocity(problem, r, block, [&](Index, Real u) { worst = std::max(worst, std::abs(u)); });
      return worst;
    case SetKind::Orthant:
    case SetKind::Box: {
      const local::Interval bounds = local::interval(set);
      block_velocity(problem, r, block, [&](Index i, Real u) {
        const Real s = scale_of(problem.W, block, i, i + 1);
        const Real z = r[offset + i];
        worst = std::max(worst, std::abs(std::min(std::max(u, s * (z - bounds.upper)), s * (z - bounds.lower))));
      });
      return worst;
    }
    case SetKind::SecondOrderCone:
    case SetKind::Coulomb2D:
    case SetKind::Coulomb3D:
    case SetKind::DruckerPrager:
    case SetKind::VonMises:
      break;
    case SetKind::Rolling:
      return rolling_error(problem, r, block);
  }
  return cone_error(problem, r, block);
}

}  // namespace

void velocity_in_doubled_precision(const Problem& problem, ConstVectorRef r, VectorRef u) {
  for (Index block = 0; block < problem.W.num_block_rows(); ++block)
    block_velocity(problem, r.data(), block,
                   [&](Index i, Real value) { u[problem.W.offset(block) + i] = static_cast<double>(value); });
}

namespace {

[[nodiscard]] bool is_bounded(const ProductSet& K) noexcept {
  for (Index b = 0; b < K.num_blocks(); ++b) {
    const BlockSet& set = K[b];
    if (set.kind != SetKind::Box || !std::isfinite(set.lower) || !std::isfinite(set.upper)) return false;
  }
  return true;
}

}  // namespace

void note_round_off(const Problem& problem, Result& result) noexcept {
  if (result.status != Status::Solved) detail::note_round_off(is_bounded(problem.K), result);
}

void tell_round_off(const Problem& problem, Result& result) {
  if (result.status != Status::Solved) detail::tell_round_off(is_bounded(problem.K), result);
}

void confirm(const Problem& problem, double tolerance, Result& result) noexcept {
  Certificate& certificate = result.certificate;
  const bool solved = result.status == Status::Solved;
  if (!solved && !(certificate.residual <= tolerance)) return;
  if (solved && (!std::isfinite(certificate.residual) || !std::isfinite(certificate.scale))) {
    return end(result, Status::NumericalFailure, "numbers overflow: data over too many decades");
  }
  if (certificate.round_off <= 64.0 * tolerance * certificate.scale) return;
  Real worst = 0.0L;
  for (Index block = 0; block < problem.W.num_block_rows(); ++block) {
    const Real error = block_error(problem, result.r.data(), block);
    if (error > worst) {
      worst = error;
      certificate.worst_row = problem.W.offset(block);
    }
  }
  certificate.error = static_cast<double>(worst);
  certificate.residual = certificate.error == 0.0 ? 0.0 : certificate.error / certificate.scale;
  // A floor that grew with r until it is the scale vouches for nothing: there the data alone are the scale.
  if (solved && !(certificate.residual <= tolerance && certificate.error <= tolerance * data_scale(problem))) {
    end(result, Status::Stalled, "at round-off: r is so large that its terms cancel in u");
  }
}

}  // namespace nonsmooth::mixed::internal
