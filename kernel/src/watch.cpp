// SPDX-License-Identifier: Apache-2.0
// What a simulation notices while it runs: from quantities of the step at hand, in one pass over the state.
#include "watch.hpp"

#include <algorithm>
#include <sstream>

#include <internal/decompositions.hpp>

#include "watch_stage.hpp"

namespace nonsmooth {

std::string RunRemark::message() const {
  std::ostringstream text;
  text << subject << ": ";
  switch (kind) {
    case Kind::ImpulsiveMultiplier:
      text << "a multiplier of size 1/h in " << count << " steps, the first to t = " << first_t
           << " s: it is an impulse h lambda, at most " << worst;
      break;
    case Kind::EnergyGain:
      text << "energy from nowhere in " << count << " steps, the first to t = " << first_t << " s: at most " << worst
           << " in one";
      break;
    case Kind::SeveralAnswers:
      text << "several answers in " << count << " steps, the first to t = " << first_t << " s: at most " << worst
           << " others";
      break;
  }
  return text.str();
}

void add_remark(RunRemark::Kind kind, const std::string& subject, double t, double value, RunRemarks& remarks) {
  const auto same = std::find_if(remarks.begin(), remarks.end(),
                                 [&](const RunRemark& r) { return r.kind == kind && r.subject == subject; });
  if (same == remarks.end()) {
    remarks.push_back({kind, subject, t, 1, value});
  } else {
    ++same->count;
    same->worst = std::max(same->worst, value);
  }
}

namespace stages {
namespace {

constexpr double kEnergyNoise = 1e-8;  ///< of the terms: ten times the default tolerance of one-step problems
constexpr Index kMostDamped = 200;     ///< unknowns of a system with full damping

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
bool is_closed_mechanics(const NonSmoothDynamicalSystem& model, const TimeSteppingOptions& options, const Plan& plan) {
  if (options.projection.kind != Projection::None) return false;  // moves positions in fields of force
  bool any = false;
  for (std::size_t i = 0; i < plan.layout->systems.size(); ++i) {
    const Layout::System& place = plan.layout->systems[i];
    if (place.first_order) continue;
    any = true;
    const auto* linear =
        std::get_if<std::shared_ptr<const LagrangianLinearSystem>>(&model.systems()[place.slot].description);
    if (!linear || plan.schemes[i].two_steps) return false;
    const LagrangianLinearSystem& d = **linear;
    if (d.force.function() || d.feedback || !d.prescribed.empty() || !d.impulses.empty()) return false;
    if (!is_symmetric_matrix(d.stiffness) || !only_damps(d.damping, place.n)) return false;
  }
  return any && std::all_of(plan.interactions.begin(), plan.interactions.end(), [](const InteractionPlan& i) {
           return i.first_order || (i.offset && !i.compliant && is_passive(*i.law));
         });
}

void prepare_mechanics_watch(const NonSmoothDynamicalSystem& model, RunWatch& watch, const Plan& plan) {
  watch.mass = watch.stiffness = watch.force = watch.momentum = watch.elastic = watch.held =
      Eigen::VectorXd::Zero(plan.layout->num_unknowns);
  for (std::size_t i = 0; i < plan.layout->systems.size(); ++i) {
    const Layout::System& place = plan.layout->systems[i];
    if (place.first_order) continue;
    const auto& d = *std::get<std::shared_ptr<const LagrangianLinearSystem>>(model.systems()[place.slot].description);
    if (d.force.constant()) watch.force.segment(place.z, place.n) = *d.force.constant();
    if (plan.kind[i] != SystemKind::Diagonal) continue;
    watch.mass.segment(place.z, place.n) = d.mass.to_dense(place.n, true).diagonal();
    watch.stiffness.segment(place.z, place.n) = d.stiffness.to_dense(place.n).diagonal();
  }
}

/// Kinetic and potential energy at the state, with M v, K q - f and the sizes of their terms.
void measure_energy(const NonSmoothDynamicalSystem& model, const State& state, RunWatch& watch, const Plan& plan) {
  double energy = 0.0, terms = 0.0;
  const double* v = state.unknowns.data();
  const double* q = state.positions.data();
  for (const DiagonalRun& run : plan.runs) {
    for (Index i = 0; i < run.count; ++i) {
      const Index z = run.z + i;
      const double spring = watch.stiffness[z] * q[run.q + i], force = watch.force[z];
      const double kinetic = 0.5 * watch.mass[z] * v[z] * v[z], elastic = 0.5 * spring * q[run.q + i];
      const double field = force * q[run.q + i];
      energy += kinetic + elastic - field;
      terms += kinetic + std::abs(elastic) + std::abs(field);
      watch.held[z] = std::abs(spring) + std::abs(force);
    }
  }
  const auto add = [&](Index system) {
    const Layout::System& place = plan.system(system);
    if (place.first_order) return;
    const auto& d = *std::get<std::shared_ptr<const LagrangianLinearSystem>>(model.systems()[place.slot].description);
    const auto own_v = state.unknowns.segment(place.z, place.n);
    const auto own_q = state.positions.segment(place.q, place.nq);
    auto momentum = watch.momentum.segment(place.z, place.n), elastic = watch.elastic.segment(place.z, place.n);
    multiply(d.mass, true, own_v, momentum);
    multiply(d.stiffness, false, own_q, elastic);
    const auto force = watch.force.segment(place.z, place.n);
    energy += 0.5 * own_v.dot(momentum) + 0.5 * own_q.dot(elastic) - force.dot(own_q);
    terms += 0.5 * own_v.cwiseAbs().dot(momentum.cwiseAbs()) + 0.5 * own_q.cwiseAbs().dot(elastic.cwiseAbs()) +
             force.cwiseAbs().dot(own_q.cwiseAbs());
    watch.held.segment(place.z, place.n) = elastic.cwiseAbs() + force.cwiseAbs();
  };
  for (const DenseSystem& s : plan.dense) add(s.system);
  for (const SparseSystem& s : plan.sparse) add(s.system);
  watch.energy = energy;
  watch.terms = terms;
}

/// A rise beyond rounding, tolerance, and h |F| |v+ - v-| / 2, which schemes of theta >= 1/2 may add to an impact and
/// to friction where it turns. What one of less adds is not known to be small.
void watch_mechanics(const NonSmoothDynamicalSystem& model, const StepReport& report, const State& state, Plan& plan,
                     RunRemarks& noticed) {
  RunWatch& watch = plan.watch;
  const double before = watch.energy, terms = watch.terms;
  measure_energy(model, state, watch, plan);
  const double gain = watch.energy - before;
  const double noise = std::max(kEnergyNoise, 10.0 * report.certificate.residual) * std::max(terms, watch.terms);
  if (!(gain > noise) || report.halvings > 0) return;
  double allowed = 0.0;
  for (std::size_t i = 0; i < plan.layout->systems.size(); ++i) {
    const Layout::System& place = plan.layout->systems[i];
    if (place.first_order || plan.schemes[i].theta < 0.5) continue;
    for (Index z = place.z; z < place.z + place.n; ++z)
      allowed += 0.5 * plan.h * watch.held[z] * std::abs(state.unknowns[z] - plan.z[z]);
  }
  if (gain > noise + allowed)
    add_remark(RunRemark::Kind::EnergyGain, "the mechanical systems", report.t, gain, noticed);
}

}  // namespace

bool is_passive(const LawBlock& law) {
  if (law.stiffness > 0.0 || law.coupling.size() > 0 || law.offset.size() > 0 || law.custom || law.bond || law.shockley)
    return false;
  return std::all_of(law.parts.begin(), law.parts.end(), [](const LawBlock::Part& part) {
    const BlockSet& set = part.set;
    return set.cohesion == 0.0 && (set.kind != SetKind::Box || (set.lower <= 0.0 && set.upper >= 0.0));
  });
}

void prepare_watch(const NonSmoothDynamicalSystem& model, const TimeSteppingOptions& options, const State& state,
                   Plan& plan) {
  RunWatch& watch = plan.watch;
  watch = {};
  watch.sizes = state.unknowns.cwiseAbs();
  watch.moved = Eigen::VectorXd::Zero(state.unknowns.size());
  for (const Island& island : islands_of_first_order(plan)) {
    RunWatch::Island own;
    own.systems = island.systems;
    for (const Index i : island.interactions) {
      const auto& interaction = plan.interactions[static_cast<std::size_t>(i)];
      if (std::any_of(plan.blocks.begin(), plan.blocks.end(), [&](const BlockPlan& block) {
            return block.interaction == i && is_unbounded(block, interaction);
          }))
        own.interactions.push_back(i);
    }
    if (!own.interactions.empty()) watch.islands.push_back(std::move(own));
    if (auto storage = storage_of(island, model, plan)) watch.storages.push_back(std::move(*storage));
  }
  watch.mechanics = is_closed_mechanics(model, options, plan);
  if (watch.mechanics) prepare_mechanics_watch(model, watch, plan);
  watch_anew(model, state, plan);
}

void watch_anew(const NonSmoothDynamicalSystem& model, const State& state, Plan& plan) {
  if (plan.watch.mechanics) measure_energy(model, state, plan.watch, plan);
  for (RunWatch::Island& island : plan.watch.islands) island.pending = false;
}

void watch_step(const NonSmoothDynamicalSystem& model, const StepReport& report, const State& state, Plan& plan,
                RunRemarks& noticed) {
  if (plan.watch.mechanics) watch_mechanics(model, report, state, plan, noticed);
  watch_first_order(report, state, plan, noticed);
}

}  // namespace stages
}  // namespace nonsmooth
