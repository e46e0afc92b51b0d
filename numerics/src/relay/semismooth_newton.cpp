// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/relay/semismooth_newton.hpp>

#include <algorithm>
#include <deque>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "internal.hpp"

namespace nonsmooth::relay {
namespace {

using Reformulation = SemismoothNewton::Reformulation;

/// A value with its derivatives with respect to s z and w.
struct Row {
  double value, by_z, by_w;
};

/// phi(a, b) = a + b - sqrt(a^2 + b^2), without cancellation for a + b > 0, and its derivatives.
Row fischer_burmeister(double a, double b) {
  const double r = std::hypot(a, b);
  const double value = a + b > 0.0 ? 2.0 * (a / (r + a + b)) * b : a + b - r;
  if (!(r > 0.0)) return {0.0, 1.0 - std::sqrt(0.5), 1.0 - std::sqrt(0.5)};  // at the kink, along (1, 1)
  return {value, 1.0 - a / r, 1.0 - b / r};
}

Row row_of(Reformulation reformulation, double s, double z, double w, double lower, double upper) {
  Row row{w, 0.0, 1.0};
  if (reformulation == Reformulation::Minimum) {
    if (lower > -detail::infinity && s * (z - lower) < row.value) row = {s * (z - lower), 1.0, 0.0};
    if (upper < detail::infinity && s * (z - upper) > row.value) row = {s * (z - upper), 1.0, 0.0};
    return row;
  }
  if (upper < detail::infinity) {
    const Row inner = fischer_burmeister(s * (upper - z), -w);
    row = {-inner.value, inner.by_z, inner.by_w};
  }
  if (lower > -detail::infinity) {
    const Row outer = fischer_burmeister(s * (z - lower), row.value);
    row = {outer.value, outer.by_z + outer.by_w * row.by_z, outer.by_w * row.by_w};
  }
  return row;
}

void run(const View& problem, const SemismoothNewton& options, Result& result) {
  const Index n = problem.q.size();
  const nonsmooth::detail::Deadline deadline(options.time_limit);
  result.solver = options.reformulation == Reformulation::Minimum ? "semismooth newton on min" : "semismooth newton";
  detail::Partition partition(problem);
  lcp::detail::DenseLu lu;
  Eigen::MatrixXd jacobian(n, n);
  Eigen::VectorXd s(n), z(n), w(n), h(n), by_z(n), by_w(n), step(n), gradient(n), product(n), trial(n), trial_w(n),
      scratch(n);
  detail::row_scales(problem, s);
  z.setZero();
  detail::clamp(problem, z);
  w = problem.q;
  w.noalias() += problem.M * z;
  detail::Places places(static_cast<std::size_t>(n)), places_before;
  const auto merit = [&](const Eigen::VectorXd& at, const Eigen::VectorXd& at_w) {
    double sum = 0.0;
    for (Index i = 0; i < n; ++i) {
      const double value =
          row_of(options.reformulation, s[i], at[i], at_w[i], problem.lower[i], problem.upper[i]).value;
      sum += value * value;
    }
    return 0.5 * sum;
  };
  const auto keep = [&](const Eigen::VectorXd& candidate) {
    trial = candidate;
    detail::clamp(problem, trial);
    detail::keep_better(problem, trial, scratch, result);
    return result.certificate.residual <= options.tolerance;
  };
  std::deque<double> merits;
  Status end = Status::IterationLimit;
  std::string_view reason = "max_steps reached";
  for (result.iterations = 0;; ++result.iterations) {
    if (keep(z)) break;
    for (Index i = 0; i < n; ++i) {
      const double target = z[i] - w[i] / s[i];
      places[static_cast<std::size_t>(i)] = target <= problem.lower[i]   ? detail::Place::Lower
                                            : target >= problem.upper[i] ? detail::Place::Upper
                                                                         : detail::Place::Between;
    }
    if (places == places_before && partition.solve(places, trial_w, scratch) && keep(trial_w)) break;
    places_before = places;
    if (result.iterations >= options.max_steps) break;
    if (deadline.passed()) {
      end = Status::TimeLimit;
      reason = "time_limit reached";
      break;
    }
    for (Index i = 0; i < n; ++i) {
      const Row row = row_of(options.reformulation, s[i], z[i], w[i], problem.lower[i], problem.upper[i]);
      h[i] = row.value;
      by_z[i] = row.by_z * s[i];
      by_w[i] = row.by_w;
    }
    scratch = by_w.cwiseProduct(h);
    gradient.noalias() = problem.M.transpose() * scratch;
    gradient += by_z.cwiseProduct(h);
    merits.push_back(0.5 * h.squaredNorm());
    if (static_cast<Index>(merits.size()) > options.memory) merits.pop_front();
    const double reference = *std::max_element(merits.begin(), merits.end());
    jacobian = by_w.asDiagonal() * problem.M;
    jacobian.diagonal() += by_z;
    bool newton = lu.factorize(jacobian);
    if (!newton) {  // singular: sqrt(eps) more of the diagonal
      jacobian.diagonal() += 1e-8 * s;
      newton = lu.factorize(jacobian);
    }
    if (newton) {
      step = -h;
      lu.solve_in_place(step);
      newton = step.allFinite() && gradient.dot(step) <= -1e-12 * gradient.norm() * step.norm();
    }
    bool moved = false;
    for (int attempt = newton ? 0 : 1; attempt < 2 && !moved; ++attempt) {
      if (attempt == 1) step = -gradient.cwiseQuotient(s.cwiseProduct(s));
      const double slope = gradient.dot(step);
      product.noalias() = problem.M * step;
      double t = 1.0;
      for (int halving = 0; halving < 50 && !moved; ++halving, t *= 0.5) {
        trial = z + t * step;
        trial_w = w + t * product;
        moved = merit(trial, trial_w) <= reference + options.decrease * t * slope && trial != z;
      }
    }
    if (!moved) {
      end = Status::Stalled;
      reason = "no descent: a stationary point of the merit function, or round-off";
      break;
    }
    z = trial;
    w = problem.q;
    w.noalias() += problem.M * z;
  }
  detail::conclude(problem, options.tolerance, result, end, reason);
}

}  // namespace

void SemismoothNewton::validate() const {
  check::positive("relay::SemismoothNewton::tolerance", tolerance);
  check::at_least("relay::SemismoothNewton::max_steps", max_steps, 1);
  check::positive("relay::SemismoothNewton::decrease", decrease);
  check::range("relay::SemismoothNewton::decrease", decrease, 0.0, 0.5);
  check::at_least("relay::SemismoothNewton::memory", memory, 1);
  nonsmooth::detail::check_time_limit("relay::SemismoothNewton::time_limit", time_limit);
  if (reformulation != Reformulation::FischerBurmeister && reformulation != Reformulation::Minimum) {
    throw InvalidArgument("relay::SemismoothNewton::reformulation", "an unknown value", "one of the enumeration");
  }
}

void detail::semismooth_newton(const View& problem, double tolerance, Index max_steps, double time_limit,
                               Result& result) {
  result = Result();
  SemismoothNewton options;
  options.tolerance = tolerance;
  if (max_steps > 0) options.max_steps = max_steps;
  options.time_limit = time_limit;
  run(problem, options, result);
}

Result solve(const Problem& problem, const SemismoothNewton& options) {
  problem.validate();
  options.validate();
  Result result;
  run(detail::view(problem), options, result);
  return result;
}

}  // namespace nonsmooth::relay
