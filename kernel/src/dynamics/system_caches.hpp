// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <limits>
#include <vector>

#include <Eigen/Core>
#include <Eigen/SparseCore>

#include <internal/decompositions.hpp>
#include <nonsmooth/kernel/model.hpp>
#include <nonsmooth/numerics/linear_algebra/factorization.hpp>

#include "system_batch.hpp"

namespace nonsmooth {

enum class SystemKind : unsigned char { Diagonal, Batched, Sparse, Nonlinear, NonlinearFirstOrder, Sweeping };

/// A run of degrees of freedom whose mass, damping and stiffness are all diagonal and constant: one loop serves them.
struct DiagonalRun {
  Index q = 0, z = 0, count = 0;
  bool free_flight = true;  ///< no damping and no stiffness
  double theta = 0.5;
};

/// M, C, K (or M, A_x) constant and kept sparse: factors once, products each step.
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
  bool has_prescribed = false;
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

/// What a scheme and a step length make of each system, in a list for each kind, and what solves leave there.
struct SystemCaches {
  SystemInputs inputs;
  std::vector<std::unique_ptr<SystemBatch>> kinds;  ///< one a kind, in the order in which systems ask them
  std::vector<SystemBatch*> batches;                ///< those that took systems
  std::vector<SystemBatch*> batch;                  ///< by system
  std::vector<SystemKind> kind;                     ///< by system
  std::vector<Index> place;  ///< by system: position in its kind's list; of a diagonal one its first unknown
  std::vector<DiagonalRun> runs;
  std::vector<double> a_inverse, drive, rate_z, rate_q;  ///< by unknown, of diagonal systems
  std::vector<Index> diagonal_functions;                 ///< time functions of diagonal systems
  std::vector<SparseSystem> sparse;
  std::vector<NonlinearSystem> nonlinear;
  std::vector<NonlinearFirstOrder> nonlinear_first_order;
  std::vector<SweepingSystem> sweeping;
  std::vector<double> positive_up_to;  ///< by system: A of no longer step has to be looked at again

  [[nodiscard]] SystemKind kind_of(Index system) const { return kind[static_cast<std::size_t>(system)]; }
  [[nodiscard]] std::size_t place_of(Index system) const {
    return static_cast<std::size_t>(place[static_cast<std::size_t>(system)]);
  }
  [[nodiscard]] SystemBatch* batch_of(Index system) const { return batch[static_cast<std::size_t>(system)]; }
};

namespace stages {

/// @throws InvalidArgument where a system cannot have its scheme with this h.
void prepare_systems(const NonSmoothDynamicalSystem& model, const Discretisation& discretisation,
                     SystemCaches& systems);
void prepare_nonlinear(const NonSmoothDynamicalSystem& model, Index system, const Discretisation& discretisation,
                       SystemCaches& systems);

/// b := A^-1 b for the system's columns b (n x any), prescribed components zeroed.
void apply_inverse(SystemCaches& systems, Index system, MatrixRef b);
/// b := P of an input b: A^-1 b (mechanics), h multiplier_weight A^-1 b (first order), the hold's integral times b.
void apply_input(const Discretisation& discretisation, SystemCaches& systems, Index system, MatrixRef b);

/// z_free of the linear systems; independent of r and of Newton's iterates.
void free_state(const StepView& step, SystemCaches& systems, Eigen::VectorXd& z_free);
/// The positions of the iterate: retract(q_k, h (theta z + (1-theta) v_k)), for systems that something nonlinear looks
/// at; scratch of `systems` is written.
void predict_positions(const StepView& step, SystemCaches& systems, Iterate& iterate);
/// M, F and the residual without reactions of the nonlinear mechanical systems at the iterate.
void evaluate_systems(const StepView& step, const Iterate& iterate, SystemCaches& systems);
/// z_free, A of the nonlinear systems, linearised about the iterate. After evaluate_systems.
void linearise_systems(const StepView& step, const Iterate& iterate, SystemCaches& systems, Eigen::VectorXd& z_free);
/// Keeps H^T r of the linearised step that ended at z, for motion_holds.
void keep_impulses(const Discretisation& discretisation, const Eigen::VectorXd& z_free, const Eigen::VectorXd& z,
                   SystemCaches& systems);
/// After evaluate_systems: no residual, reactions as kept, is above the tolerance.
[[nodiscard]] bool motion_holds(double tolerance, SystemCaches& systems);

}  // namespace stages
}  // namespace nonsmooth
