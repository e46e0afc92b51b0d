// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nonsmooth/numerics/friction/problem.hpp>

namespace nonsmooth::friction {

/// Find v, r, u with
///
///     A v = f + H^T r,    u = H v + w,    and at each contact the law of K between u and r (as in the reduced form).
///
/// A: n x n, the mass or iteration matrix, nonsingular, of any symmetry; H: m x n, u = H v; f: n, impulse [N s];
/// w: m, velocity [m/s]; K: m rows in blocks. m = 0 (no contact) is a problem: A v = f. H may have dependent rows.
/// f and w keep their memory where they shrink (GrowingVector): write them by =, resize() and setZero(n).
struct GlobalProblem {
  Eigen::SparseMatrix<double> A, H;
  GrowingVector f, w;
  ProductSet K;

  /// @throws InvalidArgument: A not square or empty, sizes that do not match, an entry that is not finite, a set that
  /// the family does not solve.
  void validate() const;
};

/// What a global solve found; (v, r) is the best iterate whatever the status, u = H v + w recomputed. Rows at round-off
/// are those of u and those of the balance of momentum. A proof is that of mixed::Result for W = H A^-1 H^T.
///
/// certificate.residual = max(block errors / max(|q|_inf, floor), balance), with q = H A^-1 f + w where A falls into
/// blocks of at most 64 rows (rigid bodies), else H diag(A)^-1 f + w; rho of a block from the diagonal block of
/// H diag(A)^-1 H^T (a diagonal entry that is not positive counts as the largest of its column). worst_relative_row
/// counts the rows of u first, then those of the balance.
struct GlobalResult : Outcome {
  GrowingVector v, r, u;
  /// |A v - H^T r - f|_inf / max(|f|_inf, |H^T rho w|_inf, round-off) [-]: what of the momentum is lost, in impulses
  /// applied or needed to stop w.
  double balance = std::numeric_limits<double>::quiet_NaN();
  mixed::FrictionFigures figures;
  std::vector<Decision> decisions;

  [[nodiscard]] std::string message() const;
};

/// The reduced form W = H A^-1 H^T in the blocks of K, q = H A^-1 f + w; where A falls into blocks that the permutation
/// finds (bodies), each is factored alone and W is as sparse as contacts share bodies. W is exactly symmetric if A is.
/// @throws InvalidArgument as validate(), for m = 0, and for A singular to working precision.
[[nodiscard]] Problem to_reduced(const GlobalProblem& problem);
/// v = A^-1 (f + H^T r). @throws InvalidArgument as to_reduced, and for r of another size than w.
[[nodiscard]] Eigen::VectorXd velocities(const GlobalProblem& problem, ConstVectorRef r);
/// A global form of a reduced problem with symmetric positive semidefinite W: W = L L^T to round-off by a pivoted
/// factorization; A = 1, H = L, f = 0, w = q. Entries that differ from their mirror by up to 16 eps of the largest
/// entry of their island (products summed in another order) are replaced by the mean of both.
/// @throws InvalidArgument for W less symmetric than that or with a negative pivot.
[[nodiscard]] GlobalProblem to_global(const Problem& problem);

/// The certificate of (v, r): see GlobalResult. `u` receives H v + w, `balance` the momentum error. Where A is in small
/// blocks it costs their factors, else one walk over A and H.
/// @throws InvalidArgument as validate(), for vectors of other sizes, and for a small block of A that is singular.
[[nodiscard]] Certificate certify(const GlobalProblem& problem, ConstVectorRef v, ConstVectorRef r, VectorRef u,
                                  double& balance, double floor = -1.0);

}  // namespace nonsmooth::friction
