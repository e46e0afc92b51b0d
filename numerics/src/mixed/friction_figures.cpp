// SPDX-License-Identifier: Apache-2.0
// What the literature reports of an answer, beside the certificate: the natural map, violations, penetration.
#include <algorithm>
#include <cmath>
#include <type_traits>

#include <nonsmooth/numerics/mixed/problem.hpp>

#include "canonical.hpp"
#include "cone_errors.hpp"
#include "hidden_error.hpp"
#include "local.hpp"
#include "rolling_cone.hpp"
#include "set_kernels.hpp"

namespace nonsmooth::mixed {
namespace {

using One = std::integral_constant<int, 1>;

/// |r - P_K(r - rho û)|^2 / rho^2 of a cone or a cylinder in canonical units, û_0 = u_0 + lift. rho is a double or One,
/// which spares three divisions where the errors below are inlined.
template <class Step>
[[nodiscard]] double square_of_map(const BlockSet& set, Step rho, double lift, const double* r, const double* u,
                                   Index rows) noexcept {
  if (set.kind == SetKind::Coulomb2D) {
    const auto error = local::coulomb_2d_error(set.mu, rho, r[0], r[1], u[0], u[1]);
    return error.N * error.N + error.T * error.T;
  }
  double square = 0.0;
  internal::for_each_error(set, rho, u[0] + lift, r, u, rows, [&](Index, double e) { square += e * e; });
  return square;
}

/// What rounding may hide of it: once more with terms of equal size, and friction that does not oppose sliding; the
/// larger. Apart, as it is rare.
[[gnu::noinline]] double hidden_square(const BlockSet& set, double lift, const double* r, const double* u,
                                       Index rows) noexcept {
  double square = 0.0;
  for (const nonsmooth::detail::RollingGroup& group : nonsmooth::detail::rolling_groups(set, rows)) {
    const double across = internal::misalignment(group, 1.0, r, u);
    square = std::max(square, across * across);
  }
  const double rho = internal::balanced_rho(r, u, lift, rows, 1.0);
  return rho > 0.0 ? std::max(square, square_of_map(set, rho, lift, r, u, rows)) : square;
}

/// The largest of `square`, the map of a cone or a cylinder in canonical units, and of what it does not show (see
/// FrictionFigures). What rounding hides is looked for where it is above 1e-3 of the root of `sum`, that of the blocks
/// before: an iterate far from a solution need not pay for it.
[[nodiscard]] double shown_square(const BlockSet& set, double square, double sum, double lift, const double* r,
                                  const double* u, Index rows) noexcept {
  const double push = internal::size_of(r, rows), hidden = internal::hidden_share * push;
  const double opening = 0.5 * internal::opening_error(set, push, u, rows);
  const double shown = opening * opening > square ? opening * opening : square;  // a NaN stays
  if (!(hidden * hidden > shown && hidden * hidden > 1e-6 * sum)) return shown;
  return std::max(shown, hidden_square(set, lift, r, u, rows));
}

/// The same of elliptic, cohesive and rolling blocks: the map in the given units, the rest in canonical ones.
[[gnu::noinline]] double shown_square_of_other_units(const BlockSet& given, double sum, const double* r,
                                                     const double* u, Index rows) noexcept {
  double e[internal::most_scaled_rows], scale[internal::most_scaled_rows], scaled_r[internal::most_scaled_rows],
      scaled_u[internal::most_scaled_rows];
  natural_error(given, 1.0, r, u, e, rows);
  double square = 0.0;
  for (Index i = 0; i < rows; ++i) square += e[i] * e[i];
  const BlockSet set = internal::canonical_set(given, rows, scale);
  internal::scale_block(given, scale, r, u, rows, scaled_r, scaled_u);
  return shown_square(set, square, sum, velocity_lift(set, scaled_u, rows), scaled_r, scaled_u, rows);
}

/// Adds |r - P_K(r - û)|^2 of one block to `sum`.
void add_natural_map(const BlockSet& set, const double* r, const double* u, Index rows, double& sum) {
  switch (set.kind) {
    case SetKind::Free:
      for (Index i = 0; i < rows; ++i) sum += u[i] * u[i];
      return;
    case SetKind::Orthant:
    case SetKind::Box:
      for (Index i = 0; i < rows; ++i) {
        const double e = local::interval_error(local::interval(set), 1.0, r[i], u[i]);
        sum += e * e;
      }
      return;
    case SetKind::Coulomb2D:
    case SetKind::SecondOrderCone:
    case SetKind::DruckerPrager:
    case SetKind::Coulomb3D:
    case SetKind::VonMises:
    case SetKind::Rolling:
      break;
  }
  if (!is_canonical(set, rows)) {
    sum += shown_square_of_other_units(set, sum, r, u, rows);
    return;
  }
  double lift = set.kind == SetKind::Rolling ? velocity_lift(set, u, rows)
                                             : lift_factor(set) * internal::tangential_speed(u, rows);
  if (!std::isfinite(lift)) lift = velocity_lift(set, u, rows);  // the squares alone may have overflowed
  sum += shown_square(set, square_of_map(set, One{}, lift, r, u, rows), sum, lift, r, u, rows);
}

[[nodiscard]] bool has_friction(const ProductSet& K) {
  return K.count(SetKind::Coulomb3D) + K.count(SetKind::Coulomb2D) + K.count(SetKind::Rolling) > 0;
}

[[nodiscard]] double natural_map_of(ConstVectorRef q, const ProductSet& K, ConstVectorRef r, ConstVectorRef u) {
  if (!has_friction(K)) return std::numeric_limits<double>::quiet_NaN();
  double square = 0.0;
  for (Index b = 0; b < K.num_blocks(); ++b) {
    const Index offset = K.offset(b);
    add_natural_map(K[b], r.data() + offset, u.data() + offset, K.size(b), square);
  }
  const double size = q.norm();
  return std::sqrt(square) / (size > 0.0 ? size : 1.0);
}

}  // namespace

double internal::natural_map(const Problem& problem, ConstVectorRef r, ConstVectorRef u) {
  return natural_map_of(problem.q, problem.K, r, u);
}

FrictionFigures friction_figures(const Problem& problem, ConstVectorRef r, ConstVectorRef u) {
  return internal::friction_figures(problem.q, problem.K, r, u);
}

FrictionFigures internal::friction_figures(ConstVectorRef q, const ProductSet& K, ConstVectorRef r, ConstVectorRef u) {
  FrictionFigures figures;
  if (!has_friction(K)) return figures;
  double violation = 0.0, product = 0.0, penetration = 0.0;
  for (Index b = 0; b < K.num_blocks(); ++b) {
    const BlockSet& set = K[b];
    if (set.kind != SetKind::Rolling && set.kind != SetKind::Coulomb2D && set.kind != SetKind::Coulomb3D) continue;
    const Index offset = K.offset(b), rows = K.size(b);
    const double* rb = r.data() + offset;
    const double* ub = u.data() + offset;
    penetration = std::max(penetration, -ub[0]);
    if (set.kind != SetKind::Rolling && is_canonical(set, rows)) {
      violation = std::max({violation, -rb[0], internal::tangential_speed(rb, rows) - set.mu * rb[0]});
      double dot = rb[0] * (set.mu * internal::tangential_speed(ub, rows));
      for (Index i = 0; i < rows; ++i) dot += rb[i] * ub[i];
      product = std::max(product, std::abs(dot));
      continue;
    }
    double scale[internal::most_scaled_rows], scaled_r[internal::most_scaled_rows],
        scaled_u[internal::most_scaled_rows];
    const BlockSet canonical = internal::canonical_set(set, rows, scale);
    internal::scale_block(set, scale, rb, ub, rows, scaled_r, scaled_u);
    violation = std::max(violation, -scaled_r[0]);
    for (const detail::RollingGroup& group : detail::rolling_groups(canonical, rows))
      violation = std::max(violation, internal::tangential_speed(scaled_r + group.first - 1, group.size + 1) -
                                          group.bound * scaled_r[0]);
    double dot = scaled_r[0] * velocity_lift(canonical, scaled_u, rows);
    for (Index i = 0; i < rows; ++i) dot += scaled_r[i] * scaled_u[i];
    product = std::max(product, std::abs(dot));
  }
  figures.natural_map = natural_map_of(q, K, r, u);
  figures.cone_violation = violation;
  figures.complementarity = product;
  figures.penetration = penetration;
  return figures;
}

}  // namespace nonsmooth::mixed
