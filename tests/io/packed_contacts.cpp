// SPDX-License-Identifier: Apache-2.0
// Contacts that a recorder packs come back with all their bits, whatever they are, and those that a simulation shows
// some at a time are those that it lists.
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <nonsmooth/kernel/time_stepping.hpp>
#include <problems/disk_field.hpp>
#include <runs/packed_contacts.hpp>

namespace nonsmooth::packed_contacts_test {
namespace {

using runs::PackedContacts;

bool same_bits(const ActingContact& a, const ActingContact& b, bool forces) {
  const auto same = [](const auto& x, const auto& y) { return std::memcmp(&x, &y, sizeof x) == 0; };
  return same(a.point, b.point) && same(a.normal, b.normal) && same(a.gap, b.gap) && same(a.impulse, b.impulse) &&
         (!forces || same(a.force, b.force)) && a.first == b.first && a.second == b.second && a.source == b.source &&
         a.feature == b.feature && a.rows == b.rows;
}

enum class Shape { Plane, Space, Mixed };

/// Numbers of any bits, NaN and infinities among them; of the plane z = +0.
std::vector<ActingContact> any_contacts(std::size_t count, Shape shape, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<ActingContact> list(count);
  for (std::size_t i = 0; i < count; ++i) {
    ActingContact& one = list[i];
    for (Index k = 0; k < 3; ++k) {
      const bool zero = k == 2 && shape == Shape::Plane;
      for (Eigen::Vector3d* vector : {&one.point, &one.normal, &one.impulse})
        (*vector)[k] = zero ? 0.0 : std::bit_cast<double>(random());
      one.force[k] = std::bit_cast<double>(random());
    }
    one.gap = std::bit_cast<double>(random());
    one.feature = random();
    one.first = static_cast<Index>(random() % 100'000);
    one.second = static_cast<Index>(random() % 3) - 1;
    one.source = 1;
    one.rows = shape == Shape::Plane ? 2 : 3;
    if (shape != Shape::Mixed) continue;
    if (i % 5 == 1) one.source = -1;
    if (i % 7 == 2) one.rows = 1;
    if (i % 40 == 3) one.first = std::numeric_limits<Index>::max() - static_cast<Index>(i);
    if (i % 2 == 0) one.impulse[2] = -0.0;
  }
  return list;
}

void expect_back(const std::vector<ActingContact>& list, bool forces, PackedContacts& packed) {
  packed.clear();
  packed.set_forces(forces);
  const std::size_t early = list.size() / 3;
  packed.add(std::span(list).first(early));
  packed.add(std::span(list).subspan(early));
  std::vector<ActingContact> back;
  packed.for_each_part([&](std::span<const ActingContact> part) { back.insert(back.end(), part.begin(), part.end()); });
  ASSERT_EQ(back.size(), list.size());
  for (std::size_t i = 0; i < list.size(); ++i)
    ASSERT_TRUE(same_bits(back[i], list[i], forces)) << i << " of " << list.size();
}

TEST(PackedContacts, ComeBackWithAllTheirBits) {
  PackedContacts packed;  // one for all
  for (const std::size_t count : {0, 1, 31, 32, 33, 500}) {
    for (const Shape shape : {Shape::Plane, Shape::Space, Shape::Mixed, Shape::Plane}) {
      expect_back(any_contacts(count, shape, 7 * count + 1), false, packed);
      expect_back(any_contacts(count, shape, 7 * count + 2), true, packed);
    }
  }
}

/// A negative zero is not the zero of the plane.
TEST(PackedContacts, KeepTheSignOfZero) {
  PackedContacts packed;
  for (int which = 0; which < 3; ++which) {
    std::vector<ActingContact> list = any_contacts(40, Shape::Plane, 3);
    (which == 0 ? list[35].point : which == 1 ? list[35].normal : list[35].impulse)[2] = -0.0;
    expect_back(list, false, packed);
  }
}

TEST(PackedContacts, ThoseOfAStepAreThoseThatItLists) {
  TimeStepping simulation(problems::disk_field(2000), {.step = problems::kDiskFieldStep});
  ActingContacts contacts, some;
  std::size_t most = 0;
  for (int k = 0; k < 150; ++k) {
    ASSERT_TRUE(simulation.step());
    std::vector<ActingContact> all;
    std::size_t calls = 0;
    some.for_each_part(simulation, [&](std::span<const ActingContact> part) {
      EXPECT_FALSE(part.empty());
      all.insert(all.end(), part.begin(), part.end());
      ++calls;
    });
    ASSERT_EQ(all, contacts.of(simulation)) << "step " << k;
    EXPECT_LE(calls, all.size());
    most = std::max(most, all.size());
  }
  EXPECT_GT(most, 40u);  // more than one part
}

}  // namespace
}  // namespace nonsmooth::packed_contacts_test
