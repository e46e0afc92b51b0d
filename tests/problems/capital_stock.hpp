// SPDX-License-Identifier: Apache-2.0
// Stocks of capital that optimal plans do not change.
#pragma once

#include <vector>

#include <problems/mcp.hpp>

namespace nonsmooth::problems {

/// An economy of n goods, m activities, l resources and k ways to enjoy. In period t the activities x_t >= 0 take A x_t
/// of the stock z_t, use C x_t of the resources w and leave z_(t+1) = B x_t. Of all plans from z_0 the best has
///
///     max sum_t alpha^t v(x_t)   subject to   A x_t <= z_t,   z_(t+1) = B x_t,   C x_t <= w,   x_t >= 0,
///     v(x) = sum_j b_j log(1 + (U x)_j) - sum_a h_a x_a^2 / 2,   concave, strictly so where all h_a > 0.
///
/// A stock z is invariant under optimization if the best plan from z_0 = z stays there. With prices p_t >= 0 of the
/// stock and r_t >= 0 of the resources, both in utility of their own period, the Lagrangian is
///
///     sum_t alpha^t [v(x_t) + p_t.(z_t - A x_t) + r_t.(w - C x_t)],   z_t = B x_(t-1),
///
/// where x_t stands in period t and, by p_(t+1), in t + 1. Its conditions with x, p and r the same in every period and
/// z = B x are the mixed complementarity problem of n + m + l unknowns
///
///     0 <= x ⟂ -grad v(x) + (A - alpha B)^T p + C^T r >= 0,
///     0 <= p ⟂ (B - A) x >= 0,
///     0 <= r ⟂ w - C x >= 0.
///
/// Enough, too: of any plan from z_0 = z over T periods, with v concave and p, r as above,
///
///     sum_(t<T) alpha^t (v(x_t) - v(x)) + alpha^T p.(z_T - z) <= 0,                                              (*)
///
/// since v(x_t) - v(x) <= grad v(x).(x_t - x) <= [(A - alpha B)^T p + C^T r].(x_t - x), and sums of these telescope.
/// For alpha < 1 the problem is not monotone: the symmetric part of its Jacobian has (1 - alpha) B / 2 between x and p
/// and 0 at p. Hansen, Koopmans 1972 [hansen1972]; the numbers below are ours.
struct CapitalEconomy {
  Eigen::MatrixXd inputs;     ///< A, n x m, >= 0 [goods a unit of activity]
  Eigen::MatrixXd outputs;    ///< B, n x m, >= 0 [goods a unit of activity]
  Eigen::MatrixXd uses;       ///< C, l x m, >= 0 [resources a unit of activity]
  Eigen::MatrixXd enjoyment;  ///< U, k x m, >= 0
  Eigen::VectorXd resources;  ///< w, l, > 0
  Eigen::VectorXd weights;    ///< b, k, > 0 [utility]
  Eigen::VectorXd toil;       ///< h, m, >= 0 [utility a squared unit of activity]
  double discount = 1.0;      ///< alpha in (0, 1]

  [[nodiscard]] double utility(const Eigen::VectorXd& x) const;  ///< v
  [[nodiscard]] Eigen::VectorXd marginal_utility(const Eigen::VectorXd& x) const;
  [[nodiscard]] Eigen::MatrixXd marginal_slopes(const Eigen::VectorXd& x) const;
};

/// (x, p, r) of the invariant stock, from 1.
Mcp invariant_capital(const CapitalEconomy& economy);

/// The best plan over T periods from z_0 = stock, if what is left counts alpha^T prices.z_T: (x_t, P_t, R_t), t < T,
/// with P_t = alpha^t p_t, R_t = alpha^t r_t, the conditions of a concave program and so monotone. From 1. With the
/// answer of invariant_capital as stock and prices, its x in every period is a solution by (*), the only one where h >
/// 0.
Mcp capital_plan(const CapitalEconomy& economy, const Eigen::VectorXd& stock, const Eigen::VectorXd& prices,
                 Index periods);

/// Machines and grain, labour and land, food and comfort, ten activities: machines by craft and by machines, grain by
/// hand and by machines, machines and grain kept, grain eaten and baked, machines enjoyed, a garden.
CapitalEconomy machines_and_grain(double discount);

/// One good and one resource, labour w: two ways to grow the good and one to eat it, v = log(1 + eaten). Technique i
/// takes 1 and c_i of labour and leaves g_i, c = (2, 1), g = (4, 2.6). What is used has the greatest
/// (alpha g_i - 1)/c_i = r/p: the first, of much labour, below alpha = 5/6, the second, of much capital, above. It runs
/// at x_i = w/c_i, which is what the stock needs for it; (g_i - 1) x_i is eaten, at p = 1/(1 + eaten). For alpha < 1/4
/// nothing is worth growing: x = 0, where p may be any number >= 1. At 5/6 both serve, and x is a segment.
CapitalEconomy two_techniques(double discount, double labour);
/// Its (x_1, x_2, eaten, p, r) for alpha in (1/4, 1], not 5/6.
Eigen::VectorXd two_techniques_answer(double discount, double labour);

}  // namespace nonsmooth::problems
