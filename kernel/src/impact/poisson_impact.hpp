// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <nonsmooth/numerics/mixed/problem.hpp>

#include "block_selection.hpp"

namespace nonsmooth::impacts {

/// Solves one problem of an impact.
class PhaseSolver {
 public:
  virtual ~PhaseSolver() = default;
  /// result: r, u, status and certificate of (W, q, K), whatever it was before.
  virtual void solve(const mixed::Problem& problem, mixed::Result& result) = 0;
};

/// Poisson's law on u = u- + W p, two problems one after the other (Glocker, Pfeiffer 1995 [glocker1995]):
///
///     u_c = u- + W p_c,   0 <= u_cN ⟂ p_cN >= 0,                Coulomb friction |p_cT| <= mu p_cN against u_cT,
///     u+  = u_c + W p_e,  0 <= u_N+ ⟂ p_eN - e p_cN >= 0,       Coulomb friction |p_eT| <= mu p_eN against u_T+,
///
/// p = p_c + p_e, without restitution of tangential impulses. Free blocks hold u = 0 in both. The part e p_cN of the
/// expansion is known, and its friction has a fixed bound: the disk of radius mu p_eN is the sum of those of e p_cN and
/// of the rest, so each such contact has a second set of tangential rows in the expansion, and the largest power of the
/// sum is the sum of the largest ones: a box in the plane, else a cone whose normal row has nothing to do with the
/// others and holds e p_cN, 0 <= W_NN (p - e p_cN) ⟂ p >= 0, so that contact in space is a problem of cones alone,
/// which more solvers take. Cost: two problems of this size; a contact with friction has one row (plane) or three more
/// in the second. Keeps its memory.
class PoissonImpact {
 public:
  /// W, q = u- and K: Free, Orthant, Coulomb2D and Coulomb3D blocks, without cohesion and not elliptic.
  mixed::Problem compression;
  std::vector<double> restitution;  ///< e in [0, 1] of each block; of Free ones not read

  /// Both phases; false where one is not solved, which `result` then says.
  bool solve(PhaseSolver& solver);
  /// p of what was solved last; where a phase failed, with what it came to.
  [[nodiscard]] const GrowingVector& impulses() const noexcept { return p_; }
  [[nodiscard]] const mixed::Result& result() const noexcept { return result_; }  ///< of the last phase

 private:
  void write_expansion();

  mixed::Problem expansion_;
  mixed::Result result_;
  BlockSelection rows_;  ///< of the expansion
  GrowingVector p_, given_, start_;
};

}  // namespace nonsmooth::impacts
