// SPDX-License-Identifier: Apache-2.0
#include "copositive.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <internal/at.hpp>
#include <internal/decompositions.hpp>

namespace nonsmooth::analysis::detail {
namespace {

/// Elimination steps after which the search gives up: some 10 s.
constexpr double most_face_steps = 4e8;

class FaceSearch {
 public:
  explicit FaceSearch(const BallMatrix& S) : S_(S), n_(S.rows()), may_be_negative_(at(n_), 0) {
    for (Index i = 0; i < n_; ++i) {
      for (Index j = 0; j < n_; ++j) {
        if (i != j && !S(i, j).nonnegative()) may_be_negative_[at(i)] |= std::uint64_t{1} << j;
      }
    }
  }

  OrthantSigns run() {
    for (Index k = n_ - 1; k >= 0 && signs_.negative.size() == 0; --k) {  // faces whose first vertex is k
      rows_.assign(1, k);
      judge(S_(k, k));
      Node node{.candidates = {}, .T = {}, .minor = {1.0, 0.0}};
      for (Index j = k + 1; j < n_; ++j) node.candidates.push_back(j);
      fill(node, k);
      extend(node, bit(k));
    }
    return std::move(signs_);
  }

 private:
  /// Bareiss' elimination of [B, g; g^T, S_kk]: of the rows not yet taken, with the last row and column g.
  struct Node {
    std::vector<Index> candidates;
    std::vector<Ball> T;  ///< (candidates + 1)^2
    Ball minor;           ///< det B of the rows taken
    [[nodiscard]] const Ball& at(std::size_t i, std::size_t j) const { return T[i * (candidates.size() + 1) + j]; }
  };
  enum class Position : unsigned char { Outside, Inside, Unknown };

  static std::uint64_t bit(Index i) { return std::uint64_t{1} << i; }

  /// B_ij in the vertex k.
  [[nodiscard]] Ball difference(Index i, Index j, Index k) const {
    return (S_(i, j) - S_(i, k)) + (S_(k, k) - S_(k, j));
  }

  void fill(Node& node, Index k) const {
    const std::size_t size = node.candidates.size();
    node.T.reserve((size + 1) * (size + 1));
    const auto entry = [&](std::size_t i, std::size_t j) -> Ball {
      if (i == size && j == size) return S_(k, k);
      if (i == size || j == size) {
        const Index row = node.candidates[i == size ? j : i];
        return S_(row, k) - S_(k, k);
      }
      return difference(node.candidates[i], node.candidates[j], k);
    };
    for (std::size_t i = 0; i <= size; ++i) {
      for (std::size_t j = 0; j <= size; ++j) node.T.push_back(entry(i, j));
    }
  }

  /// Tries each candidate as the next row of the face.
  void extend(const Node& node, std::uint64_t taken) {
    std::uint64_t open = taken;
    for (const Index j : node.candidates) open |= bit(j);
    for (std::size_t p = 0; p < node.candidates.size() && signs_.negative.size() == 0; ++p) {
      const Index row = node.candidates[p];
      const Ball& pivot = node.at(p, p);
      rows_.push_back(row);
      // Not convex, or with an entry of x that only adds: nothing new on this face and those that contain it.
      const bool idle = pivot.nonpositive() || !rows_can_be_negative(open);
      if (!idle && (!pivot.positive() || steps_ > most_face_steps)) {
        signs_.undecided = signs_.undecided_strict = true;
      } else if (!idle) {
        const Node next = eliminate(node, p);
        if (rows_can_be_negative(taken | bit(row))) judge(next.T.back());
        extend(next, taken | bit(row));
      }
      rows_.pop_back();
      open &= ~bit(row);
    }
  }

  /// Whether each row taken may have a negative entry in a column of `columns`.
  [[nodiscard]] bool rows_can_be_negative(std::uint64_t columns) const {
    for (const Index i : rows_) {
      if ((may_be_negative_[at(i)] & columns) == 0) return false;
    }
    return true;
  }

  Node eliminate(const Node& node, std::size_t p) {
    const std::size_t size = node.candidates.size();
    Node next{.candidates = {node.candidates.begin() + static_cast<std::ptrdiff_t>(p) + 1, node.candidates.end()},
              .T = {},
              .minor = node.at(p, p)};
    next.T.reserve((size - p) * (size - p));
    for (std::size_t i = p + 1; i <= size; ++i) {
      for (std::size_t j = p + 1; j <= size; ++j)
        next.T.push_back(minor_of(node.at(p, p), node.at(p, j), node.at(i, p), node.at(i, j)) / node.minor);
    }
    steps_ += static_cast<double>((size - p) * (size - p));
    return next;
  }

  /// `value` has the sign of the stationary value on the face.
  void judge(const Ball& value) {
    if (value.positive()) return;
    Eigen::VectorXd x;
    const Position position = stationary_point(x);
    if (position == Position::Outside) return;
    if (x.allFinite()) {
      x = x.cwiseMax(0.0);
      const Ball form = quadratic_form(S_, x);
      if (form.negative()) {
        signs_.negative = signs_.nonpositive = x;
        signs_.vanishes = false;
        return;
      }
      if (signs_.nonpositive.size() == 0 &&
          (form.nonpositive() || (value.nonpositive() && position == Position::Inside))) {
        signs_.nonpositive = x;
        signs_.vanishes = !form.nonpositive();
      }
    }
    if (signs_.nonpositive.size() == 0) signs_.undecided_strict = true;
    if (!value.nonnegative()) signs_.undecided = true;
  }

  /// x with S_aa x_a = v 1, sum 1, zero outside a, and whether x_a > 0 beyond its error.
  Position stationary_point(Eigen::VectorXd& x) const {
    const Index k = rows_.front();
    const auto size = static_cast<Index>(rows_.size()) - 1;
    x = Eigen::VectorXd::Unit(n_, k);
    if (size == 0) return Position::Inside;
    Eigen::MatrixXd B(size, size);
    Eigen::VectorXd g(size);
    for (Index i = 0; i < size; ++i) {
      g[i] = (S_(k, k) - S_(rows_[at(i) + 1], k)).mid;
      for (Index j = 0; j < size; ++j) B(i, j) = difference(rows_[at(i) + 1], rows_[at(j) + 1], k).mid;
    }
    const LuFactors factors(B);
    const Eigen::VectorXd y = factors.solve(g);
    // |error of y| <= |B^-1| (|residual| + its own round-off), with twice the computed inverse.
    Eigen::VectorXd residual = (B * y - g).cwiseAbs();
    residual += 4.0 * static_cast<double>(size + 2) * eps * (B.cwiseAbs() * y.cwiseAbs() + g.cwiseAbs());
    residual += radii(k) * (1.0 + y.cwiseAbs().sum());
    const Eigen::VectorXd error = 2.0 * factors.inverse().cwiseAbs() * residual;
    for (Index i = 0; i < size; ++i) x[rows_[at(i) + 1]] = y[i];
    x[k] = 1.0 - y.sum();
    if (!error.allFinite() || !y.allFinite()) return Position::Unknown;
    const double rest_error = error.sum() + static_cast<double>(size + 1) * eps * (1.0 + y.cwiseAbs().sum());
    if ((y + error).minCoeff() < 0.0 || x[k] + rest_error < 0.0) return Position::Outside;
    return (y - error).minCoeff() > 0.0 && x[k] > rest_error ? Position::Inside : Position::Unknown;
  }

  /// For each row of B a bound of the radii of its entries and of g.
  [[nodiscard]] Eigen::VectorXd radii(Index k) const {
    const auto size = static_cast<Index>(rows_.size()) - 1;
    Eigen::VectorXd largest = Eigen::VectorXd::Zero(size);
    for (Index i = 0; i < size; ++i) {
      const Index row = rows_[at(i) + 1];
      largest[i] = (S_(k, k) - S_(row, k)).rad;
      for (const Index column : rows_) largest[i] = std::max(largest[i], difference(row, column, k).rad);
    }
    return largest;
  }

  const BallMatrix& S_;
  Index n_;
  std::vector<std::uint64_t> may_be_negative_;
  std::vector<Index> rows_;
  OrthantSigns signs_;
  double steps_ = 0.0;
};

}  // namespace

OrthantSigns orthant_signs(const BallMatrix& S) { return FaceSearch(S).run(); }

}  // namespace nonsmooth::analysis::detail
