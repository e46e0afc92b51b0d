// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/friction/global_automatic.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include <internal/check.hpp>
#include <internal/deadline.hpp>
#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/friction/automatic.hpp>
#include <nonsmooth/numerics/friction/global_admm.hpp>
#include <nonsmooth/numerics/friction/global_proximal_newton.hpp>
#include <nonsmooth/numerics/mixed/gauss_seidel.hpp>

#include "friction/global/global_admm_workspace.hpp"
#include "friction/global/global_internal.hpp"
#include "friction/global/global_proximal_newton_workspace.hpp"
#include "friction_global.hpp"
#include "friction_tiers.hpp"
#include "mixed/internal.hpp"
#include "portfolio.hpp"
#include "solved_to_round_off.hpp"

namespace nonsmooth::friction {

struct internal::GlobalAutomaticMemory {
  Bodies bodies;
  BodyFactors factors;
  GlobalScales scales;
  GlobalCanonicalForm canonical;
  Problem reduced;
  AutomaticMemory tiers;
  mixed::GaussSeidelWorkspace sweeps;
  Result found, swept;
  GlobalAdmmWorkspace alternating;
  GlobalProximalNewtonWorkspace newton;
  GlobalResult attempt;
  GrowingVector start, v, r;
};

namespace {

constexpr std::string_view global_name = "global automatic";
constexpr const char* global_start = "friction::GlobalAutomatic::start";

[[nodiscard]] bool is_finite(const BlockSparseMatrix& W) {
  return Eigen::Map<const Eigen::VectorXd>(W.values(0), W.values(W.num_blocks()) - W.values(0)).allFinite();
}

class Choice {
 public:
  /// From memory.start, in the place of options.start.
  Choice(const GlobalProblem& problem, const GlobalAutomatic& options, internal::GlobalAutomaticMemory& memory,
         GlobalResult& result)
      : problem_(problem),
        options_(options),
        memory_(memory),
        result_(result),
        deadline_(options.time_limit),
        portfolio_(options, deadline_, result),
        bodies_(memory.bodies),
        factors_(memory.factors),
        scales_(memory.scales) {
    bodies_.assign(problem);
    if (bodies_.largest() <= internal::small_body) factorize();
    internal::find_scales(problem, factored_ ? &factors_ : nullptr, scales_);
    result_.r = memory.start;
    // What a start other than 0 is certified with, which may come after many that were 0.
    memory.r.resize(problem.w.size());
    memory.v.resize(problem.f.size());
    scales_.scratch.u.resize(problem.w.size());
  }

  void run() {
    if (problem_.w.size() == 0) return without_contacts();
    const bool reduced = reduces();
    if (reduced) {
      if (alternate_first() || solve_reduced() || deadline_.passed()) return;
    } else {
      note("presolve", 0, "the reduced matrix would be larger than A and H");
    }
    // After the reduced tiers these are another start more than another method: a few steps will tell.
    (void)(attempt(GlobalProximalNewton{}, &GlobalProximalNewton::max_steps, reduced ? few_steps : most_steps, reduced,
                   result_.r) ||
           attempt(GlobalAdmm{}, &GlobalAdmm::max_iterations, reduced ? last_alternations : most_alternations, reduced,
                   result_.r));
  }

 private:
  static constexpr double always_reduced = 9e6;  // entries: a dense W of 3000 rows, 72 MB
  static constexpr int tightenings = 5;          // of the reduced tolerance, where the two certificates differ

  static constexpr Index few_rows = 120;  // fewer: the reduced tiers take microseconds
  static constexpr Index few_sweeps = 50, few_alternations = 3'000;
  static constexpr Index few_steps = 100, last_alternations = 5'000;    // after the reduced tiers
  static constexpr Index most_steps = 300, most_alternations = 20'000;  // without them

  /// From the caller's start: that of a few sweeps, whose dependent contacts share loads at random, is a bad one.
  [[nodiscard]] bool alternate(Index iterations) {
    return attempt(GlobalAdmm{}, &GlobalAdmm::max_iterations, iterations, true, memory_.start);
  }

  /// W of a large body costs one solve a row, and so does an iteration of alternating directions: half as many of
  /// those are worth a try before. True where they solve it.
  [[nodiscard]] bool alternate_first() {
    return !factored_ && problem_.w.size() >= few_rows && alternate(problem_.w.size() / 2);
  }

  /// More rows than dofs: W is singular, sweeps creep, and its factors are larger than those of A + H^T R^-1 H.
  [[nodiscard]] bool hyperstatic() const {
    const Index m = problem_.w.size();
    if (m < few_rows || bodies_.largest() > internal::small_body) return false;
    Index dofs = 0;
    for (Index body = 0; body < bodies_.size(); ++body)
      if (bodies_.num_blocks(body) > 0) dofs += bodies_.num_dofs(body);
    return m > dofs;
  }

  /// A few sweeps, which may be enough and are a good start. True where they solve it.
  [[nodiscard]] bool sweep(const Problem& reduced) {
    mixed::GaussSeidel options{.tolerance = options_.tolerance};
    options.max_sweeps = options_.max_iterations > 0 ? std::min(options_.max_iterations, few_sweeps) : few_sweeps;
    options.time_limit = deadline_.remaining();
    reduced.validate();
    mixed::Result& found = memory_.swept;
    found.r.setZero(reduced.W.rows());
    memory_.sweeps.solve(reduced, options, found);
    take(found);
    conclude(Status::Stalled, found.reason);
    note(found.solver, found.iterations, found.reason);
    return result_.ok() || deadline_.passed();
  }

  /// r of a reduced solve, if it is the best so far.
  void take(const mixed::Result& found) {
    result_.iterations += found.iterations;
    GrowingVector& v = memory_.v;
    factors_.velocities(found.r, v);
    if (std::isnan(result_.certificate.residual)) {  // the first iterate: conclude() certifies it
      result_.v = v;
      result_.r = found.r;
    } else if (!internal::keep_better(problem_, scales_, v, found.r, result_)) {
      return;
    }
    result_.solver = found.solver;
  }

  [[nodiscard]] bool reduces() const {
    const double entries = bodies_.reduced_entries(problem_.K);
    const auto sparse = static_cast<double>(problem_.A.nonZeros() + problem_.H.nonZeros());
    return entries <= std::max(always_reduced, options_.fill * sparse);
  }

  void note(std::string_view tier, Index iterations, std::string_view reason) {
    portfolio_.log(tier, iterations, residual(), reason);
  }

  [[nodiscard]] double residual() const { return internal::measured(problem_, scales_, options_.measure, result_); }

  void conclude(Status otherwise, std::string_view reason) {
    if (otherwise != Status::Infeasible && deadline_.passed()) {
      otherwise = Status::TimeLimit;
      reason = "time_limit reached";
    }
    internal::conclude(problem_, scales_, options_.tolerance, options_.measure, result_, otherwise, reason);
  }

  void without_contacts() {
    factorize();
    factors_.solve(problem_.f, result_.v);
    result_.r.resize(0);
    conclude(Status::Stalled, "A is too badly conditioned for the balance of momentum");
    note("presolve", 0, "no contact: A v = f");
  }

  /// True if y proves more than the rounding of q = H A^-1 f + w, whose terms may cancel.
  [[nodiscard]] bool outweighs_rounding(const Eigen::VectorXd& y, ConstVectorRef q) const {
    GrowingVector free;
    factors_.solve(problem_.f, free);
    free = free.cwiseAbs();
    const double terms = y.cwiseAbs().dot(problem_.H.cwiseAbs() * free + problem_.w.cwiseAbs());
    return q.dot(y) < -16.0 * std::numeric_limits<double>::epsilon() * terms;
  }

  void factorize() {
    if (!factored_) factors_.assign(problem_, bodies_);
    factored_ = true;
  }

  void write_reduced() {
    factorize();
    Problem& reduced = memory_.reduced;
    factors_.reduced_matrix(reduced.W);
    if (bodies_.largest() <= internal::small_body) {  // then q is what the certificate is scaled by
      reduced.q = scales_.q;
    } else {
      factors_.solve(problem_.f, memory_.v);
      reduced.q.resize(problem_.w.size());
      reduced.q.noalias() = problem_.H * memory_.v;
      reduced.q += problem_.w;
    }
    reduced.K = problem_.K;
  }

  /// The reduced problem by the reduced automatic choice. True where nothing is left to do.
  [[nodiscard]] bool solve_reduced() {
    write_reduced();
    Problem& reduced = memory_.reduced;
    if (std::isnan(result_.certificate.residual) && !result_.r.isZero(0.0)) {
      memory_.r = result_.r;
      factors_.velocities(memory_.r, memory_.v);
      internal::keep_better(problem_, scales_, memory_.v, memory_.r, result_);
    }
    note("presolve", 0, "reduced form");
    const bool sweeps = !internal::has_costly_sweeps(problem_.K);
    if (hyperstatic() && ((sweeps && sweep(reduced)) || alternate(few_alternations))) return true;
    if (!reduced.q.allFinite() || !is_finite(reduced.W)) reduced.validate();  // numbers overflow: says where
    Automatic options{
        .tolerance = options_.tolerance, .measure = options_.measure, .max_iterations = options_.max_iterations};
    Result& found = memory_.found;
    memory_.tiers.whole.reserve(reduced);
    found.r = result_.r;
    for (int turn = 0;; ++turn) {  // from the r of the turn before
      options.time_limit = deadline_.remaining();
      mixed::internal::begin(reduced, "automatic", found);
      found.decisions.clear();
      internal::solve_canonical(reduced, options, memory_.tiers, found);
      take(found);
      result_.decisions.insert(result_.decisions.end(), found.decisions.begin(), found.decisions.end());
      if (found.status == Status::Infeasible && !outweighs_rounding(found.proof, reduced.q))
        mixed::internal::end(found, Status::Stalled, "at round-off: the free velocity of closing contacts is rounding");
      result_.proof = found.proof;
      conclude(found.ok() ? Status::Stalled : found.status, found.reason);
      if (result_.ok() || result_.status == Status::Infeasible || result_.status == Status::TimeLimit) return true;
      if (!found.ok() || turn == tightenings) return false;
      options.tolerance *= std::clamp(0.3 * options_.tolerance / residual(), 1e-3, 0.3);
    }
  }

  /// One algorithm on (A, H), `usual` steps of it, which are a short try or not. True where it ends the solve.
  template <class Options>
  [[nodiscard]] bool attempt(Options options, Index Options::*count, Index usual, bool short_try,
                             const GrowingVector& start) {
    options.measure = options_.measure;
    options = short_try ? portfolio_.briefly(std::move(options), count, usual)
                        : portfolio_.within(std::move(options), count, usual);
    GlobalResult& found = memory_.attempt;
    solve(options, start, found);
    result_.iterations += found.iterations;
    const bool better = internal::keep_better(problem_, scales_, found.v, found.r, result_);
    if (better) result_.solver = found.solver;
    note(found.solver, found.iterations, found.reason);
    conclude(found.ok() ? Status::Stalled : found.status, found.reason);
    return result_.ok() || deadline_.passed();
  }

  void solve(const GlobalAdmm& options, const GrowingVector& start, GlobalResult& found) {
    memory_.alternating.solve(problem_, options, scales_, start, found);
  }
  void solve(const GlobalProximalNewton& options, const GrowingVector& start, GlobalResult& found) {
    memory_.newton.solve(problem_, options, scales_, start, found);
  }

  const GlobalProblem& problem_;
  const GlobalAutomatic& options_;
  internal::GlobalAutomaticMemory& memory_;
  GlobalResult& result_;
  detail::Deadline deadline_;
  detail::Portfolio<GlobalResult> portfolio_;
  internal::Bodies& bodies_;
  internal::BodyFactors& factors_;
  internal::GlobalScales& scales_;
  bool factored_ = false;
};

/// From memory.start; canonical sets.
void choose(const GlobalProblem& problem, const GlobalAutomatic& options, internal::GlobalAutomaticMemory& memory,
            GlobalResult& result) {
  Choice(problem, options, memory, result).run();
  nonsmooth::detail::call_solved(result);
}

}  // namespace

void GlobalAutomatic::validate() const {
  check::positive("friction::GlobalAutomatic::tolerance", tolerance);
  if (!(fill >= 0.0)) throw InvalidArgument("friction::GlobalAutomatic::fill", std::to_string(fill), "a number >= 0");
  check::at_least("friction::GlobalAutomatic::max_iterations", max_iterations, 0);
  detail::check_time_limit("friction::GlobalAutomatic::time_limit", time_limit);
}

GlobalResult solve(const GlobalProblem& problem, const GlobalAutomatic& options) {
  GlobalResult result;
  internal::GlobalAutomaticWorkspace().solve(problem, options, options.start, result);
  return result;
}

void internal::GlobalAutomaticWorkspace::solve(const GlobalProblem& problem, const GlobalAutomatic& options,
                                               ConstVectorRef start, GlobalResult& result) {
  GlobalAutomaticMemory& memory = memory_.get();
  begin_in_workspace(problem, options, global_name, global_start, start, memory.start, result);
  if (problem.H.cols() != problem.A.cols()) {  // no contact, and H without columns
    GlobalProblem sized = problem;
    sized.H.resize(0, problem.A.cols());
    return choose(sized, options, memory, result);
  }
  if (problem.K.is_canonical()) return choose(problem, options, memory, result);
  memory.canonical.assign(problem);
  memory.canonical.scaling().to_canonical(memory.start);
  choose(memory.canonical.problem(), options, memory, result);
  memory.canonical.restore(result);
}

}  // namespace nonsmooth::friction
