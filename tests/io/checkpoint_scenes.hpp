// SPDX-License-Identifier: Apache-2.0
// Models that the tests of checkpoints run, stop and go on with.
#pragma once

#include <algorithm>
#include <cmath>
#include <ostream>
#include <vector>

#include <Eigen/Core>

#include <nonsmooth/kernel.hpp>

namespace nonsmooth::checkpoint_tests {

/// What a scene is made of, so that a test can make another one.
struct Constants {
  double mass = 1.0, friction = 0.4, restitution = 0.3, radius = 0.1, gravity = 9.81;
  const char* name = "second";
};

/// Three spheres that fall on one another and on a floor, and a cart on a rail between a spring and a stop.
struct SpheresAndCart {
  NonSmoothDynamicalSystem model;
  std::vector<BodyShapes> bodies;
  SourceHandle source{};
  Constants constants;

  explicit SpheresAndCart(const Constants& given = {}) : constants(given) {
    for (const double x : {0.0, 0.03, -0.02}) {
      const auto i = static_cast<double>(bodies.size());
      const auto body = model.add(RigidBody{.mass = constants.mass + 0.1 * i,
                                            .inertia = 0.004 * Eigen::Matrix3d::Identity(),
                                            .position = {x, 0.01 * i, 0.12 + 0.24 * i},
                                            .velocity = {0.2, 0.0, 0.0},
                                            .gravity = {0.0, 0.0, -constants.gravity},
                                            .name = i == 1.0 ? constants.name : ""});
      bodies.push_back({body, {{.shape = Sphere{constants.radius}}}});
    }
    source = model.detect(contacts());
    const auto cart = model.add(LagrangianLinearSystem{.mass = {{2.0}},
                                                       .stiffness = {{50.0}},
                                                       .force = [](double t, VectorRef f) { f[0] = std::sin(9.0 * t); },
                                                       .q0 = {0.1},
                                                       .name = "cart"});
    model.link(cart, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{.restitution = 0.5}, "stop");
  }
  [[nodiscard]] BodyContacts contacts() const {
    return {
        bodies,
        {{.shape = HalfSpace{}}},
        NewtonImpactFrictionLaw{.restitution = constants.restitution, .friction = constants.friction, .dimension = 3}};
  }
  /// The first sphere goes, and what touches from then on is slippery: as a driver edits its simulation.
  void edit(Simulation& simulation) {
    simulation.edit([this](NonSmoothDynamicalSystem& changed) {
      const SystemHandle gone = bodies.front().body;
      bodies.erase(bodies.begin());
      constants.friction = 0.05;
      changed.replace(source, contacts());
      changed.remove(gone);
    });
  }
};

/// A mass on the floor that a bond holds and a force pulls up and to and fro: the law remembers how far it opened.
inline NonSmoothDynamicalSystem bonded_mass() {
  NonSmoothDynamicalSystem model;
  const auto mass = model.add(LagrangianLinearSystem{.stiffness = {{30.0, 0.0}, {0.0, 90.0}},
                                                     .force =
                                                         [](double t, VectorRef f) {
                                                           f[0] = std::sin(20.0 * t);
                                                           f[1] = 3.0 * std::sin(7.0 * t);
                                                         },
                                                     .q0 = {0.0, 0.0}});
  model.link(mass, LagrangianLinearRelation{.H = {{0.0, 1.0}, {1.0, 0.0}}},
             CohesiveZoneLaw{.strength = 1.0, .opening = 0.05, .friction = 0.3, .dimension = 2}, "bond");
  return model;
}

/// Disks that fall and pile up over a valley.
inline NonSmoothDynamicalSystem disks() {
  constexpr double r = 0.05;
  NonSmoothDynamicalSystem model;
  std::vector<SystemHandle> bodies;
  for (int i = 0; i < 12; ++i) {
    bodies.push_back(model.add(PlanarBody{.inertia = 0.5 * r * r,
                                          .position = {0.11 * (i % 4) + 0.01 * (i % 3), 0.08 + 0.12 * (i / 4)},
                                          .gravity = {0.0, -9.81}}));
  }
  model.detect(DiskContacts(bodies, std::vector<double>(bodies.size(), r),
                            NewtonImpactFrictionLaw{.restitution = 0.2, .friction = 0.3},
                            FloorProfile{.height = [](double x) { return 0.1 * (x - 0.2) * (x - 0.2); },
                                         .slope = [](double x) { return 0.2 * (x - 0.2); },
                                         .curvature = [](double) { return 0.2; }}));
  return model;
}

/// Two boxes on each other that fall asleep, and a ball that hits them later.
inline NonSmoothDynamicalSystem bowling() {
  NonSmoothDynamicalSystem model;
  const Box box{{0.1, 0.1, 0.05}};
  std::vector<BodyShapes> bodies;
  for (const double height : {0.05, 0.15}) {
    bodies.push_back({model.add(RigidBody{.inertia = MassProperties::of_mass(box, 1.0).inertia,
                                          .position = {0.0, 0.0, height},
                                          .gravity = {0.0, 0.0, -9.81}}),
                      {{.shape = box}}});
  }
  bodies.push_back({model.add(RigidBody{.inertia = 4e-4 * Eigen::Matrix3d::Identity(),
                                        .position = {-0.6, 0.02, 0.16},
                                        .velocity = {2.0, 0.0, 1.0},
                                        .gravity = {0.0, 0.0, -9.81}}),
                    {{.shape = Sphere{0.03}}}});
  model.detect(BodyContacts(bodies, {{.shape = HalfSpace{}}},
                            NewtonImpactFrictionLaw{.restitution = 0.2, .friction = 0.4, .dimension = 3}));
  return model;
}

/// A ball that falls 0.5 m on a floor, e = 0.7: impacts accumulate at sqrt(2 0.5 / g) (1 + e) / (1 - e) = 1.81 s.
inline NonSmoothDynamicalSystem bouncing_ball(double restitution = 0.7) {
  NonSmoothDynamicalSystem model;
  const auto ball = model.add(LagrangianLinearSystem{.mass = {{2.0}}, .force = {-19.62}, .q0 = {0.5}, .name = "ball"});
  model.link(ball, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{.restitution = restitution}, "floor");
  return model;
}

/// A run by steps, and what it is about.
struct Stepped {
  const char* name;
  NonSmoothDynamicalSystem (*model)();
  TimeSteppingOptions options;
  Index steps;
  /// What the case is about, which a state of the run must have.
  bool (*shows)(const State& state);

  friend void PrintTo(const Stepped& own, std::ostream* out) { *out << own.name; }
};
inline bool touches(const State& state) {
  return std::any_of(state.contacts.begin(), state.contacts.end(),
                     [](const auto& one) { return one.impulse[0] > 0.0; });
}
inline bool sleeps(const State& state) {
  return std::any_of(state.sleep.island.begin(), state.sleep.island.end(), [](Index own) { return own >= 0; }) &&
         state.sleep.taken.size() > 0;
}
inline bool remembers(const State& state) { return state.law_memory.size() > 0 && state.law_memory.maxCoeff() > 0.0; }
inline bool differs(const State& state) { return state.has_differences(); }

/// The cases of what a state may hold beside coordinates, for whatever takes states and gives them back, and `others`.
inline std::vector<Stepped> cases_and(std::vector<Stepped> others) {
  std::vector<Stepped> all{
      {"SpheresAndCart", [] { return SpheresAndCart().model; }, {.step = 1e-3}, 800, touches},
      {"Sleep",
       bowling,
       {.step = 1e-3, .solver = mixed::Automatic{.tolerance = 1e-12}, .sleep = {.rest = 0.01, .steps = 20}},
       500,
       sleeps},
      {"LawMemory", bonded_mass, {.step = 1e-3}, 1200, remembers},
      {"SchatzmanPaoli", [] { return bouncing_ball(); }, {.integrator = SchatzmanPaoli{}, .step = 1e-3}, 800, differs}};
  all.insert(all.end(), others.begin(), others.end());
  return all;
}

}  // namespace nonsmooth::checkpoint_tests
