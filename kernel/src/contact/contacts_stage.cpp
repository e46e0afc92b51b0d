// SPDX-License-Identifier: Apache-2.0
// Contacts found anew each step: their velocities at t_k, and P of the bodies they act on.
#include <nonsmooth/numerics/error.hpp>

#include "contact_set.hpp"
#include "model/guarded.hpp"

namespace nonsmooth::stages {
namespace {

constexpr Index kContactGrain = 512;  ///< contacts a chunk

/// u of a contact: rows (N, T).
inline void contact_velocity(const PlanarContact& contact, const double* v_first, const double* v_second, double* u) {
  for (std::size_t row = 0; row < 2; ++row) {
    double sum = 0.0;
    for (std::size_t c = 0; c < 3; ++c) sum += contact.H_first[3 * row + c] * v_first[c];
    if (v_second) {
      for (std::size_t c = 0; c < 3; ++c) sum += contact.H_second[3 * row + c] * v_second[c];
    }
    u[row] = sum;
  }
}

/// How far rounding alone may have lifted a contact that pressed with impulse p in the last step, or was set up closed.
double lift(const PlanarContact& contact, std::size_t source, double p, const StepView& step,
            const SystemCaches& systems, const ContactSearch& search) {
  const std::vector<Index>& bodies = search.source_systems[source];
  double terms = std::abs(contact.H_first[5]), inverse_mass = 0.0;  // the lever arm, then what the gap is made of
  const auto add = [&](const std::array<double, 6>& H, Index body) {
    const double* q = search.bodies_q.data() + 3 * body;
    const double* inverse = systems.diagonal_inverse(bodies[static_cast<std::size_t>(body)]);
    terms += std::abs(H[0] * q[0]) + std::abs(H[1] * q[1]);
    for (std::size_t k = 0; k < 3; ++k) inverse_mass += H[k] * H[k] * inverse[k];
  };
  add(contact.H_first, contact.first);
  if (contact.second >= 0) add(contact.H_second, contact.second);
  return lift_by_rounding(terms, step.h() * inverse_mass * p);
}

/// Contacts that a projection closed in this step, where they are not among those found: at their place in the order.
void add_joining(const StepView& step, const Joining& joining, ContactSet& contacts) {
  for (std::size_t j = 0; j < joining.contacts.size(); ++j) {
    const auto identity = std::pair(joining.source[j], joining.contacts[j].feature);
    std::size_t at = 0;
    while (at < contacts.contacts.size() && std::pair(contacts.source[at], contacts.contacts[at].feature) < identity)
      ++at;
    if (at < contacts.contacts.size() && std::pair(contacts.source[at], contacts.contacts[at].feature) == identity)
      continue;
    const PlanarContact& contact = joining.contacts[j];
    const auto velocity = [&](Index system) { return step.state.unknowns.data() + step.system(system).z; };
    double u[2];
    contact_velocity(contact, velocity(contact.first), contact.second >= 0 ? velocity(contact.second) : nullptr, u);
    const auto place = static_cast<std::ptrdiff_t>(at);
    contacts.contacts.insert(contacts.contacts.begin() + place, contact);
    contacts.source.insert(contacts.source.begin() + place, joining.source[j]);
    contacts.u.insert(contacts.u.begin() + 2 * place, u, u + 2);
  }
}

}  // namespace

void prepare_sources(const NonSmoothDynamicalSystem& model, const Discretisation& discretisation,
                     const SystemCaches& systems, ContactSearch& search) {
  search.source_systems.clear();
  for (const auto& source : model.sources()) {
    std::vector<Index> bodies;
    for (const SystemHandle& handle : source->bodies()) bodies.push_back(discretisation.layout->index(handle));
    for (const Index body : bodies) {
      if (!systems.diagonal_inverse(body)) {
        throw InvalidArgument("ContactSource::bodies", discretisation.system(body).name,
                              "bodies of constant diagonal mass, damping and stiffness, under MoreauJean");
      }
    }
    search.source_systems.push_back(std::move(bodies));
  }
}

void ask_source(const NonSmoothDynamicalSystem& model, std::size_t source, const State& state,
                const Discretisation& discretisation, ContactSearch& search) {
  const std::vector<Index>& systems = search.source_systems[source];
  const auto bodies = static_cast<Index>(systems.size());
  search.bodies_q.resize(3 * bodies);
  search.bodies_v.resize(3 * bodies);
  for (Index b = 0; b < bodies; ++b) {
    const auto& place = discretisation.system(systems[static_cast<std::size_t>(b)]);
    search.bodies_q.segment<3>(3 * b) = state.positions.segment<3>(place.q);
    search.bodies_v.segment<3>(3 * b) = state.unknowns.segment<3>(place.z);
  }
  search.found.clear();
  guarded("a contact source", "detect", [&] {
    model.sources()[source]->detect(search.bodies_q, search.bodies_v, discretisation.forecast * discretisation.h,
                                    search.scratch, search.found);
  });
}

void detect_contacts(const NonSmoothDynamicalSystem& model, const StepView& step, const SystemCaches& systems,
                     const Joining& joining, ContactSearch& search, ContactSet& contacts) {
  contacts.clear();
  std::size_t memory = 0;  // both lists are sorted by source and feature
  for (std::size_t s = 0; s < model.sources().size(); ++s) {
    const std::vector<Index>& bodies = search.source_systems[s];
    const double horizon = step.discretisation.forecast * step.h();
    ask_source(model, s, step.state, step.discretisation, search);
    for (const PlanarContact& contact : search.found) {
      const double* first = search.bodies_v.data() + 3 * contact.first;
      const double* second = contact.second >= 0 ? search.bodies_v.data() + 3 * contact.second : nullptr;
      double u[2];
      contact_velocity(contact, first, second, u);
      const double forecast = contact.gap + horizon * u[0];
      if (!(forecast <= 0.0)) {
        const auto identity = std::pair(static_cast<std::uint64_t>(s), contact.feature);
        while (memory < step.state.contacts.size() &&
               std::pair(step.state.contacts[memory].source, step.state.contacts[memory].feature) < identity)
          ++memory;
        const bool known = memory < step.state.contacts.size() &&
                           step.state.contacts[memory].source == identity.first &&
                           step.state.contacts[memory].feature == identity.second;
        const double p = known ? step.state.contacts[memory].impulse_normal : 0.0;
        const bool rests = p > 0.0 || step.state.last_step == 0.0;
        if (!(rests && forecast <= lift(contact, s, p, step, systems, search))) continue;
      }
      contacts.contacts.push_back(contact);
      contacts.contacts.back().first = bodies[static_cast<std::size_t>(contact.first)];
      if (contact.second >= 0) contacts.contacts.back().second = bodies[static_cast<std::size_t>(contact.second)];
      contacts.source.push_back(static_cast<Index>(s));
      contacts.u.push_back(u[0]);
      contacts.u.push_back(u[1]);
    }
  }
  add_joining(step, joining, contacts);
  const auto count = static_cast<Index>(contacts.contacts.size());
  if (contacts.p.size() < static_cast<std::size_t>(12 * count)) contacts.p.resize(static_cast<std::size_t>(12 * count));
  step.discretisation.threads.for_each_range(count, kContactGrain, [&](Index begin, Index end) {
    for (Index c = begin; c < end; ++c) {
      const PlanarContact& contact = contacts.contacts[static_cast<std::size_t>(c)];
      double* P = contacts.p.data() + 12 * c;
      const double* inverse = systems.diagonal_inverse(contact.first);
      for (std::size_t i = 0; i < 6; ++i) P[i] = contact.H_first[i] * inverse[i % 3];
      if (contact.second >= 0) {
        inverse = systems.diagonal_inverse(contact.second);
        for (std::size_t i = 0; i < 6; ++i) P[6 + i] = contact.H_second[i] * inverse[i % 3];
      }
    }
  });
}

}  // namespace nonsmooth::stages
