// SPDX-License-Identifier: Apache-2.0
// Stage 1: the kinds of batches, which system is in which, and what a step asks of all of them.
#include "system_caches.hpp"

#include <algorithm>
#include <array>

#include <nonsmooth/numerics/error.hpp>

#include "dynamics/first_order/first_order_batch.hpp"
#include "dynamics/first_order/process_batch.hpp"
#include "dynamics/first_order/sparse_first_order_batch.hpp"
#include "dynamics/mechanics/body_batch.hpp"
#include "dynamics/mechanics/dense_alpha_batch.hpp"
#include "dynamics/mechanics/dense_batch.hpp"
#include "dynamics/mechanics/diagonal_batch.hpp"
#include "dynamics/mechanics/exact_dense_batch.hpp"
#include "dynamics/mechanics/exact_diagonal_batch.hpp"
#include "dynamics/mechanics/general_batch.hpp"
#include "dynamics/mechanics/sparse_alpha_batch.hpp"
#include "dynamics/mechanics/sparse_batch.hpp"
#include "dynamics/mechanics/sparse_nonlinear_batch.hpp"

namespace nonsmooth::stages {
namespace {

template <class Batch>
std::unique_ptr<SystemBatch> make_batch(SystemInputs& inputs) {
  return std::make_unique<Batch>(inputs);
}
/// Of two kinds that take a system the first gets it.
constexpr std::array kMakers{
    &make_batch<SparseAlphaBatch>,     &make_batch<DenseAlphaBatch>, &make_batch<ExactDiagonalBatch>,
    &make_batch<ExactDenseBatch>,      &make_batch<DiagonalBatch>,   &make_batch<SparseBatch>,
    &make_batch<DenseBatch>,           &make_batch<RigidBatch>,      &make_batch<PlanarBatch>,
    &make_batch<SparseNonlinearBatch>, &make_batch<GeneralBatch>,    &make_batch<SparseFirstOrderBatch>,
    &make_batch<FirstOrderBatch>,      &make_batch<ProcessBatch>,
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

/// Puts systems of a layout into batches, each in the first that takes it.
void sort_systems(const Layout& layout, const std::vector<SystemCandidate>& candidates, SystemCaches& systems) {
  systems.places.clear();
  systems.places.reserve(candidates.size());
  systems.batches.clear();
  systems.nonlinear.clear();
  if (systems.kinds.empty()) {
    for (const auto make : kMakers) systems.kinds.push_back(make(systems.inputs));
  }
  for (const auto& batch : systems.kinds) batch->clear();
  for (const SystemCandidate& candidate : candidates) {
    const auto kind = std::find_if(systems.kinds.begin(), systems.kinds.end(),
                                   [&](const auto& batch) { return batch->takes(candidate); });
    if (kind == systems.kinds.end())
      throw InvalidArgument("NonSmoothDynamicalSystem", layout.systems[static_cast<std::size_t>(candidate.system)].name,
                            "a system of a kind that simulations know");
    systems.places.push_back({kind->get(), (*kind)->enter(candidate.system), nullptr});
  }
  for (const auto& batch : systems.kinds) {
    if (batch->systems().empty()) continue;
    systems.batches.push_back(batch.get());
    if (batch->is_nonlinear()) systems.nonlinear.push_back(batch.get());
  }
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
  const Layout& layout = *discretisation.layout;
  const std::vector<char> driven = driven_by_nonlinear_inputs(model, layout);
  std::vector<SystemCandidate> candidates;
  candidates.reserve(layout.systems.size());
  for (std::size_t i = 0; i < layout.systems.size(); ++i) {
    const Scheme& scheme = discretisation.schemes[i];
    candidates.push_back({model.systems()[layout.systems[i].slot], static_cast<Index>(i), driven[i] != 0,
                          scheme.keeps_unknown, scheme.exponential, scheme.generalised_alpha});
  }
  sort_systems(layout, candidates, systems);
  systems.inputs.clear(candidates.size());
  for (const SystemCandidate& one : candidates) {
    systems.inputs.add(one.record, one.system, discretisation.system(one.system));
    systems.at(one.system).batch->prepare({one.record, one.system, discretisation});
  }
  for (SystemCaches::Place& at : systems.places) at.diagonal_inverse = at.batch->diagonal_inverse(at.place);
}

void prepare_instants(const NonSmoothDynamicalSystem& model, const Layout& layout, const std::vector<Index>& asked,
                      const std::vector<Index>& first, SystemCaches& systems) {
  std::vector<SystemCandidate> candidates;
  candidates.reserve(asked.size());
  for (const Index system : asked)
    candidates.push_back({model.systems()[layout.systems[static_cast<std::size_t>(system)].slot], system});
  sort_systems(layout, candidates, systems);
  for (SystemBatch* batch : systems.batches) batch->prepare_instants(model, layout, first);
}

const OwnProblem* own_problems(const SystemCaches& systems) {
  for (const SystemBatch* batch : systems.batches)
    if (const auto* processes = dynamic_cast<const ProcessBatch*>(batch)) return &processes->own_problems();
  return nullptr;
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
