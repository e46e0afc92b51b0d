// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <Eigen/Core>

#include <nonsmooth/numerics/limits.hpp>
#include <nonsmooth/numerics/outcome.hpp>
#include <nonsmooth/numerics/types.hpp>
#include <nonsmooth/numerics/vi/convex_set.hpp>

namespace nonsmooth::boundary_value {

/// Where a multiplier acts in the discrete problem.
enum class Acts : unsigned char {
  /// u_i is a function, constant over each interval. For rows in which D has an entry, and for w_i = 0 of index 1.
  Interval,
  /// u_i is a measure, an atom at each instant: x jumps by B_i mu. For state constraints of relative degree >= 1,
  /// whose multipliers may have atoms; where u_i is a density the atom is its integral over a step.
  Instants,
};

/// The boundary value problem of a complementarity system with n states and m multipliers on [0, T]
///
///     x' = A x + a(t) + B u,     w = C x + D u + c(t),     -w in N_[l,h](u),     b = M x(0) + N x(T),
///
/// by default 0 <= u ⟂ w >= 0; l_i = -inf, h_i = inf asks for w_i = 0 (a free part). f(t, x) may stand in place of
/// A x + a(t). Units: those of x, of t, and u of any, w of any. No value is given at an end: conditions at both are
/// rows of M and N, x(0) before what acts at 0, x(T) after what acts at T.
/// Source: Pang, Stewart 2008 [pangstewart2008], section 7; Acary, Brogliato 2008 [acarybrogliato2008], chapter 2.
struct Problem {
  Eigen::MatrixXd A{};                                                         ///< n x n; empty where f is given
  std::function<void(double t, VectorRef value)> a{};                          ///< n, comes in zeroed; none: 0
  std::function<void(double t, ConstVectorRef x, VectorRef value)> f{};        ///< n, comes in zeroed
  std::function<void(double t, ConstVectorRef x, MatrixRef jacobian)> f_dx{};  ///< n x n, zeroed; none: differences
  Eigen::MatrixXd B{};                                                         ///< n x m; empty: no multipliers
  Eigen::MatrixXd C{};                                                         ///< m x n
  Eigen::MatrixXd D{};                                                         ///< m x m; empty: 0
  std::function<void(double t, VectorRef value)> c{};                          ///< m, comes in zeroed; none: 0
  Eigen::VectorXd lower{};                                                     ///< l, m, < +inf; empty: 0
  Eigen::VectorXd upper{};                                                     ///< h, m, > -inf, >= l; empty: +inf
  Eigen::MatrixXd M{}, N{};                                                    ///< n x n each, (M N) of rank n
  Eigen::VectorXd b{};                                                         ///< n
  double T = 1.0;                                                              ///< the horizon, > 0
  /// m; empty: Instants where row and column i of D vanish, else Interval. Instants needs such a D.
  std::vector<Acts> acts{};
  /// Whether atoms act at the ends too, and w is constrained there. At 0 it makes x(0+) differ from x(0). An atom at an
  /// end at which x is given anyway is not determined where w = 0 there.
  bool atoms_at_start = false, atoms_at_end = true;
  /// Rows for which that does not hold: no atom, and w as the dynamics leave it, at 0 or at T.
  std::vector<Index> no_atom_at_start{}, no_atom_at_end{};

  [[nodiscard]] Index num_states() const noexcept { return b.size(); }       ///< n
  [[nodiscard]] Index num_multipliers() const noexcept { return B.cols(); }  ///< m
  [[nodiscard]] bool linear() const noexcept { return !f; }

  /// @throws InvalidArgument naming the field: no state, shapes that differ, entries that are not finite, T <= 0,
  /// bounds that cross, A beside f, Instants with an entry of D, dependent rows of (M N), rows without atoms that there
  /// are not.
  void validate() const;
};

/// Which (x(0), x(T)), in this order, the conditions and w at both ends allow:
///
///     M x(0) + N x(T) = b,     C_i x(0) + c_i(0) >= 0,     C_i x(T) + c_i(T) >= 0
///
/// of the rows i that act at instants and have C_i B_j = 0 for all j that do (<= 0 where l_i = -inf, = 0 if h_i = inf
/// too). Their w does not jump, so that the constraint holds at the ends too, whether atoms act there or not. Where the
/// conditions fix such a w_i at 0, and w_i' does not jump either (C_i B = 0, C_i A B_j = 0), it must not be left at
/// once:
///
///     w_i' = C_i A x + C_i a + c_i' >= 0 at 0,     <= 0 at T,
///
/// behind its w_i in the order of rows; c_i' by differences, to what these may be off. Where they fix w_i' at 0 as
/// well, w_i'' is asked for likewise, and so on, as long as a and c_i are constant there. Of all other problems: what
/// is left of it.
/// @throws InvalidArgument as Problem::validate; where c is not finite at an end.
[[nodiscard]] vi::Polyhedron admissible_ends(const Problem& problem);

/// M v' + G v + K q = F(t) + H^T lambda, w = H q + c(t) >= 0: a mechanical system between two positions.
struct MechanicalProblem {
  Eigen::MatrixXd M{};                                 ///< n x n, symmetric positive definite
  Eigen::MatrixXd G{}, K{};                            ///< n x n; empty: 0
  std::function<void(double t, VectorRef value)> F{};  ///< n, zeroed; none: 0
  /// In place of F, G, K: F(t, q, v), for Newton's linearisations.
  std::function<void(double t, ConstVectorRef q, ConstVectorRef v, VectorRef value)> force{};
  Eigen::MatrixXd H{};                                 ///< m x n; empty: no constraints
  std::function<void(double t, VectorRef value)> c{};  ///< m, zeroed; none: 0
  Eigen::VectorXd q_start{}, q_end{};                  ///< n each: q(0), q(T)
  double T = 1.0;                                      ///< > 0
};
/// The same as a problem in x = (q, v), with multipliers that act at instants: v jumps, q does not.
/// @throws InvalidArgument: shapes that differ, M not positive definite, G, K or F beside `force`.
[[nodiscard]] Problem first_order(MechanicalProblem problem);

/// How one interval of length h leads from x after its first instant to x before its last.
enum class Scheme : unsigned char {
  /// Linear systems: e^{A h}, exact for x, for a that is linear over an interval and for u constant over it. Sparse
  /// factors see the same bands as with Theta. Errors: h^4 of a, h^2 of u on intervals, where the instants of atoms
  /// are. The default for linear problems.
  Exact,
  /// x_{k+1} - x_k = h f(t_theta, theta x_{k+1} + (1 - theta) x_k) + h B u, of order 1, of order 2 for theta = 1/2. The
  /// default for nonlinear ones. The dynamics are those of Pang and Stewart; where they ask for w at t_{k+1}, rows on
  /// intervals see the mean of x over both ends whatever theta is, rows at instants x there.
  Theta,
  Automatic,
};

struct Solution;

struct Options {
  Index steps = 100;           ///< N >= 1 intervals of one length
  Eigen::VectorXd instants{};  ///< in place of steps: 0 = t_0 < ... < t_N = T
  Scheme scheme = Scheme::Automatic;
  double theta = 0.5;  ///< in [0, 1]; below 1/2 stiff systems are lost
  /// Of the whole problem: Certificate::residual <= tolerance; max_iterations: linear problems with given places, 0:
  /// 100 a mesh.
  Limits limits{.tolerance = 1e-9};
  /// A constant psi with |f(t, x) - f(t, y) + B (u_x - u_y)| <= psi |x - y|, where it is known; 0: what solvability()
  /// finds.
  double psi = 0.0;
  /// Where to begin: a solution on another mesh or of another horizon or data; not kept. None: from coarser meshes.
  const Solution* continue_from = nullptr;

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// What is known to suffice for a solution: M + N regular and
///
///     J e^{T psi} < 1 + 1 / |(M + N)^-1 N|,
///
/// psi a bound of the growth of x' in x: |A| + |B||C| / mu(D) where D is positive definite (mu: least eigenvalue of
/// its symmetric part), |A| + |B||C A| / mu(C B) where D = 0 and C B is symmetric and positive definite, |A| without
/// multipliers. J bounds the jump at 0: |x(0+)| <= J |x(0)| + a constant. It is 1 + |B||C| / mu(C B) where D = 0, as
/// x(0) may have w < 0, and 1 where no row and column of D vanish. It says nothing where it does not hold.
/// Source: Pang, Stewart 2008 [pangstewart2008], whose x(0) does not jump (J = 1).
struct Solvability {
  double psi = std::numeric_limits<double>::quiet_NaN();       ///< [1/time]; NaN: not known
  double boundary = std::numeric_limits<double>::quiet_NaN();  ///< |(M + N)^-1 N|_2; NaN: M + N singular
  double jump = std::numeric_limits<double>::quiet_NaN();      ///< J; NaN: not known
  double growth = std::numeric_limits<double>::quiet_NaN();    ///< J e^{T psi}
  double limit = std::numeric_limits<double>::quiet_NaN();     ///< 1 + 1 / boundary
  bool holds = false;                                          ///< growth < limit
  /// Of linear problems without their multipliers, how near the conditions are to leaving x open, or contradicting:
  /// largest (or 1, if more) over least singular value of M + N e^{A T}, each row divided by the largest entry of that
  /// row of (M, N e^{A T}). Where that exceeds 10^3, as e^{A T} may have lost all but its fastest mode, no more than
  /// the same of M Y_0 + N Y_T, where x(0) = Y_0 z, x(T) = Y_T z are all motions, (Y_0; Y_T) orthonormal, from doubled
  /// intervals. Infinite: singular by both, x is left open or nothing satisfies the conditions. NaN: not known, as both
  /// seem singular but e^{A T} amplifies what is rounded to more than that.
  double condition = std::numeric_limits<double>::quiet_NaN();
  std::string_view reason = "not examined";
};
/// @throws InvalidArgument as Problem::validate. psi <= 0: found as above.
[[nodiscard]] Solvability solvability(const Problem& problem, double psi = 0.0);

/// What was found: the best iterate whatever the status.
///
/// Status::Infeasible: no solution of the discrete problem exists, which `proof` shows (proves_no_solution), or no ends
/// are admissible, to which `proof` belongs then.
/// Stalled or NumericalFailure: `reason` tells, and Solvability::condition where the conditions leave x open.
struct Solution : Outcome {
  Eigen::VectorXd t;  ///< N + 1 instants
  Eigen::MatrixXd x;  ///< n x (N + 1), after what acts at each instant
  /// m x (N + 1). Of a row that acts on intervals: u over the interval before t_k (column 0: 0); at instants: the atom.
  Eigen::MatrixXd u;
  /// The same shape: w over the mean of x at both ends of the interval, or at the instant after its atom.
  Eigen::MatrixXd w;
  Eigen::VectorXd x_start;  ///< x(0) before what acts at 0: that of the boundary conditions
  Solvability solvability;
  Index meshes = 0;          ///< on how many meshes it was solved, this one included
  std::string not_finite{};  ///< which callable gave no number, and where

  [[nodiscard]] std::string message() const;  ///< status, residual, reason, the solvability bound
};

/// All N steps and the boundary conditions as one mixed complementarity problem, block bidiagonal with a border:
///
///     E (x_k - B_a mu_k) = F x_{k-1} + G u_k + g_k,     M (x_0 - B_a mu_0) + N x_N = b,
///     w_k = C x_k + c(t_k) at instants,     w_k = C (x_{k-1} + x_k - B_a mu_k) / 2 + D u_k + c((t_{k-1} + t_k) / 2)
///
/// solved by Newton's method on the minimum map: which rows are at a bound is given, the rest is linear, with sparse
/// factors of one pattern, at a cost of O(N n^2 (n + m)); f is linearised on the way. It starts on a mesh of at
/// most 64 steps and takes what is active there to meshes twice as fine, each in a few steps, so that all of it costs
/// O(N). Where places repeat without a solution, mlcp goes on with the linear problem: all of mlcp::Automatic up to
/// 2000 unknowns, beyond them mlcp::Lemke alone, for at most 300 pivots; where f moves, steps are halved until the
/// residual falls.
///
/// The condition of neighbours at w = 0 grows like h^-r with their relative degree r. From r = 3 on, where f is linear,
/// only the row of a run with w < 0 that is farthest off is taken in, and where the equations of neighbours are
/// singular to rounding every second one inside of a run is left out: w between them is h^r times what is known. So
/// atoms stand alone; a density along an arc may end in atoms some instants apart, of the same sum. Where h^r is far
/// below rounding for all that are to be told apart (r = 4 on 10^5 intervals) an arc ends NumericalFailure.
///
/// A problem without solution ends Infeasible with a proof: because no ends are admissible; where it is linear, because
/// conditions contradict (a combination of rows of M + N e^{A T} that vanishes, and on which the multipliers do not act
/// or act with one sign), or because no x and u within bounds meet dynamics, conditions and w >= 0 at once (a Farkas
/// certificate). Of other nonlinear problems without solution nothing is proven: Stalled.
/// @throws InvalidArgument as validate(); Exact with f; instants that do not rise from 0 to T; continue_from of other
/// sizes.
[[nodiscard]] Solution solve(const Problem& problem, const Options& options = {});

/// The certificate of a solution, recomputed from the problem: mlcp::certify of the discrete problem, linearised at
/// solution.x where f is nonlinear. Rows: n of each interval, n of the boundary, then w in the order of time.
/// @throws InvalidArgument as solve(); a solution on another mesh.
[[nodiscard]] Certificate certify(const Problem& problem, const Options& options, const Solution& solution);

/// True if y proves that there is no solution: one entry a row of admissible_ends(problem), that no ends are; one entry
/// a row of the certificate, that the discrete problem, of a linear system, has none: mlcp::proves_infeasible of it.
/// tolerance: of the second, relative to the terms of a column, as there; the default leaves N e^{A T}, which is a
/// product of N rounded factors, 1e-11.
/// @throws InvalidArgument as admissible_ends.
[[nodiscard]] bool proves_no_solution(const Problem& problem, const Options& options, ConstVectorRef y,
                                      double tolerance = 1e-11);

}  // namespace nonsmooth::boundary_value
