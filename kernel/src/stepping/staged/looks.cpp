// SPDX-License-Identifier: Apache-2.0
// Between the stages of a step that keeps its mode: whether it keeps it there too.
#include <cmath>

#include "staged.hpp"

namespace nonsmooth::stages {
namespace {

constexpr double kSeen = 1e-6;  ///< of the terms of u, and of multipliers: below it what x is off by may say anything
constexpr double kHeldOff =
    1e-3;  ///< of the terms of y, of a row that lambda holds without D, and of what lambda moves it in h

/// Whether stages and the start have an x each at instants of their own.
bool are_apart(const StageTable& table) {
  for (Index i = 0; i < table.c.size(); ++i) {
    if (table.c[i] == 0.0) return false;
    for (Index j = 0; j < i; ++j) {
      if (table.c[i] == table.c[j]) return false;
    }
  }
  return true;
}

/// x at start + tau h by the polynomial through the start and all stages.
void interpolate_stages(const Staged& staged, const Staged::Stages& stages, double tau, Eigen::VectorXd& x) {
  const Eigen::VectorXd& c = stages.table.c;
  double of_start = 1.0;
  for (Index i = 0; i < c.size(); ++i) of_start *= (c[i] - tau) / c[i];
  x = of_start * staged.start.x;
  for (Index i = 0; i < c.size(); ++i) {
    double weight = tau / c[i];
    for (Index j = 0; j < c.size(); ++j) {
      if (j != i) weight *= (tau - c[j]) / (c[i] - c[j]);
    }
    x += weight * stages.x[static_cast<std::size_t>(i)];
  }
}

/// The same by what there is: stages, or Hermite's cubic with `end_slope`, or a straight line.
void interpolate(const Staged& staged, const Staged::Stages& stages, double h, double tau,
                 const Eigen::VectorXd* end_slope, Eigen::VectorXd& x) {
  if (stages.stiffly_accurate && are_apart(stages.table)) return interpolate_stages(staged, stages, tau, x);
  x = (1.0 - tau) * staged.start.x + tau * staged.stop.x;
  if (end_slope == nullptr) return;
  const double bend = tau * (1.0 - tau);
  x += (bend * (1.0 - 2.0 * tau)) * (staged.start.x - staged.stop.x);
  x += (h * bend * (1.0 - tau)) * stages.F.front();
  x -= (h * bend * tau) * *end_slope;
}

bool is_bounded(const Staged& staged, std::size_t row) {
  return std::isfinite(staged.lower[row]) || std::isfinite(staged.upper[row]);
}

/// Whether D says lambda of a row.
bool has_coupling(const Staged::Linearised& at, Index r) { return (at.D.row(r).array() != 0.0).any(); }

/// u and lambda of the mode at an instant, in the point's; lambda that D does not say is between those of both ends.
void solve_look(const Staged& staged, double tau, const Staged::Linearised& at, std::vector<double>& buffer,
                Staged::Group& point) {
  point.q = at.w;
  point.q.noalias() += at.H * point.iterate;
  point.held = at.D;
  for (Index r = 0; r < staged.m; ++r) {
    const auto row = static_cast<std::size_t>(r);
    const StageBranch branch = staged.mode[row];
    if (branch == StageBranch::Held && has_coupling(at, r)) {
      point.lambda[r] = -point.q[r];
      continue;
    }
    point.held.row(r).setZero();
    point.held(r, r) = 1.0;
    point.lambda[r] = (1.0 - tau) * staged.start.lambda[r] + tau * staged.stop.lambda[r];
    if (branch == StageBranch::Lower) point.lambda[r] = staged.lower[row];
    if (branch == StageBranch::Upper) point.lambda[r] = staged.upper[row];
  }
  point.held_factor.compute(point.held);
  point.held_factor.solve_in_place(point.lambda, buffer);
  point.u = point.q;
  point.u.noalias() += at.D * point.lambda;
}

/// How far the lambda of row r can move its y within h, of the bounds or of what it was at both ends.
double reach_of(Staged& staged, const Staged::Linearised& at, double h, Index r) {
  const auto row = static_cast<std::size_t>(r);
  staged.rates = at.G;
  staged.mass_factor.solve_in_place(staged.rates, staged.buffer);
  double range = staged.upper[row] - staged.lower[row];
  if (!std::isfinite(range)) range = std::abs(staged.start.lambda[r]) + std::abs(staged.stop.lambda[r]);
  return h * range * std::abs(at.H.row(r).dot(staged.rates.col(r)));
}

/// Whether a row is out of its mode, by more than x and lambda may be off there.
bool is_row_outside(Staged& staged, const Staged::Linearised& at, const Staged::Group& point, double h, Index r) {
  const auto row = static_cast<std::size_t>(r);
  const double u = point.u[r], lambda = point.lambda[r];
  const double terms = terms_of(at, point.iterate, point.lambda.data(), r);
  switch (staged.mode[row]) {
    case StageBranch::Lower:
      return u < -kSeen * terms;
    case StageBranch::Upper:
      return u > kSeen * terms;
    case StageBranch::Any:
      return false;
    case StageBranch::Held:
      break;
  }
  if (!is_bounded(staged, row)) return false;
  if (!has_coupling(at, r)) return std::abs(u) > kHeldOff * (terms + reach_of(staged, at, h, r));
  const double diagonal = std::abs(at.D(r, r));
  const double allowed = kSeen * (std::abs(lambda) + (diagonal > 0.0 ? terms / diagonal : 0.0));
  return lambda < staged.lower[row] - allowed || lambda > staged.upper[row] + allowed;
}

/// Whether some row is out of the mode at start + tau h of what was solved last.
bool is_outside(const StagedWork& work, double h, double tau, const Eigen::VectorXd* end_slope,
                Staged::Stages& stages) {
  Staged& staged = work.staged;
  Staged::Group& point = stages.point;
  interpolate(staged, stages, h, tau, end_slope, point.iterate);
  point.lambda = (1.0 - tau) * staged.start.lambda + tau * staged.stop.lambda;
  Staged::Linearised& at = staged.at.back();
  linearise_stage(work, staged.start.t + tau * h, point.iterate, point.lambda, at);
  solve_look(staged, tau, at, staged.buffer, point);
  for (Index r = 0; r < staged.m; ++r) {
    if (is_row_outside(staged, at, point, h, r)) return true;
  }
  return false;
}

}  // namespace

double next_outside(const StagedWork& work, double h, Index first, Staged::Stages& stages) {
  Staged& staged = work.staged;
  const Index looks = staged.scheme->looks();
  if (staged.m == 0 || first > looks) return 0.0;
  const Eigen::VectorXd* end_slope = nullptr;
  if (!stages.stiffly_accurate && stages.table.c[0] == 0.0 && stages.needs_slope.front() != 0) {
    slope_at(staged, staged.at.back(), staged.stop.x, staged.stop.lambda, staged.f);
    end_slope = &staged.f;
  }
  for (Index look = first; look <= looks; ++look) {
    const double tau = static_cast<double>(look) / static_cast<double>(looks + 1);
    if (is_outside(work, h, tau, end_slope, stages)) return tau;
  }
  return 0.0;
}

}  // namespace nonsmooth::stages
