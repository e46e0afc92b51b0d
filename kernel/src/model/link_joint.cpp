// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/link_joint.hpp>

#include <cmath>
#include <utility>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

namespace nonsmooth {
namespace {

using Record = NonSmoothDynamicalSystem::InteractionRecord;

/// The record of a joint that was linked is closed at time t and positions q, and its H is finite there.
void require_closed(const Record& record, double t, ConstVectorRef q, Index velocities, double tolerance) {
  Eigen::VectorXd y = Eigen::VectorXd::Zero(record.rows);
  Eigen::MatrixXd H = Eigen::MatrixXd::Zero(record.rows, velocities);
  try {
    record.mechanical->h(t, q, y);
    record.mechanical->H(t, q, H);
  } catch (const InvalidArgument& refusal) {
    throw InvalidArgument(record.name + ": " + refusal.argument(), refusal.found(), refusal.expected());
  }
  check::finite("H of " + record.name, ConstMatrixRef(H));
  for (Index i = 0; i < y.size(); ++i) {
    if (std::abs(y[i]) <= tolerance) continue;
    throw InvalidArgument(
        "row " + std::to_string(i) + " of " + record.name, "y = " + check::text(y[i]) + " where it is linked",
        "0 within " + check::text(tolerance) + ": a joint that is closed at the positions its bodies then have");
  }
}

/// Positions are those of `state`, of the model before the link; nullptr: the initial ones, at t = 0.
InteractionHandle link_closed(NonSmoothDynamicalSystem& model, std::vector<SystemHandle> bodies, AnyRelation joint,
                              const State* state, std::string name, double tolerance) {
  check::range("link_joint: tolerance", tolerance, 0.0, 1e300);
  const InteractionHandle handle = model.link(std::move(bodies), std::move(joint), EqualityLaw{}, std::move(name));
  try {
    const Record& record = model.interactions()[handle.slot];
    if (!record.mechanical) throw InvalidArgument("link_joint", "systems of first order in " + record.name, "bodies");
    Eigen::VectorXd q;
    Index velocities = 0;
    for (const std::uint32_t slot : record.systems) {
      const NonSmoothDynamicalSystem::System& system = model.systems()[slot];
      const Layout::System* place =
          state ? &state->layout()->systems[static_cast<std::size_t>(state->layout()->system_of_slot[slot])] : nullptr;
      const Eigen::VectorXd at = place ? Eigen::VectorXd(state->positions.segment(place->q, place->nq))
                                       : system.description->initial_position();
      q.conservativeResize(q.size() + at.size());
      q.tail(at.size()) = at;
      velocities += system.n;
    }
    require_closed(record, state ? state->t : 0.0, q, velocities, tolerance);
  } catch (...) {
    model.remove(handle);
    throw;
  }
  return handle;
}

}  // namespace

InteractionHandle link_joint(NonSmoothDynamicalSystem& model, std::vector<SystemHandle> bodies, AnyRelation joint,
                             std::string name, double tolerance) {
  return link_closed(model, std::move(bodies), std::move(joint), nullptr, std::move(name), tolerance);
}

InteractionHandle link_joint(NonSmoothDynamicalSystem& model, std::vector<SystemHandle> bodies, AnyRelation joint,
                             const State& state, std::string name, double tolerance) {
  const State here = model.migrate(state);
  return link_closed(model, std::move(bodies), std::move(joint), &here, std::move(name), tolerance);
}

}  // namespace nonsmooth
