// SPDX-License-Identifier: Apache-2.0
// Linear complementarity systems whose degree, passivity, reachable spaces and well-posedness are known by
// construction.
#pragma once

#include <random>
#include <string>
#include <vector>

#include <nonsmooth/numerics/analysis/linear_system.hpp>

namespace nonsmooth::problems {

/// What the construction knows; -1, or empty: nothing.
struct ClassifiedSystem {
  std::string name;
  analysis::LinearComplementaritySystem system;
  int passive = -1, strictly_passive = -1;  ///< 1 or 0
  std::vector<Index> degrees;               ///< of each output
  int regular_decoupling = -1;
  bool infinite = false;                         ///< some output is never reached
  Eigen::MatrixXd A_xi;                          ///< the internal dynamics, up to similarity
  Index uncontrollable = -1, unobservable = -1;  ///< dimensions
  int exists = -1, unique = -1;                  ///< solutions from every state
};

inline constexpr int num_system_families = 9;

/// A system of a family, 0 <= family < num_system_families, with 1 to 8 states and 1 to 3 outputs.
[[nodiscard]] ClassifiedSystem random_classified_system(int family, std::mt19937_64& random);

/// One thing known, and what the library says about it. `found` is Fails too where a certificate does not hold.
struct SystemVerdict {
  std::string name;
  analysis::Verdict found;
  bool holds;
};
[[nodiscard]] std::vector<SystemVerdict> judge_system(const ClassifiedSystem& instance);

/// How far the least eigenvalue of K(P) of analysis::Passivity is below zero, in units in which P_ii, |A| and the terms
/// of each port are near 1; infinite unless P > 0.
[[nodiscard]] double storage_defect(const analysis::LinearComplementaritySystem& system, const Eigen::MatrixXd& P);

}  // namespace nonsmooth::problems
