// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <internal/deadline.hpp>
#include <nonsmooth/numerics/friction/automatic.hpp>
#include <nonsmooth/numerics/friction/gauss_seidel.hpp>
#include <nonsmooth/numerics/mixed/workspace.hpp>

#include "friction/reduced/admm_workspace.hpp"
#include "friction/reduced/gauss_seidel_newton_workspace.hpp"
#include "friction/reduced/gauss_seidel_schwarz_workspace.hpp"
#include "friction/reduced/interior_point_workspace.hpp"
#include "friction/reduced/presolve.hpp"
#include "friction/reduced/proximal_newton_workspace.hpp"
#include "friction/reduced/semismooth_newton_workspace.hpp"
#include "kept_memory.hpp"
#include "mixed/block_sweeps.hpp"
#include "mixed/islands.hpp"
#include "portfolio.hpp"

namespace nonsmooth::mixed::internal {

class SmallByItself;
struct ProofMemory;
struct RefinementMemory;

}  // namespace nonsmooth::mixed::internal

namespace nonsmooth::friction::internal {

/// True where most contacts roll: they have no closed form, and their local iteration costs as much as a hundred plain
/// contacts.
[[nodiscard]] inline bool has_costly_sweeps(const ProductSet& K) noexcept {
  return 2 * K.count(SetKind::Rolling) > K.num_blocks();
}

/// What the tiers of one problem keep from call to call, to allocate nothing; so does the look for a proof.
struct TierMemory {
  mixed::internal::BlockSweeps sweeps;
  mixed::Result trial;
  GrowingVector start;
  DependentRows dependent;
  ProximalNewtonWorkspace newton;
  AdmmWorkspace alternating;
  InteriorPointWorkspace interior;
  GaussSeidelNewtonWorkspace swept_newton;
  GaussSeidelSchwarzWorkspace patches;
  SemismoothNewtonWorkspace semismooth;
  GaussSeidelWorkspace directed;
  KeptMemory<mixed::internal::SmallByItself> modes;
  KeptMemory<mixed::internal::ProofMemory> proofs;
  GrowingVector zero;
  Result attempt;

  /// For small problems like this one, where none before was as large.
  void reserve(const Problem& problem);
};

/// The tiers of friction::Automatic on one problem, from result.r, each from the best r of those before it. Every
/// answer that counts is certified anew from its r.
class Tiers {
 public:
  Tiers(const Problem& problem, const Automatic& options, const detail::Deadline& deadline, TierMemory& memory,
        Result& result);

  /// Takes result.r for the best there is: at first, and where something else has changed it.
  void look();
  /// Plain sweeps. True if that ends the solve.
  bool sweep();
  /// The others, from the r looked at or swept. `modes_tried`: planar modes need not be looked for.
  void run(bool modes_tried = false);

 private:
  [[nodiscard]] bool keep(double residual);  // trial, of that measure, where it is better; true where it is good enough
  [[nodiscard]] bool accept(std::string_view reason);  // Solved, where no rounding hides that it is not
  [[nodiscard]] bool prove();                          // Infeasible, where a proof is found
  [[nodiscard]] bool prove_on_rows();                  // the same, the first time, of small problems: it costs little
  [[nodiscard]] bool find_modes();                     // of small planar problems; true if that ends the solve
  /// Along conjugate directions, on when that comes near. True if that ends the solve.
  [[nodiscard]] bool sweep_granular();
  void end(Status status, std::string_view reason);
  void log(std::string_view tier, Index iterations, std::string_view reason);
  /// One tier from the best r, at most `count` of what it counts (0: its default). True if that ends the solve.
  template <class Options>
  [[nodiscard]] bool attempt(Options options, Index Options::*limit, Index count) {
    return attempt_from(result_.r, std::move(options), limit, count);
  }
  /// The same from another r.
  template <class Options>
  [[nodiscard]] bool attempt_from(ConstVectorRef start, Options options, Index Options::*limit, Index count);
  void solve(const ProximalNewton& options, ConstVectorRef start, Result& found);
  void solve(const Admm& options, ConstVectorRef start, Result& found);
  void solve(const InteriorPoint& options, ConstVectorRef start, Result& found);
  void solve(const GaussSeidelNewton& options, ConstVectorRef start, Result& found);
  void solve(const GaussSeidelSchwarz& options, ConstVectorRef start, Result& found);
  void solve(const SemismoothNewton& options, ConstVectorRef start, Result& found);
  void solve(const GaussSeidel& options, ConstVectorRef start, Result& found);

  const Problem& problem_;
  const Automatic& options_;
  const detail::Deadline& deadline_;
  Result& result_;
  detail::Portfolio<Result> portfolio_;
  TierMemory& memory_;
  mixed::internal::BlockSweeps& sweeps_;
  mixed::Result& trial_;
  GrowingVector& start_;
  double best_ = 0.0;
  int at_round_off_ = 0;  // tiers that ended there
  bool limited_ = false;  // max_iterations ended a tier
  bool rows_tried_ = false;
};

/// Of problems that the first sweeps do not solve: their islands, and the memory to solve one after the other.
struct IslandMemory {
  mixed::internal::Islands islands;
  std::vector<Index> sizes;
  TierMemory tiers;
  GrowingVector start;
  Problem part;
  Result result;
};

struct OpenMemory;

struct AutomaticMemory {
  TierMemory whole;
  std::optional<IslandMemory> islands;
  KeptMemory<OpenMemory> open;
  KeptMemory<mixed::internal::RefinementMemory> refinement;
};

/// Of problems with many contacts that nothing closes: the rest of the problem, and the memory to solve it.
struct OpenMemory {
  OpenBlocks blocks;
  Problem part;
  Result partial;
  mixed::Result found;
  AutomaticMemory rest;
};

/// What solve_contacts() keeps from call to call.
struct ContactMemory {
  TierMemory tiers;
  Result result;
};

/// The automatic choice on canonical sets, from result.r, which has the right size; nothing is validated, and the
/// field's figures are left to the caller. Allocates nothing where the problem does not grow, each
/// tier from its second call on, but as ProofMemory says, and in what is said of a W that no tier got along with.
void solve_canonical(const Problem& problem, const Automatic& options, AutomaticMemory& memory, Result& result);

/// True for Coulomb and rolling blocks, alone or among orthants and free blocks: frictional contact and nothing else.
[[nodiscard]] bool are_contacts(const ProductSet& K) noexcept;

/// The tiers on such an island of a mixed problem, from result.r, which has the right size; canonical sets.
/// `modes_tried`: active sets and pivoting have failed. Allocates nothing where the sweeps solve it and the problem
/// does not grow, nor where ProximalNewton behind them does, or alternating directions or an interior point where most
/// contacts roll, as the first, up to ProximalNewtonWorkspace::most_rows rows; nor where other tiers do, each
/// from its second call on. Result::solver is a name of the mixed registry for the sweeps, else of friction's.
void solve_contacts(const Problem& problem, const mixed::Automatic& options, const detail::Deadline& deadline,
                    bool modes_tried, ContactMemory& memory, mixed::Result& result);

}  // namespace nonsmooth::friction::internal
