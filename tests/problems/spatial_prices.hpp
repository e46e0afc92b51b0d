// SPDX-License-Identifier: Apache-2.0
// Prices in markets that trade with each other.
#pragma once

#include <cstdint>
#include <vector>

#include <problems/mcp.hpp>

namespace nonsmooth::problems {

/// Spatial price equilibrium: G goods g are made, carried and bought in R regions i, j. Of the flows x_gij >= 0 from i
/// to j, S_gi = sum_j x_gij is supplied and D_gj = sum_i x_gij demanded, at prices and freights
///
///     s_gi(S) = a_gi + b_gi S_gi + d_gi S_gi^2 + sum_k C_gk S_ki,     what one good takes from the others
///     p_gj(D) = m_gj exp(-D_gj/K_gj) - sum_k E_gk D_kj,               what stands in for the others
///     c_gij(x) = t_gij (1 + 0.15 (L_ij/q_ij)^4),   L_ij = sum_g u_g (x_gij + phi x_gji), phi only where i != j,
///
/// so that all goods of a road and those that come towards them hinder each other, each by its own freight: neither C,
/// E nor c' is symmetric, and no function is minimised. Nobody carries at a loss, and competition leaves no gain:
///
///     0 <= x_gij ⟂ s_gi + c_gij - p_gj >= 0,   G R^2 unknowns.
///
/// With S, D and the prices on either side (sigma, pi) as unknowns too it reads, G (R^2 + 4 R) unknowns,
///
///     0 <= x_gij ⟂ sigma_gi + c_gij - pi_gj >= 0,
///     0 <= S_gi ⟂ s_gi(S) - sigma_gi >= 0,          0 <= D_gj ⟂ pi_gj - p_gj(D) >= 0,
///     0 <= sigma_gi ⟂ S_gi - sum_j x_gij >= 0,      0 <= pi_gj ⟂ sum_i x_gij - D_gj >= 0,
///
/// of the same flows where the prices are positive. Quantities and freights may be unique where flows are not: two
/// goods that travel on the same four roads, from two regions to two others, may exchange what they load there.
/// Samuelson 1952 [samuelson1952] for one good; the general problem: Tobin 1988 [tobin1988]. The numbers below are
/// ours. Matrices a, b, d, m, K: G x R; u_g and phi >= 0.
struct SpatialPrices {
  Eigen::MatrixXd least_supply_price, supply_slope, supply_bend;  ///< a, b >= 0, d >= 0
  Eigen::MatrixXd supply_coupling;                                ///< C, G x G, 0 on its diagonal
  Eigen::MatrixXd greatest_demand_price, demand_decay;            ///< m, K > 0
  Eigen::MatrixXd demand_coupling;                                ///< E, G x G, 0 on its diagonal
  std::vector<Eigen::MatrixXd> freight;                           ///< t, one R x R matrix a good
  Eigen::MatrixXd capacity;                                       ///< q, R x R, > 0
  Eigen::VectorXd weight;                                         ///< u, G
  double oncoming = 0.0;                                          ///< phi

  [[nodiscard]] Index num_goods() const { return least_supply_price.rows(); }
  [[nodiscard]] Index num_regions() const { return least_supply_price.cols(); }
  [[nodiscard]] Index flow(Index g, Index i, Index j) const { return (g * num_regions() + i) * num_regions() + j; }

  [[nodiscard]] Eigen::MatrixXd supplies(ConstVectorRef x) const;                     ///< S, G x R
  [[nodiscard]] Eigen::MatrixXd demands(ConstVectorRef x) const;                      ///< D, G x R
  [[nodiscard]] Eigen::MatrixXd supply_prices(const Eigen::MatrixXd& S) const;        ///< s, G x R
  [[nodiscard]] Eigen::MatrixXd demand_prices(const Eigen::MatrixXd& D) const;        ///< p, G x R
  [[nodiscard]] Eigen::VectorXd freights(ConstVectorRef x) const;                     ///< c, one a flow
  [[nodiscard]] Eigen::MatrixXd supply_price_slopes(const Eigen::MatrixXd& S) const;  ///< G R x G R, by g R + i
  [[nodiscard]] Eigen::MatrixXd demand_price_slopes(const Eigen::MatrixXd& D) const;  ///< G R x G R, by g R + j
  [[nodiscard]] Eigen::MatrixXd freight_slopes(ConstVectorRef x) const;               ///< one row and column a flow
};

/// Flows alone, from 1.
Mcp spatial_price_flows(const SpatialPrices& prices);
/// With quantities and prices (x, S, D, sigma, pi), from 1.
Mcp spatial_price_quantities(const SpatialPrices& prices);

/// Two goods in four regions. The fourth is too far away to trade; the first good costs 12 there and is worth 11,
/// and it is indifferent to the second: it costs 6 and is worth 6, so that x_244 = 0 with s + c - p = 0 exactly.
SpatialPrices four_regions();

/// Random ones whose prices and freights are such that a drawn x, half of it 0, is an equilibrium; couplings so weak
/// that s and -p have slopes with a positive definite symmetric part.
struct PlantedPrices {
  SpatialPrices prices;
  Eigen::VectorXd flows;
};
PlantedPrices planted_prices(Index goods, Index regions, std::uint64_t seed);

}  // namespace nonsmooth::problems
