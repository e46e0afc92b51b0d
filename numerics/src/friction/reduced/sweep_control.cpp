// SPDX-License-Identifier: Apache-2.0
#include "sweep_control.hpp"

#include <algorithm>
#include <cmath>

namespace nonsmooth::friction::internal {
namespace {

// Chosen on a few piles, walls and towers, where neighbouring values did about as well.
constexpr Index kPeriod = 10;                                    // sweeps of a step
constexpr double kStart = 1.3, kLargest = 1.5, kSmallest = 0.7;  // relaxation
constexpr double kStanding = 2e-4;                               // a logarithm a sweep: less is no progress
constexpr double kAligned = 0.2, kCommon = 0.3;                  // sines
constexpr Index kShortTrial = 6, kLongTrial = 200;               // sweeps after which a jump may be taken back
constexpr Index kShortestHold = 2 * kPeriod, kLongestHold = 128 * kPeriod;  // sweeps without a jump after a useless one
// Conjugate directions stall where |d|^2 has not fallen below kGain of its least for kStall sweeps: a pile that
// converges slowly gains that much in some hundreds. The first spell without them, and how many times as long each next
// one is.
constexpr double kGain = 0.8;
constexpr Index kStall = 500, kFirstSpell = 200, kLonger = 2;

void grow(std::vector<double>& buffer, Index size) {
  if (static_cast<Index>(buffer.size()) < size) buffer.resize(static_cast<std::size_t>(size));
}

}  // namespace

void SweepControl::begin(const GaussSeidel& options, const Sweeps& sweeps) {
  conjugate_ = options.conjugate;
  chosen_ = options.relaxation == 0.0;
  adaptive_ = chosen_ && !conjugate_;
  extrapolate_ = options.extrapolate;
  // The first visit of a block that stands alone is its solution.
  relaxation_ = options.relaxation == 0.0 ? 1.0 : options.relaxation;
  sweep_ = in_window_ = since_look_ = looks_ = since_jump_ = hold_ = 0;
  window_ = 20;
  sum_ = square_before_jump_ = 0.0;
  last_mean_ = std::numeric_limits<double>::infinity();
  misalignment_ = 1.0;
  jumped_ = to_border_ = false;
  patience_ = kShortestHold;
  size_ = sweeps.num_reactions();
  last_square_ = 0.0;
  least_square_ = std::numeric_limits<double>::infinity();
  since_least_ = spell_ = 0;
  next_spell_ = kFirstSpell;
  if (conjugate_) {
    for (auto* buffer : {&along_, &from_}) grow(*buffer, size_);
    std::fill_n(along_.begin(), size_, 0.0);
    std::copy_n(sweeps.reactions(), size_, from_.begin());
  }
  if (!extrapolate_ && !chosen_) return;
  for (auto* buffer : {&older_, &old_, &before_jump_, &direction_}) grow(*buffer, size_);
}

void SweepControl::restart(const double* r) noexcept {
  since_look_ = 0;
  looks_ = 1;
  std::copy_n(r, size_, old_.begin());
}

void SweepControl::advance(const SweepOutcome& outcome, Sweeps& sweeps) {
  if (++sweep_ == 1 && adaptive_) relaxation_ = kStart;
  const bool moved = (extrapolate_ || adaptive_) && (take_back(outcome, sweeps) || look_for_drift(outcome, sweeps));
  if (directed()) return follow_directions(moved, sweeps);
  if (conjugate_ && --spell_ == 0) return end_spell(sweeps);
  if (!adaptive_) return;
  if (jumped_) {  // what the changes do now says nothing of the relaxation
    in_window_ = 0;
    sum_ = 0.0;
    return;
  }
  adapt(outcome);
}

bool SweepControl::take_back(const SweepOutcome& outcome, Sweeps& sweeps) noexcept {
  if (hold_ > 0) --hold_;
  if (!jumped_) return false;
  // A long jump has stirred other modes too, which the sweeps damp: it may take a tenth of what it saved.
  const bool trial_ends = ++since_jump_ >= trial_;
  const bool worse = outcome.square > (trial_ends ? 4.0 : 1e6) * square_before_jump_;
  if (!worse && !trial_ends) return false;
  jumped_ = false;
  // A jump to the border of a mode is worth it though the changes stand; one to a limit should have lowered them.
  if (worse || (!to_border_ && outcome.square > 0.5 * square_before_jump_)) {
    hold_ = patience_;
    patience_ = std::min(2 * patience_, kLongestHold);
  } else {
    patience_ = kShortestHold;
  }
  if (!worse) return false;
  std::copy_n(before_jump_.begin(), size_, sweeps.change_reactions());
  restart(sweeps.reactions());
  return true;
}

bool SweepControl::look_for_drift(const SweepOutcome& outcome, Sweeps& sweeps) {
  if (++since_look_ < kPeriod) return false;
  since_look_ = 0;
  const double* r = sweeps.reactions();
  if (looks_ < 2) {
    older_.swap(old_);
    std::copy_n(r, size_, old_.begin());
    ++looks_;
    return false;
  }
  double old_square = 0.0, product = 0.0, square = 0.0;
  for (Index i = 0; i < size_; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const double before = old_[at] - older_[at], now = r[i] - old_[at];
    direction_[at] = now;
    old_square += before * before;
    product += before * now;
    square += now * now;
  }
  older_.swap(old_);
  std::copy_n(r, size_, old_.begin());
  misalignment_ = old_square > 0.0 && square > 0.0
                      ? std::sqrt(std::max(0.0, 1.0 - product / old_square * (product / square)))
                      : 1.0;
  const double lambda = old_square > 0.0 ? product / old_square : 0.0;
  if (!extrapolate_ || jumped_ || hold_ > 0 || lambda <= 0.2 || !(misalignment_ < kAligned)) return false;
  // A sequence that grows, or all but stands, goes as far as the modes allow.
  const double wanted = lambda < 1.0 ? lambda / (1.0 - lambda) : std::numeric_limits<double>::infinity();
  const double border = sweeps.largest_step(direction_.data()), step = std::min({wanted, border, 1e6});
  if (!(step > 1e-3)) return false;
  std::copy_n(r, size_, before_jump_.begin());
  square_before_jump_ = outcome.square;
  jumped_ = true;
  to_border_ = border <= wanted;
  since_jump_ = 0;
  trial_ = std::clamp(static_cast<Index>(step), kShortTrial, kLongTrial);
  double* changed = sweeps.change_reactions();
  for (Index i = 0; i < size_; ++i) changed[i] += step * direction_[static_cast<std::size_t>(i)];
  sweeps.project();
  sweeps.wake();
  restart(r);
  return true;
}

bool SweepControl::stalls(double square) noexcept {
  if (square < kGain * least_square_) {
    least_square_ = square;
    since_least_ = 0;
    return false;
  }
  return ++since_least_ >= kStall;
}

void SweepControl::begin_spell() noexcept {
  spell_ = next_spell_;
  next_spell_ *= kLonger;
  adaptive_ = chosen_;                          // from the 1 that directions had
  if (!extrapolate_) since_look_ = looks_ = 0;  // of the spell before
  in_window_ = 0;
  sum_ = 0.0;
  last_mean_ = std::numeric_limits<double>::infinity();
}

void SweepControl::end_spell(Sweeps& sweeps) noexcept {
  adaptive_ = false;
  if (chosen_) relaxation_ = 1.0;
  sweeps.wake();  // p moves all blocks
  last_square_ = 0.0;
  least_square_ = std::numeric_limits<double>::infinity();
  since_least_ = 0;
  std::fill_n(along_.begin(), size_, 0.0);
  std::copy_n(sweeps.reactions(), size_, from_.begin());
}

void SweepControl::follow_directions(bool moved, Sweeps& sweeps) noexcept {
  const double* r = sweeps.reactions();
  const auto n = static_cast<std::size_t>(size_);
  double square = 0.0;
  for (std::size_t i = 0; i < n; ++i) square += (r[i] - from_[i]) * (r[i] - from_[i]);
  if (stalls(square)) return begin_spell();
  const bool ends = moved || (last_square_ > 0.0 && !(square <= last_square_));
  const double beta = ends || last_square_ == 0.0 ? 0.0 : square / last_square_;
  last_square_ = moved ? 0.0 : square;
  if (ends) {
    std::fill_n(along_.begin(), n, 0.0);
    std::copy_n(r, n, from_.begin());
    return;
  }
  double* changed = sweeps.change_reactions();
  for (std::size_t i = 0; i < n; ++i) {
    const double d = changed[i] - from_[i], p = beta * along_[i];
    changed[i] += p;
    along_[i] = d + p;
    from_[i] = changed[i];
  }
}

void SweepControl::adapt(const SweepOutcome& outcome) noexcept {
  sum_ += 0.5 * std::log(std::max(outcome.square, std::numeric_limits<double>::min()));
  if (++in_window_ < window_) return;
  const double mean = sum_ / static_cast<double>(in_window_);
  if (std::isfinite(last_mean_)) {
    const double rate = (last_mean_ - mean) / static_cast<double>(in_window_);
    if (rate >= kStanding) {
      relaxation_ = std::min(kLargest, 1.05 * relaxation_);
    } else if (misalignment_ > kCommon) {
      relaxation_ = std::max(kSmallest, 0.9 * relaxation_);
    }
  }
  last_mean_ = mean;
  sum_ = 0.0;
  in_window_ = 0;
  window_ = std::clamp<Index>(sweep_ / 20, 20, 100);
}

}  // namespace nonsmooth::friction::internal
