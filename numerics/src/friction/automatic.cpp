// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/friction/automatic.hpp>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/friction/admm.hpp>
#include <nonsmooth/numerics/friction/gauss_seidel.hpp>
#include <nonsmooth/numerics/friction/gauss_seidel_newton.hpp>
#include <nonsmooth/numerics/friction/hyperstaticity.hpp>
#include <nonsmooth/numerics/friction/proximal_newton.hpp>
#include <nonsmooth/numerics/friction/semismooth_newton.hpp>
#include <nonsmooth/numerics/mixed/workspace.hpp>

#include "../mixed/block_sweeps.hpp"
#include "../mixed/islands.hpp"
#include "infeasibility.hpp"
#include "projection_method.hpp"

namespace nonsmooth::friction {
namespace {

/// Plain sweeps before anything else: they end the easy problems, and tell from their rate whether more would.
constexpr Index plain_sweeps = 400, rate_window = 8;
/// As many more sweeps as are worth what the next tier costs.
constexpr double worth_sweeps = 80.0;
/// Extrapolated sweeps on granular matter, about what a factorization and the steps that follow it cost.
constexpr Index granular_sweeps = 600;
/// Up to so many rows a dense Newton step costs as much as a few sweeps.
constexpr Index few_rows = 200;
/// Towers and walls take alternating directions this often, or thousands.
constexpr Index few_alternations = 100;
/// Most piles of thousands of contacts take fewer; those that take more do better from another start.
constexpr Index newton_steps = 450;
/// Products with W: enough for the small problems that have no solution.
constexpr Index proof_steps = 2000;

/// True where most contacts have the neighbours of the one before: several contacts between the same two bodies, blocks
/// on blocks, whose reactions are redundant.
[[nodiscard]] bool is_masonry(const BlockSparseMatrix& W) {
  Index alike = 0;
  const Index blocks = W.num_block_rows();
  for (Index i = 1; i < blocks; ++i) {
    const Index begin = W.row_begin(i), length = W.row_begin(i + 1) - begin, before = W.row_begin(i - 1);
    bool same = begin - before == length;
    for (Index k = 0; same && k < length; ++k) same = W.column(begin + k) == W.column(before + k);
    if (same) ++alike;
  }
  return 2 * alike > blocks;
}

[[nodiscard]] double measure_of(const Problem& problem, Measure measure, const mixed::Result& of) {
  return measure == Measure::Certificate ? of.certificate.residual
                                         : mixed::friction_figures(problem, of.r, of.u).natural_map;
}

/// The tiers on one problem whose blocks are all connected, from result.r, each from the best r of those before it.
class Tiers {
 public:
  Tiers(const Problem& problem, const Automatic& options, const detail::Deadline& deadline, Result& result)
      : problem_(problem), options_(options), deadline_(deadline), result_(result), start_(result.r) {}

  /// True if a few plain sweeps solve it.
  bool sweep() {
    look();
    if (best_ <= options_.tolerance) {
      end(Status::Solved, "the start is a solution");
      return true;
    }
    mixed::internal::BlockSweeps sweeps;
    if (sweeps.prepare(problem_, mixed::GaussSeidel::Local::Exact) >= 0) return false;
    trial_.r = result_.r;
    trial_.u.resize(result_.u.size());
    Index k = 0, window_begin = 0;
    double window_change = 0.0, measure_per_change = 0.0;
    std::string_view reason = "max_iterations reached";
    const Index most = options_.max_iterations > 0 ? std::min(options_.max_iterations, plain_sweeps) : plain_sweeps;
    while (k < most) {
      const double change = sweeps.sweep(problem_, 1.0, deadline_, trial_.r.data());
      ++k;
      if (k == 1) window_change = change;
      // What the change of a sweep foretells of the measure: a look costs as much as two sweeps.
      if (k == 1 || measure_per_change * change <= 1.5 * options_.tolerance || k == most) {
        trial_.certificate = mixed::certify(problem_, trial_.r, trial_.u);
        const double residual = measure_of(problem_, options_.measure, trial_);
        if (keep(residual)) {
          reason = "the sweeps converged";
          break;
        }
        measure_per_change = change > 0.0 ? residual / change : 0.0;
      }
      if (k - window_begin < rate_window) continue;
      // Sweeps still to come at the rate of this window.
      const double rate = std::log(window_change / change) / static_cast<double>(k - window_begin);
      const double left = std::log(measure_per_change * change / options_.tolerance);
      if (!(rate * worth_sweeps > left)) {
        reason = "the sweeps converge too slowly";
        break;
      }
      window_begin = k;
      window_change = change;
    }
    result_.iterations += k;
    result_.solver = "gauss-seidel";
    result_.decisions.push_back({"gauss-seidel", k, best_, reason});
    if (best_ <= options_.tolerance) end(Status::Solved, reason);
    return best_ <= options_.tolerance;
  }

  /// The tiers that factor, and the long sweeps.
  void run() {
    if (mixed::internal::find_simple_proof(problem_, result_.proof))
      return end(Status::Infeasible, "a contact that no reaction can open: see the proof");
    result_.proof.resize(0);
    const Index rows = problem_.W.rows();
    const bool masonry = is_masonry(problem_.W);
    if (rows <= few_rows && problem_.K.count(SetKind::Coulomb2D) > 0 && enumerate_modes()) return;
    if (rows <= few_rows && attempt(ProximalNewton{}, &ProximalNewton::max_steps, 60)) return;
    // Not from the sweeps' r: loads that redundant contacts share at random are a bad start.
    if (masonry && attempt(Admm{.start = start_}, &Admm::max_iterations, few_alternations)) return;
    if (!masonry && rows > few_rows && attempt(GaussSeidel{}, &GaussSeidel::max_iterations, granular_sweeps)) return;
    // Nor from far along a stalled way; then, with whatever is best, once more.
    if (attempt(GaussSeidelNewton{.start = start_}, &GaussSeidelNewton::max_steps, newton_steps)) return;
    if (attempt(GaussSeidelNewton{}, &GaussSeidelNewton::max_steps, 0)) return;
    if (attempt(ProximalNewton{}, &ProximalNewton::max_steps, 0)) return;
    if (attempt(SemismoothNewton{.formulation = SemismoothNewton::Formulation::NaturalMap},
                &SemismoothNewton::max_steps, 0))
      return;
    if (attempt(Admm{.start = start_}, &Admm::max_iterations, 2'000)) return;
    if (attempt(GaussSeidel{}, &GaussSeidel::max_iterations, 20'000)) return;
    if (internal::find_proof(problem_, proof_steps, result_.proof))
      return end(Status::Infeasible, "no reactions in the cones keep the contacts from closing: see the proof");
    result_.proof.resize(0);
    const Certificate& certificate = result_.certificate;
    if (!std::isfinite(certificate.residual)) return end(Status::NumericalFailure, "a number overflowed");
    if (certificate.error <= certificate.round_off) return end(Status::Stalled, at_round_off);
    end(limited_ ? Status::IterationLimit : Status::Stalled, "no tier solved it");
  }

 private:
  static constexpr std::string_view at_round_off = "at round-off: the tolerance is below what the data allow";

  void look() {
    result_.certificate = mixed::certify(problem_, result_.r, result_.u);
    best_ = measure_of(problem_, options_.measure, result_);
  }

  /// Keeps trial_ where it is better. True where it is good enough.
  bool keep(double residual) {
    if (residual < best_) {
      best_ = residual;
      result_.r = trial_.r;
      result_.u = trial_.u;
      result_.certificate = trial_.certificate;
    }
    return best_ <= options_.tolerance;
  }

  void end(Status status, std::string_view reason) { mixed::internal::end(result_, status, reason); }

  /// Small planar problems: active sets and pivoting, exact to round-off. True if that ends the solve.
  bool enumerate_modes() {
    if (problem_.K.count(SetKind::Coulomb3D) + problem_.K.count(SetKind::Rolling) > 0) return false;
    const mixed::Automatic own{.tolerance = std::min(options_.tolerance, 1e-10),
                               .max_iterations = options_.max_iterations,
                               .time_limit = deadline_.remaining()};
    const mixed::Result found = mixed::solve(problem_, own);
    result_.iterations += found.iterations;
    if (found.status == Status::Infeasible) {
      static_cast<mixed::Result&>(result_) = found;
      result_.decisions.push_back({"planar modes", found.iterations, best_, found.reason});
      return true;
    }
    trial_.r = found.r;
    trial_.u = found.u;
    trial_.certificate = found.certificate;
    const bool solved = found.ok() && keep(measure_of(problem_, options_.measure, trial_));
    result_.decisions.push_back({"planar modes", found.iterations, best_, found.reason});
    if (solved) {
      result_.solver = "automatic";
      end(Status::Solved, found.reason);
    }
    return solved;
  }

  /// One tier, at most `count` of what it counts (0: its default). True if that ends the solve.
  template <class Options>
  bool attempt(Options options, Index Options::*limit, Index count) {
    options.tolerance = options_.tolerance;
    options.measure = options_.measure;
    options.time_limit = deadline_.remaining();
    if (count > 0) options.*limit = count;
    if (options_.max_iterations > 0) options.*limit = std::min(options.*limit, options_.max_iterations);
    if (options.start.size() == 0) options.start = result_.r;
    Result other = friction::solve(problem_, options);
    const double residual = measure_of(problem_, options_.measure, other);
    limited_ = limited_ || (other.status == Status::IterationLimit && options.*limit == options_.max_iterations);
    const Index used = other.iterations, iterations = result_.iterations + used;
    const Status status = other.status;
    const std::string_view tier = other.solver, reason = other.reason;
    if (other.ok() || residual < best_) {
      std::swap(other.decisions, result_.decisions);
      result_ = std::move(other);
      best_ = residual;
    }
    result_.iterations = iterations;
    result_.decisions.push_back({tier, used, best_, reason});
    if (status == Status::Solved) return true;
    if (deadline_.passed()) {
      end(Status::TimeLimit, "time_limit reached");
      return true;
    }
    if (result_.certificate.error > result_.certificate.round_off || ++at_round_off_ < 2) return false;
    end(Status::Stalled, at_round_off);  // two tiers agree
    return true;
  }

  const Problem& problem_;
  const Automatic& options_;
  const detail::Deadline& deadline_;
  Result& result_;
  const Eigen::VectorXd start_;
  mixed::Result trial_;
  double best_ = 0.0;
  int at_round_off_ = 0;  // tiers that ended there
  bool limited_ = false;  // max_iterations ended a tier
};

/// What the whole allows a part: its share of the measure, by its own size.
[[nodiscard]] double share(const Problem& whole, const Problem& part, Measure measure, Index parts) {
  if (measure == Measure::Certificate) {
    const double size = part.q.lpNorm<Eigen::Infinity>();
    return size > 0.0 ? std::max(1.0, whole.q.lpNorm<Eigen::Infinity>() / size) : 1.0;
  }
  const double size = part.q.norm();
  return size > 0.0 ? whole.q.norm() / (size * std::sqrt(static_cast<double>(parts))) : 1.0;
}

void solve_canonical(const Problem& problem, const Automatic& options, Result& result) {
  const detail::Deadline deadline(options.time_limit);
  Tiers whole(problem, options, deadline, result);
  if (whole.sweep()) return;
  mixed::internal::Islands islands;
  islands.find(problem.W);
  if (islands.count() == 1) return whole.run();
  // Parts that W does not couple, one by one: each costs its own iterations.
  Problem part;
  Result partial;
  Status status = Status::Solved;
  Index iterations = 0;
  const Eigen::VectorXd start = result.r;
  for (Index i = 0; i < islands.count(); ++i) {
    islands.extract(problem, i, start, part, partial);
    mixed::internal::begin(part, "automatic", partial);
    partial.decisions.clear();
    Automatic own = options;
    own.tolerance *= share(problem, part, options.measure, islands.count());
    partial.iterations = 0;
    Tiers tiers(part, own, deadline, partial);
    if (!tiers.sweep()) tiers.run();
    islands.scatter(problem, i, partial.r, result.r);
    iterations = std::max(iterations, partial.iterations);
    if (partial.status == Status::Infeasible) {
      result.proof.setZero(problem.W.rows());
      islands.scatter(problem, i, partial.proof, result.proof);
    }
    if (!partial.ok() && status != Status::Infeasible) status = partial.status;
    for (const Decision& decision : partial.decisions) {
      const auto same = std::find_if(result.decisions.begin(), result.decisions.end(),
                                     [&](const Decision& d) { return d.tier == decision.tier; });
      if (same == result.decisions.end()) {
        result.decisions.push_back(decision);
      } else {
        same->iterations = std::max(same->iterations, decision.iterations);
        same->residual = std::max(same->residual, decision.residual);
      }
    }
  }
  result.iterations = iterations;
  result.certificate = mixed::certify(problem, result.r, result.u);
  const double residual = measure_of(problem, options.measure, result);
  if (status == Status::Infeasible) return mixed::internal::end(result, status, "an island has no solution");
  if (residual <= options.tolerance) return mixed::internal::end(result, Status::Solved, "island by island");
  if (status != Status::Solved) return mixed::internal::end(result, status, "an island was not solved");
  whole.run();  // each part within its share, the whole not: rounding of the shares
}

}  // namespace

void Automatic::validate() const {
  check::positive("friction::Automatic::tolerance", tolerance);
  check::at_least("friction::Automatic::max_iterations", max_iterations, 0);
  detail::check_time_limit("friction::Automatic::time_limit", time_limit);
}

Result solve(const Problem& problem, const Automatic& options) {
  return internal::solve_by(problem, options, "automatic", "friction::Automatic::start", true,
                            [](const Problem& canonical, const Automatic& own, Result& result) {
                              solve_canonical(canonical, own, result);
                              if (own.hyperstaticity && result.ok())
                                result.hyperstaticity = hyperstaticity(canonical, result.r, result.u);
                            });
}

}  // namespace nonsmooth::friction
