// SPDX-License-Identifier: Apache-2.0
// The linear program of feasibility.cpp in memory that is kept; not installed.
#pragma once

#include <utility>
#include <vector>

#include "dictionary.hpp"

namespace nonsmooth::relay::detail {

/// What least_violation() and prove_infeasible() keep from call to call, to allocate nothing where one before had as
/// many rows, but as Dictionary says, and where a proof is made of what is nearly one.
struct PhaseOne {
  std::vector<RowKind> rows;
  std::vector<std::pair<Index, double>> sides;  ///< row, sign
  GrowingMatrix<> M;                            ///< of the program
  GrowingVector q, lower, upper, answer;
  Dictionary dictionary;
  GrowingVector z, y;  ///< what it ended with: the point, and the multipliers of the rows
  GrowingVector trial, w, terms;
  std::vector<Index> support, columns;  ///< of y that is nearly a proof
  std::vector<double> bounds, sums;
};

/// memory.z := the point of [l, u] that violates memory.rows least (in the largest row, each scaled by its largest
/// entry), by a linear program; memory.y is its dual solution, the proof where the polyhedron is empty. False if the
/// program was not solved.
bool least_violation(const View& problem, double time_limit, PhaseOne& memory);
/// prove_infeasible() in that memory.
bool prove_infeasible(const View& problem, double time_limit, PhaseOne& memory, Result& result);

}  // namespace nonsmooth::relay::detail
