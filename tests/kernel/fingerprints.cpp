// SPDX-License-Identifier: Apache-2.0
// What a model is made of, in words: the same for a model made twice, another where anything of it is another.
#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <nonsmooth/kernel.hpp>
#include <problems/named_models.hpp>

namespace nonsmooth::fingerprints_test {
namespace {

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(Fingerprints, AreTheSameOfAModelMadeTwice) {
  std::vector<std::vector<std::string>> all;
  for (const auto* models : {&problems::mechanical_models(), &problems::bodies_in_space(), &problems::piles(),
                             &problems::waves(), &problems::first_order_models()}) {
    for (const problems::NamedModel& named : *models) {
      SCOPED_TRACE(named.name);
      const problems::Model one = named.make(), other = named.make();
      const std::vector<std::string> lines = fingerprint_of(one.system);
      EXPECT_EQ(lines, fingerprint_of(other.system));
      EXPECT_EQ(static_cast<Index>(lines.size()),
                one.system.num_systems() + one.system.num_interactions() +
                    static_cast<Index>(one.system.sources().size() + one.system.impact_matrices().size() +
                                       one.system.coefficient_rules().size()));
      for (const std::string& line : lines) {
        EXPECT_FALSE(contains(line, "throws")) << line;
        EXPECT_EQ(line.find('\n'), std::string::npos);
      }
      all.push_back(lines);
    }
  }
  ASSERT_GT(all.size(), 20U);
  // Of different models they differ; a few are one model under two schemes.
  std::size_t alike = 0;
  for (std::size_t i = 0; i < all.size(); ++i)
    alike += static_cast<std::size_t>(std::count(all.begin() + static_cast<std::ptrdiff_t>(i) + 1, all.end(), all[i]));
  EXPECT_LE(alike, 8U);
}

TEST(Fingerprints, WriteWhatALineIsSaidToHold) {
  NonSmoothDynamicalSystem model;
  const auto mass = model.add(LagrangianLinearSystem{
      .mass = {{2.0, 0.0}, {0.0, 3.0}}, .damping = {{0.1, 0.0}, {0.5, 0.25}}, .q0 = {1.0, -0.0}, .name = "mass"});
  model.link(mass, LagrangianLinearRelation{.H = {{0.0, 1.0}}}, NewtonImpactLaw{.restitution = 0.5}, "stop");
  const auto lines = fingerprint_of(model);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_TRUE(contains(lines[0], "system 0, mass: class = nonsmooth::")) << lines[0];
  EXPECT_TRUE(contains(lines[0],
                       "; nq = 2; n = 2; q0 = [1 -0]; v0 = [0 0]; M = diagonal [2 3]; C = [0.1 0 | 0.5 0.25]; "
                       "K = none; F = none"))
      << lines[0];
  EXPECT_TRUE(contains(lines[1], "interaction 0, stop: systems = 0 (mass); relation = nonsmooth::")) << lines[1];
  EXPECT_TRUE(contains(lines[1], "H = [0 1]")) << lines[1];
  EXPECT_TRUE(contains(lines[1], "impact Newton e 0.5 ")) << lines[1];
}

/// One number of a model, made another.
struct Change {
  const char* what;
  std::size_t line;
  NonSmoothDynamicalSystem (*make)(double value);
  const char* field;
};

NonSmoothDynamicalSystem with_law(const Law& law, const Eigen::MatrixXd& H) {
  NonSmoothDynamicalSystem model;
  const auto mass = model.add(LagrangianLinearSystem{.q0 = Eigen::VectorXd::Constant(H.cols(), 1.0)});
  model.link(mass, LagrangianLinearRelation{.H = H}, law);
  return model;
}
NonSmoothDynamicalSystem with_shape(const Shape& shape) {
  NonSmoothDynamicalSystem model;
  const auto body = model.add(RigidBody{.position = {0.0, 0.0, 2.0}});
  model.detect(BodyContacts({{body, {{.shape = shape}}}}, {{.shape = HalfSpace{}}},
                            NewtonImpactFrictionLaw{.friction = 0.2, .dimension = 3}));
  return model;
}

/// Two spheres of material 0 and 1 far above a ground of material 1, so that nothing touches at first.
NonSmoothDynamicalSystem with_pairs(
    const ContactMaterials& pairs,
    const std::function<void(BodyContacts&, const std::array<SystemHandle, 2>&)>& exclude, bool filtered = false) {
  NonSmoothDynamicalSystem model;
  const std::array<SystemHandle, 2> bodies{model.add(RigidBody{.position = {0.0, 0.0, 2.0}}),
                                           model.add(RigidBody{.position = {0.0, 0.0, 4.0}})};
  BodyContacts source({{bodies[0], {{.shape = Sphere{0.1}}}}, {bodies[1], {{.shape = Sphere{0.1}, .material = 1}}}},
                      {{.shape = HalfSpace{}, .material = 1}},
                      {NewtonImpactFrictionLaw{.friction = 0.1, .dimension = 3},
                       NewtonImpactFrictionLaw{.friction = 0.9, .dimension = 3}},
                      pairs);
  exclude(source, bodies);
  if (filtered) {
    model.detect(FilteredContacts(std::make_shared<BodyContacts>(std::move(source)),
                                  [](const DetectedContact& contact, const BodyView&) { return contact.law; }));
  } else {
    model.detect(std::move(source));
  }
  return model;
}

const Change kChanges[] = {
    {"mass of a body", 0,
     [](double x) {
       NonSmoothDynamicalSystem model;
       model.add(RigidBody{.mass = x});
       return model;
     },
     "M = "},
    {"spring of a body", 0,
     [](double x) {
       NonSmoothDynamicalSystem model;
       model.add(RigidBody{.loads = {PointSpring{.anchor = {0.0, 0.0, 1.0}, .stiffness = x}}});
       return model;
     },
     "F = "},
    {"force of a function", 0,
     [](double x) {
       NonSmoothDynamicalSystem model;
       model.add(LagrangianSystem{.force = [x](double, ConstVectorRef, ConstVectorRef, VectorRef F) { F[0] = x; },
                                  .q0 = {0.0}});
       return model;
     },
     "F = "},
    {"impulse", 0,
     [](double x) {
       NonSmoothDynamicalSystem model;
       model.add(LagrangianLinearSystem{.q0 = {0.0}, .impulses = {{.instant = x, .impulse = {1.0}}}});
       return model;
     },
     "impulses = "},
    {"matrix of 10 x 10", 0,
     [](double x) {
       NonSmoothDynamicalSystem model;
       Eigen::MatrixXd K = Eigen::MatrixXd::Ones(10, 10);
       K(3, 7) = x;
       model.add(LagrangianLinearSystem{.stiffness = K, .q0 = Eigen::VectorXd::Zero(10)});
       return model;
     },
     "K = 10 x 10 of hash "},
    {"sparse matrix", 0,
     [](double x) {
       NonSmoothDynamicalSystem model;
       Eigen::SparseMatrix<double> K(3, 3);
       K.insert(1, 2) = x;
       model.add(LagrangianLinearSystem{.stiffness = K, .q0 = {0.0, 0.0, 0.0}});
       return model;
     },
     "K = sparse 3 x 3"},
    {"A of first order", 0,
     [](double x) {
       NonSmoothDynamicalSystem model;
       model.add(FirstOrderLinearSystem{.A = {{x}}, .x0 = {1.0}});
       return model;
     },
     "A = "},
    {"f of first order", 0,
     [](double x) {
       NonSmoothDynamicalSystem model;
       model.add(FirstOrderSystem{.f = [x](double, ConstVectorRef, VectorRef f) { f[0] = x; }, .x0 = {1.0}});
       return model;
     },
     "f at the initial values = "},
    {"set of a sweeping process", 0,
     [](double x) {
       NonSmoothDynamicalSystem model;
       model.add(SweepingProcess{.project = [x](double, VectorRef z) { z[0] = std::min(z[0], x); }, .x0 = {3.0}});
       return model;
     },
     "project = "},
    {"set of a sweeping process, by itself", 0,
     [](double x) {
       NonSmoothDynamicalSystem model;
       model.add(SweepingProcess{.set = vi::HalfSpace{Eigen::VectorXd::Ones(1), x}, .x0 = {3.0}});
       return model;
     },
     "project = "},
    {"G of a differential variational inequality", 0,
     [](double x) {
       NonSmoothDynamicalSystem model;
       model.add(DifferentialVariationalInequality{
           .B = [](double, ConstVectorRef, MatrixRef B) { B(0, 0) = 1.0; },
           .G = [x](double, ConstVectorRef, ConstVectorRef u, VectorRef G) { G[0] = u[0] - x; },
           .K = vi::Ball{Eigen::VectorXd::Zero(1), 1.0},
           .x0 = {3.0}});
       return model;
     },
     "G at the start = "},
    {"H", 1, [](double x) { return with_law(NewtonImpactLaw{}, Eigen::MatrixXd{{x}}); }, "H = "},
    {"restitution", 1,
     [](double x) { return with_law(NewtonImpactLaw{.restitution = x / 4.0}, Eigen::MatrixXd{{1.0}}); }, "law = "},
    {"friction", 1,
     [](double x) { return with_law(NewtonImpactFrictionLaw{.friction = x}, Eigen::MatrixXd::Identity(2, 2)); },
     "law = "},
    {"friction that slides", 1,
     [](double x) {
       return with_law(StaticKineticFrictionLaw{.static_friction = 3.0, .kinetic_friction = x},
                       Eigen::MatrixXd::Identity(2, 2));
     },
     "law = "},
    {"relay", 1, [](double x) { return with_law(RelayLaw{.lower = -x, .upper = 1.0}, Eigen::MatrixXd{{1.0}}); },
     "law = "},
    {"spring", 1, [](double x) { return with_law(SpringDamperLaw{.stiffness = x}, Eigen::MatrixXd{{1.0}}); }, "law = "},
    {"damper", 1, [](double x) { return with_law(SpringDamperLaw{.damping = x}, Eigen::MatrixXd{{1.0}}); }, "law = "},
    {"bond", 1,
     [](double x) { return with_law(CohesiveZoneLaw{.strength = x, .opening = 5.0}, Eigen::MatrixXd::Identity(2, 2)); },
     "law = "},
    {"exponent of an impact", 1,
     [](double x) {
       return with_law(LiuZhaoBrogliatoImpactLaw{.stiffness = 10.0, .exponent = x}, Eigen::MatrixXd{{1.0}});
     },
     "law = "},
    {"sphere", 1, [](double x) { return with_shape(Sphere{0.1 * x}); }, "shapes = "},
    {"box", 1,
     [](double x) {
       return with_shape(Box{{0.1, 0.1 * x, 0.1}});
     },
     "shapes = "},
    {"capsule", 1,
     [](double x) {
       return with_shape(Capsule{0.1, 0.1 * x});
     },
     "shapes = "},
    {"cylinder", 1,
     [](double x) {
       return with_shape(Cylinder{0.1, 0.1 * x});
     },
     "shapes = "},
    {"cone", 1,
     [](double x) {
       return with_shape(Cone{0.3, 0.1 * x, 0.1});
     },
     "shapes = "},
    {"polyhedron", 1,
     [](double x) {
       return with_shape(
           ConvexPolyhedron(std::vector<Eigen::Vector3d>{{0, 0, 0}, {0.1, 0, 0}, {0, 0.1, 0}, {0, 0, 0.1 * x}}));
     },
     "shapes = "},
    {"laws of pairs of materials that do not touch yet", 2,
     [](double x) {
       return with_pairs(ContactMaterials(2, 0).set_law(0, 1, x < 2.2 ? 0 : 1), [](BodyContacts&, const auto&) {});
     },
     "; pairs = 2 materials"},
    {"pair of bodies that never touch", 2,
     [](double x) {
       return with_pairs(ContactMaterials(2, 0), [x](BodyContacts& source, const auto& bodies) {
         x < 2.2 ? source.exclude(bodies[0], bodies[1]) : source.exclude_ground(bodies[0]);
       });
     },
     "; excluded pairs = 1 of hash "},
    {"laws of pairs of materials behind a filter", 2,
     [](double x) {
       return with_pairs(
           ContactMaterials(2, 0).set_law(1, 1, x < 2.2 ? 0 : 1), [](BodyContacts&, const auto&) {}, true);
     },
     "; pairs = 2 materials"},
    {"laws of pairs of materials of disks", 1,
     [](double x) {
       NonSmoothDynamicalSystem model;
       const std::vector<SystemHandle> disk{model.add(PlanarBody{.position = {0.0, 5.0}})};
       model.detect(DiskContacts(disk, {0.1}, {NewtonImpactFrictionLaw{.friction = 0.1}, NewtonImpactFrictionLaw{}},
                                 ContactMaterials(1, x < 2.2 ? 0 : 1), {0}));
       return model;
     },
     "; pairs = 1 materials"},
    {"drag of a body at rest", 0,
     [](double x) {
       NonSmoothDynamicalSystem model;
       model.add(RigidBody{.loads = {LinearDrag{.translation = x}}});
       return model;
     },
     "F_v = "},
    {"damper of a body at rest", 0,
     [](double x) {
       NonSmoothDynamicalSystem model;
       model.add(RigidBody{.loads = {PointSpring{.anchor = {0.0, 0.0, 1.0}, .stiffness = 1.0, .damping = x}}});
       return model;
     },
     "F_v = "},
    {"stiffness of a function that is at its zero", 0,
     [](double x) {
       NonSmoothDynamicalSystem model;
       model.add(LagrangianSystem{
           .force = [x](double, ConstVectorRef q, ConstVectorRef, VectorRef F) { F[0] = -x * q[0]; }, .q0 = {0.0}});
       return model;
     },
     "F_q = "},
    {"gyroscopic term of a body at rest", 0,
     [](double x) {
       NonSmoothDynamicalSystem model;
       model.add(RigidBody{.inertia = Eigen::Vector3d(1.0, 2.0, 2.5).asDiagonal(),
                           .gyroscopic = x < 2.2 ? GyroscopicTerm::Implicit : GyroscopicTerm::Explicit});
       return model;
     },
     "gyroscopic = "},
    {"strength of a bond that opens little", 1,
     [](double x) {
       return with_law(CohesiveZoneLaw{.strength = x, .opening = 0.05}, Eigen::MatrixXd::Identity(2, 2));
     },
     "law = "},
    {"opening of a bond", 1,
     [](double x) {
       return with_law(CohesiveZoneLaw{.strength = 1.0, .opening = 1e-4 * x}, Eigen::MatrixXd::Identity(2, 2));
     },
     "law = "},
    {"velocity up to which a contact sticks", 1,
     [](double x) {
       return with_law(
           StaticKineticFrictionLaw{.static_friction = 0.5, .kinetic_friction = 0.25, .stick_velocity = 1e-9 * x},
           Eigen::MatrixXd::Identity(2, 2));
     },
     "law = "},
    {"impact matrix", 3,
     [](double x) {
       NonSmoothDynamicalSystem model;
       const auto mass = model.add(LagrangianLinearSystem{.q0 = {1.0, 1.0}});
       const auto one = model.link(mass, LagrangianLinearRelation{.H = {{1.0, 0.0}}}, NewtonImpactLaw{});
       const auto other = model.link(mass, LagrangianLinearRelation{.H = {{0.0, 1.0}}}, NewtonImpactLaw{});
       model.add(GeneralisedNewtonImpact{{one, other}, Eigen::MatrixXd{{0.0, x}, {0.0, 0.0}}});
       return model;
     },
     "E = "},
    {"interval in which an automaton slides", 0,
     [](double x) {
       const auto guard = [](double sign) {
         return SwitchingFunction{.value = [=](double, ConstVectorRef z) { return sign * z[0] - 0.1; }};
       };
       const auto field = [](double f) { return [f](double, ConstVectorRef, VectorRef value) { value[0] = f; }; };
       NonSmoothDynamicalSystem model;
       model.add(HybridAutomaton{.x0 = {0.0},
                                 .modes = {{.name = "below", .f = field(1.0)}, {.name = "above", .f = field(-1.0)}},
                                 .transitions = {{.from = "below", .to = "above", .guard = guard(1.0)},
                                                 {.from = "above", .to = "below", .guard = guard(-1.0)}},
                                 .sliding_interval = x});
       return model;
     },
     "sliding_interval = "},
};

TEST(Fingerprints, TellWhatIsAnother) {
  for (const Change& change : kChanges) {
    SCOPED_TRACE(change.what);
    const auto one = fingerprint_of(change.make(2.0)), same = fingerprint_of(change.make(2.0));
    const auto other = fingerprint_of(change.make(2.5));
    EXPECT_EQ(one, same);
    ASSERT_EQ(one.size(), other.size());
    ASSERT_LT(change.line, one.size());
    for (std::size_t i = 0; i < one.size(); ++i) {
      if (i != change.line) {
        EXPECT_EQ(one[i], other[i]);
        continue;
      }
      const std::size_t field = one[i].find(change.field);
      ASSERT_NE(field, std::string::npos) << one[i];
      const auto parted = std::mismatch(one[i].begin(), one[i].end(), other[i].begin(), other[i].end());
      ASSERT_NE(one[i], other[i]);
      EXPECT_GE(static_cast<std::size_t>(parted.first - one[i].begin()), field) << one[i] << '\n' << other[i];
    }
  }
}

TEST(Fingerprints, SayWhatIsAFunctionAndWhatItThrows) {
  NonSmoothDynamicalSystem model;
  const auto mass =
      model.add(LagrangianLinearSystem{.force = [](double, VectorRef) { throw std::domain_error("no table\nhere"); },
                                       .q0 = {1.0},
                                       .prescribed = {{.component = 0, .velocity = [](double t) { return 0.5 + t; }}},
                                       .feedback = [](const State&, VectorRef) { FAIL() << "a feedback was asked"; },
                                       .name = "mass"});
  const auto source = model.detect(FilteredContacts(
      std::make_shared<DiskContacts>(std::vector<SystemHandle>{model.add(PlanarBody{.position = {0.0, 5.0}})},
                                     std::vector<double>{0.1}, NewtonImpactFrictionLaw{}),
      [](const DetectedContact& contact, const BodyView&) { return contact.law; }));
  const auto stop = model.link(mass, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{}, "stop");
  model.add(GeneralisedNewtonRule{.restitution =
                                      [](const ImpactingContact&, const ImpactingContact&) {
                                        ADD_FAILURE() << "a rule was asked";
                                        return 0.0;
                                      },
                                  .sources = {source},
                                  .contacts = {stop}});
  const auto lines = fingerprint_of(model);
  ASSERT_EQ(lines.size(), 5U);
  EXPECT_TRUE(contains(lines[0], "F = a function, at t = 0 throws: no table here; ")) << lines[0];
  EXPECT_TRUE(contains(lines[0], "prescribed = 0 a function, at t = 0 0.5; feedback = a function, not asked"))
      << lines[0];
  EXPECT_TRUE(contains(lines[3], "source 0: class = nonsmooth::FilteredContacts; bodies = 1 of hash ")) << lines[3];
  EXPECT_EQ(lines[4], "impact rule 0: E = a function, not asked; interactions = 0 (stop); sources = 0");
}

TEST(Fingerprints, AreOfTheLayoutAndNotOfHandles) {
  // A system that came and went leaves a slot behind, but no trace.
  NonSmoothDynamicalSystem straight, edited;
  straight.add(LagrangianLinearSystem{.q0 = {1.0}, .name = "one"});
  straight.add(LagrangianLinearSystem{.q0 = {2.0}, .name = "two"});
  const auto gone = edited.add(LagrangianLinearSystem{.q0 = {0.0, 0.0}, .name = "gone"});
  edited.add(LagrangianLinearSystem{.q0 = {1.0}, .name = "one"});
  edited.add(LagrangianLinearSystem{.q0 = {2.0}, .name = "two"});
  edited.remove(gone);
  EXPECT_EQ(fingerprint_of(straight), fingerprint_of(edited));
}

}  // namespace
}  // namespace nonsmooth::fingerprints_test
