// SPDX-License-Identifier: Apache-2.0
// Contacts found anew each step: their velocities at t_k, and P of the bodies they act on.
#include "stepping/plan.hpp"

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
double lift(const PlanarContact& contact, const std::vector<Index>& systems, double p, const Plan& plan) {
  double terms = std::abs(contact.H_first[5]), inverse_mass = 0.0;  // the lever arm, then what the gap is made of
  const auto add = [&](const std::array<double, 6>& H, Index body) {
    const double* q = plan.bodies_q.data() + 3 * body;
    const double* inverse = plan.a_inverse.data() + plan.system(systems[static_cast<std::size_t>(body)]).z;
    terms += std::abs(H[0] * q[0]) + std::abs(H[1] * q[1]);
    for (std::size_t k = 0; k < 3; ++k) inverse_mass += H[k] * H[k] * inverse[k];
  };
  add(contact.H_first, contact.first);
  if (contact.second >= 0) add(contact.H_second, contact.second);
  return lift_by_rounding(terms, plan.h * inverse_mass * p);
}

/// Contacts that a projection closed in this step, where they are not among those found: at their place in the order.
void add_joining(const State& state, Plan& plan) {
  for (std::size_t j = 0; j < plan.joining.size(); ++j) {
    const auto identity = std::pair(plan.joining_source[j], plan.joining[j].feature);
    std::size_t at = 0;
    while (at < plan.contacts.size() && std::pair(plan.contact_source[at], plan.contacts[at].feature) < identity) ++at;
    if (at < plan.contacts.size() && std::pair(plan.contact_source[at], plan.contacts[at].feature) == identity)
      continue;
    const PlanarContact& contact = plan.joining[j];
    const auto velocity = [&](Index system) { return state.unknowns.data() + plan.system(system).z; };
    double u[2];
    contact_velocity(contact, velocity(contact.first), contact.second >= 0 ? velocity(contact.second) : nullptr, u);
    const auto place = static_cast<std::ptrdiff_t>(at);
    plan.contacts.insert(plan.contacts.begin() + place, contact);
    plan.contact_source.insert(plan.contact_source.begin() + place, plan.joining_source[j]);
    plan.contact_u.insert(plan.contact_u.begin() + 2 * place, u, u + 2);
  }
}

}  // namespace

void ask_source(const ContactSource& source, const std::vector<Index>& systems, const State& state, Plan& plan) {
  const auto bodies = static_cast<Index>(systems.size());
  plan.bodies_q.resize(3 * bodies);
  plan.bodies_v.resize(3 * bodies);
  for (Index b = 0; b < bodies; ++b) {
    const auto& place = plan.system(systems[static_cast<std::size_t>(b)]);
    plan.bodies_q.segment<3>(3 * b) = state.positions.segment<3>(place.q);
    plan.bodies_v.segment<3>(3 * b) = state.unknowns.segment<3>(place.z);
  }
  plan.found.clear();
  guarded("a contact source", "detect",
          [&] { source.detect(plan.bodies_q, plan.bodies_v, plan.forecast * plan.h, plan.scratch, plan.found); });
}

void detect_contacts(const NonSmoothDynamicalSystem& model, const State& state, Plan& plan) {
  plan.active_stands = false;
  plan.contacts.clear();
  plan.contact_source.clear();
  plan.contact_u.clear();
  std::size_t memory = 0;  // both lists are sorted by source and feature
  for (std::size_t s = 0; s < model.sources().size(); ++s) {
    const auto& systems = plan.source_systems[s];
    const double horizon = plan.forecast * plan.h;
    ask_source(*model.sources()[s], systems, state, plan);
    for (const PlanarContact& contact : plan.found) {
      const double* first = plan.bodies_v.data() + 3 * contact.first;
      const double* second = contact.second >= 0 ? plan.bodies_v.data() + 3 * contact.second : nullptr;
      double u[2];
      contact_velocity(contact, first, second, u);
      const double forecast = contact.gap + horizon * u[0];
      if (!(forecast <= 0.0)) {
        const auto identity = std::pair(static_cast<std::uint64_t>(s), contact.feature);
        while (memory < state.contacts.size() &&
               std::pair(state.contacts[memory].source, state.contacts[memory].feature) < identity)
          ++memory;
        const bool known = memory < state.contacts.size() && state.contacts[memory].source == identity.first &&
                           state.contacts[memory].feature == identity.second;
        const double p = known ? state.contacts[memory].impulse_normal : 0.0;
        const bool rests = p > 0.0 || state.last_step == 0.0;
        if (!(rests && forecast <= lift(contact, systems, p, plan))) continue;
      }
      plan.contacts.push_back(contact);
      plan.contacts.back().first = systems[static_cast<std::size_t>(contact.first)];
      if (contact.second >= 0) plan.contacts.back().second = systems[static_cast<std::size_t>(contact.second)];
      plan.contact_source.push_back(static_cast<Index>(s));
      plan.contact_u.push_back(u[0]);
      plan.contact_u.push_back(u[1]);
    }
  }
  add_joining(state, plan);
  const auto count = static_cast<Index>(plan.contacts.size());
  if (plan.contact_p.size() < static_cast<std::size_t>(12 * count))
    plan.contact_p.resize(static_cast<std::size_t>(12 * count));
  plan.threads.for_each_range(count, kContactGrain, [&](Index begin, Index end) {
    for (Index c = begin; c < end; ++c) {
      const PlanarContact& contact = plan.contacts[static_cast<std::size_t>(c)];
      double* P = plan.contact_p.data() + 12 * c;
      const double* inverse = plan.a_inverse.data() + plan.system(contact.first).z;
      for (std::size_t i = 0; i < 6; ++i) P[i] = contact.H_first[i] * inverse[i % 3];
      if (contact.second >= 0) {
        inverse = plan.a_inverse.data() + plan.system(contact.second).z;
        for (std::size_t i = 0; i < 6; ++i) P[6 + i] = contact.H_second[i] * inverse[i % 3];
      }
    }
  });
}

}  // namespace nonsmooth::stages
