// SPDX-License-Identifier: Apache-2.0
// What a FilippovSystem does at an instant: which surfaces x is on, and which motions go on from there.
#include <algorithm>
#include <bit>
#include <cmath>

#include <internal/round_off.hpp>

#include "filippov_unit.hpp"
#include "model/equations/time_differences.hpp"
#include "model/guarded.hpp"

namespace nonsmooth::filippov {
namespace {

/// Of the largest gradient of the same function met: what is shorter has vanished.
constexpr double kVanished = 1e-8;

int zeros_of(const std::vector<signed char>& signs) {
  return static_cast<int>(std::count(signs.begin(), signs.end(), 0));
}

/// alpha in [0, 1]^q that HullSlice::multi_affine() finds from starts on a grid, each once.
std::vector<SurfaceVector> multi_affine_answers(const HullSlice& slice, Index q) {
  static constexpr double kStarts[] = {0.5, 0.1, 0.9};
  std::vector<SurfaceVector> answers;
  Index count = 1;
  for (Index k = 0; k < q; ++k) count *= 3;
  for (Index code = 0; code < count; ++code) {
    SurfaceVector alpha(q);
    Index rest = code;
    for (Index k = 0; k < q; ++k, rest /= 3) alpha[k] = kStarts[rest % 3];
    Weights theta;
    if (!slice.multi_affine(alpha, theta) || alpha.minCoeff() < -1e-10 || alpha.maxCoeff() > 1.0 + 1e-10) continue;
    const bool known = std::any_of(answers.begin(), answers.end(), [&](const SurfaceVector& other) {
      return (other - alpha).lpNorm<Eigen::Infinity>() <= 1e-8;
    });
    if (!known) answers.push_back(alpha);
  }
  return answers;
}

}  // namespace

Resolution FilippovUnit::resolve(double t, Eigen::VectorXd& z, const std::vector<Index>& crossed,
                                 std::vector<Event>& log) {
  gather(z);
  at_ = x_;
  others_.clear();
  refusal_.clear();
  tried_.clear();
  const bool begins = mode_.signs.empty();
  if (begins) steepest_.setZero(fields_->num_surfaces());
  largest_ = largest_.cwiseMax(at_.cwiseAbs());
  before_ = mode_;
  std::vector<Motion> motions;
  if (!begins && crossed.empty() && at_ == last_x_) {  // another's instant: functions of time may have jumped
    on_.assign(static_cast<std::size_t>(fields_->num_surfaces()), 0);
    for (const Index j : held_.surfaces) on_[static_cast<std::size_t>(j)] = 1;
    if (add_motion(t, before_, motions)) return {};
  }
  std::vector<signed char> signs = touched(t, crossed, true);
  motions = find_motions(t, signs);
  if (motions.empty() && refusal_.empty()) {
    const std::vector<signed char> exact = touched(t, crossed, false);
    if (exact != signs) motions = find_motions(t, exact);
  }
  if (motions.empty()) {
    mode_ = before_;
    std::string detail = refusal_.empty() ? "neither leaves a surface nor slides" : refusal_;
    detail += ": " + text_of_state() + " on " + text_of(signs);
    for (std::size_t k = 0; k < tried_.size() && k < 9; ++k) detail += "; " + tried_[k];
    return {Resolution::Outcome::NoMode, detail};
  }
  const Resolution resolution = choose(t, motions, log);
  moved_ = at_;
  project(t, at_, held_, true);
  if (!crossed.empty() && resolution) tell_accumulation(t, (moved_ - at_).norm(), log);
  z.segment(z_, fields_->n()) = at_;
  last_x_ = at_;
  return resolution;
}

/// x was put onto surfaces that it was nowhere found on, `way` from there: what else it would have crossed is left out.
void FilippovUnit::tell_accumulation(double t, double way, std::vector<Event>& log) const {
  for (const Index j : held_.surfaces) {
    if (!near_[static_cast<std::size_t>(j)]) continue;
    log.push_back({.kind = EventKind::Accumulation, .t = t, .interaction = handle_, .row = j, .value = way, .end = t});
    return;
  }
}

/// Signs of all surfaces, 0 of those that x is on: found so, held until here, or with `near` within a threshold.
std::vector<signed char> FilippovUnit::touched(double t, const std::vector<Index>& crossed, bool near) {
  const Index p = fields_->num_surfaces();
  const bool begins = before_.signs.empty();
  on_.assign(static_cast<std::size_t>(p), 0);
  near_ = on_;
  if (!begins && at_ == last_x_)
    for (Index j = 0; j < p; ++j) on_[static_cast<std::size_t>(j)] = before_.signs[static_cast<std::size_t>(j)] == 0;
  for (const Index g : crossed) {
    const Guard& guard = guards_[static_cast<std::size_t>(g)];
    if (guard.kind == Guard::Kind::Surface) on_[static_cast<std::size_t>(guard.index)] = 1;
  }
  const double threshold = crossed.empty() ? thresholds_.position : thresholds_.accumulation;
  std::vector<signed char> signs(static_cast<std::size_t>(p));
  for (Index j = 0; j < p; ++j) {
    const auto at = static_cast<std::size_t>(j);
    const double c = surface(j, t, at_), terms = surface_terms(j, t, at_);
    steepest_[j] = std::max(steepest_[j], gradient_.norm());
    const bool on = on_[at] != 0;
    if ((near && std::abs(c) <= threshold * terms) || c == 0.0) on_[at] = 1;
    near_[at] = !on && on_[at] && std::abs(c) > 256.0 * eps * terms;
    signs[at] = on_[at] ? 0 : c > 0.0 ? 1 : -1;
    if (on_[at] && !(gradient_.norm() > kVanished * steepest_[j]))
      refusal_ = "the gradient of " + fields_->surface_name(j) + " vanishes on its surface";
  }
  return signs;
}

/// At at_ put onto the surfaces that meet: next to a place where fields are tangent to one, none of them is.
void FilippovUnit::evaluate_on(double t, Meeting& meeting) {
  evaluate(t, at_, meeting);
  moved_ = at_;
  project(t, moved_, meeting, true);
  if (moved_ != at_) evaluate(t, moved_, meeting);
}

std::vector<FilippovUnit::Motion> FilippovUnit::find_motions(double t, const std::vector<signed char>& signs) {
  std::vector<Motion> motions;
  tried_.clear();
  const int most = zeros_of(signs);
  if (most > kMostHeld) refusal_ = "more than " + std::to_string(kMostHeld) + " surfaces at once";
  if (!refusal_.empty()) return motions;
  Meeting all;
  meet(signs, all);
  evaluate_on(t, all);
  on_terms_.setZero(fields_->num_surfaces());
  for (std::size_t k = 0; k < all.surfaces.size(); ++k) on_terms_[all.surfaces[k]] = all.terms[static_cast<Index>(k)];
  Index count = 1;
  for (int k = 0; k < most; ++k) count *= 3;
  for (int held = most; held >= 0; --held) {
    for (Index code = 0; code < count; ++code) {
      std::vector<signed char> candidate = signs;
      Index rest = code;
      for (const Index j : all.surfaces) {
        candidate[static_cast<std::size_t>(j)] = static_cast<signed char>(1 - rest % 3);
        rest /= 3;
      }
      if (zeros_of(candidate) == held) add_motions(t, all, candidate, motions);
    }
  }
  return motions;
}

/// The motions whose signs are the candidate's: one, or the extreme points of several.
void FilippovUnit::add_motions(double t, const Meeting& all, const std::vector<signed char>& candidate,
                               std::vector<Motion>& motions) {
  std::vector<Index> rows, columns;
  for (std::size_t k = 0; k < all.surfaces.size(); ++k)
    if (candidate[static_cast<std::size_t>(all.surfaces[k])] == 0) rows.push_back(static_cast<Index>(k));
  for (std::size_t i = 0; i < all.pattern.size(); ++i) {
    bool fits = true;
    for (const Index j : all.surfaces) {
      const int sign = candidate[static_cast<std::size_t>(j)];
      fits = fits && (sign == 0 || (sign > 0) == ((all.pattern[i] >> j & 1) != 0));
    }
    if (fits) columns.push_back(static_cast<Index>(i));
  }
  Mode mode{.signs = candidate};
  if (rows.empty()) {
    if (!add_motion(t, mode, motions)) tried_.push_back(text_of(candidate) + " is not left to");
    return;
  }
  SurfaceRates w(static_cast<Index>(rows.size()), static_cast<Index>(columns.size()));
  SurfaceVector terms(static_cast<Index>(rows.size()));
  for (std::size_t a = 0; a < rows.size(); ++a) {
    terms[static_cast<Index>(a)] = all.terms[rows[a]];
    for (std::size_t i = 0; i < columns.size(); ++i)
      w(static_cast<Index>(a), static_cast<Index>(i)) = all.w(rows[a], columns[i]);
  }
  HullSlice slice;
  slice.set(w, terms);
  std::vector<Weights> thetas;
  std::vector<std::uint32_t> masks;
  slice.vertices(thetas, masks);
  if (thetas.empty()) {
    tried_.push_back("no sliding on " + text_of(candidate));
    return;
  }
  const std::size_t before = motions.size();
  if (!fields_->is_hull() && rows.size() > 1) {
    add_multi_affine(t, mode, motions);
  } else {
    Meeting own;
    meet(candidate, own);
    Eigen::VectorXd rate, other;
    double widest = 0.0, size = 0.0;
    for (std::size_t k = 0; k < thetas.size(); ++k) {
      combine(own, thetas[k], k == 0 ? rate : other);
      if (k > 0) widest = std::max(widest, (other - rate).lpNorm<Eigen::Infinity>());
    }
    for (const Index pattern : own.pattern)
      size = std::max(size, F_.col(fields_->region_of(pattern)).lpNorm<Eigen::Infinity>());
    if (widest <= 0.5e-9 * size && (slice.rank() > 0 || thetas.size() == 1)) {
      (void)add_motion(t, mode, motions);
    } else {
      const Eigen::MatrixXd fields = F_;  // the motions ask them elsewhere
      for (const std::uint32_t mask : masks) {
        mode.rule = FilippovRule::Basis;
        mode.basis = mask;
        (void)add_motion(t, mode, motions);
      }
      F_ = fields;
    }
  }
  if (motions.size() == before) tried_.push_back("the sliding on " + text_of(candidate) + " does not go on");
}

/// alpha in [0, 1] with sum_i theta_i(alpha) w_ji = 0: from starts on a grid, each answer once. Where the equations
/// depend on one another, the ends of the set are extreme points of the hull on an edge of the cube, and where one
/// depends, points on its faces.
void FilippovUnit::add_multi_affine(double t, const Mode& mode, std::vector<Motion>& motions) {
  activate(mode);
  evaluate_on(t, held_);
  slice_.set(held_.w, held_.terms);
  const HullSlice slice = slice_;
  const auto q = static_cast<Index>(held_.surfaces.size());
  if (slice.rank() < q) {
    std::vector<Weights> thetas;
    std::vector<std::uint32_t> masks;
    slice.vertices(thetas, masks);
    for (const std::uint32_t mask : masks) {
      const std::uint32_t low = mask & (~mask + 1), high = mask ^ low;
      const bool edge = high != 0 && (high & (high - 1)) == 0 &&
                        std::popcount(static_cast<unsigned>(std::countr_zero(low) ^ std::countr_zero(high))) == 1;
      Mode end = mode;
      end.rule = FilippovRule::Basis;
      end.basis = mask;
      if (edge || high == 0) (void)add_motion(t, end, motions);
    }
    if (slice.rank() == q - 1 && q > 2) add_on_faces(t, mode, motions);
    return;
  }
  for (const SurfaceVector& alpha : multi_affine_answers(slice, q)) {
    Mode own = mode;
    own.rule = FilippovRule::Utkin;
    own.alpha = alpha;
    (void)add_motion(t, own, motions);
  }
}

/// One of the equations of held_ follows from the others: of each alpha_k at 0 or 1 the others, by their equations.
void FilippovUnit::add_on_faces(double t, const Mode& mode, std::vector<Motion>& motions) {
  const auto q = static_cast<Index>(held_.surfaces.size());
  const SurfaceRates w = held_.w;
  const SurfaceVector terms = held_.terms;
  for (Index k = 0; k < q; ++k) {
    for (Index upper = 0; upper < 2; ++upper) {
      SurfaceRates face(q - 1, Index{1} << (q - 1));
      SurfaceVector own_terms(q - 1);
      for (Index row = 0, from = 0; row < q - 1; ++row, ++from) {
        if (from == k) ++from;
        own_terms[row] = terms[from];
        for (Index i = 0; i < face.cols(); ++i) {
          const Index below = i & ((Index{1} << k) - 1);
          face(row, i) = w(from, ((i - below) << 1) | (upper << k) | below);
        }
      }
      HullSlice slice;
      slice.set(face, own_terms);
      if (slice.rank() != q - 1) continue;  // without it the others depend on one another
      for (const SurfaceVector& others : multi_affine_answers(slice, q - 1)) {
        Mode end = mode;
        end.rule = FilippovRule::Utkin;
        end.alpha.resize(q);
        for (Index j = 0, from = 0; j < q; ++j) end.alpha[j] = j == k ? static_cast<double>(upper) : others[from++];
        (void)add_motion(t, end, motions);
      }
    }
  }
}

bool FilippovUnit::add_motion(double t, Mode mode, std::vector<Motion>& motions) {
  activate(mode);
  moved_ = at_;
  evaluate(t, moved_, held_);
  project(t, moved_, held_, true);
  if (!flow(mode_, t, moved_, rate_) || !rate_.allFinite()) return false;
  if (held_.surfaces.size() > 1 && mode.rule != FilippovRule::Basis) {
    mode.others_start = margin_of_others() > -std::max(thresholds_.acceleration, 10.0 * noise_of_weights());
    activate(mode);
    if (!flow(mode_, t, moved_, rate_)) return false;
  }
  const Weights theta = theta_;
  const Eigen::VectorXd rate = rate_, x = moved_;
  if (mode.rule == FilippovRule::Basis && !stays_on(t, x, rate)) return false;
  if (!goes_on(t, x, rate)) return false;
  motions.push_back({mode_, rate, theta});
  return true;
}

/// Of a basis whose fields may all be tangent at x, so that its theta does not come from the held surfaces: whether
/// they are held a little later too.
bool FilippovUnit::stays_on(double t, const Eigen::VectorXd& x, const Eigen::VectorXd& rate) {
  constexpr double kLeft = 1e-3;  // of the fields there; what is held has round-off
  double h = 1e-2 / fastest_rate(t, x, rate);
  if (const double left = window_.last - t; left > 0.0) h = std::min(h, left / 8.0);
  Eigen::VectorXd later = x + h * rate, value;
  project(t + h, later, held_, true);
  if (!flow(mode_, t + h, later, value)) return false;
  const SurfaceVector off = held_.w * theta_;
  return (off.array().abs() <= kLeft * held_.terms.array()).all();
}

/// Guards of the present mode at x: above zero, or zero and rising along its own flow.
bool FilippovUnit::goes_on(double t, const Eigen::VectorXd& x, const Eigen::VectorXd& rate) {
  const double zero = std::max(thresholds_.acceleration, 10.0 * noise_of_weights());
  for (Guard& guard : guards_) guard.zeros = 0, guard.offset = 0.0;
  values_.resize(num_guards());
  guard_values(t, x, values_.data());
  std::vector<std::size_t> at_zero;
  const double inside = window_.inside(t);
  for (std::size_t g = 0; g < guards_.size(); ++g) {
    Guard& guard = guards_[g];
    const double value = values_[static_cast<Index>(g)];
    if (guard.kind != Guard::Kind::Surface) {
      if (value < -zero) return false;
      if (value <= zero) at_zero.push_back(g);
      continue;
    }
    if (!on_[static_cast<std::size_t>(guard.index)]) {
      if (!(value > 0.0)) return false;
      continue;
    }
    guard.offset = value;
    double own_rate = 0.0;
    guarded(name_, "a derivative of a switching function", [&] {
      fields_->gradient(guard.index, inside, x, gradient_);
      own_rate = fields_->rate(guard.index, inside, x, window_.inside(window_.first), window_.inside(window_.last));
    });
    // Where all fields are tangent their own terms are none; what is zero of x' as a whole goes to its derivatives.
    const double slope = guard.sign * (gradient_.dot(rate) + own_rate);
    const double terms = std::max(on_terms_[guard.index], gradient_.norm() * rate.norm());
    if (slope < -zero * terms) return false;
    if (slope > zero * terms) {
      guard.zeros = 1;
    } else {
      at_zero.push_back(g);
    }
  }
  return at_zero.empty() || zeros_rise(t, x, rate, at_zero);
}

void FilippovUnit::runge_kutta_step(double t, double h, Eigen::VectorXd& x) {
  const auto slope = [&](double at, const Eigen::VectorXd& point, Eigen::VectorXd& value) {
    if (!flow(mode_, at, point, value)) value.setConstant(point.size(), std::numeric_limits<double>::quiet_NaN());
  };
  Eigen::VectorXd k1, k2, k3, k4, point;
  slope(t, x, k1);
  point = x + 0.5 * h * k1;
  slope(t + 0.5 * h, point, k2);
  point = x + 0.5 * h * k2;
  slope(t + 0.5 * h, point, k3);
  point = x + h * k3;
  slope(t + h, point, k4);
  x += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
}

/// The fastest of the rates at which x and x' change, the latter by a difference [1/s].
double FilippovUnit::fastest_rate(double t, const Eigen::VectorXd& x, const Eigen::VectorXd& rate) {
  const double speed = rate.norm(), size = largest_.norm();
  double fastest = size > 0.0 && speed > 0.0 ? speed / size : 1.0 / differences::time_scale(t);
  const double s = 1e-4 / fastest;
  Eigen::VectorXd later;
  const Eigen::VectorXd point = x + s * rate;
  if (flow(mode_, t + s, point, later) && later.allFinite() && speed > 0.0)
    fastest = std::max(fastest, (later - rate).norm() / (s * speed));
  return fastest;
}

/// As FirstOrderPart::derivatives_hold: five places of the flow give a polynomial of degree 4 for each guard, whose
/// first coefficient that is not zero has to be positive; what falls by little is seen from nearer. A surface that the
/// flow does not leave at all was not released.
bool FilippovUnit::zeros_rise(double t, const Eigen::VectorXd& x, const Eigen::VectorXd& rate,
                              const std::vector<std::size_t>& at_zero) {
  constexpr int kLooks = 3;
  double h = 1e-2 / fastest_rate(t, x, rate);
  if (const double left = window_.last - t; left > 0.0) h = std::min(h, left / 8.0);
  const auto count = static_cast<Index>(at_zero.size());
  Eigen::MatrixXd f(count, 5);
  Eigen::VectorXd noise(count);
  for (Index i = 0; i < count; ++i) {
    const Guard& guard = guards_[at_zero[static_cast<std::size_t>(i)]];
    noise[i] = guard.kind == Guard::Kind::Surface ? 64.0 * eps * surface_terms(guard.index, t, x)
                                                  : std::max(256.0 * eps, noise_of_weights());
  }
  std::vector<char> doubted(at_zero.size(), 0);
  for (int look = 0; look < kLooks; ++look, h /= 16.0) {
    Eigen::VectorXd point = x;
    for (Index k = 0; k < 5; ++k) {
      if (k > 0) runge_kutta_step(t + static_cast<double>(k - 1) * h, h, point);
      if (!point.allFinite()) return false;
      guard_values(t + static_cast<double>(k) * h, point, values_.data());
      for (Index i = 0; i < count; ++i) f(i, k) = values_[static_cast<Index>(at_zero[static_cast<std::size_t>(i)])];
    }
    bool falls = false;
    for (Index i = 0; i < count; ++i) {
      const auto r = f.row(i);
      const double a[4] = {(-25.0 * r[0] + 48.0 * r[1] - 36.0 * r[2] + 16.0 * r[3] - 3.0 * r[4]) / 12.0,
                           (35.0 * r[0] - 104.0 * r[1] + 114.0 * r[2] - 56.0 * r[3] + 11.0 * r[4]) / 24.0,
                           (-5.0 * r[0] + 18.0 * r[1] - 24.0 * r[2] + 14.0 * r[3] - 3.0 * r[4]) / 12.0,
                           (r[0] - 4.0 * r[1] + 6.0 * r[2] - 4.0 * r[3] + r[4]) / 24.0};
      int order = 0;
      bool doubtful = false;
      for (int k = 0; k < 3 && order == 0; ++k) {
        double later = 0.0;
        for (int j = k + 1; j < 4; ++j) later = std::max(later, std::abs(a[j]));
        if (!(std::abs(a[k]) > noise[i] && std::abs(a[k]) >= 1e-4 * later)) continue;
        order = k + 1;
        doubtful = std::abs(a[k]) < 20.0 * later;
      }
      Guard& guard = guards_[at_zero[static_cast<std::size_t>(i)]];
      const bool stays = order == 0 && guard.kind == Guard::Kind::Surface;
      const bool rises = order == 0 ? !stays && !doubted[static_cast<std::size_t>(i)] : a[order - 1] > 0.0;
      if (!rises && (!doubtful || look + 1 == kLooks)) return false;
      if (!rises) {
        doubted[static_cast<std::size_t>(i)] = 1;
        falls = true;
        continue;
      }
      guard.zeros = std::min(order, 2);
    }
    if (!falls) break;
  }
  for (const std::size_t g : at_zero) {  // after the search, whose values are without offsets
    Guard& guard = guards_[g];
    if (guard.kind != Guard::Kind::Surface && guard.zeros > 0)
      guard.offset = f(std::distance(at_zero.begin(), std::find(at_zero.begin(), at_zero.end(), g)), 0);
  }
  return true;
}

}  // namespace nonsmooth::filippov
