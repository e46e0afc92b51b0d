// SPDX-License-Identifier: Apache-2.0
#pragma once

// A prism of three struts and nine cables: what is known of it in closed form, and what is kept of its runs (SI units).
#include <nonsmooth/io.hpp>
#include <nonsmooth/kernel.hpp>

#include <array>
#include <cmath>
#include <filesystem>
#include <numbers>
#include <vector>

inline constexpr double kLength = 1.0, kCircle = 0.35, kRadius = 0.012, kMass = 0.3;  // of struts, of their ends
inline constexpr double kStiffness = 2000.0, kDensity = 40.0;                         // of cables; q_v [N/m]
inline constexpr double kThird = 2.0 * std::numbers::pi / 3.0;

// Motions that keep all the symmetry of the prism (turns by 120 degrees, and half turns about the axes through the
// middles of struts) have two coordinates: how far those middles are from the axis, and the lean of struts from it.
//   b_i, t_i = (rho, -+s, -+c), turned by 120 i degrees,   s = L/2 sin beta, c = L/2 cos beta,
//   vertical b_i t_{i-1}:  l_v^2 = L^2 + 3 rho^2 - 3 s^2 - 2 sqrt(3) rho s,     horizontal:  l_h^2 = 3 (rho^2 + s^2),
//   V = 3/2 k <l_v - a_v>^2 + 3 k <l_h - a_h>^2,     3 m rho'' = -dV/drho,     3 J beta'' = -dV/dbeta,
// <x> = max(x, 0). With force densities q = k <l - a> / l the forces vanish where tan(twist/2) = s / rho = tan 75
// degrees and q_h = q_v / sqrt 3.
struct Prism {
  double rho, beta;

  static Prism in_equilibrium() {
    const double s = kCircle * std::sin(1.25 * kThird / 2.0);
    return {kCircle * std::cos(1.25 * kThird / 2.0), std::asin(2.0 * s / kLength)};
  }
  [[nodiscard]] double s() const { return 0.5 * kLength * std::sin(beta); }
  [[nodiscard]] double c() const { return 0.5 * kLength * std::cos(beta); }
  [[nodiscard]] std::array<double, 2> lengths() const {  // of the vertical and of the horizontal cables
    const double root = std::sqrt(3.0);
    return {std::sqrt(kLength * kLength + 3.0 * rho * rho - 3.0 * s() * s() - 2.0 * root * rho * s()),
            std::sqrt(3.0 * (rho * rho + s() * s()))};
  }
  // Gradients of l_v^2 / 2 and l_h^2 / 2 by (rho, s), one a column.
  [[nodiscard]] Eigen::Matrix2d gradients() const {
    const double root = std::sqrt(3.0);
    return Eigen::Matrix2d{{3.0 * rho - root * s(), 3.0 * rho}, {-3.0 * s() - root * rho, 3.0 * s()}};
  }
};

// Of the cables without tension: k (l - a) = q l.
inline std::array<double, 2> rest_lengths() {
  const auto l = Prism::in_equilibrium().lengths();
  return {l[0] * (1.0 - kDensity / kStiffness), l[1] * (1.0 - kDensity / std::sqrt(3.0) / kStiffness)};
}

// V at equilibrium.
inline double stored_energy() {
  const auto l = Prism::in_equilibrium().lengths(), a = rest_lengths();
  return 1.5 * kStiffness * std::pow(l[0] - a[0], 2) + 3.0 * kStiffness * std::pow(l[1] - a[1], 2);
}

// -dV/drho and -dV/dbeta.
inline Eigen::Vector2d symmetric_force(const Prism& at) {
  const auto l = at.lengths(), a = rest_lengths();
  const Eigen::Vector2d q(kStiffness * std::max(l[0] - a[0], 0.0) / l[0],
                          2.0 * kStiffness * std::max(l[1] - a[1], 0.0) / l[1]);
  Eigen::Vector2d force = -3.0 * (at.gradients() * q);
  force[1] *= at.c();  // ds/dbeta
  return force;
}

// Second derivatives of V at the equilibrium: of n cables n ((k - q) g g^T + q (l^2 / 2)''), g the gradient of l.
inline Eigen::Matrix2d symmetric_stiffness() {
  const Prism at = Prism::in_equilibrium();
  const auto l = at.lengths();
  const double root = std::sqrt(3.0);
  const std::array<Eigen::Matrix2d, 2> bend{Eigen::Matrix2d{{3.0, -root}, {-root, -3.0}},
                                            Eigen::Matrix2d{{3.0, 0.0}, {0.0, 3.0}}};
  Eigen::Matrix2d K = Eigen::Matrix2d::Zero();
  for (const int kind : {0, 1}) {
    const auto i = static_cast<std::size_t>(kind);
    const double q = kind == 0 ? kDensity : kDensity / root;
    const Eigen::Vector2d g = at.gradients().col(kind) / l[i];
    K += (kind == 0 ? 3.0 : 6.0) * ((kStiffness - q) * g * g.transpose() + q * bend[i]);
  }
  K.row(1) *= at.c(), K.col(1) *= at.c();  // dV/ds = 0 there
  return K;
}

// The prism at one instant, and the tensions of its cables: 3 below, 3 above, 3 between.
struct Shot {
  std::array<Eigen::Vector3d, 3> low, high;
  std::array<double, 9> tension;
};

// The two ends of a cable by strut, and whether it is the upper end: as Shot::tension counts them.
struct Cable {
  std::size_t first, second;
  bool first_high, second_high;
};
inline std::array<Cable, 9> cables() {
  std::array<Cable, 9> all;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t next = (i + 1) % 3;
    all[i] = {i, next, false, false};
    all[3 + i] = {i, next, true, true};
    all[6 + i] = {next, i, false, true};
  }
  return all;
}

// Shots of a fall every 0.05 s, its table (t, height, slack, vertical, horizontal), and that of a push (t, beta, exact
// beta).
nonsmooth::Picture picture(const std::vector<Shot>& shots, const nonsmooth::Table& fall, const nonsmooth::Table& push,
                           const std::filesystem::path& file);
