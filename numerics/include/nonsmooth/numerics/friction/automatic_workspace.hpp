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
/// as long as the problem does not grow; nor where ProximalNewton, alternating directions, an interior point, sweeps
/// along conjugate directions, GaussSeidelNewton or the search for planar modes solves it behind them, each from its
/// second call on, and a presolve that leaves contacts out which stay open. ProximalNewton's sparse factors allocate
/// (more than 96 rows that press, of which less than a third depend on each other), and so do patches
/// (GaussSeidelSchwarz) and SemismoothNewton, the look for a proof of infeasibility where the first tier behind the
/// sweeps of up to 200 rows fails, and the refinement of what ends near a solution. `hyperstaticity` allocates. Does
/// not validate: K must be of sets that the family solves. Cost beside solve(): none.
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
