// SPDX-License-Identifier: Apache-2.0
// Differential variational inequalities and sweeping by convex sets, by steps, against closed forms.
#include <cmath>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include <nonsmooth/kernel/time_stepping.hpp>
#include <nonsmooth/numerics/analysis/graph_distance.hpp>

namespace nonsmooth::differential_variational_inequalities_test {
namespace {

using Dvi = DifferentialVariationalInequality;

constexpr double kEps = std::numeric_limits<double>::epsilon();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

vi::ConvexSet half_line() { return vi::Box{Eigen::VectorXd::Zero(1), Eigen::VectorXd::Constant(1, kInfinity)}; }

struct Stepped {
  NonSmoothDynamicalSystem model;
  SystemHandle system;
  TimeStepping steps;

  template <class System>
  Stepped(System description, double h)
      : model(), system(model.add(std::move(description))), steps(model, {.step = h}) {}
  [[nodiscard]] Eigen::VectorXd x() const { return steps.state().x(system); }
  /// Steps to T, each certified: of what is no projection, 1e-10 or rounding.
  Eigen::VectorXd to(double T) {
    const RunReport report = steps.advance_to(T, [](const State&, const StepReport& step) {
      EXPECT_TRUE(step.rows == 0 || step.at_round_off || step.certificate.residual <= 1e-10) << step.t;
    });
    EXPECT_TRUE(report) << report.message();
    return x();
  }
};

template <class System>
std::string refusal(System description) {
  try {
    NonSmoothDynamicalSystem model;
    static_cast<void>(model.add(std::move(description)));
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "not refused";
}
void expect_in(const std::string& text, std::initializer_list<const char*> parts) {
  for (const char* part : parts) EXPECT_NE(text.find(part), std::string::npos) << part << " in: " << text;
}

// Sweeping.

TEST(SweepingByASet, HalfLineAndDrift) {
  // C(t) = [t, inf): max(x0, t). x' + 1 in -N_R+(x): max(x0 - t, 0). Both to the rounding of the grid and k additions.
  Stepped swept(SweepingProcess{.set =
                                    [](double t) {
                                      return vi::HalfSpace{Eigen::VectorXd::Constant(1, -1.0), -t};
                                    },
                                .x0 = {0.35}},
                0.1);
  Stepped drifting(
      SweepingProcess{.set = half_line(), .f = [](double, ConstVectorRef, VectorRef f) { f[0] = -1.0; }, .x0 = {0.35}},
      0.1);
  for (int k = 1; k <= 10; ++k) {
    EXPECT_NEAR(swept.to(0.1 * k)[0], std::max(0.35, 0.1 * k), 4.0 * kEps);
    EXPECT_NEAR(drifting.to(0.1 * k)[0], std::max(0.35 - 0.1 * k, 0.0), 20.0 * kEps);
  }
}

TEST(SweepingByASet, DiskDragsAPointWithOrderOne) {
  // As by a user's projection: tan(phi / 2) = tan(phi_0 / 2) e^t of the point's angle on the rim of a unit disk that
  // moves with speed 1. Error c h + O(h^2): halving h halves it to within 10 % at these h.
  const auto error = [](double h) {
    Stepped run(SweepingProcess{.set =
                                    [](double t) {
                                      return vi::Ball{Eigen::Vector2d(t, 0.0), 1.0};
                                    },
                                .x0 = {std::cos(2.0), std::sin(2.0)}},
                h);
    const double phi = 2.0 * std::atan(std::tan(1.0) * std::exp(1.0));
    return (run.to(1.0) - Eigen::Vector2d(1.0 + std::cos(phi), std::sin(phi))).norm();
  };
  const double coarse = error(0.01), fine = error(0.005);
  EXPECT_NEAR(coarse / fine, 2.0, 0.2);
  EXPECT_LT(fine, 0.01);
}

TEST(SweepingByASet, ProjectedSystemOnATriangleIsExactForAConstantField) {
  // x >= 0, y >= 0, x + y <= 1, field (1, 0) from (0.2, 0.1): meets the hypotenuse at t = 0.7 and slides with
  // (1/2, -1/2) to the vertex (1, 0) at t = 0.9, where it stays. P(x + h c) is exact through both events.
  Stepped run(SweepingProcess{.set = vi::Polyhedron{.A = Eigen::MatrixXd{{-1.0, 0.0}, {0.0, -1.0}, {1.0, 1.0}},
                                                    .b = Eigen::Vector3d(0.0, 0.0, 1.0)},
                              .f = [](double, ConstVectorRef, VectorRef f) { f << 1.0, 0.0; },
                              .x0 = {0.2, 0.1}},
              0.013);
  for (const double t : {0.5, 0.8, 1.1}) {
    const Eigen::Vector2d exact = t < 0.7   ? Eigen::Vector2d(0.2 + t, 0.1)
                                  : t < 0.9 ? Eigen::Vector2d(0.9 + 0.5 * (t - 0.7), 0.1 - 0.5 * (t - 0.7))
                                            : Eigen::Vector2d(1.0, 0.0);
    EXPECT_NEAR((run.to(t) - exact).norm(), 0.0, 200.0 * kEps);  // 85 additions, a projection each
  }
}

TEST(SweepingByASet, StiffFieldsAreImplicit) {
  // -(x' + 1000 (x - 2)) in N_[0,1](x) from x0 = 0: explicit steps of h = 0.01 would jump about; the implicit one is
  // min(1, 2 - 2 / 11) = 1 at once. Towards 1/2: x_k = 1/2 - 1/2 / 11^k, to the certificate's 1e-10.
  const auto towards = [](double target) {
    return SweepingProcess{.set = vi::Box{Eigen::VectorXd::Zero(1), Eigen::VectorXd::Ones(1)},
                           .f = [target](double, ConstVectorRef x, VectorRef f) { f[0] = -1000.0 * (x[0] - target); },
                           .x0 = {0.0},
                           .theta = 1.0};
  };
  Stepped outside(towards(2.0), 0.01), inside(towards(0.5), 0.01);
  EXPECT_NEAR(outside.to(0.05)[0], 1.0, 1e-8);
  EXPECT_NEAR(inside.to(0.02)[0], 0.5 - 0.5 / 121.0, 1e-7);  // df/dx by differences
}

TEST(SweepingByASet, ASetThatJumpsConvergesInItsGraph) {
  // C(t) = [0, inf), from t = 0.503 on [1, inf): x jumps there, the scheme within a step later. The largest
  // difference is the jump; the graphs are no farther apart than h.
  const auto graph = [](double h) {
    Stepped run(SweepingProcess{.set =
                                    [](double t) {
                                      return vi::HalfSpace{Eigen::VectorXd::Constant(1, -1.0), t < 0.503 ? 0.0 : -1.0};
                                    },
                                .x0 = {0.0}},
                h);
    const auto steps = static_cast<Index>(std::lround(1.0 / h));
    Eigen::VectorXd t = Eigen::VectorXd::LinSpaced(steps + 1, 0.0, 1.0);
    Eigen::MatrixXd x = Eigen::MatrixXd::Zero(1, steps + 1);
    for (Index k = 1; k <= steps; ++k) x(0, k) = run.to(t[k])[0];
    return analysis::step_function(t, x, analysis::Hold::After);
  };
  const analysis::FilledGraph exact{.t = Eigen::Vector4d(0.0, 0.503, 0.503, 1.0),
                                    .x = Eigen::MatrixXd{{0.0, 0.0, 1.0, 1.0}}};
  for (const double h : {0.1, 0.02}) {
    const auto found = graph(h);
    EXPECT_NEAR(analysis::sup_distance(found, exact), 1.0, 10.0 * kEps);
    EXPECT_LE(analysis::hausdorff_distance(found, exact), h);
    EXPECT_LE(analysis::l1_distance(found, exact), h);
  }
}

TEST(SweepingByASet, EmptySetsAreToldWithTheInstantAndTheProof) {
  // {t <= x <= 1 - t} is empty after t = 1/2; two disks that part: the same by Dykstra's projection.
  Stepped strip(
      SweepingProcess{
          .set =
              [](double t) {
                return vi::Polyhedron{.A = Eigen::MatrixXd{{-1.0}, {1.0}}, .b = Eigen::Vector2d(-t, 1.0 - t)};
              },
          .x0 = {0.2},
          .name = "strip"},
      0.1);
  const RunReport report = strip.steps.advance_to(1.0);
  EXPECT_EQ(report.outcome, RunReport::Outcome::StepFailed);
  EXPECT_EQ(report.last.outcome, StepReport::Outcome::SolverFailed);
  EXPECT_EQ(report.last.solver, Status::Infeasible);
  EXPECT_NEAR(report.t, 0.5, 4.0 * kEps);
  expect_in(report.message(), {"C(t) of strip", "no point at t = 0.6", "proved by", "in row 0", "in row 1"});

  Stepped disks(SweepingProcess{.set =
                                    [](double t) {
                                      return vi::Intersection{{vi::Ball{Eigen::Vector2d(t, 0.0), 1.0},
                                                               vi::Ball{Eigen::Vector2d(-t, 0.0), 1.0}}};
                                    },
                                .x0 = {0.0, 0.5},
                                .name = "lens"},
                0.4);
  const RunReport apart = disks.steps.advance_to(2.0);
  EXPECT_EQ(apart.last.solver, Status::Infeasible);
  EXPECT_NEAR(apart.t, 0.8, 4.0 * kEps);
  EXPECT_NEAR(disks.x()[1], 0.5, 0.1);  // within the lens of half height 0.6
  expect_in(apart.message(), {"C(t) of lens", "no point at t = 1.2"});
}

TEST(SweepingByASet, Refusals) {
  const auto halve = [](double, VectorRef x) { x *= 0.5; };
  Stepped run(SweepingProcess{.project = halve, .x0 = {1.0}, .name = "wall"}, 0.1);
  const RunReport report = run.steps.advance_to(1.0);
  EXPECT_EQ(report.outcome, RunReport::Outcome::CallableFailed);
  expect_in(report.message(), {"project(t, x) of wall is no projection"});
  expect_in(refusal(SweepingProcess{.project = halve, .set = half_line(), .x0 = {1.0}}), {"beside a set"});
  expect_in(refusal(SweepingProcess{.set = half_line(), .x0 = {1.0, 2.0}}), {"SweepingProcess::set", "1 rows", "2"});
  expect_in(refusal(SweepingProcess{.set = half_line(), .x0 = {1.0}, .theta = 2.0}), {"theta", "2"});
}

// Differential variational inequalities.

/// l' = g - 1 + u, 0 <= l ⟂ u >= 0, u the idle capacity of a server of capacity 1.
Dvi queue() {
  return {.f = [](double t, ConstVectorRef, VectorRef f) { f[0] = (t < 0.995 ? 2.0 : 0.0) - 1.0; },
          .B = [](double, ConstVectorRef, MatrixRef B) { B(0, 0) = 1.0; },
          .G = [](double, ConstVectorRef x, ConstVectorRef, VectorRef G) { G = x; },
          .K = half_line(),
          .x0 = {0.0},
          .name = "queue"};
}

TEST(DifferentialVariationalInequality, AQueueFillsAndDrains) {
  // g = 2 on [0, 1), then 0: l = t, 2 - t, 0; served r = 1 - u = 1, 1, 0. Exact on the grid but for 300 roundings.
  Stepped run(queue(), 0.01);
  for (const double t : {0.5, 1.0, 1.5, 2.0, 3.0}) {
    const Eigen::VectorXd x = run.to(t);
    EXPECT_NEAR(x[0], t <= 1.0 ? t : std::max(2.0 - t, 0.0), 300.0 * kEps);
    if (t != 2.0) {
      EXPECT_NEAR(1.0 - x[1], t < 2.0 ? 1.0 : 0.0, 300.0 * kEps / 0.01);
    }
  }
  const Dvi system = queue();
  const DviIndex index = index_of(system, 0.0, Eigen::VectorXd::Zero(1), Eigen::VectorXd::Zero(1));
  EXPECT_EQ(index.index, 1) << index.reason;
  EXPECT_TRUE(index.symmetric);
}

TEST(DifferentialVariationalInequality, ANetworkOfQueues) {
  // Five queues as above, of which all are sent on to a sixth of capacity 4: 1 - P^T is a P-matrix, but not definite.
  // The sixth grows at 5 - 4 until the others are empty at t = 2, and drains 2 at rate 4.
  Eigen::MatrixXd on = Eigen::MatrixXd::Identity(6, 6);
  on.row(5).head(5).setConstant(-1.0);
  const Eigen::VectorXd capacities = (Eigen::VectorXd(6) << 1.0, 1.0, 1.0, 1.0, 1.0, 4.0).finished();
  const Dvi system{.f =
                       [=](double t, ConstVectorRef, VectorRef f) {
                         f.head(5).setConstant(t < 0.995 ? 2.0 : 0.0);
                         f -= on * capacities;
                       },
                   .B = [=](double, ConstVectorRef, MatrixRef B) { B = on; },
                   .G = [](double, ConstVectorRef x, ConstVectorRef, VectorRef G) { G = x; },
                   .K = vi::Box{Eigen::VectorXd::Zero(6), Eigen::VectorXd::Constant(6, kInfinity)},
                   .x0 = Eigen::VectorXd::Zero(6)};
  const DviIndex index = index_of(system, 0.0, system.x0.value(), Eigen::VectorXd::Zero(6));
  EXPECT_EQ(index.index, 1);
  expect_in(index.reason, {"P-matrix"});
  Stepped run(system, 0.01);
  // The certificate leaves 1e-10 of G, at most h, a step: 300 of them.
  for (const double t : {0.5, 1.5, 2.25, 3.0}) {
    const Eigen::VectorXd x = run.to(t);
    const double fed = t <= 1.0 ? t : std::max(2.0 - t, 0.0),
                 last = t <= 2.0 ? t : std::max(2.0 - 4.0 * (t - 2.0), 0.0);
    for (Index i = 0; i < 5; ++i) EXPECT_NEAR(x[i], fed, 3e-10);
    EXPECT_NEAR(x[5], last, 3e-10);
  }
}

/// x' = u, u in SOL(unit disk, x + slope u), from the direction (0.6, 0.8) at a distance.
Dvi towards_the_centre(double slope, double distance, double theta) {
  return {.B = [](double, ConstVectorRef, MatrixRef B) { B.setIdentity(); },
          .G = [slope](double, ConstVectorRef x, ConstVectorRef u, VectorRef G) { G = x + slope * u; },
          .K = vi::Ball{Eigen::Vector2d::Zero(), 1.0},
          .x0 = {0.6 * distance, 0.8 * distance},
          .theta = theta};
}

TEST(DifferentialVariationalInequality, OfIndexZeroOnABall) {
  // u = -P_ball(x): |x| = 2 - t down to 1 at t = 1, then e^{1-t}. Order 1, explicit and implicit.
  for (const double theta : {0.0, 1.0}) {
    const auto error = [&](double h) {
      Stepped run(towards_the_centre(1.0, 2.0, theta), h);
      const Eigen::VectorXd x = run.to(2.0);
      EXPECT_NEAR(x[0] * 0.8, x[1] * 0.6, 1e-8);  // stays on its ray
      return std::abs(x.head(2).norm() - std::exp(-1.0));
    };
    EXPECT_NEAR(error(0.02) / error(0.01), 2.0, 0.1);
  }
}

TEST(DifferentialVariationalInequality, OfIndexOneOnABall) {
  // u = -x / |x| until |x| = 1 - t is 0, then 0: implicit steps are exact. G is solved to 1e-10 of its size, at most 1.
  Stepped run(towards_the_centre(0.0, 1.0, 1.0), 0.03);
  EXPECT_NEAR(run.to(0.6).head(2).norm(), 0.4, 1e-8);
  EXPECT_NEAR(run.to(1.5).head(2).norm(), 0.0, 1e-8);
}

TEST(DifferentialVariationalInequality, OfIndexOneOnALens) {
  // K: what unit disks around (s - 1, 0) and (1 - s, 0) have in common, of the height c = sqrt(2 s - s^2). u is its
  // lower corner (0, -c) while -x is in the normal cone there, x_2 > |x_1| c / (1 - s): exact steps.
  for (const double s : {1e-3, 5e-7}) {
    const double c = std::sqrt(2.0 * s - s * s);
    Dvi dvi = towards_the_centre(0.0, 1.0, 1.0);
    dvi.K =
        vi::Intersection{{vi::Ball{Eigen::Vector2d(s - 1.0, 0.0), 1.0}, vi::Ball{Eigen::Vector2d(1.0 - s, 0.0), 1.0}}};
    Stepped run(dvi, 0.03);
    const Eigen::VectorXd x = run.to(0.6);
    EXPECT_NEAR(x[0], 0.6, 1e-8);
    EXPECT_NEAR(x[1], 0.8 - 0.6 * c, 1e-8);
    EXPECT_NEAR(x[3], -c, 1e-8);
  }
}

TEST(DifferentialVariationalInequality, OfIndexTwoIsAnImpact) {
  // q'' = -1 + u, 0 <= q ⟂ u >= 0 from q = 1/2: on the ground at t = 1, where it stays (no restitution): u = 1. Before,
  // implicit Euler has q = 1/2 - t (t + h) / 2.
  Dvi ball{.f = [](double, ConstVectorRef x, VectorRef f) { f << x[1], -1.0; },
           .B = [](double, ConstVectorRef, MatrixRef B) { B(1, 0) = 1.0; },
           .G = [](double, ConstVectorRef x, ConstVectorRef, VectorRef G) { G[0] = x[0]; },
           .K = half_line(),
           .f_dx = [](double, ConstVectorRef, MatrixRef J) { J(0, 1) = 1.0; },
           .G_dx = [](double, ConstVectorRef, ConstVectorRef, MatrixRef J) { J(0, 0) = 1.0; },
           .x0 = {0.5, 0.0}};
  EXPECT_EQ(index_of(ball, 0.0, Eigen::Vector2d(0.5, 0.0), Eigen::VectorXd::Zero(1)).index, 2);
  Stepped run(ball, 0.01);
  EXPECT_NEAR(run.to(0.9)[0], 0.5 - 0.9 * 0.91 / 2.0, 1e-13);
  const Eigen::VectorXd rest = run.to(1.5);
  EXPECT_NEAR(rest[0], 0.0, 1e-13);
  EXPECT_NEAR(rest[1], 0.0, 1e-11);
  EXPECT_NEAR(rest[2], 1.0, 1e-9);
  ball.theta = 0.0;
  expect_in(refusal(ball), {"theta", "index 2", "theta > 0"});
}

TEST(DifferentialVariationalInequality, OnAPolyhedron) {
  // The globally projected system x' = P_K(x) - x, u = P_K(x) by G = u - x, K the triangle u >= 0, u_1 + u_2 <= 1: from
  // (1, 1) on the diagonal to p = (1/2, 1/2), x = p + (x0 - p) e^-t; explicit Euler (1 - h)^k, exact.
  Stepped run(Dvi{.f = [](double, ConstVectorRef x, VectorRef f) { f = -x; },
                  .B = [](double, ConstVectorRef, MatrixRef B) { B.setIdentity(); },
                  .G = [](double, ConstVectorRef x, ConstVectorRef u, VectorRef G) { G = u - x; },
                  .K = vi::Polyhedron{.A = Eigen::MatrixXd{{-1.0, 0.0}, {0.0, -1.0}, {1.0, 1.0}},
                                      .b = Eigen::Vector3d(0.0, 0.0, 1.0)},
                  .x0 = {1.0, 1.0},
                  .theta = 0.0},
              0.1);
  const Eigen::VectorXd x = run.to(1.0);
  for (Index i = 0; i < 2; ++i) EXPECT_NEAR(x[i], 0.5 + 0.5 * std::pow(0.9, 10), 1e-9);
}

TEST(DifferentialVariationalInequality, LinearisedOfANonlinearG) {
  // x' = -1 + u, 0 <= G(x) = x + x^3 / 3 ⟂ u >= 0: max(x0 - t, 0). In the step from 0 <= x_k < h that meets 0 the
  // linearised G vanishes at 2/3 x_k^3 / (1 + x_k^2).
  const double h = 0.03;
  Dvi system{.f = [](double, ConstVectorRef, VectorRef f) { f[0] = -1.0; },
             .B = [](double, ConstVectorRef, MatrixRef B) { B(0, 0) = 1.0; },
             .G = [](double, ConstVectorRef x, ConstVectorRef, VectorRef G) { G[0] = x[0] + x[0] * x[0] * x[0] / 3.0; },
             .K = half_line(),
             .x0 = {0.5},
             .theta = 0.0,
             .linearised = true};
  Stepped linearised(system, h);
  system.linearised = false;
  Stepped whole(system, h);
  EXPECT_NEAR(linearised.to(0.3)[0], 0.2, 100.0 * kEps);
  EXPECT_NEAR(linearised.to(0.9)[0], 0.0, 2.0 / 3.0 * h * h * h);
  EXPECT_NEAR(whole.to(0.9)[0], 0.0, 1e-11);  // 1e-10 of G, at most h
}

TEST(DifferentialVariationalInequality, NonlinearInputsAndMovingSets) {
  // x' = u^3 with u in SOL([t, inf), u - 1): u = max(1, t): x = t up to 1, then 1 + (t^4 - 1) / 4; backward sums have
  // the error h / 2 (8 - 1) + O(h^2) at t = 2.
  Stepped run(Dvi{.b = [](double, ConstVectorRef, ConstVectorRef u, VectorRef b) { b[0] = u[0] * u[0] * u[0]; },
                  .G = [](double, ConstVectorRef, ConstVectorRef u, VectorRef G) { G[0] = u[0] - 1.0; },
                  .K =
                      [](double t) {
                        return vi::HalfSpace{Eigen::VectorXd::Constant(1, -1.0), -t};
                      },
                  .x0 = {0.0}},
              0.01);
  EXPECT_NEAR(run.to(1.0)[0], 1.0, 1e-8);
  EXPECT_NEAR(run.to(2.0)[0], 1.0 + 15.0 / 4.0 + 0.035, 1e-3);
}

TEST(DifferentialVariationalInequality, GoesOnFromAStateWithTheSameBits) {
  Stepped whole(towards_the_centre(1.0, 2.0, 1.0), 0.05), parts(towards_the_centre(1.0, 2.0, 1.0), 0.05);
  static_cast<void>(parts.to(0.5));
  const State middle = parts.steps.state();
  TimeStepping again(parts.model, {.step = 0.05});  // a workspace of its own
  again.set_state(middle);
  EXPECT_TRUE(again.advance_to(1.0));
  static_cast<void>(whole.to(1.0));
  EXPECT_EQ(again.state().x(parts.system), whole.x());
}

TEST(DifferentialVariationalInequality, VerdictsOnWhatHasNoIndex) {
  Dvi mixed = towards_the_centre(0.0, 1.0, 1.0);
  mixed.G = [](double, ConstVectorRef x, ConstVectorRef u, VectorRef G) { G << u[0], x[1]; };
  const DviIndex none = index_of(mixed, 0.0, mixed.x0.value(), Eigen::Vector2d::Zero());
  EXPECT_EQ(none.index, -1);
  expect_in(none.reason, {"neither zero nor definite", "D = dG/du", "0"});
  expect_in(refusal(mixed), {"neither zero nor definite", "needs_index"});
  mixed.needs_index = false;  // monotone all the same, and solved
  Stepped run(mixed, 0.1);
  EXPECT_NEAR(run.to(0.5)[1], 0.3, 1e-8);

  Dvi backwards = queue();
  backwards.B = [](double, ConstVectorRef, MatrixRef B) { B(0, 0) = -1.0; };
  expect_in(refusal(backwards), {"neither zero nor definite", "C B"});
  Dvi blind = queue();
  blind.G = [](double, ConstVectorRef, ConstVectorRef, VectorRef G) { G[0] = 1.0; };
  expect_in(refusal(blind), {"are zero", "index of 3 or more"});
  // A rotation beside the identity is definite, not symmetric: one x is not promised.
  Dvi turned = towards_the_centre(0.0, 1.0, 1.0);
  turned.G = [](double, ConstVectorRef x, ConstVectorRef, VectorRef G) { G << x[0] - x[1], x[0] + x[1]; };
  const DviIndex found = index_of(turned, 0.0, turned.x0.value(), Eigen::Vector2d::Zero());
  EXPECT_EQ(found.index, 1);
  EXPECT_FALSE(found.symmetric);
}

TEST(DifferentialVariationalInequality, AnIndexIsThatWithoutUnitsAndRounding) {
  const Eigen::Vector2d x(0.6, 0.8), u(1.0 / 3.0, 0.7);
  // C B = C on a ball, by differences and given.
  const auto with = [](const Eigen::Matrix2d& C, bool given) {
    Dvi system = towards_the_centre(0.0, 1.0, 1.0);
    system.G = [C](double, ConstVectorRef at, ConstVectorRef, VectorRef G) { G = C * at; };
    if (given) system.G_dx = [C](double, ConstVectorRef, ConstVectorRef, MatrixRef J) { J = C; };
    return system;
  };
  const Eigen::Matrix2d units = Eigen::Vector2d(1.0, 1e-9).asDiagonal();
  for (const bool given : {true, false}) EXPECT_EQ(index_of(with(units, given), 0.0, x, u).index, 1);
  // Least eigenvalue 1e-9 in any units: of what is given it is known, of differences not.
  const Eigen::Matrix2d close{{1.0, 1.0 - 1e-9}, {1.0 - 1e-9, 1.0}};
  EXPECT_EQ(index_of(with(close, true), 0.0, x, u).index, 1);
  EXPECT_EQ(index_of(with(close, false), 0.0, x, u).index, -1);
  // u that cancels leaves its rounding in D by differences; a D that is given is what it says.
  Dvi cancelling = towards_the_centre(0.0, 1.0, 1.0);
  cancelling.G = [](double, ConstVectorRef at, ConstVectorRef v, VectorRef G) { G = (at + v) - v; };
  EXPECT_EQ(index_of(cancelling, 0.0, x, u).index, 1);
  Dvi weak = towards_the_centre(1e-9, 1.0, 1.0);
  EXPECT_EQ(index_of(weak, 0.0, x, u).index, 1);
  weak.G_du = [](double, ConstVectorRef, ConstVectorRef, MatrixRef D) { D = 1e-9 * Eigen::Matrix2d::Identity(); };
  EXPECT_EQ(index_of(weak, 0.0, x, u).index, 0);
}

TEST(DifferentialVariationalInequality, Refusals) {
  Dvi system = queue();
  system.b = [](double, ConstVectorRef, ConstVectorRef, VectorRef) {};
  expect_in(refusal(system), {"::B", "beside b"});
  system = queue();
  system.G = nullptr;
  expect_in(refusal(system), {"::G", "no function"});
  system = queue();
  system.K = {};
  expect_in(refusal(system), {"::K", "no set"});
  system = queue();
  system.u0 = {0.0, 0.0};
  expect_in(refusal(system), {"::K", "1 rows", "2"});
  system = queue();
  system.linearised = true;
  expect_in(refusal(system), {"::linearised", "theta = 1"});
  system = queue();
  system.f = [](double, ConstVectorRef, VectorRef f) { f[0] = kInfinity; };
  expect_in(refusal(system), {"f(t, x)", "not finite"});
}

TEST(DifferentialVariationalInequality, EmptySetsAndFunctionsThatFailEndTheStep) {
  Dvi system = queue();
  system.K = [](double t) {
    return vi::Polyhedron{.A = Eigen::MatrixXd{{-1.0}, {1.0}}, .b = Eigen::Vector2d(-t, 1.0 - t)};
  };
  Stepped run(system, 0.2);
  const RunReport empty = run.steps.advance_to(1.0);
  EXPECT_EQ(empty.last.outcome, StepReport::Outcome::SolverFailed);
  EXPECT_EQ(empty.last.solver, Status::Infeasible);
  EXPECT_NEAR(empty.t, 0.4, 4.0 * kEps);
  expect_in(empty.message(), {"K(t) of queue", "no point at t = 0.6", "proved by"});

  system = queue();
  system.f = [](double t, ConstVectorRef, VectorRef) {
    if (t > 0.25) throw std::runtime_error("no data");
  };
  Stepped thrown(system, 0.1);
  const RunReport report = thrown.steps.advance_to(1.0);
  EXPECT_EQ(report.outcome, RunReport::Outcome::CallableFailed);
  EXPECT_NEAR(report.t, 0.3, 4.0 * kEps);
  expect_in(report.message(), {"f(t, x) of queue threw", "no data"});
}

}  // namespace
}  // namespace nonsmooth::differential_variational_inequalities_test
