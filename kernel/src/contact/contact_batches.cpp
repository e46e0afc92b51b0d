// SPDX-License-Identifier: Apache-2.0
// Contacts of one shape in flat arrays, and the bodies that a source finds them between.
#include <algorithm>

#include <internal/check.hpp>
#include <nonsmooth/kernel/model.hpp>

#include "contact_set.hpp"

namespace nonsmooth {
namespace {

bool by_feature(const DetectedContact& contact, std::uint64_t feature) { return contact.feature < feature; }

[[noreturn]] void refuse_contact(const SourceBodies& bodies, std::uint64_t feature, const char* what,
                                 const char* expected) {
  throw InvalidArgument("contact " + std::to_string(feature) + " of " + bodies.name, what, expected);
}

/// Both in ascending order of features.
void refuse_common_feature(const SourceBodies& bodies, const ContactBatch& one, const ContactBatch& other) {
  auto left = one.contacts.begin(), right = other.contacts.begin();
  while (left != one.contacts.end() && right != other.contacts.end()) {
    if (left->feature == right->feature)
      refuse_contact(bodies, left->feature, "in two batches", "a feature of its own for each contact of a source");
    ++(left->feature < right->feature ? left : right);
  }
}

}  // namespace

void ContactBatch::add(const DetectedContact& contact, std::span<const double> first, std::span<const double> second,
                       std::span<const double> own_velocity) {
  const auto size_of = [](Index number) { return static_cast<std::size_t>(number); };
  const std::size_t size_second = size_of(rows * columns_second);
  if (first.size() != size_of(rows * columns_first) || second.size() != (contact.second >= 0 ? size_second : 0) ||
      (!own_velocity.empty() && own_velocity.size() != size_of(rows))) {
    throw InvalidArgument("ContactBatch::add", "rows of other sizes",
                          "rows x columns of each body, nothing for the ground, and h_t of as many rows or none");
  }
  double* entries = append(contact);
  entries = std::copy(first.begin(), first.end(), entries);
  std::copy(second.begin(), second.end(), entries);
  if (own_velocity.empty()) return;
  h_t.resize(size_of(rows) * contacts.size());
  std::copy(own_velocity.begin(), own_velocity.end(), h_t.end() - rows);
}

double* ContactBatch::append(const DetectedContact& contact) {
  contacts.push_back(contact);
  const std::size_t begin = H.size();
  H.resize(begin + static_cast<std::size_t>(stride()));
  if (!h_t.empty()) h_t.resize(h_t.size() + static_cast<std::size_t>(rows));
  return H.data() + begin;
}

void ContactBatch::clear() {
  contacts.clear();
  H.clear();
  h_t.clear();
}

ContactBatch& ContactBatches::of(Index rows, Index columns_first, Index columns_second) {
  for (ContactBatch& batch : batches_) {
    if (batch.rows == rows && batch.columns_first == columns_first && batch.columns_second == columns_second)
      return batch;
  }
  check::within("ContactBatches::of: rows", rows, 1, 6);
  check::within("ContactBatches::of: columns_first", columns_first, 1, check::most_dense_rows);
  check::within("ContactBatches::of: columns_second", columns_second, 0, check::most_dense_rows);
  check::within("ContactBatches::of: shapes", static_cast<Index>(batches_.size()) + 1, 1, ContactSet::most_shapes);
  batches_.push_back({.rows = rows, .columns_first = columns_first, .columns_second = columns_second});
  return batches_.back();
}

void ContactBatches::clear() {
  for (ContactBatch& batch : batches_) batch.clear();
}

Index ContactBatches::num_contacts() const {
  Index sum = 0;
  for (const ContactBatch& batch : batches_) sum += batch.size();
  return sum;
}

SourceBodies::SourceBodies(const Layout& layout, const ContactSource& source) {
  Index num_q = 0, num_v = 0;
  for (const SystemHandle body : source.bodies()) {
    const Layout::System& place = layout.at(body);
    systems.push_back(layout.index(body));
    q_begin.push_back(num_q);
    v_begin.push_back(num_v);
    const bool goes_on = !runs_.empty() && runs_.back().q + runs_.back().num_q == place.q &&
                         runs_.back().z + runs_.back().num_v == place.z;
    if (!goes_on) runs_.push_back({.q = place.q, .z = place.z, .first_q = num_q, .first_v = num_v});
    runs_.back().num_q += place.nq;
    runs_.back().num_v += place.n;
    num_q += place.nq;
    num_v += place.n;
  }
  name = "the contact source";
  if (!systems.empty()) {
    const auto name_of = [&](Index system) { return layout.systems[static_cast<std::size_t>(system)].name; };
    name += " of " + name_of(systems.front());
    if (systems.size() > 1) name += (systems.size() > 2 ? " to " : " and ") + name_of(systems.back());
  }
  q_begin.push_back(num_q);
  v_begin.push_back(num_v);
  q_.resize(num_q);
  v_.resize(num_v);
  asleep_.reserve(systems.size());
}

BodyView SourceBodies::at(const State& state, const Eigen::VectorXd& z, const std::vector<char>& asleep) {
  asleep_.clear();
  if (!asleep.empty()) {
    for (const Index system : systems) asleep_.push_back(asleep[static_cast<std::size_t>(system)]);
  }
  if (runs_.size() == 1) {
    const Run& all = runs_.front();
    return {state.t, state.positions.segment(all.q, all.num_q), z.segment(all.z, all.num_v), q_begin, v_begin, asleep_};
  }
  for (const Run& run : runs_) {
    std::copy_n(state.positions.data() + run.q, run.num_q, q_.data() + run.first_q);
    std::copy_n(z.data() + run.z, run.num_v, v_.data() + run.first_v);
  }
  return {state.t, q_, v_, q_begin, v_begin, asleep_};
}

ContactBatches contacts_at(const State& state, const ContactSource& source, double horizon) {
  if (!state.layout()) throw InvalidArgument("contacts_at: state", "a state of no model", "a state of a model");
  SourceBodies bodies(*state.layout(), source);
  std::vector<Index> scratch;
  ContactBatches found;
  source.detect(bodies.at(state, state.unknowns), horizon, scratch, found);
  std::vector<Index> law_rows;
  for (const Law& law : source.laws()) law_rows.push_back(describe::prepare_law(law.pointer(), {}).size);
  stages::check_found(bodies, law_rows, found);
  return found;
}

void ContactSet::list_places() {
  places.clear();
  Index next_u = 0, next_P = 0;
  for (std::size_t s = 0; s < found.size(); ++s) {
    for (const ContactBatch& batch : found[s]) {
      if (batch.contacts.empty()) continue;
      places.push_back({static_cast<Index>(s), &batch, next_u, next_P});
      next_u += batch.rows * batch.size();
      next_P += batch.stride() * batch.size();
    }
  }
}

bool ContactSet::has(Index source, std::uint64_t feature) const {
  return std::any_of(places.begin(), places.end(), [&](const Place& place) {
    if (place.source != source) return false;
    const std::vector<DetectedContact>& contacts = place.batch->contacts;
    const auto at = std::lower_bound(contacts.begin(), contacts.end(), feature, by_feature);
    return at != contacts.end() && at->feature == feature;
  });
}

namespace stages {

void check_found(const SourceBodies& bodies, const std::vector<Index>& law_rows, const ContactBatches& found) {
  const auto count = static_cast<Index>(bodies.systems.size());
  const std::vector<Index>& begin = bodies.v_begin;
  const auto fits = [&](Index body, Index columns) {
    const auto b = static_cast<std::size_t>(body);
    return body >= 0 && body < count && begin[b + 1] - begin[b] == columns;
  };
  for (auto batch = found.begin(); batch != found.end(); ++batch) {
    const DetectedContact* last = nullptr;
    bool sound = batch->H.size() == static_cast<std::size_t>(batch->size() * batch->stride()) &&
                 (batch->h_t.empty() || batch->h_t.size() == static_cast<std::size_t>(batch->size() * batch->rows));
    for (const DetectedContact& contact : batch->contacts) {
      sound = sound && fits(contact.first, batch->columns_first) &&
              (contact.second < 0 || fits(contact.second, batch->columns_second)) && contact.law >= 0 &&
              contact.law < static_cast<Index>(law_rows.size()) &&
              law_rows[static_cast<std::size_t>(contact.law)] == batch->rows &&
              (!last || last->feature < contact.feature);
      if (!sound) {
        refuse_contact(bodies, contact.feature, "features out of order or what does not fit",
                       "ascending features, bodies of the source with as many velocities as the batch has columns, "
                       "and a law of the source with as many rows");
      }
      last = &contact;
    }
    for (auto before = found.begin(); before != batch; ++before) refuse_common_feature(bodies, *before, *batch);
  }
}

bool insert_contact(const ContactBatch& from, Index i, double gap, ContactBatches& to) {
  const DetectedContact& contact = from.contacts[static_cast<std::size_t>(i)];
  ContactBatch& batch = to.of(from.rows, from.columns_first, from.columns_second);
  const auto place = std::lower_bound(batch.contacts.begin(), batch.contacts.end(), contact.feature, by_feature);
  if (place != batch.contacts.end() && place->feature == contact.feature) return false;
  const auto at = place - batch.contacts.begin();
  if (const double* own = from.h_t_of(i); own != nullptr || !batch.h_t.empty()) {
    if (batch.h_t.empty()) batch.h_t.resize(static_cast<std::size_t>(batch.rows * batch.size()));
    const auto entry = batch.h_t.insert(batch.h_t.begin() + at * batch.rows, static_cast<std::size_t>(batch.rows), 0.0);
    if (own) std::copy_n(own, batch.rows, entry);
  }
  batch.H.insert(batch.H.begin() + at * batch.stride(), from.H_first(i), from.H_first(i) + from.stride());
  batch.contacts.insert(place, contact)->gap = gap;
  return true;
}

}  // namespace stages
}  // namespace nonsmooth
