// SPDX-License-Identifier: Apache-2.0
// Which models a scheme of stages takes, and the memory of its steps.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include <internal/disjoint_sets.hpp>
#include <nonsmooth/kernel/systems/sparse_first_order.hpp>
#include <nonsmooth/numerics/analysis/matrix_classes.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "dynamics/mechanics/iteration_matrix.hpp"
#include "model/inclusions/process_with_law.hpp"
#include "staged.hpp"
#include "stepping/workspace_implementation.hpp"

namespace nonsmooth::stages {
namespace {

constexpr Index kMostUnknowns = 4096;  ///< of a dense A
constexpr const char* kByTheEnd = "EulerMoreau, ImplicitRadau or Bdf2, which solve multipliers at the end of a step";

[[noreturn]] void refuse_staged(const StagedIntegrator& scheme, const std::string& found, const std::string& expected) {
  throw InvalidArgument("TimeSteppingOptions::integrator", scheme.name() + " " + found, expected);
}

/// @throws InvalidArgument for a table that is none.
void check_table(const StagedIntegrator& scheme, const StageTable& table) {
  const Index s = table.a.rows();
  const bool shapes = s >= 1 && table.a.cols() == s && table.b.size() == s && table.c.size() == s &&
                      (table.u.size() % s) == 0 && table.u.size() <= s;
  if (!shapes) refuse_staged(scheme, "with a table of shapes that differ", "a: s x s, b, c: s, u: s or empty, s >= 1");
  const bool finite = table.a.allFinite() && table.b.allFinite() && table.c.allFinite() && table.u.allFinite() &&
                      std::isfinite(table.v);
  if (!finite || table.c.minCoeff() < 0.0 || table.c.maxCoeff() > 1.0)
    refuse_staged(scheme, "with a table of numbers that are not finite, or a c outside the step", "c in [0, 1]");
  if (scheme.kept() == StagedIntegrator::Kept::Nothing && (table.v != 0.0 || (table.u.array() != 0.0).any()))
    refuse_staged(scheme, "with weights of a step before of which it keeps nothing", "kept(), or u = 0 and v = 0");
}

/// One scheme, systems of first order without a law of their own, dense, and not too many for its stages.
void check_systems(const NonSmoothDynamicalSystem& model, const TimeSteppingOptions& options,
                   const Discretisation& discretisation, const StagedIntegrator& scheme, Index together) {
  for (std::size_t i = 0; i < discretisation.schemes.size(); ++i) {
    const Layout::System& place = discretisation.layout->systems[i];
    const auto& record = model.systems()[place.slot];
    if (!place.first_order)
      refuse_staged(scheme, "beside the mechanical system " + place.name, "first-order systems alone; or EulerMoreau");
    if (!discretisation.schemes[i].integrator->is_same(scheme))
      refuse_staged(scheme, "beside another scheme of " + place.name, "one scheme for the whole model; or EulerMoreau");
    if (record.with_law)
      refuse_staged(scheme, std::string("for ") + record.with_law->kind() + " " + place.name,
                    "EulerMoreau for what is beside it: its law is in its description");
    if (dynamic_cast<const SparseFirstOrderDynamicalSystem*>(record.first_order) != nullptr)
      refuse_staged(scheme, "for the sparse system " + place.name, "EulerMoreau, whose factors are sparse");
  }
  const Index n = discretisation.layout->num_unknowns * together;
  if (n > kMostUnknowns)
    refuse_staged(scheme, "with " + std::to_string(n) + " unknowns in the stages of one problem",
                  "at most " + std::to_string(kMostUnknowns) + ", as its matrices are dense; or EulerMoreau");
  if (!model.sources().empty()) refuse_staged(scheme, "with a source of contacts", "first-order systems alone");
  if (options.form == Form::Global)
    throw InvalidArgument("TimeSteppingOptions::form", "Form::Global under " + scheme.name(), "Form::Reduced");
}

bool is_of_numbers(const BlockSet& set) {
  return set.kind == SetKind::Orthant || set.kind == SetKind::Box || set.kind == SetKind::Free;
}

/// A relay whose y does not see its lambda: a selection is taken where x is known.
bool is_selected(const BlockPlan& block, const Eigen::MatrixXd& D) {
  const bool bounded =
      block.set.kind == SetKind::Box && std::isfinite(block.set.lower) && std::isfinite(block.set.upper);
  return bounded && D.middleRows(block.local, block.size).isZero(0.0) &&
         D.middleCols(block.local, block.size).isZero(0.0);
}

/// The rows of an interaction that are not selected: lambda follows from x where their D is of the right class.
void check_multipliers(const Staged& staged, std::size_t number, const RelationCaches& relations,
                       const Eigen::MatrixXd& D) {
  const InteractionPlan& interaction = relations.interactions[number];
  const Index first = staged.first_row[number];
  std::vector<Index> rows;
  for (Index r = 0; r < interaction.extended; ++r) {
    if (staged.selected[static_cast<std::size_t>(first + r)] == 0) rows.push_back(r);
  }
  if (rows.empty()) return;
  const bool of_numbers = std::all_of(relations.blocks.begin(), relations.blocks.end(), [&](const BlockPlan& block) {
    return block.interaction != static_cast<Index>(number) || is_of_numbers(block.set);
  });
  const analysis::MatrixClasses found = analysis::classify(D(rows, rows));
  if (of_numbers ? found.p.holds() : found.positive_definite.holds()) return;
  refuse_staged(*staged.scheme,
                "for " + interaction.name + ", whose D is " + (of_numbers ? "no P-matrix" : "not positive definite") +
                    ", so that lambda does not follow from x",
                kByTheEnd);
}

void check_staged_laws(const Staged& staged, const RelationCaches& relations) {
  for (const InteractionPlan& interaction : relations.interactions) {
    const PreparedLaw& law = *interaction.law;
    if (law.varies != LawVaries::Never || !law.is_its_block() || law.level != LawLevel::Velocity || law.unilateral ||
        law.has_impacts())
      refuse_staged(*staged.scheme, "for " + law.law->name() + " of " + interaction.name,
                    "a law that does not vary with the state; or EulerMoreau");
  }
  if (!staged.scheme->locates()) return;
  for (const BlockPlan& block : relations.blocks) {
    if (!is_of_numbers(block.set))
      refuse_staged(*staged.scheme, "that locates changes of mode for " + relations.interaction_of(block).name,
                    "orthants, boxes and equalities, whose modes are few; or locate = false");
    if (staged.from_state && staged.selected_blocks[static_cast<std::size_t>(&block - relations.blocks.data())] != 0)
      refuse_staged(*staged.scheme,
                    "that locates changes of mode for the relay " + relations.interaction_of(block).name,
                    "ImplicitRadau or Bdf2, which can slide; or locate = false");
  }
}

/// Rows act on one another through systems alone, which relations link.
void list_islands(const Discretisation& discretisation, const RelationCaches& relations, Staged& staged) {
  DisjointSets systems(std::ssize(discretisation.layout->systems));
  for (const InteractionPlan& interaction : relations.interactions) {
    const auto linked = relations.jacobians.of(interaction);
    for (const JacobianBlock& one : linked) systems.join(one.system, linked.front().system);
  }
  std::vector<Index> begin, members;
  systems.list(begin, members);
  staged.island.clear();
  for (const InteractionPlan& interaction : relations.interactions) {
    const Index number = systems.number(relations.jacobians.of(interaction).front().system);
    staged.island.insert(staged.island.end(), static_cast<std::size_t>(interaction.extended), number);
  }
}

void list_staged_rows(const RelationCaches& relations, Staged& staged) {
  constexpr double kUnbound = std::numeric_limits<double>::infinity();
  staged.first_row.clear();
  staged.m = 0;
  for (const InteractionPlan& interaction : relations.interactions) {
    staged.first_row.push_back(staged.m);
    staged.m += interaction.extended;
  }
  const auto rows = static_cast<std::size_t>(staged.m);
  staged.lower.assign(rows, -kUnbound);
  staged.upper.assign(rows, kUnbound);
  for (const BlockPlan& block : relations.blocks) {
    for (Index r = 0; r < block.size; ++r) {
      const auto row =
          static_cast<std::size_t>(staged.first_row[static_cast<std::size_t>(block.interaction)] + block.local + r);
      if (block.set.kind == SetKind::Orthant) staged.lower[row] = 0.0;
      if (block.set.kind != SetKind::Box) continue;
      staged.lower[row] = block.set.lower;
      staged.upper[row] = block.set.upper;
    }
  }
}

/// What is selected, and what is refused where lambda is to follow from x.
void examine_rows(const RelationCaches& relations, Staged& staged) {
  staged.selected.assign(static_cast<std::size_t>(staged.m), 0);
  staged.selected_blocks.assign(relations.blocks.size(), 0);
  staged.selects = false;
  if (!staged.from_state) return;
  for (std::size_t i = 0; i < relations.interactions.size(); ++i) {
    const InteractionPlan& interaction = relations.interactions[i];
    if (!interaction.linear || interaction.linear->D.function()) continue;  // the solver tells, at each stage
    const Index first = staged.first_row[i];
    const Eigen::MatrixXd D = staged.at.front().D.block(first, first, interaction.extended, interaction.extended);
    for (std::size_t b = 0; b < relations.blocks.size(); ++b) {
      const BlockPlan& block = relations.blocks[b];
      if (block.interaction != static_cast<Index>(i) || !is_selected(block, D)) continue;
      staged.selected_blocks[b] = 1;
      staged.selects = true;
      std::fill_n(staged.selected.begin() + first + block.local, block.size, static_cast<char>(1));
    }
    check_multipliers(staged, i, relations, D);
  }
}

/// The stages that need each other, first to last, and whether they are one that needs none.
std::vector<std::pair<Index, Index>> groups_of(const Eigen::MatrixXd& a) {
  std::vector<std::pair<Index, Index>> groups;
  for (Index first = 0; first < a.rows();) {
    Index behind = first + 1;
    for (Index i = first; i < behind; ++i) {
      for (Index j = behind; j < a.cols(); ++j) {
        if (a(i, j) != 0.0) behind = j + 1;
      }
    }
    groups.emplace_back(first, behind - first);
    first = behind;
  }
  return groups;
}

bool is_explicit(const Eigen::MatrixXd& a, const std::pair<Index, Index>& group) {
  return group.second == 1 && a(group.first, group.first) == 0.0;
}

bool is_stiffly_accurate(const StageTable& table) {
  const Index s = table.b.size();
  return table.c[s - 1] == 1.0 && table.a.row(s - 1).transpose() == table.b && table.a(s - 1, s - 1) != 0.0 &&
         (table.u.size() == 0 ? 0.0 : table.u[s - 1]) == table.v;
}

/// The problem of a group: blocks, pattern, sets.
void lay_problem(const Discretisation& discretisation, const RelationCaches& relations, const Staged& staged,
                 Staged::Group& group) {
  OneStepNSProblem& problem = group.problem;
  problem.layout = discretisation.layout;
  problem.reduced.K.clear();
  std::vector<Index> sizes;
  Index rows = 0;
  for (Index stage = 0; stage < group.count; ++stage) {
    for (std::size_t b = 0; b < relations.blocks.size(); ++b) {
      if (group.is_explicit && staged.selected_blocks[b] != 0) continue;
      const BlockPlan& block = relations.blocks[b];
      const Index first = staged.first_row[static_cast<std::size_t>(block.interaction)];
      group.blocks.push_back({stage, static_cast<Index>(b), stage * staged.m + first + block.local});
      problem.reduced.K.push_back(block.set, block.size);
      OneStepNSProblem::Block origin{
          .row = rows, .size = block.size, .interaction = block.interaction, .local = block.local};
      origin.first_system = static_cast<Index>(problem.systems.size());
      for (const JacobianBlock& one : relations.jacobians.of(relations.interaction_of(block)))
        problem.systems.push_back(one.system);
      origin.systems = static_cast<Index>(problem.systems.size()) - origin.first_system;
      problem.blocks.push_back(origin);
      sizes.push_back(block.size);
      rows += block.size;
    }
  }
  problem.reduced.q.resize(rows);
  problem.result.r.resize(rows);
  if (rows == 0) return;
  problem.reduced.W.begin_pattern(sizes);
  for (const Staged::BlockAtStage& row : group.blocks) {
    for (std::size_t column = 0; column < group.blocks.size(); ++column) {
      const Staged::BlockAtStage& other = group.blocks[column];
      const bool coupled = group.is_explicit
                               ? relations.block(other.block).interaction == relations.block(row.block).interaction
                               : staged.island[static_cast<std::size_t>(other.row % staged.m)] ==
                                     staged.island[static_cast<std::size_t>(row.row % staged.m)];
      if (coupled) problem.reduced.W.insert(static_cast<Index>(column));
    }
    problem.reduced.W.next_row();
  }
  problem.reduced.W.end_pattern();
}

Staged::Group group_of(const Discretisation& discretisation, const RelationCaches& relations, const Staged& staged,
                       Index first, Index count, bool is_explicit) {
  Staged::Group group;
  group.first = first;
  group.count = count;
  group.is_explicit = is_explicit;
  const Index n = count * staged.n, m = count * staged.m;
  if (!is_explicit) {
    group.A = Eigen::MatrixXd::Zero(n, n);
    group.P = Eigen::MatrixXd::Zero(n, m);
  }
  group.W = Eigen::MatrixXd::Zero(m, m);
  if (staged.scheme->locates()) group.held = group.W;
  group.free = group.x = group.iterate = Eigen::VectorXd::Zero(n);
  group.lambda = group.q = group.u = group.guess = Eigen::VectorXd::Zero(m);
  lay_problem(discretisation, relations, staged, group);
  return group;
}

/// A slope on its own is M^-1 (f + g): of a stage that a later group needs, that is summed or kept.
void check_masses(const Discretisation& discretisation, const Staged& staged) {
  const auto& needs = staged.whole.needs_slope;
  if (std::find(needs.begin(), needs.end(), 1) == needs.end()) return;
  for (const Layout::System& place : discretisation.layout->systems) {
    if (iteration_matrix::is_singular(staged.mass.block(place.z, place.z, place.n, place.n)))
      refuse_staged(*staged.scheme, "for " + place.name + ", whose mass is singular",
                    "ImplicitRadau, or a table whose stages are one problem, the last of them the end of the step");
  }
}

}  // namespace

void lay_stages(const Discretisation& discretisation, const RelationCaches& relations, double ratio, Staged& staged,
                Staged::Stages& stages) {
  if (stages.ratio == ratio) return;
  if (stages.ratio >= 0.0 && staged.scheme->kept() == StagedIntegrator::Kept::Nothing) return;
  staged.last = nullptr;  // it may be of these stages
  stages.ratio = ratio;
  stages.table = staged.scheme->table(ratio);
  check_table(*staged.scheme, stages.table);
  const Eigen::MatrixXd& a = stages.table.a;
  const auto s = static_cast<std::size_t>(a.rows());
  stages.stiffly_accurate = is_stiffly_accurate(stages.table);
  stages.groups.clear();
  for (const auto& group : groups_of(a))
    stages.groups.push_back(
        group_of(discretisation, relations, staged, group.first, group.second, is_explicit(a, group)));
  stages.point = group_of(discretisation, relations, staged, a.rows(), 1, true);
  stages.needs_slope.assign(s, 0);
  for (const Staged::Group& group : stages.groups) {
    for (Index j = group.first; j < group.first + group.count; ++j) {
      const bool later = (a.col(j).tail(a.rows() - group.first - group.count).array() != 0.0).any();
      const bool in_sum = !stages.stiffly_accurate && stages.table.b[j] != 0.0;
      const bool is_kept = j == 0 && staged.scheme->kept() == StagedIntegrator::Kept::Slope;
      stages.needs_slope[static_cast<std::size_t>(j)] = later || in_sum || is_kept ? 1 : 0;
    }
  }
  stages.base.assign(s, Eigen::VectorXd::Zero(staged.n));
  stages.x = stages.F = stages.base;
  stages.lambda.assign(s, Eigen::VectorXd::Zero(staged.m));
  stages.branches.assign(s + 1, std::vector<StageBranch>(static_cast<std::size_t>(staged.m), StageBranch::Any));
}

void prepare_staged(const NonSmoothDynamicalSystem& model, const TimeSteppingOptions& options,
                    Workspace::Implementation& caches) {
  Staged& staged = caches.staged;
  const Discretisation& discretisation = caches.discretisation;
  const RelationCaches& relations = caches.relations;
  staged.scheme = nullptr;
  for (const Scheme& one : discretisation.schemes) {
    if (const auto* scheme = dynamic_cast<const StagedIntegrator*>(one.integrator.get())) staged.scheme = scheme;
  }
  if (staged.scheme == nullptr) return;
  const StageTable table = staged.scheme->table(1.0);
  check_table(*staged.scheme, table);
  staged.from_state = !is_stiffly_accurate(table);
  Index together = 1;
  for (const auto& group : groups_of(table.a)) {
    staged.from_state = staged.from_state || is_explicit(table.a, group);
    together = std::max(together, group.second);
  }
  check_systems(model, options, discretisation, *staged.scheme, together);
  const Index n = staged.n = discretisation.layout->num_unknowns;
  list_staged_rows(relations, staged);
  list_islands(discretisation, relations, staged);
  staged.systems.clear();
  staged.mass = Eigen::MatrixXd::Zero(n, n);
  staged.constant = staged.linear = true;
  for (const Layout::System& place : discretisation.layout->systems) {
    const FirstOrderSystemEvaluator system = FirstOrderSystemEvaluator::of(model.systems()[place.slot]);
    staged.mass.block(place.z, place.z, place.n, place.n) = system.mass().to_dense(place.n, true);
    staged.constant = staged.constant && system.has_constant_matrix();
    staged.linear = staged.linear && system.linear != nullptr;
    staged.systems.push_back(system);
  }
  staged.mass_factor.compute(staged.mass);
  for (const InteractionPlan& interaction : relations.interactions) {
    staged.constant = staged.constant && interaction.first_order_relation().has_constant_matrices();
    staged.linear = staged.linear && interaction.linear != nullptr;
  }
  const Index m = staged.m;
  staged.at.assign(static_cast<std::size_t>(table.a.rows()) + 1,
                   {Eigen::MatrixXd::Zero(n, n), Eigen::MatrixXd::Zero(n, m), Eigen::MatrixXd::Zero(m, n),
                    Eigen::MatrixXd::Zero(m, m), Eigen::VectorXd::Zero(n), Eigen::VectorXd::Zero(m)});
  staged.start.x = staged.stop.x = staged.kept = staged.slope = staged.z_free = staged.f = Eigen::VectorXd::Zero(n);
  staged.start.lambda = staged.stop.lambda = staged.start.u = staged.stop.u = Eigen::VectorXd::Zero(m);
  for (Staged::Linearised& at : staged.at) write_constants(discretisation, caches.relations, staged, at);
  examine_rows(relations, staged);
  check_staged_laws(staged, relations);
  staged.before.assign(static_cast<std::size_t>(m), StageBranch::Any);
  staged.mode = staged.before;
  staged.whole.ratio = staged.part.ratio = -1.0;
  lay_stages(discretisation, relations, 0.0, staged, staged.whole);
  check_masses(discretisation, staged);
  staged.last = nullptr;
  caches.discretisation.keeps_unknowns = staged.scheme->kept() != StagedIntegrator::Kept::Nothing;
}

}  // namespace nonsmooth::stages
