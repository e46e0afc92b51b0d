// SPDX-License-Identifier: Apache-2.0
// A bar and a beam in finite elements that meet a rigid stop, whose exact forces are known without an impact law.
#pragma once

#include <functional>

#include <nonsmooth/kernel/model.hpp>

namespace nonsmooth::problems {

/// One body and one contact of e = 0, in units in which its stiffness, mass a length and speed are 1.
struct ElasticImpact {
  NonSmoothDynamicalSystem model;
  SystemHandle body;
  InteractionHandle stop;
  double begins = 0.0;     ///< t_1 of the contact, off the grid of steps
  double element = 0.0;    ///< l
  double frequency = 0.0;  ///< no mode is faster
};

/// A bar of E S = rho S = 1 and length 1, c = 1, that flies end first at speed 1 against a wall, in linear elements
/// with consistent mass. The wall pushes with rho c S v = 1 from t_1 to t_1 + 2 L / c, then the bar leaves it without
/// strain.
[[nodiscard]] ElasticImpact bar_at_wall(Index elements);
inline constexpr double bar_contact = 2.0;  ///< 2 L / c

/// A beam of E I = rho S = 1, free at both ends, `elements` cubic ones of half its length 1 on either side, that flies
/// across at speed 1 and meets a stop with its middle. In Laplace's variable s of the time t since then, a long beam's
/// middle moves by F / (8 kappa^3), kappa^4 = s^2 / 4, under a force F (its waves are exp(-kappa (1 +- i) x)), so that
/// being held, a change of speed 1 / s, takes
///
///     F = 2 sqrt(2) / sqrt(s),    F(t) = 2 sqrt(2) / sqrt(pi t),    impulse p(t) = 4 sqrt(2 t / pi).
///
/// From the ends of half-length L = 1 come echoes of exp(-2 kappa L (1 +- i)) beside 1, at all t > 0 but as
/// oscillations exp(-+ i L^2 / t): of modulus 1 in F, and of at most t / L^2 in p, relative, for each of them.
[[nodiscard]] ElasticImpact beam_at_stop(Index elements);
[[nodiscard]] double beam_impulse(double t);  ///< p

}  // namespace nonsmooth::problems
