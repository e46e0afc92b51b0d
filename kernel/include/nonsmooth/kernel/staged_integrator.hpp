// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>

#include <nonsmooth/kernel/one_step_integrator.hpp>

namespace nonsmooth {

/// The numbers of a scheme of several stages. A step from x_k of M xdot = f(t, x) + g(t, x, lambda), y = h(t, x,
/// lambda) with a law between y and lambda is, for i = 0 ... s-1,
///
///     X_i     = x_k + u_i d + h sum_j a_ij F_j,      M F_j = f(t_j, X_j) + g(t_j, X_j, lambda_j),   t_j = t_k + c_j h,
///     y_i     = h(t_i, X_i, lambda_i),               each y_i and lambda_i obeying the law,
///     x_{k+1} = x_k + v d + h sum_j b_j F_j.
///
/// d is what the step before left: x_k - x_{k-1}, or h times its F_0; see `Kept`.
/// One stage after another is solved where `a` lets it: stage i alone with a_ii = 0 is explicit, X_i is known and
/// lambda_i the answer of u = D lambda + q; all stages that need each other are one problem with all their lambda_j.
/// Where u, a and c of the last stage are v, b and 1, x_{k+1} and lambda_{k+1} are that stage's (stiffly accurate);
/// elsewhere lambda_{k+1} is solved from x_{k+1}, as of an explicit stage.
struct StageTable {
  Eigen::MatrixXd a{};  ///< s x s; a_ij = 0 for i < j but among stages that are solved together [-]
  Eigen::VectorXd b{};  ///< s [-]
  Eigen::VectorXd c{};  ///< s, in [0, 1]; explicit stages have c = sum of a_ij or, with d, what they stand for [-]
  Eigen::VectorXd u{};  ///< s; empty: zero [-]
  double v = 0.0;       ///< of d in x_{k+1} [-]
};

/// A scheme of several stages, or of several steps, for first-order systems and the rows between them: what the
/// built-in ones are (ExplicitEuler, RungeKutta4, ImplicitRadau, Bdf2, AdamsBashforth2), and what a user derives from
/// for a table of his own.
///
/// It is the scheme of a whole model, whose systems are all of first order. Systems: constant mass, linear or not,
/// without a law in their description, dense; at most 4096 unknowns in all stages that are solved together. Laws: those
/// that never vary. Where a stage is explicit, or x_{k+1} is not a stage, lambda has to follow from x: each relation's
/// D, with what its law adds, is a P-matrix (so that lambda is one, and Lipschitz in x), or a row of zeros under a
/// relay of finite bounds. Of that row a selection is taken: the bound that y says and, at y = 0 to rounding, the
/// lambda between the bounds that makes |M^-1 (f + g)| least. All else is refused when a simulation is made, with the
/// scheme that takes it; D of a nonlinear relation is looked at by the solver alone, stage by stage. A singular mass is
/// refused where some F is needed by itself: x_{k+1} has to be the last stage of one problem. Feedbacks are those of
/// t_k.
///
/// Where a mode changes (which multipliers are at a bound) xdot has a kink or a jump, and a step over it errs by O(h^2)
/// or O(h) whatever its order. `locates()`: the step is divided there. The mode before it is kept beyond its end,
/// which is smooth, and the first instant at which y or lambda leaves it is a root of that; what follows is a step of
/// its own, so that the order is that of the smooth motion. Rows that do this have y and lambda of one number each
/// (orthants and boxes) or none (equalities). Explicit schemes locate where D is a P-matrix alone, as they cannot
/// slide. StepReport::subdivisions counts the instants. More than 64 in one step are not looked for: the rest is then
/// one step. A change shows where a stage or the end is in another mode, and at `looks()` instants between these: there
/// x is what stages and ends say (their polynomial, or Hermite's), f and h are asked once each, and u and lambda of the
/// mode are held against their bounds; of a row that slides without D, y is held against 0. So a mode that comes and
/// goes is found where it lasts longer than 1 / (looks + 1) of a step, and by luck below: step or looks has to be
/// chosen by the shortest pulse of a source. Where a source jumps, the part before it ends just before the jump, at the
/// end of a step too: at the instant itself a source has to say what is behind it. A row that rests in its corner, y
/// and lambda both 0, is on no branch and is not looked at; a pulse of f alone, which no y shows, is what stages see of
/// it.
class StagedIntegrator : public OneStepIntegrator {
 public:
  enum class Kept : unsigned char {
    Nothing,
    Difference,  ///< d = x_k - x_{k-1}
    Slope,       ///< d = h_k F_0 of the step before
  };

  /// The table for a step of `ratio` times the length of the step before; 0 where there is none that counts: at a
  /// start, and behind a located instant.
  [[nodiscard]] virtual StageTable table(double ratio) const = 0;
  [[nodiscard]] virtual Kept kept() const { return Kept::Nothing; }
  [[nodiscard]] virtual bool locates() const { return false; }
  /// At how many instants between the ends of a located step, a part of it alike, at equal distances, it is looked
  /// whether the mode stays, >= 0. Cost: of each an evaluation of all f and h, and a factor of the rows' matrix.
  [[nodiscard]] virtual Index looks() const { return 4; }

  /// theta = 0 where some stage is explicit, else 1.
  [[nodiscard]] SchemeCoefficients coefficients() const final;
};

}  // namespace nonsmooth
