// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include <nonsmooth/numerics/friction/problem.hpp>

namespace nonsmooth::friction {

/// How far the reactions of a solution (r, u) are from unique, and the smallest of them.
///
/// With u held, other reactions r + x solve the same problem where W x = 0 and r + x stays in the face of K that u
/// selects. At an open contact (u_N > 0) that is 0. At a closed one r_N is free, each group G of rows that moves (u_T,
/// u_R or u_S not 0) follows it, x_G = -mu_G x_N u_G / |u_G|, and each that rests is free where its mu_G > 0 and 0
/// where it is 0; a row of an Orthant is closed or open by itself, a Free block is free. With a basis B of these
/// directions the dimension is that of ker(W B); the smallest reaction is the projection of 0 on {r + B y : W B y = 0}
/// and the cones, by Dykstra's alternating projections [boyle1986]: exact in the limit, to `tolerance` |r| here.
///
/// A row or group moves if |u_G| > `tolerance` |q|_inf. Any sets of the family; smallest means |r|_2 in the units of
/// the canonical form (see BlockSet), where all rows of r are forces and cohesion is added to r_N.
///
/// Cost, for each island (contacts coupled by W) with m rows of which n closed: a dense rank-revealing factorization of
/// W B, 2 m n^2 flops and two copies of it, then up to 20,000 turns of 4 n times the island's dimension.
///
/// An island of more than 3000 closed rows takes one sparse factorization of B^T W B + d, d a 1e-10th of its largest
/// diagonal entry. There the dimension is an estimate, with a standard deviation of at most the root of an eighth of it
/// (modes of W that are as soft as d count), and the smallest reaction is found to 1e-5 |r| in up to 200 turns of two
/// solves; where those do not end, that island keeps the r given. W must be symmetric positive semidefinite for it.
/// @returns nothing where such an island's W is not, or where an island has more than 100,000 closed rows.
/// @throws InvalidArgument as Problem::validate, other sets, r or u of another size than q, tolerance <= 0.
[[nodiscard]] std::optional<Hyperstaticity> hyperstaticity(const Problem& problem, ConstVectorRef r, ConstVectorRef u,
                                                           double tolerance = 1e-8);

}  // namespace nonsmooth::friction
