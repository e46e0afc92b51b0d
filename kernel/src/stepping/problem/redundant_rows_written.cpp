// SPDX-License-Identifier: Apache-2.0
// What loops with dependent rows write into W and H, and what they do before, in the place of and after a solver.
#include <algorithm>
#include <cmath>

#include <internal/at.hpp>

#include "redundant_rows.hpp"

namespace nonsmooth {
namespace {

constexpr Index kMostCorrections = 5;  ///< of a solution by factors: the first, then to the rounding of r

}  // namespace

/// W couples what it coupled, and with one row of a loop all of them.
void RedundantRows::lay_pattern(const BlockSparseMatrix& from, BlockSparseMatrix& W) {
  const Index blocks = from.num_block_rows();
  sizes_.resize(at(blocks));
  for (Index i = 0; i < blocks; ++i) sizes_[at(i)] = from.size(i);
  stamp_.assign(at(blocks), -1);
  const auto loop_of = [this](Index block) -> Loop* {
    const Index l = loop_of_[at(block)];
    return l >= 0 && loops_[at(l)].settled ? &loops_[at(l)] : nullptr;
  };
  // Calls visit(j) once for each block column of a row; `mark` is of the row, or of its loop.
  const auto for_each_column = [&](Index row, Index mark, auto&& visit) {
    const auto once = [&](Index j) {
      if (stamp_[at(j)] == mark) return;
      stamp_[at(j)] = mark;
      visit(j);
    };
    for (Index k = from.row_begin(row); k < from.row_begin(row + 1); ++k) {
      if (stamp_[at(from.column(k))] == mark) continue;
      if (const Loop* columns = loop_of(from.column(k))) {
        for (const FirstRows& part : columns->parts) once(part.block);
      } else {
        once(from.column(k));
      }
    }
  };
  for (std::size_t l = 0; l < loops_.size(); ++l) {
    Loop& loop = loops_[l];
    loop.columns.clear();
    if (!loop.settled) continue;
    for (const FirstRows& part : loop.parts)
      for_each_column(part.block, blocks + static_cast<Index>(l), [&](Index j) { loop.columns.push_back(j); });
    std::sort(loop.columns.begin(), loop.columns.end());
  }
  W.begin_pattern(sizes_);
  for (Index i = 0; i < blocks; ++i) {
    if (const Loop* rows = loop_of(i)) {
      for (const Index j : rows->columns) W.insert(j);
    } else {
      for_each_column(i, i, [&](Index j) { W.insert(j); });
    }
    W.next_row();
  }
  W.end_pattern();
}

void RedundantRows::replace(const Loop& loop, BlockSparseMatrix& W) {
  const Index k = loop.dependent, first = loop.parts.front().block;
  const auto N = loop.N.leftCols(k);
  if (products_.rows() < W.rows() || products_.cols() < k) products_.resize(W.rows(), k);
  // W := (I - A B^T) W. Rows of a loop have the same columns.
  for (Index entry = W.row_begin(first); entry < W.row_begin(first + 1); ++entry) {
    const Index j = W.column(entry), columns = W.size(j);
    auto BW = products_.topLeftCorner(columns, k);
    BW.setZero();
    Index row = 0;
    for (const FirstRows& i : loop.parts) {
      const auto block = W.block(i.block, W.find(i.block, j));
      for (Index r = 0; r < i.rows; ++r, ++row)
        for (Index c = 0; c < columns; ++c) BW.row(c) += (loop.scale[row] * block(r, c)) * N.row(row);
    }
    row = 0;
    for (const FirstRows& i : loop.parts) {
      auto block = W.block(i.block, W.find(i.block, j));
      for (Index r = 0; r < i.rows; ++r, ++row)
        for (Index c = 0; c < columns; ++c) block(r, c) -= loop.unscaled(row, N.row(row).dot(BW.row(c)));
    }
  }
  // W := W (I - B A^T), on the rows that W couples with the loop.
  for (Index entry = W.row_begin(first); entry < W.row_begin(first + 1); ++entry) {
    const Index i = W.column(entry), rows = W.size(i);
    auto WB = products_.topLeftCorner(rows, k);
    WB.setZero();
    Index column = 0;
    for (const FirstRows& j : loop.parts) {
      const auto block = W.block(i, W.find(i, j.block));
      for (Index c = 0; c < j.rows; ++c, ++column)
        for (Index r = 0; r < rows; ++r) WB.row(r) += (block(r, c) * loop.scale[column]) * N.row(column);
    }
    column = 0;
    for (const FirstRows& j : loop.parts) {
      auto block = W.block(i, W.find(i, j.block));
      for (Index c = 0; c < j.rows; ++c, ++column)
        for (Index r = 0; r < rows; ++r) block(r, c) -= loop.unscaled(column, WB.row(r).dot(N.row(column)));
    }
  }
  Index row = 0;
  for (const FirstRows& i : loop.parts) {
    Index column = 0;
    for (const FirstRows& j : loop.parts) {
      auto block = W.block(i.block, W.find(i.block, j.block));
      for (Index c = 0; c < j.rows; ++c) {
        for (Index r = 0; r < i.rows; ++r) {
          const double product = N.row(row + r).dot(N.row(column + c));  // 0 where a scale is 0
          if (product != 0.0) block(r, c) += product / (loop.scale[row + r] * loop.scale[column + c]);
        }
      }
      column += j.rows;
    }
    row += i.rows;
  }
}

bool RedundantRows::settle(const Eigen::VectorXd& terms, double dependent, bool same_matrix,
                           OneStepNSProblem& problem) {
  BlockSparseMatrix& W = problem.reduced.W;
  double_diagonals(false, W);
  if (dependent != threshold_) {
    put_back(problem);
    threshold_ = dependent;
    same_matrix = false;
  }
  if (!same_matrix) look(W, dependent);
  for (LargeLoop& loop : large_) loop.left = false;
  const bool projection = problem.level == OneStepNSProblem::Level::Projection;
  const bool others = choose_settled(projection, problem.reduced.q.data(), terms);
  const bool changed = others || (!same_matrix && count() > 0);
  if (changed) {
    put_back(problem);
    if (std::any_of(loops_.begin(), loops_.end(), [](const Loop& loop) { return loop.settled; })) {
      lay_pattern(W, other_);
      for (Index i = 0; i < W.num_block_rows(); ++i)
        for (Index k = W.row_begin(i); k < W.row_begin(i + 1); ++k)
          other_.block(i, other_.find(i, W.column(k))) = W.block(i, k);
      for (const Loop& loop : loops_)
        if (loop.settled) replace(loop, other_);
      std::swap(W, other_);
      replaced_ = true;
    }
  }
  take_away(problem.reduced.q.data());
  double_diagonals(true, W);
  return changed;
}

void RedundantRows::double_diagonals(bool twice, BlockSparseMatrix& W) {
  if (twice == doubled_) return;
  for (const LargeLoop& loop : large_)
    if (loop.settled) loop.dependent.change_diagonals(twice, W);
  doubled_ = twice;
}

void RedundantRows::begin_solution(double* r) {
  for (LargeLoop& loop : large_)
    if (loop.settled) loop.dependent.take_from_dependent(r);
}

bool RedundantRows::solve_alone(double tolerance, OneStepNSProblem& problem) {
  const mixed::Problem& reduced = problem.reduced;
  alone_ = false;
  if (large_.size() != 1 || !large_.front().settled || !reduced.K.all(SetKind::Free)) return false;
  LargeLoop& loop = large_.front();
  Index rows = 0;
  for (const FirstRows& part : loop.parts) rows += part.rows;
  if (rows != reduced.W.rows()) return false;
  mixed::Result& result = problem.result;
  result.r.setZero(rows);
  result.u.resize(rows);
  for (result.iterations = 0; result.iterations < kMostCorrections; ++result.iterations) {
    if (!loop.dependent.correct(reduced.W, loop.parts, reduced.q.data(), result.r.data())) break;
    result.certificate = mixed::certify(reduced, result.r, result.u);
    const bool last = result.iterations + 1 == kMostCorrections, within = result.certificate.residual <= tolerance;
    if (!within && !(last && loop.dependent.are_solved(reduced.W, reduced.q.data(), result.r.data()))) continue;
    alone_ = true;
    result.status = Status::Solved;
    result.at_round_off = !within;
    result.solver = "mixed automatic";
    result.reason = "by Cholesky's factors of the rows that do not depend on others";
    result.proof.resize(0);
    ++result.iterations;
    return true;
  }
  result.r = problem.start;
  return false;
}

void RedundantRows::end_solution(OneStepNSProblem& problem) {
  if (!problem.result.ok()) return;  // the solver's W says what it failed of
  for (LargeLoop& loop : large_)
    if (loop.settled) loop.dependent.share(problem.result.r.data());
  double_diagonals(false, problem.reduced.W);
}

bool RedundantRows::correct(const BlockSparseMatrix& W, double* u, double* r) {
  LargeLoop& loop = large_.front();
  loop.dependent.take_away(u);
  return loop.dependent.correct(W, loop.parts, u, r);
}

void RedundantRows::settle(const Eigen::VectorXd& terms, double dependent, const BlockSparseMatrix& products,
                           OneStepNSProblem& problem) {
  look(products, dependent);
  double* const w = problem.global->w.data();
  static_cast<void>(choose_settled(false, w, terms));
  for (LargeLoop& loop : large_) {
    loop.left = loop.settled && loop.dependent.is_wide();
    loop.settled = loop.settled && !loop.left;
  }
  take_away(w);
}

void RedundantRows::replace(SparseWriter& writer, Eigen::SparseMatrix<double>& H) {
  const Index first = H.cols() - count();
  auto& entries = writer.entries();
  entries.clear();
  number_rows(first, H.rows(), entries);
  for (Index j = 0; j < first; ++j) {
    touched_.clear();
    for (Eigen::SparseMatrix<double>::InnerIterator entry(H, j); entry; ++entry) {
      entries.emplace_back(static_cast<int>(entry.row()), static_cast<int>(j), entry.value());
      const RowOfLoop& own = row_of_loop_[at(entry.row())];
      if (own.loop < 0) continue;
      const Loop& loop = loops_[at(own.loop)];
      double* const sums = combined_.data() + loop.first_share;
      if (std::find(touched_.begin(), touched_.end(), own.loop) == touched_.end()) {
        touched_.push_back(own.loop);
        std::fill_n(sums, loop.dependent, 0.0);
      }
      for (Index c = 0; c < loop.dependent; ++c) sums[c] += loop.N(own.row, c) * loop.scale[own.row] * entry.value();
    }
    for (const Index l : touched_) {
      const Loop& loop = loops_[at(l)];
      for (std::size_t i = 0; i < loop.rows.size(); ++i) {
        const auto row = static_cast<Index>(i);
        double sum = 0.0;
        for (Index c = 0; c < loop.dependent; ++c)
          sum -= loop.unscaled(row, loop.N(row, c)) * combined_[at(loop.first_share + c)];
        entries.emplace_back(static_cast<int>(loop.rows[i]), static_cast<int>(j), sum);
      }
    }
  }
  writer.write(H.rows(), H.cols(), static_cast<Index>(entries.size()), H);
}

/// Where the rows of settled loops are in them, and the columns of A from `first` on.
void RedundantRows::number_rows(Index first, Index rows, std::vector<Eigen::Triplet<double>>& entries) {
  row_of_loop_.assign(at(rows), {});
  Index share = 0;
  for (std::size_t l = 0; l < loops_.size(); ++l) {
    Loop& loop = loops_[l];
    if (!loop.settled) continue;
    loop.first_share = share;
    for (std::size_t i = 0; i < loop.rows.size(); ++i) {
      const auto row = static_cast<Index>(i);
      row_of_loop_[at(loop.rows[i])] = {static_cast<Index>(l), row};
      for (Index c = 0; c < loop.dependent; ++c)
        entries.emplace_back(static_cast<int>(loop.rows[i]), static_cast<int>(first + share + c),
                             loop.unscaled(row, loop.N(row, c)));
    }
    share += loop.dependent;
  }
  combined_.resize(at(share));
  for (const LargeLoop& loop : large_) {  // A alone
    if (!loop.settled) continue;
    loop.dependent.for_each_entry([&](Index row, Index c, double a, double) {
      entries.emplace_back(static_cast<int>(row), static_cast<int>(first + share + c), a);
    });
    share += loop.dependent.count();
  }
}

void RedundantRows::put_back(OneStepNSProblem& problem) {
  double_diagonals(false, problem.reduced.W);
  if (!replaced_) return;
  std::swap(problem.reduced.W, other_);
  replaced_ = false;
}

}  // namespace nonsmooth
