// SPDX-License-Identifier: Apache-2.0
// Semismooth Newton with sparse factors: the same steps as with dense ones, and sizes that those do not reach.
#include <nonsmooth/numerics/vi.hpp>

#include <cmath>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <problems/obstacle.hpp>
#include <problems/vi.hpp>

namespace nonsmooth::sparse_newton_test {
namespace {

using Eigen::MatrixXd, Eigen::VectorXd;
using problems::SetOf;
using SparseMatrix = Eigen::SparseMatrix<double>;
using Equation = vi::SemismoothNewton::Equation;

/// Diagonally dominant, without symmetry: strongly monotone with 2.5 - 1 = 1.5.
SparseMatrix chain(Index n) {
  std::vector<Eigen::Triplet<double>> entries;
  for (Index i = 0; i < n; ++i) {
    entries.emplace_back(int(i), int(i), 2.5);
    if (i > 0) entries.emplace_back(int(i), int(i - 1), -1.4);
    if (i + 1 < n) entries.emplace_back(int(i), int(i + 1), -0.6);
  }
  SparseMatrix M(n, n);
  M.setFromTriplets(entries.begin(), entries.end());
  return M;
}

/// M (x - x*) less the normal of the planted problem, with the Jacobian sparse or dense.
vi::Problem on_chain(const problems::Vi& planted, bool sparse) {
  const SparseMatrix M = chain(planted.x.size());
  VectorXd w(planted.x.size());
  planted.problem.F.value(planted.x, w);
  const VectorXd q = w - M * planted.x;
  if (!sparse) return {problems::affine_map(MatrixXd(M), q), planted.problem.K};
  return {{.num_unknowns = q.size(),
           .num_values = q.size(),
           .value = [M, q](ConstVectorRef x, VectorRef f) { f = M * x + q; },
           .jacobian = [M](ConstVectorRef, SparseMatrix& J) { J = M; }},
          planted.problem.K};
}

TEST(ViSparse, JacobiansOfProjectionsAreTheDenseOnesOnOnePattern) {
  for (const auto& [kind, name] : problems::kinds_of_sets()) {
    const vi::ConvexSet K = problems::planted_vi(kind, 6, 3, true).problem.K;
    if (!K.has_jacobian()) continue;
    const std::vector<Index> factors = K.factors();
    Index rows = 0, entries = 0;
    for (const Index count : factors) rows += count, entries += count * count;
    EXPECT_EQ(rows, K.size()) << name;
    for (const double scale : {0.1, 1.0, 10.0}) {
      VectorXd y(K.size());
      for (Index i = 0; i < y.size(); ++i) y[i] = scale * std::sin(1.7 * static_cast<double>(i) + scale);
      MatrixXd dense(K.size(), K.size());
      SparseMatrix D;
      K.jacobian(y, dense);
      K.jacobian(y, D);
      EXPECT_EQ(MatrixXd(D), dense) << name;
      EXPECT_EQ(D.nonZeros(), entries) << name;
    }
  }
  // Translations and products of products have the blocks of what they are made of.
  ProductSet cones;
  cones.push_back({.kind = SetKind::Orthant}, 2);
  cones.push_back({.kind = SetKind::SecondOrderCone, .mu = 0.5}, 3);
  const vi::ConvexSet both = vi::Product{{vi::Shifted{cones, VectorXd::Ones(5)}, vi::Ball{VectorXd::Zero(2), 1.0}}};
  EXPECT_EQ(both.factors(), (std::vector<Index>{1, 1, 3, 2}));
}

TEST(ViSparse, TheSameStepsAsDense) {
  for (const SetOf kind : {SetOf::Box, SetOf::Cones}) {
    const problems::Vi planted = problems::planted_vi(kind, 60, 2, true);
    for (const Equation equation : {Equation::Natural, Equation::Normal}) {
      const vi::SemismoothNewton options{.equation = equation};
      const vi::Result sparse = vi::solve(on_chain(planted, true), options);
      const vi::Result dense = vi::solve(on_chain(planted, false), options);
      ASSERT_TRUE(sparse.ok()) << sparse.message();
      ASSERT_TRUE(dense.ok()) << dense.message();
      EXPECT_EQ(sparse.iterations, dense.iterations);
      // |x - x*| <= (1 + rho L) / m |e|: m = 1.5, L below 4.5, rho at most 1 / 0.5, scale below 10, sqrt(60) of norms.
      EXPECT_LE((sparse.x - planted.x).cwiseAbs().maxCoeff(), 5e-8);
      EXPECT_LE((dense.x - planted.x).cwiseAbs().maxCoeff(), 5e-8);
    }
  }
}

TEST(ViSparse, AutomaticTakesThemBeyondDenseSizes) {
  const problems::Vi planted = problems::planted_vi(SetOf::Cones, 60, 2, true);
  // 60 copies beside each other: 3600 rows of cones.
  std::vector<vi::ConvexSet> parts;
  const Index n = 60 * planted.x.size();
  problems::Vi all{"copies", {problems::affine_map(MatrixXd(0, 0), VectorXd(0)), {}}, VectorXd(n), true};
  VectorXd w(planted.x.size()), q(n);
  planted.problem.F.value(planted.x, w);
  SparseMatrix M = chain(n);
  for (Index i = 0; i < n; ++i) M.coeffRef(i, i) += std::pow(10.0, i % 5);  // too stiff for projections
  for (Index i = 0; i < 60; ++i) {
    parts.push_back(planted.problem.K);
    all.x.segment(i * w.size(), w.size()) = planted.x;
    q.segment(i * w.size(), w.size()) = w;
  }
  q -= M * all.x;
  const vi::Problem problem{{.num_unknowns = n,
                             .num_values = n,
                             .value = [&](ConstVectorRef x, VectorRef f) { f = M * x + q; },
                             .jacobian = [&](ConstVectorRef, SparseMatrix& J) { J = M; }},
                            vi::Product{parts}};
  const vi::Result result = vi::solve(problem);
  ASSERT_TRUE(result.ok()) << result.message();
  EXPECT_EQ(result.solver, "semismooth newton on the normal map");
  EXPECT_LE((result.x - all.x).cwiseAbs().maxCoeff(), 1e-6);
}

TEST(ViSparse, MembraneOverABall) {
  // 63 x 63 inner nodes; the grid's own error is O(h^2) where the closed form is smooth, h = 4/64, kinks at the free
  // boundary.
  const problems::Discretized membrane = problems::membrane_over_ball(63);
  const Index n = membrane.exact.size();
  const vi::Problem problem{
      {.num_unknowns = n,
       .num_values = n,
       .value = [&](ConstVectorRef z, VectorRef f) { f = membrane.problem.M * z + membrane.problem.q; },
       .jacobian = [&](ConstVectorRef, SparseMatrix& J) { J = membrane.problem.M; }},
      vi::Box{VectorXd::Zero(n), VectorXd::Constant(n, HUGE_VAL)}};
  for (const Equation equation : {Equation::Natural, Equation::Normal}) {
    const vi::Result result = vi::solve(problem, vi::SemismoothNewton{.equation = equation});
    ASSERT_TRUE(result.ok()) << result.message();
    EXPECT_LE((result.x - membrane.exact).cwiseAbs().maxCoeff(), 0.02);
  }
}

}  // namespace
}  // namespace nonsmooth::sparse_newton_test
