// SPDX-License-Identifier: Apache-2.0
// Islands at rest: who may sleep, who wakes, who falls asleep, and what the state keeps of those that sleep.
#include "sleep.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <span>
#include <tuple>
#include <utility>

#include "model/guarded.hpp"

namespace nonsmooth::stages {
namespace {

std::size_t number(Index i) { return static_cast<std::size_t>(i); }

constexpr Index kMostVelocities = 6;
constexpr Index kMostPairs = 12;  ///< room for those of a system, so that none is made while it comes to rest

/// The system by itself: its kind and its scheme.
Sleep::Role role_of(const NonSmoothDynamicalSystem::System& record, const Scheme& scheme) {
  if (!record.mechanical || !scheme.lets_sleep()) return Sleep::Role::Awake;
  const std::size_t prescribed = record.mechanical->prescribed().size();
  if (prescribed == number(record.n)) return Sleep::Role::Support;
  if (prescribed > 0 || record.n > kMostVelocities || !record.mechanical->has_constant_mass())
    return Sleep::Role::Awake;
  return Sleep::Role::Sleeper;
}

/// What systems are linked to, and found in, may keep them awake.
void look_at_links(const RelationCaches& relations, const ContactSearch& search, const NonSmoothDynamicalSystem& model,
                   Sleep& sleep) {
  const auto keep_awake = [&sleep](Index system) {
    if (sleep.roles[number(system)] == Sleep::Role::Sleeper) sleep.roles[number(system)] = Sleep::Role::Awake;
  };
  for (const InteractionPlan& interaction : relations.interactions) {
    if (interaction.relation && !interaction.relation->depends_on_time() && interaction.law->is_its_block()) continue;
    for (const JacobianBlock& linked : relations.jacobians.of(interaction)) keep_awake(linked.system);
  }
  for (std::size_t s = 0; s < search.sources.size(); ++s) {
    const SourcePlan& source = search.sources[s];
    const bool stands =
        !model.sources()[s]->depends_on_time() &&
        std::all_of(source.prepared.begin(), source.prepared.end(), [](const auto& law) { return law.is_its_block(); });
    if (!stands) std::for_each(source.bodies.systems.begin(), source.bodies.systems.end(), keep_awake);
  }
}

void prepare_sleep(const NonSmoothDynamicalSystem& model, const StepView& step, const RelationCaches& relations,
                   ContactSearch& search, Sleep& sleep) {
  const std::shared_ptr<const Layout>& layout = step.discretisation.layout;
  const auto count = static_cast<Index>(layout->systems.size());
  sleep.layout = layout;
  sleep.roles.clear();
  sleep.masses.clear();
  sleep.mass_begin.clear();
  for (Index s = 0; s < count; ++s) {
    const NonSmoothDynamicalSystem::System& record = model.systems()[step.system(s).slot];
    sleep.roles.push_back(role_of(record, step.scheme(s)));
    sleep.mass_begin.push_back(static_cast<Index>(sleep.masses.size()));
    if (sleep.roles.back() != Sleep::Role::Sleeper) continue;
    Eigen::MatrixXd M = Eigen::MatrixXd::Zero(record.n, record.n);
    guarded(record.name, "mass(q)", [&] { record.mechanical->mass(record.mechanical->initial_position(), M); });
    sleep.masses.insert(sleep.masses.end(), M.data(), M.data() + M.size());
  }
  look_at_links(relations, search, model, sleep);
  sleep.positions.resize(layout->num_positions);
  sleep.may_rest.assign(number(count), 0);
  sleep.touched_before.reserve(number(kMostPairs * count));
  search.asleep.reserve(number(count));
  sleep.sets.reset(count);
  sleep.sets.list(sleep.set_begin, sleep.set_members);
}

/// x^T M x of a sleeper.
double squared_norm(const Sleep& sleep, Index system, Index n, const double* x) {
  const double* M = sleep.masses.data() + sleep.mass_begin[number(system)];
  double sum = 0.0;
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i < n; ++i) sum += x[i] * M[j * n + i] * x[j];
  }
  return sum;
}

bool is_zero(const double* x, Index n) {
  return std::all_of(x, x + n, [](double one) { return one == 0.0; });
}

void wake_island(Index island, Sleep& sleep, std::vector<char>& asleep) {
  for (std::size_t s = 0; s < sleep.island.size(); ++s) {
    if (sleep.island[s] != island) continue;
    sleep.island[s] = -1;
    asleep[s] = 0;
    ++sleep.woken;
  }
}

/// Of those that slept already: their impulses are forces times the length of the step.
void keep_sleepers(const Discretisation& discretisation, const RelationCaches& relations,
                   const std::vector<char>& asleep, const Eigen::VectorXd& last_multipliers, Sleep& sleep,
                   State& state) {
  for (Index s = 0; s < static_cast<Index>(sleep.island.size()); ++s) {
    if (asleep[number(s)] == 0 || !sleep.sleeps(s)) continue;
    const Layout::System& place = discretisation.system(s);
    state.positions.segment(place.q, place.nq) = sleep.positions.segment(place.q, place.nq);
  }
  const bool same_length = state.last_step == discretisation.h || !(state.last_step > 0.0);
  const double scale = same_length ? 1.0 : discretisation.h / state.last_step;
  for (const InteractionPlan& interaction : relations.interactions) {
    if (!all_sleep(relations.jacobians.of(interaction), asleep)) continue;
    for (Index r = interaction.row; r < interaction.row + interaction.extended; ++r)
      state.multipliers[r] = scale * last_multipliers[r];
  }
  const auto sleeps = [&sleep](const ContactMemory& contact) {
    return contact.sleeper >= 0 && contact.sleeper < std::ssize(sleep.island) && sleep.sleeps(contact.sleeper);
  };
  std::erase_if(sleep.contacts, [&](const ContactMemory& contact) { return !sleeps(contact); });
  for (ContactMemory& contact : sleep.contacts) {
    for (double& impulse : contact.impulse) impulse *= scale;
    contact.work_normal = contact.work_tangential = 0.0;
  }
  state.contacts.swap(sleep.others);
  state.contacts.clear();
  std::merge(sleep.contacts.begin(), sleep.contacts.end(), sleep.others.begin(), sleep.others.end(),
             std::back_inserter(state.contacts), [](const ContactMemory& one, const ContactMemory& other) {
               return std::tie(one.source, one.feature) < std::tie(other.source, other.feature);
             });
}

/// Counts the whole steps that systems were at rest. True where one was long enough.
bool count_rest(const Discretisation& discretisation, const StepSolution& solution, const Sleep& sleep, State& state) {
  const double scale = sleep.options.rest * sleep.whole_step / discretisation.h, part = scale * scale;
  const Index counted = discretisation.h < (1.0 - 1e-9) * sleep.whole_step ? 0 : 1;
  bool long_enough = false;
  Eigen::Matrix<double, kMostVelocities, 1> w;
  for (Index s = 0; s < static_cast<Index>(sleep.roles.size()); ++s) {
    if (sleep.roles[number(s)] != Sleep::Role::Sleeper || sleep.sleeps(s)) continue;
    const Layout::System& place = discretisation.system(s);
    w.head(place.n) = solution.z_free.segment(place.z, place.n) - solution.z.segment(place.z, place.n);
    const double moving = squared_norm(sleep, s, place.n, state.unknowns.data() + place.z);
    Index& rested = state.sleep.rested[number(s)];
    const bool rests = sleep.solved && moving <= part * squared_norm(sleep, s, place.n, w.data());
    rested = rests ? rested + counted : 0;
    long_enough = long_enough || (counted > 0 && rested >= sleep.options.steps);
  }
  return long_enough;
}

/// Calls visit(systems) for each contact that acts in a matrix of coefficients, matrix by matrix, and ends each by
/// end().
template <class Visit, class End>
void for_each_acting_in_matrices(const RelationCaches& relations, Visit&& visit, End&& end) {
  for (const ImpactMatrixPlan& matrix : relations.impact_matrices) {
    for (const Index block : matrix.blocks) {
      if (relations.active_blocks[number(block)] >= 0)
        visit(relations.jacobians.of(relations.interaction_of(relations.block(block))));
    }
    end(matrix);
  }
}

/// The place of the first of some systems that is no support; 0: all are.
template <class Linked>
std::size_t first_that_rests(const Sleep& sleep, const Linked& linked) {
  for (std::size_t j = 0; j < linked.size(); ++j) {
    if (sleep.roles[number(linked[j].system)] != Sleep::Role::Support) return j;
  }
  return 0;
}

/// Lists what acts, behind what the sleepers have; before: what acted in the step before.
void list_touching(const ActingRows& acting, Sleep& sleep, SleepMemory& memory) {
  sleep.touched_before.swap(memory.touching);
  memory.touching.clear();
  for (const auto& pair : sleep.touched_before) {
    if (sleep.sleeps(pair[0]) || sleep.sleeps(pair[1])) memory.touching.push_back(pair);
  }
  for (const ActiveBlock& block : acting.active.blocks) {
    const auto jacobians = acting.jacobians(block);
    const std::size_t tie = jacobians.size() > 2 ? first_that_rests(sleep, jacobians) : 0;
    for (std::size_t j = 0; j < jacobians.size(); ++j) {
      if (j != tie) memory.touching.push_back({jacobians[tie].system, jacobians[j].system});
    }
  }
  // Contacts of one matrix meet together, whatever lies between them.
  Index last = -1;
  for_each_acting_in_matrices(
      acting.relations,
      [&](std::span<const JacobianBlock> linked) {
        const Index tie = linked[first_that_rests(sleep, linked)].system;
        if (sleep.roles[number(tie)] == Sleep::Role::Support) return;  // it moves nothing that may rest
        if (last >= 0) memory.touching.push_back({last, tie});
        last = tie;
      },
      [&](const ImpactMatrixPlan&) { last = -1; });
}

/// Islands of what acted in this step and in that before, as what hardly presses may act in every other: sets of
/// systems, of which supports are each one.
void find_islands(const Discretisation& discretisation, Sleep& sleep, const State& state) {
  const auto count = static_cast<Index>(sleep.roles.size());
  sleep.sets.reset(count);
  for (Index s = 0; s < count; ++s)
    sleep.may_rest[number(s)] = state.sleep.rested[number(s)] >= sleep.options.steps ? 1 : 0;
  const auto supports = [&sleep](Index s) { return sleep.roles[number(s)] == Sleep::Role::Support; };
  using Pairs = std::vector<std::array<Index, 2>>;
  for (const Pairs* pairs : std::initializer_list<const Pairs*>{&sleep.touched_before, &state.sleep.touching}) {
    for (const auto& [first, second] : *pairs) {
      if (!supports(first) && !supports(second)) {
        sleep.sets.join(first, second);
        continue;
      }
      for (const auto& [support, body] : {std::array{first, second}, std::array{second, first}}) {
        const Layout::System& place = discretisation.system(support);
        if (supports(support) && !is_zero(state.unknowns.data() + place.z, place.n)) sleep.may_rest[number(body)] = 0;
      }
    }
  }
  sleep.sets.list(sleep.set_begin, sleep.set_members);
}

/// What the islands that just fell asleep touched in the step before stays known too.
void keep_touching(const Sleep& sleep, SleepMemory& memory) {
  for (const auto& pair : sleep.touched_before) {
    for (const Index system : pair) {
      if (!sleep.sleeps(system) || memory.island[number(system)] >= 0) continue;
      memory.touching.push_back(pair);
      break;
    }
  }
}

void fall_asleep(const Discretisation& discretisation, Index system, Index island, const StepSolution& solution,
                 Sleep& sleep, State& state) {
  const Layout::System& place = discretisation.system(system);
  auto v = state.unknowns.segment(place.z, place.n);
  sleep.energy_taken += 0.5 * squared_norm(sleep, system, place.n, v.data());
  ++sleep.fell_asleep;
  state.sleep.taken.segment(place.z, place.n) = v;
  v.setZero();
  state.sleep.accelerations.segment(place.z, place.n) =
      (solution.z_free.segment(place.z, place.n) - solution.z.segment(place.z, place.n)) / discretisation.h;
  sleep.island[number(system)] = island;
}

/// Contacts between those that just fell asleep last as long as these do; the order is that of the blocks.
void mark_contacts(const ActingRows& acting, const Sleep& sleep, State& state) {
  auto memory = state.contacts.begin();
  for (const ActiveBlock& block : acting.active.blocks) {
    if (!block.contact) continue;
    const auto identity = [](const ContactMemory& one) { return std::pair(one.source, one.feature); };
    while (identity(*memory) != std::pair(block.source, block.contact->feature)) ++memory;
    for (const Index system : {block.contact->first, block.contact->second}) {
      if (system >= 0 && sleep.sleeps(system)) memory->sleeper = system;
    }
  }
}

}  // namespace

void look_at_all_awake(Sleep& sleep, ContactSearch& search) {
  sleep.on = sleep.any = false;
  search.asleep.clear();
}

void begin_sleep(const NonSmoothDynamicalSystem& model, const TimeSteppingOptions& options, const StepView& step,
                 const RelationCaches& relations, const Eigen::VectorXd& z_free, Sleep& sleep, ContactSearch& search) {
  look_at_all_awake(sleep, search);
  sleep.on = options.sleep.rest > 0.0;
  if (!sleep.on) return;
  sleep.options = options.sleep;
  sleep.whole_step = options.step > 0.0 ? options.step : step.h();
  sleep.woken = sleep.fell_asleep = sleep.asleep = 0;
  sleep.energy_taken = 0.0;
  if (sleep.layout != step.discretisation.layout) prepare_sleep(model, step, relations, search, sleep);
  const std::size_t count = sleep.roles.size();
  const SleepMemory& memory = step.state.sleep;
  if (memory.island.empty()) {
    sleep.island.assign(count, -1);
  } else {
    sleep.island = memory.island;
  }
  // A state may say of any system that it sleeps.
  for (std::size_t s = 0; s < count; ++s) {
    if (sleep.roles[s] != Sleep::Role::Sleeper) sleep.island[s] = -1;
  }
  const auto sleeps = [](Index island) { return island >= 0; };
  sleep.any = std::any_of(sleep.island.begin(), sleep.island.end(), sleeps);
  if (!sleep.any) return;
  search.asleep.assign(count, 1);
  for (std::size_t s = 0; s < count; ++s) {
    const Layout::System& place = step.system(static_cast<Index>(s));
    const bool rests = is_zero(step.state.unknowns.data() + place.z, place.n);
    const bool stays = sleep.roles[s] == Sleep::Role::Support && rests && is_zero(z_free.data() + place.z, place.n);
    if (sleep.island[s] < 0 && !stays) search.asleep[s] = 0;
    if (sleep.island[s] >= 0 && !rests) wake_island(sleep.island[s], sleep, search.asleep);
  }
  // What a sleeper leans on begins to move: away from it too, where nothing acts between the two any more.
  for (const auto& [first, second] : memory.touching) {
    for (const auto& [one, other] : {std::array{first, second}, std::array{second, first}}) {
      if (sleep.sleeps(one) && search.asleep[number(other)] == 0)
        wake_island(sleep.island[number(one)], sleep, search.asleep);
    }
  }
}

bool wake_touched(const ActiveSet& active, const RelationCaches& relations, Sleep& sleep, std::vector<char>& asleep) {
  if (!sleep.any) return false;
  const Index before = sleep.woken;
  bool acts = false;
  for_each_acting_in_matrices(
      relations, [&](std::span<const JacobianBlock>) { acts = true; },
      [&](const ImpactMatrixPlan& matrix) {
        for (const Index block : matrix.blocks) {
          if (!acts) break;
          for (const JacobianBlock& linked : relations.jacobians.of(relations.interaction_of(relations.block(block)))) {
            if (sleep.sleeps(linked.system)) wake_island(sleep.island[number(linked.system)], sleep, asleep);
          }
        }
        acts = false;
      });
  for (const ActiveJacobian& jacobian : active.jacobians) {
    if (sleep.sleeps(jacobian.system)) wake_island(sleep.island[number(jacobian.system)], sleep, asleep);
  }
  return sleep.woken > before;
}

bool wake_pushed(const StepView& step, const Eigen::VectorXd& z_free, Sleep& sleep, std::vector<char>& asleep) {
  if (!sleep.any) return false;
  const Index before = sleep.woken;
  const double part = sleep.options.force_change * sleep.options.force_change, h = step.h();
  Eigen::Matrix<double, kMostVelocities, 1> change;
  for (Index s = 0; s < static_cast<Index>(sleep.island.size()); ++s) {
    if (!sleep.sleeps(s)) continue;
    const Layout::System& place = step.system(s);
    const auto known = step.state.sleep.accelerations.segment(place.z, place.n);
    change.head(place.n) = z_free.segment(place.z, place.n) / h - known;
    if (!(squared_norm(sleep, s, place.n, change.data()) <= part * squared_norm(sleep, s, place.n, known.data())))
      wake_island(sleep.island[number(s)], sleep, asleep);
  }
  return sleep.woken > before;
}

void hold_sleepers(const Discretisation& discretisation, const Sleep& sleep, Eigen::VectorXd& z) {
  for (Index s = 0; s < static_cast<Index>(sleep.island.size()); ++s) {
    if (sleep.sleeps(s)) z.segment(discretisation.system(s).z, discretisation.system(s).n).setZero();
  }
}

void keep_for_sleepers(const State& state, Sleep& sleep) {
  if (!sleep.any) return;
  sleep.positions = state.positions;
  sleep.contacts = state.contacts;
}

void commit_sleep(const Discretisation& discretisation, const ActingRows& acting, const std::vector<char>& asleep,
                  const StepSolution& solution, Sleep& sleep, State& state) {
  const auto count = static_cast<Index>(sleep.roles.size());
  if (state.sleep.island.empty()) {
    state.sleep.island.assign(number(count), -1);
    state.sleep.rested.assign(number(count), 0);
    state.sleep.accelerations.setZero(state.unknowns.size());
    state.sleep.touching.reserve(number(kMostPairs * count));
  }
  if (state.sleep.taken.size() != state.unknowns.size()) state.sleep.taken.setZero(state.unknowns.size());
  for (Index s = 0; s < count; ++s) {  // who woke begins anew
    if (state.sleep.island[number(s)] >= 0 && !sleep.sleeps(s)) state.sleep.rested[number(s)] = 0;
  }
  list_touching(acting, sleep, state.sleep);
  const bool some = count_rest(discretisation, solution, sleep, state);
  if (some) {
    find_islands(discretisation, sleep, state);
    for (std::size_t i = 0; i + 1 < sleep.set_begin.size(); ++i) {
      const auto begin = sleep.set_members.begin() + sleep.set_begin[i],
                 end = sleep.set_members.begin() + sleep.set_begin[i + 1];
      const auto may_rest = [&](Index s) { return sleep.may_rest[number(s)] != 0 && !sleep.sleeps(s); };
      if (!std::all_of(begin, end, may_rest)) continue;
      std::for_each(begin, end, [&](Index s) { fall_asleep(discretisation, s, *begin, solution, sleep, state); });
    }
  }
  if (sleep.fell_asleep > 0) {
    mark_contacts(acting, sleep, state);
    keep_touching(sleep, state.sleep);
  }
  if (sleep.any) keep_sleepers(discretisation, acting.relations, asleep, solution.last_multipliers, sleep, state);
  for (std::vector<ContactMemory>* scratch : {&sleep.contacts, &sleep.others})
    scratch->reserve(state.contacts.capacity());  // now, for those who fall asleep later
  state.sleep.island = sleep.island;
  sleep.asleep = count - std::count(sleep.island.begin(), sleep.island.end(), Index{-1});
}

}  // namespace nonsmooth::stages
