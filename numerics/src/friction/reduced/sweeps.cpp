// SPDX-License-Identifier: Apache-2.0
#include "sweeps.hpp"

#include <algorithm>
#include <cmath>

#include "set_kernels.hpp"
#include "sweeps_lanes.hpp"

namespace nonsmooth::friction::internal {
namespace {

constexpr std::uint8_t kLongestRest = 32;
// Sweeps between two makings of the sums, each of some 40 % of a sweep: a hundred additions or two, whose round-off
// stays at some ten units of the last place.
constexpr int kRenewEvery = 32;

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
