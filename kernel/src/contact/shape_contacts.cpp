// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/shape_contacts.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <typeinfo>
#include <utility>

#include <internal/check.hpp>
#include <nonsmooth/kernel/model.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "model/row_kinds.hpp"
#include "source_laws.hpp"
#include "successors.hpp"

namespace nonsmooth {
namespace {

std::string name_of(const ShapePlace& place) {
  return "shape " + std::to_string(place.place) +
         (place.body < 0 ? " of the ground" : " of body " + std::to_string(place.body));
}

constexpr Index kGround = -1;

/// By rows that it holds, as its relation says, or else by what it says of its start.
bool joins(const NonSmoothDynamicalSystem::InteractionRecord& interaction) {
  if (!interaction.mechanical) return false;
  const RelationOfRows* const of_rows = describe::rows_of(*interaction.mechanical);
  if (!of_rows) return interaction.mechanical->is_joint();
  for (Index row = 0; row < interaction.rows; ++row) {
    if (of_rows->row_meaning(row).kind == RowKind::Held) return true;
  }
  return false;
}

}  // namespace

ShapeContacts::ShapeContacts(const char* name, std::vector<Law> laws, ContactMaterials pairs,
                             const char* (*refused)(Index rows, bool rolling))
    : name_(name),
      laws_(std::move(laws)),
      pairs_(std::move(pairs)),
      law_rows_(describe::rows_of_laws(name, laws_, pairs_, refused)) {}

Index ShapeContacts::number_of(SystemHandle body) const {
  const auto at = std::find(bodies_.begin(), bodies_.end(), body);
  if (at == bodies_.end()) {
    throw InvalidArgument(name_ + std::string("::exclude"), "a body that is not of this source",
                          "bodies of this source");
  }
  return static_cast<Index>(at - bodies_.begin());
}

void ShapeContacts::exclude_numbers(Index first, Index second) {
  const std::array<Index, 2> pair{std::min(first, second), std::max(first, second)};
  const auto at = std::lower_bound(excluded_.begin(), excluded_.end(), pair);
  if (at == excluded_.end() || *at != pair) excluded_.insert(at, pair);
}

void ShapeContacts::exclude_pair(SystemHandle first, SystemHandle second) {
  const Index one = number_of(first), other = number_of(second);
  if (one == other)
    throw InvalidArgument(name_ + std::string("::exclude"), "a body and itself", "two bodies of this source");
  exclude_numbers(one, other);
}

void ShapeContacts::exclude_from_ground(SystemHandle body) { exclude_numbers(kGround, number_of(body)); }

void ShapeContacts::exclude_joined(const NonSmoothDynamicalSystem& model) {
  std::map<std::uint32_t, Index> numbers;  // by slot
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    (void)model.layout()->at(bodies_[b]);
    numbers[bodies_[b].slot] = static_cast<Index>(b);
  }
  for (const auto& interaction : model.interactions()) {
    if (!interaction.alive || !joins(interaction)) continue;
    std::vector<Index> joined;
    for (const std::uint32_t slot : interaction.systems) {
      if (const auto at = numbers.find(slot); at != numbers.end()) joined.push_back(at->second);
    }
    for (std::size_t i = 0; i < joined.size(); ++i) {
      for (std::size_t k = i + 1; k < joined.size(); ++k) exclude_numbers(joined[i], joined[k]);
    }
  }
}

bool ShapeContacts::is_excluded(Index first, Index second) const {
  if (excluded_.empty()) return false;
  const std::array<Index, 2> pair{std::min(first, second), std::max(first, second)};
  return std::binary_search(excluded_.begin(), excluded_.end(), pair);
}

std::array<std::size_t, 2> ShapeContacts::numbers_of(const DetectedContact& contact) const {
  const std::uint64_t pair = contact.feature >> meeting_bits;
  const std::array<std::size_t, 2> numbers{pair >> shape_bits, pair & (most_shapes - 1)};
  for (const std::size_t shape : numbers) {
    if (shape < places_.size()) continue;
    check::within(name_ + std::string("::shapes_of: feature"), static_cast<Index>(shape), 0,
                  static_cast<Index>(places_.size()) - 1);
  }
  return numbers;
}

std::array<ShapePlace, 2> ShapeContacts::shapes_of(const DetectedContact& contact) const {
  const auto [first, second] = numbers_of(contact);
  return {places_[first], places_[second]};
}

std::array<Index, 2> ShapeContacts::materials_of(const DetectedContact& contact) const {
  const auto [first, second] = numbers_of(contact);
  return {materials_[first], materials_[second]};
}

std::vector<std::optional<std::uint64_t>> ShapeContacts::features_after(const ContactSource& before,
                                                                        std::span<const std::uint64_t> features) const {
  std::vector<std::optional<std::uint64_t>> result(features.size());
  const ShapeContacts& own = *this;
  const auto* const old = dynamic_cast<const ShapeContacts*>(&before);
  if (!old || typeid(own) != typeid(before)) return result;
  const std::vector<Index> numbers = numbers_after(*old);
  const auto number_of = [&](std::uint64_t shape) { return shape < numbers.size() ? numbers[shape] : -1; };
  for (std::size_t i = 0; i < features.size(); ++i) {
    const std::uint64_t pair = features[i] >> meeting_bits;
    const Index first = number_of(pair >> shape_bits), second = number_of(pair & (most_shapes - 1));
    if (first < 0 || second <= first) continue;
    result[i] = feature_of(first, second, features[i] & ((std::uint64_t{1} << meeting_bits) - 1));
  }
  return result;
}

/// Of each number in features of another source the one of the same shape here, -1: there is none.
std::vector<Index> ShapeContacts::numbers_after(const ShapeContacts& before) const {
  const std::vector<Index> bodies = nonsmooth::places_of(before.bodies_, bodies_);
  const auto key = [](const ShapePlace& place) { return std::pair(place.body, place.place); };
  const auto at = [this](Index number) { return places_[static_cast<std::size_t>(number)]; };
  std::vector<Index> sorted(places_.size());
  for (std::size_t n = 0; n < places_.size(); ++n) sorted[n] = static_cast<Index>(n);
  std::stable_sort(sorted.begin(), sorted.end(), [&](Index one, Index other) { return key(at(one)) < key(at(other)); });
  std::vector<Index> numbers;
  std::size_t of_shape = 0;  // which of the numbers that one shape takes
  for (std::size_t n = 0; n < before.places_.size(); ++n) {
    ShapePlace place = before.places_[n];
    of_shape = n > 0 && before.places_[n - 1] == place ? of_shape + 1 : 0;
    if (place.body >= 0) place.body = bodies[static_cast<std::size_t>(place.body)];
    numbers.push_back(-1);
    if (place.body < 0 && before.places_[n].body >= 0) continue;
    const auto first = std::lower_bound(sorted.begin(), sorted.end(), place, [&](Index one, const ShapePlace& wanted) {
      return key(at(one)) < key(wanted);
    });
    const auto place_of_it = static_cast<std::size_t>(first - sorted.begin()) + of_shape;
    if (place_of_it < sorted.size() && at(sorted[place_of_it]) == place) numbers.back() = sorted[place_of_it];
  }
  return numbers;
}

void ShapeContacts::refuse_shape(const ShapePlace& place, const InvalidArgument& refusal) const {
  throw InvalidArgument(name_ + (": " + name_of(place)) + ": " + refusal.argument(), refusal.found(),
                        refusal.expected());
}

void ShapeContacts::require_laws(const std::vector<ShapeOfMaterial>& shapes) const {
  // Of each kind of shapes the first, and the first of another body: two kinds may touch where some of these do.
  std::map<std::tuple<Index, std::uint32_t, std::uint32_t>, std::vector<const ShapeOfMaterial*>> kinds;
  for (const ShapeOfMaterial& shape : shapes) {
    if (shape.material < 0 || shape.material >= pairs_.num_materials()) {
      throw InvalidArgument(name_ + (": material of " + name_of(shape.place)), std::to_string(shape.material),
                            "0 to " + std::to_string(pairs_.num_materials() - 1));
    }
    auto& kind = kinds[{shape.material, shape.groups, shape.mask}];
    if (kind.empty() || (kind.size() == 1 && kind.front()->place.body != shape.place.body)) kind.push_back(&shape);
  }
  for (const auto& [key, kind] : kinds) {
    for (const auto& [other_key, other_kind] : kinds) {
      const ShapeOfMaterial &one = *kind.front(), &other = *other_kind.front();
      if (pairs_.law(one.material, other.material) >= 0 || (one.groups & other.mask) == 0 ||
          (other.groups & one.mask) == 0)
        continue;
      for (const ShapeOfMaterial* first : kind) {
        for (const ShapeOfMaterial* second : other_kind) {
          if (first->place.body == second->place.body || first->place.body < 0) continue;
          throw InvalidArgument(name_ + std::string(": laws"),
                                name_of(first->place) + " of " + pairs_.name(first->material) + " and " +
                                    name_of(second->place) + " of " + pairs_.name(second->material) +
                                    ", which have no law",
                                "a law by ContactMaterials::set_law for all materials that may touch, or groups and "
                                "masks of shapes that never do");
        }
      }
    }
  }
}

}  // namespace nonsmooth
