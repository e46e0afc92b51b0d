// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mechanical_model.hpp"

namespace nonsmooth::events {

/// Dense output of a step on the mechanical subsystem from its ends: Hermite, degree 5 in q, through q, qdot = T(q) v
/// and qddot = T(q) a + dT/dt v at both; degree 3 in v, through v and a. Coordinates of a manifold (quaternions) leave
/// it by O(h^4) inside of the step, as those of other integrators do to their order.
class HermiteOutput {
 public:
  /// `model` has to live as long as this.
  explicit HermiteOutput(const MechanicalModel& model) : model_(model) {}

  /// A state z with the accelerations there, packed.
  struct End {
    const Eigen::VectorXd &z, &a;
  };
  void write(double t, double h, const End& start, const End& end);
  /// As written last.
  [[nodiscard]] const smooth::DensePolynomial& polynomial() const noexcept { return dense_; }

 private:
  struct Derivatives {
    Eigen::VectorXd first, second;
  };
  void differentiate_positions(double h, const End& at, Derivatives& q);

  const MechanicalModel& model_;
  smooth::DensePolynomial dense_;
  // On manifolds.
  Derivatives start_, end_;
  Eigen::VectorXd v_, w_, moved_, forward_, backward_;
};

}  // namespace nonsmooth::events
