// SPDX-License-Identifier: Apache-2.0
#include "element.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <internal/at.hpp>
#include <internal/round_off.hpp>

namespace nonsmooth::finite_elements {
namespace {

constexpr Index kMostIterations = 25;  // Newton's converges quadratically or not at all

}  // namespace

Element::Element(SwitchedField& field, const Collocation& collocation)
    : switched_(&field), field_(field), collocation_(&collocation), n_(field.size()) {
  const auto stages = at(collocation.c.size());
  F_.resize(stages);
  F_dx_.resize(stages);
  F_dalpha_.resize(stages);
  G_of_.resize(stages);
}

Eigen::VectorXd::ConstSegmentReturnType Element::alpha(Index stage) const {
  return unknowns_.segment(stage * (n_ + k_) + n_, k_);
}

/// Of x in the element.
double Element::scale() const {
  double way = 0.0;
  for (Index j = 0; j < collocation_->c.size(); ++j)
    way = std::max(way, unknowns_.segment(j * (n_ + k_), n_).lpNorm<Eigen::Infinity>());
  return start_.lpNorm<Eigen::Infinity>() + way;
}

void Element::evaluate_stages(bool jacobians) {
  for (Index j = 0; j < collocation_->c.size(); ++j) {
    x_ = start_ + unknowns_.segment(j * (n_ + k_), n_);
    alpha_ = alpha(j);
    const double t = time(collocation_->c[j]);
    field_.evaluate(t, x_, alpha_, F_[at(j)], jacobians ? &F_dx_[at(j)] : nullptr,
                    jacobians ? &F_dalpha_[at(j)] : nullptr);
    if (k_ == 0) continue;
    switched_->switches(t, x_, c_);
    for (Index i = 0; i < k_; ++i) residual_[j * (n_ + k_) + n_ + i] = c_[field_.mode().sliding[at(i)]];
    if (!jacobians) continue;
    switched_->gradients(t, x_, G_);
    G_of_[at(j)].resize(k_, n_);
    for (Index i = 0; i < k_; ++i) G_of_[at(j)].row(i) = G_.row(field_.mode().sliding[at(i)]);
  }
  for (Index j = 0; j < collocation_->c.size(); ++j) {
    auto rows = residual_.segment(j * (n_ + k_), n_);
    rows = unknowns_.segment(j * (n_ + k_), n_);
    for (Index k = 0; k < collocation_->c.size(); ++k) rows.noalias() -= (h_ * collocation_->A(j, k)) * F_[at(k)];
  }
}

void Element::assemble() {
  const Index width = n_ + k_, stages = collocation_->c.size();
  matrix_.setZero(stages * width, stages * width);
  for (Index j = 0; j < stages; ++j) {
    for (Index k = 0; k < stages; ++k) {
      const double a = h_ * collocation_->A(j, k);
      matrix_.block(j * width, k * width, n_, n_).noalias() -= a * F_dx_[at(k)];
      // alpha times h is the unknown, so that the matrix stays regular as h -> 0 where x slides.
      if (k_ > 0)
        matrix_.block(j * width, k * width + n_, n_, k_).noalias() -= collocation_->A(j, k) * F_dalpha_[at(k)];
    }
    matrix_.block(j * width, j * width, n_, n_).diagonal().array() += 1.0;
    if (k_ > 0) matrix_.block(j * width + n_, j * width, k_, n_) = G_of_[at(j)];
  }
  factors_.compute(matrix_);
}

bool Element::solve(double t_0, const Eigen::VectorXd& x_0, double h, const Eigen::VectorXd& alpha, bool kept) {
  const Index stages = collocation_->c.size(), k = field_.num_sliding(), width = n_ + k;
  if (kept && k == k_ && unknowns_.size() == stages * width) {
    for (Index j = 0; j < stages; ++j) unknowns_.segment(j * width, n_) *= h / h_;
  } else {
    unknowns_.setZero(stages * width);
    for (Index j = 0; j < stages; ++j) unknowns_.segment(j * width + n_, k) = alpha;
  }
  k_ = k;
  t_0_ = t_0;
  start_ = x_0;
  h_ = h;
  residual_.resize(stages * width);
  step_.resize(stages * width);

  double last = std::numeric_limits<double>::infinity();
  for (iterations_ = 1; iterations_ <= kMostIterations; ++iterations_) {
    evaluate_stages(true);
    assemble();
    if (!residual_.allFinite() || !matrix_.allFinite()) return false;
    factors_.solve(residual_, step_);
    if (!step_.allFinite()) return false;
    double moved = 0.0;
    for (Index j = 0; j < stages; ++j) {
      step_.segment(j * width + n_, k_) /= h_;
      moved = std::max(moved, step_.segment(j * width, n_).lpNorm<Eigen::Infinity>());
    }
    unknowns_ -= step_;
    const double round_off = 8.0 * eps * scale();
    // Quadratic: what follows a step of 1e-9 is round-off, and a step that is small and grows is round-off itself.
    if (moved <= round_off || (moved >= last && moved <= 1e4 * round_off)) return finish();
    last = moved;
  }
  return false;
}

bool Element::finish() {
  const Index stages = collocation_->c.size(), width = n_ + k_;
  if (collocation_->ends_at_last_stage) {
    end_ = start_ + unknowns_.segment((stages - 1) * width, n_);
    return true;
  }
  evaluate_stages(false);
  end_ = start_;
  for (Index j = 0; j < stages; ++j) end_.noalias() += (h_ * collocation_->b[j]) * F_[at(j)];
  if (k_ == 0) return true;

  // Back to the surfaces along dF/dalpha at the end, which G dF/dalpha of an index-2 system makes possible.
  evaluate(1.0, x_, alpha_);
  const double t = time(1.0);
  field_.evaluate(t, end_, alpha_, F_end_, nullptr, &back_);
  for (int i = 0; i < 10; ++i) {
    switched_->switches(t, end_, c_);
    switched_->gradients(t, end_, G_);
    off_.resize(k_);
    shares_.resize(k_);
    G_sliding_.resize(k_, n_);
    for (Index s = 0; s < k_; ++s) {
      off_[s] = c_[field_.mode().sliding[at(s)]];
      G_sliding_.row(s) = G_.row(field_.mode().sliding[at(s)]);
    }
    slopes_.noalias() = G_sliding_ * back_;
    back_factors_.compute(slopes_);
    back_factors_.solve(off_, shares_);
    move_.noalias() = back_ * shares_;
    if (!move_.allFinite()) return false;
    end_ -= move_;
    if (move_.lpNorm<Eigen::Infinity>() <= 8.0 * eps * scale()) return true;
  }
  return false;
}

void Element::evaluate(double s, Eigen::VectorXd& x, Eigen::VectorXd& alpha) const {
  const Index stages = collocation_->c.size(), width = n_ + k_;
  // Z is the polynomial of degree s through 0 and the stages: its slope at them is A^-1 Z / h, F to Newton's tolerance.
  collocation_->integrals(s, weights_);
  x = start_;
  for (Index j = 0; j < stages; ++j) x.noalias() += (h_ * weights_[j]) * F_[at(j)];
  collocation_->values(s, weights_);
  alpha.setZero(k_);
  for (Index j = 0; j < stages; ++j) alpha.noalias() += weights_[j] * unknowns_.segment(j * width + n_, k_);
}

void Element::differentiate(Derivatives& end) {
  const Index stages = collocation_->c.size(), width = n_ + k_;
  evaluate_stages(true);
  assemble();
  // R_j = Z_j - h sum a_jk F_k and c_i(t_j, X_j) by x_0, h and t_0 with Z and alpha held: columns of `right`, negated.
  std::vector<Eigen::VectorXd> F_dt(at(stages));
  Eigen::MatrixXd right = Eigen::MatrixXd::Zero(stages * width, n_ + 2);
  Eigen::VectorXd before;
  for (Index j = 0; j < stages; ++j) {
    const double t = time(collocation_->c[j]), way = std::cbrt(eps) * std::max(1.0, std::abs(t));
    x_ = start_ + unknowns_.segment(j * width, n_);
    alpha_ = alpha(j);
    field_.evaluate(t + way, x_, alpha_, F_dt[at(j)], nullptr, nullptr);
    field_.evaluate(t - way, x_, alpha_, before, nullptr, nullptr);
    F_dt[at(j)] = (F_dt[at(j)] - before) / (2.0 * way);
    if (k_ == 0) continue;
    switched_->switch_rates(t, x_, c_t_);
    right.block(j * width + n_, 0, k_, n_) = -G_of_[at(j)];
    for (Index i = 0; i < k_; ++i) {
      const double rate = c_t_[field_.mode().sliding[at(i)]];
      right(j * width + n_ + i, n_) = -collocation_->c[j] * rate;
      right(j * width + n_ + i, n_ + 1) = -rate;
    }
  }
  for (Index j = 0; j < stages; ++j) {
    for (Index k = 0; k < stages; ++k) {
      const double a = collocation_->A(j, k);
      right.block(j * width, 0, n_, n_).noalias() += (h_ * a) * F_dx_[at(k)];
      right.block(j * width, n_, n_, 1) += a * (F_[at(k)] + (h_ * collocation_->c[k]) * F_dt[at(k)]);
      right.block(j * width, n_ + 1, n_, 1) += (h_ * a) * F_dt[at(k)];
    }
  }
  const Eigen::MatrixXd moved = factors_.solve(right);  // of (Z, h alpha)
  Eigen::MatrixXd all = Eigen::MatrixXd::Zero(n_, n_ + 2);
  all.leftCols(n_).setIdentity();
  if (collocation_->ends_at_last_stage) {
    all += moved.middleRows((stages - 1) * width, n_);
  } else {
    for (Index j = 0; j < stages; ++j) {
      const double b = collocation_->b[j];
      all.noalias() += (h_ * b) * (F_dx_[at(j)] * moved.middleRows(j * width, n_));
      all.leftCols(n_).noalias() += (h_ * b) * F_dx_[at(j)];
      all.col(n_) += b * (F_[at(j)] + (h_ * collocation_->c[j]) * F_dt[at(j)]);
      all.col(n_ + 1) += (h_ * b) * F_dt[at(j)];
      if (k_ > 0) all.noalias() += b * (F_dalpha_[at(j)] * moved.middleRows(j * width + n_, k_));
    }
    if (k_ > 0) put_back(all);
  }
  end.dx_0 = all.leftCols(n_);
  end.dh = all.col(n_);
  end.dt_0 = all.col(n_ + 1);
}

/// Columns by x_0, h and t_0 of what moves x_1, on the surfaces that it is put back on.
void Element::put_back(Eigen::MatrixXd& all) {
  switched_->gradients(time(1.0), end_, G_);
  switched_->switch_rates(time(1.0), end_, c_t_);
  Eigen::MatrixXd G(k_, n_), off(k_, n_ + 2);
  for (Index i = 0; i < k_; ++i) {
    const Index surface = field_.mode().sliding[at(i)];
    G.row(i) = G_.row(surface);
    off.row(i) = G.row(i) * all;
    off(i, n_) += c_t_[surface];
    off(i, n_ + 1) += c_t_[surface];
  }
  all -= back_ * LuFactors(G * back_).solve(off);
}

}  // namespace nonsmooth::finite_elements
