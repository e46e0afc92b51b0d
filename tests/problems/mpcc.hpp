// SPDX-License-Identifier: Apache-2.0
// Quadratic programs with complementarity constraints and known answers. Every random one takes an explicit seed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nonsmooth/numerics/mpcc/problem.hpp>

namespace nonsmooth::problems {

/// A program with a published optimal value; `constant` is what the objective has beside 1/2 x^T Q x + c^T x.
struct PublishedMpcc {
  std::string name;
  mpcc::Problem problem;
  double constant = 0.0;
  double value = 0.0;                                    ///< published, with the constant; the least of all pieces
  double other = 0.0;                                    ///< a local minimum beside it, or the same
  mpcc::Stationarity best = mpcc::Stationarity::Strong;  ///< of the minimiser
};

/// Those of MacMPEC [leyffer2000] that are quadratic under affine rows and fit on a page: ralph1, ralph2, scholtes3,
/// scholtes4, jr1, jr2, kth1, kth2, kth3, bard1, gauvin, stackelberg1.
std::vector<PublishedMpcc> published_mpccs();

struct Mpcc {
  mpcc::Problem problem;
  Eigen::VectorXd x, y, u, v;  ///< strongly stationary where planted
  Eigen::VectorXd proof;       ///< of an infeasible program: multipliers; of an unbounded one: the direction
};

struct MpccShape {
  Index n = 2, m = 0, pairs = 1;
  double biactive = 0.0;    ///< part of the pairs with both sides 0
  bool indefinite = false;  ///< Q has terms of (G x + g)_i (H x + h)_i, which are 0 on every piece
};

/// A strongly stationary x, bounds far from it.
Mpcc planted_mpcc(const MpccShape& shape, std::uint64_t seed);

/// No x satisfies rows and sides: (G x + g)_0 is asked to be negative by a row.
Mpcc infeasible_mpcc(const MpccShape& shape, std::uint64_t seed);

/// The value falls forever from x along `proof`, on a piece: Q and the rows do not move on it, of each pair one side is
/// 0 and stays so, the other one grows.
Mpcc unbounded_mpcc(const MpccShape& shape, std::uint64_t seed);

/// The least value of all 2^k pieces, each solved by itself; +inf where all are empty. Of a convex Q.
double least_of_pieces(const mpcc::Problem& problem);

/// How far (x, y, u, v) is from weak stationarity, by other code in extended precision, over the sizes of the terms.
double independent_residual(const mpcc::Problem& problem, const Eigen::VectorXd& x, const Eigen::VectorXd& y,
                            const Eigen::VectorXd& u, const Eigen::VectorXd& v);

}  // namespace nonsmooth::problems
