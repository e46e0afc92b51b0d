// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include <nonsmooth/numerics/limits.hpp>

namespace nonsmooth {

/// As NamedSolver, of a family whose matrices are dense or sparse: an algorithm by name with a callable for each
/// storage, either of which may lack. What a callable returns is certified again in the same way.
/// `using Solver = TwoStorageSolver<Problem, SparseProblem, Result>` in nonsmooth/numerics/FAMILY/registry.hpp.
template <class Problem, class SparseProblem, class Result>
class TwoStorageSolver {
 public:
  using Dense = std::function<Result(const Problem&, const Limits&)>;
  using Sparse = std::function<Result(const SparseProblem&, const Limits&)>;

  /// @throws InvalidArgument for an empty name or neither callable. An empty callable: that storage is refused.
  TwoStorageSolver(std::string name, Dense dense, Sparse sparse = {});

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] bool dense() const noexcept { return static_cast<bool>(dense_); }
  [[nodiscard]] bool sparse() const noexcept { return static_cast<bool>(sparse_); }

  /// @throws InvalidArgument as Problem::validate and Limits::validate, where the storage is refused, for a problem
  /// that the algorithm does not take, for vectors of another size than the problem's, and what the callable throws.
  [[nodiscard]] Result solve(const Problem& problem, const Limits& limits = {}) const;
  [[nodiscard]] Result solve(const SparseProblem& problem, const Limits& limits = {}) const;

 private:
  std::string name_;
  Dense dense_;
  Sparse sparse_;
};

}  // namespace nonsmooth
