// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the solvers of the global form share: the scales of its certificate and the ending of a solve.

#include <string_view>
#include <utility>

#include <internal/check.hpp>
#include <internal/sparse_room.hpp>
#include <nonsmooth/numerics/friction/global_problem.hpp>

#include "global_bodies.hpp"
#include "mixed/canonical.hpp"
#include "set_kernels.hpp"

namespace nonsmooth::friction::internal {

/// Elliptic, cohesive and rolling blocks in the units where they are canonical: H' = D H, w' = D w, f' = f - H^T c e_N
/// (see BlockSet), v as it is. Keeps its memory.
class GlobalCanonicalForm {
 public:
  GlobalCanonicalForm() = default;
  explicit GlobalCanonicalForm(const GlobalProblem& problem) { assign(problem); }
  GlobalCanonicalForm(const GlobalCanonicalForm&) = delete;
  GlobalCanonicalForm& operator=(const GlobalCanonicalForm&) = delete;
  void assign(const GlobalProblem& problem);

  [[nodiscard]] const GlobalProblem& problem() const noexcept { return problem_; }
  [[nodiscard]] const mixed::internal::CanonicalScaling& scaling() const noexcept { return scaling_; }
  /// A result of problem() as one of the problem given; its certificate stays that of the canonical form.
  void restore(GlobalResult& result) const;

 private:
  mixed::internal::CanonicalScaling scaling_;
  GlobalProblem problem_;
  SparseRoom room_of_A_, room_of_H_;
};

/// What a public solve() does: refuses what is malformed, then `run(problem, options, result)` on canonical sets with a
/// start of the right size, projected on K.
template <class Options, class Run>
[[nodiscard]] GlobalResult solve_canonical(const GlobalProblem& problem, Options options, std::string_view solver,
                                           const char* start_argument, Run&& run);

/// What an iterate is measured with; depends on the data alone.
struct GlobalScales {
  GrowingVector rho;   ///< one a row, constant on a block but for orthants: n_i / tr D_ii, D = H diag(A)^-1 H^T
  GrowingVector q;     ///< H A^-1 f + w where every body is small, else H diag(A)^-1 f + w
  double force = 0.0;  ///< max(|f|_inf, |H^T rho w|_inf): what momentum is measured in

  /// The memory to measure with; of A its diagonal, A^-1 f, and D and rho w.
  struct Scratch {
    GrowingVector momentum, momentum_terms, terms, error, u, diagonal, free, D, stop;
  };
  mutable Scratch scratch;  ///< one object serves one thread at a time
};

/// d_k = A_kk where positive, else the largest |A_jk|: what stands for diag(A).
void positive_diagonal(const Eigen::SparseMatrix<double>& A, GrowingVector& d);
[[nodiscard]] GlobalScales global_scales(const GlobalProblem& problem);
/// The same for a caller that has the factors of small bodies, or null where a body is large.
void find_scales(const GlobalProblem& problem, const BodyFactors* factors, GlobalScales& scales);

/// As friction::certify of a problem with canonical sets, with the scales at hand; balance_noise receives what
/// round-off alone leaves in the balance.
[[nodiscard]] Certificate certify(const GlobalProblem& problem, const GlobalScales& scales, ConstVectorRef v,
                                  ConstVectorRef r, VectorRef u, double& balance, double& balance_noise,
                                  double floor = -1.0);

/// Certifies (v, r) and keeps it in `result` where it is better than what is there.
bool keep_better(const GlobalProblem& problem, const GlobalScales& scales, ConstVectorRef v, ConstVectorRef r,
                 GlobalResult& result);

/// Certificate, figures and status of result.v, result.r: Solved if the measure allows it (the natural map together
/// with the balance), else `otherwise`; Stalled "at round-off" where only the tolerance is out of reach. Notes
/// round-off
/// (../solved_to_round_off.hpp), of the rows of u and of the balance, which is to be seen beside its rounding too.
void conclude(const GlobalProblem& problem, const GlobalScales& scales, double tolerance, Measure measure,
              GlobalResult& result, Status otherwise, std::string_view reason);
/// The measure of (result.v, result.r, result.u), whose certificate and balance are up to date.
[[nodiscard]] double measured(const GlobalProblem& problem, const GlobalScales& scales, Measure measure,
                              const GlobalResult& result);

/// A result that nothing was found for yet; keeps its memory.
void empty(std::string_view solver, GlobalResult& result);

/// options.start, or 0 where it is empty, projected on the canonical K.
/// @throws InvalidArgument naming `argument` for another size than w or an entry that is not finite.
template <class Vector>
void set_start(const GlobalProblem& problem, const char* argument, Vector& start);

/// What a workspace begins with: checked data, its `start` from `given`, an empty result.
/// @throws InvalidArgument as the solver's problem and options, and as set_start().
template <class Options, class Vector>
void begin_in_workspace(const GlobalProblem& problem, const Options& options, std::string_view solver,
                        const char* start_argument, ConstVectorRef given, Vector& start, GlobalResult& result) {
  problem.validate();
  options.validate();
  start = given;
  set_start(problem, start_argument, start);
  empty(solver, result);
}

template <class Options, class Run>
GlobalResult solve_canonical(const GlobalProblem& problem, Options options, std::string_view solver,
                             const char* start_argument, Run&& run) {
  problem.validate();
  options.validate();
  set_start(problem, start_argument, options.start);
  GlobalResult result;
  result.solver = solver;
  if (problem.H.cols() != problem.A.cols()) {  // no contact, and H without columns
    GlobalProblem sized = problem;
    sized.H.resize(0, problem.A.cols());
    run(sized, options, result);
    return result;
  }
  if (problem.K.is_canonical()) {
    run(problem, options, result);
    return result;
  }
  const GlobalCanonicalForm form(problem);
  form.scaling().to_canonical(options.start);
  run(form.problem(), options, result);
  form.restore(result);
  return result;
}

template <class Vector>
void set_start(const GlobalProblem& problem, const char* argument, Vector& start) {
  if (start.size() == 0) start.setZero(problem.w.size());
  check::size(argument, start.size(), problem.w.size(), "one a row of H, or none");
  check::finite(argument, ConstVectorRef(start));
  for (Index b = 0; b < problem.K.num_blocks(); ++b)
    project(problem.K[b], start.data() + problem.K.offset(b), problem.K.size(b));
}

}  // namespace nonsmooth::friction::internal
