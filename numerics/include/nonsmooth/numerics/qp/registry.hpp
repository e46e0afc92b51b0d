// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <nonsmooth/numerics/limits.hpp>
#include <nonsmooth/numerics/qp/problem.hpp>

namespace nonsmooth::qp {

/// An algorithm by name, its options chosen when it is made: one of the registry, or a callable of the user's. What a
/// callable returns is certified again: Solved stands only where the certificate allows it, Infeasible only with a
/// proof or a direction that holds. As NamedSolver, but for two storages, either of which may lack.
class Solver {
 public:
  using Dense = std::function<Result(const Problem&, const Limits&)>;
  using Sparse = std::function<Result(const SparseProblem&, const Limits&)>;

  /// @throws InvalidArgument for an empty name or neither callable. An empty callable: that storage is refused.
  Solver(std::string name, Dense dense, Sparse sparse = {});

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] bool dense() const noexcept { return static_cast<bool>(dense_); }
  [[nodiscard]] bool sparse() const noexcept { return static_cast<bool>(sparse_); }

  /// @throws InvalidArgument as Problem::validate and Limits::validate, and where the storage is not supported.
  [[nodiscard]] Result solve(const Problem& problem, const Limits& limits = {}) const;
  [[nodiscard]] Result solve(const SparseProblem& problem, const Limits& limits = {}) const;

 private:
  std::string name_;
  Dense dense_;
  Sparse sparse_;
};

/// One line of the registry.
struct Entry {
  std::string_view name;         ///< as in Result::solver, e.g. "dual active set"
  std::string_view description;  ///< one sentence: what it is good for
  Solver solver;                 ///< with default options
};

/// Every algorithm of the family, "automatic" first.
[[nodiscard]] const std::vector<Entry>& registry();

/// The entry of that name. @throws InvalidArgument listing the known names.
[[nodiscard]] const Entry& find(std::string_view name);

}  // namespace nonsmooth::qp
