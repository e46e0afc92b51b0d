// SPDX-License-Identifier: Apache-2.0
// All answers to the problem of one step, by trying every basis of a linear complementarity problem.
#include "possible_steps.hpp"

#include <algorithm>
#include <cmath>

#include <internal/check.hpp>
#include <internal/decompositions.hpp>
#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/lcp/enumeration.hpp>

#include "model/guarded.hpp"
#include "model/step_grid.hpp"
#include "stepping/workspace_implementation.hpp"

namespace nonsmooth {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

constexpr Index kMostRowsOfAStep = 15;
constexpr double kCertified = 1e-9;  ///< of the certificate of an answer
constexpr double kSame = 1e-8;       ///< of the largest reaction: two answers that are one

/// The linearised problem of the step into caches.one_step; nothing where nothing acts.
void assemble_step(const NonSmoothDynamicalSystem& model, const State& state, double t_next,
                   Workspace::Implementation& caches) {
  SystemCaches& systems = caches.systems;
  RelationCaches& relations = caches.relations;
  Eigen::VectorXd& z_free = caches.solution.z_free;
  const StepView step{state, t_next, caches.discretisation};
  stages::free_state(step, systems, z_free);
  stages::find_contacts(model, step, caches);
  stages::index_sets(step, caches.search, caches.contacts, caches.joining, systems, relations, caches.impact_rules,
                     caches.active);
  stages::begin_iterate(step, relations, caches.iterate);
  stages::predict_positions(step, systems, caches.iterate);
  stages::evaluate_systems(step, caches.iterate, systems);
  stages::evaluate_relations(step, caches.iterate, systems, relations);
  stages::linearise_systems(step, caches.iterate, systems, z_free);
  stages::linearise_inputs(step, caches.iterate, systems, relations, z_free);
  stages::linearise_contacts(caches.search, systems, caches.contacts);
  if (!caches.active.blocks.empty())
    stages::assemble(step, caches.acting, systems.inputs, z_free, 0.0, caches.one_step);
}

Matrix dense(const BlockSparseMatrix& W) {
  Matrix full = Matrix::Zero(W.rows(), W.rows());
  for (Index i = 0; i < W.num_block_rows(); ++i) {
    for (Index block = W.row_begin(i); block < W.row_begin(i + 1); ++block) {
      const Index j = W.column(block);
      full.block(W.offset(i), W.offset(j), W.size(i), W.size(j)) = W.block(i, block);
    }
  }
  return full;
}

/// r = offset + E z, and the complement of each z: w = R u + S z + c.
struct Complementarity {
  Matrix E, R, S;
  Vector offset, c;

  Complementarity(Index rows, Index variables)
      : E(Matrix::Zero(rows, variables)),
        R(Matrix::Zero(variables, rows)),
        S(Matrix::Zero(variables, variables)),
        offset(Vector::Zero(rows)),
        c(Vector::Zero(variables)) {}
};

bool is_free(const BlockSet& set) {
  return set.kind == SetKind::Free || (set.kind == SetKind::Box && std::isinf(set.lower) && std::isinf(set.upper));
}

/// Variables that one block takes; -1: a set that is not of this kind.
Index variables_of(const BlockSet& set, Index size) {
  if (is_free(set)) return 0;
  if (set.kind == SetKind::Orthant) return size;
  if (set.kind == SetKind::Box) return std::isinf(set.lower) || std::isinf(set.upper) ? size : 2 * size;
  if (set.kind == SetKind::Coulomb2D) return set.mu > 0.0 ? 3 : 1;
  return -1;
}

/// Writes a block whose first row is `row` from variable `at` on.
void write_block(const BlockSet& set, Index size, Index row, Index at, Complementarity& form) {
  if (set.kind == SetKind::Coulomb2D) {
    // z = (r_N + c, s+, u-), w = (u_N, u+, s-): r_T = s+ - mu (r_N + c), s+ + s- = 2 mu (r_N + c), u_T = u+ - u-.
    form.offset[row] = -set.cohesion;
    form.E(row, at) = form.R(at, row) = 1.0;
    if (set.mu == 0.0) return;
    form.E(row + 1, at) = -set.mu;
    form.E(row + 1, at + 1) = 1.0;
    form.R(at + 1, row + 1) = form.S(at + 1, at + 2) = 1.0;
    form.S(at + 2, at) = 2.0 * set.mu;
    form.S(at + 2, at + 1) = -1.0;
    return;
  }
  for (Index k = 0; k < size; ++k, ++row) {
    if (set.kind == SetKind::Orthant || std::isinf(set.upper)) {
      if (set.kind == SetKind::Box) form.offset[row] = set.lower;
      form.E(row, at) = form.R(at, row) = 1.0;
      at += 1;
    } else if (std::isinf(set.lower)) {
      form.offset[row] = set.upper;
      form.E(row, at) = form.R(at, row) = -1.0;
      at += 1;
    } else {  // z = (r - lower, u-), w = (u+, upper - r)
      form.offset[row] = set.lower;
      form.E(row, at) = form.R(at, row) = form.S(at, at + 1) = 1.0;
      form.S(at + 1, at) = -1.0;
      form.c[at + 1] = set.upper - set.lower;
      at += 2;
    }
  }
}

std::string interaction_name(const OneStepNSProblem::Block& block, const Layout& layout) {
  return block.interaction < 0 ? "a detected contact"
                               : layout.interactions[static_cast<std::size_t>(block.interaction)].name;
}

struct Answer {
  Vector r;
  bool isolated = true;
};

/// All r of a problem, by size.
std::vector<Answer> all_answers(const OneStepNSProblem& of_step) {
  const mixed::Problem& problem = of_step.reduced;
  const Index rows = problem.K.num_rows();
  Index count = 0;
  std::vector<Index> free_rows;
  for (Index i = 0; i < problem.K.num_blocks(); ++i) {
    const Index own = variables_of(problem.K[i], problem.K.size(i));
    if (own < 0) {
      throw InvalidArgument(
          "possible_steps: model",
          "the law of " + interaction_name(of_step.blocks[static_cast<std::size_t>(i)], *of_step.layout),
          "equalities, complementarity, relays and friction in the plane");
    }
    count += own;
    if (is_free(problem.K[i]))
      for (Index k = 0; k < problem.K.size(i); ++k) free_rows.push_back(problem.K.offset(i) + k);
  }
  if (count > kMostRowsOfAStep) {
    throw InvalidArgument("possible_steps: model",
                          "a step whose complementarity problem has " + std::to_string(count) + " rows",
                          "at most " + std::to_string(kMostRowsOfAStep));
  }
  Complementarity form(rows, count);
  for (Index i = 0, at = 0; i < problem.K.num_blocks(); ++i) {
    if (is_free(problem.K[i])) continue;
    write_block(problem.K[i], problem.K.size(i), problem.K.offset(i), at, form);
    at += variables_of(problem.K[i], problem.K.size(i));
  }

  // Equalities: r_f = -W_ff^-1 (W_f. (offset + E z) + q_f), E and offset being zero on these rows.
  Matrix W = dense(problem.W);
  const Vector q = problem.q;
  if (!free_rows.empty()) {
    const FullPivotLu factor(W(free_rows, free_rows));
    if (!factor.is_invertible()) {
      throw InvalidArgument("possible_steps: model", "equalities that depend on each other",
                            "independent ones (redundant_constraints() names the others)");
    }
    const Matrix above = W(free_rows, Eigen::all);
    const Matrix moved = -factor.solve(Matrix(above * form.E));
    const Vector fixed = -factor.solve(Vector(above * form.offset + q(free_rows)));
    form.E(free_rows, Eigen::all) = moved;
    form.offset(free_rows) = fixed;
  }
  std::vector<Answer> answers;
  GrowingVector u(q);
  const auto certified = [&](const Vector& r) { return mixed::certify(problem, r, u).residual <= kCertified; };
  if (count == 0) {
    if (certified(form.offset)) answers.push_back({form.offset});
    return answers;
  }
  const lcp::Problem reduced{form.R * W * form.E + form.S, form.R * (W * form.offset + q) + form.c};
  for (const lcp::Solution& solution : lcp::all_solutions(reduced, {.tolerance = kCertified})) {
    const Vector r = form.offset + form.E * solution.result.z;
    if (!certified(r)) continue;
    const double size = r.lpNorm<Eigen::Infinity>();
    const bool ray = solution.unbounded && (form.E * solution.direction).lpNorm<Eigen::Infinity>() >
                                               kSame * solution.direction.lpNorm<Eigen::Infinity>();
    const auto same = std::find_if(answers.begin(), answers.end(), [&](const Answer& answer) {
      return (answer.r - r).lpNorm<Eigen::Infinity>() <= kSame * std::max(size, answer.r.lpNorm<Eigen::Infinity>());
    });
    if (same != answers.end()) {
      same->isolated = same->isolated && !ray;
    } else {
      answers.push_back({r, !ray});
    }
  }
  // Solutions of one basis are convex: where the middle of two solves too, all between them do.
  for (std::size_t i = 0; i < answers.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (certified(0.5 * (answers[i].r + answers[j].r))) answers[i].isolated = answers[j].isolated = false;
    }
  }
  std::stable_sort(answers.begin(), answers.end(),
                   [](const Answer& a, const Answer& b) { return a.r.norm() < b.r.norm(); });
  return answers;
}

}  // namespace

std::vector<PossibleStep> possible_steps(const NonSmoothDynamicalSystem& model, const TimeSteppingOptions& options,
                                         double h, const State& state) {
  Workspace workspace(1);
  return stages::possible_steps(model, options, h, state, workspace);
}

std::vector<PossibleStep> stages::possible_steps(const NonSmoothDynamicalSystem& model,
                                                 const TimeSteppingOptions& options, double h, const State& state,
                                                 Workspace& workspace) {
  check::positive("possible_steps: h", h);
  if (!state.layout() || state.layout()->revision != model.layout()->revision) {
    throw InvalidArgument("possible_steps: state", "a state of another revision or model",
                          "one of the model's present revision");
  }
  if (!state.positions.allFinite() || !state.unknowns.allFinite()) {
    throw InvalidArgument("possible_steps: state", "a coordinate, velocity or state that is not finite",
                          "finite entries");
  }
  Workspace::Implementation& caches = WorkspaceAccess::caches(workspace);
  stages::prepare(model, options, h, caches);
  if (caches.relations.separate_impacts || caches.search.separate_impacts) {
    throw InvalidArgument(
        "possible_steps: model",
        "PoissonImpactLaw or LiuZhaoBrogliatoImpactLaw, whose impact is a problem before that of the step",
        "Newton's impact laws");
  }
  const double t_next = end_of_step(state, h);
  std::vector<PossibleStep> steps;
  try {
    look_at_all_awake(caches.sleep, caches.search);
    assemble_step(model, state, t_next, caches);
    std::vector<Answer> answers(1);
    if (!caches.active.blocks.empty()) answers = all_answers(caches.one_step.problem);
    for (const Answer& answer : answers) {
      if (caches.active.blocks.empty()) {
        caches.solution.z = caches.solution.z_free;
      } else {
        caches.one_step.problem.result.r = answer.r;
        caches.one_step.problem.result.u.resize(answer.r.size());
        (void)mixed::certify(caches.one_step.problem.reduced, answer.r, caches.one_step.problem.result.u);
        stages::apply_multipliers(caches.threads, caches.acting, caches.one_step, caches.solution);
      }
      steps.push_back({state, answer.isolated});
      stages::update(t_next, caches, steps.back().state);
    }
  } catch (const CallableFailure& failure) {
    throw InvalidArgument("possible_steps: model", failure.detail, "functions that return finite values");
  }
  return steps;
}

}  // namespace nonsmooth
