// SPDX-License-Identifier: Apache-2.0
// Which contacts take part in a step at linearised gaps: those that may close within it, whoever pushes.
#include <algorithm>
#include <cmath>

#include "active_set.hpp"
#include "contact_set.hpp"
#include "contact_velocity.hpp"
#include "model/guarded.hpp"
#include "pushes.hpp"

namespace nonsmooth::stages {
namespace {

using One = std::integral_constant<Index, 1>;

/// Rows of a contact times unknowns z; bodies are those of the source.
class VelocityOfContacts {
 public:
  VelocityOfContacts(const StepView& step, const std::vector<Index>& systems) : step_(step), systems_(systems) {}

  [[nodiscard]] Index system(Index body) const { return systems_[static_cast<std::size_t>(body)]; }
  /// The first `rows` of contact i.
  template <class Rows, class First, class Second>
  void of(const ContactBatch& batch, Index i, Rows rows, First first, Second second, const Eigen::VectorXd& z,
          double* u) const {
    const DetectedContact& contact = batch.contacts[static_cast<std::size_t>(i)];
    const auto velocity = [&](Index body) { return z.data() + step_.system(system(body)).z; };
    const Index stride = batch.rows * (first + second);
    contact_velocity(rows, batch.rows, first, second, batch.H.data() + i * stride, velocity(contact.first),
                     contact.second >= 0 ? velocity(contact.second) : nullptr, batch.h_t_of(i), u);
  }

 private:
  const StepView& step_;
  const std::vector<Index>& systems_;
};

void require_finite_contact(const DetectedContact& contact, double value, const char* what) {
  if (!std::isfinite(value))
    throw CallableFailure{"contact " + std::to_string(contact.feature) + " of a contact source: " + what};
}

/// Lists what the sources found, each with w = u_N + s without reactions.
void list_near(const StepView& step, const SourcePlan& source, const Eigen::VectorXd& z_free, const ContactBatch& batch,
               std::vector<NearContact>& near) {
  const VelocityOfContacts velocities(step, source.bodies.systems);
  with_sizes(batch, [&](auto, auto first, auto second) {
    for (Index i = 0; i < batch.size(); ++i) {
      const DetectedContact& contact = batch.contacts[static_cast<std::size_t>(i)];
      double before = 0.0, free = 0.0;
      velocities.of(batch, i, One{}, first, second, step.state.unknowns, &before);
      velocities.of(batch, i, One{}, first, second, z_free, &free);
      const BlockPlan& law = source.laws[static_cast<std::size_t>(contact.law)];
      const double w = free + rate_of_gap(law, step.h(), contact.gap, before);
      require_finite_contact(contact, w, "its gap or its normal row is not finite");
      near.push_back(
          {velocities.system(contact.first), contact.second < 0 ? -1 : velocities.system(contact.second), w});
    }
  });
}

/// a of each body: the change of velocity that its contacts may ask of it, the largest -w, and of others that reach it
/// through contacts what these leave, a - w. Passes go to and fro along the list, so that few of them do for a chain.
void spread_pushes(const std::vector<NearContact>& near, std::vector<double>& pushes) {
  constexpr int most_passes = 8;
  bool changed = true;
  const auto spread = [&](const NearContact& contact) {
    double& first = pushes[static_cast<std::size_t>(contact.first)];
    double fixed = 0.0;
    double& second = contact.second < 0 ? fixed : pushes[static_cast<std::size_t>(contact.second)];
    const double through = handed_on(contact.w, first, second);
    for (double* own : {&first, &second}) {
      if (!(through > *own)) continue;
      *own = through;
      changed = changed || own != &fixed;
    }
  };
  for (int pass = 0; pass < most_passes && changed; ++pass) {
    changed = false;
    if (pass % 2 == 0)
      std::for_each(near.begin(), near.end(), spread);
    else
      std::for_each(near.rbegin(), near.rend(), spread);
  }
}

/// Keeps contacts of a batch, whose first is number `next` of the list, and moves on to that behind its last.
void keep_in_reach(const StepView& step, const std::vector<Index>& systems, const ContactSearch& search,
                   std::size_t& next, ContactBatch& batch, std::vector<double>& u_before) {
  const VelocityOfContacts velocities(step, systems);
  const auto push = [&](Index system) { return system < 0 ? 0.0 : search.pushes[static_cast<std::size_t>(system)]; };
  with_sizes(batch, [&](auto rows, auto first, auto second) {
    keep_contacts(systems, batch, rows, first, second, [&](Index i) {
      const NearContact& near = search.near[next++];
      if (!(near.w <= step.discretisation.reach * std::max(push(near.first), push(near.second)))) return false;
      double own[6], sum = 0.0;
      velocities.of(batch, i, rows, first, second, step.state.unknowns, own);
      for_each_below(rows, [&](Index r) { sum += own[r]; });
      require_finite_contact(batch.contacts[static_cast<std::size_t>(i)], sum, "a tangential row is not finite");
      for_each_below(rows, [&](Index r) { u_before.push_back(own[r]); });
      return true;
    });
  });
}

}  // namespace

void select_in_reach(const StepView& step, const Eigen::VectorXd& z_free, ContactSearch& search, ContactSet& contacts) {
  search.near.clear();
  for (std::size_t s = 0; s < search.sources.size(); ++s) {
    for (const ContactBatch& batch : contacts.found[s]) list_near(step, search.sources[s], z_free, batch, search.near);
  }
  search.pushes.assign(step.discretisation.layout->systems.size(), 0.0);
  spread_pushes(search.near, search.pushes);
  std::size_t next = 0;
  for (std::size_t s = 0; s < search.sources.size(); ++s) {
    for (ContactBatch& batch : contacts.found[s])
      keep_in_reach(step, search.sources[s].bodies.systems, search, next, batch, contacts.u);
  }
}

}  // namespace nonsmooth::stages
