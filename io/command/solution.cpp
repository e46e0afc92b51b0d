// SPDX-License-Identifier: Apache-2.0
#include "solution.hpp"

#include <optional>
#include <system_error>

#include <nonsmooth/io/csv.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "number.hpp"
#include "subcommands.hpp"

namespace nonsmooth::command {
namespace {

namespace fs = std::filesystem;

/// One row: numbers of a column that the row does not have are empty.
void add_row(std::string& text, std::initializer_list<std::optional<double>> cells, std::string head = {}) {
  text += head;
  bool first = head.empty();
  for (const std::optional<double>& cell : cells) {
    if (!first) text += ',';
    first = false;
    if (cell) append_number(text, *cell);
  }
  text += '\n';
}

template <class Mlcp>
std::string mlcp_text(const Mlcp& problem, const Answer& answer, bool with_proof) {
  const Index n = problem.num_free(), p = problem.num_equalities(), m = problem.num_constrained();
  std::string text = with_proof ? "kind,index,z,w,proof\n" : "kind,index,z,w\n";
  const auto add = [&](const char* kind, Index i, std::optional<double> z, std::optional<double> w,
                       std::optional<double> y) {
    const std::string head = kind + ("," + std::to_string(i));
    with_proof ? add_row(text, {z, w, y}, head) : add_row(text, {z, w}, head);
  };
  const auto proof = [&](Index row) { return with_proof ? std::optional(answer.proof[row]) : std::nullopt; };
  for (Index i = 0; i < n; ++i) add("free", i, answer.primal[i], std::nullopt, std::nullopt);
  for (Index i = 0; i < p; ++i) add("equality", i, std::nullopt, answer.dual[i], proof(i));
  for (Index i = 0; i < m; ++i) add("complementarity", i, answer.primal[n + i], answer.dual[p + i], proof(p + i));
  return text;
}

std::string global_text(const Answer& answer) {
  const bool with_proof = answer.proof.size() > 0;
  std::string text = with_proof ? "kind,index,v,r,u,proof\n" : "kind,index,v,r,u\n";
  const auto add = [&](const char* kind, Index i, std::optional<double> v, std::optional<double> r,
                       std::optional<double> u, std::optional<double> y) {
    const std::string head = kind + ("," + std::to_string(i));
    with_proof ? add_row(text, {v, r, u, y}, head) : add_row(text, {v, r, u}, head);
  };
  for (Index i = 0; i < answer.velocity.size(); ++i) {
    add("velocity", i, answer.velocity[i], std::nullopt, std::nullopt, std::nullopt);
  }
  for (Index i = 0; i < answer.primal.size(); ++i) {
    add("contact", i, std::nullopt, answer.primal[i], answer.dual[i],
        with_proof ? std::optional(answer.proof[i]) : std::nullopt);
  }
  return text;
}

/// A cell of text, in quotes where it needs them.
std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"") == std::string::npos) return text;
  std::string cell = "\"";
  for (const char c : text) cell += c == '"' ? "\"\"" : std::string(1, c);
  return cell + '"';
}

/// x with the multipliers of its bounds, then the constraints; a cone program has no bounds. Of an mpcc both sides of
/// the pairs follow.
std::string program_text(const ProblemFile& file, const Answer& answer) {
  const Eigen::VectorXd& last = answer.direction.size() > 0 ? answer.direction : answer.proof;
  const bool of_unknowns = answer.direction.size() > 0, has_last = last.size() > 0;
  const bool named = !file.unknown_names.empty();
  std::string text = named ? "kind,index,name,value,multiplier" : "kind,index,value,multiplier";
  if (has_last) text += of_unknowns ? ",direction" : ",proof";
  text += '\n';
  const auto add = [&](const char* kind, Index i, double value, std::optional<double> multiplier,
                       std::optional<double> shown) {
    std::string head = kind + ("," + std::to_string(i));
    const auto& names = kind == std::string_view("row") ? file.row_names : file.unknown_names;
    if (named) head += ',' + quoted(names[static_cast<std::size_t>(i)]);
    has_last ? add_row(text, {value, multiplier, shown}, head) : add_row(text, {value, multiplier}, head);
  };
  for (Index i = 0; i < answer.primal.size(); ++i) {
    add("unknown", i, answer.primal[i], answer.dual.size() > 0 ? std::optional(answer.dual[i]) : std::nullopt,
        has_last && of_unknowns ? std::optional(last[i]) : std::nullopt);
  }
  Index m = answer.rows.size(), k = 0;
  const auto part_pairs = [&](const auto* program) {
    if (program == nullptr) return;
    m = program->num_rows();
    k = program->num_pairs();
  };
  part_pairs(std::get_if<mpcc::Problem>(&file.problem));
  part_pairs(std::get_if<mpcc::SparseProblem>(&file.problem));
  part_pairs(std::get_if<NonlinearMpcc>(&file.problem));
  const auto shown = [&](Index row) { return has_last && !of_unknowns ? std::optional(last[row]) : std::nullopt; };
  const auto add_rows = [&](const char* kind, Index begin, Index size) {
    for (Index i = 0; i < size; ++i)
      add(kind, i, answer.rows[begin + i], answer.multipliers[begin + i], shown(begin + i));
  };
  if (answer.rows.size() == 0) return text;
  add_rows("row", 0, m);
  add_rows("G", m, k);
  add_rows("H", m + k, k);
  return text;
}

/// Of a vi, a quasi and an mcp. A proof that K, or fixed_points() of a quasi, is empty has an entry a row of its
/// polyhedra, not a row of x.
std::string variational_text(const Answer& answer) {
  const bool with_proof = answer.proof.size() > 0;
  std::string text = with_proof ? "kind,index,x,w,proof\n" : "x,w\n";
  for (Index i = 0; i < answer.primal.size(); ++i) {
    if (with_proof) {
      add_row(text, {answer.primal[i], answer.dual[i], std::nullopt}, "unknown," + std::to_string(i));
    } else {
      add_row(text, {answer.primal[i], answer.dual[i]});
    }
  }
  for (Index i = 0; i < answer.proof.size(); ++i) {
    add_row(text, {std::nullopt, std::nullopt, answer.proof[i]}, "set," + std::to_string(i));
  }
  return text;
}

}  // namespace

SolutionFile::SolutionFile(const std::string& path, const std::string& problem_file)
    : path_(path), partial_(path + ".partial") {
  if (is_read(path_, problem_file) || is_read(partial_, problem_file)) {
    throw InvalidArgument("--solution", "'" + path + "', which holds the problem", "another file");
  }
  std::error_code error;
  const fs::file_status status = fs::status(path_, error);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    throw FileError("--solution " + path + ": is no regular file");
  }
  file_.open(partial_, std::ios::binary);
  if (!file_) throw FileError("--solution " + path + ": cannot be opened for writing");
}

SolutionFile::~SolutionFile() {
  file_.close();
  std::error_code ignored;
  if (!partial_.empty()) fs::remove(partial_, ignored);
}

void SolutionFile::write(const std::string& text) {
  file_ << text;
  file_.close();
  if (!file_) throw FileError("--solution " + path_.string() + ": could not be written to the end");
  std::error_code error;
  fs::rename(partial_, path_, error);
  if (error) throw FileError("--solution " + path_.string() + ": " + error.message());
  partial_.clear();
}

std::string solution_text(const ProblemFile& file, const Answer& answer) {
  const AnyProblem& problem = file.problem;
  const auto* const mixed_rows = std::get_if<mlcp::Problem>(&problem);
  const auto* const sparse_rows = std::get_if<mlcp::SparseProblem>(&problem);
  const bool with_proof = answer.proof.size() > 0;
  switch (class_of(problem)) {
    case ProblemClass::GlobalFriction:
    case ProblemClass::GlobalRollingFriction:
      return global_text(answer);
    case ProblemClass::Qp:
    case ProblemClass::ConeProgram:
    case ProblemClass::Mpcc:
      return program_text(file, answer);
    case ProblemClass::Vi:
    case ProblemClass::Quasi:
    case ProblemClass::Mcp:
      return variational_text(answer);
    default:
      break;
  }
  if (mixed_rows && answer.primal.size() > 0) return mlcp_text(*mixed_rows, answer, with_proof);
  if (sparse_rows && answer.primal.size() > 0) return mlcp_text(*sparse_rows, answer, with_proof);
  std::string text = mixed_rows || sparse_rows                         ? "kind,index,z,w"
                     : std::holds_alternative<mixed::Problem>(problem) ? "r,u"
                                                                       : "z,w";
  text += with_proof ? ",proof\n" : "\n";
  for (Index i = 0; i < answer.primal.size(); ++i) {
    if (with_proof) {
      add_row(text, {answer.primal[i], answer.dual[i], answer.proof[i]});
    } else {
      add_row(text, {answer.primal[i], answer.dual[i]});
    }
  }
  return text;
}

}  // namespace nonsmooth::command
