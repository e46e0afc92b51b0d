// SPDX-License-Identifier: Apache-2.0
// The American put: one sparse complementarity problem a time step.
#pragma once

#include <vector>

#include <nonsmooth/numerics/lcp/problem.hpp>

namespace nonsmooth::problems {

struct AmericanPut {
  double strike, rate, volatility, maturity;  ///< K [currency], r [1/year], sigma [1/sqrt(year)], T [years]

  /// The holder who may wait for ever exercises at and below S* = K g/(1 + g), g = 2 r/sigma^2. Merton 1973
  /// [merton1973].
  [[nodiscard]] double perpetual_boundary() const;
  /// (K - S*) (S/S*)^(-g) above S*.
  [[nodiscard]] double perpetual_value(double spot) const;
};

/// The binomial tree of Cox, Ross, Rubinstein 1979 [cox1979]: error O(1/steps), and nothing in common with a grid.
double binomial_value(const AmericanPut& put, double spot, int steps);

/// Black and Scholes' operator in x = ln S on a uniform grid, L V = sigma^2/2 V'' + (r - sigma^2/2) V' - r V, K a node.
/// Unknown of a step of length dt backwards in time: z = V - payoff >= 0 (0 at both ends),
///
///     w = (1 - theta dt L) V - (1 + (1 - theta) dt L) V_before >= 0,   z w = 0.
///
/// M = 1 - theta dt L is an M-matrix, not symmetric. Wilmott, Howison, Dewynne 1995 [wilmott1995].
class AmericanPutGrid {
 public:
  /// 2 half - 1 inner nodes over ln K ± width.
  AmericanPutGrid(const AmericanPut& put, Index half, double width);

  [[nodiscard]] const Eigen::VectorXd& spot() const noexcept { return spot_; }
  [[nodiscard]] const Eigen::VectorXd& payoff() const noexcept { return payoff_; }

  /// The problem of one step from z_before; at expiry z = 0.
  [[nodiscard]] lcp::SparseProblem step(ConstVectorRef z_before, double dt, double theta) const;
  /// The option that never expires: w = -L V.
  [[nodiscard]] lcp::SparseProblem perpetual() const;

  /// V at `spot`, linear between nodes.
  [[nodiscard]] double value(ConstVectorRef z, double spot) const;
  /// The highest node at which it is exercised.
  [[nodiscard]] double boundary(ConstVectorRef z) const;

 private:
  double h_;
  Eigen::SparseMatrix<double> L_;
  Eigen::VectorXd spot_, payoff_, L_payoff_;
};

/// Published: table 1 of Huang, Subrahmanyam, Yu 1996 [huang1996], trees of 10^4 steps, on the cases of Geske, Johnson
/// 1984: S = 40, r = 0.0488 a year.
struct PutEntry {
  double strike, volatility, months, value;
};
inline constexpr double huang_spot = 40.0, huang_rate = 0.0488;
std::vector<PutEntry> huang();

}  // namespace nonsmooth::problems
