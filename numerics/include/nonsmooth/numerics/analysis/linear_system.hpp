// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <string_view>
#include <vector>

#include <Eigen/Core>

#include <nonsmooth/numerics/analysis/matrix_classes.hpp>
#include <nonsmooth/numerics/analysis/theorem.hpp>
#include <nonsmooth/numerics/analysis/verdict.hpp>
#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth::analysis {

/// The linear complementarity system (n states, m multipliers; n, m >= 1)
///
///     M xdot = A x + B lambda + a,     y = C x + D lambda + b,     0 <= lambda ⟂ y >= 0.
///
/// Everything below is said of  xdot = M^-1 A x + M^-1 B lambda  and y; a and b enter where it is told.
/// Costs are O(n^3) (n >= m) unless another is given. Each function throws InvalidArgument as validate().
struct LinearComplementaritySystem {
  Eigen::MatrixXd A;       ///< n x n
  Eigen::MatrixXd B;       ///< n x m
  Eigen::MatrixXd C;       ///< m x n
  Eigen::MatrixXd D = {};  ///< m x m; empty: 0
  Eigen::MatrixXd M = {};  ///< n x n, regular; empty: the identity
  Eigen::VectorXd a = {};  ///< n; empty: 0
  Eigen::VectorXd b = {};  ///< m; empty: 0

  /// @throws InvalidArgument: no state, no multiplier, shapes that do not fit, entries that are not finite, M singular
  /// to round-off.
  void validate() const;
};

/// H_0 = D, H_k = C A^{k-1} B for k = 1 ... n.
struct MarkovParameters {
  std::vector<Eigen::MatrixXd> H;  ///< n + 1 matrices, m x m
  /// What rounding (of the data too) may have made of them: (n + 2)(k + 2) eps |C||A|^{k-1}|B|, entry by entry, and
  /// what M^-1 adds. An entry counts as zero below it, as not zero above 1000 times it, and is not known between.
  std::vector<Eigen::MatrixXd> round_off;

  [[nodiscard]] Verdict is_zero(Index k, Index i, Index j) const;
};
/// Cost: n products with A, O(m n^3).
[[nodiscard]] MarkovParameters markov_parameters(const LinearComplementaritySystem& system);

enum class DegreeKind : unsigned char {
  NotKnown,    ///< round-off hides which Markov parameter, or whether the decoupling matrix is regular
  Uniform,     ///< H_r is regular and all before it vanish: every output has relative degree r
  Vector,      ///< outputs have degrees r_i of their own, and the decoupling matrix is regular
  NotRegular,  ///< the decoupling matrix is singular: there is no (vector) relative degree
  Infinite,    ///< some output is never reached by lambda
};

/// Relative degree: how often y has to be differentiated for lambda to appear.
/// Source: lectures of Acary 2005; Acary, Brogliato, Goeleven 2008 [acary2008].
struct RelativeDegree {
  DegreeKind kind = DegreeKind::NotKnown;
  Index first = -1;              ///< the first k with H_k != 0; -1: not known, or none up to n
  std::vector<Index> of_output;  ///< r_i, the first k with row i of H_k != 0; -1: not known; n + 1: none
  Eigen::MatrixXd decoupling;    ///< row i is row i of H_{r_i}; empty where some r_i is not known or infinite
  Finding regular;               ///< of the decoupling matrix
  [[nodiscard]] Index uniform() const noexcept;  ///< r; -1 unless the kind is Uniform
};
[[nodiscard]] RelativeDegree relative_degree(const LinearComplementaritySystem& system);

/// z = W x = (y_1, y_1', ..., y_1^{(r_1 - 1)}, y_2, ..., xi) for a system of (vector) relative degree r_i >= 1:
///
///     zdot = A_z z + B_z lambda,     xi' = A_xi xi + B_xi y,
///
/// in which lambda enters the last row of each chain alone, through the decoupling matrix. Chains are in the order of
/// the outputs; xi has n - sum r_i entries and is driven by y alone, not by its derivatives (drifts a, b left out).
/// Source: Acary, Brogliato, Goeleven 2008 [acary2008].
struct ZeroDynamics {
  Verdict exists = Verdict::NotKnown;
  std::string_view reason = "not examined";
  Eigen::MatrixXd W;             ///< n x n, regular
  Eigen::MatrixXd A_z, B_z;      ///< W A W^-1, W B
  Eigen::MatrixXd A_xi, B_xi;    ///< (n - sum r_i) square; (n - sum r_i) x m
  std::vector<Index> first_row;  ///< m + 1: where the chain of output i starts in z; the last: where xi starts
  double residual = 0.0;         ///< largest entry of A_z and B_z where the form has a zero or a one, as a difference
};
[[nodiscard]] ZeroDynamics zero_dynamics(const LinearComplementaritySystem& system);

/// A rank and what it was decided with.
struct ReachableSpace {
  /// Holds: every state is reached (observed). Fails: some pair within `tolerance` of this one has states that are not.
  /// NotKnown: a pivot is between tolerance and 1000 tolerance.
  Finding complete;
  Index dimension = 0;      ///< of the reachable (observable) space, pivots above `tolerance` counted
  Eigen::MatrixXd missing;  ///< n x (n - dimension): states w with w^T x not reached; not observed states
  std::vector<Eigen::VectorXd> singular_values;  ///< of the blocks of the staircase, largest first
  double tolerance = 0.0;                        ///< 16 n eps |(A, B)|_F of the balanced pair
};
/// The pair (A, B), by the staircase of orthogonal transformations, after states were balanced by powers of two
/// [vandooren1979]. `missing`: left vectors w with w^T A^k B = 0 for all k. Cost: O(n^3) and a decomposition a step.
[[nodiscard]] ReachableSpace controllability(const LinearComplementaritySystem& system);
/// The pair (C, A). `missing`: initial states x that leave no trace in y.
[[nodiscard]] ReachableSpace observability(const LinearComplementaritySystem& system);

/// Passivity: some P = P^T > 0 has
///
///     K(P) = [-(A^T P + P A), C^T - P B; C - B^T P, D + D^T] >= 0,                                          (1)
///
/// so that d/dt (x^T P x / 2) <= lambda^T y: the system without a and b stores no more than it is given. For a minimal
/// system this is positive realness of H(s) = C (s I - A)^-1 B + D.
///
/// Holds comes with a P that was put into (1): its least eigenvalue, rows scaled by the size of their terms, is above
/// minus 64 times the round-off (n + m) eps of these terms, and P is positive definite for certain. Fails comes with a
/// witness:
/// - a frequency s, Re s >= 0, and v (complex) with v^* (H(s) + H(s)^*) v < 0 beyond round-off,
/// - an eigenvalue s of A in the open right half plane, v its vector: no P > 0 has A^T P + P A <= 0, reached or not,
/// - s infinite: v with v^T D v < 0; or, where rows and columns of D + D^T vanish, v^T C B v < 0, C B not symmetric, or
///   C^T v != P B v as one of B v and C^T v is zero.
/// NotKnown is the rest: what is too ill-conditioned for the verification, or negative between the frequencies looked
/// at.
///
/// P is built by exact reductions to fewer states (storage.hpp): inputs without direct feedthrough fix P on their
/// range, as P B = C^T there; a frequency at which H + H^* is singular fixes it on a vector; modes on the imaginary
/// axis are split off, as P couples them to nothing. What is left has a strict inequality and a Riccati equation,
/// solved by the stable invariant subspace of its Hamiltonian matrix [laub1979], [willems1972]. Cost: some 20
/// decompositions of 2n x 2n a reduction, at most n reductions; the search for a witness: some 300 factorizations. 10
/// ms at n = 20, some 7 s at n = 100.
struct Passivity {
  Finding passive;
  /// The same with -(A^T P + P A + rate P) in (1), for a rate > 0. Fails: not even with 1e-7 of the balanced norm of A.
  Finding strictly_passive;
  double rate = 0.0;                 ///< of strict passivity: a rate that was verified
  Eigen::MatrixXd P;                 ///< where passive holds
  std::complex<double> frequency{};  ///< where passive fails: s, as told above
  Eigen::VectorXcd direction;        ///< and v
};
[[nodiscard]] Passivity passivity(const LinearComplementaritySystem& system);

/// The index: how many differentiations of y give lambda, as a differential variational inequality has it
/// [pangstewart2008], one less than the differential index of the equations y = 0.
/// 0: D is a P-matrix, lambda is a Lipschitz function of x. r >= 1: the relative degree is uniform and H_r is a
/// P-matrix. 1 as well: passive with D + D^T singular, where B or D + D^T acts on every lambda.
struct ComplementarityIndex {
  Index index = -1;  ///< -1: not known
  std::string_view reason = "no class with a known index";
};
[[nodiscard]] ComplementarityIndex complementarity_index(const LinearComplementaritySystem& system);

/// What is known of the initial value problem, for every x(0).
struct WellPosedness {
  Verdict existence = Verdict::NotKnown;
  Verdict uniqueness = Verdict::NotKnown;         ///< of x
  Verdict unique_multiplier = Verdict::NotKnown;  ///< of lambda too
  Theorem theorem = Theorem::NotKnown;
  std::string_view solutions;     ///< in which class, and whether x may jump
  std::string_view why_not;       ///< where nothing is known
  Eigen::VectorXd initial_state;  ///< where existence or uniqueness fails: an x(0) for which it does
};
/// The first of these that applies:
/// 1. D is a P-matrix: x is continuously differentiable, for all time [cottle1992].
/// 2. Passive after a shift, (A - rho I, B, C, D) with some rho: x is absolutely continuous after a jump at most at
///    t = 0; it contains D = 0 with C B symmetric positive definite, Moreau's sweeping process [camlibel2014],
///    [brogliatothibault2010]. lambda is unique where (B; D + D^T) has full column rank [camlibel2002].
/// 3. One output (m = 1) with a first Markov parameter < 0, or none: no solution (or two) from some x(0).
/// 4. The leading row or the leading column coefficient matrix is a P-matrix: H(s) is one for all large real s, and the
///    rational complementarity problem has exactly one solution: x(0) has one initial solution, with impulses where
///    the relative degree asks for them; local in time [heemels1999], [heemels2000].
[[nodiscard]] WellPosedness examine_solutions(const LinearComplementaritySystem& system);

}  // namespace nonsmooth::analysis
