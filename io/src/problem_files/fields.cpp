// SPDX-License-Identifier: Apache-2.0
#include "fields.hpp"

#include <nonsmooth/numerics/error.hpp>

#include "fields_of_sets.hpp"
#include "stored_matrix.hpp"

namespace nonsmooth::problem_files {
namespace {

struct WriteFields {
  FieldSink& sink;

  void operator()(const lcp::Problem& problem) const { matrix_and_vector(problem); }
  void operator()(const lcp::SparseProblem& problem) const { matrix_and_vector(problem); }
  void operator()(const relay::Problem& problem) const { box_problem(problem); }
  void operator()(const relay::SparseProblem& problem) const { box_problem(problem); }
  void operator()(const mlcp::Problem& problem) const { mixed_rows(problem); }
  void operator()(const mlcp::SparseProblem& problem) const { mixed_rows(problem); }
  void operator()(const qp::Problem& problem) const { program(problem); }
  void operator()(const qp::SparseProblem& problem) const { program(problem); }
  void operator()(const AffineVi& problem) const {
    std::visit([this](const auto& M) { sink.matrix("M", M); }, problem.M);
    sink.vector("q", problem.q);
    write_parts(sink, problem.parts);
  }
  void operator()(const AffineQuasiVi& problem) const {
    (*this)(problem.base);
    write_slopes(sink, problem.slopes);
    if (problem.t.size() == 0) return;
    std::visit([this](const auto& T) { sink.matrix("T", T); }, problem.T);
    sink.vector("t", problem.t);
  }
  void operator()(const cone_program::Problem& problem) const {
    sink.vector("c", problem.c);
    if (problem.num_equations() > 0) {
      sink.matrix("A", problem.A);
      sink.vector("b", problem.b);
    }
    if (problem.num_rows() == 0) return;
    sink.matrix("G", problem.G);
    sink.vector("h", problem.h);
    sink.integers("orthant", {problem.orthant});
    sink.integers("cones", {problem.cones.begin(), problem.cones.end()});
  }
  void operator()(const mpcc::Problem& problem) const { program_with_pairs(problem); }
  void operator()(const mpcc::SparseProblem& problem) const { program_with_pairs(problem); }
  void operator()(const mcp::Problem&) const {
    throw InvalidArgument("write_problem: problem", "an mcp, whose F is code", "a problem of data");
  }
  void operator()(const NonlinearMpcc&) const {
    throw InvalidArgument("write_problem: problem", "an mpcc whose maps are code", "a problem of data");
  }
  void operator()(const mixed::Problem& problem) const {
    sink.matrix("W", problem.W);
    sink.vector("q", problem.q);
    write_sets(sink, "K", problem.K);
  }
  void operator()(const friction::GlobalProblem& problem) const {
    sink.matrix("A", problem.A);
    sink.matrix("H", problem.H);
    sink.vector("f", problem.f);
    sink.vector("w", problem.w);
    write_sets(sink, "K", problem.K);
  }

 private:
  void program_with_pairs(const auto& problem) const {
    program(problem);
    if (problem.num_pairs() == 0) return;
    sink.matrix("G", problem.G);
    sink.vector("g", problem.g);
    sink.matrix("H", problem.H);
    sink.vector("h", problem.h);
  }
  void matrix_and_vector(const auto& problem) const {
    sink.matrix("M", problem.M);
    sink.vector("q", problem.q);
  }
  void box_problem(const auto& problem) const {
    matrix_and_vector(problem);
    sink.vector("lower", problem.lower);
    sink.vector("upper", problem.upper);
  }
  void given(const char* name, ConstVectorRef value) const {
    if (value.size() > 0) sink.vector(name, value);
  }
  void mixed_rows(const auto& problem) const {
    sink.matrix("A", problem.A);
    sink.matrix("B", problem.B);
    sink.matrix("C", problem.C);
    sink.matrix("D", problem.D);
    sink.vector("a", problem.a);
    sink.vector("b", problem.b);
    given("lower", problem.lower);
    given("upper", problem.upper);
  }
  void program(const auto& problem) const {
    sink.matrix("Q", problem.Q);
    sink.vector("c", problem.c);
    if (problem.num_rows() > 0) sink.matrix("A", problem.A);
    given("row_lower", problem.row_lower);
    given("row_upper", problem.row_upper);
    given("lower", problem.lower);
    given("upper", problem.upper);
  }
};

/// The matrix as the problem stores it.
void take(const FieldSource& source, const char* name, Eigen::MatrixXd& matrix) { matrix = source.dense(name); }
void take(const FieldSource& source, const char* name, Eigen::SparseMatrix<double>& matrix) {
  matrix = source.sparse(name);
}
void take_bounds(const FieldSource& source, const char* name, Eigen::VectorXd& bounds) {
  if (source.has(name)) bounds = source.bounds(name);
}

template <class Problem>
Problem read_mixed_rows(const FieldSource& source) {
  Problem problem;
  take(source, "A", problem.A);
  take(source, "B", problem.B);
  take(source, "C", problem.C);
  take(source, "D", problem.D);
  problem.a = source.vector("a");
  problem.b = source.vector("b");
  take_bounds(source, "lower", problem.lower);
  take_bounds(source, "upper", problem.upper);
  return problem;
}

template <class Problem>
Problem read_matrix_and_vector(const FieldSource& source) {
  Problem problem;
  take(source, "M", problem.M);
  problem.q = source.vector("q");
  return problem;
}

template <class Problem>
Problem read_box_problem(const FieldSource& source) {
  auto problem = read_matrix_and_vector<Problem>(source);
  problem.lower = source.bounds("lower");
  problem.upper = source.bounds("upper");
  return problem;
}

template <class Problem>
Problem read_program(const FieldSource& source) {
  Problem problem;
  take(source, "Q", problem.Q);
  problem.c = source.vector("c");
  if (source.has("A")) take(source, "A", problem.A);
  take_bounds(source, "row_lower", problem.row_lower);
  take_bounds(source, "row_upper", problem.row_upper);
  take_bounds(source, "lower", problem.lower);
  take_bounds(source, "upper", problem.upper);
  return problem;
}

template <class Problem>
Problem read_mpcc(const FieldSource& source) {
  auto problem = read_program<Problem>(source);
  if (!source.has("G")) return problem;
  take(source, "G", problem.G);
  problem.g = source.vector("g");
  take(source, "H", problem.H);
  problem.h = source.vector("h");
  return problem;
}

std::variant<Eigen::MatrixXd, Eigen::SparseMatrix<double>> read_either(const FieldSource& source, const char* name) {
  if (source.is_sparse(name)) return source.sparse(name);
  return source.dense(name);
}

AffineVi read_affine_vi(const FieldSource& source) {
  return {.M = read_either(source, "M"), .q = source.vector("q"), .parts = read_parts(source)};
}

AffineQuasiVi read_affine_quasi_vi(const FieldSource& source) {
  AffineQuasiVi problem{.base = read_affine_vi(source)};
  problem.slopes = read_slopes(source, problem.base.parts);
  if (!source.has("t") && !source.has("T")) return problem;
  problem.T = read_either(source, "T");
  problem.t = source.vector("t");
  source.require_size("t", problem.t.size(), problem.base.size());
  return problem;
}

cone_program::Problem read_cone_program(const FieldSource& source) {
  cone_program::Problem problem{.c = source.vector("c")};
  if (source.has("A")) {
    problem.A = source.sparse("A");
    problem.b = source.vector("b");
  }
  if (!source.has("G")) return problem;
  problem.G = source.sparse("G");
  problem.h = source.vector("h");
  const std::vector<Index> orthant = source.integers("orthant", 0, largest_size);
  source.require_size("orthant", static_cast<Index>(orthant.size()), 1);
  problem.orthant = orthant.front();
  problem.cones = source.integers("cones", 1, largest_size);
  return problem;
}

}  // namespace

void write_fields(FieldSink& sink, const AnyProblem& problem) { std::visit(WriteFields{sink}, problem); }

AnyProblem read_fields(const FieldSource& source, std::string_view problem_class) {
  const auto is = [&](ProblemClass one) { return problem_class == to_string(one); };
  if (is(ProblemClass::Mlcp)) {
    if (source.is_sparse("A")) return read_mixed_rows<mlcp::SparseProblem>(source);
    return read_mixed_rows<mlcp::Problem>(source);
  }
  if (is(ProblemClass::Lcp)) {
    if (source.is_sparse("M")) return read_matrix_and_vector<lcp::SparseProblem>(source);
    return read_matrix_and_vector<lcp::Problem>(source);
  }
  if (is(ProblemClass::Relay) && source.has("M")) {
    if (source.is_sparse("M")) return read_box_problem<relay::SparseProblem>(source);
    return read_box_problem<relay::Problem>(source);
  }
  if (is(ProblemClass::Qp)) {
    if (source.is_sparse("Q")) return read_program<qp::SparseProblem>(source);
    return read_program<qp::Problem>(source);
  }
  if (is(ProblemClass::Vi)) return read_affine_vi(source);
  if (is(ProblemClass::Quasi)) return read_affine_quasi_vi(source);
  if (is(ProblemClass::ConeProgram)) return read_cone_program(source);
  if (is(ProblemClass::Mpcc)) {
    if (source.is_sparse("Q")) return read_mpcc<mpcc::SparseProblem>(source);
    return read_mpcc<mpcc::Problem>(source);
  }
  if (is(ProblemClass::GlobalFriction) || is(ProblemClass::GlobalRollingFriction)) {
    return friction::GlobalProblem{.A = source.sparse("A"),
                                   .H = source.sparse("H"),
                                   .f = source.vector("f"),
                                   .w = source.vector("w"),
                                   .K = read_sets(source, "K")};
  }
  return mixed::Problem{.W = source.blocks("W"), .q = source.vector("q"), .K = read_sets(source, "K")};
}

int version_of(const AnyProblem& problem) {
  const auto holds = [&]<class... Problems>() { return (std::holds_alternative<Problems>(problem) || ...); };
  if (holds.operator()<AffineQuasiVi>()) return 5;
  if (holds.operator()<mpcc::Problem, mpcc::SparseProblem>()) return 4;
  if (holds.operator()<qp::Problem, qp::SparseProblem, AffineVi, cone_program::Problem, relay::SparseProblem,
                       mlcp::SparseProblem>()) {
    return 3;
  }
  if (std::holds_alternative<friction::GlobalProblem>(problem)) return 2;
  const auto* mixed = std::get_if<mixed::Problem>(&problem);
  return mixed != nullptr && (mixed->K.count(SetKind::Rolling) > 0 || has_later_parameters(mixed->K)) ? 2 : 1;
}

}  // namespace nonsmooth::problem_files
