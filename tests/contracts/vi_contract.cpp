// SPDX-License-Identifier: Apache-2.0
// What the VI solvers of the registry promise; a new one joins by its line in the registry.
#include <nonsmooth/numerics/relay.hpp>
#include <nonsmooth/numerics/vi.hpp>

#include "../problems/random_matrices.hpp"
#include "../problems/vi.hpp"
#include "registry_contract.hpp"

namespace nonsmooth::vi_contract_test {
namespace {

using namespace nonsmooth::contracts;
using problems::SetOf;

constexpr double infinite = std::numeric_limits<double>::infinity();

class ViContract : public testing::TestWithParam<std::string> {
 protected:
  const vi::Entry& entry() const { return vi::find(GetParam()); }
  bool takes(const vi::ConvexSet& K) const {
    switch (entry().takes) {
      case vi::Takes::Every:
        return true;
      case vi::Takes::WithJacobian:
        return K.has_jacobian();
      case vi::Takes::Polyhedra:
      case vi::Takes::AffineOnPolyhedra:
        return K.polyhedron().has_value();
    }
    return false;
  }
  bool affine() const { return entry().takes == vi::Takes::AffineOnPolyhedra; }
  std::string refused_set() const {
    if (affine()) return "vi::CaoFerris: problem.K";
    return entry().takes == vi::Takes::Polyhedra ? "vi::JosephyNewton: problem.K" : "vi::SemismoothNewton: problem.K";
  }
  /// A planted problem with an F that the entry takes.
  problems::Vi planted(SetOf kind, Index n, std::uint64_t seed, bool symmetric) const {
    return problems::planted_vi(kind, n, seed, symmetric, affine());
  }

  /// Solves; Solved and Infeasible must be true by independent arithmetic.
  vi::Result solve(const vi::Problem& problem, const Limits& limits = {.tolerance = tolerance}) const {
    vi::Result result = entry().solver.solve(problem, limits);
    expect_honest(
        result, [&] { return problems::independent_residual(problem, result.x); },
        [&] { return vi::proves_infeasible(problem, result.proof); });
    EXPECT_EQ(result.x.size(), problem.K.size());
    return result;
  }

  /// With |x - x*| <= (1 + rho L) / m |e|: m = 1/2; L below 10 (B B^T / n has norm below 4, the skew part below 4, atan
  /// 1, half of I); rho, the inverse of a secant slope, at most 1/m = 2; |e|_2 <= sqrt(36) |e|_inf: 252 |e|_inf.
  void expect_planted(SetOf kind, const std::string& name, Index n, std::uint64_t seed, bool symmetric) const {
    const problems::Vi vi = planted(kind, n, seed, symmetric);
    if (!takes(vi.problem.K)) {
      expect_refused([&] { return entry().solver.solve(vi.problem); }, refused_set());
      return;
    }
    const vi::Result result = solve(vi.problem);
    ASSERT_TRUE(result.ok()) << name << ", n = " << n << ": " << result.message();
    EXPECT_LE((result.x - vi.x).cwiseAbs().maxCoeff(), 252.0 * tolerance * result.certificate.scale) << name << n;
    Eigen::VectorXd w(result.x.size());
    vi.problem.F.value(result.x, w);
    EXPECT_EQ(result.w, w);
  }
};

class ViMonotone : public ViContract {};  // without a symmetric Jacobian

TEST_P(ViContract, PlantedOnEverySet) {
  for (const auto& [kind, name] : problems::kinds_of_sets())
    for (Index n = 1; n <= 12; n += n < 4 ? 1 : 4) expect_planted(kind, name, n, 10 + std::uint64_t(n), true);
}

TEST_P(ViMonotone, PlantedWithASkewPartOnEverySet) {
  for (const auto& [kind, name] : problems::kinds_of_sets())
    for (Index n = 2; n <= 12; n += n < 4 ? 1 : 4) expect_planted(kind, name, n, 50 + std::uint64_t(n), false);
}

TEST_P(ViMonotone, RotationOnABall) {
  const problems::Vi vi = problems::rotation_on_a_ball();
  if (!takes(vi.problem.K)) return;
  const vi::Result result = solve(vi.problem);
  ASSERT_TRUE(result.ok()) << result.message();
  // Near x* the sphere's curvature makes F + N_K strongly monotone along it with constant sqrt(3): a few |e|.
  EXPECT_LE((result.x - vi.x).norm(), 10.0 * tolerance);
}

TEST_P(ViContract, BoxesAsRelayHasThem) {
  problems::Random random(3);
  for (Index n = 1; n <= 10; n += 3) {
    const Eigen::MatrixXd B = problems::entries(random, n, n);
    const relay::Problem relay{B * B.transpose() + Eigen::MatrixXd::Identity(n, n),
                               3.0 * problems::entries(random, n, 1), Eigen::VectorXd::Constant(n, -0.5),
                               Eigen::VectorXd::Constant(n, 0.7)};
    const relay::Result other = relay::solve(relay);
    ASSERT_TRUE(other.ok());
    const vi::Result result = solve({problems::affine_map(relay.M, relay.q), vi::Box{relay.lower, relay.upper}});
    ASSERT_TRUE(result.ok()) << result.message();
    // m = 1, L below 11 (entries below 1: |B|^2 <= n), rho <= 1, |q| <= 3: (1 + 11) sqrt(10) 3e-10 and as much of
    // relay.
    EXPECT_LE((result.x - other.z).cwiseAbs().maxCoeff(), 2.5e-8);
  }
}

TEST_P(ViContract, BraessNetwork) {
  // Six units from a to d by three routes, a-b-d, a-c-d, a-b-c-d, with travel times 10 v on ab and cd, 50 + v on ac and
  // bd, 10 + v on bc: two on each, 92 long (Braess 1968 [braess1968]).
  const Eigen::MatrixXd M{{11, 0, 10}, {0, 11, 10}, {10, 10, 21}};
  const vi::Polyhedron flows{-Eigen::MatrixXd::Identity(3, 3), Eigen::VectorXd::Zero(3), Eigen::MatrixXd::Ones(1, 3),
                             Eigen::VectorXd{{6}}};
  const vi::Result result = solve({problems::affine_map(M, Eigen::VectorXd{{50, 50, 10}}), flows});
  ASSERT_TRUE(result.ok()) << result.message();
  // M's eigenvalues are 1, 11 and 31, rho is at most 1, the scale at most 92: |x - x*| <= 32 |e|.
  EXPECT_LE((result.x - Eigen::VectorXd::Constant(3, 2.0)).norm(), 32.0 * std::sqrt(3.0) * 92e-10);
  EXPECT_LE((result.w - Eigen::VectorXd::Constant(3, 92.0)).norm(), 1e-5);
}

TEST_P(ViContract, EmptySetsWithTheProof) {
  for (Index n = 1; n <= 6; ++n) {
    const problems::Vi vi = problems::empty_vi(n, std::uint64_t(n));
    const vi::Result result = solve(vi.problem);
    ASSERT_EQ(result.status, Status::Infeasible) << result.message();
    // By hand: y >= 0, A^T y = 0 up to rounding, b·y < 0.
    const vi::Polyhedron K = *vi.problem.K.polyhedron();
    EXPECT_GE(result.proof.minCoeff(), 0.0);
    EXPECT_LE((K.A.transpose() * result.proof).cwiseAbs().maxCoeff(), 1e-14 * result.proof.sum());
    EXPECT_LT(K.b.dot(result.proof), 0.0);
  }
}

TEST_P(ViContract, NoSolutionIsNotOneThatIsSolved) {
  // F = 1 on the line, F = x^2 + 1 on the line, F = (1, 1) on a half-space: no x in K with -F(x) in N_K(x).
  const vi::Box line{Eigen::VectorXd::Constant(1, -infinite), Eigen::VectorXd::Constant(1, infinite)};
  const NonlinearMap one = problems::affine_map(Eigen::MatrixXd::Zero(1, 1), Eigen::VectorXd::Ones(1));
  NonlinearMap square{.num_unknowns = 1, .num_values = 1};
  square.value = [](ConstVectorRef x, VectorRef f) { f[0] = x[0] * x[0] + 1.0; };
  const NonlinearMap two = problems::affine_map(Eigen::MatrixXd::Zero(2, 2), Eigen::VectorXd::Ones(2));
  for (const vi::Problem& problem : {vi::Problem{one, line}, vi::Problem{square, line},
                                     vi::Problem{two, vi::HalfSpace{Eigen::VectorXd{{1, 0}}, 2}}}) {
    if (affine() && !problem.F.has_jacobian()) {
      expect_refused([&] { return entry().solver.solve(problem); }, "vi::CaoFerris: problem.F");
      continue;
    }
    const vi::Result result = entry().solver.solve(problem);
    EXPECT_TRUE(result.status == Status::Stalled || result.status == Status::IterationLimit ||
                result.status == Status::NumericalFailure)
        << result.message();
    EXPECT_GT(result.certificate.residual, 0.5) << result.message();
  }
}

TEST_P(ViContract, TheSameTwice) {
  const problems::Vi vi = planted(SetOf::Polyhedron, 6, 5, true);
  const vi::Result one = solve(vi.problem), two = solve(vi.problem);
  EXPECT_EQ(one.x, two.x);
  EXPECT_EQ(one.status, two.status);
  EXPECT_EQ(one.iterations, two.iterations);
}

TEST_P(ViContract, HonoursItsLimits) {
  const problems::Vi vi = planted(SetOf::Polyhedron, 6, 5, true);
  expect_limits_honoured([&](const Limits& limits) { return solve(vi.problem, limits); });
}

TEST_P(ViContract, RefusesMalformedInput) {
  const vi::Problem good = planted(SetOf::Box, 3, 1, true).problem;
  const auto refused = [&](auto&& spoil, std::string_view argument) {
    vi::Problem problem = good;
    Limits limits;
    spoil(problem, limits);
    expect_refused([&] { return entry().solver.solve(problem, limits); }, argument);
  };
  using P = vi::Problem;
  refused([](P& p, Limits&) { p.K = vi::ConvexSet(); }, "vi::Problem::K");
  refused([](P& p, Limits&) { p.K = vi::Ball{Eigen::VectorXd::Zero(2)}; }, "vi::Problem::F: num_unknowns");
  refused([](P& p, Limits&) { p.F.num_values = 2; }, "vi::Problem::F: num_values");
  refused([](P& p, Limits&) { p.F.value = {}; }, "NonlinearMap::value");
  refused([](P& p, Limits&) { p.F.value = [](ConstVectorRef, VectorRef) {}; }, "vi::Problem::F");
  refused([](P&, Limits& l) { l.tolerance = -1.0; }, "Limits::tolerance");
  refused([](P&, Limits& l) { l.time_limit = 0.0; }, "Limits::time_limit");
}

INSTANTIATE_TEST_SUITE_P(Registry, ViContract, testing::ValuesIn(every(vi::registry())), test_name);
// The projection method wants a cocoercive F.
INSTANTIATE_TEST_SUITE_P(Registry, ViMonotone, testing::ValuesIn(every(vi::registry(), {"projection"})), test_name);

TEST(ViRegistry, NamesAndClaims) {
  expect_born_not_run<vi::Result>();
  expect_names_found(vi::registry(), [](std::string_view name) -> const vi::Entry& { return vi::find(name); });
  vi::Result zeros;
  zeros.x.setZero(3);
  expect_claims_checked<vi::Solver>(problems::planted_vi(SetOf::Polyhedron, 3, 1, true).problem, zeros, 5);
}

}  // namespace
}  // namespace nonsmooth::vi_contract_test
