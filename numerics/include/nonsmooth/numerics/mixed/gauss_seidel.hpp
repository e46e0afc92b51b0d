// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <nonsmooth/numerics/mixed/problem.hpp>

namespace nonsmooth::mixed {

/// Block Gauss-Seidel with an exact local solve in every block (Free: LU of W_ii; Orthant and Box of one row: closed
/// form; of several rows: the same, row by row; Coulomb 2D: enumeration of take-off, stick, slip left and right, which
/// for mu |W_NT| < W_NN is exact and unique). A block without a positive diagonal (an ideal switch, a redundant row)
/// has no local solution: the status is then NumericalFailure with the block's row in Certificate::worst_row. Coulomb
/// 3D and second-order cones of several rows are refused by solve(), and end NumericalFailure in the workspace.
///
/// Converges for symmetric positive definite W without friction; with friction in practice for the well-conditioned
/// problems of granular flow, slowly or not at all for hyperstatic ones [jourdan1998]. Cost: one product with W a
/// sweep.
struct GaussSeidel {
  double tolerance = 1e-10;   ///< Certificate::residual <= tolerance; > 0
  Index max_sweeps = 10'000;  ///< one sweep visits each block once, in order; >= 1
  double relaxation = 1.0;    ///< r := P_K(r + relaxation (r_local - r)); in (0, 2); 1 keeps local solves exact
  /// Sweeps between two certificates at most, >= 1: a certificate costs as much as a sweep. The start is always
  /// checked, so that a warm start that is already a solution costs one; beyond that, a certificate is also computed as
  /// soon as the changes of a sweep, in the unit of u, make it plausible.
  Index check_every = 10;

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// Validates, starts from r = 0 and solves. @throws InvalidArgument, also for a set it has no local solve for.
[[nodiscard]] Result solve(const Problem& problem, const GaussSeidel& options);

/// For hot loops: starts from result.r where it has the right size (a warm start), else from 0. Keeps local factors'
/// memory between calls; allocates nothing while the problem does not grow. Does not validate.
class GaussSeidelWorkspace {
 public:
  GaussSeidelWorkspace();
  ~GaussSeidelWorkspace();
  GaussSeidelWorkspace(GaussSeidelWorkspace&&) noexcept;
  GaussSeidelWorkspace& operator=(GaussSeidelWorkspace&&) noexcept;

  void solve(const Problem& problem, const GaussSeidel& options, Result& result);

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace nonsmooth::mixed
