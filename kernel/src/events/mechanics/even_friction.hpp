// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth::events {

/// Of a bound: less is none that is left.
inline constexpr double kEvenlyHeld = 1e-8;

/// Friction of contacts that stick, shared so that the largest part of a bound that one of them takes is smallest:
///
///     min rho   with   |f_i| <= rho c_i,   f = f_0 + N y,
///
/// N a basis of what leaves the accelerations as they are. They can stick as long as rho < 1, under whatever pushes,
/// and come to their bounds together where it is 1: the push is then on the boundary of what friction can hold, the
/// f_i of those at their bounds are opposed to one motion of the bodies, the normal of that boundary (Goyal, Ruina &
/// Papadopoulos 1991 [goyal1991]), by which they begin to slip, and those that it does not move stick (a box turns
/// about a foot).
///
/// By the central path of t rho - sum_i log(rho^2 c_i^2 - |f_i|^2), t to 2 m / t = 1e-10 for m contacts, some 100 dense
/// Newton steps of 1 + N.cols() unknowns, which tells who is at the bound; then to round-off by Newton's iteration on
///
///     f_i = rho c_i u_i / |u_i| at the bound, u_i = 0 elsewhere,   u = Q v,  |v| = 1,  Q^T (f - f_0) = 0,
///
/// the columns of Q an orthonormal basis of the complement of N. -u is the motion by which a slip begins. Contacts at
/// one place that it does not move share their friction as the path does, alike where their bounds are.
struct EvenFriction {
  double ratio = 0.0;          ///< rho
  Eigen::VectorXd friction;    ///< f
  Eigen::VectorXd motion;      ///< -u, by which a slip begins; empty where it is not known
  std::vector<char> at_bound;  ///< by contact: |f_i| = rho c_i
  /// Of each contact, in (0, 1] or infinite: the least sum of |f_i|^2 / (share_i c_i) is that of f, and of rho / rho' f
  /// where the push grows to 1 / rho' of itself. What is not at its bound has an infinite share: it takes what it gets.
  Eigen::VectorXd shares;
};

/// `sizes`: rows of each contact, stacked in f_0 and N. `bounds`: c_i > 0.
[[nodiscard]] EvenFriction even_friction(const Eigen::VectorXd& f_0, const std::vector<Index>& sizes,
                                         const Eigen::VectorXd& bounds, const Eigen::MatrixXd& N);

}  // namespace nonsmooth::events
