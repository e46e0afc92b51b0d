// SPDX-License-Identifier: Apache-2.0
// The families under at_round_off.hpp: registries, algorithms called by themselves, workspaces.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include <nonsmooth/numerics/friction.hpp>
#include <nonsmooth/numerics/lcp.hpp>
#include <nonsmooth/numerics/mixed.hpp>
#include <nonsmooth/numerics/mlcp.hpp>
#include <nonsmooth/numerics/relay.hpp>

#include <problems/complementarity.hpp>
#include <problems/cones.hpp>
#include <problems/law_distance.hpp>

#include "at_round_off.hpp"
#include "registry_contract.hpp"

namespace nonsmooth::at_round_off_contract_test {
namespace {

using contracts::beyond;
using contracts::Called;
using contracts::definite;
using contracts::every;
using contracts::expect_each_tells;
using contracts::expect_not_told;
using contracts::expect_told;
using contracts::expect_words;
using contracts::instances;
using contracts::test_name;
using contracts::within_reach;
using testing::ValuesIn;

problems::Worth worth_of(const relay::Problem& p, const Eigen::VectorXd& z) {
  ProductSet K;
  for (Index i = 0; i < p.q.size(); ++i)
    K.push_back({.kind = SetKind::Box, .lower = p.lower[i], .upper = p.upper[i]}, 1);
  return problems::worth(p.M, p.q, K, z);
}

problems::Cones definite_cones(Index k, const std::vector<SetKind>& kinds) {
  std::mt19937_64 random(static_cast<std::uint64_t>(200 + k));
  return problems::random_cones(2 + k % 4, kinds, false, false, 0.0, random);
}

problems::Worth worth_of(const problems::Cones& cones, const Eigen::VectorXd& r) {
  return problems::worth(cones.W, cones.problem.q, cones.problem.K, r);
}

const std::vector<SetKind> contact_kinds = {SetKind::Orthant, SetKind::Coulomb3D};
const std::vector<SetKind> conic_kinds = {SetKind::Free, SetKind::Orthant, SetKind::SecondOrderCone};

class LcpAtRoundOff : public testing::TestWithParam<std::string> {};
class RelayAtRoundOff : public testing::TestWithParam<std::string> {};
class MlcpAtRoundOff : public testing::TestWithParam<std::string> {};
class MixedAtRoundOff : public testing::TestWithParam<std::string> {};
class FrictionAtRoundOff : public testing::TestWithParam<std::string> {};

TEST_P(LcpAtRoundOff, IsToldByTheRegistry) {
  const lcp::Solver& solver = lcp::find(GetParam()).solver;
  int told = 0;
  for (Index k = 0; k < instances; ++k) {
    const relay::Problem form = definite(k, true).problem;
    const lcp::Problem problem{form.M, form.q};
    const auto result = solver.solve(problem, {.tolerance = beyond});
    told += expect_told(result, beyond, Called::AtADoor, worth_of(form, result.z));
    expect_words(result);
    expect_not_told(solver.solve(problem, {.tolerance = within_reach}));
  }
  EXPECT_GT(told, 0);
}

TEST_P(RelayAtRoundOff, IsToldByTheRegistry) {
  const relay::Solver& solver = relay::find(GetParam()).solver;
  int told = 0;
  for (Index k = 0; k < instances; ++k) {
    const relay::Problem problem = definite(k, false).problem;
    const auto result = solver.solve(problem, {.tolerance = beyond});
    told += expect_told(result, beyond, Called::AtADoor, worth_of(problem, result.z));
    expect_words(result);
    expect_not_told(solver.solve(problem, {.tolerance = within_reach}));
  }
  EXPECT_GT(told, 0);
}

/// z of the form that the problem was made from by to_mlcp().
Eigen::VectorXd relay_rows(const mlcp::Result& result, const std::vector<Index>& rows) {
  Eigen::VectorXd uv(result.u.size() + result.v.size()), z(uv.size());
  uv << result.u, result.v;
  for (std::size_t i = 0; i < rows.size(); ++i) z[rows[i]] = uv[static_cast<Index>(i)];
  return z;
}

TEST_P(MlcpAtRoundOff, IsToldByTheRegistry) {
  const mlcp::Solver& solver = mlcp::find(GetParam()).solver;
  int told = 0;
  for (Index k = 0; k < instances; ++k) {
    const relay::Problem form = definite(k, false).problem;
    std::vector<Index> rows;
    const mlcp::Problem problem = problems::to_mlcp(form, rows);
    const auto result = solver.solve(problem, {.tolerance = beyond});
    told += expect_told(result, beyond, Called::AtADoor, worth_of(form, relay_rows(result, rows)));
    expect_words(result);
    expect_not_told(solver.solve(problem, {.tolerance = within_reach}));
  }
  EXPECT_GT(told, 0);
}

template <class Solver>
void expect_told_on_cones(const Solver& solver, const std::vector<SetKind>& kinds) {
  int told = 0;
  for (Index k = 0; k < instances; ++k) {
    const problems::Cones cones = definite_cones(k, kinds);
    const auto result = solver.solve(cones.problem, {.tolerance = beyond});
    told += expect_told(result, beyond, Called::AtADoor, worth_of(cones, result.r));
    expect_words(result);
    expect_not_told(solver.solve(cones.problem, {.tolerance = within_reach}));
  }
  EXPECT_GT(told, 0);
}

TEST_P(MixedAtRoundOff, IsToldByTheRegistry) { expect_told_on_cones(mixed::find(GetParam()).solver, conic_kinds); }

TEST_P(FrictionAtRoundOff, IsToldByTheRegistry) {
  const bool planar = GetParam() == "planar lcp" || GetParam() == "planar lemke";
  expect_told_on_cones(friction::find(GetParam()).solver,
                       planar ? std::vector<SetKind>{SetKind::Orthant, SetKind::Coulomb2D} : contact_kinds);
}

// Games alone and sparse M-matrices alone; facets are no round cones, and frictionless takes mu = 0.
INSTANTIATE_TEST_SUITE_P(Registry, LcpAtRoundOff, ValuesIn(every(lcp::registry(), {"lemke-howson", "multigrid"})),
                         test_name);
INSTANTIATE_TEST_SUITE_P(Registry, RelayAtRoundOff, ValuesIn(every(relay::registry())), test_name);
INSTANTIATE_TEST_SUITE_P(Registry, MlcpAtRoundOff, ValuesIn(every(mlcp::registry())), test_name);
INSTANTIATE_TEST_SUITE_P(Registry, MixedAtRoundOff, ValuesIn(every(mixed::registry())), test_name);
INSTANTIATE_TEST_SUITE_P(Registry, FrictionAtRoundOff,
                         ValuesIn(every(friction::registry(),
                                        {"faceted", "outer facets", "frictionless", "frictionless qp"})),
                         test_name);

TEST(AtRoundOff, AlgorithmsCalledByThemselvesTellIt) {
  expect_each_tells<lcp::Lemke, lcp::Keller, lcp::Murty, lcp::BlockPrincipalPivoting, lcp::PrimalDualActiveSet,
                    lcp::MinNewton, lcp::FischerBurmeister, lcp::InteriorPoint, lcp::Splitting>(
      [](Index k, const auto& with) {
        const relay::Problem form = definite(k, true).problem;
        const auto judge = [&](const lcp::Result& result) { return worth_of(form, result.z); };
        with(lcp::Problem{form.M, form.q}, judge);
      });
  expect_each_tells<relay::ActiveSet, relay::Lemke, relay::SemismoothNewton, relay::GaussSeidel, relay::Enumeration>(
      [](Index k, const auto& with) {
        const relay::Problem problem = definite(k, false).problem;
        with(problem, [&](const relay::Result& result) { return worth_of(problem, result.z); });
      });
  expect_each_tells<mlcp::ActiveSet, mlcp::Lemke, mlcp::SemismoothNewton, mlcp::GaussSeidel, mlcp::Elimination>(
      [](Index k, const auto& with) {
        const relay::Problem form = definite(k, false).problem;
        std::vector<Index> rows;
        const mlcp::Problem problem = problems::to_mlcp(form, rows);
        with(problem, [&](const mlcp::Result& result) { return worth_of(form, relay_rows(result, rows)); });
      });
  const auto on = [](const std::vector<SetKind>& kinds) {
    return [kinds](Index k, const auto& with) {
      const problems::Cones cones = definite_cones(k, kinds);
      with(cones.problem, [&](const mixed::Result& result) { return worth_of(cones, result.r); });
    };
  };
  expect_each_tells<mixed::GaussSeidel, mixed::ProximalNewton, mixed::NaturalNewton, mixed::FischerBurmeister,
                    mixed::Admm>(on(conic_kinds));
  expect_each_tells<friction::GaussSeidel, friction::GaussSeidelNewton, friction::GaussSeidelSchwarz, friction::Jacobi,
                    friction::ProximalNewton, friction::SemismoothNewton, friction::InteriorPoint, friction::Admm,
                    friction::FixedPoint, friction::Extragradient, friction::BarzilaiBorwein, friction::Nesterov,
                    friction::Tresca, friction::Panagiotopoulos, friction::Haslinger, friction::ConeRelaxation,
                    friction::DirectMcp>(on(contact_kinds));
  expect_each_tells<friction::PlanarLcp>(on({SetKind::Orthant, SetKind::Coulomb2D}));
  expect_each_tells<friction::Frictionless>(on({SetKind::Orthant}));
}

TEST(AtRoundOff, WorkspacesTellItOfTheLastSolveAlone) {
  lcp::Workspace lcp_workspace;
  mixed::Workspace mixed_workspace;
  mixed::GaussSeidelWorkspace sweeps;
  friction::AutomaticWorkspace automatic;
  friction::GaussSeidelWorkspace friction_sweeps;
  lcp::Result lcp_result;
  mixed::Result mixed_result, swept;
  friction::Result automatic_result, friction_swept;
  std::vector<int> told(5, 0);
  for (Index k = 0; k < instances; ++k) {
    const relay::Problem form = definite(k, true).problem;
    const problems::Cones cones = definite_cones(k, conic_kinds), contacts = definite_cones(k, contact_kinds);
    for (const double tolerance : {beyond, within_reach, beyond}) {
      lcp_workspace.solve({form.M, form.q}, tolerance, false, lcp_result);
      mixed_workspace.solve(cones.problem, mixed::Automatic{.tolerance = tolerance}, false, mixed_result);
      swept.r.setZero(cones.problem.q.size());
      sweeps.solve(cones.problem, {.tolerance = tolerance}, swept);
      automatic_result.r.setZero(contacts.problem.q.size());
      automatic.solve(contacts.problem, {.tolerance = tolerance}, automatic_result);
      friction_swept.r.setZero(contacts.problem.q.size());
      friction_sweeps.solve(contacts.problem, {.tolerance = tolerance}, friction_swept);
      if (tolerance == within_reach) {
        expect_not_told(lcp_result);
        for (const mixed::Result* result : {&mixed_result, &swept}) expect_not_told(*result);
        for (const friction::Result* result : {&automatic_result, &friction_swept}) expect_not_told(*result);
        continue;
      }
      told[0] += expect_told(lcp_result, beyond, Called::AtADoor, worth_of(form, lcp_result.z));
      told[1] += expect_told(mixed_result, beyond, Called::AtADoor, worth_of(cones, mixed_result.r));
      told[2] += expect_told(swept, beyond, Called::ByItself, worth_of(cones, swept.r));
      told[3] += expect_told(automatic_result, beyond, Called::AtADoor, worth_of(contacts, automatic_result.r));
      told[4] += expect_told(friction_swept, beyond, Called::ByItself, worth_of(contacts, friction_swept.r));
    }
  }
  for (std::size_t i = 0; i < told.size(); ++i) EXPECT_GT(told[i], 0) << "workspace " << i;
}

// One row in closed form, which the hot loops of small models live on: 3 r = 0.9 has no solution among the doubles.
TEST(AtRoundOff, IsToldOfOneRow) {
  lcp::Workspace lcp_workspace;
  lcp::Result lcp_result;
  const Eigen::MatrixXd M{{3.0}};
  mixed::Workspace mixed_workspace;
  mixed::Result mixed_result;
  mixed::Problem problem;
  problem.W.begin_pattern({1});
  problem.W.insert(0);
  problem.W.next_row();
  problem.W.end_pattern();
  problem.W.values(0)[0] = 3.0;
  problem.q = Eigen::VectorXd{{-0.9}};
  problem.K.push_back({.kind = SetKind::Orthant}, 1);
  for (const double tolerance : {beyond, within_reach, beyond}) {
    lcp_workspace.solve({M, problem.q}, tolerance, false, lcp_result);
    mixed_workspace.solve(problem, {.tolerance = tolerance}, false, mixed_result);
    ASSERT_GT(lcp_result.certificate.residual, 0.0);
    ASSERT_GT(mixed_result.certificate.residual, 0.0);
    EXPECT_TRUE(lcp_result.ok() && mixed_result.ok());
    EXPECT_EQ(lcp_result.at_round_off, tolerance == beyond);
    EXPECT_EQ(mixed_result.at_round_off, tolerance == beyond);
  }
}

// A user's solver may say what it likes: its door tells.
TEST(AtRoundOff, IsTheDoorsToTell) {
  const relay::Problem form{Eigen::MatrixXd{{2.0}}, Eigen::VectorXd{{-1.0}}, Eigen::VectorXd{{0.0}},
                            Eigen::VectorXd{{1.0}}};
  for (const double z : {0.5, 0.25}) {  // a solution and none
    const relay::Solver boasting("boasting", [z](const relay::Problem&, const Limits&) {
      relay::Result result;
      result.z = Eigen::VectorXd{{z}};
      result.status = Status::Solved;
      result.at_round_off = true;
      return result;
    });
    const auto result = boasting.solve(form);
    EXPECT_EQ(result.ok(), z == 0.5);
    EXPECT_FALSE(result.at_round_off);
  }
}

}  // namespace
}  // namespace nonsmooth::at_round_off_contract_test
