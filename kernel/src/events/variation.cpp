// SPDX-License-Identifier: Apache-2.0
#include "variation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <internal/at.hpp>

#include "model/central_differences.hpp"

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
Eigen::VectorXd Variation::by_time(Value&& value) {
  static constexpr double kWeights[] = {25.0, -48.0, 36.0, -16.0, 3.0};
  double fastest = 0.0;
  for (Index k = 0; k < size(); ++k)
    fastest = std::max(fastest, std::abs(f_before_[k]) / size_of(z_[motion_.entries[at(k)]], k));
  const double wanted = differences::kCentralStep / std::max(1.0, fastest), way = t_ - first_;
  const double h = way > 0.0 ? std::min(wanted, way / 8.0) : wanted;
  value(t_, z_, column_);
  Eigen::VectorXd rate = Eigen::VectorXd::Zero(column_.size());
  for (int i = 1; i < 5; ++i) {
    value(t_ - i * h, z_, other_);
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
    rate = by_time(value)[0];
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
  const Index guard = crossed_ > 0 ? crossed.front() : guard_near_zero();
  if (guard >= 0) crossings_.push_back(crossing_of(guard));
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
  const Index n = size();
  if (turns) {
    turns_.push_back({turns_.empty() ? X_.leftCols(n) : X_.rightCols(n), std::move(map)});
    if (turns_.size() == 1) X_.conservativeResize(n, X_.cols() + n);
  }
  const Eigen::MatrixXd from = X_;
  if (!is_same(f_before_)) carry(one_ - f_before_, crossings_.front(), from);
  if (turns) X_.rightCols(n).setIdentity();
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
                      Index met) {
  if (!std::exchange(pending_, false)) return lose();
  rates(t, z, one_);
  if (!crossings.empty()) {  // what crossed may have been another thing of the same instant
    coincided_ = coincided_ || crossings_.empty() ||
                 (crossings_.front().slope - crossings.front().slope).norm() > 1e-3 * crossings.front().slope.norm();
    crossings_ = std::move(crossings);
    time_is_short_ = false;
  }
  coincided_ = coincided_ || crossed_ != 1 || met > 1 || crossings_.size() > 1 || time_is_short_;
  Eigen::VectorXd all(z.size());
  const auto value = [&](double when, const Eigen::VectorXd& at_z, Eigen::VectorXd& own) {
    jump(when, at_z, all);
    gather(all, own);
  };
  Eigen::MatrixXd D;
  differentiate(z_, D, [&](const Eigen::VectorXd& at_z, Eigen::VectorXd& own) { value(t_, at_z, own); });
  const Eigen::VectorXd carried = D * f_before_ + by_time(value);  // R'
  coincided_ = coincided_ || time_is_short_;
  undirected_ = undirected_ || coincided_;
  const bool same = is_same(carried);
  const Eigen::MatrixXd from = X_;
  X_ = D * from;
  for (const Crossing& crossing : crossings_) {
    grazed_ = grazed_ || (!crossing.lands && grazes(crossing));
    if (!same) carry(one_ - carried, crossing, from);
  }
}

bool Variation::is_same(const Eigen::VectorXd& carried) const {
  return (one_ - carried).norm() <= kSameRate * (one_.norm() + carried.norm());
}

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
