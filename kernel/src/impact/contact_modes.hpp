// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "contact_problem.hpp"

namespace nonsmooth::impacts {

/// All solutions of w = W lambda + b, -ŵ in N_K(lambda), by trying every mode: a bilateral row holds, an orthant is
/// open or closed, a box is at a bound or between, a planar contact is open, sticks, or slides to either side. In a
/// mode the solutions form a polyhedron; where its equations are regular that is a point, otherwise its vertices and
/// extreme rays are looked at too, so nothing is missed but for round-off (ranks at 1e-10, inequalities at 1e-11 of
/// their terms).
///
/// Verdicts are on w, on which the motion depends: redundant rows whose multipliers alone are free leave it Unique.
/// lambda is that of the smallest norm found (of the shortest of each regular mode, of the least-squares one or a
/// vertex of a singular one). NotCounted: blocks other than Free, Orthant, Box, Coulomb2D without cohesion, more than
/// max_rows rows, or a polyhedron with too many vertices. Status is Solved or Infeasible accordingly, else NotRun.
/// Cost: one orthogonal factorization a mode, at most 3^8.
[[nodiscard]] ContactAnswer enumerate_modes(const Eigen::MatrixXd& W, const Eigen::VectorXd& b, const ProductSet& sets,
                                            Index max_rows = 8);

}  // namespace nonsmooth::impacts
