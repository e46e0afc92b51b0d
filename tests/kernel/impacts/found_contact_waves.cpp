// SPDX-License-Identifier: Apache-2.0
// Liu, Zhao and Brogliato's impacts of contacts that are found, in both simulations: chains against closed forms and
// motions, what is refused.
#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include <nonsmooth/kernel.hpp>
#include <problems/reference.hpp>

#include "kernel/bad_input.hpp"
#include "rows_of_balls.hpp"

namespace nonsmooth::found_contact_waves_test {
namespace {

using bad_input::expect_refused;
using namespace rows_of_balls;

/// q'' of unit masses under K_i d_i^(3/2) between them, from d = 0 and v = (1, 0, 0), until all are apart.
Eigen::Vector3d hertz_of_two(const Eigen::Vector2d& K) {
  const auto rate = [&](double, ConstVectorRef z, VectorRef slope) {
    slope.head<3>() = z.tail<3>();
    slope.tail<3>().setZero();
    for (Index i = 0; i < 2; ++i) {
      const double force = K[i] * std::pow(std::max(0.0, z[i] - z[i + 1]), 1.5);
      slope[3 + i] -= force;
      slope[4 + i] += force;
    }
  };
  return problems::solve_ode(rate, Eigen::VectorXd::Unit(6, 3), 0.0, 20.0).tail<3>();
}

TEST(FoundContactWaves, StiffnessesByMaterialsInBothSimulations) {
  // Contacts of (0, 1) and of (1, 1) with stiffnesses 1 and 4. The reference controls its error by 1e-14 a step, over
  // kinks of order 3/2 too; the impact to 1e-12 a step, some hundred steps.
  const Eigen::Vector3d expected = hertz_of_two({1.0, 4.0});
  EXPECT_GT(std::abs(expected[2] - hertz_of_two({1.0, 1.0})[2]), 1e-3);  // it depends on them
  const std::vector<Law> laws{LiuZhaoBrogliatoImpactLaw{.restitution = 1.0, .stiffness = 1.0},
                              LiuZhaoBrogliatoImpactLaw{.restitution = 1.0, .stiffness = 4.0}};
  for (const Kind kind : kKinds) {
    const Row row(kind, Eigen::Vector3d(1.0, 0.0, 0.0), laws, ContactMaterials(2, 0).set_law(1, 1, 1), {0, 1, 1});
    row.expect_after(expected, 1e-7);
  }
}

TEST(FoundContactWaves, CradlesOfThreeAndFiveInBothSimulations) {
  // Three of linear springs: d1 + d2 = sin t, d1 - d2 = sin(sqrt3 t) / sqrt3 until d1 = 0 again; then 2 and 3 alone,
  // d2'' = -2 d2. Five of Hertz: by Runge-Kutta, to 3e-9 (WavesInSteps).
  double t = 2.57;
  const double root = std::sqrt(3.0);
  for (int k = 0; k < 10; ++k) t -= (std::sin(t) + std::sin(root * t) / root) / (std::cos(t) + std::cos(root * t));
  const double d2 = 0.5 * (std::sin(t) - std::sin(root * t) / root), rate1 = 0.5 * (std::cos(t) + std::cos(root * t));
  const double rate2 = 0.5 * (std::cos(t) - std::cos(root * t));
  const double v1 = (1.0 + 2.0 * rate1 + rate2) / 3.0, pair = 1.0 - v1;
  const double apart = std::sqrt(rate2 * rate2 + 2.0 * d2 * d2);
  const Eigen::VectorXd five =
      (Eigen::VectorXd(5) << -0.071085017, -0.030273764, -0.014463629, 0.127044986, 0.988777424).finished();
  for (const Kind kind : kKinds) {
    Row(kind, Eigen::VectorXd::Unit(3, 0), LiuZhaoBrogliatoImpactLaw{.restitution = 1.0, .exponent = 1.0})
        .expect_after(Eigen::Vector3d(v1, 0.5 * (pair - apart), 0.5 * (pair + apart)), 1e-9);
    Row(kind, Eigen::VectorXd::Unit(5, 0), LiuZhaoBrogliatoImpactLaw{.restitution = 1.0}).expect_after(five, 1e-8);
  }
}

TEST(FoundContactWaves, BesideAnotherLawAreRefusedByName) {
  Row row(Kind::Spheres, Eigen::VectorXd::Unit(3, 0), {LiuZhaoBrogliatoImpactLaw{}, NewtonImpactLaw{}},
          ContactMaterials(2, 0).set_law(1, 1, 1), {0, 1, 1});
  TimeStepping mixed(row.model, {.step = 1e-3});
  expect_refused([&] { (void)mixed.step(); }, {"an impact of the contact of", "one impact law"});
  const Row waves(Kind::Spheres, Eigen::VectorXd::Unit(3, 0), LiuZhaoBrogliatoImpactLaw{});
  expect_refused([&] { TimeStepping(waves.model, {.integrator = StewartTrinkle{}, .step = 1e-3}); },
                 {"LiuZhaoBrogliatoImpactLaw", "MoreauJean"});
  expect_refused([&] { TimeStepping(waves.model, {.step = 1e-3, .form = Form::Global}); },
                 {"LiuZhaoBrogliatoImpactLaw", "Form::Reduced"});
}

}  // namespace
}  // namespace nonsmooth::found_contact_waves_test
