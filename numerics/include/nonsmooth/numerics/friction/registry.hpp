// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <nonsmooth/numerics/friction/problem.hpp>
#include <nonsmooth/numerics/limits.hpp>

namespace nonsmooth::friction {

/// An algorithm by name, its options chosen when it is made: one of the registry, or a callable of the user's. What a
/// callable returns is certified again: Solved stands only where the certificate allows it. A callable gets validated
/// limits to stop at.
class Solver {
 public:
  using Function = std::function<Result(const Problem&, const Limits&)>;

  /// @throws InvalidArgument for an empty name or an empty callable.
  Solver(std::string name, Function function);

  [[nodiscard]] const std::string& name() const noexcept { return name_; }

  /// @throws InvalidArgument as Problem::validate and Limits::validate, for a set that the algorithm does not solve,
  /// and where a user's callable returns an r of another size.
  [[nodiscard]] Result solve(const Problem& problem, const Limits& limits = {}) const;

 private:
  std::string name_;
  Function function_;
};

/// One line of the registry.
struct Entry {
  std::string_view name;         ///< as in Result::solver, e.g. "gauss-seidel"
  std::string_view description;  ///< one sentence: what it is good for
  Solver solver;                 ///< with default options
  /// True if the algorithm takes products of these sets; if not, solve() throws InvalidArgument.
  bool (*supports)(const ProductSet&);
};

/// Every algorithm of the family for the reduced form, "automatic" first.
[[nodiscard]] const std::vector<Entry>& registry();

/// The entry of that name. @throws InvalidArgument listing the known names.
[[nodiscard]] const Entry& find(std::string_view name);

}  // namespace nonsmooth::friction
