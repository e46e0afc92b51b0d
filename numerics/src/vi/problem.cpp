// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/vi/problem.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <internal/check.hpp>
#include <internal/round_off.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "measure.hpp"
#include "message.hpp"
#include "numbers.hpp"

namespace nonsmooth::vi {
namespace {

/// F(x) of a merit function's caller.
Eigen::VectorXd value_at(const char* argument, const Problem& problem, ConstVectorRef x) {
  problem.validate();
  check::size(argument, x.size(), problem.K.size(), "one a row of K");
  check::finite(argument, x);
  Eigen::VectorXd w(x.size());
  if (const std::optional<NotFinite> found = evaluate(problem.F, x, w))
    throw InvalidArgument("vi::Problem::F", found->message(problem.F), "finite numbers");
  return w;
}

}  // namespace

void Problem::validate() const {
  F.validate();
  if (K.size() < 1) throw InvalidArgument("vi::Problem::K", "no rows", "at least one");
  check::size("vi::Problem::F: num_unknowns", F.num_unknowns, K.size(), "one a row of K");
  check::size("vi::Problem::F: num_values", F.num_values, K.size(), "one a row of K");
}

std::string Result::message() const {
  std::string text = nonsmooth::detail::message(
      *this, {.stalled = "try vi::Automatic, or look at whether F is monotone on K and its Jacobian right",
              .infeasible = "the vector `proof` shows that K is empty",
              .numerical_failure = "look at the domain of F and at the rows of K"});
  if (!not_finite.empty()) text += "; " + not_finite;
  return text;
}

Certificate certify(const Problem& problem, ConstVectorRef x, VectorRef w) {
  problem.validate();
  check::size("vi::certify: x", x.size(), problem.K.size(), "one a row of K");
  check::size("vi::certify: w", w.size(), problem.K.size(), "one a row of K");
  const std::optional<NotFinite> found = evaluate(problem.F, x, w);
  detail::Projector project(problem.K);
  const detail::Measure measure(problem, project);
  if (found || !measure.report().ok()) return {};
  return measure.certify(x, w);
}

bool proves_infeasible(const Problem& problem, ConstVectorRef y) { return problem.K.proves_empty(y); }

Gap gap(const Problem& problem, ConstVectorRef x) {
  const Eigen::VectorXd w = value_at("vi::gap: x", problem, x);
  Gap gap{.value = 0.0, .y = Eigen::VectorXd::Zero(x.size())};
  gap.value = w.dot(x) + problem.K.support(-w, gap.y);
  return gap;
}

Gap regularised_gap(const Problem& problem, ConstVectorRef x, double alpha) {
  check::positive("vi::regularised_gap: alpha", alpha);
  const Eigen::VectorXd w = value_at("vi::regularised_gap: x", problem, x);
  Gap gap{.value = 0.0, .y = Eigen::VectorXd::Zero(x.size())};
  const ProjectionReport report = problem.K.project(x - w / alpha, gap.y);
  if (report.status == Status::Infeasible)
    throw InvalidArgument("vi::regularised_gap: problem", "a K without a point", "one that is not empty");
  if (!report.ok()) {
    gap.value = std::numeric_limits<double>::quiet_NaN();
    return gap;
  }
  const Eigen::VectorXd step = x - gap.y;
  gap.value = w.dot(step) - 0.5 * alpha * step.squaredNorm();
  return gap;
}

namespace detail {

Measure::Measure(const Problem& problem, Projector& project) : project_(project) {
  const Index n = problem.K.size();
  x_0_.resize(n);
  F_0_.resize(n);
  report_ = project(Eigen::VectorXd::Zero(n), x_0_);
  if (!report_.ok()) return;
  if (const std::optional<NotFinite> found = evaluate(problem.F, x_0_, F_0_))
    throw InvalidArgument("vi::Problem::F", found->message(problem.F), "finite numbers at the point of K nearest to 0");
  // Where x_1 is looked for: along s, and along s' for sets that s is normal to, as it is to simplices. No two entries
  // of s' / s are alike, so that s' is normal to none of these.
  Eigen::VectorXd way(n), x_1(n), F_1(n);
  const auto take_way = [&](bool aside) {
    for (Index i = 0; i < n; ++i) {
      const double size = problem.F.sizes.size() > 0 ? problem.F.sizes[i] : 1.0;
      way[i] = aside ? (i % 2 == 0 ? size : -size) * (1.0 - 0.5 * double(i) / double(n)) : size;
    }
  };
  take_way(false);
  const double length = way.norm();
  double longest = 0.0;
  const auto moves = [&](double part) {
    if (!project(x_0_ + part * way, x_1).ok()) return false;
    const double moved = norm_of(x_1 - x_0_);
    longest = std::max(longest, moved);
    // x_1 - x_0 has the rounding of x_0, eps |x_0|: above 1e-6 of it ten digits of the slope's length are left.
    return moved > 1e-6 * std::max(std::abs(part) * way.norm(), x_0_.norm());
  };
  const auto moves_some_way = [&](double part) {
    take_way(false);
    if (moves(part) || moves(-part)) return true;
    if (n == 1) return false;
    take_way(true);
    return moves(part) || moves(-part);
  };
  double part = 1.0;
  bool known = moves_some_way(part);
  // K is shorter than s, and how long is no rounding of s, some 500 eps: once more from as near.
  if (!known && longest > std::max(1e-13, 10.0 * problem.K.user_accuracy()) * length) {
    part = longest / length;
    known = moves_some_way(part);
  }
  if (known && evaluate(problem.F, x_1, F_1)) {  // F is not finite there, and may be on the other side, or nearer
    known = false;
    for (const double nearer : {-1.0, 0.1, -0.1, 0.01, -0.01}) {
      known = moves(nearer * part) && !evaluate(problem.F, x_1, F_1);
      if (known) break;
    }
  }
  if (!known) F_1 = F_0_;
  F_sizes_ = F_0_.cwiseAbs().cwiseMax(F_1.cwiseAbs());
  // |e| is at most the diameter of K over rho: what F itself is over that length keeps it from being
  // small everywhere; a thousandth of it, so that every F that changes by more keeps its own slope.
  const double change = std::max(norm_of(F_1 - F_0_), 1e-3 * std::max(norm_of(F_0_), norm_of(F_1)));
  const double slope = change / (known ? norm_of(x_1 - x_0_) : length);
  if (slope > 0.0 && std::isfinite(slope) && std::isfinite(1.0 / slope)) rho_ = 1.0 / slope;
  data_ = F_0_.lpNorm<Eigen::Infinity>();
  if (known && data_ <= 64.0 * eps * x_0_.lpNorm<Eigen::Infinity>() / rho_) data_ = F_1.lpNorm<Eigen::Infinity>();
}

Certificate Measure::certify(ConstVectorRef x, ConstVectorRef w, Projector& project) const {
  Eigen::VectorXd e(x.size());
  double added = 0.0;
  Certificate certificate = errors(x, w, project, e, added);
  if (!std::isnan(certificate.error)) relate(e, w, added, project.set(), certificate);
  return certificate;
}

Certificate Measure::errors(ConstVectorRef x, ConstVectorRef w, Projector& project, Eigen::VectorXd& e,
                            double& added) const {
  Certificate certificate;
  certificate.round_off =
      64.0 * eps *
      std::max({w.lpNorm<Eigen::Infinity>(), F_0_.lpNorm<Eigen::Infinity>(), x.lpNorm<Eigen::Infinity>() / rho_});
  certificate.scale = std::max(data_, certificate.round_off);
  const ProjectionReport report = project(x - rho_ * w, e);
  const bool near = report.status == Status::Solved || report.status == Status::IterationLimit;
  e = (x - e) / rho_;
  if (!near || !check::all_finite(e)) return certificate;
  // What Dykstra's projection may be off by counts as an error, wherever it ended.
  added = report.error / rho_;
  certificate.error = e.cwiseAbs().maxCoeff(&certificate.worst_row) + added;
  // x - rho F(x) loses F beside an x on the way to infinity, and e with it.
  if (const double lost = eps * x.lpNorm<Eigen::Infinity>() / rho_; data_ > 0.0 && 64.0 * lost > data_) {
    certificate.error += lost;
    certificate.scale = data_;
  }
  certificate.residual = certificate.error == 0.0 ? 0.0 : certificate.error / certificate.scale;
  return certificate;
}

/// The errors of each factor of K beside what F is there.
void Measure::relate(ConstVectorRef e, ConstVectorRef w, double added, const ConvexSet& K,
                     Certificate& certificate) const {
  certificate.row_residual = 0.0;
  Index first = 0;
  for (const Index count : K.factors()) {
    Index worst = 0;
    const double error = e.segment(first, count).cwiseAbs().maxCoeff(&worst) + added;
    const double terms =
        std::max(w.segment(first, count).cwiseAbs().maxCoeff(), F_sizes_.segment(first, count).cwiseAbs().maxCoeff());
    const double relative = error == 0.0 ? 0.0 : error / std::max(terms, std::numeric_limits<double>::min());
    if (relative > certificate.row_residual) {
      certificate.row_residual = relative;
      certificate.worst_relative_row = first + worst;
    }
    first += count;
  }
}

}  // namespace detail
}  // namespace nonsmooth::vi
