// SPDX-License-Identifier: Apache-2.0
#include "friction_tiers.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <nonsmooth/numerics/friction/admm.hpp>
#include <nonsmooth/numerics/friction/gauss_seidel.hpp>
#include <nonsmooth/numerics/friction/gauss_seidel_newton.hpp>
#include <nonsmooth/numerics/friction/gauss_seidel_schwarz.hpp>
#include <nonsmooth/numerics/friction/interior_point.hpp>
#include <nonsmooth/numerics/friction/proximal_newton.hpp>
#include <nonsmooth/numerics/friction/semismooth_newton.hpp>

#include "friction/reduced/infeasibility.hpp"
#include "friction/reduced/measure.hpp"
#include "friction/reduced/presolve.hpp"
#include "friction/reduced/projection_method.hpp"
#include "mixed/proof_memory.hpp"
#include "small_problem.hpp"

namespace nonsmooth::friction::internal {
namespace {

/// Of a problem that the first tiers solve: sweeps, a presolve, steps of two methods, with room for as many more.
constexpr std::size_t usual_decisions = 8;

/// Plain sweeps before anything else: they end the easy problems, and tell from their rate whether more would.
constexpr Index plain_sweeps = 400;

/// When the rate of sweeps is looked at, and how many more of them are worth what the next tier costs.
struct Patience {
  Index window;
  double more;
};
[[nodiscard]] Patience patience(const ProductSet& K) {
  return has_costly_sweeps(K) ? Patience{2, 4.0} : Patience{8, 80.0};
}

/// Sweeps along conjugate directions on granular matter, about what a factorization and the steps that follow it cost.
constexpr Index granular_sweeps = 600;
/// From so many tolerances away most piles need up to so many more, which cost less than what follows.
constexpr double within_reach = 100.0;
constexpr Index more_sweeps = 6000;
/// Rolling contacts that sweeps solve in the time of an interior point.
constexpr Index few_contacts = 4;
/// Up to so many rows a dense Newton step costs as much as a few sweeps.
constexpr Index few_rows = ProximalNewtonWorkspace::most_rows;
/// Towers and walls take alternating directions this often, or thousands.
constexpr Index few_alternations = 100;
/// Up to few_rows of them Newton steps come first.
constexpr Index short_try = 60;
/// Near a solution, this many tolerances away, a few steps of Newton's method are enough, or none are.
constexpr double near = 1e4;
constexpr Index finishing_steps = 40;
/// Walls take an interior point half as many factorizations.
constexpr Index wall_factorizations = 30;
/// Heavy bodies on light ones take an interior point hundreds: worth it where contacts roll, each being far cheaper
/// than the sweeps of the tiers behind, and where there are few rows.
constexpr Index many_factorizations = 600;
/// Up to so many rows they are worth it without rolling, too.
constexpr Index some_rows = 2 * few_rows;
/// From what those leave where contacts roll.
constexpr Index rolling_steps = 600;
/// Most piles of thousands of contacts take fewer; those that take more do better from another start.
constexpr Index newton_steps = 450;
/// Where patches come before and after them fewer do.
constexpr Index pile_steps = 300;
/// Contacts from which a pile is worth patches, and the rounds that most take which take to them.
constexpr Index small_pile = 1500;
constexpr Index few_rounds = 20;
/// The sweeps before the first round, and the rounds of large piles: from the best r, from the start, from the best.
constexpr Index first_sweeps = 200;
constexpr Index first_rounds = 150, other_rounds = 300, last_rounds = 600;
/// Contacts from which a factorization of the whole costs more than patches of it do.
constexpr Index large_pile = 5000;
/// Products with W: enough for the small problems that have no solution.
constexpr Index proof_steps = 2000;
/// Where all else has failed.
constexpr Index last_alternations = 2'000, last_sweeps = 20'000;

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

constexpr std::string_view closed = "no reactions in the cones keep the contacts from closing: see the proof";
constexpr std::string_view at_round_off = "at round-off: the tolerance is below what the data allow";

}  // namespace

Tiers::Tiers(const Problem& problem, const Automatic& options, const detail::Deadline& deadline, TierMemory& memory,
             Result& result)
    : problem_(problem),
      options_(options),
      deadline_(deadline),
      result_(result),
      portfolio_(options, deadline, result, detail::Portfolio<Result>::Count::Capped),
      memory_(memory),
      sweeps_(memory.sweeps),
      trial_(memory.trial),
      start_(memory.start) {
  start_ = result.r;
}

bool Tiers::sweep() {
  look();
  if (best_ <= options_.tolerance && accept("the start is a solution")) return true;
  // One projection a contact instead of an iteration, where that is costly and a few contacts are not all.
  using Local = mixed::GaussSeidel::Local;
  const bool projected = has_costly_sweeps(problem_.K) && problem_.K.num_blocks() > few_contacts;
  const Local local = projected ? Local::Projection : Local::Exact;
  if (sweeps_.prepare(problem_, local) >= 0) return false;
  trial_.r = result_.r;
  trial_.u.resize(result_.u.size());
  Index k = 0, window_begin = 0;
  double window_change = 0.0, measure_per_change = 0.0;
  std::string_view reason = "max_iterations reached";
  const auto [window, worth] = patience(problem_.K);
  const Index most = options_.max_iterations > 0 ? std::min(options_.max_iterations, plain_sweeps) : plain_sweeps;
  while (k < most) {
    const double change = sweeps_.sweep(problem_, 1.0, deadline_, trial_.r.data());
    ++k;
    if (k == 1) window_change = change;
    const bool late = deadline_.passed();
    // What the change of a sweep foretells of the measure: a look costs as much as two sweeps.
    if (k == 1 || k == most || late || measure_per_change * change <= 1.5 * options_.tolerance) {
      trial_.certificate = mixed::certify(problem_, trial_.r, trial_.u);
      const double residual = measure_of(problem_, options_.measure, trial_);
      if (keep(residual)) {
        reason = "the sweeps converged";
        break;
      }
      measure_per_change = change > 0.0 ? residual / change : 0.0;
    }
    if (late) {
      reason = "time_limit reached";
      break;
    }
    if (k - window_begin < window) continue;
    // Sweeps still to come at the rate of this window.
    const double rate = std::log(window_change / change) / static_cast<double>(k - window_begin);
    const double left = std::log(measure_per_change * change / options_.tolerance);
    if (!(rate * worth > left)) {
      reason = "the sweeps converge too slowly";
      break;
    }
    window_begin = k;
    window_change = change;
  }
  result_.iterations += k;
  result_.solver = "gauss-seidel";
  log("gauss-seidel", k, reason);
  if (best_ <= options_.tolerance && accept(reason)) return true;
  limited_ = k == most && most < plain_sweeps;
  if (!deadline_.passed()) return false;
  end(Status::TimeLimit, reason);
  return true;
}

void Tiers::run(bool modes_tried) {
  if (mixed::internal::find_simple_proof(problem_, result_.proof))
    return end(Status::Infeasible, "a contact that no reaction can open: see the proof");
  result_.proof.resize(0);
  const Index rows = problem_.W.rows();
  const Index dependent = memory_.dependent.count(problem_.W);
  if (dependent > 0) log("presolve", dependent, "rows of W that depend on others between the same bodies");
  const bool costly_sweeps = has_costly_sweeps(problem_.K);
  // In whatever order the contacts come: three to an interface, nine rows of which six are enough.
  const bool masonry = is_masonry(problem_.W) || (!costly_sweeps && 3 * dependent >= rows);
  const bool large = problem_.W.num_block_rows() >= large_pile;
  if (rows <= few_rows && !modes_tried && problem_.K.count(SetKind::Coulomb2D) > 0 && find_modes()) return;
  if (rows <= few_rows && !costly_sweeps && attempt(ProximalNewton{}, &ProximalNewton::max_steps, short_try)) return;
  // Not from the sweeps' r: loads that redundant contacts share at random are a bad start.
  if (masonry && attempt_from(start_, Admm{}, &Admm::max_iterations, few_alternations)) return;
  if (costly_sweeps && !large) {
    // From 0: another start it would polish first, by Newton steps with costly sweeps between them.
    memory_.zero.setZero(rows);
    if (attempt_from(memory_.zero, InteriorPoint{}, &InteriorPoint::max_iterations, many_factorizations)) return;
    if (attempt(ProximalNewton{}, &ProximalNewton::max_steps, rolling_steps)) return;
  }
  if (!masonry && rows > few_rows && sweep_granular()) return;
  if (masonry && !costly_sweeps && !large &&
      attempt(InteriorPoint{}, &InteriorPoint::max_iterations, wall_factorizations))
    return;
  if (!masonry && large) {
    // Which way arrives is chaotic; a short try of the one that is often quicker costs less than waiting for the other.
    // Rounds come near a solution and leave it again: smoothed Newton steps from the best r then.
    const auto finish_near = [&] {
      return best_ <= near * options_.tolerance &&
             attempt(GaussSeidelNewton{}, &GaussSeidelNewton::max_steps, finishing_steps);
    };
    if (attempt(GaussSeidelSchwarz{.first_sweeps = first_sweeps}, &GaussSeidelSchwarz::max_rounds, first_rounds) ||
        finish_near())
      return;
    if (attempt_from(start_, GaussSeidelSchwarz{}, &GaussSeidelSchwarz::max_rounds, other_rounds) || finish_near())
      return;
    if (attempt(GaussSeidelSchwarz{.first_sweeps = first_sweeps}, &GaussSeidelSchwarz::max_rounds, last_rounds) ||
        finish_near())
      return;
  }
  const bool pile = !masonry && !costly_sweeps && !large && problem_.W.num_block_rows() >= small_pile;
  if (pile && attempt(GaussSeidelSchwarz{.first_sweeps = first_sweeps}, &GaussSeidelSchwarz::max_rounds, few_rounds))
    return;
  // Nor from far along a stalled way; then another way through the same steps, and, with whatever is best, once more.
  if (attempt_from(start_, GaussSeidelNewton{}, &GaussSeidelNewton::max_steps, pile ? pile_steps : newton_steps))
    return;
  if (pile &&
      attempt(GaussSeidelSchwarz{.first_sweeps = first_sweeps}, &GaussSeidelSchwarz::max_rounds, 3 * few_rounds))
    return;
  if (!costly_sweeps && !large &&
      attempt(InteriorPoint{}, &InteriorPoint::max_iterations, rows <= some_rows ? many_factorizations : 0))
    return;
  if (attempt(GaussSeidelNewton{}, &GaussSeidelNewton::max_steps, 0)) return;
  if (attempt(ProximalNewton{}, &ProximalNewton::max_steps, 0)) return;
  if (attempt(SemismoothNewton{.formulation = SemismoothNewton::Formulation::NaturalMap}, &SemismoothNewton::max_steps,
              0))
    return;
  if (attempt_from(start_, Admm{}, &Admm::max_iterations, last_alternations)) return;
  if (attempt(GaussSeidel{.conjugate = true}, &GaussSeidel::max_iterations, last_sweeps)) return;
  if (prove()) return;
  const Certificate& certificate = result_.certificate;
  if (!std::isfinite(certificate.residual)) return end(Status::NumericalFailure, "a number overflowed");
  if (certificate.error <= certificate.round_off) return end(Status::Stalled, at_round_off);
  end(limited_ ? Status::IterationLimit : Status::Stalled, "no tier solved it");
}

void Tiers::look() {
  result_.certificate = mixed::certify(problem_, result_.r, result_.u);
  best_ = measure_of(problem_, options_.measure, result_);
}

bool Tiers::keep(double residual) {
  if (detail::is_better(residual, best_)) {
    best_ = residual;
    result_.r = trial_.r;
    result_.u = trial_.u;
    result_.certificate = trial_.certificate;
  }
  return best_ <= options_.tolerance;
}

bool Tiers::accept(std::string_view reason) {
  end_solved(problem_, options_.measure, options_.tolerance, reason, result_);
  return result_.ok();
}

void Tiers::end(Status status, std::string_view reason) { mixed::internal::end(result_, status, reason); }

void Tiers::log(std::string_view tier, Index iterations, std::string_view reason) {
  portfolio_.log(tier, iterations, best_, reason);
}

bool Tiers::prove_on_rows() {
  if (rows_tried_ || problem_.W.rows() > few_rows) return false;
  rows_tried_ = true;
  if (!find_proof_on_rows(problem_, deadline_.remaining(), memory_.proofs.get(), result_.proof)) {
    result_.proof.resize(0);
    return false;
  }
  log("proof of infeasibility", 1, "found");
  end(Status::Infeasible, closed);
  return true;
}

bool Tiers::prove() {
  mixed::internal::ProofMemory& memory = memory_.proofs.get();
  const bool found = find_proof_along(problem_, result_.r, memory, result_.proof) ||
                     find_proof_on_rows(problem_, deadline_.remaining(), memory, result_.proof) ||
                     find_proof(problem_, proof_steps, deadline_, memory, result_.proof);
  log("proof of infeasibility", found ? 1 : 0, found ? "found" : "none found");
  if (!found) {
    result_.proof.resize(0);
    return false;
  }
  end(Status::Infeasible, closed);
  return true;
}

bool Tiers::find_modes() {
  if (problem_.K.count(SetKind::Coulomb3D) + problem_.K.count(SetKind::Rolling) > 0) return false;
  // Active sets and pivoting are exact to round-off.
  const mixed::Automatic own{.tolerance = std::min(options_.tolerance, 1e-10),
                             .max_iterations = options_.max_iterations,
                             .time_limit = deadline_.remaining()};
  const mixed::Result& found = memory_.modes.get().solve(problem_, own);
  result_.iterations += found.iterations;
  if (found.status == Status::Infeasible) {
    const Index iterations = result_.iterations;
    static_cast<mixed::Result&>(result_) = found;
    result_.iterations = iterations;
    log("planar modes", found.iterations, found.reason);
    return true;
  }
  trial_.r = found.r;
  trial_.u = found.u;
  trial_.certificate = found.certificate;
  const bool solved = found.ok() && keep(measure_of(problem_, options_.measure, trial_));
  log("planar modes", found.iterations, found.reason);
  if (solved) result_.solver = "automatic";
  return solved && accept(found.reason);
}

bool Tiers::sweep_granular() {
  const GaussSeidel directed{.conjugate = true};
  if (attempt(directed, &GaussSeidel::max_iterations, granular_sweeps)) return true;
  return best_ <= within_reach * options_.tolerance && attempt(directed, &GaussSeidel::max_iterations, more_sweeps);
}

void Tiers::solve(const ProximalNewton& options, ConstVectorRef start, Result& found) {
  memory_.newton.solve(problem_, options, start, found);
}

void Tiers::solve(const Admm& options, ConstVectorRef start, Result& found) {
  memory_.alternating.solve(problem_, options, start, found);
}

void Tiers::solve(const InteriorPoint& options, ConstVectorRef start, Result& found) {
  memory_.interior.solve(problem_, options, start, found);
}

void Tiers::solve(const GaussSeidelNewton& options, ConstVectorRef start, Result& found) {
  memory_.swept_newton.solve(problem_, options, start, found);
}

void Tiers::solve(const GaussSeidelSchwarz& options, ConstVectorRef start, Result& found) {
  memory_.patches.solve(problem_, options, start, found);
}

void Tiers::solve(const SemismoothNewton& options, ConstVectorRef start, Result& found) {
  memory_.semismooth.solve(problem_, options, start, found);
}

void Tiers::solve(const GaussSeidel& options, ConstVectorRef start, Result& found) {
  problem_.validate();
  options.validate();
  const auto run = [this](const Problem& of, const GaussSeidel& by, Result& result) {
    memory_.directed.solve(of, by, result);
  };
  solve_canonical_into(problem_, options, "gauss-seidel", "friction::GaussSeidel::start", start, run, found);
}

template <class Options>
bool Tiers::attempt_from(ConstVectorRef start, Options options, Index Options::*limit, Index count) {
  options = portfolio_.within(std::move(options), limit, count);
  options.measure = options_.measure;
  Result& other = memory_.attempt;
  solve(options, start, other);
  const double residual = measure_of(problem_, options_.measure, other);
  limited_ = limited_ || (other.status == Status::IterationLimit && options.*limit == options_.max_iterations);
  const Index used = other.iterations;
  const Status status = other.status;
  const std::string_view tier = other.solver, reason = other.reason;
  const Eigen::VectorXd proof = std::move(other.proof);  // empty, but for what calls itself infeasible
  if (portfolio_.keep(std::move(other), residual, best_)) best_ = residual;
  log(tier, used, reason);
  if (status == Status::Solved) return true;
  if (status == Status::Infeasible && proves_infeasible(problem_, proof)) {
    result_.proof = proof;
    end(Status::Infeasible, reason);
    return true;
  }
  if (deadline_.passed()) {
    end(Status::TimeLimit, "time_limit reached");
    return true;
  }
  if (result_.certificate.error > result_.certificate.round_off) return prove_on_rows();
  if (++at_round_off_ < 2) return false;
  // Two tiers agree. But r without bound takes round_off along, and says nothing then.
  const bool nearly_solved = result_.certificate.error <= 1e-10 * problem_.q.lpNorm<Eigen::Infinity>();
  if (nearly_solved || !prove()) end(Status::Stalled, at_round_off);
  return true;
}

void TierMemory::reserve(const Problem& problem) {
  bool more = newton.reserve(problem);
  if (has_costly_sweeps(problem.K) && interior.reserve(problem)) {
    alternating.reserve(problem);
    zero.resize(std::max(problem.W.rows(), zero.size()));
    more = true;
  }
  if (!more) return;
  (void)dependent.count(problem.W);
  attempt.r.resize(problem.W.rows());
  attempt.u.resize(problem.W.rows());
}

bool are_contacts(const ProductSet& K) noexcept {
  const Index friction = K.count(SetKind::Coulomb2D) + K.count(SetKind::Coulomb3D) + K.count(SetKind::Rolling);
  return friction > 0 && friction + K.count(SetKind::Orthant) + K.count(SetKind::Free) == K.num_blocks();
}

void solve_contacts(const Problem& problem, const mixed::Automatic& options, const detail::Deadline& deadline,
                    bool modes_tried, ContactMemory& memory, mixed::Result& result) {
  Result& found = memory.result;
  const Index before = std::exchange(result.iterations, 0);
  static_cast<mixed::Result&>(found) = std::move(result);
  found.decisions.clear();
  found.decisions.reserve(usual_decisions);
  const Automatic own{.tolerance = options.tolerance, .max_iterations = options.max_iterations};
  memory.tiers.reserve(problem);
  Tiers tiers(problem, own, deadline, memory.tiers, found);
  if (!tiers.sweep()) tiers.run(modes_tried);
  // The sweeps of the first tier are the mixed family's; without any decision the start was a solution.
  const bool swept = found.decisions.size() == 1 && found.solver == "gauss-seidel";
  if (swept || found.decisions.empty()) found.solver = "block gauss-seidel";
  result = std::move(static_cast<mixed::Result&>(found));
  result.iterations += before;
}

}  // namespace nonsmooth::friction::internal
