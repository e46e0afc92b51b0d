// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <internal/deadline.hpp>
#include <internal/decompositions.hpp>
#include <nonsmooth/numerics/mixed/problem.hpp>

#include "mixed/local.hpp"
#include "mixed/local_contact.hpp"
#include "mixed/local_newton.hpp"

namespace nonsmooth::friction::internal {

namespace local = nonsmooth::mixed::local;

/// Visits to blocks of any set and size, for problems that are not contacts of one size alone. Where a block has no
/// local solution (a zero diagonal, W_ii = 0) a visit is a projected step, r_i := P_K(r_i - rho û_i); a singular
/// bilateral block takes the least-norm correction. Keeps its memory.
class SweepsBlocks {
 public:
  /// The problem must stay alive and unchanged.
  void prepare(const mixed::Problem& problem);

  /// Solves block i in r (the whole vector). Returns |W_ii (r_new - r_old)|_inf or an estimate. Visits to blocks that
  /// look at none of each other's reactions may run at once.
  [[nodiscard]] double visit(Index block, double relaxation, const detail::Deadline& deadline, double* r);

 private:
  enum class Method : unsigned char { Rows, Factors, PseudoInverse, Planar, Spatial, Newton, Projection };
  struct Local {
    Method method = Method::Rows;
    std::size_t position = 0;  // in the pool of its method
    double scale = 1.0;        // a velocity for a reaction: the mean diagonal entry of W_ii, or 1 / rho of a projection
  };

  [[nodiscard]] Local prepare_block(Index block);
  [[nodiscard]] Local prepare_free(const double* W, Index n);
  [[nodiscard]] double solve_rows(Index block, double relaxation, const double* b, double* r) const;
  [[nodiscard]] double solve_free(const Local& local, Index block, double relaxation, double* b, double* step,
                                  double* r) const;

  const mixed::Problem* problem_ = nullptr;
  std::vector<Local> locals_;
  std::vector<double> inverse_;  // by row, of row-wise sets: 1 / W_kk, or rho where that is not positive
  std::vector<double> scratch_;  // by row, twice: what a visit writes beside r
  std::vector<local::Coulomb2D> planar_;
  std::vector<local::Radial3D> spatial_;
  std::vector<local::BlockNewton> newton_;
  std::vector<LuFactors> factors_;
  std::vector<Eigen::MatrixXd> pseudo_inverses_;
  std::size_t num_planar_ = 0, num_spatial_ = 0, num_newton_ = 0, num_factors_ = 0, num_pseudo_inverses_ = 0;
};

}  // namespace nonsmooth::friction::internal
