// SPDX-License-Identifier: Apache-2.0
// What the first-order subsystem does at an instant: states that jump, and the mode that goes on.
#include <algorithm>
#include <cmath>

#include <internal/round_off.hpp>

#include "first_order_part.hpp"
#include "model/guarded.hpp"
#include "smooth/small_products.hpp"

namespace nonsmooth::events {
namespace {

constexpr int max_jumps = 4;          ///< one after the other at an instant: a jump may close further rows
constexpr int max_tries = 4000;       ///< of neighbouring modes
constexpr std::size_t max_rows = 10;  ///< whose branches are tried in all combinations

constexpr signed char branches_of_a_row[] = {-1, 0, 1};

bool may_be_lower(const FirstOrderRow& row) { return std::isfinite(row.lower); }
bool may_be_upper(const FirstOrderRow& row) { return std::isfinite(row.upper) && !row.is_fixed(); }

}  // namespace

Resolution FirstOrderPart::resolve(double t, Eigen::VectorXd& z, const std::vector<Index>& crossed,
                                   std::vector<Event>& log) {
  if (empty()) return {};
  others_.clear();
  mode_shown_.forget();
  jump_shown_.forget();
  Eigen::VectorXd x;
  data_.gather(z, x);
  data_.project(x);
  jump_.x = x;
  const double at = window_.inside(t);
  if (largest_.size() != x.size() || !mode_) largest_ = x.cwiseAbs();
  largest_ = largest_.cwiseMax(x.cwiseAbs());
  before_ = branches();
  exact_.assign(static_cast<std::size_t>(data_.m), 0);
  exact_value_ = Eigen::VectorXd::Zero(data_.m);
  if (!crossed.empty() && mode_) {
    values(*mode_, at, x);
    for (const Index i : crossed) {
      const Guard& guard = guards_[static_cast<std::size_t>(i)];
      exact_[static_cast<std::size_t>(guard.row)] = 1;
      if (guard.entry >= data_.m) exact_value_[guard.row] = s_[guard.entry];
    }
  }
  resolved_at_ = at;
  data_.evaluate(at);
  choose_snapshot();
  measure_rates(at, x);
  if (!x.allFinite() || !g_.allFinite() || !data_.e.allFinite() || !data_.C.allFinite() || !data_.D.allFinite() ||
      !data_.P.allFinite()) {
    return {Resolution::Outcome::Unsolved, data_.not_finite(x, g_)};
  }
  total_impulse_ = Eigen::VectorXd::Zero(data_.m);
  jumped_ = false;
  refusal_.clear();
  violated_.assign(static_cast<std::size_t>(data_.m), 0);
  if (!find_mode(at, x)) {
    if (!refusal_.empty()) return {Resolution::Outcome::NoMode, refusal_};
    std::vector<std::string> places;
    for (Index row = 0; row < data_.m; ++row)
      if (violated_[static_cast<std::size_t>(row)]) places.push_back(data_.place_of(row));
    return {Resolution::Outcome::NoMode, "no branches of the laws go on from this state; violated in turn: " +
                                             (places.empty() ? data_.all_names() : list_of(places))};
  }
  if (jumped_) keep_jump(at, x);
  log_changes(t, log);
  log_alternatives(at, x, log);
  data_.scatter(x, z);
  return settle_held(at, x);
}

bool FirstOrderPart::find_mode(double t, Eigen::VectorXd& x) {
  for (int jumps = 0; jumps <= max_jumps; ++jumps) {
    mode_shown_.forget();  // the step before a jump was another's
    std::fill(suspects_.begin(), suspects_.end(), 0);
    for (std::size_t i = 0; i < suspects_.size(); ++i) suspects_[i] = exact_[i];
    std::vector<signed char> start = before_;
    Verdict verdict = jumps == 0 && rests(t, x) ? Verdict::Valid : Verdict::Invalid;
    double h = 1e-6 / std::max(own_rate_, time_rate_);
    for (int k = 0; k < 5 && verdict == Verdict::Invalid; ++k, h *= 1e-2) {
      const auto candidate = implicit_step(t, h, x);
      if (!candidate) continue;
      if (k > 0 && *candidate == start) continue;
      start = *candidate;
      FirstOrderMode& mode = mode_of(start);
      if (!mode.usable()) continue;
      mode.hold(last_lambda_);
      verdict = judge(mode, t, x);
    }
    if (verdict == Verdict::Invalid && start.empty()) return false;
    if (verdict == Verdict::Invalid) verdict = try_neighbours(t, start, false, x);
    if (verdict == Verdict::Invalid) verdict = try_neighbours(t, start, true, x);
    if (verdict != Verdict::Jump) return verdict == Verdict::Valid;
    jumped_ = true;
    std::fill(exact_.begin(), exact_.end(), 0);  // rows move with the state
  }
  return false;
}

/// True where switches have accumulated: rows that are zero within the threshold are held together, one of them by the
/// others. An implicit step does not see it, as its multipliers do not reach that row in a step.
bool FirstOrderPart::rests(double t, Eigen::VectorXd& x) {
  if (before_.empty()) return false;
  std::vector<signed char> rest = before_;
  Index zeros = 0;
  for (Index i = 0; i < data_.m; ++i) {
    const FirstOrderRow& row = data_.rows[static_cast<std::size_t>(i)];
    if (row.is_fixed() || !data_.D.row(i).isZero(0.0)) continue;
    const double y = data_.C.row(i).dot(x) + data_.e[i];
    const double terms = data_.C.row(i).cwiseAbs().dot(largest_) + std::abs(data_.e[i]);
    if (std::abs(y) > thresholds_.accumulation * terms) continue;
    rest[static_cast<std::size_t>(i)] = 0;
    ++zeros;
  }
  if (zeros < 2 || rest == before_) return false;
  const std::string refusal = refusal_;
  FirstOrderMode& mode = mode_of(rest);
  refusal_ = refusal;
  if (!mode.usable() || !mode.has_implied_rows()) return false;
  mode.hold(Eigen::VectorXd::Zero(data_.m));
  Eigen::VectorXd moved = x;
  if (judge(mode, t, moved) != Verdict::Valid) return false;
  x = moved;
  return true;
}

bool FirstOrderPart::is_exact(const FirstOrderMode& mode, Index row) const {
  const auto i = static_cast<std::size_t>(row);
  return exact_[i] && mode.status()[i] == before_[i];
}

/// x onto the constraints of a mode: silently where it was within round-off, as a jump where the law admits the
/// impulse.
FirstOrderPart::Verdict FirstOrderPart::project(FirstOrderMode& mode, double t, Eigen::VectorXd& x) {
  if (mode.num_constraints() == 0) return Verdict::Valid;
  mode.constraints(largest_, unused_, &c_terms_);
  mode.constraints(x, c_, nullptr);
  // What the instant's own round-off leaves: eps t times the constraint's rate.
  data_.drift(t, x, g_);
  stage_ = x + eps * std::abs(t) * g_;
  Eigen::VectorXd moved;
  mode.constraints(stage_, moved, nullptr);
  bool far = false;
  for (Index k = 0; k < c_.size(); ++k) {
    const double tolerance = thresholds_.position * c_terms_[k] + 64.0 * std::abs(moved[k] - c_[k]);
    far = far || (std::abs(c_[k]) > tolerance && !mode.involves(k, exact_));
  }
  mode.impulse(c_, impulse_);
  if (far) {
    mode.impulse_terms(c_.cwiseAbs(), impulse_terms_);
    for (const Index row : mode.between()) {
      const FirstOrderRow& bounds = data_.rows[static_cast<std::size_t>(row)];
      const double zero = 1e-9 * impulse_terms_[row];
      if ((std::isfinite(bounds.lower) && impulse_[row] < -zero) ||
          (std::isfinite(bounds.upper) && impulse_[row] > zero)) {
        suspects_[static_cast<std::size_t>(row)] = 1;
        violated_[static_cast<std::size_t>(row)] = 1;
        return Verdict::Invalid;
      }
    }
  }
  const Eigen::VectorXd first = impulse_;  // the second impulse takes what cancellation leaves of a large one
  x.noalias() += data_.P * impulse_;
  mode.constraints(x, c_, nullptr);
  mode.impulse(c_, impulse_);
  x.noalias() += data_.P * impulse_;
  mode.constraints(x, c_, nullptr);
  for (Index k = 0; k < c_.size(); ++k) {
    if (std::abs(c_[k]) <= thresholds_.position * c_terms_[k] || mode.involves(k, exact_)) continue;
    // Redundant constraints that contradict each other: no impulse removes them.
    violated_[static_cast<std::size_t>(mode.row_of(k))] = 1;
    return Verdict::Invalid;
  }
  if (!far) return Verdict::Valid;
  total_impulse_ += first + impulse_;
  return Verdict::Jump;
}

FirstOrderPart::Verdict FirstOrderPart::judge(FirstOrderMode& mode, double t, Eigen::VectorXd& x) {
  data_.evaluate(t);
  mode.update();
  Eigen::VectorXd moved = x;
  const Verdict verdict = project(mode, t, moved);
  if (verdict == Verdict::Invalid) return verdict;
  if (verdict == Verdict::Jump) {
    if (!moved.allFinite()) return Verdict::Invalid;
    x = moved;
    return verdict;
  }
  if (mode.needs_constraint_rate()) {
    constraint_rate(mode, t, moved);
    if (mode.contradicts(rate_)) return Verdict::Invalid;
  }
  if (!guards_hold(mode, t, moved)) return Verdict::Invalid;
  x = moved;
  activate(mode, candidate_guards_);
  return Verdict::Valid;
}

bool FirstOrderPart::guards_hold(FirstOrderMode& mode, double t, const Eigen::VectorXd& x) {
  candidate_guards_ = guards_of(mode, data_);
  // What moves within the round-off of t is not told from zero: 64 eps t along the flow.
  const double instant = 64.0 * eps * std::abs(t);
  flow_rates(mode, t, x, xdot_);
  stage_ = x + instant * xdot_;
  values(mode, t + instant, stage_);
  moved_ = s_;
  values(mode, t, x);
  data_.drift(t, x, g_);
  const auto fails = [&](Index row) {
    suspects_[static_cast<std::size_t>(row)] = 1;
    violated_[static_cast<std::size_t>(row)] = 1;
    return false;
  };
  for (const Index row : mode.between()) {  // constraints that were dropped as redundant have to hold as well
    if (!mode.is_held(row)) continue;
    const Guard output{data_.m + row, row, 1.0, 0.0, 0, 0.0};
    if (std::abs(s_[output.entry]) > 1e-8 * guard_terms(mode, output, x)) return fails(row);
  }
  std::vector<std::size_t> at_zero;
  bool ok = true;
  for (std::size_t i = 0; i < candidate_guards_.size(); ++i) {
    const Guard& guard = candidate_guards_[i];
    const double value = guard.sign * s_[guard.entry] - guard.bound;
    const double zero =
        thresholds_.acceleration * guard_terms(mode, guard, x) + std::abs(moved_[guard.entry] - s_[guard.entry]);
    if (std::abs(value) <= zero || is_exact(mode, guard.row)) {
      at_zero.push_back(i);
      suspects_[static_cast<std::size_t>(guard.row)] = 1;
    } else if (!(value > 0.0)) {
      ok = fails(guard.row);
    }
  }
  return ok && (at_zero.empty() || derivatives_hold(mode, t, x, at_zero));
}

FirstOrderPart::Verdict FirstOrderPart::try_neighbours(double t, const std::vector<signed char>& start, bool jumps,
                                                       Eigen::VectorXd& x) {
  int tries = 0;
  const auto attempt = [&](const std::vector<signed char>& status) {
    ++tries;
    FirstOrderMode& mode = mode_of(status);
    if (!mode.usable()) return Verdict::Invalid;
    mode.hold(last_lambda_);
    const std::vector<char> suspects = suspects_;
    const Eigen::VectorXd impulse = total_impulse_, at = x;
    Verdict verdict = judge(mode, t, x);
    if (verdict == Verdict::Jump && !jumps) {
      total_impulse_ = impulse;
      x = at;
      verdict = Verdict::Invalid;
    }
    if (verdict == Verdict::Invalid) suspects_ = suspects;
    return verdict;
  };
  const auto try_rows = [&](const std::vector<std::size_t>& rows) {
    // All combinations of their branches, those with few changes first.
    std::vector<signed char> status = start;
    for (std::size_t changes = 1; changes <= rows.size(); ++changes) {
      const auto visit = [&](auto&& self, std::size_t first, std::size_t left) -> Verdict {
        if (left == 0) return attempt(status);
        for (std::size_t i = first; i + left <= rows.size() && tries < max_tries; ++i) {
          const std::size_t row = rows[i];
          const FirstOrderRow& bounds = data_.rows[row];
          for (const signed char branch : branches_of_a_row) {
            if (branch == start[row] || (branch < 0 && !may_be_lower(bounds)) ||
                (branch > 0 && !may_be_upper(bounds)) || bounds.is_fixed())
              continue;
            status[row] = branch;
            const Verdict verdict = self(self, i + 1, left - 1);
            if (verdict != Verdict::Invalid) return verdict;
          }
          status[row] = start[row];
        }
        return Verdict::Invalid;
      };
      const Verdict verdict = visit(visit, 0, changes);
      if (verdict != Verdict::Invalid || tries >= max_tries) return verdict;
    }
    return Verdict::Invalid;
  };
  if (start.empty()) return Verdict::Invalid;
  const std::string refusal = refusal_;
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < suspects_.size() && rows.size() < max_rows; ++i)
    if (suspects_[i]) rows.push_back(i);
  Verdict verdict = try_rows(rows);
  if (verdict == Verdict::Invalid && start.size() <= max_rows && rows.size() < start.size()) {
    rows.clear();
    for (std::size_t i = 0; i < start.size(); ++i) rows.push_back(i);
    verdict = try_rows(rows);
  }
  if (!refusal.empty()) refusal_ = refusal;  // of the mode that the step took, not of one that was tried
  return verdict;
}

void FirstOrderPart::log_changes(double t, std::vector<Event>& log) const {
  const auto event = [&](EventKind kind, Index i, double value) { log.push_back(event_of(kind, t, i, value)); };
  if (jumped_) {
    const double largest = (data_.P * total_impulse_.asDiagonal()).cwiseAbs().maxCoeff();
    for (Index i = 0; i < data_.m; ++i) {
      const double moves = (data_.P.col(i) * total_impulse_[i]).lpNorm<Eigen::Infinity>();
      if (moves > 1e-12 * largest) event(EventKind::Jump, i, total_impulse_[i]);
    }
  }
  if (before_.empty()) return;
  for (Index i = 0; i < data_.m; ++i) {
    const signed char now = mode_->status()[static_cast<std::size_t>(i)];
    if (now != before_[static_cast<std::size_t>(i)]) event(EventKind::Switch, i, now);
  }
}

}  // namespace nonsmooth::events
