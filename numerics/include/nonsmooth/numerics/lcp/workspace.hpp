// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <nonsmooth/numerics/lcp/problem.hpp>
#include <nonsmooth/numerics/limits.hpp>

namespace nonsmooth::lcp {

/// The hot loop's door: dense problems one after the other, without allocation from the third call on while n does not
/// grow (the algorithms from step 5 on below excepted).
///
///  1. q >= 0 and one row by formula.
///  2. The complementary basis of the z that comes in, a = {i : z_i > 0}: z_a = -M_aa^-1 q_a, where w_b >= 0. Between
///     the time steps of a simulation it rarely changes. Its factors, and those of the bases before it, are kept while
///     M stands: of large problems fewer, as their factors are big.
///  3. Bimatrix games by Lemke and Howson's algorithm.
///  4. Block principal pivoting, from that basis or from the one that a few projected sweeps find; but for large
///     problems Lemke.
///  5. Of a few rows every basis; then the remaining algorithms of lcp::Automatic in its order.
///
/// Every answer is certified.
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
