// SPDX-License-Identifier: Apache-2.0
// Prescribed velocities, and their rates by differences.
#include <algorithm>
#include <array>
#include <cmath>

#include "mechanical_model.hpp"
#include "model/guarded.hpp"

namespace nonsmooth::events {

double MechanicalModel::Drive::velocity(double t) const {
  double value = 0.0;
  guarded(body, "the prescribed velocity", [&] { value = prescribed->velocity(t); });
  return value;
}

double MechanicalModel::rate(Drive& drive, double t) const {
  const auto velocity = [&drive](double at_time) { return drive.velocity(at_time); };
  const double at = window_.inside(t), low = window_.inside(window_.first), high = window_.inside(window_.last);
  // The first five nodes that lie within; symmetric ones tell nothing of even functions, so they come for the answer.
  const auto slope_by = [&](double s, const auto& shifts, double& slope) {
    for (const double shift : shifts) {
      if (at + (shift - 2.0) * s < low || at + (shift + 2.0) * s > high) continue;
      return differences::slope_at_zero([&](double way) { return velocity(at + way); }, velocity(at), shift, s, slope);
    }
    return -1.0;
  };
  if (!(std::abs(at - drive.found_at) <= drive.step.reach)) {
    drive.step = differences::best_step(std::exp2(-40.0) * differences::time_scale(at), [&](double s, double& slope) {
      return slope_by(s, std::array{1.0, -1.0, 2.0, -2.0}, slope);
    });
    drive.found_at = at;
  }
  double slope = 0.0;
  if (drive.step.length > 0.0) slope_by(drive.step.length, std::array{0.0, 1.0, -1.0, 2.0, -2.0}, slope);
  return slope;
}

double MechanicalModel::velocity(Drive& drive, double t) const {
  const auto velocity = [&drive](double at_time) { return drive.velocity(at_time); };
  const double at = window_.inside(t), within = velocity(at);
  if (at == t) return within;
  const double change = rate(drive, t) * (t - at), limit = within + change, itself = velocity(t);
  const double round_off = 64.0 * std::numeric_limits<double>::epsilon() * std::abs(limit) + std::abs(change);
  return std::abs(itself - limit) <= round_off ? itself : limit;
}

}  // namespace nonsmooth::events
