// SPDX-License-Identifier: Apache-2.0
// Multipliers of size 1/h, and the storage of passive systems.
#include <algorithm>
#include <cmath>

#include <nonsmooth/numerics/analysis/linear_system.hpp>

#include "watch_stage.hpp"

namespace nonsmooth::stages {
namespace {

/// An impulse moves a state by this part of its size at least, and so many times more than anything else does.
constexpr double kLeastJump = 1e-3, kManyTimes = 10.0;
/// h lambda C B lambda is so many times |lambda D lambda|, which would keep lambda bounded as h falls.
constexpr double kManyTimesFeedthrough = 10.0;
constexpr double kStorageNoise = 1e-8;      ///< of the storage: ten times the default tolerance of one-step problems
constexpr Index kMostStatesOfStorage = 20;  ///< more take longer than a simulation should to be made

/// The state of an island that multipliers moved most, relative to the largest value it had so far, among those that
/// nothing else moves as much, in this step or the last; -1: none. Keeps what else moves them.
Index find_jump(const RunWatch::Island& island, const State& state, Plan& plan) {
  RunWatch& watch = plan.watch;
  Index jump = -1;
  double largest = kLeastJump;
  for (const Index system : island.systems) {
    const Layout::System& place = plan.system(system);
    for (Index z = place.z; z < place.z + place.n; ++z) {
      const double before = plan.z[z], after = state.unknowns[z], free = plan.z_free[z];
      watch.sizes[z] = std::max(watch.sizes[z], std::abs(after));
      const double moved = std::abs(after - free), freely = std::abs(free - before);
      const bool alone = moved > kManyTimes * std::max(freely, watch.moved[z]);
      watch.moved[z] = alone ? freely : std::abs(after - before);
      if (!alone || !(moved > largest * watch.sizes[z])) continue;
      largest = moved / watch.sizes[z];
      jump = z;
    }
  }
  return jump;
}

/// What a row of an interaction says of a step.
struct RowMovement {
  double by_multipliers = 0.0;  ///< C j, j the way that multipliers moved the states
  double freely = 0.0;          ///< |C| |f|, f the way without them
  /// |C P| of the row's own multiplier, and the sizes |C| |x| times the largest |P| / |x|: of one order where the row
  /// has relative degree 1, apart by a power of h where it has more.
  double own = 0.0, sizes = 0.0, reach = 0.0;
};

RowMovement movement_of(const InteractionPlan& interaction, Index r, const State& state, const Plan& plan) {
  RowMovement row;
  for (Index l = interaction.first_leg; l < interaction.first_leg + interaction.num_legs; ++l) {
    const Leg& leg = plan.legs[static_cast<std::size_t>(l)];
    for (Index k = 0; k < leg.n; ++k) {
      const Index z = leg.z + k;
      const double C = plan.hu[static_cast<std::size_t>(leg.hu + k * interaction.rows + r)];
      const double P = plan.p[static_cast<std::size_t>(leg.p + r * leg.n + k)], size = plan.watch.sizes[z];
      row.by_multipliers += C * (state.unknowns[z] - plan.z_free[z]);
      row.freely += std::abs(C * (plan.z_free[z] - plan.z[z]));
      row.own += C * P;
      row.sizes += std::abs(C) * size;
      if (size > 0.0) row.reach = std::max(row.reach, std::abs(P) / size);
    }
  }
  return row;
}

/// Finds the unbounded multiplier that moves its y most; nothing but the state does it, D is no part of it, and y was
/// either off by much more than a step's way, or is not what the multiplier moves first (relative degree 2).
bool find_impulse(const State& state, RunWatch::Island& island, const Plan& plan) {
  double largest = 0.0;
  for (const Index i : island.interactions) {
    const InteractionPlan& interaction = plan.interactions[static_cast<std::size_t>(i)];
    const auto lambda = state.multipliers.segment(interaction.row, interaction.rows);
    double by_states = 0.0, by_feedthrough = 0.0, own = 0.0;
    Index local = 0;
    for (Index r = 0; r < interaction.rows; ++r) {
      if (interaction.D.size() > 0) {
        for (Index c = 0; c < interaction.rows; ++c) by_feedthrough += lambda[r] * interaction.D(r, c) * lambda[c];
      }
      if (lambda[r] == 0.0) continue;
      const RowMovement row = movement_of(interaction, r, state, plan);
      by_states += lambda[r] * row.by_multipliers;
      const bool was_off = std::abs(row.by_multipliers) > kManyTimes * row.freely;
      const bool is_indirect = kManyTimes * std::abs(row.own) < row.sizes * row.reach;
      const double power = std::abs(lambda[r] * row.by_multipliers);
      if (!(was_off || is_indirect) || !(power > own)) continue;
      own = power;
      local = r;
    }
    if (!(own > largest) || !(std::abs(by_states) > kManyTimesFeedthrough * std::abs(by_feedthrough))) continue;
    largest = own;
    island.interaction = i;
    island.local = local;
    island.impulse = plan.h * std::abs(lambda[local]);
  }
  return largest > 0.0;
}

/// What is said of an island's impulse, once: if it was told at the end of a run, its size may have grown since.
void tell_impulse(const RunWatch::Island& island, const Plan& plan, RunRemarks& noticed) {
  const InteractionPlan& interaction = plan.interactions[static_cast<std::size_t>(island.interaction)];
  const std::string subject = "row " + std::to_string(island.local) + " of " + interaction.name;
  noticed.push_back({RunRemark::Kind::ImpulsiveMultiplier, subject, island.t, island.told ? 0 : 1, island.impulse});
}

/// The step after: the impulse is told if the state stands still again. At relative degree 2 it may take two steps, as
/// the first leaves part of the way to its contact.
void settle_impulse(const State& state, RunWatch::Island& island, const Plan& plan, RunRemarks& noticed) {
  const double moved = std::abs(state.unknowns[island.z] - plan.z[island.z]);
  const double by_multipliers = std::abs(state.unknowns[island.z] - plan.z_free[island.z]);
  if (island.jump > kManyTimes * moved) {
    tell_impulse(island, plan, noticed);
  } else if (!island.second && by_multipliers > 0.5 * moved) {
    island.second = true;
    island.jump += by_multipliers;
    const Index row = plan.interactions[static_cast<std::size_t>(island.interaction)].row + island.local;
    island.impulse += plan.h * std::abs(state.multipliers[row]);
    return;
  }
  island.pending = false;
}

void watch_island(const StepReport& report, const State& state, RunWatch::Island& island, Plan& plan,
                  RunRemarks& noticed) {
  if (island.pending) settle_impulse(state, island, plan, noticed);
  const Index jump = find_jump(island, state, plan);
  if (island.pending || jump < 0 || !find_impulse(state, island, plan)) return;
  island.pending = true;
  island.second = island.told = false;
  island.z = jump;
  island.t = report.t;
  island.jump = std::abs(state.unknowns[jump] - plan.z_free[jump]);
}

void gather_states(const std::vector<Index>& systems, const Eigen::VectorXd& all, const Plan& plan,
                   Eigen::VectorXd& own) {
  Index at = 0;
  for (const Index system : systems) {
    const Layout::System& place = plan.system(system);
    own.segment(at, place.n) = all.segment(place.z, place.n);
    at += place.n;
  }
}

void watch_storage(const StepReport& report, const State& state, RunWatch::Storage& storage, Plan& plan,
                   RunRemarks& noticed) {
  gather_states(storage.systems, plan.z, plan, storage.before);
  gather_states(storage.systems, state.unknowns, plan, storage.after);
  const auto half_square = [&](const Eigen::VectorXd& x) {
    storage.product.noalias() = storage.P * x;
    return 0.5 * x.dot(storage.product);
  };
  const double before = half_square(storage.before), after = half_square(storage.after);
  if (!(after - before > std::max(kStorageNoise, 10.0 * report.certificate.residual) * after)) return;
  storage.before -= storage.after;
  const Scheme& scheme = plan.schemes[static_cast<std::size_t>(storage.systems.front())];
  // x^T P (x+ - x) is what dissipation is about; what a step adds to it is of second order, and known.
  const double second_order = scheme.theta < 0.5 ? 0.0 : half_square(storage.before);
  if (after - before > second_order + kStorageNoise * after)
    add_remark(RunRemark::Kind::EnergyGain,
               "the systems of " + plan.interactions[static_cast<std::size_t>(storage.interaction)].name, report.t,
               after - before, noticed);
}

}  // namespace

std::optional<RunWatch::Storage> storage_of(const Island& island, const NonSmoothDynamicalSystem& model,
                                            const Plan& plan) {
  const Scheme& scheme = plan.schemes[static_cast<std::size_t>(island.systems.front())];
  if (scheme.hold || (scheme.theta >= 0.5 && scheme.multiplier_weight == 1.0 && scheme.relation_weight == 1.0))
    return {};
  for (const Index system : island.systems) {
    const auto* linear = std::get_if<std::shared_ptr<const FirstOrderLinearSystem>>(
        &model.systems()[plan.system(system).slot].description);
    if (!linear || (*linear)->feedback || (*linear)->b.function() ||
        ((*linear)->b.constant() && !(*linear)->b.constant()->isZero(0.0)))
      return {};
  }
  for (const Index i : island.interactions) {
    const InteractionPlan& interaction = plan.interactions[static_cast<std::size_t>(i)];
    if (!interaction.linear || !is_passive(*interaction.law) || interaction.linear->e.function() ||
        (interaction.linear->e.constant() && !interaction.linear->e.constant()->isZero(0.0)))
      return {};
  }
  Index n = 0;
  for (const Index system : island.systems) n += plan.system(system).n;
  if (n > kMostStatesOfStorage) return {};
  const auto matrices = matrices_of(island, model, plan);
  if (!matrices) return {};
  const analysis::Passivity passivity =
      analysis::passivity({.A = matrices->A, .B = matrices->B, .C = matrices->C, .D = matrices->D});
  if (!passivity.passive.holds()) return {};
  RunWatch::Storage storage;
  storage.systems = island.systems;
  storage.interaction = island.interactions.front();
  storage.P = passivity.P;
  storage.before = storage.after = storage.product = Eigen::VectorXd::Zero(n);
  return storage;
}

void tell_last_impulses(const NonSmoothDynamicalSystem& model, const TimeSteppingOptions& options, const State& state,
                        Workspace& workspace, Plan& plan, RunRemarks& noticed) {
  constexpr int kMostSteps = 2;
  std::vector<RunWatch::Island>& islands = plan.watch.islands;
  const auto is_open = [](const RunWatch::Island& island) { return island.pending && !island.told; };
  if (std::none_of(islands.begin(), islands.end(), is_open)) return;
  std::vector<RunWatch::Island> tried = islands;
  State ahead = state;
  for (int k = 0; k < kMostSteps; ++k) {
    const StepReport report = step(model, options, options.step, ahead, workspace);
    if (!report.taken || report.halvings > 0) return;
    for (std::size_t i = 0; i < islands.size(); ++i) {
      if (!is_open(tried[i])) continue;
      RunRemarks of_try;
      settle_impulse(ahead, tried[i], workspace.implementation(), of_try);
      if (of_try.empty()) continue;
      tell_impulse(islands[i], plan, noticed);  // with what it came to so far
      islands[i].told = true;
    }
    if (std::none_of(tried.begin(), tried.end(), is_open)) return;
  }
}

void watch_first_order(const StepReport& report, const State& state, Plan& plan, RunRemarks& noticed) {
  for (RunWatch::Island& island : plan.watch.islands) {
    if (report.halvings > 0) {  // plan.z and plan.z_free are of its last part
      island.pending = false;
    } else {
      watch_island(report, state, island, plan, noticed);
    }
  }
  if (report.halvings > 0) return;
  for (RunWatch::Storage& storage : plan.watch.storages) watch_storage(report, state, storage, plan, noticed);
}

}  // namespace nonsmooth::stages
