// SPDX-License-Identifier: Apache-2.0
#include "examine_start.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <sstream>

#include <internal/decompositions.hpp>
#include <nonsmooth/kernel/link_joint.hpp>
#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/linear_algebra/factorization.hpp>

#include "contact/overlaps.hpp"
#include "dynamics/mechanics/iteration_matrix.hpp"
#include "dynamics/relations/relation_values.hpp"
#include "model/equations/sparse_systems.hpp"
#include "model/guarded.hpp"
#include "model/slots.hpp"

namespace nonsmooth::stages {
namespace {

using Matrix = Eigen::MatrixXd;
using SparseMatrix = Eigen::SparseMatrix<double>;

constexpr double kRounding = 1e-12;
/// Of the terms of a gap: starts that were written down with nine digits or more count as they were meant.
constexpr double kGapNoise = 1e-9;
constexpr double kOpposite = 1e-9;          ///< of rows of H: what their sum may be of their size
constexpr std::size_t kMostPairsTold = 10;  ///< of one source, by their names

template <class Value>
std::string text(Value value) {
  std::ostringstream stream;
  stream << value;
  return stream.str();
}

/// A chain of integrators under an equality: what the start has wrong keeps coming back.
void examine_equality(Index degree, const Scheme& scheme, Remark& remark) {
  const bool implicit = scheme.theta == 1.0 && scheme.multiplier_weight == 1.0 && scheme.relation_weight == 1.0;
  if (degree < 2 || (implicit && !scheme.exponential)) return;
  remark.found = "an equality of relative degree " + std::to_string(degree) +
                 ": what a start has wrong in derivatives of y rings under this scheme, undamped";
  remark.expected = "EulerMoreau with theta = multiplier_weight = relation_weight = 1, or mechanics with EqualityLaw";
}

void examine_inequality(Index degree, const Scheme& scheme, Remark& remark) {
  const bool weighted = scheme.multiplier_weight < 1.0 || scheme.relation_weight < 1.0;
  if (degree >= 3) {
    remark.refused = true;
    remark.found = "relative degree " + std::to_string(degree) +
                   ": at a contact the multiplier is a distribution, and the state after it grows as h falls";
    remark.expected =
        "at most 2 (a constraint on a lower integral of the same state), or link_higher_order() of the "
        "interaction, under HigherOrderMoreau";
  } else if (degree == 2 && (scheme.exponential || scheme.theta < 1.0 || weighted)) {
    const double e = scheme.exponential ? 1.0 : (1.0 - scheme.theta) / scheme.theta;
    remark.found = "relative degree 2: at a contact this scheme throws the state back " +
                   (weighted && !scheme.exponential ? std::string() : "by up to " + text(e) + " of its speed") +
                   (weighted && !scheme.exponential ? "as steps happen to fall" : ", as steps happen to fall");
    remark.expected = "EulerMoreau with theta = 1" +
                      std::string(weighted ? " and multiplier_weight = relation_weight = 1" : "") +
                      ", after which it rests, or a mechanical system with an impact law";
  }
}

/// Row `local` of an interaction; most rows have nothing to tell, and nothing is written for them.
void examine_row(Index degree, Index local, bool equality, const InteractionPlan& interaction, Remarks& remarks) {
  if (degree == 0 || degree == 1) return;
  Remark remark;
  if (degree < 0) {
    remark.kind = Remark::Kind::Unreached;
    remark.found = "a multiplier that acts on no derivative of y: nothing holds y in its set";
    remark.expected = "B and A by which it reaches C x";
  } else if (equality) {
    examine_equality(degree, interaction.scheme, remark);
  } else {
    examine_inequality(degree, interaction.scheme, remark);
  }
  if (remark.found.empty()) return;
  remark.subject = "row " + std::to_string(local) + " of " + interaction.name;
  remark.value = static_cast<double>(degree);
  remarks.push_back(std::move(remark));
}

/// W of a step on the rows of an island, as the step has it: each system's own input operator and weights.
Matrix matrix_of_step(const Island& island, const LinearIsland& matrices, const Discretisation& discretisation,
                      const RelationCaches& relations) {
  Matrix W = matrices.D;
  Index row = 0;
  for (const Index i : island.interactions) {
    const InteractionPlan& of_row = relations.interaction(i);
    Index column = 0;
    for (const Index j : island.interactions) {
      const InteractionPlan& of_column = relations.interaction(j);
      for (const JacobianBlock& jacobian : relations.jacobians.of(of_row)) {
        const double weight = discretisation.scheme(jacobian.system).relation_weight;
        const Eigen::Map<const Matrix> C(relations.jacobians.hu.data() + jacobian.hu, of_row.rows, jacobian.n);
        for (const JacobianBlock& other : relations.jacobians.of(of_column)) {
          if (other.system != jacobian.system) continue;
          const Eigen::Map<const Matrix> P(relations.jacobians.p.data() + other.p, other.n, of_column.rows);
          W.block(row, column, of_row.rows, of_column.rows).noalias() += weight * C * P;
        }
      }
      column += of_column.rows;
    }
    row += of_row.rows;
  }
  return W;
}

/// W of a step: neither P nor monotone, it may have several answers.
void examine_uniqueness(const Island& island, const LinearIsland& matrices, const std::vector<std::size_t>& blocks,
                        const Discretisation& discretisation, const RelationCaches& relations,
                        StartExamination& found) {
  const Index m = matrices.B.cols();
  const auto& first = relations.interactions[static_cast<std::size_t>(island.interactions.front())];
  for (const Index i : island.interactions) {  // laws with rows of their own are monotone graphs, but in more rows
    const auto& interaction = relations.interaction(i);
    if (!interaction.constant || interaction.law->coupling.size() > 0) return;
  }
  if (!may_have_several_answers(
          without_equalities(matrix_of_step(island, matrices, discretisation, relations), island, blocks, relations)))
    return;
  if (static_cast<double>(m) <= kMostDoubtfulRows)
    found.doubtful.insert(found.doubtful.end(), island.systems.begin(), island.systems.end());
  Remark remark;
  remark.kind = Remark::Kind::Ambiguity;
  remark.subject = first.name + (island.interactions.size() > 1 ? " and what it is tied to" : "");
  remark.value = static_cast<double>(m);
  remark.found =
      "a problem of " + text(m) + " rows whose matrix is neither P nor monotone: steps may have several answers";
  remark.expected = "a unique one: signs of B and D by which multipliers oppose y";
  found.remarks.push_back(std::move(remark));
}

void examine_islands(const NonSmoothDynamicalSystem& model, const Discretisation& discretisation,
                     const RelationCaches& relations, StartExamination& found) {
  const Layout& layout = *discretisation.layout;
  const std::vector<Island> islands = islands_of_first_order(layout, relations);
  if (islands.empty()) return;
  const std::vector<std::size_t> blocks = first_blocks(relations);
  for (const Island& island : islands) {
    const auto matrices = matrices_of(island, model, layout, relations);
    if (!matrices) continue;
    examine_uniqueness(island, *matrices, blocks, discretisation, relations, found);
    Index first = 0;  // row of the interaction in the island
    for (const Index i : island.interactions) {
      const auto& interaction = relations.interaction(i);
      for (std::size_t b = blocks[static_cast<std::size_t>(i)]; b < blocks[static_cast<std::size_t>(i) + 1]; ++b) {
        const BlockPlan& block = relations.blocks[b];
        if (!is_unbounded(block, interaction)) continue;
        const bool equality = block.set.kind == SetKind::Free;
        for (Index local = block.local; local < block.local + block.size; ++local)
          examine_row(relative_degree(*matrices, first + local), local, equality, interaction, found.remarks);
      }
      first += interaction.rows;
    }
  }
}

void examine_algebraic_rows(const NonSmoothDynamicalSystem& model, const Discretisation& discretisation,
                            Remarks& remarks) {
  for (std::size_t i = 0; i < discretisation.layout->systems.size(); ++i) {
    const Layout::System& place = discretisation.layout->systems[i];
    const double theta = discretisation.schemes[i].theta;
    if (!place.first_order || place.n > kMostStatesOfIsland || discretisation.schemes[i].exponential || theta == 1.0)
      continue;
    const auto description = FirstOrderSystemEvaluator::of(model.systems()[place.slot]);
    if (description.empty() || description.mass().empty()) continue;
    const MatrixData& mass = description.mass();
    const auto* diagonal = mass.diagonal();
    if (diagonal ? (diagonal->array() != 0.0).all() : !iteration_matrix::is_singular(mass.to_dense(place.n, true)))
      continue;
    Remark remark;
    remark.kind = Remark::Kind::AlgebraicRinging;
    remark.subject = model.systems()[place.slot].name;
    remark.value = (1.0 - theta) / theta;
    remark.found =
        "a singular mass: where a multiplier or an input jumps, its algebraic unknowns overshoot and ring by " +
        text(remark.value) + " from step to step";
    remark.expected = "EulerMoreau with theta = 1, which holds algebraic rows at the end of each step";
    remarks.push_back(std::move(remark));
  }
}

auto teller_of_gaps(Remarks& remarks) {
  return [&remarks](const std::string& subject, double distance, bool inside) {
    Remark remark;
    remark.kind = Remark::Kind::Interpenetration;
    remark.subject = subject;
    remark.value = distance;
    remark.found = "an initial state " + text(distance) + (inside ? " inside its obstacle" : " off its constraint");
    remark.expected = inside ? "y >= 0, or repair_initial_state = true" : "y = 0, or repair_initial_state = true";
    remarks.push_back(std::move(remark));
  };
}

/// What a joint holds at y has to be closed before anything moves.
Remark open_joint(std::string subject, double y, const NonSmoothDynamicalSystem& model,
                  const NonSmoothDynamicalSystem::InteractionRecord& joint) {
  std::string bodies;
  for (const std::uint32_t slot : joint.systems) bodies += (bodies.empty() ? "" : " and ") + model.systems()[slot].name;
  Remark remark;
  remark.kind = Remark::Kind::Interpenetration;
  remark.subject = std::move(subject);
  remark.value = std::abs(y);
  remark.refused = true;
  remark.found = "a joint of " + bodies + (joint.systems.size() > 1 ? "" : " and the ground") +
                 " that starts open, with y = " + text(y) + ", off its constraint";
  remark.expected = "y = 0 within " + text(closed_joint) +
                    ": anchors that meet where the bodies start, or repair_initial_state = true";
  return remark;
}

/// An interaction that was there before an edit: a joint that has drifted since it began.
bool was_in(const Layout* before, const Layout& now, std::uint32_t slot) {
  return before &&
         lives_in(slot, now.interaction_generation, before->interaction_of_slot, before->interaction_generation);
}

/// A unilateral row that says how far a gap is open.
struct GapRow {
  const InteractionPlan* interaction = nullptr;
  Index local = 0, row = 0;
};

/// H of the two is opposite where they are, on the same systems.
bool are_opposite(const GapRow& one, const GapRow& other, const RelationCaches& relations) {
  const auto of_one = relations.jacobians.of(*one.interaction), of_other = relations.jacobians.of(*other.interaction);
  if (one.interaction->nonlinear || other.interaction->nonlinear || of_one.size() != of_other.size()) return false;
  double size = 0.0, sum = 0.0;
  for (std::size_t j = 0; j < of_one.size(); ++j) {
    if (of_one[j].system != of_other[j].system) return false;
    for (Index k = 0; k < of_one[j].n; ++k) {
      const double a = entry_of_h(relations, *one.interaction, one.local, of_one[j], k);
      const double b = entry_of_h(relations, *other.interaction, other.local, of_other[j], k);
      size += a * a;
      sum += (a + b) * (a + b);
    }
  }
  return size > 0.0 && sum <= kOpposite * kOpposite * size;
}

/// Stops of one coordinate that are the wrong way about, and the like: of what is inside, with all other rows.
void examine_room(const std::vector<GapRow>& gaps, const std::vector<std::size_t>& inside, const State& state,
                  const OutputTerms& terms, const RelationCaches& relations, Remarks& remarks) {
  const auto name_of = [](const GapRow& gap) {
    return "row " + std::to_string(gap.local) + " of " + gap.interaction->name;
  };
  for (std::size_t i = 0; i < std::min(inside.size(), kMostPairsTold); ++i) {
    for (std::size_t k = 0; k < gaps.size(); ++k) {
      const GapRow &one = gaps[inside[i]], &other = gaps[k];
      const double room = state.outputs[one.row] + state.outputs[other.row];
      const bool told = k <= inside[i] && std::find(inside.begin(), inside.end(), k) != inside.end();
      if (told || room >= -kGapNoise * (terms.y[one.row] + terms.y[other.row])) continue;
      if (!are_opposite(one, other, relations)) continue;
      Remark remark;
      remark.kind = Remark::Kind::Interpenetration;
      remark.subject = name_of(one) + " and " + name_of(other);
      remark.value = -room;
      remark.found = "opposite rows with y_1 + y_2 = " + text(room) + ": what opens one closes the other";
      remark.expected = "y_1 + y_2 >= 0, as of a lower stop that is below the upper one";
      remarks.push_back(std::move(remark));
    }
  }
}

void examine_gaps(const NonSmoothDynamicalSystem& model, const TimeSteppingOptions& options, const State& state,
                  const Layout* before, RelationCaches& relations, Remarks& remarks) {
  const bool moved = options.projection.kind != Projection::None || options.repair_initial_state;
  const double unilateral_tolerance = moved ? options.projection.unilateral_tolerance : 0.0;
  const double bilateral_tolerance = moved ? options.projection.bilateral_tolerance : 0.0;
  const auto tell = teller_of_gaps(remarks);
  const Layout& layout = *state.layout();
  std::optional<OutputTerms> terms;
  std::vector<GapRow> gaps;
  std::vector<std::size_t> inside;  // of these
  for (const BlockPlan& block : relations.blocks) {
    const InteractionPlan& interaction = relations.interaction_of(block);
    if (!is_of_gap(block, interaction)) continue;
    if (!terms) terms = output_terms(state, relations);
    const bool unilateral = interaction.law->unilateral;
    const std::uint32_t slot = layout.interactions[static_cast<std::size_t>(block.interaction)].slot;
    const bool joint = !unilateral && interaction.relation->is_joint() && !was_in(before, layout, slot);
    for (Index r = 0; r < rows_of_gap(block, interaction); ++r) {
      const double y = state.outputs[block.row + r], noise = kGapNoise * terms->y[block.row + r];
      const bool off =
          unilateral ? -y > std::max(noise, unilateral_tolerance) : std::abs(y) > std::max(noise, bilateral_tolerance);
      if (unilateral) {
        if (off) inside.push_back(gaps.size());
        gaps.push_back({&interaction, block.local + r, block.row + r});
      }
      if (!off) continue;
      std::string subject = "row " + std::to_string(block.local + r) + " of " + interaction.name;
      if (joint && std::abs(y) > closed_joint) {
        remarks.push_back(open_joint(std::move(subject), y, model, model.interactions()[slot]));
      } else {
        tell(subject, std::abs(y), unilateral);
      }
    }
  }
  if (!inside.empty()) examine_room(gaps, inside, state, *terms, relations, remarks);
}

void examine_contacts(const NonSmoothDynamicalSystem& model, const TimeSteppingOptions& options, const State& state,
                      const Discretisation& discretisation, ContactSearch& search, Remarks& remarks) {
  const bool moved = options.projection.kind != Projection::None || options.repair_initial_state;
  const double unilateral_tolerance = moved ? options.projection.unilateral_tolerance : 0.0;
  const auto tell = teller_of_gaps(remarks);
  for (std::size_t s = 0; s < model.sources().size(); ++s) {
    ContactBatches found;
    ask_source(model, s, state, discretisation, search, found);
    std::vector<Interpenetration> pairs;
    guarded("a contact source", "shapes_of", [&] {
      pairs = overlaps_of(*model.sources()[s], found, [&](const DetectedContact& contact) {
        return std::max(kGapNoise * contact.terms, unilateral_tolerance);
      });
    });
    std::stable_sort(pairs.begin(), pairs.end(),
                     [](const auto& one, const auto& other) { return one.depth > other.depth; });
    const std::vector<Index>& systems = search.sources[s].bodies.systems;
    const auto name_of = [&](const ShapePlace& shape) {
      return "shape " + std::to_string(shape.place) + " of " +
             (shape.body < 0 ? "the ground"
                             : discretisation.system(systems[static_cast<std::size_t>(shape.body)]).name);
    };
    const std::size_t told = std::min(pairs.size(), kMostPairsTold);
    for (std::size_t p = 0; p < told; ++p)
      tell(name_of(pairs[p].first) + " and " + name_of(pairs[p].second), pairs[p].depth, true);
    if (told < pairs.size())
      tell(std::to_string(pairs.size() - told) + " more pairs of contact source " + std::to_string(s) + ", the deepest",
           pairs[told].depth, true);
  }
}

/// False where a user's function throws: the first step tells of it.
template <class Call>
bool asked(Call&& call) {
  try {
    call();
  } catch (...) {
    return false;
  }
  return true;
}

bool is_definite(const Matrix& M) { return is_positive_definite(M); }
bool is_definite(const SparseMatrix& M) {
  return SparseFactorization(Structure::SymmetricPositiveDefinite).factorize(M);
}

/// What the first step tells of, a diagonal that is not positive, is left to it.
template <class Mass>
void require_mass(const std::string& argument, Mass M, const Mass& transposed) {
  if (!(M.diagonal().minCoeff() > 0.0)) return;
  if ((M - transposed).norm() > 1e-9 * M.norm())
    throw InvalidArgument(argument, "a matrix that is not symmetric", "M = M^T");
  M.diagonal() *= 1.0 + kRounding;
  if (!is_definite(M))
    throw InvalidArgument(argument, "a matrix that is not positive definite", "a positive definite mass");
}

}  // namespace

void require_masses(const NonSmoothDynamicalSystem& model, const State& state) {
  for (const Layout::System& place : state.layout()->systems) {
    const MechanicalSystem* system = model.systems()[place.slot].mechanical;
    if (!system || system->linear()) continue;
    const auto q = state.positions.segment(place.q, place.nq);
    const std::string argument = "mass(q) of " + place.name;
    if (const auto* sparse = dynamic_cast<const SparseMechanicalSystem*>(system)) {
      SparseMatrix M;
      if (!asked([&] { M = sparse_mass(*sparse, q); }) || !M.coeffs().allFinite()) continue;
      require_mass(argument, M, SparseMatrix(M.transpose()));
    } else {
      Matrix M = Matrix::Zero(place.n, place.n);
      if (!asked([&] { system->mass(q, M); }) || !M.allFinite()) continue;
      require_mass(argument, M, Matrix(M.transpose()));
    }
  }
}

StartExamination examine_start(const NonSmoothDynamicalSystem& model, const TimeSteppingOptions& options,
                               const State& state, const Layout* before, const Discretisation& discretisation,
                               RelationCaches& relations, ContactSearch& search) {
  StartExamination found;
  examine_islands(model, discretisation, relations, found);
  examine_algebraic_rows(model, discretisation, found.remarks);
  examine_gaps(model, options, state, before, relations, found.remarks);
  examine_contacts(model, options, state, discretisation, search, found.remarks);
  return found;
}

}  // namespace nonsmooth::stages
