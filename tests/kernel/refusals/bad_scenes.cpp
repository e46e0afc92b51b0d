// SPDX-License-Identifier: Apache-2.0
// Scenes that cannot be: shapes without extent, materials without a law, orientations that are none. Each is refused
// with the place where it was given, or its name, and what was found.
#include <string>
#include <utility>
#include <vector>

#include "kernel/bad_input.hpp"

namespace nonsmooth::bad_scenes_test {
namespace {

using namespace bad_input;
using Eigen::Vector4d;

class BadScene : public ::testing::Test {
 protected:
  NonSmoothDynamicalSystem model;
  std::vector<SystemHandle> solid{model.add(RigidBody{.name = "first"}), model.add(RigidBody{.name = "second"})},
      flat{model.add(PlanarBody{}), model.add(PlanarBody{})};
  const NewtonImpactLaw law{};

  /// Of the second body the second shape is `shape`.
  void refuse_on_body(const ShapeOnBody& shape, const std::vector<std::string>& parts) {
    const ShapeOnBody ball{.shape = Sphere{1.0}};
    expect_refused([&] { BodyContacts({{solid[0], {ball}}, {solid[1], {ball, shape}}}, {}, law); }, parts);
  }
};

TEST_F(BadScene, ShapesAreNamedByTheirBodyAndPlace) {
  const std::string place = "BodyContacts: shape 1 of body 1";
  refuse_on_body({.shape = Sphere{0.0}}, {place + ": Sphere::radius", "0", "positive"});
  refuse_on_body({.shape = Box{{1.0, -0.5, 1.0}}}, {place + ": Box::half_extents", "-0.5"});
  refuse_on_body({.shape = Sphere{1.0}, .orientation = Vector4d(1.0, 0.1, 0.0, 0.0)},
                 {place + ": ShapeOnBody::orientation", "a quaternion of norm 1.00498", "unit"});
  refuse_on_body({.shape = Sphere{1.0}, .material = 3}, {"BodyContacts: material of shape 1 of body 1", "3", "0 to 0"});
  expect_refused(
      [&] {
        BodyContacts({}, {{.shape = HalfSpace{}}, {.shape = Capsule{0.0, 1.0}}}, law);
      },
      {"BodyContacts: shape 1 of the ground: Capsule::radius"});
  expect_refused(
      [&] {
        PlanarContacts({{flat[0], {{.shape = Disk{1.0}}, {.shape = Disk{kNaN}}}}}, {}, law);
      },
      {"PlanarContacts: shape 1 of body 0: Disk::radius", "nan"});
  expect_refused([&] { PlanarContacts({}, {{.shape = PlanarSegment{}}}, law); },
                 {"PlanarContacts: shape 0 of the ground: PlanarSegment: length"});
  expect_refused([&] { PlanarContacts({}, {{.shape = Disk{1.0}, .material = -1}}, law); },
                 {"PlanarContacts: material of shape 0 of the ground", "-1"});
  expect_refused([&] { DiskContacts(flat, {1.0, 0.0}, law); }, {"DiskContacts: radius of disk 1", "0", "positive"});
  expect_refused(
      [&] {
        DiskContacts(flat, {1.0, 1.0}, {law}, ContactMaterials(2, 0), {1, 2});
      },
      {"DiskContacts: material of disk 1", "found 2", "at most 1"});
}

TEST_F(BadScene, ABodyThatIsListedTwiceIsNamed) {
  const ShapeOnBody sphere{.shape = Sphere{1.0}};
  const SourceHandle source = model.detect(BodyContacts({{solid[0], {sphere}}, {solid[1], {sphere}}}, {}, law));
  const BodyContacts twice({{solid[1], {sphere}}, {solid[0], {sphere}}, {solid[1], {sphere}}}, {}, law);
  expect_refused([&] { model.detect(twice); }, {"ContactSource::bodies", "second more than once", "each body once"});
  expect_refused([&] { model.replace(source, twice); }, {"second more than once"});
  EXPECT_EQ(model.sources().size(), 1u);
}

TEST_F(BadScene, ABodyOfTheOtherDimensionIsNamed) {
  const SystemHandle coin = model.add(PlanarBody{.name = "coin"});
  const BodyContacts in_space({{solid[0], {{.shape = Sphere{1.0}}}}, {coin, {{.shape = Sphere{1.0}}}}}, {}, law);
  const PlanarContacts in_plane({{flat[0], {{.shape = Disk{1.0}}}}, {solid[1], {{.shape = Disk{1.0}}}}}, {}, law);
  const std::vector<std::string> of_coin{"ContactSource::bodies", "coin of 3 coordinates and 3 velocities",
                                         "7 coordinates and 6 velocities"};
  const std::vector<std::string> of_second{"ContactSource::bodies", "second of 7 coordinates and 6 velocities",
                                           "3 coordinates and 3 velocities"};
  expect_refused([&] { model.detect(in_space); }, of_coin);
  const FilteredContacts filtered(std::make_shared<const BodyContacts>(in_space),
                                  [](const DetectedContact& contact, const BodyView&) { return contact.law; });
  expect_refused([&] { model.detect(filtered); }, of_coin);
  expect_refused([&] { model.detect(in_plane); }, of_second);
  expect_refused([&] { model.detect(DiskContacts({flat[0], solid[1]}, {1.0, 1.0}, law)); }, of_second);
  const SourceHandle source = model.detect(BodyContacts({{solid[0], {{.shape = Sphere{1.0}}}}}, {}, law));
  expect_refused([&] { model.replace(source, in_space); }, of_coin);
  EXPECT_EQ(model.sources().size(), 1u);
}

TEST_F(BadScene, MaterialsThatMayTouchWithoutALawAreNamed) {
  const auto shape = [](Index material, std::uint32_t groups = 1, std::uint32_t mask = 1) {
    return ShapeOnBody{.shape = Sphere{1.0}, .material = material, .groups = groups, .mask = mask};
  };
  const auto make = [&](const ContactMaterials& pairs, const std::vector<ShapeOnBody>& first,
                        const std::vector<ShapeOnBody>& second, const std::vector<ShapeOnBody>& ground) {
    BodyContacts({{solid[0], first}, {solid[1], second}}, ground, {law, law}, pairs);
  };
  const ContactMaterials known = ContactMaterials({"steel", "rubber", "ice"}).set_law(0, 1, 1);
  EXPECT_EQ(known.law(1, 0), 1);
  EXPECT_EQ(known.law(0, 0), ContactMaterials::no_law);
  EXPECT_EQ(known.name(2), "ice");
  EXPECT_EQ(ContactMaterials(2).name(1), "material 1");
  make(known, {shape(0)}, {shape(1)}, {});
  expect_refused([&] { make(known, {shape(0)}, {shape(1)}, {shape(2)}); },
                 {"BodyContacts: laws", "shape 0 of body 0 of steel and shape 0 of the ground of ice", "set_law"});
  expect_refused(
      [&] {
        make(known, {shape(0)}, {shape(1), shape(0)}, {});
      },
      {"shape 0 of body 0 of steel and shape 1 of body 1 of steel"});
  make(known, {shape(0), shape(0)}, {}, {});  // of one body: they never touch
  make(known, {shape(0, 1, 1)}, {shape(1)}, {shape(2, 2, 2)});
  expect_refused([&] { make(known, {shape(0, 3, 3)}, {shape(1)}, {shape(2, 2, 2)}); }, {"steel", "ice"});
  make(ContactMaterials(3, 0), {shape(0)}, {shape(1)}, {shape(2)});  // every pair has the default law
  expect_refused([&] { make(ContactMaterials(3).set_law(0, 1, 1), {shape(0)}, {shape(1)}, {shape(2)}); },
                 {"shape 0 of body 0 of material 0 and shape 0 of the ground of material 2", "no law"});
  EXPECT_EQ(ContactMaterials{}.law(0, 0), 0);
  EXPECT_EQ(ContactMaterials(1).law(0, 0), ContactMaterials::no_law);

  const auto plane = [&](Index material) { return PlanarShapeOnBody{.shape = Disk{1.0}, .material = material}; };
  expect_refused(
      [&] {
        PlanarContacts({{flat[0], {plane(0)}}, {flat[1], {plane(2)}}}, {}, {law, law}, known);
      },
      {"PlanarContacts: laws", "of steel", "of ice"});
  const auto disks = [&](Index first, Index second, const FloorProfile& floor) {
    DiskContacts(flat, {1.0, 1.0}, {law, law}, known, {first, second}, floor);
  };
  const auto zero = [](double) { return 0.0; };
  FloorProfile floor{.height = zero, .slope = zero, .curvature = zero};
  disks(0, 1, {});
  expect_refused([&] { disks(0, 0, {}); }, {"DiskContacts: laws", "disk 0 of steel and disk 1 of steel"});
  expect_refused([&] { disks(0, 2, {}); }, {"disk 0 of steel and disk 1 of ice"});
  floor.material = 2;
  expect_refused([&] { disks(0, 1, floor); }, {"disk 0 of steel and the floor of ice"});

  expect_refused([] { ContactMaterials(std::vector<std::string>{}); }, {"ContactMaterials: names", "0"});
  expect_refused([] { ContactMaterials({"steel", ""}); }, {"ContactMaterials: names", "empty"});
  expect_refused([] { ContactMaterials({"steel", "ice", "steel"}); }, {"ContactMaterials: names", "steel twice"});
  expect_refused([&] { (void)known.name(3); }, {"material", "3"});
}

TEST_F(BadScene, OrientationsThatAreWrittenAreUnits) {
  const std::vector<std::string> told{"q of second", "orientation", "of length 1.0", "unit quaternion"};
  const double more = 1.0 + 3e-6;  // beyond 1e-6
  State off = model.initial_state();
  off.q(solid[1]).tail<4>() *= more;
  TimeStepping steps(model, {.step = 1e-3});
  expect_refused([&] { steps.set_state(off); }, told);
  EventDriven events(model);
  expect_refused([&] { events.set_state(off); }, told);
  Workspace workspace;
  expect_refused([&] { (void)nonsmooth::step(model, {.step = 1e-3}, 1e-3, off, workspace); }, told);
  ASSERT_TRUE(steps.step());
  steps.state().q(solid[1]).tail<4>() *= more;
  expect_refused([&] { (void)steps.step(); }, told);
  // What an integrator leaves is taken.
  State near = model.initial_state();
  near.q(solid[1]).tail<4>() *= 1.0 + 3e-7;
  TimeStepping(model, {.step = 1e-3}).set_state(near);
  // A source asked by itself says which of its bodies.
  State none = model.initial_state();
  none.q(solid[1]).tail<4>().setZero();
  expect_refused(
      [&] {
        (void)contacts_at(none, BodyContacts({{solid[0], {}}, {solid[1], {{.shape = Sphere{1.0}}}}}, {}, law));
      },
      {"BodyContacts::detect: q of body 1", "norm 0"});
}

}  // namespace
}  // namespace nonsmooth::bad_scenes_test
