// SPDX-License-Identifier: Apache-2.0
// The global form of friction, horizontal and vertical problems under at_round_off.hpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <nonsmooth/numerics/friction.hpp>
#include <nonsmooth/numerics/lcp.hpp>

#include <problems/complementarity.hpp>
#include <problems/law_distance.hpp>

#include "at_round_off.hpp"

namespace nonsmooth::at_round_off_forms_test {
namespace {

using contracts::beyond;
using contracts::Called;
using contracts::definite;
using contracts::expect_each_tells;
using contracts::expect_not_told;
using contracts::expect_told;
using contracts::expect_words;
using contracts::instances;
using contracts::within_reach;

/// Two to four bodies of three velocities in a ring, a contact of three rows between each and the next.
friction::GlobalProblem ring_of_bodies(Index k) {
  std::mt19937_64 random(static_cast<std::uint64_t>(300 + k));
  const Index bodies = 2 + k % 3, contacts = bodies;
  std::vector<Eigen::Triplet<double>> A, H;
  for (Index i = 0; i < 3 * bodies; ++i) {
    const int row = static_cast<int>(i);
    A.emplace_back(row, row, problems::draw(random, 0.5, 2.0));
    H.emplace_back(row, row, problems::draw(random, 0.5, 1.5));
    H.emplace_back(row, (row + 3) % static_cast<int>(3 * bodies), problems::draw(random, -0.3, 0.3));
  }
  friction::GlobalProblem problem;
  problem.A.resize(3 * bodies, 3 * bodies);
  problem.A.setFromTriplets(A.begin(), A.end());
  problem.H.resize(3 * contacts, 3 * bodies);
  problem.H.setFromTriplets(H.begin(), H.end());
  problem.f = problems::draw(random, 3 * bodies, -1.0, 1.0);
  problem.w = problems::draw(random, 3 * contacts, -1.0, 1.0);
  for (Index c = 0; c < contacts; ++c) problem.K.push_back({.kind = SetKind::Coulomb3D, .mu = 0.5}, 3);
  return problem;
}

TEST(FormsAtRoundOff, IsToldOfTheGlobalForm) {
  int told = 0;
  for (const friction::GlobalEntry& entry : friction::global_registry())
    for (Index k = 0; k < 2 * instances; ++k) {
      const friction::GlobalProblem problem = ring_of_bodies(k);
      expect_not_told(entry.solver.solve(problem, {.tolerance = within_reach}));
      const auto result = entry.solver.solve(problem, {.tolerance = beyond});
      told += expect_told(result, beyond, Called::AtADoor, problems::worth(problem, result.v, result.r));
      expect_words(result);
    }
  EXPECT_GT(told, 0);
  expect_each_tells<friction::GlobalProximalNewton, friction::GlobalInteriorPoint, friction::GlobalAdmm>(
      [](Index k, const auto& with) {
        const friction::GlobalProblem problem = ring_of_bodies(k);
        with(problem,
             [&](const friction::GlobalResult& result) { return problems::worth(problem, result.v, result.r); });
      });
}

// N w = M z + q with N = B, M = B M_p, q = B q_p: by rows, N w - M z - q and what the smaller of each pair puts there.
TEST(FormsAtRoundOff, IsToldOfHorizontalProblems) {
  int told = 0;
  for (Index k = 0; k < 2 * instances; ++k) {
    const relay::Problem form = definite(k, true).problem;
    const Index n = form.q.size();
    std::mt19937_64 random(static_cast<std::uint64_t>(400 + k));
    Eigen::MatrixXd B(n, n);
    for (double& entry : B.reshaped()) entry = problems::draw(random, -1.0, 1.0);
    B.diagonal().array() += static_cast<double>(n);
    const lcp::horizontal::Problem problem{B, B * form.M, B * form.q};
    expect_not_told(lcp::horizontal::solve(problem, {.tolerance = within_reach}));
    const auto result = lcp::horizontal::solve(problem, {.tolerance = beyond});
    EXPECT_EQ(result.ok(), result.at_round_off || result.certificate.residual == 0.0) << result.reason;
    if (!result.at_round_off) continue;
    ++told;
    using Real = long double;  // 64 bits: 2^-11 eps, and n of them are nothing beside 64 eps
    const auto in = [](const auto& values) { return values.template cast<Real>().eval(); };
    const Eigen::Matrix<Real, -1, 1> z = in(result.z), w = in(result.w);
    const Eigen::Matrix<Real, -1, 1> rows = in(problem.N) * w - in(problem.M) * z - in(problem.q);
    const Eigen::Matrix<Real, -1, 1> terms =
        in(problem.N).cwiseAbs() * w.cwiseAbs() + in(problem.M).cwiseAbs() * z.cwiseAbs() + in(problem.q).cwiseAbs();
    // The certificate forms the rows in double: their rounding is allowed as much again.
    constexpr Real allowed = 128.0L * std::numeric_limits<double>::epsilon();
    EXPECT_LE(rows.cwiseAbs().cwiseQuotient(terms).maxCoeff(), allowed) << k;
    for (Index i = 0; i < n; ++i) {
      const double m = problem.M.col(i).cwiseAbs().maxCoeff(), n_i = problem.N.col(i).cwiseAbs().maxCoeff();
      const bool of_z = m * result.z[i] <= n_i * result.w[i];
      const Eigen::Matrix<Real, -1, 1> column = of_z ? in(problem.M.col(i)) * z[i] : in(problem.N.col(i)) * w[i];
      EXPECT_LE(column.cwiseAbs().cwiseQuotient(terms).maxCoeff(), allowed) << k;
    }
  }
  EXPECT_GT(told, 0);
}

// Groups of two rows, each choice of one of both strictly diagonally dominant: one solution.
TEST(FormsAtRoundOff, IsToldOfVerticalProblems) {
  int told = 0;
  for (Index k = 0; k < 2 * instances; ++k) {
    const Index n = 2 + k % 5;
    std::mt19937_64 random(static_cast<std::uint64_t>(500 + k));
    lcp::vertical::Problem problem{Eigen::MatrixXd(2 * n, n), problems::draw(random, 2 * n, -1.0, 1.0), {}};
    for (double& entry : problem.N.reshaped()) entry = problems::draw(random, -1.0, 1.0);
    for (Index i = 0; i < 2 * n; ++i) problem.N(i, i / 2) = 1.0 + problem.N.row(i).cwiseAbs().sum();
    for (Index j = 0; j <= n; ++j) problem.first.push_back(2 * j);
    const lcp::vertical::SparseProblem sparse{problem.N.sparseView(), problem.q, problem.first};
    expect_not_told(lcp::vertical::solve(problem, {.tolerance = within_reach}));
    for (const auto& result :
         {lcp::vertical::solve(problem, {.tolerance = beyond}), lcp::vertical::solve(sparse, {.tolerance = beyond})}) {
      EXPECT_EQ(result.ok(), result.at_round_off || result.certificate.residual == 0.0) << result.reason;
      if (!result.at_round_off) continue;
      ++told;
      for (Index j = 0; j < n; ++j) {
        long double least = problem.N(2 * j, j) * result.z[j], terms = 0.0L;  // of the same size as each row of z_j
        for (Index i = 2 * j; i < 2 * j + 2; ++i) {
          long double w = problem.q[i], own = std::abs(problem.q[i]);
          for (Index c = 0; c < n; ++c) {
            w += static_cast<long double>(problem.N(i, c)) * result.z[c];
            own += std::abs(static_cast<long double>(problem.N(i, c)) * result.z[c]);
          }
          least = std::min(least, w);
          terms = std::max(terms, own);
        }
        // As the certificate sees it, and the rounding of w.
        EXPECT_LE(std::abs(least), 128.0L * std::numeric_limits<double>::epsilon() * terms) << k;
      }
    }
  }
  EXPECT_GT(told, 0);
}

}  // namespace
}  // namespace nonsmooth::at_round_off_forms_test
