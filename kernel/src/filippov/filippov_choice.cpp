// SPDX-License-Identifier: Apache-2.0
// Several motions from one instant: told, and chosen by the options alone.
#include <algorithm>
#include <cmath>
#include <iterator>

#include <internal/round_off.hpp>
#include <nonsmooth/numerics/lcp/lemke.hpp>

#include "filippov_unit.hpp"
#include "model/guarded.hpp"

namespace nonsmooth::filippov {
namespace {

/// Of the larger of two rates: motions that differ by less are the same.
constexpr double kSameMotion = 1e-9;

int zeros_of(const FilippovUnit::Mode& mode) {
  return static_cast<int>(std::count(mode.signs.begin(), mode.signs.end(), 0));
}

std::string list_of_numbers(const Eigen::VectorXd& values) {
  std::string list = "(";
  for (Index k = 0; k < values.size(); ++k) list += (k > 0 ? ", " : "") + text(values[k]);
  return list + ")";
}

}  // namespace

bool FilippovUnit::same_rate(const Motion& one, const Motion& other) const {
  return (one.rate - other.rate).norm() <= kSameMotion * (one.rate.norm() + other.rate.norm());
}

std::string FilippovUnit::text_of(const std::vector<signed char>& signs) const {
  std::string list;
  for (std::size_t j = 0; j < signs.size(); ++j) {
    const char* sign = signs[j] == 0 ? " = 0" : signs[j] > 0 ? " > 0" : " < 0";
    list += (j > 0 ? ", " : "") + fields_->surface_name(static_cast<Index>(j)) + sign;
  }
  return list;
}

std::string FilippovUnit::text_of(const Motion& motion) const {
  return text_of(motion.mode.signs) + ": x' = " + list_of_numbers(motion.rate);
}

std::string FilippovUnit::text_of_state() const { return name_ + " at x = " + list_of_numbers(at_); }

void FilippovUnit::list_changes(const Motion& motion, double t, EventKind kind, std::vector<Event>& log) const {
  const std::size_t before = log.size();
  for (std::size_t j = 0; j < motion.mode.signs.size(); ++j) {
    if (motion.mode.signs[j] == mode_.signs[j]) continue;
    log.push_back({.kind = kind,
                   .t = t,
                   .interaction = handle_,
                   .row = static_cast<Index>(j),
                   .value = static_cast<double>(motion.mode.signs[j])});
  }
  if (log.size() > before) return;  // another x' on the same surfaces
  for (const Index j : held_.surfaces)
    log.push_back({.kind = kind, .t = t, .interaction = handle_, .row = j, .value = 0.0});
}

void FilippovUnit::write_other(const Motion& motion, Eigen::VectorXd& zdot, Eigen::VectorXd& multipliers) const {
  zdot.segment(z_, fields_->n()) = motion.rate;
  Meeting meeting;
  meet(motion.mode.signs, meeting);
  const Index m = fields_->num_patterns();
  if (fields_->is_hull()) {
    multipliers.segment(place_.row, m).setZero();
    for (Index i = 0; i < motion.theta.size(); ++i)
      multipliers[place_.row + meeting.pattern[static_cast<std::size_t>(i)]] = motion.theta[i];
    return;
  }
  for (Index j = 0; j < fields_->num_surfaces(); ++j) {
    double alpha = 0.0;
    for (Index i = 0; i < motion.theta.size(); ++i)
      if (meeting.pattern[static_cast<std::size_t>(i)] >> j & 1) alpha += motion.theta[i];
    multipliers[place_.row + j] = alpha;
  }
}

/// z of 0 <= z ⟂ (M + 2 E) z - e >= 0, M_ik = -sum_j S_ij w_jk scaled to entries of at most 1, E of ones: theta = z /
/// (e . z) and mu = 1 / (e . z) - 2. Its matrix is positive, so that Lemke's method ends at an answer.
std::optional<FilippovUnit::Motion> FilippovUnit::implicit_limit(double t, const std::vector<Motion>& motions) {
  std::vector<signed char> signs = motions.front().mode.signs;
  for (std::size_t j = 0; j < signs.size(); ++j)
    if (on_[j]) signs[j] = 0;
  Meeting all;
  meet(signs, all);
  evaluate_on(t, all);
  const auto count = static_cast<Index>(all.pattern.size());
  lcp::Problem problem{.M = Eigen::MatrixXd::Zero(count, count), .q = Eigen::VectorXd::Constant(count, -1.0)};
  for (Index i = 0; i < count; ++i)
    for (Index j = 0; j < all.w.rows(); ++j) problem.M.row(i) += (i >> j & 1 ? -1.0 : 1.0) * all.w.row(j);
  if (const double largest = problem.M.cwiseAbs().maxCoeff(); largest > 0.0) problem.M /= largest;
  problem.M.array() += 2.0;
  const lcp::Result result = lcp::solve(problem, lcp::Lemke{});
  if (result.status != Status::Solved) return {};
  const Weights theta = result.z / result.z.sum();
  Eigen::VectorXd rate;
  combine(all, theta, rate);
  double size = 0.0;
  for (const Index pattern : all.pattern) size = std::max(size, F_.col(fields_->region_of(pattern)).norm());
  const auto same = std::find_if(motions.begin(), motions.end(), [&](const Motion& motion) {
    return (motion.rate - rate).norm() <= kSameMotion * size;
  });
  if (same == motions.end()) return {};
  return *same;
}

/// The motion that the options choose, tried by itself where it is none of the list; none: nothing is to be chosen.
std::optional<FilippovUnit::Motion> FilippovUnit::chosen(double t, const std::vector<Motion>& motions) {
  if (on_ambiguity_ == OnAmbiguity::Stop) return {};
  if (on_ambiguity_ == OnAmbiguity::Choose) {
    std::vector<OtherMotion> list;
    for (const Motion& motion : motions) {
      OtherMotion one;
      one.t = t;
      Eigen::VectorXd zdot = Eigen::VectorXd::Zero(place_.num_positions + place_.num_unknowns);
      one.multipliers = Eigen::VectorXd::Zero(place_.num_rows);
      write_other(motion, zdot, one.multipliers);
      one.rates = zdot.tail(place_.num_unknowns);
      list_changes(motion, t, EventKind::Switch, one.rows);
      list.push_back(std::move(one));
    }
    Index place = 0;
    guarded("the options", "choose", [&] { place = choose_(list); });
    if (place < 0 || place >= static_cast<Index>(motions.size()))
      throw CallableFailure{"choose of the options returned " + std::to_string(place) + " of " +
                            std::to_string(motions.size()) + " motions"};
    return motions[static_cast<std::size_t>(place)];
  }
  const bool by_limit = on_ambiguity_ == OnAmbiguity::ImplicitLimit;
  if (by_limit) {
    if (std::optional<Motion> limit = implicit_limit(t, motions)) return limit;
  }
  // Of each set of signs one: the motion, or what the rule makes of several.
  std::vector<Motion> found;
  for (std::size_t k = 0; k < motions.size(); ++k) {
    const Motion& motion = motions[k];
    const auto alike = [&](const Motion& other) { return other.mode.signs == motion.mode.signs; };
    if (std::any_of(motions.begin(), motions.begin() + static_cast<std::ptrdiff_t>(k), alike)) continue;
    if (std::count_if(motions.begin(), motions.end(), alike) == 1) {
      found.push_back(motion);
      continue;
    }
    const bool by_alpha = by_limit || on_ambiguity_ == OnAmbiguity::Utkin || on_ambiguity_ == OnAmbiguity::First;
    if (!fields_->is_hull() && !by_alpha) {
      std::copy_if(motions.begin(), motions.end(), std::back_inserter(found), alike);  // none but these are in the set
      continue;
    }
    Mode mode{.signs = motion.mode.signs};
    mode.alpha.setConstant(zeros_of(mode), 0.5);
    mode.rule = FilippovRule::Utkin;
    if (on_ambiguity_ == OnAmbiguity::Moments && zeros_of(mode) == 2) mode.rule = FilippovRule::Moments;
    if (on_ambiguity_ == OnAmbiguity::LeastNorm) mode.rule = FilippovRule::LeastNorm;
    if (add_motion(t, mode, found)) continue;
    mode.rule = FilippovRule::LeastNorm;
    if (!add_motion(t, mode, found)) found.push_back(motion);
  }
  const auto before = [&](const Motion& one, const Motion& other) {
    if (on_ambiguity_ == OnAmbiguity::LeastNorm) return one.rate.norm() < other.rate.norm();
    return zeros_of(one.mode) > zeros_of(other.mode);
  };
  return *std::min_element(found.begin(), found.end(), before);
}

bool FilippovUnit::part_later(double t, const std::vector<Motion>& motions) {
  constexpr int kSteps = 4;
  double h = 0.0;
  Eigen::VectorXd first, x;
  for (const Motion& motion : motions) {
    activate(motion.mode);
    x = at_;
    if (h == 0.0) {
      h = 1e-2 / fastest_rate(t, x, motion.rate);
      if (const double left = window_.last - t; left > 0.0) h = std::min(h, left / 8.0);
    }
    for (int k = 0; k < kSteps; ++k) runge_kutta_step(t + k * h, h, x);
    if (first.size() == 0) first = x;
    if ((x - first).norm() > (1e4 * eps + noise_of_weights()) * (largest_.norm() + (first - at_).norm())) return true;
  }
  return false;
}

Resolution FilippovUnit::choose(double t, std::vector<Motion>& motions, std::vector<Event>& log) {
  const Motion& first = motions.front();
  const bool alike =
      std::all_of(motions.begin(), motions.end(), [&](const Motion& other) { return same_rate(first, other); });
  // Those that part behind the instant are several all the same: a crossing that attracts no more, stayed on or left.
  const bool tangent = alike && motions.size() > 1 && part_later(t, motions),
             asked = on_ambiguity_ == OnAmbiguity::Stop || on_ambiguity_ == OnAmbiguity::Choose,
             one = alike && !(tangent && asked);
  Motion taken = first;
  if (one) {  // the same x': on as few surfaces as there are
    taken = *std::min_element(motions.begin(), motions.end(),
                              [](const Motion& a, const Motion& b) { return zeros_of(a.mode) < zeros_of(b.mode); });
  }
  activate(taken.mode);
  const std::optional<Motion> choice = one ? taken : chosen(t, motions);
  std::vector<Motion> going;
  if (!add_motion(t, choice ? choice->mode : taken.mode, going))  // its guards
    return {Resolution::Outcome::Undetermined, text_of_state() + " has no motion by " + text_of(taken)};
  if (!before_.signs.empty() && (one || choice)) {
    for (std::size_t j = 0; j < mode_.signs.size(); ++j) {
      if (mode_.signs[j] == before_.signs[j]) continue;
      log.push_back({.kind = EventKind::Switch,
                     .t = t,
                     .interaction = handle_,
                     .row = static_cast<Index>(j),
                     .value = static_cast<double>(mode_.signs[j])});
    }
  }
  if (one && !tangent) return {};
  for (const Motion& motion : motions) {
    if (choice && same_rate(motion, going.front()) && motion.mode.signs == mode_.signs) continue;
    const bool known = std::any_of(others_.begin(), others_.end(), [&](const Motion& other) {
      return other.mode.signs == motion.mode.signs && same_rate(motion, other);
    });
    if (known) continue;
    others_.push_back(motion);
    list_changes(motion, t, EventKind::Ambiguity, log);
  }
  if (choice) return {};
  std::string detail = text_of_state() + " goes on by one of";
  for (std::size_t k = 0; k < others_.size() && k < 12; ++k) detail += (k > 0 ? "; " : " ") + text_of(others_[k]);
  return {Resolution::Outcome::Ambiguous, detail};
}

}  // namespace nonsmooth::filippov
