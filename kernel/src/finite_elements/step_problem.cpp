// SPDX-License-Identifier: Apache-2.0
#include "step_problem.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <memory>
#include <vector>

#include <Eigen/QR>

#include <internal/at.hpp>
#include <internal/round_off.hpp>
#include <nonsmooth/numerics/mpcc/nonlinear.hpp>

namespace nonsmooth::finite_elements {
namespace {

constexpr double kMiddle = 1e-3;      ///< rho: far below what unequal lengths cost
constexpr double kOnSurface = 1e-9;   ///< of the terms of c: where a program before ended
constexpr double kShortest = 1e-3;    ///< of 1 / N: an element may not vanish
constexpr double kTolerance = 1e-6;   ///< of the terms; told with the step
constexpr Index kMostPrograms = 300;  ///< quadratic ones; a step that needs more does not get there

}  // namespace

StepProblem::StepProblem(SwitchedField& field, Index stages)
    : field_(&field),
      all_(field),
      radau_(FiniteElementFamily::RadauIIA, stages),
      n_(field.size()),
      p_(field.num_switches()),
      F_(at(stages)),
      F_dt_(at(stages)),
      F_dx_(at(stages)),
      F_dalpha_(at(stages)) {
  SwitchedMode mode;
  for (Index j = 0; j < p_; ++j) mode.sliding.push_back(j);
  all_.set_mode(mode);
}

/// Collocation by element and stage, then mu = lambda - c, then the sum of parts.
void StepProblem::rows(ConstVectorRef u, VectorRef value) {
  const Index s = stages();
  Index row = 0;
  double begins = t_, parts = 0.0;
  Eigen::VectorXd from = Eigen::VectorXd::Zero(n_);
  for (Index e = 0; e < elements_; ++e) {
    const double part = u[e * width()], length = part * h_;
    for (Index k = 0; k < s; ++k) {
      const Index first = place(e, k);
      x_ = start_ + h_ * u.segment(first, n_);
      alpha_ = u.segment(first + n_, p_);
      const double t = begins + radau_.c[k] * length;
      all_.evaluate(t, x_, alpha_, F_[at(k)], nullptr, nullptr);
      field_->switches(t, x_, c_);
      value.segment(row + s * n_ + k * p_, p_) = u.segment(first + n_ + p_, p_) - c_ / h_;
    }
    for (Index k = 0; k < s; ++k) {
      auto own = value.segment(row + k * n_, n_);
      own = u.segment(place(e, k), n_) - from;
      for (Index l = 0; l < s; ++l) own -= part * radau_.A(k, l) * F_[at(l)];
    }
    row += s * (n_ + p_);
    from = u.segment(place(e, s - 1), n_);
    begins += length;
    parts += part;
  }
  value[row] = parts - 1.0;
}

/// By the fields' Jacobians, and central differences of them in t.
void StepProblem::rows_du(ConstVectorRef u, MatrixRef J) {
  const Index s = stages();
  Index row = 0;
  double begins = t_;
  Eigen::VectorXd later, before;
  for (Index e = 0; e < elements_; ++e) {
    const double part = u[e * width()];
    for (Index k = 0; k < s; ++k) {
      const Index first = place(e, k), mu = row + s * n_ + k * p_;
      x_ = start_ + h_ * u.segment(first, n_);
      alpha_ = u.segment(first + n_, p_);
      const double t = begins + radau_.c[k] * part * h_, way = std::cbrt(eps) * std::max(1.0, std::abs(t));
      all_.evaluate(t + way, x_, alpha_, later, nullptr, nullptr);
      all_.evaluate(t - way, x_, alpha_, before, nullptr, nullptr);
      F_dt_[at(k)] = h_ * (later - before) / (2.0 * way);
      all_.evaluate(t, x_, alpha_, F_[at(k)], &F_dx_[at(k)], &F_dalpha_[at(k)]);
      field_->gradients(t, x_, gradients_);
      field_->switch_rates(t, x_, c_);
      J.block(mu, first, p_, n_) = -gradients_;
      J.block(mu, first + n_ + p_, p_, p_).setIdentity();
      for (Index earlier = 0; earlier <= e; ++earlier)
        J.block(mu, earlier * width(), p_, 1) = (earlier < e ? -1.0 : -radau_.c[k]) * c_;
    }
    for (Index k = 0; k < s; ++k) {
      auto own = J.middleRows(row + k * n_, n_);
      own.middleCols(place(e, k), n_).setIdentity();
      if (e > 0) own.middleCols(place(e - 1, s - 1), n_) -= Eigen::MatrixXd::Identity(n_, n_);
      for (Index l = 0; l < s; ++l) {
        const double a = radau_.A(k, l);
        own.middleCols(place(e, l), n_) -= (part * a * h_) * F_dx_[at(l)];
        own.middleCols(place(e, l) + n_, p_) -= (part * a) * F_dalpha_[at(l)];
        own.col(e * width()) -= a * (F_[at(l)] + (part * radau_.c[l]) * F_dt_[at(l)]);
        for (Index earlier = 0; earlier < e; ++earlier) own.col(earlier * width()) -= (part * a) * F_dt_[at(l)];
      }
    }
    row += s * (n_ + p_);
    begins += h_ * part;
    J(elements_ * s * (n_ + p_), e * width()) = 1.0;
  }
}

void StepProblem::sides(ConstVectorRef u, VectorRef G, VectorRef H) {
  const Index s = stages();
  double begins = t_;
  Eigen::VectorXd lambda_left = c_start_.cwiseMax(0.0) / h_, mu_left = (-c_start_).cwiseMax(0.0) / h_;
  for (Index e = 0; e < elements_; ++e) {
    const Index pair = 2 * p_ * e;
    G.segment(pair, p_).setZero();
    G.segment(pair + p_, p_).setConstant(static_cast<double>(s));
    H.segment(pair, p_) = mu_left;
    H.segment(pair + p_, p_) = lambda_left;
    for (Index k = 0; k < s; ++k) {
      const Index first = place(e, k);
      x_ = start_ + h_ * u.segment(first, n_);
      field_->switches(begins + radau_.c[k] * h_ * u[e * width()], x_, c_);
      c_ /= h_;
      const auto alpha = u.segment(first + n_, p_), lambda = u.segment(first + n_ + p_, p_);
      G.segment(pair, p_) += alpha;
      G.segment(pair + p_, p_) -= alpha;
      H.segment(pair, p_) += lambda - c_;
      H.segment(pair + p_, p_) += lambda;
      lambda_left = lambda;
      mu_left = lambda - c_;
    }
    begins += h_ * u[e * width()];
  }
}

void StepProblem::H_du(ConstVectorRef u, MatrixRef J) {
  const Index s = stages();
  double begins = t_;
  for (Index e = 0; e < elements_; ++e) {
    for (Index k = 0; k < s; ++k) {
      const Index first = place(e, k), times = k + 1 == s && e + 1 < elements_ ? 2 : 1;
      x_ = start_ + h_ * u.segment(first, n_);
      const double t = begins + radau_.c[k] * h_ * u[e * width()];
      field_->gradients(t, x_, gradients_);
      field_->switch_rates(t, x_, c_);
      for (Index of = e; of < e + times; ++of) {  // the last stage is also where the next element begins
        const Index pair = 2 * p_ * of;
        J.block(pair, first, p_, n_) -= gradients_;
        J.block(pair, first + n_ + p_, p_, p_).diagonal().array() += 1.0;
        J.block(pair + p_, first + n_ + p_, p_, p_).diagonal().array() += 1.0;
        for (Index earlier = 0; earlier <= e; ++earlier)
          J.block(pair, earlier * width(), p_, 1) -= (earlier < e ? 1.0 : radau_.c[k]) * c_;
      }
    }
    begins += h_ * u[e * width()];
  }
}

/// 1 and 0 by the signs of c at x_0; of surfaces that x_0 is on the alpha nearest to 1/2 that keep it there, to first
/// order, put into [0, 1].
Eigen::VectorXd StepProblem::start_control() {
  Eigen::VectorXd alpha(p_), F, c_t;
  Eigen::MatrixXd F_dx, F_dalpha, G;
  field_->gradients(t_, start_, G);
  field_->switch_rates(t_, start_, c_t);
  std::vector<Index> on;
  for (Index j = 0; j < p_; ++j) {
    const double terms = G.row(j).cwiseAbs().dot(start_.cwiseAbs().transpose()) + h_ * std::abs(c_t[j]);
    const bool touches = std::abs(c_start_[j]) <= kOnSurface * terms + std::numeric_limits<double>::min();
    alpha[j] = touches ? 0.5 : c_start_[j] > 0.0 ? 1.0 : 0.0;
    if (touches) on.push_back(j);
  }
  all_.evaluate(t_, start_, alpha, F, &F_dx, &F_dalpha);
  const auto count = static_cast<Index>(on.size());
  Eigen::MatrixXd slopes(count, count);
  Eigen::VectorXd off(count);
  for (Index a = 0; a < count; ++a) {
    off[a] = G.row(on[at(a)]).dot(F) + c_t[on[at(a)]];
    for (Index b = 0; b < count; ++b) slopes(a, b) = G.row(on[at(a)]).dot(F_dalpha.col(on[at(b)]));
  }
  if (count == 0) return alpha;
  const Eigen::VectorXd move = slopes.completeOrthogonalDecomposition().solve(off);
  for (Index a = 0; a < count; ++a) alpha[on[at(a)]] = std::clamp(0.5 - move[a], 0.0, 1.0);
  return alpha;
}

/// Equal parts, stages along F at x_0 with start_control().
Eigen::VectorXd StepProblem::start() {
  const double part = 1.0 / static_cast<double>(elements_);
  Eigen::VectorXd u = Eigen::VectorXd::Zero(elements_ * width()), F;
  const Eigen::VectorXd alpha = start_control();
  all_.evaluate(t_, start_, alpha, F, nullptr, nullptr);
  for (Index e = 0; e < elements_; ++e) {
    u[e * width()] = part;
    for (Index k = 0; k < stages(); ++k) {
      const Index first = place(e, k);
      const double way = h_ * (static_cast<double>(e) + radau_.c[k]) * part;
      x_ = start_ + way * F;
      field_->switches(t_ + way, x_, c_);
      u.segment(first, n_) = way / h_ * F;
      u.segment(first + n_, p_) = alpha;
      u.segment(first + n_ + p_, p_) = c_.cwiseMax(0.0) / h_;
    }
  }
  return u;
}

/// Its value, with the Hessian of it alone: rows determine all but lengths and open alpha, and Newton's steps mend
/// their curvature.
void StepProblem::add_value(mpcc::NonlinearProblem& problem) {
  const auto count = static_cast<double>(elements_);
  const auto each_alpha = [this](auto&& visit) {
    for (Index e = 0; e < elements_; ++e)
      for (Index k = 0; k < stages(); ++k)
        for (Index j = 0; j < p_; ++j) visit(place(e, k) + n_ + j);
  };
  problem.f.num_unknowns = elements_ * width();
  problem.f.num_values = 1;
  problem.f.name = "value";
  problem.f.value = [this, count, each_alpha](ConstVectorRef u, VectorRef f) {
    f[0] = 0.0;
    for (Index e = 0; e < elements_; ++e) f[0] += 0.5 * std::pow(count * u[e * width()] - 1.0, 2);
    each_alpha([&](Index i) { f[0] += 0.5 * kMiddle * std::pow(u[i] - 0.5, 2); });
  };
  problem.f.dense_jacobian = [this, count, each_alpha](ConstVectorRef u, MatrixRef J) {
    for (Index e = 0; e < elements_; ++e) J(0, e * width()) = count * (count * u[e * width()] - 1.0);
    each_alpha([&](Index i) { J(0, i) = kMiddle * (u[i] - 0.5); });
  };
  problem.hessian = [this, count, each_alpha](ConstVectorRef u, ConstVectorRef, ConstVectorRef, ConstVectorRef,
                                              Eigen::SparseMatrix<double>& L) {
    std::vector<Eigen::Triplet<double>> entries;
    for (Index e = 0; e < elements_; ++e) entries.emplace_back(e * width(), e * width(), count * count);
    each_alpha([&](Index i) { entries.emplace_back(i, i, kMiddle); });
    L.resize(u.size(), u.size());
    L.setFromTriplets(entries.begin(), entries.end());
  };
}

void StepProblem::add_rows(mpcc::NonlinearProblem& problem) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  const Index unknowns = elements_ * width(), s = stages(), of_element = s * (n_ + p_);
  const Index num_rows = elements_ * of_element + 1;
  problem.lower = Eigen::VectorXd::Constant(unknowns, -kInfinite);
  problem.upper = Eigen::VectorXd::Constant(unknowns, kInfinite);
  problem.row_lower = problem.row_upper = Eigen::VectorXd::Zero(num_rows);
  for (Index e = 0; e < elements_; ++e) {
    problem.lower[e * width()] = kShortest / static_cast<double>(elements_);
    problem.upper[e * width()] = 1.0;
    problem.row_upper.segment(e * of_element + s * n_, s * p_).setConstant(kInfinite);
    for (Index k = 0; k < s; ++k) {
      problem.lower.segment(place(e, k) + n_, 2 * p_).setZero();
      problem.upper.segment(place(e, k) + n_, p_).setOnes();
    }
  }
  problem.c = {.num_unknowns = unknowns,
               .num_values = num_rows,
               .value = [this](ConstVectorRef u, VectorRef value) { rows(u, value); },
               .dense_jacobian = [this](ConstVectorRef u, MatrixRef J) { rows_du(u, J); },
               .name = "steps"};
}

void StepProblem::add_pairs(mpcc::NonlinearProblem& problem) {
  const Index count = 2 * p_ * elements_;
  const auto other = std::make_shared<Eigen::VectorXd>(count);
  problem.G = {.num_unknowns = elements_ * width(),
               .num_values = count,
               .value = [this, other](ConstVectorRef u, VectorRef G) { sides(u, G, *other); },
               .dense_jacobian =
                   [this](ConstVectorRef, MatrixRef J) {
                     for (Index e = 0; e < elements_; ++e) {
                       for (Index k = 0; k < stages(); ++k) {
                         J.block(2 * p_ * e, place(e, k) + n_, p_, p_).setIdentity();
                         J.block(2 * p_ * e + p_, place(e, k) + n_, p_, p_).diagonal().setConstant(-1.0);
                       }
                     }
                   },
               .name = "alpha"};
  problem.H = {.num_unknowns = elements_ * width(),
               .num_values = count,
               .value = [this, other](ConstVectorRef u, VectorRef H) { sides(u, *other, H); },
               .dense_jacobian = [this](ConstVectorRef u, MatrixRef J) { H_du(u, J); },
               .name = "lambda"};
}

bool StepProblem::solve(double t, const Eigen::VectorXd& x_0, double h, Index elements) {
  if (p_ > kMostSwitchingFunctions) return false;
  t_ = t;
  h_ = h;
  elements_ = elements;
  start_ = x_0;
  try {
    field_->switches(t, x_0, c_start_);
    mpcc::NonlinearProblem problem;
    add_value(problem);
    add_rows(problem);
    add_pairs(problem);
    mpcc::NonlinearRelaxation options{.tolerance = kTolerance, .max_steps = kMostPrograms, .start = start()};
    options.start = options.start.cwiseMax(problem.lower).cwiseMin(problem.upper);
    const mpcc::NonlinearResult result = mpcc::solve(problem, options);
    if (!result) return false;
    end_ = x_0 + h * result.x.segment(place(elements - 1, stages() - 1), n_);
    residual_ = result.certificate.residual;
  } catch (const std::exception&) {  // a field that cannot be asked where iterates are: what failed before is told
    return false;
  }
  return end_.allFinite();
}

}  // namespace nonsmooth::finite_elements
