// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <nonsmooth/kernel/convex_set_data.hpp>
#include <nonsmooth/numerics/vi/problem.hpp>

#include "process_with_law.hpp"

/// What processes with a law of their own ask of convex sets and variational inequalities.
namespace nonsmooth::processes {

/// The set at t; `what`, as "K(t)", names it. Throws CallableFailure: what the function throws, another number of rows.
[[nodiscard]] vi::ConvexSet set_at(const std::string& who, const char* what, const ConvexSetData& data, double t,
                                   Index rows);
/// @throws InvalidArgument as set_at() at t = 0, naming `argument`; no set.
void check_set(const std::string& argument, const ConvexSetData& data, Index rows);

/// "<what> of <who> has no point at t = ..., proved by ...". `proved` is false where no proof was verified.
[[noreturn]] void fail_empty(const std::string& who, const char* what, double t, ConstVectorRef proof, bool proved,
                             Index rows);

/// SOL(K, F) near `start`, certified to `tolerance`, or to an error of F within `rounding` [unit of F], whichever is
/// larger. x := the solution. Throws ProcessFailure, CallableFailure.
[[nodiscard]] OwnProblem solve(const std::string& who, const char* set, double t, const vi::Problem& problem,
                               double tolerance, const std::function<double(ConstVectorRef x)>& rounding, VectorRef x);

}  // namespace nonsmooth::processes
