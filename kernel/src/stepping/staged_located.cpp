// SPDX-License-Identifier: Apache-2.0
// A step that is divided where modes change.
#include <algorithm>
#include <cmath>
#include <limits>

#include "staged.hpp"

namespace nonsmooth::stages {
namespace {

constexpr int kMostInstants = 64;    ///< in a step; what accumulates is not followed
constexpr int kMostHalvings = 50;    ///< of a length in which the mode stays
constexpr int kMostTrials = 100;     ///< of a root, every third of which halves its interval
constexpr double kHidden = 1e-10;    ///< of the terms of u, and of multipliers: what a root may have left of them
constexpr double kNotSolved = 1e-4;  ///< of the terms of u: more than solvers leave where u = 0
constexpr double kSameInstant = 4.0 * std::numeric_limits<double>::epsilon();

/// The sum of the sizes of what u of row r is the sum of.
double terms_of(const Staged::Linearised& at, const Eigen::VectorXd& x, const double* lambda, Index r) {
  double terms = at.H.row(r).cwiseAbs().dot(x.cwiseAbs()) + std::abs(at.w[r]);
  for (Index c = 0; c < at.D.cols(); ++c) terms += std::abs(at.D(r, c) * lambda[c]);
  return terms;
}

double ratio_of(const Staged& staged, double h) { return staged.kept_step > 0.0 ? h / staged.kept_step : 0.0; }

/// The branch that all stages behind the start, and the start where it is on one, have in a row, Any where none has
/// one, as at rest in a corner; false where they differ.
bool modes_agree(const Staged& staged, const Staged::Stages& stages, std::vector<StageBranch>& mode) {
  mode = staged.before;
  const auto s = static_cast<std::size_t>(stages.table.c.size());
  for (std::size_t r = 0; r < mode.size(); ++r) {
    for (std::size_t stage = 0; stage <= s; ++stage) {
      if (stage < s && stages.table.c[static_cast<Index>(stage)] == 0.0) continue;  // it is the start
      const StageBranch branch = stages.branches[stage][r];
      if (branch == StageBranch::Any) continue;
      if (mode[r] == StageBranch::Any) mode[r] = branch;
      if (mode[r] != branch) return false;
    }
  }
  return true;
}

/// How far `stop` is from leaving the mode: the least u or distance of lambda from a bound, < 0 beyond. Rows in a
/// corner have none.
double margin_of(const Staged& staged, const std::vector<StageBranch>& mode) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t r = 0; r < mode.size(); ++r) {
    const double u = staged.stop.u[static_cast<Index>(r)], lambda = staged.stop.lambda[static_cast<Index>(r)];
    if (mode[r] == StageBranch::Lower) least = std::min(least, u);
    if (mode[r] == StageBranch::Upper) least = std::min(least, -u);
    if (mode[r] == StageBranch::Held) least = std::min({least, lambda - staged.lower[r], staged.upper[r] - lambda});
  }
  return least;
}

/// An interval in which a mode ends, and margins at both of its ends.
struct Bracket {
  double low = 0.0, high = 0.0, at_low = 0.0, at_high = 0.0;
};

/// A part of length h by the law, or in the mode: what is not solved leaves no trace in the report but its iterations,
/// as a shorter part may be.
bool try_part(const StagedWork& work, double h, const std::vector<StageBranch>* mode, Staged::Stages& stages) {
  StepReport& report = work.report;
  const StepReport before = report;
  lay_stages(work.discretisation, work.relations, ratio_of(work.staged, h), work.staged, stages);
  if (solve_part(work, h, mode, stages) && report.ok()) return true;
  const Index newton = report.newton_iterations, solver = report.solver_iterations;
  report = before;
  report.newton_iterations = newton;
  report.solver_iterations = solver;
  return false;
}

/// How far the end of a part of length h in the mode is from leaving it; NaN where it is not solved.
double margin_at(const StagedWork& work, double h) {
  Staged& staged = work.staged;
  const bool solved = try_part(work, h, &staged.mode, staged.part);
  return solved ? margin_of(staged, staged.mode) : std::numeric_limits<double>::quiet_NaN();
}

/// The mode in which the motion starts, and an interval with its end; false where there is none that steps resolve.
bool bracket_end(const StagedWork& work, double length, Bracket& bracket) {
  Staged& staged = work.staged;
  bracket = {.low = 0.0, .high = length};
  for (int k = 0; bracket.low == 0.0; ++k) {
    if (k == kMostHalvings) return false;
    const double h = 0.5 * bracket.high;
    const bool stays = try_part(work, h, nullptr, staged.part) && modes_agree(staged, staged.part, staged.mode);
    (stays ? bracket.low : bracket.high) = h;
  }
  bracket.at_low = margin_at(work, bracket.low);
  bracket.at_high = margin_at(work, bracket.high);
  // Where the end is back in the mode, or beyond another change, it is looked for before that.
  for (int k = 0; !(bracket.at_high < 0.0); ++k) {
    if (k == kMostHalvings) return false;
    const double h = 0.5 * (bracket.low + bracket.high);
    const bool stays = try_part(work, h, nullptr, staged.part) && modes_agree(staged, staged.part, staged.other) &&
                       staged.other == staged.mode;
    const double at = margin_at(work, h);
    (stays ? bracket.low : bracket.high) = h;
    (stays ? bracket.at_low : bracket.at_high) = at;
  }
  return std::isfinite(bracket.at_low);
}

/// `stop` at the end of the mode, by regula falsi with the Illinois rule, halved where that is slow; false where a part
/// is not solved.
bool find_end(const StagedWork& work, Bracket bracket) {
  const double resolution = kSameInstant * (std::abs(work.staged.start.t) + bracket.high);
  double weight_low = bracket.at_low, weight_high = bracket.at_high;
  for (int k = 0; k < kMostTrials && bracket.high - bracket.low > resolution; ++k) {
    const double width = bracket.high - bracket.low;
    double h = bracket.low + width * weight_low / (weight_low - weight_high);
    if (k % 3 == 2 || !(h > bracket.low && h < bracket.high)) h = bracket.low + 0.5 * width;
    const double at = margin_at(work, h);
    if (at == 0.0) return true;
    if (std::isnan(at)) return false;
    if (at > 0.0) {
      bracket.low = h;
      weight_low = at;
      weight_high *= 0.5;
    } else {
      bracket.high = h;
      weight_high = at;
      weight_low *= 0.5;
    }
  }
  return std::isfinite(margin_at(work, bracket.high));
}

/// A start whose lambda is not known, as that of a run: a row between its bounds where y is not 0 is on no branch yet.
void forget_unsolved(const Staged& staged, const Staged::Linearised& at, const Staged::Point& start,
                     std::vector<StageBranch>& branches) {
  for (Index r = 0; r < staged.m; ++r) {
    StageBranch& branch = branches[static_cast<std::size_t>(r)];
    if (branch == StageBranch::Held &&
        std::abs(start.u[r]) > kNotSolved * terms_of(at, start.x, start.lambda.data(), r))
      branch = StageBranch::Any;
  }
}

/// u of the start and where its rows are.
bool begin_part(const StagedWork& work) {
  Staged& staged = work.staged;
  if (staged.from_state) {
    if (!solve_point(work, nullptr, staged.whole, staged.start)) return false;
  } else {
    linearise_stage(work, staged.start.t, staged.start.x, staged.start.lambda, staged.at.back());
    const Staged::Linearised& at = staged.at.back();
    staged.start.u = at.w;
    staged.start.u.noalias() += at.H * staged.start.x;
    staged.start.u.noalias() += at.D * staged.start.lambda;
  }
  find_branches(staged, staged.at.back(), staged.start.x, staged.start.lambda.data(), staged.start.u.data(),
                staged.before);
  if (!staged.from_state) forget_unsolved(staged, staged.at.back(), staged.start, staged.before);
  return true;
}

}  // namespace

void find_branches(const Staged& staged, const Staged::Linearised& at, const Eigen::VectorXd& x, const double* lambda,
                   const double* u, std::vector<StageBranch>& branches) {
  for (Index r = 0; r < staged.m; ++r) {
    const auto row = static_cast<std::size_t>(r);
    double largest = 0.0;  // of what acts on the same systems
    for (Index c = 0; c < staged.m; ++c) {
      if (staged.island[static_cast<std::size_t>(c)] == staged.island[row])
        largest = std::max(largest, std::abs(lambda[c]));
    }
    const double hidden = kHidden * terms_of(at, x, lambda, r);
    const auto at_bound = [&](double bound) { return std::abs(lambda[r] - bound) <= kHidden * largest; };
    branches[row] = StageBranch::Held;
    if (at_bound(staged.lower[row])) branches[row] = u[r] > hidden ? StageBranch::Lower : StageBranch::Any;
    if (at_bound(staged.upper[row])) branches[row] = u[r] < -hidden ? StageBranch::Upper : StageBranch::Any;
  }
}

bool solve_located(const StagedWork& work, double h) {
  Staged& staged = work.staged;
  const double t_end = staged.start.t + h;
  for (int instants = 0;; ++instants) {
    const double length = instants == 0 ? h : t_end - staged.start.t;
    Staged::Stages& stages = instants == 0 ? staged.whole : staged.part;
    if (!begin_part(work)) return false;
    if (try_part(work, length, nullptr, stages) && modes_agree(staged, stages, staged.mode)) return true;
    Bracket bracket;
    const bool found = instants < kMostInstants && bracket_end(work, length, bracket) && find_end(work, bracket);
    if (!found || !(staged.stop.t < t_end)) {
      lay_stages(work.discretisation, work.relations, ratio_of(staged, length), staged, stages);
      return solve_part(work, length, nullptr, stages);
    }
    std::swap(staged.start, staged.stop);
    staged.kept_step = 0.0;
    ++work.report.subdivisions;
  }
}

}  // namespace nonsmooth::stages
