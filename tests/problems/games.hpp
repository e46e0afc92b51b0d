// SPDX-License-Identifier: Apache-2.0
// Bimatrix games: Nash equilibria as complementarity problems.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <nonsmooth/numerics/lcp/problem.hpp>
#include <nonsmooth/numerics/mlcp/problem.hpp>

namespace nonsmooth::problems {

using Strategies = std::pair<Eigen::VectorXd, Eigen::VectorXd>;

/// The first player picks row i, the second column j, and they receive A(i, j) and B(i, j).
struct Bimatrix {
  std::string name;
  Eigen::MatrixXd A, B;
  std::vector<Strategies> equilibria{};  ///< known ones
  bool complete = false;                 ///< there are no others

  /// Costs instead of payoffs, all >= 1: equilibria are those of the game.
  [[nodiscard]] Eigen::MatrixXd first_cost() const;
  [[nodiscard]] Eigen::MatrixXd second_cost() const;
};

/// What the better of the two gains by leaving (x, y), plus how far x, y are from being probabilities; zero at an
/// equilibrium alone. By plain sums in long double.
double regret(const Bimatrix& game, const Eigen::VectorXd& x, const Eigen::VectorXd& y);

/// Lemke and Howson's form with costs A, B > 0: w = [0 A; B^T 0] z - 1. z = (x', y') gives x = x'/sum x', y = y'/sum
/// y'; every equilibrium is one z. Lemke's covering vector 1 may end at a ray here. Lemke, Howson 1964
/// [lemkehowson1964].
lcp::Problem lemke_howson_form(const Bimatrix& game);

Strategies strategies_of(const Bimatrix& game, ConstVectorRef z);

/// The z of an equilibrium in Lemke and Howson's form: x' = x/(x·B y), y' = y/(x·A y), with costs.
Eigen::VectorXd lemke_howson_point(const Bimatrix& game, const Strategies& s);

/// The mixed form: free expected costs (a, b), w_x = A y - a, w_y = B^T x - b, 0 = sum x - 1, 0 = sum y - 1.
mlcp::Problem mixed_form(const Bimatrix& game);

/// The mixed form as an LCP, its free unknowns split: z = (x, y, a+, b+, a-, b-). M is copositive, and M z >= 0,
/// z·M z = 0 leave x = y = 0, a+ <= a-, b+ <= b-, hence q·z >= 0: Lemke reaches a solution (Cottle, Pang, Stone 1992,
/// section 4.4 [cottle1992]).
lcp::Problem split_form(const Bimatrix& game);

std::vector<Bimatrix> games();

/// Payoffs uniform in [0, 1].
Bimatrix random_game(Index m, Index n, std::uint64_t seed);

}  // namespace nonsmooth::problems
