// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <internal/deadline.hpp>
#include <internal/decompositions.hpp>
#include <nonsmooth/numerics/mixed/gauss_seidel.hpp>

#include "local.hpp"
#include "local_contact.hpp"
#include "local_newton.hpp"

namespace nonsmooth::mixed::internal {

/// The local solves of a problem, laid once, and the sweeps that use them. Homogeneous problems have loops of their
/// own; in mixed ones each block's solve is a branch. Keeps its memory.
class BlockSweeps {
 public:
  /// Returns the first row of the first block without a local solution, or -1.
  [[nodiscard]] Index prepare(const Problem& problem, GaussSeidel::Local local);

  /// One sweep. Returns the largest |W_ii (r_new - r_old)|, a velocity that predicts the certificate's error.
  /// Past the deadline the iterative local solves end at their best iterate.
  [[nodiscard]] double sweep(const Problem& problem, double relaxation, const detail::Deadline& deadline, double* r);

 private:
  enum class Kernel : unsigned char { Rows, Coulomb2D, Coulomb3D, Blocks };
  /// What solves a block of a mixed problem; Local::position says where its factors lie.
  enum class Method : unsigned char { Rows, Factors, Planar, Radial, Newton, Projection };
  struct Local {
    Method method = Method::Rows;
    Index position = 0;
    double scale = 0.0;  // a velocity for a reaction: the mean diagonal entry, or the norm, of W_ii
  };

  Index prepare_rows(const Problem& problem);
  Index prepare_planar(const Problem& problem);
  Index prepare_radial(const Problem& problem);
  Index prepare_blocks(const Problem& problem, GaussSeidel::Local local);
  [[nodiscard]] bool prepare_block(const BlockSet& set, const double* W, Index n, bool projection, Local& local);
  [[nodiscard]] bool factorize_free(const double* W, Index n, Local& local);
  [[nodiscard]] double sweep_rows(const Problem& problem, double relaxation, double* r) const;
  [[nodiscard]] double sweep_planar(const Problem& problem, double relaxation, double* r) const;
  [[nodiscard]] double sweep_radial(const Problem& problem, double relaxation, const detail::Deadline& deadline,
                                    double* r);
  [[nodiscard]] double sweep_blocks(const Problem& problem, double relaxation, const detail::Deadline& deadline,
                                    double* r);
  void solve_radial(const Problem& problem, Index block, local::Radial3D& contact, const double* b,
                    const detail::Deadline& deadline, double* r);
  double solve_block(const Problem& problem, Index block, double relaxation, const detail::Deadline& deadline,
                     double* b, double* r);
  double solve_row_sets(const Problem& problem, Index block, double relaxation, const double* b, double* r) const;

  Kernel kernel_ = Kernel::Blocks;
  std::vector<double> inverse_, lower_, upper_;  // a row of Free, Orthant, Box blocks: 1 / W_kk and bounds
  std::vector<local::Coulomb2D> planar_;
  std::vector<local::Radial3D> radial_;
  std::vector<local::BlockNewton> newton_;
  std::vector<LuFactors> factors_;
  std::vector<Local> locals_;
  std::size_t num_planar_ = 0, num_radial_ = 0, num_newton_ = 0, num_factors_ = 0;
  local::BlockNewton rescue_;  // of a contact whose scalar equation has no root
  std::vector<double> scratch_;
};

}  // namespace nonsmooth::mixed::internal
