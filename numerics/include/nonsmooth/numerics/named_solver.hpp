// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include <nonsmooth/numerics/limits.hpp>

namespace nonsmooth {

/// An algorithm by name, its options chosen when it is made: one of a family's registry, or a callable of the user's.
/// What a callable returns is certified again: Solved stands only where the certificate allows it, Infeasible only with
/// a proof that holds. A callable gets a valid problem and valid limits, at which it is to stop. Those of the
/// registries end, where they stall near a solution, with Newton steps on the modes that they found (docs/solvers.md,
/// "To the last digits"); a user's is not touched.
///
/// Each family names its own: `using Solver = NamedSolver<Problem, Result>` in
/// nonsmooth/numerics/FAMILY/registry.hpp, which also says what solve() does beside that. The library is compiled for
/// these alone.
template <class Problem, class Result>
class NamedSolver {
 public:
  using Function = std::function<Result(const Problem&, const Limits&)>;

  /// @throws InvalidArgument for an empty name or an empty callable.
  NamedSolver(std::string name, Function function);

  [[nodiscard]] const std::string& name() const noexcept { return name_; }

  /// @throws InvalidArgument as Problem::validate and Limits::validate, for a problem that the algorithm does not take,
  /// where the callable returns vectors of another size than the problem's, and what the callable throws.
  [[nodiscard]] Result solve(const Problem& problem, const Limits& limits = {}) const;

 private:
  std::string name_;
  Function function_;
};

}  // namespace nonsmooth
