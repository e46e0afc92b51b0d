// SPDX-License-Identifier: Apache-2.0
#include "linearization.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <internal/at.hpp>

#include "qp/internal.hpp"
#include "sparse_entries.hpp"

namespace nonsmooth::mpcc::detail {

bool Evaluator::value(const NonlinearMap& map, ConstVectorRef x, Eigen::VectorXd& out) {
  out.resize(map.num_values);
  if (map.num_values == 0) return true;
  const std::optional<NotFinite> found = evaluate(map, x, out);
  if (found) not_finite_ = found->message(map);
  return !found;
}

bool Evaluator::values(ConstVectorRef x, Values& out) {
  ++count_;
  out.x = x;
  Eigen::VectorXd f;
  if (!value(problem_.f, x, f)) return false;
  out.f = f[0];
  return value(problem_.c, x, out.c) && value(problem_.G, x, out.a) && value(problem_.H, x, out.b);
}

bool Evaluator::slope(const NonlinearMap& map, const Values& at, ConstVectorRef value,
                      Eigen::SparseMatrix<double>& out) {
  if (map.num_values == 0) {
    out.resize(0, at.x.size());
    return true;
  }
  const std::optional<NotFinite> found = evaluate_jacobian(map, at.x, value, problem_.lower, problem_.upper, out);
  if (found) not_finite_ = found->message(map);
  return !found;
}

bool Evaluator::slopes(const Values& at, Slopes& out) {
  if (!slope(problem_.f, at, Eigen::VectorXd::Constant(1, at.f), gradient_)) return false;
  out.f = Eigen::VectorXd::Zero(at.x.size());
  nonsmooth::detail::for_each_entry(gradient_, [&](Index, Index j, double entry) { out.f[j] += entry; });
  return slope(problem_.c, at, at.c, out.c) && slope(problem_.G, at, at.a, out.G) && slope(problem_.H, at, at.b, out.H);
}

SparseProblem linear_program(const NonlinearProblem& problem, const Values& values, const Slopes& slopes) {
  const Index n = problem.num_unknowns(), m = problem.num_rows(), k = problem.num_pairs();
  SparseProblem linear{.Q = Eigen::SparseMatrix<double>(n, n),
                       .c = slopes.f,
                       .A = slopes.c,
                       .row_lower = problem.row_lower,
                       .row_upper = problem.row_upper,
                       .lower = problem.lower,
                       .upper = problem.upper,
                       .G = slopes.G,
                       .g = values.a,
                       .H = slopes.H,
                       .h = values.b};
  if (m > 0) {
    const Eigen::VectorXd offset = slopes.c * values.x - values.c;
    if (linear.row_lower.size() > 0) linear.row_lower += offset;
    if (linear.row_upper.size() > 0) linear.row_upper += offset;
  }
  if (k > 0) {
    linear.g -= slopes.G * values.x;
    linear.h -= slopes.H * values.x;
  }
  return linear;
}

Falling find_falling(const SparseProblem& linear, ConstVectorRef x, const std::vector<Index>& beta, double tolerance,
                     const nonsmooth::detail::Deadline& deadline) {
  Falling found;
  if (beta.size() > 10) return found;
  const Eigen::VectorXd box = sizes_at(linear, x);
  const double whole = linear.c.cwiseAbs().dot(box);
  Sides sides = smaller_sides(pairs_at(linear, x));
  // Slopes that all together move the value by less than a tenth of the tolerance are rounding, which a linear program
  // whose value is 0 without them would have for its scale.
  const double small = 0.1 * tolerance * whole / static_cast<double>(x.size());
  const Eigen::VectorXd slopes = (linear.c.cwiseAbs().cwiseProduct(box).array() <= small).select(0.0, linear.c);
  double most = tolerance;
  bool all = true, on_one = false;
  for (unsigned bits = 0; bits < (1U << beta.size()); ++bits) {
    for (std::size_t j = 0; j < beta.size(); ++j) sides[at(beta[j])] = (bits >> j) & 1U ? Side::H : Side::G;
    qp::SparseProblem program = program_of(linear, sides);
    program.c = slopes;
    program.lower = x - box;
    program.upper = x + box;
    for (Index j = 0; j < x.size(); ++j) {
      program.lower[j] = std::max(program.lower[j], qp::detail::lower(linear, j));
      program.upper[j] = std::min(program.upper[j], qp::detail::upper(linear, j));
    }
    const qp::Result least = qp::solve(
        program,
        qp::Automatic{.tolerance = 1e-9, .max_iterations = most_iterations, .time_limit = deadline.remaining()});
    if (least.status == Status::Infeasible) continue;  // x is on it by rounding alone
    if (!least.ok()) {
      all = false;
      continue;
    }
    on_one = true;
    const double gain = whole > 0.0 ? slopes.dot(x - least.x) / whole : 0.0;
    if (gain <= most) continue;
    most = gain;
    found.sides = sides;
  }
  found.sure = all && on_one;
  return found;
}

}  // namespace nonsmooth::mpcc::detail
