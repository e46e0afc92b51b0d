// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include <nonsmooth/kernel/examination.hpp>

#include "contact/contact_set.hpp"
#include "dynamics/relations/relation_caches.hpp"

/// What a simulation looks at before its first step: the cheap part of an examination.
namespace nonsmooth::stages {

/// First-order systems and the interactions that tie them, by number in the layout.
struct Island {
  std::vector<Index> systems, interactions;
};
/// Those with an interaction at least, in the order of their first systems; systems in ascending order.
[[nodiscard]] std::vector<Island> islands_of_first_order(const Layout& layout, const RelationCaches& relations);

/// xdot = A x + B lambda + ..., y = C x + D lambda + ...: the island's matrices, A and B after M^-1.
struct LinearIsland {
  Eigen::MatrixXd A, B, C, D;
};
/// States and rows of an island up to which it is looked at.
inline constexpr Index kMostStatesOfIsland = 200;
/// Nothing where a system or relation is not linear with constant matrices, a singular mass has a pencil of another
/// index than 1, or there is too much. Algebraic unknowns are reduced away (see DescriptorForm). Diagonal masses are
/// divided by; others are decomposed.
[[nodiscard]] std::optional<LinearIsland> matrices_of(const Island& island, const NonSmoothDynamicalSystem& model,
                                                      const Layout& layout, const RelationCaches& relations);

/// A multiplier without a bound on one side at least, of a law without unknowns of its own.
[[nodiscard]] bool is_unbounded(const BlockPlan& block, const InteractionPlan& interaction);

/// The number of the first of D_i, C_i B, C_i A B, ... that is not zero within the rounding of its terms; -1: none is.
[[nodiscard]] Index relative_degree(const LinearIsland& island, Index row);
/// Blocks of interaction i are first[i] .. first[i + 1] - 1: they stand in its order.
[[nodiscard]] std::vector<std::size_t> first_blocks(const RelationCaches& relations);
/// The Schur complement of an island's W on the rows that are no equalities, whose multipliers have no sign; empty
/// where those by themselves are singular. `blocks`: first_blocks().
[[nodiscard]] Eigen::MatrixXd without_equalities(Eigen::MatrixXd W, const Island& island,
                                                 const std::vector<std::size_t>& blocks,
                                                 const RelationCaches& relations);
/// W is neither a P-matrix nor monotone; of more than 10 rows: it is no P-matrix for certain. Its shift for round-off
/// is relative to its largest entry. False for an empty or zero W, which says nothing.
[[nodiscard]] bool may_have_several_answers(const Eigen::MatrixXd& W);

/// M(q) of every general system at the state: symmetric to 1e-9, positive semidefinite to 1e-12. One that throws or is
/// not finite is for the run to tell.
/// @throws InvalidArgument naming the system.
void require_masses(const NonSmoothDynamicalSystem& model, const State& state);

/// Rows of an island up to which its steps' other answers are looked for.
inline constexpr double kMostDoubtfulRows = 4.0;
/// What is found before the first step.
struct StartExamination {
  Remarks remarks;
  std::vector<Index> doubtful;  ///< systems of up to kMostDoubtfulRows rows whose steps may have several answers
};
/// Relative degrees of linear first-order rows under their schemes, whether the problem of a step has one answer, and
/// where the initial state is inside an obstacle or off an equality: by more than 1e-9 of the terms that y is the sum
/// of, and than the tolerances of a projection where positions are projected or repaired. Joints that start open by
/// more than closed_joint are refused, but for those that were in the layout `before` an edit (nullptr: there was
/// none), which have drifted. The caches are prepared (their scratch is written), the state's outputs are those of its
/// coordinates. Singular masses under theta < 1 are told. Islands of more than 200 first-order states, or with matrices
/// that vary, are not looked at. Cost: O(number of systems and interactions), and of an island of n states and m rows
/// what its matrices have entries, n m for a row of relative degree 1, n^2 more for each derivative beyond, and a look
/// at the diagonal of W; where that does not dominate, a decomposition of W or its classes. A few steps' time.
[[nodiscard]] StartExamination examine_start(const NonSmoothDynamicalSystem& model, const TimeSteppingOptions& options,
                                             const State& state, const Layout* before,
                                             const Discretisation& discretisation, RelationCaches& relations,
                                             ContactSearch& search);

/// Sizes of the terms that y and u of each row are the sums of, by state row: what rounding and units are relative to.
struct OutputTerms {
  Eigen::VectorXd y, u;
};
/// H is asked for anew where it varies; where that fails, and for first-order relations that are not linear, |y| alone.
[[nodiscard]] OutputTerms output_terms(const State& state, RelationCaches& relations);
/// Of H as that left it: `row` of the relation, the k-th velocity of a linked system.
[[nodiscard]] double entry_of_h(const RelationCaches& relations, const InteractionPlan& interaction, Index row,
                                const JacobianBlock& jacobian, Index k);

}  // namespace nonsmooth::stages
