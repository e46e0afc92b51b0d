// SPDX-License-Identifier: Apache-2.0
// Random mixed problems over every set, solutions planted in every mode of each law, and a certificate by other code.
#pragma once

#include <random>
#include <string>
#include <vector>

#include <nonsmooth/numerics/mixed/problem.hpp>

#include <problems/complementarity.hpp>
#include <problems/quad.hpp>

namespace nonsmooth::problems {

struct Cones {
  std::string name;
  mixed::Problem problem;
  Eigen::MatrixXd W;  ///< dense
  Verdict verdict = Verdict::Solvable;
  bool known_class = true;
  Eigen::VectorXd r{};  ///< a solution where one was planted
};

Eigen::VectorXd unit_vector(Index n, std::mt19937_64& random);

/// A pair (r, u) that satisfies the law of the set, drawn over its modes: apex, inside, boundary and, if degenerate,
/// what lies between two of them.
void plant_law(const BlockSet& set, bool degenerate, std::mt19937_64& random, Eigen::Ref<Eigen::VectorXd> r,
               Eigen::Ref<Eigen::VectorXd> u);

/// The same for friction with several groups of rows, cohesion and an elliptic cone too, each group in a mode of its
/// own: off, sticking, sliding. large_friction: every other normal force is small enough for the tangential one to be
/// of order 1.
void plant_contact(const BlockSet& set, bool degenerate, bool large_friction, std::mt19937_64& random,
                   Eigen::Ref<Eigen::VectorXd> r, Eigen::Ref<Eigen::VectorXd> u);

/// W = [H H^T] + ridge, with (r, u) planted over blocks of the kinds given. rank_deficient: H of half the columns, no
/// ridge. decades: units of the blocks.
Cones random_cones(Index blocks, const std::vector<SetKind>& kinds, bool rank_deficient, bool degenerate,
                   double decades, std::mt19937_64& random);

/// The infeasible problem of random_infeasible_boxed in blocks of orthants, boxes and free rows; `boxed` is the same
/// problem row by row.
Cones random_infeasible_cones(Index n, Boxed& boxed, std::mt19937_64& random);

/// The nearest point of the set: of the cone |z_T| <= mu z_0 for every kind that has one.
void project_set(const BlockSet& set, QuadVector& z);

/// The certificate's residual of a mixed problem by other code, in quadruple precision.
double independent_residual(const Cones& cones, const Eigen::VectorXd& r);

}  // namespace nonsmooth::problems
