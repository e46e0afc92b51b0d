// SPDX-License-Identifier: Apache-2.0
#include "redundant_rows.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>

#include <internal/at.hpp>

#include "analysis/constraint_graph.hpp"

namespace nonsmooth {
namespace {

constexpr Index kMostRows = 400;
/// Of what is left of dependent rows: what it can make of the terms of q, and a margin.
constexpr double kDriftMargin = 10.0;
constexpr double kShareOfGaps = 0.5;

/// Rows and columns i and j of a matrix whose rows `order` names.
void exchange(Index i, Index j, std::vector<Index>& order, Eigen::MatrixXd& L) {
  if (i == j) return;
  L.row(i).swap(L.row(j));
  L.col(i).swap(L.col(j));
  std::swap(order[at(i)], order[at(j)]);
}

}  // namespace

void RedundantRows::begin_step() {
  for (Loop& loop : loops_) loop.least = 0;
  for (LargeLoop& loop : large_) loop.dependent.begin_step();
  measured_.clear();
}

Index RedundantRows::count() const {
  Index sum = 0;
  for (const Loop& loop : loops_) sum += loop.settled ? loop.dependent : 0;
  for (const LargeLoop& loop : large_) sum += loop.settled ? loop.dependent.count() : 0;
  return sum;
}

Index RedundantRows::unexamined() const {
  return std::accumulate(large_.begin(), large_.end(), Index{0}, [](Index sum, const LargeLoop& loop) {
    return sum + (loop.dependent.proven() && !loop.left ? 0 : loop.rows);
  });
}

bool RedundantRows::has_measured(const OneStepNSProblem::Block& block, bool ground) {
  const std::pair<Index, Index> own{block.interaction, block.local};
  const auto place = std::lower_bound(measured_.begin(), measured_.end(), own);
  const bool has = place != measured_.end() && *place == own;
  if (ground && !has) measured_.insert(place, own);
  return ground || has;
}

Index RedundantRows::rows_of(const std::vector<Index>& ties, const std::vector<std::vector<Index>>& members) const {
  Index rows = 0;
  for (const Index tie : ties)
    for (const Index c : members[at(tie)]) rows += known_[at(c)].rows;
  return rows;
}

Index RedundantRows::add_loops(const std::vector<Index>& ties, const std::vector<std::vector<Index>>& members,
                               const analysis::detail::ConstraintGraph* between) {
  const Index rows = rows_of(ties, members);
  if (rows > kMostRows) {
    Index rest = rows;
    if (between == nullptr) return rest;
    for (const std::vector<Index>& part : between->parts()) {
      if (std::binary_search(ties.begin(), ties.end(), part.front()))
        rest -= rows_of(part, members) - add_loops(part, members, nullptr);
    }
    return rest;
  }
  Loop loop;
  for (const Index tie : ties)
    loop.members.insert(loop.members.end(), members[at(tie)].begin(), members[at(tie)].end());
  loop.scale.resize(rows);
  loop.factor.resize(rows, rows);
  loop.N.resize(rows, rows);
  loop.order.resize(at(rows));
  loops_.push_back(std::move(loop));
  return 0;
}

void RedundantRows::find_loops(const OneStepNSProblem& problem, const SystemInputs& inputs) {
  identities_.clear();
  for (FirstRows& candidate : candidates_) {
    const OneStepNSProblem::Block& block = problem.blocks[at(candidate.block)];
    candidate.ground = has_measured(block, candidate.ground);
    identities_.push_back({block.interaction, block.local, candidate.rows, candidate.ground});
  }
  if (identities_ != known_ || problem.layout != layout_) {
    known_ = identities_;
    layout_ = problem.layout;
    loops_.clear();
    large_.clear();
    std::vector<std::vector<Index>> systems, members;  // by tie
    std::vector<Index> measuring;
    for (std::size_t c = 0; c < candidates_.size(); ++c) {
      const OneStepNSProblem::Block& block = problem.blocks[at(candidates_[c].block)];
      if (c == 0 || known_[c].interaction != known_[c - 1].interaction) {
        const auto first = problem.systems.begin() + block.first_system;
        systems.emplace_back(first, first + block.systems);
        members.emplace_back();
      }
      members.back().push_back(static_cast<Index>(c));
      const Index tie = std::ssize(members) - 1;
      if (known_[c].ground && (measuring.empty() || measuring.back() != tie)) measuring.push_back(tie);
    }
    std::vector<Index> prescribed;
    for (const PrescribedComponent& one : inputs.prescribed) prescribed.push_back(one.system);
    const analysis::detail::ConstraintGraph graph(systems, prescribed, measuring);
    const analysis::detail::ConstraintGraph between(std::move(systems), std::move(prescribed));
    for (const std::vector<Index>& part : graph.parts()) {
      const std::size_t before = loops_.size();
      const Index rest = add_loops(part, members, measuring.empty() ? nullptr : &between);
      if (rest == 0) continue;
      for (std::size_t l = before; l < loops_.size(); ++l) loops_[l].within = std::ssize(large_);
      LargeLoop& loop = large_.emplace_back();
      for (const Index tie : part)
        loop.members.insert(loop.members.end(), members[at(tie)].begin(), members[at(tie)].end());
      loop.rows = rest;
    }
  }
  number_blocks(problem);
}

void RedundantRows::number_blocks(const OneStepNSProblem& problem) {
  const auto take = [this](const std::vector<Index>& members, std::size_t number, std::vector<Index>& number_of,
                           std::vector<FirstRows>& parts) {
    parts.clear();
    for (const Index c : members) {
      parts.push_back(candidates_[at(c)]);
      number_of[at(parts.back().block)] = static_cast<Index>(number);
    }
  };
  loop_of_.assign(problem.blocks.size(), -1);
  for (std::size_t l = 0; l < loops_.size(); ++l) {
    Loop& loop = loops_[l];
    take(loop.members, l, loop_of_, loop.parts);
    loop.rows.clear();
    for (const FirstRows& part : loop.parts)
      for (Index r = 0; r < part.rows; ++r) loop.rows.push_back(problem.blocks[at(part.block)].row + r);
  }
  group_of_ = loop_of_;
  for (std::size_t l = 0; l < large_.size(); ++l)
    take(large_[l].members, loops_.size() + l, group_of_, large_[l].parts);
}

void RedundantRows::look(const BlockSparseMatrix& W, double dependent) {
  for (Loop& loop : loops_) {
    find_dependent(W, dependent, loop);
    if (loop.dependent > 0) find_kernel(loop);
  }
  if (large_.empty()) return;
  left_out_.assign(at(W.rows()), 0);
  for (const Loop& loop : loops_) {
    for (Index k = loop.moved - loop.dependent; k < loop.moved; ++k)
      left_out_[at(loop.rows[at(loop.order[at(k)])])] = 1;
  }
  for (LargeLoop& loop : large_) loop.dependent.look(W, loop.parts, left_out_, dependent);
}

void RedundantRows::write_scaled(const BlockSparseMatrix& W, Loop& loop) {
  Eigen::MatrixXd& L = loop.factor;
  L.setZero();
  Index row = 0;
  for (const FirstRows& i : loop.parts) {
    Index column = 0;
    for (const FirstRows& j : loop.parts) {
      if (const Index found = W.find(i.block, j.block); found >= 0) {
        const auto whole = W.block(i.block, found);
        const auto block = whole.topLeftCorner(i.rows, j.rows);
        L.block(row, column, block.rows(), block.cols()) += 0.5 * block;
        L.block(column, row, block.cols(), block.rows()) += 0.5 * block.transpose();
      }
      column += j.rows;
    }
    row += i.rows;
  }
  for (Index k = 0; k < L.rows(); ++k) loop.scale[k] = L(k, k) > 0.0 ? 1.0 / std::sqrt(L(k, k)) : 0.0;
  for (Index j = 0; j < L.cols(); ++j) L.col(j) *= loop.scale[j];
  for (Index j = 0; j < L.rows(); ++j) L.row(j) *= loop.scale[j];
  std::iota(loop.order.begin(), loop.order.end(), Index{0});
  Index moved = L.rows();
  for (Index i = 0; i < moved;) {
    if (L(i, i) > 0.0) {
      ++i;
    } else {
      exchange(i, --moved, loop.order, L);
    }
  }
  if (moved != loop.moved) loop.least = 0;
  loop.moved = moved;
}

/// Ŵ into `factor`, then its factors column by column in `order`, until what is left of every row is below the
/// threshold, or within the rounding of Ŵ.
void RedundantRows::find_dependent(const BlockSparseMatrix& W, double dependent, Loop& loop) {
  write_scaled(W, loop);
  const Index m = loop.moved;
  auto L = loop.factor.topLeftCorner(m, m);
  loop.dependent = 0;
  if (!(dependent > 0.0) || !L.allFinite()) return;
  const double round_off = static_cast<double>(m) * std::numeric_limits<double>::epsilon();
  const double least_pivot = std::max(dependent * dependent, round_off);
  Index rank = 0;
  for (; rank < m - loop.least; ++rank) {
    Index next = rank;
    for (Index i = rank + 1; i < m; ++i)
      if (L(i, i) > L(next, next)) next = i;
    if (!(L(next, next) > least_pivot)) break;
    if (next != rank) exchange(rank, next, loop.order, loop.factor);
    const double pivot = std::sqrt(L(rank, rank));
    L(rank, rank) = pivot;
    const Index rest = m - rank - 1;
    L.col(rank).tail(rest) /= pivot;
    for (Index j = 0; j < rest; ++j) {
      const double factor = L(rank + 1 + j, rank);
      if (factor == 0.0) continue;
      L.col(rank + 1 + j).tail(rest) -= factor * L.col(rank).tail(rest);
    }
  }
  loop.dependent = loop.least = m - rank;
  double square = round_off;
  for (Index i = rank; i < m; ++i) square += std::max(L(i, i), 0.0);
  loop.remainder = std::sqrt(square);
}

/// N of the factors: [-L_11^-T L_21^T; I] in the order of the pivots, made orthonormal.
void RedundantRows::find_kernel(Loop& loop) {
  const Index m = loop.factor.rows(), k = loop.dependent, rank = loop.moved - k;
  auto N = loop.N.leftCols(k);
  const Eigen::MatrixXd& L = loop.factor;
  for (Index c = 0; c < k; ++c) {
    const auto put = [&](Index i) -> double& { return N(loop.order[at(i)], c); };
    for (Index i = 0; i < k; ++i) put(rank + i) = i == c ? 1.0 : 0.0;
    for (Index i = loop.moved; i < m; ++i) put(i) = 0.0;
    for (Index i = rank; i-- > 0;) {
      double sum = -L(rank + c, i);
      for (Index j = i + 1; j < rank; ++j) sum -= L(j, i) * put(j);
      put(i) = sum / L(i, i);
    }
    for (int pass = 0; pass < 2; ++pass) {  // twice is enough
      for (Index b = 0; b < c; ++b) N.col(c) -= N.col(b).dot(N.col(c)) * N.col(b);
    }
    N.col(c).normalize();
  }
}

double RedundantRows::combination(const Loop& loop, Index c, const double* q) {
  double sum = 0.0;
  for (std::size_t i = 0; i < loop.rows.size(); ++i) {
    const auto k = static_cast<Index>(i);
    sum += loop.N(k, c) * loop.scale[k] * q[loop.rows[i]];
  }
  return sum;
}

bool RedundantRows::is_contradiction(bool projection, double missed, double remainder, double size) {
  return missed > (projection ? kShareOfGaps : kDriftMargin * remainder) * size;
}

bool RedundantRows::contradicts(bool projection, const double* q, const Eigen::VectorXd& terms, const Loop& loop) {
  double size = 0.0, missed = 0.0;
  for (std::size_t i = 0; i < loop.rows.size(); ++i)
    size += std::pow(loop.scale[static_cast<Index>(i)] * terms[loop.rows[i]], 2);
  for (Index c = 0; c < loop.dependent; ++c) missed += std::pow(combination(loop, c, q), 2);
  return is_contradiction(projection, std::sqrt(missed), loop.remainder, std::sqrt(size));
}

bool RedundantRows::choose_settled(bool projection, const double* q, const Eigen::VectorXd& terms) {
  bool changed = false;
  const auto choose = [&changed](bool settled, bool& own) {
    changed = changed || settled != own;
    own = settled;
  };
  for (LargeLoop& loop : large_) {
    DependentRows& rows = loop.dependent;
    choose(rows.count() > 0 && rows.idle_rows_hold(q, terms) &&
               !is_contradiction(projection, rows.combinations(q), rows.remainder(), rows.size_of(terms)),
           loop.settled);
  }
  for (Loop& loop : loops_) {
    const bool outer = loop.within >= 0 && large_[at(loop.within)].settled;
    choose(!outer && loop.dependent > 0 && !contradicts(projection, q, terms, loop), loop.settled);
  }
  return changed;
}

void RedundantRows::take_away(const Loop& loop, double* q) {
  for (Index c = 0; c < loop.dependent; ++c) {
    const double sum = combination(loop, c, q);
    for (std::size_t i = 0; i < loop.rows.size(); ++i) {
      const auto k = static_cast<Index>(i);
      q[loop.rows[i]] -= loop.unscaled(k, sum * loop.N(k, c));
    }
  }
}

void RedundantRows::take_away(double* q) {
  for (const Loop& loop : loops_)
    if (loop.settled) take_away(loop, q);
  for (LargeLoop& loop : large_)
    if (loop.settled) loop.dependent.take_away(q);
}

}  // namespace nonsmooth
