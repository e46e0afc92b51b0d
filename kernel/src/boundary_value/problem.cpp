// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include <internal/at.hpp>
#include <internal/check.hpp>
#include <internal/decompositions.hpp>

#include "discrete_problem.hpp"

namespace nonsmooth::boundary_value {
namespace {

void check_matrix(std::string_view name, const Eigen::MatrixXd& matrix, Index rows, Index columns) {
  check::shape(name, matrix.rows(), matrix.cols(), rows, columns);
  check::finite(name, ConstMatrixRef(matrix));
}

void check_bounds(const Problem& problem) {
  const Index m = problem.num_multipliers();
  if (problem.lower.size() > 0)
    check::size("boundary_value::Problem::lower", problem.lower.size(), m, "one a column of B, or none");
  if (problem.upper.size() > 0)
    check::size("boundary_value::Problem::upper", problem.upper.size(), m, "one a column of B, or none");
  for (Index i = 0; i < m; ++i) {
    const double low = detail::lower_of(problem, i), high = detail::upper_of(problem, i);
    if (low <= high && low < detail::infinity && high > -detail::infinity) continue;
    throw InvalidArgument("boundary_value::Problem::lower",
                          check::text(low) + " in entry " + std::to_string(i) + " beside upper " + check::text(high),
                          "lower <= upper, lower below infinity, upper above -infinity");
  }
}

void check_acts(const Problem& problem) {
  const Index m = problem.num_multipliers();
  if (!problem.acts.empty())
    check::size("boundary_value::Problem::acts", static_cast<Index>(problem.acts.size()), m,
                "one a column of B, or none");
  for (Index i = 0; i < m; ++i) {
    if (detail::acts_of(problem, i) == Acts::Interval || problem.D.size() == 0) continue;
    if (problem.D.row(i).isZero(0.0) && problem.D.col(i).isZero(0.0)) continue;
    throw InvalidArgument("boundary_value::Problem::acts",
                          "Instants in row " + std::to_string(i) + ", where D has entries",
                          "Interval: what D multiplies is no measure");
  }
}

void check_rows_without_atoms(const std::string& name, const std::vector<Index>& rows, Index m) {
  for (const Index i : rows) check::within("boundary_value::Problem::" + name, i, 0, m - 1);
}

/// Of (M N), each row by its largest entry.
void check_boundary(const Problem& problem) {
  const Index n = problem.num_states();
  Eigen::MatrixXd both(n, 2 * n);
  both << problem.M, problem.N;
  for (Index i = 0; i < n; ++i) {
    const double largest = both.row(i).lpNorm<Eigen::Infinity>();
    if (largest > 0.0) both.row(i) /= largest;
  }
  const Index rank = singular_values(both, false, 1e-13).rank;
  if (rank < n) {
    throw InvalidArgument("boundary_value::Problem::M, N",
                          "rows of (M N) of rank " + std::to_string(rank) + ": conditions that repeat or contradict",
                          "rank " + std::to_string(n) + ", a condition a state");
  }
}

}  // namespace

void Problem::validate() const {
  const Index n = num_states(), m = num_multipliers();
  check::at_least("boundary_value::Problem::b: size", n, 1);
  check::finite("boundary_value::Problem::b", ConstVectorRef(b));
  if (f) {
    if (A.size() > 0 || a)
      throw InvalidArgument("boundary_value::Problem::A, a", "A or a beside f", "either f or A and a");
  } else {
    check_matrix("boundary_value::Problem::A", A, n, n);
  }
  check_matrix("boundary_value::Problem::M", M, n, n);
  check_matrix("boundary_value::Problem::N", N, n, n);
  if (m > 0 || C.size() > 0) {
    check_matrix("boundary_value::Problem::B", B, n, m);
    check_matrix("boundary_value::Problem::C", C, m, n);
  }
  if (D.size() > 0) check_matrix("boundary_value::Problem::D", D, m, m);
  check::positive("boundary_value::Problem::T", T);
  check_bounds(*this);
  check_acts(*this);
  check_rows_without_atoms("no_atom_at_start", no_atom_at_start, m);
  check_rows_without_atoms("no_atom_at_end", no_atom_at_end, m);
  check_boundary(*this);
}

void Options::validate() const {
  check::within("boundary_value::Options::steps", steps, 1, Index{1} << 26);
  check::range("boundary_value::Options::theta", theta, 0.0, 1.0);
  check::finite("boundary_value::Options::psi", psi);
  limits.validate();
}

Acts detail::acts_of(const Problem& problem, Index i) {
  if (!problem.acts.empty()) return problem.acts[at(i)];
  const bool through = problem.D.size() > 0 && !(problem.D.row(i).isZero(0.0) && problem.D.col(i).isZero(0.0));
  return through ? Acts::Interval : Acts::Instants;
}

double detail::lower_of(const Problem& problem, Index i) { return problem.lower.size() > 0 ? problem.lower[i] : 0.0; }
double detail::upper_of(const Problem& problem, Index i) {
  return problem.upper.size() > 0 ? problem.upper[i] : detail::infinity;
}

Scheme detail::scheme_of(const Problem& problem, const Options& options) {
  if (options.scheme == Scheme::Exact && problem.f)
    throw InvalidArgument("boundary_value::Options::scheme", "Exact beside f",
                          "Theta or Automatic for nonlinear problems");
  if (options.scheme == Scheme::Automatic) return problem.f ? Scheme::Theta : Scheme::Exact;
  return options.scheme;
}

Eigen::VectorXd detail::mesh_of(const Problem& problem, const Options& options) {
  if (options.instants.size() == 0) {
    Eigen::VectorXd t(options.steps + 1);
    for (Index k = 0; k <= options.steps; ++k)
      t[k] = problem.T * static_cast<double>(k) / static_cast<double>(options.steps);
    return t;
  }
  const Eigen::VectorXd& t = options.instants;
  check::finite("boundary_value::Options::instants", ConstVectorRef(t));
  bool rises = t.size() >= 2 && t[0] == 0.0 && t[t.size() - 1] == problem.T;
  for (Index k = 1; rises && k < t.size(); ++k) rises = t[k] > t[k - 1];
  if (!rises)
    throw InvalidArgument("boundary_value::Options::instants",
                          std::to_string(t.size()) + " that do not rise from 0 to T",
                          "0 = t_0 < t_1 < ... < t_N = T = " + check::text(problem.T));
  return t;
}

Problem first_order(MechanicalProblem problem) {
  const std::string name = "boundary_value::MechanicalProblem::";
  const Index n = problem.M.rows(), m = problem.H.rows();
  check::at_least(name + "M: rows", n, 1);
  check_matrix(name + "M", problem.M, n, n);
  if (!problem.M.isApprox(problem.M.transpose(), 1e-12) || !is_positive_definite(problem.M))
    throw InvalidArgument(name + "M", "a matrix that is not symmetric and positive definite", "a mass matrix");
  if (problem.G.size() > 0) check_matrix(name + "G", problem.G, n, n);
  if (problem.K.size() > 0) check_matrix(name + "K", problem.K, n, n);
  if (m > 0) check_matrix(name + "H", problem.H, m, n);
  check::size(name + "q_start", problem.q_start.size(), n, "one a row of M");
  check::size(name + "q_end", problem.q_end.size(), n, "one a row of M");
  if (problem.force && (problem.F || problem.G.size() > 0 || problem.K.size() > 0))
    throw InvalidArgument(name + "force", "beside F, G or K", "either force(t, q, v) or F(t), G and K");
  const Eigen::MatrixXd inverse = CholeskyFactors(problem.M).inverse();
  Problem of;
  if (problem.force) {
    of.f = [n, inverse, force = std::move(problem.force)](double t, ConstVectorRef x, VectorRef value) {
      Eigen::VectorXd sum = Eigen::VectorXd::Zero(n);
      force(t, x.head(n), x.tail(n), sum);
      value << x.tail(n), inverse * sum;
    };
  } else {
    of.A.setZero(2 * n, 2 * n);
    of.A.topRightCorner(n, n).setIdentity();
    if (problem.K.size() > 0) of.A.bottomLeftCorner(n, n) = -inverse * problem.K;
    if (problem.G.size() > 0) of.A.bottomRightCorner(n, n) = -inverse * problem.G;
    if (problem.F) {
      of.a = [n, inverse, F = std::move(problem.F)](double t, VectorRef value) {
        Eigen::VectorXd sum = Eigen::VectorXd::Zero(n);
        F(t, sum);
        value.tail(n) = inverse * sum;
      };
    }
  }
  if (m > 0) {
    of.B.setZero(2 * n, m);
    of.B.bottomRows(n) = inverse * problem.H.transpose();
    of.C.setZero(m, 2 * n);
    of.C.leftCols(n) = problem.H;
    of.c = std::move(problem.c);
  }
  of.M.setZero(2 * n, 2 * n);
  of.N.setZero(2 * n, 2 * n);
  of.M.topLeftCorner(n, n).setIdentity();
  of.N.bottomLeftCorner(n, n).setIdentity();
  of.b.resize(2 * n);
  of.b << problem.q_start, problem.q_end;
  of.T = problem.T;
  of.atoms_at_end = false;
  return of;
}

}  // namespace nonsmooth::boundary_value
