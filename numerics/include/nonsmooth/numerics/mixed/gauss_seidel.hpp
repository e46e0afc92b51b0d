// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <memory>

#include <nonsmooth/numerics/mixed/problem.hpp>
#include <nonsmooth/numerics/thread_pool.hpp>

namespace nonsmooth::mixed {

/// Block Gauss-Seidel with a local solve in every block, exact unless said otherwise:
///   Free: LU of W_ii. Orthant, Box, one row: closed form; several rows: the same, row by row.
///   Coulomb 2D: enumeration of take-off, stick, slip left and right, exact and unique for mu |W_NT| < W_NN.
///   Coulomb 3D, von Mises of 3 rows: with S = W_TT - W_TN W_NT / W_NN and slip u_T = -a r_T, sliding is one scalar
///   equation |r_T(a)| = mu r_N(a) (or = radius), solved by a few safeguarded Newton steps; W_ii of any symmetry.
///   Second-order and Drucker-Prager cones, von Mises of any size: apex and stick in closed form, flow by a semismooth
///   Newton method on the natural map with extragradient steps as its fallback; W_ii may be unsymmetric and singular.
/// A row set without a positive diagonal (an ideal switch, a redundant row), a singular Free block and a cone whose
/// W_ii is zero have no local solution: the status is then NumericalFailure with the row in Certificate::worst_row.
///
/// Converges for symmetric positive definite W without friction; with friction in practice for the well-conditioned
/// problems of granular flow, slowly or not at all for hyperstatic ones [jourdan1998]. Cost: one product with W a sweep
/// and a local solve a block: tens of flops for three rows, some n^3 a Newton step for n. The sliding equation is the
/// quartic of Bonnefon, Daviet 2011 [bonnefon2011] before it is squared.
struct GaussSeidel {
  /// What a visit does to a block of a cone, a cylinder or several bilateral rows; the other sets are always exact.
  enum class Local : unsigned char {
    Exact,       ///< the local solution
    Projection,  ///< one step r_i := P_K(r_i - û_i / |W_ii|_inf): cheaper a sweep, more sweeps
  };

  double tolerance = 1e-10;   ///< Certificate::residual <= tolerance; > 0
  Index max_sweeps = 10'000;  ///< one sweep visits each block once, in order; >= 1
  double relaxation = 1.0;    ///< r := P_K(r + relaxation (r_local - r)); in (0, 2); 1 keeps local solves exact
  /// Sweeps between two certificates at most, >= 1: a certificate costs as much as a sweep. The start is always
  /// checked, so that a warm start that is already a solution costs one; beyond that, a certificate is also computed as
  /// soon as the changes of a sweep, in the unit of u, make it plausible.
  Index check_every = 10;
  Local local = Local::Exact;
  double time_limit =
      std::numeric_limits<double>::infinity();  ///< [s], > 0; looked at after each sweep and local Newton step

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// Validates, starts from r = 0 and solves. @throws InvalidArgument.
[[nodiscard]] Result solve(const Problem& problem, const GaussSeidel& options);

/// For hot loops: starts from result.r where it has the right size (a warm start), else from 0. Keeps local factors'
/// memory between calls; allocates nothing while the problem does not grow. Does not validate. With `threads`, parts
/// that W does not couple are swept by themselves, several at once, each until it meets the tolerance on the scale of
/// the whole (at most 1000 times its own) or max_sweeps: the same bits for any number of threads.
class GaussSeidelWorkspace {
 public:
  GaussSeidelWorkspace();
  ~GaussSeidelWorkspace();
  GaussSeidelWorkspace(GaussSeidelWorkspace&&) noexcept;
  GaussSeidelWorkspace& operator=(GaussSeidelWorkspace&&) noexcept;

  void solve(const Problem& problem, const GaussSeidel& options, Result& result, ThreadPool* threads = nullptr);

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace nonsmooth::mixed
