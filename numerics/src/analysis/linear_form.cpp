// SPDX-License-Identifier: Apache-2.0
#include "linear_form.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include <internal/check.hpp>
#include <internal/decompositions.hpp>
#include <internal/round_off.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "matrix_tests.hpp"

namespace nonsmooth::analysis {
namespace detail {
namespace {

/// X = M^-1 A and a bound of its error: |M^-1| (|A - M X| + round-off of that).
void solve_with_mass(const LuFactors& factors, const Eigen::MatrixXd& M, const Eigen::MatrixXd& A, Eigen::MatrixXd& X,
                     Eigen::MatrixXd& error) {
  X = factors.solve(A);
  X += factors.solve(Eigen::MatrixXd(A - M * X));
  const double unit = static_cast<double>(M.rows() + 2) * eps;
  const Eigen::MatrixXd residual = (A - M * X).cwiseAbs() + unit * (A.cwiseAbs() + M.cwiseAbs() * X.cwiseAbs());
  error = 2.0 * (factors.inverse().cwiseAbs() * residual);
}

bool is_regular(const Eigen::MatrixXd& M) {
  const BallMatrix ball{.mid = M, .rad = Eigen::MatrixXd::Zero(M.rows(), M.cols())};
  return proves_nonsingular(equilibrate(ball));
}

/// One sweep over the states; whether a unit changed.
bool balance_states(StandardForm& system, Eigen::VectorXd& state) {
  bool changed = false;
  for (Index i = 0; i < system.states(); ++i) {
    const double own = std::abs(system.A(i, i));
    const double row = system.A.row(i).cwiseAbs().sum() - own + system.B.row(i).cwiseAbs().sum();
    const double column = system.A.col(i).cwiseAbs().sum() - own + system.C.col(i).cwiseAbs().sum();
    if (!(row > 0.0) || !(column > 0.0)) continue;
    const double t = power_of_two(std::sqrt(row / column) * std::sqrt(2.0));
    if (t == 1.0) continue;
    changed = true;
    state[i] *= t;
    system.A.row(i) /= t;
    system.A_error.row(i) /= t;
    system.B.row(i) /= t;
    system.B_error.row(i) /= t;
    system.A.col(i) *= t;
    system.A_error.col(i) *= t;
    system.C.col(i) *= t;
  }
  return changed;
}

/// Gains of each port near 1: max(|D_ii|, |c_i||b_i| / |A|).
void scale_ports(StandardForm& system, Eigen::VectorXd& port) {
  const double norm = system.A.norm(), size = norm > 0.0 ? norm : 1.0;
  for (Index i = 0; i < system.outputs(); ++i) {
    const double gain =
        std::max(system.D.row(i).cwiseAbs().maxCoeff(), system.C.row(i).norm() * system.B.col(i).norm() / size);
    const double s = 1.0 / power_of_two(std::sqrt(gain));
    port[i] *= s;
    system.C.row(i) *= s;
    system.B.col(i) *= s;
    system.B_error.col(i) *= s;
    system.D.row(i) *= s;
    system.D.col(i) *= s;
  }
}

}  // namespace

StandardForm standard_form(const LinearComplementaritySystem& system) {
  system.validate();
  const Index n = system.A.rows(), m = system.C.rows();
  StandardForm form{.A = system.A,
                    .B = system.B,
                    .C = system.C,
                    .D = system.D.size() == 0 ? Eigen::MatrixXd(Eigen::MatrixXd::Zero(m, m)) : system.D,
                    .A_error = Eigen::MatrixXd::Zero(n, n),
                    .B_error = Eigen::MatrixXd::Zero(n, m)};
  if (system.M.size() == 0) return form;
  const LuFactors factors(system.M);
  solve_with_mass(factors, system.M, system.A, form.A, form.A_error);
  solve_with_mass(factors, system.M, system.B, form.B, form.B_error);
  return form;
}

BalancedForm balanced(const StandardForm& system) {
  BalancedForm result{.system = system,
                      .state = Eigen::VectorXd::Ones(system.states()),
                      .port = Eigen::VectorXd::Ones(system.outputs())};
  constexpr int most_sweeps = 50;
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    const double norm = result.system.A.norm(), rate = norm > 0.0 ? power_of_two(norm) : 1.0;
    result.rate *= rate;
    result.system.A /= rate;
    result.system.A_error /= rate;
    result.system.B /= rate;
    result.system.B_error /= rate;
    scale_ports(result.system, result.port);
    if (!balance_states(result.system, result.state) && rate == 1.0) break;
  }
  return result;
}

Verdict zero_to_round_off(double x, double round_off) {
  constexpr double sure = 1000.0;
  if (std::abs(x) <= round_off) return Verdict::Holds;
  return std::abs(x) > sure * round_off ? Verdict::Fails : Verdict::NotKnown;
}

}  // namespace detail

void LinearComplementaritySystem::validate() const {
  const std::string name = "analysis::LinearComplementaritySystem::";
  const Index n = A.rows(), m = C.rows();
  if (n == 0) throw InvalidArgument(name + "A", "no rows", "at least one state");
  if (m == 0) throw InvalidArgument(name + "C", "no rows", "at least one output");
  check::shape(name + "A", A.rows(), A.cols(), n, n);
  check::shape(name + "B", B.rows(), B.cols(), n, m);
  check::shape(name + "C", C.rows(), C.cols(), m, n);
  if (D.size() > 0) check::shape(name + "D", D.rows(), D.cols(), m, m);
  if (M.size() > 0) check::shape(name + "M", M.rows(), M.cols(), n, n);
  if (a.size() > 0) check::size(name + "a", a.size(), n, "one a state");
  if (b.size() > 0) check::size(name + "b", b.size(), m, "one an output");
  check::finite(name + "A", ConstMatrixRef(A));
  check::finite(name + "B", ConstMatrixRef(B));
  check::finite(name + "C", ConstMatrixRef(C));
  check::finite(name + "D", ConstMatrixRef(D));
  check::finite(name + "M", ConstMatrixRef(M));
  check::finite(name + "a", ConstVectorRef(a));
  check::finite(name + "b", ConstVectorRef(b));
  if (M.size() > 0 && !detail::is_regular(M)) {
    throw InvalidArgument(name + "M", "a matrix that is singular to round-off", "a regular matrix");
  }
}

}  // namespace nonsmooth::analysis
