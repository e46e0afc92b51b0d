// SPDX-License-Identifier: Apache-2.0
// What a one-step problem that failed says of the model: where its worst row is, or the rows that contradict each
// other; and its equality rows whose block of W is rank deficient.
#include <algorithm>
#include <set>

#include "plan.hpp"

namespace nonsmooth::stages {
namespace {

/// "row 0 of stop", or "the contact of left and right", of a row of the one-step problem.
std::string place_of(Index row, const Plan& plan) {
  const auto after = std::upper_bound(plan.active.begin(), plan.active.end(), row,
                                      [](Index wanted, const ActiveBlock& block) { return wanted < block.row; });
  const ActiveBlock& active = *(after - 1);  // the first block starts at row 0
  if (active.model_block >= 0) {
    const BlockPlan& block = plan.blocks[static_cast<std::size_t>(active.model_block)];
    return "row " + std::to_string(block.local + row - active.row) + " of " +
           plan.interactions[static_cast<std::size_t>(block.interaction)].name;
  }
  const PlanarContact& contact = plan.contacts[static_cast<std::size_t>(active.contact)];
  return "the contact of " + plan.system(contact.first).name + " and " +
         (contact.second >= 0 ? plan.system(contact.second).name : "the ground");
}

}  // namespace

std::string place_of_failure(const Plan& plan) {
  constexpr std::size_t most_places = 6;
  const mixed::Result& result = plan.result;
  const Index rows = plan.problem.W.rows();
  if (plan.active.empty() || result.r.size() != rows) return {};
  if (result.status == Status::Infeasible && result.proof.size() == rows) {
    const double least = 1e-12 * result.proof.cwiseAbs().maxCoeff();
    std::vector<std::string> places;  // each once, in the order of the rows
    for (Index row = 0; row < rows; ++row) {
      if (!(std::abs(result.proof[row]) > least)) continue;
      std::string place = place_of(row, plan);
      if (std::find(places.begin(), places.end(), place) == places.end()) places.push_back(std::move(place));
    }
    std::string text = "No motion satisfies ";
    for (std::size_t i = 0; i < std::min(places.size(), most_places); ++i) text += (i == 0 ? "" : ", ") + places[i];
    if (places.size() > most_places) text += " and " + std::to_string(places.size() - most_places) + " more";
    return text + (places.size() == 1 ? ", whatever its reaction." : " at once, whatever their reactions.");
  }
  const Index worst = result.certificate.worst_row;
  return worst >= 0 && worst < rows ? "Worst: " + place_of(worst, plan) + "." : std::string();
}

std::string redundant_equalities(const Plan& plan) {
  constexpr Index kMostRows = 600;  // a dense pivoted factorization of these takes milliseconds
  std::vector<Index> blocks;
  Index rows = 0;
  for (std::size_t b = 0; b < plan.active.size(); ++b) {
    if (plan.problem.K[static_cast<Index>(b)].kind != SetKind::Free) continue;
    blocks.push_back(static_cast<Index>(b));
    rows += plan.active[b].size;
  }
  if (rows < 2 || rows > kMostRows) return {};
  Eigen::MatrixXd W = Eigen::MatrixXd::Zero(rows, rows);
  std::vector<Index> owner(static_cast<std::size_t>(rows));
  Index row = 0;
  for (const Index i : blocks) {
    const ActiveBlock& active = plan.active[static_cast<std::size_t>(i)];
    Index column = 0;
    for (const Index j : blocks) {
      const Index size = plan.active[static_cast<std::size_t>(j)].size;
      if (const Index found = plan.problem.W.find(i, j); found >= 0)
        W.block(row, column, active.size, size) = plan.problem.W.block(i, found);
      column += size;
    }
    const Index interaction = plan.blocks[static_cast<std::size_t>(active.model_block)].interaction;
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
  const auto names = [&plan](const std::set<Index>& interactions) {
    std::string list;
    for (const Index i : interactions)
      list += (list.empty() ? "" : ", ") + plan.interactions[static_cast<std::size_t>(i)].name;
    return list;
  };
  std::set<Index> held_mechanics, held_first_order;
  for (const Index i : held) {
    const bool first_order = plan.interactions[static_cast<std::size_t>(i)].first_order;
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

}  // namespace nonsmooth::stages
