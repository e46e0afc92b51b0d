// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include <nonsmooth/numerics/mlcp/problem.hpp>

namespace nonsmooth::mlcp {

/// relay::Lemke on z = (u, v): u is kept as free unknowns, neither split nor eliminated beforehand; p != n is filled up
/// with zeros, and dependent equality rows are pivoted around.
///
/// A solution, or a ray that tells there is none, where the Schur complement of A is copositive-plus; the circuits of
/// ideal diodes and switches, whose A is often singular, are of that class up to a combination of the rows, which is
/// looked for. Cost: O((n + m)^2) a pivot, n + m to 3 (n + m) pivots.
/// Source: Cao, Ferris 1996 [cao1996].
struct Lemke {
  double tolerance = 1e-10;    ///< Certificate::residual <= tolerance; > 0. Pivoting is exact up to round-off.
  Index max_pivots = 0;        ///< >= 0; 0 takes 50 (n + m) + 1000
  Index refactor_every = 100;  ///< pivots between two dictionaries computed afresh, >= 1: round-off grows
  bool equilibrate = true;     ///< as in relay::Lemke
  double time_limit = std::numeric_limits<double>::infinity();  ///< [s], > 0; then Status::TimeLimit

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// @throws InvalidArgument as Problem::validate and Lemke::validate.
[[nodiscard]] Result solve(const Problem& problem, const Lemke& options);

}  // namespace nonsmooth::mlcp
