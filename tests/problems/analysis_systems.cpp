// SPDX-License-Identifier: Apache-2.0
#include "analysis_systems.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>

#include "random_matrices.hpp"

namespace nonsmooth::problems {
namespace {

using analysis::LinearComplementaritySystem;
using Judgement = analysis::Verdict;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// A product of n reflections.
MatrixXd orthogonal(Random& random, Index n) {
  MatrixXd Q = MatrixXd::Identity(n, n);
  for (Index i = 0; i < n; ++i) {
    const VectorXd v = entries(random, n, 1);
    const Eigen::RowVectorXd along = v.transpose() * Q;
    Q -= (2.0 / v.squaredNorm()) * v * along;
  }
  return Q;
}
/// Condition 1 to 100.
MatrixXd definite_matrix(Random& random, Index n) {
  const MatrixXd Q = orthogonal(random, n);
  const VectorXd values = VectorXd::NullaryExpr(n, [&] { return std::pow(10.0, uniform(random, -1.0, 1.0)); });
  const MatrixXd P = Q * values.asDiagonal() * Q.transpose();
  return 0.5 * (P + P.transpose());
}
/// Units of states over some decades now and then.
MatrixXd state_units(Random& random, Index n) {
  const MatrixXd Q = orthogonal(random, n);
  VectorXd d = VectorXd::NullaryExpr(n, [&] { return std::pow(2.0, uniform(random, -1.0, 1.0)); });
  return Q * d.asDiagonal();
}
void change_states(LinearComplementaritySystem& system, const MatrixXd& T) {
  const MatrixXd inverse = T.inverse();
  system.A = (T * system.A * inverse).eval();
  system.B = (T * system.B).eval();
  system.C = (system.C * inverse).eval();
}

/// Port-Hamiltonian: A = (J - R) P, B = G - K, C = (G + K)^T P, D = S + N with [R, K; K^T, S] >= 0 of the given rank:
/// K(P) = 2 [P R P, P K; K^T P, S].
ClassifiedSystem port_hamiltonian(Random& random, Index n, Index m, Index rank, bool feedthrough) {
  const MatrixXd P = definite_matrix(random, n);
  MatrixXd L = entries(random, n + m, rank);
  if (!feedthrough) L.bottomRows(m).setZero();
  MatrixXd Q = L * L.transpose();
  if (rank == n + m) Q.diagonal().array() += 0.05;  // decay at a rate that is no accident
  if (rank == n && !feedthrough) Q.diagonal().head(n).array() += 0.05;
  const MatrixXd G = entries(random, n, m), R = Q.topLeftCorner(n, n), K = Q.topRightCorner(n, m);
  ClassifiedSystem result;
  result.system = {.A = (skew(random, n) - R) * P,
                   .B = G - K,
                   .C = (G + K).transpose() * P,
                   .D = Q.bottomRightCorner(m, m) + (feedthrough ? skew(random, m) : MatrixXd::Zero(m, m))};
  result.passive = 1;
  result.exists = result.unique = 1;
  return result;
}

/// Other units of states, ports and time, over some decades, and a mass matrix, now and then.
void change_units(Random& random, LinearComplementaritySystem& s) {
  const Index n = s.A.rows(), m = s.C.rows();
  if (random() % 4 == 0) {
    const auto power = [&] { return std::pow(10.0, uniform(random, -4.0, 4.0)); };
    const VectorXd x = VectorXd::NullaryExpr(n, power), ports = VectorXd::NullaryExpr(m, power);
    const double rate = power();
    s.A = (rate * (x.asDiagonal() * s.A * x.cwiseInverse().asDiagonal())).eval();
    s.B = (rate * (x.asDiagonal() * s.B * ports.asDiagonal())).eval();
    s.C = (ports.asDiagonal() * s.C * x.cwiseInverse().asDiagonal()).eval();
    s.D = (ports.asDiagonal() * s.D * ports.asDiagonal()).eval();
  }
  if (random() % 4 == 0) {
    s.M = definite_matrix(random, n);
    s.A = (s.M * s.A).eval();
    s.B = (s.M * s.B).eval();
  }
}

double least_eigenvalue(const MatrixXd& symmetric) {
  return Eigen::SelfAdjointEigenSolver<MatrixXd>(symmetric, Eigen::EigenvaluesOnly).eigenvalues()[0];
}

/// The least eigenvalue of H(i w) + H(i w)^*, complex numbers written as 2 x 2 blocks [x, -y; y, x], which have each
/// eigenvalue twice.
double frequency_form(const LinearComplementaritySystem& s, double omega) {
  const Index n = s.A.rows(), m = s.C.rows();
  MatrixXd pencil = MatrixXd::Zero(2 * n, 2 * n), B = MatrixXd::Zero(2 * n, 2 * m);
  pencil.topLeftCorner(n, n) = -s.A;
  pencil.bottomRightCorner(n, n) = -s.A;
  pencil.topRightCorner(n, n).diagonal().setConstant(-omega);
  pencil.bottomLeftCorner(n, n).diagonal().setConstant(omega);
  B.topLeftCorner(n, m) = s.B;
  B.bottomRightCorner(n, m) = s.B;
  const MatrixXd x = Eigen::PartialPivLU<MatrixXd>(pencil).solve(B);
  MatrixXd H(2 * m, 2 * m);
  H.topLeftCorner(m, m) = s.C * x.topLeftCorner(n, m) + s.D;
  H.bottomLeftCorner(m, m) = s.C * x.bottomLeftCorner(n, m);
  H.topRightCorner(m, m) = -H.bottomLeftCorner(m, m);
  H.bottomRightCorner(m, m) = H.topLeftCorner(m, m);
  return least_eigenvalue(H + H.transpose());
}

/// Passive but for a band around a frequency in which the form is pushed below zero by `share` of its size.
ClassifiedSystem planted_frequency(Random& random, Index n, Index m) {
  ClassifiedSystem result = port_hamiltonian(random, n, m, n + m, true);
  result.name = "not passive, planted frequency";
  result.exists = result.unique = -1;
  const double omega = std::pow(10.0, uniform(random, -1.5, 1.5));
  const double form = frequency_form(result.system, omega);
  result.system.D.diagonal().array() -= 0.5 * form + uniform(random, 0.005, 0.2) * (1.0 + form);
  result.passive = result.strictly_passive = 0;
  return result;
}

/// Chains of integrators with the degrees r_i, decoupling matrix E, internal dynamics; hidden by a change of states.
ClassifiedSystem chains(Random& random, const std::vector<Index>& degrees, Index internal, const MatrixXd& E) {
  const auto m = static_cast<Index>(degrees.size());
  const Index total = std::accumulate(degrees.begin(), degrees.end(), Index{0}), n = total + internal;
  LinearComplementaritySystem s{.A = MatrixXd::Zero(n, n), .B = MatrixXd::Zero(n, m), .C = MatrixXd::Zero(m, n)};
  Index row = 0;
  for (Index i = 0; i < m; ++i) {
    s.C(i, row) = 1.0;
    for (Index k = 0; k + 1 < degrees[static_cast<std::size_t>(i)]; ++k, ++row) s.A(row, row + 1) = 1.0;
    s.A.row(row) = entries(random, 1, n);
    s.B.row(row) = E.row(i);
    ++row;
  }
  s.A.bottomRows(internal) = entries(random, internal, n);
  ClassifiedSystem result;
  result.degrees = degrees;
  result.A_xi = s.A.bottomRightCorner(internal, internal);
  change_states(s, state_units(random, n));
  result.system = s;
  return result;
}

/// Entries in [-1, 1], singular values above 0.2.
MatrixXd regular(Random& random, Index m) {
  while (true) {
    const MatrixXd E = entries(random, m, m);
    if (least_eigenvalue(E.transpose() * E) > 0.2 * 0.2) return E;
  }
}

ClassifiedSystem of_degrees(Random& random, bool regular_decoupling) {
  const Index m = whole(random, regular_decoupling ? 1 : 2, 3);
  const bool uniform = random() % 2 == 0;
  const Index r = whole(random, 1, m == 1 ? 5 : 2);
  std::vector<Index> degrees;
  Index total = 0;
  for (Index i = 0; i < m; ++i) {
    degrees.push_back(uniform ? r : whole(random, 1, m == 1 ? 5 : 3));
    total += degrees.back();
  }
  MatrixXd E = regular(random, m);
  if (!regular_decoupling) E.row(m - 1) = E.topRows(m - 1).colwise().sum();
  ClassifiedSystem result = chains(random, degrees, whole(random, 0, std::max<Index>(0, 8 - total)), E);
  result.name = regular_decoupling ? (uniform ? "uniform relative degree" : "vector relative degree")
                                   : "singular decoupling matrix";
  result.regular_decoupling = regular_decoupling ? 1 : 0;
  if (!regular_decoupling) result.A_xi.resize(0, 0);
  if (m == 1) {
    result.exists = result.unique = E(0, 0) > 0.0 ? 1 : 0;
  }
  return result;
}

/// An output of a part that no input drives.
ClassifiedSystem unreached(Random& random) {
  const Index own = whole(random, 1, 3);
  ClassifiedSystem result = chains(random, {2}, 1, regular(random, 1));
  const Index n = result.system.A.rows();
  LinearComplementaritySystem s{
      .A = MatrixXd::Zero(n + own, n + own), .B = MatrixXd::Zero(n + own, 2), .C = MatrixXd::Zero(2, n + own)};
  s.A.topLeftCorner(n, n) = result.system.A;
  s.A.bottomRightCorner(own, own) = entries(random, own, own);
  s.A.topRightCorner(n, own) = entries(random, n, own);
  s.B.topLeftCorner(n, 1) = result.system.B;
  s.C.topLeftCorner(1, n) = result.system.C;
  s.C.bottomRightCorner(1, own) = entries(random, 1, own);
  change_states(s, state_units(random, n + own));
  ClassifiedSystem hidden;
  hidden.name = "an output that is never reached";
  hidden.system = s;
  hidden.infinite = true;
  hidden.exists = 0;
  return hidden;
}

/// [A_11 A_12; 0 A_22], (B_1; 0): A_22's states are not reached. Its transpose for observability.
ClassifiedSystem unreachable(Random& random) {
  const Index n = whole(random, 2, 8), m = whole(random, 1, 3), missing = whole(random, 0, n - 1);
  LinearComplementaritySystem s{.A = entries(random, n, n), .B = entries(random, n, m), .C = entries(random, m, n)};
  s.A.bottomLeftCorner(missing, n - missing).setZero();
  s.B.bottomRows(missing).setZero();
  change_states(s, state_units(random, n));
  ClassifiedSystem result;
  const bool transposed = random() % 2 == 0;
  result.name = transposed ? "unobservable states" : "uncontrollable states";
  if (transposed) {
    s.A.transposeInPlace();
    const MatrixXd B = s.C.transpose();
    s.C = s.B.transpose().eval();
    s.B = B;
    result.unobservable = missing;
  } else {
    result.uncontrollable = missing;
  }
  result.system = s;
  return result;
}

/// D a P-matrix that is not definite.
ClassifiedSystem p_feedthrough(Random& random) {
  const Index n = whole(random, 1, 8), m = whole(random, 1, 3);
  ClassifiedSystem result;
  result.name = "D is P";
  result.system = {.A = entries(random, n, n), .B = entries(random, n, m), .C = entries(random, m, n)};
  const MatrixXd full = 4.0 * entries(random, m, m);
  result.system.D = full.triangularView<Eigen::Upper>();
  result.system.D.diagonal() = result.system.D.diagonal().cwiseAbs().array() + 0.1;
  result.exists = result.unique = 1;
  return result;
}

}  // namespace

ClassifiedSystem random_classified_system(int family, Random& random) {
  const Index n = whole(random, 1, 8), m = whole(random, 1, std::min<Index>(3, n));
  ClassifiedSystem result;
  switch (family) {
    case 0:
      result = port_hamiltonian(random, n, m, n + m, true);
      result.name = "passive, dissipation of full rank";
      change_units(random, result.system);
      result.strictly_passive = 1;
      return result;
    case 1:
      result = port_hamiltonian(random, n, m, n, false);
      result.name = "passive, no feedthrough, dissipation of full rank";
      change_units(random, result.system);
      result.strictly_passive = 1;
      return result;
    case 2:
      result = port_hamiltonian(random, n, m, whole(random, 1, n + m - 1), true);
      result.name = "passive, dissipation of part rank";
      return result;
    case 3:
      result = port_hamiltonian(random, n, m, 0, random() % 2 == 0);
      result.name = "lossless";
      result.strictly_passive = 0;
      return result;
    case 4:
      return planted_frequency(random, n, m);
    case 5:
      return of_degrees(random, true);
    case 6:
      return random() % 2 == 0 ? of_degrees(random, false) : unreached(random);
    case 7:
      return unreachable(random);
    default:
      return p_feedthrough(random);
  }
}

double storage_defect(const LinearComplementaritySystem& s, const MatrixXd& P) {
  const Index n = s.A.rows(), m = s.C.rows();
  const double infinity = std::numeric_limits<double>::infinity();
  if (P.rows() != n || P.diagonal().minCoeff() <= 0.0) return infinity;
  const MatrixXd mass = s.M.size() > 0 ? s.M : MatrixXd::Identity(n, n),
                 D = s.D.size() > 0 ? s.D : MatrixXd::Zero(m, m);
  const Eigen::PartialPivLU<MatrixXd> factors(mass);
  const MatrixXd A = factors.solve(s.A), B = factors.solve(s.B);
  // Units in which P_ii = 1, and the largest term of a port is 1.
  VectorXd d(n + m);
  d.head(n) = P.diagonal().cwiseSqrt().cwiseInverse();
  const MatrixXd scaled = d.head(n).asDiagonal() * P * d.head(n).asDiagonal();
  if (least_eigenvalue(scaled) <= 0.0) return infinity;
  MatrixXd K(n + m, n + m);
  K << -(A.transpose() * P + P * A), s.C.transpose() - P * B, s.C - B.transpose() * P, D + D.transpose();
  const double rate = (scaled * (d.head(n).cwiseInverse().asDiagonal() * A * d.head(n).asDiagonal())).norm();
  d.head(n) /= std::sqrt(rate > 0.0 ? rate : 1.0);
  for (Index i = 0; i < m; ++i) {
    const double coupling = (d.head(n).asDiagonal() * s.C.row(i).transpose()).norm();
    d[n + i] = 1.0 / std::max(std::sqrt(std::abs(D(i, i))), coupling);
  }
  return std::max(0.0, -least_eigenvalue(d.asDiagonal() * K * d.asDiagonal()));
}

namespace {

Judgement verdict_of(bool holds) { return holds ? Judgement::Holds : Judgement::Fails; }

void judge_degree(const ClassifiedSystem& instance, std::vector<SystemVerdict>& verdicts) {
  using analysis::DegreeKind;
  const analysis::RelativeDegree degree = analysis::relative_degree(instance.system);
  if (instance.infinite) {
    verdicts.push_back(
        {"infinite degree",
         degree.kind == DegreeKind::NotKnown ? Judgement::NotKnown : verdict_of(degree.kind == DegreeKind::Infinite),
         true});
    return;
  }
  const bool known = degree.kind != DegreeKind::NotKnown;
  verdicts.push_back({"degrees", known ? verdict_of(degree.of_output == instance.degrees) : Judgement::NotKnown, true});
  verdicts.push_back({"regular decoupling", degree.regular.verdict, instance.regular_decoupling == 1});
  const analysis::ZeroDynamics form = analysis::zero_dynamics(instance.system);
  verdicts.push_back({"zero dynamics", form.exists, instance.regular_decoupling == 1});
  if (form.exists != Judgement::Holds || instance.A_xi.size() == 0) return;
  // Similar matrices: the same characteristic polynomial, at some points.
  bool same = form.A_xi.rows() == instance.A_xi.rows() && form.residual < 1e-6 * (1.0 + form.A_z.cwiseAbs().maxCoeff());
  for (const double t : {-3.0, 0.7, 2.0}) {
    const MatrixXd I = MatrixXd::Identity(instance.A_xi.rows(), instance.A_xi.rows());
    if (same)
      same = std::abs((t * I - form.A_xi).determinant() - (t * I - instance.A_xi).determinant()) <
             1e-7 * std::pow(std::abs(t) + instance.A_xi.norm(), static_cast<double>(I.rows()));
  }
  verdicts.push_back({"internal dynamics", verdict_of(same), true});
}

/// `missing` states are not reached, or not observed.
SystemVerdict dimension_of(const analysis::ReachableSpace& space, Index missing) {
  const bool told = space.complete.verdict != Judgement::NotKnown;
  return {"dimension", told ? verdict_of(space.missing.cols() == missing) : Judgement::NotKnown, true};
}

}  // namespace

std::vector<SystemVerdict> judge_system(const ClassifiedSystem& instance) {
  std::vector<SystemVerdict> verdicts;
  if (!instance.degrees.empty() || instance.infinite) judge_degree(instance, verdicts);
  if (instance.passive >= 0) {
    const analysis::Passivity found = analysis::passivity(instance.system);
    verdicts.push_back({"passive", found.passive.verdict, instance.passive == 1});
    if (found.passive.holds())
      verdicts.push_back({"storage function", verdict_of(storage_defect(instance.system, found.P) < 1e-11), true});
    if (instance.strictly_passive >= 0)
      verdicts.push_back({"strictly passive", found.strictly_passive.verdict, instance.strictly_passive == 1});
  }
  const MatrixXd &A = instance.system.A, &B = instance.system.B, &C = instance.system.C;
  if (instance.uncontrollable >= 0) {
    const analysis::ReachableSpace space = analysis::controllability(instance.system);
    verdicts.push_back({"controllable", space.complete.verdict, instance.uncontrollable == 0});
    verdicts.push_back(dimension_of(space, instance.uncontrollable));
    const double leak = (space.missing.transpose() * A * B).norm() + (space.missing.transpose() * B).norm();
    verdicts.push_back({"unreached directions", verdict_of(leak < 1e-10), true});
  }
  if (instance.unobservable >= 0) {
    const analysis::ReachableSpace space = analysis::observability(instance.system);
    verdicts.push_back({"observable", space.complete.verdict, instance.unobservable == 0});
    verdicts.push_back(dimension_of(space, instance.unobservable));
    const double leak = (C * A * space.missing).norm() + (C * space.missing).norm();
    verdicts.push_back({"unobserved directions", verdict_of(leak < 1e-10), true});
  }
  if (instance.exists >= 0 || instance.unique >= 0) {
    const analysis::WellPosedness found = analysis::examine_solutions(instance.system);
    if (instance.exists >= 0) verdicts.push_back({"solutions exist", found.existence, instance.exists == 1});
    if (instance.unique >= 0) verdicts.push_back({"solutions are unique", found.uniqueness, instance.unique == 1});
  }
  return verdicts;
}

}  // namespace nonsmooth::problems
