// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/convolution/kernel.hpp>

#include <cmath>
#include <string>
#include <vector>

#include <internal/at.hpp>
#include <internal/check.hpp>
#include <internal/decompositions.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "kernel_forms.hpp"

namespace nonsmooth::convolution {
namespace {

template <class Matrix>
Matrix guarded(const char* argument, const std::string& place, Matrix value, Index m) {
  if (value.rows() != value.cols() || value.rows() == 0 || (m >= 0 && value.rows() != m)) {
    throw InvalidArgument(argument,
                          std::to_string(value.rows()) + " x " + std::to_string(value.cols()) + " at " + place,
                          m < 0 ? "a square matrix" : std::to_string(m) + " x " + std::to_string(m));
  }
  if (!value.allFinite()) throw InvalidArgument(argument, "no finite value at " + place, "finite entries");
  return value;
}

}  // namespace

namespace detail {

Eigen::MatrixXd impulse_of(const Eigen::MatrixXd& impulse, Index m) {
  if (impulse.size() == 0) return Eigen::MatrixXd::Zero(m, m);
  check::shape("convolution: the kernel's impulse", impulse.rows(), impulse.cols(), m, m);
  check::finite("convolution: the kernel's impulse", ConstMatrixRef(impulse));
  return impulse;
}

Eigen::MatrixXd r_at(const FunctionKernel& kernel, double t, Index m) {
  if (!kernel.r) throw InvalidArgument("convolution::FunctionKernel::r", "no callable", "one");
  return guarded("convolution::FunctionKernel::r", "t = " + check::text(t), kernel.r(t), m);
}

Eigen::MatrixXd integral_at(const FunctionKernel& kernel, double t, Index m) {
  return guarded("convolution::FunctionKernel::integral", "t = " + check::text(t), kernel.integral(t), m);
}

Eigen::MatrixXcd transform_at(const LaplaceKernel& kernel, std::complex<double> s, Index m) {
  if (!kernel.transform) throw InvalidArgument("convolution::LaplaceKernel::transform", "no callable", "one");
  return guarded("convolution::LaplaceKernel::transform",
                 "s = " + check::text(s.real()) + " + " + check::text(s.imag()) + "i", kernel.transform(s), m);
}

Index size_of_rows(const char* argument, Index rows) {
  const auto m = static_cast<Index>(std::lround(std::sqrt(static_cast<double>(rows))));
  if (rows == 0 || m * m != rows)
    throw InvalidArgument(argument, std::to_string(rows) + " rows", "m^2, the entries of a square matrix");
  return m;
}

void validate(const TableKernel& kernel) {
  const Index m = size_of_rows("convolution::TableKernel::values", kernel.values.rows()), n = kernel.t.size();
  check::at_least("convolution::TableKernel::t: entries", n, 1);
  check::shape("convolution::TableKernel::values", m * m, kernel.values.cols(), m * m, n);
  check::finite("convolution::TableKernel::t", ConstVectorRef(kernel.t));
  check::finite("convolution::TableKernel::values", ConstMatrixRef(kernel.values));
  if (kernel.t[0] != 0.0)
    throw InvalidArgument("convolution::TableKernel::t[0]", check::text(kernel.t[0]), "0: kernels begin there");
  for (Index j = 1; j < n; ++j) {
    if (kernel.t[j] < kernel.t[j - 1])
      throw InvalidArgument("convolution::TableKernel::t[" + std::to_string(j) + "]", check::text(kernel.t[j]),
                            "at least " + check::text(kernel.t[j - 1]) + ", the instant before");
  }
  (void)impulse_of(kernel.impulse, m);
}

void validate(const ExponentialKernel& kernel) {
  const Index m = size_of_rows("convolution::ExponentialKernel::coefficients", kernel.coefficients.rows());
  check::shape("convolution::ExponentialKernel::coefficients", m * m, kernel.coefficients.cols(), m * m,
               kernel.rates.size());
  if (!kernel.rates.allFinite())
    throw InvalidArgument("convolution::ExponentialKernel::rates", "no finite number", "finite entries");
  if (!kernel.coefficients.allFinite())
    throw InvalidArgument("convolution::ExponentialKernel::coefficients", "no finite number", "finite entries");
  (void)impulse_of(kernel.impulse, m);
}

}  // namespace detail

ExponentialKernel kernel_of(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B, const Eigen::MatrixXd& C,
                            const Eigen::MatrixXd& D) {
  const Index n = A.rows(), m = B.cols();
  check::at_least("convolution::kernel_of: rows of A", n, 1);
  check::shape("convolution::kernel_of: A", A.rows(), A.cols(), n, n);
  check::at_least("convolution::kernel_of: columns of B", m, 1);
  check::shape("convolution::kernel_of: B", B.rows(), m, n, m);
  check::shape("convolution::kernel_of: C", C.rows(), C.cols(), m, n);
  check::finite("convolution::kernel_of: A", ConstMatrixRef(A));
  check::finite("convolution::kernel_of: B", ConstMatrixRef(B));
  check::finite("convolution::kernel_of: C", ConstMatrixRef(C));
  const GeneralEigen eigen = general_eigen(A);
  Eigen::MatrixXcd inverse(n, n);
  if (eigen.converged) {
    ComplexLuFactors factors;
    factors.compute(eigen.V);
    Eigen::VectorXcd x(n);
    for (Index j = 0; j < n; ++j) {
      factors.solve(Eigen::VectorXcd::Unit(n, j), x);
      inverse.col(j) = x;
    }
  }
  const double condition =
      eigen.V.cwiseAbs().colwise().sum().maxCoeff() * inverse.cwiseAbs().colwise().sum().maxCoeff();
  if (!eigen.converged || !(condition < 1e8)) {
    throw InvalidArgument("convolution::kernel_of: A", "eigenvectors of condition " + check::text(condition),
                          "independent ones, below 1e8; else a LaplaceKernel of C (s - A)^-1 B + D");
  }
  std::vector<Index> kept;
  for (Index l = 0; l < n; ++l) {
    if (eigen.values[l].imag() >= 0.0) kept.push_back(l);
  }
  const auto count = static_cast<Index>(kept.size());
  ExponentialKernel kernel{
      .rates = Eigen::VectorXcd(count), .coefficients = Eigen::MatrixXcd(m * m, count), .impulse = D};
  for (Index k = 0; k < count; ++k) {
    const Index l = kept[at(k)];
    const Eigen::MatrixXcd term = (C * eigen.V.col(l)) * (inverse.row(l) * B);
    kernel.rates[k] = eigen.values[l];
    kernel.coefficients.col(k) = (eigen.values[l].imag() > 0.0 ? 2.0 : 1.0) * term.reshaped();
  }
  detail::validate(kernel);
  return kernel;
}

Kernel reduce_index(Kernel kernel, double epsilon) {
  check::range("convolution::reduce_index: epsilon", epsilon, 0.0, std::numeric_limits<double>::max());
  if (auto* function = std::get_if<FunctionKernel>(&kernel)) {
    const auto r = function->r;
    function->r = [r, epsilon](double t) {
      Eigen::MatrixXd value = r(t);
      value.diagonal().array() += epsilon;
      return value;
    };
    if (const auto R = function->integral) {
      function->integral = [R, epsilon](double t) {
        Eigen::MatrixXd value = R(t);
        value.diagonal().array() += epsilon * t;
        return value;
      };
    }
    if (epsilon > 0.0 && function->index > 1.0) function->index = 1.0;
  } else if (auto* table = std::get_if<TableKernel>(&kernel)) {
    detail::validate(*table);
    const Index m = detail::size_of_rows("convolution::TableKernel::values", table->values.rows());
    for (Index i = 0; i < m; ++i) table->values.row(i * (m + 1)).array() += epsilon;
  } else if (auto* sum = std::get_if<ExponentialKernel>(&kernel)) {
    detail::validate(*sum);
    const Index m = detail::size_of_rows("convolution::ExponentialKernel::coefficients", sum->coefficients.rows());
    const Index l = sum->rates.size();
    sum->rates.conservativeResize(l + 1);
    sum->coefficients.conservativeResize(Eigen::NoChange, l + 1);
    sum->rates[l] = 0.0;
    sum->coefficients.col(l).setZero();
    for (Index i = 0; i < m; ++i) sum->coefficients(i * (m + 1), l) = epsilon;
  } else {
    const auto K = std::get<LaplaceKernel>(kernel).transform;
    std::get<LaplaceKernel>(kernel).transform = [K, epsilon](std::complex<double> s) {
      Eigen::MatrixXcd value = K(s);
      value.diagonal().array() += epsilon / s;
      return value;
    };
  }
  return kernel;
}

}  // namespace nonsmooth::convolution
