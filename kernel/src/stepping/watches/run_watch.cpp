// SPDX-License-Identifier: Apache-2.0
// What a simulation notices while it runs: from quantities of the step at hand, in one pass over the step.state.
#include "run_watch.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <sstream>

#include <internal/decompositions.hpp>

#include "analysis/run_remarks.hpp"
#include "dynamics/relations/relation_values.hpp"
#include "laws/nested_cones.hpp"

namespace nonsmooth {

namespace stages {
namespace {

constexpr double kEnergyNoise = 1e-8;        ///< of the terms: ten times the default tolerance of one-step problems
constexpr double kRoundOffOfEnergy = 1e-14;  ///< of the largest terms so far: what is at rest moves by rounding
constexpr Index kMostDamped = 200;           ///< unknowns of a system with full damping

/// out = A v (v itself where A is an empty mass) without allocation.
void multiply(const MatrixData& A, bool identity_if_empty, Eigen::Ref<const Eigen::VectorXd> v,
              Eigen::Ref<Eigen::VectorXd> out) {
  if (const auto* dense = A.dense()) {
    out.noalias() = *dense * v;
  } else if (const auto* sparse = A.sparse()) {
    out.noalias() = *sparse * v;
  } else if (const auto* diagonal = A.diagonal()) {
    out = diagonal->cwiseProduct(v);
  } else if (identity_if_empty) {
    out = v;
  } else {
    out.setZero();
  }
}

bool is_symmetric_matrix(const MatrixData& A) {
  if (const auto* dense = A.dense()) return (*dense - dense->transpose()).norm() <= 1e-12 * dense->norm();
  if (const auto* sparse = A.sparse()) {
    const MatrixData::Sparse transposed = sparse->transpose();
    return (*sparse - transposed).norm() <= 1e-12 * sparse->norm();
  }
  return true;
}

/// v^T C v >= 0 for all v.
bool only_damps(const MatrixData& C, Index n) {
  if (C.empty()) return true;
  if (const auto* diagonal = C.diagonal()) return diagonal->minCoeff() >= 0.0;
  if (n > kMostDamped) return false;
  const Eigen::MatrixXd full = C.to_dense(n);
  Eigen::MatrixXd symmetric = 0.5 * (full + full.transpose());
  symmetric.diagonal().array() += 1e-12 * full.norm();
  return full.norm() == 0.0 || is_positive_definite(symmetric);
}

/// The mechanical systems are linear, conservative or damped, without inputs, and so is what ties them.
bool is_closed_mechanics(const NonSmoothDynamicalSystem& model, const TimeSteppingOptions& options,
                         const Discretisation& discretisation, const RelationCaches& relations) {
  if (options.projection.kind != Projection::None) return false;  // moves positions in fields of force
  const auto moves = [](const auto& source) { return source->depends_on_time(); };  // a conveyor works
  if (std::any_of(model.sources().begin(), model.sources().end(), moves)) return false;
  bool any = false;
  for (std::size_t i = 0; i < discretisation.layout->systems.size(); ++i) {
    const Layout::System& place = discretisation.layout->systems[i];
    if (place.first_order) continue;
    any = true;
    const LagrangianLinearSystem* linear = model.systems()[place.slot].linear_mechanical();
    const Scheme& scheme = discretisation.schemes[i];
    if (!linear || scheme.keeps_unknown || scheme.at_positions() || scheme.position != scheme.theta ||
        scheme.explicit_point != 0.0 || scheme.parts_impulses())
      return false;
    const LagrangianLinearSystem& d = *linear;
    const MechanicalSystem& system = *model.systems()[place.slot].mechanical;
    if (d.force.function() || system.feedback() || !system.prescribed().empty() || !system.impulses().empty())
      return false;
    if (!is_symmetric_matrix(d.stiffness) || !only_damps(d.damping, place.n)) return false;
  }
  return any && std::all_of(relations.interactions.begin(), relations.interactions.end(), [](const InteractionPlan& i) {
           return i.first_order || (i.offset && !i.compliant && is_passive(*i.law));
         });
}

/// The diagonal of A, or `if_empty` everywhere.
void write_diagonal(const MatrixData& A, double if_empty, Eigen::Ref<Eigen::VectorXd> diagonal) {
  if (const auto* entries = A.diagonal()) {
    diagonal = *entries;
  } else if (const auto* dense = A.dense()) {
    diagonal = dense->diagonal();
  } else if (const auto* sparse = A.sparse()) {
    diagonal = sparse->diagonal();
  } else {
    diagonal.setConstant(if_empty);
  }
}

void prepare_mechanics_watch(const NonSmoothDynamicalSystem& model, const Discretisation& discretisation,
                             const SystemCaches& systems, RunWatch& watch) {
  watch.mass = watch.stiffness = watch.force = Eigen::VectorXd::Zero(discretisation.layout->num_unknowns);
  watch.only_falls = true;
  const auto look_at = [&](Index system) {
    const Layout::System& place = discretisation.system(system);
    if (place.first_order) return;
    const LagrangianLinearSystem& d = *model.systems()[place.slot].linear_mechanical();
    const double theta = discretisation.scheme(system).theta;
    if (d.force.constant()) watch.force.segment(place.z, place.n) = *d.force.constant();
    if (!systems.diagonal_inverse(system)) {
      watch.only_falls = false;
      watch.coupled.push_back(system);
      return;
    }
    auto stiffness = watch.stiffness.segment(place.z, place.n);
    Eigen::VectorXd damping(place.n);
    write_diagonal(d.mass, 1.0, watch.mass.segment(place.z, place.n));
    write_diagonal(d.stiffness, 0.0, stiffness);
    write_diagonal(d.damping, 0.0, damping);
    const bool free_flight = damping.isZero(0.0) && stiffness.isZero(0.0);
    append(place, free_flight, theta, watch.runs);
    watch.only_falls = watch.only_falls && theta >= 0.5 && free_flight;
  };
  for (const SystemBatch* batch : systems.batches) {
    for (const Index system : batch->systems()) look_at(system);
  }
  if (!watch.only_falls) watch.way = watch.mean = watch.product = watch.mass;
}

/// The change of kinetic and potential energy in a step, the sizes of its terms, and h |F| |v+ - v-| / 2 of systems
/// with theta >= 1/2: with v- in solution.z, q+ - q- = h (theta v+ + (1-theta) v-).
struct EnergyChange {
  double change = 0.0, terms = 0.0, by_scheme = 0.0;

  /// Of the kinetic energy before and after, the force at the middle of the way, and what it is the sum of. What stands
  /// has a way of the solver's tolerance of the one that it would have without reactions, `free_way`.
  void add(double before, double after, double force, double size, double way, double free_way, double jump,
           double h_half) {
    change += after - before - force * way;
    terms += after + before + size * std::max(std::abs(way), std::abs(free_way));
    by_scheme += h_half * size * std::abs(jump);
  }
};

EnergyChange energy_change(const NonSmoothDynamicalSystem& model, const TakenStep& step, RunWatch& watch) {
  EnergyChange result;
  const double h = step.discretisation.h;
  for (const DiagonalRun& run : watch.runs) {
    const double h_half = run.position < 0.5 ? 0.0 : 0.5 * h;
    for (Index i = 0; i < run.count; ++i) {
      const Index z = run.z + i;
      const double before = step.solution.z[z], after = step.state.unknowns[z], mass = 0.5 * watch.mass[z];
      const double way = h * (run.position * after + (1.0 - run.position) * before);
      const double force = watch.force[z];
      const double spring = run.free_flight ? 0.0 : watch.stiffness[z] * (step.state.positions[run.q + i] - 0.5 * way);
      result.add(mass * before * before, mass * after * after, force - spring, std::abs(force) + std::abs(spring), way,
                 h * (step.solution.z_free[z] - before), after - before, h_half);
    }
  }
  const auto add = [&](Index system) {
    const Layout::System& place = step.discretisation.system(system);
    if (place.first_order) return;
    const LagrangianLinearSystem& d = *model.systems()[place.slot].linear_mechanical();
    const double theta = step.discretisation.scheme(system).theta;
    const auto before = step.solution.z.segment(place.z, place.n);
    const auto after = step.state.unknowns.segment(place.z, place.n);
    auto way = watch.way.segment(place.z, place.n), mean = watch.mean.segment(place.z, place.n);
    auto product = watch.product.segment(place.z, place.n);
    const auto force = watch.force.segment(place.z, place.n);
    multiply(d.mass, true, before, product);
    const double kinetic_before = 0.5 * before.dot(product);
    multiply(d.mass, true, after, product);
    const double kinetic_after = 0.5 * after.dot(product);
    way = h * (theta * after + (1.0 - theta) * before);
    mean = step.state.positions.segment(place.q, place.n) - 0.5 * way;
    multiply(d.stiffness, false, mean, product);
    for (Index k = 0; k < place.n; ++k) {
      result.add(0.0, 0.0, force[k] - product[k], std::abs(force[k]) + std::abs(product[k]), way[k],
                 h * (step.solution.z_free[place.z + k] - before[k]), after[k] - before[k],
                 theta < 0.5 ? 0.0 : 0.5 * h);
    }
    result.add(kinetic_before, kinetic_after, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
  };
  for (const Index system : watch.coupled) add(system);
  return result;
}

/// A rise beyond rounding, tolerance, and h |F| |v+ - v-| / 2, which schemes of theta >= 1/2 may add to an impact and
/// to friction where it turns. What one of less adds is not known to be small. Not asked where only_falls and nothing
/// touches.
void watch_mechanics(const NonSmoothDynamicalSystem& model, const TakenStep& step, RunWatch& watch,
                     RunRemarks& noticed) {
  if (step.state.unknowns == step.solution.z) return;  // at rest, or in a motion whose forces do no work
  const EnergyChange energy = energy_change(model, step, watch);
  watch.terms = std::max(watch.terms, energy.terms);
  const double noise =
      std::max(kEnergyNoise, 10.0 * step.report.certificate.residual) * energy.terms + kRoundOffOfEnergy * watch.terms;
  if (energy.change > noise + energy.by_scheme)
    add_remark(RunRemark::Kind::EnergyGain, "the mechanical systems", step.report.t, energy.change, noticed);
}

std::vector<RunWatch::Turning> turnings_of(const RelationCaches& relations) {
  std::vector<RunWatch::Turning> turnings;
  for (std::size_t i = 0; i < relations.interactions.size(); ++i) {
    const MechanicalRelation* relation = relations.interactions[i].relation;
    if (!relation || !relation->follows_outputs()) continue;
    const double within = relation->follows_within();
    if (std::isfinite(within)) turnings.push_back({static_cast<Index>(i), within});
  }
  return turnings;
}

/// Of processes that nothing else acts on.
std::vector<RunWatch::Growth> growths_of(const NonSmoothDynamicalSystem& model, const Layout& layout,
                                         const RelationCaches& relations) {
  std::vector<RunWatch::Growth> growths;
  for (std::size_t i = 0; i < relations.interactions.size(); ++i) {
    const NestedConesLaw* law = nested_cones(*relations.interactions[i].law->law);
    if (!law) continue;
    const HigherOrderData& data = law->data();
    const bool nonlinear = data.form.W.size() == 0;
    if (nonlinear ? data.form.outputs > 1 : data.metric.size() == 0) continue;
    const auto& record = model.interactions()[layout.interactions[i].slot];
    if (std::any_of(record.systems.begin(), record.systems.end(),
                    [&](std::uint32_t slot) { return model.systems()[slot].uses > 1; }))
      continue;
    RunWatch::Growth growth{.systems = linked_systems(layout, record.systems), .name = record.name};
    if (nonlinear) {
      growth.nonlinear = model.systems()[record.systems.front()].first_order;
      growth.x = growth.size = Eigen::VectorXd::Zero(model.systems()[record.systems.front()].n);
    } else {
      growth.rate = data.form.rate;
      growth.forcing = data.form.forcing;
      growth.metric = data.metric;
      growth.offset = data.metric_offset;
      growth.x = growth.size = Eigen::VectorXd::Zero(data.metric.cols());
    }
    growths.push_back(std::move(growth));
  }
  return growths;
}

}  // namespace

void watch_growth(const TakenStep& step, std::vector<RunWatch::Growth>& growths, RunRemarks& noticed) {
  constexpr double kRounding = 1e-9;
  const double h = step.state.last_step;
  for (RunWatch::Growth& growth : growths) {
    const auto size_of = [&growth](const Eigen::VectorXd& unknowns) {
      stack_unknowns(growth.systems, unknowns.data(), growth.x.data());
      if (growth.nonlinear != nullptr) return growth.x.norm();
      growth.size.noalias() = growth.metric * growth.x;
      growth.size += growth.offset;
      return growth.size.norm();
    };
    const double before = size_of(step.solution.z), after = size_of(step.state.unknowns);
    double added = h * growth.forcing, part = 1.0 - h * growth.rate;
    if (growth.nonlinear != nullptr) {
      growth.size.setZero();
      growth.nonlinear->f(step.state.t, growth.x, growth.size);
      added = h * growth.size.norm();
    }
    if (!(part > 0.0)) continue;
    const double allowed =
        before + added + std::max(kRounding, 10.0 * step.report.certificate.residual) * std::max(before, after);
    if (part * after > allowed) {
      add_remark(RunRemark::Kind::BoundExceeded, growth.name, step.report.t, part * after / (before + added) - 1.0,
                 noticed);
    }
  }
}

void watch_turns(const TakenStep& step, const std::vector<RunWatch::Turning>& turnings, RunRemarks& noticed) {
  for (const RunWatch::Turning& turning : turnings) {
    const InteractionPlan& interaction = step.relations.interaction(turning.interaction);
    const double after = step.state.velocities[interaction.row];
    // Of an angle against a function of time the velocity before is not kept.
    const double before = interaction.relation->depends_on_time()
                              ? after
                              : output_of(interaction, step.relations.jacobians, step.solution.z.data(), 0);
    const double way = 0.5 * step.discretisation.h * std::abs(before + after);
    if (way >= turning.within)
      add_remark(RunRemark::Kind::TurnUnknown, interaction.name, step.report.t, 0.5 * way / turning.within, noticed);
  }
}

bool is_passive(const PreparedLaw& law) {
  if (law.stiffness > 0.0 || law.coupling.size() > 0 || law.offset.size() > 0 || !law.is_its_block()) return false;
  return std::all_of(law.parts.begin(), law.parts.end(), [](const LawBlock::Part& part) {
    const BlockSet& set = part.set;
    return set.cohesion == 0.0 && (set.kind != SetKind::Box || (set.lower <= 0.0 && set.upper >= 0.0));
  });
}

RunWatch prepare_watch(const NonSmoothDynamicalSystem& model, const TimeSteppingOptions& options, const State& state,
                       const Discretisation& discretisation, const SystemCaches& systems,
                       const RelationCaches& relations, const ContactSearch& search) {
  RunWatch watch;
  prepare_depth_watch(discretisation, options.projection, watch.depth);
  watch.impacts.looked_at =
      !model.impact_matrices().empty() || !model.coefficient_rules().empty() || impacts_may_gain(relations, search);
  if (watch.impacts.looked_at)
    watch.impacts.reserve(static_cast<Index>(discretisation.layout->systems.size()), relations.blocks.size());
  watch.sizes = state.unknowns.cwiseAbs();
  watch.moved = Eigen::VectorXd::Zero(state.unknowns.size());
  std::vector<char> unbounded(relations.interactions.size(), 0);
  for (const BlockPlan& block : relations.blocks) {
    const auto i = static_cast<std::size_t>(block.interaction);
    // Levels are measures: their atoms are no news.
    const bool nested = nested_cones(*relations.interactions[i].law->law) != nullptr;
    if (!nested && is_unbounded(block, relations.interactions[i])) unbounded[i] = 1;
  }
  for (const Island& island : islands_of_first_order(*discretisation.layout, relations)) {
    RunWatch::Island own;
    own.systems = island.systems;
    std::copy_if(island.interactions.begin(), island.interactions.end(), std::back_inserter(own.interactions),
                 [&](Index i) { return unbounded[static_cast<std::size_t>(i)] != 0; });
    if (!own.interactions.empty()) watch.islands.push_back(std::move(own));
    if (auto storage = storage_of(island, model, discretisation, relations))
      watch.storages.push_back(std::move(*storage));
  }
  watch.passages.looked_at = !model.sources().empty();
  prepare_linked_passages(relations, watch.passages);
  if (watch.passages.any()) {
    watch.passages.path = state;
    watch.passages.back = state.unknowns;
  }
  watch.turnings = turnings_of(relations);
  watch.growths = growths_of(model, *discretisation.layout, relations);
  watch.switched = switched_systems(model);
  watch.mechanics = is_closed_mechanics(model, options, discretisation, relations);
  if (watch.mechanics) prepare_mechanics_watch(model, discretisation, systems, watch);
  return watch;
}

void watch_anew(RunWatch& watch) {
  for (RunWatch::Island& island : watch.islands) island.pending = false;
  watch.depth.began = false;
}

void watch_step(const NonSmoothDynamicalSystem& model, const TakenStep& step, SystemCaches& systems,
                ContactSearch& search, RunWatch& watch, RunRemarks& noticed) {
  if (!watch.passages.unwatched.empty()) {
    add_remark(RunRemark::Kind::Unwatched, watch.passages.unwatched, step.report.t, 0.0, noticed);
    watch.passages.unwatched.clear();
  }
  if (step.report.subdivisions > 0) {
    if (watch.passages.any() || watch.mechanics || watch.impacts.looked_at)
      add_remark(RunRemark::Kind::Unwatched, "steps made in parts", step.report.t,
                 static_cast<double>(step.report.subdivisions + 1), noticed);
  } else {
    if (watch.passages.looked_at) watch_passages(model, step, systems, search, watch.passages, noticed);
    if (!watch.passages.links.empty()) watch_linked_passages(step, systems, watch.passages, noticed);
    if (watch.mechanics) watch_mechanics(model, step, watch, noticed);
    if (watch.impacts.looked_at && watch.impacts.gain > 0.0)
      add_remark(RunRemark::Kind::ImpactGain, watch.impacts.place, step.report.t, watch.impacts.gain, noticed);
  }
  if (!watch.growths.empty() && step.report.subdivisions == 0) watch_growth(step, watch.growths, noticed);
  if (!watch.turnings.empty()) watch_turns(step, watch.turnings, noticed);
  if (!watch.switched.empty()) watch_switched(step, watch.switched, noticed);
  if (!watch.islands.empty() || !watch.storages.empty()) watch_first_order(step, watch, noticed);
}

}  // namespace stages
}  // namespace nonsmooth
