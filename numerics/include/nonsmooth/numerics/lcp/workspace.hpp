// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <nonsmooth/numerics/lcp/problem.hpp>

namespace nonsmooth::lcp {

/// The hot loop's door: the same algorithms, nothing allocated from the second call on while n does not grow.
///
/// A call first tries the complementary basis that solved the call before (z_a = -M_aa^-1 q_a, w_b >= 0): between the
/// time steps of a simulation that basis rarely changes, and its factors are kept while M stands. Where the guess
/// fails, Lemke (n up to 200) or block principal pivoting with its fallbacks is run. The answer is certified either way.
class Workspace {
 public:
  Workspace();
  ~Workspace();
  Workspace(Workspace&&) noexcept;
  Workspace& operator=(Workspace&&) noexcept;

  /// Solves into `result` (its vectors are resized once). `same_matrix` promises that M is that of the last call, bit
  /// for bit; factors are then reused. The problem is not validated.
  void solve(const View& problem, double tolerance, bool same_matrix, Result& result);

  /// Forgets the basis and factors: the next solve depends on its arguments alone.
  void reset() noexcept;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace nonsmooth::lcp
