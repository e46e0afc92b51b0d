// SPDX-License-Identifier: Apache-2.0
// What a source answers where it does not say otherwise, and what overlaps by what it finds.
#include <nonsmooth/kernel/contact_source.hpp>

#include <algorithm>
#include <limits>
#include <tuple>
#include <typeinfo>
#include <vector>

#include <nonsmooth/kernel/drawn_shape.hpp>
#include <nonsmooth/kernel/state.hpp>

#include "overlaps.hpp"

namespace nonsmooth {

std::array<ShapePlace, 2> ContactSource::shapes_of(const DetectedContact& contact) const {
  return {ShapePlace{contact.first, 0}, ShapePlace{contact.second, 0}};
}

std::array<Index, 2> ContactSource::materials_of(const DetectedContact& /*contact*/) const { return {0, 0}; }

std::vector<std::optional<std::uint64_t>> ContactSource::features_after(const ContactSource& before,
                                                                        std::span<const std::uint64_t> features) const {
  const ContactSource& own = *this;
  if (typeid(own) != typeid(before) || own.bodies() != before.bodies())
    return std::vector<std::optional<std::uint64_t>>(features.size());
  return {features.begin(), features.end()};
}

std::vector<DrawnShape> ContactSource::drawn_shapes() const { return {}; }

double ContactSource::passage_depth(const BodyView&, double) const { return std::numeric_limits<double>::infinity(); }

std::vector<Interpenetration> overlaps_of(const ContactSource& source, const ContactBatches& found,
                                          const std::function<double(const DetectedContact& contact)>& tolerance) {
  struct Overlap {
    std::array<ShapePlace, 2> shapes;
    std::uint64_t feature = 0;
    double depth = 0.0;
  };
  std::vector<Overlap> overlaps;
  for (const ContactBatch& batch : found) {
    for (const DetectedContact& contact : batch.contacts) {
      if (-contact.gap > tolerance(contact))
        overlaps.push_back({source.shapes_of(contact), contact.feature, -contact.gap});
    }
  }
  const auto pair_of = [](const Overlap& own) {
    return std::tie(own.shapes[0].body, own.shapes[0].place, own.shapes[1].body, own.shapes[1].place);
  };
  std::sort(overlaps.begin(), overlaps.end(), [&](const Overlap& one, const Overlap& other) {
    return std::tuple_cat(pair_of(one), std::tie(one.feature)) <
           std::tuple_cat(pair_of(other), std::tie(other.feature));
  });
  std::size_t pairs = 0;
  for (const Overlap& own : overlaps) {
    if (pairs > 0 && overlaps[pairs - 1].shapes == own.shapes) {
      overlaps[pairs - 1].depth = std::max(overlaps[pairs - 1].depth, own.depth);
    } else {
      overlaps[pairs++] = own;
    }
  }
  overlaps.resize(pairs);
  std::sort(overlaps.begin(), overlaps.end(),
            [](const Overlap& one, const Overlap& other) { return one.feature < other.feature; });
  std::vector<Interpenetration> result;
  for (const Overlap& own : overlaps) result.push_back({own.shapes[0], own.shapes[1], own.depth});
  return result;
}

std::vector<Interpenetration> interpenetrations(const State& state, const ContactSource& source, double tolerance) {
  return overlaps_of(source, contacts_at(state, source), [tolerance](const DetectedContact&) { return tolerance; });
}

}  // namespace nonsmooth
