// SPDX-License-Identifier: Apache-2.0
#include "variation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <internal/at.hpp>
#include <internal/round_off.hpp>

namespace nonsmooth::events {
namespace {

constexpr Index kStages = 5;
constexpr int kMostHalvings = 8;
/// Of the rates: what differs by less goes on as before. Ends of sliding are located to the round-off of their guard.
constexpr double kSameRate = 1e-7;
/// A guard whose rate is that small a part of |grad c||f| grazes: the derivative loses as many digits.
constexpr double kGrazing = 1e-6;

/// Balances h^4 of the truncation and eps / h of the rounding.
double difference_step(double x) { return std::pow(eps, 0.2) * std::max(1.0, std::abs(x)); }

}  // namespace

Variation::Variation(Motion motion, double tolerance)
    : motion_(std::move(motion)),
      tolerance_(std::max(tolerance, 1e-13)),
      collocation_(FiniteElementFamily::RadauIIA, kStages) {
  begin();
}

void Variation::begin() {
  X_.setIdentity(size(), size() + motion_.num_parameters);
  grazed_ = coincided_ = pending_ = false;
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

template <class Value>
void Variation::differentiate(const Eigen::VectorXd& z, Eigen::MatrixXd& result, Value&& value) {
  moved_ = z;
  for (Index k = 0; k < size(); ++k) {
    const Index entry = motion_.entries[at(k)];
    const double h = difference_step(z[entry]);
    const auto add = [&](double place, double weight) {
      moved_[entry] = z[entry] + place * h;
      value(moved_, other_);
      if (k == 0 && place == -2.0) result.setZero(other_.size(), size());
      result.col(k) += weight / (12.0 * h) * other_;
    };
    add(-2.0, 1.0);
    add(2.0, -1.0);
    add(-1.0, -8.0);
    add(1.0, 8.0);
    moved_[entry] = z[entry];
  }
}

template <class Value>
Eigen::VectorXd Variation::rate_before(double first, Value&& value) {
  static constexpr double kWeights[] = {25.0, -48.0, 36.0, -16.0, 3.0};
  const double speed = f_before_.lpNorm<Eigen::Infinity>(), reach = z_.lpNorm<Eigen::Infinity>();
  double h = difference_step(reach) / std::max(1.0, speed);
  if (const double way = t_ - first; way > 0.0) h = std::min(h, way / 8.0);
  Eigen::VectorXd rate;
  moved_ = z_;
  for (int i = 0; i < 5; ++i) {
    for (Index k = 0; k < this->size(); ++k) {
      const Index entry = motion_.entries[at(k)];
      moved_[entry] = z_[entry] - i * h * f_before_[k];
    }
    value(t_ - i * h, moved_, other_);
    if (i == 0) rate.setZero(other_.size());
    rate += kWeights[i] / (12.0 * h) * other_;
  }
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
  if (dense.h > 0.0) halve(dense, dense.t0, dense.h, 0, next_);
}

/// Into slope_ and passes_.
void Variation::guard_slope(Index guard, double first) {
  double by_time = 0.0;
  slope_.setZero(size());
  if (motion_.guard_dz && motion_.guard_dz(guard, t_, z_, slope_, by_time)) {
    passes_ = slope_.dot(f_before_) + by_time;
    return;
  }
  const auto value = [&](double t, const Eigen::VectorXd& z, Eigen::VectorXd& result) {
    values_.resize(motion_.num_guards());
    motion_.guards(t, z, values_.data());
    result.setConstant(1, values_[guard]);
  };
  differentiate(z_, difference_,
                [&](const Eigen::VectorXd& at_z, Eigen::VectorXd& result) { value(t_, at_z, result); });
  slope_ = difference_.row(0).transpose();
  passes_ = rate_before(first, value)[0];
}

void Variation::before(double t, const Eigen::VectorXd& z, const std::vector<Index>& crossed, double first) {
  t_ = t;
  z_ = z;
  first_ = first;
  rates(t, z, f_before_);
  crossed_ = static_cast<Index>(crossed.size());
  if (crossed_ > 0) guard_slope(crossed.front(), first);
  pending_ = true;
}

void Variation::after(double t, const Eigen::VectorXd& z, const Jump& jump, Index met) {
  if (!std::exchange(pending_, false)) return lose();
  rates(t, z, one_);
  Eigen::VectorXd carried = f_before_;  // R'
  Eigen::MatrixXd D;
  if (jump) {
    Eigen::VectorXd all(z.size());
    const auto value = [&](double when, const Eigen::VectorXd& at_z, Eigen::VectorXd& own) {
      jump(when, at_z, all);
      gather(all, own);
    };
    differentiate(z_, D, [&](const Eigen::VectorXd& at_z, Eigen::VectorXd& own) { value(t_, at_z, own); });
    carried = rate_before(first_, value);
  }
  const Eigen::VectorXd change = one_ - carried;
  const bool same = change.norm() <= kSameRate * (one_.norm() + carried.norm());
  if (crossed_ > 0 && (jump || !same)) {
    coincided_ = coincided_ || crossed_ > 1 || met > 1;
    grazed_ = grazed_ || std::abs(passes_) <= kGrazing * slope_.norm() * f_before_.norm();
  }
  Eigen::RowVectorXd moves;
  if (crossed_ > 0 && !same) moves = slope_.transpose() * X_ / passes_;
  if (jump) X_ = D * X_;
  if (moves.size() > 0) X_ += change * moves;
}

}  // namespace nonsmooth::events
