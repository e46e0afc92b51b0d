// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "model/row_roles.hpp"
#include "partition.hpp"

namespace nonsmooth::analysis::detail {

/// A gap within this of the absolute terms that it is the sum of is closed, as EventThresholds::position has it.
inline constexpr double kClosed = 1e-10;

/// M vdot = F, linearised: F_q along the tangent directions, F_v. q_scale: |q|, 1 on manifolds.
struct Dynamics {
  Eigen::MatrixXd M, F_q, F_v;
  Eigen::VectorXd F, q_scale, v;
  std::vector<Index> first;  ///< by number in the layout: in the packed velocities; -1: not of the island
  bool constant = true, driven = false, analytic = true;
};

/// One row of u = H v + h_t, and what it belongs to.
struct MechanicalRow {
  RowRole role = RowRole::Other;  ///< Spring: with compliance, by the relation or the law
  std::string name;
  Index contact = -1;                     ///< of Normal and Tangential
  double y = 0.0;                         ///< of the relation's row
  double drift = 0.0;                     ///< h_t, or minus the prescribed velocity
  double terms = 0.0;                     ///< absolute ones that y is the sum of
  double stiffness = 0.0, damping = 0.0;  ///< of a Spring, while it acts; 0: not known
  bool exact = true;                      ///< H is constant: no error of differences
};

/// Rows behind a contact's normal one that a bound holds together: |r| <= bound r_N.
struct FrictionRows {
  Index size = 1;
  double bound = 0.0;
};

struct UnilateralContact {
  std::string name;
  Index row = 0, size = 1;
  double gap = 0.0;
  std::vector<FrictionRows> friction{};  ///< in the order of the rows; empty: none
  bool closed = false;
  double restitution = 0.0;
  bool impacts = true;  ///< Newton's impact law, with friction or without
};

struct MechanicalRows {
  Eigen::MatrixXd H;
  std::vector<MechanicalRow> rows;
  std::vector<UnilateralContact> contacts;
  bool constant = true, driven = false;
  bool monotone = true;  ///< laws beside friction are normal cones of convex sets

  void append(MechanicalRow row, const Eigen::VectorXd& h) {
    H.conservativeResize(H.rows() + 1, h.size());
    H.row(H.rows() - 1) = h;
    rows.push_back(std::move(row));
  }
};

/// Packed velocities of the island's systems in their order; n of them.
[[nodiscard]] Dynamics dynamics_of(const NonSmoothDynamicalSystem& model, const State& state, const Island& island,
                                   Index n);
/// MechanicalIsland::loops.
void find_closed_loops(const NonSmoothDynamicalSystem& model, const State& state, const Island& island,
                       MechanicalIsland& result);
/// Rows of the interactions, prescribed velocities, detected contacts, in this order.
[[nodiscard]] MechanicalRows rows_of(const NonSmoothDynamicalSystem& model, const State& state, const Island& island,
                                     const Dynamics& dynamics);

}  // namespace nonsmooth::analysis::detail
