// SPDX-License-Identifier: Apache-2.0
#include "analysis_witnesses.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <Eigen/LU>

namespace nonsmooth::problems {
namespace {

using analysis::Finding;
using analysis::MatrixClasses;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using LongMatrix = Eigen::Matrix<long double, -1, -1>;
using LongVector = Eigen::Matrix<long double, -1, 1>;

bool reverses(const LongMatrix& M, const VectorXd& witness, const std::vector<Index>& rows, long double allowance) {
  if (witness.size() == 0) return true;
  const LongVector z = witness.cast<long double>();
  const LongVector w = M * z, size = M.cwiseAbs() * z.cwiseAbs();
  for (Index i = 0; i < z.size(); ++i) {
    const bool inside = std::ranges::find(rows, i) != rows.end();
    if (inside ? z[i] * w[i] > allowance * std::abs(z[i]) * size[i] : z[i] != 0.0L) return false;
  }
  return witness.cwiseAbs().maxCoeff() > 0.0;
}

/// det M_aa <= allowance times the product of the rows' norms.
bool minor_at_most(const LongMatrix& M, const std::vector<Index>& rows, long double allowance) {
  const LongMatrix block = M(rows, rows);
  long double size = 1.0L;
  for (Index i = 0; i < block.rows(); ++i) size *= block.row(i).norm();
  return Eigen::PartialPivLU<LongMatrix>(block).determinant() <= allowance * size;
}

}  // namespace

std::string false_witness(const MatrixXd& matrix, const MatrixClasses& classes) {
  const LongMatrix M = matrix.cast<long double>();
  // Extended precision has 11 bits more than the data: this many of its units for sums of 20 x 20 terms.
  constexpr long double small = 400.0L * 1.1e-19L;
  constexpr long double round_off = 1e-9L;
  const auto form = [&](const VectorXd& x, long double allowance) {
    const LongVector v = x.cast<long double>();
    return x.size() == M.rows() && v.dot(M * v) <= allowance * v.cwiseAbs().dot(M.cwiseAbs() * v.cwiseAbs()) &&
           x.cwiseAbs().maxCoeff() > 0.0;
  };
  if (classes.positive_semidefinite.fails() && !form(classes.positive_semidefinite.witness, small))
    return "positive semidefinite";
  if (classes.positive_definite.fails() && !form(classes.positive_definite.witness, round_off))
    return "positive definite";
  if (classes.copositive.fails() &&
      (!form(classes.copositive.witness, small) || classes.copositive.witness.minCoeff() < 0.0))
    return "copositive";
  if (classes.strictly_copositive.fails() &&
      (!form(classes.strictly_copositive.witness, round_off) || classes.strictly_copositive.witness.minCoeff() < 0.0))
    return "strictly copositive";
  if (classes.p.fails() && !classes.p.rows.empty() &&
      (!minor_at_most(M, classes.p.rows, small) || !reverses(M, classes.p.witness, classes.p.rows, round_off)))
    return "P";
  if (classes.p0.fails() &&
      (!minor_at_most(M, classes.p0.rows, small) || !reverses(M, classes.p0.witness, classes.p0.rows, round_off)))
    return "P0";
  if (classes.s.verdict != analysis::Verdict::NotKnown && classes.s.witness.size() > 0) {
    const LongVector x = classes.s.witness.cast<long double>();
    const LongVector product = classes.s.holds() ? LongVector(M * x) : LongVector(-(M.transpose() * x));
    const LongVector size = (classes.s.holds() ? M.cwiseAbs() : LongMatrix(M.cwiseAbs().transpose())) * x;
    if (x.minCoeff() < 0.0L || x.maxCoeff() <= 0.0L || (product + small * size).minCoeff() < 0.0L) return "S";
    if (classes.s.holds() && product.minCoeff() <= 0.0L) return "S";
  }
  if (classes.r0.fails()) {
    const LongVector z = classes.r0.witness.cast<long double>(), w = M * z;
    if (z.minCoeff() < 0.0L || z.maxCoeff() <= 0.0L || w.minCoeff() < 0.0L || std::abs(z.dot(w)) > 0.0L) return "R0";
  }
  if (classes.singular.holds()) {  // to round-off, rows beside each other: these matrices have one unit
    const LongVector v = classes.singular.witness.cast<long double>(), w = M * v, size = M.cwiseAbs() * v.cwiseAbs();
    if (w.cwiseAbs().maxCoeff() > 1e-12L * size.maxCoeff() || v.isZero(0.0L)) return "singular";
  }
  return {};
}

std::string contradiction(const MatrixClasses& c) {
  const auto implies = [](const Finding& a, const Finding& b) { return !(a.holds() && b.fails()); };
  if (!implies(c.p, c.p0) || !implies(c.p, c.s) || !implies(c.p, c.nondegenerate) || !implies(c.p, c.r0)) return "P";
  if (!implies(c.positive_definite, c.p) || !implies(c.positive_semidefinite, c.p0)) return "definite";
  if (!implies(c.positive_definite, c.strictly_copositive) || !implies(c.positive_semidefinite, c.copositive))
    return "definite";
  if (!implies(c.strictly_copositive, c.copositive) || !implies(c.strictly_copositive, c.s) ||
      !implies(c.strictly_copositive, c.r0))
    return "copositive";
  if (!implies(c.h_plus, c.p) || !implies(c.m, c.h_plus) || !implies(c.nonnegative, c.copositive)) return "H+";
  if (!implies(c.column_sufficient, c.p0) || !implies(c.row_sufficient, c.p0)) return "sufficient";
  if (c.singular.holds() && (c.p.holds() || c.positive_definite.holds())) return "singular";
  if (c.positive_definite.holds() && !c.positive_semidefinite.holds()) return "definite";
  return {};
}

}  // namespace nonsmooth::problems
