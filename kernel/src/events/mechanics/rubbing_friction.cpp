// SPDX-License-Identifier: Apache-2.0
#include "rubbing_friction.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <internal/round_off.hpp>

namespace nonsmooth::events {
namespace {

constexpr int kMostBoundSteps = 40;
constexpr double kDifference = 1e-7;      ///< of the bounds, between the values that a slope is of
constexpr double kBoundsSettled = 1e-13;  ///< of what makes them, below which an error that falls no more is round-off

}  // namespace

void write_rubbing(const Contact& contact, const Eigen::Vector3d& slip, double bound, Eigen::VectorXd& forces) {
  for (Index r = 0; r < contact.size; ++r) forces[contact.row + r] = -bound * slip[r];
}

const Eigen::VectorXd& RubbingFriction::solve(const MechanicalModel& model, const std::vector<std::size_t>& groups,
                                              const Eigen::Matrix3Xd& slips, const std::vector<Index>& rows,
                                              const Eigen::VectorXd& lambda, const Eigen::MatrixXd& X,
                                              Eigen::VectorXd& forces) {
  const Index count = std::ssize(groups);
  const auto contact_of = [&](Index g) -> const Contact& { return model.contact(groups[static_cast<std::size_t>(g)]); };
  const auto evaluate = [&](const Eigen::VectorXd& beta, Eigen::VectorXd& bounds) {
    for (Index k = 0; k < lambda.size(); ++k)
      forces[rows[static_cast<std::size_t>(k)]] = lambda[k] + X.row(k).dot(beta);
    for (Index g = 0; g < count; ++g) write_rubbing(contact_of(g), slips.col(g), beta[g], forces);
    for (Index g = 0; g < count; ++g) bounds[g] = contact_of(g).bound_by(forces);
  };
  // Bounds of the terms that make the forces: where these nearly cancel, no error falls below their round-off.
  const auto of_terms = [&] {
    terms_ = forces.cwiseAbs();
    for (Index k = 0; k < lambda.size(); ++k)
      terms_[rows[static_cast<std::size_t>(k)]] = std::abs(lambda[k]) + X.row(k).cwiseAbs().dot(beta_.cwiseAbs());
    double largest = 0.0;
    for (Index g = 0; g < count; ++g) largest = std::max(largest, contact_of(g).bound_by(terms_));
    return largest;
  };
  beta_.setZero(count);
  bounds_.resize(count);
  change_.resize(count);
  evaluate(beta_, bounds_);
  beta_ = bounds_;
  double before = std::numeric_limits<double>::infinity();
  for (int iteration = 0; iteration < kMostBoundSteps; ++iteration) {
    evaluate(beta_, bounds_);
    error_ = beta_ - bounds_;
    const double error = error_.lpNorm<Eigen::Infinity>(), scale = bounds_.lpNorm<Eigen::Infinity>();
    if (!std::isfinite(error)) return beta_;  // forces that are not finite: their own affair, or of a stage that jammed
    if (error <= 4.0 * eps * scale || (error >= 0.5 * before && error <= kBoundsSettled * of_terms())) {
      jammed_.clear();
      return beta_;
    }
    before = error;
    jacobian_.setIdentity(count, count);
    for (Index g = 0; g < count; ++g) {
      const double step = kDifference * scale, kept = beta_[g];
      beta_[g] += step;
      evaluate(beta_, change_);
      beta_[g] = kept;
      jacobian_.col(g) -= (change_ - bounds_) / step;
    }
    factor_.compute(jacobian_);
    factor_.solve(error_, change_);
    beta_ -= change_;
  }
  jammed_ = "the friction of " + model.place_of(contact_of(0)) +
            " grows with the reaction that it makes: no force of it repeats, the joint jams";
  beta_.setConstant(std::numeric_limits<double>::quiet_NaN());
  return beta_;
}

}  // namespace nonsmooth::events
