// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <Eigen/SparseCore>

#include <internal/decompositions.hpp>
#include <nonsmooth/kernel/model.hpp>

#include "iterate.hpp"
#include "step_view.hpp"
#include "system_inputs.hpp"

namespace nonsmooth {

/// A system that looks for the batch of its kind.
struct SystemCandidate {
  const NonSmoothDynamicalSystem::System& record;
  Index system;  ///< in the layout
  bool has_nonlinear_input =
      false;  ///< an interaction's g(t, x, lambda) acts on it: its factor changes with the iterate
  bool keeps_unknown = false, exponential = false, generalised_alpha = false;  ///< its scheme, where it is stepped
};

/// A system whose A is to be made.
struct DiscretisedSystem {
  const NonSmoothDynamicalSystem::System& record;
  Index system;  ///< in the layout
  const Discretisation& discretisation;

  [[nodiscard]] const Layout::System& place() const { return discretisation.system(system); }
  [[nodiscard]] const Scheme& scheme() const { return discretisation.scheme(system); }
  [[nodiscard]] double h() const { return discretisation.h; }
};

/// A mechanical system at instants: where its entries are, and M as it was evaluated last.
struct InstantSystem {
  std::shared_ptr<const DynamicalSystem> kept;  ///< keeps `description` alive
  const MechanicalSystem* description = nullptr;
  std::string name;
  Index system = 0;                       ///< in the layout
  Index q = 0, nq = 0, n = 0, first = 0;  ///< in positions; in packed velocities
  bool plain = true;                      ///< qdot = v: no retract of its own
  Eigen::MatrixXd mass{};
  CholeskyFactors factor{};  ///< of it; not of 1 x 1
};

/// All systems of one kind in a model, with what their schemes and a step length make of them: their iteration matrices
/// A, factored where they are constant, and what a step needs of them. Stages call a batch once for all its systems;
/// `place` is a system's number in its batch, as enter() gave it. What is virtual and not pure does what systems need
/// whose q is moved by h v and whose A is constant.
class SystemBatch {
 public:
  explicit SystemBatch(SystemInputs& inputs) : inputs_(inputs) {}
  SystemBatch(const SystemBatch&) = delete;
  SystemBatch& operator=(const SystemBatch&) = delete;
  virtual ~SystemBatch() = default;

  /// In the order of their places.
  [[nodiscard]] std::span<const Index> systems() const { return members_; }

  /// Forgets its systems, but not what it knows of them at other step lengths: enter() comes in the same order again.
  virtual void clear() { members_.clear(); }
  /// The system is of its kind.
  [[nodiscard]] virtual bool takes(const SystemCandidate& candidate) const = 0;
  /// Enters a system that it takes. Returns its place.
  [[nodiscard]] Index enter(Index system) {
    members_.push_back(system);
    return std::ssize(members_) - 1;
  }
  /// Makes A of a system; once for each, in the order of their places.
  /// @throws InvalidArgument where the system cannot have its scheme with this h.
  virtual void prepare(const DiscretisedSystem& given) = 0;

  /// A changes with Newton's iterate; impulsive loads and prescribed velocities are in the residual.
  [[nodiscard]] virtual bool is_nonlinear() const { return false; }
  /// A step is not linear in z: Newton's iteration has to repeat. After prepare().
  [[nodiscard]] virtual bool iterates() const { return is_nonlinear(); }
  /// A changes from step to step.
  [[nodiscard]] virtual bool factor_varies(Index) const { return is_nonlinear(); }
  /// commit() calls a user's function, which may fail.
  [[nodiscard]] virtual bool commit_calls_users() const { return false; }

  /// z_free but for impulsive loads and prescribed velocities; independent of r and of Newton's iterates.
  virtual void free_state(const StepView&, Eigen::VectorXd& /*z_free*/) {}
  /// z_free += what A makes of the change of a prescribed velocity for the rest of the system.
  virtual void follow(const StepView&, Index /*place*/, const PrescribedComponent&, double /*change*/,
                      Eigen::VectorXd& /*z_free*/) {}
  /// q and q* of the iterate: retract(q_k, h (position z + (1-position) v_k)).
  virtual void predict_positions(const StepView& step, Iterate& iterate);
  /// What the residual without reactions is made of, at the iterate.
  virtual void evaluate(const StepView&, const Iterate&) {}
  /// A and z_free, linearised about the iterate. After evaluate().
  virtual void linearise(const StepView&, const Iterate&, Eigen::VectorXd& /*z_free*/) {}
  /// Keeps H^T r of the linearised step that ended at z, for motion_holds().
  virtual void keep_impulses(const Discretisation&, const Eigen::VectorXd& /*z_free*/, const Eigen::VectorXd& /*z*/) {}
  /// After evaluate(): no residual, reactions as kept, is above the tolerance. False where it cannot be told.
  [[nodiscard]] virtual bool motion_holds(double /*tolerance*/) { return false; }
  /// Adds multiplier_weight dg/dx (n x n) of a relation to what is part of A; evaluate() begins the sum anew. Of
  /// systems that a nonlinear input acts on alone.
  virtual void add_input_jacobian(const Layout::System&, Index /*place*/, const std::string& /*relation*/,
                                  ConstMatrixRef /*jacobian*/) {}

  /// b := A^-1 b for columns b (n x any), rows of prescribed components zeroed first.
  virtual void apply_inverse(Index place, MatrixRef b) = 0;
  /// b := P of an input b: A^-1 b (mechanics), h multiplier_weight A^-1 b (first order).
  virtual void apply_input(const Discretisation& discretisation, Index place, MatrixRef b);
  /// Steps that follow move q by U in place of what impulses move it by, until positions are joined again. Of
  /// generalised-alpha alone.
  virtual void part_positions(Index /*place*/, ConstVectorRef /*U*/) {}
  virtual void join_positions(Index /*place*/) {}
  /// Has apply_inverse() solve with M at the state's positions alone, where A is not known before a step.
  virtual void factor_mass(const StepView&, Index /*place*/) {}
  /// The diagonal of A^-1 where A is diagonal, zeros at prescribed components; nullptr elsewhere.
  [[nodiscard]] virtual const double* diagonal_inverse(Index /*place*/) const { return nullptr; }
  /// A, prescribed components cut out, its first row and column being number `offset`. Nothing where no law that the
  /// global form knows acts on such systems.
  virtual void add_iteration_matrix(const Layout::System&, Index /*place*/, Index /*offset*/,
                                    std::vector<Eigen::Triplet<double>>& /*entries*/) const {}

  /// Positions at the end of the step that went from state.unknowns to z, which leaves as v_{k+1} where a scheme
  /// keeps it.
  virtual void commit(const Discretisation& discretisation, Eigen::VectorXd& z, State& state);
  /// q := retract(q, w).
  virtual void retract(const Layout::System&, Index /*place*/, ConstVectorRef w, VectorRef q) { q += w; }

  // At an instant, without a scheme: M(q) vdot = F(t, q, v), without feedback, impulses and prescribed velocities.
  // Positions are those of the layout, at the front of the vector that holds them; velocities, forces and accelerations
  // are packed, of system s from first[s] on. All throw CallableFailure where a user's function does.

  /// Has its systems, which are mechanical, ready for what follows; prepare() need not have come before.
  virtual void prepare_instants(const NonSmoothDynamicalSystem& model, const Layout& layout,
                                const std::vector<Index>& first);
  /// M, and F of its systems into the entries that they have.
  virtual void evaluate_motion(double t, const Eigen::VectorXd& positions, const Eigen::VectorXd& v,
                               Eigen::VectorXd& F);
  /// Factors M where it is constant, for accelerations(). Returns a system whose M is not positive definite; -1: none.
  [[nodiscard]] virtual Index factor_constant_masses() { return -1; }
  /// a := M^-1 F; after evaluate_motion(). Returns a system whose M is not positive definite; -1: none.
  [[nodiscard]] virtual Index accelerations(const Eigen::VectorXd& F, Eigen::VectorXd& a);
  /// x := M^-1 x, x by its first entry; after factor_constant_masses(), and accelerations() where M is not constant.
  virtual void solve_mass(double* x) const;
  /// product := M x; after evaluate_motion().
  virtual void mass_product(ConstVectorRef x, VectorRef product) const;
  /// Blocks of M; after evaluate_motion().
  virtual void masses(MatrixRef M) const;
  /// Blocks of dF/dq along the tangent directions, and of dF/dv; both come in zeroed.
  void jacobians(double t, ConstVectorRef positions, ConstVectorRef v, MatrixRef F_q, MatrixRef F_v) const;
  /// qdot := T(q) v.
  void position_rates(const Eigen::VectorXd& positions, const Eigen::VectorXd& v, Eigen::VectorXd& rates) const;
  /// q := retract(q, w).
  void move_positions(const Eigen::VectorXd& w, Eigen::VectorXd& positions) const;
  /// q := retract(q, 0) on manifolds, which normalises what is ever normalised. True where some q changed.
  bool normalise(Eigen::VectorXd& positions) const;

  // Forces of joints beside impulses (stepping/joint_forces.hpp), of generalised-alpha alone.

  /// a := M^-1 F at the state, without forces of joints.
  virtual void free_accelerations(const StepView&, Index /*place*/, VectorRef /*a*/) {}
  /// H^T lambda_k, what joints add to F at the state: for the steps from there.
  virtual void set_start_reaction(Index /*place*/, ConstVectorRef /*reaction*/) {}
  /// b := what forces b / h at t_{k+1} make of z, for columns b; after linearise().
  virtual void apply_force_inverse(Index /*place*/, MatrixRef /*b*/) {}
  /// z of the linearised step without impulses.
  virtual void smooth_unknowns(Index /*place*/, VectorRef /*z*/) const {}
  /// Takes up what forces of joints changed that by.
  virtual void add_smooth(double /*h*/, Index /*place*/, ConstVectorRef /*change*/) {}
  /// b := what U = b of part_positions() makes of q in the linearised step, for columns b: forces see where it moves.
  virtual void respond_to_move(double /*h*/, Index /*place*/, MatrixRef /*b*/) {}

 protected:
  [[nodiscard]] Index system_at(Index place) const { return members_[static_cast<std::size_t>(place)]; }
  /// Lists instants_, without memory for M.
  void list_instants(const NonSmoothDynamicalSystem& model, const Layout& layout, const std::vector<Index>& first);

  SystemInputs& inputs_;
  std::vector<InstantSystem> instants_;  ///< of prepare_instants()

 private:
  std::vector<Index> members_;
};

/// Where a scheme keeps z: into the state for the next step, and v_{k+1} = velocity z + (1-velocity) z_k in its place.
void keep_unknown(const Layout::System& place, double velocity, Eigen::VectorXd& unknowns, State& state);

/// A batch that keeps its systems in a list, by place; prepare() fills it.
template <class System, class Base = SystemBatch>
class ListedBatch : public Base {
 public:
  using Base::Base;

  void clear() override {
    Base::clear();
    list_.clear();
  }

 protected:
  [[nodiscard]] System& at(Index place) { return list_[static_cast<std::size_t>(place)]; }
  [[nodiscard]] const System& at(Index place) const { return list_[static_cast<std::size_t>(place)]; }

  std::vector<System> list_;
};

/// Row and column of a prescribed component become the identity's.
template <class Matrix>
void cut_out(Matrix& A, Index component) {
  A.row(component).setZero();
  A.col(component).setZero();
  A(component, component) = 1.0;
}

/// Entries other than zero of a dense A, its first row and column being number `offset`.
void add_dense_entries(ConstMatrixRef A, Index offset, std::vector<Eigen::Triplet<double>>& entries);

}  // namespace nonsmooth
