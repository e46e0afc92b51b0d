// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <nonsmooth/numerics/lcp/problem.hpp>
#include <nonsmooth/numerics/limits.hpp>

namespace nonsmooth::lcp {

/// The hot loop's door: the same algorithms, nothing allocated from the third call on while n does not grow.
///
/// A call first tries the complementary basis of the z that comes in, a = {i : z_i > 0} (z_a = -M_aa^-1 q_a, w_b >= 0):
/// between the time steps of a simulation that basis rarely changes, and its factors are kept while M stands (up to 8
/// bases). Where the guess fails, the algorithms of lcp::Automatic follow in its order. The answer is certified either
/// way.
///
/// Same bits: the result depends on the arguments alone (the z that comes in among them), never on earlier calls.
class Workspace {
 public:
  Workspace();
  ~Workspace();
  Workspace(Workspace&&) noexcept;
  Workspace& operator=(Workspace&&) noexcept;

  /// Solves into `result`, starting from result.z where it has n entries, else from zero. `same_matrix` promises that M
  /// is that of the last call, bit for bit; factors are then reused. The problem is not validated.
  void solve(const View& problem, double tolerance, bool same_matrix, Result& result);
  /// The same within limits, which are not validated; max_iterations is each algorithm's.
  void solve(const View& problem, const Limits& limits, bool same_matrix, Result& result);

  /// Frees nothing, but forgets every factor kept.
  void reset() noexcept;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace nonsmooth::lcp
