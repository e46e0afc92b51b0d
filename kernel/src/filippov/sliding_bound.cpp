// SPDX-License-Identifier: Apache-2.0
// How far chattering about a surface is from the sliding that it tends to.
#include <nonsmooth/kernel/sliding_bound.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "chattering.hpp"

namespace nonsmooth {
namespace {

constexpr double kOnSurface = 1e-6;  ///< of the terms of c

void check_of_bound(const FilippovFields& fields, const SwitchingLag& lag, double t, ConstVectorRef x, double T,
                    Index steps) {
  if (fields.num_surfaces() != 1)
    throw InvalidArgument("sliding_bound: sliding", std::to_string(fields.num_surfaces()) + " switching functions",
                          "one, about which the motion chatters");
  for (const auto& [name, value] : {std::pair{"band", lag.band}, std::pair{"delay", lag.delay}})
    check::range(std::string("sliding_bound: lag.") + name, value, 0.0, std::numeric_limits<double>::max());
  check::finite("sliding_bound: t", t);
  check::finite("sliding_bound: T", T);
  check::size("sliding_bound: x", x.size(), fields.n(), "the system's states");
  check::finite("sliding_bound: x", x);
  if (T < t) throw InvalidArgument("sliding_bound: T", check::text(T), "not before t = " + check::text(t));
  check::at_least("sliding_bound: steps", steps, 1);
  Eigen::VectorXd gradient = Eigen::VectorXd::Zero(x.size());
  fields.gradient(0, t, x, gradient);
  const double c = fields.value(0, t, x), terms = gradient.cwiseAbs().dot(x.cwiseAbs());
  if (!(std::abs(c) <= kOnSurface * std::max(terms, std::numeric_limits<double>::min())))
    throw InvalidArgument("sliding_bound: x", "a place where c is " + check::text(c), "one on the surface c = 0");
}

}  // namespace

SlidingBound sliding_bound(const FilippovSystem& sliding, const SwitchingLag& lag, double t, ConstVectorRef x, double T,
                           Index steps) {
  const FilippovFields fields(sliding);
  check_of_bound(fields, lag, t, x, T, steps);
  filippov::Chattering chattering(fields, lag);
  const Index n = chattering.n();
  // (x_s; |eta|)' at (x_s; |eta|)
  const auto rates = [&](double at, const Eigen::VectorXd& both, Eigen::VectorXd& value) {
    if (!chattering.look(at, both.head(n))) return false;
    value.resize(n + 1);
    value << chattering.values().sliding, chattering.rate(both[n]);
    return true;
  };
  Eigen::VectorXd both(n + 1), k1, k2, k3, k4;
  both << x, 0.0;
  const double start = t, h = (T - t) / static_cast<double>(steps);
  SlidingBound bound{.t = t, .x = x, .slides = true};
  for (Index k = 0; k < steps && bound.slides && h > 0.0; ++k) {
    const double here = start + static_cast<double>(k) * h;
    bound.slides = rates(here, both, k1) && rates(here + 0.5 * h, both + 0.5 * h * k1, k2) &&
                   rates(here + 0.5 * h, both + 0.5 * h * k2, k3) && rates(here + h, both + h * k3, k4);
    if (!bound.slides) break;
    both += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
    bound.t = k + 1 == steps ? T : here + h;
  }
  bound.x = both.head(n);
  bound.slides = chattering.look(bound.t, bound.x) && bound.slides;
  bound.distance = chattering.distance(both[n]);
  return bound;
}

}  // namespace nonsmooth
