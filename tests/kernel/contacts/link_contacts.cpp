// SPDX-License-Identifier: Apache-2.0
// All contacts of a source as interactions: which there are, that their rows are those found, refusals.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <random>
#include <vector>

#include "kernel/bad_input.hpp"
#include "kernel/joint_bodies.hpp"

namespace nonsmooth::link_contacts_test {
namespace {

using bad_input::expect_refused;
using Eigen::Vector3d;

const Law kFriction = NewtonImpactFrictionLaw{.friction = 0.3, .dimension = 3};
const Box kBox{{0.5, 0.3, 0.4}};
const Capsule kCapsule{.radius = 0.1, .half_length = 0.5};

/// y, H and h_t of a contact at the positions of a model's start.
struct Rows {
  Eigen::VectorXd y, h_t;
  Eigen::MatrixXd H;

  /// What frames say of slip: the same for all of them, or (`axes`) for those of one ellipse.
  [[nodiscard]] Eigen::MatrixXd slip(bool axes) const {
    const Eigen::MatrixXd tangents = H.bottomRows(2);
    if (!axes) return tangents.transpose() * tangents;
    Eigen::MatrixXd result(H.cols(), 2 * H.cols() + 1);
    result << tangents.row(0).transpose() * tangents.row(0), tangents.row(1).transpose() * tangents.row(1),
        tangents.transpose() * h_t.tail<2>();
    return result;
  }
};
Rows rows_of(const NonSmoothDynamicalSystem& model, const LinkedContact& contact) {
  const auto& record = model.interactions()[contact.interaction.slot];
  const State state = model.initial_state();
  Eigen::VectorXd q(7 * static_cast<Index>(record.systems.size()));
  for (std::size_t i = 0; i < record.systems.size(); ++i) {
    const auto& layout = *model.layout();
    const auto system = static_cast<std::size_t>(layout.system_of_slot[record.systems[i]]);
    q.segment<7>(7 * static_cast<Index>(i)) = state.positions.segment<7>(layout.systems[system].q);
  }
  Rows rows{Eigen::VectorXd::Zero(record.rows), Eigen::VectorXd::Zero(record.rows),
            Eigen::MatrixXd::Zero(record.rows, 6 * static_cast<Index>(record.systems.size()))};
  record.mechanical->h(0.0, q, rows.y);
  record.mechanical->H(0.0, q, rows.H);
  record.mechanical->h_t(0.0, q, rows.h_t);
  return rows;
}
/// Of a contact that is found, with the bodies in their order or (`swapped`) in the other.
Rows rows_of(const ContactBatch& batch, Index k, bool swapped) {
  using RowMajor = Eigen::Matrix<double, 3, 6, Eigen::RowMajor>;
  const bool two = batch.contacts[static_cast<std::size_t>(k)].second >= 0;
  Rows rows{Eigen::VectorXd::Constant(1, batch.contacts[static_cast<std::size_t>(k)].gap), Eigen::VectorXd::Zero(3),
            Eigen::MatrixXd(3, two ? 12 : 6)};
  rows.H.middleCols<6>(swapped ? 6 : 0) = Eigen::Map<const RowMajor>(batch.H_first(k));
  if (two) rows.H.middleCols<6>(swapped ? 0 : 6) = Eigen::Map<const RowMajor>(batch.H_second(k));
  if (!batch.h_t.empty()) rows.h_t = Eigen::Map<const Eigen::VectorXd>(batch.h_t.data() + 3 * k, 3);
  return rows;
}

/// Bodies anywhere: of each contact that the source finds one that is linked has the same gap, the same normal row and
/// the same friction. Sizes of 1 m, coordinates to 3 m: 1e-13. With skins each shape is a conveyor with a grain, under
/// elliptic friction.
void expect_rows_as_found(bool skins) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> number(-1.0, 1.0);
  const auto any = [&] { return Vector3d(number(random), number(random), number(random)); };
  const std::vector<Shape> shapes{Sphere{0.2}, kCapsule, kBox};
  const Law law = skins ? NewtonImpactFrictionLaw{.friction = 0.3, .dimension = 3, .second_friction = 0.1} : kFriction;
  const auto with_skin = [&](ShapeOnBody shape) {
    if (!skins) return shape;
    shape.grain = any();
    shape.surface_velocity = [a = any(), b = any()](const Vector3d& x, double) {
      return Vector3d(a + jointed::cross(b, x));
    };
    return shape;
  };
  Index found_in_all = 0;
  for (int trial = 0; trial < 30; ++trial) {
    NonSmoothDynamicalSystem model;
    std::vector<BodyShapes> bodies;
    for (std::size_t i = 0; i < 5; ++i) {
      const Vector3d place = 1.7 * Vector3d(std::cos(1.3 * static_cast<double>(i)),
                                            std::sin(1.3 * static_cast<double>(i)), 0.3 * static_cast<double>(i)) +
                             0.3 * any();
      const auto body = model.add(RigidBody{.position = place, .orientation = jointed::exponential(any())});
      const std::size_t kind = i < 2 ? 0 : (i < 4 ? 1 : 2);
      // Boxes and capsules pass through each other.
      bodies.push_back({body,
                        {with_skin({.shape = shapes[kind],
                                    .position = 0.1 * any(),
                                    .orientation = jointed::exponential(any()),
                                    .groups = std::uint32_t{1} << kind,
                                    .mask = kind == 2 ? 9u : (kind == 1 ? 11u : 15u)})}});
    }
    const std::vector<ShapeOnBody> ground{
        with_skin({.shape = HalfSpace{any(), -3.0}, .groups = 8}),
        with_skin({.shape = Sphere{0.5}, .position = {0.0, 0.0, -1.5}, .groups = 8, .mask = 3})};
    const BodyContacts source(bodies, ground, law);
    const auto linked = link_contacts(model, source);
    // Pairs: spheres 1, sphere and capsule 4, capsules 1, sphere and box 2; on the half-space 2 + 2 * 2 + 8; the sphere
    // of the ground 4.
    ASSERT_EQ(linked.size(), 1u + 4u + 1u + 2u + 14u + 4u);
    std::vector<Rows> rows;
    for (const LinkedContact& contact : linked) rows.push_back(rows_of(model, contact));
    State state = model.initial_state();
    state.unknowns.setOnes();  // fast enough that all are in sight
    for (const ContactBatch& batch : contacts_at(state, source, 3.0)) {
      for (Index k = 0; k < batch.size(); ++k) {
        const DetectedContact& contact = batch.contacts[static_cast<std::size_t>(k)];
        if (contact.gap < 0.05) continue;  // axes that come near one another, where the direction is not known
        double best = 1.0;
        for (std::size_t l = 0; l < linked.size(); ++l) {
          const bool swapped = linked[l].first == contact.second;
          if (!(swapped && linked[l].second == contact.first) &&
              !(linked[l].first == contact.first && linked[l].second == contact.second))
            continue;
          const Rows one = rows_of(batch, k, swapped);
          const double apart = std::abs(rows[l].y[0] - one.y[0]) + (rows[l].H.row(0) - one.H.row(0)).norm() +
                               (rows[l].slip(skins) - one.slip(skins)).norm();
          best = std::min(best, apart);
        }
        EXPECT_LE(best, 1e-12) << trial << ": bodies " << contact.first << " and " << contact.second << ", gap "
                               << contact.gap;
        ++found_in_all;
      }
    }
  }
  EXPECT_GT(found_in_all, 200);
}

TEST(LinkContacts, RowsAreThoseOfContactsThatAreFound) { expect_rows_as_found(false); }
TEST(LinkContacts, ConveyorsAndGrainsAreThoseOfContactsThatAreFound) { expect_rows_as_found(true); }

TEST(LinkContacts, StepsTakeThemAsTheyTakeThoseFound) {
  // A ball slides, then rolls with 5/7 of its velocity: no impulse at the contact changes the moment about it. Steps
  // are solved to 1e-12 of a velocity of 1 m/s, a thousand of them.
  for (const bool found : {false, true}) {
    NonSmoothDynamicalSystem model;
    const auto body = model.add(RigidBody{.inertia = 0.4 * 0.01 * Eigen::Matrix3d::Identity(),
                                          .position = {0.0, 0.0, 0.1},
                                          .velocity = {0.6, 0.8, 0.0},
                                          .gravity = {0.0, 0.0, -9.81}});
    const BodyContacts source({{body, {{.shape = Sphere{0.1}}}}}, {{.shape = HalfSpace{}}}, kFriction);
    if (found) {
      model.detect(source);
    } else {
      link_contacts(model, source);
    }
    TimeStepping simulation(model, {.step = 1e-3, .solver = mixed::Automatic{.tolerance = 1e-12}});
    const auto report = simulation.advance_to(1.0);
    ASSERT_TRUE(report) << report.message();
    const auto v = simulation.state().v(body);
    EXPECT_LE((v.head<3>() - 5.0 / 7.0 * Vector3d(0.6, 0.8, 0.0)).norm(), 1e-9) << found;
  }
}

TEST(LinkContacts, LeavesOutWhatNeverTouches) {
  NonSmoothDynamicalSystem model;
  std::vector<BodyShapes> bodies;
  for (int i = 0; i < 3; ++i) {
    const auto body = model.add(RigidBody{.position = {1.0 * i, 0.0, 1.0}, .name = "ball " + std::to_string(i)});
    bodies.push_back({body, {{.shape = Sphere{0.1}}}});
  }
  bodies[2].shapes[0].groups = 2;
  bodies[2].shapes[0].mask = 1;
  BodyContacts source(bodies, {{.shape = HalfSpace{}, .mask = 1}}, NewtonImpactLaw{});
  source.exclude(bodies[0].body, bodies[1].body);
  const auto linked = link_contacts(model, source);
  ASSERT_EQ(linked.size(), 4u);  // 0-2, 0-ground, 1-2, 1-ground
  EXPECT_EQ(linked[0].first, 0);
  EXPECT_EQ(linked[0].second, 2);
  EXPECT_EQ(linked[1].second, -1);
  EXPECT_EQ(model.num_interactions(), 4);
  EXPECT_EQ(model.interactions()[linked[0].interaction.slot].rows, 1);
}

TEST(LinkContacts, DisksHaveTheirPairsAndTheFloorWithTheLawsOfMaterials) {
  NonSmoothDynamicalSystem model;
  std::vector<SystemHandle> disks;
  for (int i = 0; i < 3; ++i) disks.push_back(model.add(PlanarBody{.position = {1.0 * i, 1.0}}));
  const FloorProfile floor{.height = [](double x) { return 0.1 * x * x; },
                           .slope = [](double x) { return 0.2 * x; },
                           .curvature = [](double) { return 0.2; }};
  const DiskContacts source(disks, {0.1, 0.2, 0.3}, {NewtonImpactLaw{}, NewtonImpactFrictionLaw{.friction = 0.2}},
                            ContactMaterials(2, 0).set_law(0, 1, 1), {0, 0, 1}, floor);
  const auto linked = link_contacts(model, source);
  ASSERT_EQ(linked.size(), 6u);
  const State state = model.initial_state();
  Index compared = 0;
  State fast = state;
  for (Index k = 0; k < fast.unknowns.size(); ++k) fast.unknowns[k] = 1.0 + 2.0 * static_cast<double>(k / 3);
  for (const ContactBatch& batch : contacts_at(fast, source, 5.0)) {
    for (Index k = 0; k < batch.size(); ++k) {
      const DetectedContact& contact = batch.contacts[static_cast<std::size_t>(k)];
      for (const LinkedContact& own : linked) {
        if (own.first != contact.first || own.second != contact.second) continue;
        const auto& record = model.interactions()[own.interaction.slot];
        ASSERT_EQ(record.rows, batch.rows);
        EXPECT_NEAR(state.y(own.interaction)[0], contact.gap, 1e-14);
        // Rows of the same velocities, signs included: terms of 1 m, Newton's point to 1e-14.
        const Index bodies = own.second < 0 ? 1 : 2;
        Eigen::VectorXd q(3 * bodies);
        q.head(3) = state.q(disks[static_cast<std::size_t>(own.first)]);
        if (bodies == 2) q.tail(3) = state.q(disks[static_cast<std::size_t>(own.second)]);
        Eigen::MatrixXd H = Eigen::MatrixXd::Zero(batch.rows, 3 * bodies);
        record.mechanical->H(0.0, q, H);
        for (Index r = 0; r < batch.rows; ++r) {
          for (Index j = 0; j < 3; ++j) {
            EXPECT_NEAR(H(r, j), batch.H_first(k)[3 * r + j], 1e-13);
            if (bodies == 1) continue;
            EXPECT_NEAR(H(r, 3 + j), batch.H_second(k)[3 * r + j], 1e-13);
          }
        }
        ++compared;
      }
    }
  }
  EXPECT_EQ(compared, 6);
}

/// A source of one body with this shape and of this ground.
BodyContacts one_body(NonSmoothDynamicalSystem& model, const Shape& shape, const ShapeOnBody& ground,
                      const Law& law = NewtonImpactLaw{}) {
  return BodyContacts({{model.add(RigidBody{.name = "thing"}), {{.shape = shape}}}}, {ground}, law);
}

TEST(LinkContacts, RoundShapesInGroovesAreRefusedByTheirBodies) {
  NonSmoothDynamicalSystem model;
  const TriangleMesh groove(
      {{0.0, 0.0, 0.0}, {1.0, -1.0, 0.0}, {1.0, 0.0, -0.5}, {1.0, 1.0, 0.0}, {-1.0, 1.0, 0.0}, {-1.0, -1.0, 0.0}},
      {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 5}, {0, 5, 1}});
  const BodyContacts in_groove = one_body(model, Sphere{0.1}, {.shape = groove});
  expect_refused([&] { link_contacts(model, in_groove); },
                 {"a sphere of thing on a triangle mesh or height field of the ground", "a concave edge from"});
  const BodyContacts rod_in_groove = one_body(model, kCapsule, {.shape = groove});
  expect_refused([&] { link_contacts(model, rod_in_groove); },
                 {"a capsule of thing on a triangle mesh or height field of the ground", "a concave edge from"});
  EXPECT_EQ(model.num_interactions(), 0);
}

TEST(LinkContacts, RollingFrictionHasItsRowsOfAngularVelocities) {
  // On z = 0 with N = z: T1, T2 along the frame's tangents, R1, R2 about them, S about z.
  const Eigen::Vector3d omega(0.3, -0.7, 1.1);
  for (const Index rows : {4, 5, 6}) {
    NonSmoothDynamicalSystem model;
    const Law law = NewtonImpactRollingFrictionLaw{
        .friction = 0.3, .rolling = rows > 4 ? 0.1 : 0.0, .spinning = rows != 5 ? 0.2 : 0.0, .rows = rows};
    const SystemHandle ball = model.add(RigidBody{.position = {0.0, 0.0, 0.1}, .angular_velocity = omega});
    const auto linked =
        link_contacts(model, BodyContacts({{ball, {{.shape = Sphere{0.1}}}}}, {{.shape = HalfSpace{}}}, law));
    ASSERT_EQ(linked.size(), 1u);
    State state = model.initial_state();
    update_outputs(model, state);
    const Eigen::VectorXd u = state.u(linked.front().interaction);
    ASSERT_EQ(u.size(), rows);
    EXPECT_NEAR(u.segment<2>(1).norm(), 0.1 * omega.head<2>().norm(), 1e-15);
    if (rows != 5) {
      EXPECT_NEAR(u[rows - 1], omega.z(), 1e-15);
    }
    if (rows != 4) {
      EXPECT_NEAR(u.segment<2>(3).norm(), omega.head<2>().norm(), 1e-15);
      // The point below moves by omega x (-r n): (T1, T2) is r (R2, -R1) up to the frame's hand, across R.
      EXPECT_NEAR(u.segment<2>(1).dot(u.segment<2>(3)), 0.0, 1e-15);
    }
  }
}

TEST(LinkContacts, BodiesOfAnotherModelAreRefusedAndNothingIsLeft) {
  NonSmoothDynamicalSystem model, other;
  const BodyContacts source(
      {{model.add(RigidBody{}), {{.shape = Sphere{0.1}}}}, {other.add(RigidBody{}), {{.shape = Sphere{0.1}}}}},
      {{.shape = HalfSpace{}}}, NewtonImpactLaw{});
  EXPECT_THROW(link_contacts(model, source), InvalidArgument);
  EXPECT_EQ(model.num_interactions(), 0);
}

}  // namespace
}  // namespace nonsmooth::link_contacts_test
