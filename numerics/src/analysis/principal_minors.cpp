// SPDX-License-Identifier: Apache-2.0
#include "principal_minors.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

namespace nonsmooth::analysis::detail {
namespace {

/// Elimination steps after which the search gives up: some 10 s. Only vanishing diagonals come near.
constexpr double most_steps = 4e8;
/// The largest block without a usable diagonal entry whose minors are taken one by one.
constexpr Index largest_hollow = 10;

class MinorSearch {
 public:
  explicit MinorSearch(const BallMatrix& M) : levels_(static_cast<std::size_t>(M.rows()) + 1) {
    Level& top = levels_.front();
    top.T.reserve(static_cast<std::size_t>(M.rows() * M.rows()));
    for (Index i = 0; i < M.rows(); ++i) {
      top.rows.push_back(i);
      for (Index j = 0; j < M.cols(); ++j) top.T.push_back(M(i, j));
    }
  }

  MinorSigns run() {
    explore(0, {1.0, 0.0});
    return std::move(signs_);
  }

 private:
  /// The rows left and T row by row.
  struct Level {
    std::vector<Index> rows;
    std::vector<Ball> T;
    [[nodiscard]] const Ball& at(std::size_t i, std::size_t j) const { return T[i * rows.size() + j]; }
  };

  [[nodiscard]] bool decided() const {
    return !signs_.nonpositive.empty() && !signs_.negative.empty() && !signs_.zero.empty();
  }

  void explore(std::size_t depth, const Ball& minor) {
    const Level& here = levels_[depth];
    const std::size_t k = here.rows.size();
    if (k == 0 || decided()) return;
    steps_ += static_cast<double>(k * k);
    if (steps_ > most_steps) return give_up();
    const std::size_t p = choose(here);
    if (p == k) return hollow(depth, minor);
    const Ball pivot = here.at(p, p);
    if (pivot.negative()) {
      record(here.rows[p], signs_.nonpositive);
      record(here.rows[p], signs_.negative);
    }
    eliminate(depth, p, minor, pivot);
    taken_.push_back(here.rows[p]);
    explore(depth + 1, pivot);
    taken_.pop_back();
    drop(depth, p);
    explore(depth + 1, minor);
  }

  /// The diagonal entry that is largest beside its row, positive ones first; k if none is decided and not zero.
  static std::size_t choose(const Level& here) {
    const std::size_t k = here.rows.size();
    std::size_t best = k;
    double best_share = -1.0;
    bool best_positive = false;
    for (std::size_t i = 0; i < k; ++i) {
      const Ball& entry = here.at(i, i);
      if (!entry.positive() && !entry.negative()) continue;
      double size = 0.0;
      for (std::size_t j = 0; j < k; ++j) size = std::max(size, std::abs(here.at(i, j).mid));
      const double share = std::abs(entry.mid) / size;
      if (best < k && (best_positive > entry.positive() || (best_positive == entry.positive() && best_share >= share)))
        continue;
      best = i;
      best_share = share;
      best_positive = entry.positive();
    }
    return best;
  }

  /// Row p enters the set.
  void eliminate(std::size_t depth, std::size_t p, const Ball& minor, const Ball& pivot) {
    const Level& here = levels_[depth];
    Level& next = levels_[depth + 1];
    const std::size_t k = here.rows.size();
    const bool first = minor.mid == 1.0 && minor.rad == 0.0;
    next.rows.clear();
    next.T.clear();
    for (std::size_t i = 0; i < k; ++i) {
      if (i == p) continue;
      next.rows.push_back(here.rows[i]);
      for (std::size_t j = 0; j < k; ++j) {
        if (j == p) continue;
        const Ball value = minor_of(pivot, here.at(p, j), here.at(i, p), here.at(i, j));
        next.T.push_back(first ? value : value / minor);
      }
    }
  }

  /// Row p stays out.
  void drop(std::size_t depth, std::size_t p) {
    const Level& here = levels_[depth];
    Level& next = levels_[depth + 1];
    const std::size_t k = here.rows.size();
    next.rows.clear();
    next.T.clear();
    for (std::size_t i = 0; i < k; ++i) {
      if (i == p) continue;
      next.rows.push_back(here.rows[i]);
      for (std::size_t j = 0; j < k; ++j) {
        if (j != p) next.T.push_back(here.at(i, j));
      }
    }
  }

  /// No diagonal entry can be divided by: each is zero or unknown. By Sylvester's identity the minors of M with s rows
  /// more are those of T over minor^(s-1).
  void hollow(std::size_t depth, const Ball& minor) {
    const Level& here = levels_[depth];
    const std::size_t k = here.rows.size();
    for (std::size_t i = 0; i < k; ++i) {
      if (!here.at(i, i).zero()) return hidden(depth, minor);
      record(here.rows[i], signs_.nonpositive);
      record(here.rows[i], signs_.zero);
    }
    if (static_cast<Index>(k) > largest_hollow) {
      signs_.undecided_sign = true;
      return;
    }
    for (std::uint64_t key = 0; key < (std::uint64_t{1} << k) && signs_.negative.empty(); ++key) {
      std::vector<Index> chosen;
      for (std::size_t i = 0; i < k; ++i) {
        if ((key >> i) & 1U) chosen.push_back(static_cast<Index>(i));
      }
      if (chosen.size() < 2) continue;
      steps_ += static_cast<double>(chosen.size() * chosen.size() * chosen.size());
      Ball sign = determinant(block_of(here, chosen));
      // Only its sign counts: it changes with each negative det M_aa that divides.
      if (minor.negative() && chosen.size() % 2 == 0) sign = -sign;
      if (sign.negative()) {
        for (const Index i : chosen) taken_.push_back(here.rows[static_cast<std::size_t>(i)]);
        signs_.negative = taken_;
        taken_.resize(taken_.size() - chosen.size());
      } else if (!sign.nonnegative()) {
        signs_.undecided_sign = true;
      }
    }
  }

  /// A row whose diagonal entry is unknown: what it makes of the others stays unknown, the minors without it do not.
  void hidden(std::size_t depth, const Ball& minor) {
    const Level& here = levels_[depth];
    std::size_t p = 0;
    while (here.at(p, p).zero()) ++p;
    const Ball& entry = here.at(p, p);
    if (entry.nonpositive()) record(here.rows[p], signs_.nonpositive);
    signs_.undecided = signs_.undecided_zero = signs_.undecided_sign = true;
    drop(depth, p);
    explore(depth + 1, minor);
  }

  static BallMatrix block_of(const Level& here, const std::vector<Index>& chosen) {
    const auto size = static_cast<Index>(chosen.size());
    BallMatrix block{.mid = Eigen::MatrixXd(size, size), .rad = Eigen::MatrixXd(size, size)};
    for (Index i = 0; i < size; ++i) {
      for (Index j = 0; j < size; ++j)
        block.set(i, j,
                  here.at(static_cast<std::size_t>(chosen[static_cast<std::size_t>(i)]),
                          static_cast<std::size_t>(chosen[static_cast<std::size_t>(j)])));
    }
    return block;
  }

  void record(Index row, std::vector<Index>& set) {
    if (!set.empty()) return;
    set = taken_;
    set.push_back(row);
  }

  void give_up() { signs_.undecided = signs_.undecided_sign = signs_.undecided_zero = true; }

  std::vector<Level> levels_;
  std::vector<Index> taken_;
  MinorSigns signs_;
  double steps_ = 0.0;
};

}  // namespace

MinorSigns principal_minor_signs(const BallMatrix& M) {
  MinorSigns signs = MinorSearch(M).run();
  std::ranges::sort(signs.nonpositive);
  std::ranges::sort(signs.negative);
  std::ranges::sort(signs.zero);
  return signs;
}

Ball determinant(BallMatrix M) {
  const Index n = M.rows();
  Ball previous{1.0, 0.0};
  bool negated = false;
  for (Index k = 0; k < n; ++k) {
    Index best = -1;
    bool unknown = false;
    for (Index i = k; i < n; ++i) {
      const Ball entry = M(i, k);
      unknown = unknown || !entry.decided();
      if ((entry.positive() || entry.negative()) && (best < 0 || std::abs(entry.mid) > std::abs(M(best, k).mid)))
        best = i;
    }
    if (best < 0) return {0.0, unknown ? std::numeric_limits<double>::infinity() : 0.0};
    if (best != k) {
      M.mid.row(best).swap(M.mid.row(k));
      M.rad.row(best).swap(M.rad.row(k));
      negated = !negated;
    }
    const Ball pivot = M(k, k);
    for (Index i = k + 1; i < n; ++i) {
      for (Index j = k + 1; j < n; ++j) M.set(i, j, minor_of(pivot, M(k, j), M(i, k), M(i, j)) / previous);
    }
    previous = pivot;
  }
  return negated ? -previous : previous;
}

}  // namespace nonsmooth::analysis::detail
