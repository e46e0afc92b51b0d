// SPDX-License-Identifier: Apache-2.0
// The crossing on a piece of a step where interpolants tell that there is one: its zero on the guard itself, and whose
// zeros round-off cannot tell from it.
#include <algorithm>
#include <cmath>

#include <internal/round_off.hpp>

#include "guard_roots.hpp"
#include "step_nodes.hpp"

namespace nonsmooth::smooth {
namespace {

using namespace step_nodes;

struct Bracket {
  double low, high;  // f(low) >= 0 > f(high)
};

/// Narrows f(low) >= 0 > f(high) to less than 2 tolerance: inverse quadratic interpolation where the last three values
/// are monotone enough for it, else halving (Chandrupatla 1997 [chandrupatla1997]).
template <class F>
Bracket narrow(F&& f, double low, double f_low, double high, double f_high, double tolerance) {
  double a = high, fa = f_high, b = low, fb = f_low, fraction = 0.5;
  for (int k = 0; k < 200; ++k) {
    const double least = tolerance / std::abs(b - a);
    if (least >= 0.5 || fb == 0.0) break;
    const double x = a + std::clamp(fraction, least, 1.0 - least) * (b - a);
    if (x == a || x == b) break;
    const double fx = f(x);
    double c = a, fc = fa;
    if ((fx >= 0.0) != (fa >= 0.0)) {
      c = b;
      fc = fb;
      b = a;
      fb = fa;
    }
    a = x;
    fa = fx;
    const double xi = (a - b) / (c - b), phi = (fa - fb) / (fc - fb);
    fraction = 0.5;
    if (phi * phi < xi && (1.0 - phi) * (1.0 - phi) < 1.0 - xi) {
      fraction = fa / (fb - fa) * fc / (fb - fc) + (c - a) / (b - a) * fa / (fc - fa) * fb / (fc - fb);
    }
  }
  return fa >= 0.0 ? Bracket{a, b} : Bracket{b, a};
}

}  // namespace

/// s of the zero of guard i's interpolant, the piece's start where it is not positive there.
double FirstCrossing::interpolated_zero(Index i, const Piece& piece) const {
  const Row b = bernstein_.row(i);
  if (b[0] <= 0.0) return piece.a;
  const Bracket bracket = narrow([&](double x) { return bernstein_sum(b, x); }, 0.0, b[0], 1.0, b[kDegree], 0.5 * eps);
  return piece.a + bracket.high * (piece.b - piece.a);
}

/// The first node where a guard is below its level; > 1 for none.
double FirstCrossing::first_negative_node(const Piece& piece, Index& guard) const {
  for (Index j = 0; j < num_nodes; ++j) {
    for (const Index i : candidates_) {
      if (raw_(i, j) >= -tolerances_[i]) continue;
      guard = i;
      return j == kDegree ? piece.b : piece.a + tables().nodes[j] * (piece.b - piece.a);
    }
  }
  return 2.0;
}

void FirstCrossing::remember_positive(const Piece& piece) {
  for (Index i = 0; i < num_guards_; ++i) {
    const double least = orders_[i] > 0 ? noise_[i] : 0.0;  // near its zero a guard's sign is round-off
    for (Index j = kDegree; j >= 0; --j) {
      if (!(raw_(i, j) > least)) continue;
      last_positive_[i] = j == kDegree ? piece.b : piece.a + tables().nodes[j] * (piece.b - piece.a);
      last_value_[i] = raw_(i, j);
      break;
    }
  }
}

/// The zero of a guard that is below its level at s = negative, from the last place where it was positive.
Crossing FirstCrossing::polish(Index guard, double guess, double negative) {
  Crossing crossing;
  crossing.guard = guard;
  crossing.t = crossing.before = dense_->t0;
  const auto value = [&](double s) {
    evaluate(s);
    return values_[guard];
  };
  double low = last_positive_[guard], high = negative, f_low = last_value_[guard];
  if (low < 0.0 && orders_[guard] > 0 && guess > 0.0) {  // positive after the start, but at no node
    low = 0.5 * guess;
    f_low = value(low);
    if (!(f_low > 0.0)) low = -1.0;
  }
  if (low < 0.0) return crossing;
  double f_high = value(high);
  if (guess > low && guess < high) {
    const double near = std::max(4.0 * resolution_, 1e-7 * (high - low));
    for (const double s : {guess - near, guess + near}) {
      if (s <= low || s >= high) continue;
      const double f = value(s);
      (f >= 0.0 ? low : high) = s;
      (f >= 0.0 ? f_low : f_high) = f;
    }
  }
  const Bracket bracket = narrow(value, low, f_low, high, f_high, resolution_);
  const double at_low = value(bracket.low), at_high = value(bracket.high);
  crossing.before = time(bracket.low);
  crossing.t = at_low <= -at_high ? crossing.before : time(bracket.high);
  return crossing;
}

/// Guards whose value at the crossing is within what round-off of t and of themselves makes of zero, and which fall.
void FirstCrossing::find_ties(Crossing& crossing, double s, double width, const Piece& piece) {
  evaluate(s);
  const double length = piece.b - piece.a, x = std::clamp((s - piece.a) / length, 0.0, 1.0),
               step = x < 0.5 ? 0.01 : -0.01;
  for (Index i = 0; i < num_guards_; ++i) {
    if (i == crossing.guard) continue;
    const bool candidate = std::find(candidates_.begin(), candidates_.end(), i) != candidates_.end();
    if (s == 0.0 && candidate && last_positive_[i] < 0.0) {
      crossing.tied.push_back(i);
      continue;
    }
    if (s == 0.0 && orders_[i] > 0) continue;
    const Row b = bernstein_.row(i);
    const double slope = (bernstein_sum(b, x + step) - bernstein_sum(b, x)) / (step * length) * power(s, orders_[i]);
    if (slope < 0.0 && std::abs(values_[i]) <= -slope * (width + 2.0 * resolution_) + noise_[i]) {
      crossing.tied.push_back(i);
    }
  }
}

/// Before the zero the piece's own nodes tell where the candidates are positive.
void FirstCrossing::remember_positive_candidates(const Piece& piece) {
  for (const Index i : candidates_) {
    for (Index j = 0; j < num_nodes; ++j) {
      const double s = j == kDegree ? piece.b : piece.a + tables().nodes[j] * (piece.b - piece.a);
      if (raw_(i, j) < -tolerances_[i]) break;
      if (raw_(i, j) > (orders_[i] > 0 ? noise_[i] : 0.0)) {
        last_positive_[i] = s;
        last_value_[i] = raw_(i, j);
      }
    }
  }
}

/// The first crossing on a piece whose candidates are isolated, or which is too short to be halved. Empty: none is
/// below its level there.
std::optional<Crossing> FirstCrossing::crossing_on(const Piece& piece, bool isolated) {
  Index guard = -1;
  double guess = 2.0, negative = piece.b;
  if (isolated) {
    for (const Index i : candidates_) {
      const double zero = interpolated_zero(i, piece);
      if (zero >= guess) continue;
      guess = zero;
      guard = i;
    }
  } else {
    guess = negative = first_negative_node(piece, guard);
    if (guard < 0) return std::nullopt;
  }
  remember_positive_candidates(piece);
  Crossing crossing = polish(guard, guess, negative);
  // Interpolants order the zeros but for their errors: one that is past its zero already goes first.
  for (std::size_t turn = 0; turn < candidates_.size(); ++turn) {
    const double s = (crossing.before - dense_->t0) / dense_->h;
    evaluate(s);
    Index earlier = -1;
    for (const Index i : candidates_) {
      if (i != crossing.guard && values_[i] < -tolerances_[i] && (earlier < 0 || values_[i] < values_[earlier])) {
        earlier = i;
      }
    }
    if (earlier < 0) break;
    if (last_positive_[earlier] >= s) break;
    crossing = polish(earlier, 0.5 * (std::max(last_positive_[earlier], 0.0) + s), s);
  }
  find_ties(crossing, (crossing.t - dense_->t0) / dense_->h, (crossing.t - crossing.before) / dense_->h, piece);
  return crossing;
}

}  // namespace nonsmooth::smooth
