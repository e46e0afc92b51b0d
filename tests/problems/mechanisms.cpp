// SPDX-License-Identifier: Apache-2.0
#include <problems/mechanisms.hpp>

#include <cmath>
#include <cstddef>
#include <numbers>
#include <string>
#include <utility>

#include <nonsmooth/kernel/link_joint.hpp>
#include <nonsmooth/kernel/relations/joints.hpp>
#include <nonsmooth/kernel/systems/rigid_body.hpp>

namespace nonsmooth::problems {
namespace {

constexpr double kMechanismGravity = 9.81;

Eigen::Vector2d turned_in_the_plane(double angle, const Eigen::Vector2d& p) {
  const double c = std::cos(angle), s = std::sin(angle);
  return {c * p[0] - s * p[1], s * p[0] + c * p[1]};
}

/// Adds bodies that are described by the place of one of their points, and hinges between points of theirs.
struct PlanarAssembly {
  Mechanism mechanism{};
  std::vector<Eigen::Vector2d> centres{};  // from the point that a body is described by

  /// The body's origin, where its coordinates begin, is at `origin`; its centre at `centre` of these.
  SystemHandle add(PlanarBody body, const Eigen::Vector2d& origin, const Eigen::Vector2d& centre) {
    body.position = origin + turned_in_the_plane(body.angle, centre);
    body.name = "K" + std::to_string(mechanism.bodies.size() + 1);
    mechanism.bodies.push_back(mechanism.model.add(std::move(body)));
    centres.push_back(centre);
    return mechanism.bodies.back();
  }
  void hinge(std::size_t body, const Eigen::Vector2d& point, const Eigen::Vector2d& anchor, const char* name) {
    mechanism.joints.push_back(
        link_joint(mechanism.model, {mechanism.bodies[body]},
                   PlanarHinge{{.first = {.point = point - centres[body]}, .second = {.point = anchor}}}, name));
  }
  void hinge(std::size_t body, const Eigen::Vector2d& point, std::size_t other, const Eigen::Vector2d& there,
             const char* name) {
    mechanism.joints.push_back(link_joint(
        mechanism.model, {mechanism.bodies[body], mechanism.bodies[other]},
        PlanarHinge{{.first = {.point = point - centres[body]}, .second = {.point = there - centres[other]}}}, name));
  }
};

}  // namespace

Mechanism andrews_squeezer() {
  constexpr double m[7] = {.04325, .00365, .02373, .00706, .07050, .00706, .05498};
  constexpr double J[7] = {2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5};
  constexpr double d = 28e-3, da = 115e-4, e = 2e-2, ea = 1421e-5, rr = 7e-3, ra = 92e-5, ss = 35e-3, sa = 1874e-5,
                   sb = 1043e-5, sc = 18e-3, sd = 2e-2, ta = 2308e-5, tb = 916e-5, u = 4e-2, ua = 1228e-5, ub = 449e-5,
                   zf = 2e-2, zt = 4e-2, fa = 1421e-5, c0 = 4530.0, l0 = 7785e-5;
  const Eigen::Vector2d A(-.06934, -.00227), B(-.03635, .03273), C(.014, .072), origin(0.0, 0.0);
  constexpr double beta = -0.0617138900142764496358948458001, gamma = 0.455279819163070380255912382449,
                   phi = 0.222668390165885884674473185609, delta = 0.487364979543842550225598953530,
                   omega = -0.222668390165885884674473185609, epsilon = 1.23054744454982119249735015568;
  PlanarAssembly assembly;
  const auto body = [&](std::size_t k, double angle, const Eigen::Vector2d& at, const Eigen::Vector2d& centre,
                        std::vector<AnyBodyLoad> loads = {}) {
    assembly.add(PlanarBody{.mass = m[k], .inertia = J[k], .angle = angle, .loads = std::move(loads)}, at, centre);
  };
  const Eigen::Vector2d centre_3(sb, -sa), spring_3 = Eigen::Vector2d(sd, -sc) - centre_3;
  body(0, beta, origin, {ra, 0.0}, {FollowerForce{.moment = {0.0, 0.0, kSqueezerTorque}}});
  body(1, beta, turned_in_the_plane(beta, {rr, 0.0}), {-da, 0.0});  // Theta is zero at the start
  body(2, gamma, B, centre_3,
       {PointSpring{
           .point = {spring_3[0], spring_3[1], 0.0}, .anchor = {C[0], C[1], 0.0}, .stiffness = c0, .rest_length = l0}});
  body(3, phi + delta, A + turned_in_the_plane(delta, {zt, 0.0}), {0.0, ea - e});
  body(4, delta, A, {ta, tb});
  body(5, omega + epsilon, A + turned_in_the_plane(epsilon, {0.0, -u}), {zf - fa, 0.0});
  body(6, epsilon, A, {ua, -ub});

  assembly.hinge(0, origin, origin, "crank in O");
  assembly.hinge(1, origin, 0, {rr, 0.0}, "K2 on the crank");
  assembly.hinge(2, origin, B, "K3 in B");
  assembly.hinge(4, origin, A, "K5 in A");
  assembly.hinge(6, origin, A, "K7 in A");
  assembly.hinge(3, origin, 4, {zt, 0.0}, "K4 on K5");
  assembly.hinge(5, origin, 6, {0.0, -u}, "K6 on K7");
  assembly.hinge(1, {-d, 0.0}, 2, {0.0, -ss}, "K2 and K3 in P");
  assembly.hinge(1, {-d, 0.0}, 3, {0.0, -e}, "K2 and K4 in P");
  assembly.hinge(1, {-d, 0.0}, 5, {zf, 0.0}, "K2 and K6 in P");
  return std::move(assembly.mechanism);
}

std::array<double, 7> squeezer_angles(const std::array<double, 7>& turns) {
  return {turns[0], turns[1] - turns[0], turns[2], turns[3] - turns[4], turns[4], turns[5] - turns[6], turns[6]};
}

Mechanism four_bars(int windows) {
  PlanarAssembly assembly;
  const PlanarBody bar{.inertia = 1.0 / 12.0, .gravity = {0.0, -kMechanismGravity}};
  const auto cranks = static_cast<std::size_t>(windows) + 1;
  for (std::size_t i = 0; i < cranks; ++i) {
    PlanarBody crank = bar;
    crank.angle = 0.5 * std::numbers::pi;
    crank.velocity = {0.5, 0.0};
    crank.angular_velocity = -1.0;
    assembly.add(crank, {static_cast<double>(i), 0.0}, {0.5, 0.0});
  }
  for (std::size_t i = 0; i + 1 < cranks; ++i) {
    PlanarBody coupler = bar;
    coupler.velocity = {1.0, 0.0};
    assembly.add(coupler, {static_cast<double>(i), 1.0}, {0.5, 0.0});
  }
  for (std::size_t i = 0; i < cranks; ++i)
    assembly.hinge(i, {0.0, 0.0}, Eigen::Vector2d(static_cast<double>(i), 0.0), "crank's bearing");
  for (std::size_t i = 0; i + 1 < cranks; ++i) {
    assembly.hinge(cranks + i, {0.0, 0.0}, i, {1.0, 0.0}, "coupler's left");
    assembly.hinge(cranks + i, {1.0, 0.0}, i + 1, {1.0, 0.0}, "coupler's right");
  }
  return std::move(assembly.mechanism);
}

std::array<Eigen::Vector3d, 6> bricard_bars() {
  const Eigen::Vector3d x = Eigen::Vector3d::UnitX(), y = Eigen::Vector3d::UnitY(), z = Eigen::Vector3d::UnitZ();
  return {-z, x, -y, z, -x, y};
}

Mechanism bricard_loop(bool ground_held) {
  constexpr double side = 0.1, along = side * side / 6.0, across = (1.0 + side * side) / 12.0;
  const std::array<Eigen::Vector3d, 6> bars = bricard_bars();
  Mechanism mechanism;
  std::vector<Eigen::VectorXd> places;
  Eigen::Vector3d point = Eigen::Vector3d::Zero();  // the end of the ground's bar
  const auto axis = [&](std::size_t k) {            // between bars k and k + 1
    const Eigen::Vector3d &a = bars[k], &b = bars[(k + 1) % 6];
    return Eigen::Vector3d(a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]);
  };
  const auto to_ground = [&](std::size_t k, const std::string& name) {  // hinge k, of the last bar
    const SystemHandle bar = mechanism.bodies.back();
    if (!ground_held) {
      return link_joint(mechanism.model, {bar}, HingeJoint{joint_to_ground(places.back(), point, axis(k))}, name);
    }
    RigidBody end{.position = point, .name = "end of " + name};
    for (Index component = 0; component < 6; ++component)
      end.prescribed.push_back({component, [](double) { return 0.0; }});
    const Eigen::VectorXd place = (Eigen::VectorXd(7) << end.position, end.orientation).finished();
    return link_joint(mechanism.model, {mechanism.model.add(end), bar},
                      HingeJoint{joint_between(place, places.back(), point, axis(k))}, name);
  };
  for (std::size_t k = 1; k < 6; ++k) {
    const Eigen::Vector3d moments =
        Eigen::Vector3d::Constant(across) + (along - across) * bars[k].cwiseAbs();  // the axis is one of space
    const RigidBody bar{.mass = 1.0,
                        .inertia = moments.asDiagonal(),
                        .position = point + 0.5 * bars[k],
                        .gravity = {0.0, -kMechanismGravity, 0.0},
                        .name = "bar " + std::to_string(k)};
    places.push_back((Eigen::VectorXd(7) << bar.position, bar.orientation).finished());
    mechanism.bodies.push_back(mechanism.model.add(bar));
    const std::vector<SystemHandle>& bodies = mechanism.bodies;
    const std::string name = "hinge " + std::to_string(k - 1);
    mechanism.joints.push_back(
        k == 1 ? to_ground(0, name)
               : link_joint(mechanism.model, {bodies[k - 2], bodies[k - 1]},
                            HingeJoint{joint_between(places[k - 2], places[k - 1], point, axis(k - 1))}, name));
    point += bars[k];
  }
  mechanism.joints.push_back(to_ground(5, "hinge 5"));
  return mechanism;
}

}  // namespace nonsmooth::problems
