// SPDX-License-Identifier: Apache-2.0
#include "dvi_functions.hpp"

#include <algorithm>
#include <sstream>
#include <utility>
#include <vector>

#include <internal/decompositions.hpp>
#include <nonsmooth/numerics/analysis/matrix_classes.hpp>

#include "differences.hpp"
#include "guarded.hpp"

namespace nonsmooth {
namespace {

constexpr double kZeroOfTerms = 1e-7;  // ten times what forward differences lose, sqrt(eps)

bool is_zero(const Eigen::MatrixXd& M, const Eigen::MatrixXd& terms) {
  return M.cwiseAbs().maxCoeff() <= kZeroOfTerms * terms.maxCoeff();
}

struct Definiteness {
  bool definite = false, symmetric = false;
  double least = 0.0;  ///< eigenvalue of the symmetric part
};

Definiteness definiteness(const Eigen::MatrixXd& M) {
  const double largest = M.cwiseAbs().maxCoeff();
  const SymmetricEigen eigen = symmetric_eigen(0.5 * (M + M.transpose()));
  Definiteness found;
  if (!eigen.converged) return found;
  found.least = eigen.values[0];
  found.definite = found.least > kZeroOfTerms * largest;
  found.symmetric = (M - M.transpose()).cwiseAbs().maxCoeff() <= 10.0 * kZeroOfTerms * largest;
  return found;
}

/// For every matrix within what differences lose of M.
bool is_p_matrix(const Eigen::MatrixXd& M) {
  const double lost = kZeroOfTerms * M.cwiseAbs().maxCoeff();
  const auto error = [lost](double entry) { return entry == 0.0 ? 0.0 : lost; };
  return analysis::classify(M, {.entry_error = M.unaryExpr(error)}).p.holds();
}

std::string eigenvalue(const char* name, const Definiteness& found) {
  std::ostringstream text;
  text.precision(3);
  text << name << ": least eigenvalue of its symmetric part " << found.least;
  return text.str();
}

}  // namespace

DviFunctions::DviFunctions(const DifferentialVariationalInequality& system, std::string who)
    : system_(system),
      who_(std::move(who)),
      n_(system.x0.size()),
      m_(system.u0.size()),
      B_(Eigen::MatrixXd::Zero(system.x0.size(), system.u0.size())) {}

void DviFunctions::f(double t, ConstVectorRef x, VectorRef value) const {
  value.setZero();
  if (system_.f) guarded(who_, "f(t, x)", [&] { system_.f(t, x, value); });
}

void DviFunctions::b(double t, ConstVectorRef x, ConstVectorRef u, VectorRef value) {
  value.setZero();
  if (system_.b) return guarded(who_, "b(t, x, u)", [&] { system_.b(t, x, u, value); });
  b_du(t, x, u, B_);
  value.noalias() = B_ * u;
}

void DviFunctions::G(double t, ConstVectorRef x, ConstVectorRef u, VectorRef value) const {
  value.setZero();
  guarded(who_, "G(t, x, u)", [&] { system_.G(t, x, u, value); });
}

void DviFunctions::f_dx(double t, ConstVectorRef x, MatrixRef A) const {
  A.setZero();
  if (system_.f_dx) return guarded(who_, "f_dx(t, x)", [&] { system_.f_dx(t, x, A); });
  if (system_.f) differences::jacobian(x, A, [&](ConstVectorRef at, VectorRef value) { f(t, at, value); });
}

void DviFunctions::b_du(double t, ConstVectorRef x, ConstVectorRef u, MatrixRef B) {
  B.setZero();
  if (system_.B) return guarded(who_, "B(t, x)", [&] { system_.B(t, x, B); });
  differences::jacobian(u, B, [&](ConstVectorRef at, VectorRef value) { b(t, x, at, value); });
}

void DviFunctions::G_dx(double t, ConstVectorRef x, ConstVectorRef u, MatrixRef C) const {
  C.setZero();
  if (system_.G_dx) return guarded(who_, "G_dx(t, x, u)", [&] { system_.G_dx(t, x, u, C); });
  differences::jacobian(x, C, [&](ConstVectorRef at, VectorRef value) { G(t, at, u, value); });
}

void DviFunctions::G_du(double t, ConstVectorRef x, ConstVectorRef u, MatrixRef D) const {
  D.setZero();
  if (system_.G_du) return guarded(who_, "G_du(t, x, u)", [&] { system_.G_du(t, x, u, D); });
  differences::jacobian(u, D, [&](ConstVectorRef at, VectorRef value) { G(t, x, at, value); });
}

DviIndex index_by(ConstMatrixRef A, ConstMatrixRef B, ConstMatrixRef C, ConstMatrixRef D, bool intervals) {
  DviIndex result;
  if (!(A.allFinite() && B.allFinite() && C.allFinite() && D.allFinite())) {
    result.reason = "a Jacobian that is not finite";
    return result;
  }
  const auto decide = [&](int index, const char* name, const Eigen::MatrixXd& M) {
    const Definiteness found = definiteness(M);
    if (found.definite) {
      result.index = index;
      result.symmetric = found.symmetric;
      result.reason = "index " + std::to_string(index) + ", " + eigenvalue(name, found) +
                      (found.symmetric ? "" : ", which is not symmetric");
    } else if (intervals && is_p_matrix(M)) {
      result.index = index;
      result.reason = "index " + std::to_string(index) + " on a product of intervals, " + name + " being a P-matrix";
    } else {
      result.reason = "neither zero nor definite, " + eigenvalue(name, found);
    }
    return result;
  };
  if (!(D.cwiseAbs().maxCoeff() == 0.0)) return decide(0, "D = dG/du", D);
  const Eigen::MatrixXd CB = C * B;
  if (!is_zero(CB, C.cwiseAbs() * B.cwiseAbs())) return decide(1, "C B = dG/dx db/du", CB);
  const Eigen::MatrixXd CAB = C * (A * B);
  if (!is_zero(CAB, C.cwiseAbs() * (A.cwiseAbs() * B.cwiseAbs()))) return decide(2, "C A B, A = df/dx", CAB);
  result.reason = "D = dG/du, C B = dG/dx db/du and C A B are zero: an index of 3 or more, or a u that G does not see";
  return result;
}

DviIndex index_at(DviFunctions& functions, const vi::ConvexSet& K, double t, ConstVectorRef x, ConstVectorRef u) {
  const Index n = functions.n(), m = functions.m();
  Eigen::MatrixXd A(n, n), B(n, m), C(m, n), D(m, m);
  functions.f_dx(t, x, A);
  functions.b_du(t, x, u, B);
  functions.G_dx(t, x, u, C);
  functions.G_du(t, x, u, D);
  const std::vector<Index> factors = K.factors();
  return index_by(A, B, C, D, std::all_of(factors.begin(), factors.end(), [](Index rows) { return rows == 1; }));
}

}  // namespace nonsmooth
