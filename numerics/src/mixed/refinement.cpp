// SPDX-License-Identifier: Apache-2.0
#include "refinement.hpp"

#include <algorithm>

#include "internal.hpp"
#include "near_solution.hpp"
#include "refinement_memory.hpp"
#include "set_kernels.hpp"

namespace nonsmooth::mixed::internal {
namespace {

/// Of the diagonal 1 / rho: a singular W needs no more to become regular, and what it changes of a step is again in
/// the residual of the next.
constexpr double smallest_shift = 1e-11, largest_shift = 1e-4, growth = 100.0;

/// How much worse than the best a few steps in a row may be, where modes change.
constexpr double bold = 1e4;
constexpr int most_strays = 3;

[[nodiscard]] bool worth_refining(const Problem& problem, double tolerance, Index max_iterations,
                                  const Result& result) {
  if (!nonsmooth::detail::ended_near(result, tolerance, max_iterations)) return false;
  const Index n = problem.W.rows();
  if (n > nonsmooth::detail::most_sparse_rows || result.r.size() != n || result.u.size() != n) return false;
  return n <= nonsmooth::detail::most_full_rows || !NewtonSystem::prefers_dense(problem.W);
}

/// Newton's method on the natural map of a problem in canonical units.
class Refinement {
 public:
  Refinement(const Problem& problem, RefinementMemory& memory)
      : problem_(problem),
        system_(memory.system),
        map_(memory.map),
        rho_(memory.rho),
        r_(memory.r),
        u_(memory.u),
        step_(memory.step) {
    system_.prepare(problem);
    map_.prepare(problem.K);
    rho_.resize(problem.W.rows());
    natural_scales(problem, VectorRef(rho_));
    u_.resize(problem.W.rows());
    step_.resize(problem.W.rows());
  }

  Index run(double tolerance, Index last, const nonsmooth::detail::Deadline& deadline, Result& result) {
    r_ = result.r;
    double shift = 0.0;
    int strays = 0;
    Index steps = 0;
    while (steps < last && shift <= largest_shift && result.certificate.residual > tolerance && !deadline.passed()) {
      ++steps;
      if (step(shift)) {
        const double before = result.certificate.residual;
        if (keep_better(problem_, r_, u_, result)) {
          strays = 0;
          continue;
        }
        if (strays < most_strays && certify(problem_, r_, u_).residual <= bold * before) {
          ++strays;
          continue;
        }
      }
      r_ = result.r;
      strays = 0;
      shift = std::max(growth * shift, smallest_shift);
    }
    return steps;
  }

 private:
  /// Moves r_. False, and r_ is where it was, where the matrix is singular or numbers overflow.
  [[nodiscard]] bool step(double shift) {
    velocity_in_doubled_precision(problem_, r_, u_);
    map_.linearize(Form::Natural, rho_, r_, u_, step_);
    map_.shift(shift, rho_);
    if (!step_.allFinite() || !system_.factorize(map_.A, map_.C)) return false;
    system_.solve_in_place(step_);
    if (!step_.allFinite()) return false;
    r_ -= step_;
    for (Index b = 0; b < problem_.K.num_blocks(); ++b)
      project(problem_.K[b], r_.data() + problem_.K.offset(b), problem_.K.size(b));
    return true;
  }

  const Problem& problem_;
  NewtonSystem& system_;
  NaturalMap& map_;
  GrowingVector &rho_, &r_, &u_, &step_;
};

/// refine() of what is worth it.
Index refine_in(const Problem& problem, double tolerance, Index max_iterations,
                const nonsmooth::detail::Deadline& deadline, RefinementMemory& memory, Result& result) {
  if (!problem.K.is_canonical()) {
    CanonicalForm& form = memory.canonical;
    GrowingVector& given = memory.given;
    form.assign(problem, false);
    given = result.r;
    form.scaling().to_canonical(result.r);
    const double before = result.certificate.residual;
    const Index steps = worth_refining(form.problem(), tolerance, max_iterations, result)
                            ? refine_in(form.problem(), tolerance, max_iterations, deadline, memory, result)
                            : 0;
    if (result.certificate.residual < before)
      form.restore(result);
    else
      result.r = given;
    return steps;
  }
  constexpr Index most = nonsmooth::detail::most_refinements;
  const Index last = max_iterations > 0 ? std::min(max_iterations, most) : most;
  const Index steps = Refinement(problem, memory).run(tolerance, last, deadline, result);
  result.iterations += steps;
  if (result.certificate.residual <= tolerance) {
    end(result, Status::Solved, nonsmooth::detail::refined_reason);
    confirm(problem, tolerance, result);
  }
  return steps;
}

}  // namespace

Index refine(const Problem& problem, double tolerance, Index max_iterations,
             const nonsmooth::detail::Deadline& deadline, KeptMemory<RefinementMemory>& memory, Result& result) {
  if (!worth_refining(problem, tolerance, max_iterations, result)) return 0;
  return refine_in(problem, tolerance, max_iterations, deadline, memory.get(), result);
}

Index refine(const Problem& problem, double tolerance, Index max_iterations,
             const nonsmooth::detail::Deadline& deadline, Result& result) {
  KeptMemory<RefinementMemory> memory;
  return refine(problem, tolerance, max_iterations, deadline, memory, result);
}

}  // namespace nonsmooth::mixed::internal
