// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/friction/problem.hpp>
#include <nonsmooth/numerics/mixed.hpp>

#include <problems/mixed.hpp>

#include "../../../numerics/src/mixed/canonical.hpp"

namespace nonsmooth::sets_test {
namespace {

using problems::Block;

constexpr double eps = std::numeric_limits<double>::epsilon();
constexpr double pi = 3.14159265358979323846;

/// By each of the algorithms that take these sets, to a tight tolerance.
std::vector<mixed::Result> solve_by_all(const mixed::Problem& problem, bool singular = false) {
  std::vector<mixed::Result> results;
  constexpr double tolerance = 1e-12;
  results.push_back(mixed::solve(problem, mixed::Automatic{.tolerance = tolerance}));
  if (!singular) results.push_back(mixed::solve(problem, mixed::GaussSeidel{.tolerance = tolerance}));
  results.push_back(mixed::solve(problem, mixed::ProximalNewton{.tolerance = tolerance}));
  return results;
}

mixed::Problem one_block(const Eigen::MatrixXd& W, const Eigen::VectorXd& q, const BlockSet& set) {
  return problems::mixed_from_dense(W, q, {Block{set, q.size()}});
}

/// A sphere (disk) of mass m and radius R on a plane, axes (N, T1, T2), contact rows of every kind: v_N, the slip
/// (v_1 - R w_2, v_2 + R w_1), the angular velocities (w_1, w_2, w_N). Velocities are (v_N, v_1, v_2, w_1, w_2, w_N).
struct Sphere {
  static constexpr double m = 2.0, R = 0.1, J = 0.4 * m * R * R, load = 0.05;  // m g h [N s]
  Eigen::Matrix<double, 6, 6> H;
  Eigen::Matrix<double, 6, 1> inverse_mass;

  Sphere() {
    H.setZero();
    H(0, 0) = H(1, 1) = H(2, 2) = H(3, 3) = H(4, 4) = H(5, 5) = 1.0;
    H(1, 4) = -R;
    H(2, 3) = R;
    inverse_mass << 1.0 / m, 1.0 / m, 1.0 / m, 1.0 / J, 1.0 / J, 1.0 / J;
  }
  /// The contact with these rows of H, under the weight and an impulse p (forces, then moments).
  [[nodiscard]] mixed::Problem contact(const std::vector<Index>& rows, const BlockSet& set,
                                       const Eigen::Matrix<double, 6, 1>& p) const {
    Eigen::Matrix<double, 6, 1> impulse = p;
    impulse[0] -= load;
    const Eigen::MatrixXd full = H * inverse_mass.asDiagonal() * H.transpose();
    const Eigen::VectorXd q_full = H * inverse_mass.cwiseProduct(impulse);
    const auto n = static_cast<Index>(rows.size());
    Eigen::MatrixXd W(n, n);
    Eigen::VectorXd q(n);
    for (Index i = 0; i < n; ++i) {
      q[i] = q_full[rows[static_cast<std::size_t>(i)]];
      for (Index j = 0; j < n; ++j)
        W(i, j) = full(rows[static_cast<std::size_t>(i)], rows[static_cast<std::size_t>(j)]);
    }
    return one_block(W, q, set);
  }
};

constexpr double mu = 0.4, rolling = 0.003, spinning = 0.002;  // [-] [m] [m]
const BlockSet all_resistances{.kind = SetKind::Rolling, .mu = mu, .rolling = rolling, .spinning = spinning};

// Solvers stop at |e| <= 1e-12 |q|, and |q| <= 2 here; W^-1 of a contact has norm of order m (1, R and R^2 times the
// unit for moments): 1e-10 covers r and u of all rows.
constexpr double solved = 1e-10;

TEST(RollingFriction, BelowTheThresholdNothingMoves) {
  const Sphere sphere;
  const double torque = 0.9 * rolling * Sphere::load;
  Eigen::Matrix<double, 6, 1> p;
  p << 0.0, 0.0, 0.0, 0.6 * torque, 0.8 * torque, 0.9 * spinning * Sphere::load;
  for (const auto& result : solve_by_all(sphere.contact({0, 1, 2, 3, 4, 5}, all_resistances, p))) {
    ASSERT_TRUE(result.ok()) << result.message();
    EXPECT_LE(result.u.norm(), solved);
    Eigen::VectorXd expected(6);
    expected << Sphere::load, 0.0, 0.0, -p[3], -p[4], -p[5];
    EXPECT_LE((result.r - expected).norm(), solved);
  }
}

// Above it the moment M = rolling r_N opposes the rotation; without slip v_1 = R w_2, so that
// (J + m R^2) w_2 = torque - M and r_T1 = m R w_2, as long as that is below mu r_N.
TEST(RollingFriction, AboveTheThresholdASphereRolls) {
  const Sphere sphere;
  const double M = rolling * Sphere::load, torque = 3.0 * M;
  const double w = (torque - M) / (Sphere::J + Sphere::m * Sphere::R * Sphere::R);
  ASSERT_LT(Sphere::m * Sphere::R * w, mu * Sphere::load);
  Eigen::Matrix<double, 6, 1> p = Eigen::Matrix<double, 6, 1>::Zero();
  p[4] = torque;
  const auto check = [&](const mixed::Result& result, Index row) {
    ASSERT_TRUE(result.ok()) << result.message();
    EXPECT_NEAR(result.u[row], w, solved / Sphere::R);
    EXPECT_NEAR(result.u[1], 0.0, solved);
    EXPECT_NEAR(result.u[0], 0.0, solved);  // no dilation while it rolls
    EXPECT_NEAR(result.r[0], Sphere::load, solved);
    EXPECT_NEAR(result.r[1], Sphere::m * Sphere::R * w, solved);
    EXPECT_NEAR(result.r[row], -M, solved);
  };
  for (const auto& result : solve_by_all(sphere.contact({0, 1, 2, 3, 4, 5}, all_resistances, p))) check(result, 4);
  for (const auto& result : solve_by_all(sphere.contact({0, 1, 2, 3, 4}, all_resistances, p))) check(result, 4);
  for (const auto& result : solve_by_all(sphere.contact({0, 1, 4}, all_resistances, p))) check(result, 2);
}

// More torque still: it slips, r_T1 = mu r_N, and J w_2 = torque - M - R mu r_N.
TEST(RollingFriction, UnderMoreTorqueItSlipsAsWell) {
  const Sphere sphere;
  const double M = rolling * Sphere::load, limit = mu * Sphere::load, torque = 0.02;
  const double w = (torque - M - Sphere::R * limit) / Sphere::J, v = limit / Sphere::m;
  ASSERT_LT(v - Sphere::R * w, 0.0);
  Eigen::Matrix<double, 6, 1> p = Eigen::Matrix<double, 6, 1>::Zero();
  p[4] = torque;
  for (const auto& result : solve_by_all(sphere.contact({0, 1, 2, 3, 4, 5}, all_resistances, p))) {
    ASSERT_TRUE(result.ok()) << result.message();
    EXPECT_NEAR(result.u[1], v - Sphere::R * w, solved);
    EXPECT_NEAR(result.u[4], w, solved / Sphere::R);
    EXPECT_NEAR(result.u[0], 0.0, solved);
    EXPECT_NEAR(result.r[1], limit, solved);
    EXPECT_NEAR(result.r[4], -M, solved);
  }
}

// A moment about the normal: J w_N = p_N - spinning r_N above the threshold.
TEST(RollingFriction, SpinningResistanceIsItsOwnThreshold) {
  const Sphere sphere;
  const double limit = spinning * Sphere::load;
  for (const double moment : {0.5 * limit, 2.5 * limit}) {
    Eigen::Matrix<double, 6, 1> p = Eigen::Matrix<double, 6, 1>::Zero();
    p[5] = -moment;
    for (const std::vector<Index>& rows : {std::vector<Index>{0, 1, 2, 5}, std::vector<Index>{0, 1, 2, 3, 4, 5}})
      for (const auto& result : solve_by_all(sphere.contact(rows, all_resistances, p))) {
        ASSERT_TRUE(result.ok()) << result.message();
        const Index last = result.u.size() - 1;
        EXPECT_NEAR(result.u[last], -std::max(0.0, moment - limit) / Sphere::J, solved / Sphere::R);
        EXPECT_NEAR(result.r[last], std::min(moment, limit), solved);
      }
  }
}

// Without any rotational resistance the rows R and S carry nothing, and the rest is Coulomb's law.
TEST(RollingFriction, WithoutResistanceItIsCoulombsLaw) {
  const Sphere sphere;
  Eigen::Matrix<double, 6, 1> p;
  p << 0.0, 0.08, -0.05, 0.001, 0.002, 0.003;
  const auto coulomb = mixed::solve(sphere.contact({0, 1, 2}, {.kind = SetKind::Coulomb3D, .mu = mu}, p),
                                    mixed::Automatic{.tolerance = 1e-12});
  ASSERT_TRUE(coulomb.ok());
  for (const auto& result : solve_by_all(sphere.contact({0, 1, 2, 3, 4, 5}, {.kind = SetKind::Rolling, .mu = mu}, p))) {
    ASSERT_TRUE(result.ok()) << result.message();
    EXPECT_LE((result.r.head(3) - coulomb.r).norm(), solved);
    EXPECT_LE(result.r.tail(3).norm(), solved);
  }
}

// A point mass on an anisotropic plane: u_N = 0, r_N = m g h, and r_T is the point of the ellipse nearest to -q_T / W,
// here by the minimum over 10^6 angles of |q_T + r_T|^2 / 2 (W = 1), which is that good to the square of their step.
TEST(EllipticFriction, MaximisesTheDissipationOverTheEllipse) {
  for (const double mu_2 : {0.05, 0.2, 0.9})
    for (const double angle : {0.3, 1.2, 2.5}) {
      const double mu_1 = 0.4, r_N = 2.0;
      const Eigen::Vector3d q(-r_N, 3.0 * std::cos(angle), 3.0 * std::sin(angle));
      double least = std::numeric_limits<double>::infinity(), best = 0.0;
      for (int k = 0; k < 100'000; ++k) {
        const double t = 2.0 * pi * k / 100'000;
        const double value =
            0.5 * (std::pow(q[1] + mu_1 * r_N * std::cos(t), 2) + std::pow(q[2] + mu_2 * r_N * std::sin(t), 2));
        if (value < least) least = value, best = t;
      }
      const auto problem =
          one_block(Eigen::Matrix3d::Identity(), q, {.kind = SetKind::Coulomb3D, .mu = mu_1, .mu_2 = mu_2});
      for (const auto& result : solve_by_all(problem)) {
        ASSERT_TRUE(result.ok()) << result.message();
        EXPECT_NEAR(result.r[0], r_N, solved);
        EXPECT_NEAR(result.u[0], 0.0, solved);
        EXPECT_NEAR(result.r[1], mu_1 * r_N * std::cos(best), 1e-4);  // the step of the angles times mu r_N
        EXPECT_NEAR(result.r[2], mu_2 * r_N * std::sin(best), 1e-4);
        // -u_T in the normal cone of the ellipse: parallel to its gradient (r_1 / mu_1^2, r_2 / mu_2^2), outwards.
        const Eigen::Vector2d normal(result.r[1] / (mu_1 * mu_1), result.r[2] / (mu_2 * mu_2));
        const Eigen::Vector2d slip = -result.u.tail(2);
        EXPECT_NEAR(slip[0] * normal[1] - slip[1] * normal[0], 0.0, solved * normal.norm() * 10.0);
        EXPECT_GT(slip.dot(normal), 0.0);
      }
    }
}

// A mass pulled off a plane that holds it with up to c: u_N = 0 below, r_N = -c above.
TEST(Cohesion, PullsUpToItsLimit) {
  const double m = 2.0, c = 0.3;
  for (const auto& [kind, n] :
       {std::pair{SetKind::Coulomb2D, 2}, std::pair{SetKind::Coulomb3D, 3}, std::pair{SetKind::Rolling, 6}})
    for (const double pull : {0.1, 0.25, 0.5}) {
      BlockSet set{.kind = kind, .mu = 0.5, .cohesion = c};
      if (kind == SetKind::Rolling) set.rolling = 0.01, set.spinning = 0.02;
      const Eigen::VectorXd q = pull / m * Eigen::VectorXd::Unit(n, 0);
      for (const auto& result : solve_by_all(one_block(Eigen::MatrixXd::Identity(n, n) / m, q, set))) {
        ASSERT_TRUE(result.ok()) << result.message();
        EXPECT_NEAR(result.r[0], -std::min(pull, c), solved);
        EXPECT_NEAR(result.u[0], std::max(0.0, pull - c) / m, solved);
      }
    }
}

// Without a normal load it still carries a shear of mu c.
TEST(Cohesion, CarriesShearWithoutALoad) {
  const double m = 2.0, c = 0.3, friction = 0.5;
  for (const double shear : {0.1, 0.4}) {
    const auto problem =
        one_block(Eigen::Matrix3d::Identity() / m, Eigen::Vector3d(0.0, 0.6 * shear / m, 0.8 * shear / m),
                  {.kind = SetKind::Coulomb3D, .mu = friction, .cohesion = c});
    for (const auto& result : solve_by_all(problem)) {
      ASSERT_TRUE(result.ok()) << result.message();
      const double held = std::min(shear, friction * c);
      EXPECT_NEAR(result.r[1], -0.6 * held, solved);
      EXPECT_NEAR(result.r[2], -0.8 * held, solved);
      EXPECT_NEAR(result.r[0], 0.0, solved);
    }
  }
}

/// A (r, u) that satisfies the law of a friction block, by mode: apart, stuck, or every group sliding or stuck as
/// drawn.
void plant_friction(const Block& block, std::mt19937_64& random, Eigen::Ref<Eigen::VectorXd> r,
                    Eigen::Ref<Eigen::VectorXd> u) {
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> positive(0.1, 1.0);
  std::uniform_int_distribution<int> mode(0, 3);
  const BlockSet& set = block.set;
  const Index n = block.size;
  const int which = mode(random);
  for (Index i = 0; i < n; ++i) r[i] = u[i] = normal(random);
  if (which == 0) {
    r.setZero();
    r[0] = -set.cohesion;
    u[0] = positive(random);
    return;
  }
  // In canonical units (bound = 1 after division): a direction d per group, r_G = D d, u_G = -s D^-1 d.
  const double axial = positive(random);
  r[0] = axial - set.cohesion;
  u[0] = 0.0;
  struct Group {
    Index first, size;
    double bound[2];
  };
  std::vector<Group> groups = {{1, n == 2 || (n == 3 && set.kind == SetKind::Rolling) ? 1 : 2, {set.mu, set.mu}}};
  if (set.kind == SetKind::Coulomb3D && set.mu_2 >= 0.0) groups[0].bound[1] = set.mu_2;
  if (set.kind == SetKind::Rolling) {
    if (n != 4) groups.push_back({n == 3 ? 2 : 3, n == 3 ? 1 : 2, {set.rolling, set.rolling}});
    if (n == 4 || n == 6) groups.push_back({n - 1, 1, {set.spinning, set.spinning}});
  }
  for (const Group& group : groups) {
    Eigen::VectorXd d = r.segment(group.first, group.size);
    d.normalize();
    const bool slides = mode(random) < 2;
    const double part = slides ? 1.0 : 0.8 * positive(random), slip = slides ? positive(random) : 0.0;
    for (Index i = 0; i < group.size; ++i) {
      r[group.first + i] = part * group.bound[i] * axial * d[i];
      u[group.first + i] = -slip * d[i] / group.bound[i];
    }
  }
}

std::vector<Block> blocks_of_every_law() {
  const auto block = [](SetKind kind, Index n, double mu_2, double roll, double spin, double cohesion) {
    return Block{{.kind = kind, .mu = 0.3, .mu_2 = mu_2, .rolling = roll, .spinning = spin, .cohesion = cohesion}, n};
  };
  return {block(SetKind::Coulomb2D, 2, -1.0, 0.0, 0.0, 0.2),
          block(SetKind::Coulomb3D, 3, 0.1, 0.0, 0.0, 0.0),
          block(SetKind::Coulomb3D, 3, 0.5, 0.0, 0.0, 0.4),
          block(SetKind::Rolling, 3, -1.0, 0.1, 0.0, 0.0),
          block(SetKind::Rolling, 4, -1.0, 0.0, 0.2, 0.1),
          block(SetKind::Rolling, 5, -1.0, 0.6, 0.0, 0.0),
          block(SetKind::Rolling, 6, -1.0, 0.2, 0.1, 0.3),
          {{.kind = SetKind::Orthant}, 2},
          {{.kind = SetKind::Free}, 2}};
}

struct Planted {
  mixed::Problem problem;
  Eigen::VectorXd r, u;
};

Planted planted(std::uint64_t seed, bool singular) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  const auto blocks = blocks_of_every_law();
  Index n = 0;
  for (const Block& block : blocks) n += block.size;
  const Index columns = singular ? n / 2 : 2 * n;
  Eigen::MatrixXd G(n, columns);
  for (double& entry : G.reshaped()) entry = normal(random) / std::sqrt(static_cast<double>(columns));
  const Eigen::MatrixXd W = G * G.transpose();
  Planted result{{}, Eigen::VectorXd::Zero(n), Eigen::VectorXd::Zero(n)};
  Index offset = 0;
  for (const Block& block : blocks) {
    auto r = result.r.segment(offset, block.size);
    auto u = result.u.segment(offset, block.size);
    if (block.set.kind == SetKind::Orthant || block.set.kind == SetKind::Free)
      problems::plant(block, random, r, u);
    else
      plant_friction(block, random, r, u);
    offset += block.size;
  }
  result.problem = problems::mixed_from_dense(W, result.u - W * result.r, blocks);
  return result;
}

/// The law in the problem's own units, block by block.
double law_error(const mixed::Problem& problem, const mixed::Result& result) {
  Eigen::VectorXd u = problem.q, e(u.size());
  problem.W.multiply_add(result.r, problem.q, u);
  for (Index b = 0; b < problem.K.num_blocks(); ++b) {
    const Index o = problem.K.offset(b), n = problem.K.size(b);
    natural_error(problem.K[b], 1.0, result.r.segment(o, n), u.segment(o, n), e.segment(o, n));
  }
  return e.cwiseAbs().maxCoeff();
}

TEST(FrictionSetsTogether, PlantedSolutionsAreCertified) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Planted plan = planted(seed, false);
    Eigen::VectorXd u(plan.r.size());
    // u = W r + q recovers the planted one up to the round-off of the sums, as the certificate bounds it.
    const Certificate certificate = mixed::certify(plan.problem, plan.r, u);
    EXPECT_LE(certificate.error, certificate.round_off);
    EXPECT_LE((u - plan.u).cwiseAbs().maxCoeff(), 10.0 * certificate.round_off);  // D^-1 is at most 3
    const auto figures = mixed::friction_figures(plan.problem, plan.r, plan.u);
    // Reactions, velocities are of order 1, some ten operations each, scaled by 3 at most.
    EXPECT_LE(figures.cone_violation, 32.0 * eps);
    EXPECT_LE(figures.complementarity, 128.0 * eps);
    EXPECT_LE(figures.natural_map, 256.0 * eps);
    EXPECT_LE(figures.penetration, 0.0);
  }
}

TEST(FrictionSetsTogether, EveryLawIsSolvedInItsOwnUnits) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed)
    for (const bool singular : {false, true}) {
      const Planted plan = planted(seed, singular);
      int which = 0;
      for (const auto& result : solve_by_all(plan.problem, singular)) {
        EXPECT_TRUE(result.ok()) << "seed " << seed << (singular ? " singular " : " ") << which << ' '
                                 << result.message();
        // |e| <= 1e-12 max|q| with rho = 1 / W there and 1 here, in units that differ by up to 3: a factor of 1e3.
        if (result.ok()) {
          EXPECT_LE(law_error(plan.problem, result), 1e-9);
        }
        ++which;
      }
    }
}

TEST(FrictionSetsTogether, TheOtherAlgorithmsTakeThemToo) {
  const Planted plan = planted(3, false);
  const auto newton = mixed::solve(plan.problem, mixed::NaturalNewton{.tolerance = 1e-12, .start = plan.r});
  EXPECT_TRUE(newton.ok()) << newton.message();
  EXPECT_LE(law_error(plan.problem, newton), 1e-9);
  const auto admm = mixed::solve(plan.problem, mixed::Admm{.tolerance = 1e-8});
  EXPECT_TRUE(admm.ok()) << admm.message();
  EXPECT_LE(law_error(plan.problem, admm), 1e-5);
  const auto projection =
      mixed::solve(plan.problem, mixed::GaussSeidel{.tolerance = 1e-6, .local = mixed::GaussSeidel::Local::Projection});
  EXPECT_TRUE(projection.ok()) << projection.message();
  const auto by_name = mixed::find("automatic").solver.solve(plan.problem, {.tolerance = 1e-10});
  EXPECT_TRUE(by_name.ok()) << by_name.message();
  EXPECT_LE(law_error(plan.problem, by_name), 1e-7);
}

TEST(FrictionSetsTogether, AStartInTheProblemsUnitsIsASolution) {
  const Planted plan = planted(5, false);
  const auto result = mixed::solve(plan.problem, mixed::ProximalNewton{.tolerance = 1e-12, .start = plan.r});
  EXPECT_TRUE(result.ok());
  EXPECT_EQ(result.iterations, 0);
  mixed::GaussSeidelWorkspace workspace;
  mixed::Result warm;
  warm.r = plan.r;
  workspace.solve(plan.problem, {.tolerance = 1e-12}, warm);
  EXPECT_TRUE(warm.ok());
  EXPECT_EQ(warm.iterations, 0);
}

TEST(FrictionSetsTogether, AWorkspaceTakesTheSameMatrixWithAnotherQ) {
  Planted plan = planted(6, false);
  mixed::Workspace workspace;
  mixed::Result result;
  workspace.solve(plan.problem, {.tolerance = 1e-10}, false, result);
  ASSERT_TRUE(result.ok()) << result.message();
  plan.problem.q = 1.01 * plan.problem.q;
  workspace.solve(plan.problem, {.tolerance = 1e-10}, true, result);
  EXPECT_TRUE(result.ok()) << result.message();
  EXPECT_LE(law_error(plan.problem, result), 1e-7);
}

TEST(CanonicalForm, GoesThereAndBack) {
  const Planted plan = planted(7, false);
  ASSERT_FALSE(plan.problem.K.is_canonical());
  const mixed::internal::CanonicalForm form(plan.problem);
  EXPECT_TRUE(form.problem().K.is_canonical());
  Eigen::VectorXd r = plan.r, u = plan.u, y = plan.u;
  form.scaling().to_canonical(r);
  form.scaling().velocity_to_canonical(u);
  // u' = W' r' + q', and the law of the canonical sets.
  Eigen::VectorXd product(r.size());
  form.problem().W.multiply_add(r, form.problem().q, product);
  EXPECT_LE((product - u).cwiseAbs().maxCoeff(), 1e3 * eps);  // sums of 30 terms of order 10
  form.scaling().from_canonical(r);
  form.scaling().velocity_from_canonical(u);
  EXPECT_LE((r - plan.r).cwiseAbs().maxCoeff(), 8.0 * eps);
  EXPECT_LE((u - plan.u).cwiseAbs().maxCoeff(), 8.0 * eps * plan.u.cwiseAbs().maxCoeff());
  // y·u = y'·u'.
  form.scaling().velocity_to_canonical(u);
  const double there = y.dot(u);
  form.scaling().proof_from_canonical(y);
  EXPECT_NEAR(there, y.dot(plan.u), 64.0 * eps * y.norm() * plan.u.norm());
}

// Polygons of a rolling cone: the tangential rows lose 1 - cos(pi / k) at most, the one-row groups nothing.
TEST(CanonicalForm, PolygonsOfARollingConeLeadBack) {
  const Sphere sphere;
  const double M = rolling * Sphere::load;
  Eigen::Matrix<double, 6, 1> p = Eigen::Matrix<double, 6, 1>::Zero();
  p[4] = 3.0 * M;
  const auto problem = sphere.contact({0, 1, 4}, all_resistances, p);
  const auto faceted = mixed::polyhedral(problem);
  const auto result = mixed::solve(faceted.problem, mixed::Automatic{.tolerance = 1e-12});
  ASSERT_TRUE(result.ok()) << result.message();
  const Eigen::VectorXd r = faceted.recover(result.r);
  EXPECT_NEAR(r[2], -M, solved);
  EXPECT_NEAR(r[0], Sphere::load, solved);
  const auto held = one_block(Eigen::Matrix2d::Identity(), Eigen::Vector2d(0.1, 0.0),
                              {.kind = SetKind::Coulomb2D, .mu = 0.5, .cohesion = 0.3});
  const auto planar = mixed::polyhedral(held);
  const auto pulled = mixed::solve(planar.problem, mixed::Automatic{.tolerance = 1e-12});
  ASSERT_TRUE(pulled.ok()) << pulled.message();
  EXPECT_NEAR(planar.recover(pulled.r)[0], -0.1, solved);
}

TEST(FrictionFamily, KnowsItsSets) {
  const Planted plan = planted(1, false);
  EXPECT_TRUE(friction::supports(plan.problem.K));
  ProductSet K;
  K.push_back({.kind = SetKind::Coulomb3D, .mu = 0.5}, 3);
  EXPECT_TRUE(friction::supports(K));
  K.push_back({.kind = SetKind::SecondOrderCone, .mu = 0.5}, 3);
  EXPECT_FALSE(friction::supports(K));
}

}  // namespace
}  // namespace nonsmooth::sets_test
