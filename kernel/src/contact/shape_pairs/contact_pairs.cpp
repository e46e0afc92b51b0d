// SPDX-License-Identifier: Apache-2.0
#include "contact_pairs.hpp"

#include <nonsmooth/kernel/model.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "model/prepared_law.hpp"

namespace nonsmooth {
namespace shape_pairs {

ContactPairs::ContactPairs(const NonSmoothDynamicalSystem& model, const ContactSource& source)
    : model_(model), source_(source) {
  for (const Law& law : source.laws()) {
    const PreparedLaw own = describe::prepare_law(law.pointer(), {});
    const BlockSet& set = own.parts.front().set;
    elliptic_.push_back(set.mu_2 >= 0.0 ? 1 : 0);
  }
}

std::string ContactPairs::body_name(Index body) const {
  if (body < 0) return "the ground";
  const SystemHandle handle = source_.bodies()[static_cast<std::size_t>(body)];
  return handle.slot < model_.systems().size() ? model_.systems()[handle.slot].name : "a body of another model";
}

void ContactPairs::add(Index first, Index second, AnyRelation relation, Index law, std::string name) {
  std::vector<SystemHandle> systems{source_.bodies()[static_cast<std::size_t>(first)]};
  if (second >= 0) systems.push_back(source_.bodies()[static_cast<std::size_t>(second)]);
  ContactShapes shapes = shapes_;
  PairSkins skins = skins_;
  skins.elliptic = elliptic_[static_cast<std::size_t>(law)] != 0;
  if (shapes.places[0].body != first) {
    std::swap(shapes.places[0], shapes.places[1]);
    std::swap(shapes.materials[0], shapes.materials[1]);
    skins.swap();
  }
  if (!skins.are_plain()) relation = dynamic_cast<const PairOfShapes&>(*relation.pointer()).with(std::move(skins));
  pairs_.push_back({std::move(systems), std::move(relation), source_.laws()[static_cast<std::size_t>(law)],
                    std::move(name), shapes});
}

}  // namespace shape_pairs

std::vector<Interaction> ContactSource::pairs(const NonSmoothDynamicalSystem&) const {
  throw InvalidArgument("ContactSource::pairs", "a source that finds contacts at a state alone",
                        "BodyContacts, DiskContacts, PlanarContacts or one with pairs() of its own; or time-stepping");
}

}  // namespace nonsmooth
