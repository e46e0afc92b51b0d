// SPDX-License-Identifier: Apache-2.0
#include "dormand_prince.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "model/memory.hpp"
#include "step_control.hpp"

namespace nonsmooth::smooth {

namespace {

constexpr double kNotFiniteCut = 0.1;    // when f is not defined at a stage
constexpr double kSmallestError = 1e-4;  // in the controller's memory: smaller ones say no more

// Weights of sums of slopes, as types, so that the sums are unrolled and zeros left out.
template <class Table, std::size_t I>
struct RowOf {
  static constexpr auto weights = Table::a[I];
};
template <class Table>
struct ErrorOf {
  static constexpr auto weights = Table::error;
};
template <class Table, std::size_t I>
struct DenseOf {
  static constexpr auto weights = Table::dense[I];
};
struct Order3Error {
  static constexpr auto weights = [] {
    auto difference = DormandPrinceTable8::a[DormandPrinceTable8::end];
    for (std::size_t j = 0; j < difference.size(); ++j) difference[j] -= DormandPrinceTable8::order3[j];
    return difference;
  }();
};

template <class Of>
constexpr std::size_t nonzero_count() {
  std::size_t count = 0;
  for (const double weight : Of::weights) count += weight != 0.0 ? 1 : 0;
  return count;
}

template <class Of>
constexpr auto nonzero_positions() {
  std::array<std::size_t, nonzero_count<Of>()> positions{};
  std::size_t count = 0;
  for (std::size_t j = 0; j < Of::weights.size(); ++j) {
    if (Of::weights[j] != 0.0) positions[count++] = j;
  }
  return positions;
}

/// out = base + sum over j of h weight_j slope_j, in one pass; without base where it is null.
template <class Of, class Slopes, class Out>
void weighted_sum(double h, const Slopes& slopes, const Eigen::VectorXd* base, Out&& out) {
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    constexpr auto positions = nonzero_positions<Of>();
    const double weights[] = {(h * Of::weights[positions[I]])...};
    if (const Index n = slopes[0].size(); n < kSmallSize) {
      const double* const terms[] = {slopes[positions[I]].data()...};
      const double* const from = base == nullptr ? nullptr : base->data();
      double* const to = out.data();
      using Pair = Eigen::Array2d;
      Index i = 0;
      for (; i + 1 < n; i += 2) {
        const Pair sum = (... + (weights[I] * Eigen::Map<const Pair>(terms[I] + i)));
        Eigen::Map<Pair>(to + i) = from == nullptr ? sum : Pair(Eigen::Map<const Pair>(from + i) + sum);
      }
      if (i < n) to[i] = (from == nullptr ? 0.0 : from[i]) + (... + (weights[I] * terms[I][i]));
    } else if (base == nullptr) {
      out.noalias() = (... + (weights[I] * slopes[positions[I]]));
    } else {
      out.noalias() = *base + (... + (weights[I] * slopes[positions[I]]));
    }
  }
  (std::make_index_sequence<nonzero_count<Of>()>{});
}

}  // namespace

template <class Table>
DormandPrinceStepper<Table>::DormandPrinceStepper(const ErrorControl& control, RightHandSide& f)
    : f_(f), control_(control) {
  check_control(control);
}

template <class Table>
void DormandPrinceStepper<Table>::start(double t, const Eigen::VectorXd& z) {
  t_ = t_start_ = t;
  z_ = z;
  for (auto& slope : slopes_) slope.resize(z.size());
  z_start_.resize(z.size()), z_next_.resize(z.size()), stage_.resize(z.size());
  slope_at_ = SlopeAt::Unknown;
  stepped_ = dense_made_ = false;
  last_error_ = 1.0;
}

template <class Table>
bool DormandPrinceStepper<Table>::evaluate(std::size_t slope, double t, const Eigen::VectorXd& z) {
  ++evaluations_;
  f_(t, z, slopes_[slope]);
  if (check::all_finite(slopes_[slope])) return true;
  worst_ = worst_entry(slopes_[slope], z, z, control_);
  return false;
}

template <class Table>
bool DormandPrinceStepper<Table>::evaluate_current() {
  if (slope_at_ != SlopeAt::Unknown) return true;
  const std::size_t slope = stepped_ ? Table::end : 0;  // the step's first slope is kept for dense() and shorten()
  if (!evaluate(slope, t_, z_)) return false;
  slope_at_ = stepped_ ? SlopeAt::End : SlopeAt::First;
  return true;
}

template <class Table>
template <std::size_t I>
bool DormandPrinceStepper<Table>::evaluate_stage(double t, double h, const Eigen::VectorXd& z) {
  weighted_sum<RowOf<Table, I>>(h, slopes_, &z, stage_);
  return evaluate(I, t + Table::c[I] * h, stage_);
}

template <class Table>
bool DormandPrinceStepper<Table>::step(double t, double h, const Eigen::VectorXd& z) {
  const bool finite = [&]<std::size_t... I>(std::index_sequence<I...>) {
    return (... && evaluate_stage<I + 1>(t, h, z));
  }
  (std::make_index_sequence<Table::end - 1>{});
  if (!finite) return false;
  weighted_sum<RowOf<Table, Table::end>>(h, slopes_, &z, z_next_);
  return true;
}

template <class Table>
double DormandPrinceStepper<Table>::error_norm(double h, const Eigen::VectorXd& z) {
  const auto square = [&] { return weighted_square_sum(stage_, z, z_next_, control_.relative, control_.absolute); };
  const auto n = static_cast<double>(std::max<Index>(z.size(), 1));
  weighted_sum<ErrorOf<Table>>(h, slopes_, nullptr, stage_);
  const double embedded = square();
  if constexpr (Table::order == 5) {
    return std::sqrt(embedded / n);
  } else {
    // Estimates of order 5 and 3: |e5|^2 / |e3| is of the order of the step.
    weighted_sum<Order3Error>(h, slopes_, nullptr, stage_);
    const double both = embedded + 0.01 * square();
    return both == 0.0 ? 0.0 : embedded / std::sqrt(n * both);
  }
}

template <class Table>
double DormandPrinceStepper<Table>::factor(double error) {
  // Proportional-integral: h (0.9 / error^(1/p - 3/4 beta)) last_error^beta.
  constexpr double beta = 0.2 / Table::order, alpha = 1.0 / Table::order - 0.75 * beta;
  const double remembered = std::max(error, kSmallestError * kSmallestError);
  return std::clamp(kSafety * std::pow(remembered, -alpha) * std::pow(last_error_, beta), kLargestCut, kLargestGrowth);
}

template <class Table>
Outcome DormandPrinceStepper<Table>::advance(double t_limit) {
  const bool known = evaluate_current();
  if (slope_at_ == SlopeAt::End) {
    slopes_[0].swap(slopes_[Table::end]);
    slope_at_ = SlopeAt::First;
  }
  stepped_ = dense_made_ = false;
  t_start_ = t_;
  if (!known) return Outcome::NotFinite;

  const bool fixed = control_.fixed_step > 0.0;
  h_next_ = proposed_length(control_, h_next_, [&] {
    ++evaluations_;
    return first_step(f_, t_, z_, slopes_[0], t_limit - t_, control_, Table::order, stage_, slopes_[1]);
  });
  const double longest = control_.largest_step > 0.0 ? control_.largest_step : std::numeric_limits<double>::infinity();
  double proposed = std::max(std::min(h_next_, longest), smallest_step(t_));
  for (bool again = false;; again = true) {
    const auto [end, h] = step_span(t_, proposed, t_limit);
    bool finite = step(t_, h, z_);
    double error = 0.0;
    if (finite && !fixed) {
      if constexpr (Table::order == 5) finite = evaluate(Table::end, end, z_next_);
      if (finite) error = error_norm(h, z_);
    }
    finite = finite && std::isfinite(error);
    const bool met = finite && error <= 1.0;
    // The slope at the end, unless the estimate had it: the next step's first, and dense() needs it.
    if (met && (Table::order != 5 || fixed)) finite = evaluate(Table::end, end, z_next_);
    if (met && finite) {
      if (!fixed) {
        double grown = h * factor(error);
        if (again) grown = std::min(grown, h);
        if (h < proposed && grown >= h) grown = std::max(grown, proposed);  // cut by t_limit, not by the error
        if (h >= proposed) last_error_ = std::max(error, kSmallestError);
        h_next_ = std::min(grown, longest);
      }
      z_start_.swap(z_);
      z_.swap(z_next_);
      t_ = end;
      slope_at_ = SlopeAt::End;
      stepped_ = true;
      return Outcome::Taken;
    }
    ++rejected_;
    if (fixed) return h_next_ = 0.0, Outcome::NotFinite;
    proposed = h * (finite ? std::max(kLargestCut, kSafety * std::pow(error, -1.0 / Table::order)) : kNotFiniteCut);
    if (proposed < smallest_step(t_)) {
      h_next_ = 0.0;
      if (finite) worst_ = worst_entry(stage_, z_, z_next_, control_);  // the error of error_norm()
      return finite ? Outcome::StepTooSmall : Outcome::NotFinite;
    }
  }
}

template <class Table>
Outcome DormandPrinceStepper<Table>::shorten(double t_end) {
  if (t_end == t_) return Outcome::Taken;
  stepped_ = dense_made_ = false;  // until the slopes are whole again
  slope_at_ = SlopeAt::Unknown;
  if (!step(t_start_, t_end - t_start_, z_start_)) return Outcome::NotFinite;
  z_.swap(z_next_);
  t_ = t_end;
  stepped_ = true;
  return Outcome::Taken;
}

template <class Table>
void DormandPrinceStepper<Table>::amend(const Eigen::VectorXd& z) {
  z_ = z;
  slope_at_ = SlopeAt::Unknown;
  dense_made_ = false;
}

template <class Table>
bool DormandPrinceStepper<Table>::save(std::vector<double>& numbers) {
  memory::Writer memory(numbers);
  bool known = slope_at_ != SlopeAt::Unknown;
  memory(t_start_, t_, z_, h_next_, last_error_, known);
  if (known) memory(slopes_[slope_at_ == SlopeAt::First ? 0 : Table::end]);
  return true;
}

template <class Table>
void DormandPrinceStepper<Table>::resume(const std::vector<double>& numbers) {
  memory::Reader memory(numbers);
  double t_start = 0.0, error = 1.0;
  bool known = false;
  memory(t_start, t_, z_, h_next_, error, known);
  start(t_, Eigen::VectorXd(z_));
  t_start_ = t_start;
  last_error_ = error;
  if (!known) return;
  memory(slopes_[0]);
  slope_at_ = SlopeAt::First;
}

template <class Table>
const DensePolynomial& DormandPrinceStepper<Table>::dense() {
  if (!dense_made_) make_dense();
  dense_made_ = true;
  return dense_;
}

template <class Table>
void DormandPrinceStepper<Table>::make_dense() {
  const double h = t_ - t_start_;
  dense_.t0 = t_start_, dense_.h = h;
  dense_.degree = stepped_ ? Table::dense_order : 0;
  if (dense_.coefficients.rows() != z_.size()) dense_.coefficients.resize(z_.size(), Table::dense_order + 1);
  auto& c = dense_.coefficients;
  if (!stepped_) {
    c.col(0) = z_;
    return;
  }
  evaluate_current();
  if constexpr (Table::order == 8) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (evaluate_stage<Table::end + 1 + I>(t_start_, h, z_start_), ...);
    }
    (std::make_index_sequence<Table::slopes - Table::end - 1>{});
  }
  // Columns from 4 on hold the table's r_0, r_1, ... first; then all is written in powers of s.
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (weighted_sum<DenseOf<Table, I>>(h, slopes_, nullptr, c.col(static_cast<Index>(4 + I))), ...);
  }
  (std::make_index_sequence<Table::dense.size()>{});
  const Index n = z_.size();
  double* const out = c.data();
  for (Index i = 0; i < n; ++i) {
    const double start = z_start_[i], difference = z_[i] - start;
    const double first = h * slopes_[0][i], last = h * slopes_[Table::end][i];
    const double r0 = out[4 * n + i];
    out[i] = start;
    out[n + i] = first;
    out[2 * n + i] = 3.0 * difference - 2.0 * first - last + r0;
    out[3 * n + i] = first + last - 2.0 * difference - 2.0 * r0;
    if constexpr (Table::order == 8) {
      const double r1 = out[5 * n + i], r2 = out[6 * n + i], r3 = out[7 * n + i];
      out[3 * n + i] += r1 + r2;
      out[4 * n + i] = r0 - 2.0 * r1 - 3.0 * r2 + r3;
      out[5 * n + i] = r1 + 3.0 * (r2 - r3);
      out[6 * n + i] = 3.0 * r3 - r2;
      out[7 * n + i] = -r3;
    }
  }
}

template class DormandPrinceStepper<DormandPrinceTable5>;
template class DormandPrinceStepper<DormandPrinceTable8>;

std::unique_ptr<Stepper> make_stepper(const DormandPrince& method, const ErrorControl& control, RightHandSide& f) {
  if (method.order == 5) return std::make_unique<DormandPrinceStepper<DormandPrinceTable5>>(control, f);
  if (method.order == 8) return std::make_unique<DormandPrinceStepper<DormandPrinceTable8>>(control, f);
  throw InvalidArgument("DormandPrince::order", std::to_string(method.order), "5 or 8");
}

}  // namespace nonsmooth::smooth
