// SPDX-License-Identifier: Apache-2.0
// Islands of first-order systems, and their matrices.
#include <algorithm>
#include <optional>
#include <utility>

#include <internal/decompositions.hpp>
#include <internal/disjoint_sets.hpp>

#include "dynamics/descriptor_form.hpp"
#include "dynamics/pivots.hpp"
#include "examine_start.hpp"

namespace nonsmooth::stages {
namespace {

using Matrix = Eigen::MatrixXd;

Index first_system(const InteractionPlan& interaction, const RelationCaches& relations) {
  return relations.jacobians.of(interaction).front().system;
}

/// The description of a system with constant matrices, and where its states stand in its island.
struct LinearMember {
  const FirstOrderLinearSystem* description = nullptr;
  Index at = 0, n = 0;
};

/// Empty where a system is not linear with a constant A.
std::vector<LinearMember> members_of(const Island& island, const NonSmoothDynamicalSystem& model,
                                     const Layout& layout) {
  std::vector<LinearMember> members;
  members.reserve(island.systems.size());
  Index at = 0;
  for (const Index system : island.systems) {
    const Layout::System& place = layout.systems[static_cast<std::size_t>(system)];
    const FirstOrderLinearSystem* linear = model.systems()[place.slot].linear_first_order();
    if (!linear || linear->A.function()) return {};
    members.push_back({linear, at, place.n});
    at += place.n;
  }
  return members;
}

/// M^-1 of the systems, and what is left of the algebraic unknowns of those whose masses are singular (see
/// DescriptorForm). Empty matrices: no mass but identities, and no singular one.
struct Masses {
  Matrix inverse, whole, algebraic;
  bool diagonal = true;  ///< the inverse

  /// Takes one system's; false for a pencil of another index than 0 or 1. A becomes that of the reduced form.
  [[nodiscard]] bool add(const LinearMember& member, Matrix& A_of_island) {
    const MatrixData& mass = member.description->mass;
    if (mass.empty()) return true;
    const Index n = A_of_island.rows();
    if (inverse.size() == 0) inverse = Matrix::Identity(n, n);
    const auto own = [&](Matrix& matrix) { return matrix.block(member.at, member.at, member.n, member.n); };
    const Matrix M = mass.to_dense(member.n, true);
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

/// False where B, C or D of one interaction is not constant.
bool write_relations(const Island& island, const std::vector<LinearMember>& members, const RelationCaches& relations,
                     LinearIsland& result) {
  Index row = 0;
  for (const Index i : island.interactions) {
    const InteractionPlan& interaction = relations.interaction(i);
    const FirstOrderLinearRelation* relation = interaction.linear;
    if (!relation || relation->C.function() || relation->B.function() || relation->D.function()) return false;
    const Matrix C = relation->C.to_dense(interaction.columns), B = relation->B.to_dense(interaction.rows);
    for (const JacobianBlock& jacobian : relations.jacobians.of(interaction)) {
      const auto system = std::lower_bound(island.systems.begin(), island.systems.end(), jacobian.system);
      const Index at = members[static_cast<std::size_t>(system - island.systems.begin())].at;
      result.C.block(row, at, interaction.rows, jacobian.n) = C.middleCols(jacobian.column, jacobian.n);
      result.B.block(at, row, jacobian.n, interaction.rows) = B.middleRows(jacobian.column, jacobian.n);
    }
    if (!relation->D.empty())
      result.D.block(row, row, interaction.rows, interaction.rows) = relation->D.to_dense(interaction.rows);
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
  const std::vector<LinearMember> members = members_of(island, model, layout);
  if (members.empty()) return {};
  std::optional<LinearIsland> result{{Matrix::Zero(n, n), Matrix::Zero(n, m), Matrix::Zero(m, n), Matrix::Zero(m, m)}};
  Masses masses;
  for (const LinearMember& member : members) {
    if (const MatrixData& A = member.description->A; !A.empty())
      result->A.block(member.at, member.at, member.n, member.n) = A.to_dense(member.n);
    if (!masses.add(member, result->A)) return {};
  }
  if (!write_relations(island, members, relations, *result)) return {};
  masses.reduce(*result);
  return result;
}

}  // namespace nonsmooth::stages
