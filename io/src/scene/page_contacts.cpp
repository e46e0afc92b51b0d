// SPDX-License-Identifier: Apache-2.0
#include "page_contacts.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace nonsmooth::scene {
namespace {

constexpr double kTypical = 0.9;

/// As page/contacts.js reads a component: 0 to 65534 for -largest to largest.
std::uint16_t coded_force(double force, double largest) {
  return static_cast<std::uint16_t>(std::lround(32767.0 * (std::clamp(force / largest, -1.0, 1.0) + 1.0)));
}

struct Pressing {
  Eigen::Vector3d point, force;
  std::array<Index, 2> bodies;  ///< of the page; -1: the ground, or not drawn
};

/// Of one step, those that press most.
std::vector<Pressing> pressing_at(const RunFile& run, const PageBodies& bodies, Index step, Index most, Index& found) {
  const auto part = static_cast<std::size_t>(run.part_of(step));
  const std::vector<Index>& numbers = bodies.of_system[part];
  const auto body_of = [&](Index system) { return system < 0 ? -1 : numbers[static_cast<std::size_t>(system)]; };
  std::vector<Pressing> pressing;
  for (const ActingContact& contact : run.contacts(step)) {
    const Pressing one{contact.point, contact.force, {body_of(contact.first), body_of(contact.second)}};
    if (one.force.squaredNorm() > 0.0 && one.force.allFinite() && one.point.allFinite()) pressing.push_back(one);
  }
  found = std::max(found, static_cast<Index>(pressing.size()));
  if (static_cast<Index>(pressing.size()) > most) {
    std::nth_element(pressing.begin(), pressing.begin() + most, pressing.end(),
                     [](const auto& a, const auto& b) { return a.force.squaredNorm() > b.force.squaredNorm(); });
    pressing.resize(static_cast<std::size_t>(most));
  }
  return pressing;
}

}  // namespace

PageContacts add_contacts(const RunFile& run, const PageBodies& bodies, const PageBox& box,
                          const std::vector<Index>& steps, Index most, PageData& data) {
  PageContacts told;
  std::vector<Pressing> all;
  std::vector<std::uint32_t> first{0};
  for (const Index step : steps) {
    const std::vector<Pressing> pressing = pressing_at(run, bodies, step, most, told.most_found);
    all.insert(all.end(), pressing.begin(), pressing.end());
    first.push_back(static_cast<std::uint32_t>(all.size()));
  }
  std::vector<double> sizes;
  for (const Pressing& one : all) sizes.push_back(one.force.norm());
  if (sizes.empty()) return told;
  std::sort(sizes.begin(), sizes.end());
  told.largest = sizes.back();
  told.typical = sizes[static_cast<std::size_t>(kTypical * static_cast<double>(sizes.size() - 1))];

  const std::size_t dimension = bodies.dimension == 2 ? 2 : 3;
  std::vector<std::uint16_t> places, forces;
  std::vector<std::uint32_t> pairs;
  for (const Pressing& one : all) {
    for (std::size_t k = 0; k < dimension; ++k) {
      places.push_back(box.place(one.point[static_cast<Index>(k)], k));
      forces.push_back(coded_force(one.force[static_cast<Index>(k)], told.largest));
    }
    for (const Index body : one.bodies) pairs.push_back(static_cast<std::uint32_t>(body + 1));
  }
  data.add("contact_first", first);
  data.add("contact_places", places);
  data.add("contact_forces", forces);
  data.add("contact_pairs", pairs);
  return told;
}

}  // namespace nonsmooth::scene
