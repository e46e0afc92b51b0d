// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/optimal_control.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <internal/at.hpp>
#include <internal/check.hpp>
#include <internal/decompositions.hpp>
#include <nonsmooth/numerics/lcp.hpp>

#include "control_data.hpp"
#include "discrete_problem.hpp"

namespace nonsmooth::optimal_control {
namespace {

void check_block(const std::string& name, const Eigen::MatrixXd& matrix, Index rows, Index columns) {
  check::shape("optimal_control::Problem::" + name, matrix.rows(), matrix.cols(), rows, columns);
  check::finite("optimal_control::Problem::" + name, ConstMatrixRef(matrix));
}

/// Symmetric, and with least eigenvalue above 0, or for `semi` above minus rounding.
void check_definite(const std::string& name, const Eigen::MatrixXd& matrix, bool semi) {
  const double size = matrix.cwiseAbs().maxCoeff();
  if ((matrix - matrix.transpose()).cwiseAbs().maxCoeff() > 1e-12 * size)
    throw InvalidArgument("optimal_control::Problem::" + name, "a matrix that is not symmetric", "a symmetric one");
  const double least = symmetric_eigen(matrix).values[0];
  if (semi ? least >= -1e-12 * size : least > 1e-14 * size) return;
  throw InvalidArgument("optimal_control::Problem::" + name, "the eigenvalue " + check::text(least),
                        semi ? "a positive semidefinite matrix" : "a positive definite matrix");
}

/// 1/2 of the quadratic form.
double half(const Eigen::MatrixXd& matrix, const Eigen::VectorXd& x) {
  return matrix.size() > 0 ? 0.5 * x.dot(matrix * x) : 0.0;
}

/// u at each instant: of 1/2 u^T R u - u^T B^T eta the least with E u + e >= 0, whose multipliers solve a small linear
/// complementarity problem where the u without them breaks a row. nu of an interval holds the mean of its ends alone.
Eigen::MatrixXd control_of(const Problem& problem, const Eigen::VectorXd& t, const Eigen::MatrixXd& eta,
                           const Eigen::MatrixXd& feedback, const Eigen::MatrixXd& of_nu) {
  Eigen::MatrixXd u = feedback * eta;
  if (problem.E.rows() == 0) return u;
  lcp::Problem at_instant{.M = problem.E * of_nu, .q = {}};
  for (Index k = 0; k < u.cols(); ++k) {
    at_instant.q = problem.E * u.col(k) + detail::e_at(problem, t[k]);
    if (!at_instant.q.allFinite() || at_instant.q.minCoeff() >= 0.0) continue;
    const lcp::Result nu = lcp::solve(at_instant);
    if (nu.ok()) u.col(k) += of_nu * nu.z;
  }
  return u;
}

/// Whether u breaks a row of E at an end of an interval, where nu holds its mean alone, by more than a tenth of the
/// size that the row has. So it does on coarse meshes, and where the bounds are too tight for the conditions at the
/// ends.
bool breaks_rows(const Problem& problem, const Solution& solution, const Eigen::MatrixXd& before,
                 const Eigen::MatrixXd& feedback, const Eigen::MatrixXd& of_nu) {
  const Index N = solution.t.size() - 1;
  Eigen::VectorXd size = Eigen::VectorXd::Zero(problem.E.rows()), below = size;
  for (Index k = 0; k <= N; ++k) {
    const Eigen::VectorXd e = detail::e_at(problem, solution.t[k]);
    size = size.cwiseMax(e.cwiseAbs()).cwiseMax((problem.E * solution.u.col(k)).cwiseAbs());
    const auto look = [&](ConstVectorRef eta, Index interval) {
      below = below.cwiseMax(-e - problem.E * (feedback * eta + of_nu * solution.nu.col(interval)));
    };
    if (k > 0) look(before.col(k), k);
    if (k < N) look(solution.eta.col(k), k + 1);
  }
  return (below.array() > 0.1 * size.array()).any();
}

/// The cost by Simpson's rule on the flow of (x, eta) between instants.
double cost_of(const Problem& problem, const boundary_value::Problem& conditions, const boundary_value::Solution& found,
               const Eigen::MatrixXd& feedback, const Eigen::MatrixXd& of_nu) {
  const Index n = problem.A.rows(), me = problem.E.rows(), N = found.t.size() - 1;
  double cost = half(problem.F, found.x.col(N).head(n));
  boundary_value::detail::FlowCache to_middle(conditions.A, 0.5 * problem.T);
  const auto density = [&](const Eigen::VectorXd& z, const Eigen::VectorXd& nu) {
    return half(problem.Q, z.head(n)) + half(problem.R, feedback * z.tail(n) + of_nu * nu);
  };
  for (Index k = 1; k <= N; ++k) {
    const double length = found.t[k] - found.t[k - 1];
    to_middle.set(0.5 * length);
    const Eigen::VectorXd nu = found.u.col(k).head(me), input = conditions.B.leftCols(me) * nu,
                          begin = found.x.col(k - 1),
                          end = found.x.col(k) -
                                conditions.B.rightCols(problem.C.rows()) * found.u.col(k).tail(problem.C.rows());
    const boundary_value::detail::Drift drift(conditions.a, found.t[k - 1], length, 2 * n);
    const Eigen::VectorXd middle = to_middle.flow().Phi * begin + to_middle.flow().Phi_0 * (input + drift.a_0) +
                                   to_middle.flow().Phi_1 * drift.a_1;
    cost += length / 6.0 * (density(begin, nu) + 4.0 * density(middle, nu) + density(end, nu));
  }
  return cost;
}

}  // namespace

void Problem::validate() const {
  const Index n = A.rows(), k = B.cols(), p = b.size();
  check::at_least("optimal_control::Problem::A: rows", n, 1);
  check::at_least("optimal_control::Problem::B: columns", k, 1);
  check_block("A", A, n, n);
  check_block("B", B, n, k);
  check_block("R", R, k, k);
  check_definite("R", R, false);
  if (Q.size() > 0) check_block("Q", Q, n, n), check_definite("Q", Q, true);
  if (F.size() > 0) check_block("F", F, n, n), check_definite("F", F, true);
  if (C.size() > 0 || d.size() > 0) check_block("C", C, d.size(), n);
  if (E.size() > 0 || e.size() > 0) check_block("E", E, e.size(), k);
  if (d_of_time && C.size() == 0)
    throw InvalidArgument("optimal_control::Problem::d_of_time", "beside no rows of C", "rows of C that it belongs to");
  if (e_of_time && E.size() == 0)
    throw InvalidArgument("optimal_control::Problem::e_of_time", "beside no rows of E", "rows of E that it belongs to");
  check::finite("optimal_control::Problem::d", ConstVectorRef(d));
  check::finite("optimal_control::Problem::e", ConstVectorRef(e));
  check_block("M", M, p, n);
  check_block("N", N, p, n);
  check::finite("optimal_control::Problem::b", ConstVectorRef(b));
  check::positive("optimal_control::Problem::T", T);
  Eigen::MatrixXd both(p, 2 * n);
  both << M, N;
  const Index rank = p > 0 ? singular_values(both, false, 1e-13).rank : 0;
  if (rank < p) {
    throw InvalidArgument("optimal_control::Problem::M, N", "rows of (M N) of rank " + std::to_string(rank),
                          "independent conditions, rank " + std::to_string(p));
  }
}

detail::Ends detail::ends_of(const Problem& problem) {
  const Index n = problem.A.rows();
  Eigen::MatrixXd Z = Eigen::MatrixXd::Identity(2 * n, 2 * n);
  Eigen::VectorXd some = Eigen::VectorXd::Zero(2 * n);  // ends that meet the conditions
  if (problem.b.size() > 0) {
    Eigen::MatrixXd both(problem.b.size(), 2 * n);
    both << problem.M, problem.N;
    CompleteOrthogonalFactors factors;
    factors.set_threshold(1e-13);
    factors.compute(both);
    Z = factors.rank() < 2 * n ? factors.kernel() : Eigen::MatrixXd(2 * n, 0);
    some = factors.solve(problem.b);
  }
  Ends ends{.Z_0 = Z.topRows(n), .Z_T = Z.bottomRows(n)};
  const Eigen::MatrixXd at_start = problem.C * ends.Z_0, at_end = problem.C * ends.Z_T;
  const Eigen::VectorXd d_0 = d_at(problem, 0.0), d_T = d_at(problem, problem.T);
  for (Index i = 0; i < problem.C.rows(); ++i) {
    const auto moves = [&](const Eigen::RowVectorXd& row) { return row.norm() > 1e-12 * problem.C.row(i).norm(); };
    // Where w_i(T) - w_i(0) is a number, 0 of a periodic motion, the atom of the end where w_i is less serves both.
    const bool tied = !moves(at_start.row(i) - at_end.row(i));
    const double rise = problem.C.row(i).dot(some.tail(n) - some.head(n)) + d_T[i] - d_0[i],
                 rounding = 1e-12 * (problem.C.row(i).norm() * some.norm() + std::abs(d_0[i]) + std::abs(d_T[i]));
    const bool start_serves = tied && rise > rounding;
    if (!moves(at_start.row(i)) || (tied && !start_serves)) ends.no_atom_at_start.push_back(i);
    if (!moves(at_end.row(i)) || start_serves) ends.no_atom_at_end.push_back(i);
  }
  return ends;
}

Eigen::VectorXd detail::d_at(const Problem& problem, double t) {
  Eigen::VectorXd d = problem.d;
  if (problem.d_of_time) problem.d_of_time(t, d);
  return d;
}

Eigen::VectorXd detail::e_at(const Problem& problem, double t) {
  Eigen::VectorXd e = problem.e;
  if (problem.e_of_time) problem.e_of_time(t, e);
  return e;
}

bool detail::all_finite(const Problem& problem, const Eigen::VectorXd& t, Solution& solution) {
  const auto tell = [&](const char* name, double time) {
    solution.status = Status::NumericalFailure;
    solution.reason = "a callable of the problem gave no finite number";
    solution.not_finite =
        std::string("optimal_control::Problem::") + name + " is not finite at or near t = " + check::text(time);
    return false;
  };
  for (Index k = 0; k < t.size(); ++k) {
    if (problem.d_of_time && !d_at(problem, t[k]).allFinite()) return tell("d_of_time", t[k]);
    if (problem.e_of_time && !e_at(problem, t[k]).allFinite()) return tell("e_of_time", t[k]);
    if (k == 0) continue;
    const double h = t[k] - t[k - 1], middle = t[k - 1] + 0.5 * h;
    if (problem.e_of_time && !e_at(problem, middle).allFinite()) return tell("e_of_time", middle);
    const boundary_value::detail::Drift drift(problem.a, t[k - 1], h, problem.A.rows());
    if (!drift.a_0.allFinite() || !drift.a_1.allFinite()) return tell("a", middle);
  }
  return true;
}

boundary_value::Problem necessary_conditions(const Problem& problem) {
  problem.validate();
  const Index n = problem.A.rows(), p = problem.b.size(), mc = problem.C.rows(), me = problem.E.rows(), m = me + mc;
  const Eigen::MatrixXd inverse = CholeskyFactors(problem.R).inverse(), B_R = problem.B * inverse;
  const detail::Ends ends = detail::ends_of(problem);
  boundary_value::Problem of;
  of.A.setZero(2 * n, 2 * n);
  of.A.topLeftCorner(n, n) = problem.A;
  of.A.topRightCorner(n, n) = B_R * problem.B.transpose();
  if (problem.Q.size() > 0) of.A.bottomLeftCorner(n, n) = problem.Q;
  of.A.bottomRightCorner(n, n) = -problem.A.transpose();
  of.B.setZero(2 * n, m);
  of.C.setZero(m, 2 * n);
  of.D.setZero(m, m);
  if (me > 0) {
    of.B.topLeftCorner(n, me) = B_R * problem.E.transpose();
    of.C.topRightCorner(me, n) = problem.E * B_R.transpose();
    of.D.topLeftCorner(me, me) = problem.E * inverse * problem.E.transpose();
  }
  if (mc > 0) {
    of.B.bottomRightCorner(n, mc) = -problem.C.transpose();
    of.C.bottomLeftCorner(mc, n) = problem.C;
  }
  if (m > 0) {
    of.c = [me, mc, e = problem.e, d = problem.d, e_of_time = problem.e_of_time, d_of_time = problem.d_of_time](
               double t, VectorRef value) {
      value << e, d;
      if (e_of_time) e_of_time(t, value.head(me));
      if (d_of_time) d_of_time(t, value.tail(mc));
    };
  }
  if (problem.a) of.a = [n, a = problem.a](double t, VectorRef value) { a(t, value.head(n)); };
  of.acts.assign(at(me), boundary_value::Acts::Interval);
  of.acts.resize(at(m), boundary_value::Acts::Instants);
  of.M.setZero(2 * n, 2 * n);
  of.N.setZero(2 * n, 2 * n);
  of.b.setZero(2 * n);
  of.M.topLeftCorner(p, n) = problem.M;
  of.N.topLeftCorner(p, n) = problem.N;
  of.b.head(p) = problem.b;
  of.M.bottomRightCorner(2 * n - p, n) = -ends.Z_0.transpose();
  of.N.bottomRightCorner(2 * n - p, n) = ends.Z_T.transpose();
  if (problem.F.size() > 0) of.N.bottomLeftCorner(2 * n - p, n) = ends.Z_T.transpose() * problem.F;
  of.T = problem.T;
  of.atoms_at_start = of.atoms_at_end = true;
  for (const Index i : ends.no_atom_at_start) of.no_atom_at_start.push_back(me + i);
  for (const Index i : ends.no_atom_at_end) of.no_atom_at_end.push_back(me + i);
  return of;
}

Solution solve_by_conditions(const Problem& problem, const boundary_value::Options& options,
                             boundary_value::Solution* boundary) {
  const boundary_value::Problem conditions = necessary_conditions(problem);
  options.validate();
  Solution solution;
  if (!detail::all_finite(problem, boundary_value::detail::mesh_of(conditions, options), solution)) return solution;
  boundary_value::Solution found = boundary_value::solve(conditions, options);
  const Index n = problem.A.rows(), mc = problem.C.rows(), me = problem.E.rows();
  const Eigen::MatrixXd inverse = CholeskyFactors(problem.R).inverse(), feedback = inverse * problem.B.transpose();
  const Eigen::MatrixXd of_nu =
      me > 0 ? Eigen::MatrixXd(inverse * problem.E.transpose()) : Eigen::MatrixXd(feedback.rows(), 0);
  static_cast<Outcome&>(solution) = found;
  solution.not_finite = found.not_finite;
  if (found.t.size() > 0) {
    solution.t = found.t;
    solution.x = found.x.topRows(n);
    solution.eta = found.x.bottomRows(n);
    solution.nu = found.u.topRows(me);
    solution.lambda = found.u.bottomRows(mc);
    Eigen::MatrixXd before = solution.eta;
    if (mc > 0)
      before.rightCols(before.cols() - 1) += problem.C.transpose() * solution.lambda.rightCols(before.cols() - 1);
    solution.u = control_of(problem, solution.t, before, feedback, of_nu);
    if (found.status != Status::Infeasible) solution.cost = cost_of(problem, conditions, found, feedback, of_nu);
    const bool open = found.status == Status::Stalled || found.status == Status::NumericalFailure;
    if (me > 0 && (open || (found.ok() && breaks_rows(problem, solution, before, feedback, of_nu)))) {
      const Solution program = solve_by_program(problem, options);
      if (program.status == Status::Infeasible) {
        static_cast<Outcome&>(solution) = program;
        if (!open)
          solution.reason = "rows of E are held in the mean of intervals alone, and no u constant over each holds them";
        solution.cost = std::numeric_limits<double>::quiet_NaN();
      }
    }
  }
  if (boundary != nullptr) *boundary = std::move(found);
  return solution;
}

std::vector<Arc> arcs(const Problem& problem, const Solution& solution, double tolerance) {
  check::positive("optimal_control::arcs: tolerance", tolerance);
  std::vector<Arc> found;
  const Index columns = solution.t.size(), mc = problem.C.rows();
  check::shape("optimal_control::arcs: solution.x", solution.x.rows(), solution.x.cols(), problem.A.rows(), columns);
  check::shape("optimal_control::arcs: solution.nu", solution.nu.rows(), solution.nu.cols(), problem.E.rows(), columns);
  const auto run = [&](Index row, Index first, auto&& held) {
    for (Index k = first; k < columns; ++k) {
      if (!held(k)) continue;
      Index last = k;
      while (last + 1 < columns && held(last + 1)) ++last;
      if (last > k) found.push_back({row, solution.t[k - first], solution.t[last]});
      k = last;
    }
  };
  for (Index i = 0; i < mc; ++i) {
    run(i, 0, [&](Index k) {
      const double d = detail::d_at(problem, solution.t[k])[i];
      return problem.C.row(i).dot(solution.x.col(k)) + d <= tolerance * (1.0 + std::abs(d));
    });
  }
  for (Index i = 0; i < problem.E.rows(); ++i) run(mc + i, 1, [&](Index k) { return solution.nu(i, k) > tolerance; });
  return found;
}

std::vector<Atom> atoms(const Solution& solution, double least) {
  check::positive("optimal_control::atoms: least", least);
  std::vector<Atom> found;
  const Index columns = solution.lambda.cols();
  for (Index i = 0; i < solution.lambda.rows(); ++i) {
    const auto window = [&](Index centre) {
      double sum = 0.0;
      for (Index k = std::max(Index{0}, centre - 1); k <= std::min(columns - 1, centre + 1); ++k)
        sum += std::max(0.0, solution.lambda(i, k));
      return sum;
    };
    for (Index k = 0; k < columns; ++k) {
      const double mass = window(k);
      if (!(mass > least) || !(mass > 4.0 * std::max(window(k - 3), window(k + 3)))) continue;
      // The centre of its mass: neither the window before nor that behind holds as much.
      if (window(k - 1) > mass || window(k + 1) > mass || (k > 0 && window(k - 1) == mass)) continue;
      double moment = 0.0;
      for (Index j = std::max(Index{0}, k - 1); j <= std::min(columns - 1, k + 1); ++j)
        moment += std::max(0.0, solution.lambda(i, j)) * solution.t[j];
      found.push_back({i, moment / mass, mass});
    }
  }
  return found;
}

}  // namespace nonsmooth::optimal_control
