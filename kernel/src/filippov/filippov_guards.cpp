// SPDX-License-Identifier: Apache-2.0
// Where the mode of a FilippovSystem ends: its guards.
#include <algorithm>
#include <array>

#include <internal/round_off.hpp>

#include "filippov_unit.hpp"
#include "model/guarded.hpp"

namespace nonsmooth::filippov {
namespace {

/// Of the fields that meet: x' that differ by less are one.
constexpr double kOneRate = 1e-9;

}  // namespace

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

bool FilippovUnit::surface_slope(Index guard, double t, const Eigen::VectorXd& z, Eigen::VectorXd& slope,
                                 double& by_time) {
  const Guard& one = guards_[static_cast<std::size_t>(guard)];
  if (one.kind != Guard::Kind::Surface) return false;
  gather(z);
  const double inside = window_.inside(t);
  guarded(name_, "a derivative of a switching function", [&] {
    fields_->gradient(one.index, inside, x_, gradient_);
    by_time =
        one.sign * fields_->rate(one.index, inside, x_, window_.inside(window_.first), window_.inside(window_.last));
  });
  slope = one.sign * gradient_;
  return true;
}

std::string FilippovUnit::guard_name(Index guard) const {
  const Guard& one = guards_[static_cast<std::size_t>(guard)];
  if (one.kind == Guard::Kind::Surface) return fields_->surface_name(one.index) + " of " + name_;
  return "the sliding of " + name_ + " on " + text_of(mode_.signs);
}

}  // namespace nonsmooth::filippov
