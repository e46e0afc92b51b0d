// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/friction/proximal_newton.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include <internal/check.hpp>

#include "active_modes.hpp"
#include "mixed/block_sweeps.hpp"
#include "projection_method.hpp"
#include "proximal_newton_workspace.hpp"

namespace nonsmooth::friction {

/// All vectors have an entry a row.
struct internal::ProximalNewtonMemory {
  MonitorMemory<GrowingVector> monitor;
  ActiveModes active;
  mixed::internal::BlockSweeps sweeps;
  GrowingVector inverse, zero, center, u, change, r, v, P, residual, step, trial_u, trial_P, trial_r, trial_v;
};

namespace {

constexpr std::string_view newton_name = "proximal newton", newton_start = "friction::ProximalNewton::start";

class ProximalNewtonMethod {
 public:
  ProximalNewtonMethod(const Problem& problem, const ProximalNewton& options, internal::ProximalNewtonMemory& memory,
                       mixed::Result& result)
      : problem_(problem),
        options_(options),
        result_(result),
        monitor_(problem, options.tolerance, options.measure, options.time_limit, &memory.monitor, result),
        active_(memory.active),
        sweeps_(memory.sweeps),
        inverse_(memory.inverse),
        zero_(memory.zero),
        center_(memory.center),
        u_(memory.u),
        change_(memory.change),
        r_(memory.r),
        v_(memory.v),
        P_(memory.P),
        residual_(memory.residual),
        step_(memory.step),
        trial_u_(memory.trial_u),
        trial_P_(memory.trial_P),
        trial_r_(memory.trial_r),
        trial_v_(memory.trial_v) {
    inverse_ = monitor_.rho().cwiseInverse();
    zero_.setZero(problem.W.rows());
    center_ = result.r;
    for (GrowingVector* vector :
         {&u_, &change_, &r_, &v_, &P_, &residual_, &step_, &trial_u_, &trial_P_, &trial_r_, &trial_v_})
      vector->resize(problem.W.rows());
  }

  void run() {
    problem_.W.multiply_add(center_, problem_.q, u_);
    if (monitor_.observe(center_, u_)) return monitor_.finish(Status::Stalled, "");
    // Without local solutions (a redundant bilateral row, say) there are no sweeps.
    can_sweep_ = sweeps_.prepare(problem_, mixed::GaussSeidel::Local::Exact) < 0;
    const Index first = num_sweeps();
    Index sweeps = first;
    if (sweep(sweeps)) return monitor_.finish(Status::Stalled, "");
    active_.prepare(problem_, monitor_.rho());
    alpha_ = options_.regularization;
    Index failures = 0, stale = 0;
    double best = std::numeric_limits<double>::infinity(), error = best;
    while (true) {
      if (polish()) return monitor_.finish(Status::Stalled, "");
      const Index before = result_.iterations;
      const Inner inner = solve_inner();
      const Index steps = result_.iterations - before;
      if (inner == Inner::Done) return monitor_.finish(Status::Stalled, "");
      if (inner == Inner::Limit) return monitor_.finish(Status::IterationLimit, "max_steps reached");
      if (inner == Inner::Converged) {
        failures = 0;
        center_ = P_;
        problem_.W.multiply_add(center_, problem_.q, u_);
        if (monitor_.observe(center_, u_)) return monitor_.finish(Status::Stalled, "");
        // An outer step that contracts the error as much as alpha falls needs no smaller alpha; a slow one does.
        if (!(monitor_.last() < fastest_fall * error)) alpha_ *= fall_;
        error = monitor_.last();
        fall_ = std::max(fastest_fall, std::pow(fall_, 1.2));
        if (steps > many_steps) alpha_ *= 2.0;
        alpha_ = std::max(alpha_, smallest);
      } else {
        if (++failures > 12 || alpha_ > largest)
          return monitor_.finish(Status::Stalled, "Newton's method fails however close the proximal point");
        alpha_ *= 10.0;
        fall_ = std::sqrt(fall_);
      }
      stale = monitor_.best() < 0.5 * best ? 0 : stale + 1;
      best = std::min(best, monitor_.best());
      // With friction sweeps may run in circles, and undo what proximal steps gain.
      if (stale / rest % 2 == 1) continue;
      if (sweep(sweeps)) return monitor_.finish(Status::Stalled, "");
      sweeps = planar() ? (first + 1) / 2 : std::min(2 * sweeps, 4 * first);
    }
  }

 private:
  enum class Inner { Converged, Failed, Done, Limit };
  static constexpr double smallest = 1e-12, largest = 1e4, fastest_fall = 0.1;  // of alpha
  // Of the polish: makes a singular W regular; what it changes of a step is again in the residual of the next.
  static constexpr double smallest_shift = 1e-7, largest_shift = 1e-3;
  // How far |e|^2 may rise in a full step: modes that change often need one bad step before the good ones.
  static constexpr double bold = 1e4;
  static constexpr Index rest = 6;  // outer steps without a gain before sweeps pause, and for so many
  // Sweeps before a certificate, which costs as much as one; then twice as many.
  static constexpr Index first_look = 10;
  static constexpr Index patience = 10;    // Newton steps without a better residual
  static constexpr Index many_steps = 12;  // of an outer step: alpha is too small

  [[nodiscard]] bool planar() const noexcept { return problem_.K.all(SetKind::Coulomb2D); }

  [[nodiscard]] Index num_sweeps() const {
    if (options_.sweeps > 0) return options_.sweeps;
    // A factorization of planar contacts costs some rows^(3/2), of spatial ones rows^2; a sweep costs the blocks.
    const auto rows = static_cast<double>(problem_.W.rows());
    if (planar()) return static_cast<Index>(std::max(30.0, 6.0 * std::sqrt(rows)));
    const double width = static_cast<double>(problem_.W.num_blocks()) / static_cast<double>(problem_.K.num_blocks());
    return static_cast<Index>(std::clamp(1.5 * rows / width, 30.0, 2500.0));
  }

  /// Sweeps from center_ into center_ and u_. True where that ends the solve.
  bool sweep(Index count) {
    if (!can_sweep_ || count == 0) return false;
    for (Index k = 0, look = first_look; k < count; ++k) {
      (void)sweeps_.sweep(problem_, 1.0, monitor_.deadline(), center_.data());
      if (k + 1 != look && k + 1 != count) continue;
      problem_.W.multiply_add(center_, problem_.q, u_);
      if (monitor_.observe(center_, u_)) return true;
      look *= 2;
    }
    return false;
  }

  /// dWr·(r - P) at r + t dr.
  double slope(double t) {
    trial_u_ = v_ + t * change_;
    active_.predict(center_, trial_u_, alpha_, trial_P_);
    return change_.dot(r_ + t * step_ - trial_P_);
  }

  /// t in (0, 1] with the slope near zero, or 1 where it stays below.
  double search() {
    const double at_zero = slope(0.0), small = 0.1 * std::abs(at_zero);
    double high_value = slope(1.0);
    if (!(at_zero < 0.0) || high_value <= small) return 1.0;
    double low = 0.0, high = 1.0, low_value = at_zero, t = 1.0;
    for (int k = 0; k < 30; ++k) {
      t = k % 3 == 2 ? 0.5 * (low + high) : low - low_value * (high - low) / (high_value - low_value);
      const double value = slope(t);
      if (std::abs(value) <= small) break;
      (value < 0.0 ? low : high) = t;
      (value < 0.0 ? low_value : high_value) = value;
    }
    return t;
  }

  /// Newton's method on the law itself from center_, while it halves the error every few steps: where the modes stand
  /// it ends at round-off. True where that ends the solve; center_ stays unless it got better.
  bool polish() {
    r_ = center_;
    v_ = u_;
    double value = merit(r_, v_, residual_), best = value, shift = smallest_shift;
    Index since_best = 0;
    for (Index k = 0; k < 20 && since_best < 4 && result_.iterations < options_.max_steps; ++k) {
      while (shift < largest_shift && !active_.factorize_newton(r_, v_, shift)) shift *= 100.0;
      if (!(shift < largest_shift)) break;
      ++result_.iterations;
      problem_.W.multiply_add(residual_, zero_, change_);
      active_.solve(residual_, change_, step_);
      if (!step_.allFinite()) break;
      problem_.W.multiply_add(step_, zero_, change_);
      double t = 1.0, next = 0.0;
      for (int halving = 0; halving < 6; ++halving, t *= 0.5) {
        trial_r_ = r_ + t * step_;
        trial_v_ = v_ + t * change_;
        next = merit(trial_r_, trial_v_, trial_P_);
        if (next <= (halving == 0 ? bold : 0.999) * value) break;
      }
      r_ += t * step_;
      problem_.W.multiply_add(r_, problem_.q, v_);
      value = merit(r_, v_, residual_);
      if (!std::isfinite(value)) break;
      // Newton's iterates leave K by what a turning slip direction is off its tangent.
      trial_P_ = r_;
      internal::project(problem_.K, trial_P_);
      problem_.W.multiply_add(trial_P_, problem_.q, change_);
      if (monitor_.observe(trial_P_, change_)) return true;
      since_best = value < 0.25 * best ? 0 : since_best + 1;
      best = std::min(best, value);
    }
    return false;
  }

  /// |e|^2, e = (r - P(r - rho u)) / rho; `difference` := P - r.
  double merit(ConstVectorRef r, ConstVectorRef u, GrowingVector& difference) {
    active_.predict(r, u, 1.0, trial_u_);
    difference = trial_u_ - r;
    return difference.cwiseProduct(inverse_).squaredNorm();
  }

  Inner solve_inner() {
    r_ = center_;
    v_ = u_;
    double best = std::numeric_limits<double>::infinity();
    Index since_best = 0;
    for (Index inner = 0;; ++inner) {
      active_.predict(center_, v_, alpha_, P_);
      residual_ = P_ - r_;
      const double error = residual_.cwiseProduct(inverse_).lpNorm<Eigen::Infinity>();
      if (!std::isfinite(error)) return Inner::Failed;
      const double moved = alpha_ * (P_ - center_).cwiseProduct(inverse_).lpNorm<Eigen::Infinity>();
      if (inner > 0 && (error <= 0.1 * moved || error <= 0.01 * options_.tolerance * monitor_.scale()))
        return Inner::Converged;
      since_best = error < 0.7 * best ? 0 : since_best + 1;
      best = std::min(best, error);
      if (inner >= options_.max_inner_steps || since_best > patience) return Inner::Failed;
      if (result_.iterations >= options_.max_steps) return Inner::Limit;
      if (monitor_.deadline().passed()) return monitor_.observe(center_, u_) ? Inner::Done : Inner::Failed;
      if (!active_.factorize(center_, v_, alpha_)) return Inner::Failed;
      ++result_.iterations;
      problem_.W.multiply_add(residual_, zero_, change_);
      active_.solve(residual_, change_, step_);
      if (!step_.allFinite()) return Inner::Failed;
      problem_.W.multiply_add(step_, zero_, change_);
      const double t = search();
      r_ += t * step_;
      v_ += t * change_;
    }
  }

  const Problem& problem_;
  const ProximalNewton& options_;
  mixed::Result& result_;
  internal::BasicMonitor<GrowingVector> monitor_;
  internal::ActiveModes& active_;
  mixed::internal::BlockSweeps& sweeps_;
  GrowingVector &inverse_, &zero_, &center_, &u_, &change_, &r_, &v_, &P_, &residual_, &step_;
  GrowingVector &trial_u_, &trial_P_, &trial_r_, &trial_v_;
  double alpha_ = 0.0, fall_ = 0.1;
  bool can_sweep_ = false;
};

void run_proximal_newton(const Problem& problem, const ProximalNewton& options, mixed::Result& result) {
  internal::ProximalNewtonMemory memory;
  ProximalNewtonMethod(problem, options, memory, result).run();
}

}  // namespace

void ProximalNewton::validate() const {
  check::positive("friction::ProximalNewton::tolerance", tolerance);
  check::at_least("friction::ProximalNewton::max_steps", max_steps, 1);
  check::at_least("friction::ProximalNewton::max_inner_steps", max_inner_steps, 1);
  check::positive("friction::ProximalNewton::regularization", regularization);
  check::at_least("friction::ProximalNewton::sweeps", sweeps, 0);
  detail::check_time_limit("friction::ProximalNewton::time_limit", time_limit);
}

Result solve(const Problem& problem, const ProximalNewton& options) {
  return internal::solve_by(problem, options, newton_name, newton_start, true, run_proximal_newton);
}

namespace internal {

bool ProximalNewtonWorkspace::reserve(const Problem& problem) {
  const Index rows = problem.W.rows(), blocks = problem.W.num_block_rows();
  if (rows > most_rows || (rows <= rows_ && blocks <= blocks_)) return false;
  rows_ = std::max(rows_, rows);
  blocks_ = std::max(blocks_, blocks);
  ProximalNewtonMemory& own = memory_.get();
  for (GrowingVector* vector : {&own.monitor.rho, &own.monitor.error, &own.monitor.best_r, &own.monitor.u, &own.inverse,
                                &own.zero, &own.center, &own.u, &own.change, &own.r, &own.v, &own.P, &own.residual,
                                &own.step, &own.trial_u, &own.trial_P, &own.trial_r, &own.trial_v})
    vector->resize(rows_);
  (void)own.sweeps.prepare(problem, mixed::GaussSeidel::Local::Exact);
  own.monitor.rho.setOnes();
  own.active.prepare(problem, own.monitor.rho);
  own.active.reserve();
  return true;
}

void ProximalNewtonWorkspace::solve(const Problem& problem, const ProximalNewton& options, ConstVectorRef r,
                                    Result& result) {
  problem.validate();
  options.validate();
  check_sets(newton_name, problem.K, true);
  (void)reserve(problem);
  const auto run = [this](const Problem& of, const ProximalNewton& by, mixed::Result& found) {
    ProximalNewtonMethod(of, by, memory_.get(), found).run();
  };
  solve_canonical_into(problem, options, newton_name, newton_start, r, run, result);
}

}  // namespace internal

}  // namespace nonsmooth::friction
