// SPDX-License-Identifier: Apache-2.0
#include "impact_map.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <internal/at.hpp>
#include <internal/round_off.hpp>

namespace nonsmooth::events {
namespace {

constexpr double kUncoupled = 64.0 * eps;  ///< of W with ones on its diagonal

}  // namespace

/// H, X = M^-1 H^T, W and its factors, u- of the contacts at (t, z).
void ImpactMap::solve(double t, const Eigen::VectorXd& z) {
  model_->evaluate_velocities(t, z);
  model_->evaluate_dynamics(t, z);
  const auto count = static_cast<Index>(pushed_.size());
  H_.resize(count, model_->num_velocities());
  u_.resize(count);
  for (Index k = 0; k < count; ++k) {
    const Index row = model_->contact(pushed_[static_cast<std::size_t>(k)].contact).row;
    H_.row(k) = model_->H.row(row);
    u_[k] = model_->u[row];
  }
  X_ = H_.transpose();
  for (Index k = 0; k < count; ++k) model_->solve_mass(X_.col(k));
  W_.noalias() = H_ * X_;
  scale_ = W_.diagonal().unaryExpr([](double w) { return w > 0.0 ? 1.0 / std::sqrt(w) : 1.0; });
  W_ = (scale_.asDiagonal() * W_ * scale_.asDiagonal()).eval();
  factors_.compute(W_);
}

/// p := W^-1 p.
void ImpactMap::percussions(Eigen::VectorXd& p) const {
  const Eigen::VectorXd right = scale_.cwiseProduct(p);
  factors_.solve(right, p);
  p.array() *= scale_.array();
}

void ImpactMap::linearise(double t, const Eigen::VectorXd& z) {
  const std::vector<Pushed> all = std::exchange(pushed_, {});
  for (const Pushed& one : all) {
    pushed_.push_back(one);
    solve(t, z);
    if (!(factors_.rcond() > 1e3 * eps)) pushed_.pop_back();
  }
  solve(t, z);
  for (std::size_t k = 0; k < pushed_.size(); ++k) {
    Pushed& one = pushed_[k];
    if (one.u_after < -0.5 * one.restitution * u_[static_cast<Index>(k)]) one.restitution = 0.0;
  }
}

std::vector<Variation::Crossing> ImpactMap::crossings(const ContactStates& after) const {
  const auto count = static_cast<Index>(pushed_.size()), n = X_.rows();
  std::vector<Index> set(pushed_.size());
  std::iota(set.begin(), set.end(), Index{0});
  for (Index a = 0; a < count; ++a) {
    for (Index b = 0; b < a; ++b) {
      if (!(std::abs(W_(a, b)) > kUncoupled)) continue;
      const Index from = set[at(a)], to = set[at(b)];
      std::replace(set.begin(), set.end(), std::max(from, to), std::min(from, to));
    }
  }
  std::vector<Variation::Crossing> result;
  std::vector<char> moved(at(2 * n), 0);
  for (Index s = 0; s < count; ++s) {
    Variation::Crossing crossing;
    crossing.slope.setZero(2 * n);
    crossing.moves.assign(at(2 * n), 0);
    crossing.lands = true;
    for (Index k = 0; k < count; ++k) {
      if (set[at(k)] != s) continue;
      const Pushed& one = pushed_[at(k)];
      crossing.lands = crossing.lands && one.restitution == 0.0 && after[one.contact].closed();
      for (Index i = 0; i < n; ++i)
        if (X_(i, k) != 0.0) crossing.moves[at(i)] = crossing.moves[at(n + i)] = moved[at(i)] = moved[at(n + i)] = 1;
      if (!(u_[k] < crossing.rate)) continue;
      crossing.rate = u_[k];
      crossing.slope.head(n) = H_.row(k).transpose();
    }
    if (crossing.rate < 0.0) result.push_back(std::move(crossing));
  }
  for (std::size_t i = 0; i < moved.size() && !result.empty(); ++i)
    if (!moved[i]) result.front().moves[i] = 1;
  return result;
}

bool ImpactMap::apart(const ContactStates& after) const {
  for (std::size_t k = 0; k < pushed_.size(); ++k) {
    if (!(u_[static_cast<Index>(k)] < 0.0) || after[pushed_[k].contact].closed()) return false;
    for (std::size_t l = 0; l < k; ++l)
      if (std::abs(W_(static_cast<Index>(k), static_cast<Index>(l))) > kUncoupled) return false;
  }
  return pushed_.size() > 1;
}

void ImpactMap::alone(Index k, double t, const Eigen::VectorXd& z, Eigen::VectorXd& after) {
  after = z;
  solve(t, z);
  const double mobility = H_.row(k).dot(X_.col(k));
  model_->v.noalias() -= (1.0 + pushed_[at(k)].restitution) * u_[k] / mobility * X_.col(k);
  model_->scatter_velocities(after);
}

void ImpactMap::operator()(double t, const Eigen::VectorXd& z, Eigen::VectorXd& after) {
  after = z;
  if (pushed_.empty()) return;
  solve(t, z);
  Eigen::VectorXd p = u_;
  for (std::size_t k = 0; k < pushed_.size(); ++k) p[static_cast<Index>(k)] *= -(1.0 + pushed_[k].restitution);
  percussions(p);
  model_->v.noalias() += X_ * p;
  model_->scatter_velocities(after);
}

void ImpactMap::by_restitution(std::size_t i, Eigen::VectorXd& change) {
  change.setZero(model_->num_velocities());
  for (std::size_t k = 0; k < pushed_.size(); ++k) {
    if (pushed_[k].contact != i || pushed_[k].restitution == 0.0) continue;
    Eigen::VectorXd p = Eigen::VectorXd::Zero(u_.size());
    p[static_cast<Index>(k)] = -u_[static_cast<Index>(k)];
    percussions(p);
    change.noalias() = X_ * p;
  }
}

}  // namespace nonsmooth::events
