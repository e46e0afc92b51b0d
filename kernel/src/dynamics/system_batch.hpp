// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <Eigen/SparseCore>

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
  bool keeps_unknown = false, exponential = false;  ///< its scheme, where it is stepped
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
  /// multiplier_weight times the sum of dg/dx of its relations, part of A; zeroed by evaluate(). nullptr: no such part.
  [[nodiscard]] virtual Eigen::MatrixXd* input_jacobian(Index /*place*/) { return nullptr; }

  /// b := A^-1 b for columns b (n x any), rows of prescribed components zeroed first.
  virtual void apply_inverse(Index place, MatrixRef b) = 0;
  /// b := P of an input b: A^-1 b (mechanics), h multiplier_weight A^-1 b (first order).
  virtual void apply_input(const Discretisation& discretisation, Index place, MatrixRef b);
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

 protected:
  [[nodiscard]] Index system_at(Index place) const { return members_[static_cast<std::size_t>(place)]; }

  SystemInputs& inputs_;

 private:
  std::vector<Index> members_;
};

/// A batch that keeps its systems in a list, by place; prepare() fills it.
template <class System>
class ListedBatch : public SystemBatch {
 public:
  using SystemBatch::SystemBatch;

  void clear() override {
    SystemBatch::clear();
    list_.clear();
  }

 protected:
  [[nodiscard]] System& at(Index place) { return list_[static_cast<std::size_t>(place)]; }
  [[nodiscard]] const System& at(Index place) const { return list_[static_cast<std::size_t>(place)]; }

  std::vector<System> list_;
};

/// Entries other than zero of a dense A, its first row and column being number `offset`.
void add_dense_entries(const Eigen::MatrixXd& A, Index offset, std::vector<Eigen::Triplet<double>>& entries);

}  // namespace nonsmooth
