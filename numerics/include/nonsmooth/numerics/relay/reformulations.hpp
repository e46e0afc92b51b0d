// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nonsmooth/numerics/lcp/problem.hpp>
#include <nonsmooth/numerics/relay/problem.hpp>

namespace nonsmooth::relay {

/// A linear complementarity problem whose solutions x give those of a relay problem:  z = offset + map x.
/// One unknown for a row with one finite bound (the distance from it), two for a row with both (the distance from l,
/// the multiplier of u) and for a free row (z = z+ - z-); none for a fixed row.
struct AsLcp {
  lcp::Problem problem;
  Eigen::VectorXd offset;
  Eigen::MatrixXd map;

  [[nodiscard]] Eigen::VectorXd recover(ConstVectorRef x) const;  ///< offset + map x
};

/// The relay problem as an LCP. Where all rows are fixed, the LCP is the one row w = x.
/// Splitting keeps positive semidefiniteness and loses definiteness: x of a free row is not unique, z is.
/// @throws InvalidArgument as Problem::validate.
[[nodiscard]] AsLcp as_lcp(const Problem& problem);

/// The LCP as a relay problem on [0, inf); z is the same. @throws InvalidArgument as lcp::Problem::validate.
[[nodiscard]] Problem from_lcp(const lcp::Problem& problem);

/// The data of an affine variational inequality on a polyhedron: find z in K = {z : A z >= b} with
/// (M z + q)·(y - z) >= 0 for all y in K. Solutions are those of the relay problem, unchanged.
struct Avi {
  Eigen::MatrixXd M;
  Eigen::VectorXd q;
  Eigen::MatrixXd A;  ///< one row for each finite bound: lower bounds first, both in the order of the rows
  Eigen::VectorXd b;
};

/// The relay problem as an AVI. @throws InvalidArgument as Problem::validate.
[[nodiscard]] Avi as_avi(const Problem& problem);

/// The other way: a polyhedron whose rows have one entry each is a box (the tightest bounds count).
/// @throws InvalidArgument for shapes that differ, a row of A with none or several entries, bounds that exclude each
/// other, and as Problem::validate.
[[nodiscard]] Problem from_avi(const Avi& avi);

}  // namespace nonsmooth::relay
