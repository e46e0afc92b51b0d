// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <exception>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <Eigen/LU>

#include <nonsmooth/kernel/workspace.hpp>
#include <nonsmooth/numerics/linear_algebra/factorization.hpp>
#include <nonsmooth/numerics/thread_pool.hpp>

/// The caches that the stages of a step share: what a model looks like once a scheme and a step length are known.
///
/// Every unknown z (a velocity v, or a first-order x) obeys, with the factor A of its system,
///     z = z_free + P r,    P = A^-1 H^T (mechanics) or h A^-1 B (first order),    u = H z + D r + w.
namespace nonsmooth {

/// A user's callable threw or returned a number that is not finite; ends the step, not the program.
struct CallableFailure {
  std::string detail;
};

/// Calls a user's callable; `who` names the system or relation in the message.
template <class Call>
void guarded(std::string_view who, std::string_view what, Call&& call) {
  try {
    call();
  } catch (const std::exception& error) {
    throw CallableFailure{std::string(what) + " of " + std::string(who) + " threw: " + error.what()};
  } catch (...) {
    throw CallableFailure{std::string(what) + " of " + std::string(who) + " threw something that is no std::exception"};
  }
}
template <class Values>
void require_finite(std::string_view who, std::string_view what, const Values& values) {
  if (!values.allFinite())
    throw CallableFailure{std::string(what) + " of " + std::string(who) + " returned a number that is not finite"};
}

/// A run of degrees of freedom whose mass, damping and stiffness are all diagonal and constant: one loop serves them.
struct DiagonalRun {
  Index q = 0, z = 0, count = 0;
  bool free_flight = true;  ///< no damping and no stiffness
};

/// A force f(t) or input b(t), evaluated at most once an instant.
struct TimeFunction {
  const VectorData::Function* function = nullptr;
  Index system = 0;
  Eigen::VectorXd before, after;  ///< at t_k and t_{k+1}
  double t_after = std::numeric_limits<double>::quiet_NaN();
};

/// M, C, K (or M, A_x) constant and not all diagonal: z_free = z + transition_z z + transition_q q + A^-1 h f.
struct DenseSystem {
  Index system = 0;
  bool first_order = false;
  Eigen::MatrixXd mass, transition_z, transition_q, inverse_h;  ///< inverse_h = h A^-1
  Eigen::VectorXd drive;                                        ///< A^-1 h f for constant f
  Eigen::PartialPivLU<Eigen::MatrixXd> factor;
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
  Eigen::PartialPivLU<Eigen::MatrixXd> factor;
  Eigen::VectorXd force_before, force, residual, q, w;
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

struct InteractionPlan {
  Index row = 0, rows = 0, first_leg = 0, num_legs = 0, columns = 0, positions = 0;
  bool first_order = false;
  bool constant = true;                              ///< H and P stand while the step length does
  const Relation* relation = nullptr;                ///< mechanics
  const Eigen::VectorXd* offset = nullptr;           ///< b of an affine relation
  const FirstOrderLinearRelation* linear = nullptr;  ///< first order
  const Eigen::MatrixXd* D = nullptr;                ///< nullptr where zero
  Eigen::MatrixXd jacobian;                          ///< scratch, rows x columns
  Eigen::VectorXd q, z, values;                      ///< scratch, stacked
  std::string name;
};

struct BlockPlan {
  Index interaction = 0, local = 0, row = 0, size = 1;  ///< local: first row within the interaction; row: in the state
  BlockSet set;                                         ///< with bounds as impulses
  bool unilateral = false;
  double restitution = 0.0, tangential_restitution = 0.0;
  const NonSmoothLaw* custom = nullptr;
};

/// What acts in this step, model blocks first, then contacts; flat arrays.
struct ActiveLeg {
  Index system = 0, n = 0, z = 0, block = 0;
  const double* hu = nullptr;
  Index row_stride = 1, column_stride = 1;
  const double* p = nullptr;  ///< n x size, column-major
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

enum class SystemKind : unsigned char { Diagonal, Dense, Sparse, Nonlinear };

struct Workspace::Implementation {
  explicit Implementation(int number_of_threads) : threads(number_of_threads) {}

  ThreadPool threads;

  // What the caches below were made for.
  bool prepared = false;
  std::shared_ptr<const Layout> layout;
  double h = 0.0, theta = 0.0, theta_first_order = 0.0, forecast = 0.0;

  // Systems.
  std::vector<SystemKind> kind;  ///< by system
  std::vector<Index> place;      ///< by system: position in its kind's list
  std::vector<DiagonalRun> runs;
  std::vector<double> a_inverse, drive, rate_z, rate_q;  ///< by unknown, of diagonal systems
  std::vector<Index> diagonal_functions;                 ///< time functions of diagonal systems
  std::vector<DenseSystem> dense;
  std::vector<SparseSystem> sparse;
  std::vector<NonlinearSystem> nonlinear;
  std::vector<TimeFunction> time_functions;
  std::vector<Dictated> dictated;
  Eigen::VectorXd z_free, z, z_iterate, q_iterate;  ///< of all systems
  std::vector<double> buffer;                       ///< of solves
  State backup;                                     ///< while callables can still fail

  // Interactions.
  std::vector<Leg> legs;
  std::vector<double> hu, p, w;  ///< w by state row
  std::vector<InteractionPlan> interactions;
  std::vector<BlockPlan> blocks;
  bool all_constant = true;         ///< every H and P stands
  bool inputs_constant = true;      ///< no relation has an e(t)
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

  [[nodiscard]] const Layout::System& system(Index i) const { return layout->systems[static_cast<std::size_t>(i)]; }
};

namespace stages {

using Plan = Workspace::Implementation;

/// Rebuilds every cache if the model's revision, h or a scheme's parameter changed.
void prepare(const NonSmoothDynamicalSystem& model, const TimeSteppingOptions& options, double h, Plan& plan);
void prepare_systems(const NonSmoothDynamicalSystem& model, Plan& plan);
void prepare_interactions(const NonSmoothDynamicalSystem& model, Plan& plan);

/// b := A^-1 b for the system's columns b (n x any), prescribed components zeroed.
void apply_inverse(Plan& plan, Index system, MatrixRef b);

/// z_free of the linear systems; independent of r and of Newton's iterates.
void free_state(const State& state, double t_next, Plan& plan);
/// z_free, A of the nonlinear systems, linearised about plan.z_iterate, plan.q_iterate.
void linearise_systems(const State& state, double t_next, bool first, Plan& plan);
/// q_iterate := retract(q_k, h (theta z_iterate + (1-theta) v_k)), for systems that something nonlinear looks at.
void predict_positions(const State& state, bool first, Plan& plan);

/// Contacts at t_k into plan.contacts, with the velocity there.
void detect_contacts(const NonSmoothDynamicalSystem& model, const State& state, Plan& plan);
/// Which blocks act in this step: plan.active, plan.active_legs, plan.key.
void index_sets(const State& state, Plan& plan);
/// True if some active block's relation is not constant.
[[nodiscard]] bool active_relations_vary(const Plan& plan);
/// H and P of the relations that vary, at the iterate; w at t_next.
void linearise_relations(double t_next, Plan& plan);

/// W, q, K of the one-step problem.
void assemble(const State& state, Plan& plan);
/// Solves it, warm-started from the state's multipliers.
void solve(const TimeSteppingOptions& options, const State& state, Plan& plan);
/// plan.z = z_free + P r.
void apply_multipliers(Plan& plan);

/// Commits z, positions, multipliers, outputs and contact memory to the state.
void update(double t_next, State& state, Plan& plan);

}  // namespace stages
}  // namespace nonsmooth
