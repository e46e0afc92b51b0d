// SPDX-License-Identifier: Apache-2.0
// Smooth programs and options that are refused, each by the name of its field.
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/mpcc.hpp>

#include "exponential_problem.hpp"

namespace nonsmooth::nonlinear_bad_input_test {
namespace {

using Eigen::VectorXd;
using exponential_problem::exponential;
using mpcc::NonlinearProblem;
using mpcc::NonlinearRelaxation;
using mpcc::SparseProblem;
using Sparse = Eigen::SparseMatrix<double>;

constexpr double infinity = std::numeric_limits<double>::infinity();

template <class Solve>
void expect_refused(Solve&& solve, const std::string& argument) {
  try {
    solve();
    ADD_FAILURE() << argument << " is not refused";
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find(argument), std::string::npos) << error.what();
  }
}

TEST(NonlinearMpcc, BadInputIsNamed) {
  const auto refused = [](auto&& change, const std::string& argument) {
    NonlinearProblem problem = exponential();
    NonlinearRelaxation options;
    change(problem, options);
    expect_refused([&] { static_cast<void>(mpcc::solve(problem, options)); }, argument);
  };
  refused([](auto& p, auto&) { p.f.num_values = 2; }, "mpcc::NonlinearProblem::f");
  refused([](auto& p, auto&) { p.G.num_unknowns = 3; }, "mpcc::NonlinearProblem::G");
  refused([](auto& p, auto&) { p.H = {}; }, "mpcc::NonlinearProblem::H");
  refused([](auto& p, auto&) { p.f = {}; }, "NonlinearMap::num_unknowns");
  refused([](auto& p, auto&) { p.c = p.G, p.c.num_unknowns = 1; }, "mpcc::NonlinearProblem::c");
  refused([](auto& p, auto&) { p.H.num_values = 2; }, "mpcc::NonlinearProblem::H");
  refused([](auto& p, auto&) { p.row_lower = VectorXd::Zero(1); }, "mpcc::NonlinearProblem::row_lower");
  refused([](auto& p, auto&) { p.row_upper = VectorXd::Zero(1); }, "mpcc::NonlinearProblem::row_upper");
  refused([](auto& p, auto&) { p.upper = VectorXd::Zero(1); }, "mpcc::NonlinearProblem::upper");
  refused([](auto& p, auto&) { p.upper = VectorXd{{0, -infinity}}; }, "mpcc::NonlinearProblem::upper");
  refused(
      [](auto& p, auto&) {
        p.lower = VectorXd{{1, 0}}, p.upper = VectorXd{{0, 0}};
      },
      "mpcc::NonlinearProblem::lower");
  refused([](auto& p, auto&) { p.f.value = [](ConstVectorRef, VectorRef) {}; }, "mpcc::NonlinearProblem");
  refused(
      [](auto& p, auto&) {
        p.hessian = [](ConstVectorRef, ConstVectorRef, ConstVectorRef, ConstVectorRef, Sparse& L) { L.resize(1, 1); };
      },
      "mpcc::NonlinearProblem::hessian");
  refused(
      [](auto& p, auto&) {
        p.hessian = [](ConstVectorRef, ConstVectorRef, ConstVectorRef, ConstVectorRef, Sparse& L) {
          L.insert(0, 0) = L.insert(1, 1) = 2.0;
          L.insert(1, 0) = 1.0;  // one triangle
        };
      },
      "mpcc::NonlinearProblem::hessian");
  refused([](auto&, auto& o) { o.tolerance = 0; }, "mpcc::NonlinearRelaxation::tolerance");
  refused([](auto&, auto& o) { o.max_steps = 0; }, "mpcc::NonlinearRelaxation::max_steps");
  refused([](auto&, auto& o) { o.start = VectorXd::Zero(3); }, "mpcc::NonlinearRelaxation::start");
  refused([](auto&, auto& o) { o.start = VectorXd{{0, infinity}}; }, "mpcc::NonlinearRelaxation::start");
  refused([](auto&, auto& o) { o.time_limit = 0; }, "mpcc::NonlinearRelaxation::time_limit");
  SparseProblem sparse_one{.Q = Sparse(2, 2), .c = VectorXd::Zero(2), .G = Sparse(1, 3), .g = VectorXd::Zero(1)};
  expect_refused([&] { static_cast<void>(mpcc::solve(sparse_one, NonlinearRelaxation{})); }, "mpcc::SparseProblem::G");
  EXPECT_THROW(static_cast<void>(mpcc::linearize(exponential(), VectorXd::Zero(3))), InvalidArgument);
}

TEST(NonlinearMpcc, AJacobianThatDoesNotMatchIsTold) {
  // (x - 1)^2 + (y - 2)^2 and the pair (x, y); one entry of one map wrong at a time.
  const auto linear = [](double of_x, double of_y, double wrong) {
    return NonlinearMap{
        .num_unknowns = 2,
        .num_values = 1,
        .value = [=](ConstVectorRef x, VectorRef f) { f[0] = of_x * x[0] + of_y * x[1]; },
        .dense_jacobian = [=](ConstVectorRef, MatrixRef J) { J << of_x, of_y + wrong; },
    };
  };
  const auto problem_with = [&](double in_f, double in_c, double in_G, double in_H) {
    NonlinearProblem problem{.f = {.num_unknowns = 2, .num_values = 1},
                             .c = linear(1, 1, in_c),
                             .row_upper = VectorXd{{9}},
                             .G = linear(1, 0, in_G),
                             .H = linear(0, 1, in_H)};
    problem.f.value = [](ConstVectorRef x, VectorRef f) {
      f[0] = (x[0] - 1.0) * (x[0] - 1.0) + (x[1] - 2.0) * (x[1] - 2.0);
    };
    problem.f.dense_jacobian = [in_f](ConstVectorRef x, MatrixRef J) {
      J << 2.0 * (x[0] - 1.0), 2.0 * (x[1] - 2.0) + in_f;
    };
    return problem;
  };
  const NonlinearRelaxation checked{.start = VectorXd{{0.25, 0.5}}, .check_jacobian = true};
  EXPECT_TRUE(mpcc::solve(problem_with(0, 0, 0, 0), checked).ok());
  const auto told = [&](const NonlinearProblem& problem, const std::string& map, const std::string& entry) {
    const auto attempt = [&] { static_cast<void>(mpcc::solve(problem, checked)); };
    expect_refused(attempt, "mpcc::NonlinearProblem::" + map + ": the Jacobian");
    expect_refused(attempt, "entry (0, 1) of the Jacobian of F is " + entry + ", differences give ");
  };
  told(problem_with(6, 0, 0, 0), "f", "3");
  told(problem_with(0, 1, 0, 0), "c", "2");
  told(problem_with(0, 0, 1, 0), "G", "1");
  told(problem_with(0, 0, 0, 1), "H", "2");
}

}  // namespace
}  // namespace nonsmooth::nonlinear_bad_input_test
