// SPDX-License-Identifier: Apache-2.0
// What a one-step problem that failed says of the model: where its worst row is, or the rows that contradict each
// other; and its equality rows whose block of W is rank deficient. What kept Newton's iteration from
// converging.
#include "failure.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>
#include <type_traits>

#include "model/guarded.hpp"

namespace nonsmooth {

namespace stages {
namespace {

const Layout::System& system_in(const Layout& layout, Index i) { return layout.systems[static_cast<std::size_t>(i)]; }

/// Asks for u = r on one block. @throws InvalidArgument where the solver does not take its set.
template <class Problem>
void ask_alone(const AnySolver& solver, const BlockSet& set, Index size) {
  const Eigen::VectorXd rest = Eigen::VectorXd::Zero(size);
  Problem alone;
  alone.K.push_back(set, size);
  if constexpr (std::is_same_v<Problem, mixed::Problem>) {
    alone.W.begin_pattern({size});
    alone.W.next_row();
    alone.W.end_pattern();
    for (Index r = 0; r < size; ++r) alone.W.values(0)[r * (size + 1)] = 1.0;
    alone.q = rest;
  } else {
    alone.A.resize(size, size);
    alone.A.setIdentity();
    alone.H = alone.A;
    alone.f = alone.w = rest;
  }
  static_cast<void>(solver.solve_from(rest, alone));
}

std::string unknown_of(const Layout::System& place, Index entry) {
  return (place.first_order ? "x " : "velocity ") + std::to_string(entry) + " of " + place.name;
}

}  // namespace

std::string place_of_failure(const OneStepNSProblem& problem) {
  const mixed::Result& result = problem.result;
  const Index rows = problem.num_rows();
  if (result.status == Status::Infeasible && result.proof.size() == rows) {
    const std::vector<std::string> places = places_in_proof(problem);
    const bool one = std::all_of(places.begin(), places.end(), [&](const auto& place) { return place == places[0]; });
    return "No motion satisfies " + list_of(places) +
           (one ? ", whatever its reaction." : " at once, whatever their reactions.");
  }
  const Index worst = result.certificate.worst_row;
  return worst >= 0 && worst < rows ? "Worst: " + problem.place(worst) + "." : std::string();
}

std::vector<std::string> places_in_proof(const OneStepNSProblem& problem) {
  const Eigen::VectorXd& proof = problem.result.proof;
  const double least = 1e-12 * proof.cwiseAbs().maxCoeff();
  std::vector<std::string> places;
  for (Index row = 0; row < proof.size(); ++row)
    if (std::abs(proof[row]) > least) places.push_back(problem.place(row));
  return places;
}

std::string rows_refused(const AnySolver& solver, const OneStepNSProblem& problem) {
  std::vector<std::string> places;
  for (const OneStepNSProblem::Block& block : problem.blocks) {
    const BlockSet& set = problem.sets()[static_cast<Index>(&block - problem.blocks.data())];
    try {
      if (problem.global) {
        ask_alone<friction::GlobalProblem>(solver, set, block.size);
      } else {
        ask_alone<mixed::Problem>(solver, set, block.size);
      }
    } catch (const InvalidArgument&) {
      places.push_back(problem.place(block.row));
    }
  }
  return places.empty() ? std::string() : " in " + list_of(places);
}

std::string least_converged(const Layout& layout, const RelationCaches& relations, const LeastConverged& worst) {
  if (worst.system < 0 && worst.interaction < 0) return {};
  std::string name;
  if (worst.system >= 0) {
    name = unknown_of(system_in(layout, worst.system), worst.entry);
  } else {
    const InteractionPlan& interaction = relations.interaction(worst.interaction);
    std::vector<std::string> systems;
    for (const JacobianBlock& jacobian : relations.jacobians.of(interaction))
      systems.push_back(system_in(layout, jacobian.system).name);
    name = "the multiplier in " + place_of_row(interaction.name, worst.entry, systems);
  }
  if (std::isnan(worst.ratio)) return "Not finite: " + name + ".";
  std::ostringstream text;
  text.precision(2);
  text << "Furthest from convergence: " << name << ", which moved " << worst.ratio << " times as far as it may.";
  return text.str();
}

std::string first_not_finite(const Layout& layout, const Eigen::VectorXd& z) {
  for (const Layout::System& place : layout.systems) {
    for (Index i = 0; i < place.n; ++i)
      if (!std::isfinite(z[place.z + i])) return "Not finite: " + unknown_of(place, i) + ".";
  }
  return {};
}

std::string redundant_equalities(const OneStepNSProblem& problem) {
  constexpr Index kMostRows = 600;  // a dense pivoted factorization of these takes milliseconds
  std::vector<Index> blocks;
  Index rows = 0;
  for (std::size_t b = 0; b < problem.blocks.size(); ++b) {
    if (problem.reduced.K[static_cast<Index>(b)].kind != SetKind::Free || problem.blocks[b].interaction < 0) continue;
    blocks.push_back(static_cast<Index>(b));
    rows += problem.blocks[b].size;
  }
  if (rows < 2 || rows > kMostRows) return {};
  Eigen::MatrixXd W = Eigen::MatrixXd::Zero(rows, rows);
  std::vector<Index> owner(static_cast<std::size_t>(rows));
  Index row = 0;
  for (const Index i : blocks) {
    const OneStepNSProblem::Block& block = problem.blocks[static_cast<std::size_t>(i)];
    Index column = 0;
    for (const Index j : blocks) {
      const Index size = problem.blocks[static_cast<std::size_t>(j)].size;
      if (const Index found = problem.reduced.W.find(i, j); found >= 0)
        W.block(row, column, block.size, size) = problem.reduced.W.block(i, found);
      column += size;
    }
    for (Index r = 0; r < block.size; ++r) owner[static_cast<std::size_t>(row + r)] = block.interaction;
    row += block.size;
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
  const auto& of_layout = problem.layout->interactions;
  const auto names = [&of_layout](const std::set<Index>& interactions) {
    std::string list;
    for (const Index i : interactions) list += (list.empty() ? "" : ", ") + of_layout[static_cast<std::size_t>(i)].name;
    return list;
  };
  std::set<Index> held_mechanics, held_first_order;
  for (const Index i : held) {
    const bool first_order = of_layout[static_cast<std::size_t>(i)].first_order;
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
    text +=
        (text.empty() ? "" : " ") + std::string("Equality rows of ") + names(dependent) +
        " depend on those of other interactions, which analysis::examine names: redundant constraints, or ones that "
        "contradict each other. Remove them or give them a compliance.";
  }
  return text;
}

}  // namespace stages
}  // namespace nonsmooth
