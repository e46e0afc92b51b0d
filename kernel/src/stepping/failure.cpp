// SPDX-License-Identifier: Apache-2.0
// What a one-step problem that failed says of the model: where its worst row is, or the rows that contradict each
// other; and its equality rows whose block of W is rank deficient. What kept Newton's iteration from
// converging.
#include "failure.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>

#include "model/guarded.hpp"

namespace nonsmooth {

namespace stages {
namespace {

/// The place of a row of the one-step problem.
std::string place_in_problem(Index row, const Layout& layout, const ActingRows& acting) {
  const auto after = std::upper_bound(acting.active.blocks.begin(), acting.active.blocks.end(), row,
                                      [](Index wanted, const ActiveBlock& block) { return wanted < block.row; });
  const ActiveBlock& block = *(after - 1);  // the first block starts at row 0
  if (block.model_block < 0) return place_of(acting.contact(block), layout);
  const BlockPlan& model = acting.block(block);
  return place_of(model.interaction, model.local + row - block.row, layout, acting.relations);
}

const Layout::System& system_in(const Layout& layout, Index i) { return layout.systems[static_cast<std::size_t>(i)]; }

std::string unknown_of(const Layout::System& place, Index entry) {
  return (place.first_order ? "x " : "velocity ") + std::to_string(entry) + " of " + place.name;
}

}  // namespace

std::string place_of(Index interaction, Index row, const Layout& layout, const RelationCaches& relations) {
  const InteractionPlan& own = relations.interaction(interaction);
  std::vector<std::string> systems;
  for (const JacobianBlock& jacobian : relations.jacobians.of(own))
    systems.push_back(system_in(layout, jacobian.system).name);
  return "row " + std::to_string(row) + " of " + own.name + (systems.empty() ? "" : " on ") + list_of(systems);
}

std::string place_of(const PlanarContact& contact, const Layout& layout) {
  return "the contact of " + system_in(layout, contact.first).name + " and " +
         (contact.second >= 0 ? system_in(layout, contact.second).name : "the ground");
}

std::string place_of_failure(const Layout& layout, const ActingRows& acting, const mixed::Result& result) {
  if (acting.active.blocks.empty()) return {};
  const Index rows = acting.active.rows();
  if (result.status == Status::Infeasible && result.proof.size() == rows) {
    const double least = 1e-12 * result.proof.cwiseAbs().maxCoeff();
    std::vector<std::string> places;
    for (Index row = 0; row < rows; ++row)
      if (std::abs(result.proof[row]) > least) places.push_back(place_in_problem(row, layout, acting));
    const bool one = std::all_of(places.begin(), places.end(), [&](const auto& place) { return place == places[0]; });
    return "No motion satisfies " + list_of(places) +
           (one ? ", whatever its reaction." : " at once, whatever their reactions.");
  }
  const Index worst = result.certificate.worst_row;
  return worst >= 0 && worst < rows ? "Worst: " + place_in_problem(worst, layout, acting) + "." : std::string();
}

std::string least_converged(const Layout& layout, const RelationCaches& relations, const LeastConverged& worst) {
  if (worst.system < 0 && worst.interaction < 0) return {};
  const std::string name = worst.system >= 0
                               ? unknown_of(system_in(layout, worst.system), worst.entry)
                               : "the multiplier in " + place_of(worst.interaction, worst.entry, layout, relations);
  if (std::isnan(worst.ratio)) return "Not finite: " + name + ".";
  std::ostringstream text;
  text.precision(2);
  text << "Least settled: " << name << ", which moved " << worst.ratio << " times as far as it may.";
  return text.str();
}

std::string first_not_finite(const Layout& layout, const Eigen::VectorXd& z) {
  for (const Layout::System& place : layout.systems) {
    for (Index i = 0; i < place.n; ++i)
      if (!std::isfinite(z[place.z + i])) return "Not finite: " + unknown_of(place, i) + ".";
  }
  return {};
}

std::string redundant_equalities(const ActingRows& acting, const mixed::Problem& problem) {
  constexpr Index kMostRows = 600;  // a dense pivoted factorization of these takes milliseconds
  std::vector<Index> blocks;
  Index rows = 0;
  for (std::size_t b = 0; b < acting.active.blocks.size(); ++b) {
    if (problem.K[static_cast<Index>(b)].kind != SetKind::Free) continue;
    blocks.push_back(static_cast<Index>(b));
    rows += acting.active.blocks[b].size;
  }
  if (rows < 2 || rows > kMostRows) return {};
  Eigen::MatrixXd W = Eigen::MatrixXd::Zero(rows, rows);
  std::vector<Index> owner(static_cast<std::size_t>(rows));
  Index row = 0;
  for (const Index i : blocks) {
    const ActiveBlock& active = acting.active.blocks[static_cast<std::size_t>(i)];
    Index column = 0;
    for (const Index j : blocks) {
      const Index size = acting.active.blocks[static_cast<std::size_t>(j)].size;
      if (const Index found = problem.W.find(i, j); found >= 0)
        W.block(row, column, active.size, size) = problem.W.block(i, found);
      column += size;
    }
    const Index interaction = acting.block(active).interaction;
    for (Index r = 0; r < active.size; ++r) owner[static_cast<std::size_t>(row + r)] = interaction;
    row += active.size;
  }
  // Rows that earlier ones explain: a Cholesky without pivoting meets a vanishing pivot exactly there.
  std::set<Index> dependent, held;
  const Eigen::VectorXd diagonal = W.diagonal();
  for (Index k = 0; k < rows; ++k) {
    if (!(diagonal[k] > 0.0)) {
      held.insert(owner[static_cast<std::size_t>(k)]);
      continue;
    }
    if (!(W(k, k) > 1e-12 * diagonal[k])) {
      dependent.insert(owner[static_cast<std::size_t>(k)]);
      continue;
    }
    const Eigen::VectorXd column = W.col(k).tail(rows - k - 1) / W(k, k);
    W.bottomRightCorner(rows - k - 1, rows - k - 1) -= column * W.row(k).tail(rows - k - 1);
  }
  const auto names = [&acting](const std::set<Index>& interactions) {
    std::string list;
    for (const Index i : interactions) list += (list.empty() ? "" : ", ") + acting.relations.interaction(i).name;
    return list;
  };
  std::set<Index> held_mechanics, held_first_order;
  for (const Index i : held) {
    const bool first_order = acting.relations.interaction(i).first_order;
    (first_order ? held_first_order : held_mechanics).insert(i);
  }
  std::string text;
  if (!held_mechanics.empty()) {
    text =
        "No reaction can move what the equality rows of " + names(held_mechanics) + " act on (a prescribed velocity?).";
  }
  if (!held_first_order.empty()) {
    text += (text.empty() ? "" : " ") + std::string("The multiplier of the equality rows of ") +
            names(held_first_order) + " changes neither y nor x where the step is linearised (dh/dlambda = 0 there?).";
  }
  if (!dependent.empty()) {
    text += (text.empty() ? "" : " ") + std::string("Equality rows of ") + names(dependent) +
            " depend on those of other interactions: redundant constraints. Remove them or give them a compliance.";
  }
  return text;
}

}  // namespace stages
}  // namespace nonsmooth
