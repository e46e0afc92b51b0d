// SPDX-License-Identifier: Apache-2.0
#include "cone_tiers.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <nonsmooth/numerics/mixed/admm.hpp>
#include <nonsmooth/numerics/mixed/fischer_burmeister.hpp>
#include <nonsmooth/numerics/mixed/natural_newton.hpp>
#include <nonsmooth/numerics/mixed/proximal_newton.hpp>

#include "bounded_rows.hpp"
#include "mixed/infeasibility.hpp"
#include "mixed/internal.hpp"
#include "portfolio.hpp"

namespace nonsmooth::mixed::internal {
namespace {

constexpr Index sweeps_a_look = 50;
constexpr Index proximal_steps = 300;
constexpr Index anew_steps = 1'000;

/// Sweeps that cost about as much as Newton's method from where sweeps left it: some 20 factorizations, each 10 sweeps
/// of a small dense problem and 50 to 100 of a sparse one (piles and masonry of 200 to 2,000 rows).
[[nodiscard]] Index sweeps_worth_newton(Index rows) noexcept {
  return rows <= 64 ? 200 : std::max<Index>(1'000, 2 * rows);
}

/// Beyond so many rows a local solve costs as much as a step of the Newton methods on the whole problem.
constexpr Index wide_block = 100;

/// Steps towards a proof where no tier found a solution, some three products each: as much as one more tier.
constexpr Index proof_steps = 1'000;

/// Up to so many rows a proof on rows by themselves costs less than a tier.
constexpr Index few_rows = 200;

constexpr std::string_view no_reaction = "no r in K gives a u that the law admits: see the proof";

[[nodiscard]] bool has_wide_block(const ProductSet& K) noexcept {
  for (Index b = 0; b < K.num_blocks(); ++b) {
    const SetKind kind = K[b].kind;
    const bool row_wise = kind == SetKind::Orthant || kind == SetKind::Box;
    if (!row_wise && K.size(b) > wide_block) return true;
  }
  return false;
}

class Tiers {
 public:
  Tiers(const Problem& problem, const Automatic& options, const detail::Deadline& deadline,
        GaussSeidelWorkspace& gauss_seidel, friction::internal::ContactMemory& contacts, Result& result)
      : problem_(problem),
        options_(options),
        deadline_(deadline),
        gauss_seidel_(gauss_seidel),
        contacts_(contacts),
        result_(result),
        portfolio_(options, deadline, result) {
    if (options_.max_iterations > 0) max_sweeps_ = options_.max_iterations;
  }

  void run() {
    const ProductSet& K = problem_.K;
    if (find_simple_proof(problem_, result_.proof)) {
      result_.certificate = certify(problem_, result_.r, result_.u);
      return end(result_, Status::Infeasible, "a block whose law no r in K can meet: see the proof");
    }
    result_.proof.resize(0);
    if (has_wide_block(K)) {
      local_ = GaussSeidel::Local::Projection;
      result_.certificate = certify(problem_, result_.r, result_.u);
      if (result_.certificate.residual <= options_.tolerance)
        return end(result_, Status::Solved, "the start is a solution");
    } else if (sweep(sweeps_worth_newton(problem_.W.rows()))) {
      return;
    }
    if (are_contacts_beside_boxes(K) && !deadline_.passed() &&
        solve_by_bounds(problem_, options_, deadline_, contacts_, result_))
      return;
    const bool self_dual =
        K.count(SetKind::Free) + K.count(SetKind::Orthant) + K.count(SetKind::SecondOrderCone) == K.num_blocks();
    if (self_dual) {
      if (attempt(FischerBurmeister{}, &FischerBurmeister::max_steps, "by the Fischer-Burmeister Newton method",
                  "no tier solved it: the best iterate is Fischer-Burmeister's"))
        return;
    }
    if (attempt(ProximalNewton{.max_steps = proximal_steps}, &ProximalNewton::max_steps, "by proximal Newton",
                "no tier solved it: the best iterate is proximal Newton's"))
      return;
    if (attempt(NaturalNewton{}, &NaturalNewton::max_steps, "by Newton on the natural map",
                "no tier solved it: the best iterate is natural-map Newton's"))
      return;
    if (attempt(Admm{}, &Admm::max_iterations, "by alternating directions",
                "no tier solved it: the best iterate is ADMM's"))
      return;
    if (sweep(max_sweeps_ - swept_)) return;
    if (start_anew()) return;
    const Certificate& certificate = result_.certificate;
    if (!std::isfinite(certificate.residual)) return end(result_, Status::NumericalFailure, "a number overflowed");
    if (deadline_.passed()) return end(result_, Status::TimeLimit, "time_limit reached");
    const bool at_round_off = certificate.error <= certificate.round_off;
    const Index steps = options_.max_iterations > 0 ? std::min(options_.max_iterations, proof_steps) : proof_steps;
    // r without bound takes round_off along, so that it says nothing here.
    const bool nearly_solved = certificate.error <= 1e-10 * problem_.q.lpNorm<Eigen::Infinity>();
    if (!nearly_solved && (find_proof_on_rows(problem_, deadline_.remaining(), result_.proof) ||
                           find_proof(problem_, steps, result_.proof, deadline_)))
      return end(result_, Status::Infeasible, no_reaction);
    result_.proof.resize(0);
    if (deadline_.passed()) return end(result_, Status::TimeLimit, "time_limit reached");
    const Status status = limited_ && !at_round_off ? Status::IterationLimit : Status::Stalled;
    end(result_, status, at_round_off ? "at round-off: the tolerance is below what the data allow" : best_);
  }

 private:
  /// Sweeps while their rate promises the tolerance within `worth` more of them. True if that ends the solve.
  bool sweep(Index worth) {
    const Index last = max_sweeps_;
    double previous = std::numeric_limits<double>::infinity();
    while (swept_ < last && worth > 0) {
      const Index count = std::min(sweeps_a_look, last - swept_), before = result_.iterations;
      gauss_seidel_.solve(
          problem_,
          {.tolerance = options_.tolerance, .max_sweeps = count, .local = local_, .time_limit = deadline_.remaining()},
          result_);
      swept_ += std::max<Index>(result_.iterations, 1);
      result_.iterations += before;
      const double residual = result_.certificate.residual;
      if (result_.ok()) {
        end(result_, Status::Solved, "by Gauss-Seidel sweeps");
        return true;
      }
      if (deadline_.passed()) {
        end(result_, Status::TimeLimit, "time_limit reached in the sweeps");
        return true;
      }
      // What is left over the rate of this look; no progress, or no local solution, promises nothing.
      limited_ = limited_ || (swept_ >= last && options_.max_iterations > 0);
      if (result_.status != Status::IterationLimit || !(residual < previous)) return false;
      const double rate = std::log(previous / residual) / static_cast<double>(count);
      const bool promising =
          !std::isfinite(previous) || std::log(residual / options_.tolerance) <= rate * static_cast<double>(worth);
      if (!promising) return false;
      previous = residual;
    }
    return false;
  }

  /// From 0 most problems are solved that stall wherever sweeps left them, as where groups at their bounds hardly slip:
  /// by steps that change modes freely. Of small problems, unless max_iterations ended a tier. True if that ends the
  /// solve.
  bool start_anew() {
    const auto at_round_off = [&] { return result_.certificate.error <= result_.certificate.round_off; };
    if (problem_.W.rows() > few_rows || limited_ || at_round_off()) return false;
    const Eigen::VectorXd zero = Eigen::VectorXd::Zero(problem_.W.rows());
    return attempt_from(zero, NaturalNewton{}, &NaturalNewton::max_steps, "by Newton on the natural map, from 0",
                        "no tier solved it: the best iterate is natural-map Newton's, from 0") ||
           attempt_from(zero, Admm{}, &Admm::max_iterations, "by alternating directions, from 0",
                        "no tier solved it: the best iterate is ADMM's, from 0") ||
           attempt_from(zero, ProximalNewton{.max_steps = anew_steps}, &ProximalNewton::max_steps,
                        "by proximal Newton, from 0",
                        "no tier solved it: the best iterate is proximal Newton's, from 0");
  }

  /// Another algorithm from the best iterate. True if that ends the solve.
  template <class Options>
  bool attempt(Options options, Index Options::*steps, std::string_view solved, std::string_view best) {
    return attempt_from(result_.r, std::move(options), steps, solved, best);
  }

  template <class Options>
  bool attempt_from(const Eigen::VectorXd& start, Options options, Index Options::*steps, std::string_view solved,
                    std::string_view best) {
    if (deadline_.passed()) return false;
    options.start = start;
    Result other = mixed::solve(problem_, portfolio_.within(std::move(options), steps));
    limited_ = limited_ || (other.status == Status::IterationLimit && options_.max_iterations > 0);
    const double residual = other.certificate.residual;
    if (portfolio_.keep(std::move(other), residual, result_.certificate.residual)) best_ = best;
    if (!result_.ok()) return prove_on_rows();
    end(result_, Status::Solved, solved);
    return true;
  }

  /// The first time, of small problems, where a look costs little beside the tiers to come. True if that ends the
  /// solve.
  bool prove_on_rows() {
    if (rows_tried_ || problem_.W.rows() > few_rows || result_.certificate.error <= result_.certificate.round_off)
      return false;
    rows_tried_ = true;
    const bool found = find_proof_on_rows(problem_, deadline_.remaining(), result_.proof);
    if (found)
      end(result_, Status::Infeasible, no_reaction);
    else
      result_.proof.resize(0);
    return found;
  }

  const Problem& problem_;
  const Automatic& options_;
  const detail::Deadline& deadline_;
  GaussSeidelWorkspace& gauss_seidel_;
  friction::internal::ContactMemory& contacts_;
  Result& result_;
  nonsmooth::detail::Portfolio<Result> portfolio_;
  GaussSeidel::Local local_ = GaussSeidel::Local::Exact;
  Index swept_ = 0, max_sweeps_ = options_.max_sweeps;
  bool limited_ = false;  // max_iterations ended a tier
  bool rows_tried_ = false;
  std::string_view best_ = "no tier solved it: the best iterate is that of the sweeps";
};

}  // namespace

bool has_general_cones(const ProductSet& K) noexcept {
  return K.count(SetKind::SecondOrderCone) > 0 || K.count(SetKind::Coulomb3D) > 0 ||
         K.count(SetKind::DruckerPrager) > 0 || K.count(SetKind::VonMises) > 0 || K.count(SetKind::Rolling) > 0;
}

void solve_cones(const Problem& problem, const Automatic& options, const detail::Deadline& deadline,
                 GaussSeidelWorkspace& gauss_seidel, friction::internal::ContactMemory& contacts, Result& result) {
  begin(problem, "automatic", result);
  Tiers(problem, options, deadline, gauss_seidel, contacts, result).run();
}

}  // namespace nonsmooth::mixed::internal
