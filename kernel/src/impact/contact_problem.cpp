// SPDX-License-Identifier: Apache-2.0
#include "contact_problem.hpp"

#include <algorithm>
#include <cmath>

#include <internal/check.hpp>
#include <internal/decompositions.hpp>
#include <nonsmooth/numerics/mixed/registry.hpp>
#include <nonsmooth/numerics/mixed/workspace.hpp>

#include "contact_modes.hpp"
#include "islands.hpp"

namespace nonsmooth::impacts {
namespace {

constexpr double law_tolerance = 1e-11;  // Certificate::residual of what is called Solved
constexpr Index most_rows_enumerated = 8;

/// True if every principal minor is positive for certain, and no friction makes the law non-monotone.
bool surely_unique(const Eigen::MatrixXd& W, const ProductSet& sets) {
  for (Index i = 0; i < sets.num_blocks(); ++i) {
    const SetKind kind = sets[i].kind;
    if ((kind == SetKind::Coulomb2D || kind == SetKind::Coulomb3D) && sets[i].mu > 0.0) return false;
  }
  const Eigen::VectorXd unit = W.diagonal().cwiseAbs().cwiseSqrt().cwiseInverse();
  if (!unit.allFinite()) return false;
  const Eigen::MatrixXd scaled = unit.asDiagonal() * (0.5 * (W + W.transpose())) * unit.asDiagonal();
  const CholeskyFactors factors(scaled);
  return factors.is_positive_definite() && factors.smallest_pivot() > 1e-5;
}

/// Whether lambda satisfies the law, from the data alone.
bool certified(const mixed::Problem& problem, ContactAnswer& answer) {
  return is_solved(mixed::certify(problem, answer.lambda, answer.w));
}

/// Blocks that act on one another, or all.
ContactAnswer solve_connected(const Eigen::MatrixXd& W, const Eigen::VectorXd& b, const ProductSet& sets) {
  ContactAnswer answer;
  if (b.size() == 1 && sets[0].kind == SetKind::Orthant && W(0, 0) > 0.0 && std::isfinite(b[0] / W(0, 0))) {
    answer.status = Status::Solved;
    answer.verdict = ContactAnswer::Verdict::Unique;
    answer.lambda = Eigen::VectorXd::Constant(1, std::max(0.0, -b[0] / W(0, 0)));
    answer.w = Eigen::VectorXd::Constant(1, b[0] + W(0, 0) * answer.lambda[0]);
    return answer;
  }
  mixed::Problem problem;
  write_problem(W, b, sets, problem);
  answer.w.resize(b.size());
  if (b.size() <= most_rows_enumerated && !surely_unique(W, sets)) {
    ContactAnswer counted = enumerate_modes(W, b, sets, most_rows_enumerated);
    if (counted.status == Status::Solved && certified(problem, counted)) return counted;
    if (counted.verdict == ContactAnswer::Verdict::None) answer = counted;
  }
  const std::string none = answer.detail;
  const mixed::Result solved = mixed::solve(problem, mixed::Automatic{.tolerance = 0.1 * law_tolerance});
  answer.verdict = ContactAnswer::Verdict::NotCounted;
  answer.lambda = solved.r;
  answer.w = solved.u;
  answer.status = solved.status;
  answer.solver = solved.solver;
  answer.detail = solved.ok() ? std::string() : solved.message();
  if (solved.status == Status::Infeasible) {
    answer.verdict = ContactAnswer::Verdict::None;
  } else if (certified(problem, answer)) {
    answer.status = Status::Solved;
    answer.detail.clear();
    if (surely_unique(W, sets)) answer.verdict = ContactAnswer::Verdict::Unique;
  } else {
    if (solved.ok()) answer.status = Status::Stalled;
    if (!none.empty()) {
      answer.status = Status::Infeasible;
      answer.verdict = ContactAnswer::Verdict::None;
      answer.detail = none;
    }
  }
  return answer;
}

/// Worse ones of parts are those of the whole.
ContactAnswer::Verdict both(ContactAnswer::Verdict one, ContactAnswer::Verdict other) {
  using Verdict = ContactAnswer::Verdict;
  for (const Verdict verdict : {Verdict::None, Verdict::Several, Verdict::NotCounted}) {
    if (one == verdict || other == verdict) return verdict;
  }
  return Verdict::Unique;
}

}  // namespace

bool is_solved(const Certificate& certificate) noexcept {
  return certificate.residual <= law_tolerance || certificate.error <= certificate.round_off;
}

void write_problem(const Eigen::MatrixXd& W, const Eigen::VectorXd& b, const ProductSet& sets,
                   mixed::Problem& problem) {
  const Index blocks = sets.num_blocks();
  std::vector<Index> sizes;
  for (Index i = 0; i < blocks; ++i) sizes.push_back(sets.size(i));
  problem.W.begin_pattern(sizes);
  for (Index i = 0; i < blocks; ++i) {
    for (Index j = 0; j < blocks; ++j) {
      const auto block = W.block(sets.offset(i), sets.offset(j), sets.size(i), sets.size(j));
      if (!block.isZero(0.0)) problem.W.insert(j);
    }
    problem.W.next_row();
  }
  problem.W.end_pattern();
  for (Index i = 0; i < blocks; ++i) {
    for (Index k = problem.W.row_begin(i); k < problem.W.row_begin(i + 1); ++k) {
      const Index j = problem.W.column(k);
      problem.W.block(i, k) = W.block(sets.offset(i), sets.offset(j), sets.size(i), sets.size(j));
    }
  }
  problem.q = b;
  problem.K = sets;
}

void write_result(Status status, std::string_view solver, const Eigen::VectorXd& r, OneStepNSProblem& problem) {
  mixed::Result& result = problem.result;
  result = {};
  result.status = status;
  result.solver = solver;
  if (r.size() != problem.reduced.q.size()) return;
  result.r = r;
  result.u = r;
  result.certificate = mixed::certify(problem.reduced, result.r, result.u);
}

ContactAnswer solve_contact_problem(const Eigen::MatrixXd& W, const Eigen::VectorXd& b, const ProductSet& sets) {
  check::shape("W", W.rows(), W.cols(), b.size(), b.size());
  check::size("b", b.size(), sets.num_rows(), "one for each row of the sets");
  check::finite("W", ConstMatrixRef(W));
  check::finite("b", ConstVectorRef(b));
  std::vector<Index> first;
  for (Index i = 0; i < sets.num_blocks(); ++i) first.push_back(sets.offset(i));
  const auto islands = find_islands(W, first);
  if (islands.size() == 1) return solve_connected(W, b, sets);
  ContactAnswer answer;
  answer.status = Status::Solved;
  answer.verdict = ContactAnswer::Verdict::Unique;
  answer.lambda.setZero(b.size());
  answer.w = b;
  std::vector<std::pair<std::vector<Index>, std::vector<Eigen::VectorXd>>> others;  // rows of an island, and theirs
  for (const auto& island : islands) {
    const std::vector<Index> rows = rows_of_island(island, first, b.size());
    ProductSet own;
    for (const Index i : island) own.push_back(sets[i], sets.size(i));
    const ContactAnswer part = solve_connected(W(rows, rows), b(rows), own);
    if (part.status != Status::Solved) {
      // Round-off of one island beside the forces of others may have no answer; of all together it is none.
      ContactAnswer whole = solve_connected(W, b, sets);
      if (whole.status == Status::Solved) return whole;
      answer.status = part.status;
      answer.detail = part.detail;
    }
    answer.verdict = both(answer.verdict, part.verdict);
    if (part.lambda.size() == static_cast<Index>(rows.size())) {
      answer.lambda(rows) = part.lambda;
      answer.w(rows) = part.w;
    }
    answer.solver = part.solver;
    if (part.status != Status::Solved) break;
    if (!part.others.empty()) others.emplace_back(rows, part.others);
  }
  for (const auto& [rows, lambdas] : others) {
    for (const Eigen::VectorXd& lambda : lambdas) {
      answer.others.push_back(answer.lambda);
      answer.others.back()(rows) = lambda;
    }
  }
  return answer;
}

}  // namespace nonsmooth::impacts
