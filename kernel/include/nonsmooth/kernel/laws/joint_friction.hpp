// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <nonsmooth/kernel/nonsmooth_law.hpp>

namespace nonsmooth {

// Dry friction in a joint by the joint's own reaction: the first rows of the joint's relation are held, as
// EqualityLaw does, and the last, the rate w of the joint's freedom (of several: the vector of them), obeys Coulomb's
// law with a bound that the reaction gives,
//
//     |tau| <= bound(R),    tau·w = -bound(R) |w|,
//
// R of the step itself: the bound is that of Newton's last iterate, and the iteration ends where the next one is the
// same to NewtonOptions::tolerance (of 1e-3 N s or N m s where it is smaller than that). Where friction makes much of
// the reaction that makes it (a drawer about to jam) this converges slowly, or there is no bound that repeats; then the
// step says that Newton's iteration did not end. Held rows are projected, the others are not. For TimeStepping.
//
// A pair of narrow bearings at `bearing_length` from each other, the joint's point in the middle between them, carries
// the reaction R across the axis and the moment M by
//
//     N_1 + N_2 = R,    bearing_length / 2  axis x (N_1 - N_2) = M,
//
// so that |N_1| + |N_2| is max(|R|, 2 |M| / bearing_length) where both lie in one plane: statics alone. Of length 0 it
// is one bearing, which carries R, and M at no friction. The dry journal's friction circle has the radius radius sin
// phi, tan phi the coefficient of the surfaces [beer2019]; `friction` is what stands before radius |N|, sin phi.

/// Of a FrictionalHinge: bound = friction (radius (|N_1| + |N_2|) + thrust_radius |R along the axis|) + preload.
struct HingeFrictionLaw {
  double friction = 0.0;        ///< >= 0 [-]
  double radius = 0.0;          ///< of the journal, >= 0 [m]
  double thrust_radius = 0.0;   ///< at which the force along the axis rubs, >= 0 [m]
  double bearing_length = 0.0;  ///< >= 0 [m]
  double preload = 0.0;         ///< friction of seals, without any load, >= 0 [N m]
};

/// Of a FrictionalSlider: bound = friction (|N_1| + |N_2| + |moment about the axis| / key_radius) + preload; the
/// bearings are on the first body, to both sides of its point.
struct SliderFrictionLaw {
  double friction = 0.0;        ///< >= 0 [-]
  double bearing_length = 0.0;  ///< >= 0 [m]
  double key_radius = 0.0;      ///< at which the moment about the axis is carried, >= 0; 0: at no friction [m]
  double preload = 0.0;         ///< >= 0 [N]
};

/// Of a FrictionalBall: |moment| <= friction radius |R| + preload, against the angular velocity. The surface rubs at
/// `radius` about every axis, which is a ball in a narrow socket: where the load is spread over a cup, 1 to 4 / pi
/// times the ball's, as the pressure is.
struct BallFrictionLaw {
  double friction = 0.0;  ///< >= 0 [-]
  double radius = 0.0;    ///< of the ball, >= 0 [m]
  double preload = 0.0;   ///< >= 0 [N m]
};

/// Of a FrictionalCylindrical, forces on the shaft's surface around the axis and along it against its slip, of length
/// at most friction (|N_1| + |N_2|) + preload; the bearings are on the first body, to both sides of its point. One
/// bound for both: a shaft that turns creeps along under the slightest pull.
struct CylindricalFrictionLaw {
  double friction = 0.0;        ///< >= 0 [-]
  double bearing_length = 0.0;  ///< >= 0 [m]
  double preload = 0.0;         ///< >= 0 [N]
};

/// Of a PlanarFrictionalHinge: bound = friction radius |R| + preload.
struct PlanarHingeFrictionLaw {
  double friction = 0.0;  ///< >= 0 [-]
  double radius = 0.0;    ///< of the journal, >= 0 [m]
  double preload = 0.0;   ///< >= 0 [N m]
};

/// Of a PlanarFrictionalSlider: bound = friction (|N_1| + |N_2|) + preload.
struct PlanarSliderFrictionLaw {
  double friction = 0.0;        ///< >= 0 [-]
  double bearing_length = 0.0;  ///< >= 0 [m]
  double preload = 0.0;         ///< >= 0 [N]
};

[[nodiscard]] std::shared_ptr<const NonSmoothLaw> make_law(const HingeFrictionLaw& law);
[[nodiscard]] std::shared_ptr<const NonSmoothLaw> make_law(const SliderFrictionLaw& law);
[[nodiscard]] std::shared_ptr<const NonSmoothLaw> make_law(const BallFrictionLaw& law);
[[nodiscard]] std::shared_ptr<const NonSmoothLaw> make_law(const CylindricalFrictionLaw& law);
[[nodiscard]] std::shared_ptr<const NonSmoothLaw> make_law(const PlanarHingeFrictionLaw& law);
[[nodiscard]] std::shared_ptr<const NonSmoothLaw> make_law(const PlanarSliderFrictionLaw& law);

}  // namespace nonsmooth
