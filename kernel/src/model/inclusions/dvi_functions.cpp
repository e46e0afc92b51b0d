// SPDX-License-Identifier: Apache-2.0
#include "dvi_functions.hpp"

#include <algorithm>
#include <sstream>
#include <utility>
#include <vector>

#include <internal/decompositions.hpp>
#include <nonsmooth/numerics/analysis/matrix_classes.hpp>

#include "model/equations/differences.hpp"
#include "model/guarded.hpp"

namespace nonsmooth {
namespace {

/// Of the terms of an entry what counts as zero: by differences ten times what these lose, sqrt(eps); of Jacobians that
/// are given, rounding of some products.
constexpr double kLostByDifferences = 1e-7, kProductRounding = 1e-12;

double error_of(bool given) { return given ? kProductRounding : kLostByDifferences; }

bool is_zero(const Eigen::MatrixXd& M, const Eigen::MatrixXd& terms, double error) {
  return M.cwiseAbs().maxCoeff() <= error * terms.maxCoeff();
}

/// S M S whose diagonal is 1, S diagonal: definite, symmetric and a P-matrix with M, and without its units. M where its
/// diagonal is not positive: it is none of these but symmetric then.
Eigen::MatrixXd without_units(const Eigen::MatrixXd& M) {
  if (!(M.diagonal().minCoeff() > 0.0)) return M;
  const Eigen::VectorXd scale = M.diagonal().cwiseSqrt().cwiseInverse();
  return scale.asDiagonal() * M * scale.asDiagonal();
}

struct Definiteness {
  bool definite = false, symmetric = false;
  double least = 0.0;  ///< eigenvalue of the symmetric part of M
};

Definiteness definiteness(const Eigen::MatrixXd& M, double error) {
  const Eigen::MatrixXd scaled = without_units(M);
  const double largest = scaled.cwiseAbs().maxCoeff();
  const SymmetricEigen own = symmetric_eigen(0.5 * (M + M.transpose()));
  const SymmetricEigen eigen = symmetric_eigen(0.5 * (scaled + scaled.transpose()));
  Definiteness found;
  if (!own.converged || !eigen.converged) return found;
  found.least = own.values[0];
  found.definite = M.diagonal().minCoeff() > 0.0 && eigen.values[0] > error * largest;
  found.symmetric = (scaled - scaled.transpose()).cwiseAbs().maxCoeff() <= 10.0 * error * largest;
  return found;
}

/// Every matrix within the error of M is one; M itself where its entries are given.
bool is_p_matrix(const Eigen::MatrixXd& M, bool given) {
  const Eigen::MatrixXd scaled = without_units(M);
  const double lost = given ? 0.0 : kLostByDifferences * scaled.cwiseAbs().maxCoeff();
  const auto error = [lost](double entry) { return entry == 0.0 ? 0.0 : lost; };
  return analysis::classify(scaled, {.entry_error = scaled.unaryExpr(error)}).p.holds();
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

void DviFunctions::tell_given(DviJacobians& at) const {
  at.f_dx_given = system_.f_dx || !system_.f;
  at.b_du_given = static_cast<bool>(system_.B);
  at.G_dx_given = static_cast<bool>(system_.G_dx);
  at.G_du_given = static_cast<bool>(system_.G_du);
}

DviIndex index_by(const DviJacobians& at, bool intervals) {
  const auto& [A, B, C, D, D_terms, f_dx_given, b_du_given, G_dx_given, G_du_given] = at;
  DviIndex result;
  if (!(A.allFinite() && B.allFinite() && C.allFinite() && D.allFinite())) {
    result.reason = "a Jacobian that is not finite";
    return result;
  }
  const auto decide = [&](int index, const char* name, const Eigen::MatrixXd& M, bool given) {
    const Definiteness found = definiteness(M, error_of(given));
    if (found.definite) {
      result.index = index;
      result.symmetric = found.symmetric;
      result.reason = "index " + std::to_string(index) + ", " + eigenvalue(name, found) +
                      (found.symmetric ? "" : ", which is not symmetric");
    } else if (intervals && is_p_matrix(M, given)) {
      result.index = index;
      result.reason = "index " + std::to_string(index) + " on a product of intervals, " + name + " being a P-matrix";
    } else {
      result.reason = "neither zero nor definite, " + eigenvalue(name, found);
    }
    return result;
  };
  const bool no_D = G_du_given ? D.isZero(0.0) : is_zero(D, D_terms, kLostByDifferences);
  if (!no_D) return decide(0, "D = dG/du", D, G_du_given);
  const Eigen::MatrixXd CB = C * B;
  const bool CB_given = G_dx_given && b_du_given;
  if (!is_zero(CB, C.cwiseAbs() * B.cwiseAbs(), error_of(CB_given)))
    return decide(1, "C B = dG/dx db/du", CB, CB_given);
  const Eigen::MatrixXd CAB = C * (A * B);
  const bool CAB_given = CB_given && f_dx_given;
  if (!is_zero(CAB, C.cwiseAbs() * (A.cwiseAbs() * B.cwiseAbs()), error_of(CAB_given)))
    return decide(2, "C A B, A = df/dx", CAB, CAB_given);
  result.reason = "D = dG/du, C B = dG/dx db/du and C A B are zero: an index of 3 or more, or a u that G does not see";
  return result;
}

DviIndex index_at(DviFunctions& functions, const vi::ConvexSet& K, double t, ConstVectorRef x, ConstVectorRef u) {
  const Index n = functions.n(), m = functions.m();
  DviJacobians at{
      .A = Eigen::MatrixXd(n, n), .B = Eigen::MatrixXd(n, m), .C = Eigen::MatrixXd(m, n), .D = Eigen::MatrixXd(m, m)};
  functions.f_dx(t, x, at.A);
  functions.b_du(t, x, u, at.B);
  functions.G_dx(t, x, u, at.C);
  functions.G_du(t, x, u, at.D);
  functions.tell_given(at);
  if (!at.G_du_given) {
    // G's own size, and what it is where x is of the size of its differences.
    Eigen::VectorXd G(m);
    functions.G(t, x, u, G);
    const Eigen::VectorXd sizes = G.cwiseAbs() + at.C.cwiseAbs() * x.cwiseAbs().cwiseMax(1.0);
    at.D_terms = sizes * u.cwiseAbs().cwiseMax(1.0).cwiseInverse().transpose();
  }
  const std::vector<Index> factors = K.factors();
  return index_by(at, std::all_of(factors.begin(), factors.end(), [](Index rows) { return rows == 1; }));
}

}  // namespace nonsmooth
