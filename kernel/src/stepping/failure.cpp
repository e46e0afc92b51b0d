// SPDX-License-Identifier: Apache-2.0
// What a one-step problem that failed says of the model: where its worst row is, or the rows that contradict each
// other; and its equality rows whose block of W is rank deficient. What Newton's iteration did not settle.
#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>

#include "plan.hpp"

namespace nonsmooth {

std::string list_of(const std::vector<std::string>& names) {
  constexpr std::size_t kMostNames = 6;
  std::vector<std::string> once;
  for (const std::string& name : names)
    if (std::find(once.begin(), once.end(), name) == once.end()) once.push_back(name);
  std::string text;
  const std::size_t shown = std::min(once.size(), kMostNames);
  for (std::size_t i = 0; i < shown; ++i) text += (i == 0 ? "" : i + 1 == once.size() ? " and " : ", ") + once[i];
  return once.size() > shown ? text + " and " + std::to_string(once.size() - shown) + " more" : text;
}

namespace stages {
namespace {

/// The place of a row of the one-step problem.
std::string place_in_problem(Index row, const Plan& plan) {
  const auto after = std::upper_bound(plan.active.begin(), plan.active.end(), row,
                                      [](Index wanted, const ActiveBlock& block) { return wanted < block.row; });
  const ActiveBlock& active = *(after - 1);  // the first block starts at row 0
  if (active.model_block < 0) return place_of(plan.contacts[static_cast<std::size_t>(active.contact)], plan);
  const BlockPlan& block = plan.blocks[static_cast<std::size_t>(active.model_block)];
  return place_of(block.interaction, block.local + row - active.row, plan);
}

std::string unknown_of(const Layout::System& place, Index entry) {
  return (place.first_order ? "x " : "velocity ") + std::to_string(entry) + " of " + place.name;
}

}  // namespace

std::string place_of(Index interaction, Index row, const Plan& plan) {
  const InteractionPlan& own = plan.interactions[static_cast<std::size_t>(interaction)];
  std::vector<std::string> systems;
  for (Index l = own.first_leg; l < own.first_leg + own.num_legs; ++l)
    systems.push_back(plan.system(plan.legs[static_cast<std::size_t>(l)].system).name);
  return "row " + std::to_string(row) + " of " + own.name + (systems.empty() ? "" : " on ") + list_of(systems);
}

std::string place_of(const PlanarContact& contact, const Plan& plan) {
  return "the contact of " + plan.system(contact.first).name + " and " +
         (contact.second >= 0 ? plan.system(contact.second).name : "the ground");
}

std::string place_of_failure(const Plan& plan) {
  const mixed::Result& result = plan.result;
  if (plan.active.empty()) return {};
  const Index rows = plan.active.back().row + plan.active.back().size;
  if (result.status == Status::Infeasible && result.proof.size() == rows) {
    const double least = 1e-12 * result.proof.cwiseAbs().maxCoeff();
    std::vector<std::string> places;
    for (Index row = 0; row < rows; ++row)
      if (std::abs(result.proof[row]) > least) places.push_back(place_in_problem(row, plan));
    const bool one = std::all_of(places.begin(), places.end(), [&](const auto& place) { return place == places[0]; });
    return "No motion satisfies " + list_of(places) +
           (one ? ", whatever its reaction." : " at once, whatever their reactions.");
  }
  const Index worst = result.certificate.worst_row;
  return worst >= 0 && worst < rows ? "Worst: " + place_in_problem(worst, plan) + "." : std::string();
}

std::string least_settled(const Plan& plan) {
  const LeastSettled& worst = plan.least_settled;
  if (worst.system < 0 && worst.interaction < 0) return {};
  const std::string name = worst.system >= 0 ? unknown_of(plan.system(worst.system), worst.entry)
                                             : "the multiplier in " + place_of(worst.interaction, worst.entry, plan);
  if (std::isnan(worst.ratio)) return "Not finite: " + name + ".";
  std::ostringstream text;
  text.precision(2);
  text << "Least settled: " << name << ", which moved " << worst.ratio << " times as far as it may.";
  return text.str();
}

std::string first_not_finite(const Plan& plan) {
  for (const Layout::System& place : plan.layout->systems) {
    for (Index i = 0; i < place.n; ++i)
      if (!std::isfinite(plan.z[place.z + i])) return "Not finite: " + unknown_of(place, i) + ".";
  }
  return {};
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

}  // namespace stages
}  // namespace nonsmooth
