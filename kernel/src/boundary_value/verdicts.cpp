// SPDX-License-Identifier: Apache-2.0
// What is known before and where there is no solution.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <internal/at.hpp>
#include <internal/check.hpp>
#include <internal/decompositions.hpp>
#include <internal/matrix_exponential.hpp>
#include <internal/round_off.hpp>
#include <nonsmooth/numerics/qp.hpp>

#include "discrete_problem.hpp"

namespace nonsmooth::boundary_value {
namespace {

// Entries of e^{A T}, a product of many factors, have lost some digits; conditions that differ by less are alike.
constexpr double alike = 1e-11;
constexpr double doubtful = 1e3;  // a condition of M + N e^{A T} that may be that of e^{A T} alone

double norm(const Eigen::MatrixXd& matrix) {
  return matrix.size() > 0 ? singular_values(matrix, false).values[0] : 0.0;
}

bool through(const Problem& problem) { return problem.D.size() > 0 && !problem.D.isZero(0.0); }

/// mu of D, or where D = 0 of C B; NaN where that is not positive definite, or C B not symmetric.
double least_of_acting(const Problem& problem) {
  const Eigen::MatrixXd acting = through(problem) ? problem.D : Eigen::MatrixXd(problem.C * problem.B);
  if (!through(problem) && !acting.isApprox(acting.transpose(), 1e-12)) return std::numeric_limits<double>::quiet_NaN();
  const double least = symmetric_eigen(0.5 * (acting + acting.transpose())).values[0];
  return least > 1e-12 * norm(acting) ? least : std::numeric_limits<double>::quiet_NaN();
}

/// What |B u| grows with |x| by; NaN where that is not known.
double growth_of_multipliers(const Problem& problem) {
  if (problem.num_multipliers() == 0) return 0.0;
  const Eigen::MatrixXd acted = through(problem) ? problem.C : Eigen::MatrixXd(problem.C * problem.A);
  return norm(problem.B) * norm(acted) / least_of_acting(problem);
}

/// J: w = C x(0) + C B mu >= 0 ⟂ mu has |mu| <= |C x(0)| / mu(C B) up to a constant. NaN where that is not known.
double jump_at_start(const Problem& problem) {
  if (problem.num_multipliers() == 0) return 1.0;
  if (!through(problem)) return 1.0 + norm(problem.B) * norm(problem.C) / least_of_acting(problem);
  for (Index i = 0; i < problem.num_multipliers(); ++i) {
    if (problem.D.row(i).isZero(0.0) && problem.D.col(i).isZero(0.0)) return std::numeric_limits<double>::quiet_NaN();
  }
  return 1.0;
}

/// Each row divided by the largest entry of that row of both parts of the sum.
Eigen::MatrixXd scaled_sum(const Eigen::MatrixXd& at_start, const Eigen::MatrixXd& at_end, Eigen::VectorXd& scale) {
  Eigen::MatrixXd sum = at_start + at_end;
  scale = at_start.cwiseAbs().rowwise().maxCoeff().cwiseMax(at_end.cwiseAbs().rowwise().maxCoeff());
  for (Index i = 0; i < sum.rows(); ++i) sum.row(i) /= scale[i] > 0.0 ? scale[i] : 1.0;
  return sum;
}

/// M + N e^{A T}, each row divided by its largest entry in (M, N e^{A T}); no rows where e^{A T} overflows.
Eigen::MatrixXd shooting_matrix(const Problem& problem, const Eigen::MatrixXd& flow, Eigen::VectorXd& scale) {
  const Eigen::MatrixXd at_end = problem.N * flow;
  return at_end.allFinite() ? scaled_sum(problem.M, at_end, scale) : Eigen::MatrixXd();
}

double condition_of(const Eigen::MatrixXd& matrix) {
  const Eigen::VectorXd values = singular_values(matrix, false).values;
  const double least = values[values.size() - 1], largest = std::max(1.0, values[0]);
  return least <= alike * largest ? detail::infinity : largest / least;
}

/// An orthonormal basis (Y_0; Y_T) of all (x(0), x(T)) of x' = A x. Of two halves with x(T/2) = Y_T a = Y_0 b in common
/// these are (Y_0 a; Y_T b): no entry is larger than 1, no mode is lost beside faster ones.
Eigen::MatrixXd motions(const Eigen::MatrixXd& A, double T) {
  const Index n = A.rows();
  const double size = T * A.cwiseAbs().rowwise().sum().maxCoeff();
  const int halvings = size > 1.0 ? static_cast<int>(std::ceil(std::log2(size))) : 0;
  const auto orthonormal = [n](const Eigen::MatrixXd& columns) {
    return Eigen::MatrixXd(singular_values(columns.transpose(), true).V.leftCols(n));
  };
  Eigen::MatrixXd Y(2 * n, n);
  Y << Eigen::MatrixXd::Identity(n, n), matrix_exponential(std::ldexp(T, -halvings) * A);
  Y = orthonormal(Y);
  for (int i = 0; i < halvings; ++i) {
    Eigen::MatrixXd common(n, 2 * n);
    common << Y.bottomRows(n), -Y.topRows(n);
    const Eigen::MatrixXd both = singular_values(common, true).V.rightCols(n);
    Eigen::MatrixXd doubled(2 * n, n);
    doubled << Y.topRows(n) * both.topRows(n), Y.bottomRows(n) * both.bottomRows(n);
    Y = orthonormal(doubled);
  }
  return Y;
}

/// Solvability::condition.
double condition_of(const Problem& problem) {
  const Index n = problem.num_states();
  const Eigen::MatrixXd flow = matrix_exponential(problem.T * problem.A);
  Eigen::VectorXd scale;
  const Eigen::MatrixXd S = shooting_matrix(problem, flow, scale);
  const double shooting = S.rows() > 0 ? condition_of(S) : detail::infinity;
  if (shooting <= doubtful) return shooting;
  const Eigen::MatrixXd Y = motions(problem.A, problem.T);
  const double both =
      std::min(shooting, condition_of(scaled_sum(problem.M * Y.topRows(n), problem.N * Y.bottomRows(n), scale)));
  const bool told = S.rows() > 0 && eps * flow.cwiseAbs().maxCoeff() <= alike;
  return std::isfinite(both) || told ? both : std::numeric_limits<double>::quiet_NaN();
}

/// Whether a column of B moves row x.
bool moves(const Eigen::RowVectorXd& row, const Eigen::MatrixXd& B) {
  const Eigen::RowVectorXd moved = (row * B).cwiseAbs(), terms = row.cwiseAbs() * B.cwiseAbs();
  return (moved.array() > 1e-12 * terms.array()).any();
}

Eigen::VectorXd a_at(const Problem& problem, double t) {
  Eigen::VectorXd a = Eigen::VectorXd::Zero(problem.num_states());
  if (problem.a) problem.a(t, a);
  return a;
}

Eigen::VectorXd c_at(const Problem& problem, double t) {
  Eigen::VectorXd c = Eigen::VectorXd::Zero(problem.num_multipliers());
  if (problem.c) problem.c(t, c);
  return c;
}

/// a and c at an end, c' to `doubt` (infinite: not known), and of which rows c and a are constant beside it.
struct AtEnd {
  Eigen::VectorXd a, c, c_rate, doubt;
  std::vector<bool> constant{};
};

/// c' by differences over 1e-5 T: `doubt` is by what those of first and second order differ, and their rounding.
AtEnd at_end(const Problem& problem, bool start) {
  const Index m = problem.num_multipliers();
  const double t = start ? 0.0 : problem.T, step = (start ? 1e-5 : -1e-5) * problem.T;
  AtEnd found{.a = a_at(problem, t),
              .c = c_at(problem, t),
              .c_rate = Eigen::VectorXd::Zero(m),
              .doubt = Eigen::VectorXd::Constant(m, detail::infinity)};
  if (!problem.linear() || !found.a.allFinite() || !found.c.allFinite()) return found;
  const Eigen::VectorXd near = c_at(problem, t + step), beyond = c_at(problem, t + 2.0 * step),
                        first = (near - found.c) / step, second = (4.0 * near - 3.0 * found.c - beyond) / (2.0 * step);
  if (!first.allFinite() || !second.allFinite()) return found;
  found.c_rate = second;
  const bool a_is_constant = a_at(problem, t + step) == found.a && a_at(problem, t + 2.0 * step) == found.a;
  const double size = std::max(problem.b.lpNorm<Eigen::Infinity>(), found.c.lpNorm<Eigen::Infinity>());
  for (Index i = 0; i < m; ++i) {
    const bool c_is_constant = near[i] == found.c[i] && beyond[i] == found.c[i];
    found.constant.push_back(a_is_constant && c_is_constant);
    const double largest = std::max({std::abs(found.c[i]), std::abs(near[i]), std::abs(beyond[i])}),
                 rounding = c_is_constant ? 0.0 : 8.0 * eps * largest / std::abs(step),
                 doubt = std::abs(second[i] - first[i]) + rounding;
    // More is no derivative, as of sqrt(t) at 0.
    if (doubt <= 0.1 * std::abs(second[i]) + 1e-4 * size / problem.T) found.doubt[i] = doubt;
  }
  return found;
}

/// Rows of {A z <= b, C z = d}, z = (x(0), x(T)), one after the other.
class EndRows {
 public:
  explicit EndRows(const Problem& problem) : p_(problem), both_(problem.num_states(), 2 * problem.num_states()) {
    both_ << p_.M, p_.N;
    factors_.compute(both_.transpose());
  }
  void add(bool start, const Eigen::RowVectorXd& row, double bound) {
    rows_.push_back(both(start, row));
    bounds_.push_back(bound);
  }
  /// Whether the conditions fix row x there, and row x + c at 0 to rounding.
  [[nodiscard]] bool close(bool start, const Eigen::RowVectorXd& row, double c) const {
    const Eigen::VectorXd y = factors_.solve(both(start, row).transpose());
    if ((both_.transpose() * y - both(start, row).transpose()).norm() > 1e-12 * row.norm()) return false;
    return std::abs(y.dot(p_.b) + c) <= 64.0 * eps * (y.cwiseAbs().dot(p_.b.cwiseAbs()) + std::abs(c));
  }
  [[nodiscard]] vi::Polyhedron polyhedron() const {
    const Index m = static_cast<Index>(rows_.size());
    vi::Polyhedron ends{.A = Eigen::MatrixXd(m, both_.cols()),
                        .b = Eigen::Map<const Eigen::VectorXd>(bounds_.data(), m),
                        .C = both_,
                        .d = p_.b};
    for (std::size_t k = 0; k < rows_.size(); ++k) ends.A.row(static_cast<Index>(k)) = rows_[k];
    return ends;
  }

 private:
  [[nodiscard]] Eigen::RowVectorXd both(bool start, const Eigen::RowVectorXd& row) const {
    Eigen::RowVectorXd of_both = Eigen::RowVectorXd::Zero(both_.cols());
    (start ? of_both.head(row.size()) : of_both.tail(row.size())) = row;
    return of_both;
  }

  const Problem& p_;
  Eigen::MatrixXd both_;  // (M N)
  CompleteOrthogonalFactors factors_;
  std::vector<Eigen::RowVectorXd> rows_;
  std::vector<double> bounds_;
};

/// Where the conditions close a row of w at an end, and its derivative does not jump there, a row that keeps it from
/// being left at once: of w' >= 0 at 0 and <= 0 at T, times -`sign`. Where they fix w' at 0 too and a and c are
/// constant, of w'', and so on.
void add_derivatives(const Problem& problem, const detail::AtomRows& atoms, Index i, double sign, bool start,
                     const AtEnd& end, double slack, EndRows& rows) {
  if (std::isinf(end.doubt[i])) return;
  Eigen::RowVectorXd level = problem.C.row(i);  // w^(k) = level x + known
  double known = end.c[i];
  for (Index k = 1; k < problem.num_states(); ++k) {
    const Eigen::RowVectorXd next = level * problem.A;
    if (moves(level, problem.B) || moves(next, atoms.B) || !rows.close(start, level, known)) return;
    if (k > 1 && !end.constant[at(i)]) return;
    known = level.dot(end.a) + (k == 1 ? end.c_rate[i] : 0.0);
    if (next.isZero(0.0) && known == 0.0) return;
    level = next;
    slack /= problem.T;
    if (!start) sign = -sign;
    rows.add(start, sign * level, -sign * known + (k == 1 ? end.doubt[i] : 0.0) + slack);
  }
}

/// The conditions, and on w at both ends the bounds that the signs of u ask for, of rows whose w no atom moves. Each
/// bound may be missed by `slack`, of w^(k) by slack / T^k.
vi::Polyhedron ends_within(const Problem& problem, const AtEnd& of_start, const AtEnd& of_end, double slack) {
  EndRows rows(problem);
  const detail::AtomRows atoms = detail::atom_rows(problem, {});
  for (const Index i : atoms.rows) {
    const Eigen::RowVectorXd row = problem.C.row(i);
    if (moves(row, atoms.B)) continue;
    for (const double sign : {-1.0, 1.0}) {  // -C x <= c where w >= 0, C x <= -c where w <= 0
      if ((sign < 0.0 ? detail::upper_of(problem, i) : -detail::lower_of(problem, i)) < detail::infinity) continue;
      for (const bool start : {true, false}) {
        const AtEnd& end = start ? of_start : of_end;
        rows.add(start, sign * row, -sign * end.c[i] + slack);
        add_derivatives(problem, atoms, i, sign, start, end, slack, rows);
      }
    }
  }
  return rows.polyhedron();
}

}  // namespace

vi::Polyhedron admissible_ends(const Problem& problem) {
  problem.validate();
  const AtEnd start = at_end(problem, true), end = at_end(problem, false);
  for (const AtEnd* of : {&start, &end}) {
    if (of->c.allFinite()) continue;
    throw InvalidArgument("boundary_value::Problem::c",
                          "a number that is not finite at t = " + check::text(of == &start ? 0.0 : problem.T),
                          "finite numbers");
  }
  return ends_within(problem, start, end, 0.0);
}

bool detail::prove_ends_contradict(const Problem& problem, double tolerance, Solution& solution) {
  if (problem.num_multipliers() == 0) return false;
  const AtEnd start = at_end(problem, true), end = at_end(problem, false);
  if (!start.c.allFinite() || !end.c.allFinite()) return false;
  const double size = std::max(
      {problem.b.lpNorm<Eigen::Infinity>(), start.c.lpNorm<Eigen::Infinity>(), end.c.lpNorm<Eigen::Infinity>()});
  const vi::Polyhedron relaxed = ends_within(problem, start, end, tolerance * size);
  if (relaxed.A.rows() == 0) return false;
  Eigen::VectorXd ends = Eigen::VectorXd::Zero(2 * problem.num_states());
  const vi::ProjectionReport report = vi::ConvexSet(relaxed).project(ends, ends);
  if (report.status != Status::Infeasible) return false;
  if (!vi::proves_empty(ends_within(problem, start, end, 0.0), report.proof)) return false;
  solution.status = Status::Infeasible;
  solution.proof = report.proof;
  solution.reason =
      "the boundary conditions leave no x(0), x(T) that meet the constraints there and do not leave them at once, see "
      "admissible_ends";
  return true;
}

Solvability solvability(const Problem& problem, double psi) {
  problem.validate();
  Solvability found;
  found.psi = psi;
  if (psi <= 0.0)
    found.psi =
        problem.linear() ? norm(problem.A) + growth_of_multipliers(problem) : std::numeric_limits<double>::quiet_NaN();
  found.jump = jump_at_start(problem);
  found.growth = found.jump * std::exp(problem.T * found.psi);
  if (problem.linear()) found.condition = condition_of(problem);
  const Eigen::MatrixXd sum = problem.M + problem.N;
  FullPivotLu factors;
  factors.set_threshold(1e-13);
  factors.compute(sum);
  if (!factors.is_invertible()) {
    found.reason = "M + N is singular: the bound says nothing";
    return found;
  }
  found.boundary = norm(factors.solve(problem.N));
  found.limit = found.boundary > 0.0 ? 1.0 + 1.0 / found.boundary : detail::infinity;
  found.holds = found.growth < found.limit;
  found.reason = std::isnan(found.psi)    ? "no psi is known: neither D nor C B is positive definite, or f is nonlinear"
                 : std::isnan(found.jump) ? "no bound of the jump at 0 is known: C B is not positive definite"
                 : found.holds            ? "a solution exists: J exp(T psi) < 1 + 1 / |(M + N)^-1 N|"
                                          : "J exp(T psi) is not below 1 + 1 / |(M + N)^-1 N|: the bound says nothing";
  return found;
}

bool detail::prove_contradiction(DiscreteProblem& discrete, const Problem& problem, const mlcp::SparseProblem& linear,
                                 Solution& solution) {
  Eigen::VectorXd scale;
  const Eigen::MatrixXd S = shooting_matrix(problem, matrix_exponential(problem.T * problem.A), scale);
  if (S.rows() == 0) return false;
  const SingularValues values = singular_values(S.transpose(), true, alike);
  for (Index k = values.rank; k < S.rows(); ++k) {
    Eigen::VectorXd y = values.V.col(k);
    for (Index i = 0; i < y.size(); ++i) {
      y[i] /= scale[i] > 0.0 ? scale[i] : 1.0;
      if (std::abs(values.V(i, k)) < alike) y[i] = 0.0;
    }
    Eigen::VectorXd all = discrete.adjoint(y);
    if (all.head(linear.a.size()).dot(linear.a) > 0.0) all = -all;
    if (!mlcp::proves_infeasible(linear, all, alike)) continue;
    solution.status = Status::Infeasible;
    solution.proof = all;
    solution.reason =
        "a combination of the boundary conditions vanishes for all x(0), and what is left of it contradicts";
    return true;
  }
  return false;
}

bool detail::prove_infeasible(const mlcp::SparseProblem& linear, double time_limit, Solution& solution) {
  const Index free = linear.a.size(), m = linear.b.size(), all = free + m;
  std::vector<Eigen::Triplet<double>> entries;
  const auto add = [&](const Eigen::SparseMatrix<double>& block, Index row, Index column) {
    for (Index j = 0; j < block.outerSize(); ++j) {
      for (Eigen::SparseMatrix<double>::InnerIterator it(block, j); it; ++it)
        entries.emplace_back(static_cast<int>(row + it.row()), static_cast<int>(column + j), it.value());
    }
  };
  add(linear.A, 0, 0);
  add(linear.C, 0, free);
  add(linear.D, free, 0);
  add(linear.B, free, free);
  qp::SparseProblem program{.Q = Eigen::SparseMatrix<double>(all, all), .c = Eigen::VectorXd::Zero(all)};
  program.A.resize(all, all);
  program.A.setFromTriplets(entries.begin(), entries.end());
  program.row_lower.resize(all);
  program.row_upper.resize(all);
  program.lower.setConstant(all, -detail::infinity);
  program.upper.setConstant(all, detail::infinity);
  program.lower.tail(m) = linear.lower;
  program.upper.tail(m) = linear.upper;
  program.row_lower.head(free) = program.row_upper.head(free) = -linear.a;
  for (Index i = 0; i < m; ++i) {
    const bool below = linear.lower[i] > -detail::infinity, above = linear.upper[i] < detail::infinity;
    program.row_lower[free + i] = above ? -detail::infinity : -linear.b[i];
    program.row_upper[free + i] = below ? detail::infinity : -linear.b[i];
  }
  const qp::Result result = qp::solve(program, qp::Automatic{.time_limit = time_limit});
  if (result.status != Status::Infeasible || result.unbounded()) return false;
  for (const double tolerance : {-1.0, alike}) {
    if (!mlcp::proves_infeasible(linear, result.proof, tolerance)) continue;
    solution.status = Status::Infeasible;
    solution.proof = result.proof;
    solution.reason = "dynamics, boundary conditions and w >= 0 with u within its bounds contradict, see proof";
    return true;
  }
  return false;
}

}  // namespace nonsmooth::boundary_value
