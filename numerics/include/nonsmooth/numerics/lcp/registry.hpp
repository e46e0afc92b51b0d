// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nonsmooth/numerics/lcp/problem.hpp>

namespace nonsmooth::lcp {

/// An algorithm by name, its options chosen when it is made: one of the registry, or a callable of the user's. What a
/// callable returns is certified again: Solved stands only where the certificate allows it.
class Solver {
 public:
  using Dense = std::function<Result(const Problem&, double tolerance)>;
  using Sparse = std::function<Result(const SparseProblem&, double tolerance)>;

  /// @throws InvalidArgument for an empty name or neither callable. An empty callable: that storage is refused.
  Solver(std::string name, Dense dense, Sparse sparse = {});

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] bool dense() const noexcept { return static_cast<bool>(dense_); }
  [[nodiscard]] bool sparse() const noexcept { return static_cast<bool>(sparse_); }

  /// @throws InvalidArgument as Problem::validate, for tolerance <= 0, and where the storage is not supported.
  [[nodiscard]] Result solve(const Problem& problem, double tolerance = 1e-10) const;
  [[nodiscard]] Result solve(const SparseProblem& problem, double tolerance = 1e-10) const;

 private:
  std::string name_;
  Dense dense_;
  Sparse sparse_;
};

/// One line of the registry.
struct Entry {
  std::string_view name;         ///< as in Result::solver, e.g. "block principal pivoting"
  std::string_view description;  ///< one sentence: what it is good for
  Solver solver;                 ///< with default options
  Index max_rows = 0;            ///< larger problems are refused; 0: no bound
};

/// Every algorithm of the family, "automatic" first.
[[nodiscard]] const std::vector<Entry>& registry();

/// The entry of that name. @throws InvalidArgument listing the known names.
[[nodiscard]] const Entry& find(std::string_view name);

}  // namespace nonsmooth::lcp
