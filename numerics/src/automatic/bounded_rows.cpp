// SPDX-License-Identifier: Apache-2.0
#include "bounded_rows.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "mixed/internal.hpp"
#include "small_problem.hpp"

namespace nonsmooth::mixed::internal {
namespace {

/// Rounds in which every row changes that wants to; then the worst alone, at most so many for each row.
constexpr Index rounds_of_all = 10, rounds_a_row = 4;

enum class Bound : char { None, Lower, Upper };

/// A row of a box.
struct BoundedRow {
  Index row = 0;
  double lower = 0.0, upper = 0.0;
  double scale = 1.0;  ///< |W_ii|, 1 where that is zero
  Bound at = Bound::None;

  [[nodiscard]] double held() const noexcept { return at == Bound::Lower ? lower : upper; }
  /// Where r - u / scale lies.
  [[nodiscard]] Bound wanted(double r, double u) const noexcept {
    const double moved = r - u / scale;
    if (lower == upper || moved <= lower) return Bound::Lower;
    return moved >= upper ? Bound::Upper : Bound::None;
  }
  /// How far r or u is from what the row is held as [unit of u].
  [[nodiscard]] double wrong_by(double r, double u) const noexcept {
    if (at != Bound::None) return std::abs(u);
    return scale * std::max(lower - r, r - upper);
  }
};

std::vector<BoundedRow> bounded_rows(const Problem& problem) {
  std::vector<BoundedRow> rows;
  for (Index b = 0; b < problem.K.num_blocks(); ++b) {
    const BlockSet& set = problem.K[b];
    if (set.kind != SetKind::Box) continue;
    const auto W = problem.W.block(b, problem.W.diagonal(b));
    for (Index i = 0; i < problem.K.size(b); ++i) {
      const double w = std::abs(W(i, i));
      rows.push_back({problem.K.offset(b) + i, set.lower, set.upper, w > 0.0 ? w : 1.0});
    }
  }
  return rows;
}

/// The problem of contact that held rows leave, in the rows of the whole, where each held one stands by itself:
/// u = scale (r - bound).
class Remainder {
 public:
  explicit Remainder(const Problem& whole) : whole_(whole) {
    part_.W = whole.W;
    for (Index b = 0; b < whole.K.num_blocks(); ++b) {
      const bool box = whole.K[b].kind == SetKind::Box;
      part_.K.push_back(box ? BlockSet{.kind = SetKind::Free} : whole.K[b], whole.K.size(b));
    }
  }

  const Problem& make(const std::vector<BoundedRow>& rows) {
    const BlockSparseMatrix& W = whole_.W;
    bounds_.setZero(W.rows());
    scales_.setZero(W.rows());  // not zero: held
    for (const BoundedRow& row : rows) {
      if (row.at == Bound::None) continue;
      bounds_[row.row] = row.held();
      scales_[row.row] = row.scale;
    }
    part_.q.resize(W.rows());
    W.multiply_add(bounds_, whole_.q, part_.q);
    for (const BoundedRow& row : rows) {
      if (row.at != Bound::None) part_.q[row.row] = -row.scale * row.held();
    }
    for (Index i = 0; i < W.num_block_rows(); ++i) {
      for (Index k = W.row_begin(i); k < W.row_begin(i + 1); ++k) copy(i, k);
    }
    return part_;
  }

 private:
  void copy(Index i, Index k) {
    auto block = part_.W.block(i, k);
    block = whole_.W.block(i, k);
    const Index first = whole_.W.offset(i), second = whole_.W.offset(whole_.W.column(k));
    for (Index b = 0; b < block.cols(); ++b) {
      for (Index a = 0; a < block.rows(); ++a) {
        const Index row = first + a, column = second + b;
        if (scales_[row] != 0.0 || scales_[column] != 0.0) block(a, b) = row == column ? scales_[row] : 0.0;
      }
    }
  }

  const Problem& whole_;
  Problem part_;
  Eigen::VectorXd bounds_, scales_;
};

std::vector<Bound> states(const std::vector<BoundedRow>& rows) {
  std::vector<Bound> result;
  for (const BoundedRow& row : rows) result.push_back(row.at);
  return result;
}

/// Rows whose states differ from what (r, u) wants change, all of them or the worst alone. False where none does.
bool change(std::vector<BoundedRow>& rows, const Result& at, bool all) {
  BoundedRow* worst = nullptr;
  double largest = -1.0;
  bool changed = false;
  for (BoundedRow& row : rows) {
    const double r = at.r[row.row], u = at.u[row.row];
    const Bound wanted = row.wanted(r, u);
    if (wanted == row.at) continue;
    changed = true;
    if (all) {
      row.at = wanted;
    } else if (const double wrong = row.wrong_by(r, u); wrong > largest) {
      largest = wrong;
      worst = &row;
    }
  }
  if (worst != nullptr) worst->at = worst->wanted(at.r[worst->row], at.u[worst->row]);
  return changed;
}

}  // namespace

bool are_contacts_beside_boxes(const ProductSet& K) noexcept {
  const Index boxes = K.count(SetKind::Box);
  const Index friction = K.count(SetKind::Coulomb2D) + K.count(SetKind::Coulomb3D) + K.count(SetKind::Rolling);
  return boxes > 0 && friction > 0 &&
         friction + boxes + K.count(SetKind::Orthant) + K.count(SetKind::Free) == K.num_blocks();
}

bool solve_by_bounds(const Problem& problem, const Automatic& options, const detail::Deadline& deadline,
                     friction::internal::ContactMemory& memory, Result& result) {
  std::vector<BoundedRow> rows = bounded_rows(problem);
  Remainder remainder(problem);
  std::set<std::vector<Bound>> seen;
  const double size = problem.q.lpNorm<Eigen::Infinity>();
  Result found;
  found.r = result.r;
  found.u = result.u;
  for (BoundedRow& row : rows) row.at = row.wanted(found.r[row.row], found.u[row.row]);
  bool all = true;
  const Index most = rounds_of_all + rounds_a_row * static_cast<Index>(rows.size());
  for (Index round = 0; round < most && !deadline.passed(); ++round) {
    all = all && round < rounds_of_all && seen.insert(states(rows)).second;
    const Problem& part = remainder.make(rows);
    Automatic own = options;
    // What held rows ask for may be larger than the data: the tolerance is that of the whole.
    const double part_size = part.q.lpNorm<Eigen::Infinity>();
    if (part_size > size && size > 0.0) own.tolerance *= size / part_size;
    begin(part, automatic_name, found);
    friction::internal::solve_contacts(part, own, deadline, false, memory, found);
    for (const BoundedRow& row : rows) {
      if (row.at != Bound::None) found.r[row.row] = row.held();
    }
    const Index iterations = result.iterations + found.iterations;
    found.certificate = certify(problem, found.r, found.u);
    const bool solved = found.certificate.residual <= options.tolerance;
    if (solved || found.certificate.residual < result.certificate.residual) {
      result.r = found.r;
      result.u = found.u;
      result.certificate = found.certificate;
      result.solver = found.solver;
    }
    result.iterations = iterations;
    if (solved) {
      end(result, Status::Solved, "by the tiers of contact, bounded rows held or free");
      return true;
    }
    if (!change(rows, found, all)) return false;
  }
  return false;
}

}  // namespace nonsmooth::mixed::internal
