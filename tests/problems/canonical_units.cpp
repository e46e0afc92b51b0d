// SPDX-License-Identifier: Apache-2.0
#include <problems/canonical_units.hpp>

namespace nonsmooth::problems {

Eigen::VectorXd canonical_scale(const BlockSet& set, Index size) {
  Eigen::VectorXd d = Eigen::VectorXd::Ones(size);
  const auto ratio = [&](double bound) { return bound > 0.0 && set.mu > 0.0 ? bound / set.mu : 1.0; };
  if (set.kind == SetKind::Coulomb3D && set.mu_2 >= 0.0) d[2] = ratio(set.mu_2);
  if (set.kind == SetKind::Box) d[0] = set.unit;
  if (set.kind != SetKind::Rolling) return d;
  if (size == 3) d[2] = ratio(set.rolling);
  if (size >= 5) d[3] = d[4] = ratio(set.rolling);
  if (size == 4 || size == 6) d[size - 1] = ratio(set.spinning);
  return d;
}

std::vector<RowGroup> row_groups(const BlockSet& set, Index size) {
  if (size == 1) return {};
  if (set.kind != SetKind::Rolling) return {{1, size - 1, set.mu}};
  const auto bound = [&](double own) { return own > 0.0 && set.mu > 0.0 ? set.mu : own; };
  switch (size) {
    case 3:
      return {{1, 1, set.mu}, {2, 1, bound(set.rolling)}};
    case 4:
      return {{1, 2, set.mu}, {3, 1, bound(set.spinning)}};
    case 5:
      return {{1, 2, set.mu}, {3, 2, bound(set.rolling)}};
    default:
      return {{1, 2, set.mu}, {3, 2, bound(set.rolling)}, {5, 1, bound(set.spinning)}};
  }
}

bool has_friction(const BlockSet& set) {
  return set.kind == SetKind::Coulomb2D || set.kind == SetKind::Coulomb3D || set.kind == SetKind::Rolling;
}

}  // namespace nonsmooth::problems
