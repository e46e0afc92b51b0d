// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/reaction_wrench.hpp>

#include <algorithm>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "linked_systems.hpp"
#include "relation_evaluator.hpp"
#include "rotation.hpp"
#include "wrench.hpp"

namespace nonsmooth {
namespace {

constexpr const char* kReaction = "reaction_wrench";

/// H^T lambda on a body, H at the state.
Wrench wrench_of(const NonSmoothDynamicalSystem& model, const State& state, InteractionHandle interaction,
                 SystemHandle body, const Eigen::Vector3d& point, const Eigen::VectorXd& lambda) {
  const auto layout = model.layout();
  if (!state.layout() || state.layout()->revision != layout->revision) {
    throw InvalidArgument("reaction_wrench: state", "a state of another revision",
                          "one of the model's present revision");
  }
  const auto& record = model.interactions()[layout->at(interaction).slot];
  const auto linked = linked_systems(*layout, record.systems);
  const Index index = layout->index(body);
  const auto acted_on =
      std::find_if(linked.begin(), linked.end(), [&](const auto& one) { return one.system == index; });
  const std::string& name = layout->at(body).name;
  if (acted_on == linked.end())
    throw InvalidArgument(kReaction, record.name + " does not act on " + name, "one that does");
  Eigen::MatrixXd H(record.rows, linked.back().column + linked.back().n);
  RelationEvaluator(*record.mechanical).H(state.t, stacked_positions(linked, state.positions), lambda, H);
  const Eigen::VectorXd force = H.middleCols(acted_on->column, acted_on->n).transpose() * lambda;
  return wrench_at(force, state.positions.segment(acted_on->q, acted_on->nq), name, point);
}

}  // namespace

Wrench wrench_at(ConstVectorRef along_velocities, ConstVectorRef q, const std::string& body,
                 const Eigen::Vector3d& point) {
  check::finite("reaction_wrench: point", ConstVectorRef(point));
  if (q.size() != 7 || along_velocities.size() != 6) {
    throw InvalidArgument(kReaction, body + " of " + std::to_string(q.size()) + " coordinates",
                          "a body in space, of 7");
  }
  Wrench result;
  result.force = along_velocities.head<3>();
  result.moment = rotation::matrix_of_any_length(q.tail<4>()) * along_velocities.tail<3>() +
                  rotation::skew(q.head<3>() - point) * result.force;
  return result;
}

Wrench reaction_wrench(const NonSmoothDynamicalSystem& model, const State& state, InteractionHandle interaction,
                       SystemHandle body, const Eigen::Vector3d& point) {
  return wrench_of(model, state, interaction, body, point, state.force(interaction));
}

Wrench reaction_impulse(const NonSmoothDynamicalSystem& model, const State& state, InteractionHandle interaction,
                        SystemHandle body, const Eigen::Vector3d& point) {
  return wrench_of(model, state, interaction, body, point, state.impulse(interaction));
}

}  // namespace nonsmooth
