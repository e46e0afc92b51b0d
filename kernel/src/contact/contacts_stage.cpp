// SPDX-License-Identifier: Apache-2.0
// Contacts found anew each step: their velocities at t_k, and P of the bodies they act on.
#include <algorithm>
#include <cmath>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "bonds.hpp"
#include "contact_set.hpp"
#include "contact_velocity.hpp"
#include "dynamics/relations/law_batches.hpp"
#include "model/guarded.hpp"

namespace nonsmooth::stages {
namespace {

constexpr Index kContactGrain = 512;  ///< contacts a chunk

/// What is known of how a contact pressed or pulled in the last step.
struct Pressed {
  double impulse = 0.0;
  double gap = 0.0;    ///< at its start
  bool itself = true;  ///< it is not new beside another of its patch, which this is of
};

/// Of a contact that pressed or pulled so.
Lift lift_of_found(const ContactBatch& batch, Index i, const Pressed& pressed, const std::vector<Index>& bodies,
                   const StepView& step, SystemCaches& systems, std::vector<double>& row) {
  const DetectedContact& contact = batch.contacts[static_cast<std::size_t>(i)];
  double inverse_mass = 0.0, of_step = 0.0, speeds = 0.0;
  bool stays = !step.discretisation.joins;
  const auto add = [&](const double* H, Index columns, Index body) {
    const Index system = bodies[static_cast<std::size_t>(body)];
    add_inverse_mass(H, columns, system, step, systems, row, inverse_mass);
    const double* const v = step.state.unknowns.data() + step.discretisation.system(system).z;
    for (Index k = 0; k < columns; ++k) speeds += std::abs(H[k] * v[k]);
    of_step = std::max(of_step, lift_of_step(step.scheme(system)));
    stays = stays && step.scheme(system).generalised_alpha;
  };
  add(batch.H_first(i), batch.columns_first, contact.first);
  if (contact.second >= 0) add(batch.H_second(i), batch.columns_second, contact.second);
  const double fall = step.h() * inverse_mass * std::abs(pressed.impulse);
  const double way = lift_by_rounding(contact.terms) + lift_by_residuals * fall;
  if (!stays) return {.way = way};
  // In a step reactions, and rows that turn, lift what presses by less than it would have fallen: more is another
  // place.
  const double raised = pressed.itself ? fall : of_step * fall;
  const double held = std::min(contact.gap, std::max(0.0, pressed.gap) + raised);
  return {.way = way + lift_by_rounding(step.discretisation.forecast * step.h() * speeds), .from = std::max(0.0, held)};
}

/// The impulses of the last step by feature, asked for in ascending order.
class Memory {
 public:
  Memory(const std::vector<ContactMemory>& contacts, std::size_t source, int patch_bits)
      : patch_bits_(patch_bits), at_(contacts.begin()), end_(contacts.end()) {
    while (at_ != end_ && at_->source < source) ++at_;
    while (end_ != at_ && (end_ - 1)->source > source) --end_;
  }
  /// Of a feature that is new the largest impulse of its patch, a push or a pull: where corners coincide, which of them
  /// is named is rounding's.
  [[nodiscard]] Pressed of(std::uint64_t feature) {
    const std::uint64_t patch = feature >> patch_bits_;
    while (at_ != end_ && at_->feature >> patch_bits_ < patch) ++at_;
    Pressed largest{.itself = false};
    for (auto beside = at_; beside != end_ && beside->feature >> patch_bits_ == patch; ++beside) {
      const double impulse = beside->impulse[0];
      if (beside->feature == feature) return {impulse, beside->gap, true};
      if (std::abs(impulse) > std::abs(largest.impulse)) largest = {impulse, beside->gap, false};
    }
    return largest;
  }

 private:
  int patch_bits_;
  std::vector<ContactMemory>::const_iterator at_, end_;  // at_: the first of a patch
};

/// Keeps the contacts of a batch that act, with their velocities.
void select(const StepView& step, std::size_t source, const BodyView& bodies, SystemCaches& systems,
            ContactSearch& search, ContactBatch& batch, std::vector<double>& u) {
  const std::vector<Index>& numbers = search.sources[source].bodies.systems;
  const double horizon = step.discretisation.forecast * step.h();
  Memory memory(step.state.contacts, source, search.sources[source].patch_bits);
  with_sizes(batch, [&](auto rows, auto first, auto second) {
    const double* v = bodies.v.data();
    keep_contacts(numbers, batch, rows, first, second, [&](Index i) {
      const DetectedContact& contact = batch.contacts[static_cast<std::size_t>(i)];
      if (bodies.sleep(contact.first, contact.second)) return false;
      const auto velocity = [&](Index body) { return v + bodies.v_begin[static_cast<std::size_t>(body)]; };
      const auto velocities = [&](auto count, double* own) {
        contact_velocity(count, rows, first, second, batch.H.data() + i * (rows * (first + second)),
                         velocity(contact.first), contact.second >= 0 ? velocity(contact.second) : nullptr,
                         batch.h_t_of(i), own);
      };
      double own[6];
      velocities(std::integral_constant<Index, 1>{}, own);
      const double forecast = contact.gap + horizon * own[0];
      if (!std::isfinite(forecast))
        throw CallableFailure{"contact " + std::to_string(contact.feature) +
                              " of a contact source: its gap or its normal row is not finite"};
      // The bond of a contact that was there in the last step holds it, whatever its gap is.
      const auto is_held = [&] {
        const Holding held = holding(step.state, search, static_cast<Index>(source), contact);
        if (held.cohesion == 0.0) return false;
        const Bond bond{.first = numbers[static_cast<std::size_t>(contact.first)],
                        .second = contact.second < 0 ? -1 : numbers[static_cast<std::size_t>(contact.second)],
                        .velocity = own[0],
                        .impulse = held.impulse,
                        .cohesion = held.cohesion};
        return !is_parted(bond, batch, i, step, systems, search.row);
      };
      if (!(forecast <= lift_by_rounding(contact.terms)) && !is_held()) {
        const Pressed pressed = memory.of(contact.feature);
        const BlockSet& set = search.sources[source].laws[static_cast<std::size_t>(contact.law)].set;
        if (!was_loaded(set, pressed.impulse)) return false;
        if (!is_within(lift_of_found(batch, i, pressed, numbers, step, systems, search.row), forecast)) return false;
      }
      velocities(rows, own);
      double sum = 0.0;
      for_each_below(rows, [&](Index r) {
        u.push_back(own[r]);
        sum += own[r];
      });
      if (!std::isfinite(sum))
        throw CallableFailure{"contact " + std::to_string(contact.feature) +
                              " of a contact source: a tangential row is not finite"};
      return true;
    });
  });
}

/// Contacts that a projection closed in this step, where they are not among those found: at their place in the order.
void add_joining(const StepView& step, const Joining& joining, ContactSet& contacts) {
  bool joined = false;
  for (std::size_t s = 0; s < joining.contacts.size(); ++s) {
    for (const ContactBatch& batch : joining.contacts[s]) {
      for (Index i = 0; i < batch.size(); ++i) {
        const double gap = batch.contacts[static_cast<std::size_t>(i)].gap;
        joined = insert_contact(batch, i, gap, contacts.found[s]) || joined;
      }
    }
  }
  contacts.list_places();
  if (!joined) return;
  contacts.u.clear();
  for (const ContactSet::Place& place : contacts.places) {
    const ContactBatch& batch = *place.batch;
    for (Index i = 0; i < batch.size(); ++i) {
      const DetectedContact& contact = batch.contacts[static_cast<std::size_t>(i)];
      const auto velocity = [&](Index system) { return step.state.unknowns.data() + step.system(system).z; };
      double own[6];
      contact_velocity(batch.rows, batch.rows, batch.columns_first, batch.columns_second, batch.H_first(i),
                       velocity(contact.first), contact.second >= 0 ? velocity(contact.second) : nullptr,
                       batch.h_t_of(i), own);
      contacts.u.insert(contacts.u.end(), own, own + batch.rows);
    }
  }
}

/// P of a batch between diagonal bodies.
void scale_rows(const StepView& step, const SystemCaches& systems, const ContactBatch& batch, double* P) {
  with_sizes(batch, [&](auto rows, auto first, auto second) {
    step.discretisation.threads.for_each_range(batch.size(), kContactGrain, [&](Index begin, Index end) {
      const auto scale = [&](const double* H, auto columns, Index system, double* own) {
        const double* inverse = systems.diagonal_inverse(system);
        for_each_below(rows, [&](Index r) {
          for_each_below(columns, [&](Index k) { own[r * columns + k] = H[r * columns + k] * inverse[k]; });
        });
      };
      for (Index i = begin; i < end; ++i) {
        const DetectedContact& contact = batch.contacts[static_cast<std::size_t>(i)];
        const Index at = i * (rows * (first + second));
        scale(batch.H.data() + at, first, contact.first, P + at);
        if (contact.second >= 0)
          scale(batch.H.data() + at + rows * first, second, contact.second, P + at + rows * first);
      }
    });
  });
}

/// Which block of which law each contact has, and what it knows: y is (gap, 0, ...).
void list_laws(const StepView& step, const ContactSet& contacts, ContactSearch& search) {
  search.y.assign(contacts.u.size(), 0.0);
  search.multiplier.assign(contacts.u.size(), 0.0);
  for (ContactLaws& laws : search.laws) laws.places.clear();
  std::size_t count = 0, number = 0;
  for (const ContactSet::Place& place : contacts.places) count += place.batch->contacts.size();
  if (search.law_blocks.size() < count) search.law_blocks.resize(count);
  contacts.for_each([&](const ContactSet::Place& place, Index i) {
    const ContactBatch& batch = *place.batch;
    const DetectedContact& contact = batch.contacts[static_cast<std::size_t>(i)];
    const SourcePlan& source = search.sources[static_cast<std::size_t>(place.source)];
    const auto l = static_cast<std::size_t>(contact.law);
    const Index first = place.u + i * batch.rows;
    search.y[static_cast<std::size_t>(first)] = contact.gap;
    if (const ContactMemory* last = last_of(step.state, place.source, contact.feature))
      std::copy_n(last->impulse.data(), batch.rows, search.multiplier.data() + first);
    LawBlock& block = search.law_blocks[number++];
    block = source.prepared[l];
    if (source.law_group[l] < 0) return;
    search.laws[static_cast<std::size_t>(source.law_group[l])].places.push_back(
        {.law = &source.prepared[l],
         .block = &block,
         .row = first,
         .forecast = step.discretisation.forecast,
         .theta = step.scheme(contact.first).theta});
  });
}

/// The set of each contact, in impulses, as its law has it in this step.
void list_sets(double h, const ContactSearch& search, ContactSet& contacts) {
  std::size_t number = 0;
  contacts.for_each([&](const ContactSet::Place& place, Index i) {
    const auto law = static_cast<std::size_t>(place.batch->contacts[static_cast<std::size_t>(i)].law);
    const BlockSet& set = search.law_blocks[number++].parts[0].set;
    const bool in_forces = search.sources[static_cast<std::size_t>(place.source)].prepared[law].in_forces;
    contacts.sets.push_back(in_forces ? set_in_impulses(h, set) : set);
  });
}

/// What laws that depend on the state make of each contact.
void ask_laws(const StepView& step, ContactSearch& search, ContactSet& contacts) {
  if (search.laws_shift) contacts.shifts.assign(contacts.u.size(), 0.0);
  if (search.laws.empty()) return;
  list_laws(step, contacts, search);
  for (const ContactLaws& laws : search.laws) {
    const LawBatch::Stage stage{.places = laws.places,
                                .h = step.h(),
                                .t = step.state.t,
                                .last_step = step.state.last_step,
                                .y = search.y.data(),
                                .u = contacts.u.data(),
                                .multiplier = search.multiplier.data(),
                                .iterate = search.multiplier.data(),
                                .shifts = contacts.shifts.data()};
    if (laws.first->varies != LawVaries::Never) {
      ask_batch(stage, nullptr, "the law's block",
                [](const NonSmoothLaw& law, const LawBatch& batch) { law.blocks(batch); });
      for (const LawPlace& place : laws.places) check_law_block(place, nullptr);
    }
    if (laws.first->shifts) {
      ask_batch(stage, nullptr, "the law's shift",
                [](const NonSmoothLaw& law, const LawBatch& batch) { law.shifts(batch); });
      for (const LawPlace& place : laws.places)
        require_finite_numbers(place, nullptr, "the law's shift", stage.shifts + place.row, place.law->size);
    }
  }
  if (search.laws_vary) list_sets(step.h(), search, contacts);
}

/// Groups the laws that are asked in a step by their class.
void group_laws_of_sources(ContactSearch& search) {
  search.laws.clear();
  search.laws_vary = search.laws_shift = false;
  for (SourcePlan& source : search.sources) {
    source.law_group.clear();
    for (const PreparedLaw& law : source.prepared) {
      source.law_group.push_back(-1);
      if (law.varies == LawVaries::Never && !law.shifts) continue;
      search.laws_vary = search.laws_vary || law.varies != LawVaries::Never;
      search.laws_shift = search.laws_shift || law.shifts;
      auto group = std::find_if(search.laws.begin(), search.laws.end(),
                                [&law](const ContactLaws& laws) { return asked_alike(*laws.first, law); });
      if (group == search.laws.end()) group = search.laws.insert(group, {.first = &law, .places = {}});
      source.law_group.back() = group - search.laws.begin();
    }
  }
}

}  // namespace

void add_inverse_mass(const double* H, Index n, Index system, const StepView& step, SystemCaches& systems,
                      std::vector<double>& row, double& sum) {
  if (const double* inverse = systems.diagonal_inverse(system)) {
    for (Index k = 0; k < n; ++k) sum += H[k] * H[k] * inverse[k];
    return;
  }
  const auto& at = systems.at(system);
  at.batch->factor_mass(step, at.place);  // M alone says how large A^-1 is
  row.assign(H, H + n);
  at.batch->apply_inverse(at.place, Eigen::Map<Eigen::MatrixXd>(row.data(), n, 1));
  for (Index k = 0; k < n; ++k) sum += H[k] * row[static_cast<std::size_t>(k)];
}

void prepare_sources(const NonSmoothDynamicalSystem& model, const Discretisation& discretisation,
                     const SystemCaches& systems, ContactSearch& search) {
  std::vector<SourcePlan> before = std::move(search.sources);
  search.sources.clear();
  search.separate_impacts = search.at_gaps = search.at_forces = false;
  const Scheme* common = nullptr;
  for (const auto& source : model.sources()) {
    SourcePlan plan(SourceBodies(*discretisation.layout, *source));
    plan.revision = discretisation.layout->revision;
    plan.patch_bits = source->patch_bits();
    check::within("ContactSource::patch_bits", plan.patch_bits, 0, 63);
    double recovery = 0.0;
    for (const Index body : plan.bodies.systems) {
      plan.diagonal = plan.diagonal && systems.diagonal_inverse(body) != nullptr;
      search.row.reserve(static_cast<std::size_t>(discretisation.layout->systems[static_cast<std::size_t>(body)].n));
      const Scheme& scheme = discretisation.scheme(body);
      if (scheme.at_positions() || scheme.keeps_unknown) {
        throw InvalidArgument(
            "ContactSource::bodies", discretisation.system(body).name + " under " + scheme.integrator->name(),
            "bodies under MoreauJean or StewartTrinkle, at the level of velocities or linearised gaps");
      }
      if (!common) common = &scheme;
      if (scheme.level != common->level) {
        throw InvalidArgument("TimeSteppingOptions::integrators",
                              discretisation.system(body).name + " under " + scheme.integrator->name() +
                                  ", another body of a contact source under " + common->integrator->name(),
                              "schemes of one level for the bodies of all contact sources");
      }
      search.at_gaps = scheme.at_gaps();
      search.at_forces = search.at_forces || scheme.generalised_alpha;
      recovery = std::max(recovery, scheme.recovery);
    }
    const std::size_t number = search.sources.size();
    if (number < before.size() && before[number].revision == plan.revision) {
      plan.prepared = std::move(before[number].prepared);
    } else {
      for (const Law& law : source->laws()) plan.prepared.push_back(describe::prepare_law(law.pointer(), {}));
    }
    for (const PreparedLaw& law : plan.prepared) {
      BlockPlan block;
      block.interaction = -1;
      block.size = law.size;
      block.set = law.parts.front().set;
      if (law.in_forces) block.set = set_in_impulses(discretisation.h, block.set);
      block.unilateral = block.impacts = true;
      block.rule = law.impact;
      if (search.at_gaps) {
        check_at_gaps(*common, law, plan.bodies.name);
        block.gap_rows = 1;
        block.recovery = recovery;
      }
      search.separate_impacts = search.separate_impacts || is_separate(law.impact.kind);
      if (law.impact.kind == ImpactRule::Kind::Newton) {
        block.restitution = law.impact.restitution;
        block.tangential_restitution = law.impact.tangential_restitution;
      }
      block.shifts = law.shifts;
      block.of_law = static_cast<Index>(plan.laws.size());
      plan.laws.push_back(block);
      plan.law_rows.push_back(law.size);
    }
    search.sources.push_back(std::move(plan));
  }
  group_laws_of_sources(search);
}

BodyView ask_source(const NonSmoothDynamicalSystem& model, std::size_t source, const State& state,
                    const Discretisation& discretisation, ContactSearch& search, ContactBatches& found) {
  return ask_source(model, source, state, {.z = state.unknowns}, discretisation, search, found);
}

BodyView ask_source(const NonSmoothDynamicalSystem& model, std::size_t source, const State& state,
                    const Outlook& outlook, const Discretisation& discretisation, ContactSearch& search,
                    ContactBatches& found) {
  SourcePlan& plan = search.sources[source];
  BodyView bodies = plan.bodies.at(state, outlook.z, search.asleep);
  bodies.push = outlook.push;
  found.clear();
  const auto sleeps = [](char one) { return one != 0; };
  if (!bodies.asleep.empty() && std::all_of(bodies.asleep.begin(), bodies.asleep.end(), sleeps)) return bodies;
  guarded("a contact source", "detect", [&] {
    model.sources()[source]->detect(bodies, discretisation.forecast * discretisation.h, search.scratch, found);
    check_found(plan.bodies, plan.law_rows, found);
  });
  return bodies;
}

void detect_contacts(const NonSmoothDynamicalSystem& model, const StepView& step, const Eigen::VectorXd& outlook,
                     const Joining& joining, SystemCaches& systems, ContactSearch& search, ContactSet& contacts) {
  contacts.clear();
  contacts.found.resize(model.sources().size());
  for (std::size_t s = 0; s < model.sources().size(); ++s) {
    const Outlook all{.z = outlook, .push = step.discretisation.reach};
    const BodyView seen = ask_source(model, s, step.state, all, step.discretisation, search, contacts.found[s]);
    if (search.at_gaps) continue;
    const BodyView bodies =
        search.at_forces ? search.sources[s].bodies.at(step.state, step.state.unknowns, search.asleep) : seen;
    for (ContactBatch& batch : contacts.found[s]) select(step, s, bodies, systems, search, batch, contacts.u);
  }
  if (search.at_gaps) select_in_reach(step, outlook, search, contacts);
  add_joining(step, joining, contacts);
  ask_laws(step, search, contacts);
  if (contacts.empty()) return;
  part_cohesive(step, systems, search, contacts);
  const ContactSet::Place& last = contacts.places.back();
  const auto size = static_cast<std::size_t>(last.P + last.batch->stride() * last.batch->size());
  if (contacts.P.size() < size) contacts.P.resize(size);
  for (const ContactSet::Place& place : contacts.places) {
    if (search.sources[static_cast<std::size_t>(place.source)].diagonal)
      scale_rows(step, systems, *place.batch, contacts.P.data() + place.P);
  }
}

void linearise_contacts(const ContactSearch& search, SystemCaches& systems, ContactSet& contacts) {
  for (const ContactSet::Place& place : contacts.places) {
    if (search.sources[static_cast<std::size_t>(place.source)].diagonal) continue;
    const ContactBatch& batch = *place.batch;
    const auto solve = [&](const double* H, Index columns, Index system, double* P) {
      std::copy_n(H, batch.rows * columns, P);
      apply_inverse(systems, system, Eigen::Map<Eigen::MatrixXd>(P, columns, batch.rows));
    };
    for (Index i = 0; i < batch.size(); ++i) {
      const DetectedContact& contact = batch.contacts[static_cast<std::size_t>(i)];
      double* P = contacts.P.data() + place.P + i * batch.stride();
      solve(batch.H_first(i), batch.columns_first, contact.first, P);
      if (contact.second >= 0)
        solve(batch.H_second(i), batch.columns_second, contact.second, P + batch.rows * batch.columns_first);
    }
  }
}

}  // namespace nonsmooth::stages
