// SPDX-License-Identifier: Apache-2.0
// Elastic spheres in a box by hand: free flights and impacts of two.
#pragma once

#include <cmath>
#include <vector>

#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth::billiard {

/// Spheres of one radius and mass in the cube (0, 1)^3, elastic: flights and impacts by hand.
struct HardSpheres {
  std::vector<Eigen::Vector3d> x, v;
  double radius;

  struct Hit {
    double t;
    Index first, second;  ///< second: -1 - k, of wall k
  };

  [[nodiscard]] static Eigen::Vector3d inward(Index wall) {
    return (wall % 2 == 0 ? 1.0 : -1.0) * Eigen::Vector3d::Unit(wall / 2);
  }

  Hit next() const {
    Hit soonest{1e300, -1, -1};
    const auto count = static_cast<Index>(x.size());
    for (Index i = 0; i < count; ++i) {
      const Eigen::Vector3d &xi = x[static_cast<std::size_t>(i)], &vi = v[static_cast<std::size_t>(i)];
      for (Index wall = 0; wall < 6; ++wall) {
        const double speed = inward(wall).dot(vi);
        const double gap = inward(wall).dot(xi) + (wall % 2 == 0 ? 0.0 : 1.0) - radius;
        if (speed < 0.0 && -gap / speed < soonest.t) soonest = {-gap / speed, i, -1 - wall};
      }
      for (Index j = i + 1; j < count; ++j) {
        const Eigen::Vector3d d = xi - x[static_cast<std::size_t>(j)], w = vi - v[static_cast<std::size_t>(j)];
        const double b = d.dot(w), a = w.squaredNorm(), c = d.squaredNorm() - 4.0 * radius * radius;
        if (b >= 0.0 || b * b < a * c) continue;
        const double t = c / (-b + std::sqrt(b * b - a * c));
        if (t < soonest.t) soonest = {t, i, j};
      }
    }
    return soonest;
  }
  void advance(const Hit& hit) {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += hit.t * v[i];
    Eigen::Vector3d& vi = v[static_cast<std::size_t>(hit.first)];
    if (hit.second < 0) {
      const Eigen::Vector3d n = inward(-1 - hit.second);
      vi -= 2.0 * n.dot(vi) * n;
      return;
    }
    Eigen::Vector3d& vj = v[static_cast<std::size_t>(hit.second)];
    const Eigen::Vector3d n =
        (x[static_cast<std::size_t>(hit.first)] - x[static_cast<std::size_t>(hit.second)]).normalized();
    const double exchanged = n.dot(vi - vj);
    vi -= exchanged * n;
    vj += exchanged * n;
  }
};

}  // namespace nonsmooth::billiard
