// SPDX-License-Identifier: Apache-2.0
// The private copy that sweeps go over, and what is done with all of its reactions at once.
#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "set_kernels.hpp"
#include "sweeps.hpp"
#include "sweeps_lanes.hpp"

namespace nonsmooth::friction::internal {
namespace {

constexpr Index kFarthestShared = Index{1} << 15;  // visits from row to row: the sums between them, 1 MB, stay in cache

template <class Vector>
void grow(Vector& buffer, std::size_t size) {
  if (buffer.size() < size) buffer.resize(size);
}

}  // namespace

bool Sweeps::prepare_law(Planar& contact, const double* W, double mu) const noexcept {
  contact.W_TN = W[1], contact.W_NT = W[2];
  return contact.law.prepare(W, mu);
}

bool Sweeps::prepare_law(Spatial& contact, const double* W, double mu) const noexcept {
  return contact.law.prepare(W, mu, false);
}

void Sweeps::seat_reactions(Index size) {
  num_reactions_ = size;
  grow(storage_, static_cast<std::size_t>(size));
  r_ = storage_.data();
  std::fill_n(r_, size, 0.0);
}

void Sweeps::sort_out(Index visit, Index first, Index last, bool shares) {
  const BlockSparseMatrix& W = problem_->W;
  const Index block = order_[static_cast<std::size_t>(visit)];
  const auto is_mirrored = [&](Index k) {
    const Index mirror = W.find(W.column(k), block);
    if (mirror < 0) return false;
    const double *a = W.values(k), *b = W.values(mirror);
    for (int c = 0; c < 3; ++c)
      for (int i = 0; i < 3; ++i)
        if (a[3 * c + i] != b[3 * i + c]) return false;
    return true;
  };
  const auto is_stored = [&](Index position) {  // in the row of an earlier visit
    const Row& row = rows_[static_cast<std::size_t>(position)];
    const auto begin = columns_.begin() + row.begin, end = columns_.begin() + row.shared_end;
    return std::find(begin, end, static_cast<std::int32_t>(visit * Spatial::stride)) != end;
  };
  shared_.clear();
  alone_.clear();
  for (Index k = W.row_begin(block); k < W.row_begin(block + 1); ++k) {
    if (W.column(k) == block) continue;
    const Index position = position_[static_cast<std::size_t>(W.column(k))];
    const bool near = shares && position >= first && position < last && std::abs(position - visit) <= kFarthestShared;
    if (near && position < visit && is_stored(position)) continue;
    (near && position > visit && is_mirrored(k) ? shared_ : alone_).push_back({position, k});
  }
  // The next visit waits for its sum: it comes first.
  std::sort(shared_.begin(), shared_.end(), [](const Entry& a, const Entry& b) { return a.position < b.position; });
  // The block that looks at the visit just before this one comes last: it may have to wait.
  const auto latest =
      std::find_if(alone_.begin(), alone_.end(), [&](const Entry& entry) { return entry.position == visit - 1; });
  if (latest != alone_.end()) std::rotate(latest, latest + 1, alone_.end());
}

template <class Contact>
void Sweeps::pack(Stream<Contact>& contacts) {
  constexpr Index rows = Contact::rows, stride = Contact::stride;
  constexpr bool shares = std::is_same_v<Contact, Spatial>;
  const BlockSparseMatrix& W = problem_->W;
  const Index n = W.num_block_rows();
  const auto num_packed = static_cast<std::size_t>(W.num_blocks() - n);
  grow(contacts, static_cast<std::size_t>(n));
  grow(rows_, static_cast<std::size_t>(n) + 1);
  grow(columns_, num_packed + kLookAhead + 1);
  grow(values_, num_packed * rows * rows + 1);  // 1: see FourLanes
  seat_reactions(n * stride);
  if (shares) grow(sums_, static_cast<std::size_t>(n * stride));
  std::int32_t* column = columns_.data();
  double* value = values_.data();
  std::size_t chunk = 0;
  Index first = 0, last = chunk_begin_.empty() ? n : 0;  // visits of the chunk
  for (Index visit = 0; visit < n; ++visit) {
    while (visit == last) {
      first = last;
      last = chunk_begin_[++chunk];
    }
    const Index block = order_[static_cast<std::size_t>(visit)];
    Contact& contact = contacts[static_cast<std::size_t>(visit)];
    for (int i = 0; i < rows; ++i) contact.q[i] = problem_->q[block * rows + i];
    const auto put = [&](const std::vector<Entry>& entries) {
      for (const Entry& entry : entries) {
        *column++ = static_cast<std::int32_t>(entry.position * stride);
        copy_block(W.values(entry.block), value, contact.q);
        value += rows * rows;
      }
    };
    sort_out(visit, first, last, shares && share_);
    Row& row = rows_[static_cast<std::size_t>(visit)];
    row.begin = column - columns_.data();
    put(shared_);
    row.shared_end = column - columns_.data();
    put(alone_);
  }
  rows_[static_cast<std::size_t>(n)].begin = column - columns_.data();
}

void Sweeps::prepare(const mixed::Problem& problem, const std::vector<Index>& order, const Coloring* coloring,
                     bool share) {
  share_ = share;
  problem_ = &problem;
  order_.assign(order.begin(), order.end());
  const auto n = order.size();
  position_.resize(n);
  for (std::size_t i = 0; i < n; ++i) position_[static_cast<std::size_t>(order[i])] = static_cast<Index>(i);
  color_begin_.clear();
  chunk_begin_.clear();
  if (coloring != nullptr) {
    color_begin_.assign(coloring->begin().begin(), coloring->begin().end());
    chunk_begin_.assign(coloring->chunk_begin().begin(), coloring->chunk_begin().end());
  }
  rest_.assign(n, 0);
  streak_.assign(n, 0);
  modes_.assign(n, local::Radial3D::Mode::Stick);
  grow(outcomes_, chunk_begin_.size());

  const BlockSparseMatrix& W = problem.W;
  const Index uniform = W.uniform_size();
  const bool narrow = static_cast<std::size_t>(4) * n < std::numeric_limits<std::int32_t>::max();
  kernel_ = Kernel::Blocks;
  const auto lay = [&](Kernel kernel, auto& contacts) {
    grow(contacts, n);
    for (std::size_t i = 0; i < n; ++i)
      if (!prepare_law(contacts[i], W.values(W.diagonal(order_[i])), problem.K[order_[i]].mu)) return;
    pack(contacts);
    kernel_ = kernel;
  };
  if (narrow && uniform == 2 && problem.K.all(SetKind::Coulomb2D)) lay(Kernel::Planar, planar_);
  if (narrow && uniform == 3 && problem.K.all(SetKind::Coulomb3D)) lay(Kernel::Spatial, spatial_);
  if (kernel_ != Kernel::Blocks) return;
  seat_reactions(W.rows());
  blocks_.prepare(problem);
}

void Sweeps::load(const double* r) {
  sums_hold_ = false;
  if (kernel_ == Kernel::Blocks) {
    std::copy_n(r, num_reactions_, r_);
    return;
  }
  const Index rows = kernel_ == Kernel::Planar ? Planar::rows : Spatial::rows;
  const Index stride = kernel_ == Kernel::Planar ? Planar::stride : Spatial::stride;
  for (std::size_t i = 0; i < order_.size(); ++i)
    std::copy_n(r + order_[i] * rows, rows, r_ + static_cast<Index>(i) * stride);
}

void Sweeps::store(double* r) const noexcept {
  if (kernel_ == Kernel::Blocks) {
    std::copy_n(r_, num_reactions_, r);
    return;
  }
  const Index rows = kernel_ == Kernel::Planar ? Planar::rows : Spatial::rows;
  const Index stride = kernel_ == Kernel::Planar ? Planar::stride : Spatial::stride;
  for (std::size_t i = 0; i < order_.size(); ++i)
    std::copy_n(r_ + static_cast<Index>(i) * stride, rows, r + order_[i] * rows);
}

Index Sweeps::reaction(std::size_t visit) const noexcept {
  if (kernel_ == Kernel::Planar) return static_cast<Index>(visit) * Planar::stride;
  if (kernel_ == Kernel::Spatial) return static_cast<Index>(visit) * Spatial::stride;
  return problem_->K.offset(order_[visit]);
}

void Sweeps::project() noexcept {
  sums_hold_ = false;
  const ProductSet& K = problem_->K;
  for (std::size_t i = 0; i < order_.size(); ++i) nonsmooth::project(K[order_[i]], r_ + reaction(i), K.size(order_[i]));
}

double Sweeps::largest_step(const double* direction) const noexcept {
  const ProductSet& K = problem_->K;
  double largest = std::numeric_limits<double>::infinity();
  const auto reach = [&](double step) {
    if (step >= 0.0 && step < largest) largest = step;
  };
  for (std::size_t i = 0; i < order_.size(); ++i) {
    const BlockSet& set = K[order_[i]];
    const Index n = K.size(order_[i]), at = reaction(i);
    const double *r = r_ + at, *d = direction + at;
    if (set.kind == SetKind::Free) continue;
    if (set.kind == SetKind::Orthant) {
      for (Index k = 0; k < n; ++k)
        if (r[k] > 0.0 && d[k] < 0.0) reach(-r[k] / d[k]);
      continue;
    }
    if (!(r[0] > 0.0)) continue;
    if (d[0] < 0.0) reach(-r[0] / d[0]);
    if (set.kind == SetKind::Rolling) continue;
    // mu^2 r_N^2 - |r_T|^2 along the direction: a t^2 + 2 b t + c.
    const double square = set.mu * set.mu;
    double a = square * d[0] * d[0], b = square * r[0] * d[0], c = square * r[0] * r[0];
    const double noise = 1e-9 * c;
    for (Index k = 1; k < n; ++k) {
      a -= d[k] * d[k];
      b -= r[k] * d[k];
      c -= r[k] * r[k];
    }
    const double discriminant = b * b - a * c;
    if (c <= noise || !(discriminant >= 0.0)) continue;  // it slides, or never reaches the border
    const double q = -(b + std::copysign(std::sqrt(discriminant), b));
    if (q / a > 0.0) reach(q / a);
    if (c / q > 0.0) reach(c / q);
  }
  return largest;
}

}  // namespace nonsmooth::friction::internal
