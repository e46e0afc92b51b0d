// SPDX-License-Identifier: Apache-2.0
#include "guard_roots.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include <internal/check.hpp>
#include <internal/round_off.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "small_products.hpp"
#include "step_nodes.hpp"

namespace nonsmooth::smooth {
namespace {

using namespace step_nodes;

constexpr int deepest = 60;
/// A guard that is not resolved here is noise, or needs a shorter step.
constexpr int depth_of_noise = 10;
/// In one step; then it has to be shorter.
constexpr Index most_evaluations = 40'000;
/// Of an interpolant that is further off than its coefficients tell: how much more it may be elsewhere.
constexpr double kSurprise = 64.0;
/// Unresolved values up to so many tolerances are round-off.
constexpr double kNoise = 16.0;
/// How many times the last Chebyshev coefficients of degree 4 a guard keeps above zero to be let go without a closer
/// look.
constexpr double kClearance = 1e3;
/// Of an interpolant whose one sign change is believed, relative to its size: the zero itself is found on the guard.
double resolved(int depth) { return depth < depth_of_noise ? 1e-8 : 1e-2; }
/// Of the resolution of t, pieces that are as short as the steps whose unresolved values count as noise: 1e5 eps of t.
constexpr double kShortOfNoise = 5e4;

/// Of what a guard changes between four places, its distance from zero where nothing else is asked.
constexpr double kFar = 32.0;
/// The highest order of a zero at the start that is divided out.
constexpr int kHighestOrder = 4;

}  // namespace

double FirstCrossing::time(double s) const { return s >= 1.0 ? dense_->end() : dense_->t0 + s * dense_->h; }

void FirstCrossing::evaluate(double s) {
  if (polynomial_) {
    sum_powers(coefficients_, dense_->degree, s, values_.data());
    ++evaluations_;
    return;
  }
  const double t = time(s);
  dense_->evaluate(t, z_);
  (*guards_)(t, z_, values_);
  ++evaluations_;
  if (values_.size() != num_guards_) {
    throw InvalidArgument("guards", std::to_string(values_.size()) + " values",
                          std::to_string(num_guards_) + ", as Guards::size() says");
  }
  for (Index i = 0; i < num_guards_; ++i) {
    if (!std::isfinite(values_[i])) check::finite("guard " + std::to_string(i), values_[i]);
  }
}

void FirstCrossing::check_arguments(const std::vector<int>& zeros, const Eigen::VectorXd& dips) const {
  constexpr double largest = std::numeric_limits<double>::max();
  if (!zeros.empty()) check::size("zeros", static_cast<Index>(zeros.size()), num_guards_, "one for each guard");
  if (dips.size() > 0) check::size("dips", dips.size(), num_guards_, "one for each guard");
  for (const int order : zeros) {
    if (order < 0 || order > kHighestOrder)
      check::range("zeros", static_cast<double>(order), 0.0, static_cast<double>(kHighestOrder));
  }
  for (Index i = 0; i < dips.size(); ++i) {
    if (!(dips[i] >= 0.0 && dips[i] <= largest)) check::range("dips", dips[i], 0.0, largest);
  }
}

void FirstCrossing::prepare(const std::vector<int>& zeros, const Eigen::VectorXd& dips) {
  const Index m = num_guards_;
  orders_.setZero(m);
  std::copy(zeros.begin(), zeros.end(), orders_.data());
  tolerances_.setZero(m);
  if (dips.size() > 0) tolerances_ = dips;
  last_positive_.setConstant(m, -1.0);
  last_value_.setZero(m);
  errors_.setZero(m);
  noise_.setZero(m);
  values_.resize(m);
  if (floors_.size() != m) floors_.setZero(m);
  for (auto* matrix : {&nodal_, &raw_, &chebyshev_, &bernstein_}) matrix->resize(m, num_nodes);
  if (candidates_.capacity() < static_cast<std::size_t>(m)) candidates_.reserve(static_cast<std::size_t>(m));
  resolution_ = 2.0 * eps * std::max(std::abs(dense_->t0), std::abs(dense_->end())) / dense_->h;
  resolution_ = std::max(resolution_, eps);
}

/// True where all guards are far from zero against what they change between both ends and the places off the nodes.
bool FirstCrossing::all_far() const {
  for (Index i = 0; i < num_guards_; ++i) {
    const auto [lowest, highest] = std::minmax({raw_(i, 0), raw_(i, kDegree), checks_(i, 0), checks_(i, 1)});
    if (!(lowest - kFar * (highest - lowest) > 64.0 * eps * highest)) return false;
  }
  return true;
}

/// True if no guard comes near zero on the step: every other node tells. They are nodes of the whole step too.
bool FirstCrossing::nodes_stay_clear(bool goes_on) {
  values_.resize(num_guards_);
  const bool known = goes_on && end_known_ && known_end_ == dense_->t0 && raw_.rows() == num_guards_;
  raw_.resize(num_guards_, num_nodes);
  if (known) raw_.col(0) = raw_.col(kDegree);
  end_known_ = false;
  const auto take = [&](Index j) {
    evaluate(tables().nodes[j]);
    for (Index i = 0; i < num_guards_; ++i) raw_(i, j) = values_[i];
  };
  if (!known) take(0);
  take(kDegree);
  evaluate_checks({0.0, 1.0, 0});
  checks_known_ = true;
  if (all_far()) {
    known_end_ = dense_->end();
    end_known_ = true;
    return true;
  }
  for (const Index j : {Index{2}, Index{4}, Index{6}}) take(j);
  const double root = std::numbers::sqrt2 / 2.0;
  for (Index i = 0; i < num_guards_; ++i) {
    const double first = raw_(i, 0), second = raw_(i, 2), middle = raw_(i, 4), fourth = raw_(i, 6), last = raw_(i, 8);
    const double ends = 0.5 * (first + last), across = 0.5 * (first - last), inner = second + fourth;
    const double slope = root * (second - fourth);
    // Chebyshev coefficients of degree 4. Far more than the last two has to be left above zero.
    const double mean = 0.25 * (ends + inner + middle), most = std::max({first, second, middle, fourth, last});
    const double change = 0.5 * std::abs(across + slope) + 0.5 * std::abs(ends - middle);
    double decay = 0.5 * std::abs(across - slope) + 0.25 * std::abs(ends - inner + middle);
    for (std::size_t c = 0; c < kChecks.size(); ++c) {
      const Row& w = tables().every_other_at_checks[c];
      const double expected = w[0] * first + w[2] * second + w[4] * middle + w[6] * fourth + w[8] * last;
      decay = std::max(decay, std::abs(expected - checks_(i, static_cast<Index>(c))));
    }
    if (!(mean - change - kClearance * decay > 64.0 * eps * std::abs(most))) return false;
  }
  known_end_ = dense_->end();
  end_known_ = true;
  return true;
}

void FirstCrossing::evaluate_checks(const Piece& piece) {
  checks_.resize(num_guards_, static_cast<Index>(kChecks.size()));
  for (std::size_t c = 0; c < kChecks.size(); ++c) {
    evaluate(piece.a + kChecks[c] * (piece.b - piece.a));
    for (Index i = 0; i < num_guards_; ++i) checks_(i, static_cast<Index>(c)) = values_[i];
  }
}

/// Compares the interpolants with the guards between the nodes. True: errors are larger than they seemed.
bool FirstCrossing::check_interpolants(const Piece& piece) {
  if (exact()) return false;
  if (!(checks_known_ && piece.depth == 0)) evaluate_checks(piece);
  bool larger = false;
  for (Index i = 0; i < num_guards_; ++i) {
    for (std::size_t c = 0; c < kChecks.size(); ++c) {
      const double s = piece.a + kChecks[c] * (piece.b - piece.a);
      const double expected = nodal_.row(i).dot(tables().at_checks[c]);
      const double off = std::abs(checks_(i, static_cast<Index>(c)) / power(s, orders_[i]) - expected);
      if (!(off > errors_[i])) continue;
      errors_[i] = kSurprise * off;
      larger = true;
    }
  }
  return larger;
}

/// Values at the nodes of the piece, zeros at the start divided out, in both forms, with bounds of their errors.
void FirstCrossing::interpolate(const Piece& piece) {
  const Tables& t = tables();
  const double length = piece.b - piece.a;
  for (Index j = 0; j < num_nodes; ++j) {
    const double s = j == kDegree ? piece.b : piece.a + t.nodes[j] * length;
    if (j % 2 != 0 || !every_other_known_) {
      evaluate(s);
      raw_.col(j) = values_;
    }
    nodal_.col(j) = raw_.col(j);
    for (Index i = 0; i < num_guards_; ++i) {
      if (orders_[i] > 0 && s > 0.0) nodal_(i, j) /= power(s, orders_[i]);
    }
  }
  if (piece.a == 0.0) {
    for (Index i = 0; i < num_guards_; ++i) {
      if (orders_[i] > 0) nodal_(i, 0) = nodal_.row(i).tail(kDegree).dot(t.extrapolation.tail(kDegree));
    }
  }
  for (Index i = 0; i < num_guards_; ++i) {
    const Row values = nodal_.row(i);
    chebyshev_.row(i).noalias() = values * t.chebyshev;
    bernstein_.row(i).noalias() = values * t.bernstein;
    // Twice the last two coefficients stand for those left out: either may vanish where the guard is even or odd.
    double last = std::abs(chebyshev_(i, kDegree - 1)) + std::abs(chebyshev_(i, kDegree));
    if (exact() && orders_[i] == 0) last = 0.0;
    if (piece.a == 0.0 && orders_[i] > 0) last += std::abs(chebyshev_(i, kDegree - 2));
    errors_[i] = 2.0 * last + t.amplification * eps * nodal_.row(i).cwiseAbs().maxCoeff();
  }
}

/// How far below zero guard i may be at s and, divided by s^order, up to there, without a crossing.
double FirstCrossing::level(Index i, double s) const { return tolerances_[i] / power(s, orders_[i]); }

/// The guards that may fall below their level on this piece; or one that has to be seen from nearer.
void FirstCrossing::find_candidates(const Piece& piece) {
  candidates_.clear();
  unresolved_.reset();
  for (Index i = 0; i < num_guards_; ++i) {
    const double allowed = level(i, piece.b), lowest = bernstein_.row(i).minCoeff();
    if (lowest - errors_[i] >= -allowed || (lowest >= -allowed && errors_[i] <= allowed)) continue;
    // A guard that was not resolved on such a step before, as a force that jumps there, is not followed any nearer.
    const bool is_noise = floors_[i] > 0.0 && piece.b - piece.a <= kShortOfNoise * resolution_;
    const int depth = is_noise ? std::max(piece.depth, depth_of_noise) : piece.depth;
    if (depth >= depth_of_noise && errors_[i] > resolved(depth) * bernstein_.row(i).cwiseAbs().maxCoeff()) {
      const double size = raw_.row(i).cwiseAbs().maxCoeff();
      if (size <= std::max(kNoise * tolerances_[i], floors_[i])) continue;
      if (!unresolved_) unresolved_ = Unresolved{.t = time(piece.a), .guard = i, .size = size};
    }
    candidates_.push_back(i);
  }
}

/// True if every candidate falls below its level once on the piece, and stays there.
bool FirstCrossing::isolated(const Piece& piece) const {
  return std::all_of(candidates_.begin(), candidates_.end(), [&](Index i) {
    const auto b = bernstein_.row(i);
    const double allowed = level(i, piece.b);
    if (errors_[i] > resolved(piece.depth) * b.cwiseAbs().maxCoeff()) return false;
    if (b[kDegree] + allowed >= 0.0) return false;
    // At the start the quotient's sign alone tells a guard that falls at once from one that has a zero soon after.
    if (piece.a == 0.0 && orders_[i] > 0 && std::abs(b[0]) <= errors_[i]) return false;
    int changes = 0;
    for (Index k = 1; k <= kDegree; ++k) changes += (b[k] + allowed < 0.0) != (b[k - 1] + allowed < 0.0) ? 1 : 0;
    return changes <= 1;
  });
}

/// True where no candidate changes by what counts as zero of it: its signs on any part of the piece are noise.
bool FirstCrossing::tells_no_more(const Piece& piece) const {
  if (piece.depth < depth_of_noise || candidates_.empty() || !probes_.resolved(piece.a, piece.b)) return false;
  return std::all_of(candidates_.begin(), candidates_.end(),
                     [&](Index i) { return raw_.row(i).maxCoeff() - raw_.row(i).minCoeff() <= tolerances_[i]; });
}

void FirstCrossing::count_as_noise(const Unresolved& what) {
  constexpr double margin = 4.0;  // it was seen at a few places only
  floors_[what.guard] = std::max(floors_[what.guard], margin * what.size);
}

/// True where the step is searched already: nothing crosses it, or it has to be shorter to be looked at (unresolved_).
bool FirstCrossing::searched_at_once(const std::vector<int>& zeros, const Eigen::VectorXd& dips, bool goes_on) {
  every_other_known_ = checks_known_ = false;
  polynomial_ = guards_->along(*dense_, coefficients_);
  probes_.forget();
  if (!polynomial_) probes_.look(*guards_, *dense_);
  if (probes_.too_few()) {
    unresolved_ = Unresolved{.t = dense_->t0, .guard = 0, .size = std::numeric_limits<double>::infinity()};
    return true;
  }
  const auto no_zero = [](int order) { return order == 0; };
  if (!polynomial_ && probes_.clear() && std::all_of(zeros.begin(), zeros.end(), no_zero)) {
    if (nodes_stay_clear(goes_on)) return true;
    every_other_known_ = true;
  }
  end_known_ = false;
  prepare(zeros, dips);
  if (!polynomial_) return false;
  for (Index i = 0; i < num_guards_; ++i) {
    for (Index k = 0; k <= dense_->degree; ++k) {
      if (!std::isfinite(coefficients_(i, k))) check::finite("guard " + std::to_string(i), coefficients_(i, k));
    }
  }
  return coefficients_stay_clear(orders_);
}

/// What the interpolants on a piece tell, candidates_ and unresolved_ among it.
FirstCrossing::Sight FirstCrossing::look_at(const Piece& piece) {
  interpolate(piece);
  if (piece.depth == 0) {
    every_other_known_ = false;
    noise_ = 4.0 * eps * raw_.cwiseAbs().rowwise().maxCoeff();
    tolerances_ += noise_;
  }
  find_candidates(piece);
  const bool near = probes_.resolved(piece.a, piece.b);
  bool found = near && !unresolved_ && !candidates_.empty() && isolated(piece);
  if (near && (found || candidates_.empty()) && check_interpolants(piece)) {
    find_candidates(piece);
    found = !unresolved_ && !candidates_.empty() && isolated(piece);
  }
  if (found) return Sight::Isolated;
  return near && candidates_.empty() ? Sight::Clear : Sight::Open;
}

std::optional<Crossing> FirstCrossing::first(Guards& guards, const DensePolynomial& dense,
                                             const std::vector<int>& zeros, const Eigen::VectorXd& dips, bool goes_on) {
  guards_ = &guards;
  dense_ = &dense;
  num_guards_ = guards.size();
  unresolved_.reset();
  if (num_guards_ == 0) return std::nullopt;
  check_arguments(zeros, dips);
  const Index evaluations_before = evaluations_;
  if (searched_at_once(zeros, dips, goes_on)) return std::nullopt;
  std::size_t waiting = 1;
  pieces_[0] = {0.0, 1.0, 0};
  while (waiting > 0) {
    const Piece piece = pieces_[--waiting];
    const Sight sight = look_at(piece);
    if (unresolved_) return std::nullopt;
    const bool last = piece.depth >= deepest || piece.b - piece.a <= 2.0 * resolution_ || tells_no_more(piece);
    if (sight == Sight::Open && !last) {
      if (evaluations_ - evaluations_before > most_evaluations) {
        const Index guard = candidates_.empty() ? 0 : candidates_.front();
        unresolved_ = Unresolved{.t = time(piece.a), .guard = guard, .size = raw_.row(guard).cwiseAbs().maxCoeff()};
        return std::nullopt;
      }
      const double middle = 0.5 * (piece.a + piece.b);
      pieces_[waiting++] = {middle, piece.b, piece.depth + 1};
      pieces_[waiting++] = {piece.a, middle, piece.depth + 1};
      continue;
    }
    if (sight != Sight::Clear) {
      if (auto crossing = crossing_on(piece, sight == Sight::Isolated)) return crossing;
    }
    remember_positive(piece);
  }
  return std::nullopt;
}

}  // namespace nonsmooth::smooth
