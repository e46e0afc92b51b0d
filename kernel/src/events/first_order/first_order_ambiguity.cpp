// SPDX-License-Identifier: Apache-2.0
// Instants from which several motions satisfy the first-order laws: the one taken goes on, the others are told.
#include <algorithm>
#include <cmath>

#include <internal/round_off.hpp>
#include <nonsmooth/numerics/analysis/matrix_classes.hpp>

#include "first_order_part.hpp"
#include "model/guarded.hpp"

namespace nonsmooth::events {
namespace {

constexpr std::size_t kMostRows = 6;  ///< whose branches are tried in all combinations: 3^6
constexpr signed char kBranches[] = {-1, 0, 1};
/// Of the largest rate: motions that differ by less are the same.
constexpr double kSameMotion = 1e-9;

bool differs(const Eigen::VectorXd& rate, const Eigen::VectorXd& other) {
  return (other - rate).norm() > kSameMotion * (rate.norm() + other.norm());
}

}  // namespace

Event FirstOrderPart::event_of(EventKind kind, double t, Index row, double value) const {
  const FirstOrderRow& known = data_.rows[static_cast<std::size_t>(row)];
  const bool linked = known.interaction >= 0;
  return {.kind = kind,
          .t = t,
          .interaction =
              linked ? data_.interactions[static_cast<std::size_t>(known.interaction)].handle : InteractionHandle{},
          .row = known.local,
          .value = value};
}

bool FirstOrderPart::may_be_ambiguous() {
  std::optional<bool>& known = snapshots_[snapshot_].may_be_ambiguous;
  if (known) return *known;
  const Eigen::MatrixXd& M = step_.problem.M;
  if (M.rows() == 0 || M.rows() > 20 || !M.allFinite()) return *(known = false);
  // Of a monotone problem all answers have the same C P lambda, and a motion is what that makes of x.
  const analysis::MatrixClasses classes = analysis::classify(M, {.max_exact = 12, .entry_error = {}});
  known = !classes.positive_semidefinite.holds() && !classes.p.holds();
  return *known;
}

void FirstOrderPart::log_alternatives(double t, const Eigen::VectorXd& x, std::vector<Event>& log) {
  FirstOrderMode& chosen = *mode_;
  if (chosen.has_implied_rows() || !may_be_ambiguous()) return;  // switches that accumulated: what is left is no motion
  if (chosen.is_moved_by_held()) {
    for (const Index row : chosen.between())
      if (chosen.is_held(row)) log.push_back(event_of(EventKind::Ambiguity, t, row, 0.0));
    find_ends_of_held(t, x);
    return;
  }
  std::vector<std::size_t> rows;
  const auto& between = chosen.between();
  for (std::size_t i = 0; i < suspects_.size(); ++i) {
    const bool slides = std::find(between.begin(), between.end(), static_cast<Index>(i)) != between.end();
    if ((suspects_[i] || slides) && !data_.rows[i].is_fixed()) rows.push_back(i);
  }
  if (rows.empty() || rows.size() > kMostRows) return;
  const std::vector<Guard> guards = guards_;
  const std::vector<signed char> status = chosen.status();
  const std::string refusal = refusal_;
  Eigen::VectorXd rate, other_rate;
  flow_rates(chosen, t, x, rate);
  std::vector<signed char> tried = status;
  const auto visit = [&](auto&& self, std::size_t k) -> void {
    if (k < rows.size()) {
      const FirstOrderRow& bounds = data_.rows[rows[k]];
      for (const signed char branch : kBranches) {
        if ((branch < 0 && !std::isfinite(bounds.lower)) || (branch > 0 && !std::isfinite(bounds.upper))) continue;
        tried[rows[k]] = branch;
        self(self, k + 1);
      }
      tried[rows[k]] = status[rows[k]];
      return;
    }
    if (tried == status) return;
    FirstOrderMode& mode = mode_of(tried);
    if (!mode.usable()) return;
    mode.hold(last_lambda_);
    Eigen::VectorXd at = x;
    if (judge(mode, t, at) != Verdict::Valid) return;
    // A mode whose constraints hold within the threshold alone is no motion from here: where switches accumulate, rest.
    if (((at - x).cwiseAbs().array() > 64.0 * eps * largest_.array()).any()) return;
    flow_rates(mode, t, at, other_rate);
    if (!differs(rate, other_rate)) return;
    Other other{other_rate, s_.head(data_.m), {}};
    for (std::size_t i = 0; i < status.size(); ++i) {
      if (tried[i] != status[i])
        other.rows.push_back(event_of(EventKind::Switch, t, static_cast<Index>(i), static_cast<double>(tried[i])));
    }
    others_.push_back(std::move(other));
  };
  visit(visit, 0);
  data_.evaluate(t);
  chosen.update();
  activate(chosen, guards);
  refusal_ = refusal;
  for (const Other& other : others_) {
    for (const Event& row : other.rows) {
      log.push_back(row);
      log.back().kind = EventKind::Ambiguity;
    }
  }
}

void FirstOrderPart::find_ends_of_held(double t, const Eigen::VectorXd& x) {
  FirstOrderMode& mode = *mode_;
  Eigen::VectorXd held = Eigen::VectorXd::Zero(data_.m);
  mode.write_held(held);
  const std::vector<Guard> guards = guards_;
  for (const Index row : mode.between()) {
    if (!mode.is_held(row)) continue;
    const FirstOrderRow& bounds = data_.rows[static_cast<std::size_t>(row)];
    add_end_of_held(row, bounds.lower, t, x);
    mode.hold(held);
    add_end_of_held(row, bounds.upper, t, x);
    mode.hold(held);
  }
  activate(mode, guards);
}

/// The value of the held multiplier of `row` goes towards its bound until a guard of the mode is zero; all are affine
/// in it. Where nothing bounds it, one unit on is a motion as good as any.
void FirstOrderPart::add_end_of_held(Index row, double bound, double t, const Eigen::VectorXd& x) {
  FirstOrderMode& mode = *mode_;
  Eigen::VectorXd rate, held = Eigen::VectorXd::Zero(data_.m), trial;
  mode.write_held(held);
  flow_rates(mode, t, x, rate);
  const Eigen::VectorXd start = s_;
  trial = held;
  trial[row] = std::isfinite(bound) ? bound : held[row] + std::copysign(1.0, bound);
  if (trial[row] == held[row]) return;
  mode.hold(trial);
  values(mode, t, x);
  data_.drift(t, x, g_);
  double part = 1.0;  // of the way to the trial's value
  const Guard* first = nullptr;
  for (const Guard& guard : guards_) {
    const double before = guard.sign * start[guard.entry] - guard.bound,
                 after = guard.sign * s_[guard.entry] - guard.bound;
    if (!(before - after > 64.0 * eps * guard_terms(mode, guard, x))) continue;
    const double zero = std::max(before, 0.0) / (before - after);
    if (zero >= part) continue;
    part = zero;
    first = &guard;
  }
  const Event at_end = [&] {
    if (!first)
      return event_of(EventKind::Switch, t, row, std::isfinite(bound) ? std::copysign(1.0, bound - held[row]) : 0.0);
    // A multiplier comes to its bound, or an output leaves it: between.
    return event_of(EventKind::Switch, t, first->row, first->entry < data_.m ? -first->sign : 0.0);
  }();
  trial[row] = held[row] + part * (trial[row] - held[row]);
  mode.hold(trial);
  Eigen::VectorXd other_rate;
  flow_rates(mode, t, x, other_rate);
  if (differs(rate, other_rate)) others_.push_back({other_rate, s_.head(data_.m), {at_end}});
}

void FirstOrderPart::hold_least_norm(double t, const Eigen::VectorXd& x) {
  FirstOrderMode& mode = *mode_;
  const std::vector<Guard> guards = guards_;
  const std::vector<Other> listed = others_;
  Eigen::VectorXd rate, held = Eigen::VectorXd::Zero(data_.m);
  for (const Index row : mode.between()) {
    if (!mode.is_held(row)) continue;
    mode.write_held(held);
    flow_rates(mode, t, x, rate);
    const FirstOrderRow& bounds = data_.rows[static_cast<std::size_t>(row)];
    double best = rate.norm(), taken = held[row];
    const double here = held[row];
    for (const double bound : {bounds.lower, bounds.upper}) {
      others_.clear();
      add_end_of_held(row, bound, t, x);
      mode.hold(held);
      if (others_.empty()) continue;
      // x' is affine in the multiplier: its least norm on the way to this end.
      const Eigen::VectorXd way = others_.front().rate - rate;
      const double part = std::clamp(-rate.dot(way) / way.squaredNorm(), 0.0, 1.0);
      const double norm = (rate + part * way).norm();
      if (norm >= best) continue;
      best = norm;
      taken = here + part * (others_.front().lambda[row] - here);
    }
    held[row] = taken;
    mode.hold(held);
  }
  others_ = listed;
  values(mode, t, x);
  activate(mode, guards);
}

Resolution FirstOrderPart::settle_held(double t, const Eigen::VectorXd& x) {
  if (!mode_->is_moved_by_held() || others_.empty()) return {};
  if (on_ambiguity_ == OnAmbiguity::LeastNorm) hold_least_norm(t, x);
  if (on_ambiguity_ != OnAmbiguity::Stop) return {};
  std::vector<std::string> places;
  for (const Index row : mode_->between())
    if (mode_->is_held(row)) places.push_back(data_.place_of(row));
  std::string detail = "multipliers that no constraint determines move the state, " + list_of(places) + ": x' from";
  for (const Other& other : others_) {
    detail += (&other == &others_.front() ? " (" : " to (");
    for (Index k = 0; k < other.rate.size(); ++k) detail += (k > 0 ? ", " : "") + text(other.rate[k]);
    detail += ")";
  }
  return {Resolution::Outcome::Ambiguous, detail};
}

void FirstOrderPart::write_other(const Other& other, Eigen::VectorXd& zdot, Eigen::VectorXd& multipliers) const {
  data_.scatter(other.rate, zdot);
  for (const FirstOrderData::Interaction& interaction : data_.interactions)
    multipliers.segment(interaction.state_row, interaction.extended) =
        other.lambda.segment(interaction.row, interaction.extended);
}

}  // namespace nonsmooth::events
