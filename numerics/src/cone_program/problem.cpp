// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/cone_program/problem.hpp>

#include <cmath>
#include <string>

#include <internal/at.hpp>
#include <internal/check.hpp>
#include <internal/round_off.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "cones.hpp"
#include "extended_sums.hpp"
#include "message.hpp"
#include "sparse_entries.hpp"

namespace nonsmooth::cone_program {
namespace {

using detail::add_transposed, detail::distance, detail::product, detail::Sum, detail::Wide;
using Sparse = Eigen::SparseMatrix<double>;
using Iterator = Sparse::InnerIterator;

void check_matrix(const std::string& name, const Sparse& matrix, Index rows, Index columns) {
  if (rows > 0 || matrix.rows() > 0) check::shape(name, matrix.rows(), matrix.cols(), rows, columns);
  nonsmooth::detail::check_finite(name, matrix);
}

/// What a proof may leave of its terms: rounding where rows alone push, 1e-9 where second-order cones do.
double allowed(double tolerance, bool cones_push) {
  if (tolerance >= 0.0) return tolerance;
  return cones_push ? 1e-9 : 64.0 * eps;
}

/// A proof of infeasibility is to exclude x so many times as large as its own terms suggest; a direction of descent is
/// to fall by so many times what taking away its errors may cost.
constexpr double kFarFromFeasible = 10.0;

/// The largest |c_j| / |a_ij| of each row.
std::vector<double> steepest(const Sparse& matrix, const Eigen::VectorXd& c) {
  std::vector<double> ratio(at(matrix.rows()), 0.0);
  for (Index j = 0; j < matrix.outerSize(); ++j) {
    for (Iterator it(matrix, j); it; ++it) {
      if (it.value() != 0.0) ratio[at(it.row())] = std::max(ratio[at(it.row())], std::abs(c[j] / it.value()));
    }
  }
  return ratio;
}

bool vanish(const std::vector<Sum>& sums, double tolerance) {
  for (const Sum& sum : sums) {
    if (!(std::abs(sum.value) <= tolerance * sum.terms)) return false;
  }
  return true;
}

}  // namespace

void Problem::validate() const {
  const Index n = num_unknowns();
  if (n < 1) throw InvalidArgument("cone_program::Problem::c", "no entries", "at least one");
  check_matrix("cone_program::Problem::A", A, num_equations(), n);
  check_matrix("cone_program::Problem::G", G, num_rows(), n);
  check::finite("cone_program::Problem::c", ConstVectorRef(c));
  check::finite("cone_program::Problem::b", ConstVectorRef(b));
  check::finite("cone_program::Problem::h", ConstVectorRef(h));
  check::at_least("cone_program::Problem::orthant", orthant, 0);
  Index rows = orthant;
  for (const Index size : cones) {
    check::at_least("cone_program::Problem::cones", size, 1);
    rows += size;
  }
  if (rows != num_rows()) {
    throw InvalidArgument("cone_program::Problem::cones", std::to_string(rows) + " rows with the orthant's",
                          std::to_string(num_rows()) + ", the rows of G");
  }
}

std::string Result::message() const {
  return nonsmooth::detail::message(
      *this, {.stalled = "bring the units of the rows closer together, or take "
                         "a larger tolerance",
              .infeasible = direction.size() > 0 ? "a bound on what `direction` moves is missing, for x of up to some "
                                                   "1e9 of the data"
                                                 : "the rows where `proof` is not 0 contradict each other, for x of "
                                                   "up to some 1e9 of the data",
              .numerical_failure = "look at the scaling of the rows"});
}

bool proves_infeasible(const Problem& problem, ConstVectorRef proof, double tolerance) {
  const Index p = problem.num_equations(), m = problem.num_rows();
  if (proof.size() != p + m || !proof.allFinite()) return false;
  tolerance = allowed(tolerance, !proof.tail(m - problem.orthant).isZero(0.0));
  bool inside = true;
  detail::for_cones(problem, [&](Index first, Index size) {
    inside = inside && detail::depth(proof.segment(p + first, size)) >= 0.0;
  });
  if (!inside) return false;
  Sum value;
  for (Index i = 0; i < p; ++i) value.add(problem.b[i], proof[i]);
  for (Index i = 0; i < m; ++i) value.add(problem.h[i], proof[p + i]);
  if (!(value.value < -tolerance * value.terms)) return false;
  std::vector<Sum> columns(at(problem.num_unknowns()));
  add_transposed(problem.A, proof.head(p), columns);
  add_transposed(problem.G, proof.tail(m), columns);
  if (!vanish(columns, tolerance)) return false;
  // What is left of column j is made up for by an x_j of |value| / |left|. An x whose terms in the columns are those of
  // the value, x_j = terms of it / terms of j, must be far from that.
  double left = 0.0;
  for (const Sum& column : columns)
    if (column.terms > 0.0) left += double(std::abs(column.value) / column.terms);
  return double(-value.value) >= kFarFromFeasible * left * double(value.terms);
}

bool proves_unbounded(const Problem& problem, ConstVectorRef d, double tolerance) {
  if (d.size() != problem.num_unknowns() || !d.allFinite()) return false;
  tolerance = allowed(tolerance, problem.num_rows() > problem.orthant);
  Sum slope;
  for (Index j = 0; j < d.size(); ++j) slope.add(problem.c[j], d[j]);
  if (!(slope.value < -tolerance * slope.terms)) return false;
  const std::vector<Sum> Ad = product(problem.A, d), Gd = product(problem.G, d);
  if (!vanish(Ad, tolerance)) return false;
  // A step that takes away what a row is off by may cost c^T d the largest |c_j| / |G_ij| of it for each unit.
  const std::vector<double> cost_A = steepest(problem.A, problem.c), cost_G = steepest(problem.G, problem.c);
  double cost = 0.0;
  for (std::size_t i = 0; i < Ad.size(); ++i) cost += double(std::abs(Ad[i].value)) * cost_A[i];
  bool inside = true;
  detail::for_cones(problem, [&](Index first, Index size) {
    Wide moved(size);
    double terms = 0.0, dearest = 0.0;
    for (Index i = 0; i < size; ++i) {
      moved[i] = -Gd[at(first + i)].value;
      terms = std::max(terms, double(Gd[at(first + i)].terms));
      dearest = std::max(dearest, cost_G[at(first + i)]);
    }
    const double off = distance(moved);
    inside = inside && off <= tolerance * terms;
    cost += off * dearest;
  });
  return inside && double(-slope.value) >= kFarFromFeasible * cost;
}

}  // namespace nonsmooth::cone_program
