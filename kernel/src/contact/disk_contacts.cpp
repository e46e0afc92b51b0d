// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/disk_contacts.hpp>

#include <algorithm>
#include <cmath>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

namespace nonsmooth {
namespace {

constexpr int kClosestPointIterations = 20;  ///< Newton needs 3-5; the bound only guards a wild profile

/// Rows (N, T) of u for a body whose contact point lies at (ax, ay) from its centre, normal (nx, ny) towards it,
/// tangent (ny, -nx): u = n·(v + w x a), t·(v + w x a), times `sign`.
std::array<double, 6> rows_of(double nx, double ny, double ax, double ay, double sign) {
  const double tx = ny, ty = -nx;
  return {sign * nx, sign * ny, sign * (ax * ny - ay * nx), sign * tx, sign * ty, sign * (ax * ty - ay * tx)};
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
/// in scratch = [begin of each bucket | disks by bucket | cell of each disk], disks of a bucket in ascending order.
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
    scratch.resize(cells + 1 + 3 * static_cast<std::size_t>(count));
    begin_ = scratch.data();
    member_ = begin_ + cells + 1;
    cell_x_ = member_ + count;
    cell_y_ = cell_x_ + count;
    for (Index i = 0; i < count; ++i) {
      cell_x_[i] = static_cast<Index>((q[3 * i] - extent.x_min) / cell);
      cell_y_[i] = static_cast<Index>((q[3 * i + 1] - extent.y_min) / cell);
    }
    sort(count);
  }

  /// visit(j) for the disks j > i of i's cell and of the eight around it.
  template <class Visit>
  void for_each_later_neighbour(Index i, Visit visit) const {
    const Index cx = cell_x_[i], cy = cell_y_[i];
    for (Index y = cy - 1; y <= cy + 1; ++y) {
      for (Index x = cx - 1; x <= cx + 1; ++x) {
        const Index bucket = bucket_of(x, y);
        for (Index m = begin_[bucket + 1]; m-- > begin_[bucket];) {
          const Index j = member_[m];
          if (j <= i) break;                                 // so are those before it
          if (cell_x_[j] != x || cell_y_[j] != y) continue;  // another cell of the same bucket
          visit(j);
        }
      }
    }
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
  Index *begin_ = nullptr, *member_ = nullptr, *cell_x_ = nullptr, *cell_y_ = nullptr;
};

/// The contact of disks i < j, where their gap is within reach.
void add_pair_contact(Index i, Index j, const double* q, const double* radii, double reach,
                      const NewtonImpactFrictionLaw& law, std::vector<PlanarContact>& contacts) {
  const double dx = q[3 * j] - q[3 * i], dy = q[3 * j + 1] - q[3 * i + 1];
  const double ri = radii[i], rj = radii[j];
  const double range = ri + rj + reach, square = dx * dx + dy * dy;
  if (square > range * range) return;
  const double distance = std::sqrt(square);
  // Coincident centres have no direction; any one separates them.
  const double ux = distance > 0.0 ? dx / distance : 0.0, uy = distance > 0.0 ? dy / distance : 1.0;
  PlanarContact contact;
  contact.feature = (static_cast<std::uint64_t>(i) << 32) | static_cast<std::uint64_t>(j + 1);
  contact.first = i;
  contact.second = j;
  contact.gap = distance - ri - rj;
  contact.restitution = law.restitution;
  contact.friction = law.friction;
  // Normal from i to j: the gap opens as j moves along it.
  contact.H_first = rows_of(ux, uy, ri * ux, ri * uy, -1.0);
  contact.H_second = rows_of(ux, uy, -rj * ux, -rj * uy, 1.0);
  contacts.push_back(contact);
}

}  // namespace

DiskContacts::DiskContacts(std::vector<SystemHandle> disks, std::vector<double> radii, NewtonImpactFrictionLaw law,
                           FloorProfile floor)
    : disks_(std::move(disks)), radii_(std::move(radii)), law_(law), floor_(std::move(floor)) {
  check::size("DiskContacts: radii", static_cast<Index>(radii_.size()), static_cast<Index>(disks_.size()),
              "one a disk");
  for (const double radius : radii_) {
    check::positive("DiskContacts: radius", radius);
    largest_radius_ = std::max(largest_radius_, radius);
  }
  check::range("DiskContacts: restitution", law_.restitution, 0.0, 1.0);
  check::range("DiskContacts: friction", law_.friction, 0.0, std::numeric_limits<double>::max());
  if (law_.tangential_restitution != 0.0) {
    throw InvalidArgument("DiskContacts: tangential_restitution", std::to_string(law_.tangential_restitution), "0");
  }
  if (floor_.height && (!floor_.slope || !floor_.curvature)) {
    throw InvalidArgument("DiskContacts: floor", "a height without slope and curvature", "all three functions");
  }
}

void DiskContacts::add_floor_contact(Index disk, const double* q, double reach,
                                     std::vector<PlanarContact>& contacts) const {
  const double x = q[0], y = q[1], radius = radii_[static_cast<std::size_t>(disk)];
  if (y > floor_.highest + radius + reach) return;
  double s = x;
  bool converged = false;
  for (int i = 0; i < kClosestPointIterations && !converged; ++i) {
    const double above = floor_.height(s) - y, slope = floor_.slope(s);
    const double residual = s - x + above * slope;
    const double rate = 1.0 + slope * slope + above * floor_.curvature(s);
    const double move = residual / (rate > 0.1 ? rate : 1.0 + slope * slope);
    s -= move;
    converged = std::abs(move) <= 1e-14 * (1.0 + std::abs(s));
  }
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
  PlanarContact contact;
  contact.feature = static_cast<std::uint64_t>(disk) << 32;
  contact.first = disk;
  contact.gap = distance - radius;
  contact.restitution = law_.restitution;
  contact.friction = law_.friction;
  contact.H_first = rows_of(nx, ny, -radius * nx, -radius * ny, 1.0);
  contacts.push_back(contact);
}

void DiskContacts::detect(ConstVectorRef q, ConstVectorRef v, double horizon, std::vector<Index>& scratch,
                          std::vector<PlanarContact>& contacts) const {
  const auto count = static_cast<Index>(disks_.size());
  if (count == 0) return;
  const DiskExtent extent(q, v, count);
  // Two disks may approach at twice the largest speed; the rest keeps those that rounding lifts within sight.
  const double size = largest_radius_ + extent.farthest();
  const double reach = 2.0 * horizon * extent.fastest + 1e-8 * largest_radius_ + 1e-14 * size;
  const double* const positions = q.data();
  const DiskGrid grid(q, count, extent, 2.0 * largest_radius_ + reach, scratch);
  for (Index i = 0; i < count; ++i) {
    if (floor_.height) add_floor_contact(i, positions + 3 * i, reach, contacts);
    const auto first_of_disk = contacts.size();
    // Copies, as a contact that is added may change what a reference holds for all that the compiler knows.
    grid.for_each_later_neighbour(
        i, [&, positions, i](Index j) { add_pair_contact(i, j, positions, radii_.data(), reach, law_, contacts); });
    std::sort(contacts.begin() + static_cast<std::ptrdiff_t>(first_of_disk), contacts.end(),
              [](const PlanarContact& a, const PlanarContact& b) { return a.feature < b.feature; });
  }
}

}  // namespace nonsmooth
