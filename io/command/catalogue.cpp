// SPDX-License-Identifier: Apache-2.0
#include "catalogue.hpp"

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <variant>

#include <Eigen/SparseLU>

#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/friction/global_problem.hpp>
#include <nonsmooth/numerics/lcp/registry.hpp>
#include <nonsmooth/numerics/mixed/registry.hpp>
#include <nonsmooth/numerics/mlcp/registry.hpp>
#include <nonsmooth/numerics/relay/registry.hpp>

#include "stopwatch.hpp"
#include "text.hpp"

namespace nonsmooth::command {
namespace {

// What each family calls its registry, its unknowns and what they face.
const auto& registry_of(const lcp::Problem&) { return lcp::registry(); }
const auto& registry_of(const lcp::SparseProblem&) { return lcp::registry(); }
const auto& registry_of(const relay::Problem&) { return relay::registry(); }
const auto& registry_of(const mlcp::Problem&) { return mlcp::registry(); }
/// Of every problem in reduced form that is stored in blocks; a global form is solved in its reduced one.
const auto& reduced_registry(ProblemClass) { return mixed::registry(); }
const auto& registry_of(const mixed::Problem& problem) { return reduced_registry(class_of(problem)); }

bool takes(const lcp::Entry& entry, const lcp::Problem&) { return entry.solver.dense(); }
bool takes(const lcp::Entry& entry, const lcp::SparseProblem&) { return entry.solver.sparse(); }
bool takes(const relay::Entry&, const relay::Problem&) { return true; }
bool takes(const mlcp::Entry&, const mlcp::Problem&) { return true; }
bool takes(const mixed::Entry& entry, const mixed::Problem& problem) { return entry.supports(problem.K); }

template <class P>
void set_vectors(Answer& answer, const P&, const lcp::Result& result) {
  answer.primal = result.z;
  answer.dual = result.w;
}

void set_vectors(Answer& answer, const relay::Problem&, const relay::Result& result) {
  answer.primal = result.z;
  answer.dual = result.w;
}

void set_vectors(Answer& answer, const mlcp::Problem& problem, const mlcp::Result& result) {
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

/// "enumeration takes at most 20 rows, not 30 rows": what the argument is called in C++ does not matter here.
std::string refusal(std::string_view solver, const InvalidArgument& error) {
  const std::string name(solver), after = " for " + name;
  std::string expected = error.expected();
  if (expected.ends_with(after)) expected.erase(expected.size() - after.size());
  const bool readable = error.found().size() <= 60;  // counts of combinations have hundreds of digits
  return "--solver: " + name + " takes " + expected + (readable ? ", not " + error.found() : "");
}

/// The reason without the part that points at a function of the library.
std::string_view in_words(std::string_view reason) {
  const std::size_t name = reason.find("::");
  if (name == std::string_view::npos) return reason;
  const std::size_t part = reason.find_last_of(",;:", name - 1);
  return part == std::string_view::npos ? std::string_view{} : reason.substr(0, part);
}

template <class P>
Answer solve_one(const P& problem, std::string_view name, const Limits& limits);

/// A v = f alone: no contact, nothing that an algorithm is named after.
Answer solve_without_contacts(const friction::GlobalProblem& problem, std::string_view name) {
  Answer answer{.solver = "closed form", .reason = {}, .primal{}, .dual{}, .proof{}, .velocity{}};
  std::vector<std::string_view> known;
  for (const SolverLine& line : solvers_of(class_of(problem))) known.push_back(line.name);
  if (std::none_of(known.begin(), known.end(), [&](auto one) { return folded(one) == folded(name); })) {
    throw InvalidArgument("--solver", "'" + std::string(name) + "'", "one of " + joined(known));
  }
  answer.elapsed = timed([&] {
                     const Eigen::SparseLU<Eigen::SparseMatrix<double>> factors(problem.A);
                     answer.velocity = Eigen::VectorXd::Constant(problem.f.size(), 0.0);
                     if (factors.info() == Eigen::Success) answer.velocity = factors.solve(problem.f);
                     return factors.info();
                   }).second;
  return answer;
}

/// A global form, by an algorithm for its reduced form W = H A^-1 H^T; the certificate is that of the global form. The
/// time covers both.
Answer solve_one(const friction::GlobalProblem& problem, std::string_view name, const Limits& limits) {
  Answer answer;
  double reduction = 0.0;
  if (problem.w.size() == 0) {
    answer = solve_without_contacts(problem, name);
    answer.primal = answer.dual = Eigen::VectorXd();
  } else {
    const auto [reduced, elapsed] = timed([&] {
      try {
        return friction::to_reduced(problem);
      } catch (const InvalidArgument& error) {
        throw std::runtime_error(std::string("the global form cannot be reduced: ") + error.what());
      }
    });
    reduction = elapsed;
    answer = solve_one(reduced, name, limits);
    if (answer.status == Status::NotRun) return answer;
    answer.velocity = friction::velocities(problem, answer.primal);
  }
  answer.elapsed += reduction;
  answer.dual.resize(problem.w.size());
  double balance = 0.0;
  const Certificate certificate = friction::certify(problem, answer.velocity, answer.primal, answer.dual, balance);
  answer.residual = certificate.residual;
  answer.worst_row = certificate.worst_row;
  const bool certified = answer.residual <= limits.tolerance;
  if (problem.w.size() == 0) answer.status = certified ? Status::Solved : Status::NumericalFailure;
  if (answer.status == Status::Solved && !certified) {
    answer.status = Status::Stalled;
    answer.reason = "the reduced form is solved, but round-off in v = A^-1 (f + H^T r) leaves the global one above";
  }
  return answer;
}

template <class P>
Answer solve_one(const P& problem, std::string_view name, const Limits& limits) {
  std::vector<std::string_view> known;
  for (const auto& entry : registry_of(problem)) {
    if (!takes(entry, problem)) continue;
    known.push_back(entry.name);
    if (folded(entry.name) != folded(name)) continue;
    const auto [result, elapsed] = timed([&] {
      try {
        return entry.solver.solve(problem, limits);
      } catch (const InvalidArgument& error) {
        throw std::runtime_error(refusal(entry.name, error));
      }
    });
    Answer answer{.status = result.status,
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
                       .dilation = 0.5,
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
    case ProblemClass::GlobalRollingFriction:
      return {one(SetKind::Rolling)};
    case ProblemClass::Friction:
    case ProblemClass::GlobalFriction:
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
                                                 ProblemClass::GlobalRollingFriction};
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
  if (problem_class == ProblemClass::Lcp) {
    for (const auto& entry : lcp::registry()) {
      add_line(lines, entry, entry.solver.dense(), entry.solver.sparse(), entry.max_rows);
    }
    return lines;
  }
  if (problem_class == ProblemClass::Mlcp) {
    for (const auto& entry : mlcp::registry()) add_line(lines, entry, true, false, entry.max_rows);
    return lines;
  }
  if (problem_class == ProblemClass::Relay) {
    for (const auto& entry : relay::registry()) add_line(lines, entry, true, false, entry.max_rows);
  }
  const std::vector<ProductSet> samples = samples_of(problem_class);
  for (const auto& entry : reduced_registry(problem_class)) {
    const bool supported =
        samples.empty() ||
        std::any_of(samples.begin(), samples.end(), [&](const ProductSet& sample) { return entry.supports(sample); });
    if (supported) add_line(lines, entry, false, true, 0);
  }
  return lines;
}

std::string Answer::message() const {
  std::ostringstream text;
  text.precision(3);
  text << to_string(status) << " by " << solver << " after " << iterations
       << (iterations == 1 ? " iteration" : " iterations") << ": residual " << residual;
  if (worst_row >= 0) text << ", worst in row " << worst_row << " (counted from 0)";
  if (status == Status::IterationLimit) {
    text << "; raise --max-iterations, or try another --solver";
  } else if (status == Status::TimeLimit) {
    text << "; raise --time-limit, or try another --solver";
  } else {
    if (const std::string_view why = in_words(reason); !why.empty()) text << "; " << why;
    if (status == Status::Infeasible) text << "; --solution writes the proof";
    if (status == Status::Stalled) text << "; try another --solver, or a larger --tolerance";
    if (status == Status::NumericalFailure) text << "; try another --solver, or look at the units of the rows";
  }
  return text.str();
}

Answer solve(const AnyProblem& problem, std::string_view solver, const Limits& limits) {
  return std::visit([&](const auto& one) { return solve_one(one, solver, limits); }, problem);
}

}  // namespace nonsmooth::command
