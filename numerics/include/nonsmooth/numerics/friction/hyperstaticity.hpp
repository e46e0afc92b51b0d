// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nonsmooth/numerics/friction/problem.hpp>

namespace nonsmooth::friction {

/// How far the reactions of a solution (r, u) are from unique, and the smallest of them.
///
/// With u held, other reactions r + x solve the same problem where W x = 0 and r + x stays in the face of K that u
/// selects: x = 0 at an open contact (û_N > 0), x on the ray (1, -mu u_T / |u_T|) where the contact slides, any x of
/// its rows where it sticks, and where the law leaves the row free. With a basis B of these directions the dimension is
/// that of ker(W B); the smallest reaction is the projection of 0 on {r + B y : W B y = 0} and the cones, by Dykstra's
/// alternating projections [boyle1986]: exact in the limit, to `tolerance` |r| here.
///
/// A contact slides if |u_T| > `tolerance` |q|_inf, and is open if u_N is. Blocks: Free, Orthant, Coulomb2D, Coulomb3D
/// isotropic without cohesion. Cost: one dense rank-revealing factorization of W B, 4/3 n^3 flops.
/// @throws InvalidArgument other blocks, r or u of another size than q.
[[nodiscard]] Hyperstaticity hyperstaticity(const Problem& problem, ConstVectorRef r, ConstVectorRef u,
                                            double tolerance = 1e-8);

}  // namespace nonsmooth::friction
