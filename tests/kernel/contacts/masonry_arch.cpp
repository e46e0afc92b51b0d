// SPDX-License-Identifier: Apache-2.0
// The least thickness of a semicircular arch under its own weight: rigid voussoirs on joints along radii that cannot
// pull and do not slide. Milankovitch 1907; Heyman 1969, The safety of masonry arches, Int. J. Mech. Sci. 11, 363
// [heyman1969]: t / R = 0.1075 of the mean radius.
//
// Least thickness of N voussoirs, half of them on each side. The line of thrust starts at the crown's extrados, level,
// with thrust H, and is lower everywhere from any other start. W(b) is the weight from the crown to the joint at b from
// it, M(b) its moment about the crown. At each joint the thrust passes above the intrados and below the extrados,
//
//     W Ri sin b - M <= H (Ro - Ri cos b),   H (Ro - Ro cos b) <= W Ro sin b - M,
//     W = (Ro^2 - Ri^2) b / 2,   M = (Ro^3 - Ri^3) (1 - cos b) / 3    (density and g of 1),
//
// and the arch stands where one H satisfies all of these (safe theorem; a mechanism of hinges without sliding is
// associated, so that otherwise it falls). Of a step at rest that is asked of the velocity at its end: zero or not.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include <nonsmooth/kernel.hpp>
#include <problems/reference.hpp>

namespace nonsmooth::masonry_arch_test {
namespace {

constexpr double kGravityOnArch = 9.81, kArchStep = 1e-3;

/// Of all H that the joints allow, the largest less the least: negative where the arch falls.
double width_of_thrusts(int voussoirs, double thickness) {
  const double Ri = 1.0 - 0.5 * thickness, Ro = 1.0 + 0.5 * thickness;
  double least = 0.0, largest = std::numeric_limits<double>::infinity();
  for (int k = 1; 2 * k <= voussoirs; ++k) {
    const double b = k * std::numbers::pi / voussoirs, c = std::cos(b), s = std::sin(b);
    const double W = 0.5 * (Ro * Ro - Ri * Ri) * b, M = (Ro * Ro * Ro - Ri * Ri * Ri) / 3.0 * (1.0 - c);
    least = std::max(least, (W * Ri * s - M) / (Ro - Ri * c));
    largest = std::min(largest, (W * Ro * s - M) / (Ro - Ro * c));
  }
  return largest - least;
}

double least_thickness(int voussoirs) {
  return problems::root_between([=](double t) { return width_of_thrusts(voussoirs, t); }, 0.05, 0.15);
}

/// What holds a joint against sliding: rows of its own, or friction where the voussoirs' polygons are found to touch.
enum class Joint { NoSliding, Friction };

/// An arch of mean radius 1 m, voussoirs with the masses of sectors of a ring, numbered from the right springing to the
/// left. Their polygons have the sectors' corners, so that joints are theirs.
struct Arch {
  static constexpr double kFriction = 0.6;
  double Ri, Ro;
  NonSmoothDynamicalSystem model;
  std::vector<SystemHandle> voussoirs;

  Arch(int count, double thickness, Joint joint) : Ri(1.0 - 0.5 * thickness), Ro(1.0 + 0.5 * thickness) {
    const double angle = std::numbers::pi / count, area = 0.5 * (Ro * Ro - Ri * Ri) * angle;
    const double first_moment = 2.0 / 3.0 * (Ro * Ro * Ro - Ri * Ri * Ri) * std::sin(0.5 * angle);
    const double centre = first_moment / area, polar = 0.25 * (std::pow(Ro, 4) - std::pow(Ri, 4)) * angle;
    for (int i = 0; i < count; ++i) {
      const double at = (i + 0.5) * angle;
      voussoirs.push_back(model.add(PlanarBody{.mass = area,
                                               .inertia = polar - area * centre * centre,
                                               .position = {centre * std::cos(at), centre * std::sin(at)},
                                               .gravity = {0.0, -kGravityOnArch}}));
    }
    if (joint == Joint::Friction) {
      model.detect(touching_polygons(angle));
    } else {
      for (int k = 0; k <= count; ++k) add_joint(static_cast<std::size_t>(k), angle * k);
    }
  }

  /// On the ground y = 0.
  [[nodiscard]] PlanarContacts touching_polygons(double angle) const {
    const State start = model.initial_state();
    std::vector<PlanarBodyShapes> bodies;
    for (std::size_t i = 0; i < voussoirs.size(); ++i) {
      ConvexPolygon outline;
      for (const std::size_t side : {i, i + 1}) {
        const double at = angle * static_cast<double>(side);
        for (const double r : {Ri, Ro})
          outline.vertices.push_back(r * Eigen::Vector2d(std::cos(at), std::sin(at)) - start.q(voussoirs[i]).head<2>());
      }
      bodies.push_back({voussoirs[i], {{.shape = outline}}});
    }
    return {bodies, {{.shape = HalfPlane{}}}, NewtonImpactFrictionLaw{.friction = kFriction}};
  }

  /// Row of the velocity along `direction` of what lies beyond the joint less what lies before it, at a point.
  [[nodiscard]] Eigen::MatrixXd row(std::size_t k, const Eigen::Vector2d& point, const Eigen::Vector2d& direction,
                                    const State& start) const {
    const bool before = k > 0, beyond = k < voussoirs.size();
    Eigen::MatrixXd H(1, before && beyond ? 6 : 3);
    const auto of = [&](SystemHandle body) {
      const Eigen::Vector2d arm = point - start.q(body).head<2>();
      return Eigen::RowVector3d(direction[0], direction[1], arm[0] * direction[1] - arm[1] * direction[0]);
    };
    if (before) H.leftCols<3>() = -of(voussoirs[k - 1]);
    if (beyond) H.rightCols<3>() = of(voussoirs[k]);
    return H;
  }

  void add_joint(std::size_t k, double angle) {
    const State start = model.initial_state();
    const Eigen::Vector2d along(std::cos(angle), std::sin(angle)), normal(-along[1], along[0]);
    std::vector<SystemHandle> bodies;
    if (k > 0) bodies.push_back(voussoirs[k - 1]);
    if (k < voussoirs.size()) bodies.push_back(voussoirs[k]);
    const Eigen::MatrixXd T = row(k, Ri * along, along, start);  // that of every point of the joint
    Eigen::MatrixXd H(3, T.cols());
    H << T, row(k, Ri * along, normal, start), row(k, Ro * along, normal, start);
    Eigen::VectorXd q(H.cols());
    for (std::size_t i = 0; i < bodies.size(); ++i) q.segment<3>(3 * static_cast<Index>(i)) = start.q(bodies[i]);
    model.link(bodies, LagrangianLinearRelation{.H = H, .b = -H * q},
               MixedComplementarityLaw{.equalities = 1, .inequalities = 2});
  }

  /// Velocities after a step from rest, in units of g h.
  [[nodiscard]] double fall() const {
    TimeStepping run(
        model, {.step = kArchStep, .solver = mixed::Automatic{.tolerance = 1e-12}, .examination = Examination::Off});
    const StepReport report = run.step();
    EXPECT_TRUE(report) << report.message();
    return run.state().unknowns.cwiseAbs().maxCoeff() / (kGravityOnArch * kArchStep);
  }
};

TEST(MasonryArch, OfManyVoussoirsHasHeymansThickness) {
  // Joints are where hinges may be: as these get closer the least thickness grows to that of a continuous arch, whose
  // published figure has four digits. At the best place of a hinge the derivative is zero, so that N = 4096, 4e-4 rad
  // off at most, is within 1e-6.
  EXPECT_NEAR(least_thickness(4096), 0.1075, 0.5e-4);
  for (const int count : {8, 16, 32, 64}) EXPECT_LT(least_thickness(count), least_thickness(4096) + 1e-12) << count;
}

/// By bisection to 0.05 / 2^17 = 4e-7. What is thinner by a part d of t falls with some d g: solved to 1e-12 of g h
/// times a condition of N^2 or so, it is told from rest by 1e-7 g h.
double thickness_that_stands(int count) {
  double falls = 0.08, stands = 0.13;
  for (int k = 0; k < 17; ++k) {
    const double middle = 0.5 * (falls + stands);
    (Arch(count, middle, Joint::NoSliding).fall() > 1e-7 ? falls : stands) = middle;
  }
  return 0.5 * (falls + stands);
}

TEST(MasonryArch, StandsDownToItsLeastThickness) {
  double before = 0.0;
  for (const int count : {8, 16, 32, 66}) {
    const double found = thickness_that_stands(count);
    EXPECT_NEAR(found, least_thickness(count), 1e-6) << count;
    EXPECT_GT(found, before - 1e-6) << count;  // as near as hinges come to their best places
    before = found;
  }
  // The published figure from steps alone: 66 voussoirs have a joint 2e-3 rad from the best place of their hinge.
  EXPECT_NEAR(before, 0.1075, 0.5e-4);
}

TEST(MasonryArch, OfManyVoussoirsIsSolvedWhereSweepsEnd) {  // 387 rows without friction
  EXPECT_NEAR(thickness_that_stands(128), least_thickness(128), 1e-6);
}

TEST(MasonryArch, StandsOnFrictionAlone) {
  // Thrust leans most off a joint's normal at the springings, by H / W = 0.395 at the least thickness: 0.6 holds it.
  for (const int count : {8, 16, 32}) {
    const double t = least_thickness(count);
    EXPECT_LE(Arch(count, 1.001 * t, Joint::Friction).fall(), 1e-7) << count;
    EXPECT_GT(Arch(count, 0.999 * t, Joint::Friction).fall(), 1e-5) << count;
  }
}

}  // namespace
}  // namespace nonsmooth::masonry_arch_test
