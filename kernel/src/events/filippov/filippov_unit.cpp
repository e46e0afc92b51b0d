// SPDX-License-Identifier: Apache-2.0
// A FilippovSystem in a mode: its rates, guards and drift.
#include "filippov_unit.hpp"

#include <algorithm>
#include <cmath>

#include <internal/round_off.hpp>

#include "model/guarded.hpp"

namespace nonsmooth::events {
namespace {

/// Of the fields that meet: x' that differ by less are one.
constexpr double kOneRate = 1e-9;

}  // namespace

FilippovUnit::FilippovUnit(std::shared_ptr<const FilippovFields> fields, std::string name, InteractionHandle handle,
                           Place place, const EventDrivenOptions& options)
    : fields_(std::move(fields)),
      name_(std::move(name)),
      handle_(handle),
      z_(place.z),
      place_(place),
      thresholds_(options.thresholds),
      on_ambiguity_(options.on_ambiguity),
      choose_(options.choose) {
  const Index n = fields_->n();
  for (const SwitchingFunction& surface : fields_->system().switches) differences_ = differences_ || !surface.gradient;
  F_ = Eigen::MatrixXd::Zero(n, fields_->num_regions());
  gradient_ = Eigen::VectorXd::Zero(n);
  known_.assign(static_cast<std::size_t>(fields_->num_regions()), 0);
  at_ = last_x_ = largest_ = Eigen::VectorXd::Zero(n);
}

double FilippovUnit::surface(Index j, double t, const Eigen::VectorXd& x) {
  double value = 0.0;
  guarded(name_, "a switching function", [&] { value = fields_->value(j, window_.inside(t), x); });
  if (!std::isfinite(value))
    throw CallableFailure{"switching function " + fields_->surface_name(j) + " of " + name_ +
                          " returned a number that is not finite"};
  return value;
}

double FilippovUnit::surface_terms(Index j, double t, const Eigen::VectorXd& x) {
  guarded(name_, "the gradient of a switching function",
          [&] { fields_->gradient(j, window_.inside(t), x, gradient_); });
  return gradient_.cwiseAbs().dot(largest_) + std::abs(surface(j, t, x));
}

void FilippovUnit::meet(const std::vector<signed char>& signs, Meeting& meeting) const {
  meeting.surfaces.clear();
  Index base = 0;
  for (std::size_t j = 0; j < signs.size(); ++j) {
    if (signs[j] == 0) meeting.surfaces.push_back(static_cast<Index>(j));
    if (signs[j] > 0) base |= Index{1} << j;
  }
  const std::size_t q = meeting.surfaces.size();
  meeting.pattern.assign(std::size_t{1} << q, base);
  for (std::size_t i = 0; i < meeting.pattern.size(); ++i)
    for (std::size_t k = 0; k < q; ++k)
      if (i >> k & 1) meeting.pattern[i] |= Index{1} << meeting.surfaces[k];
  meeting.N.setZero(fields_->n(), static_cast<Index>(q));
  meeting.w.setZero(static_cast<Index>(q), static_cast<Index>(meeting.pattern.size()));
  meeting.terms.setZero(static_cast<Index>(q));
  meeting.lengths.setZero(static_cast<Index>(q));
}

void FilippovUnit::evaluate(double t, const Eigen::VectorXd& x, Meeting& meeting) {
  t = window_.inside(t);
  std::fill(known_.begin(), known_.end(), 0);
  for (const Index pattern : meeting.pattern) {
    const Index region = fields_->region_of(pattern);
    if (std::exchange(known_[static_cast<std::size_t>(region)], 1)) continue;
    guarded(name_, "a field", [&] { fields_->field(region, t, x, F_.col(region)); });
  }
  const auto count = static_cast<Index>(meeting.pattern.size());
  for (std::size_t k = 0; k < meeting.surfaces.size(); ++k) {
    const Index j = meeting.surfaces[k];
    const auto row = static_cast<Index>(k);
    double rate = 0.0;
    guarded(name_, "a derivative of a switching function", [&] {
      fields_->gradient(j, t, x, meeting.N.col(row));
      rate = fields_->rate(j, t, x, window_.inside(window_.first), window_.inside(window_.last));
    });
    meeting.lengths[row] = meeting.N.col(row).norm();
    meeting.terms[row] = 0.0;
    for (Index i = 0; i < count; ++i) {
      const auto field = F_.col(fields_->region_of(meeting.pattern[static_cast<std::size_t>(i)]));
      meeting.w(row, i) = meeting.N.col(row).dot(field) + rate;
      meeting.terms[row] =
          std::max(meeting.terms[row], meeting.N.col(row).cwiseAbs().dot(field.cwiseAbs()) + std::abs(rate));
    }
  }
}

void FilippovUnit::combine(const Meeting& meeting, const Weights& theta, Eigen::VectorXd& rate) const {
  rate.setZero(fields_->n());
  for (Index i = 0; i < theta.size(); ++i)
    if (theta[i] != 0.0) rate += theta[i] * F_.col(fields_->region_of(meeting.pattern[static_cast<std::size_t>(i)]));
}

/// With slice_ of what held_ has at the last evaluate().
bool FilippovUnit::weights(const Mode& mode, Weights& theta) {
  if (held_.surfaces.empty()) {
    theta.setOnes(1);
    return true;
  }
  if (held_.surfaces.size() == 1 && mode.rule != FilippovRule::Basis) {  // also where it is outside of [0, 1]
    theta.resize(2);
    const double fall = held_.w(0, 0) - held_.w(0, 1);
    if (std::abs(fall) > 1e-12 * held_.terms[0]) {
      theta[0] = -held_.w(0, 1) / fall;
      theta[1] = held_.w(0, 0) / fall;
      return true;
    }
    if (mode.rule == FilippovRule::Unique) return false;  // both fields are tangent: the others choose among all theta
  }
  slice_.set(held_.w, held_.terms);
  switch (mode.rule) {
    case FilippovRule::Unique:
      return std::isfinite(slice_.innermost(theta));
    case FilippovRule::Basis:
      return slice_.basis_weights(mode.basis, theta);
    case FilippovRule::Utkin:
      alpha_ = mode.alpha;
      return slice_.multi_affine(alpha_, theta);
    case FilippovRule::Moments:
      return slice_.moments(held_.lengths, theta);
    case FilippovRule::LeastNorm:
      break;
  }
  slice_.vertices(vertices_, masks_);
  const auto count = static_cast<Index>(vertices_.size());
  if (count == 0) return std::isfinite(slice_.innermost(theta));  // a little behind the end of the mode
  vertex_rates_.resize(fields_->n(), count);
  for (Index k = 0; k < count; ++k) {
    combine(held_, vertices_[static_cast<std::size_t>(k)], stage_);
    vertex_rates_.col(k) = stage_;
  }
  gram_.noalias() = vertex_rates_.transpose() * vertex_rates_;
  least_norm(gram_, mu_);
  theta.setZero(slice_.size());
  for (Index k = 0; k < count; ++k) theta += mu_[k] * vertices_[static_cast<std::size_t>(k)];
  return true;
}

/// held_ has to be that of the mode.
bool FilippovUnit::flow(const Mode& mode, double t, const Eigen::VectorXd& x, Eigen::VectorXd& rate) {
  evaluate(t, x, held_);
  if (!weights(mode, theta_)) return false;
  combine(held_, theta_, rate);
  return true;
}

void FilippovUnit::rates(double t, const Eigen::VectorXd& z, Eigen::VectorXd& zdot) {
  gather(z);
  if (!flow(mode_, t, x_, rate_)) rate_.setConstant(fields_->n(), std::numeric_limits<double>::quiet_NaN());
  zdot.segment(z_, fields_->n()) = rate_;
}

// --- Guards ----------------------------------------------------------------------------------------------------------

void FilippovUnit::make_guards() {
  guards_.clear();
  for (Index j = 0; j < fields_->num_surfaces(); ++j) {
    const int sign = mode_.signs[static_cast<std::size_t>(j)];
    if (sign != 0) guards_.push_back({Guard::Kind::Surface, j, static_cast<double>(sign), 0, 0.0});
  }
  num_surface_guards_ = num_guards();
  const auto q = static_cast<Index>(held_.surfaces.size());
  const auto add = [&](Guard::Kind kind, Index index) { guards_.push_back({kind, index, 1.0, 0, 0.0}); };
  if (mode_.rule == FilippovRule::Basis) {
    for (Index i = 0; i < Index{1} << q; ++i)
      if (mode_.basis >> i & 1 && mode_.basis != std::uint32_t{1} << i) add(Guard::Kind::Weight, i);
    return;
  }
  if (q == 1) {
    add(Guard::Kind::Weight, 0);
    add(Guard::Kind::Weight, 1);
  }
  if (q < 2) return;
  if (mode_.rule == FilippovRule::Moments) {
    for (Index i = 0; i < 4; ++i) add(Guard::Kind::Weight, i);
  } else if (mode_.rule == FilippovRule::Utkin) {
    for (Index j = 0; j < q; ++j) add(Guard::Kind::Lower, j), add(Guard::Kind::Upper, j);
  } else {
    add(Guard::Kind::Inner, 0);
  }
  if (mode_.rule == FilippovRule::Unique) add(Guard::Kind::OneRate, 0);
  if (!mode_.others_start) add(Guard::Kind::Others, 0);
}

void FilippovUnit::activate(const Mode& mode) {
  mode_ = mode;
  meet(mode_.signs, held_);
  make_guards();
}

/// The largest distance of two x' that stay on the held surfaces, over the largest field there.
double FilippovUnit::spread() {
  slice_.vertices(vertices_, masks_);
  double widest = 0.0, size = 0.0;
  for (std::size_t k = 0; k < vertices_.size(); ++k) {
    combine(held_, vertices_[k], stage_);
    if (k == 0) k1_ = stage_;
    widest = std::max(widest, (stage_ - k1_).lpNorm<Eigen::Infinity>());
  }
  for (const Index pattern : held_.pattern)
    size = std::max(size, F_.col(fields_->region_of(pattern)).lpNorm<Eigen::Infinity>());
  return size > 0.0 ? widest / size : 0.0;
}

/// How far the candidates that leave held surfaces are from being motions, by first derivatives: the largest over them
/// of the least of theta and the rates of what they release, relative; negative: none is one.
double FilippovUnit::margin_of_others() const {
  const auto q = static_cast<Index>(held_.surfaces.size());
  double best = -1.0;
  Index count = 1;
  for (Index k = 0; k < q; ++k) count *= 3;
  HullSlice slice;
  Weights theta;
  for (Index code = 0; code < count; ++code) {
    std::array<int, kMostHeld> signs{};
    SurfaceRates w(q, Index{1} << q);
    SurfaceVector terms(q);
    std::array<Index, kMostHeld> kept{};
    Index rest = code, held = 0;
    for (Index k = 0; k < q; ++k, rest /= 3) {
      signs[static_cast<std::size_t>(k)] = static_cast<int>(rest % 3) - 1;
      if (signs[static_cast<std::size_t>(k)] == 0) kept[static_cast<std::size_t>(held++)] = k;
    }
    if (held == q) continue;
    std::array<Index, kMostWeights> columns{};
    Index m = 0;
    for (Index i = 0; i < Index{1} << q; ++i) {
      bool fits = true;
      for (Index k = 0; k < q; ++k) {
        const int sign = signs[static_cast<std::size_t>(k)];
        fits = fits && (sign == 0 || (sign > 0) == ((i >> k & 1) != 0));
      }
      if (fits) columns[static_cast<std::size_t>(m++)] = i;
    }
    w.resize(held, m);
    terms.resize(held);
    for (Index a = 0; a < held; ++a) {
      terms[a] = held_.terms[kept[static_cast<std::size_t>(a)]];
      for (Index i = 0; i < m; ++i)
        w(a, i) = held_.w(kept[static_cast<std::size_t>(a)], columns[static_cast<std::size_t>(i)]);
    }
    double margin = 1.0;
    if (held > 0) {
      slice.set(w, terms);
      margin = std::max(-1.0, slice.innermost(theta));
      if (!(margin > -1.0)) continue;
    } else {
      theta.setOnes(1);
    }
    for (Index k = 0; k < q; ++k) {
      if (signs[static_cast<std::size_t>(k)] == 0 || !(held_.terms[k] > 0.0)) continue;
      double slope = 0.0;
      for (Index i = 0; i < m; ++i) slope += theta[i] * held_.w(k, columns[static_cast<std::size_t>(i)]);
      margin = std::min(margin, signs[static_cast<std::size_t>(k)] * slope / held_.terms[k]);
    }
    best = std::max(best, margin);
  }
  return best;
}

void FilippovUnit::guard_values(double t, const Eigen::VectorXd& x, double* values) {
  bool evaluated = false, known = true;
  for (std::size_t g = 0; g < guards_.size(); ++g) {
    const Guard& guard = guards_[g];
    if (guard.kind == Guard::Kind::Surface) {
      values[g] = guard.sign * surface(guard.index, t, x) - guard.offset;
      continue;
    }
    if (!evaluated) {
      evaluate(t, x, held_);
      known = weights(mode_, theta_);
      evaluated = true;
    }
    double value = -1.0;
    switch (guard.kind) {
      case Guard::Kind::Weight:
        if (known) value = theta_[guard.index];
        break;
      case Guard::Kind::Lower:
        if (known) value = alpha_[guard.index];
        break;
      case Guard::Kind::Upper:
        if (known) value = 1.0 - alpha_[guard.index];
        break;
      case Guard::Kind::Inner:
        value = std::max(-1.0, slice_.innermost(other_theta_));
        break;
      case Guard::Kind::OneRate:
        value = 1.0 - spread() / kOneRate;
        break;
      case Guard::Kind::Others:
        value = -margin_of_others();
        break;
      case Guard::Kind::Surface:
        break;
    }
    values[g] = value - guard.offset;
  }
}

void FilippovUnit::guards(double t, const Eigen::VectorXd& z, double* values) {
  gather(z);
  guard_values(t, x_, values);
}

void FilippovUnit::surface_guards(double t, const Eigen::VectorXd& z, double* values) {
  gather(z);
  for (Index g = 0; g < num_surface_guards_; ++g) {
    const Guard& guard = guards_[static_cast<std::size_t>(g)];
    values[g] = guard.sign * surface(guard.index, t, x_) - guard.offset;
  }
}

void FilippovUnit::guard_starts(double t, const Eigen::VectorXd& z, bool fresh, int* zeros, double* dips) {
  gather(z);
  for (std::size_t g = 0; g < guards_.size(); ++g) {
    zeros[g] = fresh ? guards_[g].zeros : 0;
    dips[g] = guards_[g].kind == Guard::Kind::Surface ? 64.0 * eps * surface_terms(guards_[g].index, t, x_)
                                                      : noise_of_weights();
  }
}

std::string FilippovUnit::guard_name(Index guard) const {
  const Guard& one = guards_[static_cast<std::size_t>(guard)];
  if (one.kind == Guard::Kind::Surface) return fields_->surface_name(one.index) + " of " + name_;
  return "the sliding of " + name_ + " on " + text_of(mode_.signs);
}

// --- Drift, output ---------------------------------------------------------------------------------------------------

/// x -= N (N^T N)^-1 c, by the rows that do not depend on others. `at_once`: of what is round-off too.
void FilippovUnit::project(double t, Eigen::VectorXd& x, const Meeting& meeting, bool at_once) {
  const auto q = static_cast<Index>(meeting.surfaces.size());
  SurfaceVector c(q);
  for (int pass = 0; pass < 3; ++pass) {
    bool off = false;
    for (Index k = 0; k < q; ++k) {
      const Index j = meeting.surfaces[static_cast<std::size_t>(k)];
      c[k] = surface(j, t, x);
      off = off || (at_once && pass == 0 && c[k] != 0.0) || std::abs(c[k]) > 4.0 * eps * surface_terms(j, t, x);
    }
    if (!off) return;
    std::array<Index, kMostHeld> rows{};
    Index used = 0;
    double system[kMostHeld * (kMostHeld + 1)], copy[kMostHeld * (kMostHeld + 1)];
    double solved[kMostHeld]{};
    for (Index k = 0; k < q; ++k) {  // one more row, as long as the system is regular
      rows[static_cast<std::size_t>(used)] = k;
      const Index count = used + 1;
      for (Index a = 0; a < count; ++a) {
        const Index row = rows[static_cast<std::size_t>(a)];
        const double length = std::max(meeting.lengths[row], std::numeric_limits<double>::min());
        for (Index b = 0; b < count; ++b) {
          const Index column = rows[static_cast<std::size_t>(b)];
          system[a * (count + 1) + b] = meeting.N.col(row).dot(meeting.N.col(column)) / length /
                                        std::max(meeting.lengths[column], std::numeric_limits<double>::min());
        }
        system[a * (count + 1) + count] = c[row] / length;
      }
      std::copy_n(system, count * (count + 1), copy);
      if (!solve_small(copy, count)) continue;
      used = count;
      for (Index a = 0; a < count; ++a) solved[a] = copy[a * (count + 1) + count];
    }
    for (Index a = 0; a < used; ++a) {
      const Index row = rows[static_cast<std::size_t>(a)];
      x -= solved[a] / meeting.lengths[row] * meeting.N.col(row);
    }
  }
}

bool FilippovUnit::remove_drift(double t, Eigen::VectorXd& z) {
  gather(z);
  bool moved = false;
  if (!held_.surfaces.empty()) {
    stage_ = x_;
    evaluate(t, x_, held_);
    project(t, x_, held_, false);
    moved = stage_ != x_;
    if (moved) z.segment(z_, fields_->n()) = x_;
  }
  largest_ = largest_.cwiseMax(x_.cwiseAbs());
  last_x_ = x_;
  return moved;
}

void FilippovUnit::write(double t, const Eigen::VectorXd& z, State& state) {
  if (mode_.signs.empty()) return;
  gather(z);
  const Index p = fields_->num_surfaces(), m = fields_->num_patterns();
  evaluate(t, x_, held_);
  if (!weights(mode_, theta_)) return;
  if (fields_->is_hull()) {
    auto lambda = state.multipliers.segment(place_.row, m + 1);
    auto y = state.outputs.segment(place_.row, m);
    lambda.setZero();
    y.setZero();
    for (Index i = 0; i < theta_.size(); ++i) lambda[held_.pattern[static_cast<std::size_t>(i)]] = theta_[i];
    for (Index j = 0; j < p; ++j) {
      const double c = surface(j, t, x_);
      for (Index i = 0; i < m; ++i) y[i] += i >> j & 1 ? -c : c;
    }
    lambda[m] = y.minCoeff();
    return;
  }
  for (Index j = 0; j < p; ++j) {
    state.outputs[place_.row + j] = -surface(j, t, x_);
    double alpha = 0.0;
    for (Index i = 0; i < theta_.size(); ++i)
      if (held_.pattern[static_cast<std::size_t>(i)] >> j & 1) alpha += theta_[i];
    state.multipliers[place_.row + j] = alpha;
  }
}

void FilippovUnit::reset() {
  mode_ = {};
  guards_.clear();
  num_surface_guards_ = 0;
  others_.clear();
  largest_.setZero();
  last_x_.setConstant(std::numeric_limits<double>::quiet_NaN());
}

void FilippovUnit::forget_magnitudes() {
  largest_.setZero();
  steepest_.setZero();
}

}  // namespace nonsmooth::events
