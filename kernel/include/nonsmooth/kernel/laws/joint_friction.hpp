// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <nonsmooth/kernel/nonsmooth_law.hpp>

namespace nonsmooth {

// Dry friction in a joint by the joint's own reaction (relations/frictional_joints.hpp): the first rows of the joint's
// relation are held, as EqualityLaw does, and the last, the rate w of the joint's freedom (of several: the vector of
// them, or each for itself), obeys Coulomb's law with a bound that the reaction gives,
//
//     |tau| <= bound(R),    tau·w = -bound(R) |w|,
//
// R of the step itself: the bound is that of Newton's last iterate, and the iteration ends where the next one is the
// same to NewtonOptions::tolerance, of itself or, where that is more, of the thousandth part of what would move a body
// by as much as it moves, the largest number among its velocities. That number mixes m/s and rad/s: of bounds that are
// small beside it, the error depends on the unit of length. Newton's iteration looks for the bounds along its last
// differences (Anderson), so that friction which makes nearly all of its reaction, or takes more of it than there is,
// costs a few iterations more; behind eight iterates for velocities with them, as joints that turn far within a step
// make both depend on each other. Where held and rubbing rows do not depend on one another such bounds exist: the
// answer of a step is continuous in its bounds, and bounded, as what has enough of them sticks; what jams stops, by an
// impulse. Where rows depend on others there may be none, or they are not found; then the step says that Newton's
// iteration did not end. Held rows are projected, the others are not. Form::Global of TimeStepping takes these laws in
// the reduced form. EventDriven bounds forces by the reaction of the motion itself, and impulses of friction by those
// of an impact; preloads have no impulse there.
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

/// Of a FrictionalScrew, along the thread: bound = friction (|N| + |N_1| + |N_2|) + preload, N between the flanks and
/// N_1, N_2 what the nut carries across its axis. A square thread; of one whose flanks stand at an angle beta to it,
/// `friction` is the coefficient of the surfaces over cos beta. By N cos alpha + T sin alpha = F and the moment
/// radius (N sin alpha - T cos alpha) a load F along the axis is lifted by F radius tan(phi + alpha) and let down
/// by F radius tan(phi - alpha), tan phi = friction; it is held without a moment where friction >= tan alpha
/// [beer2019].
struct ScrewFrictionLaw {
  double friction = 0.0;        ///< >= 0 [-]
  double bearing_length = 0.0;  ///< of the nut, >= 0 [m]
  double preload = 0.0;         ///< >= 0 [N]
};

/// Of a FrictionalUniversal, about each of the two pins: bound = friction (radius (|N_1| + |N_2|) + thrust_radius
/// |R along the pin|) + preload. Its bearings carry the force across it, the moment about the common normal of the pins
/// and the friction of the other pin.
struct UniversalFrictionLaw {
  double friction = 0.0;        ///< >= 0 [-]
  double radius = 0.0;          ///< of the pins, >= 0 [m]
  double thrust_radius = 0.0;   ///< at which the force along a pin rubs, >= 0 [m]
  double bearing_length = 0.0;  ///< from one bearing of a pin to the other, >= 0 [m]
  double preload = 0.0;         ///< >= 0 [N m]
};

/// Of a FrictionalPlanar: |(T_1, T_2, M / radius)| <= friction (|N_1| + |N_2|) + preload, against (slip, radius spin),
/// N_1 + N_2 the force along the axis and pad_length / 2 |N_1 - N_2| the moment across it, whichever way that tilts. A
/// ball for what a ring of this radius makes of slip and spin: exact where it only slips or only spins.
struct PlanarJointFrictionLaw {
  double friction = 0.0;    ///< >= 0 [-]
  double pad_length = 0.0;  ///< from edge to edge of the pad, >= 0; 0: moments are carried at no friction [m]
  double preload = 0.0;     ///< >= 0 [N]
};

/// Of a FrictionalGear, a FrictionalRack or those in the plane: bound = loss |lambda| + preload, lambda the multiplier
/// of the mesh, against the rotation of the first wheel or the way of the rack: `loss` is the part of the power lambda
/// theta_1' (lambda z') through the mesh that the teeth take. A wheel that is driven backwards by the other one is held
/// where loss >= 1, as of worms. Of spur gears about 0.01, the coefficient of the teeth times their loss factor.
struct MeshFrictionLaw {
  double loss = 0.0;     ///< >= 0 [-]
  double preload = 0.0;  ///< >= 0 [N m], of a rack [N]
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
[[nodiscard]] std::shared_ptr<const NonSmoothLaw> make_law(const ScrewFrictionLaw& law);
[[nodiscard]] std::shared_ptr<const NonSmoothLaw> make_law(const UniversalFrictionLaw& law);
[[nodiscard]] std::shared_ptr<const NonSmoothLaw> make_law(const PlanarJointFrictionLaw& law);
[[nodiscard]] std::shared_ptr<const NonSmoothLaw> make_law(const MeshFrictionLaw& law);
[[nodiscard]] std::shared_ptr<const NonSmoothLaw> make_law(const PlanarHingeFrictionLaw& law);
[[nodiscard]] std::shared_ptr<const NonSmoothLaw> make_law(const PlanarSliderFrictionLaw& law);

}  // namespace nonsmooth
