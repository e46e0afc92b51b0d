// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/friction/gauss_seidel_schwarz.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include <internal/at.hpp>
#include <internal/check.hpp>
#include <nonsmooth/numerics/friction/gauss_seidel_newton.hpp>
#include <nonsmooth/numerics/thread_pool.hpp>

#include "gauss_seidel_newton_workspace.hpp"
#include "gauss_seidel_schwarz_workspace.hpp"
#include "mixed/projection_jacobian.hpp"
#include "neighborhood.hpp"
#include "projection_method.hpp"
#include "set_kernels.hpp"
#include "sweeps.hpp"

namespace nonsmooth::friction {

/// Vectors have an entry a row or a block.
struct internal::GaussSeidelSchwarzMemory {
  MonitorMemory<GrowingVector> monitor;
  Sweeps sweeps;
  ThreadPool pool;
  Neighborhood patch;
  GaussSeidelNewtonWorkspace of_patch, of_whole;
  Result found;  // of either
  GrowingVector r, u, patch_u, error, rho;
  std::vector<Index> order, ranking, fails;
  std::vector<double> squares;
};

namespace {

constexpr std::string_view schwarz_name = "gauss-seidel schwarz", schwarz_start = "friction::GaussSeidelSchwarz::start";

class GaussSeidelSchwarzMethod {
 public:
  GaussSeidelSchwarzMethod(const Problem& problem, const GaussSeidelSchwarz& options,
                           internal::GaussSeidelSchwarzMemory& memory, mixed::Result& result)
      : problem_(problem),
        options_(options),
        result_(result),
        memory_(memory),
        monitor_(problem, options.tolerance, options.measure, options.time_limit, &memory.monitor, result),
        sweeps_(memory.sweeps),
        patch_(memory.patch),
        r_(memory.r),
        u_(memory.u),
        patch_u_(memory.patch_u),
        error_(memory.error),
        rho_(memory.rho),
        squares_(memory.squares),
        ranking_(memory.ranking),
        fails_(memory.fails) {
    patch_.prepare(problem);
    r_ = result.r;
    u_.resize(problem.W.rows());
    fails_.assign(at(problem.K.num_blocks()), 0);
  }

  void run() {
    problem_.W.multiply_add(r_, problem_.q, u_);
    if (monitor_.observe(r_, u_)) return monitor_.finish(Status::Stalled, "");
    std::vector<Index>& order = memory_.order;
    order.resize(at(problem_.K.num_blocks()));
    std::iota(order.begin(), order.end(), Index{0});
    // Rounds of a few sweeps between patches would not pay for finding blocks that serve two rows.
    sweeps_.prepare(problem_, order, nullptr, false);
    sweeps_.load(r_.data());
    for (Index left = options_.first_sweeps; left > 0; left -= options_.sweeps)
      if (sweep(std::min(left, options_.sweeps))) return monitor_.finish(Status::Stalled, "");
    while (result_.iterations < options_.max_rounds) {
      ++result_.iterations;
      if (monitor_.best() < gain * reference_) {
        reference_ = monitor_.best();
        last_gain_ = result_.iterations;
      } else if (result_.iterations >= last_gain_ + patience) {
        last_gain_ = result_.iterations;
        growth_ = std::min(growth * growth_, largest_growth);
      }
      mend();
      sweeps_.load(r_.data());
      if (sweep(options_.sweeps) || solve_whole()) return monitor_.finish(Status::Stalled, "");
    }
    monitor_.finish(Status::IterationLimit, "max_rounds reached");
  }

 private:
  static constexpr Index newton_sweeps = 20;  // within a patch a Newton step costs less than on the whole
  static constexpr double far_below = 0.01;   // of the tolerance: what a patch is solved to
  static constexpr double below_present = 1e-3;
  static constexpr double accepted = 0.1;
  static constexpr double gain = 0.5;  // of the best measure, within so many rounds: else patches grow
  static constexpr Index patience = 60;
  static constexpr double growth = 1.5, largest_growth = 4.0;
  // Newton's method on the whole: below this measure, where it has fallen so far since; up to so many patches'
  // contacts.
  static constexpr double whole_below = 2e-5, whole_gain = 0.3, whole_patches = 100.0;
  static constexpr Index whole_steps = 5;
  /// Of options.patch and patch_steps: what is tried next around a contact whose patch failed.
  struct Try {
    double size, steps;
  };
  static constexpr Try tries[] = {{1.0, 1.0}, {0.5, 2.0}, {0.25, 4.0}, {2.0, 1.0}};

  /// True where that ends the solve.
  [[nodiscard]] bool sweep(Index count) {
    constexpr double resting = 0.01;  // of the largest change, as GaussSeidel::freeze
    internal::SweepPlan plan;
    internal::SweepOutcome outcome;
    for (Index k = 0; k < count && !monitor_.deadline().passed(); ++k) {
      plan.resting_change = k > 0 && k + 1 < count ? resting * outcome.change : -1.0;
      if (k + 1 == count) sweeps_.wake();
      outcome = sweeps_.sweep(plan, memory_.pool, monitor_.deadline());
    }
    sweeps_.store(r_.data());
    problem_.W.multiply_add(r_, problem_.q, u_);
    return monitor_.observe(r_, u_);
  }

  /// The squared errors of the blocks at (r, u) of a problem; their sum.
  double square_errors(const Problem& problem, const GrowingVector& r, const GrowingVector& u,
                       std::vector<double>* squares) {
    const bool natural = options_.measure == Measure::NaturalMap;
    double sum = 0.0;
    if (!natural) {
      rho_.resize(problem.W.rows());
      mixed::internal::natural_scales(problem, VectorRef(rho_));
    }
    for (Index b = 0; b < problem.K.num_blocks(); ++b) {
      const Index o = problem.K.offset(b), n = problem.K.size(b), step = problem.K[b].kind == SetKind::Orthant ? 1 : n;
      error_.resize(n);
      for (Index i = 0; i < n; i += step)
        natural_error(problem.K[b], natural ? 1.0 : rho_[o + i], r.data() + o + i, u.data() + o + i, error_.data() + i,
                      step);
      const double square = error_.squaredNorm();
      if (squares != nullptr) (*squares)[at(b)] = square;
      sum += square;
    }
    return sum;
  }

  /// One round of patches.
  void mend() {
    const Index blocks = problem_.K.num_blocks();
    squares_.resize(at(blocks));
    double rest = square_errors(problem_, r_, u_, &squares_);
    const double enough = (1.0 - options_.coverage) * rest;
    ranking_.resize(at(blocks));
    std::iota(ranking_.begin(), ranking_.end(), Index{0});
    const auto size_of = [this](Index b) {
      return std::isnan(squares_[at(b)]) ? std::numeric_limits<double>::infinity() : squares_[at(b)];
    };
    std::sort(ranking_.begin(), ranking_.end(), [&](Index a, Index b) {
      const double of_a = size_of(a), of_b = size_of(b);
      return of_a != of_b ? of_a > of_b : a < b;
    });
    for (const Index centre : ranking_) {
      if (!(rest > enough) || monitor_.deadline().passed()) return;
      if (squares_[at(centre)] == 0.0) continue;
      const Try& attempt = tries[at(fails_[at(centre)]) % std::size(tries)];
      const double size = attempt.size * growth_ * static_cast<double>(options_.patch);
      patch_.take(centre, static_cast<Index>(std::clamp(size, 1.0, static_cast<double>(blocks))), r_);
      for (const Index b : patch_.blocks()) {
        rest -= squares_[at(b)];
        squares_[at(b)] = 0.0;
      }
      const double steps = attempt.steps * static_cast<double>(options_.patch_steps);
      solve_patch(centre, static_cast<Index>(std::min(steps, 1e9)));
    }
  }

  /// Newton's method on the whole, near a solution. True where that ends the solve.
  [[nodiscard]] bool solve_whole() {
    constexpr double shifts[] = {1e-6, 1e-2};  // hardly any where the modes are right, else that of a patch
    const auto most = whole_patches * static_cast<double>(options_.patch);
    if (static_cast<double>(problem_.K.num_blocks()) > most) return false;
    if (monitor_.last() > whole_below) whole_tried_ = std::numeric_limits<double>::infinity();  // a new descent
    while (monitor_.last() <= std::min(whole_below, whole_gain * whole_tried_)) {
      whole_tried_ = monitor_.last();
      for (const double shift : shifts) {
        const GaussSeidelNewton steps{.tolerance = options_.tolerance,
                                      .measure = options_.measure,
                                      .max_steps = whole_steps,
                                      .sweeps = 0,
                                      .regularization = shift,
                                      .time_limit = monitor_.remaining()};
        const Result& found = memory_.found;
        memory_.of_whole.solve(problem_, steps, r_, memory_.found);
        if (!found.r.allFinite()) continue;
        if (monitor_.observe(found.r, found.u)) return true;
        if (!(monitor_.last() <= whole_gain * whole_tried_)) continue;
        r_ = found.r;
        u_ = found.u;
        sweeps_.load(r_.data());
        break;
      }
    }
    return false;
  }

  void solve_patch(Index centre, Index steps) {
    const Problem& part = patch_.problem();
    patch_u_.resize(part.W.rows());
    part.W.multiply_add(patch_.start(), part.q, patch_u_);
    const double before = std::sqrt(square_errors(part, patch_.start(), patch_u_, nullptr));
    const bool natural = options_.measure == Measure::NaturalMap;
    const double scale = natural ? problem_.q.norm() : monitor_.scale();
    const double part_scale = natural ? part.q.norm() : part.q.lpNorm<Eigen::Infinity>();
    const double aim =
        std::max(far_below * options_.tolerance, below_present * monitor_.last()) * (scale > 0.0 ? scale : 1.0);
    if (!(before > aim)) return;
    constexpr double finest = 1e-13;  // round-off of the patch's own data
    const GaussSeidelNewton options{.tolerance = std::max(part_scale > 0.0 ? aim / part_scale : aim, finest),
                                    .measure = options_.measure,
                                    .max_steps = steps,
                                    .sweeps = newton_sweeps,
                                    .time_limit = monitor_.remaining()};
    const Result& found = memory_.found;
    memory_.of_patch.solve(part, options, patch_.start(), memory_.found);
    if (!found.ok()) ++fails_[at(centre)];
    if (!found.r.allFinite()) return;
    if (found.ok() || std::sqrt(square_errors(part, found.r, found.u, nullptr)) <= accepted * before)
      patch_.scatter(found.r, r_);
  }

  const Problem& problem_;
  const GaussSeidelSchwarz& options_;
  mixed::Result& result_;
  internal::GaussSeidelSchwarzMemory& memory_;
  internal::BasicMonitor<GrowingVector> monitor_;
  internal::Sweeps& sweeps_;
  internal::Neighborhood& patch_;
  GrowingVector &r_, &u_, &patch_u_, &error_, &rho_;
  double reference_ = std::numeric_limits<double>::infinity(), growth_ = 1.0;
  Index last_gain_ = 0;
  double whole_tried_ = std::numeric_limits<double>::infinity();  // the measure at the last attempt on the whole
  std::vector<double>& squares_;  // of the blocks' errors; 0 once in a patch of this round
  std::vector<Index>&ranking_, &fails_;
};

}  // namespace

void GaussSeidelSchwarz::validate() const {
  check::positive("friction::GaussSeidelSchwarz::tolerance", tolerance);
  check::at_least("friction::GaussSeidelSchwarz::max_rounds", max_rounds, 1);
  check::at_least("friction::GaussSeidelSchwarz::first_sweeps", first_sweeps, 0);
  check::at_least("friction::GaussSeidelSchwarz::sweeps", sweeps, 1);
  check::at_least("friction::GaussSeidelSchwarz::patch", patch, 1);
  check::at_least("friction::GaussSeidelSchwarz::patch_steps", patch_steps, 1);
  if (!(coverage > 0.0 && coverage < 1.0))
    throw InvalidArgument("friction::GaussSeidelSchwarz::coverage", std::to_string(coverage), "a number in (0, 1)");
  detail::check_time_limit("friction::GaussSeidelSchwarz::time_limit", time_limit);
}

Result solve(const Problem& problem, const GaussSeidelSchwarz& options) {
  return internal::solve_by(problem, options, schwarz_name, schwarz_start, true,
                            [](const Problem& form, const GaussSeidelSchwarz& given, mixed::Result& result) {
                              internal::GaussSeidelSchwarzMemory memory;
                              GaussSeidelSchwarzMethod(form, given, memory, result).run();
                            });
}

void internal::GaussSeidelSchwarzWorkspace::solve(const Problem& problem, const GaussSeidelSchwarz& options,
                                                  ConstVectorRef r, Result& result) {
  problem.validate();
  options.validate();
  check_sets(schwarz_name, problem.K, true);
  const auto run = [this](const Problem& of, const GaussSeidelSchwarz& by, mixed::Result& found) {
    GaussSeidelSchwarzMethod(of, by, memory_.get(), found).run();
  };
  solve_canonical_into(problem, options, schwarz_name, schwarz_start, r, run, result);
}

}  // namespace nonsmooth::friction
