// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/link_joint.hpp>

#include <cmath>
#include <sstream>
#include <utility>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

namespace nonsmooth {
namespace {

std::string in_digits(double value) {
  std::ostringstream text;
  text << value;
  return text.str();
}

/// The record of a joint that was linked is closed at the initial positions.
void require_closed(const NonSmoothDynamicalSystem& model, const NonSmoothDynamicalSystem::InteractionRecord& record,
                    double tolerance) {
  if (!record.mechanical) {
    throw InvalidArgument("link_joint", "systems of first order in " + record.name, "bodies");
  }
  Eigen::VectorXd q, y = Eigen::VectorXd::Zero(record.rows);
  for (const std::uint32_t slot : record.systems) {
    const Eigen::VectorXd start = model.systems()[slot].description->initial_position();
    q.conservativeResize(q.size() + start.size());
    q.tail(start.size()) = start;
  }
  record.mechanical->h(0.0, q, y);
  for (Index i = 0; i < y.size(); ++i) {
    if (std::abs(y[i]) <= tolerance) continue;
    throw InvalidArgument("row " + std::to_string(i) + " of " + record.name, "y = " + in_digits(y[i]) + " at the start",
                          "0 within " + in_digits(tolerance) + ": a joint that is closed where its bodies start");
  }
}

}  // namespace

InteractionHandle link_joint(NonSmoothDynamicalSystem& model, std::vector<SystemHandle> bodies, AnyRelation joint,
                             std::string name, double tolerance) {
  check::range("link_joint: tolerance", tolerance, 0.0, 1e300);
  const InteractionHandle handle = model.link(std::move(bodies), std::move(joint), EqualityLaw{}, std::move(name));
  try {
    require_closed(model, model.interactions()[handle.slot], tolerance);
  } catch (...) {
    model.remove(handle);
    throw;
  }
  return handle;
}

}  // namespace nonsmooth
