// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/nonlinear_map.hpp>

namespace nonsmooth::nonlinear_map_test {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();
const Eigen::VectorXd unbounded{};

/// F = (x_0^2 + exp x_1, log x_0, 3 x_1): n = 2, m = 3.
NonlinearMap map() {
  return {.num_unknowns = 2,
          .num_values = 3,
          .value = [](ConstVectorRef x, VectorRef f) { f << x[0] * x[0] + std::exp(x[1]), std::log(x[0]), 3.0 * x[1]; },
          .unknown_names = {"price", "stock"}};
}

void write_dense(ConstVectorRef x, MatrixRef J) {
  J(0, 0) = 2.0 * x[0];
  J(0, 1) = std::exp(x[1]);
  J(1, 0) = 1.0 / x[0];
  J(2, 1) = 3.0;
}

void write_sparse(ConstVectorRef x, Eigen::SparseMatrix<double>& J) {
  J.coeffRef(0, 0) = 2.0 * x[0];
  J.coeffRef(0, 1) = std::exp(x[1]);
  J.coeffRef(1, 0) = 1.0 / x[0];
  J.coeffRef(2, 1) = 3.0;
}

Eigen::MatrixXd jacobian_of(const NonlinearMap& F, const Eigen::VectorXd& x, const Eigen::VectorXd& lower = unbounded,
                            const Eigen::VectorXd& upper = unbounded) {
  Eigen::VectorXd f(F.num_values);
  EXPECT_FALSE(evaluate(F, x, f));
  Eigen::MatrixXd dense;
  EXPECT_FALSE(evaluate_jacobian(F, x, f, lower, upper, dense));
  Eigen::SparseMatrix<double> sparse;
  EXPECT_FALSE(evaluate_jacobian(F, x, f, lower, upper, sparse));
  EXPECT_TRUE(sparse.isCompressed());
  EXPECT_EQ(Eigen::MatrixXd(sparse), dense);
  return dense;
}

TEST(NonlinearMap, EveryFormOfTheJacobianIsTheSame) {
  const Eigen::VectorXd x{{2.0, 1.0}};
  const Eigen::MatrixXd exact{{4.0, std::exp(1.0)}, {0.5, 0.0}, {0.0, 3.0}};
  NonlinearMap dense = map(), sparse = map();
  dense.dense_jacobian = write_dense;
  sparse.jacobian = write_sparse;
  EXPECT_EQ(jacobian_of(dense, x), exact);
  EXPECT_EQ(jacobian_of(sparse, x), exact);
  // Forward differences: h F'' / 2 with h = 2 sqrt(eps), F'' <= e, and rounding 2 eps |F| / h with |F| < 7, in all
  // below 4e-8 + 1.1e-7.
  EXPECT_LE((jacobian_of(map(), x) - exact).cwiseAbs().maxCoeff(), 2e-7);
}

TEST(NonlinearMap, DifferencesStayWithinBounds) {
  // log and sqrt exist on one side alone.
  const NonlinearMap F{.num_unknowns = 1, .num_values = 1, .value = [](ConstVectorRef x, VectorRef f) {
                         f[0] = x[0] > 1.0 ? nan : std::sqrt(1.0 - x[0]) + x[0];
                       }};
  const Eigen::VectorXd x{{1.0}}, lower{{0.0}}, upper{{1.0}};
  const double h = std::sqrt(std::numeric_limits<double>::epsilon());
  // (1 - F(1 - h)) / h = 1 - sqrt(h) / h.
  EXPECT_NEAR(jacobian_of(F, x, lower, upper)(0, 0), 1.0 - std::sqrt(h) / h, 1e-6 / std::sqrt(h));
  EXPECT_NEAR(jacobian_of(F, x)(0, 0), 1.0 - std::sqrt(h) / h, 1e-6 / std::sqrt(h));  // the other side, found by trying
  EXPECT_EQ(jacobian_of(F, Eigen::VectorXd{{0.5}}, Eigen::VectorXd{{0.5}}, Eigen::VectorXd{{0.5}})(0, 0),
            0.0);                     // fixed
  const double narrow = 0.5 + 1e-10;  // less than h on the one side
  const double slope = jacobian_of(F, Eigen::VectorXd{{0.5}}, Eigen::VectorXd{{0.5}}, Eigen::VectorXd{{narrow}})(0, 0);
  EXPECT_NEAR(slope, 1.0 - 0.5 / std::sqrt(0.5), 1e-5);  // rounding: 2 eps / 1e-10
}

TEST(NonlinearMap, SizesSetTheStep) {
  // F = sin(1e6 x): steps of 1.5e-8 see an arc of 0.015, those for sizes of 1e-6 one of 1.5e-8.
  NonlinearMap F{
      .num_unknowns = 1, .num_values = 1, .value = [](ConstVectorRef x, VectorRef f) { f[0] = std::sin(1e6 * x[0]); }};
  const Eigen::VectorXd x{{1e-6}};
  const double exact = 1e6 * std::cos(1.0);
  EXPECT_GT(std::abs(jacobian_of(F, x)(0, 0) - exact), 1e3);
  F.sizes = Eigen::VectorXd{{1e-6}};
  EXPECT_LT(std::abs(jacobian_of(F, x)(0, 0) - exact), 0.1);  // 1e6 (h / 2 + 2 eps / h) with h = 1.5e-8
}

TEST(NonlinearMap, TellsWhatIsNotFiniteAndWhere) {
  NonlinearMap F = map();
  F.value_names = {"cost", "demand", "profit"};
  Eigen::VectorXd f(3);
  const std::optional<NotFinite> found = evaluate(F, Eigen::VectorXd{{-1.0, 2.0}}, f);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->component, 1);
  EXPECT_EQ(found->unknown, -1);
  EXPECT_EQ(found->x, (Eigen::VectorXd{{-1.0, 2.0}}));
  const std::string text = found->message(F);
  EXPECT_NE(text.find("nan in component 1 (demand) of F at x = (-1, 2)"), std::string::npos) << text;
  EXPECT_FALSE(evaluate(F, Eigen::VectorXd{{1.0, 2.0}}, f));
}

TEST(NonlinearMap, AnEntryThatIsNotWrittenIsTold) {
  NonlinearMap F = map();
  F.value = [](ConstVectorRef, VectorRef f) { f[0] = f[1] = 1.0; };
  Eigen::VectorXd f = Eigen::VectorXd::Zero(3);
  const std::optional<NotFinite> found = evaluate(F, Eigen::VectorXd::Zero(2), f);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->component, 2);
}

TEST(NonlinearMap, TellsTheEntryOfAJacobianThatIsNotFinite) {
  NonlinearMap dense = map(), sparse = map();
  dense.dense_jacobian = [](ConstVectorRef x, MatrixRef J) {
    write_dense(x, J);
    J(2, 1) = infinity;
  };
  sparse.jacobian = [](ConstVectorRef x, Eigen::SparseMatrix<double>& J) {
    write_sparse(x, J);
    J.coeffRef(2, 1) = infinity;
  };
  const Eigen::VectorXd x = Eigen::VectorXd::Ones(2);
  Eigen::VectorXd f(3);
  ASSERT_FALSE(evaluate(dense, x, f));
  for (const NonlinearMap& F : {dense, sparse}) {
    Eigen::MatrixXd J;
    const std::optional<NotFinite> found = evaluate_jacobian(F, x, f, unbounded, unbounded, J);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->component, 2);
    EXPECT_EQ(found->unknown, 1);
    EXPECT_NE(found->message(F).find("inf in component 2 of F's derivative by unknown 1 (stock)"), std::string::npos)
        << found->message(F);
  }
  // Differences where neither side exists.
  const NonlinearMap lonely{.num_unknowns = 1, .num_values = 1, .value = [](ConstVectorRef y, VectorRef g) {
                              g[0] = y[0] == 0.0 ? 0.0 : nan;
                            }};
  Eigen::MatrixXd J;
  const std::optional<NotFinite> found =
      evaluate_jacobian(lonely, Eigen::VectorXd::Zero(1), Eigen::VectorXd::Zero(1), unbounded, unbounded, J);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->unknown, 0);
}

TEST(NonlinearMap, LongPointsAreCutButShowWhatMatters) {
  NonlinearMap F{.num_unknowns = 20, .num_values = 20, .value = [](ConstVectorRef x, VectorRef f) { f = x; }};
  Eigen::VectorXd x = Eigen::VectorXd::Zero(20), f(20);
  x[12] = infinity;
  const std::optional<NotFinite> found = evaluate(F, x, f);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->message(F), "inf in component 12 of F at x = (0, 0, 0, 0, 0, 0, 0, ..., [12] = inf)");
}

TEST(JacobianComparison, AgreesWithARightOne) {
  NonlinearMap F = map();
  EXPECT_TRUE(compare_jacobian(F, Eigen::VectorXd{{2.0, 1.0}}).agrees);  // none given
  F.dense_jacobian = write_dense;
  for (const double price : {1e-3, 1.0, 1e3}) {
    for (const double stock : {-30.0, 0.0, 1.0}) {
      const JacobianComparison found = compare_jacobian(F, Eigen::VectorXd{{price, stock}});
      EXPECT_TRUE(found.agrees) << found.message(F);
      EXPECT_EQ(found.skipped_columns, 0);
    }
  }
}

TEST(JacobianComparison, NamesTheWrongEntry) {
  NonlinearMap F = map();
  F.jacobian = [](ConstVectorRef x, Eigen::SparseMatrix<double>& J) {
    write_sparse(x, J);
    J.coeffRef(1, 0) = -1.0 / x[0];
  };
  const JacobianComparison found = compare_jacobian(F, Eigen::VectorXd{{2.0, 1.0}});
  EXPECT_FALSE(found.agrees);
  EXPECT_EQ(found.wrong_entries, 1);
  EXPECT_EQ(found.row, 1);
  EXPECT_EQ(found.column, 0);
  EXPECT_EQ(found.given, -0.5);
  EXPECT_NEAR(found.difference, 0.5, 1e-8);  // h^2 F''' / 6 + eps / h
  EXPECT_NE(found.message(F).find("entry (1, 0 (price)) of the Jacobian of F is -0.5, differences give 0."),
            std::string::npos)
      << found.message(F);
}

TEST(JacobianComparison, NamesAnEntryThatIsMissingAndOneTooMany) {
  NonlinearMap F = map();
  F.jacobian = [](ConstVectorRef x, Eigen::SparseMatrix<double>& J) {
    J.coeffRef(0, 0) = 2.0 * x[0];
    J.coeffRef(0, 1) = std::exp(x[1]);
    J.coeffRef(1, 0) = 1.0 / x[0];
    J.coeffRef(2, 0) = 3.0;  // (2, 1) it should be
  };
  const JacobianComparison found = compare_jacobian(F, Eigen::VectorXd{{2.0, 1.0}});
  EXPECT_EQ(found.wrong_entries, 2);
  EXPECT_EQ(found.row, 2);
  EXPECT_NEAR(found.error, 1.0, 1e-9);  // less what rounding allows
}

TEST(JacobianComparison, TakesAnyDerivativeAtAKinkAndZeroWhereOddPowersVanish) {
  NonlinearMap F{.num_unknowns = 1, .num_values = 2, .value = [](ConstVectorRef x, VectorRef f) {
                   f << std::abs(x[0]), x[0] * x[0] * x[0];
                 }};
  for (const double slope : {-1.0, 0.3, 1.0, 1.1}) {
    F.dense_jacobian = [slope](ConstVectorRef, MatrixRef J) { J << slope, 0.0; };
    EXPECT_EQ(compare_jacobian(F, Eigen::VectorXd{{0.0}}).agrees, slope <= 1.0) << slope;
  }
}

TEST(JacobianComparison, TakesTheDerivativesOfEitherSideAtACurvedKink) {
  // F = |x - 2| + x^3 / 3, F' from 3 to 5 at 2. Differences to the left are 3 - 2 h: outside of 3 by 1e-5.
  for (const double slope : {3.0, 4.0, 5.0}) {
    for (const double miss : {0.0, 1e-4}) {
      const NonlinearMap map{
          .num_unknowns = 1,
          .num_values = 1,
          .value = [](ConstVectorRef x, VectorRef f) { f[0] = std::abs(x[0] - 2.0) + x[0] * x[0] * x[0] / 3.0; },
          .dense_jacobian = [slope, miss](ConstVectorRef,
                                          MatrixRef J) { J(0, 0) = slope + (slope > 4.0 ? miss : -miss); }};
      const bool is_inside = miss == 0.0 || slope == 4.0;
      EXPECT_EQ(compare_jacobian(map, Eigen::VectorXd::Constant(1, 2.0)).agrees, is_inside) << slope << ", " << miss;
    }
  }
}

TEST(JacobianComparison, LooksOnTheSideThatIsThere) {
  NonlinearMap F{.num_unknowns = 1,
                 .num_values = 1,
                 .value = [](ConstVectorRef x, VectorRef f) { f[0] = std::pow(x[0], 1.5); },
                 .dense_jacobian = [](ConstVectorRef x, MatrixRef J) { J(0, 0) = 1.5 * std::sqrt(x[0]); }};
  const JacobianComparison at_zero = compare_jacobian(F, Eigen::VectorXd{{0.0}});
  EXPECT_TRUE(at_zero.agrees) << at_zero.message(F);
  EXPECT_EQ(at_zero.skipped_columns, 0);
  const JacobianComparison fixed =
      compare_jacobian(F, Eigen::VectorXd{{1.0}}, Eigen::VectorXd{{1.0}}, Eigen::VectorXd{{1.0}});
  EXPECT_EQ(fixed.skipped_columns, 1);  // nowhere to go
}

TEST(NonlinearMap, RefusesWhatIsMalformed) {
  const auto refused = [](auto&& spoil, const char* argument) {
    NonlinearMap F = map();
    spoil(F);
    try {
      F.validate();
      ADD_FAILURE() << "not refused: " << argument;
    } catch (const InvalidArgument& error) {
      EXPECT_EQ(error.argument(), argument);
    }
  };
  refused([](NonlinearMap& F) { F.num_unknowns = 0; }, "NonlinearMap::num_unknowns");
  refused([](NonlinearMap& F) { F.num_values = -1; }, "NonlinearMap::num_values");
  refused([](NonlinearMap& F) { F.value = nullptr; }, "NonlinearMap::value");
  refused(
      [](NonlinearMap& F) {
        F.jacobian = write_sparse;
        F.dense_jacobian = write_dense;
      },
      "NonlinearMap::dense_jacobian");
  refused([](NonlinearMap& F) { F.sizes = Eigen::VectorXd::Ones(3); }, "NonlinearMap::sizes");
  refused([](NonlinearMap& F) { F.sizes = Eigen::VectorXd{{1.0, 0.0}}; }, "NonlinearMap::sizes: entry 1");
  refused([](NonlinearMap& F) { F.unknown_names = {"one"}; }, "NonlinearMap::unknown_names");
  refused([](NonlinearMap& F) { F.value_names = {"one", "two"}; }, "NonlinearMap::value_names");
  NonlinearMap F = map();
  F.jacobian = [](ConstVectorRef, Eigen::SparseMatrix<double>& J) { J.resize(2, 2); };
  Eigen::SparseMatrix<double> J;
  EXPECT_THROW(static_cast<void>(
                   evaluate_jacobian(F, Eigen::VectorXd::Ones(2), Eigen::VectorXd::Ones(3), unbounded, unbounded, J)),
               InvalidArgument);
  F.jacobian = write_sparse;
  EXPECT_THROW(static_cast<void>(compare_jacobian(F, Eigen::VectorXd::Ones(3))), InvalidArgument);
  EXPECT_THROW(static_cast<void>(compare_jacobian(F, Eigen::VectorXd{{-1.0, 0.0}})), InvalidArgument);  // log
}

}  // namespace
}  // namespace nonsmooth::nonlinear_map_test
