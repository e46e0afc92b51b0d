// SPDX-License-Identifier: Apache-2.0
#pragma once

// Mechanisms with contact for tests and benchmarks, each with its equations, its parameters and the scheme it is run
// with, as the reference trajectories of an independent code state them (docs/validation.md). SI units throughout.

#include <problems/models.hpp>

namespace nonsmooth::problems {

/// A toy woodpecker that rattles down its bar: q = (height, angle of the sleeve, angle of the bird), a torsion spring
/// between the angles; beak (e = 0.5), upper and lower edge of the sleeve (e = 0) touch the bar with mu = 0.3.
/// Source: Glocker & Studer 2005, Formulation and preparation for numerical evaluation of linear complementarity
/// systems in dynamics.
Model woodpecker();

/// A follower on a spring (m = 1.221 kg, k = 1430.8 N/m) against the cam, e = 0.8, in the frame that moves with the
/// cam: y = q by a relation of time and position whose explicit rate is zero.
Model cam_follower();

/// Height and velocity of the cam at 358 revolutions a minute: arcs about three centres.
struct CamProfile {
  double height = 0.0, velocity = 0.0;
  static CamProfile at(double t);
};

/// Two pendulums of unit mass and length, one below the other, beside a wall at x = 0: y1 = sin q0 (e = 1) and
/// y2 = sin q0 + sin q1 (e = 0), g = 10 m/s^2. Linearly implicit: one Newton iteration a step with the Jacobians given,
/// one of which has v0 v1 for v1^2 in its first entry.
Model double_pendulum();

/// A rod (l = 1 m, 1 kg) falls on its lower end: q = (x, y, phi), phi from the vertical, e = 1, mu = 0.01, g = 10
/// m/s^2.
Model impacting_stick();

/// Slider-crank with clearance: q = (crank, rod, slider) angles, the four corners of the slider touch the guide with
/// e = 0.4, mu = 0.01. Source: Flores et al. 2010, Modeling and analysis of planar rigid multibody systems.
struct SliderCrank {
  static constexpr double l1 = 0.1530, l2 = 0.3060, a = 0.05, b = 0.025, c = 0.001, d = 2.0 * (b + c);
  static constexpr double m1 = 0.038, m2 = 0.038, m3 = 0.0760, J1 = 7.4e-5, J2 = 5.9e-4, J3 = 2.7e-6, g = 9.81;
  static constexpr double s = (0.5 * m2 + m3) * l1 * l2;

  [[nodiscard]] static LagrangianSystem mechanism();

  /// Corner i: gap to the guide (above for 0 and 1) and position along it.
  [[nodiscard]] static ScleronomousRelation corner(int i);
};

Model slider_crank();

/// Eight equal disks (R = 0.1 m, 1 kg) fall into a box between x = -0.26 and 0.26 m: e = 0.2, mu = 0.3. All 24 pairs of
/// disk and wall and all 28 of two disks stand in the model.
Model disks_in_a_box();

/// A clamped Euler-Bernoulli beam of `elements` cubic elements: steel, L = 1 m, radius 1 cm; unknowns (deflection,
/// rotation) node by node from the free end, consistent mass. Source: Hughes 1987, The finite element method.
struct Beam {
  Index elements = 100;
  static constexpr double E = 210e9, radius = 0.01, rho = 7800.0, length = 1.0;
  static constexpr double I = 3.14 / 4.0 * radius * radius * radius * radius, S = 3.14 * radius * radius;
  [[nodiscard]] Index size() const;

  using Sparse = Eigen::SparseMatrix<double>;
  [[nodiscard]] Sparse stiffness() const;
  [[nodiscard]] Sparse mass() const;

 private:
  [[nodiscard]] Sparse assemble(const Eigen::Matrix4d& element) const;
};

/// A ball (1 kg, -2 m/s) meets the free end of the beam, e = 0; the other end is clamped by prescribed velocities.
Model ball_on_beam(Index elements = 100);

/// The bouncing ball (models.hpp) at the level of positions.
Model position_level_ball();

/// The bouncing ball (models.hpp) whose penetration is projected away after each step.
Model projected_ball();

/// A ball (1 kg, R = 0.1 m) that starts 0.3 m inside a rigid roof at 0.8 m (e = 1, a law of velocities: it lets the
/// ball fall) and bounces on a floor of stiffness 100 N/m, y = q - R + lambda / 100, 0 <= y ⟂ lambda >= 0.
Model ball_on_compliant_floor(double step);

}  // namespace nonsmooth::problems
