// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <nonsmooth/kernel/model.hpp>
#include <nonsmooth/numerics/analysis/linear_system.hpp>

namespace nonsmooth::analysis {

/// What the laws of an island's rows have in common: theorems ask for no less.
enum class LawClass : unsigned char {
  Complementarity,  ///< 0 <= y ⟂ lambda >= 0, every row
  Intervals,        ///< -y in N_[l, u](lambda), row by row: relays, equalities, shifted diodes
  Monotone,         ///< lambda in a maximal monotone map of -y: polyhedra, graphs of segments, Shockley's curve
  Other,            ///< a user's set, a cone of Coulomb's
};
[[nodiscard]] std::string_view to_string(LawClass laws) noexcept;

/// First-order systems that interactions tie together, linearised at a state (t, x, lambda):
///
///     M xdot = A x + B lambda + a,    y = C x + D lambda + b,    rows of y and lambda in the order of `rows`.
///
/// Algebraic unknowns of a singular M are reduced away where the pencil s M - A has index 1; then x is what is left,
/// and M = I. The verdicts are of these matrices. They hold for the island where `constant`; otherwise for its
/// linearisation, but for `of_output` up to 2, which is that of the nonlinear system at the state (Lie derivatives).
struct FirstOrderIsland {
  std::vector<std::string> systems, interactions;  ///< names
  std::vector<std::string> rows;                   ///< "row 0 of diode"
  std::vector<bool> bounded;                       ///< by row: the multiplier lies between two finite bounds
  bool constant = true;                            ///< A, B, C, D, M are: linear descriptions without functions of time
  bool driven = false;  ///< a function of time or a feedback (left out of A) is among the data
  LawClass laws = LawClass::Complementarity;
  std::string why_not;  ///< where it was not examined; all below is then empty

  LinearComplementaritySystem system;
  MarkovParameters markov;     ///< D, C B, C A B, ... (of M^-1 A and M^-1 B)
  RelativeDegree degree;       ///< kind and of_output by row
  MatrixClasses D, CB;         ///< of D, and of C M^-1 B
  ZeroDynamics zero_dynamics;  ///< z = W x, where there is a relative degree >= 1
  Passivity passivity;         ///< and positive realness, with its storage function
  ReachableSpace controllable, observable;
  ComplementarityIndex index;
  WellPosedness solutions;
  /// Eigenvalues [1/s] of A with every multiplier zero, and with every y held at zero: of A - B D^-1 C where D is
  /// regular, of the zero dynamics where there is a relative degree >= 1, else empty.
  Eigen::VectorXcd free_rates, held_rates;
};

}  // namespace nonsmooth::analysis
