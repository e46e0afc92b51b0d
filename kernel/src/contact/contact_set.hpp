// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <internal/round_off.hpp>
#include <nonsmooth/kernel/contact_source.hpp>

#include "dynamics/system_caches.hpp"

namespace nonsmooth {

/// The bodies of contact sources, and what a source found when it was asked last.
struct ContactSearch {
  std::vector<std::vector<Index>> source_systems;  ///< by source: system of each body
  Eigen::VectorXd bodies_q, bodies_v;
  std::vector<Index> scratch;
  std::vector<PlanarContact> found;  ///< bodies as the source numbers them
};

/// Detected contacts that act in a step, bodies as systems; sorted by source and feature.
struct ContactSet {
  std::vector<PlanarContact> contacts;
  std::vector<Index> source;  ///< by contact
  std::vector<double> u;      ///< 2 a contact, at t_k
  std::vector<double> p;      ///< 12 a contact

  void clear() {
    contacts.clear();
    source.clear();
    u.clear();
  }
};

/// What a projection closed in this step: it is to act when the step is solved again.
struct Joining {
  std::vector<char> blocks;             ///< by model block
  std::vector<PlanarContact> contacts;  ///< detected ones, bodies as systems; sorted
  std::vector<Index> source;            ///< by contact

  void clear() {
    blocks.clear();
    contacts.clear();
    source.clear();
  }
};

namespace stages {

/// The systems of the sources' bodies. @throws InvalidArgument for a body that is not diagonal.
void prepare_sources(const NonSmoothDynamicalSystem& model, const Discretisation& discretisation,
                     const SystemCaches& systems, ContactSearch& search);
/// What source number `source` of a model finds among its bodies at a state, into search.found.
void ask_source(const NonSmoothDynamicalSystem& model, std::size_t source, const State& state,
                const Discretisation& discretisation, ContactSearch& search);
/// Contacts at t_k, with the velocity there.
void detect_contacts(const NonSmoothDynamicalSystem& model, const StepView& step, const SystemCaches& systems,
                     const Joining& joining, ContactSearch& search, ContactSet& contacts);
/// How far a contact that rests may be lifted by rounding and still counts as closed: what a sum of terms of this
/// absolute size loses, and a small part of `fall`, the way that the last step would have gone without it: u+ = 0 is
/// met to eps of that speed, so that 10^7 steps of it in one direction stay below.
[[nodiscard]] inline double lift_by_rounding(double terms, double fall) { return 16.0 * eps * terms + 1e-8 * fall; }

}  // namespace stages
}  // namespace nonsmooth
