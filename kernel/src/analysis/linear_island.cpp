// SPDX-License-Identifier: Apache-2.0
// Islands of first-order systems, and their matrices.
#include <algorithm>
#include <optional>
#include <utility>

#include <internal/decompositions.hpp>
#include <internal/disjoint_sets.hpp>

#include "dynamics/factors/pivots.hpp"
#include "dynamics/first_order/descriptor_form.hpp"
#include "examine_start.hpp"

namespace nonsmooth::stages {
namespace {

using Matrix = Eigen::MatrixXd;

Index first_system(const InteractionPlan& interaction, const RelationCaches& relations) {
  return relations.jacobians.of(interaction).front().system;
}

/// M^-1 of the systems, and what is left of the algebraic unknowns of those whose masses are singular (see
/// DescriptorForm). Empty matrices: no mass but identities, and no singular one.
struct Masses {
  Matrix inverse, whole, algebraic;
  bool diagonal = true;  ///< the inverse

  /// Takes that of a system of size states, the first of which is state `at` of the island; false for a pencil of
  /// another index than 0 or 1. A becomes that of the reduced form.
  [[nodiscard]] bool add(const MatrixData& mass, Index at, Index size, Matrix& A_of_island) {
    if (mass.empty()) return true;
    const Index n = A_of_island.rows();
    if (inverse.size() == 0) inverse = Matrix::Identity(n, n);
    const auto own = [&](Matrix& matrix) { return matrix.block(at, at, size, size); };
    const Matrix M = mass.to_dense(size, true);
    if (mass.is_diagonal() && (M.diagonal().array() != 0.0).all()) {
      own(inverse).diagonal() = M.diagonal().cwiseInverse();
      return true;
    }
    diagonal = false;
    const Matrix A = own(A_of_island);
    const Index index = pencil_index(M, A).index;
    if (index == 0) own(inverse) = LuFactors(M).inverse();
    if (index != 1) return index == 0;
    if (whole.size() == 0) {
      whole = Matrix::Identity(n, n);
      algebraic = Matrix::Zero(n, n);
    }
    const DescriptorForm form = DescriptorForm::of(M, A);
    own(inverse) = form.W;
    own(A_of_island) = form.A;
    own(whole) = form.X;
    own(algebraic) = form.Z;
    return true;
  }

  /// The island's matrices by theirs of M xdot = A x + B lambda: D with what algebraic unknowns feed through, C and A,
  /// B after M^-1.
  void reduce(LinearIsland& island) const {
    if (whole.size() > 0) {
      const Index n = island.A.rows(), m = island.D.rows();
      Matrix product, left(m, m + n), right(m + n, m);
      clean_product(island.C, algebraic, product);
      left << island.D, -product;
      right << Matrix::Identity(m, m), island.B;
      clean_product(left, right, island.D);
      clean_product(island.C, whole, product);
      island.C = product;
    }
    if (inverse.size() == 0) return;
    if (diagonal) {
      island.A = inverse.diagonal().asDiagonal() * island.A;
      island.B = inverse.diagonal().asDiagonal() * island.B;
      return;
    }
    Matrix product;  // zeros of M^-1 A are to be zeros: relative degrees are told by them
    clean_product(inverse, island.A, product);
    island.A = product;
    clean_product(inverse, island.B, product);
    island.B = product;
  }
};

/// False where B, C or D of one interaction is not constant. first_state: of the island's systems.
bool write_relations(const Island& island, const std::vector<Index>& first_state, const RelationCaches& relations,
                     LinearIsland& result) {
  Index row = 0;
  for (const Index i : island.interactions) {
    const InteractionPlan& interaction = relations.interaction(i);
    if (!interaction.first_order_relation().has_constant_matrices()) return false;
    const Matrix &C = *interaction.linear->C.dense(), &B = *interaction.linear->B.dense();
    for (const JacobianBlock& jacobian : relations.jacobians.of(interaction)) {
      const auto system = std::lower_bound(island.systems.begin(), island.systems.end(), jacobian.system);
      const Index at = first_state[static_cast<std::size_t>(system - island.systems.begin())];
      result.C.block(row, at, interaction.rows, jacobian.n) = C.middleCols(jacobian.column, jacobian.n);
      result.B.block(at, row, jacobian.n, interaction.rows) = B.middleRows(jacobian.column, jacobian.n);
    }
    result.D.block(row, row, interaction.rows, interaction.rows) = *interaction.linear->D.dense();
    row += interaction.rows;
  }
  return true;
}

}  // namespace

std::vector<Island> islands_of_first_order(const Layout& layout, const RelationCaches& relations) {
  const auto ties = [](const InteractionPlan& interaction) { return interaction.first_order; };
  if (std::none_of(relations.interactions.begin(), relations.interactions.end(), ties)) return {};
  DisjointSets sets(static_cast<Index>(layout.systems.size()));
  for (const InteractionPlan& interaction : relations.interactions) {
    if (!interaction.first_order) continue;
    for (const JacobianBlock& other : relations.jacobians.of(interaction).subspan(1))
      sets.join(first_system(interaction, relations), other.system);
  }
  std::vector<Island> islands;
  for (std::vector<Index>& systems : sets.lists())
    islands.push_back({.systems = std::move(systems), .interactions = {}});
  for (std::size_t i = 0; i < relations.interactions.size(); ++i) {
    if (!relations.interactions[i].first_order) continue;
    const Index island = sets.number(first_system(relations.interactions[i], relations));
    islands[static_cast<std::size_t>(island)].interactions.push_back(static_cast<Index>(i));
  }
  std::erase_if(islands, [](const Island& island) { return island.interactions.empty(); });
  return islands;
}

std::optional<LinearIsland> matrices_of(const Island& island, const NonSmoothDynamicalSystem& model,
                                        const Layout& layout, const RelationCaches& relations) {
  Index n = 0, m = 0;
  for (const Index system : island.systems) n += layout.systems[static_cast<std::size_t>(system)].n;
  for (const Index i : island.interactions) m += relations.interaction(i).rows;
  if (n > kMostStatesOfIsland || m > kMostStatesOfIsland) return {};
  std::optional<LinearIsland> result{{Matrix::Zero(n, n), Matrix::Zero(n, m), Matrix::Zero(m, n), Matrix::Zero(m, m)}};
  Masses masses;
  std::vector<Index> first_state;
  Index at = 0;
  for (const Index index : island.systems) {
    const Layout::System& place = layout.systems[static_cast<std::size_t>(index)];
    const auto system = FirstOrderSystemEvaluator::of(model.systems()[place.slot]);
    if (!system.has_constant_matrix()) return {};
    result->A.block(at, at, place.n, place.n) = system.linear->A.to_dense(place.n);
    if (!masses.add(system.mass(), at, place.n, result->A)) return {};
    first_state.push_back(at);
    at += place.n;
  }
  if (!write_relations(island, first_state, relations, *result)) return {};
  masses.reduce(*result);
  return result;
}

}  // namespace nonsmooth::stages
