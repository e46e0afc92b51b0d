// SPDX-License-Identifier: Apache-2.0
// Outputs evaluated at a state, and what is asked of a state before that.
#include "outputs.hpp"

#include <cmath>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "guarded.hpp"

namespace nonsmooth {
namespace {

void require_size(const char* array, const Eigen::VectorXd& values, Index wanted) {
  if (values.size() == wanted) return;
  check::size(std::string("State::") + array, values.size(), wanted, "as the layout has it");
}

}  // namespace

void require_sound(const State& state) {
  if (!state.layout()) throw InvalidArgument("State", "an empty state", "one made by a model or a simulation");
  const Layout& layout = *state.layout();
  const Index rows = layout.num_rows, unknowns = layout.num_unknowns;
  const Index wrong = (state.positions.size() ^ layout.num_positions) | (state.unknowns.size() ^ unknowns) |
                      (state.differences.size() ^ unknowns) | (state.law_memory.size() ^ layout.num_memory) |
                      (state.outputs.size() ^ rows) | (state.velocities.size() ^ rows) |
                      (state.multipliers.size() ^ rows) | (state.percussions.size() ^ rows) |
                      (state.projections.size() ^ rows);
  if (wrong == 0 && std::isfinite(state.t) && check::all_finite(state.positions) && check::all_finite(state.unknowns))
    return;
  check::finite("State::t", state.t);
  require_size("positions", state.positions, layout.num_positions);
  require_size("unknowns", state.unknowns, layout.num_unknowns);
  require_size("differences", state.differences, layout.num_unknowns);
  require_size("law_memory", state.law_memory, layout.num_memory);
  const std::pair<const char*, const Eigen::VectorXd*> of_rows[] = {{"outputs", &state.outputs},
                                                                    {"velocities", &state.velocities},
                                                                    {"multipliers", &state.multipliers},
                                                                    {"percussions", &state.percussions},
                                                                    {"projections", &state.projections}};
  for (const auto& [name, values] : of_rows) require_size(name, *values, rows);
  if (!check::all_finite(state.positions) || !check::all_finite(state.unknowns)) {
    throw InvalidArgument("step: state", "a coordinate, velocity or state that is not finite", "finite entries");
  }
}

void update_outputs(const NonSmoothDynamicalSystem& model, State& state) {
  try {
    ask_outputs(model, state);
  } catch (const CallableFailure& failure) {
    throw InvalidArgument("update_outputs: model", failure.detail, "functions that can be asked at the state");
  }
}

void ask_outputs(const NonSmoothDynamicalSystem& model, State& state) {
  const auto layout = model.layout();
  if (!state.layout() || state.layout()->revision != layout->revision) {
    throw InvalidArgument("update_outputs: state", "a state of another revision",
                          "one of the model's present revision");
  }
  Eigen::VectorXd q, z;
  for (const auto& place : layout->interactions) {
    const auto& interaction = model.interactions()[place.slot];
    q.resize(0);
    z.resize(0);
    for (const std::uint32_t slot : interaction.systems) {
      const auto& system = layout->systems[static_cast<std::size_t>(layout->system_of_slot[slot])];
      const Index nq = q.size(), nz = z.size();
      q.conservativeResize(nq + system.nq);
      q.tail(system.nq) = state.positions.segment(system.q, system.nq);
      z.conservativeResize(nz + system.n);
      z.tail(system.n) = state.unknowns.segment(system.z, system.n);
    }
    auto y = state.outputs.segment(place.row, place.rows);
    auto u = state.velocities.segment(place.row, place.rows);
    const auto multipliers = state.multipliers.segment(place.row, place.rows);
    const auto ask = [&place](const char* what, auto&& call) { guarded(place.name, what, call); };
    if (const auto* relation = interaction.mechanical) {
      Eigen::MatrixXd H = Eigen::MatrixXd::Zero(place.rows, z.size());
      Eigen::VectorXd h_t = Eigen::VectorXd::Zero(place.rows), lambda = h_t;
      if (state.last_step > 0.0) lambda = multipliers / state.last_step;
      y.setZero();
      if (relation->is_compliant()) {
        ask("h(q, lambda)", [&] { relation->compliant_h(state.t, q, lambda, y); });
        ask("H(q)", [&] { relation->compliant_H(state.t, q, lambda, H); });
      } else {
        ask("h(q)", [&] { relation->h(state.t, q, y); });
        ask("H(q)", [&] { relation->H(state.t, q, H); });
      }
      ask("h_t", [&] { relation->h_t(state.t, q, h_t); });
      u = H * z + h_t;
    } else {
      y.setZero();
      ask("h(t, x, lambda)", [&] { interaction.first_order->h(state.t, z, multipliers, y); });
    }
  }
}

}  // namespace nonsmooth
