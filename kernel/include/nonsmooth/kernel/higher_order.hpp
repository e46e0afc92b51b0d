// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <Eigen/Core>

#include <nonsmooth/kernel/model.hpp>

namespace nonsmooth {

/// How a constraint of relative degree r is made one of r levels.
struct HigherOrderOptions {
  /// Of what decides which levels act: z_i at t_k counts as zero where z_i <= closed max_{j >= i} h^{j-i} s_j, s_j the
  /// largest |z_j| and |H mu_j| of the output so far, z_j at t_k included. Above rounding, as z_i that multipliers hold
  /// at zero are rounded to either side; below accuracy, as what is this near to closing then closes. In [0, 1e-3] [-].
  double closed = 1e-11;
};

/// The zero-dynamics form of M x' = A x + B lambda + b, w = C x + e with uniform relative degree r: n states, m
/// outputs.
struct HigherOrderForm {
  Index degree = 0;     ///< r
  Index outputs = 0;    ///< m
  Eigen::MatrixXd W;    ///< of a linear system; n x n: z = W x = (w_1, w_1', ..., w_1^(r-1), w_2, ..., xi)
  Eigen::MatrixXd A_z;  ///< n x n: W M^-1 A W^-1
  Eigen::MatrixXd H;    ///< m x m: C (M^-1 A)^{r-1} M^-1 B; of a nonlinear system that at x0
  /// |W M^-1 A W^-1| in the norm in which the scheme is bounded [1/s]: |z|^2 with z_r^T S z_r in the place of |z_r|^2,
  /// S = diag(d) H^-1 symmetric and positive definite, d = 1 where H is symmetric. NaN: there is no such d > 0, or the
  /// system is nonlinear.
  double rate = 0.0;
  /// In that norm, |d| of z' = W M^-1 A W^-1 z + d + what multipliers do: what b and e drive z with. NaN as rate.
  double forcing = 0.0;
};

/// What link_higher_order() made. State::y(levels): z, output by output (w, w', ..., w^(r-1)). State::lambda(levels):
/// mu / h of the last step in the same order; [unit of z / s] below level r, at level r that of lambda.
struct HigherOrderHandles {
  SystemHandle system{};  ///< of a HigherOrderSystem; else of no model
  InteractionHandle levels{};
  HigherOrderForm form{};
};

/// The higher-order sweeping process: a constraint w >= 0 of relative degree r, whose multiplier is a distribution of
/// order r - 1 where w closes, with a measure for each derivative of w instead,
///
///     dz_i = z_{i+1} dt + dnu_i   (i < r),     dz_r = C A^r W^-1 z dt + H dnu_r,     dxi = (A_xi xi + B_xi z_1) dt,
///     -dnu_i in N_{T^{i-1}}(z_i^+),     T^0 = R_+,  T^i = the tangent cone of T^{i-1} at z_i^-,
///
/// so that the levels are nested: dnu_i = 0 unless z_1^-, ..., z_{i-1}^- are all <= 0, else 0 <= z_i^+ ⟂ dnu_i >= 0. A
/// step (HigherOrderMoreau) with mu_i = dnu_i((t_k, t_{k+1}]):
///
///     z_{i,k+1} - z_{i,k} - h z_{i+1,k+1} = mu_i,      z_{r,k+1} - z_{r,k} - h C A^r W^-1 z_{k+1} = H mu_r,
///     xi_{k+1} - xi_k = h (A_xi xi_{k+1} + B_xi z_{1,k+1}),
///     mu_i = 0 unless z_{1,k}, ..., z_{i-1,k} <= 0, else 0 <= z_{i,k+1} ⟂ mu_i >= 0.
///
/// Which levels act is known at t_k: the nested problem is one linear complementarity problem on those rows, whose
/// matrix is block upper triangular up to O(h) with 1 and H on its diagonal, so that with H a P-matrix it has one
/// solution for short steps. States that are inconsistent at the start jump in the first step. As long as h rate < 1,
///
///     (1 - h rate) |z_{k+1}| <= |z_k| + h forcing,
///     so that    |z_k| <= p^k |z_0| + h forcing (p + ... + p^k),    p = 1 / (1 - h rate),
///
/// in the norm of HigherOrderForm::rate, z = W x + e and its derivatives: every run looks
/// (RunRemark::Kind::BoundExceeded). Where no diag(d) H^-1 is symmetric and positive definite there is no bound by A
/// alone: an impact of one output may make another's z_r larger than what it takes away, whatever h and A are. r = 1 is
/// Moreau's process, r = 2 that of mechanics with plastic impacts. Source: Acary, Brogliato & Goeleven 2008
/// [acary2008]; talk of Acary 2005.
///
///     const auto plain = model.link(system, FirstOrderLinearRelation{.C = C, .B = B}, ComplementarityLaw{});
///     const HigherOrderHandles process = link_higher_order(model, plain);
///     TimeStepping simulation(model, {.integrator = HigherOrderMoreau{}, .step = h});
///     ... atoms(simulation.state(), process.levels) ...
///
/// Why it is an interaction and a scheme: an integrator gives weights and has no multipliers; those of an interaction
/// are as many as its rows. So the constraint is linked anew with m r rows and the law of nested cones, and all else
/// (problem and certificate of a step, threads, restart, records) is what every model has. HigherOrderMoreau has the
/// weights that its measures need, and a model with levels is refused under others.
///
/// Takes away the interaction and links the process in its place, under its name. Other interactions of the same
/// systems stay, and act on x' as they did. They must not enter below level r, C A^k B_other = 0 for k < r - 1, as
/// levels are w, w', ... no more then: a simulation refuses such a model, with the number.
/// @throws InvalidArgument, the model being what it was: a stale handle, an interaction of mechanics; systems that are
/// not linear with constant A and b and a regular mass, or have a feedback (one that is linear belongs into A); a
/// relation that is not linear with constant matrices; another law than ComplementarityLaw without shifts; D not zero,
/// with what it is; outputs of different relative degrees, none, or a singular C A^{r-1} B, with the numbers; H no
/// P-matrix; an option out of range.
HigherOrderHandles link_higher_order(NonSmoothDynamicalSystem& model, InteractionHandle interaction,
                                     const HigherOrderOptions& options = {});

/// x' = f(x) + G(x) lambda, 0 <= w = h(x) ⟂ lambda >= 0, nonlinear, of uniform relative degree r by what its user says
/// of it: Lie derivatives to order r, and n - m r functions xi(x) that make the levels coordinates and that lambda does
/// not move. All functions of x alone; what is written comes in zeroed.
struct HigherOrderSystem {
  Index degree = 1;                                              ///< r >= 1
  Index outputs = 1;                                             ///< m >= 1
  ConstantVector x0{};                                           ///< n >= m r
  std::function<void(ConstVectorRef x, VectorRef value)> f{};    ///< n
  std::function<void(ConstVectorRef x, MatrixRef value)> G{};    ///< n x m
  std::function<void(ConstVectorRef x, MatrixRef value)> lie{};  ///< m x (r + 1): L_f^j h_i in row i, column j = 0..r
  std::function<void(ConstVectorRef x, MatrixRef value)> H{};    ///< m x m: L_G L_f^{r-1} h
  std::function<void(ConstVectorRef x, VectorRef value)> xi{};   ///< n - m r; none where n = m r
  std::function<void(ConstVectorRef x, VectorRef value)> xi_rate{};  ///< n - m r: L_f xi; none where n = m r
  std::function<void(ConstVectorRef z, VectorRef x)> inverse{};      ///< n: the x of z = (levels, xi)
  std::string name{};
};

/// Adds the system in the coordinates z = (h_1, L_f h_1, ..., h_2, ..., xi), in which measures move one level each
/// however far it jumps, as they would not along x: State::x(handles.system) is z, `inverse` gives x. A step is that
/// above with L_f^r h(x) and H(x) at its end, by Newton's iteration. Of one output, runs look at |z_{k+1}| <= |z_k| +
/// h |F(z_{k+1})|, F = z' without multipliers, as z_{k+1} · mu = 0 (a bound by |z_0| where F grows at most linearly);
/// of several S(x) varies, and no bound is known.
/// @throws InvalidArgument, the model being what it was: a function that is not given, throws or is not finite; at x0
/// and at one place beside it (1e-2 of each entry): Lie derivatives, H, xi_rate that differ from differences by more
/// than 1e-4 of them, a lower relative degree, xi that lambda moves (1e-6 of |dz/dx| |f| or |G| are zero, and what
/// differences lose), an `inverse` that is none; H(x0) no P-matrix.
HigherOrderHandles link_higher_order(NonSmoothDynamicalSystem& model, HigherOrderSystem system,
                                     const HigherOrderOptions& options = {});

/// mu of the last step, h lambda, in the order of State::lambda: the atom of each level where one is, else h times a
/// density. @throws InvalidArgument as State::lambda
[[nodiscard]] Eigen::VectorXd atoms(const State& state, InteractionHandle levels);

/// What a step did to one level of all outputs, from its two states and the model's matrices alone; all are zero where
/// the step is exact. [unit of z_i or mu_i, and their product]
struct LevelCertificate {
  Index acting = 0;         ///< outputs whose cone of this level is R_+
  double outside = 0.0;     ///< of these, the largest -z_i at the end
  double attracting = 0.0;  ///< of these, the largest -mu_i
  double product = 0.0;     ///< of these, the largest |z_i mu_i|
  double resting = 0.0;     ///< of the others, the largest |mu_i|
  double unbalanced = 0.0;  ///< largest |z_i+ - z_i - h z_{i+1}+ - mu_i|, of level r |... - h (A_z z)_r - H mu_r|
};
/// By level 1 to r, of a step from `before` to `after`; where other interactions act on the same systems, `unbalanced`
/// has what they do. @throws InvalidArgument: states of other revisions, a handle that is not link_higher_order()'s, an
/// `after` that is not one step behind `before`.
[[nodiscard]] std::vector<LevelCertificate> certify_levels(const NonSmoothDynamicalSystem& model, const State& before,
                                                           const State& after, InteractionHandle levels);

}  // namespace nonsmooth
