// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "newton.hpp"
#include "one_step_problem.hpp"

/// What a step that failed says of its model.
namespace nonsmooth::stages {

/// "row 0 of stop on ball and box" of a row of an interaction; "the contact of ball and the ground" of a detected one.
[[nodiscard]] std::string place_of(Index interaction, Index row, const Layout& layout, const RelationCaches& relations);
[[nodiscard]] std::string place_of(const PlanarContact& contact, const Layout& layout);
/// Where the problem's worst row is, or which rows the proof of infeasibility names, as a sentence; empty where it has
/// neither.
[[nodiscard]] std::string place_of_failure(const Layout& layout, const ActingRows& acting, const mixed::Result& result);
/// After Newton's limit: what moved last, against what is allowed, as a sentence.
[[nodiscard]] std::string least_converged(const Layout& layout, const RelationCaches& relations,
                                          const LeastConverged& worst);
/// Of z that is not finite: whose first entry is not, as a sentence.
[[nodiscard]] std::string first_not_finite(const Layout& layout, const Eigen::VectorXd& z);
/// Which interactions' equality rows depend on others', as a sentence; empty where none do.
[[nodiscard]] std::string redundant_equalities(const ActingRows& acting, const mixed::Problem& problem);

}  // namespace nonsmooth::stages
