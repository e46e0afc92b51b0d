// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include <nonsmooth/numerics/friction/problem.hpp>

namespace nonsmooth::friction {

/// What the automatic choice aims at; every switch is on counted work, never on the clock.
struct Automatic {
  double tolerance = 1e-8;                 ///< the measure <= tolerance; > 0. 1e-8: the field's tight figure
  Measure measure = Measure::Certificate;  ///< what is compared with the tolerance
  Index max_iterations = 0;                ///< of each tier, >= 0; 0: its default
  double time_limit = std::numeric_limits<double>::infinity();  ///< [s], > 0; looked at in every tier
  bool hyperstaticity = false;  ///< fill Result::hyperstaticity: a dense factorization of the closed contacts
  Eigen::VectorXd start{};      ///< r to start from, projected on K; empty: 0

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// @throws InvalidArgument as Problem::validate and Automatic::validate, for a set that the family does not solve and a
/// start of another size than q.
[[nodiscard]] Result solve(const Problem& problem, const Automatic& options = {});

}  // namespace nonsmooth::friction
