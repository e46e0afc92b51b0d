// SPDX-License-Identifier: Apache-2.0
#include "analysis_matrices.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

#include <Eigen/LU>

#include "random_matrices.hpp"

namespace nonsmooth::problems {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using C = MatrixClasses;

/// G^T G + 0.1 I.
MatrixXd definite(Random& random, Index n) {
  const MatrixXd G = entries(random, n, n);
  return G.transpose() * G + 0.1 * MatrixXd::Identity(n, n);
}
/// Positive numbers over so many decades.
VectorXd scales(Random& random, Index n, double decades) {
  return VectorXd::NullaryExpr(n, [&] { return std::pow(10.0, uniform(random, -0.5, 0.5) * decades); });
}
double decades(Random& random) { return random() % 4 == 0 ? 12.0 : 0.0; }

std::vector<Index> permutation(Random& random, Index n) {
  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Index{0});
  std::shuffle(order.begin(), order.end(), random);
  return order;
}

/// |M_ii| > sum_j |M_ij| by a tenth, the diagonal positive.
MatrixXd dominant(Random& random, Index n) {
  MatrixXd M = entries(random, n, n);
  for (Index i = 0; i < n; ++i) M(i, i) = 1.1 * (M.row(i).cwiseAbs().sum() - std::abs(M(i, i))) + 0.1;
  return M;
}

/// Blocks that are P, upper triangular, permuted; rows and columns scaled.
MatrixXd permuted_blocks(Random& random, Index n) {
  MatrixXd M = MatrixXd::Zero(n, n);
  for (Index first = 0; first < n;) {
    const Index size = std::min(whole(random, 1, 5), n - first);
    M.block(first, first, size, size) = definite(random, size) + skew(random, size);
    M.block(first, first + size, size, n - first - size) = 5.0 * entries(random, size, n - first - size);
    first += size;
  }
  const std::vector<Index> order = permutation(random, n);
  const double over = decades(random);
  return scales(random, n, over).asDiagonal() * MatrixXd(M(order, order)) * scales(random, n, over).asDiagonal();
}

/// A P-matrix on one index set made to have the Schur complement -share of an entry in its last row.
MatrixXd planted_negative_minor(Random& random, Index n) {
  MatrixXd M = dominant(random, n) * dominant(random, n).inverse();  // P, by Johnson and Tsatsomeros 1995
  const std::vector<Index> order = permutation(random, n);
  const Index size = whole(random, 1, n);
  const std::vector<Index> rows(order.begin(), order.begin() + size - 1);
  const Index last = order[static_cast<std::size_t>(size) - 1];
  double coupling = 0.0;
  if (size > 1) coupling = (M(last, rows) * MatrixXd(M(rows, rows)).inverse() * M(rows, last))(0, 0);
  M(last, last) = coupling - uniform(random, 0.01, 1.0) * (std::abs(coupling) + 0.1);
  return M;
}

long determinant(const Eigen::Matrix<long, -1, -1>& M) {
  if (M.rows() == 0) return 1;
  if (M.rows() == 1) return M(0, 0);
  long sum = 0;
  std::vector<Index> rows(static_cast<std::size_t>(M.rows()) - 1), columns = rows;
  std::iota(rows.begin(), rows.end(), Index{1});
  for (Index j = 0; j < M.cols(); ++j) {
    for (Index k = 0; k + 1 < M.cols(); ++k) columns[static_cast<std::size_t>(k)] = k < j ? k : k + 1;
    if (M(0, j) != 0) sum += (j % 2 == 0 ? 1 : -1) * M(0, j) * determinant(M(rows, columns));
  }
  return sum;
}

/// Hadeler 1983: with all principal submatrices of one row less (strictly) copositive, S is not so exactly if det S < 0
/// and adj S >= 0 (det S <= 0 and adj S > 0).
bool copositive(const Eigen::Matrix<long, -1, -1>& S, bool strictly) {
  const Index n = S.rows();
  if (n == 1) return strictly ? S(0, 0) > 0 : S(0, 0) >= 0;
  const auto without = [&](Index i) {
    std::vector<Index> rows;
    for (Index k = 0; k < n; ++k) {
      if (k != i) rows.push_back(k);
    }
    return rows;
  };
  for (Index i = 0; i < n; ++i) {
    if (!copositive(S(without(i), without(i)), strictly)) return false;
  }
  const long det = determinant(S);
  if (strictly ? det > 0 : det >= 0) return true;
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      const long cofactor = ((i + j) % 2 == 0 ? 1 : -1) * determinant(S(without(i), without(j)));
      if (strictly ? cofactor <= 0 : cofactor < 0) return true;
    }
  }
  return false;
}

/// Every class that minors decide, from integers.
void judge_integers(const Eigen::Matrix<long, -1, -1>& M, std::vector<KnownClass>& known) {
  const Index n = M.rows();
  const Eigen::Matrix<long, -1, -1> S = M + M.transpose();
  bool p = true, p0 = true, nondegenerate = true, definite_form = true, semidefinite = true;
  for (std::uint64_t key = 1; key < (std::uint64_t{1} << n); ++key) {
    std::vector<Index> rows;
    for (Index i = 0; i < n; ++i) {
      if ((key >> i) & 1U) rows.push_back(i);
    }
    const long minor = determinant(M(rows, rows)), symmetric = determinant(S(rows, rows));
    p = p && minor > 0;
    p0 = p0 && minor >= 0;
    nondegenerate = nondegenerate && minor != 0;
    definite_form = definite_form && symmetric > 0;
    semidefinite = semidefinite && symmetric >= 0;
  }
  known = {{&C::p, "P", p},
           {&C::p0, "P0", p0},
           {&C::nondegenerate, "nondegenerate", nondegenerate},
           {&C::positive_definite, "positive definite", definite_form},
           {&C::positive_semidefinite, "positive semidefinite", semidefinite},
           {&C::singular, "singular", determinant(M) == 0},
           {&C::copositive, "copositive", copositive(S, false)},
           {&C::strictly_copositive, "strictly copositive", copositive(S, true)}};
}

ClassifiedMatrix integers(Random& random) {
  const Index n = whole(random, 1, 5);
  const long range = static_cast<long>(whole(random, 1, 3));
  Eigen::Matrix<long, -1, -1> M(n, n);
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i < n; ++i) M(i, j) = static_cast<long>(whole(random, -range, range));
  }
  const auto kind = random() % 4;
  if (kind == 1) M = (M * M.transpose()).eval();  // semidefinite, often singular
  if (kind == 2) M = (M - M.transpose()).eval();
  if (kind == 3) M = (M * M.transpose() + M.cwiseAbs()).eval();
  if (random() % 2 == 0) M.diagonal() = M.diagonal().cwiseAbs().eval();
  ClassifiedMatrix result{"integers, exact minors", M.cast<double>(), {}};
  judge_integers(M, result.known);
  return result;
}

/// Integers of up to 18 bits that are singular but for a unit here and there: minors smaller than double's round-off.
ClassifiedMatrix nearly_singular_integers(Random& random) {
  const Index n = whole(random, 2, 3);
  const Index largest = Index{1} << whole(random, 4, 8);
  const auto draw = [&] { return static_cast<long>(whole(random, -largest, largest)); };
  Eigen::Matrix<long, -1, -1> left(n, n - 1), right(n - 1, n);
  for (long& entry : left.reshaped()) entry = draw();
  for (long& entry : right.reshaped()) entry = draw();
  if (random() % 2 == 0) right = left.transpose();
  Eigen::Matrix<long, -1, -1> M = left * right;
  if (random() % 4 != 0) M(whole(random, 0, n - 1), whole(random, 0, n - 1)) += static_cast<long>(whole(random, -1, 1));
  if (random() % 4 == 0) M.diagonal().array() += 1;
  ClassifiedMatrix result{"integers, nearly singular", M.cast<double>(), {}};
  judge_integers(M, result.known);
  return result;
}

const std::vector<KnownClass> all_p = {{&C::p, "P", true},
                                       {&C::p0, "P0", true},
                                       {&C::nondegenerate, "nondegenerate", true},
                                       {&C::s, "S", true},
                                       {&C::r0, "R0", true},
                                       {&C::singular, "singular", false},
                                       {&C::column_sufficient, "column sufficient", true},
                                       {&C::row_sufficient, "row sufficient", true}};

std::vector<KnownClass> with(std::vector<KnownClass> more, const std::vector<KnownClass>& base = all_p) {
  more.insert(more.end(), base.begin(), base.end());
  return more;
}

const std::vector<KnownClass> definite_too = with({{&C::positive_definite, "positive definite", true},
                                                   {&C::positive_semidefinite, "positive semidefinite", true},
                                                   {&C::copositive, "copositive", true},
                                                   {&C::strictly_copositive, "strictly copositive", true}});

ClassifiedMatrix of_definite(Random& random, Index n) {
  const VectorXd d = scales(random, n, decades(random));
  const MatrixXd M = d.asDiagonal() * (definite(random, n) + skew(random, n)) * d.asDiagonal();
  return {"positive definite, not symmetric", M, definite_too};
}

ClassifiedMatrix of_copositive(Random& random, Index n, bool strictly) {
  const MatrixXd G = entries(random, n, n);
  MatrixXd M = G.transpose() * G + 2.0 * entries(random, n, n).cwiseAbs() + skew(random, n);
  M.diagonal().array() += 0.1;
  if (strictly) {
    return {"semidefinite and positive",
            M,
            {{&C::copositive, "copositive", true},
             {&C::strictly_copositive, "strictly copositive", true},
             {&C::s, "S", true},
             {&C::r0, "R0", true}}};
  }
  // x^T M x = -0.2 share of a vector x >= 0.
  VectorXd x = VectorXd::Zero(n);
  for (Index i = 0; i < n; ++i) {
    if (random() % 2 == 0) x[i] = uniform(random, 0.1, 1.0);
  }
  if (x.isZero(0.0)) x[0] = 1.0;
  const double form = x.dot(M * x), size = x.squaredNorm() * x.squaredNorm();
  M -= ((1.0 + uniform(random, 0.001, 0.5)) * form / size) * x * x.transpose();
  const VectorXd d = scales(random, n, decades(random));
  return {"a negative value planted on x >= 0",
          d.asDiagonal() * M * d.asDiagonal(),
          {{&C::copositive, "copositive", false},
           {&C::strictly_copositive, "strictly copositive", false},
           {&C::positive_semidefinite, "positive semidefinite", false},
           {&C::positive_definite, "positive definite", false}}};
}

ClassifiedMatrix of_z(Random& random, Index n, bool m_matrix) {
  MatrixXd M = -entries(random, n, n).cwiseAbs();
  const double share = m_matrix ? 1.05 : 0.9;  // of the row sums: the Perron root is between the least and the largest
  const VectorXd sums = -M.rowwise().sum();
  MatrixXd N = M;
  M = MatrixXd((share * (m_matrix ? sums.maxCoeff() : sums.minCoeff()) * MatrixXd::Identity(n, n))) + N;
  const double over = decades(random);
  M = (scales(random, n, over).asDiagonal() * M * scales(random, n, over).asDiagonal()).eval();
  if (m_matrix) return {"M-matrix", M, with({{&C::z, "Z", true}, {&C::m, "M", true}, {&C::h_plus, "H+", true}})};
  return {
      "Z, not M",
      M,
      {{&C::z, "Z", true}, {&C::m, "M", false}, {&C::p, "P", false}, {&C::s, "S", false}, {&C::h_plus, "H+", false}}};
}

ClassifiedMatrix of_game(Random& random, Index n, bool s) {
  MatrixXd M = entries(random, n, n);
  VectorXd x = entries(random, n, 1).cwiseAbs();
  for (Index i = 0; i < n; ++i) {
    if (n > 1 && random() % 3 == 0) x[i] = 0.0;
  }
  if (x.isZero(0.0)) x[0] = 1.0;
  // M x = a positive vector, by a change of rank one; transposed, M^T x = a negative one.
  const VectorXd wanted = 0.2 * VectorXd::Ones(n) + 0.2 * entries(random, n, 1).cwiseAbs();
  M += (wanted - M * x) * x.transpose() / x.squaredNorm();
  if (s) return {"S planted", M, {{&C::s, "S", true}}};
  return {"not S planted", -M.transpose(), {{&C::s, "S", false}, {&C::p, "P", false}}};
}

/// W = G G^T of rank n / 2 from integers: exactly singular and semidefinite.
ClassifiedMatrix of_redundant(Random& random, Index n) {
  MatrixXd G = entries(random, n, std::max<Index>(1, n / 2)).unaryExpr([](double v) { return std::round(2.0 * v); });
  if (n == 1) G(0, 0) = 0.0;
  return {"integer Delassus matrix of half rank",
          G * G.transpose(),
          {{&C::positive_semidefinite, "positive semidefinite", true},
           {&C::positive_definite, "positive definite", false},
           {&C::singular, "singular", true},
           {&C::p, "P", false},
           {&C::p0, "P0", true},
           {&C::copositive, "copositive", true},
           {&C::column_sufficient, "column sufficient", true},
           {&C::row_sufficient, "row sufficient", true},
           {&C::symmetric, "symmetric", true}}};
}

}  // namespace

ClassifiedMatrix random_classified_matrix(int family, Random& random) {
  const Index n = random() % 200 == 0 ? whole(random, 15, 20) : whole(random, 1, 12);
  switch (family) {
    case 0:
      return integers(random);
    case 1:
      return of_definite(random, n);
    case 2:
      return {"P, permuted triangular blocks", permuted_blocks(random, n), all_p};
    case 3:
      return {"P, product of dominant matrices", dominant(random, n) * dominant(random, n).inverse(), all_p};
    case 4:
      return {
          "negative minor planted",
          planted_negative_minor(random, n),
          {{&C::p, "P", false}, {&C::p0, "P0", false}, {&C::positive_semidefinite, "positive semidefinite", false}}};
    case 5:
      return of_copositive(random, n, true);
    case 6:
      return of_copositive(random, n, false);
    case 7:
      return of_z(random, n, true);
    case 8:
      return of_z(random, n, false);
    case 9:
      return of_game(random, n, true);
    case 11:
      return nearly_singular_integers(random);
    case 10:
      return of_game(random, n, false);
    default:
      return of_redundant(random, n);
  }
}

}  // namespace nonsmooth::problems
