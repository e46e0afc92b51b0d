// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <utility>
#include <vector>

#include <nonsmooth/numerics/sets.hpp>

namespace nonsmooth {

/// 0 <= y + y_shift ⟂ lambda + lambda_shift >= 0, row by row: ideal diodes and their kin (first order), and compliant
/// contact at the level of positions (mechanics, where lambda is a force [N] and y = h(q, lambda): a spring that can
/// push only). A shifted diode conducts backwards up to lambda_shift and drops y_shift.
struct ComplementarityLaw {
  double y_shift = 0.0;       ///< [unit of y]
  double lambda_shift = 0.0;  ///< [unit of lambda]
};

/// Newton's impact law, row by row: where the gap is closed, 0 <= u+ + e u- ⟂ p >= 0.
struct NewtonImpactLaw {
  double restitution = 0.0;  ///< e in [0, 1] [-]
};

/// Newton's impact with Coulomb friction, rows (N, T) a contact in the plane, (N, T1, T2) in space: û = u+ + e u- in
/// every row, |p_T| <= mu p_N, sliding opposed to the slip.
struct NewtonImpactFrictionLaw {
  double restitution = 0.0;             ///< normal e_N in [0, 1] [-]
  double friction = 0.0;                ///< mu >= 0 [-]
  double tangential_restitution = 0.0;  ///< e_T in [0, 1] [-]; 0, as friction dissipates unless the data say otherwise
  Index dimension = 2;                  ///< 2 or 3: rows a contact
};

/// Poisson's impact law with Coulomb friction, for event-driven simulation: a compression that ends with every u_N >= 0
/// (impulse p_c), then an expansion in which every contact gives back at least e p_c: 0 <= u_N+ ⟂ p_e - e p_c >= 0.
/// One frictionless contact: Newton's law of the same e. Rows as NewtonImpactFrictionLaw, or N alone for dimension 1.
/// Source: Pfeiffer & Glocker 1996, chapter 8 [pfeifferglocker1996].
struct PoissonImpactLaw {
  double restitution = 0.0;  ///< e in [0, 1] [-]
  double friction = 0.0;     ///< mu >= 0 [-]
  Index dimension = 1;       ///< 1, 2 or 3: rows a contact
};

/// Multiple impacts by Liu, Zhao and Brogliato, for event-driven simulation: during the impact each contact is a spring
/// of force stiffness depth^exponent that stores energy while it is compressed and gives back restitution^2 of it; how
/// impulses spread follows from the ratios of the stored energies, not from time. Frictionless. Stiffnesses matter by
/// their ratios only. Source: Liu, Zhao, Brogliato 2008 [liu2008].
struct LiuZhaoBrogliatoImpactLaw {
  double restitution = 0.0;  ///< in [0, 1], of energies: e^2 [-]
  double stiffness = 1.0;    ///< K > 0 [N m^-exponent]
  double exponent = 1.5;     ///< eta >= 1: 1 linear, 3/2 Hertz [-]
};

/// Coulomb friction that holds more than it brakes: a contact that sticks at t_k (|u_T| <= stick_velocity) holds up to
/// `holding` times p_N, one that slides brakes with `sliding` times p_N. Otherwise as NewtonImpactFrictionLaw. The
/// coefficient of a step is that of its start: an error of order h, and no step is left without a solution.
struct StaticKineticFrictionLaw {
  double restitution = 0.0;      ///< e_N in [0, 1] [-]
  double holding = 0.0;          ///< mu_s >= sliding [-]
  double sliding = 0.0;          ///< mu_k >= 0 [-]
  double stick_velocity = 1e-9;  ///< > 0 [m/s]: round-off of a sticking solution, far below any slip that matters
  Index dimension = 2;           ///< 2 or 3
};

/// A bond that breaks: contact with friction whose cone is shifted by the cohesion beta strength, beta = 1 - d /
/// opening for the largest gap d >= 0 met so far, 0 from d = opening on (irreversible):
///
///     0 <= u+ + max(y_k, 0) / h ⟂ p_N + h beta strength >= 0,
///
/// so that an open bond is pulled shut by beta strength, and lands without rebound (penetrating by h |u| / 2 at most,
/// as under Moreau-Jean's contacts). Energy to break: strength opening / 2 a contact.
struct CohesiveZoneLaw {
  double strength = 0.0;  ///< >= 0 [N]
  double opening = 1.0;   ///< at which nothing holds any more, > 0 [m]
  double friction = 0.0;  ///< mu >= 0 [-]
  Index dimension = 2;    ///< 2 or 3 rows a contact
};

/// Contact with a spring and a dashpot that only push, as a law of relative degree 0: where the gap is closed,
///
///     0 <= lambda ⟂ lambda / k + y + (d / k) u >= 0,
///
/// lambda = max(0, -k y - d u) [N], from the first touch until the force vanishes; implicit in the step, so stable for
/// every h. A step counts as closed where y_k <= 0 or y_k + h u_k <= 0. k -> infinity at a fixed damping ratio
/// z = d / (2 sqrt(k m)) is a rigid contact of Moreau's with e = exp(-pi z / sqrt(1 - z^2)) were the force to pull to
/// the end of the contact; as it does not, e = exp(-2 z acos(z) / sqrt(1 - z^2)).
struct SpringDashpotLaw {
  double stiffness = 0.0;  ///< k > 0 [N/m]
  double damping = 0.0;    ///< d >= 0 [N s/m]
};

/// y = 0 (first order) or u = 0 (mechanics, velocity level), multiplier of any sign.
struct EqualityLaw {};

/// -y in N_[lower,upper](lambda), row by row: lambda = lower where y > 0, upper where y < 0, between where y = 0. In
/// mechanics y is the velocity u and the bounds are those of the force [N].
struct RelayLaw {
  double lower = -1.0;
  double upper = 1.0;
};

/// -y in N_K(lambda), K = {lambda: A lambda <= b} a polyhedron, as many rows a block as A has columns. In mechanics y
/// is the velocity u and lambda a force. In the problem of a step: y + A^T z = 0, 0 <= z ⟂ b - A lambda >= 0.
struct NormalConeLaw {
  Eigen::MatrixXd A{};  ///< faces x rows
  Eigen::VectorXd b{};  ///< faces
};

/// The first `equalities` rows of a block as EqualityLaw, the other `inequalities` rows as ComplementarityLaw without
/// shifts (first order) or NewtonImpactLaw of e = 0 that is always active (mechanics, velocity level).
struct MixedComplementarityLaw {
  Index equalities = 0;    ///< >= 0
  Index inequalities = 0;  ///< >= 0, one of both at least
};

/// -y = F(lambda), row by row: F a maximal monotone graph that is piecewise linear, through the points (lambda_i, z_i)
/// of which neither coordinate falls from one to the next; before the first and after the last point straight, with a
/// slope dz/dlambda that is infinite for a vertical end (lambda bounded).
///   ideal diode          {(0, 0)}, slope_before infinity, slope_after 0
///   Zener diode          {(0, 0), (V, 0)}, both infinity (RelayLaw of bounds 0, V)
///   diode with a drop V  {(0, V)}, infinity, slope_after the resistance
///   saturating amplifier {(-1, -a), (1, a)}, both infinity
/// In the problem of a step each segment is a box variable of its own: z = z_0 + sum of zeta_i,
/// lambda - lambda_i - zeta_i / slope_i in N_[0, z_{i+1} - z_i](zeta_i). In mechanics y is the velocity u and lambda a
/// force.
struct PiecewiseLinearLaw {
  std::vector<std::pair<double, double>> points{{0.0, 0.0}};  ///< (lambda_i, z_i), at least one
  double slope_before = 0.0;                                  ///< dz/dlambda >= 0; infinity: vertical
  double slope_after = 0.0;                                   ///< dz/dlambda >= 0; infinity: vertical
};

/// Plastic flow: -ydot in N_C(lambda) for the stress lambda of a relation y = H q + D lambda whose H is minus the
/// strain operator and D the elastic compliance, so that y is minus the plastic strain. A block is one material point,
/// row 0 its mean stress, positive in compression for Drucker-Prager:
///   von Mises       C = {|s| <= yield}, s = lambda without row 0,
///   Drucker-Prager  C = {|s| <= yield + friction lambda_0}, flow with `dilation` in the place of friction.
/// Rows are to be scaled so that the Euclidean norm of s is the equivalent stress. Without compliance: rigid-plastic.
struct PlasticityLaw {
  enum class Surface : unsigned char { VonMises, DruckerPrager };

  Surface surface = Surface::VonMises;
  double yield = 0.0;     ///< >= 0 [unit of lambda]: radius, or cohesion
  double friction = 0.0;  ///< Drucker-Prager, > 0 [-]
  double dilation =
      0.0;         ///< Drucker-Prager, in [0, friction]: |volume| per shear of the flow; friction: associated [-]
  Index rows = 2;  ///< of a block, >= 2
};

/// Shockley's diode beside the ideal one, first order: lambda = saturation (exp(-y / thermal) - 1), row by row, y the
/// voltage in the blocking direction and lambda the current. Linearised at the point of the curve nearest in current
/// (conducting) or voltage (blocking), which keeps Newton's iteration from overflowing.
struct ShockleyLaw {
  double saturation = 1e-12;  ///< i_s > 0 [A]
  double thermal = 0.02585;   ///< n V_T > 0 [V]; at 300 K
};

/// What a user derives from for a new law: a set a block of rows, and the shift that the velocity before the step adds.
class NonSmoothLaw {
 public:
  virtual ~NonSmoothLaw() = default;
  NonSmoothLaw() = default;
  NonSmoothLaw(const NonSmoothLaw&) = default;
  NonSmoothLaw& operator=(const NonSmoothLaw&) = default;

  [[nodiscard]] virtual Index block_size() const { return 1; }     ///< rows a block; a relation has a multiple of it
  [[nodiscard]] virtual BlockSet set() const = 0;                  ///< in impulses (mechanics) or lambda (first order)
  [[nodiscard]] virtual bool unilateral() const { return false; }  ///< active only where the forecast gap is closed
  /// shift += what is added to u+ before the law: -û in N_K(r) with û made from u+ + shift.
  /// Called from several threads at once where the simulation has several.
  virtual void add_shift(ConstVectorRef u_minus, VectorRef shift) const { (void)u_minus, (void)shift; }
};

}  // namespace nonsmooth
