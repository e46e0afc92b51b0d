// SPDX-License-Identifier: Apache-2.0
#include "laid_bodies.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include <nonsmooth/numerics/error.hpp>

#include "uniform_numbers.hpp"

namespace nonsmooth::problems {
namespace {

using Eigen::Vector3d;

std::size_t entry(Index i) { return static_cast<std::size_t>(i); }

/// Spheres that lie, found by cells of an edge that no step of one that rolls looks past.
class Heap {
 public:
  Heap(double r, double w) : r_(r), w_(w), across_(static_cast<Index>(2.0 * w / edge()) + 1) {}

  /// Where a sphere comes to lie that falls at (x, y).
  [[nodiscard]] Vector3d come_to_rest(double x, double y) {
    Vector3d p(x, y, height_over(x, y));
    for (double s = 0.2 * r_; s > 1e-6 * r_;) {
      gather(p);
      Vector3d next = p - s * Vector3d::UnitZ();
      if (push_out(next) && next.z() < p.z() - 0.02 * s) {
        p = next;
      } else {
        s *= 0.5;
      }
    }
    return p;
  }
  void add(const Vector3d& p) {
    const auto cell = entry((level(p.z()) * across_ + column(p.y())) * across_ + column(p.x()));
    if (cell >= cells_.size()) cells_.resize(entry((level(p.z()) + 1) * across_ * across_));
    cells_[cell].push_back(p);
  }

 private:
  [[nodiscard]] double edge() const { return 2.5 * r_; }
  [[nodiscard]] Index column(double x) const {
    return std::clamp(static_cast<Index>((x + w_) / edge()), Index{0}, across_ - 1);
  }
  [[nodiscard]] Index level(double z) const { return static_cast<Index>(z / edge()); }
  [[nodiscard]] Index levels() const { return static_cast<Index>(cells_.size()) / (across_ * across_); }

  /// Calls visit(centre) of what lies in cells beside that of (x, y), levels `low` to `high`.
  template <class Visit>
  void for_each_near(double x, double y, Index low, Index high, Visit&& visit) const {
    for (Index k = std::max(low, Index{0}); k <= std::min(high, levels() - 1); ++k)
      for (Index j = std::max(column(y) - 1, Index{0}); j <= std::min(column(y) + 1, across_ - 1); ++j)
        for (Index i = std::max(column(x) - 1, Index{0}); i <= std::min(column(x) + 1, across_ - 1); ++i)
          for (const Vector3d& centre : cells_[entry((k * across_ + j) * across_ + i)]) visit(centre);
  }
  [[nodiscard]] double height_over(double x, double y) const {
    double height = r_;
    for_each_near(x, y, 0, levels() - 1, [&](const Vector3d& centre) {
      const double square = 4.0 * r_ * r_ - std::pow(x - centre.x(), 2) - std::pow(y - centre.y(), 2);
      if (square > 0.0) height = std::max(height, centre.z() + std::sqrt(square));
    });
    return height;
  }
  void gather(const Vector3d& p) {
    near_.clear();
    for_each_near(p.x(), p.y(), level(p.z()) - 1, level(p.z()) + 1, [&](const Vector3d& centre) {
      if ((centre - p).squaredNorm() < std::pow(edge(), 2)) near_.push_back(centre);
    });
  }
  /// Out of one after the other, until it overlaps none. False: that did not end, or led away.
  [[nodiscard]] bool push_out(Vector3d& p) const {
    const Vector3d start = p;
    for (int sweep = 0; sweep < 500; ++sweep) {
      double deepest = 0.0;
      for (const Vector3d& centre : near_) {
        const Vector3d between = p - centre;
        const double distance = between.norm(), depth = 2.0 * r_ - distance;
        if (!(depth > 0.0)) continue;
        deepest = std::max(deepest, depth);
        p += (depth / distance) * between;
      }
      const Vector3d inside(std::clamp(p.x(), r_ - w_, w_ - r_), std::clamp(p.y(), r_ - w_, w_ - r_),
                            std::max(p.z(), r_));
      deepest = std::max(deepest, (inside - p).lpNorm<Eigen::Infinity>());
      p = inside;
      if (deepest < 1e-10 * r_) return (p - start).norm() < 0.25 * r_;
    }
    return false;
  }

  double r_, w_;
  Index across_;
  std::vector<std::vector<Vector3d>> cells_;  // level by level
  std::vector<Vector3d> near_;
};

}  // namespace

std::vector<Vector3d> laid_spheres(Index count, double r, double w) {
  UniformNumbers uniform;
  Heap heap(r, w);
  std::vector<Vector3d> result;
  while (std::ssize(result) < count) {
    const double x = (w - r) * uniform(), y = (w - r) * uniform();
    result.push_back(heap.come_to_rest(x, y));
    heap.add(result.back());
  }
  return result;
}

std::vector<LaidBox> laid_boxes(Index count, const Vector3d& half_extents, double w) {
  constexpr double joint = 0.006, off = 0.001, turn = 0.02;
  const double a = half_extents.x(), b = half_extents.y(), c = half_extents.z();
  const Index along = static_cast<Index>((2.0 * w - joint) / (2.0 * a + joint)),
              walls = static_cast<Index>((2.0 * w - joint) / (2.0 * b + joint));
  if (along < 2 || walls < 1)
    throw InvalidArgument("laid_boxes: w", std::to_string(w), "room for two bricks along x and one along y");
  if (const Index most = walls * along * (along + 1) / 2; count > most)
    throw InvalidArgument("laid_boxes: count", std::to_string(count), "at most " + std::to_string(most) + " at that w");
  UniformNumbers uniform;
  std::vector<LaidBox> result;
  for (Index layer = 0;; ++layer) {
    const Index bricks = along - layer;
    for (Index j = 0; j < walls; ++j) {
      for (Index i = 0; i < bricks; ++i) {
        if (std::ssize(result) == count) return result;
        const double x = (static_cast<double>(i) - 0.5 * static_cast<double>(bricks - 1)) * (2.0 * a + joint),
                     y = (static_cast<double>(j) - 0.5 * static_cast<double>(walls - 1)) * (2.0 * b + joint),
                     z = c * static_cast<double>(2 * layer + 1);
        Vector3d position(x, y, z);
        position.x() += off * uniform();
        position.y() += off * uniform();
        result.push_back({position, turn * uniform()});
      }
    }
  }
}

}  // namespace nonsmooth::problems
