// SPDX-License-Identifier: Apache-2.0
// Bodies that only turn, one system on SO(3)^N: each is tied to the next by a spring against twist and bending.
#pragma once

#include <nonsmooth/kernel/model.hpp>

namespace nonsmooth::problems {

/// J Omega_i' + Omega_i x J Omega_i = -grad_i V,  V = sum k (3 - tr(R_i^T R_{i+1})): the energy of neighbours that are
/// apart by an angle phi is 2 k (1 - cos phi). q holds a unit quaternion (w, x, y, z) a body, v its Omega in its own
/// axes, which moves it by Q := Q exp(w / 2); M and the Jacobians are sparse, of 3 x 3 blocks. The same in a turned
/// frame, and free: R J Omega of all together is constant.
///
/// Turned about e_3, a principal axis of J, by a_i(t): J_33 a_i'' = 2 k (sin(a_{i+1} - a_i) - sin(a_i - a_{i-1})),
/// whose small differences have the modes cos(p pi (i + 1/2) / N) of frequencies 2 sqrt(2 k / J_33) sin(p pi / (2 N)).
class TurningChain final : public SparseMechanicalSystem {
 public:
  /// `orientations`: 4 x N, units; `spins`: 3 x N [rad/s].
  TurningChain(double stiffness, const Eigen::Matrix3d& inertia, Eigen::Matrix4Xd orientations, Eigen::Matrix3Xd spins);

  [[nodiscard]] double frequency(Index mode) const;                                  ///< of small twists [rad/s]
  [[nodiscard]] Eigen::Vector3d momentum(ConstVectorRef q, ConstVectorRef v) const;  ///< in space [kg m^2/s]
  [[nodiscard]] double energy(ConstVectorRef q, ConstVectorRef v) const;             ///< kinetic and potential [J]

  [[nodiscard]] Eigen::VectorXd initial_position() const override;
  [[nodiscard]] Eigen::VectorXd initial_velocity() const override;
  [[nodiscard]] const SparsePattern& pattern() const override { return pattern_; }
  [[nodiscard]] bool has_constant_mass() const override { return true; }
  void mass_entries(ConstVectorRef q, SparseEntries& M) const override;
  void force(double t, ConstVectorRef q, ConstVectorRef v, VectorRef F) const override;
  void force_dq_entries(double t, ConstVectorRef q, ConstVectorRef v, SparseEntries& J) const override;
  void force_dv_entries(double t, ConstVectorRef q, ConstVectorRef v, SparseEntries& J) const override;
  void retract(VectorRef q, ConstVectorRef w) const override;
  [[nodiscard]] double potential(ConstVectorRef q) const override;

 private:
  [[nodiscard]] Index count() const { return spins_.cols(); }

  double stiffness_;
  Eigen::Matrix3d inertia_;
  Eigen::Matrix4Xd orientations_;
  Eigen::Matrix3Xd spins_;
  SparsePattern pattern_;
};

/// N bodies turned by `angles` about e_3 and all by `frame` before that, at rest.
[[nodiscard]] TurningChain twisted_chain(double stiffness, const Eigen::Matrix3d& inertia,
                                         const Eigen::VectorXd& angles, const Eigen::Vector4d& frame);

}  // namespace nonsmooth::problems
