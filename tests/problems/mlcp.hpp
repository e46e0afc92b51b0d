// SPDX-License-Identifier: Apache-2.0
// Mixed linear complementarity problems with known answers. Every random one takes an explicit seed.
#pragma once

#include <cstdint>
#include <string>

#include <nonsmooth/numerics/mlcp/problem.hpp>

#include <problems/lcp.hpp>

namespace nonsmooth::problems {

struct Mlcp {
  std::string name;
  mlcp::Problem problem;
  Verdict verdict = Verdict::Solvable;
  Eigen::VectorXd u, v;  ///< a solution where one was planted
  bool unique = false;   ///< it is the only one
};

/// A bridge of four ideal diodes between an alternating source and a resistor: 0 <= i_k ⟂ w_k >= 0 with w_k the reverse
/// voltage of diode k. Unknowns u = (p, m, s), the potentials of the load's ends and of the source; v the currents. The
/// source drives the current J from s to ground through the bridge, the load is R. Kirchhoff's law in p, m and s:
///
///     i_0 + i_1 = (p - m) / R,    i_2 + i_3 = (p - m) / R,    i_0 - i_2 = J,    w = (p - s, p - 0, s - m, 0 - m).
///
/// The current through the load is |J|: p - m = R |J|; half the bridge conducts. A is singular without the diodes.
Mlcp diode_bridge(double J, double R);

/// Three equations for two unknowns: u - v = 0, -u - v + 1 = 0, w = u + v - 1. u = v = 1/2, w = 0 is the only solution.
Mlcp rectangular();

/// Blocks of a positive definite matrix, symmetric or not: one solution.
Mlcp random_mlcp(Index n, Index m, std::uint64_t seed, bool symmetric, double degenerate = 0.0);

/// The above with `extra` more equality rows, combinations of the others; shift: the constant of the last one is off by
/// this, so that it contradicts them.
Mlcp with_dependent_rows(Mlcp mlcp, Index extra, std::uint64_t seed, double shift = 0.0);

/// The above with `extra` more free unknowns, whose columns are combinations of the others: u is not unique.
Mlcp with_dependent_columns(Mlcp mlcp, Index extra, std::uint64_t seed);

/// The same problem stored otherwise.
mlcp::SparseProblem sparse(const mlcp::Problem& problem);

/// The certificate's residual by other code, as independent_residual of a relay problem.
double independent_residual(const mlcp::Problem& problem, const Eigen::VectorXd& u, const Eigen::VectorXd& v);

}  // namespace nonsmooth::problems
