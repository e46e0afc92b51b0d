// SPDX-License-Identifier: Apache-2.0
// What Result::at_round_off owes a caller, of every family and every way to call it: it is true of each answer that
// misses its tolerance by no more than the rounding of its own terms, which the doors (registries, Automatic and its
// workspaces) call Solved, and false of all others. Answers are judged in quadruple precision.
#pragma once

#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <problems/complementarity.hpp>
#include <problems/law_distance.hpp>

namespace nonsmooth::contracts {

/// A tolerance that no double reaches but by luck, and one that all these well-conditioned problems reach.
constexpr double beyond = 1e-300, within_reach = 1e-6;
constexpr Index instances = 12;

/// The rounding of u and of the products that the judge sums exactly: 64 eps as the certificate sees it, twice.
[[nodiscard]] inline bool right_to_rounding(const problems::Worth& worth) {
  return problems::keeps_promise(worth, 0.0);
}

enum class Called : unsigned char { AtADoor, ByItself };

/// The promises about one result; true if it is told to be at round-off.
template <class Result>
bool expect_told(const Result& result, double tolerance, Called called, const problems::Worth& worth) {
  const std::string words = std::string(result.solver) + ", " + std::string(result.reason);
  const double residual = result.certificate.residual;
  if (result.ok() && !(residual <= tolerance)) {
    EXPECT_TRUE(result.at_round_off) << words;
  }
  if (result.at_round_off) {
    EXPECT_EQ(result.ok(), called == Called::AtADoor) << words;
    EXPECT_LE(result.certificate.row_residual, 64.0 * std::numeric_limits<double>::epsilon()) << words;
    EXPECT_TRUE(right_to_rounding(worth)) << words << ": " << worth.rows << ", " << worth.growth;
  }
  return result.at_round_off;
}

template <class Result>
void expect_not_told(const Result& result) {
  EXPECT_TRUE(result.ok()) << result.solver << ", " << result.reason;
  EXPECT_FALSE(result.at_round_off) << result.solver << ", " << result.reason;
}

template <class Result>
void expect_words(const Result& result) {
  EXPECT_EQ(result.at_round_off, result.message().find("at round-off") != std::string::npos) << result.message();
}

/// Positive definite M of 2 to 6 rows, a solution planted.
inline problems::Boxed definite(Index k, bool lcp) {
  std::mt19937_64 random(static_cast<std::uint64_t>(100 + k));
  return problems::random_boxed(problems::MatrixClass::PositiveDefinite, {.n = 2 + k % 5}, lcp, random);
}

/// An algorithm called by itself; `judge` weighs its result.
template <class Algorithm, class Problem, class Judge>
bool told_by_itself(const Problem& problem, Algorithm algorithm, const Judge& judge) {
  algorithm.tolerance = within_reach;
  expect_not_told(solve(problem, algorithm));
  algorithm.tolerance = beyond;
  const auto result = solve(problem, algorithm);
  expect_words(result);
  return expect_told(result, beyond, Called::ByItself, judge(result));
}

/// Each of them on every instance; each has to tell it at least once.
template <class... Algorithms, class Draw>
void expect_each_tells(const Draw& draw) {
  const auto one = [&]<class Algorithm>(const Algorithm& algorithm) {
    int told = 0;
    for (Index k = 0; k < instances; ++k)
      draw(k, [&](const auto& problem, const auto& judge) { told += told_by_itself(problem, algorithm, judge); });
    return told;
  };
  const std::vector<int> told{one(Algorithms{})...};
  for (std::size_t i = 0; i < told.size(); ++i) EXPECT_GT(told[i], 0) << "algorithm " << i;
}

}  // namespace nonsmooth::contracts
