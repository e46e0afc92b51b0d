// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <memory>

#include <nonsmooth/numerics/mixed/problem.hpp>
#include <nonsmooth/numerics/thread_pool.hpp>

namespace nonsmooth::mixed {

/// What the automatic choice aims at and where it switches; every switch is on counted work, never on the clock.
struct Automatic {
  double tolerance = 1e-10;   ///< Certificate::residual <= tolerance; > 0
  Index max_sweeps = 10'000;  ///< of block Gauss-Seidel, where that is the algorithm (not of friction's tiers); >= 1
  Index max_iterations = 0;   ///< of each algorithm tried (sweeps, pivots, steps), >= 0; 0: its default, max_sweeps
  Index dense_limit = 200;    ///< up to so many rows the direct (pivoting) methods are tried first; >= 0
  /// [s], > 0; looked at after each sweep, pivot and Newton step; a factorization in progress is finished.
  double time_limit = std::numeric_limits<double>::infinity();

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// Validates, looks at the family, picks an algorithm, certifies:
///   one row: closed form.
///   Up to dense_limit rows of Free, Orthant, Box and Coulomb 2D blocks: first active-set (semismooth Newton) steps on
///   the natural map: each row or contact is free, at a bound, taking off, sticking or sliding left or right as the
///   last iterate says; one dense linear system; repeated until the modes stand. The answer is exact to round-off and,
///   being a function of W, q and the modes, does not depend on the start where no mode is degenerate. Where the steps
///   cycle or meet a singular system: the equivalent LCP by pivoting, which takes a zero or skew diagonal (an ideal
///   switch, a relay); free rows are eliminated from it by a dense Schur complement, or, where their block is singular
///   (redundant bilateral constraints), kept as differences of two nonnegative variables. With friction some
///   Gauss-Seidel sweeps come before the LCP; after it friction's tiers, or the remaining sweeps where there are boxes.
///   Without friction, where W is so degenerate that the LCP fails too: relay::Automatic, whose pivots between bounds
///   end at a solution for any W where all bounds are finite, and at round-off a refinement with u in doubled
///   precision (a q of rounding size beside ordinary bounds); a few rows from every place of the rows; then sweeps.
///   Up to dense_limit orthants alone: lcp::Workspace.
///   Above: friction's tiers where they apply (see below), else Gauss-Seidel; for orthants alone some sweeps, then
///   lcp::Automatic on the sparse LCP; where all rows are free sparse factors (Cholesky's, LU); a sparse Schur
///   complement of the free rows and the LCP of the rest where eight rows are free beside one that is not, before
///   anything else, or where all that fails and those that are not free number at most dense_limit; else, up to 2000
///   rows, the methods of small problems after all.
/// Parts that W does not couple are solved one by one. A part of Coulomb and Rolling blocks, alone or among Orthant and
/// Free ones, is frictional contact and goes through the tiers of friction::Automatic (friction/automatic.hpp), unless
/// it is small and planar as above. Another part with cones or cylinders of several rows other than planar contacts
/// goes through tiers of this family, each from the best iterate of those before it: sweeps while their rate promises
/// the tolerance for less than Newton's method costs (not with a cone or cylinder of many rows); of Box blocks beside
/// Coulomb, Rolling, Orthant and Free ones (motors and friction in joints of mechanisms that touch) friction's tiers
/// with each bounded row held at a bound or free, until none wants to change; where all blocks are Free, Orthant or
/// SecondOrderCone the Fischer-Burmeister Newton method; proximal Newton; Newton on the natural map; alternating
/// directions; the sweeps that are left; of up to 200 rows these three methods anew, from r = 0, unless max_iterations
/// ended one. Where none reaches the tolerance: the best iterate, refined where it is near a solution (Newton steps on
/// its modes, docs/solvers.md), Solved "at round-off" where its errors are the rounding of its own terms, else Stalled,
/// or IterationLimit where max_iterations ended a tier; the reason names whose it is, and Result::solver whose r it is
/// under its name in the registry, in friction's where one of its tiers gave it. "automatic" stands for closed forms,
/// active sets and pivoting, which have no name there, and for islands that several solved.
///
/// The equivalent LCP: r = z on an orthant; l <= r <= u is r = l + a with w_a = u_row + y ⟂ a and u - l - a ⟂ y; a
/// planar contact is r_T = b - c with w = u_T + y ⟂ b, -u_T + y ⟂ c, mu r_N - b - c ⟂ y, which is copositive for
/// positive semidefinite W. Source: Stewart, Trinkle, An implicit time-stepping scheme for rigid body dynamics with
/// inelastic collisions and Coulomb friction, 1996; Cottle, Pang, Stone 1992 [cottle1992].
[[nodiscard]] Result solve(const Problem& problem, const Automatic& options = {});

/// The hot loop's door to the same: starts from result.r where it has the right size (a warm start), allocates nothing
/// on the direct path, in sweeps and refinement while the problem does not grow (friction: as AutomaticWorkspace says),
/// not validated. `same_matrix` promises W and K of the last call bit for bit. Parts that W does not couple
/// are shared among `threads`, where there are any: the same bits for any number of them.
class Workspace {
 public:
  Workspace();
  ~Workspace();
  Workspace(Workspace&&) noexcept;
  Workspace& operator=(Workspace&&) noexcept;

  void solve(const Problem& problem, const Automatic& options, bool same_matrix, Result& result,
             ThreadPool* threads = nullptr);
  void reset() noexcept;  ///< forgets factors; a solve depends on its arguments (and result.r) alone, with or without

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace nonsmooth::mixed
