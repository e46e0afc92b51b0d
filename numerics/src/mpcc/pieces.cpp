// SPDX-License-Identifier: Apache-2.0
#include "pieces.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include <internal/at.hpp>
#include <internal/decompositions.hpp>
#include <internal/round_off.hpp>

#include "end_infeasible.hpp"
#include "qp/internal.hpp"
#include "solved_to_round_off.hpp"
#include "sparse_entries.hpp"

namespace nonsmooth::mpcc::detail {
namespace {

using Vector = Eigen::VectorXd;

double largest_entry(const Eigen::MatrixXd& matrix) { return matrix.cwiseAbs().maxCoeff(); }
double largest_entry(const Eigen::SparseMatrix<double>& matrix) {
  const Vector sizes = row_sizes(matrix);
  return sizes.size() > 0 ? sizes.maxCoeff() : 0.0;
}

/// How large x is by the data: |c| over |Q|, and what the pairs and the equations ask for over their rows.
template <class P>
double size_of(const P& problem) {
  const double Q = largest_entry(problem.Q);
  double size = Q > 0.0 ? problem.c.cwiseAbs().maxCoeff() / Q : 0.0;
  const auto look = [&size](double entry, double right) {
    if (entry > 0.0) size = std::max(size, std::abs(right) / entry);
  };
  const Vector G = row_sizes(problem.G), H = row_sizes(problem.H), A = row_sizes(problem.A);
  for (Index i = 0; i < problem.num_pairs(); ++i) {
    look(G[i], problem.g[i]);
    look(H[i], problem.h[i]);
  }
  for (Index i = 0; i < problem.num_rows(); ++i) {
    const double low = qp::detail::row_lower(problem, i);
    if (low == qp::detail::row_upper(problem, i)) look(A[i], low);
  }
  return size;
}

/// max_j |M_ij| sizes_j of each row.
template <class Matrix>
Vector row_terms(const Matrix& rows, const Vector& sizes) {
  Vector terms = Vector::Zero(rows.rows());
  nonsmooth::detail::for_each_entry(
      rows, [&](Index i, Index j, double entry) { terms[i] = std::max(terms[i], std::abs(entry) * sizes[j]); });
  return terms;
}

/// The rows with an equation, over their norms.
struct Equations {
  std::vector<Index> rows;
  Eigen::MatrixXd N;
  Eigen::VectorXd n;
};

Equations equations_of(const qp::Problem& program) {
  Equations equations;
  for (Index i = 0; i < program.num_rows(); ++i) {
    if (program.row_lower[i] == program.row_upper[i] && program.A.row(i).norm() > 0.0) equations.rows.push_back(i);
  }
  const auto count = static_cast<Index>(equations.rows.size());
  equations.N.resize(count, program.num_unknowns());
  equations.n.resize(count);
  for (Index i = 0; i < count; ++i) {
    const Index row = equations.rows[at(i)];
    const double norm = program.A.row(row).norm();
    equations.N.row(i) = program.A.row(row) / norm;
    equations.n[i] = program.row_lower[row] / norm;
  }
  return equations;
}

/// (A; G; H).
Eigen::MatrixXd all_rows(const Problem& problem) {
  const Index n = problem.num_unknowns(), m = problem.num_rows(), k = problem.num_pairs();
  Eigen::MatrixXd rows(m + 2 * k, n);
  if (m > 0) rows.topRows(m) = problem.A;
  if (k > 0) {
    rows.middleRows(m, k) = problem.G;
    rows.bottomRows(k) = problem.H;
  }
  return rows;
}
Eigen::SparseMatrix<double> all_rows(const SparseProblem& problem) {
  const Index n = problem.num_unknowns(), m = problem.num_rows(), k = problem.num_pairs();
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(at(problem.A.nonZeros() + problem.G.nonZeros() + problem.H.nonZeros()));
  const auto add = [&entries](const Eigen::SparseMatrix<double>& block, Index first) {
    nonsmooth::detail::for_each_entry(block, [&](Index i, Index j, double entry) {
      entries.emplace_back(static_cast<int>(first + i), static_cast<int>(j), entry);
    });
  };
  add(problem.A, 0);
  add(problem.G, m);
  add(problem.H, m + k);
  Eigen::SparseMatrix<double> rows(m + 2 * k, n);
  rows.setFromTriplets(entries.begin(), entries.end());
  return rows;
}

template <class Program, class P>
Program on_sides(const P& problem, const Sides& sides) {
  const Index m = problem.num_rows(), k = problem.num_pairs();
  Program program{
      .Q = problem.Q, .c = problem.c, .A = all_rows(problem), .lower = problem.lower, .upper = problem.upper};
  program.row_lower.resize(m + 2 * k);
  program.row_upper.setConstant(m + 2 * k, qp::detail::infinity);
  for (Index i = 0; i < m; ++i) {
    program.row_lower[i] = qp::detail::row_lower(problem, i);
    program.row_upper[i] = qp::detail::row_upper(problem, i);
  }
  if (k == 0) return program;
  program.row_lower.segment(m, k) = -problem.g;
  program.row_lower.tail(k) = -problem.h;
  for (Index i = 0; i < k; ++i) {
    const Side side = sides[at(i)];
    if (side == Side::G || side == Side::None) program.row_upper[m + i] = -problem.g[i];
    if (side == Side::H || side == Side::None) program.row_upper[m + k + i] = -problem.h[i];
  }
  return program;
}

/// All sides at x but for beta, where they are those of the bits.
Sides combined(const Sides& forced, const std::vector<Index>& beta, unsigned bits) {
  Sides sides = forced;
  for (std::size_t j = 0; j < beta.size(); ++j) sides[at(beta[j])] = (bits >> j) & 1U ? Side::H : Side::G;
  return sides;
}

}  // namespace

Eigen::VectorXd row_sizes(const Eigen::MatrixXd& rows) {
  if (rows.size() == 0) return Vector::Zero(rows.rows());
  return rows.cwiseAbs().rowwise().maxCoeff();
}

Eigen::VectorXd row_sizes(const Eigen::SparseMatrix<double>& rows) {
  Vector sizes = Vector::Zero(rows.rows());
  nonsmooth::detail::for_each_entry(
      rows, [&](Index i, Index, double entry) { sizes[i] = std::max(sizes[i], std::abs(entry)); });
  return sizes;
}

template <class P>
double size_at(const P& problem, ConstVectorRef x) {
  const double size = std::max(size_of(problem), x.cwiseAbs().maxCoeff());
  if (size > 0.0) return size;
  double least = qp::detail::infinity;
  for (Index j = 0; j < x.size(); ++j) {
    for (const double bound : {std::abs(qp::detail::lower(problem, j)), std::abs(qp::detail::upper(problem, j))})
      if (bound > 0.0) least = std::min(least, bound);
  }
  return std::isfinite(least) ? least : 1.0;
}

template double size_at(const Problem& problem, ConstVectorRef x);
template double size_at(const SparseProblem& problem, ConstVectorRef x);

template <class P>
Vector sizes_at(const P& problem, ConstVectorRef x) {
  Vector sizes = Vector::Zero(x.size());
  const auto look = [&sizes](Index j, double entry, double right) {
    if (entry != 0.0) sizes[j] = std::max(sizes[j], std::abs(right / entry));
  };
  const Vector Q = row_sizes(problem.Q);
  for (Index j = 0; j < x.size(); ++j) look(j, Q[j], problem.c[j]);
  nonsmooth::detail::for_each_entry(problem.G, [&](Index i, Index j, double entry) { look(j, entry, problem.g[i]); });
  nonsmooth::detail::for_each_entry(problem.H, [&](Index i, Index j, double entry) { look(j, entry, problem.h[i]); });
  nonsmooth::detail::for_each_entry(problem.A, [&](Index i, Index j, double entry) {
    const double low = qp::detail::row_lower(problem, i);
    if (low == qp::detail::row_upper(problem, i)) look(j, entry, low);
  });
  const double whole = size_at(problem, x);
  for (Index j = 0; j < x.size(); ++j) sizes[j] = sizes[j] > 0.0 ? std::max(sizes[j], std::abs(x[j])) : whole;
  return sizes;
}

template Vector sizes_at(const Problem& problem, ConstVectorRef x);
template Vector sizes_at(const SparseProblem& problem, ConstVectorRef x);

namespace {

Vector compared_sizes(const Problem& problem, ConstVectorRef x) { return sizes_at(problem, x); }
/// Of a program that may be linearized at x, whose steps are as exact as the largest unknown allows.
Vector compared_sizes(const SparseProblem& problem, ConstVectorRef x) {
  return Vector::Constant(x.size(), size_at(problem, x));
}

}  // namespace

template <class P>
Pairs pairs_at(const P& problem, ConstVectorRef x) {
  Pairs pairs{problem.g, problem.h, problem.g.cwiseAbs(), problem.h.cwiseAbs()};
  if (problem.num_pairs() == 0) return pairs;
  const Vector sizes = compared_sizes(problem, x);
  pairs.a.noalias() += problem.G * x;
  pairs.b.noalias() += problem.H * x;
  pairs.a_terms += row_terms(problem.G, sizes);
  pairs.b_terms += row_terms(problem.H, sizes);
  return pairs;
}

template Pairs pairs_at(const Problem& problem, ConstVectorRef x);
template Pairs pairs_at(const SparseProblem& problem, ConstVectorRef x);

Sides smaller_sides(const Pairs& pairs) {
  Sides sides(at(pairs.a.size()));
  for (Index i = 0; i < pairs.a.size(); ++i) {
    const double of_a = pairs.a_terms[i], of_b = pairs.b_terms[i];
    const bool a_is_less = of_b == 0.0 ? of_a == 0.0 : pairs.a[i] * of_b <= pairs.b[i] * of_a;  // no terms: 0 for all x
    sides[at(i)] = a_is_less ? Side::G : Side::H;
  }
  return sides;
}

std::vector<Index> biactive_pairs(const Pairs& pairs) {
  std::vector<Index> beta;
  for (Index i = 0; i < pairs.a.size(); ++i) {
    if (std::abs(pairs.a[i]) <= zero_side * pairs.a_terms[i] && std::abs(pairs.b[i]) <= zero_side * pairs.b_terms[i])
      beta.push_back(i);
  }
  return beta;
}

qp::Problem program_of(const Problem& problem, const Sides& sides) { return on_sides<qp::Problem>(problem, sides); }
qp::SparseProblem program_of(const SparseProblem& problem, const Sides& sides) {
  return on_sides<qp::SparseProblem>(problem, sides);
}

bool make_convex(qp::Problem& program) {
  if (qp::detail::is_convex(program)) return true;
  const Equations equations = equations_of(program);
  if (equations.rows.empty()) return false;
  const Index n = program.num_unknowns();
  const double size = program.Q.cwiseAbs().maxCoeff();
  const double rounding = 64.0 * static_cast<double>(n) * std::numeric_limits<double>::epsilon();
  CompleteOrthogonalFactors factors;
  factors.compute(equations.N);
  const Eigen::MatrixXd Z = factors.kernel();  // P = Z Z^T
  const Index free = Z.cols();
  // Q := B B^T, whose minors are not negative whatever is rounded.
  Eigen::MatrixXd B(n, free + n);
  if (free > 0) {
    const Eigen::MatrixXd inner = Z.transpose() * program.Q * Z;
    const SymmetricEigen eigen = symmetric_eigen(0.5 * (inner + inner.transpose()));
    if (!eigen.converged || eigen.values[0] < -rounding * size) return false;
    const Eigen::VectorXd values = (eigen.values.array() > rounding * size).select(eigen.values, 0.0);
    B.leftCols(free) = Z * eigen.V * values.cwiseSqrt().asDiagonal();
  }
  B.rightCols(n) = -std::sqrt(size) * Z * Z.transpose();
  B.rightCols(n).diagonal().array() += std::sqrt(size);
  B = (B.array().abs() > rounding * std::sqrt(size)).select(B, 0.0);
  const Eigen::VectorXd x0 = factors.solve(equations.n);
  const Eigen::VectorXd slope = program.c + program.Q * x0;
  program.c = Z * (Z.transpose() * slope) - size * x0;
  const Eigen::MatrixXd Q = B * B.transpose();
  program.Q = 0.5 * (Q + Q.transpose());
  return true;
}

std::optional<qp::Result> solve_on_equations(qp::Problem program, const qp::Automatic& options) {
  if (qp::detail::is_convex(program)) return qp::solve(program, options);
  const Eigen::MatrixXd Q = program.Q;
  const Eigen::VectorXd c = program.c;
  if (!make_convex(program)) return std::nullopt;
  qp::Result result = qp::solve(program, options);
  if (result.status == Status::Infeasible) return result;
  const Equations equations = equations_of(program);
  CompleteOrthogonalFactors factors;
  factors.compute(equations.N.transpose());
  const Eigen::VectorXd x = result.x;
  const Eigen::VectorXd multipliers = factors.solve(Eigen::VectorXd((Q - program.Q) * x + c - program.c));
  for (std::size_t i = 0; i < equations.rows.size(); ++i) {
    const Index row = equations.rows[i];
    result.y[row] += multipliers[static_cast<Index>(i)] / program.A.row(row).norm();
  }
  return result;
}

double gain(const Problem& problem, ConstVectorRef now, ConstVectorRef other) {
  const auto value = [&](ConstVectorRef x) { return 0.5 * x.dot(problem.Q * x) + problem.c.dot(x); };
  const Eigen::MatrixXd Q = problem.Q.cwiseAbs();
  const auto terms = [&](ConstVectorRef x) {
    const Vector sizes = x.cwiseAbs();
    return 0.5 * sizes.dot(Q * sizes) + problem.c.cwiseAbs().dot(sizes);
  };
  const double whole = std::max(terms(now), terms(other));
  // Each x_j is known to rounding of what it could be: what that much of it changes the value by is no gain.
  const Vector off = 64.0 * eps * sizes_at(problem, now).cwiseMax(sizes_at(problem, other));
  const Vector slope = problem.c.cwiseAbs() + Q * now.cwiseAbs().cwiseMax(other.cwiseAbs());
  const double rounding = 64.0 * eps * whole + slope.dot(off) + 0.5 * off.dot(Q * off);
  const double difference = value(now) - value(other);
  if (std::abs(difference) <= rounding) return 0.0;
  return (difference > 0.0 ? difference - rounding : difference + rounding) / whole;
}

bool Search::go_on() {
  if (deadline.passed() || result.iterations >= most_programs) {
    const bool late = deadline.passed();
    result.status = late ? Status::TimeLimit : Status::IterationLimit;
    result.reason = late ? "time_limit reached" : "the limit of quadratic programs is reached";
    return false;
  }
  ++result.iterations;
  return true;
}

std::optional<qp::Result> Search::solve(qp::Problem program) {
  if (!go_on()) return std::nullopt;
  return solve_on_equations(std::move(program), qp::Automatic{.tolerance = std::min(tolerance, most_gain_left),
                                                              .time_limit = deadline.remaining()});
}

std::optional<qp::Result> Search::solve(const Sides& sides) { return solve(program_of(problem, sides)); }

void Search::keep(const qp::Result& answer) {
  const Index m = problem.num_rows(), k = problem.num_pairs();
  result.x = answer.x;
  result.y = answer.y.head(m);
  result.u = answer.y.segment(m, k);
  result.v = answer.y.tail(k);
  result.s.resize(problem.num_unknowns());
  Look look;
  result.certificate = certify(problem, result.x, result.y, result.u, result.v, result.s, &look);
  result.figures = look.figures;
  result.biactive = look.biactive;
  result.stationarity = look.stationarity;
}

bool Search::end_unbounded(const Sides& sides, const qp::Result& answer) {
  qp::Problem inside = program_of(problem, sides);
  inside.Q.setIdentity();
  inside.c.setZero();
  const std::optional<qp::Result> point = solve(std::move(inside));
  if (!point || !point->ok()) return false;
  if (!proves_unbounded(problem, point->x, answer.direction)) return false;
  keep(*point);
  if (!(result.certificate.residual <= tolerance)) result.stationarity = Stationarity::None;
  nonsmooth::detail::end_infeasible("the value falls without bound along `direction`", Eigen::VectorXd(), result);
  result.direction = answer.direction;
  return true;
}

bool Search::descend(Sides sides) {
  std::optional<qp::Result> now = solve(sides);
  if (!now) return false;
  if (now->unbounded()) return end_unbounded(sides, *now);
  if (now->status == Status::Infeasible || !(now->figures.primal <= feasible)) return false;
  const double least = std::min(10.0 * tolerance, most_gain_left);  // of the terms of the value, that counts as a gain
  for (;;) {
    keep(*now);
    if (result.stationarity == Stationarity::Strong || result.stationarity == Stationarity::None) return true;
    const std::vector<Index> beta = result.biactive;
    const Sides forced = smaller_sides(pairs_at(problem, result.x));
    std::vector<Sides> others;
    Sides all = forced;
    for (const Index i : beta) {
      const bool past_G = result.u[i] < 0.0, past_H = result.v[i] < 0.0;
      if (!past_G && !past_H) continue;
      Sides one = forced;
      one[at(i)] = all[at(i)] = past_G ? Side::H : Side::G;
      others.push_back(std::move(one));
    }
    others.insert(others.begin(), all);
    const bool enumerate = Index(beta.size()) <= most_biactive;
    for (unsigned bits = 0; enumerate && bits < (1U << beta.size()); ++bits)
      others.push_back(combined(forced, beta, bits));
    bool better = false, sure = enumerate;
    for (const Sides& other : others) {
      std::optional<qp::Result> next = solve(other);
      if (result.status != Status::NotRun) return true;
      if (!next) {
        sure = false;
        continue;
      }
      if (next->unbounded() && end_unbounded(other, *next)) return true;
      if (next->status == Status::Infeasible && !next->unbounded()) continue;
      if (!next->ok()) {
        sure = false;
        continue;
      }
      if (!(gain(problem, result.x, next->x) > least)) continue;
      now = std::move(next);
      better = true;
      break;
    }
    if (better) continue;
    if (sure) result.stationarity = Stationarity::Bouligand;
    return true;
  }
}

void Search::conclude() {
  if (result.status == Status::Infeasible) {
    if (!(result.certificate.residual <= tolerance)) result.stationarity = Stationarity::None;
    return;
  }
  const bool met = result.certificate.residual <= tolerance, strong = result.stationarity >= Stationarity::Clarke;
  if (met && strong) {
    result.status = Status::Solved;
    if (result.reason.empty()) result.reason = "the tolerance is met";
    return;
  }
  if (result.status == Status::NotRun) result.status = Status::Stalled;
  if (strong) nonsmooth::detail::note_round_off(false, result);
  if (result.reason.empty())
    result.reason = met ? "multipliers of both signs on pairs with both sides 0, more than are enumerated"
                        : "no piece was found on which the program is convex and has a point";
  if (!met && !result.at_round_off) result.stationarity = Stationarity::None;
}

}  // namespace nonsmooth::mpcc::detail
