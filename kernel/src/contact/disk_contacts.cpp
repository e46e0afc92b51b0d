// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/disk_contacts.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

#include <internal/check.hpp>
#include <nonsmooth/kernel/drawn_shape.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "broad_phase.hpp"
#include "floor_point.hpp"
#include "planar/planar_rows.hpp"
#include "pushes.hpp"
#include "source_laws.hpp"
#include "successors.hpp"
#include "thinness.hpp"

namespace nonsmooth {
namespace {

using planar::Rows;
using planar::rows_of;

/// Of two disks, second = -1: of one and the floor.
std::uint64_t feature_of(Index first, Index second) {
  return (static_cast<std::uint64_t>(first) << 32) | static_cast<std::uint64_t>(second + 1);
}

/// Writes the first `count` of them; returns where they end.
double* write_rows(const Rows& H, Index count, double* to) {
  to[0] = H[0], to[1] = H[1], to[2] = H[2];
  if (count > 1) to[3] = H[3], to[4] = H[4], to[5] = H[5];
  if (count > 2) to[6] = H[6], to[7] = H[7], to[8] = H[8];
  return to + 3 * count;
}

/// Numbers that are kept of a disk: those of broad_phase::KeptBalls<2>, its radius and how far it may go, and how far
/// it goes without pushes.
constexpr Index kKept = 4, kReach = 3;

/// A contact to be written behind the others, and `H` for its rows: room for many at a time, which end_batch() cuts.
DetectedContact& next_contact(ContactBatch& contacts, double*& H) {
  constexpr std::size_t at_a_time = 64;
  const auto stride = static_cast<std::size_t>(contacts.stride()), begin = stride * contacts.contacts.size();
  if (contacts.H.size() < begin + stride) contacts.H.resize(begin + at_a_time * stride);
  H = contacts.H.data() + begin;
  return contacts.contacts.emplace_back();
}
void end_batch(ContactBatch& contacts) {
  contacts.H.resize(static_cast<std::size_t>(contacts.stride() * contacts.size()));
  if (!contacts.h_t.empty()) contacts.h_t.resize(static_cast<std::size_t>(contacts.rows * contacts.size()));
}

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
  double* H = nullptr;
  DetectedContact& contact = next_contact(contacts, H);
  contact.feature = feature_of(i, j);
  contact.first = i;
  contact.second = j;
  contact.gap = distance - ri - rj;
  contact.law = law;
  contact.terms = std::abs(first[5]);  // the lever arm
  contact.terms += normal_terms(first, q + 3 * i);
  contact.terms += normal_terms(second, q + 3 * j);
  write_rows(second, contacts.rows, write_rows(first, contacts.rows, H));
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
  for (std::size_t i = 0; i < radii_.size(); ++i) {
    if (!(radii_[i] > 0.0) || !std::isfinite(radii_[i]))
      check::positive("DiskContacts: radius of disk " + std::to_string(i), radii_[i]);
    largest_radius_ = std::max(largest_radius_, radii_[i]);
  }
  for (const Index rows : describe::rows_of_laws("DiskContacts", laws_, pairs_, planar::refused_law))
    rows_.push_back(static_cast<std::size_t>(rows));
  check::size("DiskContacts: materials", static_cast<Index>(materials_.size()), static_cast<Index>(disks_.size()),
              "one a disk");
  require_laws();
  if (floor_.height && (!floor_.slope || !floor_.curvature)) {
    throw InvalidArgument("DiskContacts: floor", "a height without slope and curvature", "all three functions");
  }
}

std::vector<DrawnShape> DiskContacts::drawn_shapes() const {
  std::vector<DrawnShape> drawn;
  drawn.reserve(disks_.size() + 1);
  for (std::size_t i = 0; i < disks_.size(); ++i) {
    drawn.push_back({disks_[i], PlanarShapeOnBody{.shape = Disk{radii_[i]}, .material = materials_[i]}});
  }
  if (floor_.height) drawn.push_back({{}, floor_});
  return drawn;
}

/// A law for all disks that may touch, and for them on the floor.
void DiskContacts::require_laws() const {
  const Index last = pairs_.num_materials() - 1;
  check::within("FloorProfile::material", floor_.material, 0, last);
  std::vector<std::vector<std::size_t>> disks_of(static_cast<std::size_t>(pairs_.num_materials()));
  for (std::size_t i = 0; i < materials_.size(); ++i) {
    if (materials_[i] < 0 || materials_[i] > last)
      check::within("DiskContacts: material of disk " + std::to_string(i), materials_[i], 0, last);
    auto& first_two = disks_of[static_cast<std::size_t>(materials_[i])];
    if (first_two.size() < 2) first_two.push_back(i);
  }
  const auto require = [this](std::size_t disk, Index material, const std::string& other) {
    const Index own = materials_[disk];
    if (pairs_.law(own, material) >= 0) return;
    throw InvalidArgument("DiskContacts: laws",
                          "disk " + std::to_string(disk) + " of " + pairs_.name(own) + " and " + other + " of " +
                              pairs_.name(material) + ", which have no law",
                          "a law by ContactMaterials::set_law for all materials that may touch");
  };
  for (const std::vector<std::size_t>& own : disks_of) {
    if (own.empty()) continue;
    if (floor_.height) require(own[0], floor_.material, "the floor");
    if (own.size() > 1) require(own[0], materials_[own[1]], "disk " + std::to_string(own[1]));
    for (const std::vector<std::size_t>& other : disks_of) {
      if (!other.empty() && other[0] > own[0])
        require(own[0], materials_[other[0]], "disk " + std::to_string(other[0]));
    }
  }
}

void DiskContacts::add_floor_contact(Index disk, const double* q, double t, double reach,
                                     const BatchesByRows& batches) const {
  const double x = q[0], y = q[1], radius = radii_[static_cast<std::size_t>(disk)];
  if (y > floor_.highest + radius + reach) return;
  FloorPoint point{};
  const bool converged = find_floor_point(floor_, x, y, point);
  // High above a valley Newton may end on a far point of the floor, or nowhere: no contact unless the point is within
  // reach. A centre that sank below the floor is always in contact, with the point straight above where Newton failed.
  const auto sunk = [&] { return y < floor_.height(x); };
  if (!converged || std::abs(point.s - x) > radius + reach) {
    if (!sunk()) return;
    point = floor_point(floor_, x);
  }
  const double s = point.s, slope = point.slope, length = std::sqrt(1.0 + slope * slope);
  const double nx = -slope / length, ny = 1.0 / length;  // out of the floor
  const double distance = (x - s) * nx + (y - point.height) * ny;
  if (!(distance - radius <= reach) || (distance < 0.0 && !sunk())) return;
  const auto rows = rows_of(nx, ny, -radius * nx, -radius * ny, 1.0);
  const Index law = pairs_.law(materials_[static_cast<std::size_t>(disk)], floor_.material);
  ContactBatch& contacts = *batches[rows_[static_cast<std::size_t>(law)]];
  double* H = nullptr;
  DetectedContact& contact = next_contact(contacts, H);
  contact.feature = feature_of(disk, -1);
  contact.first = disk;
  contact.gap = distance - radius;
  contact.law = law;
  contact.terms = std::abs(rows[5]);
  contact.terms += normal_terms(rows, q);
  write_rows(rows, contacts.rows, H);
  if (!floor_.surface_velocity) return;
  const double speed = floor_.surface_velocity(s, t),
               turning = speed * floor_.curvature(s) / (length * length * length);
  const std::array<double, 3> own{0.0, -speed, -turning};
  contacts.h_t.resize(static_cast<std::size_t>(contacts.rows * contacts.size()));
  std::copy_n(own.begin(), contacts.rows, contacts.h_t.end() - contacts.rows);
}

std::array<Index, 2> DiskContacts::materials_of(const DetectedContact& contact) const {
  const auto of = [this](Index disk) {
    check::within("DiskContacts::materials_of: contact", disk, 0, static_cast<Index>(disks_.size()) - 1);
    return materials_[static_cast<std::size_t>(disk)];
  };
  return {of(contact.first), contact.second < 0 ? floor_.material : of(contact.second)};
}

std::vector<std::optional<std::uint64_t>> DiskContacts::features_after(const ContactSource& before,
                                                                       std::span<const std::uint64_t> features) const {
  std::vector<std::optional<std::uint64_t>> result(features.size());
  const auto* const old = dynamic_cast<const DiskContacts*>(&before);
  if (!old) return result;
  const std::vector<Index> places = places_of(old->disks_, disks_);
  const auto place_of = [&](std::uint64_t disk) { return disk < places.size() ? places[disk] : -1; };
  for (std::size_t f = 0; f < features.size(); ++f) {
    const std::uint64_t first = features[f] >> 32, second = features[f] & 0xffffffffu;
    const Index i = place_of(first), j = second > 0 ? place_of(second - 1) : -1;
    if (i >= 0 && (second == 0 || j > i)) result[f] = feature_of(i, j);
  }
  return result;
}

void DiskContacts::detect(const BodyView& bodies, double horizon, std::vector<Index>& scratch,
                          ContactBatches& found) const {
  const auto count = static_cast<Index>(disks_.size());
  if (count == 0) return;
  const ConstVectorRef& q = bodies.q;
  check::size("DiskContacts::detect: q", q.size(), 3 * count, "(x, y, angle) of each disk");
  const double* const positions = q.data();
  const double* const radii = radii_.data();
  const Index* const materials = materials_.data();
  const bool pushing = bodies.push > 0.0 && horizon > 0.0;
  Pushes pushes(scratch, kKept * count, count);
  // What keeps those that rounding lifts, and bonds whose gaps residuals open, within sight.
  const auto rest_of = [&](Index i) {
    return 1e-7 * largest_radius_ + 1e-14 * std::max(std::abs(q[3 * i]), std::abs(q[3 * i + 1]));
  };
  const auto reach_of = [&scratch](Index i) { return broad_phase::number_at(scratch, kKept * i + kReach); };
  // Of two: their velocities against each other count, not each alone.
  const auto reach_of_pair = [&](Index i, Index j) {
    const double x = bodies.v[3 * i] - bodies.v[3 * j], y = bodies.v[3 * i + 1] - bodies.v[3 * j + 1];
    return horizon * std::sqrt(x * x + y * y) + rest_of(i) + rest_of(j);
  };
  const auto pushed = [&](double push) { return horizon * bodies.push * push; };
  const auto widen = [&] {
    for (Index i = 0; i < count; ++i)
      broad_phase::keep_number(scratch, kKept * i + 2, radii[i] + reach_of(i) + pushed(pushes.widest(i)));
  };
  for (Index i = 0; i < count; ++i) {
    const double x = q[3 * i], y = q[3 * i + 1], vx = bodies.v[3 * i], vy = bodies.v[3 * i + 1];
    const double speed = std::sqrt(vx * vx + vy * vy);
    broad_phase::keep_number(scratch, kKept * i, x);
    broad_phase::keep_number(scratch, kKept * i + 1, y);
    broad_phase::keep_number(scratch, kKept * i + kReach, horizon * speed + rest_of(i));
    pushes.start(i, pushing ? speed : 0.0);
  }
  if (pushing) pushes.widen_little(horizon * bodies.push, [radii](Index i) { return radii[i]; });
  widen();
  const auto gap_of = [&](Index i, Index j) {
    return std::hypot(q[3 * i] - q[3 * j], q[3 * i + 1] - q[3 * j + 1]) - radii[i] - radii[j];
  };
  const broad_phase::KeptBalls<2> disks{.memory = scratch, .stride = kKept};
  const auto find = [&] {
    return broad_phase::touching_pairs<2>(count, disks, pushes.end(), scratch,
                                          [&bodies](Index i, Index j) { return !bodies.sleep(i, j); });
  };
  auto [next, end] = pushing ? pushes.find_pairs(find, widen,
                                                 [&](Index i, Index j) -> Pushes::Meeting {
                                                   const double gap = std::max(gap_of(i, j), 0.0);
                                                   return {i, j, (gap - reach_of_pair(i, j)) / horizon};
                                                 })
                             : find();
  BatchesByRows batches{};
  for (const std::size_t rows : rows_) {
    if (!batches[rows]) batches[rows] = &found.of(static_cast<Index>(rows), 3, 3);
  }
  for (Index i = 0; i < count; ++i) {
    if (floor_.height && !bodies.sleep(i, -1)) {
      const double reach = reach_of(i) + pushed(pushes.of(i));
      add_floor_contact(i, positions + 3 * i, bodies.t, reach, batches);
    }
    for (; next < end && broad_phase::first_of_pair(scratch[static_cast<std::size_t>(next)]) == i; ++next) {
      const Index j = broad_phase::second_of_pair(scratch[static_cast<std::size_t>(next)]);
      const double push = pushing ? pushed(std::max(pushes.of(i), pushes.of(j))) : 0.0;
      if (gap_of(i, j) > reach_of_pair(i, j) + push) continue;
      const Index law = pairs_.law(materials[i], materials[j]);
      add_pair_contact(i, j, positions, radii, law, *batches[rows_[static_cast<std::size_t>(law)]]);
    }
  }
  for (ContactBatch* const batch : batches) {
    if (batch) end_batch(*batch);
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
