// SPDX-License-Identifier: Apache-2.0
// Traffic around a ring road in both directions.
#pragma once

#include <problems/mcp.hpp>

namespace nonsmooth::problems {

/// Five places on a ring, from each place i to place i + 3: over three links of the outer highway, x_i, or over two of
/// the inner one the other way round, z_i. Flows enter by on-ramps, pass each place on a bypass, and leave by
/// off-ramps. With g(a) = 1 + a + a^2 a link that carries a costs g(a), a highway 10 g(a); and where two streams meet
/// one waits for the other: an on-ramp costs gamma g(bypass beside it) more, a highway 2 gamma g(off-ramp at its end)
/// more. Wardrop's principle, y_i the cost of the pair i:
///
///     0 <= x_i ⟂ outer cost_i(x) - y_i >= 0,   0 <= z_i ⟂ inner cost_i(z) - y_i >= 0,   x_i + z_i = demand_i.
///
/// The unknowns are (x, z, y), y free, from 0. For gamma = 0 the costs have a symmetric Jacobian; else not.
/// Bertsekas, Gafni 1982 [bertsekas1982]; demands (0.1, ..., 0.5) with gamma = 1/2 as MCPLIB has it
/// [dirksemcplib1995], and (1, 8, 1, 8, 1). The answers were not published with these data; the certificate judges.
Mcp bertsekas_gafni(const Eigen::VectorXd& demand, double gamma);

/// The same without y and z = demand - x: 0 <= x <= demand, F = outer cost(x) - inner cost(demand - x), five unknowns
/// within bounds.
Mcp bertsekas_gafni_bounded(const Eigen::VectorXd& demand, double gamma);

/// Where all demands are d and both ways are used all x_i are this number, the root in [0, d] of
///     2 g(x) + 2 g(2x) + 30 g(3x) + gamma (g(2x) + 6 g(x)) = 3 g(z) + 20 g(2z) + 5 gamma g(z),   z = d - x,
/// a quadratic equation. @pre such a root exists.
double bertsekas_gafni_equal(double d, double gamma);

}  // namespace nonsmooth::problems
