// SPDX-License-Identifier: Apache-2.0
// Stage 1: the kinds of batches, which system is in which, and what a step asks of all of them.
#include "system_caches.hpp"

#include <algorithm>
#include <array>

#include <nonsmooth/numerics/error.hpp>

#include "dense_batch.hpp"
#include "diagonal_batch.hpp"
#include "first_order_batch.hpp"
#include "general_batch.hpp"
#include "sparse_batch.hpp"
#include "sweeping_batch.hpp"

namespace nonsmooth::stages {
namespace {

template <class Batch>
std::unique_ptr<SystemBatch> make_batch(SystemInputs& inputs) {
  return std::make_unique<Batch>(inputs);
}
/// Of two kinds that take a system the first gets it.
constexpr std::array kMakers{
    &make_batch<DiagonalBatch>, &make_batch<SparseBatch>,     &make_batch<DenseBatch>,
    &make_batch<GeneralBatch>,  &make_batch<FirstOrderBatch>, &make_batch<SweepingBatch>,
};

/// Systems that a nonlinear input acts on: their factors change with the iterate.
std::vector<char> driven_by_nonlinear_inputs(const NonSmoothDynamicalSystem& model, const Layout& layout) {
  std::vector<char> driven(layout.systems.size(), 0);
  for (const auto& place : layout.interactions) {
    const auto& record = model.interactions()[place.slot];
    if (!record.first_order || record.first_order->linear()) continue;
    for (const std::uint32_t slot : record.systems) driven[static_cast<std::size_t>(layout.system_of_slot[slot])] = 1;
  }
  return driven;
}

SystemCaches::Place place_in_batch(const SystemCandidate& candidate, SystemCaches& systems) {
  for (const auto& batch : systems.kinds) {
    const Index place = batch->accept(candidate);
    if (place >= 0) return {batch.get(), place, nullptr};
  }
  throw InvalidArgument("TimeStepping", candidate.place().name, "a system of a kind that it knows");
}

/// z_free += A^-1 J of an impulse in (t_k, t_{k+1}].
void apply_impulsive_loads(const StepView& step, SystemCaches& systems, Eigen::VectorXd& z_free) {
  for (const ImpulsiveLoad& load : systems.inputs.impulsive_loads) {
    if (!(load.instant > step.state.t && load.instant <= step.t_next)) continue;
    if (systems.at(load.system).batch->is_nonlinear()) continue;  // in its residual
    const auto& place = step.system(load.system);
    Eigen::VectorXd change = *load.impulse;
    apply_inverse(systems, load.system, change);
    z_free.segment(place.z, place.n) += change;
  }
}

}  // namespace

void prepare_systems(const NonSmoothDynamicalSystem& model, const Discretisation& discretisation,
                     SystemCaches& systems) {
  const auto count = discretisation.layout->systems.size();
  systems.inputs.clear(count);
  systems.places.clear();
  systems.batches.clear();
  systems.nonlinear.clear();
  if (systems.kinds.empty()) {
    for (const auto make : kMakers) systems.kinds.push_back(make(systems.inputs));
  }
  for (const auto& batch : systems.kinds) batch->clear();
  const std::vector<char> driven = driven_by_nonlinear_inputs(model, *discretisation.layout);
  for (std::size_t i = 0; i < count; ++i) {
    const Layout::System& place = discretisation.layout->systems[i];
    const SystemCandidate candidate{model.systems()[place.slot], static_cast<Index>(i), discretisation, driven[i] != 0};
    systems.inputs.add(candidate.record, candidate.system, place);
    systems.places.push_back(place_in_batch(candidate, systems));
  }
  for (SystemCaches::Place& at : systems.places) at.diagonal_inverse = at.batch->diagonal_inverse(at.place);
  for (const auto& batch : systems.kinds) {
    if (batch->systems().empty()) continue;
    systems.batches.push_back(batch.get());
    if (batch->is_nonlinear()) systems.nonlinear.push_back(batch.get());
  }
}

void free_state(const StepView& step, SystemCaches& systems, Eigen::VectorXd& z_free) {
  systems.inputs.sample(step);
  for (SystemBatch* batch : systems.batches) batch->free_state(step, z_free);
  if (!systems.inputs.impulsive_loads.empty()) apply_impulsive_loads(step, systems, z_free);
  // Prescribed velocities last: their change drives what A couples them to.
  for (const PrescribedComponent& one : systems.inputs.prescribed) {
    const auto& at = systems.at(one.system);
    const double value = prescribed_velocity(step, one);
    at.batch->follow(step, at.place, one, value - step.state.unknowns[one.z], z_free);
    z_free[one.z] = value;
  }
}

void predict_positions(const StepView& step, SystemCaches& systems, Iterate& iterate) {
  for (SystemBatch* batch : systems.batches) batch->predict_positions(step, iterate);
}

void evaluate_systems(const StepView& step, const Iterate& iterate, SystemCaches& systems) {
  for (SystemBatch* batch : systems.nonlinear) batch->evaluate(step, iterate);
}

void linearise_systems(const StepView& step, const Iterate& iterate, SystemCaches& systems, Eigen::VectorXd& z_free) {
  for (SystemBatch* batch : systems.nonlinear) batch->linearise(step, iterate, z_free);
}

void keep_impulses(const Discretisation& discretisation, const Eigen::VectorXd& z_free, const Eigen::VectorXd& z,
                   SystemCaches& systems) {
  for (SystemBatch* batch : systems.nonlinear) batch->keep_impulses(discretisation, z_free, z);
}

bool motion_holds(double tolerance, SystemCaches& systems) {
  return !systems.nonlinear.empty() && std::all_of(systems.nonlinear.begin(), systems.nonlinear.end(),
                                                   [&](SystemBatch* batch) { return batch->motion_holds(tolerance); });
}

}  // namespace nonsmooth::stages
