// SPDX-License-Identifier: Apache-2.0
#include "passivity_witness.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <internal/decompositions.hpp>
#include <internal/round_off.hpp>

#include "storage.hpp"

namespace nonsmooth::analysis::detail {
namespace {

using Complex = std::complex<double>;

/// The least eigenvalue of H(s) + H(s)^*, if it is negative for certain.
std::optional<PassivityWitness> negative_form(const StandardForm& form, Complex s) {
  const Index n = form.states(), m = form.outputs();
  Eigen::MatrixXcd shifted = -form.A.cast<Complex>();
  shifted.diagonal().array() += s;
  ComplexLuFactors factors;
  factors.compute(shifted.transpose());
  Eigen::MatrixXcd G(m, n);  // C (s I - A)^-1
  Eigen::VectorXcd row(n);
  for (Index i = 0; i < m; ++i) {
    factors.solve(Eigen::VectorXcd(form.C.row(i).transpose().cast<Complex>()), row);
    G.row(i) = row.transpose();
  }
  if (!G.allFinite()) return std::nullopt;
  const Eigen::MatrixXcd H = G * form.B.cast<Complex>() + form.D.cast<Complex>();
  // Real form [Re, -Im; Im, Re] of the Hermitian H + H^*.
  Eigen::MatrixXd real(2 * m, 2 * m);
  const Eigen::MatrixXcd sum = H + H.adjoint();
  real << sum.real(), -sum.imag(), sum.imag(), sum.real();
  const SymmetricEigen eigen = symmetric_eigen(real);
  if (!eigen.converged || !(eigen.values[0] < 0.0)) return std::nullopt;
  PassivityWitness result{.s = s, .v = Eigen::VectorXcd(m), .reason = "v^* (H(s) + H(s)^*) v < 0"};
  result.v.real() = eigen.V.col(0).head(m);
  result.v.imag() = eigen.V.col(0).tail(m);
  // v^* H v = v^* (G B + D) v; G's own error is its residual times (s I - A)^-1, of which a bound by the 2-norm.
  const Eigen::MatrixXcd residual = form.C.cast<Complex>() - G * shifted;
  const double unit = static_cast<double>(n + m + 4) * eps;
  const double leftover =
      residual.norm() + unit * (form.C.norm() + G.norm() * shifted.norm()) + G.norm() * form.A_error.norm();
  Eigen::VectorXcd Bv = form.B.cast<Complex>() * result.v, x(n);
  ComplexLuFactors forward;
  forward.compute(shifted);
  forward.solve(Bv, x);
  result.round_off =
      4.0 * (leftover * x.norm() + unit * (G.norm() * form.B.norm() + form.D.norm()) + G.norm() * form.B_error.norm());
  result.value = 2.0 * (result.v.adjoint() * H * result.v)(0, 0).real();
  result.value /= result.v.squaredNorm();
  if (!(result.value < -2.0 * result.round_off)) return std::nullopt;
  return result;
}

/// Frequencies worth a look: between those where the form crosses a small negative level, near A's eigenvalues, and
/// over decades; beside the imaginary axis where A has eigenvalues on it.
std::vector<Complex> candidate_frequencies(const StandardForm& form) {
  std::vector<double> omegas{0.0};
  for (int k = -24; k <= 24; ++k) omegas.push_back(std::pow(10.0, k / 4.0));
  const GeneralEigen eigen = general_eigen(form.A);
  bool on_axis = false;
  if (eigen.converged) {
    for (const Complex& value : eigen.values) {
      omegas.push_back(std::abs(value.imag()));
      omegas.push_back(std::abs(value));
      on_axis = on_axis || std::abs(value.real()) < 1e-8;
    }
  }
  const StorageProblem problem{.A = form.A, .B = form.B, .C = form.C, .R = form.D + form.D.transpose()};
  for (const double level : {1e-8, 1e-5, 1e-3}) {
    const Eigen::VectorXd crossings = crossing_frequencies(problem, level, 1e-6);
    for (Index k = 0; k < crossings.size(); ++k) {
      const double before = k > 0 ? crossings[k - 1] : 0.0;
      omegas.push_back(0.5 * (before + crossings[k]));
      if (k + 1 == crossings.size()) omegas.push_back(2.0 * crossings[k]);
    }
  }
  std::vector<Complex> frequencies;
  for (const double omega : omegas) {
    if (!on_axis) frequencies.emplace_back(0.0, omega);
    for (const double share : {1e-6, 1e-3, 0.1, 1.0}) frequencies.emplace_back(share * std::max(omega, 1e-3), omega);
  }
  return frequencies;
}

/// Eigenvalues of A in the open right half plane beyond 1000 times their condition's share of round-off.
std::optional<PassivityWitness> unstable_mode(const StandardForm& form) {
  const GeneralEigen right = general_eigen(form.A), left = general_eigen(form.A.transpose());
  if (!right.converged || !left.converged) return std::nullopt;
  const double noise = static_cast<double>(form.states()) * eps * form.A.norm() + form.A_error.norm();
  for (Index i = 0; i < right.values.size(); ++i) {
    if (!(right.values[i].real() > 1000.0 * noise)) continue;
    Index nearest = 0;
    (left.values.array() - right.values[i]).abs().minCoeff(&nearest);
    const double cosine = std::abs((left.V.col(nearest).transpose() * right.V.col(i))(0, 0));
    const double round_off = 1000.0 * noise / std::max(cosine, 1e-300);
    if (!(right.values[i].real() > round_off)) continue;
    return PassivityWitness{.s = right.values[i],
                            .v = right.V.col(i),
                            .value = right.values[i].real(),
                            .round_off = round_off,
                            .reason = "an eigenvalue of A in the open right half plane"};
  }
  return std::nullopt;
}

/// What follows from D + D^T and C B alone: v with v^T D v < 0; v with D v = -D^T v, B v = 0, C^T v != 0; or
/// v^T C B v <= 0 though B v != 0.
std::optional<PassivityWitness> obstacle_at_infinity(const StandardForm& form) {
  const Index m = form.outputs(), n = form.states();
  const Eigen::MatrixXd R = form.D + form.D.transpose();
  const SymmetricEigen eigen = symmetric_eigen(R);
  if (!eigen.converged) return std::nullopt;
  const double unit = 1000.0 * static_cast<double>(m + n) * eps;
  const double zero =
      unit * (form.D.cwiseAbs().rowwise().sum().maxCoeff() + form.D.cwiseAbs().colwise().sum().maxCoeff());
  const auto found = [&](const Eigen::VectorXd& v, double value, double round_off, std::string_view why) {
    return PassivityWitness{.s = {std::numeric_limits<double>::infinity(), 0.0},
                            .v = v.cast<Complex>(),
                            .value = value,
                            .round_off = round_off,
                            .reason = why};
  };
  if (eigen.values[0] < -zero) return found(eigen.V.col(0), eigen.values[0], zero, "v^T D v < 0");
  // Only a kernel that is one without doubt counts: entries of zero.
  std::vector<Index> rows;
  for (Index i = 0; i < m; ++i) {
    if (R.row(i).isZero(0.0)) rows.push_back(i);
  }
  if (rows.empty()) return std::nullopt;
  for (const Index i : rows) {
    if (form.B.col(i).isZero(0.0) && form.B_error.col(i).isZero(0.0) && !form.C.row(i).isZero(0.0)) {
      return found(Eigen::VectorXd::Unit(m, i), 0.0, 0.0,
                   "an input without effect and feedthrough, but with an output");
    }
  }
  const auto count = static_cast<Index>(rows.size());
  const Eigen::MatrixXd C2 = form.C(rows, Eigen::all), B2 = form.B(Eigen::all, rows);
  const Eigen::MatrixXd CB = C2 * B2;
  const Eigen::MatrixXd error = unit * (C2.cwiseAbs() * B2.cwiseAbs()) + C2.cwiseAbs() * form.B_error(Eigen::all, rows);
  const double round_off = (error + error.transpose()).rowwise().sum().maxCoeff();
  const SymmetricEigen gains = symmetric_eigen(CB + CB.transpose());
  if (!gains.converged) return std::nullopt;
  Eigen::VectorXd v = Eigen::VectorXd::Zero(m);
  for (Index i = 0; i < count; ++i) v[rows[static_cast<std::size_t>(i)]] = gains.V(i, 0);
  if (gains.values[0] < -round_off) return found(v, gains.values[0], round_off, "v^T C B v < 0 without feedthrough");
  // P B = C^T there: C B must be symmetric, and v^T C B v = 0 only with B v = 0.
  for (Index i = 0; i < count; ++i) {
    for (Index j = 0; j < i; ++j) {
      if (std::abs(CB(i, j) - CB(j, i)) > error(i, j) + error(j, i)) {
        v.setZero();
        v[rows[static_cast<std::size_t>(i)]] = v[rows[static_cast<std::size_t>(j)]] = 1.0;
        return found(v, CB(i, j) - CB(j, i), error(i, j) + error(j, i), "C B is not symmetric without feedthrough");
      }
    }
    if (CB(i, i) == 0.0 && error(i, i) == 0.0 && !B2.col(i).isZero(0.0)) {
      return found(Eigen::VectorXd::Unit(m, rows[static_cast<std::size_t>(i)]), 0.0, 0.0,
                   "B v != 0, but P B = C^T and v^T C B v = 0");
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<PassivityWitness> find_passivity_witness(const StandardForm& form) {
  if (const auto witness = obstacle_at_infinity(form)) return witness;
  if (const auto witness = unstable_mode(form)) return witness;
  for (const Complex s : candidate_frequencies(form)) {
    if (const auto witness = negative_form(form, s)) return witness;
  }
  return std::nullopt;
}

}  // namespace nonsmooth::analysis::detail
