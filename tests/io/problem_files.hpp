// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <concepts>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include <nonsmooth/io/problem_file.hpp>
#include <nonsmooth/numerics/error.hpp>

namespace nonsmooth::problem_files_test {

inline constexpr double infinity = std::numeric_limits<double>::infinity();
/// Doubles that a careless print or parse loses.
inline constexpr double tiny = std::numeric_limits<double>::denorm_min();
inline constexpr double huge = std::numeric_limits<double>::max();
inline constexpr double third = 1.0 / 3.0;

/// A folder of its own for each test, empty at the start and gone at the end.
class Files : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(::testing::TempDir()) /
              ("nonsmooth_" + std::string(info->test_suite_name()) + "_" + info->name());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  [[nodiscard]] std::filesystem::path file(const std::string& name) const { return folder_ / name; }

 private:
  std::filesystem::path folder_;
};

/// what() of the exception of this type that the call throws.
template <class Exception, class Call>
std::string complaint(Call call) {
  try {
    call();
  } catch (const Exception& error) {
    return error.what();
  }
  return "no such exception";
}

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

inline void expect_same(double a, double b) {
  EXPECT_EQ(std::bit_cast<std::uint64_t>(a), std::bit_cast<std::uint64_t>(b)) << a << " and " << b;
}
inline void expect_same(const ConstMatrixRef& a, const ConstMatrixRef& b) {
  ASSERT_EQ(a.rows(), b.rows());
  ASSERT_EQ(a.cols(), b.cols());
  for (Index j = 0; j < a.cols(); ++j) {
    for (Index i = 0; i < a.rows(); ++i) expect_same(a(i, j), b(i, j));
  }
}
inline void expect_same(const Eigen::SparseMatrix<double>& a, const Eigen::SparseMatrix<double>& b) {
  ASSERT_EQ(a.rows(), b.rows());
  ASSERT_EQ(a.cols(), b.cols());
  ASSERT_EQ(a.nonZeros(), b.nonZeros());
  for (Index j = 0; j < a.outerSize(); ++j) {
    Eigen::SparseMatrix<double>::InnerIterator y(b, j);
    for (Eigen::SparseMatrix<double>::InnerIterator x(a, j); x; ++x, ++y) {
      ASSERT_TRUE(y);
      EXPECT_EQ(x.row(), y.row());
      expect_same(x.value(), y.value());
    }
  }
}
inline void expect_same(const BlockSparseMatrix& a, const BlockSparseMatrix& b) {
  ASSERT_EQ(a.num_block_rows(), b.num_block_rows());
  ASSERT_EQ(a.num_blocks(), b.num_blocks());
  for (Index i = 0; i < a.num_block_rows(); ++i) {
    ASSERT_EQ(a.offset(i + 1), b.offset(i + 1));
    ASSERT_EQ(a.row_begin(i + 1), b.row_begin(i + 1));
    for (Index k = a.row_begin(i); k < a.row_begin(i + 1); ++k) {
      ASSERT_EQ(a.column(k), b.column(k));
      expect_same(Eigen::MatrixXd(a.block(i, k)), Eigen::MatrixXd(b.block(i, k)));
    }
  }
}
inline void expect_same(const ProductSet& a, const ProductSet& b) {
  ASSERT_EQ(a.num_blocks(), b.num_blocks());
  for (Index i = 0; i < a.num_blocks(); ++i) {
    EXPECT_EQ(a[i], b[i]) << "block " << i;
    EXPECT_EQ(a.size(i), b.size(i)) << "block " << i;
  }
}
template <class P>
concept Lcp = std::same_as<P, lcp::Problem> || std::same_as<P, lcp::SparseProblem>;
template <class P>
concept RelayProblem = std::same_as<P, relay::Problem> || std::same_as<P, relay::SparseProblem>;
template <class P>
concept Mlcp = std::same_as<P, mlcp::Problem> || std::same_as<P, mlcp::SparseProblem>;

template <Lcp P>
void expect_same(const P& a, const P& b) {
  expect_same(a.M, b.M);
  expect_same(a.q, b.q);
}
template <RelayProblem P>
void expect_same(const P& a, const P& b) {
  expect_same(a.M, b.M);
  expect_same(a.q, b.q);
  expect_same(a.lower, b.lower);
  expect_same(a.upper, b.upper);
}
template <Mlcp P>
void expect_same(const P& a, const P& b) {
  expect_same(a.A, b.A);
  expect_same(a.B, b.B);
  expect_same(a.C, b.C);
  expect_same(a.D, b.D);
  expect_same(a.a, b.a);
  expect_same(a.b, b.b);
  expect_same(a.lower, b.lower);
  expect_same(a.upper, b.upper);
}
inline void expect_same(const mixed::Problem& a, const mixed::Problem& b) {
  expect_same(a.W, b.W);
  expect_same(a.q, b.q);
  expect_same(a.K, b.K);
}
inline void expect_same(const friction::GlobalProblem& a, const friction::GlobalProblem& b) {
  expect_same(a.A, b.A);
  expect_same(a.H, b.H);
  expect_same(a.f, b.f);
  expect_same(a.w, b.w);
  expect_same(a.K, b.K);
}
inline void expect_same_program(const auto& a, const auto& b) {
  expect_same(a.Q, b.Q);
  expect_same(a.c, b.c);
  expect_same(a.A, b.A);
  expect_same(a.row_lower, b.row_lower);
  expect_same(a.row_upper, b.row_upper);
  expect_same(a.lower, b.lower);
  expect_same(a.upper, b.upper);
}
inline void expect_same(const qp::Problem& a, const qp::Problem& b) { expect_same_program(a, b); }
inline void expect_same(const qp::SparseProblem& a, const qp::SparseProblem& b) { expect_same_program(a, b); }
inline void expect_same_pairs(const auto& a, const auto& b) {
  expect_same_program(a, b);
  expect_same(a.G, b.G);
  expect_same(a.g, b.g);
  expect_same(a.H, b.H);
  expect_same(a.h, b.h);
}
inline void expect_same(const mpcc::Problem& a, const mpcc::Problem& b) { expect_same_pairs(a, b); }
inline void expect_same(const mpcc::SparseProblem& a, const mpcc::SparseProblem& b) { expect_same_pairs(a, b); }
inline void expect_same(const cone_program::Problem& a, const cone_program::Problem& b) {
  expect_same(a.c, b.c);
  expect_same(a.A, b.A);
  expect_same(a.b, b.b);
  expect_same(a.G, b.G);
  expect_same(a.h, b.h);
  EXPECT_EQ(a.orthant, b.orthant);
  EXPECT_EQ(a.cones, b.cones);
}
inline void expect_same(const mcp::Problem&, const mcp::Problem&) { ADD_FAILURE() << "no file holds code"; }
inline void expect_same(const NonlinearMpcc&, const NonlinearMpcc&) { ADD_FAILURE() << "no file holds code"; }
inline void expect_same(const vi::Box& a, const vi::Box& b) {
  expect_same(a.lower, b.lower);
  expect_same(a.upper, b.upper);
}
inline void expect_same(const vi::Ball& a, const vi::Ball& b) {
  expect_same(a.center, b.center);
  expect_same(a.radius, b.radius);
}
inline void expect_same(const vi::HalfSpace& a, const vi::HalfSpace& b) {
  expect_same(a.a, b.a);
  expect_same(a.b, b.b);
}
inline void expect_same(const vi::Polyhedron& a, const vi::Polyhedron& b) {
  expect_same(a.A, b.A);
  expect_same(a.b, b.b);
  expect_same(a.C, b.C);
  expect_same(a.d, b.d);
}
inline void expect_same(const AffineVi& a, const AffineVi& b) {
  ASSERT_EQ(a.M.index(), b.M.index());
  std::visit([&](const auto& M) { expect_same(M, std::get<std::decay_t<decltype(M)>>(b.M)); }, a.M);
  expect_same(a.q, b.q);
  ASSERT_EQ(a.parts.size(), b.parts.size());
  for (std::size_t i = 0; i < a.parts.size(); ++i) {
    ASSERT_EQ(a.parts[i].index(), b.parts[i].index());
    std::visit([&](const auto& set) { expect_same(set, std::get<std::decay_t<decltype(set)>>(b.parts[i])); },
               a.parts[i]);
  }
}
inline void expect_same(const AffineQuasiVi& a, const AffineQuasiVi& b) {
  expect_same(a.base, b.base);
  ASSERT_EQ(a.slopes.size(), b.slopes.size());
  for (std::size_t i = 0; i < a.slopes.size(); ++i) {
    expect_same(a.slopes[i].B, b.slopes[i].B);
    expect_same(a.slopes[i].D, b.slopes[i].D);
  }
  ASSERT_EQ(a.T.index(), b.T.index());
  std::visit([&](const auto& T) { expect_same(T, std::get<std::decay_t<decltype(T)>>(b.T)); }, a.T);
  expect_same(a.t, b.t);
}
inline void expect_same(const AnyProblem& a, const AnyProblem& b) {
  ASSERT_EQ(a.index(), b.index());
  std::visit([&](const auto& problem) { expect_same(problem, std::get<std::decay_t<decltype(problem)>>(b)); }, a);
}

inline lcp::Problem dense_lcp() {
  return {.M = Eigen::Matrix3d{{1.0, -0.0, tiny}, {third, huge, -tiny}, {-third, 1e-300, 0.1}},
          .q = Eigen::Vector3d{-0.0, 2.0 * third, -1e308}};
}

inline lcp::SparseProblem sparse_lcp() {
  Eigen::SparseMatrix<double> M(3, 3);
  const std::vector<Eigen::Triplet<double>> entries = {
      {0, 0, third}, {2, 0, -tiny}, {1, 1, huge}, {0, 2, -0.0}, {2, 2, 0.1}};  // -0.0: an entry whose value is zero
  M.setFromTriplets(entries.begin(), entries.end());
  return {.M = M, .q = Eigen::Vector3d{0.1, -third, -0.0}};
}

inline relay::Problem dense_relay() {
  const lcp::Problem lcp = dense_lcp();
  return {.M = lcp.M,
          .q = lcp.q,
          .lower = Eigen::Vector3d{-infinity, -third, -0.0},
          .upper = Eigen::Vector3d{infinity, tiny, infinity}};
}

/// p rows, n free and m constrained unknowns.
inline mlcp::Problem some_mlcp(Index p, Index n, Index m) {
  const auto fill = [](Index rows, Index cols, double start) {
    Eigen::MatrixXd matrix(rows, cols);
    for (double& entry : matrix.reshaped()) entry = (start += 1.0) / 7.0;
    return matrix;
  };
  mlcp::Problem problem{.A = fill(p, n, 0.0),
                        .B = fill(m, m, 10.0),
                        .C = fill(p, m, 20.0),
                        .D = fill(m, n, -30.0),
                        .a = fill(p, 1, 40.0),
                        .b = fill(m, 1, -50.0)};
  if (m > 0) problem.b[0] = -0.0;
  if (n > 0 && p > 0) problem.A(0, 0) = tiny;
  return problem;
}

/// Blocks of these sizes on the diagonal and beside it, of numbers that need every digit.
inline mixed::Problem some_blocks(const std::vector<BlockSet>& sets, const std::vector<Index>& sizes) {
  mixed::Problem problem;
  problem.W.begin_pattern(sizes);
  const auto num_blocks = static_cast<Index>(sizes.size());
  for (Index i = 0; i < num_blocks; ++i) {
    if (i + 1 < num_blocks) problem.W.insert(i + 1);
    problem.W.next_row();
  }
  problem.W.end_pattern();
  double value = 0.0;
  for (Index i = 0; i < num_blocks; ++i) {
    for (Index k = problem.W.row_begin(i); k < problem.W.row_begin(i + 1); ++k) {
      for (double& entry : problem.W.block(i, k).reshaped()) entry = (value += 1.0) / 7.0;
    }
    problem.K.push_back(sets[static_cast<std::size_t>(i)], sizes[static_cast<std::size_t>(i)]);
  }
  problem.W.values(0)[0] = tiny;
  problem.q = Eigen::VectorXd::LinSpaced(problem.W.rows(), -third, third);
  problem.q[0] = -0.0;
  return problem;
}

inline mixed::Problem soc_cones() {
  return some_blocks({{.kind = SetKind::SecondOrderCone, .mu = third},
                      {.kind = SetKind::SecondOrderCone, .mu = 1.0},
                      {.kind = SetKind::SecondOrderCone, .mu = 0.0}},
                     {3, 1, 4});
}
inline mixed::Problem friction_problem(Index dimension) {
  const SetKind kind = dimension == 2 ? SetKind::Coulomb2D : SetKind::Coulomb3D;
  return some_blocks({{.kind = kind, .mu = third}, {.kind = kind, .mu = 0.0}}, {dimension, dimension});
}
/// Of 3 or 5 rows a contact. A bare 1 at the end of a text is no flag here.
inline mixed::Problem rolling(Index size) {
  return some_blocks(
      {{.kind = SetKind::Rolling, .mu = third, .rolling = tiny}, {.kind = SetKind::Rolling, .rolling = 1.0}},
      {size, size});
}
/// Four velocities, two of them coupled, and contacts with these sets; unsymmetric A, an H of numbers that need every
/// digit, a zero that is stored.
inline friction::GlobalProblem global(const std::vector<BlockSet>& sets, Index size) {
  friction::GlobalProblem problem;
  for (const BlockSet& set : sets) problem.K.push_back(set, size);
  const Index m = problem.K.num_rows();
  problem.A.resize(4, 4);
  const std::vector<Eigen::Triplet<double>> entries = {
      {0, 0, third}, {1, 1, 2.0}, {2, 2, 0.1}, {3, 3, 7.0}, {1, 0, -tiny}};
  problem.A.setFromTriplets(entries.begin(), entries.end());
  std::vector<Eigen::Triplet<double>> lever;
  for (int i = 0; i < static_cast<int>(m); ++i) {
    lever.emplace_back(i, i % 4, i == 1 ? -0.0 : (1.0 + i) / 7.0);
    lever.emplace_back(i, (i + 1) % 4, -0.1);
  }
  problem.H.resize(m, 4);
  problem.H.setFromTriplets(lever.begin(), lever.end());
  problem.f = Eigen::Vector4d{-0.0, tiny, third, -9.81};
  problem.w = Eigen::VectorXd::LinSpaced(m, -third, third);
  return problem;
}
inline friction::GlobalProblem global_friction(Index dimension) {
  const SetKind kind = dimension == 2 ? SetKind::Coulomb2D : SetKind::Coulomb3D;
  return global({{.kind = kind, .mu = third}, {.kind = kind, .mu = 0.0}}, dimension);
}
inline friction::GlobalProblem global_rolling(Index size) {
  return global({{.kind = SetKind::Rolling, .mu = third, .rolling = 1.0}}, size);
}

inline mixed::Problem drucker_prager() {
  return some_blocks({{.kind = SetKind::DruckerPrager, .mu = third, .lift = tiny},
                      {.kind = SetKind::DruckerPrager, .mu = 0.1, .lift = 0.1}},
                     {3, 3});
}
inline mixed::Problem von_mises() {
  return some_blocks({{.kind = SetKind::VonMises, .radius = third}, {.kind = SetKind::VonMises, .radius = 2.0}},
                     {4, 4});
}
inline mixed::Problem boxes() {
  return some_blocks({{.kind = SetKind::Box, .lower = -infinity, .upper = third},
                      {.kind = SetKind::Box, .lower = -tiny, .upper = infinity},
                      {.kind = SetKind::Box, .lower = -1.0, .upper = 1.0}},
                     {1, 1, 1});
}
/// The kinds that Siconos's generic text holds.
inline mixed::Problem generic() {
  return some_blocks({{.kind = SetKind::Free},
                      {.kind = SetKind::Orthant},
                      {.kind = SetKind::Coulomb3D, .mu = third},
                      {.kind = SetKind::Box, .lower = -1.0, .upper = 1.0}},
                     {2, 3, 3, 1});
}
/// Every kind there is.
inline mixed::Problem every_set() {
  return some_blocks({{.kind = SetKind::Free},
                      {.kind = SetKind::Orthant},
                      {.kind = SetKind::Box, .lower = -infinity, .upper = tiny},
                      {.kind = SetKind::SecondOrderCone, .mu = third},
                      {.kind = SetKind::Coulomb2D, .mu = 0.1},
                      {.kind = SetKind::Coulomb3D, .mu = 0.2},
                      {.kind = SetKind::DruckerPrager, .mu = 0.3, .lift = tiny},
                      {.kind = SetKind::VonMises, .radius = third}},
                     {1, 2, 2, 4, 2, 3, 3, 2});
}

}  // namespace nonsmooth::problem_files_test
