// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <limits>
#include <random>

#include <nonsmooth/numerics/analysis/matrix_classes.hpp>
#include <nonsmooth/numerics/error.hpp>
#include <problems/analysis_matrices.hpp>
#include <problems/analysis_witnesses.hpp>
#include <problems/exact.hpp>

namespace nonsmooth::analysis::matrix_classes_test {
namespace {

using Eigen::MatrixXd;

TEST(MatrixClasses, KnowsTheSkewMatrixOfAZenerDiode) {
  const MatrixClasses c = classify(MatrixXd{{0.0, 1.0}, {-1.0, 0.0}});
  EXPECT_TRUE(c.skew_symmetric.holds());
  EXPECT_TRUE(c.symmetric.fails());
  EXPECT_TRUE(c.positive_semidefinite.holds());
  EXPECT_TRUE(c.positive_definite.fails());
  EXPECT_TRUE(c.p0.holds());
  EXPECT_TRUE(c.p.fails());
  EXPECT_EQ(c.p.rows.size(), 1u);
  EXPECT_TRUE(c.singular.fails());
  EXPECT_TRUE(c.copositive.holds());
  EXPECT_TRUE(c.strictly_copositive.fails());
  EXPECT_TRUE(c.column_sufficient.holds());
  EXPECT_TRUE(c.s.fails());   // y = (0, 1): M^T y = (-1, 0)
  EXPECT_TRUE(c.r0.fails());  // z = (0, 1): M z = (1, 0)
}

TEST(MatrixClasses, KnowsTheZeroMatrix) {
  const MatrixClasses c = classify(MatrixXd::Zero(3, 3));
  EXPECT_TRUE(c.zero.holds());
  EXPECT_TRUE(c.positive_semidefinite.holds());
  EXPECT_TRUE(c.p0.holds());
  EXPECT_TRUE(c.p.fails());
  EXPECT_TRUE(c.singular.holds());
  EXPECT_TRUE(c.nonnegative.holds());
  EXPECT_TRUE(c.r0.fails());
  EXPECT_TRUE(c.m.fails());
}

// Horn's form: copositive, zero in some x >= 0, neither semidefinite nor nonnegative nor a sum of such matrices
// (Hall & Newman 1963).
TEST(MatrixClasses, KnowsHornsMatrixInAnyUnits) {
  const MatrixXd H{{1, -1, 1, 1, -1}, {-1, 1, -1, 1, 1}, {1, -1, 1, -1, 1}, {1, 1, -1, 1, -1}, {-1, 1, 1, -1, 1}};
  const Eigen::VectorXd d{{1.0, 1024.0, 0.25, 1.0 / 65536.0, 8.0}};
  for (const MatrixXd& M : {H, MatrixXd(d.asDiagonal() * H * d.asDiagonal())}) {
    const MatrixClasses c = classify(M);
    EXPECT_TRUE(c.copositive.holds()) << c.copositive.reason;
    EXPECT_TRUE(c.strictly_copositive.fails()) << c.strictly_copositive.reason;
    EXPECT_TRUE(c.positive_semidefinite.fails());
    EXPECT_TRUE(c.nonnegative.fails());
  }
  // A thousandth less on the diagonal: the zero x = (1, 1, 0, 0, 0) becomes negative; as much more: strictly.
  EXPECT_TRUE(classify(H - 1e-3 * MatrixXd::Identity(5, 5)).copositive.fails());
  EXPECT_TRUE(classify(H + 1e-3 * MatrixXd::Identity(5, 5)).strictly_copositive.holds());
}

// Murty 1978: ones on the diagonal, twos below: P by triangularity, with x^T M x < 0 for no x >= 0 but for some x.
TEST(MatrixClasses, KnowsMurtysMatrixOfAnySize) {
  for (const Index n : {3, 20, 60}) {
    MatrixXd M = MatrixXd::Identity(n, n);
    for (Index i = 0; i < n; ++i) M.row(i).head(i).setConstant(2.0);
    const MatrixClasses c = classify(M);
    EXPECT_TRUE(c.p.holds());
    EXPECT_TRUE(c.positive_semidefinite.holds());  // M + M^T = 2 (1 1^T)
    EXPECT_TRUE(c.positive_definite.fails());
    EXPECT_TRUE(c.strictly_copositive.holds());
    // The comparison matrix is triangular, but C x = 1 has x_k = 3^k: beyond 2^53 the sums cancel to nothing.
    EXPECT_EQ(c.h_plus.verdict, n <= 20 ? Verdict::Holds : Verdict::NotKnown);
    EXPECT_TRUE(c.z.fails());
  }
}

// A cycle M = I + t S, S the cyclic shift of order n: det M = 1 - (-t)^n, and all smaller minors are 1.
TEST(MatrixClasses, DecidesTheMinorOfACycle) {
  for (const Index n : {3, 4, 11, 20}) {
    MatrixXd M = MatrixXd::Identity(n, n);
    for (const double t : {0.999, 1.0, 1.001, -0.999, -1.0, -1.001}) {
      for (Index i = 0; i < n; ++i) M(i, (i + 1) % n) = t;
      const bool vanishes = t == -1.0 || (t == 1.0 && n % 2 == 0);
      const bool negative = t == -1.001 || (t == 1.001 && n % 2 == 0);
      const MatrixClasses c = classify(M);
      EXPECT_EQ(c.p.verdict, vanishes || negative ? Verdict::Fails : Verdict::Holds) << n << ' ' << t;
      EXPECT_EQ(c.p0.verdict, negative ? Verdict::Fails : Verdict::Holds) << n << ' ' << t;
      EXPECT_EQ(c.nondegenerate.verdict, vanishes ? Verdict::Fails : Verdict::Holds) << n << ' ' << t;
      EXPECT_EQ(std::ssize(c.p.rows), vanishes || negative ? n : 0);
    }
  }
}

TEST(MatrixClasses, LeavesWhatRoundOffHides) {
  // v v^T of rounded numbers is singular but for its rounding.
  const Eigen::VectorXd v{{0.1, 0.7, 1.0 / 3.0, -0.2}};
  MatrixXd M = v * v.transpose();
  for (Index i = 0; i < 4; ++i) M(i, i) *= 1.0 + 1e-16;
  const MatrixClasses c = classify(M);
  EXPECT_FALSE(c.positive_definite.holds());
  EXPECT_TRUE(c.singular.holds());
  // With an error of the entries it is surely not known.
  const MatrixOptions options{.entry_error = 1e-14 * M.cwiseAbs()};
  EXPECT_EQ(classify(M, options).positive_semidefinite.verdict, Verdict::NotKnown);
  EXPECT_EQ(classify(M, options).p.verdict, Verdict::NotKnown);
  EXPECT_EQ(classify(M, options).copositive.verdict, Verdict::NotKnown);
}

TEST(MatrixClasses, NeedsTheSecondRowForSufficiency) {
  // z = (1, -1/2) has z_1 (M z)_1 = 0, z_2 (M z)_2 = -1/4; transposed, z_1 (M^T z)_1 = z_1 z_2 and z_2^2 are not both
  // <= 0 but for z_2 = 0.
  const MatrixXd M{{0.0, 0.0}, {1.0, 1.0}};
  EXPECT_TRUE(classify(M).column_sufficient.fails());
  EXPECT_TRUE(classify(M).row_sufficient.holds());
  EXPECT_TRUE(classify(M.transpose()).column_sufficient.holds());
  EXPECT_TRUE(classify(M.transpose()).row_sufficient.fails());
}

TEST(MatrixClasses, SplitsLargeMatricesIntoBlocks) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> entry(-1.0, 1.0);
  const Index n = 90, size = 6;
  MatrixXd M = MatrixXd::NullaryExpr(n, n, [&] { return 30.0 * entry(random); }).triangularView<Eigen::StrictlyUpper>();
  for (Index first = 0; first < n; first += size) {  // cycles of order 6 with det = 1 - 0.9^6
    M.block(first, first, size, size).setIdentity();
    for (Index i = 0; i < size; ++i) M(first + i, first + (i + 1) % size) = 0.9;
  }
  EXPECT_TRUE(classify(M).p.holds());
  EXPECT_TRUE(classify(M).positive_semidefinite.fails());
  M(n - 1, n - size) = 1.3;  // det = 1 - 1.3 0.9^5 > 0
  EXPECT_TRUE(classify(M).p.holds());
  M(n - 1, n - size) = 1.8;  // < 0
  const Finding p0 = classify(M).p0;
  EXPECT_TRUE(p0.fails());
  EXPECT_EQ(p0.rows, (std::vector<Index>{84, 85, 86, 87, 88, 89}));
  // A full block of 90 rows is beyond all minors; nothing sufficient holds.
  M(n - 1, 0) = 1e-3;
  M(n - 1, n - size) = 1.3;
  EXPECT_EQ(classify(M).p.verdict, Verdict::NotKnown);
}

TEST(MatrixClasses, RefusesWhatIsNoSquareMatrix) {
  EXPECT_THROW((void)classify(MatrixXd(0, 0)), InvalidArgument);
  EXPECT_THROW((void)classify(MatrixXd::Zero(2, 3)), InvalidArgument);
  MatrixXd M = MatrixXd::Identity(2, 2);
  EXPECT_THROW((void)classify(M, {.max_exact = 0}), InvalidArgument);
  EXPECT_THROW((void)classify(M, {.max_exact = 25}), InvalidArgument);
  EXPECT_THROW((void)classify(M, {.entry_error = MatrixXd::Zero(3, 3)}), InvalidArgument);
  EXPECT_THROW((void)classify(M, {.entry_error = -MatrixXd::Identity(2, 2)}), InvalidArgument);
  M(0, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW((void)classify(M), InvalidArgument);
}

// Small integers, where minors of zero are frequent, and near them: P, P0 and nondegeneracy against all principal
// minors in exact arithmetic. Integers are always decided.
TEST(MatrixClasses, AgreesWithExactPrincipalMinors) {
  std::mt19937_64 random(31);
  std::uniform_int_distribution<int> integer(-2, 3), diagonal(0, 6);
  std::uniform_real_distribution<double> shift(-1e-15, 1e-15);
  int verdicts[2] = {};
  for (int trial = 0; trial < 300; ++trial) {
    const Index n = 2 + trial % 4;
    const bool shifted = trial % 3 == 0;
    MatrixXd M(n, n);
    for (double& entry : M.reshaped()) entry = integer(random) * (shifted ? 1.0 + shift(random) : 1.0);
    for (double& entry : M.diagonal()) entry = diagonal(random) * (shifted ? 1.0 + shift(random) : 1.0);
    const MatrixClasses classes = classify(M);
    const problems::MinorSigns signs = problems::exact_minor_signs(M);
    const auto expect = [&](const Finding& finding, bool holds) {
      if (shifted && finding.verdict == Verdict::NotKnown) return;
      EXPECT_EQ(finding.verdict, holds ? Verdict::Holds : Verdict::Fails) << trial << '\n' << M;
    };
    expect(classes.p, signs.zero == 0 && signs.negative == 0);
    expect(classes.p0, signs.negative == 0);
    expect(classes.nondegenerate, signs.zero == 0);
    if (classes.p.fails()) {
      EXPECT_LE(problems::exact_minor_sign(M, classes.p.rows), 0) << trial;
    }
    if (classes.p0.fails()) {
      EXPECT_LT(problems::exact_minor_sign(M, classes.p0.rows), 0) << trial;
    }
    if (classes.nondegenerate.fails()) {
      EXPECT_EQ(problems::exact_minor_sign(M, classes.nondegenerate.rows), 0) << trial;
    }
    ++verdicts[classes.p.holds() ? 1 : 0];
  }
  EXPECT_GT(verdicts[0], 30);
  EXPECT_GT(verdicts[1], 30);
}

class ConstructedMatrices : public ::testing::TestWithParam<int> {};

// No verdict is wrong, every witness is one, and what a construction knows with a margin is decided. Integers of half
// rank are only found semidefinite while their minors have less than 53 bits.
TEST_P(ConstructedMatrices, GetTheirVerdicts) {
  long missed = 0, due = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    std::mt19937_64 random(1000 * seed + static_cast<std::uint64_t>(GetParam()));
    const problems::ClassifiedMatrix instance = problems::random_classified_matrix(GetParam(), random);
    const MatrixClasses classes = classify(instance.M);
    for (const problems::KnownClass& known : instance.known) {
      const Finding& finding = classes.*known.member;
      ++due;
      if (finding.verdict == Verdict::NotKnown) {
        ++missed;
        continue;
      }
      EXPECT_EQ(finding.holds(), known.holds) << instance.name << ", " << known.name << ", seed " << seed << '\n'
                                              << instance.M;
    }
    EXPECT_EQ(problems::false_witness(instance.M, classes), "") << instance.name << ", seed " << seed;
    EXPECT_EQ(problems::contradiction(classes), "") << instance.name << ", seed " << seed;
  }
  EXPECT_LE(50 * missed, due);
}
INSTANTIATE_TEST_SUITE_P(All, ConstructedMatrices, ::testing::Range(0, problems::num_matrix_families));

}  // namespace
}  // namespace nonsmooth::analysis::matrix_classes_test
