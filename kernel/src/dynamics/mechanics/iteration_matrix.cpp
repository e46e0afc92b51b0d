// SPDX-License-Identifier: Apache-2.0
#include "iteration_matrix.hpp"

#include <cmath>
#include <limits>
#include <sstream>

#include <internal/decompositions.hpp>
#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/linear_algebra/factorization.hpp>

#include "dynamics/first_order/descriptor_form.hpp"

namespace nonsmooth::iteration_matrix {
namespace {

using Matrix = Eigen::MatrixXd;

/// Beyond rounding: a matrix that is semidefinite, or symmetric up to the rounding of its making, counts as such.
constexpr double kRounding = 1e-12;

bool is_symmetric(const Matrix& A) { return (A - A.transpose()).norm() <= kRounding * A.norm(); }
bool is_symmetric(const SparseMatrix& A) {
  const SparseMatrix transposed = A.transpose();
  return (A - transposed).norm() <= kRounding * A.norm();
}

bool is_positive(const Matrix& A) {
  Matrix shifted = A;
  shifted.diagonal() += kRounding * A.diagonal().cwiseAbs();
  return is_positive_definite(shifted);
}
bool is_positive(const SparseMatrix& A) {
  if ((A.diagonal().array() <= 0.0).any()) return false;
  SparseFactorization factor(Structure::SymmetricPositiveDefinite, Backend::Automatic);
  return factor.factorize(A);
}

/// The sign of det A by its factors P A = L U; 0 where a pivot is lost in rounding.
int determinant_sign(const Matrix& A) {
  if (is_singular(A)) return 0;
  const LuFactors factors(A);
  int sign = static_cast<int>(factors.permutation().determinant());
  for (Index i = 0; i < A.rows(); ++i) {
    if (factors.matrix()(i, i) < 0.0) sign = -sign;
  }
  return sign;
}

/// The longest step below h of which `holds` is true, rounded down to two digits; 0 where none is found.
template <class Holds>
double longest_step(double h, Holds&& holds) {
  double good = 0.0, bad = h;
  for (int halving = 0; halving < 60 && good == 0.0; ++halving) {
    const double step = 0.5 * bad;
    (holds(step) ? good : bad) = step;
  }
  if (good == 0.0) return 0.0;
  for (int bisection = 0; bisection < 10; ++bisection) {
    const double step = 0.5 * (good + bad);
    (holds(step) ? good : bad) = step;
  }
  const double digit = std::pow(10.0, std::floor(std::log10(good)) - 1.0);
  return digit * std::floor(good / digit);
}

/// Twice as many eigenvalues take a tenth of a second.
constexpr Index kMostUnknownsOfModes = 100;

[[noreturn]] void refuse(const std::string& name, const char* what, double h, double longest) {
  std::ostringstream found, expected;
  found << what << " with h = " << h << " s";
  if (longest > 0.0) {
    expected << "a step of at most " << longest << " s";
  } else {
    expected << "a shorter step";
  }
  throw InvalidArgument("iteration matrix of " + name, found.str(), expected.str());
}

/// Of matrices that are not symmetric: no mode e^(s t) of M s^2 + C s + K has Re s h theta >= 1, beyond which the step
/// turns its growth. Of symmetric ones that is A > 0; gyroscopic forces may hold up what A by itself lets fall.
void require_resolved(const std::string& name, const Matrix& M, const Matrix& C, const Matrix& K, const Scheme& scheme,
                      double h) {
  const Index n = M.rows();
  if (n > kMostUnknownsOfModes || scheme.velocity != 1.0 || scheme.position != scheme.theta || scheme.theta == 0.0) {
    const auto holds = [&](double step) { return determinant_sign(of_mechanics(M, C, K, scheme, step)) > 0; };
    if (!holds(h)) refuse(name, "a step that turns a growing mode", h, longest_step(h, holds));
    return;
  }
  const LuFactors mass(M);
  Matrix first_order = Matrix::Zero(2 * n, 2 * n);
  first_order.topRightCorner(n, n).setIdentity();
  first_order.bottomLeftCorner(n, n) = -mass.solve(K);
  first_order.bottomRightCorner(n, n) = -mass.solve(C);
  const GeneralEigen modes = general_eigen(first_order);
  if (!modes.converged) return;
  const double growth = modes.values.real().maxCoeff() * scheme.theta;
  const auto holds = [growth](double step) { return growth * step < 1.0; };
  if (!holds(h)) refuse(name, "a step that turns a growing mode", h, longest_step(h, holds));
}
void require_resolved(const std::string& name, const SparseMatrix& M, const SparseMatrix& C, const SparseMatrix& K,
                      const Scheme& scheme, double h) {
  if (M.rows() <= kMostUnknownsOfModes) require_resolved(name, Matrix(M), Matrix(C), Matrix(K), scheme, h);
}

[[noreturn]] void refuse_explicit(const std::string& name, const Scheme& scheme) {
  throw InvalidArgument("TimeSteppingOptions::integrator",
                        scheme.integrator->name() + " with theta = 0 for " + name + ", whose mass is singular",
                        "EulerMoreau with theta = 1, or ImplicitRadau: algebraic rows hold at the end of a step");
}

template <class AnyMatrix>
void require_positive_of(const std::string& name, const AnyMatrix& M, const AnyMatrix& C, const AnyMatrix& K,
                         const Scheme& scheme, double h) {
  if (!is_symmetric(C) || !is_symmetric(K)) {
    const AnyMatrix A = of_mechanics(M, C, K, scheme, h), transposed = A.transpose();
    if (!is_positive(AnyMatrix(0.5 * (A + transposed)))) require_resolved(name, M, C, K, scheme, h);
    return;
  }
  const auto holds = [&](double step) { return is_positive(of_mechanics(M, C, K, scheme, step)); };
  if (!holds(h)) refuse(name, "a matrix that is not positive definite", h, longest_step(h, holds));
}

}  // namespace

void refuse_singular(const std::string& name) {
  throw InvalidArgument("iteration matrix of " + name, "a singular matrix",
                        "a regular M (+ h theta velocity C + h^2 theta position K)");
}

std::vector<Index> free_components(const std::vector<PrescribedVelocity>& prescribed, Index n) {
  std::vector<Index> free;
  for (Index i = 0; i < n; ++i) {
    if (std::none_of(prescribed.begin(), prescribed.end(), [i](const auto& one) { return one.component == i; }))
      free.push_back(i);
  }
  return free;
}

void require_positive(const std::string& name, const Matrix& M, const Matrix& C, const Matrix& K, const Scheme& scheme,
                      double h) {
  require_positive_of(name, M, C, K, scheme, h);
}
void require_positive(const std::string& name, const SparseMatrix& M, const SparseMatrix& C, const SparseMatrix& K,
                      const Scheme& scheme, double h) {
  require_positive_of(name, M, C, K, scheme, h);
}

void require_orientation(const std::string& name, const Matrix& M, const Matrix& A_x, double theta, double h) {
  const int mass = determinant_sign(M);
  if (mass == 0) return;
  const auto holds = [&](double step) { return determinant_sign(M - step * theta * A_x) == mass; };
  if (!holds(h)) refuse(name, "a step that turns the sign of a growing mode", h, longest_step(h, holds));
}

void check_singular_mass(const std::string& name, const Matrix& M, const Matrix* A, const Scheme& scheme) {
  if (!is_singular(M)) return;
  if (A) require_regular_pencil(name, M, *A);
  if (scheme.exponential) {
    throw InvalidArgument("TimeSteppingOptions::integrator",
                          scheme.integrator->name() + " for " + name + ", whose mass is singular",
                          "EulerMoreau with theta = 1: a hold is exact for xdot = M^-1 (A x + ...)");
  }
  if (scheme.theta == 0.0) refuse_explicit(name, scheme);
}

void check_singular_mass(const std::string& name, const SparseMatrix& M, const Scheme& scheme) {
  if (scheme.theta == 0.0 && !SparseFactorization(Structure::General).factorize(M)) refuse_explicit(name, scheme);
}

bool is_singular(Matrix A) {
  for (const bool rows : {true, false}) {
    for (Index i = 0; i < A.rows(); ++i) {
      const double size = rows ? A.row(i).lpNorm<Eigen::Infinity>() : A.col(i).lpNorm<Eigen::Infinity>();
      if (!(size > 0.0) || !std::isfinite(size)) return true;
      if (rows) {
        A.row(i) /= size;
      } else {
        A.col(i) /= size;
      }
    }
  }
  return !(LuFactors(A).rcond() > std::numeric_limits<double>::epsilon());
}

}  // namespace nonsmooth::iteration_matrix
