// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <complex>

#include <Eigen/Core>

#include <nonsmooth/numerics/convolution.hpp>

namespace nonsmooth::convolution::test {

inline Eigen::MatrixXd one(double value) { return Eigen::MatrixXd::Constant(1, 1, value); }
inline Eigen::VectorXd entry(double value) { return Eigen::VectorXd::Constant(1, value); }
inline FunctionKernel function(double (*r)(double)) {
  return {.r = [r](double t) { return one(r(t)); }};
}
inline LaplaceKernel transform(std::complex<double> (*K)(std::complex<double>)) {
  return {
      .transform = [K](std::complex<double> s) -> Eigen::MatrixXcd { return Eigen::MatrixXcd::Constant(1, 1, K(s)); }};
}
inline LaplaceKernel power_transform(double index) {
  return {.transform = [index](std::complex<double> s) -> Eigen::MatrixXcd {
    return Eigen::MatrixXcd::Constant(1, 1, std::pow(s, -index));
  }};
}
inline FunctionKernel power_function(double index) {  // t^{a-1} / Gamma(a)
  return {.r = [index](double t) { return one(std::pow(t, index - 1.0) / std::tgamma(index)); }};
}

}  // namespace nonsmooth::convolution::test
