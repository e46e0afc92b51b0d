// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nonsmooth/numerics/mlcp/problem.hpp>
#include <nonsmooth/numerics/relay/lemke.hpp>

namespace nonsmooth::mlcp {

/// relay::Lemke on z = (u, v): u is kept as free unknowns, neither split nor eliminated beforehand; p != n is filled up
/// with zeros, and dependent equality rows are pivoted around.
///
/// A solution, or a ray that tells there is none, where the Schur complement of A is copositive-plus; the circuits of
/// ideal diodes and switches, whose A is often singular, are of that class up to a combination of the rows, which is
/// looked for. Cost: O((n + m)^2) a pivot, n + m to 3 (n + m) pivots.
/// Source: Cao, Ferris 1996 [cao1996].
using Lemke = relay::Lemke;

/// @throws InvalidArgument as Problem::validate and Lemke::validate.
[[nodiscard]] Result solve(const Problem& problem, const Lemke& options);
[[nodiscard]] Result solve(const SparseProblem& problem, const Lemke& options);

}  // namespace nonsmooth::mlcp
