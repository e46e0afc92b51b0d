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
  double fastest = 0.0, x_min = q[0], x_max = q[0], y_min = q[1], y_max = q[1];
  for (Index i = 0; i < count; ++i) {
    const double speed = std::hypot(v[3 * i], v[3 * i + 1]);
    if (!(speed <= fastest)) fastest = speed;  // a NaN stays
    x_min = std::min(x_min, q[3 * i]);
    x_max = std::max(x_max, q[3 * i]);
    y_min = std::min(y_min, q[3 * i + 1]);
    y_max = std::max(y_max, q[3 * i + 1]);
  }
  // Two disks may approach at twice the largest speed; the rest keeps those that rounding lifts within sight.
  const double size = largest_radius_ + std::max({std::abs(x_min), std::abs(x_max), std::abs(y_min), std::abs(y_max)});
  const double reach = 2.0 * horizon * fastest + 1e-8 * largest_radius_ + 1e-14 * size;
  const double cell = 2.0 * largest_radius_ + reach;
  if (!(std::isfinite(cell) && (x_max - x_min) / cell < 1e15 && (y_max - y_min) / cell < 1e15)) {
    throw InvalidArgument("DiskContacts::detect",
                          "a position or velocity that is not finite, or disks farther apart than 1e15 cells",
                          "finite positions and velocities");
  }

  // A hash of cells no smaller than the reach of a pair, so that strays far away cost nothing: two buckets a disk.
  Index buckets = 16;
  while (buckets < 2 * count) buckets *= 2;
  const auto bucket_of = [buckets](Index x, Index y) {
    const auto mixed =
        static_cast<std::uint64_t>(x) * 0x9E3779B97F4A7C15u ^ static_cast<std::uint64_t>(y) * 0xC2B2AE3D27D4EB4Fu;
    return static_cast<Index>((mixed >> 20) & static_cast<std::uint64_t>(buckets - 1));
  };

  // Counting sort: scratch = [begin of each bucket | disks by bucket | cell of each disk], disks of a bucket in
  // ascending order.
  const auto cells = static_cast<std::size_t>(buckets);
  scratch.resize(cells + 1 + 3 * static_cast<std::size_t>(count));
  Index* begin = scratch.data();
  std::fill_n(begin, cells + 1, Index{0});
  Index* member = begin + cells + 1;
  Index *cell_x = member + count, *cell_y = cell_x + count;
  for (Index i = 0; i < count; ++i) {
    cell_x[i] = static_cast<Index>((q[3 * i] - x_min) / cell);
    cell_y[i] = static_cast<Index>((q[3 * i + 1] - y_min) / cell);
  }
  const auto bucket_of_disk = [&](Index i) { return bucket_of(cell_x[i], cell_y[i]); };
  for (Index i = 0; i < count; ++i) ++begin[bucket_of_disk(i) + 1];
  for (std::size_t c = 0; c < cells; ++c) begin[c + 1] += begin[c];
  for (Index i = count; i-- > 0;) member[--begin[bucket_of_disk(i) + 1]] = i;
  for (std::size_t c = 0; c < cells; ++c) begin[c] = begin[c + 1];
  begin[cells] = count;

  for (Index i = 0; i < count; ++i) {
    const double* qi = q.data() + 3 * i;
    if (floor_.height) add_floor_contact(i, qi, reach, contacts);
    const auto first_of_disk = contacts.size();
    const Index cx = cell_x[i], cy = cell_y[i];
    for (Index gy = cy - 1; gy <= cy + 1; ++gy) {
      for (Index gx = cx - 1; gx <= cx + 1; ++gx) {
        const Index bucket = bucket_of(gx, gy);
        for (Index m = begin[bucket + 1]; m-- > begin[bucket];) {
          const Index j = member[m];
          if (j <= i) break;                                 // so are those before it
          if (cell_x[j] != gx || cell_y[j] != gy) continue;  // another cell of the same bucket
          const double dx = q[3 * j] - qi[0], dy = q[3 * j + 1] - qi[1];
          const double ri = radii_[static_cast<std::size_t>(i)], rj = radii_[static_cast<std::size_t>(j)];
          const double range = ri + rj + reach, square = dx * dx + dy * dy;
          if (square > range * range) continue;
          const double distance = std::sqrt(square);
          // Coincident centres have no direction; any one separates them.
          const double ux = distance > 0.0 ? dx / distance : 0.0, uy = distance > 0.0 ? dy / distance : 1.0;
          PlanarContact contact;
          contact.feature = (static_cast<std::uint64_t>(i) << 32) | static_cast<std::uint64_t>(j + 1);
          contact.first = i;
          contact.second = j;
          contact.gap = distance - ri - rj;
          contact.restitution = law_.restitution;
          contact.friction = law_.friction;
          // Normal from i to j: the gap opens as j moves along it.
          contact.H_first = rows_of(ux, uy, ri * ux, ri * uy, -1.0);
          contact.H_second = rows_of(ux, uy, -rj * ux, -rj * uy, 1.0);
          contacts.push_back(contact);
        }
      }
    }
    std::sort(contacts.begin() + static_cast<std::ptrdiff_t>(first_of_disk), contacts.end(),
              [](const PlanarContact& a, const PlanarContact& b) { return a.feature < b.feature; });
  }
}

}  // namespace nonsmooth
