// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include <internal/deadline.hpp>
#include <nonsmooth/numerics/lcp/workspace.hpp>
#include <nonsmooth/numerics/limits.hpp>
#include <nonsmooth/numerics/mixed/gauss_seidel.hpp>
#include <nonsmooth/numerics/mixed/workspace.hpp>

#include "friction_tiers.hpp"
#include "mixed/active_set.hpp"
#include "mixed/equivalent_lcp.hpp"
#include "mixed/internal.hpp"

namespace nonsmooth::mixed::internal {

using friction::internal::ContactMemory;

inline constexpr std::string_view automatic_name = "automatic";  ///< Result::solver where no single one answered

/// What mixed/workspace.hpp says of up to dense_limit rows of Free, Orthant, Box and Coulomb 2D blocks: active sets,
/// pivoting, sweeps around them. Keeps its memory and, with `same_matrix`, its factors.
class SmallProblem {
 public:
  /// From result.r where it has the right size. Where pivoting fails on a problem of friction, its tiers with
  /// `contacts` as their memory have the last word; nullptr: the sweeps that are left.
  void solve(const Problem& problem, const Automatic& options, const detail::Deadline& deadline, bool same_matrix,
             GaussSeidelWorkspace& gauss_seidel, ContactMemory* contacts, Result& result);
  void forget() noexcept { dense_rows_ = 0; }

 private:
  struct Task;

  bool solve_orthants(const Problem& problem, ConstMatrixRef W, const Limits& limits, bool same_matrix, Result& result);
  bool take_newton_steps(const Problem& problem, const Buffer::Matrix& W, const Automatic& options, Result& result);
  bool sweep_before_pivoting(Task& task);
  bool pivot(Task& task);
  void finish(Task& task, bool planar, ContactMemory* contacts);

  ActiveSet active_set_;
  EquivalentLcp equivalent_lcp_;
  lcp::Workspace lcp_;  // all orthants
  lcp::Result solution_;
  Buffer dense_, start_, best_;
  Index dense_rows_ = 0;       // of the W held in `dense_`; 0: none
  bool lcp_laid_out_ = false;  // the equivalent LCP belongs to the W held in `dense_`
};

/// A small problem from 0 by active sets, pivoting and sweeps alone, confirmed; not validated. Keeps its memory.
class SmallByItself {
 public:
  [[nodiscard]] const Result& solve(const Problem& problem, const Automatic& options);

 private:
  SmallProblem small_;
  GaussSeidelWorkspace sweeps_;
  Result result_;
};

/// Sweeps before pivoting cost about as much as a few pivots.
constexpr Index sweeps_before_pivoting = 200;

/// The most sweeps that the options allow.
[[nodiscard]] inline Index max_sweeps(const Automatic& options) noexcept {
  return options.max_iterations > 0 ? options.max_iterations : options.max_sweeps;
}

/// Gauss-Seidel from result.r, with the iterations of what came before added.
void sweep(const Problem& problem, double tolerance, Index max_sweeps, const detail::Deadline& deadline,
           GaussSeidelWorkspace& gauss_seidel, Result& result);

/// Infeasible is Stalled where the proof does not stand: eliminations and pivots round.
void check_proof(const Problem& problem, Result& result);

/// Solved is confirmed (see confirm), and so is the proof of Infeasible.
inline void vouch(const Problem& problem, double tolerance, Result& result) {
  confirm(problem, tolerance, result);
  if (result.status == Status::Infeasible) [[unlikely]]
    check_proof(problem, result);
}

}  // namespace nonsmooth::mixed::internal
