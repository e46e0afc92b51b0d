// SPDX-License-Identifier: Apache-2.0
// Stages 4 and 5 in the global form: A (v - v_free) = H^T r and u = H v + w with their sets, no Delassus matrix.
#include "global_form.hpp"

#include <algorithm>

#include <nonsmooth/numerics/error.hpp>

#include "stepping/failure.hpp"

namespace nonsmooth::stages {
namespace {

constexpr Index kFullRows = 64;  ///< of a system's part of A: there is room for all its entries, zeros of now too

bool is_global(SetKind kind) {
  return kind == SetKind::Coulomb2D || kind == SetKind::Coulomb3D || kind == SetKind::Rolling ||
         kind == SetKind::Orthant || kind == SetKind::Free;
}

[[noreturn]] void refuse_global(const std::string& name, const std::string& what) {
  throw InvalidArgument(
      "TimeSteppingOptions::form", "Form::Global with " + name + ", " + what,
      "Form::Reduced, or contact, friction and equalities between velocities; sets of other laws with "
      "mixed::Automatic");
}

/// `sets`: those of all laws have to be the form's own.
void check_laws(const RelationCaches& relations, const ContactSearch& search, bool sets, GlobalForm& form) {
  if (form.laws_checked) return;
  for (const BlockPlan& block : relations.blocks) {
    const InteractionPlan& interaction = relations.interaction_of(block);
    if (interaction.first_order) refuse_global(interaction.name, "which is of first order");
    if (interaction.coupling.size() > 0)
      refuse_global(interaction.name, "whose multipliers are coupled by a compliance or by its law");
    if (sets && !is_global(block.set.kind))
      refuse_global(interaction.name, "whose law bounds forces or is plastic, and an algorithm of that form alone");
  }
  for (const SourcePlan& source : search.sources) {
    for (std::size_t l = 0; l < source.laws.size(); ++l) {
      if (sets && !is_global(source.laws[l].set.kind))
        refuse_global(source.bodies.name, "whose law " + source.prepared[l].law->name() +
                                              " bounds forces or is plastic, and an algorithm of that form alone");
    }
  }
  form.laws_checked = true;
}

/// A with `shares` rows of unit mass behind, where the systems that are acted on are not those of the last time, or one
/// of them is nonlinear, or rows share reactions.
void write_iteration_matrix(const Discretisation& discretisation, const ActingRows& acting, const SystemCaches& systems,
                            Index shares, GlobalForm& form, Eigen::SparseMatrix<double>& A) {
  const auto count = discretisation.layout->systems.size();
  form.acted_on.assign(count, 0);
  for (const ActiveJacobian& jacobian : acting.active.jacobians)
    form.acted_on[static_cast<std::size_t>(jacobian.system)] = 1;
  bool stands = !form.systems.empty() && shares == 0 && form.shares == 0;
  form.shares = shares;
  std::size_t known = 0;
  for (std::size_t s = 0; s < count; ++s) {
    if (form.acted_on[s] == 0) continue;
    stands = stands && known < form.systems.size() && form.systems[known] == static_cast<Index>(s) &&
             !systems.places[s].batch->is_nonlinear();
    ++known;
  }
  if (stands && known == form.systems.size()) return;
  form.systems.clear();
  form.offset.assign(count, -1);
  auto& entries = form.of_A.entries();
  entries.clear();
  Index rows = 0, most = shares;
  for (std::size_t s = 0; s < count; ++s) {
    if (form.acted_on[s] == 0) continue;
    form.systems.push_back(static_cast<Index>(s));
    form.offset[s] = rows;
    const auto& place = discretisation.system(static_cast<Index>(s));
    systems.places[s].batch->add_iteration_matrix(place, systems.places[s].place, rows, entries);
    rows += place.n;
    most += place.n <= kFullRows ? place.n * place.n : 0;
  }
  for (Index k = 0; k < shares; ++k, ++rows) entries.emplace_back(static_cast<int>(rows), static_cast<int>(rows), 1.0);
  form.of_A.write(rows, rows, most, A);
}

/// w, which is q of the reduced form: the problem is written for v - z_free, so that f = 0, and what u loses by
/// rounding is measured by u.
void write_w(const StepView& step, const ActingRows& acting, const Eigen::VectorXd& z_free, GrowingVector& w) {
  w.resize(acting.active.rows());
  for (const ActiveBlock& block : acting.active.blocks) {
    law_terms(step, block, acting, w.data() + block.row);
    for (const ActiveJacobian& jacobian : acting.jacobians(block)) {
      for (Index k = 0; k < jacobian.n; ++k) {
        for (Index r = 0; r < block.size; ++r)
          w[block.row + r] += jacobian.weight * jacobian.hu[r * jacobian.row_stride + k * jacobian.column_stride] *
                              z_free[jacobian.z + k];
      }
    }
  }
}

/// H, of as many columns as A. A prescribed component is no unknown.
void write_jacobian(const ActingRows& acting, const SystemCaches& systems, GlobalForm& form,
                    friction::GlobalProblem& problem) {
  auto& entries = form.of_H.entries();
  entries.clear();
  Index most = 0;  // of them, zeros of now too
  for (const ActiveBlock& block : acting.active.blocks)
    for (const ActiveJacobian& jacobian : acting.jacobians(block)) most += jacobian.n * block.size;
  entries.reserve(static_cast<std::size_t>(most));
  for (const ActiveBlock& block : acting.active.blocks) {
    for (const ActiveJacobian& jacobian : acting.jacobians(block)) {
      const Index offset = form.offset[static_cast<std::size_t>(jacobian.system)];
      for (Index k = 0; k < jacobian.n; ++k) {
        if (!systems.inputs.prescribed.empty() && systems.inputs.is_prescribed(jacobian.system, k)) continue;
        for (Index r = 0; r < block.size; ++r) {
          const double value = jacobian.weight * jacobian.hu[r * jacobian.row_stride + k * jacobian.column_stride];
          if (value == 0.0) continue;
          entries.emplace_back(static_cast<int>(block.row + r), static_cast<int>(offset + k), value);
        }
      }
    }
  }
  form.of_H.write(acting.active.rows(), problem.A.rows(), most, problem.H);
  problem.f.setZero(problem.A.rows());
}

}  // namespace

bool takes_global(const TimeSteppingOptions& options, const ActingRows& acting, const ContactSearch& search,
                  GlobalForm& form) {
  const bool may_reduce = options.solver.takes_reduced();
  check_laws(acting.relations, search, !may_reduce, form);
  return !may_reduce || std::all_of(acting.active.blocks.begin(), acting.active.blocks.end(),
                                    [](const ActiveBlock& block) { return is_global(block.set->kind); });
}

void assemble_global(const StepView& step, const ActingRows& acting, const SystemCaches& systems,
                     const Eigen::VectorXd& z_free, double dependent, GlobalForm& form, OneStepSolver& one_step) {
  OneStepNSProblem& problem = one_step.problem;
  if (!problem.global) {
    problem.global.emplace();
    form.systems.clear();
    form.of_A.forget();
    form.of_H.forget();
  }
  friction::GlobalProblem& global = *problem.global;
  list_origins(step.discretisation, acting, problem);
  write_w(step, acting, z_free, global.w);
  find_loops(step, acting, systems.inputs, z_free, one_step, form.products);
  if (one_step.redundant.any_loops()) one_step.redundant.settle(one_step.terms, dependent, form.products, problem);
  const Index shares = one_step.redundant.count();
  write_iteration_matrix(step.discretisation, acting, systems, shares, form, global.A);
  write_jacobian(acting, systems, form, global);
  if (shares > 0) one_step.redundant.replace(form.of_H, global.H);
  fill_sets(acting, global.K);
}

void solve_global(const TimeSteppingOptions& options, const State& state, const ActingRows& acting, GlobalForm& form,
                  OneStepSolver& one_step) {
  forget_pattern(one_step);  // the reduced problem that is kept is another step's
  const friction::GlobalProblem& problem = *one_step.problem.global;
  mixed::Result& result = one_step.problem.result;
  result.r.resize(acting.active.rows());
  warm_start(state, acting, result.r);
  one_step.problem.start = result.r;
  one_step.problem.decisions.clear();
  friction::GlobalResult& found = form.found;
  found.v.resize(0);
  if (!problem.w.allFinite() || !problem.H.coeffs().allFinite()) {
    result.r.setZero(acting.active.rows());
    result.u.setZero(acting.active.rows());
    static_cast<Outcome&>(result) = {};
    result.status = Status::NumericalFailure;
    result.reason = "an entry of H or w is not finite";
    return;
  }
  naming_rows(options.solver, one_step.problem,
              [&] { one_step.solver.solve(options.solver, problem, one_step.problem.start, found); });
  one_step.problem.decisions = found.decisions;
  result.r = found.r;
  result.u = found.u;
  static_cast<Outcome&>(result) = found;
}

void apply_global(const Discretisation& discretisation, const SystemCaches& systems, const ActingRows& acting,
                  const GlobalForm& form, const mixed::Result& result, StepSolution& solution) {
  solution.z = solution.z_free;
  if (form.found.v.size() == 0) return;
  for (const Index s : form.systems) {
    const auto& place = discretisation.system(s);
    solution.z.segment(place.z, place.n) += form.found.v.segment(form.offset[static_cast<std::size_t>(s)], place.n);
  }
  // A prescribed velocity is what it is, to the last bit.
  for (const PrescribedComponent& d : systems.inputs.prescribed) solution.z[d.z] = solution.z_free[d.z];
  if (acting.relations.any_iterates) keep_multipliers(acting, result, solution.lambda);
}

}  // namespace nonsmooth::stages
