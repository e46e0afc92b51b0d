// SPDX-License-Identifier: Apache-2.0
// Motions of free bodies in closed form.
#pragma once

#include <algorithm>
#include <cmath>

#include <Eigen/Geometry>

#include <boost/math/special_functions/jacobi_elliptic.hpp>
#include <nonsmooth/kernel.hpp>
#include <problems/reference.hpp>

namespace nonsmooth::free_bodies {

inline Eigen::Matrix3d principal(double first, double second, double third) {
  return Eigen::Vector3d(first, second, third).asDiagonal();
}

inline Eigen::Quaterniond turn_of(const State& state, SystemHandle body) {
  const Eigen::Vector4d Q = state.q(body).tail<4>();
  return {Q[0], Q[1], Q[2], Q[3]};
}

inline Eigen::Vector4d numbers_of(const Eigen::Quaterniond& Q) { return {Q.w(), Q.x(), Q.y(), Q.z()}; }

inline Eigen::Quaterniond about(const Eigen::Vector3d& axis, double angle) {
  return Eigen::Quaterniond(Eigen::AngleAxisd(angle, axis.normalized()));
}

/// |Q - P| over the signs that mean the same turn.
inline double distance(const Eigen::Quaterniond& Q, const Eigen::Quaterniond& P) {
  return std::min((Q.coeffs() - P.coeffs()).norm(), (Q.coeffs() + P.coeffs()).norm());
}

/// An axisymmetric body, J = (J_1, J_1, J_3): the moment L keeps its direction in space, about which the body turns at
/// L / J_1, while it turns at -(J_3 - J_1) / J_1 Omega_3 about its own axis.
struct Axisymmetric {
  double J1 = 1.0, J3 = 1.6;
  Eigen::Vector3d Omega{0.8, 0.0, 2.0};

  [[nodiscard]] RigidBody body() const {
    return {.inertia = principal(J1, J1, J3),
            .orientation = numbers_of(start),
            .velocity = {1.0, 0.0, -0.5},
            .angular_velocity = Omega};
  }
  [[nodiscard]] double rate() const { return (J3 - J1) / J1 * Omega[2]; }
  [[nodiscard]] Eigen::Quaterniond turn_at(double t) const {
    const Eigen::Vector3d L = start * Eigen::Vector3d(principal(J1, J1, J3) * Omega);
    return about(L, L.norm() / J1 * t) * start * about(Eigen::Vector3d::UnitZ(), -rate() * t);
  }
  [[nodiscard]] Eigen::Vector3d Omega_at(double t) const { return about(Eigen::Vector3d::UnitZ(), rate() * t) * Omega; }
  Eigen::Quaterniond start = about({1.0, -2.0, 0.5}, 0.9);
};

/// Of J_1 < J_2 < J_3 and L^2 > 2 E J_2, from the instant at which Omega_2 = 0: Landau and Lifshitz, Mechanics, section
/// 37 [landau1976].
struct Asymmetric {
  Eigen::Vector3d J{1.0, 2.0, 2.7}, start{0.7, 0.0, 1.5};
  double twice_energy = start.dot(J.cwiseProduct(start)), L2 = J.cwiseProduct(start).squaredNorm();
  double rate = std::sqrt((J[2] - J[1]) * (L2 - twice_energy * J[0]) / J.prod());
  double modulus = std::sqrt((J[1] - J[0]) * (twice_energy * J[2] - L2) / ((J[2] - J[1]) * (L2 - twice_energy * J[0])));

  [[nodiscard]] Eigen::Vector3d Omega_at(double t) const {
    double cn = 0.0, dn = 0.0;
    const double sn = boost::math::jacobi_elliptic(modulus, rate * t, &cn, &dn);
    const double second = std::sqrt((twice_energy * J[2] - L2) / (J[1] * (J[2] - J[1])));
    return {start[0] * cn, second * sn, start[2] * dn};
  }
  /// With L along z: R = Rz(phi) Rx(theta) Rz(psi), J Omega / L = R^T z = (sin theta sin psi, sin theta cos psi, cos
  /// theta), and phi' = L (J_1 Omega_1^2 + J_2 Omega_2^2) / (J_1^2 Omega_1^2 + J_2^2 Omega_2^2).
  [[nodiscard]] Eigen::Quaterniond turn_at(double t) const {
    const Eigen::Vector3d l = J.cwiseProduct(Omega_at(t)) / std::sqrt(L2);
    const double phi = t == 0.0 ? 0.0
                                : problems::integral_between(
                                      [this](double s) {
                                        const Eigen::Vector3d w = Omega_at(s);
                                        return std::sqrt(L2) * (J[0] * w[0] * w[0] + J[1] * w[1] * w[1]) /
                                               (std::pow(J[0] * w[0], 2) + std::pow(J[1] * w[1], 2));
                                      },
                                      0.0, t);
    return about(Eigen::Vector3d::UnitZ(), phi) * about(Eigen::Vector3d::UnitX(), std::acos(l[2])) *
           about(Eigen::Vector3d::UnitZ(), std::atan2(l[0], l[1]));
  }
  [[nodiscard]] RigidBody body() const {
    return {.inertia = J.asDiagonal(), .orientation = numbers_of(turn_at(0.0)), .angular_velocity = start};
  }
};

/// How far the turn and Omega of a simulation's body are off the exact ones.
template <class Exact>
double error_of(const Exact& exact, const Simulation& simulation, SystemHandle body) {
  const State& state = simulation.state();
  return distance(turn_of(state, body), exact.turn_at(state.t)) +
         (state.v(body).template tail<3>() - exact.Omega_at(state.t)).norm();
}

}  // namespace nonsmooth::free_bodies
