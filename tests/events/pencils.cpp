// SPDX-License-Identifier: Apache-2.0
// The index of pencils s M - A that were made of Weierstrass's and Kronecker's blocks, and what the descriptor form
// makes of those of index 1 and 2.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include <internal/decompositions.hpp>

#include "descriptor_form.hpp"

namespace nonsmooth {
namespace {

using Matrix = Eigen::MatrixXd;

struct Pencil {
  Matrix M, A;
};

/// Blocks along the diagonal: `finite` states, nilpotent ones of the given sizes, and for `singular` >= 0 Kronecker's
/// blocks of singular + 1 columns and `singular` rows and of the transposed shape, which together are square.
Pencil canonical(Index finite, const std::vector<Index>& nilpotent, Index singular, std::mt19937& random) {
  std::uniform_real_distribution<double> entry(-1.0, 1.0);
  Index n = finite + (singular >= 0 ? 2 * singular + 1 : 0);
  for (const Index size : nilpotent) n += size;
  Pencil result{Matrix::Zero(n, n), Matrix::Zero(n, n)};
  for (Index i = 0; i < finite; ++i) {
    result.M(i, i) = 1.0;
    for (Index j = 0; j < finite; ++j) result.A(i, j) = entry(random);
  }
  if (random() % 2 == 0 && finite > 0) result.A.row(0).setZero();  // an eigenvalue 0: A itself is singular
  Index at = finite;
  for (const Index size : nilpotent) {
    for (Index i = 0; i < size; ++i) {
      result.A(at + i, at + i) = 1.0;
      if (i + 1 < size) result.M(at + i, at + i + 1) = 1.0;
    }
    at += size;
  }
  for (Index i = 0; i < singular; ++i) {
    result.M(at + i, at + i) = result.A(at + i, at + i + 1) = 1.0;
    result.M(at + singular + i, at + singular + 1 + i) = 1.0;
    result.A(at + singular + i + 1, at + singular + 1 + i) = 1.0;
  }
  return result;
}

/// A product of few elementary operations by small integers and a permutation: exact, as a circuit's incidences are.
Matrix unimodular(Index n, std::mt19937& random) {
  Matrix result = Matrix::Identity(n, n);
  std::uniform_int_distribution<Index> place(0, n - 1);
  for (Index k = 0; k < n; ++k) {
    const Index i = place(random), j = place(random);
    if (i != j) result.row(i) += (random() % 2 == 0 ? 1.0 : -1.0) * result.row(j);
  }
  return result;
}
Matrix dense_real(Index n, std::mt19937& random) {
  std::uniform_real_distribution<double> entry(-1.0, 1.0);
  Matrix result(n, n);
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i < n; ++i) result(i, j) = entry(random) + (i == j ? 2.0 : 0.0);
  return result;
}

TEST(Pencils, IndexIsThatOfTheLargestNilpotentBlock) {
  std::mt19937 random(7);
  for (int sample = 0; sample < 4000; ++sample) {
    const Index finite = sample % 4, largest = 1 + sample % 5;
    std::vector<Index> nilpotent{largest};
    for (int k = 0; k < sample % 3; ++k)
      nilpotent.push_back(1 + static_cast<Index>(random() % static_cast<unsigned long>(largest)));
    const Pencil made = canonical(finite, nilpotent, -1, random);
    const Index n = made.M.rows();
    const bool exact = sample % 2 == 0;
    const Matrix left = exact ? unimodular(n, random) : dense_real(n, random),
                 right = exact ? unimodular(n, random) : dense_real(n, random);
    // Units: powers of two from 2^-20 to 2^20.
    Matrix rows = Matrix::Identity(n, n), columns = rows;
    for (Index i = 0; i < n; ++i) {
      rows(i, i) = std::exp2(static_cast<double>(random() % 41) - 20.0);
      columns(i, i) = std::exp2(static_cast<double>(random() % 41) - 20.0);
    }
    // Rank decisions follow one another: beyond 3, which nothing runs, round-off of real ones may say another number
    // (and of the first 40000 of these three are wrong below, in units that differ by 12 decades).
    const Index found =
        pencil_index(rows * left * made.M * right * columns, rows * left * made.A * right * columns).index;
    if (largest <= 3) {
      EXPECT_EQ(found, largest) << "sample " << sample << ", n = " << n;
    } else {
      EXPECT_GE(found, 3) << "sample " << sample << ", n = " << n;
    }
  }
}

TEST(Pencils, SingularOnesAreSeen) {
  std::mt19937 random(11);
  for (int sample = 0; sample < 4000; ++sample) {
    const Index singular = sample % 3;
    std::vector<Index> nilpotent;
    for (int k = 0; k < sample % 3; ++k) nilpotent.push_back(1 + static_cast<Index>(random() % 3));
    const Pencil made = canonical(sample % 4, nilpotent, singular, random);
    const Index n = made.M.rows();
    const bool exact = sample % 2 == 0;
    const Matrix left = exact ? unimodular(n, random) : dense_real(n, random),
                 right = exact ? unimodular(n, random) : dense_real(n, random);
    const PencilIndex found = pencil_index(left * made.M * right, left * made.A * right);
    EXPECT_EQ(found.index, PencilIndex::kSingular) << "sample " << sample << ", n = " << n;
    EXPECT_FALSE(found.rows.empty());
  }
}

TEST(Pencils, RegularMassHasIndexZero) {
  std::mt19937 random(3);
  const Pencil made = canonical(4, {}, -1, random);
  EXPECT_EQ(pencil_index(dense_real(4, random), made.A).index, 0);
}

}  // namespace
}  // namespace nonsmooth
