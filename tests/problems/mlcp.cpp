// SPDX-License-Identifier: Apache-2.0
#include <problems/mlcp.hpp>

#include <algorithm>
#include <cmath>
#include <random>

#include <problems/relay.hpp>

namespace nonsmooth::problems {

Mlcp diode_bridge(double J, double R) {
  Mlcp bridge{"diode bridge", {}, Verdict::Solvable, {}, {}, true};
  mlcp::Problem& problem = bridge.problem;
  const double g = 1.0 / R;
  problem.A = Eigen::MatrixXd{{-g, g, 0}, {-g, g, 0}, {0, 0, 0}};
  problem.C = Eigen::MatrixXd{{1, 1, 0, 0}, {0, 0, 1, 1}, {1, 0, -1, 0}};
  problem.a = Eigen::Vector3d(0, 0, -J);
  problem.D = Eigen::MatrixXd{{1, 0, -1}, {1, 0, 0}, {0, -1, 1}, {0, -1, 0}};
  problem.B = Eigen::MatrixXd::Zero(4, 4);
  problem.b = Eigen::VectorXd::Zero(4);
  if (J > 0) {  // s - p, m - ground conduct
    bridge.v = Eigen::Vector4d(J, 0, 0, J);
    bridge.u = Eigen::Vector3d(R * J, 0, R * J);
  } else {  // ground - p, m - s conduct
    bridge.v = Eigen::Vector4d(0, -J, -J, 0);
    bridge.u = Eigen::Vector3d(0, R * J, R * J);
  }
  return bridge;
}

Mlcp rectangular() {
  Mlcp one{"rectangular", {}, Verdict::Solvable, Eigen::VectorXd{{0.5}}, Eigen::VectorXd{{0.5}}, true};
  one.problem.A = Eigen::MatrixXd{{1}, {-1}};
  one.problem.C = Eigen::MatrixXd{{-1}, {-1}};
  one.problem.D = Eigen::MatrixXd{{1}};
  one.problem.B = Eigen::MatrixXd{{1}};
  one.problem.a = Eigen::Vector2d(0, 1);
  one.problem.b = Eigen::VectorXd{{-1}};
  return one;
}

namespace {

/// a, b such that (u, v) with about half of v positive solves; a share of the rows of v is degenerate.
void plant_mlcp(Mlcp& mlcp, std::mt19937_64& random, double degenerate) {
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  const Index m = mlcp.problem.B.rows();
  mlcp.u = normal_matrix(random, mlcp.problem.A.cols(), 1);
  mlcp.v.setZero(m);
  Eigen::VectorXd w = Eigen::VectorXd::Zero(m);
  for (Index i = 0; i < m; ++i) {
    const double side = uniform(random);
    if (side < degenerate) continue;
    (side < degenerate + (1.0 - degenerate) / 2.0 ? mlcp.v : w)[i] = 0.1 + uniform(random);
  }
  mlcp.problem.a = -(mlcp.problem.A * mlcp.u + mlcp.problem.C * mlcp.v);
  mlcp.problem.b = w - (mlcp.problem.D * mlcp.u + mlcp.problem.B * mlcp.v);
}

}  // namespace

Mlcp random_mlcp(Index n, Index m, std::uint64_t seed, bool symmetric, double degenerate) {
  std::mt19937_64 random(seed);
  Mlcp mlcp{symmetric ? "spd" : "positive definite", {}, Verdict::Solvable, {}, {}, true};
  const Index size = n + m;
  const Eigen::MatrixXd F = normal_matrix(random, size, size);
  Eigen::MatrixXd M = F * F.transpose() / double(size) + 0.5 * Eigen::MatrixXd::Identity(size, size);
  if (!symmetric) {
    const Eigen::MatrixXd B = normal_matrix(random, size, size) / std::sqrt(double(size));
    M += B - B.transpose();
  }
  mlcp.problem.A = M.topLeftCorner(n, n);
  mlcp.problem.C = M.topRightCorner(n, m);
  mlcp.problem.D = M.bottomLeftCorner(m, n);
  mlcp.problem.B = M.bottomRightCorner(m, m);
  plant_mlcp(mlcp, random, degenerate);
  return mlcp;
}

Mlcp with_dependent_rows(Mlcp mlcp, Index extra, std::uint64_t seed, double shift) {
  std::mt19937_64 random(seed);
  const Index p = mlcp.problem.a.size();
  Eigen::MatrixXd combine(p + extra, p);
  combine.topRows(p).setIdentity();
  combine.bottomRows(extra) = normal_matrix(random, extra, p);
  mlcp.problem.A = (combine * mlcp.problem.A).eval();
  mlcp.problem.C = (combine * mlcp.problem.C).eval();
  mlcp.problem.a = (combine * mlcp.problem.a).eval();
  mlcp.problem.a[p + extra - 1] += shift;
  if (shift != 0.0) mlcp.verdict = Verdict::Infeasible;
  mlcp.name += ", dependent rows";
  return mlcp;
}

Mlcp with_dependent_columns(Mlcp mlcp, Index extra, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const Index n = mlcp.problem.A.cols();
  Eigen::MatrixXd combine(n, n + extra);
  combine.leftCols(n).setIdentity();
  combine.rightCols(extra) = normal_matrix(random, n, extra);
  mlcp.problem.A = (mlcp.problem.A * combine).eval();
  mlcp.problem.D = (mlcp.problem.D * combine).eval();
  mlcp.u.conservativeResizeLike(Eigen::VectorXd::Zero(n + extra));
  mlcp.unique = false;
  mlcp.name += ", dependent columns";
  return mlcp;
}

mlcp::SparseProblem sparse(const mlcp::Problem& problem) {
  return {problem.A.sparseView(),
          problem.B.sparseView(),
          problem.C.sparseView(),
          problem.D.sparseView(),
          problem.a,
          problem.b,
          problem.lower,
          problem.upper};
}

double independent_residual(const mlcp::Problem& problem, const Eigen::VectorXd& u, const Eigen::VectorXd& v) {
  const Index n = problem.A.cols();
  const Index p = problem.a.size();
  const Index m = problem.b.size();
  const Index f = std::max(n, p);
  relay::Problem whole{Eigen::MatrixXd::Zero(f + m, f + m), Eigen::VectorXd::Zero(f + m),
                       Eigen::VectorXd::Constant(f + m, -infinite), Eigen::VectorXd::Constant(f + m, infinite)};
  if (p * n > 0) whole.M.block(0, 0, p, n) = problem.A;
  if (p * m > 0) whole.M.block(0, f, p, m) = problem.C;
  if (m * n > 0) whole.M.block(f, 0, m, n) = problem.D;
  if (m > 0) whole.M.block(f, f, m, m) = problem.B;
  whole.q.head(p) = problem.a;
  whole.q.tail(m) = problem.b;
  whole.lower.tail(m) = problem.lower.size() ? problem.lower : Eigen::VectorXd::Zero(m);
  if (problem.upper.size()) whole.upper.tail(m) = problem.upper;
  Eigen::VectorXd z = Eigen::VectorXd::Zero(f + m);
  z.head(n) = u;
  z.tail(m) = v;
  return independent_residual(whole, z);
}

}  // namespace nonsmooth::problems
