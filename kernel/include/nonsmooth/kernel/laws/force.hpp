// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <string>

#include <nonsmooth/kernel/nonsmooth_law.hpp>

namespace nonsmooth {

/// A law whose multiplier is a force that the time, the coordinate and its rate give, row by row, between limits:
///
///     lambda = f(t, y, u),  lower() <= lambda <= upper().
///
/// What SpringDamperLaw and ActuatorLaw are, and what a user derives from for a force of its own. It acts by H^T
/// lambda, between two bodies on both: opposite forces, or moments, that leave their momenta alone. A lambda > 0 drives
/// y up.
///
/// Time-stepping takes the mean over a step by the scheme's theta, linear about t_k,
///
///     p / h = f_k + f_y (Y - y_k) + f_u (U - u_k),
///     Y - y_k = theta h (s u+ + (1-s) u_k),    U - u_k = theta (u+ - u_k),
///     f_k = (1-theta) f(t_k, y_k, u_k) + theta f(t_{k+1}, y_k, u_k),    s = SchemeCoefficients::position,
///
/// as one row of the step's problem, and within the limits as a complementarity: implicit, stable for every h where
/// theta >= 1/2 and both slopes are <= 0. Of order 2 for theta = 1/2 where H is constant, else 1 (without damping 2
/// with MoreauJean::configuration_weight 1/2). A slope > 0, which drives, is taken where u_k leads to: by y of the same
/// order, by u of order 1. Where H turns with the way, as that of a stretched DistanceJoint does, forces across it are
/// those of Newton's iterates, which shrink by h^2 theta |lambda| / (|d| m): where that is below 0.66 the 50 iterates
/// of NewtonOptions reach its 1e-9. EventDriven has f as a part of F, and no event where it meets a limit.
///
/// With a = theta (s h |f_y| + |f_u|) that row has q = (theta h |f_y| u_k - f_k) / a - u_k: about |y_k| / (theta s h)
/// of a spring, 4 |y_k| / h by default, and f_k / a where slopes are weak beside the force. In what solvers' tolerances
/// count, the row has the unit
///
///     sigma = h W0 a / (1 + h W0 a),    W0 = H A^-1 H^T of its own,
///
/// (BlockSet::unit), and sigma q is about h W0 f_k / (1 + h W0 a): the speed that the force gives in the step. Contacts
/// beside a spring are so certified on the scale of what moves, however far it is stretched. Where a max(1, |u_k|) is
/// within two roundings of f_k, slopes are left out and p = h f_k is exact, as of a saturated actuator.
///
/// f_y counts for the rate of y alone: where y is none that u is the rate of (y = 0 of a motor of a velocity, the last
/// rows of FrictionalBall and slip in space, MechanicalRelation::is_gradient) it would act in a step as a damping
/// theta s h |f_y| and by events not at all. A SpringDamperLaw with a stiffness is refused there; an f of your own has
/// not to depend on y.
///
/// Not with a compliance of the relation, in Form::Global and under SchatzmanPaoli. Its bodies never fall asleep.
class ForceLaw : public NonSmoothLaw {
 public:
  struct Slopes {
    double dy = 0.0;  ///< f_y
    double du = 0.0;  ///< f_u
  };

  /// f, without the limits: [N] where y is a way, [N m] where it is an angle. Finite, or the step fails.
  [[nodiscard]] virtual double force(double t, double y, double u) const = 0;
  /// By default forward differences of step sqrt(eps) max(1, |y|), and u likewise; 0 where the force changes by two
  /// roundings at most. The 1 is in the units of y and u: f is taken as linear over 1.5e-8 m (rad, m/s). Where it bends
  /// within a micrometre or less, give the slopes.
  [[nodiscard]] virtual Slopes slopes(double t, double y, double u) const;
  [[nodiscard]] virtual double lower() const { return -std::numeric_limits<double>::infinity(); }
  [[nodiscard]] virtual double upper() const { return std::numeric_limits<double>::infinity(); }
  /// f varies with y for certain: refused on rows of a velocity alone.
  [[nodiscard]] virtual bool has_stiffness() const { return false; }
  /// It stores energy and dissipates some, but never gives any that it did not get.
  [[nodiscard]] virtual bool is_passive() const { return false; }
  /// @throws InvalidArgument for a parameter out of range. Asked when it is linked.
  virtual void validate() const {}

  /// @throws InvalidArgument what validate() does; limits that are none; of a first-order or a compliant relation. The
  /// model refuses a stiffness on a velocity alone.
  [[nodiscard]] LawShape shape(LawUse use) const final;
  void block(const LawContext& context, LawBlock& block) const final;
  [[nodiscard]] const ForceLaw* force_law() const final { return this; }
  [[nodiscard]] double limited_force(double t, double y, double u) const;  ///< f within the limits
};

/// A spring and a damper, Kelvin and Voigt's, that push and pull:
///
///     lambda = -k y - d u,  lower <= lambda <= upper.
///
/// Which spring it is says the relation: DistanceJoint (its length is the rest length), HingeAngle and PlanarAngle
/// (torsion, at rest at the offset; turns = 0 for any number of turns), SliderPosition and PlanarPosition (along a
/// way), BallJoint (between points in three directions), FixedJoint (a bushing, k of all six rows: [N/m] and [N m]). On
/// HingeMotor, SliderMotor and their kin in the plane, y = theta - angle(t), it is a drive of proportional and
/// derivative gains k and d with a bounded moment; on motors of a velocity alone, a drive of speed by d, k = 0.
struct SpringDamperLaw {
  double stiffness = 0.0;                                   ///< k >= 0 [N/m], of angles [N m/rad]
  double damping = 0.0;                                     ///< d >= 0, one of both > 0 [N s/m], [N m s/rad]
  double lower = -std::numeric_limits<double>::infinity();  ///< < upper, [N] or [N m]
  double upper = std::numeric_limits<double>::infinity();
};

/// An actuator, or any spring that is not linear: lambda = force(t, y, u), lower <= lambda <= upper; on a HingeAngle or
/// a SliderPosition a moment or force on both bodies, opposite on the second.
struct ActuatorLaw {
  using Function = std::function<double(double t, double y, double u)>;

  Function force{};     ///< [N] or [N m]; required
  Function force_dy{};  ///< its derivatives; not given: as ForceLaw::slopes takes them
  Function force_du{};
  double lower = -std::numeric_limits<double>::infinity();  ///< < upper
  double upper = std::numeric_limits<double>::infinity();
};

[[nodiscard]] std::shared_ptr<const NonSmoothLaw> make_law(const SpringDamperLaw& law);
[[nodiscard]] std::shared_ptr<const NonSmoothLaw> make_law(ActuatorLaw law);

}  // namespace nonsmooth
