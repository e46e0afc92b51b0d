// SPDX-License-Identifier: Apache-2.0
#include "projector.hpp"

#include <algorithm>
#include <cmath>

#include <internal/at.hpp>
#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

namespace nonsmooth::vi::detail {
namespace {

/// With x = P(y) and z off by delta each, the product is off by at most delta (|y - x| + |z - x|) + delta^2, twice.
void check_angle(ConstVectorRef y, ConstVectorRef x, ConstVectorRef z, double accuracy) {
  const double product = (y - x).dot(z - x);
  const double delta = accuracy * std::max({x.norm(), y.norm(), z.norm()});
  if (product <= 4.0 * delta * ((y - x).norm() + (z - x).norm()) + 4.0 * delta * delta) return;
  throw InvalidArgument("vi::UserSet::project",
                        "(y - P(y))·(z - P(y)) = " + check::text(product) + " for points y and z = P(z) of norms " +
                            check::text(y.norm()) + " and " + check::text(z.norm()),
                        "the nearest point of a convex set: no such product is positive");
}

}  // namespace

ProjectionReport Projector::operator()(ConstVectorRef y, VectorRef x) {
  if (accuracy_ == 0.0) return K_.project(y, x);
  const Eigen::VectorXd from = y;  // x may be y
  ProjectionReport report = K_.project(from, x);
  const Index call = calls_++;
  if (report.ok() && from.allFinite() && (call < 8 || (call & (call - 1)) == 0)) watch(from, x);
  return report;
}

void Projector::watch(ConstVectorRef y, ConstVectorRef x) {
  Eigen::VectorXd again(x.size());
  if (!K_.project(x, again).ok()) return;
  const double size = std::max(x.norm(), y.norm());
  const double moved = (again - x).norm();
  if (!(moved <= 4.0 * accuracy_ * size)) {
    throw InvalidArgument(
        "vi::UserSet::project",
        "a callable that moves its own results, by " + check::text(moved) + " of " + check::text(x.norm()),
        "a projection: P(P(y)) = P(y)");
  }
  for (const Met& other : met_) {
    if (other.x.size() != x.size()) continue;
    check_angle(y, x, other.x, accuracy_);
    check_angle(other.y, other.x, x, accuracy_);
  }
  met_[at(kept_++ % static_cast<Index>(met_.size()))] = {y, x};
}

}  // namespace nonsmooth::vi::detail
