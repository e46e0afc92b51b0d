// SPDX-License-Identifier: Apache-2.0
// The stages of a scheme over one length of time, by the law or in a mode.
#include <algorithm>
#include <cmath>
#include <limits>

#include "staged.hpp"
#include "stepping/failure.hpp"
#include "stepping/sums.hpp"

namespace nonsmooth::stages {
namespace {

constexpr double kRoundOff = 64.0 * std::numeric_limits<double>::epsilon();  ///< of x that stayed for some steps

/// A group and where its stages are.
struct GroupWork {
  const StagedWork& work;
  Staged::Stages& stages;
  Staged::Group& group;
  double t, h;  ///< of the part

  [[nodiscard]] Staged& staged() const { return work.staged; }
  [[nodiscard]] std::size_t stage(Index i) const { return static_cast<std::size_t>(group.first + i); }
  [[nodiscard]] const Staged::Linearised& at(Index i) const { return work.staged.at[stage(i)]; }
  [[nodiscard]] double a(Index i, Index j) const { return stages.table.a(group.first + i, group.first + j); }
};

/// A X = M base + h a (k + G Lambda): its factor, P and W.
void make_matrices(const GroupWork& one) {
  Staged::Group& group = one.group;
  Staged& staged = one.staged();
  const Index n = staged.n, m = staged.m;
  group.matrix_stands = false;
  for (Index i = 0; i < group.count; ++i) {
    for (Index j = 0; j < group.count; ++j) {
      if (group.is_explicit) break;
      auto A = group.A.block(i * n, j * n, n, n);
      A = (-one.h * one.a(i, j)) * one.at(j).J;
      if (i == j) A += staged.mass;
      group.P.block(i * n, j * m, n, m) = (one.h * one.a(i, j)) * one.at(j).G;
    }
  }
  if (!group.is_explicit) {
    group.factor.compute(group.A);
    if (m > 0) group.factor.solve_in_place(group.P, staged.buffer);
  }
  for (Index i = 0; i < group.count; ++i) {
    if (!group.is_explicit) group.W.middleRows(i * m, m).noalias() = one.at(i).H * group.P.middleRows(i * n, n);
    if (group.is_explicit) group.W = one.at(i).D;
    if (!group.is_explicit) group.W.block(i * m, i * m, m, m) += one.at(i).D;
  }
}

/// X_free and q.
void make_vectors(const GroupWork& one) {
  Staged::Group& group = one.group;
  Staged& staged = one.staged();
  const Index n = staged.n, m = staged.m;
  for (Index i = 0; i < group.count; ++i) {
    auto free = group.free.segment(i * n, n);
    if (group.is_explicit) {
      free = group.iterate.segment(i * n, n);
      break;
    }
    free.noalias() = staged.mass * one.stages.base[one.stage(i)];
    for (Index j = 0; j < group.count; ++j) free += (one.h * one.a(i, j)) * one.at(j).k;
  }
  if (!group.is_explicit) group.factor.solve_in_place(group.free, staged.buffer);
  for (Index i = 0; i < group.count; ++i) {
    auto q = group.q.segment(i * m, m);
    q = one.at(i).w;
    q.noalias() += one.at(i).H * group.free.segment(i * n, n);
  }
}

/// Relays without D, at an instant: the bound that y says, or which rows are at y = 0 to rounding: of the terms of y,
/// and of what a step of any lambda moves it by, as x may be the end of one that began there. Writes M^-1 G and the
/// rates.
void select_bounds(const GroupWork& one) {
  Staged& staged = one.staged();
  Staged::Group& group = one.group;
  const Staged::Linearised& at = one.at(0);
  staged.at_zero.clear();
  staged.rates = at.G;
  staged.mass_factor.solve_in_place(staged.rates, staged.buffer);
  for (Index r = 0; r < staged.m; ++r) {
    if (staged.selected[static_cast<std::size_t>(r)] != 0) group.lambda[r] = 0.0;
  }
  slope_at(staged, at, group.free, group.lambda, staged.f);
  staged.values = group.free.cwiseAbs() + one.h * staged.f.cwiseAbs();
  for (Index r = 0; r < staged.m; ++r) {
    const auto row = static_cast<std::size_t>(r);
    if (staged.selected[row] == 0) continue;
    const double bound = std::max(std::abs(staged.lower[row]), std::abs(staged.upper[row]));
    staged.values += (one.h * bound) * staged.rates.col(r).cwiseAbs();
  }
  for (Index r = 0; r < staged.m; ++r) {
    const auto row = static_cast<std::size_t>(r);
    if (staged.selected[row] == 0) continue;
    const double terms = at.H.row(r).cwiseAbs().dot(staged.values) + std::abs(at.w[r]);
    group.lambda[r] = group.q[r] > 0.0 ? staged.lower[row] : staged.upper[row];
    if (std::abs(group.q[r]) > kRoundOff * terms) continue;
    group.lambda[r] = std::clamp(0.0, staged.lower[row], staged.upper[row]);
    staged.at_zero.push_back(r);
  }
}

/// The same with, of the rows at y = 0, the lambda between their bounds by which |M^-1 (J x + G lambda + k)| is least:
/// coordinate after coordinate, as it is convex and rows are few.
void select_multipliers(const GroupWork& one) {
  constexpr int kMostSweeps = 200;
  Staged& staged = one.staged();
  Staged::Group& group = one.group;
  select_bounds(one);
  if (staged.at_zero.empty()) return;
  slope_at(staged, one.at(0), group.free, group.lambda, staged.f);
  for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
    double moved = 0.0;
    for (const Index r : staged.at_zero) {
      const auto row = static_cast<std::size_t>(r);
      const auto rate = staged.rates.col(r);
      const double square = rate.squaredNorm();
      if (!(square > 0.0) || !(staged.upper[row] > staged.lower[row])) continue;
      const double before = group.lambda[r];
      group.lambda[r] = std::clamp(before - rate.dot(staged.f) / square, staged.lower[row], staged.upper[row]);
      const double change = group.lambda[r] - before;
      staged.f += change * rate;
      moved = std::max(moved, std::abs(change) / (staged.upper[row] - staged.lower[row]));
    }
    if (!(moved > 0.0)) return;
  }
}

/// The worst of the part's problems, to the report. @returns false where the step ends there.
bool tell_problem(const StagedWork& work, const Staged::Group& group) {
  const mixed::Result& result = group.problem.result;
  StepReport& report = work.report;
  work.staged.last = &group.problem;
  add_problem(result, report);
  if (result.ok()) return true;
  report.outcome = StepReport::Outcome::SolverFailed;
  report.detail = place_of_failure(group.problem);
  return work.options.on_failure == OnFailure::Accept;
}

/// Lambda by the law.
bool solve_problem(const GroupWork& one) {
  Staged::Group& group = one.group;
  if (group.is_explicit && one.work.staged.selects) select_multipliers(one);
  OneStepNSProblem& problem = group.problem;
  if (problem.empty()) return true;
  mixed::Problem& reduced = problem.reduced;
  BlockSparseMatrix& W = reduced.W;
  for (std::size_t i = 0; i < group.blocks.size(); ++i) {
    const auto number = static_cast<Index>(i);
    const Index size = W.size(number), at_row = group.blocks[i].row;
    reduced.q.segment(W.offset(number), size) = group.q.segment(at_row, size);
    problem.result.r.segment(W.offset(number), size) = group.lambda.segment(at_row, size);
    if (group.matrix_stands) continue;
    for (Index e = W.row_begin(number); e < W.row_begin(number + 1); ++e) {
      const Staged::BlockAtStage& column = group.blocks[static_cast<std::size_t>(W.column(e))];
      Eigen::Map<Eigen::MatrixXd>(W.values(e), size, W.size(W.column(e))) =
          group.W.block(at_row, column.row, size, W.size(W.column(e)));
    }
  }
  problem.start = problem.result.r;
  naming_rows(one.work.options.solver, problem, [&] {
    group.solver.solve(one.work.options.solver, reduced, group.matrix_stands, one.work.threads, problem.result,
                       problem.decisions);
  });
  group.matrix_stands = true;
  if (!tell_problem(one.work, group)) return false;
  for (std::size_t i = 0; i < group.blocks.size(); ++i) {
    const auto number = static_cast<Index>(i);
    group.lambda.segment(group.blocks[i].row, W.size(number)) =
        problem.result.r.segment(W.offset(number), W.size(number));
  }
  return true;
}

/// Lambda in a mode: at a bound, or by u = 0.
void solve_mode(const GroupWork& one, const std::vector<StageBranch>& mode) {
  Staged::Group& group = one.group;
  const Staged& staged = one.staged();
  group.held = group.W;
  for (Index r = 0; r < group.held.rows(); ++r) {
    const auto row = static_cast<std::size_t>(r % staged.m);
    if (mode[row] == StageBranch::Held) {
      group.lambda[r] = -group.q[r];
      continue;
    }
    group.held.row(r).setZero();
    group.held(r, r) = 1.0;
    const bool at_upper = mode[row] == StageBranch::Upper || !std::isfinite(staged.lower[row]);
    group.lambda[r] = at_upper ? staged.upper[row] : staged.lower[row];
  }
  if (staged.m == 0) return;
  group.held_factor.compute(group.held);
  group.held_factor.solve_in_place(group.lambda, one.staged().buffer);
}

/// How far X and Lambda are from the iterate, in units of what is allowed.
double distance_from_iterate(const GroupWork& one) {
  const Staged::Group& group = one.group;
  const Staged& staged = one.staged();
  const double tolerance = one.work.options.newton.tolerance;
  double worst = 0.0;
  const auto compare = [&](const auto& now, const auto& before) {
    const double change = (now - before).template lpNorm<Eigen::Infinity>();
    if (change == 0.0) return;
    const double size = now.template lpNorm<Eigen::Infinity>() + before.template lpNorm<Eigen::Infinity>();
    worst = std::max(worst, change / (tolerance * size));
    if (std::isnan(change)) worst = std::numeric_limits<double>::infinity();
  };
  for (Index i = 0; i < group.count; ++i) {
    for (const Layout::System& place : one.work.discretisation.layout->systems)
      compare(group.x.segment(i * staged.n + place.z, place.n), group.iterate.segment(i * staged.n + place.z, place.n));
    for (std::size_t k = 0; k < staged.first_row.size(); ++k) {
      const InteractionPlan& interaction = one.work.relations.interactions[k];
      const Index first = i * staged.m + staged.first_row[k];
      compare(group.lambda.segment(first, interaction.extended), group.guess.segment(first, interaction.extended));
    }
  }
  return worst;
}

void linearise_group(const GroupWork& one) {
  Staged& staged = one.staged();
  for (Index i = 0; i < one.group.count; ++i) {
    const std::size_t stage = one.stage(i);
    const bool is_stage = stage < one.stages.x.size();
    const double t = is_stage ? one.t + one.stages.table.c[static_cast<Index>(stage)] * one.h : one.t;
    staged.values = one.group.iterate.segment(i * staged.n, staged.n);
    staged.multipliers = one.group.guess.segment(i * staged.m, staged.m);
    linearise_stage(one.work, t, staged.values, staged.multipliers, staged.at[stage]);
  }
}

/// X, Lambda and U of a group; X of its stages begins as `iterate`, Lambda as `lambda`.
bool solve_group(const GroupWork& one, const std::vector<StageBranch>* mode) {
  Staged::Group& group = one.group;
  Staged& staged = one.staged();
  const NewtonOptions& newton = one.work.options.newton;
  for (Index iteration = 0; iteration < newton.max_iterations; ++iteration) {
    group.guess = group.lambda;
    linearise_group(one);
    if (!staged.constant || group.h != one.h) make_matrices(one);
    group.h = one.h;
    make_vectors(one);
    if (mode != nullptr) {
      solve_mode(one, *mode);
    } else if (!solve_problem(one)) {
      return false;
    }
    group.u = group.q;
    group.u.noalias() += group.W * group.lambda;
    group.x = group.free;
    if (!group.is_explicit) group.x.noalias() += group.P * group.lambda;
    if (staged.linear) return true;
    ++one.work.report.newton_iterations;
    if (distance_from_iterate(one) <= 1.0) return true;
    group.iterate = group.x;
  }
  if (newton.max_iterations == 1) return true;  // the linearly implicit scheme
  one.work.report.outcome = StepReport::Outcome::NewtonLimit;
  return one.work.options.on_failure == OnFailure::Accept;
}

/// Where a stage starts from: x_k, what the step before left, and the stages before its group.
void make_base(const StagedWork& work, const Staged::Group& group, Index i, double h, Staged::Stages& stages) {
  const StageTable& table = stages.table;
  Eigen::VectorXd& base = stages.base[static_cast<std::size_t>(i)];
  base = work.staged.start.x;
  if (table.u.size() > 0) base += table.u[i] * work.staged.kept;
  for (Index j = 0; j < group.first; ++j) {
    if (table.a(i, j) != 0.0) base += (h * table.a(i, j)) * stages.F[static_cast<std::size_t>(j)];
  }
}

/// The stages of a group, one by one, from what was solved for all.
void take_stages(const StagedWork& work, const Staged::Group& group, Staged::Stages& stages) {
  Staged& staged = work.staged;
  for (Index i = 0; i < group.count; ++i) {
    const auto stage = static_cast<std::size_t>(group.first + i);
    stages.x[stage] = group.x.segment(i * staged.n, staged.n);
    stages.lambda[stage] = group.lambda.segment(i * staged.m, staged.m);
    if (stages.needs_slope[stage] != 0)
      slope_at(staged, staged.at[stage], stages.x[stage], stages.lambda[stage], stages.F[stage]);
    if (staged.scheme->locates())
      find_branches(staged, staged.at[stage], stages.x[stage], stages.lambda[stage].data(),
                    group.u.data() + i * staged.m, stages.branches[stage]);
  }
}

/// x_{k+1} = x_k + v d + h sum b_j F_j, and the same without what multipliers did.
void sum_slopes(double h, const Staged::Stages& stages, Staged& staged) {
  const StageTable& table = stages.table;
  staged.stop.x = staged.start.x;
  if (table.v != 0.0) staged.stop.x += table.v * staged.kept;
  staged.f.setZero();
  for (Index j = 0; j < table.b.size(); ++j) {
    const auto stage = static_cast<std::size_t>(j);
    if (table.b[j] == 0.0) continue;
    staged.stop.x += (h * table.b[j]) * stages.F[stage];
    staged.values.noalias() = staged.at[stage].G * stages.lambda[stage];
    staged.f += (h * table.b[j]) * staged.values;
  }
  staged.mass_factor.solve_in_place(staged.f, staged.buffer);
  staged.z_free = staged.stop.x - staged.f;
}

/// Of several steps b sums up to more or less than 1, by the ratio of their lengths: what multipliers did is of the
/// length of this one.
void weigh_reactions(const StageTable& table, Staged& staged) {
  if (staged.scheme->kept() == StagedIntegrator::Kept::Nothing) return;
  staged.z_free = staged.stop.x - (staged.stop.x - staged.z_free) / table.b.sum();
}

}  // namespace

void slope_at(Staged& staged, const Staged::Linearised& at, const Eigen::VectorXd& x, const Eigen::VectorXd& lambda,
              Eigen::VectorXd& F) {
  F = at.k;
  F.noalias() += at.J * x;
  F.noalias() += at.G * lambda;
  staged.mass_factor.solve_in_place(F, staged.buffer);
}

bool solve_point(const StagedWork& work, const std::vector<StageBranch>* mode, Staged::Stages& stages,
                 Staged::Point& point) {
  Staged::Group& group = stages.point;
  group.iterate = point.x;
  group.lambda = point.lambda;
  if (!solve_group({work, stages, group, point.t, work.discretisation.h}, mode)) return false;
  point.lambda = group.lambda;
  point.u = group.u;
  return true;
}

bool solve_part(const StagedWork& work, double h, const std::vector<StageBranch>* mode, Staged::Stages& stages) {
  Staged& staged = work.staged;
  for (Staged::Group& group : stages.groups) {
    for (Index i = 0; i < group.count; ++i) {
      make_base(work, group, group.first + i, h, stages);
      group.iterate.segment(i * staged.n, staged.n) =
          group.is_explicit ? stages.base[static_cast<std::size_t>(group.first + i)] : staged.start.x;
      group.lambda.segment(i * staged.m, staged.m) = staged.start.lambda;
    }
    if (!solve_group({work, stages, group, staged.start.t, h}, mode)) return false;
    take_stages(work, group, stages);
  }
  staged.stop.t = staged.start.t + h;
  if (stages.needs_slope.front() != 0) staged.slope = h * stages.F.front();
  if (stages.stiffly_accurate) {
    const Staged::Group& group = stages.groups.back();
    staged.stop.x = stages.x.back();
    staged.stop.lambda = stages.lambda.back();
    staged.stop.u = group.u.tail(staged.m);
    staged.z_free = group.free.tail(staged.n);
    weigh_reactions(stages.table, staged);
    if (staged.scheme->locates()) stages.branches.back() = stages.branches[stages.branches.size() - 2];
    return true;
  }
  sum_slopes(h, stages, staged);
  weigh_reactions(stages.table, staged);
  staged.stop.lambda = stages.lambda.back();
  if (!solve_point(work, mode, stages, staged.stop)) return false;
  if (staged.scheme->locates())
    find_branches(staged, staged.at.back(), staged.stop.x, staged.stop.lambda.data(), staged.stop.u.data(),
                  stages.branches.back());
  return true;
}

}  // namespace nonsmooth::stages
