// SPDX-License-Identifier: Apache-2.0
// What both ways of optimal control read of a problem; not installed.
#pragma once

#include <string>
#include <vector>

#include <nonsmooth/kernel/optimal_control.hpp>

namespace nonsmooth::optimal_control::detail {

/// What boundary conditions leave open: (x(0), x(T)) may move along the columns of (Z_0; Z_T), and constraints on x
/// push at the ends where that moves C_i x there; those that do not are listed.
struct Ends {
  Eigen::MatrixXd Z_0, Z_T;
  std::vector<Index> no_atom_at_start{}, no_atom_at_end{};
};
[[nodiscard]] Ends ends_of(const Problem& problem);

[[nodiscard]] Eigen::VectorXd d_at(const Problem& problem, double t);
[[nodiscard]] Eigen::VectorXd e_at(const Problem& problem, double t);

/// Asks a, d and e wherever the two ways do on the mesh t; what is not finite becomes an end of `solution`, which
/// Solution::not_finite names, and false.
[[nodiscard]] bool all_finite(const Problem& problem, const Eigen::VectorXd& t, Solution& solution);

}  // namespace nonsmooth::optimal_control::detail
