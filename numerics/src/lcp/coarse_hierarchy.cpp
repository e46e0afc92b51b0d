// SPDX-License-Identifier: Apache-2.0
#include "coarse_hierarchy.hpp"

#include <algorithm>
#include <cmath>

#include <internal/at.hpp>

namespace nonsmooth::lcp::detail {
namespace {

constexpr double strong = 0.08;        // as in the source
constexpr double damping = 2.0 / 3.0;  // 4/3 over the largest eigenvalue of D^-1 M, at most 2 for an M-matrix

/// The aggregate of every row, -1 for a row without strong couplings and none that wants it: such a row is left to
/// relaxation.
std::vector<int> aggregates(const RowMatrix& A, const Eigen::VectorXd& diagonal, int& count) {
  const auto is_strong = [&](int i, int k) {
    const int j = A.column[at(k)];
    const double value = A.value[at(k)];
    return j != i && value < 0.0 && value * value >= strong * strong * diagonal[i] * diagonal[j];
  };
  constexpr int none = -1;
  std::vector<int> aggregate(at(A.rows), none);
  count = 0;
  // A row none of whose neighbours is taken founds an aggregate with all of them.
  for (int i = 0; i < A.rows; ++i) {
    if (aggregate[at(i)] != none) continue;
    bool free = true, alone = true;
    for (int k = A.begin[at(i)]; free && k < A.begin[at(i + 1)]; ++k) {
      if (!is_strong(i, k)) continue;
      alone = false;
      free = aggregate[at(A.column[at(k)])] == none;
    }
    if (!free || alone) continue;
    for (int k = A.begin[at(i)]; k < A.begin[at(i + 1)]; ++k) {
      if (is_strong(i, k)) aggregate[at(A.column[at(k)])] = count;
    }
    aggregate[at(i)] = count++;
  }
  // The others join the neighbour's aggregate they depend on most, as those stood after the first pass.
  const std::vector<int> founded = aggregate;
  for (int i = 0; i < A.rows; ++i) {
    if (aggregate[at(i)] != none) continue;
    double largest = 0.0;
    for (int k = A.begin[at(i)]; k < A.begin[at(i + 1)]; ++k) {
      const int j = A.column[at(k)];
      if (founded[at(j)] != none && is_strong(i, k) && -A.value[at(k)] > largest) {
        largest = -A.value[at(k)];
        aggregate[at(i)] = founded[at(j)];
      }
    }
  }
  for (int i = 0; i < A.rows; ++i) {
    if (aggregate[at(i)] != none) continue;
    bool alone = true;
    for (int k = A.begin[at(i)]; k < A.begin[at(i + 1)]; ++k) {
      if (!is_strong(i, k)) continue;
      alone = false;
      if (aggregate[at(A.column[at(k)])] == none) aggregate[at(A.column[at(k)])] = count;
    }
    if (!alone) aggregate[at(i)] = count++;
  }
  return aggregate;
}

RowMatrix interpolation(const RowMatrix& A) {
  const Eigen::VectorXd diagonal = A.diagonal();
  RowMatrix P;
  P.rows = A.rows;
  const std::vector<int> aggregate = aggregates(A, diagonal, P.cols);
  P.begin.reserve(at(A.rows + 1));
  P.column.reserve(2 * at(A.rows));
  P.value.reserve(2 * at(A.rows));
  std::vector<int> place(at(P.cols), -1);
  for (int i = 0; i < A.rows; ++i) {
    const std::size_t first = P.value.size();
    const auto add = [&](int coarse, double value) {
      if (coarse < 0) return;
      int& k = place[at(coarse)];
      if (k < static_cast<int>(first)) {
        k = static_cast<int>(P.value.size());
        P.column.push_back(coarse);
        P.value.push_back(0.0);
      }
      P.value[at(k)] += value;
    };
    // The rows of the smoothing operator sum to one, so that constants are interpolated exactly, at the borders too:
    // the z of an obstacle that is not zero there jumps.
    double lumped = 0.0;
    for (int k = A.begin[at(i)]; k < A.begin[at(i + 1)]; ++k) {
      const int j = A.column[at(k)];
      const double value = A.value[at(k)];
      if (j != i && value < 0.0 && value * value >= strong * strong * diagonal[i] * diagonal[j]) lumped -= value;
    }
    if (lumped > 0.0) {
      add(aggregate[at(i)], 1.0 - damping);
      for (int k = A.begin[at(i)]; k < A.begin[at(i + 1)]; ++k) {
        const int j = A.column[at(k)];
        const double value = A.value[at(k)];
        if (j != i && value < 0.0 && value * value >= strong * strong * diagonal[i] * diagonal[j]) {
          add(aggregate[at(j)], -damping * value / lumped);
        }
      }
    } else {
      add(aggregate[at(i)], 1.0);
    }
    P.begin.push_back(static_cast<int>(P.value.size()));
  }
  return P;
}

}  // namespace

Eigen::VectorXd RowMatrix::diagonal() const {
  Eigen::VectorXd d = Eigen::VectorXd::Zero(rows);
  for (int i = 0; i < rows; ++i) {
    for (int k = begin[at(i)]; k < begin[at(i + 1)]; ++k) {
      if (column[at(k)] == i) d[i] += value[at(k)];
    }
  }
  return d;
}

Eigen::SparseMatrix<double> RowMatrix::to_eigen() const {
  Eigen::SparseMatrix<double> M(rows, cols);
  std::vector<Eigen::Triplet<double>> triplets;
  triplets.reserve(entries());
  for (int i = 0; i < rows; ++i) {
    for (int k = begin[at(i)]; k < begin[at(i + 1)]; ++k) triplets.emplace_back(i, column[at(k)], value[at(k)]);
  }
  M.setFromTriplets(triplets.begin(), triplets.end());
  return M;
}

RowMatrix by_rows(const Eigen::SparseMatrix<double>& M) {
  RowMatrix A;
  A.rows = static_cast<int>(M.rows());
  A.cols = static_cast<int>(M.cols());
  A.begin.assign(at(A.rows + 1), 0);
  for (Index j = 0; j < M.cols(); ++j) {
    for (Eigen::SparseMatrix<double>::InnerIterator it(M, j); it; ++it)
      ++A.begin[static_cast<std::size_t>(it.row() + 1)];
  }
  for (int i = 0; i < A.rows; ++i) A.begin[at(i + 1)] += A.begin[at(i)];
  A.column.resize(at(A.begin.back()));
  A.value.resize(at(A.begin.back()));
  std::vector<int> next(A.begin.begin(), A.begin.end() - 1);
  for (Index j = 0; j < M.cols(); ++j) {
    for (Eigen::SparseMatrix<double>::InnerIterator it(M, j); it; ++it) {
      const std::size_t k = at(next[static_cast<std::size_t>(it.row())]++);
      A.column[k] = static_cast<int>(j);
      A.value[k] = it.value();
    }
  }
  return A;
}

RowMatrix transposed(const RowMatrix& A) {
  RowMatrix T;
  T.rows = A.cols;
  T.cols = A.rows;
  T.begin.assign(at(T.rows + 1), 0);
  for (const int j : A.column) ++T.begin[at(j + 1)];
  for (int i = 0; i < T.rows; ++i) T.begin[at(i + 1)] += T.begin[at(i)];
  T.column.resize(A.entries());
  T.value.resize(A.entries());
  std::vector<int> next(T.begin.begin(), T.begin.end() - 1);
  for (int i = 0; i < A.rows; ++i) {
    for (int k = A.begin[at(i)]; k < A.begin[at(i + 1)]; ++k) {
      const std::size_t e = at(next[at(A.column[at(k)])]++);
      T.column[e] = i;
      T.value[e] = A.value[at(k)];
    }
  }
  return T;
}

void multiply_add(const RowMatrix& A, const Eigen::VectorXd& x, const Eigen::VectorXd& b, Eigen::VectorXd& y) {
  y.resize(A.rows);
  for (int i = 0; i < A.rows; ++i) {
    double sum = b[i];
    for (int k = A.begin[at(i)]; k < A.begin[at(i + 1)]; ++k) sum += A.value[at(k)] * x[A.column[at(k)]];
    y[i] = sum;
  }
}

void multiply(const RowMatrix& A, const Eigen::VectorXd& x, Eigen::VectorXd& y) {
  y.resize(A.rows);
  for (int i = 0; i < A.rows; ++i) {
    double sum = 0.0;
    for (int k = A.begin[at(i)]; k < A.begin[at(i + 1)]; ++k) sum += A.value[at(k)] * x[A.column[at(k)]];
    y[i] = sum;
  }
}

RowMatrix galerkin(const RowMatrix& A, const RowMatrix& P, const RowMatrix& Pt) {
  RowMatrix C;
  C.rows = C.cols = P.cols;
  C.begin.reserve(at(C.rows + 1));
  std::vector<int> fine_place(at(A.cols), -1), place(at(C.cols), -1);
  std::vector<int> fine;
  std::vector<double> row(at(A.cols));
  for (int c = 0; c < C.rows; ++c) {
    // Row c of P^T A first, on the few fine rows it touches, then times P.
    fine.clear();
    for (int k = Pt.begin[at(c)]; k < Pt.begin[at(c + 1)]; ++k) {
      const int i = Pt.column[at(k)];
      const double weight = Pt.value[at(k)];
      for (int e = A.begin[at(i)]; e < A.begin[at(i + 1)]; ++e) {
        const int j = A.column[at(e)];
        if (fine_place[at(j)] != c) {
          fine_place[at(j)] = c;
          row[at(j)] = 0.0;
          fine.push_back(j);
        }
        row[at(j)] += weight * A.value[at(e)];
      }
    }
    const int first = static_cast<int>(C.value.size());
    for (const int j : fine) {
      for (int e = P.begin[at(j)]; e < P.begin[at(j + 1)]; ++e) {
        int& k = place[at(P.column[at(e)])];
        if (k < first) {
          k = static_cast<int>(C.value.size());
          C.column.push_back(P.column[at(e)]);
          C.value.push_back(0.0);
        }
        C.value[at(k)] += row[at(j)] * P.value[at(e)];
      }
    }
    C.begin.push_back(static_cast<int>(C.value.size()));
  }
  return C;
}

RowMatrix principal_submatrix(const RowMatrix& A, const std::vector<int>& rows) {
  std::vector<int> position(at(A.cols), -1);
  for (std::size_t k = 0; k < rows.size(); ++k) position[at(rows[k])] = static_cast<int>(k);
  RowMatrix S;
  S.rows = S.cols = static_cast<int>(rows.size());
  S.begin.reserve(rows.size() + 1);
  S.column.reserve(A.entries());
  S.value.reserve(A.entries());
  for (const int i : rows) {
    for (int k = A.begin[at(i)]; k < A.begin[at(i + 1)]; ++k) {
      const int j = position[at(A.column[at(k)])];
      if (j < 0) continue;
      S.column.push_back(j);
      S.value.push_back(A.value[at(k)]);
    }
    S.begin.push_back(static_cast<int>(S.value.size()));
  }
  return S;
}

RowMatrix rows_of(const RowMatrix& A, const std::vector<int>& rows, std::vector<int>& kept) {
  std::vector<int> position(at(A.cols), -1);
  for (const int i : rows) {
    for (int k = A.begin[at(i)]; k < A.begin[at(i + 1)]; ++k) position[at(A.column[at(k)])] = 0;
  }
  kept.clear();
  for (int j = 0; j < A.cols; ++j) {
    if (position[at(j)] < 0) continue;
    position[at(j)] = static_cast<int>(kept.size());
    kept.push_back(j);
  }
  RowMatrix S;
  S.rows = static_cast<int>(rows.size());
  S.cols = static_cast<int>(kept.size());
  S.begin.reserve(rows.size() + 1);
  for (const int i : rows) {
    for (int k = A.begin[at(i)]; k < A.begin[at(i + 1)]; ++k) {
      S.column.push_back(position[at(A.column[at(k)])]);
      S.value.push_back(A.value[at(k)]);
    }
    S.begin.push_back(static_cast<int>(S.value.size()));
  }
  return S;
}

CoarseHierarchy::CoarseHierarchy(const Eigen::SparseMatrix<double>& M, Index coarsest) : coarsest_(coarsest) {
  levels_.push_back({by_rows(M), {}, {}});
  while (levels_.back().A.rows > coarsest) {
    Level& fine = levels_.back();
    fine.P = interpolation(fine.A);
    // Fewer than a fifth of the rows gone: the couplings are too weak or too many for aggregates to be worth it.
    if (fine.P.cols == 0 || fine.P.cols > fine.A.rows - fine.A.rows / 5) {
      fine.P = RowMatrix();
      break;
    }
    fine.Pt = transposed(fine.P);
    RowMatrix coarse = galerkin(fine.A, fine.P, fine.Pt);
    const bool positive = coarse.diagonal().minCoeff() > 0.0;
    const bool dense = coarse.entries() > fine.A.entries();
    if (!positive || dense) {
      fine.P = fine.Pt = RowMatrix();
      break;
    }
    levels_.push_back({std::move(coarse), {}, {}});
  }
}

}  // namespace nonsmooth::lcp::detail
