// SPDX-License-Identifier: Apache-2.0
// A basis of pivoting methods whose columns are exchanged one by one; not installed.
#pragma once

#include <utility>
#include <vector>

#include <internal/sparse_factors.hpp>
#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth::detail {

/// B = B_0 E_1 ... E_k: sparse LU of a basis B_0, and a matrix E for each column that was exchanged since: the identity
/// with column r replaced by y = B^-1 (the column that came). Two triangular solves and k sparse updates a solve; the
/// updates lose some 1e3 eps each over some 50 of them, after which B is best factored again.
class UpdatedFactors {
 public:
  /// False where B is singular.
  [[nodiscard]] bool factorize(const Eigen::SparseMatrix<double>& B) {
    updates_.clear();
    return lu_.compute(B);
  }

  void solve_in_place(VectorRef x) const {  ///< x := B^-1 x
    lu_.solve_in_place(x);
    for (const Update& update : updates_) {
      if (x[update.r] == 0.0) continue;
      const double pivot = x[update.r] / update.pivot;
      for (const auto& [i, y] : update.others) x[i] -= y * pivot;
      x[update.r] = pivot;
    }
  }

  /// Column r of B becomes the one that y = B^-1 (it) was computed of; y_r is not 0.
  void exchange(Index r, ConstVectorRef y) {
    Update update{r, y[r], {}};
    for (Index i = 0; i < y.size(); ++i) {
      if (i != r && y[i] != 0.0) update.others.emplace_back(i, y[i]);
    }
    updates_.push_back(std::move(update));
  }

 private:
  struct Update {
    Index r;
    double pivot;
    std::vector<std::pair<Index, double>> others;
  };

  SparseLuFactors lu_;
  std::vector<Update> updates_;
};

}  // namespace nonsmooth::detail
