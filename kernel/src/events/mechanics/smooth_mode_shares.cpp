// SPDX-License-Identifier: Apache-2.0
// Which multipliers a mode has where its closed rows depend on one another.
#include <algorithm>
#include <cmath>

#include "smooth_mode.hpp"

namespace nonsmooth::events {
namespace {

constexpr double kLeastCapacity = 1e-12;  ///< of a contact that is about to open, by the largest
constexpr double kNothingMoves = 1e-10;   ///< of W's entries in units of its diagonal: what multipliers leave as it is
constexpr double kHeldBack = 100.0, kMostWeight = 1e10;

}  // namespace

bool SmoothMode::brings_friction(std::size_t k) const {
  const std::size_t i = active_contact_[k];
  const Contact& one = model_.contact(i);
  if (one.kind != Contact::Kind::Unilateral || active_rows_[k] != one.row) return false;
  for (std::size_t j = i; j <= i + one.num_turning; ++j) {
    if (slides(j)) return true;
  }
  return false;
}

void SmoothMode::find_directions_at_rest() {
  sliding_.clear();
  at_rest_.resize(model_.num_velocities(), num_multipliers());
  for (std::size_t k = 0; k < active_rows_.size(); ++k) {
    if (!brings_friction(k)) continue;
    auto column = at_rest_.col(static_cast<Index>(k));
    column = model_.H.row(active_rows_[k]).transpose();
    model_.solve_mass(column);
    sliding_.push_back(static_cast<Index>(k));
  }
}

void SmoothMode::find_mobilities() {
  const Index count = num_multipliers();
  for (Index k = 0; k < count; ++k) {
    const auto H = model_.H.row(active_rows_[static_cast<std::size_t>(k)]);
    for (Index j = 0; j < count; ++j) W_(k, j) = H.dot(directions_.col(j));
  }
}

void SmoothMode::share_out(const Eigen::VectorXd& right, Eigen::VectorXd& lambda) {
  if (!rank_known_) {
    capacities_.setZero(right.size());
    shares_.compute(W_, capacities_, capacities_);
    rank_known_ = shares_.is_finite();
    redundant_ = rank_known_ && shares_.rank() < right.size();
    if (!redundant_) return shares_.solve(right, lambda);
    find_directions_at_rest();
  }
  share([&](LoadShares& shares, Eigen::VectorXd& found) { shares.solve(right, found); }, lambda);
}

void SmoothMode::share_by_mobilities() {
  G_ = W_;
  for (const Index k : sliding_) {
    for (Index j = 0; j < G_.rows(); ++j)
      G_(j, k) = model_.H.row(active_rows_[static_cast<std::size_t>(j)]).dot(at_rest_.col(k));
  }
  weights_.setZero(G_.cols());
  capacities_.setZero(G_.cols());
  compute_shares();
}

bool SmoothMode::share_by_weights(const Eigen::VectorXd& lambda) {
  if (!find_weights(lambda)) return false;
  compute_shares();
  return true;
}

bool SmoothMode::share_by_capacities(const Eigen::VectorXd& lambda) {
  if (!find_capacities(lambda)) return false;
  compute_shares();
  return true;
}

void SmoothMode::compute_shares() {
  if (sliding_.empty()) {
    shares_.compute(W_, capacities_, weights_);
  } else {
    shares_.compute(W_, G_, capacities_, weights_);
  }
}

/// Of friction in joints, and against turning, that sticks, (lambda_g / bound_g)^2 counts kHeldBack times as much as
/// all that is held in its mechanism: where something holds with little of it, nothing slips.
bool SmoothMode::find_weights(const Eigen::VectorXd& lambda) {
  weights_.setZero(lambda.size());
  reactions_.setZero(model_.num_rows());
  std::fill(held_.begin(), held_.end(), 0.0);
  const auto rubbing = [&](Index k) {
    const Contact::Kind kind = model_.contact(active_contact_[static_cast<std::size_t>(k)]).kind;
    return kind == Contact::Kind::Rubbing || kind == Contact::Kind::Turning;
  };
  for (Index k = 0; k < lambda.size(); ++k) {
    reactions_[active_rows_[static_cast<std::size_t>(k)]] = lambda[k];
    if (!rubbing(k)) held_[mechanism_of(k)] += std::max(G_(k, k), 0.0) * lambda[k] * lambda[k];
  }
  bool rubs = false;
  for (Index k = 0; k < lambda.size(); ++k) {
    const double held = held_[mechanism_of(k)];
    if (!rubbing(k) || !(held > 0.0)) continue;
    rubs = true;
    if (!(G_(k, k) > 0.0)) continue;
    const double bound = model_.contact(active_contact_[static_cast<std::size_t>(k)]).bound_by(reactions_);
    const double at_bound = G_(k, k) * bound * bound;
    weights_[k] = G_(k, k) * (at_bound * kMostWeight > kHeldBack * held ? kHeldBack * held / at_bound : kMostWeight);
  }
  return rubs;
}

bool SmoothMode::find_capacities(const Eigen::VectorXd& lambda) {
  capacities_.setZero(lambda.size());
  std::fill(largest_.begin(), largest_.end(), 0.0);
  std::fill(sticking_.begin(), sticking_.end(), 0);
  double capacity = 0.0;
  for (Index k = 0; k < lambda.size(); ++k) {
    const std::size_t i = active_contact_[static_cast<std::size_t>(k)];
    const Contact& one = model_.contact(i);
    if (!one.frictional() || states_[i].status != ContactStatus::Held) continue;
    if (active_rows_[static_cast<std::size_t>(k)] == one.row) {
      ++sticking_[mechanism_of(k)];
      capacity = one.static_friction * lambda[k];
    } else {
      capacities_[k] = std::max(capacity, 0.0);
      double& largest = largest_[mechanism_of(k)];
      largest = std::max(largest, capacity);
    }
  }
  bool shared = false;
  for (Index k = 0; k < lambda.size(); ++k) {
    const std::size_t i = active_contact_[static_cast<std::size_t>(k)];
    const Contact& one = model_.contact(i);
    const bool friction = one.frictional() && states_[i].status == ContactStatus::Held &&
                          active_rows_[static_cast<std::size_t>(k)] != one.row;
    if (!friction) continue;
    const double largest = largest_[mechanism_of(k)];
    if (sticking_[mechanism_of(k)] < 2 || !(largest > 0.0)) {
      capacities_[k] = 0.0;
      continue;
    }
    capacities_[k] = states_[i].share * std::max(capacities_[k] / largest, kLeastCapacity);
    shared = true;
  }
  return shared;
}

EvenFriction SmoothMode::even_out(const std::vector<std::size_t>& contacts) const {
  std::vector<Index> columns, sizes;
  Eigen::VectorXd bounds(std::ssize(contacts)), f_0(num_multipliers());
  Index count = 0;
  for (const std::size_t i : contacts) {
    const Contact& one = model_.contact(i);
    sizes.push_back(0);
    for (std::size_t k = 0; k < active_rows_.size(); ++k) {
      if (active_contact_[k] != i || active_rows_[k] == one.row) continue;
      columns.push_back(static_cast<Index>(k));
      f_0[count++] = lambda_[static_cast<Index>(k)];
      ++sizes.back();
    }
    bounds[std::ssize(sizes) - 1] = one.static_friction * forces_[one.row];
  }
  EvenFriction none;
  if (count == 0 || !(bounds.minCoeff() > 0.0)) return none;
  // Units in which W has a diagonal of 1: a kernel of those is one of W.
  const Eigen::VectorXd units = W_.diagonal().cwiseAbs().cwiseSqrt();
  if (!(units.minCoeff() > 0.0)) return none;
  Eigen::MatrixXd moves = W_(Eigen::all, columns);
  for (Index j = 0; j < count; ++j) moves.col(j) /= units[columns[static_cast<std::size_t>(j)]];
  moves = units.cwiseInverse().asDiagonal() * moves;
  const SingularValues svd = singular_values(moves, true, kNothingMoves);
  if (svd.rank == count) return none;
  Eigen::MatrixXd N = svd.V.rightCols(count - svd.rank);
  for (Index j = 0; j < count; ++j) N.row(j) /= units[columns[static_cast<std::size_t>(j)]];
  return even_friction(f_0.head(count), sizes, bounds, N);
}

}  // namespace nonsmooth::events
