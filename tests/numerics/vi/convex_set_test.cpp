// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/vi/convex_set.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/vi/automatic.hpp>
#include <problems/random_matrices.hpp>
#include <problems/vi.hpp>

#include "expect_refused.hpp"

namespace nonsmooth::convex_set_test {
namespace {

using Eigen::MatrixXd, Eigen::VectorXd;
using problems::Random;
using test::expect_refused;

constexpr double infinity = std::numeric_limits<double>::infinity();

VectorXd project(const vi::ConvexSet& K, const VectorXd& y) {
  VectorXd x(y.size());
  const vi::ProjectionReport report = K.project(y, x);
  EXPECT_EQ(report.status, Status::Solved);
  return x;
}

/// Rows that some x in [-1, 1]^n satisfies; `tight` of them contain it.
vi::Polyhedron random_polyhedron(Random& random, Index n, Index m, Index p, Index tight) {
  const VectorXd x = problems::entries(random, n, 1);
  vi::Polyhedron K{problems::entries(random, m, n), {}, problems::entries(random, p, n), {}};
  K.b = K.A * x;
  for (Index i = tight; i < m; ++i) K.b[i] += problems::uniform(random, 0.0, 1.0);
  K.d = K.C * x;
  return K;
}

TEST(ConvexSet, ClosedForms) {
  const vi::Box box{VectorXd{{-1, -infinity, 2}}, VectorXd{{1, 0, 2}}};
  EXPECT_EQ(project(box, VectorXd{{-3, -3, -3}}), (VectorXd{{-1, -3, 2}}));
  EXPECT_EQ(project(box, VectorXd{{3, 3, 3}}), (VectorXd{{1, 0, 2}}));
  // (3, 4) from (1, 1)... the arm (3, 4) of length 5 is cut to 2.
  EXPECT_LE((project(vi::Ball{VectorXd{{1, 1}}, 2.0}, VectorXd{{4, 5}}) - VectorXd{{2.2, 2.6}}).norm(), 1e-15);
  EXPECT_EQ(project(vi::Ball{VectorXd{{1, 1}}, 0.0}, VectorXd{{4, 5}}), (VectorXd{{1, 1}}));
  EXPECT_LE((project(vi::HalfSpace{VectorXd{{3, 4}}, 10.0}, VectorXd{{3, 4}}) - VectorXd{{1.2, 1.6}}).norm(), 1e-15);
  EXPECT_EQ(project(vi::HalfSpace{VectorXd{{3, 4}}, 25.0}, VectorXd{{3, 4}}), (VectorXd{{3, 4}}));
  ProductSet blocks;
  blocks.push_back({.kind = SetKind::Orthant}, 1);
  blocks.push_back({.kind = SetKind::SecondOrderCone, .mu = 1.0}, 2);
  // (0, 2) on {|x_2| <= x_1}: (1, 1).
  EXPECT_LE((project(blocks, VectorXd{{-1, 0, 2}}) - VectorXd{{0, 1, 1}}).norm(), 1e-15);
}

TEST(ConvexSet, BlocksOfIntervalsAreBoxes) {
  ProductSet blocks;
  blocks.push_back({.kind = SetKind::Free}, 1);
  blocks.push_back({.kind = SetKind::Orthant}, 2);
  blocks.push_back({.kind = SetKind::Box, .lower = -1.0, .upper = 1.0}, 1);
  const vi::ConvexSet K = blocks;
  EXPECT_EQ(project(K, VectorXd{{-2, -2, 2, 2}}), (VectorXd{{-2, 0, 2, 1}}));
  ASSERT_TRUE(K.polyhedron().has_value());
  EXPECT_EQ(K.polyhedron()->A.rows(), 4);
  EXPECT_TRUE(K.has_support());
}

TEST(ConvexSet, PolyhedraByHand) {
  // The triangle x >= 0, y >= 0, x + y <= 1.
  const vi::Polyhedron K{MatrixXd{{-1, 0}, {0, -1}, {1, 1}}, VectorXd{{0, 0, 1}}};
  EXPECT_LE((project(K, VectorXd{{1, 1}}) - VectorXd{{0.5, 0.5}}).norm(), 1e-15);
  EXPECT_LE((project(K, VectorXd{{3, 1}}) - VectorXd{{1, 0}}).norm(), 1e-15);
  EXPECT_LE((project(K, VectorXd{{-1, -2}})).norm(), 1e-15);
  EXPECT_EQ(project(K, VectorXd{{0.25, 0.5}}), (VectorXd{{0.25, 0.5}}));
  // The line x + y + z = 3, x = z, with y <= 0.5: from 0 the nearest point of the line is (1, 1, 1), of the ray
  // (1.25, 0.5, 1.25). The last equality follows from the others.
  const vi::Polyhedron ray{MatrixXd{{0, 2, 0}}, VectorXd{{1}}, MatrixXd{{1, 1, 1}, {1, 0, -1}, {2, 1, 0}},
                           VectorXd{{3, 0, 3}}};
  EXPECT_LE((project(ray, VectorXd::Zero(3)) - VectorXd{{1.25, 0.5, 1.25}}).norm(), 1e-14);
}

TEST(ConvexSet, PolyhedraAsTheirOptimalityConditionsHaveThem) {
  Random random(1);
  for (int k = 0; k < 200; ++k) {
    const Index n = 1 + k % 9, m = (k * 7) % (3 * n) + 1, p = (k * 3) % n;
    const vi::Polyhedron polyhedron = random_polyhedron(random, n, m, p, m / 3);
    const vi::ConvexSet K = polyhedron;
    const VectorXd y = 4.0 * problems::entries(random, n, 1), x = project(K, y);
    // Conditions to 1e-14 of 4; multipliers of nearly dependent rows may lose some digits of it.
    EXPECT_LE((x - problems::nearest_point(polyhedron, y)).norm(), 1e-9) << k;
    EXPECT_LE((polyhedron.A * x - polyhedron.b).maxCoeff(), 1e-13) << k;
    if (p > 0) {
      EXPECT_LE((polyhedron.C * x - polyhedron.d).cwiseAbs().maxCoeff(), 1e-13) << k;
    }
    EXPECT_LE((project(K, x) - x).norm(), 1e-13) << k;
  }
}

TEST(ConvexSet, DegenerateAndRepeatedRows) {
  Random random(2);
  for (int k = 0; k < 50; ++k) {
    const Index n = 2 + k % 5;
    vi::Polyhedron K = random_polyhedron(random, n, 4 * n, 0, 4 * n);  // a cone: all rows meet in one point
    K.A.bottomRows(n) = 3.0 * K.A.topRows(n);
    K.b.tail(n) = 3.0 * K.b.head(n);
    const VectorXd y = 4.0 * problems::entries(random, n, 1);
    EXPECT_LE((project(K, y) - problems::nearest_point(K, y)).norm(), 1e-9) << k;
  }
}

TEST(ConvexSet, OppositeAndRepeatedRowsThroughZero) {
  // x_1 >= 1 on the hyperplane a·x = 0, nearest to 0: u / u_1 with u = e_1 - (a_1 / |a|^2) a, e_1 on the hyperplane.
  Random random(5);
  for (int k = 0; k < 100; ++k) {
    const Index n = 2 + k % 6;
    VectorXd a = problems::entries(random, n, 1);
    a[1] += 2.0;  // not along e_1
    vi::Polyhedron K{MatrixXd::Zero(6, n), VectorXd::Zero(6)};
    K.A(0, 0) = -1.0;
    K.b[0] = -1.0;
    for (const Index i : {1, 2, 3}) K.A.row(i) = double(i) * a.transpose();
    for (const Index i : {4, 5}) K.A.row(i) = -double(i) * a.transpose();
    VectorXd u = -(a[0] / a.squaredNorm()) * a;
    u[0] += 1.0;
    // u_1 >= 1/2, as a_1^2 <= |a|^2 / 2: some roundings of numbers near 2.
    EXPECT_LE((project(K, VectorXd::Zero(n)) - u / u[0]).norm(), 1e-13) << k;
  }
}

TEST(ConvexSet, EmptyPolyhedraWithTheProof) {
  Random random(3);
  for (int k = 0; k < 100; ++k) {
    const Index n = 1 + k % 8;
    // Rows of which a positive combination is 0 x <= -1: a_{n+1} = -sum y_i a_i, b_{n+1} = -1 - sum y_i b_i.
    vi::Polyhedron polyhedron{problems::entries(random, 2 * n + 1, n), problems::entries(random, 2 * n + 1, 1),
                              MatrixXd(0, n), VectorXd(0)};
    const VectorXd y = (problems::entries(random, n, 1).array() + 1.5).matrix();
    polyhedron.A.row(n) = -y.transpose() * polyhedron.A.topRows(n);
    polyhedron.b[n] = -1.0 - y.dot(polyhedron.b.head(n));
    VectorXd x(n);
    const vi::ConvexSet K = polyhedron;
    const vi::ProjectionReport report = K.project(problems::entries(random, n, 1), x);
    ASSERT_EQ(report.status, Status::Infeasible) << k;
    EXPECT_TRUE(vi::proves_empty(polyhedron, report.proof));
    EXPECT_TRUE(K.proves_empty(report.proof));
    EXPECT_FALSE(K.proves_empty(-report.proof));
    EXPECT_FALSE(K.proves_empty(VectorXd::Ones(2 * n + 1)));
    EXPECT_GE(report.proof.minCoeff(), 0.0);
    EXPECT_LT(report.proof.dot(polyhedron.b), 0.0);
  }
  // Equalities that contradict each other, rows of zeros, and a feasible set that no vector proves empty.
  const vi::Polyhedron contradiction{MatrixXd(0, 2), VectorXd(0), MatrixXd{{1, 2}, {2, 4}}, VectorXd{{1, 3}}};
  VectorXd x(2);
  vi::ProjectionReport report = vi::ConvexSet(contradiction).project(VectorXd::Zero(2), x);
  ASSERT_EQ(report.status, Status::Infeasible);
  EXPECT_TRUE(vi::proves_empty(contradiction, report.proof));
  const vi::Polyhedron zeros{MatrixXd{{0, 0}, {1, 0}}, VectorXd{{-1, 0}}};
  report = vi::ConvexSet(zeros).project(VectorXd::Zero(2), x);
  ASSERT_EQ(report.status, Status::Infeasible);
  EXPECT_TRUE(vi::proves_empty(zeros, report.proof));
  EXPECT_FALSE(vi::proves_empty({MatrixXd{{1, 0}, {-1, 0}}, VectorXd{{0, 0}}}, VectorXd{{1, 1}}));
}

TEST(ConvexSet, EmptyByLittleIsEmptyWithTheProof) {
  // {x <= 1, x >= 1 + gap}, from 0, from near and from far: (1, 1) proves it as long as gap > 4 eps (2 + gap).
  for (const double gap : {1e-3, 1e-8, 1e-12, 1e-14}) {
    const vi::Polyhedron K{MatrixXd{{1}, {-1}}, VectorXd{{1, -1 - gap}}};
    ASSERT_TRUE(vi::proves_empty(K, VectorXd::Ones(2)));
    for (const double y : {0.0, 1.0, 3.0, -1e6, 1e12}) {
      VectorXd x(1);
      const vi::ProjectionReport report = vi::ConvexSet(K).project(VectorXd::Constant(1, y), x);
      ASSERT_EQ(report.status, Status::Infeasible) << gap << " from " << y;
      EXPECT_TRUE(vi::proves_empty(K, report.proof));
    }
    const vi::Problem problem{problems::affine_map(MatrixXd::Identity(1, 1), VectorXd::Zero(1)), K};
    EXPECT_EQ(vi::solve(problem, vi::Automatic{}).status, Status::Infeasible) << gap;
  }
}

TEST(ConvexSet, FarPointsComeToTheRowsToTheirOwnRounding) {
  // The triangle x >= 0, 3 x_1 + 4 x_2 <= 1 from 1e12 away: rows of terms near 1, not near 1e12.
  const vi::ConvexSet K = vi::Polyhedron{MatrixXd{{3, 4}, {-1, 0}, {0, -1}}, VectorXd{{1, 0, 0}}};
  for (const double far : {1e3, 1e8, 1e12}) {
    for (const VectorXd& away : {VectorXd{{3, 4}}, VectorXd{{1, 1}}, VectorXd{{-1, 3}}, VectorXd{{-2, -1}}}) {
      const VectorXd x = project(K, far * away);
      // (n + 2) eps (|b| + |x|) of rows of norm 1, of which the first is 5 times as long: 5 * 4 eps (1/5 + 1/3).
      EXPECT_LE(3 * x[0] + 4 * x[1], 1.0 + 12e-16 * 2) << far;
      EXPECT_GE(x.minCoeff(), -5e-16) << far;
    }
  }
}

TEST(ConvexSet, ProductsAndIntersections) {
  const vi::ConvexSet disk = vi::Ball{VectorXd{{0, 0}}, 1.0}, box = vi::Box{VectorXd{{0}}, VectorXd{{1}}};
  const vi::ConvexSet cylinder = vi::Product{{disk, box}};
  EXPECT_LE((project(cylinder, VectorXd{{3, 4, 5}}) - VectorXd{{0.6, 0.8, 1}}).norm(), 1e-15);
  EXPECT_FALSE(cylinder.polyhedron().has_value());
  EXPECT_TRUE(cylinder.has_jacobian());
  // Two boxes are a polyhedron; the half disk is not, and Dykstra's: from (1, -1) its corner (1, 0), from (-1, -1)
  // (-1, 0), from (2, 2) the circle, from (0.3, -1) the edge.
  EXPECT_TRUE((vi::ConvexSet(vi::Product{{box, box}}).polyhedron().has_value()));
  const vi::ConvexSet half = vi::Intersection{{disk, vi::HalfSpace{VectorXd{{0, -1}}, 0.0}}};
  EXPECT_FALSE(half.polyhedron().has_value());
  EXPECT_TRUE(half.has_jacobian());
  EXPECT_LE((project(half, VectorXd{{0.3, -1}}) - VectorXd{{0.3, 0}}).norm(), 1e-13);
  EXPECT_LE((project(half, VectorXd{{2, 2}}) - VectorXd{{std::sqrt(0.5), std::sqrt(0.5)}}).norm(), 1e-13);
  EXPECT_LE((project(half, VectorXd{{2, -1}}) - VectorXd{{1, 0}}).norm(), 1e-12);
  // The spheres' circle: |x| <= 1 and |x - (1, 0, 0)| <= 1 from (1/2, 3, 0): (1/2, sqrt(3)/2, 0).
  const vi::ConvexSet lens = vi::Intersection{{vi::Ball{VectorXd{{0, 0, 0}}, 1.0}, vi::Ball{VectorXd{{1, 0, 0}}, 1.0}}};
  EXPECT_LE((project(lens, VectorXd{{0.5, 3, 0}}) - VectorXd{{0.5, std::sqrt(0.75), 0}}).norm(), 1e-12);
  // A product with an empty factor: its own proof among zeros.
  const vi::Polyhedron empty{MatrixXd{{1}, {-1}}, VectorXd{{-1, -1}}};
  const vi::ConvexSet none = vi::Product{{disk, empty}};
  VectorXd x(3);
  const vi::ProjectionReport report = none.project(VectorXd::Zero(3), x);
  ASSERT_EQ(report.status, Status::Infeasible);
  EXPECT_TRUE(none.proves_empty(report.proof));
  EXPECT_FALSE(none.proves_empty(VectorXd::Zero(2)));
}

// Two disks that overlap by 2 s have the corners (1 - s, +-sqrt(1 - (1-s)^2)). They meet at a small angle, and
// Dykstra's cycles alone come no nearer than some sqrt(s) of the way in as many; Newton's method ends them. Of p there
// is a factor 1 / sqrt(s) in the condition: 1e-16 of it and of the terms.
TEST(ConvexSet, NewtonEndsDykstrasCycles) {
  for (const double s : {1e-2, 1e-3, 1e-4, 5e-7, 1e-8}) {
    const vi::ConvexSet lens =
        vi::Intersection{{vi::Ball{VectorXd{{0, 0}}, 1.0}, vi::Ball{VectorXd{{2.0 - 2.0 * s, 0}}, 1.0}}};
    VectorXd x(2);
    const vi::ProjectionReport report = lens.project(VectorXd{{1.0 - s, 3.0}}, x);
    ASSERT_EQ(report.status, Status::Solved) << s;
    EXPECT_LE(report.iterations, 16) << s;
    EXPECT_LE((x - VectorXd{{1.0 - s, std::sqrt(2.0 * s - s * s)}}).norm(), 1e-13 / std::sqrt(s)) << s;
  }
  // On the spheres' circle, of the radius rho = sqrt(3) / 2 around (1/2, 0, 0), from (1/2, 3, 0): what goes along the
  // circle goes rho / 3 as far, and nothing else moves.
  const vi::ConvexSet lens = vi::Intersection{{vi::Ball{VectorXd{{0, 0, 0}}, 1.0}, vi::Ball{VectorXd{{1, 0, 0}}, 1.0}}};
  ASSERT_TRUE(lens.has_jacobian());
  MatrixXd D(3, 3), expected = MatrixXd::Zero(3, 3);
  expected(2, 2) = std::sqrt(0.75) / 3.0;
  lens.jacobian(VectorXd{{0.5, 3, 0}}, D);
  EXPECT_LE((D - expected).norm(), 1e-11);
}

// Balls of radius 1 and 2 that overlap by 1e-6 along the first axis, t = 5e-7 beyond 0 each, and a box whose side is
// 4e-7 before 0: three sets with nearly parallel normals. The balls' surfaces meet at x_0 = t / (3 - 2 t), in the box,
// on a sphere of radius rho in the other entries; from points that are off the axis by more than rho times their x_0
// the nearest point is there, in their direction. To what reports say.
TEST(ConvexSet, ThinIntersectionsOfThreeParts) {
  Random random(22);
  const double t = 5e-7, x_0 = t / (3.0 - 2.0 * t), rho = std::sqrt((2.0 - x_0 - t) * (x_0 + t));
  for (Index n = 3; n <= 6; ++n) {
    const VectorXd first = VectorXd::Unit(n, 0), high = VectorXd::Constant(n, 1.0);
    VectorXd low = -high, x(n);
    low[0] = -4e-7;
    const vi::ConvexSet K =
        vi::Intersection{{vi::Ball{(1.0 - t) * first, 1.0}, vi::Ball{(t - 2.0) * first, 2.0}, vi::Box{low, high}}};
    for (int k = 0; k < 30; ++k) {
      const VectorXd y = 2.0 * problems::entries(random, n, 1);
      const vi::ProjectionReport report = K.project(y, x);
      ASSERT_EQ(report.status, Status::Solved) << n << " " << k;
      EXPECT_LE(report.iterations, 64) << n << " " << k;
      EXPECT_LE(report.error, 1e-9) << n << " " << k;
      VectorXd exact = rho / y.tail(n - 1).norm() * y;
      exact[0] = x_0;
      EXPECT_LE((x - exact).norm(), 1e-9) << n << " " << k;
    }
  }
}

TEST(ConvexSet, EmptyIntersectionsByDykstraWithTheProof) {
  const vi::ConvexSet disk = vi::Ball{VectorXd{{0, 0}}, 1.0};
  const vi::ConvexSet right = vi::HalfSpace{VectorXd{{-3, 0}}, -6.0};                  // x_0 >= 2
  const vi::ConvexSet above = vi::Box{VectorXd{{-9, 1.5}}, VectorXd{{9, 9}}};          // misses the disk by 1/2
  const vi::ConvexSet slanted = vi::Polyhedron{MatrixXd{{-1, -1}}, VectorXd{{-1.5}}};  // 1.5 <= x_0 + x_1, by 0.06
  VectorXd x(2);
  for (const vi::ConvexSet& other : {vi::ConvexSet(vi::Ball{VectorXd{{3, 0}}, 1.0}), right, above, slanted,
                                     vi::ConvexSet(vi::Shifted{right, VectorXd{{0, 7}}})}) {
    for (const vi::ConvexSet& none : {vi::ConvexSet(vi::Intersection{{disk, other}, 1e-14, 500}),
                                      vi::ConvexSet(vi::Intersection{{other, above, disk}, 1e-14, 500})}) {
      const vi::ProjectionReport report = none.project(VectorXd{{0.3, -2}}, x);
      ASSERT_EQ(report.status, Status::Infeasible);
      ASSERT_EQ(report.proof.size(), none.proof_rows());
      EXPECT_TRUE(none.proves_empty(report.proof));
      // By hand: v_1 + v_2 = 0, and the supports of the disk and of what is apart from it sum up to less than 0.
      EXPECT_FALSE(none.proves_empty(VectorXd(-report.proof)));
      EXPECT_FALSE(none.proves_empty(VectorXd::Zero(none.proof_rows())));
    }
  }
  // Two disks that touch at (1, 0), and two that overlap by 1e-3: nothing is claimed.
  for (const double distance : {2.0, 2.0 - 1e-3}) {
    const vi::ConvexSet some = vi::Intersection{{disk, vi::Ball{VectorXd{{distance, 0}}, 1.0}}, 1e-14, 500};
    EXPECT_NE(some.project(VectorXd{{0.3, -2}}, x).status, Status::Infeasible);
  }
}

TEST(ConvexSet, SetsThatTouchAreNotEmpty) {
  // A ball around c that goes through 0 and the half-space of -c, exactly, as |c| is a whole number; both at 0, moved
  // by their own numbers and moved as Shifted. What is left of the supports' sum is rounding, of either sign.
  const std::vector<VectorXd> centers{VectorXd{{3, 4}},    VectorXd{{-5, 12}},   VectorXd{{8, -15}},
                                      VectorXd{{20, 21}},  VectorXd{{1, 2, 2}},  VectorXd{{-2, 3, 6}},
                                      VectorXd{{4, 4, 7}}, VectorXd{{1, 4, -8}}, VectorXd{{2, 4, 5, 6}}};
  for (const VectorXd& c : centers) {
    ASSERT_EQ(c.norm(), std::round(c.norm()));
    for (const double away : {0.0, 1e3, -1e3}) {
      const VectorXd by = VectorXd::Constant(c.size(), away);
      const vi::ConvexSet moved =
          vi::Intersection{{vi::Ball{c + by, c.norm()}, vi::HalfSpace{c, c.dot(by)}}, 1e-14, 100};
      const vi::ConvexSet ball = vi::Ball{c, c.norm()}, half = vi::HalfSpace{c, 0.0};
      const vi::ConvexSet shifted = vi::Intersection{{vi::Shifted{ball, by}, vi::Shifted{half, by}}, 1e-14, 100};
      VectorXd x(c.size()), proof(2 * c.size());
      for (const vi::ConvexSet& K : {moved, shifted}) {
        for (int k = 0; k < 4; ++k) {
          const VectorXd from = by + VectorXd::LinSpaced(c.size(), -3.0 + k, 2.0 * k);
          EXPECT_NE(K.project(from, x).status, Status::Infeasible) << c.transpose() << " by " << away;
        }
        for (const double scale : {1.0, 1.0 / 3.0, 0.1}) {
          proof << -scale * c, scale * c;
          EXPECT_FALSE(K.proves_empty(proof)) << c.transpose() << " by " << away;
        }
      }
    }
  }
}

TEST(ConvexSet, IntersectionsWithinIntersectionsThatRunOutOfCycles) {
  // The half disk in two cycles from (2, -1), whose nearest point is (1, 0), within a square that plays no part.
  const vi::ConvexSet disk = vi::Ball{VectorXd{{0, 0}}, 1.0}, below = vi::HalfSpace{VectorXd{{0, -1}}, 0.0};
  const vi::ConvexSet square = vi::Box{VectorXd{{-3, -3}}, VectorXd{{3, 3}}};
  VectorXd x(2);
  const VectorXd y{{2, -1}};
  const vi::ConvexSet hasty = vi::Intersection{{disk, below}, 1e-14, 2};
  const double inner = hasty.project(y, x).error;
  const vi::ProjectionReport report = vi::ConvexSet(vi::Intersection{{hasty, square}}).project(y, x);
  EXPECT_EQ(report.status, Status::IterationLimit);
  EXPECT_GE(report.error, inner);
  EXPECT_LE((x - VectorXd{{1, 0}}).norm(), std::min(0.5, report.error));
  // With cycles enough it is found, and both errors count.
  const vi::ConvexSet whole = vi::Intersection{{vi::Intersection{{disk, below}}, square}};
  EXPECT_LE((project(whole, y) - VectorXd{{1, 0}}).norm(), 1e-12);
}

TEST(ConvexSet, JacobiansOfABall) {
  // D = 0 of a point. On the sphere and within: I.
  MatrixXd D(2, 2);
  for (const VectorXd& y : {VectorXd{{1, 1}}, VectorXd{{4, 5}}}) {
    vi::ConvexSet(vi::Ball{VectorXd{{1, 1}}, 0.0}).jacobian(y, D);
    EXPECT_EQ(D, (MatrixXd::Zero(2, 2))) << y.transpose();
    vi::ConvexSet(vi::Ball{VectorXd{{1, 1}}, 5.0}).jacobian(y, D);
    EXPECT_EQ(D, (MatrixXd::Identity(2, 2))) << y.transpose();
  }
}

TEST(ConvexSet, JacobiansAsDifferencesHaveThem) {
  Random random(4);
  for (const auto& [kind, name] : problems::kinds_of_sets()) {
    const problems::Vi vi = problems::planted_vi(kind, 4, 9, true);
    const vi::ConvexSet& K = vi.problem.K;
    if (!K.has_jacobian()) continue;
    const Index n = K.size();
    for (int k = 0; k < 20; ++k) {
      const VectorXd y = 2.0 * problems::entries(random, n, 1);
      MatrixXd D(n, n);
      K.jacobian(y, D);
      for (Index j = 0; j < n; ++j) {
        // No kink within 1e-7 of 20 random points; curvature below 10, so errors of 1e-6 and of eps / 1e-7.
        const double h = 1e-7;
        VectorXd moved = y;
        moved[j] += h;
        EXPECT_LE(((project(K, moved) - project(K, y)) / h - D.col(j)).norm(), 1e-5) << name << " " << k << " " << j;
      }
    }
  }
}

TEST(ConvexSet, SupportFunctions) {
  VectorXd y(2);
  const vi::ConvexSet box = vi::Box{VectorXd{{-1, 0}}, VectorXd{{2, infinity}}};
  EXPECT_EQ(box.support(VectorXd{{1, -1}}, y), 2.0);
  EXPECT_EQ(y, (VectorXd{{2, 0}}));
  EXPECT_EQ(box.support(VectorXd{{0, 1}}, y), infinity);
  const vi::ConvexSet ball = vi::Ball{VectorXd{{1, 0}}, 5.0};
  EXPECT_DOUBLE_EQ(ball.support(VectorXd{{3, 4}}, y), 3.0 + 25.0);
  EXPECT_LE((y - VectorXd{{4, 4}}).norm(), 1e-14);
  const vi::ConvexSet triangle = vi::Polyhedron{MatrixXd{{-1, 0}, {0, -1}, {1, 1}}, VectorXd{{0, 0, 1}}};
  EXPECT_NEAR(triangle.support(VectorXd{{1, 2}}, y), 2.0, 1e-9);  // the program's tolerance is 1e-10 of 2
  EXPECT_LE((y - VectorXd{{0, 1}}).norm(), 1e-9);
  EXPECT_NEAR(triangle.support(VectorXd{{-1, -2}}, y), 0.0, 1e-9);
  EXPECT_NEAR(vi::ConvexSet(vi::HalfSpace{VectorXd{{3, 4}}, 10.0}).support(VectorXd{{6, 8}}, y), 20.0, 1e-14);
  EXPECT_EQ(vi::ConvexSet(vi::HalfSpace{VectorXd{{3, 4}}, 10.0}).support(VectorXd{{6, 7}}, y), infinity);
  const vi::ConvexSet orthant = vi::Polyhedron{MatrixXd{{-1, 0}, {0, -1}}, VectorXd{{0, 0}}};
  EXPECT_EQ(orthant.support(VectorXd{{1, 0}}, y), infinity);
}

TEST(ConvexSet, RefusesWhatIsNone) {
  expect_refused([] { vi::ConvexSet(vi::Box{}); }, "vi::Box::lower");
  expect_refused([] { vi::ConvexSet(vi::Box{VectorXd{{0}}, VectorXd{{0, 1}}}); }, "vi::Box::upper");
  expect_refused([] { vi::ConvexSet(vi::Box{VectorXd{{2}}, VectorXd{{1}}}); }, "vi::Box::lower");
  expect_refused([] { vi::ConvexSet(vi::Ball{VectorXd{{0}}, -1.0}); }, "vi::Ball::radius");
  expect_refused([] { vi::ConvexSet(vi::Ball{VectorXd{{std::nan("")}}, 1.0}); }, "vi::Ball::center");
  expect_refused([] { vi::ConvexSet(vi::HalfSpace{VectorXd{{0, 0}}, 1.0}); }, "vi::HalfSpace::a");
  expect_refused([] { vi::ConvexSet(vi::HalfSpace{VectorXd{{1, 0}}, infinity}); }, "vi::HalfSpace::b");
  expect_refused([] { vi::ConvexSet(vi::Polyhedron{}); }, "vi::Polyhedron");
  expect_refused([] { vi::ConvexSet(vi::Polyhedron{MatrixXd{{1}}, VectorXd{{1, 2}}}); }, "vi::Polyhedron::b");
  expect_refused(
      [] {
        vi::ConvexSet(vi::Polyhedron{MatrixXd{{1}}, VectorXd{{1}}, MatrixXd{{1, 2}}, VectorXd{{1}}});
      },
      "vi::Polyhedron::C");
  expect_refused([] { vi::ConvexSet(vi::Polyhedron{MatrixXd{{std::nan("")}}, VectorXd{{1}}}); }, "vi::Polyhedron::A");
  expect_refused([] { static_cast<void>(vi::ConvexSet(ProductSet{})); }, "vi::ConvexSet: blocks");
  expect_refused([] { vi::ConvexSet(vi::Product{}); }, "vi::Product::parts");
  const vi::ConvexSet one = vi::Ball{VectorXd{{0}}, 1.0}, two = vi::Ball{VectorXd{{0, 0}}, 1.0};
  expect_refused([&] { vi::ConvexSet(vi::Intersection{{one, two}}); }, "vi::Intersection::parts");
  expect_refused([&] { vi::ConvexSet(vi::Intersection{{one}, 0.0}); }, "vi::Intersection::tolerance");
  expect_refused([&] { vi::ConvexSet(vi::Intersection{{one}, 0.1, 0}); }, "vi::Intersection::max_cycles");
  expect_refused([] { vi::ConvexSet(vi::UserSet{.size = 2, .project = {}}); }, "vi::UserSet::project");
  expect_refused([] { vi::ConvexSet(vi::UserSet{.project = [](ConstVectorRef, VectorRef) {}}); }, "vi::UserSet::size");
  const auto nothing = [](ConstVectorRef, VectorRef) {};
  for (const double accuracy : {0.0, 0.02, std::nan("")}) {
    expect_refused([&] { vi::ConvexSet(vi::UserSet{.size = 2, .project = nothing, .accuracy = accuracy}); },
                   "vi::UserSet::accuracy");
  }
  expect_refused([] { vi::ConvexSet(vi::Shifted{{}, VectorXd{{1}}}); }, "vi::Shifted::K");
  expect_refused([&] { vi::ConvexSet(vi::Shifted{two, VectorXd{{1}}}); }, "vi::Shifted::by");
  expect_refused([&] { vi::ConvexSet(vi::Shifted{two, VectorXd{{1, infinity}}}); }, "vi::Shifted::by");
  VectorXd x(2);
  expect_refused([&] { static_cast<void>(one.project(x, x)); }, "vi::ConvexSet::project: y");
  MatrixXd D(2, 2);
  const vi::ConvexSet user =
      vi::UserSet{.size = 2, .project = [](ConstVectorRef, VectorRef z) { z[0] = std::nan(""); }};
  expect_refused([&] { user.jacobian(x, D); }, "vi::ConvexSet::jacobian");
  expect_refused([&] { static_cast<void>(user.support(x, x)); }, "vi::ConvexSet::support");
  expect_refused([&] { static_cast<void>(user.project(VectorXd::Zero(2), x)); }, "vi::UserSet::project");
}

}  // namespace
}  // namespace nonsmooth::convex_set_test
