// SPDX-License-Identifier: Apache-2.0
#include "radau.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <utility>

#include <internal/check.hpp>
#include <internal/round_off.hpp>

#include "model/memory.hpp"
#include "step_control.hpp"

namespace nonsmooth::smooth {

namespace {

constexpr int kIterations = 7, kIterationsToRoundOff = 20;
constexpr double kNewtonTolerance = 0.01;  // of the error's
constexpr double kFastContraction = 1e-3;  // the Jacobian serves another step
constexpr double kKeptLength = 1.2;        // growth below it is not worth new factors
/// Of the change over which f is another one: errors, which are no less than round-off of z.
constexpr double kFineError = 1e-3, kFineRoundOff = 100.0;
constexpr double kFineNewton = 0.1;  // of such an error: what is left of Newton's iteration where it is round-off

// Nodes c, the eigenvalues of A^{-1} and T (third row scaled to ones) with its inverse; the weights of the error
// estimate; and P with z(t + s h) = z + sum_k s^(k+1) sum_i P_ki Z_i, the inverse of the Vandermonde matrix of c.
constexpr double kNodes[3] = {0.15505102572168219018, 0.64494897427831780982, 1.0};
constexpr double kGamma = 3.6378342527444957322, kAlpha = 2.6810828736277521339, kBeta = 3.0504301992474105694;
const Eigen::Matrix3d kT{{0.094438762488975241487, -0.14125529502095420843, -0.030029194105147424492},
                         {0.25021312296533331138, 0.204129352293799932, 0.3829421127572619378},
                         {1.0, 1.0, 0.0}};
const Eigen::Matrix3d kTInverse{{4.1787185915519047273, 0.32768282076106238708, 0.52337644549944954804},
                                {-4.1787185915519047273, -0.32768282076106238708, 0.47662355450055045196},
                                {-0.50287263494578687595, 2.5719269498556054292, -0.59603920482822492497}};
const Eigen::Vector3d kError{-10.048809399827415562, 1.3821427331607488958, -0.33333333333333333333};
const Eigen::Matrix3d kPowers{{10.048809399827415562, -1.3821427331607488958, 0.33333333333333333333},
                              {-25.629591447076639387, 10.296258113743306053, -2.6666666666666666667},
                              {15.580782047249223824, -8.9141153805825571577, 3.3333333333333333333}};

/// out = in * matrix^T for three columns, column by column without temporaries.
void transform(const Eigen::MatrixXd& in, const Eigen::Matrix3d& matrix, Eigen::MatrixXd& out) {
  for (Index k = 0; k < 3; ++k) {
    out.col(k).noalias() = matrix(k, 0) * in.col(0) + matrix(k, 1) * in.col(1) + matrix(k, 2) * in.col(2);
  }
}

}  // namespace

RadauStepper::RadauStepper(const ErrorControl& control, RightHandSide& f) : f_(f), control_(control) {
  check_control(control);
  control_.relative = std::max(control.relative, 10.0 * eps);
}

void RadauStepper::start(double t, const Eigen::VectorXd& z) {
  t_ = t_start_ = t;
  z_ = z;
  const Index n = z.size();
  if (Z_.rows() != n || Z_.cols() != 3) {
    for (auto* x : {&z_next_, &z_start_, &stage_, &slope_, &first_slope_, &scale_, &estimate_}) x->setZero(n);
    real_rhs_.resize(n), real_step_.resize(n), complex_rhs_.resize(n), complex_step_.resize(n);
    Z_.resize(n, 3), W_.resize(n, 3), F_.resize(n, 3);
    jacobian_.setZero(n, n), real_matrix_.resize(n, n), complex_matrix_.resize(n, n);
    dense_.coefficients.setZero(n, 4);
  }
  forget();
}

/// All memory of earlier steps but h_next_.
void RadauStepper::forget() {
  slope_known_ = jacobian_kept_ = jacobian_fresh_ = predicts_ = false;
  factorized_h_ = last_h_ = 0.0;
  carried_ = 1.0;
  t_start_ = t_;
  dense_.t0 = t_, dense_.h = 0.0, dense_.degree = 0;
  dense_.coefficients.col(0) = z_;
}

bool RadauStepper::evaluate(double t, const Eigen::VectorXd& z, Eigen::VectorXd& slope) {
  ++evaluations_;
  f_(t, z, slope);
  if (check::all_finite(slope)) return true;
  worst_ = worst_entry(slope, z, z, control_);
  return false;
}

void RadauStepper::differentiate(double t, const Eigen::VectorXd& z, double h) {
  stage_ = z;
  for (Index j = 0; j < z.size(); ++j) {
    // Of the size of z_j, of its change in a step or of what the tolerances call zero, whichever is largest.
    const double size =
        std::max({std::abs(z[j]), std::abs(h * first_slope_[j]), control_.absolute / control_.relative});
    double difference = std::sqrt(eps) * size;
    if (finest_ != nullptr && std::isfinite((*finest_)[j])) {
      // f curves over the finest change, and z_j is rounded: errors of both are least between them.
      const double finest = (*finest_)[j];
      difference = std::min(difference, std::max(std::sqrt(eps * std::abs(z[j]) * finest), std::sqrt(eps) * finest));
      difference = std::max(difference, 4.0 * eps * std::abs(z[j]));
    }
    double moved = z[j] + difference;
    stage_[j] = moved;
    if (!evaluate(t, stage_, slope_)) {  // at the border of where f is defined: backwards
      stage_[j] = moved = z[j] - difference;
      evaluate(t, stage_, slope_);
    }
    jacobian_.col(j) = (slope_ - first_slope_) / (moved - z[j]);
    stage_[j] = z[j];
  }
  jacobian_kept_ = jacobian_fresh_ = true;
  factorized_h_ = 0.0;
}

void RadauStepper::factorize(double h) {
  // Nearly the same length: the iteration's fixed point is that of h all the same.
  if (factorized_h_ > 0.0 && std::abs(h - factorized_h_) <= 1e-6 * h) return;
  factorized_h_ = 0.0;
  real_matrix_ = -jacobian_;
  real_matrix_.diagonal().array() += kGamma / h;
  real_lu_.compute(real_matrix_);
  complex_matrix_ = -jacobian_.cast<std::complex<double>>();
  complex_matrix_.diagonal().array() += std::complex<double>(kAlpha / h, kBeta / h);
  complex_lu_.compute(complex_matrix_);
  factorized_h_ = h;
}

/// Z_ from the last step's polynomial, zero without one.
void RadauStepper::predict(double t, double h, const Eigen::VectorXd& z) {
  if (!predicts_) {
    Z_.setZero(), W_.setZero();
    return;
  }
  for (Index i = 0; i < 3; ++i) {
    dense_.evaluate(t + kNodes[i] * h, stage_);
    Z_.col(i) = stage_ - z;
  }
  transform(Z_, kTInverse, W_);
}

RadauStepper::Newton RadauStepper::iterate(double t, double h, const Eigen::VectorXd& z, bool to_round_off) {
  const double round_off = 4.0 * eps / control_.relative;
  const int limit = to_round_off ? kIterationsToRoundOff : kIterations;
  // As errors are weighed, by the larger of both ends: one that starts at zero is as large as its way.
  scale_.array() = control_.absolute + control_.relative * z.array().abs().max((h * first_slope_).array().abs());
  if (finest_ != nullptr)
    scale_ = scale_.cwiseMin((kFineError * finest_->array()).max(kFineRoundOff * eps * z.array().abs()).matrix());
  carried_ = std::pow(std::max(carried_, eps), 0.8);
  contraction_ = 0.0;
  double last = 0.0, last_ratio = 0.0;
  for (iterations_ = 1; iterations_ <= limit; ++iterations_) {
    for (Index i = 0; i < 3; ++i) {
      stage_.noalias() = z + Z_.col(i);
      if (!evaluate(t + kNodes[i] * h, stage_, slope_)) return Newton::NotFinite;
      F_.col(i) = slope_;
    }
    const auto transformed = [&](Index k) {
      return kTInverse(k, 0) * F_.col(0) + kTInverse(k, 1) * F_.col(1) + kTInverse(k, 2) * F_.col(2);
    };
    real_rhs_.noalias() = transformed(0) - (kGamma / h) * W_.col(0);
    complex_rhs_.real() = transformed(1) - (kAlpha / h) * W_.col(1) + (kBeta / h) * W_.col(2);
    complex_rhs_.imag() = transformed(2) - (kBeta / h) * W_.col(1) - (kAlpha / h) * W_.col(2);
    real_lu_.solve(real_rhs_, real_step_);
    complex_lu_.solve(complex_rhs_, complex_step_);
    const double square = (real_step_.array() / scale_.array()).square().sum() +
                          (complex_step_.array().real() / scale_.array()).square().sum() +
                          (complex_step_.array().imag() / scale_.array()).square().sum();
    const double size = std::sqrt(square / static_cast<double>(3 * std::max<Index>(z.size(), 1)));
    if (!std::isfinite(size)) return Newton::Diverged;  // a singular matrix
    if (iterations_ > 1) {
      const double ratio = size / last;
      // Changes that no longer shrink: round-off of the largest entries in the others, or of the last digits.
      const double change = std::max(real_step_.lpNorm<Eigen::Infinity>(), complex_step_.lpNorm<Eigen::Infinity>());
      const double largest = std::max(z.lpNorm<Eigen::Infinity>(), Z_.lpNorm<Eigen::Infinity>());
      const bool rounded = finest_ == nullptr ? change <= 100.0 * eps * largest : size <= kFineNewton;
      if (ratio > 0.9 && rounded) return Newton::Converged;
      if (to_round_off && ratio > 0.5 && last <= 1e-3 * kNewtonTolerance) return Newton::Converged;
      contraction_ = iterations_ == 2 ? ratio : std::sqrt(ratio * last_ratio);
      last_ratio = ratio;
      if (contraction_ >= 0.99) return Newton::Diverged;
      carried_ = contraction_ / (1.0 - contraction_);
      const double expected = carried_ * size * std::pow(contraction_, limit - iterations_);
      if (expected > kNewtonTolerance) return Newton::Diverged;
    }
    last = size;
    W_.col(0) += real_step_;
    W_.col(1) += complex_step_.real();
    W_.col(2) += complex_step_.imag();
    transform(W_, kT, Z_);
    if (size <= round_off || (!to_round_off && carried_ * size <= kNewtonTolerance)) return Newton::Converged;
  }
  return last <= kNewtonTolerance ? Newton::Converged : Newton::Diverged;
}

/// Newton's iteration, once more with a new Jacobian where an old one fails.
RadauStepper::Newton RadauStepper::solve(double t, double h, const Eigen::VectorXd& z, bool to_round_off) {
  if (!jacobian_kept_) differentiate(t, z, h);
  for (;;) {
    factorize(h);
    predict(t, h, z);
    const Newton newton = iterate(t, h, z, to_round_off);
    if (newton == Newton::Converged || jacobian_fresh_) return newton;
    differentiate(t, z, h);
  }
}

/// As weighted_norm(), by scale_ where changes of z are fine.
double RadauStepper::norm(const Eigen::VectorXd& error) {
  if (finest_ == nullptr) return weighted_norm(error, z_, z_next_, control_.relative, control_.absolute);
  return std::sqrt((error.array() / scale_.array()).square().sum() /
                   static_cast<double>(std::max<Index>(error.size(), 1)));
}

double RadauStepper::error_norm(double t, double h, bool once_more) {
  const auto weighted = (kError[0] * Z_.col(0) + kError[1] * Z_.col(1) + kError[2] * Z_.col(2)) / h;
  real_rhs_.noalias() = first_slope_ + weighted;
  real_lu_.solve(real_rhs_, estimate_);
  double error = norm(estimate_);
  if (error > 1.0 && once_more) {  // where the first estimate is too large in stiff components
    stage_.noalias() = z_ + estimate_;
    if (!evaluate(t, stage_, slope_)) return std::numeric_limits<double>::quiet_NaN();
    real_rhs_.noalias() = slope_ + weighted;
    real_lu_.solve(real_rhs_, estimate_);
    error = norm(estimate_);
  }
  return error;
}

double RadauStepper::next_length(double h, double error, bool again) {
  const double floored = std::max(error, 1e-10);
  const double iterations = (1.0 + 2.0 * kIterations) / (iterations_ + 2.0 * kIterations);
  double growth = std::min(kSafety, kSafety * iterations) * std::pow(floored, -0.25);
  if (last_h_ > 0.0) {  // the errors' trend, where it is less
    growth = std::min(growth, kSafety * (h / last_h_) * std::pow(last_error_ / (floored * floored), 0.25));
  }
  growth = std::clamp(growth, kLargestCut, kLargestGrowth);
  if (again) growth = std::min(growth, 1.0);
  return jacobian_kept_ && growth >= 1.0 && growth <= kKeptLength ? h : h * growth;
}

Outcome RadauStepper::advance(double t_limit) {
  if (!slope_known_ && !evaluate(t_, z_, first_slope_)) return forget(), Outcome::NotFinite;
  slope_known_ = true;
  const bool fixed = control_.fixed_step > 0.0;
  h_next_ = proposed_length(control_, h_next_, [&] {
    ++evaluations_;
    return first_step(f_, t_, z_, first_slope_, t_limit - t_, control_, 3, stage_, slope_);
  });
  const double longest = control_.largest_step > 0.0 ? control_.largest_step : std::numeric_limits<double>::infinity();
  double proposed = std::max(std::min(h_next_, longest), smallest_step(t_));
  for (bool again = false;; again = true) {
    const auto [end, h] = step_span(t_, proposed, t_limit);
    const Newton newton = solve(t_, h, z_, fixed);
    double error = 0.0;
    if (newton == Newton::Converged) {
      z_next_.noalias() = z_ + Z_.col(2);
      if (!fixed) error = error_norm(t_, h, again || last_h_ == 0.0);
      if (error <= 1.0) {
        jacobian_kept_ = contraction_ <= kFastContraction;
        if (!fixed) {
          double grown = next_length(h, error, again);
          if (h < proposed && grown >= h) grown = std::max(grown, proposed);  // cut by t_limit, not by the error
          h_next_ = std::min(grown, longest);
          last_h_ = h, last_error_ = std::max(error, 1e-2);
        }
        accept(end, h);
        return Outcome::Taken;
      }
    }
    ++rejected_;
    const bool finite = newton != Newton::NotFinite && std::isfinite(error);
    double cut = 0.5;  // Newton's iteration diverged
    if (!finite) {
      cut = 0.1;
    } else if (newton == Newton::Converged) {
      cut = std::clamp(kSafety * std::pow(error, -0.25), 0.1, kSafety);
    }
    proposed = h * cut;
    if (fixed || proposed < smallest_step(t_)) {
      h_next_ = 0.0;
      if (finite) worst_ = worst_entry(newton == Newton::Converged ? estimate_ : real_step_, z_, z_next_, control_);
      forget();
      return finite ? Outcome::StepTooSmall : Outcome::NotFinite;
    }
    if (!jacobian_fresh_) jacobian_kept_ = false;
  }
}

void RadauStepper::accept(double end, double h) {
  z_start_.swap(z_);
  z_.swap(z_next_);
  t_start_ = t_;
  t_ = end;
  slope_known_ = jacobian_fresh_ = false;
  make_dense(h);
}

void RadauStepper::make_dense(double h) {
  dense_.t0 = t_start_, dense_.h = h, dense_.degree = 3;
  auto& c = dense_.coefficients;
  c.col(0) = z_start_;
  for (Index k = 0; k < 3; ++k) {
    c.col(k + 1).noalias() = kPowers(k, 0) * Z_.col(0) + kPowers(k, 1) * Z_.col(1) + kPowers(k, 2) * Z_.col(2);
  }
  predicts_ = true;
}

Outcome RadauStepper::shorten(double t_end) {
  if (t_end == t_) return Outcome::Taken;
  const double h = t_end - t_start_;
  // The slope and the Jacobian are still those of the step's start, unless the slope at its end was asked for.
  if (slope_known_ && !evaluate(t_start_, z_start_, first_slope_)) return Outcome::NotFinite;
  slope_known_ = jacobian_fresh_ = false;
  jacobian_kept_ = true;  // the step converged with it
  const Newton newton = solve(t_start_, h, z_start_, true);
  jacobian_fresh_ = false;
  jacobian_kept_ = contraction_ <= kFastContraction;
  if (newton == Newton::NotFinite) return Outcome::NotFinite;
  t_ = t_end;
  if (newton == Newton::Diverged) {
    // f changes within round-off of this end, as the direction of a slip does where it stops: the polynomial of the
    // step that met the tolerances, cut off here.
    const double part = h / dense_.h;
    double power = 1.0;
    for (Index k = 0; k <= dense_.degree; ++k, power *= part) dense_.coefficients.col(k) *= power;
    dense_.h = h;
    z_ = dense_.coefficients.leftCols(dense_.degree + 1).rowwise().sum();
    return Outcome::Taken;
  }
  z_.noalias() = z_start_ + Z_.col(2);
  make_dense(h);
  return Outcome::Taken;
}

void RadauStepper::amend(const Eigen::VectorXd& z) {
  if (predicts_) {  // the polynomial's end moves along
    dense_.coefficients.col(2) += 3.0 * (z - z_);
    dense_.coefficients.col(3) -= 2.0 * (z - z_);
  }
  z_ = z;
  slope_known_ = jacobian_fresh_ = false;
}

template <class Memory>
void RadauStepper::remember(Memory& memory) {
  memory(t_start_, t_, z_, slope_known_, jacobian_kept_, jacobian_fresh_, predicts_, factorized_h_, carried_, h_next_,
         last_h_, last_error_, jacobian_, first_slope_);
  memory(dense_.t0, dense_.h, dense_.degree, dense_.coefficients);
}

bool RadauStepper::save(std::vector<double>& numbers) {
  memory::Writer memory(numbers);
  remember(memory);
  return true;
}

void RadauStepper::resume(const std::vector<double>& numbers) {
  memory::Reader memory(numbers);
  memory(t_start_, t_, z_);
  start(t_, Eigen::VectorXd(z_));
  memory::Reader again(numbers);
  remember(again);
  if (const double h = std::exchange(factorized_h_, 0.0); h > 0.0) factorize(h);
}

std::unique_ptr<Stepper> make_stepper(const RadauIIA&, const ErrorControl& control, RightHandSide& f) {
  return std::make_unique<RadauStepper>(control, f);
}

}  // namespace nonsmooth::smooth
