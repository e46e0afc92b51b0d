// SPDX-License-Identifier: Apache-2.0
#include "catalogue.hpp"

#include <algorithm>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <variant>

#include <nonsmooth/numerics/cone_program/registry.hpp>
#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/friction/global_registry.hpp>
#include <nonsmooth/numerics/friction/registry.hpp>
#include <nonsmooth/numerics/lcp/registry.hpp>
#include <nonsmooth/numerics/mcp/registry.hpp>
#include <nonsmooth/numerics/mixed/registry.hpp>
#include <nonsmooth/numerics/mlcp/registry.hpp>
#include <nonsmooth/numerics/mpcc/registry.hpp>
#include <nonsmooth/numerics/qp/registry.hpp>
#include <nonsmooth/numerics/relay/registry.hpp>
#include <nonsmooth/numerics/vi/quasi_registry.hpp>
#include <nonsmooth/numerics/vi/registry.hpp>

#include "nonlinear_programs.hpp"
#include "quasi_origin.hpp"
#include "stopwatch.hpp"
#include "text.hpp"

namespace nonsmooth::command {
namespace {

// What each family calls its registry, its unknowns and what they face.
const auto& registry_of(const lcp::Problem&) { return lcp::registry(); }
const auto& registry_of(const lcp::SparseProblem&) { return lcp::registry(); }
const auto& registry_of(const relay::Problem&) { return relay::registry(); }
const auto& registry_of(const relay::SparseProblem&) { return relay::registry(); }
const auto& registry_of(const mlcp::Problem&) { return mlcp::registry(); }
const auto& registry_of(const mlcp::SparseProblem&) { return mlcp::registry(); }
const auto& registry_of(const friction::GlobalProblem&) { return friction::global_registry(); }
const auto& registry_of(const qp::Problem&) { return qp::registry(); }
const auto& registry_of(const qp::SparseProblem&) { return qp::registry(); }
const auto& registry_of(const AffineVi&) { return vi::registry(); }
const auto& registry_of(const AffineQuasiVi&) { return vi::quasi_registry(); }
const auto& registry_of(const mcp::Problem&) { return mcp::registry(); }
const auto& registry_of(const cone_program::Problem&) { return cone_program::registry(); }
const auto& registry_of(const mpcc::Problem&) { return mpcc::registry(); }
const auto& registry_of(const mpcc::SparseProblem&) { return mpcc::registry(); }
const auto& registry_of(const NonlinearMpcc&) { return nonlinear_programs(); }
/// Contacts alone in reduced form: the friction family's; whatever else is stored in blocks is the mixed family's.
bool is_friction(ProblemClass problem_class) {
  return problem_class == ProblemClass::Friction || problem_class == ProblemClass::RollingFriction;
}
bool is_global(ProblemClass problem_class) {
  return problem_class == ProblemClass::GlobalFriction || problem_class == ProblemClass::GlobalRollingFriction;
}

/// A storage of the problem that the entry is for, and sets.
bool takes(const auto& entry, const lcp::Problem&) { return entry.solver.dense(); }
bool takes(const auto& entry, const lcp::SparseProblem&) { return entry.solver.sparse(); }
bool takes(const auto& entry, const relay::Problem&) { return entry.solver.dense(); }
bool takes(const auto& entry, const relay::SparseProblem&) { return entry.solver.sparse(); }
bool takes(const auto& entry, const mlcp::Problem&) { return entry.solver.dense(); }
bool takes(const auto& entry, const mlcp::SparseProblem&) { return entry.solver.sparse(); }
bool takes(const auto& entry, const qp::Problem&) { return entry.solver.dense(); }
bool takes(const auto& entry, const qp::SparseProblem&) { return entry.solver.sparse(); }
bool takes(const auto& entry, const mixed::Problem& problem) { return entry.supports(problem.K); }
bool takes(const friction::GlobalEntry&, const friction::GlobalProblem&) { return true; }
bool takes(const mcp::Entry&, const mcp::Problem&) { return true; }
bool takes(const vi::QuasiEntry&, const AffineQuasiVi&) { return true; }
bool takes(const cone_program::Entry&, const cone_program::Problem&) { return true; }
bool takes(const mpcc::Entry& entry, const mpcc::Problem&) { return entry.solver.dense(); }
bool takes(const mpcc::Entry& entry, const mpcc::SparseProblem&) { return entry.solver.sparse(); }
bool takes(const NonlinearProgramEntry&, const NonlinearMpcc&) { return true; }
bool takes(const vi::Entry& entry, const AffineVi& problem) {
  if (entry.takes == vi::Takes::Every) return true;
  const vi::ConvexSet K = problem.K();
  return entry.takes == vi::Takes::WithJacobian ? K.has_jacobian() : K.polyhedron().has_value();
}

/// What the family's algorithms solve.
const auto& form_of(const auto& problem) { return problem; }
vi::Problem form_of(const AffineVi& problem) { return problem.problem(); }
vi::QuasiProblem form_of(const AffineQuasiVi& problem) { return problem.problem(); }

/// What the data say and the algorithms, which have callables, cannot: of a quasi that is not solved a proof, or where
/// else to begin if K(0) has no point.
void look_at_data(const auto&, const auto&, const Limits&, auto&) {}
void look_at_data(const AffineQuasiVi& problem, const vi::QuasiEntry& entry, const Limits& limits, vi::Result& result) {
  if (result.ok()) return;
  if (Eigen::VectorXd proof = infeasibility_of(problem); proof.size() > 0) {
    result.status = Status::Infeasible;
    result.at_round_off = false;
    result.reason = "no x lies in its own K(x)";
    result.proof = std::move(proof);
  } else if (const std::optional<Eigen::VectorXd> p = point_for_origin(problem)) {
    result = entry.solver.solve(seen_from(problem, *p).problem(), limits);
    result.x += *p;
  }
}

template <class P>
void set_vectors(Answer& answer, const P&, const lcp::Result& result) {
  answer.primal = result.z;
  answer.dual = result.w;
}

void set_vectors(Answer& answer, const auto&, const relay::Result& result) {
  answer.primal = result.z;
  answer.dual = result.w;
}

void set_vectors(Answer& answer, const auto& problem, const mlcp::Result& result) {
  if (result.status == Status::NotRun) return;  // empty vectors
  answer.primal.resize(result.u.size() + result.v.size());
  answer.primal << result.u, result.v;
  answer.dual.resize(problem.num_equalities() + result.w.size());
  answer.dual << problem.A * result.u + problem.C * result.v + problem.a, result.w;
}

void set_vectors(Answer& answer, const mixed::Problem&, const mixed::Result& result) {
  answer.primal = result.r;
  answer.dual = result.u;
}

void set_vectors(Answer& answer, const auto& problem, const qp::Result& result) {
  if (result.status == Status::NotRun) return;
  answer.primal = result.x;
  answer.dual = result.s;
  if (problem.num_rows() > 0) answer.rows = problem.A * result.x;
  answer.multipliers = result.y;
  answer.direction = result.direction;
  answer.value = result.figures.value;
}

void set_vectors(Answer& answer, const cone_program::Problem& problem, const cone_program::Result& result) {
  if (result.status == Status::NotRun) return;
  const Index p = problem.num_equations();
  answer.primal = result.x;
  answer.rows.resize(p + problem.num_rows());
  answer.multipliers.resize(answer.rows.size());
  if (p > 0) answer.rows.head(p) = problem.A * result.x;
  answer.rows.tail(problem.num_rows()) = result.s;
  answer.multipliers << result.y, result.z;
  answer.direction = result.direction;
  answer.value = result.figures.value;
}

/// What the rows, the G and the H of an mpcc are at x.
Eigen::VectorXd rows_at(const auto& problem, ConstVectorRef x) {
  const Index m = problem.num_rows(), k = problem.num_pairs();
  Eigen::VectorXd rows(m + 2 * k);
  if (m > 0) rows.head(m) = problem.A * x;
  if (k > 0) {
    rows.segment(m, k) = problem.G * x + problem.g;
    rows.tail(k) = problem.H * x + problem.h;
  }
  return rows;
}
Eigen::VectorXd rows_at(const NonlinearMpcc& problem, ConstVectorRef x) {
  const Index m = problem.num_rows(), k = problem.num_pairs();
  Eigen::VectorXd rows(m + 2 * k);
  if (m > 0) problem.program.c.value(x, rows.head(m));
  if (k > 0) {
    problem.program.G.value(x, rows.segment(m, k));
    problem.program.H.value(x, rows.tail(k));
  }
  return rows;
}

void set_vectors(Answer& answer, const auto& problem, const mpcc::Result& result) {
  if (result.status == Status::NotRun) return;
  answer.primal = result.x;
  answer.dual = result.s;
  answer.rows = rows_at(problem, result.x);
  answer.multipliers.resize(answer.rows.size());
  answer.multipliers << result.y, result.u, result.v;
  answer.direction = result.direction;
  answer.value = result.figures.value;
  answer.stationarity = to_string(result.stationarity);
}

void set_vectors(Answer& answer, const mcp::Problem&, const mcp::Result& result) {
  answer.primal = result.x;
  answer.dual = result.w;
}

void set_vectors(Answer& answer, const auto&, const vi::Result& result) {
  answer.primal = result.x;
  answer.dual = result.w;
}

/// "enumeration takes at most 20 rows, not 30 rows": what the argument is called in C++ does not matter here.
std::string refusal(std::string_view solver, const InvalidArgument& error) {
  const std::string name(solver), after = " for " + name;
  std::string expected = error.expected();
  if (expected.ends_with(after)) expected.erase(expected.size() - after.size());
  const bool readable = error.found().size() <= 60;  // counts of combinations have hundreds of digits
  return "--solver: " + name + " takes " + expected + (readable ? ", not " + error.found() : "");
}

/// In a global form it is the data: "A: found a matrix singular to working precision ..., expected a nonsingular
/// matrix".
std::string data_refusal(const InvalidArgument& error) {
  const std::string argument = error.argument();
  const std::size_t name = argument.rfind("::");
  return argument.substr(name == std::string::npos ? 0 : name + 2) + ": found " + error.found() + ", expected " +
         error.expected();
}

/// The reason without the part that points at a function of the library.
std::string_view in_words(std::string_view reason) {
  const std::size_t name = reason.find("::");
  if (name == std::string_view::npos) return reason;
  const std::size_t part = reason.find_last_of(",;:", name - 1);
  return part == std::string_view::npos ? std::string_view{} : reason.substr(0, part);
}

void set_vectors(Answer& answer, const friction::GlobalProblem& problem, const friction::GlobalResult& result) {
  answer.primal = result.r;
  answer.dual = result.u;
  answer.velocity = result.v;
  if (problem.w.size() == 0) answer.solver = "closed form";  // A v = f, nothing that an algorithm is named after
}

/// What these refuse is in the file, not in the choice of the algorithm.
template <class P>
constexpr bool speaks_of_data =
    std::is_same_v<P, friction::GlobalProblem> || std::is_same_v<P, AffineVi> || std::is_same_v<P, AffineQuasiVi> ||
    std::is_same_v<P, mcp::Problem> || std::is_same_v<P, NonlinearMpcc>;

/// By the entry of that name.
template <class Entries, class P>
Answer solve_by(const Entries& entries, const P& problem, std::string_view name, const Limits& limits) {
  std::vector<std::string_view> known;
  for (const auto& entry : entries) {
    if (!takes(entry, problem)) continue;
    known.push_back(entry.name);
    if (folded(entry.name) != folded(name)) continue;
    const auto& form = form_of(problem);
    const auto [result, elapsed] = timed([&] {
      try {
        auto found = entry.solver.solve(form, limits);
        look_at_data(problem, entry, limits, found);
        return found;
      } catch (const InvalidArgument& error) {
        throw std::runtime_error(speaks_of_data<P> ? data_refusal(error) : refusal(entry.name, error));
      }
    });
    Answer answer{.status = result.status,
                  .at_round_off = result.at_round_off,
                  .residual = result.certificate.residual,
                  .iterations = result.iterations,
                  .solver = std::string(result.solver.empty() ? entry.name : result.solver),
                  .worst_row = result.certificate.worst_row,
                  .reason = result.reason,
                  .elapsed = elapsed,
                  .primal{},
                  .dual{},
                  .proof = result.status == Status::Infeasible ? result.proof : Eigen::VectorXd{},
                  .velocity{}};
    set_vectors(answer, problem, result);
    return answer;
  }
  throw InvalidArgument(
      "--solver", "'" + std::string(name) + "'",
      "one for " + std::string(to_string(class_of(problem))) + " problems of this kind: " + joined(known));
}

template <class P>
Answer solve_one(const P& problem, std::string_view name, const Limits& limits) {
  return solve_by(registry_of(problem), problem, name, limits);
}

Answer solve_one(const mixed::Problem& problem, std::string_view name, const Limits& limits) {
  if (is_friction(class_of(problem))) return solve_by(friction::registry(), problem, name, limits);
  return solve_by(mixed::registry(), problem, name, limits);
}

template <class Entry>
void add_line(std::vector<SolverLine>& lines, const Entry& entry, bool dense, bool sparse, Index max_rows) {
  const auto same = std::find_if(lines.begin(), lines.end(), [&](const auto& line) { return line.name == entry.name; });
  if (same == lines.end()) {
    lines.push_back({entry.name, entry.description, dense, sparse, max_rows});
  } else {  // two families of one class share the name
    same->dense |= dense;
    same->sparse |= sparse;
  }
}

/// Products of sets that stand for the class where problems are mixed::Problem; empty for "anything".
std::vector<ProductSet> samples_of(ProblemClass problem_class) {
  const auto one = [](SetKind kind) {
    const Index size = kind == SetKind::Box ? 1 : kind == SetKind::Coulomb2D ? 2 : kind == SetKind::Rolling ? 5 : 3;
    const bool bounded = kind == SetKind::Box;
    ProductSet product;
    product.push_back({.kind = kind,
                       .mu = 0.5,
                       .rolling = kind == SetKind::Rolling ? 0.1 : 0.0,
                       .lift = 0.5,
                       .radius = 1.0,
                       .lower = bounded ? -1.0 : -std::numeric_limits<double>::infinity(),
                       .upper = bounded ? 1.0 : std::numeric_limits<double>::infinity()},
                      size);
    return product;
  };
  switch (problem_class) {
    case ProblemClass::Relay:
      return {one(SetKind::Box)};
    case ProblemClass::SocLcp:
      return {one(SetKind::SecondOrderCone)};
    case ProblemClass::RollingFriction:
      return {one(SetKind::Rolling)};
    case ProblemClass::Friction:
      return {one(SetKind::Coulomb3D), one(SetKind::Coulomb2D)};
    case ProblemClass::Plasticity:
      return {one(SetKind::DruckerPrager), one(SetKind::VonMises)};
    default:
      return {};
  }
}

}  // namespace

const std::vector<ProblemClass>& all_classes() {
  static const std::vector<ProblemClass> classes{ProblemClass::Lcp,
                                                 ProblemClass::Relay,
                                                 ProblemClass::Mlcp,
                                                 ProblemClass::SocLcp,
                                                 ProblemClass::Friction,
                                                 ProblemClass::Plasticity,
                                                 ProblemClass::Mixed,
                                                 ProblemClass::RollingFriction,
                                                 ProblemClass::GlobalFriction,
                                                 ProblemClass::GlobalRollingFriction,
                                                 ProblemClass::Qp,
                                                 ProblemClass::Vi,
                                                 ProblemClass::ConeProgram,
                                                 ProblemClass::Mcp,
                                                 ProblemClass::Mpcc,
                                                 ProblemClass::Quasi};
  return classes;
}

ProblemClass find_class(std::string_view argument, std::string_view name) {
  std::vector<std::string_view> known;
  for (const ProblemClass problem_class : all_classes()) {
    known.push_back(to_string(problem_class));
    if (folded(known.back()) == folded(name)) return problem_class;
  }
  throw InvalidArgument(std::string(argument), "'" + std::string(name) + "'", "one of " + joined(known));
}

std::vector<SolverLine> solvers_of(ProblemClass problem_class) {
  std::vector<SolverLine> lines;
  const auto add_by_storage = [&](const auto& entries, const auto& max_rows) {
    for (const auto& entry : entries) {
      add_line(lines, entry, entry.solver.dense(), entry.solver.sparse(), max_rows(entry));
    }
  };
  const auto own_bound = [](const auto& entry) { return entry.max_rows; };
  switch (problem_class) {
    case ProblemClass::Lcp:
      add_by_storage(lcp::registry(), own_bound);
      return lines;
    case ProblemClass::Mlcp:
      add_by_storage(mlcp::registry(), own_bound);
      return lines;
    case ProblemClass::Qp:
      add_by_storage(qp::registry(), [](const auto&) { return Index{0}; });
      return lines;
    case ProblemClass::Vi:
      for (const auto& entry : vi::registry()) add_line(lines, entry, true, true, 0);
      return lines;
    case ProblemClass::Quasi:
      for (const auto& entry : vi::quasi_registry()) add_line(lines, entry, true, true, 0);
      return lines;
    case ProblemClass::Mcp:
      for (const auto& entry : mcp::registry()) add_line(lines, entry, true, true, entry.max_rows);
      return lines;
    case ProblemClass::ConeProgram:
      for (const auto& entry : cone_program::registry()) add_line(lines, entry, false, true, 0);
      return lines;
    case ProblemClass::Mpcc:
      add_by_storage(mpcc::registry(), [](const auto&) { return Index{0}; });
      return lines;
    case ProblemClass::Relay:
      add_by_storage(relay::registry(), own_bound);  // those of mixed follow
      break;
    default:
      break;
  }
  if (is_global(problem_class)) {
    for (const auto& entry : friction::global_registry()) add_line(lines, entry, false, true, 0);
    return lines;
  }
  const std::vector<ProductSet> samples = samples_of(problem_class);
  const auto add_supported = [&](const auto& entries) {
    for (const auto& entry : entries) {
      const bool supported =
          samples.empty() ||
          std::any_of(samples.begin(), samples.end(), [&](const ProductSet& sample) { return entry.supports(sample); });
      if (supported) add_line(lines, entry, false, true, 0);
    }
  };
  is_friction(problem_class) ? add_supported(friction::registry()) : add_supported(mixed::registry());
  return lines;
}

std::size_t longest_solver_name() {
  std::size_t longest = 0;
  for (const ProblemClass problem_class : all_classes()) {
    for (const SolverLine& line : solvers_of(problem_class)) longest = std::max(longest, line.name.size());
  }
  return longest;
}

std::string Answer::message() const {
  std::ostringstream text;
  text.precision(3);
  text << status_text() << " by " << solver << " after " << iterations
       << (iterations == 1 ? " iteration" : " iterations") << ": residual " << residual;
  if (worst_row >= 0) text << ", worst in row " << worst_row << " (counted from 0)";
  if (at_round_off) {
    text << "; at round-off: the tolerance is below what double precision allows";
  } else if (status == Status::IterationLimit) {
    text << "; raise --max-iterations, or try another --solver";
  } else if (status == Status::TimeLimit) {
    text << "; raise --time-limit, or try another --solver";
  } else {
    const bool falls = direction.size() > 0;
    if (const std::string_view why = in_words(reason); !falls && !why.empty()) text << "; " << why;
    if (falls) {
      text << (stationarity.empty() ? "; from every feasible point, if there is any, the objective falls without bound"
                                    : "; from the point found, on a choice of the sides of the pairs, the objective "
                                      "falls without bound")
           << "; --solution writes the direction";
    } else if (status == Status::Infeasible) {
      text << "; --solution writes the proof";
    }
    if (status == Status::Stalled) text << "; try another --solver, or a larger --tolerance";
    if (status == Status::NumericalFailure) text << "; try another --solver, or look at the units of the rows";
  }
  return text.str();
}

Answer solve(const AnyProblem& problem, std::string_view solver, const Limits& limits) {
  return std::visit([&](const auto& one) { return solve_one(one, solver, limits); }, problem);
}

}  // namespace nonsmooth::command
