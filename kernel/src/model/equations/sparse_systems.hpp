// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nonsmooth/kernel/systems/sparse_lagrangian.hpp>

#include "sparse_differences.hpp"

namespace nonsmooth {

/// M dv = F dt with F = force + external - internal.
class CallableSparseSystem final : public SparseMechanicalSystem {
 public:
  explicit CallableSparseSystem(SparseLagrangianSystem description);

  [[nodiscard]] std::string name() const override { return description_.name; }
  [[nodiscard]] Eigen::VectorXd initial_position() const override { return description_.q0.value(); }
  [[nodiscard]] Eigen::VectorXd initial_velocity() const override { return description_.v0.value(); }
  [[nodiscard]] const SparsePattern& pattern() const override { return description_.pattern; }
  [[nodiscard]] bool has_constant_mass() const override { return !description_.mass_of_q; }
  void mass_entries(ConstVectorRef q, SparseEntries& M) const override;
  void force(double t, ConstVectorRef q, ConstVectorRef v, VectorRef F) const override;
  void force_dq_entries(double t, ConstVectorRef q, ConstVectorRef v, SparseEntries& J) const override;
  void force_dv_entries(double t, ConstVectorRef q, ConstVectorRef v, SparseEntries& J) const override;
  [[nodiscard]] double potential(ConstVectorRef q) const override {
    return description_.potential ? description_.potential(q) : MechanicalSystem::potential(q);
  }
  [[nodiscard]] const std::vector<PrescribedVelocity>& prescribed() const override { return description_.prescribed; }
  [[nodiscard]] const std::vector<PrescribedImpulse>& impulses() const override { return description_.impulses; }
  [[nodiscard]] const Feedback& feedback() const override { return description_.feedback; }

 private:
  SparseLagrangianSystem description_;
  Eigen::VectorXd mass_;           ///< by number of the entry, where it is constant
  SparseDifferences differences_;  ///< where a Jacobian is missing
};

/// M(q) of a system that says it in entries.
[[nodiscard]] Eigen::SparseMatrix<double> sparse_mass(const SparseMechanicalSystem& system, ConstVectorRef q);
/// M(q) v of any system; of one that says M in entries without a dense matrix.
[[nodiscard]] Eigen::VectorXd momentum_of(const MechanicalSystem& system, ConstVectorRef q, ConstVectorRef v);

}  // namespace nonsmooth
