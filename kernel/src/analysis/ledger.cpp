// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/ledger.hpp>

#include <algorithm>
#include <limits>

#include <nonsmooth/numerics/error.hpp>

#include "model/describe.hpp"
#include "model/equations/relation_evaluator.hpp"
#include "model/equations/sparse_systems.hpp"
#include "model/linked_systems.hpp"
#include "model/prepared_law.hpp"
#include "model/row_roles.hpp"

namespace nonsmooth {

Ledger::Ledger(const NonSmoothDynamicalSystem& model) : model_(&model), layout_(model.layout()) {}

Ledger::Ledger(const Simulation& simulation) : Ledger(simulation.model()) { record(simulation.state()); }

void Ledger::find_end(const State& state) {
  end_ = state.unknowns;
  some_fell_ = false;
  const SleepMemory& sleep = state.sleep;
  for (std::size_t s = 0; open_ && s < sleep.island.size() && sleep.taken.size() == end_.size(); ++s) {
    if (sleep.island[s] < 0 || (s < asleep_.size() && asleep_[s] >= 0)) continue;
    const Layout::System& place = layout_->systems[s];
    end_.segment(place.z, place.n) = sleep.taken.segment(place.z, place.n);
    some_fell_ = true;
  }
  asleep_ = sleep.island;
}

void Ledger::add_energies(const State& state, const Layout::System& place) {
  const MechanicalSystem& system = *model_->systems()[place.slot].mechanical;
  const Eigen::VectorXd v = state.unknowns.segment(place.z, place.n), q = state.positions.segment(place.q, place.nq);
  auto momentum = entry_.momentum.segment(place.z, place.n);
  const double h = state.t - t_;
  const auto end = end_.segment(place.z, place.n);
  const auto mean_velocity = [&]() -> Eigen::VectorXd { return 0.5 * (end + unknowns_.segment(place.z, place.n)); };
  if (const LagrangianLinearSystem* linear = system.linear()) {
    momentum = describe::product(linear->mass, v, true);
    entry_.potential += 0.5 * q.dot(describe::product(linear->stiffness, q));
    if (const auto* force = linear->force.constant()) entry_.potential -= force->dot(q);
    if (open_) {
      const Eigen::VectorXd mean = mean_velocity();
      entry_.damping -= h * mean.dot(describe::product(linear->damping, mean));
      if (const auto* force = linear->force.function()) {
        Eigen::VectorXd before = Eigen::VectorXd::Zero(place.n), after = before;
        (*force)(t_, before);
        (*force)(state.t, after);
        entry_.external += 0.5 * h * mean.dot(before + after);
      }
    }
  } else {
    momentum = momentum_of(system, q, v);
    entry_.potential += system.potential(q);
  }
  for (const PrescribedImpulse& load : system.impulses()) {
    if (open_ && load.instant > t_ && load.instant <= state.t)
      entry_.external += load.impulse.value().dot(mean_velocity());
  }
  entry_.kinetic += 0.5 * v.dot(momentum);
  if (some_fell_ && end != v) entry_.sleep -= 0.5 * end.dot(momentum_of(system, q, end));
}

/// H of an interaction times the velocities that its systems lost by falling asleep.
Eigen::VectorXd Ledger::velocity_taken(const State& state, const Layout::Interaction& place) const {
  const auto& record = model_->interactions()[place.slot];
  const auto linked = linked_systems(*layout_, record.systems);
  const Eigen::VectorXd z = stacked_unknowns(linked, end_ - state.unknowns);
  if (z.isZero(0.0)) return Eigen::VectorXd::Zero(place.rows);
  Eigen::MatrixXd H(place.rows, z.size());
  Eigen::VectorXd lambda = Eigen::VectorXd::Zero(place.rows);
  if (state.last_step > 0.0) lambda = state.multipliers.segment(place.row, place.rows) / state.last_step;
  RelationEvaluator(*record.mechanical).H(state.t, stacked_positions(linked, state.positions), lambda, H);
  return H * z;
}

void Ledger::add_works(const State& state) {
  for (const auto& place : layout_->interactions) {
    if (place.first_order) continue;
    const auto& record = model_->interactions()[place.slot];
    const PreparedLaw& law = *record.law;
    // u of rheonomous relations holds h_t, the velocity of what moves by itself: not the system's.
    const RelationEvaluator relation(*record.mechanical);
    Eigen::VectorXd moving(place.rows);
    relation.h_t(state.t, stacked_positions(linked_systems(*layout_, record.systems), state.positions), moving);
    own_velocities_.segment(place.row, place.rows) = state.velocities.segment(place.row, place.rows) - moving;
    Eigen::VectorXd at_end = own_velocities_.segment(place.row, place.rows);
    if (some_fell_) at_end += velocity_taken(state, place);
    for (Index r = 0; r < place.rows; ++r) {
      const Index i = place.row + r;
      const RowRole role = role_of(law, r % law.size);
      if (role == RowRole::Normal && law.unilateral) {
        double& depth = law.stiffness > 0.0 ? entry_.compression : entry_.penetration;
        depth = std::max(depth, -state.outputs[i]);
      }
      if (role == RowRole::Bilateral) entry_.drift = std::max(entry_.drift, std::abs(state.outputs[i]));
      if (!open_) continue;
      const double work = state.multipliers[i] * (0.5 * (at_end[r] + velocities_[i]));
      const bool rubs = role == RowRole::Tangential || role == RowRole::JointFriction;
      double& sum = role == RowRole::Normal ? entry_.contact : rubs ? entry_.friction : entry_.constraint;
      sum += work;
    }
  }
  for (const ContactMemory& contact : state.contacts) {
    entry_.penetration = std::max(entry_.penetration, -contact.gap);
    if (!open_) continue;
    entry_.contact += contact.work_normal;
    entry_.friction += contact.work_tangential;
  }
}

const LedgerEntry& Ledger::record(const State& state) {
  if (!state.layout() || state.layout()->revision != layout_->revision)
    throw InvalidArgument("Ledger::record", "a state of another revision of the model", "one of the ledger's own");
  const double before = entry_.energy();
  entry_ = {};
  entry_.t = state.t;
  entry_.momentum = Eigen::VectorXd::Zero(layout_->num_unknowns);
  own_velocities_ = Eigen::VectorXd::Zero(layout_->num_rows);
  find_end(state);
  for (const auto& place : layout_->systems) {
    if (place.nq > 0) add_energies(state, place);
  }
  add_works(state);
  entry_.numerical = std::numeric_limits<double>::quiet_NaN();
  if (open_) {
    entry_.numerical = entry_.energy() - before - entry_.contact - entry_.friction - entry_.constraint -
                       entry_.damping - entry_.external - entry_.sleep;
    for (double LedgerEntry::*sum :
         {&LedgerEntry::contact, &LedgerEntry::friction, &LedgerEntry::constraint, &LedgerEntry::damping,
          &LedgerEntry::external, &LedgerEntry::sleep, &LedgerEntry::numerical})
      total_.*sum += entry_.*sum;
  }
  total_.t = state.t;
  total_.kinetic = entry_.kinetic;
  total_.potential = entry_.potential;
  total_.penetration = std::max(total_.penetration, entry_.penetration);
  total_.compression = std::max(total_.compression, entry_.compression);
  total_.drift = std::max(total_.drift, entry_.drift);
  total_.momentum = entry_.momentum;
  unknowns_ = state.unknowns;
  velocities_ = own_velocities_;
  t_ = state.t;
  open_ = true;
  return entry_;
}

}  // namespace nonsmooth
