// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include <nonsmooth/kernel/convex_set_data.hpp>
#include <nonsmooth/kernel/dynamical_system.hpp>

namespace nonsmooth {

/// How often G has to be differentiated in t along a motion until u shows: with A = df/dx, B = db/du, C = dG/dx,
/// D = dG/du at a point,
///
///     index 0: D definite,    1: D = 0, C B definite,    2: D = 0, C B = 0, C A B definite,
///
/// a matrix M being definite where x·M x > 0 for all x other than 0. Where K is a product of intervals a P-matrix (all
/// principal minors positive) will do, as the inequality of a step has one answer then: networks of queues.
struct DviIndex {
  int index = -1;          ///< 0, 1 or 2; -1: none of these
  bool symmetric = false;  ///< the definite matrix is: index 1 then has one solution x (index 0: always one)
  std::string reason{};    ///< a sentence: what was found
};

/// A differential variational inequality: x in R^n moved by a u(t) in R^m that a variational inequality gives,
///
///     x' = f(t, x) + b(t, x, u),     u in K(t),     G(t, x, u)·(v - u) >= 0  for all v in K(t),
///
/// b = B(t, x) u where B is given. K may be any closed convex set with a projection: u in SOL(K, G(t, x) + F(.)); a
/// cone makes it a differential complementarity problem K ∋ u ⟂ G in K*. A step of length h is
///
///     x+ = x + h (f(t, theta x+ + (1-theta) x) + b(t, x, u+)),     u+ in SOL(K(t+), G(t+, x+, .)),
///
/// a variational inequality in u+ alone, as x+ is a function of u+; with `linearised` (theta = 0)
///
///     G(t+, x, u) + dG/dx(t+, x, u_k) (x+ - x)  for G(t+, x+, u),
///
/// which is an affine one where b and G are affine in u. It is solved by vi::Automatic from u_k to `tolerance`, by its
/// certificate, or to the rounding of G's terms; the report of a step has the certificate of the worst of such systems
/// and of the one-step problem, and the numbers of rows of all. A step that is not solved ends SolverFailed with the
/// status, and, of an empty K(t), the proof; OnFailure::Subdivide halves it, Accept does not take it.
///
/// State::x is (x; u), n + m numbers: u is recorded, kept in checkpoints, and where the next step starts from. It is a
/// system of its own, without interactions, and not a relation with a law, because K need not be a product of the sets
/// that mixed::Problem knows (ProductSet). Where it is one, FirstOrderRelation{h = G, g = b} with ComplementarityLaw,
/// RelayLaw or, of a constant polyhedron, NormalConeLaw is the same (f then by EulerMoreau's theta), and stands beside
/// other interactions in one problem.
///
/// Order 1 in x. Index 0: x is C^1 and u is Lipschitz. Index 1: C B positive definite bounds u, whatever h; symmetric
/// as well: one x. Index 2 (contact): x may jump in time's limit; u+ h is then an impulse. Sources: Pang & Stewart 2008
/// [pangstewart2008]; Acary & Brogliato 2008, chapter 9 [acarybrogliato2008].
///
/// Cost of a step: some Newton steps of m unknowns, each with an LU of n rows where theta > 0; dense; it allocates. Of
/// a K without a Jacobian of its projection (a user's, an Intersection of more than 400 rows that is no
/// polyhedron) hundreds of projections, each up to some hundred cycles of Dykstra's, and of index 1 with small h many
/// more: up to minutes a step.
struct DifferentialVariationalInequality {
  std::function<void(double t, ConstVectorRef x, VectorRef value)> f{};  ///< n, comes in zeroed; none: zero
  std::function<void(double t, ConstVectorRef x, MatrixRef B)> B{};      ///< n x m, comes in zeroed; this or b
  std::function<void(double t, ConstVectorRef x, ConstVectorRef u, VectorRef value)> b{};  ///< n, comes in zeroed
  std::function<void(double t, ConstVectorRef x, ConstVectorRef u, VectorRef value)> G{};  ///< m, comes in zeroed
  ConvexSetData K{};                                                                       ///< m rows
  /// Jacobians, which come in zeroed; none: forward differences, half of the digits.
  std::function<void(double t, ConstVectorRef x, MatrixRef jacobian)> f_dx{};                    ///< n x n
  std::function<void(double t, ConstVectorRef x, ConstVectorRef u, MatrixRef jacobian)> G_dx{};  ///< m x n
  std::function<void(double t, ConstVectorRef x, ConstVectorRef u, MatrixRef jacobian)> G_du{};  ///< m x m
  ConstantVector x0{};                                                                           ///< n
  ConstantVector u0{};       ///< m: where the first step looks from; empty: zero
  double theta = 1.0;        ///< in [0, 1]
  bool linearised = false;   ///< with theta = 0
  double tolerance = 1e-10;  ///< of vi::Certificate, > 0
  /// The index at x0, u0 and t = 0 has to be 0, 1 or 2. False: each step's variational inequality is certified all the
  /// same, but it need not be the only answer, nor need answers converge.
  bool needs_index = true;
  std::string name{};
};

/// At t, x and u; Jacobians that are not given by differences. With an error of 1e-7 where one of a product is by
/// differences, else 1e-12, for rounding: what is below it times the largest of its terms counts as zero (of D by
/// differences terms are |G| + |C| max(1, |x|) over max(1, |u|); one that is given is compared with 0), as definite
/// what has, scaled by a diagonal to 1 on its own, a smallest eigenvalue of the symmetric part above it times the
/// largest entry, as a P-matrix what analysis::classify proves one whatever its entries are within 1e-7, or as they are
/// given.
/// @throws InvalidArgument: shapes, as make_system.
[[nodiscard]] DviIndex index_of(const DifferentialVariationalInequality& system, double t, ConstVectorRef x,
                                ConstVectorRef u);

/// @throws InvalidArgument: no state, non-finite entries, no G or K, both of B and b or neither, theta, tolerance,
/// linearised with theta > 0; at x0, u0 and t = 0: what a function throws, values that are not finite, a K of no rows;
/// with needs_index: no index, with what was found (D neither zero nor definite, say), and of index 2 theta = 0,
/// where u+ does not act on G.
[[nodiscard]] std::shared_ptr<const DynamicalSystem> make_system(DifferentialVariationalInequality system);

}  // namespace nonsmooth
