// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/qp/energetic_impact.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <internal/check.hpp>
#include <internal/decompositions.hpp>
#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/qp/dual_active_set.hpp>

namespace nonsmooth::qp {
namespace {

constexpr double kNoImpact = 1e-9;  ///< of b^T M b: how far energies of a proof are apart

/// The impact in its impulses.
struct InImpulses {
  explicit InImpulses(const EnergeticImpact& given) : impact(given) {
    const CholeskyFactors mass(given.M);
    P = given.H;
    for (Index j = 0; j < P.cols(); ++j) mass.solve_in_place(P.col(j));
    W = given.H.transpose() * P;
    W = 0.5 * (W + W.transpose()).eval();
    q = given.H.transpose() * given.b;
    energy = given.b.dot(given.M * given.b);
  }

  [[nodiscard]] double change(const Eigen::VectorXd& lambda) const {
    return lambda.dot(W * lambda) + 2.0 * q.dot(lambda);
  }

  /// min change(lambda) over W lambda >= -q, Theta lambda = 0, lambda >= 0; in units of the energy.
  [[nodiscard]] Problem program() const {
    const Index m = q.size(), k = impact.Theta.rows();
    Problem program{.Q = 2.0 / energy * W, .c = 2.0 / energy * q, .A = Eigen::MatrixXd::Zero(m + k, m)};
    program.A.topRows(m) = W;
    if (k > 0) program.A.bottomRows(k) = impact.Theta;
    program.row_lower = program.row_upper = Eigen::VectorXd::Zero(m + k);
    program.row_lower.head(m) = -q;
    program.row_upper.head(m).setConstant(std::numeric_limits<double>::infinity());
    program.lower = Eigen::VectorXd::Zero(m);
    return program;
  }

  const EnergeticImpact& impact;
  Eigen::MatrixXd P, W;  ///< M^-1 H, H^T M^-1 H
  Eigen::VectorXd q;
  double energy = 0.0;
};

/// The largest violation of H^T u >= 0 and lambda >= 0, each relative to its own terms.
double violation_of_signs(const InImpulses& in, const Eigen::VectorXd& lambda) {
  const double size = lambda.size() > 0 ? lambda.lpNorm<Eigen::Infinity>() : 0.0;
  const Eigen::VectorXd rate = in.q + in.W * lambda;
  const double rates = in.q.lpNorm<Eigen::Infinity>() + (in.W.cwiseAbs() * lambda.cwiseAbs()).maxCoeff();
  double worst = rates > 0.0 ? std::max(0.0, -rate.minCoeff() / rates) : 0.0;
  if (size > 0.0) worst = std::max(worst, -lambda.minCoeff() / size);
  return worst;
}

/// The same with the energy and the law.
double violation(const InImpulses& in, const Eigen::VectorXd& lambda) {
  const EnergeticImpact& impact = in.impact;
  const double size = lambda.size() > 0 ? lambda.lpNorm<Eigen::Infinity>() : 0.0;
  double worst = std::max(violation_of_signs(in, lambda), std::abs(in.change(lambda) / in.energy + 1.0 - impact.ratio));
  if (impact.Theta.rows() > 0 && size > 0.0) {
    const double terms = (impact.Theta.cwiseAbs() * lambda.cwiseAbs()).maxCoeff();
    if (terms > 0.0) worst = std::max(worst, (impact.Theta * lambda).lpNorm<Eigen::Infinity>() / terms);
  }
  return worst;
}

/// Roots s of change(s d) = (e - 1) b^T M b, ascending; none where there are none.
std::vector<double> roots(const InImpulses& in, const Eigen::VectorXd& d) {
  const double a = d.dot(in.W * d) / in.energy, half = in.q.dot(d) / in.energy, c = 1.0 - in.impact.ratio;
  if (!(a > 0.0)) return {};
  double square = half * half - a * c;
  if (std::abs(square) <= 1e-14 * (half * half + a * c)) square = 0.0;  // a double root, rounded
  if (square < 0.0) return {};
  const double root = std::sqrt(square), far = half <= 0.0 ? (root - half) / a : (-half - root) / a;
  const double near = far != 0.0 ? c / (a * far) : 0.0;
  if (square == 0.0) return {far};
  return {std::min(near, far), std::max(near, far)};
}

/// {lambda : Theta lambda = 0}, column by column.
Eigen::MatrixXd directions_of(const EnergeticImpact& impact) {
  const Index m = impact.H.cols();
  if (impact.Theta.rows() == 0) return Eigen::MatrixXd::Identity(m, m);
  const FullPivotLu law(impact.Theta);
  return law.rank() == m ? Eigen::MatrixXd(m, 0) : law.kernel();
}

/// Whether both roots on the one line that the law leaves break a sign by more than rounding moves them, 1e-6: that of
/// a double root, the square root of eps, and what condition numbers make of it.
bool line_has_none(const InImpulses& in, const Eigen::MatrixXd& directions) {
  if (directions.cols() != 1) return false;
  const Eigen::VectorXd d = directions.col(0);
  if (!(d.dot(in.W * d) > 1e-12 * d.cwiseAbs().dot(in.W.cwiseAbs() * d.cwiseAbs()))) return false;
  const std::vector<double> found = roots(in, d);
  if (found.empty()) return false;  // weak duality shows that there is none
  return std::all_of(found.begin(), found.end(), [&](double s) { return violation_of_signs(in, s * d) > 1e-6; });
}

void keep(const InImpulses& in, const Eigen::VectorXd& lambda, double tolerance, EnergeticImpactResult& result) {
  const double worst = violation(in, lambda);
  if (!(worst <= tolerance)) return;
  result.solutions.push_back({.u = in.impact.b + in.P * lambda, .lambda = lambda});
  result.certificate.residual = std::max(worst, result.solutions.size() > 1 ? result.certificate.residual : 0.0);
}

void end(EnergeticImpactResult& result, Status status, std::string_view reason) {
  result.status = status;
  result.reason = reason;
}

}  // namespace

void EnergeticImpact::validate() const {
  const Index n = b.size(), m = H.cols();
  check::at_least("EnergeticImpact::b: entries", n, 1);
  check::at_least("EnergeticImpact::H: columns", m, 1);
  check::shape("EnergeticImpact::M", M.rows(), M.cols(), n, n);
  check::shape("EnergeticImpact::H", H.rows(), m, n, m);
  if (Theta.size() > 0) check::shape("EnergeticImpact::Theta", Theta.rows(), Theta.cols(), Theta.rows(), m);
  check::finite("EnergeticImpact::M", ConstMatrixRef(M));
  check::finite("EnergeticImpact::H", ConstMatrixRef(H));
  check::finite("EnergeticImpact::b", ConstVectorRef(b));
  check::finite("EnergeticImpact::Theta", ConstMatrixRef(Theta));
  check::range("EnergeticImpact::ratio", ratio, 0.0, 1.0);
  if (b.isZero(0.0)) throw InvalidArgument("EnergeticImpact::b", "zero", "velocities of an impact");
  if ((M - M.transpose()).norm() > 1e-12 * M.norm() || !is_positive_definite(M))
    throw InvalidArgument("EnergeticImpact::M", "a matrix that is not symmetric positive definite", "a mass");
}

EnergeticImpactResult solve(const EnergeticImpact& impact, double tolerance) {
  impact.validate();
  check::positive("solve: tolerance", tolerance);
  const InImpulses in(impact);
  const Index m = in.q.size(), k = impact.Theta.rows();
  EnergeticImpactResult result;
  result.solver = "plastic impact and a ray";
  const Eigen::MatrixXd directions = directions_of(impact);
  result.free_parameters = std::max<Index>(directions.cols() - 1, 0);

  const Result plastic = solve(in.program(), DualActiveSet{});
  result.iterations = plastic.iterations;
  result.least_ratio = std::numeric_limits<double>::quiet_NaN();
  if (plastic.status == Status::Infeasible) {
    result.proof = Eigen::VectorXd::Zero(2 * m + k);
    result.proof.tail(m + k) = plastic.proof;
    const bool proven = proves_no_impact(impact, result.proof);
    if (!proven) result.proof.resize(0);
    end(result, proven ? Status::Infeasible : Status::Stalled, "no impulses keep the contacts from going on");
    return result;
  }
  if (!plastic.ok()) {
    end(result, plastic.status, plastic.reason);
    return result;
  }
  const Eigen::VectorXd least = plastic.x;
  result.least_ratio = 1.0 + in.change(least) / in.energy;
  if (result.least_ratio > impact.ratio + kNoImpact) {
    result.proof.resize(2 * m + k);
    result.proof << least, plastic.y;
    if (proves_no_impact(impact, result.proof)) {
      end(result, Status::Infeasible, "less energy than the plastic impact leaves");
      return result;
    }
    result.proof.resize(0);
  }
  result.certificate.residual = 0.0;
  if (directions.cols() == 1) {
    for (const double s : roots(in, directions.col(0))) keep(in, s * directions.col(0), tolerance, result);
  } else if (least.isZero(0.0)) {  // nothing approaches: b itself
    keep(in, least, tolerance, result);
  } else {
    const std::vector<double> found = roots(in, least);
    const double s = found.empty() ? 1.0 : found.back();  // the plastic impact itself, rounded
    keep(in, s * least, tolerance, result);
  }
  if (!result.solutions.empty()) {
    end(result, Status::Solved,
        directions.cols() == 1 ? "the roots on the line that the law leaves"
                               : "the larger root along the plastic impulses");
    return result;
  }
  result.certificate.residual = std::numeric_limits<double>::quiet_NaN();
  if (line_has_none(in, directions)) {
    result.proof = Eigen::VectorXd::Zero(2 * m + k);
    result.proof.head(m) = directions.col(0);
    end(result, Status::Infeasible, "no root on the line that the law leaves keeps the signs");
  } else if (directions.cols() == 1) {
    end(result, Status::Stalled, "the roots on the line that the law leaves are within rounding of the conditions");
  } else {
    end(result, Status::Stalled, "the ray of the plastic impulses leaves the conditions: not known");
  }
  return result;
}

bool proves_no_impact(const EnergeticImpact& impact, ConstVectorRef proof) {
  impact.validate();
  const InImpulses in(impact);
  const Index m = in.q.size(), k = impact.Theta.rows();
  check::size("proves_no_impact: proof", proof.size(), 2 * m + k, "lambda, and multipliers of H^T u and Theta lambda");
  const Problem program = in.program();
  const Eigen::MatrixXd directions = directions_of(impact);
  if (directions.cols() == 1 && proof.tail(m + k).isZero(0.0) && proof.head(m) == directions.col(0))
    return line_has_none(in, directions);
  if (proof.head(m).isZero(0.0) && proves_infeasible(program, proof.tail(m + k))) return true;
  // change / energy = 1/2 x^T Q x + c^T x >= -1/2 x^T Q x + y^T row_lower where s = Q x + c - A^T y >= 0 and y >= 0.
  const auto x = proof.head(m), y = proof.tail(m + k);
  const Eigen::VectorXd curved = program.Q * x, terms = program.A.cwiseAbs().transpose() * y.cwiseAbs();
  const Eigen::VectorXd s = curved + program.c - program.A.transpose() * y;
  for (Index j = 0; j < m; ++j) {
    const double rounding = 1e-12 * (std::abs(curved[j]) + std::abs(program.c[j]) + terms[j]);
    if (!(y[j] >= 0.0) || !(s[j] >= -rounding)) return false;
  }
  const double bound = -0.5 * x.dot(curved) + y.head(m).dot(program.row_lower.head(m));
  return bound > impact.ratio - 1.0 + kNoImpact;
}

}  // namespace nonsmooth::qp
