// SPDX-License-Identifier: Apache-2.0
#include "variation.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include <internal/at.hpp>

#include "model/equations/central_differences.hpp"

namespace nonsmooth::events {
namespace {

constexpr Index kStages = 5;
constexpr int kMostHalvings = 8;
/// Of the rates: what differs by less goes on as before. Ends of sliding are located to the round-off of their guard.
constexpr double kSameRate = 1e-7;
/// A guard whose rate is that small a part of |grad c||f| grazes: the derivative loses as many digits.
constexpr double kGrazing = 1e-6;

/// Of the time before: a derivative by time over less of it is rounding.
constexpr double kShort = 1e-3;
/// Of its value eps^(1/5) of the motion's time before: a guard is zero.
constexpr double kAtZero = 1e-8;
/// Of |grad c|: slopes of one and the same c, by differences and in closed form.
constexpr double kSameSlope = 1e-3;
constexpr std::size_t kMostInTurn = 4;  ///< jumps: 2^k places, k 2^(k-1) matrices

bool are_same(const Eigen::VectorXd& one, const Eigen::VectorXd& other) {
  return (one - other).norm() <= kSameRate * (one.norm() + other.norm());
}

/// Jumps in the order in which dx meets them. In the number of a place bit k is set where jump k is behind. From
/// dx = z - flow before, met tau later,
///
///     dx := D R dx + (D R f + R_t - f_behind) tau,   tau = -grad c . dx / c'.
struct JumpsInTurn {
  struct Jump {
    Eigen::MatrixXd D{};
    Eigen::VectorXd by_delay{};
  };

  std::vector<Variation::Crossing> crossings{};
  std::vector<Jump> jumps{};  ///< of k from a place: place * number + k

  Eigen::VectorXd operator()(ConstVectorRef v) const {
    std::vector<std::pair<double, std::size_t>> order;
    for (std::size_t k = 0; k < crossings.size(); ++k)
      order.emplace_back(-crossings[k].slope.dot(v) / crossings[k].rate, k);
    std::sort(order.begin(), order.end());
    Eigen::VectorXd dx = v;
    std::size_t place = 0;
    for (const auto& [tau, k] : order) {
      const Jump& jump = jumps[place * crossings.size() + k];
      dx = (jump.D * dx + tau * jump.by_delay).eval();
      place |= std::size_t{1} << k;
    }
    return dx;
  }
};

}  // namespace

Variation::Variation(Motion motion, double tolerance, double smallest)
    : motion_(std::move(motion)),
      tolerance_(std::max(tolerance, 1e-13)),
      smallest_(smallest),
      collocation_(FiniteElementFamily::RadauIIA, kStages) {
  begin();
}

void Variation::begin() {
  X_.setIdentity(size(), size() + motion_.num_parameters);
  largest_.setZero(size());
  in_step_.setZero(size());
  grazed_ = coincided_ = undirected_ = pending_ = false;
  turns_.clear();
}

void Variation::lose() {
  X_.setConstant(std::numeric_limits<double>::quiet_NaN());
  pending_ = false;
}

void Variation::gather(const Eigen::VectorXd& z, Eigen::VectorXd& own) const {
  own.resize(size());
  for (Index k = 0; k < size(); ++k) own[k] = z[motion_.entries[at(k)]];
}

void Variation::rates(double t, const Eigen::VectorXd& z, Eigen::VectorXd& own) {
  full_rate_.resize(z.size());
  motion_.rates(t, z, full_rate_);
  gather(full_rate_, own);
}

void Variation::measure(const Eigen::VectorXd& z) {
  for (Index k = 0; k < size(); ++k) in_step_[k] = std::max(in_step_[k], std::abs(z[motion_.entries[at(k)]]));
  largest_ = largest_.cwiseMax(in_step_);
}

double Variation::size_of(double x, Index k) const {
  return differences::size_of(std::max(std::abs(x), in_step_[k]), largest_[k], smallest_);
}

template <class Value>
void Variation::differentiate(const Eigen::VectorXd& z, Eigen::MatrixXd& result, Value&& value) {
  moved_ = z;
  for (Index k = 0; k < size(); ++k) {
    const Index entry = motion_.entries[at(k)];
    differences::central(moved_, entry, differences::kCentralStep * size_of(z[entry], k), value, other_, column_);
    if (k == 0) result.resize(column_.size(), size());
    result.col(k) = column_;
  }
}

template <class Value>
Eigen::VectorXd Variation::by_time(const Eigen::VectorXd& z, Value&& value) {
  static constexpr double kWeights[] = {25.0, -48.0, 36.0, -16.0, 3.0};
  double fastest = 0.0;
  for (Index k = 0; k < size(); ++k)
    fastest = std::max(fastest, std::abs(f_before_[k]) / size_of(z_[motion_.entries[at(k)]], k));
  const double wanted = differences::kCentralStep / std::max(1.0, fastest), way = t_ - first_;
  const double h = way > 0.0 ? std::min(wanted, way / 8.0) : wanted;
  value(t_, z, column_);
  Eigen::VectorXd rate = Eigen::VectorXd::Zero(column_.size());
  for (int i = 1; i < 5; ++i) {
    value(t_ - i * h, z, other_);
    rate += kWeights[i] / (12.0 * h) * (other_ - column_);  // nothing at all where time does not enter
  }
  time_is_short_ = h < kShort * wanted && rate.any();
  return rate;
}

void Variation::slopes(double t, const Eigen::VectorXd& z, Eigen::MatrixXd& A) {
  if (motion_.rates_dz) {
    A.setZero(size(), size());
    if (motion_.rates_dz(t, z, A)) return;
  }
  differentiate(z, A, [&](const Eigen::VectorXd& at_z, Eigen::VectorXd& value) { rates(t, at_z, value); });
}

/// K_i = A_i (X_0 + h sum_j a_ij K_j),  X_1 = X_0 + h sum_i b_i K_i.
void Variation::step(const smooth::DensePolynomial& dense, double t, double h, const Eigen::MatrixXd& from,
                     Eigen::MatrixXd& to) {
  const Index n = size();
  system_.setIdentity(kStages * n, kStages * n);
  right_.resize(kStages * n, from.cols());
  for (Index i = 0; i < kStages; ++i) {
    const double place = t + collocation_.c[i] * h;
    dense.evaluate(place, node_z_);
    slopes(place, node_z_, A_);
    right_.middleRows(i * n, n).noalias() = A_ * from;
    for (Index j = 0; j < kStages; ++j) system_.block(i * n, j * n, n, n) -= h * collocation_.A(i, j) * A_;
  }
  factors_.compute(system_);
  factors_.solve_in_place(right_, buffer_);
  to = from;
  for (Index i = 0; i < kStages; ++i) to += h * collocation_.b[i] * right_.middleRows(i * n, n);
}

void Variation::halve(const smooth::DensePolynomial& dense, double t, double h, int depth, Eigen::MatrixXd& X) {
  step(dense, t, h, X, whole_);
  step(dense, t, 0.5 * h, X, half_);
  const Eigen::MatrixXd middle = half_;
  step(dense, t + 0.5 * h, 0.5 * h, middle, half_);
  const double error = (half_ - whole_).lpNorm<Eigen::Infinity>(),
               scale = std::max(X.lpNorm<Eigen::Infinity>(), half_.lpNorm<Eigen::Infinity>());
  if (depth == kMostHalvings || !(error > tolerance_ * scale)) {
    X = half_;
    return;
  }
  halve(dense, t, 0.5 * h, depth + 1, X);
  halve(dense, t + 0.5 * h, 0.5 * h, depth + 1, X);
}

void Variation::along(const smooth::DensePolynomial& dense) {
  next_ = X_;
  in_step_.setZero();
  for (const double place : {0.0, 0.5, 1.0}) {
    dense.evaluate(dense.t0 + place * dense.h, node_z_);
    measure(node_z_);
  }
  if (dense.h > 0.0) halve(dense, dense.t0, dense.h, 0, next_);
}

Variation::Crossing Variation::crossing_of(Index guard) {
  Crossing result;
  result.slope.setZero(size());
  double rate = 0.0;
  if (!(motion_.guard_dz && motion_.guard_dz(guard, t_, z_, result.slope, rate))) {
    const auto value = [&](double t, const Eigen::VectorXd& z, Eigen::VectorXd& out) {
      guard_values(t, z);
      out.setConstant(1, values_[guard]);
    };
    differentiate(z_, difference_, [&](const Eigen::VectorXd& z, Eigen::VectorXd& out) { value(t_, z, out); });
    result.slope = difference_.row(0).transpose();
    rate = by_time(z_, value)[0];
  }
  result.rate = result.slope.dot(f_before_) + rate;
  return result;
}

/// A guard that nobody found to cross, as the instant is one of a schedule, and that is zero against what it was
/// where z was a little before; -1: none.
Index Variation::guard_near_zero() {
  if (motion_.num_guards() == 0) return -1;
  double fastest = 0.0;
  for (Index k = 0; k < size(); ++k)
    fastest = std::max(fastest, std::abs(f_before_[k]) / size_of(z_[motion_.entries[at(k)]], k));
  if (!(fastest > 0.0)) return -1;
  moved_ = z_;
  for (Index k = 0; k < size(); ++k)
    moved_[motion_.entries[at(k)]] -= differences::kCentralStep / fastest * f_before_[k];
  guard_values(t_, moved_);
  other_ = values_;
  guard_values(t_, z_);
  for (Index g = 0; g < values_.size(); ++g)
    if (other_[g] > 0.0 && std::abs(values_[g]) <= kAtZero * std::abs(other_[g])) return g;
  return -1;
}

void Variation::before(double t, const Eigen::VectorXd& z, const std::vector<Index>& crossed, double first) {
  t_ = t;
  z_ = z;
  first_ = first;
  measure(z);
  rates(t, z, f_before_);
  crossed_ = static_cast<Index>(crossed.size());
  crossings_.clear();
  time_is_short_ = false;
  std::vector<Index> guards = crossed;
  if (const Index guard = guards.empty() ? guard_near_zero() : -1; guard >= 0) guards.push_back(guard);
  bool is_short = false;
  for (const Index guard : guards) {
    crossings_.push_back(crossing_of(guard));
    is_short = is_short || std::exchange(time_is_short_, false);
  }
  time_is_short_ = is_short;
  pending_ = true;
}

void Variation::after(double t, const Eigen::VectorXd& z, Index met, DirectionMap map) {
  if (!std::exchange(pending_, false)) return lose();
  rates(t, z, one_);
  const bool turns = met > 1 && map;
  if (crossings_.empty() || (is_same(f_before_) && !turns)) return;
  coincided_ = coincided_ || crossed_ != 1 || met > 1 || time_is_short_;
  undirected_ = undirected_ || (!turns && (crossed_ > 1 || met > 1)) || time_is_short_;
  grazed_ = grazed_ || grazes(crossings_.front());
  if (turns) turn(std::move(map));
  const Eigen::MatrixXd from = X_;
  if (!is_same(f_before_)) carry(one_ - f_before_, crossings_.front(), from);
  if (turns) X_.rightCols(size()).setIdentity();
}

void Variation::turn(DirectionMap map) {
  const Index n = size();
  turns_.push_back({turns_.empty() ? X_.leftCols(n) : X_.rightCols(n), std::move(map)});
  if (turns_.size() == 1) X_.conservativeResize(n, X_.cols() + n);
}

Eigen::VectorXd Variation::along(ConstVectorRef v) const {
  const Index n = size();
  if (undirected_) return Eigen::VectorXd::Constant(n, std::numeric_limits<double>::quiet_NaN());
  if (turns_.empty()) return X_.leftCols(n) * v;
  Eigen::VectorXd own = v;
  for (const Turn& turn : turns_) own = turn.map(turn.before * own);
  return X_.rightCols(n) * own;
}

void Variation::after(double t, const Eigen::VectorXd& z, const Jump& jump, std::vector<Crossing> crossings,
                      const std::vector<Jump>& singly) {
  if (!std::exchange(pending_, false)) return lose();
  rates(t, z, one_);
  // What crossed may have been another thing of the same instant.
  const bool known =
      !crossings_.empty() && std::all_of(crossings_.begin(), crossings_.end(), [&](const Crossing& guard) {
        return crossings.empty() || std::any_of(crossings.begin(), crossings.end(), [&](const Crossing& one) {
                 return (guard.slope - one.slope).norm() <= kSameSlope * one.slope.norm();
               });
      });
  if (!crossings.empty()) {
    crossings_ = std::move(crossings);
    time_is_short_ = false;
  } else if (crossings_.size() > 1) {
    crossings_.erase(crossings_.begin() + 1, crossings_.end());
  }
  Eigen::VectorXd all(z.size());
  const auto value = [&](double when, const Eigen::VectorXd& at_z, Eigen::VectorXd& own) {
    jump(when, at_z, all);
    gather(all, own);
  };
  Eigen::MatrixXd D;
  differentiate(z_, D, [&](const Eigen::VectorXd& at_z, Eigen::VectorXd& own) { value(t_, at_z, own); });
  const Eigen::VectorXd carried = D * f_before_ + by_time(z_, value);  // R'
  const bool several = !known || crossed_ != 1 || crossings_.size() > 1 || time_is_short_;
  DirectionMap map;
  if (known && !time_is_short_ && singly.size() == crossings_.size() && singly.size() > 1) map = in_turn(singly);
  coincided_ = coincided_ || several;
  undirected_ = undirected_ || (several && !map);
  const bool turns = static_cast<bool>(map);
  if (turns) turn(std::move(map));
  const bool same = is_same(carried);
  const Eigen::MatrixXd from = X_;
  X_ = D * from;
  for (const Crossing& crossing : crossings_) {
    grazed_ = grazed_ || (!crossing.lands && grazes(crossing));
    if (!same) carry(one_ - carried, crossing, from);
  }
  if (turns) X_.rightCols(size()).setIdentity();
}

/// Rates of each place are asked in the mode behind all jumps: where those of the first and the last are what they were
/// and are, it is the mode of all.
Variation::DirectionMap Variation::in_turn(const std::vector<Jump>& singly) {
  const std::size_t count = singly.size(), places = std::size_t{1} << count;
  if (count > kMostInTurn) return {};
  std::vector<Eigen::VectorXd> z(places, z_), f(places, f_before_);
  for (std::size_t place = 1; place < places; ++place) {
    const std::size_t before = place & (place - 1);
    singly[static_cast<std::size_t>(std::countr_zero(place))](t_, z[before], z[place]);
    rates(t_, z[place], f[place]);
  }
  Eigen::VectorXd first;
  rates(t_, z_, first);
  if (!are_same(first, f_before_) || !is_same(f.back())) return {};
  JumpsInTurn result{.crossings = crossings_, .jumps = std::vector<JumpsInTurn::Jump>(places * count)};
  Eigen::VectorXd all(z_.size());
  for (std::size_t place = 0; place < places; ++place) {
    for (std::size_t k = 0; k < count; ++k) {
      if (place >> k & 1) continue;
      const auto value = [&](double when, const Eigen::VectorXd& at_z, Eigen::VectorXd& own) {
        singly[k](when, at_z, all);
        gather(all, own);
      };
      JumpsInTurn::Jump& jump = result.jumps[place * count + k];
      differentiate(z[place], jump.D, [&](const Eigen::VectorXd& at_z, Eigen::VectorXd& own) { value(t_, at_z, own); });
      jump.by_delay = jump.D * f[place] + by_time(z[place], value) - f[place | std::size_t{1} << k];
      if (time_is_short_) return {};
    }
  }
  return result;
}

bool Variation::is_same(const Eigen::VectorXd& carried) const { return are_same(one_, carried); }

bool Variation::grazes(const Crossing& crossing) const {
  return std::abs(crossing.rate) <= kGrazing * crossing.slope.norm() * f_before_.norm();
}

/// X += change c_z X- / c'.
void Variation::carry(const Eigen::VectorXd& change, const Crossing& crossing, const Eigen::MatrixXd& from) {
  const Eigen::RowVectorXd moves = crossing.slope.transpose() * from / crossing.rate;
  for (Index k = 0; k < size(); ++k)
    if (crossing.moves.empty() || crossing.moves[at(k)]) X_.row(k) += change[k] * moves;
}

}  // namespace nonsmooth::events
