// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/shape_contacts.hpp>

#include <algorithm>
#include <string>
#include <utility>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "source_laws.hpp"

namespace nonsmooth {

ShapeContacts::ShapeContacts(const char* name, std::vector<Law> laws, ContactMaterials pairs,
                             const char* (*refused)(Index rows, bool rolling))
    : name_(name),
      laws_(std::move(laws)),
      pairs_(std::move(pairs)),
      law_rows_(describe::rows_of_laws(name, laws_, pairs_, refused)) {}

void ShapeContacts::exclude_pair(SystemHandle first, SystemHandle second) {
  const auto number_of = [this](SystemHandle body) {
    const auto at = std::find(bodies_.begin(), bodies_.end(), body);
    if (at == bodies_.end()) {
      throw InvalidArgument(name_ + std::string("::exclude"), "a body that is not of this source",
                            "bodies of this source");
    }
    return static_cast<Index>(at - bodies_.begin());
  };
  const auto [low, high] = std::minmax({number_of(first), number_of(second)});
  const std::array<Index, 2> pair{low, high};
  excluded_.insert(std::lower_bound(excluded_.begin(), excluded_.end(), pair), pair);
}

bool ShapeContacts::is_excluded(Index first, Index second) const {
  if (excluded_.empty() || first < 0 || second < 0) return false;
  const std::array<Index, 2> pair{std::min(first, second), std::max(first, second)};
  return std::binary_search(excluded_.begin(), excluded_.end(), pair);
}

std::array<ShapePlace, 2> ShapeContacts::shapes_of(std::uint64_t feature) const {
  const std::uint64_t pair = feature >> meeting_bits;
  const auto place_of = [this](std::uint64_t shape) {
    check::within(name_ + std::string("::shapes_of: feature"), static_cast<Index>(shape), 0,
                  static_cast<Index>(places_.size()) - 1);
    return places_[shape];
  };
  return {place_of(pair >> shape_bits), place_of(pair & (most_shapes - 1))};
}

std::vector<Interpenetration> interpenetrations(const State& state, const ShapeContacts& source, double tolerance) {
  struct Overlap {
    std::uint64_t feature;
    std::array<ShapePlace, 2> shapes;
    double depth;
  };
  std::vector<Overlap> overlaps;
  for (const ContactBatch& batch : contacts_at(state, source)) {
    for (const DetectedContact& contact : batch.contacts) {
      if (!(contact.gap < -tolerance)) continue;
      overlaps.push_back({contact.feature, source.shapes_of(contact.feature), -contact.gap});
    }
  }
  std::sort(overlaps.begin(), overlaps.end(),
            [](const Overlap& one, const Overlap& other) { return one.feature < other.feature; });
  const auto same = [](const ShapePlace& one, const ShapePlace& other) {
    return one.body == other.body && one.place == other.place;
  };
  std::vector<Interpenetration> result;  // contacts of one pair of shapes follow each other
  for (const Overlap& overlap : overlaps) {
    const auto& [first, second] = overlap.shapes;
    if (result.empty() || !same(result.back().first, first) || !same(result.back().second, second))
      result.push_back({first, second, 0.0});
    result.back().depth = std::max(result.back().depth, overlap.depth);
  }
  return result;
}

}  // namespace nonsmooth
