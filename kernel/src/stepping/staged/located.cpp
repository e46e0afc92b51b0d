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

/// Whether all of a part of length h, which was solved, is in the mode at its looks too.
bool stays_between(const StagedWork& work, double h) { return next_outside(work, h, 1, work.staged.part) == 0.0; }

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
    const bool stays = try_part(work, h, nullptr, staged.part) && modes_agree(staged, staged.part, staged.mode) &&
                       stays_between(work, h);
    (stays ? bracket.low : bracket.high) = h;
  }
  bracket.at_low = margin_at(work, bracket.low);
  bracket.at_high = margin_at(work, bracket.high);
  // Where the end is back in the mode, or beyond another change, it is looked for before that.
  for (int k = 0; !(bracket.at_high < 0.0); ++k) {
    if (k == kMostHalvings) return false;
    const double h = 0.5 * (bracket.low + bracket.high);
    const bool stays = try_part(work, h, nullptr, staged.part) && modes_agree(staged, staged.part, staged.other) &&
                       staged.other == staged.mode && stays_between(work, h);
    const double at = margin_at(work, h);
    (stays ? bracket.low : bracket.high) = h;
    (stays ? bracket.at_low : bracket.at_high) = at;
  }
  return std::isfinite(bracket.at_low);
}

/// `stop` before a jump of the data, at the instant behind it.
bool stop_before(const StagedWork& work, const Bracket& bracket) {
  if (std::isnan(margin_at(work, bracket.low))) return false;
  work.staged.stop.t = work.staged.start.t + bracket.high;
  return true;
}

/// `stop` at the end of the mode, by regula falsi with the Illinois rule, halved where that is slow; false where a part
/// is not solved. What is left of its fall in the end is a jump, of a source.
bool find_end(const StagedWork& work, Bracket bracket, bool& jumps) {
  constexpr double kJump = 0.01;
  jumps = false;
  const double resolution = kSameInstant * (std::abs(work.staged.start.t) + bracket.high);
  const double fall = bracket.at_low - bracket.at_high;
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
      bracket.at_low = weight_low = at;
      weight_high *= 0.5;
    } else {
      bracket.high = h;
      bracket.at_high = weight_high = at;
      weight_low *= 0.5;
    }
  }
  jumps = bracket.at_low - bracket.at_high > kJump * fall;
  if (jumps) return stop_before(work, bracket);
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

/// Whether u of row r, with lambda at a bound of it, is beyond what the law allows there by more than `allowed`.
bool is_violated(const Staged& staged, Index r, double lambda, double u, double allowed) {
  const double lower = staged.lower[static_cast<std::size_t>(r)], upper = staged.upper[static_cast<std::size_t>(r)];
  const bool at_lower = std::isfinite(lower) && (!std::isfinite(upper) || lambda - lower <= upper - lambda);
  if (at_lower) return u < -allowed;
  return std::isfinite(upper) && u > allowed;
}

/// A row on no branch whose y a source threw out of its corner, as at the front of a pulse: D holds it from there on; a
/// relay without D is at the bound that y says.
void leave_corners(const Staged& staged, const Staged::Linearised& at, const Staged::Point& start,
                   std::vector<StageBranch>& branches) {
  for (Index r = 0; r < staged.m; ++r) {
    const auto row = static_cast<std::size_t>(r);
    const double u = start.u[r], allowed = kNotSolved * terms_of(at, start.x, start.lambda.data(), r);
    if (branches[row] != StageBranch::Any) continue;
    if ((at.D.row(r).array() != 0.0).any()) {
      if (is_violated(staged, r, start.lambda[r], u, allowed)) branches[row] = StageBranch::Held;
    } else if (u > allowed && std::isfinite(staged.lower[row])) {
      branches[row] = StageBranch::Lower;
    } else if (u < -allowed && std::isfinite(staged.upper[row])) {
      branches[row] = StageBranch::Upper;
    }
  }
}

/// u of the start and where its rows are.
bool begin_part(const StagedWork& work, bool jumped) {
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
  if (!staged.from_state) {
    forget_unsolved(staged, staged.at.back(), staged.start, staged.before);
    if (jumped) leave_corners(staged, staged.at.back(), staged.start, staged.before);
  }
  return true;
}

/// The part of the step that was solved, and stays in `mode` at all its stages, at the first look at which it does not;
/// 0 where it stays. What a look finds is solved: where a part that ends there stays, the step is solved again, and
/// looked at behind it.
double find_excursion(const StagedWork& work, double length, Staged::Stages& stages) {
  Staged& staged = work.staged;
  const double looks = static_cast<double>(staged.scheme->looks() + 1);
  for (Index first = 1;;) {
    const double tau = next_outside(work, length, first, stages);
    if (tau == 0.0) return 0.0;
    const bool stays = try_part(work, tau * length, nullptr, staged.part) &&
                       modes_agree(staged, staged.part, staged.other) && staged.other == staged.mode;
    if (!stays) return tau * length;
    if (!try_part(work, length, nullptr, stages)) return 0.0;
    first = static_cast<Index>(std::lround(tau * looks)) + 1;
  }
}

/// What there is of a part: all of it in one mode, or `stop` at the end of the mode that it begins in.
enum class Part : unsigned char { Whole, Divided, Unknown, Unsolved };

/// The part of `length` from `start`, into `stages` where it stays in one mode. `jumps`: `start` is at a jump of the
/// data; of Part::Divided, `stop` is.
Part find_part(const StagedWork& work, double length, bool may_divide, bool& jumps, Staged::Stages& stages) {
  Staged& staged = work.staged;
  if (!begin_part(work, jumps)) return Part::Unsolved;
  double end = length;  // of a part at which the mode is another
  if (try_part(work, length, nullptr, stages) && modes_agree(staged, stages, staged.mode)) {
    end = find_excursion(work, length, stages);
    if (end == 0.0) return Part::Whole;
  }
  Bracket bracket;
  const bool found = may_divide && bracket_end(work, end, bracket) && find_end(work, bracket, jumps);
  return found ? Part::Divided : Part::Unknown;
}

}  // namespace

double terms_of(const Staged::Linearised& at, const Eigen::VectorXd& x, const double* lambda, Index r) {
  double terms = at.H.row(r).cwiseAbs().dot(x.cwiseAbs()) + std::abs(at.w[r]);
  for (Index c = 0; c < at.D.cols(); ++c) terms += std::abs(at.D(r, c) * lambda[c]);
  return terms;
}

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
    branches[row] = StageBranch::Held;
    if (lambda[r] - staged.lower[row] <= kHidden * largest)
      branches[row] = u[r] > hidden ? StageBranch::Lower : StageBranch::Any;
    if (staged.upper[row] - lambda[r] <= kHidden * largest)
      branches[row] = u[r] < -hidden ? StageBranch::Upper : StageBranch::Any;
  }
}

bool solve_located(const StagedWork& work, double h) {
  Staged& staged = work.staged;
  const double t_end = staged.start.t + h;
  bool jumps = false;  // the part before ended at one
  for (int instants = 0;; ++instants) {
    const double length = instants == 0 ? h : t_end - staged.start.t;
    Staged::Stages& stages = instants == 0 ? staged.whole : staged.part;
    Part part = find_part(work, length, instants < kMostInstants, jumps, stages);
    if (part == Part::Unknown && !jumps && !staged.from_state) {  // the step before may have ended at a jump
      jumps = true;
      part = find_part(work, length, instants < kMostInstants, jumps, stages);
    }
    if (part == Part::Whole) return true;
    if (part == Part::Unsolved) return false;
    if (part == Part::Divided && jumps && !(staged.stop.t < t_end)) {  // at the end, and the next step begins behind it
      staged.stop.t = t_end;
      ++work.report.subdivisions;
      return true;
    }
    if (part == Part::Unknown || !(staged.stop.t < t_end)) {
      lay_stages(work.discretisation, work.relations, ratio_of(staged, length), staged, stages);
      return solve_part(work, length, nullptr, stages);
    }
    std::swap(staged.start, staged.stop);
    staged.kept_step = 0.0;
    ++work.report.subdivisions;
  }
}

}  // namespace nonsmooth::stages
