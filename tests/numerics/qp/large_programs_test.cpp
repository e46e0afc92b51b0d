// SPDX-License-Identifier: Apache-2.0
// Published programs by their values, and large ones.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include <nonsmooth/numerics/qp.hpp>

#include <problems/qp.hpp>

namespace nonsmooth::large_programs_test {
namespace {

using Vector = Eigen::VectorXd;

/// Values as Maros and Meszaros 1999 print them, 9 digits.
struct SparseCase {
  std::string name;
  qp::SparseProblem problem;
  double value;
};

void expect_value(const SparseCase& one, const qp::Result& result) {
  ASSERT_TRUE(result.ok()) << one.name << ": " << result.message();
  EXPECT_NEAR(result.figures.value, one.value, 5e-9 * std::abs(one.value)) << one.name;
}

TEST(QpPublished, Cvxqp) {
  const std::vector<SparseCase> cases = {
      {"CVXQP1_S", problems::cvxqp(1, 100), 1.15907181e4},  {"CVXQP2_S", problems::cvxqp(2, 100), 8.12094048e3},
      {"CVXQP3_S", problems::cvxqp(3, 100), 1.19434322e4},  {"CVXQP1_M", problems::cvxqp(1, 1000), 1.08751157e6},
      {"CVXQP2_M", problems::cvxqp(2, 1000), 8.20155431e5}, {"CVXQP3_M", problems::cvxqp(3, 1000), 1.36282874e6}};
  for (const SparseCase& one : cases) {
    expect_value(one, qp::solve(one.problem));
    if (one.problem.c.size() <= 100) expect_value(one, qp::solve(problems::dense(one.problem)));
  }
}

TEST(QpPublished, Powell20) {
  for (const Index n : {10, 100, 1000}) {
    const qp::Result sparse = qp::solve(problems::powell20(n));
    // The published values, 57.8125 for n = 10 and 5.20895828e10 for 10 000, are this cubic's.
    const double k = double(n), value = k * k * k / 19.2 + k * k / 16.0 - k / 19.2;
    expect_value({"POWELL20", {}, value}, sparse);
    if (n > 100) continue;
    const qp::Result dense = qp::solve(problems::dense(problems::powell20(n)), qp::DualActiveSet{});
    ASSERT_TRUE(dense.ok()) << dense.message();
    EXPECT_NEAR(dense.figures.value, value, 1e-11 * value);
  }
}

TEST(QpPublished, Yao) {
  double constant = 0.0;
  const qp::Result result = qp::solve(problems::yao(20, constant));
  ASSERT_TRUE(result.ok()) << result.message();
  EXPECT_NEAR(result.figures.value + constant, 2.39883, 5e-6);  // six digits were published
  // Multipliers of 1400, which the interior point needs many steps for without a better certificate.
  const qp::SparseProblem large = problems::yao(200, constant);
  const qp::Result active = qp::solve(problems::dense(large), qp::DualActiveSet{});
  const qp::Result interior = qp::solve(large, qp::InteriorPoint{.tolerance = 1e-8});
  ASSERT_TRUE(active.ok()) << active.message();
  ASSERT_TRUE(interior.ok()) << interior.message();
  EXPECT_NEAR(interior.figures.value, active.figures.value, 1e-7 * std::abs(active.figures.value));
}

// Second differences at n points have squared singular values down to some 100 / n^4, which a regularisation of 1e-8
// hides from n = 400 on, and multipliers of n^2 / 30.
TEST(QpPublished, LargeYao) {
  for (const Index p : {400, 1000}) {
    double constant = 0.0;
    const qp::Result result = qp::solve(problems::yao(p, constant), qp::Automatic{.tolerance = 1e-8});
    ASSERT_TRUE(result.ok()) << p << ": " << result.message();
    EXPECT_LE(result.certificate.residual, 1e-8);
  }
}

TEST(QpPublished, YaoInUnitsThatMakeNumbersLarge) {
  double constant = 0.0;
  for (const double unit : {1.0, 1e6, 1e12}) {
    qp::SparseProblem problem = problems::yao(20, constant);  // x' = unit x, value as it was
    problem.Q /= unit * unit;
    problem.c /= unit;
    problem.lower *= unit;
    problem.upper *= unit;
    const qp::Result result = qp::solve(problem, qp::InteriorPoint{});
    ASSERT_TRUE(result.ok()) << unit << ": " << result.message();
    EXPECT_NEAR(result.figures.value + constant, 2.39883, 5e-6) << unit;
  }
}

TEST(QpLarge, WathenMatrices) {
  for (const Index k : {4, 12}) {
    const qp::SparseProblem problem = problems::wathen(k, k, 5);
    const qp::Result result = qp::solve(problem);
    ASSERT_TRUE(result.ok()) << problem.c.size() << ": " << result.message();
    if (k > 4) continue;
    const qp::Result dense = qp::solve(problems::dense(problem), qp::DualActiveSet{});
    ASSERT_TRUE(dense.ok()) << dense.message();
    EXPECT_NEAR(dense.figures.value, result.figures.value, 1e-9 * std::abs(dense.figures.value));
  }
}

// The rows of POWELL20 sum up to 0 >= 0: all are active, x is known but for a constant, and |x| is least where it sums
// up to 0. Its multipliers grow like n^2 / 16.
TEST(QpLarge, Powell20BeginsFromLargeMultipliers) {
  for (const Index n : {100, 10'000}) {
    const qp::SparseProblem problem = problems::powell20(n);
    const qp::Result result = qp::solve(problem);
    ASSERT_TRUE(result.ok()) << n << ": " << result.message();
    EXPECT_LE(result.iterations, 20) << n;
    Vector x = Vector::Zero(n);
    for (Index k = 0; k + 1 < n; ++k) x[k + 1] = x[k] + problem.row_lower[k];
    x.array() -= x.mean();
    // Each row is met to the residual of n, the size of the largest bound; n of them in a row.
    const double largest = static_cast<double>(n);
    EXPECT_LE((result.x - x).cwiseAbs().maxCoeff(), result.certificate.residual * largest * largest + 1e-12 * largest)
        << n;
  }
}

// 2000 second differences of the fit to a sine, which is concave: one change of all sides and a few more, where an
// interior point takes a hundred steps for multipliers of 1e5.
TEST(QpLarge, YaoByExchangesOfActiveSets) {
  for (const Index p : {200, 2000}) {
    double constant = 0.0;
    const qp::SparseProblem problem = problems::yao(p, constant);
    const qp::Result result = qp::solve(problem, qp::InteriorPoint{.tolerance = 1e-8});
    ASSERT_TRUE(result.ok()) << p << ": " << result.message();
    EXPECT_LE(result.iterations, 6) << p;
    Vector s(p + 2);
    EXPECT_LE(qp::certify(problem, result.x, result.y, s).residual, 1e-8) << p;
    EXPECT_NEAR(result.figures.value, result.figures.dual_value, 2e-8 * std::abs(result.figures.value)) << p;
  }
}

// Multipliers of 1e8, where slopes are 80: x of 80 in place of 0.08 was called solved, as its products counted no more
// than slopes ask for.
TEST(QpLarge, YaoIsSolvedWhereItsDualAgrees) {
  double constant = 0.0;
  const qp::SparseProblem problem = problems::yao(4000, constant);
  const qp::Result result = qp::solve(problem, qp::InteriorPoint{.tolerance = 1e-6});
  ASSERT_TRUE(result.ok()) << result.message();
  EXPECT_NEAR(result.figures.value, result.figures.dual_value, 2e-6 * std::abs(result.figures.value));
  EXPECT_LT(result.figures.value, 0.0);  // less than of x = (0.08, 0, ..., 0)
}

}  // namespace
}  // namespace nonsmooth::large_programs_test
