// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/reaction_wrench.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "body_kind.hpp"
#include "model/equations/relation_evaluator.hpp"
#include "model/linked_systems.hpp"
#include "rotation.hpp"
#include "wrench.hpp"

namespace nonsmooth {
namespace {

constexpr const char* kReaction = "reaction_wrench";

/// Of a body, in space or in the plane.
Eigen::Vector3d centre_of(BodyKind kind, ConstVectorRef q) {
  if (kind == BodyKind::InSpace) return q.head<3>();
  return {q[0], q[1], 0.0};
}

using Body = NonSmoothDynamicalSystem::System;

/// @throws InvalidArgument of a system that is no body.
Wrench wrench_about_centre(BodyKind kind, ConstVectorRef along_velocities, ConstVectorRef q, const Body& body) {
  Wrench result;
  if (kind == BodyKind::InSpace) {
    result.force = along_velocities.head<3>();
    result.moment = rotation::matrix_of_any_length(q.tail<4>()) * along_velocities.tail<3>();
  } else if (kind == BodyKind::InPlane) {
    result.force.head<2>() = along_velocities.head<2>();
    result.moment[2] = along_velocities[2];
  } else {
    throw InvalidArgument(kReaction, body.name + " of " + std::to_string(q.size()) + " coordinates",
                          "a body in space, of 7, or a PlanarBody, of 3");
  }
  return result;
}

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
  const Body& acted = model.systems()[layout->at(body).slot];
  if (acted_on == linked.end())
    throw InvalidArgument(kReaction, record.name + " does not act on " + acted.name, "one that does");
  Eigen::MatrixXd H(record.rows, linked.back().column + linked.back().n);
  RelationEvaluator(*record.mechanical).H(state.t, stacked_positions(linked, state.positions), lambda, H);
  const Eigen::VectorXd force = H.middleCols(acted_on->column, acted_on->n).transpose() * lambda;
  return wrench_at(force, state.positions.segment(acted_on->q, acted_on->nq), acted, point);
}

}  // namespace

Wrench wrench_at(ConstVectorRef along_velocities, ConstVectorRef q, const Body& body, const Eigen::Vector3d& point) {
  check::finite("reaction_wrench: point", ConstVectorRef(point));
  const BodyKind kind = body_kind_of(body);
  const Wrench about_centre = wrench_about_centre(kind, along_velocities, q, body);
  return moved(about_centre, centre_of(kind, q), point);
}

Eigen::Vector3d touching_point(std::span<const Wrench> rows, const Eigen::Vector3d& centre) {
  // Rows are orthonormal: the sum of d x (l x d) = l - d (d . l) over count of them is (count - 1) l in their span, and
  // count l across it.
  Eigen::Vector3d sum = Eigen::Vector3d::Zero(), in_span = Eigen::Vector3d::Zero();
  double count = 0.0;
  for (const Wrench& row : rows) {
    if (row.force.isZero(0.0)) continue;  // of an angular velocity
    sum += rotation::cross(row.force, row.moment);
    ++count;
  }
  if (count < 2.0) return centre + sum;
  for (const Wrench& row : rows) in_span += row.force * row.force.dot(sum);
  return centre + sum / count + in_span * (1.0 / (count - 1.0) - 1.0 / count);
}

Eigen::Vector3d contact_point(const Eigen::MatrixXd& H, ConstVectorRef q, const Body& body) {
  std::vector<Wrench> rows;
  const BodyKind kind = body_kind_of(body);
  for (Index r = 0; r < H.rows(); ++r) rows.push_back(wrench_about_centre(kind, H.row(r).transpose(), q, body));
  return touching_point(rows, centre_of(kind, q));
}

Wrench moved(const Wrench& wrench, const Eigen::Vector3d& from, const Eigen::Vector3d& to) {
  return {wrench.force, wrench.moment + rotation::cross(from - to, wrench.force)};
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
