// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/lcp/reformulations.hpp>

#include <string>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "symmetry.hpp"

namespace nonsmooth::lcp {
namespace {

constexpr std::string_view hessian = "the second derivative of a quadratic function";

void check_objective(const std::string& name, const Eigen::MatrixXd& H, const Eigen::VectorXd& c) {
  if (H.rows() < 1) throw InvalidArgument(name + "::H", "an empty matrix", "at least one row");
  check::shape(name + "::H", H.rows(), H.cols(), H.rows(), H.rows());
  check::size(name + "::c", c.size(), H.rows(), "one a row of H");
  check::finite(name + "::H", ConstMatrixRef(H));
  check::finite(name + "::c", ConstVectorRef(c));
  detail::require_symmetric(name + "::H", ConstMatrixRef(H), hessian);
}

}  // namespace

void Quadratic::validate() const { check_objective("lcp::Quadratic", H, c); }

double Quadratic::value(ConstVectorRef z) const { return 0.5 * z.dot(H * z) + c.dot(z); }

void InequalityQuadratic::validate() const {
  check_objective("lcp::InequalityQuadratic", H, c);
  check::size("lcp::InequalityQuadratic::b", b.size(), A.rows(), "one a row of A");
  if (A.rows() > 0) check::shape("lcp::InequalityQuadratic::A", A.rows(), A.cols(), A.rows(), H.rows());
  check::finite("lcp::InequalityQuadratic::A", ConstMatrixRef(A));
  check::finite("lcp::InequalityQuadratic::b", ConstVectorRef(b));
}

double InequalityQuadratic::value(ConstVectorRef x) const { return 0.5 * x.dot(H * x) + c.dot(x); }

Problem to_lcp(const Quadratic& quadratic) {
  quadratic.validate();
  return {quadratic.H, quadratic.c};
}

Problem to_lcp(const InequalityQuadratic& quadratic) {
  quadratic.validate();
  const Index n = quadratic.H.rows();
  const Index m = quadratic.A.rows();
  Problem problem{Eigen::MatrixXd::Zero(n + m, n + m), Eigen::VectorXd(n + m)};
  problem.M.topLeftCorner(n, n) = quadratic.H;
  if (m > 0) {
    problem.M.topRightCorner(n, m) = -quadratic.A.transpose();
    problem.M.bottomLeftCorner(m, n) = quadratic.A;
  }
  problem.q << quadratic.c, -quadratic.b;
  return problem;
}

Quadratic to_quadratic(const Problem& problem) {
  problem.validate();
  detail::require_symmetric("lcp::Problem::M", ConstMatrixRef(problem.M), hessian);
  return {problem.M, problem.q};
}

QuadraticSolution recover(const InequalityQuadratic& quadratic, ConstVectorRef z) {
  const Index n = quadratic.H.rows();
  const Index m = quadratic.b.size();
  check::size("lcp::recover: z", z.size(), n + m, "one a column of H and one a row of A");
  QuadraticSolution solution;
  solution.x = z.head(n);
  solution.y = z.tail(m);
  solution.reduced_cost = quadratic.H * solution.x + quadratic.c;
  solution.slack = -quadratic.b;
  if (m > 0) {
    solution.reduced_cost -= quadratic.A.transpose() * solution.y;
    solution.slack += quadratic.A * solution.x;
  }
  solution.value = quadratic.value(solution.x);
  return solution;
}

}  // namespace nonsmooth::lcp
