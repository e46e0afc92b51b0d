// SPDX-License-Identifier: Apache-2.0
#pragma once

// Models for tests and benchmarks, each with its equations, its parameters and the scheme it is run with. These are the
// thirteen of the validation (docs/validation.md), stated as those of the reference trajectories of an independent
// code; the bouncing ball and the circuits are classics of Acary & Brogliato 2008 [acarybrogliato2008].

#include <vector>

#include <nonsmooth/kernel/model.hpp>
#include <nonsmooth/kernel/workspace.hpp>

namespace nonsmooth::problems {

/// A model with the scheme, the step and the number of steps it is run with. SI units throughout.
struct Model {
  NonSmoothDynamicalSystem system;
  TimeSteppingOptions options;
  Index steps = 0;
  std::vector<SystemHandle> bodies;
  std::vector<InteractionHandle> contacts;  ///< of bodies or of electrical components
};

/// dv = -g dt + dp, 0 <= q0 ⟂ dp >= 0, u+ = -e u-: a ball of three coordinates (height, lateral, angle) over a floor.
/// m = 1 kg, R = 0.1 m (inertia 2/5 m R^2), g = 9.81 m/s^2, e = 0.9, released 1 m above the floor; the gap is the
/// height of the centre. Ten seconds of h = 5 ms: bounces that accumulate at 8.58 s, then rest.
Model bouncing_ball(double theta = 0.5);

/// The ball over a plane tilted by y = q0 + alpha q1, alpha = 0.1, given by callables of q; g = 10 m/s^2, h = 25 ms.
Model bouncing_ball_tilted();

/// Ten beads of radius R = 0.1 m in a vertical column, heights 1 + 0.25 i, e = 0.9 at all contacts. No contact stands
/// in the model: a run adds each (floor under bead 0, bead i under i + 1) when its gap first lies within 2 cm.
Model column_of_beads(Index beads = 10);

/// Radius of a bead, reach within which a contact is created [m].
inline constexpr double kBeadRadius = 0.1, kBeadReach = 0.02;

/// Contact i of the column: the floor (i = 0), or between beads i - 1 and i.
InteractionHandle link_bead(NonSmoothDynamicalSystem& system, const std::vector<SystemHandle>& beads, Index i);

/// The ball over a plane, a body of its own whose height has the prescribed velocity 2 + cos(pi t / 2).
Model ball_on_moving_plane();

/// A disk (x, y, angle) thrown at 1 m/s with 20 rad/s over a floor: u_T = -vx - R omega, e = 0.9, mu = 0.5.
Model bouncing_disk();

/// The oscillator of the circuits below: L = 10 mH, C = 1 uF, so a period of 0.628 ms; x = (v_C, i_L).
struct Oscillator {
  static constexpr double L = 1e-2, C = 1e-6, R = 1e3;
  [[nodiscard]] static FirstOrderLinearSystem system();
};

/// Oscillator, resistor and one diode: C v' = -i_L - lambda, L i_L' = v, 0 <= R lambda - v ⟂ lambda >= 0, where lambda
/// is the diode's current.
Model rlc_diode();

/// Oscillator feeding a resistor through a bridge of four diodes: lambda = (two diode voltages, two diode currents).
Model diode_bridge();

/// The bridge with a filter capacitor C_f = 300 nF beside the resistor: two systems, one interaction over both. The
/// filter is charged in the first step through the bridge: v_C jumps from 10 V to 7.69 V. D is skew.
Model diode_bridge_filter();

/// Parallel resonant converter fed by a square wave of 55 kHz: x = (i_Lr, v_Cr, i_Lf, v_Cf).
Model resonant_converter();

/// x' in -2 Sgn(x), two components from (1, -1): both reach zero at t = 0.5 and stay.
Model simple_relay();

/// Relay feedback on a third-order plant with sliding periods: xi = -0.07, omega = 10, l = 0.05, k = 1, sigma = -1, rho
/// = 1.
Model relay_oscillator();

/// x'' + x in -Sgn(x'), x(0) = 12, x'(0) = 6, as a first-order system: the amplitude falls by 2 each half period.
Model friction_oscillator();

}  // namespace nonsmooth::problems
