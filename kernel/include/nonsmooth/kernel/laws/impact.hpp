// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>

#include <nonsmooth/kernel/nonsmooth_law.hpp>

namespace nonsmooth {

/// Newton's impact law, row by row: where the gap is closed, 0 <= u+ + e u- ⟂ p >= 0.
struct NewtonImpactLaw {
  double restitution = 0.0;  ///< e in [0, 1] [-]
};

/// Newton's impact with Coulomb friction, rows (N, T) a contact in the plane, (N, T1, T2) in space: û = u+ + e u- in
/// every row, |p_T| <= mu p_N, sliding opposed to the slip.
///
/// Elliptic (anisotropic): (p_T1 / mu)^2 + (p_T2 / mu_2)^2 <= p_N^2, its axes the rows T1 and T2 of the relation or of
/// the source. A slip along (cos a, sin a) meets p_T = -p_N (mu^2 cos a, mu_2^2 sin a) / |(mu cos a, mu_2 sin a)|: of
/// all admitted forces the one that dissipates most, opposed to the slip on the axes alone.
///
/// Cohesion F: while the gap is closed a contact pulls with up to F, p_N >= -h F in a step of length h, and friction
/// holds up to mu (p_N + h F). What parts it is not undone: it holds again when the gap closes. By steps it has parted
/// where it left with all of F in the last step (u_N > 0, p_N = -h F), and from then on until it approaches again, also
/// in a depth: pulled back until its gap opens it would lose F times the depth. What has not parted is held by its
/// bond: it acts in the next step too, whatever the gap that the solver left of y = 0, and its row is y + h u_N+ = 0
/// there (with e > 0 where it pulled, p_N < 0, as a push may have been an impact that it leaves). So residuals do not
/// add up: under Moreau-Jean with theta = 1/2 and e = 0 the gap is at most 3 h r in any number of steps, r the
/// tolerance of the solver times the largest |q| of its problem [m/s]. A bond whose pull is nearer to F than that
/// tolerance may be taken for torn, or one that is torn for one that holds. Of several points that hold one body loads
/// may depend on one another: one that has all of F while others have room holds, and has parted only where u_N is more
/// than 1e-5 of the velocity that h F gives it. Points that a contact source finds between
/// two shapes (ContactSource::patch_bits) share a bond: one that is new, as where a corner slides past an edge, has it
/// while none of those that were there has parted. F is of each point, how many there are the shapes say. By steps,
/// also by those of AdaptiveTimeStepping, the instant at which a growing force tears it off is known to two steps, in
/// which F / m acts: velocities are off by less than 3 h F / m from there on (EventDriven finds the instant).
struct NewtonImpactFrictionLaw {
  double restitution = 0.0;             ///< normal e_N in [0, 1] [-]
  double friction = 0.0;                ///< mu >= 0 [-]
  double tangential_restitution = 0.0;  ///< e_T in [0, 1] [-]; 0, as friction dissipates unless the data say otherwise
  Index dimension = 2;                  ///< 2 or 3: rows a contact
  /// mu_2 of T2, dimension 3; > 0 beside mu > 0, 0 beside 0 [-]; none: mu.
  std::optional<double> second_friction{};
  double cohesion = 0.0;  ///< F >= 0 [N]
};

/// Newton's impact with friction against sliding, rolling and spinning:
///
///     |p_T| <= mu p_N,   |p_R| <= rolling p_N,   |p_S| <= spinning p_N,
///
/// each opposed to its velocity where there is one. Rows by their number: 3 planar (N, T, R), 4 (N, T1, T2, S),
/// 5 (N, T1, T2, R1, R2), 6 (N, T1, T2, R1, R2, S). Rows R (about the tangents) and S (about the normal) of u are
/// relative angular velocities [rad/s], those of p angular impulses [N m s]. e u- is added in row N alone. With
/// cohesion F read p_N + h F for p_N, as in NewtonImpactFrictionLaw. By events runs end where a body on several
/// contacts tips that moments R hold, and where one begins to slip and turn that moments S hold (event_driven.md).
struct NewtonImpactRollingFrictionLaw {
  double restitution = 0.0;  ///< e in [0, 1] [-]
  double friction = 0.0;     ///< mu >= 0 [-]
  double rolling = 0.0;      ///< >= 0, 0 without rows R: the lever arm of p_N before the contact [m]
  double spinning = 0.0;     ///< >= 0, 0 without a row S [m]; a disk of contact of radius a: 2/3 mu a
  double cohesion = 0.0;     ///< F >= 0 [N]
  Index rows = 3;            ///< 3 to 6: rows a contact
};

/// Poisson's impact law with Coulomb friction: a compression that ends with every u_N >= 0 (impulse p_c), then an
/// expansion in which every contact gives back at least e p_c: 0 <= u_N+ ⟂ p_e - e p_c >= 0. One frictionless contact:
/// Newton's law of the same e. Rows as NewtonImpactFrictionLaw, or N alone for dimension 1.
///
/// Energy: u_c = u- + W p_c, u+ = u_c + W p_e and p_c·u_c <= 0 make the change of it
///     p_c·u_c - p_c·W p_c / 2 + p_e·u+ - p_e·W p_e / 2.
/// None is gained by an impact with one e for all contacts that act on one another: friction on p_eN >= e p_cN takes
/// more than that of e p_c would, p_e·u+ <= e p_c·u+, so that the change is at most -(1 - e^2) p_c·W p_c / 2. Nor
/// without friction, whatever each e: p_e is the least of p·W p / 2 + p·u_c over p >= e p_c, and p_c is one of these.
/// With friction and coefficients that differ it may be: RunRemark::ImpactGain tells where it was.
///
/// In time-stepping (MoreauJean, Form::Reduced) both phases are solved at the start of a step, for the contacts that
/// act on one that approaches faster than the forces of the step explain, without these forces: what comes out, u_I,
/// takes the place of Newton's -e u- in the problem of the step. So what rests does not jump, and h -> 0 gives what
/// EventDriven does, with an error of O(h). What is said of energy holds of u_I; the forces F of the step act on their
/// way at the mean of the velocities before and after it, so that a step with an impact may end with more energy than
/// u_I has, by up to h |F| times these velocities. Where a slip turned during the impact, so that p is inside its cone,
/// forces meet friction against the slip of u_I at a contact on which no other acts; of several u_I is held. All
/// unilateral contacts that act on one another in an impact have this law, or none has, as by events: a step in which
/// laws meet in an impact throws InvalidArgument, with the names of two contacts; contacts that meet in none may have
/// other laws, also of one contact source. Cost: two problems more in a step with an impact.
/// @throws InvalidArgument when it is linked, for a number out of range. When TimeStepping prepares the model, as it
/// is no matter of one link, with the law and its contact: Form::Global, a scheme at the level of positions.
/// Source: Pfeiffer & Glocker 1996, chapter 8 [pfeifferglocker1996].
struct PoissonImpactLaw {
  double restitution = 0.0;  ///< e in [0, 1] [-]
  double friction = 0.0;     ///< mu >= 0 [-]
  Index dimension = 1;       ///< 1, 2 or 3: rows a contact
};

/// Multiple impacts by Liu, Zhao and Brogliato: during the impact each contact is a spring
/// of force stiffness depth^exponent that stores energy while it is compressed and gives back restitution^2 of it; how
/// impulses spread follows from the ratios of the stored energies, not from time. Frictionless. Stiffnesses matter by
/// their ratios only where all that act on one another have the same exponent. Bilateral rows hold all along: springs
/// are soft beside joints. In time-stepping as PoissonImpactLaw: u_I of the impact takes the place of -e u-; an impact
/// of n contacts costs some hundred products with a dense W of size n, and memory.
/// @throws InvalidArgument as PoissonImpactLaw.
/// Source: Liu, Zhao, Brogliato 2008 [liu2008].
struct LiuZhaoBrogliatoImpactLaw {
  double restitution = 0.0;  ///< in [0, 1], of energies: e^2 [-]
  double stiffness = 1.0;    ///< K > 0 [N m^-exponent]
  double exponent = 1.5;     ///< eta >= 1: 1 linear, 3/2 Hertz [-]
};

[[nodiscard]] std::shared_ptr<const NonSmoothLaw> make_law(const NewtonImpactLaw& law);
[[nodiscard]] std::shared_ptr<const NonSmoothLaw> make_law(const NewtonImpactFrictionLaw& law);
[[nodiscard]] std::shared_ptr<const NonSmoothLaw> make_law(const NewtonImpactRollingFrictionLaw& law);
[[nodiscard]] std::shared_ptr<const NonSmoothLaw> make_law(const PoissonImpactLaw& law);
[[nodiscard]] std::shared_ptr<const NonSmoothLaw> make_law(const LiuZhaoBrogliatoImpactLaw& law);

}  // namespace nonsmooth
