// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/mpcc/nonlinear.hpp>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "qp/internal.hpp"
#include "sequence.hpp"

namespace nonsmooth::mpcc {
namespace {

void check_map(const std::string& name, const NonlinearMap& map, Index unknowns) {
  if (map.num_values == 0 && !map.value) return;
  map.validate();
  if (map.num_unknowns != unknowns)
    throw InvalidArgument(name, std::to_string(map.num_unknowns) + " unknowns",
                          std::to_string(unknowns) + ", as f has them");
}

SparseProblem linearized(const NonlinearProblem& problem, ConstVectorRef x, double& value) {
  problem.validate();
  check::size("mpcc::linearize: x", x.size(), problem.num_unknowns(), "one an unknown");
  detail::Evaluator evaluator(problem);
  detail::Values values;
  detail::Slopes slopes;
  if (!evaluator.values(x, values) || !evaluator.slopes(values, slopes))
    throw InvalidArgument("mpcc::NonlinearProblem", evaluator.not_finite(), "finite numbers at x");
  value = values.f;
  return detail::linear_program(problem, values, slopes);
}

/// Of a linear program: all of its pieces at x were solved, and none falls from there.
bool has_no_falling_piece(const SparseProblem& linear, ConstVectorRef x, double tolerance) {
  const std::vector<Index> beta = detail::biactive_pairs(detail::pairs_at(linear, x));
  const nonsmooth::detail::Deadline never(std::numeric_limits<double>::infinity());
  const detail::Falling falling = detail::find_falling(linear, x, beta, tolerance, never);
  return falling.sure && falling.sides.empty();
}

}  // namespace

void NonlinearProblem::validate() const {
  const Index n = num_unknowns(), m = num_rows();
  f.validate();
  if (f.num_values != 1)
    throw InvalidArgument("mpcc::NonlinearProblem::f", std::to_string(f.num_values) + " values", "one");
  check_map("mpcc::NonlinearProblem::c", c, n);
  check_map("mpcc::NonlinearProblem::G", G, n);
  check_map("mpcc::NonlinearProblem::H", H, n);
  if (H.num_values != G.num_values)
    throw InvalidArgument("mpcc::NonlinearProblem::H", std::to_string(H.num_values) + " values",
                          std::to_string(G.num_values) + ", as G has them");
  qp::detail::check_bounds("mpcc::NonlinearProblem::row_lower", "mpcc::NonlinearProblem::row_upper", row_lower,
                           row_upper, m, "one a value of c, or none");
  qp::detail::check_bounds("mpcc::NonlinearProblem::lower", "mpcc::NonlinearProblem::upper", lower, upper, n,
                           "one an unknown, or none");
}

SparseProblem linearize(const NonlinearProblem& problem, ConstVectorRef x) {
  double value = 0.0;
  return linearized(problem, x, value);
}

Certificate certify(const NonlinearProblem& problem, ConstVectorRef x, ConstVectorRef y, ConstVectorRef u,
                    ConstVectorRef v, VectorRef s, Look* look) {
  double value = 0.0;
  const SparseProblem linear = linearized(problem, x, value);
  Look own;
  const Certificate certificate = detail::certify_linearized(linear, x, y, u, v, s, &own);
  detail::shift_value(value, own.figures);
  if (look) *look = own;
  return certificate;
}

bool is_bouligand_stationary(const NonlinearProblem& problem, ConstVectorRef x, double tolerance) {
  check::positive("mpcc::is_bouligand_stationary: tolerance", tolerance);
  return has_no_falling_piece(linearize(problem, x), x, tolerance);
}

bool is_bouligand_stationary(const SparseProblem& problem, ConstVectorRef x, double tolerance) {
  check::size("mpcc::is_bouligand_stationary: x", x.size(), problem.num_unknowns(), "one an entry of c");
  check::positive("mpcc::is_bouligand_stationary: tolerance", tolerance);
  SparseProblem linear = problem;
  linear.c += problem.Q * x;
  linear.Q.setZero();
  return has_no_falling_piece(linear, x, tolerance);
}

std::string NonlinearResult::message() const {
  std::string text = Result::message();
  if (!not_finite.empty()) text += "; " + not_finite;
  return text;
}

}  // namespace nonsmooth::mpcc
