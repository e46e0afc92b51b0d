// SPDX-License-Identifier: Apache-2.0
// Stage 6: what a step commits to the state.
#include "commit.hpp"

#include "model/guarded.hpp"
#include "model/step_grid.hpp"

namespace nonsmooth::stages {
namespace {

/// v_{k+1} = (q_{k+1} - q_{k-1}) / (2 h) of a scheme of two steps into solution.z, which holds (q_{k+1} - q_k) / h.
void from_differences(const Layout::System& place, StepSolution& solution, State& state) {
  auto difference = state.differences.segment(place.z, place.n);
  if (!state.has_differences()) difference = state.unknowns.segment(place.z, place.n);
  auto z = solution.z.segment(place.z, place.n);
  for (Index i = 0; i < place.n; ++i) {
    const double backward = difference[i];
    difference[i] = z[i];
    z[i] = 0.5 * (z[i] + backward);
  }
}

}  // namespace

void commit_motion(const Discretisation& discretisation, SystemCaches& systems, StepSolution& solution, State& state) {
  const double h = discretisation.h;
  double* positions = state.positions.data();
  const double* before = state.unknowns.data();
  const double* after = solution.z.data();
  for (const DiagonalRun& run : systems.runs) {
    const double theta = run.theta;
    discretisation.threads.for_each_range(run.count, Index{2048}, [&](Index first, Index last) {
      for (Index i = first; i < last; ++i) {
        positions[run.q + i] += h * (theta * after[run.z + i] + (1.0 - theta) * before[run.z + i]);
      }
    });
  }
  const auto advance = [&](Index system) {
    const auto& place = discretisation.system(system);
    if (place.first_order) return;
    const Scheme& scheme = discretisation.scheme(system);
    const double theta = scheme.two_steps ? 1.0 : scheme.theta;
    for (Index i = 0; i < place.n; ++i) {
      positions[place.q + i] += h * (theta * after[place.z + i] + (1.0 - theta) * before[place.z + i]);
    }
    if (scheme.two_steps) from_differences(place, solution, state);
  };
  for (SystemBatch* batch : systems.batches) batch->commit(discretisation, solution.z, state);
  for (const SparseSystem& s : systems.sparse) advance(s.system);
  for (NonlinearSystem& s : systems.nonlinear) {
    const auto& place = discretisation.system(s.system);
    const double theta = discretisation.scheme(s.system).theta;
    s.w = h * (theta * solution.z.segment(place.z, place.n) + (1.0 - theta) * state.unknowns.segment(place.z, place.n));
    guarded(place.name, "retract(q, w)",
            [&] { s.description->retract(state.positions.segment(place.q, place.nq), s.w); });
  }
  state.unknowns.swap(solution.z);
}

void commit_multipliers(const ActingRows& acting, const mixed::Result& result, Eigen::VectorXd& last_multipliers,
                        State& state) {
  state.multipliers.swap(last_multipliers);
  state.multipliers.setZero(last_multipliers.size());
  state.percussions.setZero();
  state.projections.setZero();
  state.contacts.clear();
  for (const ActiveBlock& block : acting.active.blocks) {
    if (block.model_block >= 0) {
      const BlockPlan& model = acting.block(block);
      // A contact that is closed from the start, without approach, carries a force from its first step on.
      const bool approaches = state.velocities[model.row] < 0.0;
      const bool impact = model.impacts && approaches && last_multipliers[model.row] == 0.0;
      for (Index k = 0; k < block.size; ++k) {
        state.multipliers[model.row + k] = result.r[block.row + k];
        if (impact) state.percussions[model.row + k] = result.r[block.row + k];
      }
    } else {
      const PlanarContact& contact = acting.contact(block);
      const auto source = static_cast<std::uint64_t>(acting.contacts.source[static_cast<std::size_t>(block.contact)]);
      const auto c = static_cast<std::size_t>(block.contact);
      const double normal = result.r[block.row], tangential = result.r[block.row + 1];
      // u of the problem is u+ + e u- in row N.
      const double sum_normal = result.u[block.row] + (1.0 - contact.restitution) * acting.contacts.u[2 * c];
      const double sum_tangential = result.u[block.row + 1] + acting.contacts.u[2 * c + 1];
      state.contacts.push_back({contact.feature, source, normal, tangential, 0.5 * normal * sum_normal,
                                0.5 * tangential * sum_tangential, contact.gap});
    }
  }
}

void commit_time(double t_next, const Discretisation& discretisation, State& state) {
  const double h = discretisation.h;
  if (!on_grid(state, h)) {
    state.grid_step = h;
    state.t_origin = state.t;
    state.k = 0;
  }
  ++state.k;
  ++state.steps;
  state.t = t_next;
  if (discretisation.two_steps) state.differences_t = t_next;
  state.last_step = h;
  state.forces.resize(0);  // of an event-driven past
}

}  // namespace nonsmooth::stages
