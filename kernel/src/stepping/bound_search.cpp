// SPDX-License-Identifier: Apache-2.0
#include "bound_search.hpp"

#include <algorithm>
#include <utility>

#include "laws/reaction_bounds.hpp"

namespace nonsmooth {
namespace {

constexpr double kDependentDifferences = 1e-10;  ///< sine^2 of the angle of two differences of f that count as one
constexpr double kFallOfSquares = 1.0 / 16.0;

/// Its law makes bounds of its multipliers.
bool makes_bounds(const InteractionPlan& interaction) {
  return interaction.law->varies == LawVaries::Iterate &&
         dynamic_cast<const ReactionBounds*>(interaction.law->law.get()) != nullptr;
}

/// Calls give(first, count) for the rows of each joint that does.
template <class Give>
void for_joints(const RelationCaches& relations, Give give) {
  for (const InteractionPlan& interaction : relations.interactions) {
    if (makes_bounds(interaction)) give(interaction.row, interaction.rows);
  }
}

/// Products of f and of its differences, and how f grows along x.
struct Products {
  double ff = 0.0, f1 = 0.0, f2 = 0.0, d11 = 0.0, d12 = 0.0, d22 = 0.0, growth = 0.0;
};

}  // namespace

void BoundSearch::move(const RelationCaches& relations, const StepSolution& solution, Iterate& iterate) {
  const Eigen::VectorXd& G = solution.lambda;
  Eigen::VectorXd& x = iterate.lambda;
  Products sums;
  for_joints(relations, [&](Index first, Index count) {
    const double size = G.segment(first, count).lpNorm<Eigen::Infinity>();
    if (!(size > 0.0)) return;
    const double weight = 1.0 / (size * size);
    for (Index k = first; k < first + count; ++k) {
      const double f = G[k] - x[k];
      sums.ff += weight * f * f;
      if (known_ == 0) continue;
      const double d1 = f - ((*G_[0])[k] - (*x_[0])[k]);
      sums.f1 += weight * f * d1;
      sums.d11 += weight * d1 * d1;
      sums.growth += weight * d1 * (x[k] - (*x_[0])[k]);
      if (known_ == 1) continue;
      const double d2 = f - ((*G_[1])[k] - (*x_[1])[k]);
      sums.f2 += weight * f * d2;
      sums.d12 += weight * d1 * d2;
      sums.d22 += weight * d2 * d2;
    }
  });
  const bool poor = sums.ff > kFallOfSquares * last_;
  const bool expands = known_ > 0 && sums.growth > 0.0;
  plain_ = known_ == 0 || !(sums.d11 > 0.0) || (poor && !plain_ && !expands);
  double a1 = 0.0, a2 = 0.0;
  if (!plain_ && !expands) {
    const double determinant = sums.d11 * sums.d22 - sums.d12 * sums.d12;
    if (known_ == 2 && determinant > kDependentDifferences * sums.d11 * sums.d22) {
      a1 = (sums.f1 * sums.d22 - sums.f2 * sums.d12) / determinant;
      a2 = (sums.f2 * sums.d11 - sums.f1 * sums.d12) / determinant;
    } else {
      a1 = sums.f1 / sums.d11;
    }
  }
  leap_ = expands ? 2.0 * leap_ : 1.0;
  for (Eigen::VectorXd* oldest : {x_[1], G_[1]}) {
    if (oldest->size() != G.size()) oldest->setZero(G.size());
  }
  const auto take = [&](Index k, double next) {
    (*x_[1])[k] = x[k];
    (*G_[1])[k] = G[k];
    x[k] = next;
  };
  for_joints(relations, [&](Index first, Index count) {
    for (Index k = first; k < first + count; ++k) {
      double next = G[k] + (leap_ - 1.0) * (G[k] - x[k]);
      if (a1 != 0.0) next -= a1 * (G[k] - (*G_[0])[k]);
      if (a2 != 0.0) next -= a2 * (G[k] - (*G_[1])[k]);
      take(k, next);
    }
  });
  for (const InteractionPlan& interaction : relations.interactions) {
    if (!makes_bounds(interaction))
      x.segment(interaction.row, interaction.rows) = G.segment(interaction.row, interaction.rows);
  }
  std::swap(x_[0], x_[1]);
  std::swap(G_[0], G_[1]);
  known_ = std::min(known_ + 1, 2);
  last_ = sums.ff;
  iterate.z = solution.z;
}

}  // namespace nonsmooth
