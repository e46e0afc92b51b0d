// SPDX-License-Identifier: Apache-2.0
// The flow of linear mechanics over a step: closed forms of oscillators, and of matrices by their modes or exponential.
#include "linear_flow.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include <internal/check.hpp>
#include <internal/decompositions.hpp>
#include <internal/matrix_exponential.hpp>
#include <nonsmooth/numerics/error.hpp>

namespace nonsmooth {
namespace {

using Matrix = Eigen::MatrixXd;

constexpr double kShort = 0.5;     ///< times rates: below it power series have no cancellation and few terms
constexpr int kSeriesTerms = 24;   ///< 1.2^24 / 24! < 1e-21
constexpr double kGrowing = 1e-9;  ///< of m A^-1 below zero: more than rounding of gamma makes beside fast modes

/// g, G1 and G2 by their power series in h.
OscillatorFlow flow_by_series(double gamma, double kappa, double h) {
  OscillatorFlow flow;
  double before = 0.0, term = h;
  for (int n = 1; n <= kSeriesTerms; ++n) {
    flow.g += term;
    flow.G1 += term * h / (n + 1);
    flow.G2 += term * h * h / ((n + 1) * (n + 2));
    const double next = -2.0 * gamma * h / (n + 1) * term - kappa * h * h / ((n + 1) * n) * before;
    before = term;
    term = next;
  }
  return flow;
}

/// Roots that are complex or near each other.
OscillatorFlow flow_of_turns(double gamma, double kappa, double h) {
  const double delta = kappa - gamma * gamma, x = std::sqrt(std::abs(delta)) * h;
  const double half = delta >= 0.0 ? std::sin(0.5 * x) : std::sinh(0.5 * x);
  const double one_less_c = delta >= 0.0 ? 2.0 * half * half : -2.0 * half * half;
  const double s = x == 0.0 ? h : h * (delta >= 0.0 ? std::sin(x) : std::sinh(x)) / x;
  const double less_one = std::expm1(-gamma * h), decay = std::exp(-gamma * h);
  OscillatorFlow flow;
  flow.g = decay * s;
  flow.G1 = (decay * one_less_c - less_one - gamma * flow.g) / kappa;
  flow.G2 = (h - flow.g - 2.0 * gamma * flow.G1) / kappa;
  return flow;
}

double phi_1(double x) { return x == 0.0 ? 1.0 : std::expm1(x) / x; }

/// (phi_1(x) - 1) / x.
double phi_2(double x) {
  if (std::abs(x) > kShort) return (phi_1(x) - 1.0) / x;
  double term = 0.5, sum = term;
  for (int n = 3; n < kSeriesTerms; ++n) {
    term *= x / n;
    sum += term;
  }
  return sum;
}

/// Real roots far from each other: divided differences of e^x and its kin.
OscillatorFlow flow_of_decays(double gamma, double kappa, double h) {
  const double root = std::sqrt(gamma * gamma - kappa);
  const double fast = h * (gamma >= 0.0 ? -gamma - root : root - gamma), slow = h * (kappa / (fast / h));
  const double apart = slow - fast;
  OscillatorFlow flow;
  flow.g = h * (std::exp(slow) - std::exp(fast)) / apart;
  flow.G1 = h * h * (phi_1(slow) - phi_1(fast)) / apart;
  flow.G2 = h * h * h * (phi_2(slow) - phi_2(fast)) / apart;
  return flow;
}

/// The modes of M and K where C is diagonal in them: Phi^T M Phi = 1, Phi^T K Phi = kappa, Phi^T C Phi = 2 gamma.
struct Modes {
  Matrix Phi;
  Eigen::VectorXd gamma, kappa;
};

bool equals_its_transpose(const Matrix& A) {
  return A.isApprox(A.transpose(), 4.0 * std::numeric_limits<double>::epsilon());
}

std::optional<Modes> modes_of(const Matrix& L, const Matrix& C, const Matrix& K) {
  const auto reduced = [&](const Matrix& A) {
    const Matrix left = L.triangularView<Eigen::Lower>().solve(A);
    const Matrix both = L.triangularView<Eigen::Lower>().solve(left.transpose());
    return Matrix(0.5 * (both + both.transpose()));
  };
  if (!equals_its_transpose(K) || !equals_its_transpose(C)) return std::nullopt;
  const SymmetricEigen eigen = symmetric_eigen(reduced(K));
  if (!eigen.converged) return std::nullopt;
  Matrix damping = eigen.V.transpose() * reduced(C) * eigen.V;
  const double size = damping.cwiseAbs().maxCoeff();
  Modes modes{L.transpose().triangularView<Eigen::Upper>().solve(eigen.V), 0.5 * damping.diagonal(), eigen.values};
  damping.diagonal().setZero();
  const double rounding = 64.0 * static_cast<double>(K.rows()) * std::numeric_limits<double>::epsilon();
  if (damping.cwiseAbs().maxCoeff() > rounding * size) return std::nullopt;
  return modes;
}

/// A^-1 is then negative in some motion: what pushes it apart brings it together.
[[noreturn]] void refuse_growing(const std::string& name, double h) {
  throw InvalidArgument("TimeSteppingOptions::step", check::text(h) + " under ExactLinear for " + name,
                        "a shorter one: some motion grows and makes half a turn in this step, and impulses before and "
                        "behind it move it against their direction");
}

/// V0, Q0, Q1, A^-1 and the way, by modes.
void fill_by_modes(const std::string& name, const Modes& modes, const Matrix& M, double h, LinearFlow& flow) {
  const Index n = modes.kappa.size();
  Eigen::VectorXd g(n), G1(n), G2(n), a(n), way(n);
  for (Index i = 0; i < n; ++i) {
    const OscillatorFlow one = oscillator_flow(modes.gamma[i], modes.kappa[i], h);
    g[i] = one.g;
    G1[i] = one.G1;
    G2[i] = one.G2;
    a[i] = impulse_response(name, modes.gamma[i], modes.kappa[i], h, one);
    way[i] = a[i] > 0.0 ? 0.5 * one.g / a[i] : 0.0;
  }
  const auto of = [&](const Eigen::VectorXd& values) {
    const Matrix F = modes.Phi * values.asDiagonal() * modes.Phi.transpose();
    return Matrix(0.5 * (F + F.transpose()));
  };
  flow.V0 = of(g);
  flow.Q0 = of(G1);
  flow.Q1 = of(G2) / h;
  flow.A_inverse = of(a);
  flow.way = of(way) * M;
}

/// The same by the exponential of (q / h, v, h M^-1 f_0, h M^-1 (f_1 - f_0)) over h: all of them of one size.
void fill_by_exponential(const std::string& name, const Matrix& M, const Matrix& C, const Matrix& K, double h,
                         LinearFlow& flow) {
  const Index n = M.rows();
  const Matrix inverse = CholeskyFactors(M).inverse(), identity = Matrix::Identity(n, n);
  Matrix rates = Matrix::Zero(4 * n, 4 * n);
  rates.block(0, n, n, n) = rates.block(n, 2 * n, n, n) = rates.block(2 * n, 3 * n, n, n) = identity;
  rates.block(n, 0, n, n) = -h * h * inverse * K;
  rates.block(n, n, n, n) = -h * inverse * C;
  const Matrix exponential = matrix_exponential(rates);
  flow.V0 = h * exponential.block(n, 2 * n, n, n) * inverse;
  flow.Q0 = h * h * exponential.block(0, 2 * n, n, n) * inverse;
  flow.Q1 = h * h * exponential.block(0, 3 * n, n, n) * inverse;
  flow.A_inverse = inverse - 0.5 * inverse * (C * flow.V0 + K * flow.Q0);
  const LuFactors factors(flow.A_inverse);
  if (!(factors.rcond() > 1e-12 * LuFactors(M).rcond()))
    throw InvalidArgument("TimeSteppingOptions::step", check::text(h) + " under ExactLinear for " + name,
                          "another one: some motion makes half a turn in this step, and "
                          "equal impulses before and behind it do not move it");
  const SymmetricEigen eigen = symmetric_eigen(0.5 * (flow.A_inverse + flow.A_inverse.transpose()));
  if (eigen.converged && eigen.values.minCoeff() < -kGrowing * eigen.values.maxCoeff()) refuse_growing(name, h);
  flow.way = 0.5 * flow.V0 * factors.inverse();
}

}  // namespace

OscillatorFlow oscillator_flow(double gamma, double kappa, double h) {
  if (std::max(std::abs(gamma), std::sqrt(std::abs(kappa))) * h <= kShort) return flow_by_series(gamma, kappa, h);
  return kappa >= 0.5 * gamma * gamma && kappa > 0.0 ? flow_of_turns(gamma, kappa, h) : flow_of_decays(gamma, kappa, h);
}

double impulse_response(const std::string& name, double gamma, double kappa, double h, const OscillatorFlow& flow) {
  const double part = 1.0 - 0.5 * (2.0 * gamma * flow.g + kappa * flow.G1);
  if (part < -kGrowing) refuse_growing(name, h);
  return part < kBlindMode ? 0.0 : part;
}

LinearFlow linear_flow(const std::string& name, const Matrix& M, const Matrix& C, const Matrix& K, double h) {
  Matrix L = M;
  if (!equals_its_transpose(M) || !cholesky_in_place(L))
    throw InvalidArgument("TimeSteppingOptions::integrator", "ExactLinear for " + name + ", whose mass is not positive",
                          "a symmetric positive definite mass");
  LinearFlow flow;
  if (const std::optional<Modes> modes = modes_of(L, C, K)) {
    fill_by_modes(name, *modes, M, h, flow);
  } else {
    fill_by_exponential(name, M, C, K, h, flow);
  }
  flow.V1 = flow.Q0 / h;
  flow.q_of_q = -flow.Q0 * K;
  flow.v_of_q = -flow.V0 * K;
  flow.q_of_v = flow.V0 * M;
  flow.v_of_v = -CholeskyFactors(M).inverse() * (C * flow.V0 + K * flow.Q0) * M;
  return flow;
}

}  // namespace nonsmooth
