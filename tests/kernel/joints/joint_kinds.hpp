// SPDX-License-Identifier: Apache-2.0
// Every kind of joint on bodies that are free otherwise: of 1 to 2 kg, within 2 m, at some 1 m/s and 1 rad/s, from
// velocities that the joint admits.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <Eigen/LU>

#include "kernel/joint_bodies.hpp"

namespace nonsmooth::jointed {

using RelationOfJoint = std::shared_ptr<const MechanicalRelation>;

/// A joint of the mechanism: which bodies, and how many of its first rows hold.
struct JointLink {
  std::vector<std::size_t> bodies;
  RelationOfJoint relation;
  Law law = EqualityLaw{};
  Index held = -1;  ///< -1: all
};

struct JointKind {
  std::string name;
  std::function<std::vector<JointLink>()> links;
  std::size_t bodies = 2;
  bool planar = false;
  bool driven = false;  ///< by a motor: energy comes in
  std::string like{};   ///< without friction, of which other kind it does the same; only for TimeStepping
  friend void PrintTo(const JointKind& kind, std::ostream* out) { *out << kind.name; }
};

inline Eigen::VectorXd place_of(std::size_t body, bool planar) {
  const auto k = static_cast<double>(body);
  if (planar) return Eigen::Vector3d(0.3 - 0.8 * k, 0.5 * k, 0.4 + 1.1 * k);
  return place({0.3 - 0.8 * k, 0.5 * k, 0.2 + 0.1 * k}, exponential({0.5 + 0.4 * k, -0.4 * k, 0.3}));
}

/// Frames that are closed where bodies i and j start.
inline JointFrames frames_of(std::size_t i = 0, std::size_t j = 1) {
  const Eigen::Vector3d point(0.1 - 0.2 * static_cast<double>(i), 0.2, 0.3);
  return joint_between(place_of(i, false), place_of(j, false), point, {1.0, 2.0, -0.5 + static_cast<double>(i)},
                       {0.3, 0.0, 1.0});
}
inline PlanarFrames planar_frames_of() {
  return planar_joint_between(place_of(0, true), place_of(1, true), {0.1, 0.4}, 0.7);
}

template <class Joint>
std::vector<JointLink> one(Joint joint) {
  return {{{0, 1}, make_relation(std::move(joint))}};
}
template <class Joint, class FrictionLaw>
std::vector<JointLink> rubbing(Joint joint, FrictionLaw law, Index held) {
  return {{{0, 1}, make_relation(std::move(joint)), law, held}};
}
/// Wheels, or a pinion and a rack, on a carrier.
template <class SecondJoint>
std::vector<JointLink> on_carrier(SecondJoint second, RelationOfJoint mesh, Law law = EqualityLaw{}) {
  return {{{0, 2}, make_relation(HingeJoint{frames_of(0, 2)})},
          {{1, 2}, make_relation(std::move(second))},
          {{0, 1, 2}, std::move(mesh), std::move(law), 1}};
}

inline const std::vector<JointKind>& joint_kinds() {
  static const std::vector<JointKind> kinds{
      {"Fixed", [] { return one(FixedJoint{frames_of()}); }},
      {"Ball", [] { return one(BallJoint{frames_of()}); }},
      {"Hinge", [] { return one(HingeJoint{frames_of()}); }},
      {"Slider", [] { return one(SliderJoint{frames_of()}); }},
      {"Cylindrical", [] { return one(CylindricalJoint{frames_of()}); }},
      {"Universal", [] { return one(UniversalJoint{frames_of()}); }},
      {"Planar", [] { return one(PlanarJoint{frames_of()}); }},
      {"Screw",
       [] {
         return one(ScrewJoint{frames_of(), 0.8});
       }},
      {"Distance",
       [] {
         const Eigen::Vector3d of_first = place_of(0, false).head<3>(), of_second = place_of(1, false).head<3>();
         return one(DistanceJoint{Eigen::Vector3d::Zero(), Eigen::Vector3d::Zero(), (of_first - of_second).norm()});
       }},
      {"Gear",
       [] {
         return on_carrier(HingeJoint{frames_of(1, 2)},
                           make_relation(GearJoint{frames_of(0, 2), frames_of(1, 2), 2, 3}));
       },
       3},
      {"Rack",
       [] {
         return on_carrier(SliderJoint{frames_of(1, 2)},
                           make_relation(RackJoint{frames_of(0, 2), frames_of(1, 2), 0.4}));
       },
       3},
      {"PlanarHinge", [] { return one(PlanarHinge{planar_frames_of()}); }, 2, true},
      {"PlanarSlider", [] { return one(PlanarSlider{planar_frames_of()}); }, 2, true},
      {"PlanarFixed", [] { return one(PlanarFixed{planar_frames_of()}); }, 2, true},
      {"PlanarDistance",
       [] {
         const Eigen::Vector2d of_first = place_of(0, true).head<2>(), of_second = place_of(1, true).head<2>();
         return one(DistanceJoint{Eigen::Vector3d::Zero(), Eigen::Vector3d::Zero(), (of_first - of_second).norm()});
       },
       2, true},
      {"HingeMotor",
       [] {
         std::vector<JointLink> links = one(HingeJoint{frames_of()});
         links.push_back(
             {{0, 1},
              make_relation(HingeMotor{.frames = frames_of(),
                                       .angle = [](double t) { return std::sin(3.0 * t); },
                                       .velocity = [](double t) { return 3.0 * std::cos(3.0 * t); },
                                       .acceleration = [](double t) { return -9.0 * std::sin(3.0 * t); }})});
         return links;
       },
       2, false, true},
      {"SliderMotor",
       [] {
         std::vector<JointLink> links = one(SliderJoint{frames_of()});
         links.push_back(
             {{0, 1},
              make_relation(SliderMotor{.frames = frames_of(),
                                        .position = [](double t) { return std::sin(3.0 * t); },
                                        .velocity = [](double t) { return 3.0 * std::cos(3.0 * t); },
                                        .acceleration = [](double t) { return -9.0 * std::sin(3.0 * t); }})});
         return links;
       },
       2, false, true},
      {"FrictionalHinge", [] { return rubbing(FrictionalHinge{frames_of()}, HingeFrictionLaw{}, 5); }, 2, false, false,
       "Hinge"},
      {"FrictionalSlider", [] { return rubbing(FrictionalSlider{frames_of()}, SliderFrictionLaw{}, 5); }, 2, false,
       false, "Slider"},
      {"FrictionalBall", [] { return rubbing(FrictionalBall{frames_of()}, BallFrictionLaw{}, 3); }, 2, false, false,
       "Ball"},
      {"FrictionalCylindrical",
       [] {
         return rubbing(FrictionalCylindrical{frames_of(), 0.3}, CylindricalFrictionLaw{}, 4);
       },
       2, false, false, "Cylindrical"},
      {"FrictionalScrew",
       [] {
         return rubbing(FrictionalScrew{frames_of(), 0.8, 0.3}, ScrewFrictionLaw{}, 5);
       },
       2, false, false, "Screw"},
      {"FrictionalUniversal", [] { return rubbing(FrictionalUniversal{frames_of()}, UniversalFrictionLaw{}, 4); }, 2,
       false, false, "Universal"},
      {"FrictionalPlanar",
       [] {
         return rubbing(FrictionalPlanar{frames_of(), 0.3}, PlanarJointFrictionLaw{}, 3);
       },
       2, false, false, "Planar"},
      {"FrictionalGear",
       [] {
         return on_carrier(HingeJoint{frames_of(1, 2)},
                           make_relation(FrictionalGear{frames_of(0, 2), frames_of(1, 2), 2, 3}), MeshFrictionLaw{});
       },
       3, false, false, "Gear"},
      {"FrictionalRack",
       [] {
         return on_carrier(SliderJoint{frames_of(1, 2)},
                           make_relation(FrictionalRack{frames_of(0, 2), frames_of(1, 2), 0.4}), MeshFrictionLaw{});
       },
       3, false, false, "Rack"},
      {"PlanarFrictionalHinge",
       [] { return rubbing(PlanarFrictionalHinge{planar_frames_of()}, PlanarHingeFrictionLaw{}, 2); }, 2, true, false,
       "PlanarHinge"},
      {"PlanarFrictionalSlider",
       [] { return rubbing(PlanarFrictionalSlider{planar_frames_of()}, PlanarSliderFrictionLaw{}, 2); }, 2, true, false,
       "PlanarSlider"}};
  return kinds;
}

/// A mechanism of one kind, with velocities that its joints admit.
struct KindOnBodies {
  NonSmoothDynamicalSystem model;
  std::vector<SystemHandle> bodies;
  std::vector<InteractionHandle> joints;
  std::vector<Index> held;
  bool planar;

  explicit KindOnBodies(const JointKind& kind) : planar(kind.planar) {
    const std::vector<JointLink> links = kind.links();
    const Index each = planar ? 3 : 6, n = each * static_cast<Index>(kind.bodies);
    Eigen::VectorXd v = admitted(links, kind.bodies, each, n);
    for (std::size_t b = 0; b < kind.bodies; ++b) {
      const Eigen::VectorXd q = place_of(b, planar), own = v.segment(each * static_cast<Index>(b), each);
      if (planar) {
        bodies.push_back(model.add(PlanarBody{.mass = mass(b),
                                              .inertia = inertia(b)[2],
                                              .position = q.head<2>(),
                                              .angle = q[2],
                                              .velocity = own.head<2>(),
                                              .angular_velocity = own[2]}));
      } else {
        bodies.push_back(model.add(RigidBody{.mass = mass(b),
                                             .inertia = inertia(b).asDiagonal(),
                                             .position = q.head<3>(),
                                             .orientation = q.tail<4>(),
                                             .velocity = own.head<3>(),
                                             .angular_velocity = own.tail<3>()}));
      }
    }
    for (const JointLink& link : links) {
      std::vector<SystemHandle> linked;
      for (const std::size_t b : link.bodies) linked.push_back(bodies[b]);
      joints.push_back(model.link(linked, link.relation, link.law));
      held.push_back(link.held < 0 ? link.relation->rows() : link.held);
    }
  }

  static double mass(std::size_t b) { return 1.0 + 0.5 * static_cast<double>(b); }
  static Eigen::Vector3d inertia(std::size_t b) {
    return (1.0 + static_cast<double>(b)) * Eigen::Vector3d(0.2, 0.3, 0.4);
  }

  /// What is nearest in the metric of M to velocities of about 1 and that the held rows let be: H v + h_t = 0.
  [[nodiscard]] Eigen::VectorXd admitted(const std::vector<JointLink>& links, std::size_t count, Index each,
                                         Index n) const {
    Eigen::VectorXd v(n), weight(n);
    for (Index i = 0; i < n; ++i) v[i] = std::sin(1.0 + 2.3 * static_cast<double>(i));
    for (std::size_t b = 0; b < count; ++b) {
      auto own = weight.segment(each * static_cast<Index>(b), each);
      own.setConstant(mass(b));
      if (planar) {
        own[2] = inertia(b)[2];
      } else {
        own.tail<3>() = inertia(b);
      }
    }
    Eigen::MatrixXd H(0, n);
    Eigen::VectorXd rate(0);
    for (const JointLink& link : links) {
      const auto of_link = static_cast<Index>(link.bodies.size());
      Eigen::VectorXd q(0), h_t = Eigen::VectorXd::Zero(link.relation->rows());
      for (const std::size_t b : link.bodies) {
        const Eigen::VectorXd own = place_of(b, planar);
        q.conservativeResize(q.size() + own.size());
        q.tail(own.size()) = own;
      }
      Eigen::MatrixXd of_bodies = Eigen::MatrixXd::Zero(link.relation->rows(), each * of_link);
      link.relation->H(0.0, q, of_bodies);
      link.relation->h_t(0.0, q, h_t);
      const Index rows = link.held < 0 ? link.relation->rows() : link.held, first = H.rows();
      H.conservativeResize(first + rows, n);
      H.bottomRows(rows).setZero();
      rate.conservativeResize(first + rows);
      rate.tail(rows) = h_t.head(rows);
      for (std::size_t b = 0; b < link.bodies.size(); ++b)
        H.bottomRows(rows).middleCols(each * static_cast<Index>(link.bodies[b]), each) =
            of_bodies.topRows(rows).middleCols(each * static_cast<Index>(b), each);
    }
    const Eigen::MatrixXd P = weight.cwiseInverse().asDiagonal() * H.transpose();
    return v - P * (H * P).partialPivLu().solve(H * v + rate);
  }

  /// The largest |y| of rows that hold.
  [[nodiscard]] double drift(const State& state) const {
    double worst = 0.0;
    for (std::size_t j = 0; j < joints.size(); ++j)
      worst = std::max(worst, state.y(joints[j]).head(held[j]).lpNorm<Eigen::Infinity>());
    return worst;
  }
  /// Linear momentum, then the angular one about the origin.
  [[nodiscard]] Eigen::Matrix<double, 6, 1> momenta(const State& state) const {
    Eigen::Matrix<double, 6, 1> sum = Eigen::Matrix<double, 6, 1>::Zero();
    for (std::size_t b = 0; b < bodies.size(); ++b) {
      const Eigen::VectorXd q = state.q(bodies[b]), v = state.v(bodies[b]);
      Eigen::Vector3d x(q[0], q[1], 0.0), p(v[0], v[1], 0.0), spin(0.0, 0.0, 0.0);
      if (planar) {
        spin[2] = inertia(b)[2] * v[2];
      } else {
        x[2] = q[2], p[2] = v[2];
        const Eigen::Vector3d along_axes = inertia(b).cwiseProduct(v.tail<3>());
        spin = turned(q.tail<4>(), along_axes);
      }
      sum.head<3>() += mass(b) * p;
      sum.tail<3>() += cross(x, mass(b) * p) + spin;
    }
    return sum;
  }
  [[nodiscard]] double energy(const State& state) const {
    double sum = 0.0;
    for (std::size_t b = 0; b < bodies.size(); ++b) {
      const Eigen::VectorXd v = state.v(bodies[b]);
      sum += 0.5 * mass(b) * v.head(planar ? 2 : 3).squaredNorm();
      if (planar) {
        sum += 0.5 * inertia(b)[2] * v[2] * v[2];
      } else {
        sum += 0.5 * v.tail<3>().dot(inertia(b).cwiseProduct(v.tail<3>()));
      }
    }
    return sum;
  }
};

}  // namespace nonsmooth::jointed
