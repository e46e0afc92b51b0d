// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/link_joint.hpp>

#include <cmath>
#include <limits>
#include <utility>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "model/prepared_law.hpp"

namespace nonsmooth {
namespace {

using Record = NonSmoothDynamicalSystem::InteractionRecord;

/// The rows that its law holds are closed at time t and positions q, and its H is finite there.
void require_closed(const Record& record, double t, ConstVectorRef q, Index velocities, double tolerance) {
  constexpr double kNothingKnown = std::numeric_limits<double>::quiet_NaN();  // of turns
  Eigen::VectorXd y =
      Eigen::VectorXd::Constant(record.rows, record.mechanical->follows_outputs() ? kNothingKnown : 0.0);
  Eigen::MatrixXd H = Eigen::MatrixXd::Zero(record.rows, velocities);
  try {
    record.mechanical->h(t, q, y);
    record.mechanical->H(t, q, H);
  } catch (const InvalidArgument& refusal) {
    throw InvalidArgument(record.name + ": " + refusal.argument(), refusal.found(), refusal.expected());
  }
  check::finite("H of " + record.name, ConstMatrixRef(H));
  for (Index i = 0; i < y.size(); ++i) {
    if (!record.law->holds(i % record.law->size) || std::abs(y[i]) <= tolerance) continue;
    throw InvalidArgument(
        "row " + std::to_string(i) + " of " + record.name, "y = " + check::text(y[i]) + " where it is linked",
        "0 within " + check::text(tolerance) + ": a joint that is closed at the positions its bodies then have");
  }
}

/// Positions are those of `state`, of the model before the link; nullptr: the initial ones, at t = 0.
InteractionHandle link_closed(NonSmoothDynamicalSystem& model, Interaction joint, const State* state,
                              double tolerance) {
  check::range("link_joint: tolerance", tolerance, 0.0, 1e300);
  const InteractionHandle handle = model.add(std::move(joint));
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
                             Law law, std::string name, double tolerance) {
  return link_closed(model, {std::move(bodies), std::move(joint), std::move(law), std::move(name)}, nullptr, tolerance);
}

InteractionHandle link_joint(NonSmoothDynamicalSystem& model, std::vector<SystemHandle> bodies, AnyRelation joint,
                             std::string name, double tolerance) {
  return link_joint(model, std::move(bodies), std::move(joint), EqualityLaw{}, std::move(name), tolerance);
}

InteractionHandle link_joint(NonSmoothDynamicalSystem& model, std::vector<SystemHandle> bodies, AnyRelation joint,
                             Law law, const State& state, std::string name, double tolerance) {
  const State here = model.migrate(state);
  return link_closed(model, {std::move(bodies), std::move(joint), std::move(law), std::move(name)}, &here, tolerance);
}

InteractionHandle link_joint(NonSmoothDynamicalSystem& model, std::vector<SystemHandle> bodies, AnyRelation joint,
                             const State& state, std::string name, double tolerance) {
  return link_joint(model, std::move(bodies), std::move(joint), EqualityLaw{}, state, std::move(name), tolerance);
}

}  // namespace nonsmooth
