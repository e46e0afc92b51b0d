// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/friction/gauss_seidel_newton.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <internal/at.hpp>
#include <internal/check.hpp>

#include "closed_system.hpp"
#include "gauss_seidel_newton_workspace.hpp"
#include "mixed/block_sweeps.hpp"
#include "neighborhood.hpp"
#include "projection_method.hpp"

namespace nonsmooth::friction {

/// All vectors have an entry a row, but for those by block and the last errors.
struct internal::GaussSeidelNewtonMemory {
  MonitorMemory<GrowingVector> monitor;
  ClosedSystem system;
  mixed::internal::BlockSweeps sweeps;
  GrowingVector r, u, start, best, step, trial, trial_u;
  std::vector<double> recent;  // |e| of the last points
  /// Of parts around the worst contacts.
  struct Parts;
  KeptMemory<Parts> parts;
};

struct internal::GaussSeidelNewtonMemory::Parts {
  Neighborhood neighborhood;
  mixed::Result result;
  GaussSeidelNewtonMemory memory;
  std::vector<std::pair<double, Index>> errors;  // |e|^2 and its block
  std::vector<char> mended;                      // by block, in this round of parts
};

namespace {

constexpr std::string_view polish_name = "gauss-seidel newton", polish_start = "friction::GaussSeidelNewton::start";

/// Where an attempt begins: the start of the solve, r = 0 (left out where that is the same), the best point so far.
enum class From : unsigned char { Start, Zero, Best };

/// One way to a solution: shares of the sweeps and of alpha that the options give, and when to give it up.
struct Way {
  double sweeps, regularization;
  bool parts;  // around the worst contacts, after Newton steps that raise the error
  bool local;  // an alpha for each contact
  From from;
  Index steps;
};

/// Tried in turn, each round with twice the steps. Which one arrives is a matter of luck where many sets of modes are
/// nearly equal: on piles of 1000 balls each does in about half of the cases, most often early, so that several short
/// attempts cost less than a long one. Larger piles need all the steps of the long one.
constexpr Way long_ways[] = {{1.0, 1.0, false, false, From::Start, 300}, {1.0, 1.0, false, true, From::Start, 700}};
constexpr Way short_ways[] = {{1.0, 1.0, false, false, From::Start, 170},
                              {1.0, 1.0, false, false, From::Zero, 150},
                              {4.0, 10.0, true, false, From::Start, 60},
                              {1.0, 1.0, true, false, From::Start, 120},
                              {4.0, 10.0, true, false, From::Best, 60}};
constexpr Index first_short = 1000, last_short = 5000;  // blocks

class GaussSeidelNewtonMethod {
 public:
  static constexpr std::size_t most_recent = 3;  ///< errors that a step may be compared with

  GaussSeidelNewtonMethod(const Problem& problem, const GaussSeidelNewton& options,
                          internal::GaussSeidelNewtonMemory& memory, mixed::Result& result)
      : problem_(problem),
        options_(options),
        result_(result),
        monitor_(problem, options.tolerance, options.measure, options.time_limit, &memory.monitor, result),
        system_(memory.system),
        sweeps_(memory.sweeps),
        short_(problem.K.num_blocks() >= first_short && problem.K.num_blocks() <= last_short),
        kept_parts_(memory.parts),
        recent_(memory.recent),
        r_(memory.r),
        u_(memory.u),
        start_(memory.start),
        best_(memory.best),
        step_(memory.step),
        trial_(memory.trial),
        trial_u_(memory.trial_u) {
    system_.prepare(problem, monitor_.rho());
    r_ = result.r;
    u_.resize(problem.W.rows());
    step_.resize(problem.W.rows());
    best_.resize(0);
  }

  void run() {
    problem_.W.multiply_add(r_, problem_.q, u_);
    if (monitor_.observe(r_, u_)) return monitor_.finish(Status::Stalled, "");
    can_sweep_ = sweeps_.prepare(problem_, mixed::GaussSeidel::Local::Exact) < 0;
    start_ = r_;
    if (begin_attempt()) return monitor_.finish(Status::Stalled, "");
    double alpha = way().regularization * options_.regularization;
    while (result_.iterations < options_.max_steps) {
      if (result_.iterations >= attempt_end_) {
        ++attempt_;
        if (begin_attempt()) return monitor_.finish(Status::Stalled, "");
        alpha = way().regularization * options_.regularization;
      }
      const double error = system_.linearize(r_, u_);
      system_.keep_error();
      recent_.push_back(error);
      if (recent_.size() > most_recent) recent_.erase(recent_.begin());
      trial_ = r_;
      trial_u_ = u_;
      const Outcome outcome = step_to_trial(error, alpha);
      if (outcome == Outcome::Done) return monitor_.finish(Status::Stalled, "");
      if (outcome == Outcome::Singular) {
        alpha *= 10.0;
        if (alpha > largest) return monitor_.finish(Status::Stalled, "the Newton matrix is singular");
        continue;
      }
      double after = system_.error(trial_, trial_u_);
      bool accepted = outcome == Outcome::Better;
      if (!accepted) {
        if (way().parts) mend();
        if (sweep(trial_, trial_u_)) return monitor_.finish(Status::Stalled, "");
        after = system_.error(trial_, trial_u_);
        accepted = after <= *std::max_element(recent_.begin(), recent_.end());
      }
      if (way().local) system_.localize();
      if (accepted) {
        alpha = std::max(alpha * (after <= 0.5 * error ? 0.3 : 0.5), smallest);
      } else {
        alpha *= 4.0;
        if (alpha <= restart_above) continue;
        alpha = restart;
        recent_.clear();
        ++restarts_;
      }
      if (after < best_error_) {
        best_error_ = after;
        best_ = trial_;
      }
      std::swap(r_, trial_);
      std::swap(u_, trial_u_);
    }
    monitor_.finish(Status::IterationLimit, "max_steps reached");
  }

 private:
  enum class Outcome { Better, Worse, Singular, Done };
  static constexpr double smallest = 1e-12, largest = 1e6;
  static constexpr double restart_above = 0.1, restart = 1e-3;
  static constexpr double better = 0.9;   // the share of the error that a Newton step must come below
  static constexpr int newton_steps = 3;  // the modes that a step got wrong are often right after the next
  // Of a part: how far it is solved and how far it must be to count, in shares of its error; steps; the contacts whose
  // squared error is below this share of the largest start none.
  static constexpr double part_gain = 1e-3, worth = 0.1, small_error = 1e-4, smallest_tolerance = 1e-13;
  static constexpr Index part_steps = 30, part_size = 60, most_parts = 30;
  using BlockError = std::pair<double, Index>;  // |e|^2 of a block

  [[nodiscard]] std::span<const Way> ways() const { return short_ ? std::span<const Way>(short_ways) : long_ways; }
  [[nodiscard]] const Way& way() const { return ways()[attempt_ % ways().size()]; }

  /// From the start of the solve or the best point so far, in the way of this attempt. True where its sweeps end the
  /// solve.
  [[nodiscard]] bool begin_attempt() {
    if (way().from == From::Zero && start_.isZero(0.0)) ++attempt_;
    const std::size_t rounds = std::min<std::size_t>(attempt_ / ways().size(), 20);
    attempt_end_ = result_.iterations + (way().steps << rounds);
    restarts_ = 0;
    recent_.clear();
    system_.globalize();
    r_ = way().from == From::Best && best_.size() > 0 ? best_ : start_;
    if (way().from == From::Zero) r_.setZero();
    return sweep(r_, u_);
  }

  /// Solves the parts around the contacts of largest error, one after the other, each with the rest held: the Newton
  /// steps guessed their modes wrong. Sweeps must follow, which carry what that changes to the neighbours.
  void mend() {
    if (parts_ == nullptr) {
      parts_ = &kept_parts_.get();
      parts_->neighborhood.prepare(problem_);
    }
    std::vector<BlockError>& errors = parts_->errors;
    std::vector<char>& mended = parts_->mended;
    const Index blocks = problem_.K.num_blocks();
    errors.resize(at(blocks));
    for (Index b = 0; b < blocks; ++b) errors[at(b)] = {system_.block_error(b), b};
    const auto larger = [](const BlockError& a, const BlockError& b) {
      return a.first != b.first ? a.first > b.first : a.second < b.second;
    };
    std::sort(errors.begin(), errors.end(), larger);
    mended.assign(at(blocks), 0);
    Index parts = 0;
    for (const auto& [error, block] : errors) {
      if (parts == most_parts || error <= small_error * errors.front().first || monitor_.deadline().passed()) return;
      if (mended[at(block)] != 0) continue;
      ++parts;
      parts_->neighborhood.take(block, part_size, trial_);
      for (const Index member : parts_->neighborhood.blocks()) mended[at(member)] = 1;
      solve_part();
    }
  }

  void solve_part() {
    const Problem& part = parts_->neighborhood.problem();
    mixed::Result& found = parts_->result;
    found.r = parts_->neighborhood.start();
    mixed::internal::begin(part, "", found);
    const double before = mixed::certify(part, found.r, found.u).residual;
    if (!(before > 0.0) || !std::isfinite(before)) return;
    const GaussSeidelNewton options{.tolerance = std::max(part_gain * before, smallest_tolerance),
                                    .max_steps = part_steps,
                                    .time_limit = monitor_.remaining()};
    GaussSeidelNewtonMethod(part, options, parts_->memory, found).run();
    if (found.certificate.residual <= worth * before) parts_->neighborhood.scatter(found.r, trial_);
  }

  /// Newton steps from the trial, linearised there, until one lowers the error.
  [[nodiscard]] Outcome step_to_trial(double error, double alpha) {
    for (int k = 0; k < newton_steps && (k == 0 || result_.iterations < options_.max_steps); ++k) {
      if (k > 0) (void)system_.linearize(trial_, trial_u_);
      ++result_.iterations;
      if (!system_.solve(alpha, step_)) return k == 0 ? Outcome::Singular : Outcome::Worse;
      trial_ += step_;
      internal::project(problem_.K, trial_);
      problem_.W.multiply_add(trial_, problem_.q, trial_u_);
      if (monitor_.observe(trial_, trial_u_)) return Outcome::Done;
      if (system_.error(trial_, trial_u_) <= better * error) return Outcome::Better;
    }
    return Outcome::Worse;
  }

  /// True where that ends the solve. Number and relaxation change from restart to restart, so that the same point is
  /// not left the same way twice.
  [[nodiscard]] bool sweep(GrowingVector& r, GrowingVector& u) {
    if (!can_sweep_) return false;
    constexpr double counts[] = {1.0, 4.0, 2.0, 0.5}, excesses[] = {1.0, 0.0, 4.0 / 3.0, 2.0 / 3.0};
    const double excess = excesses[(restarts_ / 2) % 4] * (options_.relaxation - 1.0);
    const double relaxation = std::min(1.0 + excess, 1.9);
    const double share = counts[restarts_ % 4] * way().sweeps;
    const auto count = static_cast<Index>(std::ceil(share * static_cast<double>(options_.sweeps)));
    for (Index k = 0; k < count; ++k) (void)sweeps_.sweep(problem_, relaxation, monitor_.deadline(), r.data());
    problem_.W.multiply_add(r, problem_.q, u);
    return monitor_.observe(r, u);
  }

  const Problem& problem_;
  const GaussSeidelNewton& options_;
  mixed::Result& result_;
  internal::BasicMonitor<GrowingVector> monitor_;
  internal::ClosedSystem& system_;
  mixed::internal::BlockSweeps& sweeps_;
  const bool short_;  // attempts
  bool can_sweep_ = false;
  std::size_t attempt_ = 0;
  Index attempt_end_ = 0;
  KeptMemory<internal::GaussSeidelNewtonMemory::Parts>& kept_parts_;
  internal::GaussSeidelNewtonMemory::Parts* parts_ = nullptr;  // none yet
  std::vector<double>& recent_;
  std::size_t restarts_ = 0;
  double best_error_ = std::numeric_limits<double>::infinity();
  GrowingVector &r_, &u_, &start_, &best_, &step_, &trial_, &trial_u_;
};

}  // namespace

void GaussSeidelNewton::validate() const {
  check::positive("friction::GaussSeidelNewton::tolerance", tolerance);
  check::at_least("friction::GaussSeidelNewton::max_steps", max_steps, 1);
  check::at_least("friction::GaussSeidelNewton::sweeps", sweeps, 0);
  check::positive("friction::GaussSeidelNewton::regularization", regularization);
  if (!(relaxation > 0.0 && relaxation < 2.0))
    throw InvalidArgument("friction::GaussSeidelNewton::relaxation", std::to_string(relaxation), "a number in (0, 2)");
  detail::check_time_limit("friction::GaussSeidelNewton::time_limit", time_limit);
}

Result solve(const Problem& problem, const GaussSeidelNewton& options) {
  return internal::solve_by(problem, options, polish_name, polish_start, true,
                            [](const Problem& form, const GaussSeidelNewton& given, mixed::Result& result) {
                              internal::GaussSeidelNewtonMemory memory;
                              GaussSeidelNewtonMethod(form, given, memory, result).run();
                            });
}

namespace internal {

void GaussSeidelNewtonWorkspace::reserve(const Problem& problem) {
  GaussSeidelNewtonMemory& own = memory_.get();
  const Index rows = problem.W.rows();
  for (GrowingVector* vector : {&own.monitor.rho, &own.monitor.error, &own.monitor.best_r, &own.monitor.u, &own.r,
                                &own.u, &own.start, &own.best, &own.step, &own.trial, &own.trial_u})
    vector->resize(std::max(rows, vector->size()));
  own.monitor.rho.setOnes();
  own.system.prepare(problem, own.monitor.rho);
  own.system.reserve(problem.K.num_blocks(), rows);
  (void)own.sweeps.prepare(problem, mixed::GaussSeidel::Local::Exact);
  own.recent.reserve(GaussSeidelNewtonMethod::most_recent + 1);
}

void GaussSeidelNewtonWorkspace::solve(const Problem& problem, const GaussSeidelNewton& options, ConstVectorRef r,
                                       Result& result) {
  problem.validate();
  options.validate();
  check_sets(polish_name, problem.K, true);
  const auto run = [this](const Problem& of, const GaussSeidelNewton& by, mixed::Result& found) {
    GaussSeidelNewtonMethod(of, by, memory_.get(), found).run();
  };
  solve_canonical_into(problem, options, polish_name, polish_start, r, run, result);
}

}  // namespace internal

}  // namespace nonsmooth::friction
