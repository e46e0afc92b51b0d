// SPDX-License-Identifier: Apache-2.0
#include "triangular_blocks.hpp"

#include <algorithm>

#include <btf.h>

#include <internal/at.hpp>

namespace nonsmooth::detail {

bool TriangularBlocks::analyze(const Eigen::SparseMatrix<double>& A) {
  const auto n = static_cast<int>(A.cols());
  for (std::vector<int>* each : {&rows_, &columns_, &place_}) each->resize(at(n));
  begin_.resize(at(n + 1));
  work_.resize(at(5 * Index{n}));
  int num_matched = 0;
  double work = 0.0;
  // The library reads these arrays only, but its C interface does not say const.
  num_blocks_ = btf_order(n, const_cast<int*>(A.outerIndexPtr()), const_cast<int*>(A.innerIndexPtr()), 0.0, &work,
                          rows_.data(), columns_.data(), begin_.data(), &num_matched, work_.data());
  if (num_matched < n) return false;
  for (int k = 0; k < n; ++k) place_[at(rows_[at(k)])] = k;
  for (int b = 0; b < num_blocks_; ++b) {
    if (begin(b + 1) - begin(b) > 2) order_block(A, begin(b), begin(b + 1));
  }
  return true;
}

void TriangularBlocks::order_block(const Eigen::SparseMatrix<double>& A, int first, int last) {
  const Index size = last - first;
  const auto each_entry = [&](auto&& visit) {  // of B, in its own numbers
    for (int k = first; k < last; ++k) {
      const int j = columns_[at(k)];
      for (int e = A.outerIndexPtr()[j]; e < A.outerIndexPtr()[j + 1]; ++e) {
        const Index i = place_[at(A.innerIndexPtr()[e])] - first;
        if (i >= 0 && i != k - first) visit(i, Index{k - first});
      }
    }
  };
  from_.assign(at(size + 1), 1);  // its own among each row's
  from_[0] = 0;
  each_entry([&](Index i, Index j) { ++from_[at(i + 1)], ++from_[at(j + 1)]; });
  for (Index i = 0; i < size; ++i) from_[at(i + 1)] += from_[at(i)];
  to_.resize(at(from_[at(size)]));
  next_.assign(from_.begin(), from_.end() - 1);
  for (Index i = 0; i < size; ++i) to_[at(next_[at(i)]++)] = i;
  each_entry([&](Index i, Index j) { to_[at(next_[at(i)]++)] = j, to_[at(next_[at(j)]++)] = i; });
  Index kept = 0;
  for (Index i = 0; i < size; ++i) {  // ascending, each once
    const auto begin = to_.begin() + from_[at(i)], end = to_.begin() + from_[at(i + 1)];
    std::sort(begin, end);
    from_[at(i)] = kept;
    kept = std::copy(begin, std::unique(begin, end), to_.begin() + kept) - to_.begin();
  }
  from_[at(size)] = kept;
  degree_.order(
      size, [&](Index i) { return from_[at(i)]; }, [&](Index e) { return to_[at(e)]; }, order_);
  for (std::vector<int>* each : {&rows_, &columns_}) {
    moved_.clear();
    for (const Index k : order_) moved_.push_back((*each)[at(first + k)]);
    std::copy(moved_.begin(), moved_.end(), each->begin() + first);
  }
}

}  // namespace nonsmooth::detail
