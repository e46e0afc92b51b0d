// SPDX-License-Identifier: Apache-2.0
// What the contracts of all families share: suites by the class of problems an algorithm is for, and the promises that
// do not depend on the problem. Suites are instantiated by name:
//
//     INSTANTIATE_TEST_SUITE_P(Registry, LcpContract, ValuesIn(every(lcp::registry())), test_name);
//     INSTANTIATE_TEST_SUITE_P(Registry, LcpMonotone, ValuesIn(only(lcp::registry(), {"lemke"})), test_name);
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/limits.hpp>
#include <nonsmooth/numerics/status.hpp>

namespace nonsmooth::contracts {

constexpr double tolerance = 1e-10;

/// Long double arithmetic judges residuals that were certified in double: the rounding of w is allowed as much again.
constexpr double independent_tolerance = 2.0 * tolerance;

using Names = std::initializer_list<std::string_view>;

/// The names of the registry but for some. An unknown one throws, so that a renamed algorithm leaves no suite silently.
template <class Entry>
[[nodiscard]] std::vector<std::string> every(const std::vector<Entry>& registry, Names exceptions = {}) {
  std::vector<std::string> names;
  for (const Entry& entry : registry) names.emplace_back(entry.name);
  for (const std::string_view name : exceptions) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) throw InvalidArgument("every: exceptions", std::string(name), "a name of the registry");
    names.erase(found);
  }
  return names;
}

/// These names, which the registry must have.
template <class Entry>
[[nodiscard]] std::vector<std::string> only(const std::vector<Entry>& registry, Names names) {
  static_cast<void>(every(registry, names));
  return {names.begin(), names.end()};
}

inline std::string test_name(const testing::TestParamInfo<std::string>& parameter) {
  std::string name = parameter.param;
  for (char& c : name) {
    if (c == ' ' || c == '-') c = '_';
  }
  return name;
}

/// What every result promises: a status, words for it, and claims that hold. `residual` and `proven` judge a solution
/// and a proof by arithmetic of their own.
template <class Result>
void expect_honest(const Result& result, const std::function<double()>& residual, const std::function<bool()>& proven) {
  if (result.status == Status::Solved) {
    EXPECT_LE(residual(), independent_tolerance) << result.message();
  }
  if (result.status == Status::Infeasible) {
    EXPECT_TRUE(proven()) << result.message();
  }
  EXPECT_NE(result.status, Status::NotRun);
  EXPECT_FALSE(result.message().empty());
}

/// `solve` ends with the limit's status where the time is over before it starts, and after one iteration, on a problem
/// that everyone solves and no one in the first step.
template <class Solve>
void expect_limits_honoured(const Solve& solve) {
  ASSERT_TRUE(solve(Limits{}).ok());
  const auto late = solve(Limits{.time_limit = 1e-9});
  EXPECT_EQ(late.status, Status::TimeLimit) << late.message();
  const auto early = solve(Limits{.max_iterations = 1});
  EXPECT_EQ(early.status, Status::IterationLimit) << early.message();
  EXPECT_LE(early.iterations, 1);
}

/// The call throws InvalidArgument naming the argument.
template <class Call>
void expect_refused(const Call& call, std::string_view argument) {
  try {
    static_cast<void>(call());
    ADD_FAILURE() << "not refused: " << argument;
  } catch (const InvalidArgument& error) {
    EXPECT_EQ(error.argument(), argument) << error.what();
  }
}

template <class Result>
void expect_born_not_run() {
  const Result result;
  EXPECT_EQ(result.status, Status::NotRun);
  EXPECT_TRUE(std::isnan(result.certificate.residual));
  EXPECT_FALSE(result.ok());
}

/// "automatic" leads, every name is found, no other.
template <class Entry, class Find>
void expect_names_found(const std::vector<Entry>& registry, const Find& find) {
  EXPECT_EQ(registry.front().name, "automatic");
  for (const Entry& entry : registry) EXPECT_EQ(&find(entry.name), &entry);
  EXPECT_THROW(static_cast<void>(find("nobody")), InvalidArgument);
}

/// Whatever a callable claims of `problem`, which z = 0 does not solve and which is feasible, is checked; and there
/// must be something to call, with a name. `zeros` is a Result whose vectors are 0.
template <class Solver, class Problem, class Result>
void expect_claims_checked(const Problem& problem, const Result& zeros, Index proof_rows) {
  const auto claiming = [&](Status status) {
    Result result = zeros;
    result.status = status;
    if (status == Status::Infeasible) result.proof = Eigen::VectorXd::Ones(proof_rows);
    return Solver("liar", [result](const Problem&, const Limits&) { return result; });
  };
  EXPECT_EQ(claiming(Status::Solved).solve(problem).status, Status::Stalled);
  EXPECT_EQ(claiming(Status::Infeasible).solve(problem).status, Status::Stalled);
  EXPECT_THROW(Solver("", [&](const Problem&, const Limits&) { return zeros; }), InvalidArgument);
  EXPECT_THROW(Solver("none", {}), InvalidArgument);
}

}  // namespace nonsmooth::contracts
