// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "cone_errors.hpp"
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

/// max |e|_inf over a block of a cone or a cylinder, and where û is in K*. Where the projection moves r - rho û, or may
/// just not, r cancels in e: what that leaves is added to the error.
Real cone_error(const Problem& problem, const double* all_r, Index block) {
  const BlockSet& set = problem.K[block];
  const double* r = all_r + problem.W.offset(block);
  const Index n = problem.W.size(block);
  constexpr Index few = 16;  // rows; no block of mechanics has more
  Real stored[few];
  std::vector<Real> more(n > few ? static_cast<std::size_t>(n) : 0);
  Real* const u = n > few ? more.data() : stored;
  block_velocity(problem, all_r, block, [&](Index i, Real value) { u[i] = value; });
  const auto speed = [&](Index first, Index size) {
    Real square = 0.0L;
    for (Index i = first; i < first + size; ++i) square += u[i] * u[i];
    return std::sqrt(square);
  };
  const Real rho = 1.0L / static_cast<Real>(scale_of(problem.W, block, 0, n));
  const Real push = static_cast<Real>(size_of(r, n)) / rho, noise = 16.0L * std::numeric_limits<Real>::epsilon();
  Real hat = u[0], worst = 0.0L;
  if (set.kind == SetKind::Rolling) {
    for (const detail::RollingGroup& group : detail::rolling_groups(set, n))
      hat += static_cast<Real>(group.bound) * speed(group.first, group.size);
    worst = opening_error(0.0L, u[0], 0.0L, push);
  } else if (set.kind != SetKind::VonMises) {
    const Real lift = lift_factor(set), u_T = speed(1, n - 1);
    hat += lift * u_T;
    worst = opening_error(static_cast<Real>(set.mu) - lift, u[0], u_T, push);
  }
  if (const Real lift = hat - u[0]; sticks_inside(set, rho, lift, r, u, n)) hat = u[0] + lift / set.mu;
  for_each_error(
      set, rho, hat, r, u, n, [&](Index, Real e) { worst = std::max(worst, std::abs(e)); },
      [&](Index first, Index size, bool outside, Real border, Real length) {
        if (!outside && border - length > noise * (std::abs(border) + length)) return;
        for (Index i = first; i < first + size; ++i)
          worst = std::max(worst, noise * std::abs(static_cast<Real>(r[i])) / rho);
      });
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
    case SetKind::Rolling:
      break;
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
