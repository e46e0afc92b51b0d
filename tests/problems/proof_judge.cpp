// SPDX-License-Identifier: Apache-2.0
#include <problems/proof_judge.hpp>

#include <cmath>
#include <limits>
#include <vector>

#include <problems/quad_sets.hpp>

namespace nonsmooth::problems {
namespace {

/// The y with y·u >= 0 for every u that the law admits for some r.
bool meets_admissible(const BlockSet& set, const Eigen::VectorXd& y) {
  const auto zero_from = [&](Index first) { return y.tail(y.size() - first).isZero(0.0); };
  Quad square = 0;
  for (Index i = 1; i < y.size(); ++i) square += static_cast<Quad>(y[i]) * y[i];
  switch (set.kind) {
    case SetKind::Free:
      return true;
    case SetKind::Orthant:
      return y.minCoeff() >= 0.0;
    case SetKind::Box:
      return !(std::isfinite(set.lower) && y.minCoeff() < 0.0) && !(std::isfinite(set.upper) && y.maxCoeff() > 0.0);
    case SetKind::VonMises:
      return zero_from(1);
    case SetKind::SecondOrderCone:
    case SetKind::DruckerPrager: {
      const Quad slope = static_cast<Quad>(set.mu) - (set.kind == SetKind::DruckerPrager ? set.lift : 0.0);
      return slope < 0 ? zero_from(0) : y[0] >= 0.0 && root(square) <= slope * y[0] * (1 + 16 * epsilon);
    }
    case SetKind::Coulomb2D:
    case SetKind::Coulomb3D:
    case SetKind::Rolling:
      break;
  }
  return y[0] >= 0.0 && zero_from(1);
}

/// Adds the largest c·r over a block's K to `value`; false where there is none. Sums c to 16 eps of their terms.
bool add_support(const BlockSet& set, const QuadVector& c, const QuadVector& slack, Quad& value) {
  const auto n = static_cast<Index>(c.size());
  if (row_wise(set)) {
    for (std::size_t i = 0; i < c.size(); ++i) {
      const Quad end = c[i] > 0 ? upper(set) : lower(set);
      const bool none = set.kind == SetKind::Free || absolute(end) == infinity;
      if (none && absolute(c[i]) > slack[i]) return false;
      if (!none) value += c[i] * end;
    }
    return true;
  }
  if (set.kind == SetKind::VonMises) {
    if (absolute(c[0]) > slack[0]) return false;
    value += set.radius * norm(c, {1, n - 1, 0.0});
    return true;
  }
  // In canonical units c·r is c_N r_N + (D c)_T·r'_T: at most r_N (c_N + sum of bound |(D c)_G|).
  const Eigen::VectorXd d = canonical_scale(set, n);
  QuadVector scaled = c, room = slack;
  for (Index i = 0; i < n; ++i) scaled[at(i)] *= d[i], room[at(i)] *= d[i];
  Quad most = c[0], allowed = slack[0];
  for (const RowGroup& group : row_groups(set, n))
    most += group.bound * norm(scaled, group), allowed += group.bound * norm(room, group);
  if (most > allowed) return false;
  value -= static_cast<Quad>(set.cohesion) * c[0];
  return true;
}

}  // namespace

bool proof_holds(const Eigen::MatrixXd& W, const Eigen::VectorXd& q, const ProductSet& K, const Eigen::VectorXd& y) {
  const Index n = q.size();
  if (y.size() != n || !y.allFinite()) return false;
  Quad value = 0;
  for (Index b = 0; b < K.num_blocks(); ++b) {
    const Index o = K.offset(b), size = K.size(b);
    if (!meets_admissible(K[b], y.segment(o, size))) return false;
    QuadVector c(at(size)), slack(at(size));
    for (Index i = 0; i < size; ++i) {
      value += static_cast<Quad>(q[o + i]) * y[o + i];
      for (Index j = 0; j < n; ++j) {
        const Quad term = static_cast<Quad>(W(j, o + i)) * y[j];
        c[at(i)] += term;
        slack[at(i)] += 16 * epsilon * absolute(term);
      }
    }
    if (!add_support(K[b], c, slack, value)) return false;
  }
  return value < 0;
}

}  // namespace nonsmooth::problems
