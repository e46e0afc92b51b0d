// SPDX-License-Identifier: Apache-2.0
// A vertex of a polyhedron; not installed.
#pragma once

#include <vector>

#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth::vi::detail {

/// A vertex of {A x <= b, C x = d} up to the lines in it: with V a basis of the null space of (A; C), x + V y is one
/// for every y. Rows of A that are tight there, and rows of C, which do not depend on each other and on which all rows
/// do.
struct Vertex {
  Eigen::VectorXd x;
  std::vector<Index> rows;       ///< of A
  std::vector<Index> equations;  ///< of C
};

/// From x, which fulfils the rows up to rounding: on to the row that is nearest along what the rows taken so far leave
/// of its normal, and so on; the row that is nearest so is met first, so that none is passed. Rows count as dependent
/// if they are within 1e-10 of their length of the others' span. Cost: n (rows) a row taken, at most n of these.
[[nodiscard]] Vertex find_vertex(const Eigen::MatrixXd& A, const Eigen::VectorXd& b, const Eigen::MatrixXd& C,
                                 Eigen::VectorXd x);

}  // namespace nonsmooth::vi::detail
