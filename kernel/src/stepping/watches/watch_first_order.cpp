// SPDX-License-Identifier: Apache-2.0
// Multipliers of size 1/h, and the storage of passive systems.
#include <algorithm>
#include <cmath>

#include <nonsmooth/numerics/analysis/linear_system.hpp>

#include "analysis/run_remarks.hpp"
#include "run_watch.hpp"
#include "stepping/workspace_implementation.hpp"

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
Index find_jump(const RunWatch::Island& island, const TakenStep& step, RunWatch& watch) {
  Index jump = -1;
  double largest = kLeastJump;
  for (const Index system : island.systems) {
    const Layout::System& place = step.discretisation.system(system);
    for (Index z = place.z; z < place.z + place.n; ++z) {
      const double before = step.solution.z[z], after = step.state.unknowns[z], free = step.solution.z_free[z];
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

RowMovement movement_of(const InteractionPlan& interaction, Index r, const TakenStep& step,
                        const Eigen::VectorXd& sizes) {
  RowMovement row;
  for (const JacobianBlock& jacobian : step.relations.jacobians.of(interaction)) {
    for (Index k = 0; k < jacobian.n; ++k) {
      const Index z = jacobian.z + k;
      const double C = step.relations.jacobians.hu[static_cast<std::size_t>(jacobian.hu + k * interaction.rows + r)];
      const double P = step.relations.jacobians.p[static_cast<std::size_t>(jacobian.p + r * jacobian.n + k)],
                   size = sizes[z];
      row.by_multipliers += C * (step.state.unknowns[z] - step.solution.z_free[z]);
      row.freely += std::abs(C * (step.solution.z_free[z] - step.solution.z[z]));
      row.own += C * P;
      row.sizes += std::abs(C) * size;
      if (size > 0.0) row.reach = std::max(row.reach, std::abs(P) / size);
    }
  }
  return row;
}

/// Finds the unbounded multiplier that moves its y most; nothing but the state does it, D is no part of it, and y was
/// either off by much more than a step's way, or is not what the multiplier moves first (relative degree 2).
bool find_impulse(const TakenStep& step, const Eigen::VectorXd& sizes, RunWatch::Island& island) {
  double largest = 0.0;
  for (const Index i : island.interactions) {
    const InteractionPlan& interaction = step.relations.interaction(i);
    const auto lambda = step.state.multipliers.segment(interaction.row, interaction.rows);
    double by_states = 0.0, by_feedthrough = 0.0, own = 0.0;
    Index local = 0;
    for (Index r = 0; r < interaction.rows; ++r) {
      if (interaction.D.size() > 0) {
        for (Index c = 0; c < interaction.rows; ++c) by_feedthrough += lambda[r] * interaction.D(r, c) * lambda[c];
      }
      if (lambda[r] == 0.0) continue;
      const RowMovement row = movement_of(interaction, r, step, sizes);
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
    island.impulse = step.discretisation.h * std::abs(lambda[local]);
  }
  return largest > 0.0;
}

/// What is said of an island's impulse, once: if it was told at the end of a run, its size may have grown since.
void tell_impulse(const RunWatch::Island& island, const RelationCaches& relations, RunRemarks& noticed) {
  const InteractionPlan& interaction = relations.interaction(island.interaction);
  const std::string subject = "row " + std::to_string(island.local) + " of " + interaction.name;
  noticed.push_back({RunRemark::Kind::ImpulsiveMultiplier, subject, island.t, island.told ? 0 : 1, island.impulse});
}

/// The step after: the impulse is told if the state stands still again. At relative degree 2 it may take two steps, as
/// the first leaves part of the way to its contact.
void decide_impulse(const TakenStep& step, RunWatch::Island& island, RunRemarks& noticed) {
  const double moved = std::abs(step.state.unknowns[island.z] - step.solution.z[island.z]);
  const double by_multipliers = std::abs(step.state.unknowns[island.z] - step.solution.z_free[island.z]);
  if (island.jump > kManyTimes * moved) {
    tell_impulse(island, step.relations, noticed);
  } else if (!island.second && by_multipliers > 0.5 * moved) {
    island.second = true;
    island.jump += by_multipliers;
    const Index row = step.relations.interactions[static_cast<std::size_t>(island.interaction)].row + island.local;
    island.impulse += step.discretisation.h * std::abs(step.state.multipliers[row]);
    return;
  }
  island.pending = false;
}

void watch_island(const TakenStep& step, RunWatch& watch, RunWatch::Island& island, RunRemarks& noticed) {
  if (island.pending) decide_impulse(step, island, noticed);
  const Index jump = find_jump(island, step, watch);
  if (island.pending || jump < 0 || !find_impulse(step, watch.sizes, island)) return;
  island.pending = true;
  island.second = island.told = false;
  island.z = jump;
  island.t = step.report.t;
  island.jump = std::abs(step.state.unknowns[jump] - step.solution.z_free[jump]);
}

void gather_states(const std::vector<Index>& systems, const Eigen::VectorXd& all, const Discretisation& discretisation,
                   Eigen::VectorXd& own) {
  Index at = 0;
  for (const Index system : systems) {
    const Layout::System& place = discretisation.system(system);
    own.segment(at, place.n) = all.segment(place.z, place.n);
    at += place.n;
  }
}

void watch_storage(const TakenStep& step, RunWatch::Storage& storage, RunRemarks& noticed) {
  gather_states(storage.systems, step.solution.z, step.discretisation, storage.before);
  gather_states(storage.systems, step.state.unknowns, step.discretisation, storage.after);
  const auto half_square = [&](const Eigen::VectorXd& x) {
    storage.product.noalias() = storage.P * x;
    return 0.5 * x.dot(storage.product);
  };
  const double before = half_square(storage.before), after = half_square(storage.after);
  if (!(after - before > std::max(kStorageNoise, 10.0 * step.report.certificate.residual) * after)) return;
  storage.before -= storage.after;
  const Scheme& scheme = step.discretisation.schemes[static_cast<std::size_t>(storage.systems.front())];
  // x^T P (x+ - x) is what dissipation is about; what a step adds to it is of second order, and known.
  const double second_order = scheme.theta < 0.5 ? 0.0 : half_square(storage.before);
  if (after - before > second_order + kStorageNoise * after)
    add_remark(RunRemark::Kind::EnergyGain,
               "the systems of " + step.relations.interactions[static_cast<std::size_t>(storage.interaction)].name,
               step.report.t, after - before, noticed);
}

bool is_zero(const VectorData& data) {
  return data.empty() || (data.constant() != nullptr && data.constant()->isZero(0.0));
}

}  // namespace

std::optional<RunWatch::Storage> storage_of(const Island& island, const NonSmoothDynamicalSystem& model,
                                            const Discretisation& discretisation, const RelationCaches& relations) {
  const Scheme& scheme = discretisation.schemes[static_cast<std::size_t>(island.systems.front())];
  if (scheme.exponential || (scheme.theta >= 0.5 && scheme.multiplier_weight == 1.0 && scheme.relation_weight == 1.0))
    return {};
  for (const Index system : island.systems) {
    const auto& record = model.systems()[discretisation.system(system).slot];
    const FirstOrderLinearSystem* linear = record.linear_first_order();
    if (!linear || record.description->feedback() || !is_zero(linear->b)) return {};
  }
  for (const Index i : island.interactions) {
    const InteractionPlan& interaction = relations.interaction(i);
    if (!interaction.linear || !is_passive(*interaction.law) || !is_zero(interaction.linear->e)) return {};
  }
  Index n = 0;
  for (const Index system : island.systems) n += discretisation.system(system).n;
  if (n > kMostStatesOfStorage) return {};
  const auto matrices = matrices_of(island, model, *discretisation.layout, relations);
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

RunRemarks tell_last_impulses(const NonSmoothDynamicalSystem& model, const TimeSteppingOptions& options,
                              const State& state, Workspace& workspace, RunWatch& watch) {
  constexpr int kMostSteps = 2;
  RunRemarks noticed;
  std::vector<RunWatch::Island>& islands = watch.islands;
  const auto is_open = [](const RunWatch::Island& island) { return island.pending && !island.told; };
  if (std::none_of(islands.begin(), islands.end(), is_open)) return noticed;
  std::vector<RunWatch::Island> tried = islands;
  State ahead = state;
  for (int k = 0; k < kMostSteps; ++k) {
    StepReport report;
    try {
      report = nonsmooth::step(model, options, options.step, ahead, workspace);
    } catch (const InvalidArgument&) {  // laws that meet in an impact behind the run's end, which tells nothing then
      return noticed;
    }
    if (!report.taken || report.subdivisions > 0) return noticed;
    for (std::size_t i = 0; i < islands.size(); ++i) {
      if (!is_open(tried[i])) continue;
      RunRemarks of_try;
      decide_impulse(WorkspaceAccess::caches(workspace).taken(report, ahead), tried[i], of_try);
      if (of_try.empty()) continue;
      // With what it came to so far. The workspace was just stepped with this model: its relations have these names.
      tell_impulse(islands[i], WorkspaceAccess::caches(workspace).relations, noticed);
      islands[i].told = true;
    }
    if (std::none_of(tried.begin(), tried.end(), is_open)) return noticed;
  }
  return noticed;
}

void watch_first_order(const TakenStep& step, RunWatch& watch, RunRemarks& noticed) {
  for (RunWatch::Island& island : watch.islands) {
    if (step.report.subdivisions > 0) {  // z and z_free are of its last part
      island.pending = false;
    } else {
      watch_island(step, watch, island, noticed);
    }
  }
  if (step.report.subdivisions > 0) return;
  for (RunWatch::Storage& storage : watch.storages) watch_storage(step, storage, noticed);
}

}  // namespace nonsmooth::stages
