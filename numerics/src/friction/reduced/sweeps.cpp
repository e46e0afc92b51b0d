// SPDX-License-Identifier: Apache-2.0
#include "sweeps.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "set_kernels.hpp"
#include "sweeps_lanes.hpp"

namespace nonsmooth::friction::internal {
namespace {

constexpr std::uint8_t kLongestRest = 32;
constexpr Index kFarthestShared = Index{1} << 15;  // visits from row to row: the sums between them, 1 MB, stay in cache
// Sweeps between two makings of the sums, each of some 40 % of a sweep: a hundred additions or two, whose round-off
// stays at some ten units of the last place.
constexpr int kRenewEvery = 32;

template <class Vector>
void grow(Vector& buffer, std::size_t size) {
  if (buffer.size() < size) buffer.resize(size);
}

/// r := P_K(r - û / scale), for a contact whose local problem has no solution; u holds W_ii r + b.
template <int N>
void projected_step(double mu, double scale, double (&u)[N], double* r) noexcept {
  const BlockSet set{.kind = N == 2 ? SetKind::Coulomb2D : SetKind::Coulomb3D, .mu = mu};
  u[0] += mu * (N == 2 ? std::abs(u[1]) : std::sqrt(u[1] * u[1] + u[N - 1] * u[N - 1]));
  for (int i = 0; i < N; ++i) r[i] -= u[i] / scale;
  nonsmooth::project(set, r, Index{N});
}

template <int N>
inline void relax(double mu, double relaxation, const double (&old)[N], double* r) noexcept {
  double square = 0.0;
  for (int i = 0; i < N; ++i) r[i] = old[i] + relaxation * (r[i] - old[i]);
  for (int i = 1; i < N; ++i) square += r[i] * r[i];
  if (r[0] >= 0.0 && square <= mu * mu * r[0] * r[0]) return;
  if (r[0] <= 0.0 && mu * mu * square <= r[0] * r[0]) {
    for (int i = 0; i < N; ++i) r[i] = 0.0;
    return;
  }
  const double slope = std::sqrt(square), along = (r[0] + mu * slope) / (1.0 + mu * mu);
  r[0] = along;
  for (int i = 1; i < N; ++i) r[i] *= mu * along / slope;
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

void Sweeps::wake() noexcept {
  std::fill(rest_.begin(), rest_.end(), std::uint8_t{0});
  std::fill(streak_.begin(), streak_.end(), std::uint8_t{0});
}

inline bool Sweeps::rests(Index row) noexcept {
  std::uint8_t& rest = rest_[static_cast<std::size_t>(row)];
  if (rest == 0) return false;
  --rest;
  return true;
}

inline void Sweeps::update_rest(Index row, bool at_rest) noexcept {
  std::uint8_t& streak = streak_[static_cast<std::size_t>(row)];
  if (!at_rest) {
    streak = 0;
    return;
  }
  streak = streak == 0 ? std::uint8_t{1} : static_cast<std::uint8_t>(std::min<int>(2 * streak, kLongestRest));
  rest_[static_cast<std::size_t>(row)] = streak;
}

inline double Sweeps::visit(Planar& contact, Index row, double relaxation) noexcept {
  const Index begin = rows_[static_cast<std::size_t>(row)].begin, end = rows_[static_cast<std::size_t>(row) + 1].begin;
  double b[2] = {contact.q[0], contact.q[1]};
  accumulate(values_.data() + 4 * begin, columns_.data() + begin, columns_.data() + end, r_, b);
  const local::Coulomb2D& law = contact.law;
  double* r = r_ + Planar::stride * row;
  const double old[2] = {r[0], r[1]};
  double x[2] = {old[0], old[1]};
  law.solve(b[0], b[1], x[0], x[1]);
  // A contact that has no mode leaves x alone; so does one that is solved, where a projected step changes nothing.
  if (x[0] == old[0] && x[1] == old[1] && b[0] < 0.0) {
    double u[2] = {b[0] + law.W_NN * x[0] + contact.W_NT * x[1], b[1] + contact.W_TN * x[0] + law.W_TT * x[1]};
    projected_step(law.mu, 0.5 * (law.W_NN + std::max(law.W_TT, 0.0)), u, x);
  }
  if (relaxation != 1.0) relax(law.mu, relaxation, old, x);
  r[0] = x[0], r[1] = x[1];
  return std::max(law.W_NN * std::abs(x[0] - old[0]), std::abs(law.W_TT * (x[1] - old[1])));
}

template <class Lanes>
NONSMOOTH_INLINE double Sweeps::visit(Spatial& contact, Index row, double relaxation) noexcept {
  using SpatialMode = local::Radial3D::Mode;
  const auto [begin, shared_end] = rows_[static_cast<std::size_t>(row)];
  const double* values = values_.data() + 9 * begin;
  const std::int32_t* first = columns_.data() + begin;
  const std::int32_t* last = columns_.data() + rows_[static_cast<std::size_t>(row) + 1].begin;
  const double* sum = sums_.data() + Spatial::stride * row;
  local::Radial3D& law = contact.law;
  double* r = r_ + Spatial::stride * row;
  const double old[3] = {r[0], r[1], r[2]};
  double b[3], x[3] = {0.0, 0.0, 0.0};
  // Contacts seldom change their mode. Which one it is the processor can't guess, so that it had better depend on the
  // mode before than on sums that wait for other visits: what was begun on a wrong guess is thrown away.
  SpatialMode& mode = modes_[static_cast<std::size_t>(row)];
  bool open = false;
  if (mode == SpatialMode::Open) {
    accumulate<Lanes, 1>(values, first, last, r_, contact.q, b);
    b[0] += sum[0];
    open = b[0] >= 0.0;
    if (open && old[0] == 0.0 && old[1] == 0.0 && old[2] == 0.0) return 0.0;
  }
  if (!open) {
    accumulate<Lanes, 3>(values, first, last, r_, contact.q, b);
    for (int i = 0; i < 3; ++i) b[i] += sum[i];
    if (!(mode == SpatialMode::Stick ? law.stick(b, x) : mode == SpatialMode::Slip && law.slide(b, x))) {
      std::copy_n(old, 3, x);
      if (law.solve(b, x)) {
        mode = law.mode;
      } else {
        const double* W = problem_->W.values(problem_->W.diagonal(order_[static_cast<std::size_t>(row)]));
        for (int c = 0; c < 3; ++c)
          for (int i = 0; i < 3; ++i) b[i] += W[3 * c + i] * old[c];
        projected_step(law.bound, (law.W_00 + 2.0 * std::max(law.scale, 0.0)) / 3.0, b, x);
      }
    }
  }
  if (relaxation != 1.0) relax(law.bound, relaxation, old, x);
  Lanes::store(x, r);
  const double step[3] = {x[0] - old[0], x[1] - old[1], x[2] - old[2]};
  push<Lanes>(values, first, columns_.data() + shared_end, step, sums_.data());
  const double tangent = std::max(std::abs(step[1]), std::abs(step[2]));
  return std::max(law.W_00 * std::abs(step[0]), std::abs(law.scale) * tangent);
}

template <class Visit>
NONSMOOTH_INLINE SweepOutcome Sweeps::run(Index first, Index last, const SweepPlan& plan, Visit visit) {
  SweepOutcome outcome;
  const bool freezing = plan.resting_change >= 0.0;
  for (Index k = first; k < last; ++k) {
    const Index row = plan.backward ? last - 1 - (k - first) : k;
    if (rests(row)) {
      ++outcome.skipped;
      continue;
    }
    const double change = visit(row);
    if (freezing) update_rest(row, change <= plan.resting_change);
    outcome.add(change);
  }
  return outcome;
}

template <class Lanes>
NONSMOOTH_INLINE void Sweeps::renew_sums(Index first, Index last) noexcept {
  std::fill(sums_.data() + Spatial::stride * first, sums_.data() + Spatial::stride * last, 0.0);
  for (Index visit = first; visit < last; ++visit) {
    const auto [begin, shared_end] = rows_[static_cast<std::size_t>(visit)];
    push<Lanes>(values_.data() + 9 * begin, columns_.data() + begin, columns_.data() + shared_end,
                r_ + Spatial::stride * visit, sums_.data());
  }
}

template <class Lanes>
NONSMOOTH_INLINE SweepOutcome Sweeps::run_spatial(Index first, Index last, const SweepPlan& plan) noexcept {
  if (renew_) renew_sums<Lanes>(first, last);
  return run(
      first, last, plan, [&](Index row) __attribute__((always_inline)) {
        return visit<Lanes>(spatial_[static_cast<std::size_t>(row)], row, plan.relaxation);
      });
}

SweepOutcome Sweeps::run_two_lanes(Index first, Index last, const SweepPlan& plan) noexcept {
  return run_spatial<TwoLanes>(first, last, plan);
}

NONSMOOTH_FOUR_LANES SweepOutcome Sweeps::run_four_lanes(Index first, Index last, const SweepPlan& plan) noexcept {
  return run_spatial<FourLanes>(first, last, plan);
}

SweepOutcome Sweeps::run(Index first, Index last, const SweepPlan& plan, const detail::Deadline& deadline) {
  switch (kernel_) {
    case Kernel::Planar:
      return run(first, last, plan,
                 [&](Index row) { return visit(planar_[static_cast<std::size_t>(row)], row, plan.relaxation); });
    case Kernel::Spatial:
      return plan.four_lanes && machine_has_four_lanes() ? run_four_lanes(first, last, plan)
                                                         : run_two_lanes(first, last, plan);
    case Kernel::Blocks:
      break;
  }
  return run(first, last, plan, [&](Index row) {
    return blocks_.visit(order_[static_cast<std::size_t>(row)], plan.relaxation, deadline, r_);
  });
}

SweepOutcome Sweeps::sweep(const SweepPlan& plan, ThreadPool& pool, const detail::Deadline& deadline) {
  renew_ = !sums_hold_ || since_renewed_ == kRenewEvery;
  since_renewed_ = renew_ ? 1 : since_renewed_ + 1;
  sums_hold_ = true;
  if (color_begin_.empty()) return run(0, static_cast<Index>(order_.size()), plan, deadline);
  SweepOutcome total;
  const std::size_t colors = color_begin_.size() - 1;
  for (std::size_t c = 0; c < colors; ++c) {
    const std::size_t color = plan.backward ? colors - 1 - c : c;
    const Index begin = color_begin_[color], end = color_begin_[color + 1];
    pool.for_each_range(end - begin, 1, [&](Index k, Index) {
      const auto chunk = static_cast<std::size_t>(begin + k);
      outcomes_[chunk] = run(chunk_begin_[chunk], chunk_begin_[chunk + 1], plan, deadline);
    });
    for (Index chunk = begin; chunk < end; ++chunk) total.add(outcomes_[static_cast<std::size_t>(chunk)]);
  }
  return total;
}

}  // namespace nonsmooth::friction::internal
