// SPDX-License-Identifier: Apache-2.0
// Sources of contacts of a model: they come, are replaced and go, or are linked; what states keep of their contacts.
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <internal/check.hpp>
#include <nonsmooth/kernel/filtered_contacts.hpp>
#include <nonsmooth/kernel/model.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "impact_matrix.hpp"
#include "numbers.hpp"
#include "prepared_law.hpp"

namespace nonsmooth {
namespace {

/// The same source that two revisions have, or what replaced it.
template <class Sources>
auto with_number(Sources& sources, std::uint32_t number) {
  return std::find_if(sources.begin(), sources.end(), [number](const auto& own) { return own.number == number; });
}

/// In the place of the other, of the same systems and name, an interaction can keep its handle, and states what they
/// know of it.
bool goes_on_as(const NonSmoothDynamicalSystem::InteractionRecord& was,
                const NonSmoothDynamicalSystem::InteractionRecord& now) {
  return was.rows == now.rows && was.law->size == now.law->size && was.law->auxiliary == now.law->auxiliary &&
         was.law->memory == now.law->memory && was.law->impact.kind == now.law->impact.kind;
}

bool in_order(const ContactMemory& one, const ContactMemory& other) {
  return std::tie(one.source, one.feature) < std::tie(other.source, other.feature);
}
bool have_one_name(const ContactMemory& one, const ContactMemory& other) {
  return one.source == other.source && one.feature == other.feature;
}

/// The contacts of one source as another names them: filters change no name.
void rename(const ContactSource& before, const ContactSource& after, std::vector<ContactMemory>& contacts) {
  const ContactSource &was = FilteredContacts::under(before), &is = FilteredContacts::under(after);
  if (&was == &is) return;
  std::vector<std::uint64_t> features;
  for (const ContactMemory& contact : contacts) features.push_back(contact.feature);
  const auto names = is.features_after(was, features);
  check::size("ContactSource::features_after", static_cast<Index>(names.size()), static_cast<Index>(features.size()),
              "one a feature");
  std::size_t kept = 0;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    if (!names[i]) continue;
    contacts[kept] = contacts[i];
    contacts[kept++].feature = *names[i];
  }
  contacts.resize(kept);
}

}  // namespace

void NonSmoothDynamicalSystem::check_source(const ContactSource* source) const {
  if (!source) throw InvalidArgument("ContactSource", "a null pointer", "a source of contacts");
  const auto [coordinates, velocities] = source->body_size();
  std::vector<std::uint32_t> slots;
  for (const SystemHandle& handle : source->bodies()) {
    const System& system = at(handle);
    if (system.nq == 0 || (coordinates > 0 && (system.nq != coordinates || system.n != velocities))) {
      throw InvalidArgument(
          "ContactSource::bodies",
          system.name + " of " + std::to_string(system.nq) + " coordinates and " + std::to_string(system.n) +
              " velocities",
          "mechanical systems" + (coordinates > 0 ? " of " + std::to_string(coordinates) + " coordinates and " +
                                                        std::to_string(velocities) + " velocities"
                                                  : ""));
    }
    slots.push_back(handle.slot);
  }
  std::sort(slots.begin(), slots.end());
  const auto twice = std::adjacent_find(slots.begin(), slots.end());
  if (twice != slots.end())
    throw InvalidArgument("ContactSource::bodies", systems_[*twice].name + " more than once",
                          "each body once: features tell contacts apart by it");
  for (const Law& law : source->laws()) {
    const PreparedLaw own = describe::prepare_law(law.pointer(), {});
    const bool plain = own.parts.size() == 1 && own.coupling.size() == 0 && own.offset.size() == 0 && own.memory == 0 &&
                       own.stiffness == 0.0 && !own.decides && own.level == LawLevel::Velocity &&
                       own.varies != LawVaries::Iterate;
    if (!plain || !own.unilateral || !own.has_impacts()) {
      throw InvalidArgument(
          "ContactSource::laws", "one that contacts found anew cannot have",
          "NewtonImpactLaw, NewtonImpactFrictionLaw, NewtonImpactRollingFrictionLaw, "
          "StaticKineticFrictionLaw, PoissonImpactLaw, LiuZhaoBrogliatoImpactLaw or a unilateral law of a "
          "user");
    }
  }
}

void NonSmoothDynamicalSystem::count_uses(const ContactSource& source, Index change) {
  for (const SystemHandle& handle : source.bodies()) systems_[handle.slot].uses += change;
}

SourceHandle NonSmoothDynamicalSystem::detect(std::shared_ptr<const ContactSource> source) {
  check_source(source.get());
  count_uses(*source, 1);
  sources_.push_back(std::move(source));
  source_numbers_.push_back(next_number());
  touch();
  return {model_, source_numbers_.back()};
}

NonSmoothDynamicalSystem::SourcePlace NonSmoothDynamicalSystem::at(SourceHandle handle) const {
  if (handle.model != model_)
    throw InvalidArgument("contact source handle", "a handle of another model", "one of this model");
  const auto own = std::find(source_numbers_.begin(), source_numbers_.end(), handle.number);
  if (own != source_numbers_.end()) return {static_cast<std::size_t>(own - source_numbers_.begin()), false};
  const auto linked = with_number(linked_sources_, handle.number);
  if (linked != linked_sources_.end()) return {static_cast<std::size_t>(linked - linked_sources_.begin()), true};
  throw InvalidArgument("contact source handle", "a stale handle (removed), or one newer than this revision",
                        "a contact source that this revision has");
}

const std::shared_ptr<const ContactSource>& NonSmoothDynamicalSystem::source(SourceHandle handle) const {
  const SourcePlace place = at(handle);
  return place.linked ? linked_sources_[place.number].source : sources_[place.number];
}

std::vector<std::shared_ptr<const ContactSource>> NonSmoothDynamicalSystem::linked_sources() const {
  std::vector<std::shared_ptr<const ContactSource>> sources;
  for (const LinkedSource& linked : linked_sources_) sources.push_back(linked.source);
  return sources;
}

void NonSmoothDynamicalSystem::replace(SourceHandle handle, std::shared_ptr<const ContactSource> source) {
  const SourcePlace place = at(handle);
  check_source(source.get());
  if (std::any_of(coefficient_rules_.begin(), coefficient_rules_.end(),
                  [handle](const CoefficientRule& rule) { return rule.has_source(handle.number); }))
    describe::check_laws_of_rule(*source);
  if (place.linked) {
    NonSmoothDynamicalSystem changed = *this;
    LinkedSource& linked = changed.linked_sources_[place.number];
    changed.count_uses(*linked.source, -1);
    changed.count_uses(*source, 1);
    linked.source = std::move(source);
    changed.relink(linked);
    *this = std::move(changed);
    return;
  }
  count_uses(*sources_[place.number], -1);
  count_uses(*source, 1);
  sources_[place.number] = std::move(source);
  touch();
}

void NonSmoothDynamicalSystem::remove(SourceHandle handle) {
  const SourcePlace place = at(handle);
  const auto number = static_cast<std::ptrdiff_t>(place.number);
  count_uses(*source(handle), -1);
  if (place.linked) {
    for (const InteractionHandle& pair : linked_sources_[place.number].interactions) {
      if (lives(pair)) remove(pair);
    }
    linked_sources_.erase(linked_sources_.begin() + number);
  } else {
    sources_.erase(sources_.begin() + number);
    source_numbers_.erase(source_numbers_.begin() + number);
  }
  describe::forget_source(handle.number, coefficient_rules_);
  touch();
}

NonSmoothDynamicalSystem::InteractionRecord NonSmoothDynamicalSystem::make_record(Interaction pair,
                                                                                  std::uint32_t source) const {
  if (!pair.shapes) {  // of a user's source: the only shapes of its bodies
    const std::vector<SystemHandle>& bodies = this->source({model_, source})->bodies();
    pair.shapes.emplace();
    for (std::size_t k = 0; k < std::min<std::size_t>(pair.systems.size(), 2); ++k) {
      const auto body = std::find(bodies.begin(), bodies.end(), pair.systems[k]);
      if (body != bodies.end()) pair.shapes->places[k].body = body - bodies.begin();
    }
  }
  InteractionRecord record = make_record(std::move(pair));
  record.source = source;
  return record;
}

void NonSmoothDynamicalSystem::link_sources() {
  if (sources_.empty()) return;
  // Revisions are 32 bits long (next_number): those of linked sources follow from them by one more.
  constexpr std::uint64_t kLinked = std::uint64_t{1} << 32;
  NonSmoothDynamicalSystem linked = *this;
  for (std::size_t s = 0; s < sources_.size(); ++s) {
    LinkedSource own{sources_[s], source_numbers_[s], {}};
    for (Interaction& pair : sources_[s]->pairs(*this)) {
      InteractionHandle handle = linked.add_record(linked.make_record(std::move(pair), source_numbers_[s]));
      handle.generation = static_cast<std::uint32_t>(revision_);
      linked.interactions_[handle.slot].generation = handle.generation;
      own.interactions.push_back(handle);
    }
    linked.linked_sources_.push_back(std::move(own));
  }
  linked.sources_.clear();
  linked.source_numbers_.clear();
  linked.sources_linked_in_ = revision_;
  linked.revision_ = revision_ | kLinked;
  linked.layout_.reset();
  *this = std::move(linked);
}

void NonSmoothDynamicalSystem::relink(LinkedSource& linked) {
  /// Named as its source did: empty where it did not.
  struct Pair {
    InteractionHandle handle;
    std::string name;
    bool goes_on = false;
  };
  std::vector<Pair> before;
  for (const InteractionHandle& handle : linked.interactions) {
    if (!lives(handle)) continue;
    const std::string& name = interactions_[handle.slot].name;
    before.push_back({handle, name == default_name(handle.slot) ? std::string() : name});
  }
  linked.interactions.clear();
  const auto key_of = [this](const Pair& pair) { return std::tie(interactions_[pair.handle.slot].systems, pair.name); };
  // Pairs of one key go on in the order in which they were given.
  std::stable_sort(before.begin(), before.end(),
                   [&](const Pair& one, const Pair& other) { return key_of(one) < key_of(other); });
  std::vector<std::pair<std::size_t, InteractionRecord>> added;  // with their places among the pairs
  for (Interaction& pair : linked.source->pairs(*this)) {
    InteractionRecord record = make_record(std::move(pair), linked.number);
    const auto key = std::tie(record.systems, record.name);
    auto at = std::lower_bound(before.begin(), before.end(), key,
                               [&](const Pair& one, const auto& wanted) { return key_of(one) < wanted; });
    const auto fits = [&](const Pair& own) {
      return !own.goes_on && goes_on_as(interactions_[own.handle.slot], record);
    };
    while (at != before.end() && key_of(*at) == key && !fits(*at)) ++at;
    if (at == before.end() || key_of(*at) != key) {
      added.emplace_back(linked.interactions.size(), std::move(record));
      linked.interactions.emplace_back();
      continue;
    }
    at->goes_on = true;
    InteractionRecord& own = interactions_[at->handle.slot];
    record.generation = at->handle.generation;
    record.name = own.name;
    own = std::move(record);
    linked.interactions.push_back(at->handle);
  }
  for (const Pair& pair : before) {
    if (!pair.goes_on) remove(pair.handle);
  }
  for (auto& [place, record] : added) linked.interactions[place] = add_record(std::move(record));
  touch();
}

void NonSmoothDynamicalSystem::carry_contacts(const State& old, State& state) const {
  state.contacts.clear();
  const std::vector<Layout::Source>&before = old.layout()->sources, &now = state.layout()->sources;
  std::vector<ContactMemory> own;
  for (std::size_t s = 0; s < now.size(); ++s) {
    const auto was = with_number(before, now[s].number);
    if (was == before.end()) continue;
    const auto number = static_cast<std::uint32_t>(was - before.begin());
    own.clear();
    std::copy_if(old.contacts.begin(), old.contacts.end(), std::back_inserter(own),
                 [number](const ContactMemory& contact) { return contact.source == number; });
    if (was->source != now[s].source) rename(*was->source, *now[s].source, own);
    for (ContactMemory& contact : own) {
      contact.source = static_cast<std::uint32_t>(s);
      contact.sleeper = -1;  // an edit wakes all
    }
    state.contacts.insert(state.contacts.end(), own.begin(), own.end());
  }
  std::stable_sort(state.contacts.begin(), state.contacts.end(), in_order);
  state.contacts.erase(std::unique(state.contacts.begin(), state.contacts.end(), have_one_name), state.contacts.end());
}

}  // namespace nonsmooth
