// SPDX-License-Identifier: Apache-2.0
#include "bound_search.hpp"

#include <algorithm>
#include <utility>

#include "laws/reaction_bounds.hpp"

namespace nonsmooth {
namespace {

constexpr double kDependentDifferences = 1e-10;  ///< sine^2 of the angle of two differences of f that count as one
constexpr double kFallOfSquares = 1.0 / 16.0;
/// Iterates that look at multipliers alone: what converges by these does so by then.
constexpr Index kUnknownsFrom = 8;
constexpr double kFound = 1e-26;  ///< |f|^2 of a mechanism that only waits for others: its differences are round-off

/// Its law makes bounds of its multipliers.
bool makes_bounds(const InteractionPlan& interaction) {
  return interaction.law->varies == LawVaries::Iterate &&
         dynamic_cast<const ReactionBounds*>(interaction.law->law.get()) != nullptr;
}

/// Calls give(joint) for each joint that does.
template <class Give>
void for_joints(const RelationCaches& relations, Give give) {
  for (const InteractionPlan& interaction : relations.interactions) {
    if (makes_bounds(interaction)) give(interaction);
  }
}

}  // namespace

void BoundSearch::begin(const RelationCaches& relations, const Layout& layout, const Eigen::VectorXd& lengths,
                        NewtonCaches& newton) {
  layout_ = &layout;
  lengths_ = &lengths;
  iterates_ = 0;
  for (Eigen::VectorXd* of_z : {&z_[0], &z_[1], &solved_[0], &solved_[1]}) {
    if (of_z->size() != layout.num_unknowns) of_z->setZero(layout.num_unknowns);
  }
  x_[0] = &newton.lambda_base;
  x_[1] = &newton.z_base;
  G_[0] = &newton.lambda_full;
  G_[1] = &newton.z_full;
  known_ = 0;
  systems_.reset(std::ssize(layout.systems));
  for (const InteractionPlan& interaction : relations.interactions) {
    if (interaction.law->unilateral) continue;
    const auto linked = relations.jacobians.of(interaction);
    for (const JacobianBlock& one : linked) systems_.join(linked.front().system, one.system);
  }
  systems_.list(begin_, members_);
  mechanisms_.assign(begin_.size() - 1, {});
  for_joints(relations, [&](const InteractionPlan& joint) { mechanism_of(relations, joint).rubs = true; });
}

BoundSearch::Mechanism& BoundSearch::mechanism_of(const RelationCaches& relations, const InteractionPlan& joint) {
  const Index system = relations.jacobians.of(joint).front().system;
  return mechanisms_[static_cast<std::size_t>(systems_.number(system))];
}

void BoundSearch::add_products(const InteractionPlan& joint, const Eigen::VectorXd& G, const Eigen::VectorXd& x,
                               Mechanism& mechanism) const {
  const double size = G.segment(joint.row, joint.rows).lpNorm<Eigen::Infinity>();
  if (!(size > 0.0)) return;
  const double weight = 1.0 / (size * size);
  for (Index k = joint.row; k < joint.row + joint.rows; ++k) {
    const double f = G[k] - x[k];
    mechanism.ff += weight * f * f;
    if (known_ == 0) continue;
    const double d1 = f - ((*G_[0])[k] - (*x_[0])[k]);
    mechanism.f1 += weight * f * d1;
    mechanism.d11 += weight * d1 * d1;
    mechanism.growth += weight * d1 * (x[k] - (*x_[0])[k]);
    if (known_ == 1) continue;
    const double d2 = f - ((*G_[1])[k] - (*x_[1])[k]);
    mechanism.f2 += weight * f * d2;
    mechanism.d12 += weight * d1 * d2;
    mechanism.d22 += weight * d2 * d2;
  }
}

template <class Visit>
void BoundSearch::for_unknowns(std::size_t number, Visit visit) const {
  for (Index m = begin_[number]; m < begin_[number + 1]; ++m) {
    const Layout::System& place = layout_->systems[static_cast<std::size_t>(members_[static_cast<std::size_t>(m)])];
    for (Index k = place.z; k < place.z + place.n; ++k) visit(k);
  }
}

/// Those of the unknowns of a mechanism.
void BoundSearch::add_products(const StepSolution& solution, const Iterate& iterate, std::size_t number) {
  Mechanism& mechanism = mechanisms_[number];
  double largest = 0.0;
  for_unknowns(number, [&](Index k) {
    const double speed = std::max(std::abs(solution.z[k]), std::abs(solution.z_free[k]));
    largest = std::max(largest, (*lengths_)[k] * speed);
  });
  if (!(largest > 0.0)) return;
  for_unknowns(number, [&](Index k) {
    const double unit = (*lengths_)[k] / largest, weight = unit * unit, f = solution.z[k] - iterate.z[k];
    mechanism.ff += weight * f * f;
    if (known_ == 0) return;
    const double d1 = f - (solved_[0][k] - z_[0][k]);
    mechanism.f1 += weight * f * d1;
    mechanism.d11 += weight * d1 * d1;
    if (known_ == 1) return;
    const double d2 = f - (solved_[1][k] - z_[1][k]);
    mechanism.f2 += weight * f * d2;
    mechanism.d12 += weight * d1 * d2;
    mechanism.d22 += weight * d2 * d2;
  });
}

/// How x goes on, by the products; they are zero again for the next iterate.
void BoundSearch::choose(Mechanism& one) const {
  const bool poor = one.ff > kFallOfSquares * one.last;
  const bool found = one.ff <= kFound, expands = known_ > 0 && one.growth > 0.0 && !found;
  one.plain = known_ == 0 || found || !(one.d11 > 0.0) || (poor && !one.plain && !expands);
  one.a1 = one.a2 = 0.0;
  if (!one.plain && !expands) {
    const double determinant = one.d11 * one.d22 - one.d12 * one.d12;
    if (known_ == 2 && determinant > kDependentDifferences * one.d11 * one.d22) {
      one.a1 = (one.f1 * one.d22 - one.f2 * one.d12) / determinant;
      one.a2 = (one.f2 * one.d11 - one.f1 * one.d12) / determinant;
    } else {
      one.a1 = one.f1 / one.d11;
    }
  }
  one.leap = expands ? 2.0 * one.leap : 1.0;
  one.last = one.ff;
  one.ff = one.f1 = one.f2 = one.d11 = one.d12 = one.d22 = one.growth = 0.0;
}

/// Those of mechanisms that rub as x, later on; all others to the solution's.
void BoundSearch::move_unknowns(const StepSolution& solution, Iterate& iterate) {
  const auto next_of = [&](const Mechanism& mechanism, Index k) {
    const double solved = solution.z[k];
    double next = solved;
    if (mechanism.leap != 1.0) next += (mechanism.leap - 1.0) * (solved - iterate.z[k]);
    if (mechanism.a1 != 0.0) next -= mechanism.a1 * (solved - solved_[0][k]);
    if (mechanism.a2 != 0.0) next -= mechanism.a2 * (solved - solved_[1][k]);
    return next;
  };
  const bool along = iterates_ > kUnknownsFrom;
  for (std::size_t number = 0; number < mechanisms_.size(); ++number) {
    const Mechanism& mechanism = mechanisms_[number];
    for_unknowns(number, [&](Index k) {
      const double next = along && mechanism.rubs ? next_of(mechanism, k) : solution.z[k];
      z_[1][k] = iterate.z[k];
      solved_[1][k] = solution.z[k];
      iterate.z[k] = next;
    });
  }
  z_[0].swap(z_[1]);
  solved_[0].swap(solved_[1]);
}

void BoundSearch::move(const RelationCaches& relations, const StepSolution& solution, Iterate& iterate) {
  const Eigen::VectorXd& G = solution.lambda;
  Eigen::VectorXd& x = iterate.lambda;
  for_joints(relations,
             [&](const InteractionPlan& joint) { add_products(joint, G, x, mechanism_of(relations, joint)); });
  ++iterates_;
  for (std::size_t number = 0; number < mechanisms_.size(); ++number) {
    if (mechanisms_[number].rubs && iterates_ > kUnknownsFrom) add_products(solution, iterate, number);
    choose(mechanisms_[number]);
  }
  for (Eigen::VectorXd* oldest : {x_[1], G_[1]}) {
    if (oldest->size() != G.size()) oldest->setZero(G.size());
  }
  for_joints(relations, [&](const InteractionPlan& joint) {
    const Mechanism& mechanism = mechanism_of(relations, joint);
    for (Index k = joint.row; k < joint.row + joint.rows; ++k) {
      double next = G[k] + (mechanism.leap - 1.0) * (G[k] - x[k]);
      if (mechanism.a1 != 0.0) next -= mechanism.a1 * (G[k] - (*G_[0])[k]);
      if (mechanism.a2 != 0.0) next -= mechanism.a2 * (G[k] - (*G_[1])[k]);
      (*x_[1])[k] = x[k];
      (*G_[1])[k] = G[k];
      x[k] = next;
    }
  });
  for (const InteractionPlan& interaction : relations.interactions) {
    if (!makes_bounds(interaction))
      x.segment(interaction.row, interaction.rows) = G.segment(interaction.row, interaction.rows);
  }
  std::swap(x_[0], x_[1]);
  std::swap(G_[0], G_[1]);
  move_unknowns(solution, iterate);
  known_ = std::min(known_ + 1, 2);
}

}  // namespace nonsmooth
