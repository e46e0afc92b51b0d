// SPDX-License-Identifier: Apache-2.0
// LU by columns beside KLU, whose method it is, on matrices that need each of its parts.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <Eigen/LU>

#include <nonsmooth/numerics/linear_algebra/factorization.hpp>

#include "linear_algebra/sparse/column_lu.hpp"
#include "linear_algebra/sparse/triangular_blocks.hpp"

namespace nonsmooth::column_lu_test {
namespace {

using Sparse = Eigen::SparseMatrix<double>;
using Entries = std::vector<Eigen::Triplet<double, Index>>;

constexpr double eps = std::numeric_limits<double>::epsilon();

Sparse of(Index n, const Entries& entries) {
  Sparse A(n, n);
  A.setFromTriplets(entries.begin(), entries.end());
  return A;
}

class Draw {
 public:
  explicit Draw(unsigned seed) : random_(seed) {}
  double value() { return std::uniform_real_distribution<double>(-1.0, 1.0)(random_); }
  Index below(Index n) { return std::uniform_int_distribution<Index>(0, n - 1)(random_); }
  std::vector<Index> permutation(Index n) {
    std::vector<Index> p(static_cast<std::size_t>(n));
    std::iota(p.begin(), p.end(), Index{0});
    std::shuffle(p.begin(), p.end(), random_);
    return p;
  }

 private:
  std::mt19937_64 random_;
};

/// Rows whose entries differ by up to six decades, a regular diagonal somewhere else than on the diagonal.
Sparse scattered(Index n, Draw& draw) {
  const std::vector<Index> p = draw.permutation(n);
  Entries entries;
  for (Index i = 0; i < n; ++i) {
    const double unit = std::pow(10.0, 3.0 * draw.value());
    entries.emplace_back(i, p[static_cast<std::size_t>(i)], unit * (4.0 + draw.value()));
    for (int k = 0; k < 3; ++k) entries.emplace_back(i, draw.below(n), unit * draw.value());
  }
  return of(n, entries);
}

/// [ G  B^T ; -B  0 ] of a grid's G: no entry on the diagonal of the last rows.
Sparse saddle(Index m, Index constraints, Draw& draw) {
  const Index n = m * m;
  Entries entries;
  for (Index i = 0; i < n; ++i) {
    entries.emplace_back(i, i, 4.5);
    for (const Index step : {Index{1}, m}) {
      if (i + step >= n) continue;
      entries.emplace_back(i, i + step, -1.0);
      entries.emplace_back(i + step, i, -1.0);
    }
  }
  for (Index r = 0; r < constraints; ++r) {
    for (const Index j : {3 * r, 3 * r + 1, draw.below(n)}) {
      const double value = draw.value();
      entries.emplace_back(j, n + r, value);
      entries.emplace_back(n + r, j, -value);
    }
  }
  return of(n + constraints, entries);
}

/// Blocks of 1, 2, 3, 1, ... rows above which entries stand, rows and columns mixed.
Sparse mixed_triangle(Index num_blocks, Draw& draw) {
  std::vector<Index> block;
  for (Index b = 0; b < num_blocks; ++b) block.insert(block.end(), static_cast<std::size_t>(1 + b % 3), b);
  const auto n = std::ssize(block);
  const std::vector<Index> p = draw.permutation(n), q = draw.permutation(n);
  Entries entries;
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      const auto from = static_cast<std::size_t>(i), to = static_cast<std::size_t>(j);
      if (block[from] > block[to] || (block[from] < block[to] && draw.below(20) > 0)) continue;
      entries.emplace_back(p[from], q[to], draw.value() + (i == j ? 4.0 : 0.0));
    }
  }
  return of(n, entries);
}

/// |b - A x| <= 3 n eps |L||U||x| (Higham 2002, theorem 9.4), where L U is of the rows divided by their largest entries
/// r: |L| <= 1e3 as pivots are a thousandth of their columns at least, |U| some times 1, so that |L||U| <= 1e3 n.
/// Solutions of both are within |A^-1| of these bounds.
void expect_right(const Sparse& A, const std::string& name, Draw& draw) {
  const Index n = A.rows();
  SparseFactorization ours, klu(Structure::General, Backend::SuiteSparse);
  ASSERT_TRUE(ours.factorize(A)) << name;
  ASSERT_TRUE(klu.factorize(A)) << name;
  const Eigen::MatrixXd B = Eigen::MatrixXd::NullaryExpr(n, 6, [&] { return draw.value(); });
  const Eigen::MatrixXd dense = A;
  const Eigen::VectorXd r = dense.cwiseAbs().rowwise().maxCoeff();
  const double size = static_cast<double>(n), unit = 3.0 * size * eps * 1e3 * size;
  Eigen::MatrixXd x = B, y = B, x_klu = B;
  ours.solve_in_place(x);
  ours.solve_transposed_in_place(y);
  klu.solve_in_place(x_klu);
  for (Index c = 0; c < B.cols(); ++c) {
    const Eigen::VectorXd bound = unit * x.col(c).lpNorm<1>() * r;
    EXPECT_TRUE(((dense * x.col(c) - B.col(c)).cwiseAbs().array() <= bound.array()).all()) << name;
    EXPECT_LE((dense.transpose() * y.col(c) - B.col(c)).lpNorm<Eigen::Infinity>(), unit * r.dot(y.col(c).cwiseAbs()))
        << name;
    const Eigen::VectorXd apart = 2.0 * dense.inverse().cwiseAbs() * bound;
    EXPECT_TRUE(((x - x_klu).col(c).cwiseAbs().array() <= apart.array()).all()) << name;
  }
}

TEST(ColumnLu, SolvesWhatKluSolves) {
  Draw draw(1);
  for (const Index n : {1, 2, 3, 10, 60, 200}) expect_right(scattered(n, draw), "scattered", draw);
  expect_right(saddle(12, 40, draw), "saddle", draw);
  expect_right(saddle(5, 8, draw), "saddle", draw);
  for (const Index blocks : {2, 7, 60}) expect_right(mixed_triangle(blocks, draw), "triangle", draw);
}

// Values, an order of elimination and pivots in between do not matter: bits are those of fresh factors.
TEST(ColumnLu, HasTheBitsOfFreshFactors) {
  Draw draw(2);
  SparseFactorization kept;
  for (int k = 0; k < 20; ++k) {
    Sparse A = k % 2 == 0 ? saddle(6, 10, draw) : scattered(10 + draw.below(60), draw);
    for (int again = 0; again < 2; ++again) {
      A.coeffs() *= 1.0 + 0.5 * draw.value();
      A.coeffs()[draw.below(A.nonZeros())] *= 1e-5;
      SparseFactorization fresh;
      const bool regular = fresh.factorize(A);
      ASSERT_EQ(kept.factorize(A), regular);
      if (!regular) continue;
      Eigen::MatrixXd x = Eigen::MatrixXd::Ones(A.rows(), 5), y = x;
      kept.solve_in_place(x);
      fresh.solve_in_place(y);
      EXPECT_EQ(x, y);
    }
  }
}

TEST(ColumnLu, RefusesWhatHasNoPivots) {
  detail::ColumnLu lu;
  EXPECT_FALSE(lu.analyze(of(3, {{0, 0, 1.0}, {1, 0, 1.0}, {2, 2, 1.0}}))) << "an empty column";
  EXPECT_FALSE(lu.analyze(of(3, {{0, 0, 1.0}, {0, 1, 1.0}, {0, 2, 1.0}, {1, 2, 1.0}, {2, 2, 1.0}})))
      << "no transversal";
  const Sparse equal_rows = of(2, {{0, 0, 1.0}, {1, 0, 1.0}, {0, 1, 1.0}, {1, 1, 1.0}});
  ASSERT_TRUE(lu.analyze(equal_rows));
  EXPECT_FALSE(lu.factorize(equal_rows));
  Sparse zeros = equal_rows;
  zeros.coeffs() << 0.0, 1.0, 0.0, 1.0;
  EXPECT_FALSE(lu.factorize(zeros)) << "a row of zeros";
  zeros.coeffs() << 1.0, 2.0, 3.0, 4.0;  // and serves again
  ASSERT_TRUE(lu.factorize(zeros));
  Eigen::VectorXd x = Eigen::Vector2d(4.0, 6.0);
  lu.solve_in_place(x, false);
  EXPECT_LE((x - Eigen::Vector2d(1.0, 1.0)).lpNorm<Eigen::Infinity>(), 16 * eps);
}

TEST(TriangularBlocks, FindsThemAll) {
  Draw draw(3);
  detail::TriangularBlocks blocks;
  const Sparse A = mixed_triangle(30, draw);  // 60 rows
  ASSERT_TRUE(blocks.analyze(A));
  ASSERT_EQ(blocks.num_blocks(), 30);
  std::vector<int> block_of_row(60);
  for (int b = 0; b < 30; ++b)
    for (int k = blocks.begin(b); k < blocks.begin(b + 1); ++k)
      block_of_row[static_cast<std::size_t>(blocks.row(k))] = b;
  for (int b = 0; b < 30; ++b) {
    for (int k = blocks.begin(b); k < blocks.begin(b + 1); ++k) {
      for (Sparse::InnerIterator entry(A, blocks.column(k)); entry; ++entry)
        EXPECT_LE(block_of_row[static_cast<std::size_t>(entry.row())], b);
    }
  }
}

}  // namespace
}  // namespace nonsmooth::column_lu_test
