// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <nonsmooth/numerics/friction/automatic.hpp>

namespace nonsmooth::friction {

/// The automatic choice for hot loops, as the steps of a simulation: starts from result.r where it has the right size
/// and is finite (a warm start, projected on K), else from 0; options.start is not looked at. What it finds is, bit for
/// bit, what solve() finds from that start, whatever was solved before.
///
/// Keeps the memory of the call before: where the sweeps that come first solve the problem, one call allocates nothing
/// as long as the problem does not grow; nor where the tiers behind them do, the look for a proof of infeasibility, or
/// the refinement of what ends near a solution, each from its second call on, and a presolve that leaves contacts out
/// which stay open. Making a proof of what is nearly one allocates, and so do `hyperstaticity` and what is said of a W
/// that no tier got along with. Does not validate: K must be of sets that the family solves. Cost beside solve(): none.
class AutomaticWorkspace {
 public:
  AutomaticWorkspace();
  ~AutomaticWorkspace();
  AutomaticWorkspace(AutomaticWorkspace&&) noexcept;
  AutomaticWorkspace& operator=(AutomaticWorkspace&&) noexcept;

  void solve(const Problem& problem, const Automatic& options, Result& result);

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace nonsmooth::friction
