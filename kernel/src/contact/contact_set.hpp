// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <internal/round_off.hpp>
#include <nonsmooth/kernel/contact_source.hpp>

#include "dynamics/relations/relation_caches.hpp"
#include "dynamics/system_caches.hpp"
#include "model/equations/alpha_weights.hpp"

namespace nonsmooth {

/// The bodies of a source, with their coordinates one behind the other.
class SourceBodies {
 public:
  SourceBodies(const Layout& layout, const ContactSource& source);

  std::string name;                     ///< of the source, by its bodies
  std::vector<Index> systems;           ///< by body
  std::vector<Index> q_begin, v_begin;  ///< by body, and the end
  /// The bodies at a state, with velocities of unknowns z; valid until the next call, and as long as both stay. asleep:
  /// by system, or empty.
  [[nodiscard]] BodyView at(const State& state, const Eigen::VectorXd& z, const std::vector<char>& asleep = {});
  /// The contact is between bodies that sleep, as the last call had it.
  [[nodiscard]] bool sleep(const DetectedContact& contact) const {
    return BodyView{0.0, q_, v_, {}, {}, asleep_}.sleep(contact.first, contact.second);
  }

 private:
  /// Bodies whose coordinates lie one behind the other in a state too.
  struct Run {
    Index q = 0, z = 0, first_q = 0, first_v = 0, num_q = 0, num_v = 0;
  };
  std::vector<Run> runs_;
  Eigen::VectorXd q_, v_;
  std::vector<char> asleep_;
};

/// A source of contacts as a step sees it.
struct SourcePlan {
  explicit SourcePlan(SourceBodies own) : bodies(std::move(own)) {}

  SourceBodies bodies;
  std::uint64_t revision = 0;         ///< of the model that `prepared` was made for
  std::vector<PreparedLaw> prepared;  ///< by law
  std::vector<BlockPlan> laws;        ///< by law
  std::vector<Index> law_rows;        ///< by law
  std::vector<Index> law_group;       ///< by law, in ContactSearch::laws; -1: it is not asked in a step
  bool diagonal = true;               ///< all bodies are
  int patch_bits = 0;                 ///< of features, see ContactSource
};

/// Laws of one class, of all sources: one virtual call a stage for the contacts that obey them.
struct ContactLaws {
  const PreparedLaw* first = nullptr;
  std::vector<LawPlace> places;  ///< of the contacts of this step
};

/// What a contact that was found is to those of its bodies, by system, second -1: the ground. w = u_N + s without
/// reactions is the normal row's part of q: what closes without them has w < 0.
struct NearContact {
  Index first = 0, second = -1;
  double w = 0.0;
};

/// The sources of a model, and what they keep between calls.
struct ContactSearch {
  std::vector<SourcePlan> sources;
  std::vector<Index> scratch;
  std::vector<char> asleep;  ///< by system, as BodyView has it by body; empty: nobody
  std::vector<double> row;   ///< of H, then of A^-1 H^T
  bool at_gaps = false;      ///< their rows are linearised gaps
  bool laws_vary = false, laws_shift = false;
  bool separate_impacts = false;      ///< as RelationCaches
  bool at_forces = false;             ///< forces move bodies that contacts hold: some are under generalised-alpha
  std::vector<ContactLaws> laws;      ///< by class
  std::vector<LawBlock> law_blocks;   ///< by contact, where laws vary
  std::vector<double> y, multiplier;  ///< as ContactSet::u, where laws are asked
  std::vector<NearContact> near;      ///< all that were found; at linearised gaps
  std::vector<double> pushes;         ///< by system: the change of velocity that contacts may ask of it
};

/// Contacts of all sources, bodies as systems.
struct ContactSet {
  static constexpr Index most_shapes = 64;  ///< a source
  /// One batch that is not empty. u of its contact i begins at u + rows i, P at P + stride i.
  struct Place {
    Index source = 0;
    const ContactBatch* batch = nullptr;
    Index u = 0, P = 0;
  };
  std::vector<ContactBatches> found;  ///< by source
  std::vector<Place> places;          ///< by source
  Eigen::VectorXd positions;          ///< of all systems, where they were found
  std::vector<double> u;              ///< at t_k
  std::vector<double> P;              ///< A^-1 H^T, entry by entry where H has it
  std::vector<BlockSet> sets;         ///< by contact in the order of for_each; empty where no law varies
  std::vector<double> shifts;         ///< as u, of laws that shift and bonds; empty where none does

  [[nodiscard]] bool empty() const { return places.empty(); }
  void clear() {
    places.clear();
    u.clear();
    sets.clear();
    shifts.clear();
  }
  /// Lists what `found` holds.
  void list_places();
  [[nodiscard]] bool has(Index source, std::uint64_t feature) const;
  /// Calls visit(place, i) for each contact, in the order of sources and features.
  template <class Visit>
  void for_each(Visit visit) const;
};

/// What a projection closed in this step: it is to act when the step is solved again.
struct Joining {
  std::vector<char> blocks;              ///< by model block
  std::vector<ContactBatches> contacts;  ///< by source; bodies as systems

  void clear() {
    blocks.clear();
    for (ContactBatches& batches : contacts) batches.clear();
  }
};

/// Calls visit(rows, columns of first, columns of second) with constants for the shapes that are common, so that loops
/// over them unroll; once a batch.
template <class Visit>
void with_sizes(const ContactBatch& batch, Visit visit) {
  const auto is = [&batch](Index rows, Index first, Index second) {
    return batch.rows == rows && batch.columns_first == first && batch.columns_second == second;
  };
  const auto constants = [&visit]<Index rows, Index first, Index second>() {
    visit(std::integral_constant<Index, rows>{}, std::integral_constant<Index, first>{},
          std::integral_constant<Index, second>{});
  };
  if (is(2, 3, 3)) return constants.template operator()<2, 3, 3>();
  if (is(3, 6, 6)) return constants.template operator()<3, 6, 6>();
  if (is(3, 6, 0)) return constants.template operator()<3, 6, 0>();
  visit(batch.rows, batch.columns_first, batch.columns_second);
}

/// Calls visit(k) for k = 0, 1, ... below count; unrolled where count is a constant.
template <class Count, class Visit>
void for_each_below(Count count, Visit visit) {
  if constexpr (requires { Count::value; }) {
    [&visit]<Index... k>(std::integer_sequence<Index, k...>) { (visit(k), ...); }
    (std::make_integer_sequence<Index, Count::value>{});
  } else {
    for (Index k = 0; k < count; ++k) visit(k);
  }
}

namespace stages {

/// sum += H A^-1 H^T of one body's part of a row (n), A being M where it is not known yet; `row` is scratch.
void add_inverse_mass(const double* H, Index n, Index system, const StepView& step, SystemCaches& systems,
                      std::vector<double>& row, double& sum);

/// What contacts act on has to be there, their laws have to have their rows, and each feature is in one batch.
/// @throws InvalidArgument naming source and feature.
void check_found(const SourceBodies& bodies, const std::vector<Index>& law_rows, const ContactBatches& found);
/// The sources' bodies and laws. @throws InvalidArgument for a body under a scheme at the level of positions, bodies at
/// different levels, and as check_at_gaps.
void prepare_sources(const NonSmoothDynamicalSystem& model, const Discretisation& discretisation,
                     const SystemCaches& systems, ContactSearch& search);
/// How far sources look: as far as bodies go in a step at velocities of unknowns z, and at what contacts give them
/// beside (BodyView::push).
struct Outlook {
  const Eigen::VectorXd& z;
  double push = 0.0;
};
/// What source number `source` of a model finds among its bodies at a state, and where these are; bodies as the source
/// numbers them.
BodyView ask_source(const NonSmoothDynamicalSystem& model, std::size_t source, const State& state,
                    const Outlook& outlook, const Discretisation& discretisation, ContactSearch& search,
                    ContactBatches& found);
/// The same at the velocities of the state, which nobody pushes.
BodyView ask_source(const NonSmoothDynamicalSystem& model, std::size_t source, const State& state,
                    const Discretisation& discretisation, ContactSearch& search, ContactBatches& found);
/// Keeps of what sources found what may close within the step, under schemes at linearised gaps: w <= reach a, a the
/// larger push of the two bodies. u_k to `contacts`.
/// @throws CallableFailure where a gap or a row is not finite.
void select_in_reach(const StepView& step, const Eigen::VectorXd& z_free, ContactSearch& search, ContactSet& contacts);
/// Keeps the contacts that keep(i) is true of, asked in order, and turns their bodies into systems.
template <class Rows, class First, class Second, class Keep>
void keep_contacts(const std::vector<Index>& systems, ContactBatch& batch, Rows rows, First first, Second second,
                   Keep keep);
/// Copies contact i, with this gap, into a batch of the same shape at its feature's place; false where that is there.
bool insert_contact(const ContactBatch& from, Index i, double gap, ContactBatches& to);
/// Contacts at t_k, with the velocity there; P of those between diagonal bodies. M of nonlinear ones may be factored.
/// Sources look as far as bodies go at velocities of `outlook`: z_free at linearised gaps.
void detect_contacts(const NonSmoothDynamicalSystem& model, const StepView& step, const Eigen::VectorXd& outlook,
                     const Joining& joining, SystemCaches& systems, ContactSearch& search, ContactSet& contacts);
/// P of the contacts of other sources. After linearise_systems.
void linearise_contacts(const ContactSearch& search, SystemCaches& systems, ContactSet& contacts);
/// A contact that pressed in the last step, or pulled by its cohesion.
[[nodiscard]] inline bool was_loaded(const BlockSet& set, double normal_impulse) {
  return normal_impulse > 0.0 || (normal_impulse < 0.0 && set.cohesion > 0.0);
}
/// How far rounding of a sum of terms of this absolute size may have lifted a contact that counts as closed.
[[nodiscard]] inline double lift_by_rounding(double terms) { return 16.0 * eps * terms; }
/// How far a contact that pressed may be lifted beside and still counts as closed, as part of the way that its last
/// step would have gone without it. A corner that is let go falls by g h^2 and tilts its body, which then slides
/// without it. u+ = 0 is met to the solver's residual, by default 1e-10 of that speed, so that 10^5 steps of it in one
/// direction stay below.
inline constexpr double lift_by_residuals = 1e-5;
/// Under the generalised-alpha method what presses on rows that do not turn is moved in a step by h^2 |gamma / 2 -
/// beta| times what H A changed in it. As part of h^2 |H A|, where that changes by less than itself in a step.
[[nodiscard]] inline double lift_of_step(const Scheme& scheme) {
  if (!scheme.generalised_alpha) return 0.0;
  const AlphaWeights weights(scheme.theta);
  return std::abs(0.5 * weights.gamma - weights.beta);
}

/// How far a contact may have been lifted without leaving. Under the generalised-alpha method one that pressed all
/// along was lifted by h^2 |gamma / 2 - beta| times what H A has changed since it closed, which no present load bounds,
/// and stays lifted so: its gap says nothing of whether it holds, its reaction does. It acts while that presses and its
/// gap does not open, u_N <= 0 to what residuals and rounding leave; what opens does so as its rows turn, for one that
/// pressed had u_N = 0, and is let go as under every scheme, before it is far. A found gap that jumps within a step, as
/// over a ledge, is not held: it grew by more than the fall of a step; a linked one is, as its rows remember no gap
/// before. So nothing asks whether bodies are at
/// rest, how large they are, or in which units. Not beside a projection of kind Combined or WithinStep, by which
/// contacts act before they close.
struct Lift {
  double way = 0.0;
  double from = 0.0;  ///< the gap at which it holds
};
[[nodiscard]] inline bool is_within(const Lift& lift, double forecast) { return forecast - lift.from <= lift.way; }

template <class Rows, class First, class Second, class Keep>
void keep_contacts(const std::vector<Index>& systems, ContactBatch& batch, Rows rows, First first, Second second,
                   Keep keep) {
  const Index stride = rows * (first + second);
  Index kept = 0;
  for (Index i = 0; i < batch.size(); ++i) {
    if (!keep(i)) continue;
    DetectedContact& contact = batch.contacts[static_cast<std::size_t>(kept)];
    contact = batch.contacts[static_cast<std::size_t>(i)];
    contact.first = systems[static_cast<std::size_t>(contact.first)];
    if (contact.second >= 0) contact.second = systems[static_cast<std::size_t>(contact.second)];
    if (kept != i) {
      std::copy_n(batch.H.data() + i * stride, stride, batch.H.data() + kept * stride);
      if (!batch.h_t.empty()) std::copy_n(batch.h_t.data() + i * rows, Index{rows}, batch.h_t.data() + kept * rows);
    }
    ++kept;
  }
  batch.contacts.resize(static_cast<std::size_t>(kept));
  batch.H.resize(static_cast<std::size_t>(kept * stride));
  if (!batch.h_t.empty()) batch.h_t.resize(static_cast<std::size_t>(kept * rows));
}

}  // namespace stages

template <class Visit>
void ContactSet::for_each(Visit visit) const {
  std::array<Index, most_shapes> next;
  for (std::size_t begin = 0, end = 0; begin < places.size(); begin = end) {
    for (end = begin; end < places.size() && places[end].source == places[begin].source; ++end) next[end - begin] = 0;
    if (end == begin + 1) {
      for (Index i = 0; i < places[begin].batch->size(); ++i) visit(places[begin], i);
      continue;
    }
    for (;;) {
      const ContactSet::Place* least = nullptr;
      Index* of_least = nullptr;
      std::uint64_t feature = 0;
      for (std::size_t p = begin; p < end; ++p) {
        const Index i = next[p - begin];
        if (i == places[p].batch->size()) continue;
        const std::uint64_t own = places[p].batch->contacts[static_cast<std::size_t>(i)].feature;
        if (least && !(own < feature)) continue;
        least = &places[p];
        of_least = &next[p - begin];
        feature = own;
      }
      if (!least) break;
      visit(*least, (*of_least)++);
    }
  }
}

}  // namespace nonsmooth
