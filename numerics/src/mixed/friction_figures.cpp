// SPDX-License-Identifier: Apache-2.0
// What the literature reports of an answer, beside the certificate: the natural map, violations, penetration.
#include <algorithm>
#include <cmath>
#include <type_traits>

#include <nonsmooth/numerics/mixed/problem.hpp>

#include "../rolling_cone.hpp"
#include "../set_kernels.hpp"
#include "canonical.hpp"
#include "cone_errors.hpp"
#include "hidden_error.hpp"
#include "local.hpp"

namespace nonsmooth::mixed {
namespace {

/// |r - P_K(r - û)|^2 of blocks, as it shows, and a bound of what rounding may hide of it.
struct MapSize {
  double square = 0.0, hidden = 0.0;

  void add(double e) noexcept { square += e * e; }
  /// Of a cone or a cylinder in canonical units.
  void add_hidden(const double* r, Index rows) noexcept {
    const double share = internal::hidden_share * internal::size_of(r, rows);
    hidden += share * share;
  }
};

using One = std::integral_constant<int, 1>;

/// Adds |r - P_K(r - rho û)|^2 / rho^2 of one block. rho is a double or One, which costs no division: problems of a
/// single contact are solved in less than a microsecond.
template <class Step>
void add_natural_map(const BlockSet& set, Step rho, const double* r, const double* u, Index rows, MapSize& map) {
  const auto add = [&](Index, double e) { map.add(e); };
  switch (set.kind) {
    case SetKind::Free:
      for (Index i = 0; i < rows; ++i) map.add(u[i]);
      return;
    case SetKind::Orthant:
    case SetKind::Box:
      for (Index i = 0; i < rows; ++i) map.add(local::interval_error(local::interval(set), 1.0 / rho, r[i], u[i]));
      return;
    case SetKind::VonMises:
      return internal::ball_error(set.radius, rho, r, u, rows, add);
    case SetKind::Coulomb2D:
      if (is_canonical(set, rows)) {
        const auto error = local::coulomb_2d_error(set.mu, rho, r[0], r[1], u[0], u[1]);
        map.add(error.N);
        map.add(error.T);
        return map.add_hidden(r, rows);
      }
      break;
    case SetKind::SecondOrderCone:
    case SetKind::DruckerPrager:
    case SetKind::Coulomb3D:
      if (is_canonical(set, rows)) {
        const double lift = dilatancy(set) * internal::tangential_speed(u, rows);
        internal::cone_error(set.mu, rho, lift, r, u, rows, add);
        return map.add_hidden(r, rows);
      }
      break;
    case SetKind::Rolling:
      break;
  }
  double e[internal::most_scaled_rows];
  natural_error(set, rho, r, u, e, rows);
  for (Index i = 0; i < rows; ++i) map.add(e[i]);
}

/// The same once more with terms of equal size, and of friction that does not oppose sliding; the largest counts.
double all_of_natural_map(const BlockSet& set, const double* r, const double* u, Index rows) {
  MapSize map;
  add_natural_map(set, One{}, r, u, rows, map);
  if (!(map.hidden > map.square)) return map.square;
  double square = map.square;
  const double lift = dilatancy(set) * internal::tangential_speed(u, rows);
  if (const double rho = internal::balanced_rho(r, u, lift, rows, 1.0); rho > 0.0) {
    MapSize again;
    add_natural_map(set, rho, r, u, rows, again);
    square = std::max(square, again.square);
  }
  const double across = internal::misalignment({1, rows - 1, set.mu}, 1.0, r, u);
  return std::max(square, across * across);
}

[[nodiscard]] bool has_friction(const Problem& problem) {
  return problem.K.count(SetKind::Coulomb3D) + problem.K.count(SetKind::Coulomb2D) + problem.K.count(SetKind::Rolling) >
         0;
}

}  // namespace

double internal::natural_map(const Problem& problem, ConstVectorRef r, ConstVectorRef u) {
  if (!has_friction(problem)) return std::numeric_limits<double>::quiet_NaN();
  const auto of_blocks = [&](auto visit) {
    for (Index b = 0; b < problem.K.num_blocks(); ++b) {
      const Index offset = problem.K.offset(b);
      visit(problem.K[b], r.data() + offset, u.data() + offset, problem.K.size(b));
    }
  };
  MapSize map;
  of_blocks([&](const BlockSet& set, const double* rb, const double* ub, Index rows) {
    add_natural_map(set, One{}, rb, ub, rows, map);
  });
  // What is hidden may change the third digit: with it, which iterates far from a solution need not pay.
  if (map.hidden > 1e-6 * map.square) {
    map.square = 0.0;
    of_blocks([&](const BlockSet& set, const double* rb, const double* ub, Index rows) {
      map.square += all_of_natural_map(set, rb, ub, rows);
    });
  }
  const double size = problem.q.norm();
  return std::sqrt(map.square) / (size > 0.0 ? size : 1.0);
}

FrictionFigures friction_figures(const Problem& problem, ConstVectorRef r, ConstVectorRef u) {
  FrictionFigures figures;
  if (!has_friction(problem)) return figures;
  double violation = 0.0, product = 0.0, penetration = 0.0;
  for (Index b = 0; b < problem.K.num_blocks(); ++b) {
    const BlockSet& set = problem.K[b];
    if (set.kind != SetKind::Rolling && set.kind != SetKind::Coulomb2D && set.kind != SetKind::Coulomb3D) continue;
    const Index offset = problem.K.offset(b), rows = problem.K.size(b);
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
  figures.natural_map = internal::natural_map(problem, r, u);
  figures.cone_violation = violation;
  figures.complementarity = product;
  figures.penetration = penetration;
  return figures;
}

}  // namespace nonsmooth::mixed
