// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/disk_contacts.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "floor_point.hpp"
#include "planar/planar_rows.hpp"
#include "source_laws.hpp"
#include "thinness.hpp"

namespace nonsmooth {
namespace {

using planar::Rows;
using planar::rows_of;

/// Writes the first `count` of them; returns where they end.
double* write_rows(const Rows& H, Index count, double* to) {
  to[0] = H[0], to[1] = H[1], to[2] = H[2];
  if (count > 1) to[3] = H[3], to[4] = H[4], to[5] = H[5];
  if (count > 2) to[6] = H[6], to[7] = H[7], to[8] = H[8];
  return to + 3 * count;
}

/// Where the centres of disks are, and the largest of their speeds.
struct DiskExtent {
  double fastest = 0.0, x_min, x_max, y_min, y_max;

  DiskExtent(ConstVectorRef q, ConstVectorRef v, Index count) : x_min(q[0]), x_max(q[0]), y_min(q[1]), y_max(q[1]) {
    for (Index i = 0; i < count; ++i) {
      const double speed = std::hypot(v[3 * i], v[3 * i + 1]);
      if (!(speed <= fastest)) fastest = speed;  // a NaN stays
      x_min = std::min(x_min, q[3 * i]);
      x_max = std::max(x_max, q[3 * i]);
      y_min = std::min(y_min, q[3 * i + 1]);
      y_max = std::max(y_max, q[3 * i + 1]);
    }
  }
  /// Largest coordinate.
  [[nodiscard]] double farthest() const {
    return std::max({std::abs(x_min), std::abs(x_max), std::abs(y_min), std::abs(y_max)});
  }
};

/// A hash of cells no smaller than the reach of a pair, so that strays far away cost nothing: two buckets a disk. Lives
/// in scratch = [begin of each bucket | disks by bucket | cell of each disk | disks near one], disks of a bucket in
/// ascending order.
class DiskGrid {
 public:
  DiskGrid(ConstVectorRef q, Index count, const DiskExtent& extent, double cell, std::vector<Index>& scratch) {
    if (!(std::isfinite(cell) && (extent.x_max - extent.x_min) / cell < 1e15 &&
          (extent.y_max - extent.y_min) / cell < 1e15)) {
      throw InvalidArgument("DiskContacts::detect",
                            "a position or velocity that is not finite, or disks farther apart than 1e15 cells",
                            "finite positions and velocities");
    }
    while (buckets_ < 2 * count) buckets_ *= 2;
    const auto cells = static_cast<std::size_t>(buckets_);
    scratch.resize(cells + 1 + 4 * static_cast<std::size_t>(count));
    begin_ = scratch.data();
    member_ = begin_ + cells + 1;
    cell_x_ = member_ + count;
    cell_y_ = cell_x_ + count;
    near_ = cell_y_ + count;
    for (Index i = 0; i < count; ++i) {
      cell_x_[i] = static_cast<Index>((q[3 * i] - extent.x_min) / cell);
      cell_y_[i] = static_cast<Index>((q[3 * i + 1] - extent.y_min) / cell);
    }
    sort(count);
  }

  /// The disks j > i of i's cell and of the eight around it that `is_near` is true of, in ascending order.
  template <class Predicate>
  std::span<const Index> later_neighbours(Index i, Predicate is_near) const {
    const Index cx = cell_x_[i], cy = cell_y_[i];
    Index* last = near_;
    for (Index y = cy - 1; y <= cy + 1; ++y) {
      for (Index x = cx - 1; x <= cx + 1; ++x) {
        const Index bucket = bucket_of(x, y);
        for (Index m = begin_[bucket + 1]; m-- > begin_[bucket];) {
          const Index j = member_[m];
          if (j <= i) break;                                 // so are those before it
          if (cell_x_[j] != x || cell_y_[j] != y) continue;  // another cell of the same bucket
          if (is_near(j)) *last++ = j;
        }
      }
    }
    std::sort(near_, last);
    return {near_, last};
  }

 private:
  [[nodiscard]] Index bucket_of(Index x, Index y) const {
    const auto mixed =
        static_cast<std::uint64_t>(x) * 0x9E3779B97F4A7C15u ^ static_cast<std::uint64_t>(y) * 0xC2B2AE3D27D4EB4Fu;
    return static_cast<Index>((mixed >> 20) & static_cast<std::uint64_t>(buckets_ - 1));
  }

  /// By counting.
  void sort(Index count) {
    const auto cells = static_cast<std::size_t>(buckets_);
    const auto bucket_of_disk = [&](Index i) { return bucket_of(cell_x_[i], cell_y_[i]); };
    std::fill_n(begin_, cells + 1, Index{0});
    for (Index i = 0; i < count; ++i) ++begin_[bucket_of_disk(i) + 1];
    for (std::size_t c = 0; c < cells; ++c) begin_[c + 1] += begin_[c];
    for (Index i = count; i-- > 0;) member_[--begin_[bucket_of_disk(i) + 1]] = i;
    for (std::size_t c = 0; c < cells; ++c) begin_[c] = begin_[c + 1];
    begin_[cells] = count;
  }

  Index buckets_ = 16;
  Index *begin_ = nullptr, *member_ = nullptr, *cell_x_ = nullptr, *cell_y_ = nullptr, *near_ = nullptr;
};

/// Absolute terms of the gap that a body at q takes part in, by its row N.
double normal_terms(const Rows& H, const double* q) { return std::abs(H[0] * q[0]) + std::abs(H[1] * q[1]); }

/// The contact of disks i < j.
void add_pair_contact(Index i, Index j, const double* q, const double* radii, Index law, ContactBatch& contacts) {
  const double dx = q[3 * j] - q[3 * i], dy = q[3 * j + 1] - q[3 * i + 1];
  const double ri = radii[i], rj = radii[j];
  const double distance = std::sqrt(dx * dx + dy * dy);
  // Coincident centres have no direction; any one separates them.
  const double ux = distance > 0.0 ? dx / distance : 0.0, uy = distance > 0.0 ? dy / distance : 1.0;
  // Normal from i to j: the gap opens as j moves along it.
  const auto first = rows_of(ux, uy, ri * ux, ri * uy, -1.0), second = rows_of(ux, uy, -rj * ux, -rj * uy, 1.0);
  DetectedContact contact;
  contact.feature = (static_cast<std::uint64_t>(i) << 32) | static_cast<std::uint64_t>(j + 1);
  contact.first = i;
  contact.second = j;
  contact.gap = distance - ri - rj;
  contact.law = law;
  contact.terms = std::abs(first[5]);  // the lever arm
  contact.terms += normal_terms(first, q + 3 * i);
  contact.terms += normal_terms(second, q + 3 * j);
  write_rows(second, contacts.rows, write_rows(first, contacts.rows, contacts.append(contact)));
}

}  // namespace

DiskContacts::DiskContacts(std::vector<SystemHandle> disks, std::vector<double> radii, const Law& law,
                           FloorProfile floor)
    : DiskContacts(disks, std::move(radii), std::vector<Law>{law}, ContactMaterials{}, std::vector<Index>(disks.size()),
                   std::move(floor)) {}

DiskContacts::DiskContacts(std::vector<SystemHandle> disks, std::vector<double> radii, std::vector<Law> laws,
                           ContactMaterials pairs, std::vector<Index> materials, FloorProfile floor)
    : disks_(std::move(disks)),
      radii_(std::move(radii)),
      laws_(std::move(laws)),
      pairs_(std::move(pairs)),
      materials_(std::move(materials)),
      floor_(std::move(floor)) {
  check::size("DiskContacts: radii", static_cast<Index>(radii_.size()), static_cast<Index>(disks_.size()),
              "one a disk");
  for (const double radius : radii_) {
    check::positive("DiskContacts: radius", radius);
    largest_radius_ = std::max(largest_radius_, radius);
  }
  for (const Index rows : describe::rows_of_laws("DiskContacts", laws_, pairs_, planar::refused_law))
    rows_.push_back(static_cast<std::size_t>(rows));
  check::size("DiskContacts: materials", static_cast<Index>(materials_.size()), static_cast<Index>(disks_.size()),
              "one a disk");
  for (const Index material : materials_)
    check::within("DiskContacts: material", material, 0, pairs_.num_materials() - 1);
  check::within("FloorProfile::material", floor_.material, 0, pairs_.num_materials() - 1);
  if (floor_.height && (!floor_.slope || !floor_.curvature)) {
    throw InvalidArgument("DiskContacts: floor", "a height without slope and curvature", "all three functions");
  }
}

void DiskContacts::add_floor_contact(Index disk, const double* q, double t, double reach,
                                     const BatchesByRows& batches) const {
  const double x = q[0], y = q[1], radius = radii_[static_cast<std::size_t>(disk)];
  if (y > floor_.highest + radius + reach) return;
  double s = x;
  const bool converged = find_floor_point(floor_, x, y, s);
  // High above a valley Newton may end on a far point of the floor, or nowhere: no contact unless the point is within
  // reach. A centre that sank below the floor is always in contact, with the point straight above where Newton failed.
  const auto sunk = [&] { return y < floor_.height(x); };
  if (!converged || std::abs(s - x) > radius + reach) {
    if (!sunk()) return;
    s = x;
  }
  const double slope = floor_.slope(s), length = std::sqrt(1.0 + slope * slope);
  const double nx = -slope / length, ny = 1.0 / length;  // out of the floor
  const double distance = (x - s) * nx + (y - floor_.height(s)) * ny;
  if (!(distance - radius <= reach) || (distance < 0.0 && !sunk())) return;
  const auto H = rows_of(nx, ny, -radius * nx, -radius * ny, 1.0);
  DetectedContact contact;
  contact.feature = static_cast<std::uint64_t>(disk) << 32;
  contact.first = disk;
  contact.gap = distance - radius;
  contact.law = pairs_.law(materials_[static_cast<std::size_t>(disk)], floor_.material);
  contact.terms = std::abs(H[5]);
  contact.terms += normal_terms(H, q);
  ContactBatch& contacts = *batches[rows_[static_cast<std::size_t>(contact.law)]];
  const auto rows = static_cast<std::size_t>(contacts.rows);
  if (!floor_.surface_velocity) {
    write_rows(H, contacts.rows, contacts.append(contact));
    return;
  }
  const double speed = floor_.surface_velocity(s, t),
               turning = speed * floor_.curvature(s) / (length * length * length);
  const std::array<double, 3> own{0.0, -speed, -turning};
  contacts.add(contact, std::span(H).first(3 * rows), {}, std::span(own).first(rows));
}

void DiskContacts::detect(const BodyView& bodies, double horizon, std::vector<Index>& scratch,
                          ContactBatches& found) const {
  const auto count = static_cast<Index>(disks_.size());
  if (count == 0) return;
  const ConstVectorRef& q = bodies.q;
  check::size("DiskContacts::detect: q", q.size(), 3 * count, "(x, y, angle) of each disk");
  const DiskExtent extent(q, bodies.v, count);
  // Two disks may approach at twice the largest speed; the rest keeps those that rounding lifts within sight.
  const double size = largest_radius_ + extent.farthest();
  const double reach = 2.0 * horizon * extent.fastest + 1e-8 * largest_radius_ + 1e-14 * size;
  const double* const positions = q.data();
  const double* const radii = radii_.data();
  const Index* const materials = materials_.data();
  const DiskGrid grid(q, count, extent, 2.0 * largest_radius_ + reach, scratch);
  BatchesByRows batches{};
  for (const std::size_t rows : rows_) {
    if (!batches[rows]) batches[rows] = &found.of(static_cast<Index>(rows), 3, 3);
  }
  for (Index i = 0; i < count; ++i) {
    if (floor_.height) add_floor_contact(i, positions + 3 * i, bodies.t, reach, batches);
    const auto is_near = [positions, radii, reach, i](Index j) {
      const double dx = positions[3 * j] - positions[3 * i], dy = positions[3 * j + 1] - positions[3 * i + 1];
      const double range = radii[i] + radii[j] + reach;
      return !(dx * dx + dy * dy > range * range);
    };
    for (const Index j : grid.later_neighbours(i, is_near)) {
      const Index law = pairs_.law(materials[i], materials[j]);
      add_pair_contact(i, j, positions, radii, law, *batches[rows_[static_cast<std::size_t>(law)]]);
    }
  }
}

double DiskContacts::passage_depth(const BodyView& bodies, double horizon) const {
  Thinness thinness;
  double way = 0.0;
  for (std::size_t i = 0; i < radii_.size(); ++i) {
    thinness.add(2.0 * radii_[i], radii_[i], true);
    way = std::max(way, horizon * bodies.v.segment<2>(3 * static_cast<Index>(i)).norm());
  }
  return passage_depth_on(way, thinness.least_depth());
}

}  // namespace nonsmooth
