// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/friction/frictionless.hpp>

#include <string_view>
#include <utility>
#include <vector>

#include <internal/check.hpp>
#include <nonsmooth/numerics/mixed/natural_newton.hpp>
#include <nonsmooth/numerics/mixed/proximal_newton.hpp>

#include "contact_lcp.hpp"
#include "projection_method.hpp"
#include "proportioned_gradients.hpp"
#include "symmetry.hpp"

namespace nonsmooth::friction {
namespace {

/// True for a set all of whose rows stay.
[[nodiscard]] bool whole(SetKind kind) noexcept { return kind == SetKind::Free || kind == SetKind::Orthant; }

/// The rows N of every contact and all rows of the other blocks.
[[nodiscard]] Problem normal_problem(const Problem& problem, const Eigen::VectorXd& held, std::vector<Index>& rows) {
  Problem normal;
  std::vector<Index> sizes;
  for (Index b = 0; b < problem.K.num_blocks(); ++b) {
    const SetKind kind = problem.K[b].kind;
    const Index n = whole(kind) ? problem.K.size(b) : 1;
    sizes.push_back(n);
    normal.K.push_back({.kind = kind == SetKind::Free ? SetKind::Free : SetKind::Orthant}, n);
    for (Index i = 0; i < n; ++i) rows.push_back(problem.K.offset(b) + i);
  }
  const BlockSparseMatrix& W = problem.W;
  normal.W.begin_pattern(sizes);
  for (Index b = 0; b < W.num_block_rows(); ++b) {
    for (Index k = W.row_begin(b); k < W.row_begin(b + 1); ++k) normal.W.insert(W.column(k));
    normal.W.next_row();
  }
  normal.W.end_pattern();
  for (Index b = 0; b < W.num_block_rows(); ++b)
    for (Index k = W.row_begin(b); k < W.row_begin(b + 1); ++k) {
      auto block = normal.W.block(b, normal.W.find(b, W.column(k)));
      block = W.block(b, k).topLeftCorner(block.rows(), block.cols());
    }
  Eigen::VectorXd free(problem.q.size());
  W.multiply_add(held, problem.q, free);
  normal.q.resize(static_cast<Index>(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) normal.q[static_cast<Index>(i)] = free[rows[i]];
  return normal;
}

/// Many rows of a semidefinite matrix: a few Newton steps against hundreds of pivots. True where that solved it.
[[nodiscard]] bool solve_by_newton(const Problem& normal, const Frictionless& options, const detail::Deadline& deadline,
                                   mixed::Result& answer) {
  constexpr Index many = 300;
  if (options.pivoting != Pivoting::Automatic || normal.W.rows() <= many) return false;
  const auto attempt = [&](auto algorithm, Index steps) {
    algorithm.tolerance = options.tolerance;
    algorithm.time_limit = deadline.remaining();
    algorithm.max_steps = options.max_iterations > 0 ? options.max_iterations : steps;
    mixed::Result other = mixed::solve(normal, algorithm);
    other.iterations += answer.iterations;
    answer = std::move(other);
    answer.solver = "frictionless";
    return answer.ok();
  };
  return attempt(mixed::ProximalNewton{}, 60) || attempt(mixed::NaturalNewton{}, 200);
}

void solve_quadratic_program(const Problem& normal, const Frictionless& options, const detail::Deadline& deadline,
                             mixed::Result& answer) {
  constexpr Index enough = 20'000;  // of a pile whose factors are too large
  if (!internal::is_symmetric(normal.W))
    return mixed::internal::end(answer, Status::Stalled, "W is not symmetric: there is no quadratic program");
  internal::ProportionedGradients(normal).solve(
      options.tolerance, options.max_iterations > 0 ? options.max_iterations : enough, deadline, answer);
}

}  // namespace

void Frictionless::validate() const { internal::validate_pivoting("friction::Frictionless", *this); }

Result solve(const Problem& problem, const Frictionless& options) {
  problem.validate();
  options.validate();
  internal::check_sets("friction::Frictionless", problem.K, true);
  Eigen::VectorXd held = Eigen::VectorXd::Zero(problem.q.size());
  if (options.tangential.size() > 0) {
    check::size("friction::Frictionless::tangential", options.tangential.size(), problem.q.size(),
                "one a row, or none");
    check::finite("friction::Frictionless::tangential", ConstVectorRef(options.tangential));
    held = options.tangential;
  }
  // A cohesive contact pulls with up to r_N = -c: the normal problem in r_N + c.
  for (Index b = 0; b < problem.K.num_blocks(); ++b) {
    const Index o = problem.K.offset(b);
    if (whole(problem.K[b].kind)) {
      held.segment(o, problem.K.size(b)).setZero();
    } else {
      held[o] = -problem.K[b].cohesion;
    }
  }
  const detail::Deadline deadline(options.time_limit);
  const bool quadratic = options.method == Frictionless::Method::QuadraticProgram;
  const std::string_view name = quadratic ? "frictionless qp" : "frictionless";
  Result result;
  mixed::internal::begin(problem, name, result);
  result.r = held;
  std::vector<Index> rows;
  const Problem normal = normal_problem(problem, held, rows);
  mixed::Result answer;
  mixed::internal::begin(normal, name, answer);
  if (internal::rests_at_zero(normal)) {
    answer.status = Status::Solved;
  } else if (quadratic) {
    solve_quadratic_program(normal, options, deadline, answer);
  } else if (!solve_by_newton(normal, options, deadline, answer)) {
    internal::ContactLcp(normal).solve(options.pivoting,
                                       {0.1 * options.tolerance, options.max_iterations, deadline.remaining()}, answer);
  }
  internal::conclude_pivoting(normal, options.tolerance, Measure::Certificate,
                              "solved, at round-off: the tolerance is below what the data allow", answer);
  if (answer.proof.size() > 0) result.proof.setZero(problem.q.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    result.r[rows[i]] += answer.r[static_cast<Index>(i)];
    if (answer.proof.size() > 0) result.proof[rows[i]] = answer.proof[static_cast<Index>(i)];
  }
  problem.W.multiply_add(result.r, problem.q, result.u);
  mixed::internal::note_round_off(normal, answer);
  result.status = answer.status;
  result.at_round_off = answer.at_round_off;
  result.reason = answer.reason;
  result.iterations = answer.iterations;
  result.certificate = answer.certificate;
  for (Index* row : {&result.certificate.worst_row, &result.certificate.worst_relative_row})
    if (*row >= 0) *row = rows[static_cast<std::size_t>(*row)];
  result.figures = mixed::friction_figures(problem, result.r, result.u);
  return result;
}

}  // namespace nonsmooth::friction
