// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <exception>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <internal/decompositions.hpp>
#include <internal/round_off.hpp>
#include <nonsmooth/kernel/workspace.hpp>
#include <nonsmooth/numerics/friction/global_problem.hpp>
#include <nonsmooth/numerics/linear_algebra/factorization.hpp>
#include <nonsmooth/numerics/thread_pool.hpp>

#include "model/guarded.hpp"
#include "model/law_blocks.hpp"
#include "watch.hpp"

/// The caches that the stages of a step share: what a model looks like once a scheme and a step length are known.
///
/// Every unknown z (a velocity v, or a first-order x) obeys, with the factor A of its system,
///     z = z_free + P r,    P = A^-1 H^T (mechanics) or h A^-1 B (first order),    u = H z + D r + w.
namespace nonsmooth {

/// What a scheme is to the stages. The unknown z of a step is v_{k+1} (Moreau-Jean), (q_{k+1} - q_k) / h
/// (Schatzman-Paoli), or x_{k+1}.
struct Scheme {
  bool two_steps = false;  ///< Schatzman-Paoli
  bool hold = false;       ///< zero-order hold
  double theta = 0.5;
  double forecast = 0.5;              ///< of gaps
  double configuration_weight = 1.0;  ///< of q* between q_k and the iterate
  double multiplier_weight = 1.0;     ///< of r_{k+1} beside r_k
  double relation_weight = 1.0;       ///< of x_{k+1} beside x_k in y
  friend bool operator==(const Scheme&, const Scheme&) = default;
};

/// A run of degrees of freedom whose mass, damping and stiffness are all diagonal and constant: one loop serves them.
struct DiagonalRun {
  Index q = 0, z = 0, count = 0;
  bool free_flight = true;  ///< no damping and no stiffness
  double theta = 0.5;
};

/// A force f(t) or input b(t), evaluated at most once an instant.
struct TimeFunction {
  const VectorData::Function* function = nullptr;
  Index system = 0;
  Eigen::VectorXd before, after;  ///< at t_k and t_{k+1}
  double t_after = std::numeric_limits<double>::quiet_NaN();
};

/// A feedback of a system, evaluated once a step.
struct FeedbackValue {
  const Feedback* function = nullptr;
  Index system = 0;
  Eigen::VectorXd value;
};

/// An impulse at an instant.
struct Kick {
  Index system = 0;
  double instant = 0.0;
  const Eigen::VectorXd* impulse = nullptr;
};

/// M, C, K (or M, A_x) constant and not all diagonal: z_free = z + transition_z z + transition_q q + A^-1 h f.
struct DenseSystem {
  Index system = 0;
  bool first_order = false;
  Eigen::MatrixXd mass, transition_z, transition_q, inverse_h;  ///< inverse_h = h A^-1
  Eigen::MatrixXd transition_v;                                 ///< of v_k where z is not v (two steps); empty: none
  Eigen::VectorXd base;                                         ///< z_k of such a scheme
  Eigen::VectorXd drive;                                        ///< A^-1 h f for constant f
  LuFactors factor;
  Index time_function = -1;                      ///< in Plan::time_functions
  const MatrixData::Function* matrix = nullptr;  ///< time-varying A_x
  Eigen::MatrixXd matrix_before, matrix_after;
  double t_matrix_after = std::numeric_limits<double>::quiet_NaN();
  Eigen::VectorXd scratch;
  bool dictated = false;  ///< has prescribed components
};

/// The same kept sparse: factors once, products each step.
struct SparseSystem {
  Index system = 0;
  bool first_order = false;
  Eigen::SparseMatrix<double> rate_z, rate_q;  ///< -(C + h theta K) and -K, or A_x and nothing
  Eigen::SparseMatrix<double> rate_v;          ///< of v_k where z is not v
  Eigen::SparseMatrix<double> iteration;       ///< A before prescribed components were cut out
  Eigen::VectorXd drive;                       ///< constant f
  SparseFactorization factor;
  Index time_function = -1;
  Eigen::VectorXd scratch;
};

struct NonlinearSystem {
  Index system = 0;
  const DynamicalSystem* description = nullptr;
  Eigen::MatrixXd mass, jacobian, iteration;
  LuFactors factor;
  Eigen::VectorXd force_before, force, residual, w;
  Eigen::VectorXd impulse;  ///< H^T r of the last linearised step, where it is asked for
  bool dictated = false;    ///< has prescribed components
};

/// M xdot = f(t, x): the linear ones too where a relation's g depends on x.
struct NonlinearFirstOrder {
  Index system = 0;
  const FirstOrderSystem* nonlinear = nullptr;  ///< or
  const FirstOrderLinearSystem* linear = nullptr;
  Eigen::MatrixXd mass, jacobian, iteration;
  Eigen::MatrixXd relations;  ///< multiplier_weight times the sum of dg/dx of its relations
  LuFactors factor;
  Eigen::VectorXd f_before, f, residual, w;
};

struct SweepingSystem {
  Index system = 0;
  const SweepingProcess* description = nullptr;
  Eigen::VectorXd f;
};

/// Component z follows velocity(t).
struct Dictated {
  Index z = 0, system = 0, component = 0;
  const std::function<double(double)>* velocity = nullptr;
};

/// Part of an interaction that acts on one system; offsets into Plan::hu (rows x n) and Plan::p (n x rows).
struct Leg {
  Index system = 0, n = 0, z = 0, q = 0, nq = 0, hu = 0, p = 0, column = 0;
};

/// One interaction. Its rows are those of the relation and behind them the law's own (auxiliary).
struct InteractionPlan {
  Index row = 0, rows = 0, first_leg = 0, num_legs = 0, columns = 0, positions = 0;
  Index extended = 0;  ///< rows with the auxiliary ones
  bool first_order = false;
  bool constant = true;   ///< H, P and the coupling stand while the step length does
  bool iterates = false;  ///< nonlinear in the unknowns of the step: Newton
  bool special = false;   ///< rows at the level of positions or rates, or of a scheme with weights: w is made each step
  bool compliant = false;
  bool evaluated = false;                            ///< mechanics: by calls of the relation at each iterate
  const Relation* relation = nullptr;                ///< mechanics
  const Eigen::VectorXd* offset = nullptr;           ///< b of an affine relation
  const FirstOrderLinearRelation* linear = nullptr;  ///< first order
  const FirstOrderRelation* nonlinear = nullptr;     ///< first order
  std::shared_ptr<const LawBlock> law;               ///< a copy: models come and go while caches stay
  Scheme scheme;                                     ///< of its systems, as far as its rows are concerned
  Eigen::MatrixXd D;                                 ///< dh/dlambda of the relation, rows x rows; empty: zero
  Eigen::MatrixXd coupling;              ///< of multipliers in the problem, extended x extended; empty: none
  Eigen::VectorXd y_free;                ///< at the level of positions: y_{k+1} less what u+ and lambda add
  Eigen::VectorXd weight;                ///< by row, of u+ in y_{k+1} (position level); 1 otherwise
  Eigen::MatrixXd jacobian;              ///< scratch, rows x columns; C of a first-order relation
  Eigen::MatrixXd input, input_dx;       ///< dg/dlambda and dg/dx of a nonlinear first-order relation
  Eigen::VectorXd g, g_before;           ///< g at the iterate and at t_k
  Eigen::VectorXd q, z, values, lambda;  ///< scratch, stacked
  Eigen::VectorXd scratch;               ///< columns
  Eigen::VectorXd point_y, point_slope, point_offset;  ///< Shockley: y + slope lambda + offset = 0 about point_y
  std::string name;
};

/// One part of a law's block.
struct BlockPlan {
  Index interaction = 0, local = 0, row = 0, size = 1;  ///< local: first row within the interaction; row: in the state
  BlockSet set;                                         ///< with bounds as impulses
  bool unilateral = false;
  bool has_legs = true;  ///< false: an auxiliary part
  bool impacts = false;
  double restitution = 0.0, tangential_restitution = 0.0;
  const NonSmoothLaw* custom = nullptr;
  const StaticKineticFrictionLaw* stick = nullptr;
  const CohesiveZoneLaw* bond = nullptr;
  Index memory = -1;  ///< in State::law_memory
};

/// What acts in this step, model blocks first, then contacts; flat arrays.
struct ActiveLeg {
  Index system = 0, n = 0, z = 0, block = 0;
  const double* hu = nullptr;
  Index row_stride = 1, column_stride = 1;
  const double* p = nullptr;  ///< n x size, column-major
  double weight = 1.0;        ///< of z_{k+1} beside z_k in the row
};
struct ActiveBlock {
  Index size = 1, row = 0;  ///< row: in the one-step problem
  Index first_leg = 0, num_legs = 0;
  Index model_block = -1;  ///< or
  Index contact = -1;      ///< position in Plan::contacts
};
struct ActiveKey {
  std::uint64_t identity = 0;  ///< model block, or feature
  Index source = -1;           ///< of contacts, by position
  Index first = -1, second = -1;
  friend bool operator==(const ActiveKey&, const ActiveKey&) = default;
};

/// One row of a projection of positions: 0 = y or 0 <= y ⟂ mu >= 0.
struct ProjectionRow {
  Index interaction = -1, local = 0;  ///< of the model, row within it; or
  Index contact = -1;                 ///< in ProjectionProblem::contacts
  Index first_leg = 0, num_legs = 0;
  bool bilateral = false;
  double gap = 0.0;
};
struct ProjectionLeg {
  Index system = 0, n = 0, z = 0, row = 0;
  Index at = 0;  ///< of H and P, n entries each
};
struct ProjectionProblem {
  /// By model block: -1 without a gap, 0 not looked at, 1 active in the velocity problem, 2 drawn in since it
  /// penetrated.
  std::vector<signed char> state;
  std::vector<PlanarContact> contacts;  ///< detected at the positions that are projected, bodies as systems
  std::vector<Index> contact_source;
  std::vector<std::pair<Index, std::uint64_t>> drawn;  ///< source and feature of contacts as state = 2, sorted
  bool joins = false;                                  ///< contacts that were not active were moved
  std::vector<ProjectionRow> rows;
  std::vector<ProjectionLeg> legs;
  std::vector<double> H, P;
  std::vector<Index> system_begin, system_legs, sizes, stamp;
  Eigen::VectorXd move;  ///< of all unknowns
  mixed::Problem problem;
  mixed::Result result;
  mixed::Workspace solver;
};

enum class SystemKind : unsigned char { Diagonal, Dense, Sparse, Nonlinear, NonlinearFirstOrder, Sweeping };

/// What kept Newton's iteration from its end: an unknown of a system, or a multiplier of an interaction.
struct LeastSettled {
  Index system = -1, interaction = -1;
  Index entry = 0;     ///< of the system's unknowns, or row of the interaction
  double ratio = 0.0;  ///< of its last change and the change allowed; NaN where it is not finite
};

struct Workspace::Implementation {
  explicit Implementation(int number_of_threads) : threads(number_of_threads) {}

  ThreadPool threads;

  // What the caches below were made for.
  bool prepared = false;
  std::shared_ptr<const Layout> layout;
  double h = 0.0;
  Integrator integrator;
  std::vector<std::pair<SystemHandle, Integrator>> integrators;
  std::vector<Scheme> schemes;  ///< by system
  bool two_steps = false;       ///< of some system
  double forecast = 0.0;        ///< of detected contacts: the largest of all schemes

  // Systems.
  std::vector<SystemKind> kind;  ///< by system
  std::vector<Index> place;      ///< by system: position in its kind's list
  std::vector<DiagonalRun> runs;
  std::vector<double> a_inverse, drive, rate_z, rate_q;  ///< by unknown, of diagonal systems
  std::vector<Index> diagonal_functions;                 ///< time functions of diagonal systems
  std::vector<DenseSystem> dense;
  std::vector<SparseSystem> sparse;
  std::vector<NonlinearSystem> nonlinear;
  std::vector<NonlinearFirstOrder> nonlinear_first_order;
  std::vector<SweepingSystem> sweeping;
  std::vector<FeedbackValue> feedbacks;
  std::vector<Index> feedback_of_system;  ///< -1: none
  std::vector<Kick> kicks;
  std::vector<TimeFunction> time_functions;
  std::vector<Dictated> dictated;
  Eigen::VectorXd z_free, z, z_iterate, q_iterate;  ///< of all systems
  std::vector<char> idle;                           ///< by row: the multiplier acted on nothing when Newton asked last
  Eigen::VectorXd terms;                            ///< absolute ones that z is the sum of, where Newton asked
  LeastSettled least_settled;                       ///< when Newton asked last
  Eigen::VectorXd z_linear;                         ///< z_free of linear systems before what nonlinear relations add
  Eigen::VectorXd lambda_iterate, lambda;           ///< multipliers by state row, at the iterate and after it
  Eigen::VectorXd z_base, z_full, lambda_base, lambda_full, last_multipliers;
  Eigen::VectorXd q_middle;    ///< q* of all systems
  std::vector<double> buffer;  ///< of solves
  State backup;                ///< while callables can still fail

  // Interactions.
  std::vector<Leg> legs;
  std::vector<double> hu, p, w;  ///< w by state row
  std::vector<InteractionPlan> interactions;
  std::vector<BlockPlan> blocks;
  bool all_constant = true;         ///< every H and P stands
  bool inputs_constant = true;      ///< no relation has an e(t)
  bool any_special = false;         ///< some interaction is special
  bool any_iterates = false;        ///< some interaction is nonlinear in the unknowns
  bool any_input_history = false;   ///< some interaction adds to z_free: a nonlinear g, or r_k with a weight
  bool sets_vary = false;           ///< some law's set depends on the state
  bool outputs_call_users = false;  ///< committing a step calls a user's h, H or retract

  // Contacts.
  std::vector<PlanarContact> contacts;
  std::vector<double> contact_p;                   ///< 12 a contact
  std::vector<double> contact_u;                   ///< 2 a contact, at t_k
  std::vector<std::vector<Index>> source_systems;  ///< by source: system of each body
  Eigen::VectorXd bodies_q, bodies_v;
  std::vector<Index> scratch;
  std::vector<PlanarContact> found;
  std::vector<Index> contact_source;  ///< by contact

  // The active set and the one-step problem.
  std::vector<ActiveBlock> active;
  bool active_stands = false;  ///< every block acts in every step, and nothing is searched for contacts
  std::vector<ActiveLeg> active_legs;
  std::vector<ActiveKey> key, last_key;
  std::vector<Index> system_begin, system_legs;  ///< legs that act on each system, in block order
  std::vector<Index> touched;                    ///< systems that some active block acts on
  std::vector<Index> sizes, stamp;
  mixed::Problem problem;
  mixed::Result result;
  mixed::Workspace solver;
  mixed::GaussSeidelWorkspace gauss_seidel;
  bool matrix_stands = false;  ///< W and K are those of the last assembly
  bool solver_knows = false;   ///< `solver` has seen them

  // The projection of positions.
  std::vector<char> joined;            ///< by model block: closed by a projection in this step
  std::vector<PlanarContact> joining;  ///< detected contacts that a projection closed, bodies as systems; sorted
  std::vector<Index> joining_source;
  ProjectionProblem projection;

  // The global form.
  friction::GlobalProblem global;
  std::vector<Index> global_systems, global_offset;  ///< systems in A, and the first of their rows by system
  bool global_checked = false;                       ///< every law of the model is one that the global form solves

  // What is known of the model, and what is noticed of its run.
  std::vector<double> positive_up_to;  ///< by system: A of no longer step has to be looked at again
  std::vector<Index> doubtful;         ///< first-order systems whose steps may have several answers
  RunWatch watch;

  [[nodiscard]] const Layout::System& system(Index i) const { return layout->systems[static_cast<std::size_t>(i)]; }
};

/// The next step of length h goes on with the grid of the last ones: t = t_origin + k h was not written since.
[[nodiscard]] inline bool on_grid(const State& state, double h) {
  constexpr std::int64_t counted = std::int64_t{1} << 53;  // beyond, a double does not tell k from k + 1
  return state.grid_step == h && state.k < counted && state.t == state.t_origin + static_cast<double>(state.k) * h;
}
/// Where a step of length h from the state ends: t_origin + k h without accumulated rounding while the step stays.
[[nodiscard]] inline double end_of_step(const State& state, double h) {
  return on_grid(state, h) ? state.t_origin + static_cast<double>(state.k + 1) * h : state.t + h;
}
/// @throws InvalidArgument: arrays of other sizes than the layout's, numbers that are not finite.
void require_sound(const State& state);

namespace stages {

using Plan = Workspace::Implementation;

/// Rebuilds every cache if the model's revision, h or a scheme's parameter changed. @throws InvalidArgument where a
/// system, relation or law cannot have its scheme.
void prepare(const NonSmoothDynamicalSystem& model, const TimeSteppingOptions& options, double h, Plan& plan);
/// The scheme of each system. @throws InvalidArgument for one that a system cannot have, with the reason.
void choose_schemes(const NonSmoothDynamicalSystem& model, const TimeSteppingOptions& options, const Layout& layout,
                    std::vector<Scheme>& schemes);
void prepare_systems(const NonSmoothDynamicalSystem& model, Plan& plan);
void prepare_nonlinear(const NonSmoothDynamicalSystem& model, Index system, Plan& plan);
void prepare_interactions(const NonSmoothDynamicalSystem& model, Plan& plan);

/// b := A^-1 b for the system's columns b (n x any), prescribed components zeroed.
void apply_inverse(Plan& plan, Index system, MatrixRef b);
/// b := P of an input b: A^-1 b (mechanics), h multiplier_weight A^-1 b (first order), the hold's integral times b.
void apply_input(Plan& plan, Index system, MatrixRef b);

/// z_free of the linear systems; independent of r and of Newton's iterates.
void free_state(const State& state, double t_next, Plan& plan);
/// M, F and the residual without reactions of the nonlinear mechanical systems at the iterate.
void evaluate_systems(const State& state, double t_next, bool first, Plan& plan);
/// How far the iteration is from standing still: at most 1 where it settled, NaN where it is lost. System by system, so
/// that units do not mix: the change of the iterate against the size of z and of the free change, or against the
/// round-off of the terms that z is the sum of; and that of the multipliers that something nonlinear depends on, but
/// for those that act on nothing.
[[nodiscard]] double unsettled(const State& state, double tolerance, Plan& plan);
/// Keeps H^T r of the linearised step just solved, for motion_holds.
void keep_impulses(Plan& plan);
/// After evaluate_systems: no residual, reactions as kept, is above the tolerance.
bool motion_holds(double tolerance, Plan& plan);
/// z_free, A of the nonlinear systems, linearised about plan.z_iterate, plan.q_iterate. After evaluate_systems.
void linearise_systems(const State& state, double t_next, bool first, Plan& plan);
/// q_iterate := retract(q_k, h (theta z_iterate + (1-theta) v_k)), for systems that something nonlinear looks at.
void predict_positions(const State& state, bool first, Plan& plan);
/// The value of a feedback of the system, or nullptr.
[[nodiscard]] const Eigen::VectorXd* feedback_of(const Plan& plan, Index system);

/// What a source finds among its bodies (systems of the plan) at a state, into plan.found.
void ask_source(const ContactSource& source, const std::vector<Index>& systems, const State& state, Plan& plan);
/// Contacts at t_k into plan.contacts, with the velocity there.
void detect_contacts(const NonSmoothDynamicalSystem& model, const State& state, Plan& plan);
/// How far a contact that rests may be lifted by rounding and still counts as closed: what a sum of terms of this
/// absolute size loses, and a small part of `fall`, the way that the last step would have gone without it: u+ = 0 is
/// met to eps of that speed, so that 10^7 steps of it in one direction stay below.
[[nodiscard]] inline double lift_by_rounding(double terms, double fall) { return 16.0 * eps * terms + 1e-8 * fall; }
/// Which blocks act in this step: plan.active, plan.active_legs, plan.key.
void index_sets(const State& state, Plan& plan);
/// True if something in the step is nonlinear in its unknowns.
[[nodiscard]] bool needs_newton(const Plan& plan);
/// Values and Jacobians of the relations and laws that vary, at the iterate; w at t_next. Before linearise_systems.
void evaluate_relations(const State& state, double t_next, bool first, Plan& plan);
/// P of the relations that vary, and what nonlinear inputs add to z_free. After linearise_systems.
void linearise_inputs(const State& state, Plan& plan);
/// H, w and P of a relation that is constant, and its coupling.
void prepare_values(InteractionPlan& interaction, Plan& plan);
/// The coupling of multipliers of one interaction from D and its law.
void compute_coupling(InteractionPlan& interaction, const Plan& plan);
/// Parts of w that the state at t_k gives: rows at the level of positions and rates.
void rows_from_history(const State& state, Plan& plan);

/// W, q, K of the one-step problem.
void assemble(const State& state, Plan& plan);
/// Solves it, warm-started from the state's multipliers.
void solve(const TimeSteppingOptions& options, const State& state, Plan& plan);
/// "row 0 of stop on ball and box" of a row of an interaction; "the contact of ball and the ground" of a detected one.
[[nodiscard]] std::string place_of(Index interaction, Index row, const Plan& plan);
[[nodiscard]] std::string place_of(const PlanarContact& contact, const Plan& plan);
/// After a failure: where the problem's worst row is, or which rows the proof of infeasibility names, as a sentence;
/// empty where it has neither.
[[nodiscard]] std::string place_of_failure(const Plan& plan);
/// After Newton's limit: what moved last, against what is allowed, as a sentence.
[[nodiscard]] std::string least_settled(const Plan& plan);
/// Of z that is not finite: whose first entry is not, as a sentence.
[[nodiscard]] std::string first_not_finite(const Plan& plan);
/// After a failure: which interactions' equality rows depend on others', as a sentence; empty where none do.
[[nodiscard]] std::string redundant_equalities(const Plan& plan);
/// plan.z = z_free + P r; plan.lambda = r by state row.
void apply_multipliers(Plan& plan);
/// The next assembly starts from nothing.
void forget_active_set(Plan& plan);
/// What a row has beside H z: w and what the law adds of the velocity before, on the rows of one active block.
void law_terms(const State& state, const ActiveBlock& block, const Plan& plan, VectorRef value);
/// The sets of the active blocks.
void fill_sets(const State& state, const Plan& plan, ProductSet& K);
/// Last step's multipliers of the active blocks into plan.result.r.
void warm_start(const State& state, Plan& plan);

/// assemble, solve and apply_multipliers in one, in the global form. @throws InvalidArgument for a law that the form
/// does not know, naming the interaction.
void solve_global(const TimeSteppingOptions& options, const State& state, Plan& plan);

/// The law of a block is about a gap that positions may be moved to, and not about forces or rates.
[[nodiscard]] bool is_of_gap(const BlockPlan& block, const InteractionPlan& interaction);
/// Moves the positions of a state that no step has left yet out of its obstacles and on its equalities. The plan is
/// prepared. True where it got there.
[[nodiscard]] bool repair_positions(const NonSmoothDynamicalSystem& model, const TimeSteppingOptions& options,
                                    State& state, Plan& plan);
/// Moves the state's positions, as `update` left them, back to its constraints. True where it got there.
[[nodiscard]] bool project_positions(const NonSmoothDynamicalSystem& model, const TimeSteppingOptions& options,
                                     State& state, Plan& plan, StepReport& report);
/// Model blocks that the projection closed join the active set, as detected contacts did. False where none is new.
[[nodiscard]] bool join_closed(const State& state, Plan& plan);

/// Commits z, positions, multipliers, outputs and contact memory to the state.
void update(double t_next, State& state, Plan& plan);
/// update_outputs(). @throws CallableFailure.
void ask_outputs(const NonSmoothDynamicalSystem& model, State& state);
/// y and u of every interaction from the state.
void update_outputs_in_place(double t, State& state, Plan& plan);

}  // namespace stages
}  // namespace nonsmooth
