// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <Eigen/Core>

#include <nonsmooth/kernel/model.hpp>
#include <nonsmooth/numerics/sets.hpp>

#include "dynamics/system_caches.hpp"
#include "model/equations/first_order.hpp"
#include "model/equations/relation_evaluator.hpp"
#include "model/linked_systems.hpp"
#include "model/prepared_law.hpp"

namespace nonsmooth {

/// Part of an interaction that acts on one system: H (rows x n) and P (n x rows) there, by their offsets.
struct JacobianBlock : LinkedSystem {
  Index hu = 0, p = 0;
};

/// What rows between mechanical systems measure, as far as rows that depend on others are concerned.
enum class RowsMeasure : unsigned char {
  Between,     ///< nothing of a motion that their systems have in common
  Ground,      ///< that too, or it is not known
  ByJacobian,  ///< as H says where it is asked for
};

/// One interaction. Its rows are those of the relation and behind them the law's own (auxiliary).
struct InteractionPlan {
  Index row = 0, rows = 0, first_jacobian = 0, num_jacobians = 0, columns = 0, positions = 0;
  Index extended = 0;  ///< rows with the auxiliary ones
  bool first_order = false;
  bool constant = true;   ///< H, P and the coupling stand while the step length does
  bool iterates = false;  ///< nonlinear in the unknowns of the step: Newton
  bool special = false;   ///< rows at the level of positions or rates, or of a scheme with weights: w is made each step
  bool compliant = false;
  RowsMeasure measure = RowsMeasure::Ground;
  bool evaluated = false;                                    ///< mechanics: by calls of the relation at each iterate
  const MechanicalRelation* relation = nullptr;              ///< mechanics
  const Eigen::VectorXd* offset = nullptr;                   ///< b of an affine relation
  const FirstOrderLinearRelation* linear = nullptr;          ///< first order
  const FirstOrderInputOutputRelation* nonlinear = nullptr;  ///< first order
  std::shared_ptr<const PreparedLaw> law;                    ///< shared: models come and go while caches stay
  std::vector<LawBlock> law_blocks;                          ///< of a law that varies, block by block
  Index memory = 0;                                          ///< in State::law_memory
  Index law_place = -1;                  ///< of its first block in RelationCaches::law_places; -1: none
  Scheme scheme;                         ///< of its systems, as far as its rows are concerned
  Eigen::MatrixXd D;                     ///< dh/dlambda of the relation, rows x rows; empty: zero
  Eigen::MatrixXd coupling;              ///< of multipliers in the problem, extended x extended; empty: none
  Eigen::VectorXd y_free;                ///< at the level of positions: y_{k+1} less what u+ and lambda add
  Eigen::VectorXd weight;                ///< by row, of u+ in y_{k+1} (position level); 1 otherwise
  Eigen::MatrixXd jacobian;              ///< scratch, rows x columns; C of a first-order relation
  Eigen::MatrixXd input, input_dx;       ///< dg/dlambda and dg/dx of a nonlinear first-order relation
  Eigen::VectorXd g;                     ///< g at the iterate, of a nonlinear first-order relation
  Eigen::VectorXd g_before;              ///< and at t_k; h at t_k of a compliant mechanical one that follows it
  Eigen::VectorXd q, z, values, lambda;  ///< scratch, stacked
  Eigen::VectorXd scratch;               ///< columns
  std::string name;

  /// Mechanics. What fails ends the step, numbers that are not finite too.
  [[nodiscard]] RelationEvaluator evaluator() const { return {*relation, name, true}; }
  /// First order; of a linear one the matrices alone.
  [[nodiscard]] FirstOrderRelationEvaluator first_order_relation() const { return {name, linear, nonlinear}; }
  /// Block b of the law, as it is now.
  [[nodiscard]] const LawBlock& law_block(Index b) const {
    return law_blocks.empty() ? *law : law_blocks[static_cast<std::size_t>(b)];
  }
};

/// One part of a law's block.
struct BlockPlan {
  Index interaction = 0;               ///< -1: of contacts found
  Index local = 0, row = 0, size = 1;  ///< local: first row within the interaction; row: in the state
  BlockSet set;                        ///< with bounds as impulses
  bool unilateral = false;
  bool has_jacobian = true;  ///< false: an auxiliary part
  bool impacts = false;
  double restitution = 0.0, tangential_restitution = 0.0;  ///< e u- that the step adds: Newton's
  ImpactRule rule{};
  bool decides = false, shifts = false;  ///< LawShape
  bool first_held = false;               ///< LawBlock::Part
  Index gap_rows = 0;                    ///< first rows that a scheme writes as linearised gaps
  double recovery = 1.0;                 ///< the scheme's, of these
  Index of_law = 0, part = 0;            ///< which block of the law, and which part of that
};

/// One block of a law, and where its rows and its memory begin in the vectors of a stage.
struct LawBatch::Place {
  const PreparedLaw* law = nullptr;
  LawBlock* block = nullptr;  ///< null: of a law that never varies
  Index row = 0, memory = 0;
  double forecast = 0.5, theta = 0.5, position = 0.5, relation_weight = 1.0, multiplier_weight = 1.0;
  Index interaction = -1;  ///< -1: of a contact found
};
using LawPlace = LawBatch::Place;

/// Laws of one class, asked for the same: places [begin, end) in RelationCaches::law_places.
struct LawGroup {
  Index begin = 0, end = 0;
};

/// A matrix of coefficients of restitution among blocks, by number in RelationCaches::blocks.
struct ImpactMatrixPlan {
  std::vector<Index> blocks;
  Eigen::MatrixXd E;
};

/// H and P of all interactions, system by system, in two flat arrays.
struct JacobianBlocks {
  std::vector<JacobianBlock> list;
  std::vector<double> hu, p;

  [[nodiscard]] std::span<const JacobianBlock> of(const InteractionPlan& interaction) const {
    return {list.data() + interaction.first_jacobian, static_cast<std::size_t>(interaction.num_jacobians)};
  }
};

/// What relations and laws are to a step: constant from the preparation on, or as evaluated at the iterate.
struct RelationCaches {
  JacobianBlocks jacobians;
  std::vector<double> w;  ///< by state row
  std::vector<InteractionPlan> interactions;
  std::vector<BlockPlan> blocks;
  std::vector<LawPlace> law_places;      ///< blocks of laws that are asked in a step, by group
  std::vector<LawGroup> law_groups;      ///< one virtual call each and stage
  std::vector<Activity> law_activities;  ///< by place, in this step
  std::vector<double> law_errors;        ///< by place, at the last iterate
  std::vector<char> law_acts;            ///< by place: of a law that shifts, acts in this step
  std::vector<double> law_shifts;        ///< by state row, in this step; of laws that shift and bonds
  std::vector<LawPlace> shifting;        ///< scratch: those of a group that act
  bool stand = false;                    ///< nothing varies from step to step but what acts: laws, relations, inputs
  bool all_constant = true;              ///< every H and P stands
  bool inputs_constant = true;           ///< no relation has an e(t)
  bool any_special = false;              ///< some interaction is special
  bool any_iterates = false;             ///< some interaction is nonlinear in the unknowns
  bool any_input_history = false;        ///< some interaction adds to z_free: a nonlinear g, or r_k with a weight
  bool laws_vary = false;                ///< some law's block depends on the state
  bool any_memory = false;               ///< some law remembers
  bool laws_decide = false;              ///< some law decides
  bool laws_shift = false;               ///< some law shifts
  std::vector<ImpactMatrixPlan> impact_matrices;
  std::vector<double> matrix_shifts;  ///< by state row, of blocks in a matrix that act in this step
  std::vector<Index> active_blocks;   ///< scratch: by block, its number among those that act, -1: none
  bool separate_impacts = false;      ///< some law's impact is solved by itself (step_impact.hpp)
  bool measure_varies = false;        ///< some interaction's rows measure what their H says
  bool outputs_call_users = false;    ///< evaluating outputs or positions calls a user's h, H or retract

  [[nodiscard]] const InteractionPlan& interaction(Index i) const { return interactions[static_cast<std::size_t>(i)]; }
  [[nodiscard]] const BlockPlan& block(Index i) const { return blocks[static_cast<std::size_t>(i)]; }
  [[nodiscard]] const InteractionPlan& interaction_of(const BlockPlan& block) const {
    return interaction(block.interaction);
  }
  /// Of a block whose law is asked in a step.
  [[nodiscard]] std::size_t law_place_of(const BlockPlan& block) const {
    return static_cast<std::size_t>(interaction_of(block).law_place + block.of_law);
  }
};

namespace stages {

/// @throws InvalidArgument where a relation or law cannot have the schemes of its systems.
void prepare_interactions(const NonSmoothDynamicalSystem& model, const Discretisation& discretisation,
                          SystemCaches& systems, RelationCaches& relations);
/// @throws InvalidArgument where rows of gaps that obey the law cannot be linearised gaps; `name`: whose law it is.
void check_at_gaps(const Scheme& scheme, const PreparedLaw& law, const std::string& name);
/// H, w and P of a relation that is constant, and its coupling.
void prepare_values(const Discretisation& discretisation, SystemCaches& systems, InteractionPlan& interaction,
                    RelationCaches& relations);
/// The coupling of multipliers of one interaction from D and its law.
void compute_coupling(double h, InteractionPlan& interaction);

/// The iterate at t_k: unknowns, and the multipliers of the last step as those of this step's length.
void begin_iterate(const StepView& step, const RelationCaches& relations, Iterate& iterate);
/// Values and Jacobians of the relations and laws that vary, at the iterate; w at t_next; dg/dx to the systems. After
/// evaluate_systems, before linearise_systems.
void evaluate_relations(const StepView& step, const Iterate& iterate, SystemCaches& systems, RelationCaches& relations);
/// P of the relations that vary, and what nonlinear inputs add to z_free. After linearise_systems.
void linearise_inputs(const StepView& step, const Iterate& iterate, SystemCaches& systems, RelationCaches& relations,
                      Eigen::VectorXd& z_free);
/// y and u of every interaction from the state, multipliers being those of a step of length h.
void update_outputs_in_place(double t, double h, RelationCaches& relations, State& state);
/// A set of forces in impulses: bounds, radii and cohesions times h.
[[nodiscard]] BlockSet set_in_impulses(double h, BlockSet set);
/// A part's set in impulses.
[[nodiscard]] BlockSet set_in_impulses(double h, const BlockPlan& block, const InteractionPlan& interaction);
/// What laws remember of the step that ended in this state, from what they knew before.
void update_law_memory(const Eigen::VectorXd& before, const RelationCaches& relations, State& state);

}  // namespace stages
}  // namespace nonsmooth
