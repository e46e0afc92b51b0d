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

constexpr double kNoImpact = 1e-9;     ///< of b^T M b: how far energies of a proof are apart
constexpr Index kMostForVertices = 8;  ///< contacts: 12,870 sets of inequalities

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

  /// min d^T W d - 2 1^T W d over W d >= 0, Theta d = 0, d >= 0: 0 just where all these d have W d = 0. Along the
  /// others impulses may grow for ever, and energy with them.
  [[nodiscard]] Problem directions() const {
    Problem result = program();
    result.c = -2.0 / energy * W.rowwise().sum();
    result.row_lower.setZero();
    return result;
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

/// The s >= 0 at which the energy of from + s d, which rises from s = 0 on, is e b^T M b.
double step_to_energy(const InImpulses& in, const Eigen::VectorXd& from, const Eigen::VectorXd& d) {
  const double a = d.dot(in.W * d) / in.energy, half = d.dot(in.q + in.W * from) / in.energy;
  const double missing = std::max(0.0, in.impact.ratio - 1.0 - in.change(from) / in.energy), rise = std::max(0.0, half);
  return missing > 0.0 ? missing / (rise + std::sqrt(rise * rise + a * missing)) : 0.0;
}

/// p > 0 and w with W p + Theta^T w <= 0, to rounding: p·(q + W lambda) <= p·q of all allowed lambda, so that their u
/// and energies are bounded.
bool bounds_rates(const InImpulses& in, ConstVectorRef p, ConstVectorRef w) {
  if (!(p.minCoeff() >= 0.5)) return false;
  const Eigen::MatrixXd& Theta = in.impact.Theta;
  Eigen::VectorXd sum = in.W * p, terms = in.W.cwiseAbs() * p;
  if (w.size() > 0) sum += Theta.transpose() * w, terms += Theta.cwiseAbs().transpose() * w.cwiseAbs();
  return (sum - 1e-10 * terms).maxCoeff() <= 0.0;
}

/// The vertex of allowed impulses with the most energy, of all that come from m - rank Theta of the 2 m inequalities as
/// equations; those that are off by 1e-7 of their terms count. Bounded energies have their maximum there.
Eigen::VectorXd vertex_of_most_energy(const InImpulses& in) {
  const Index m = in.q.size(), k = in.impact.Theta.rows();
  const Index rank = k > 0 ? FullPivotLu(in.impact.Theta).rank() : 0;
  Eigen::MatrixXd rows(2 * m, m);
  rows << Eigen::MatrixXd::Identity(m, m), in.W;
  Eigen::VectorXd right(2 * m), best;
  right << Eigen::VectorXd::Zero(m), -in.q;
  std::vector<char> chosen(static_cast<std::size_t>(2 * m), 0);
  std::fill(chosen.begin(), chosen.begin() + (m - rank), 1);
  do {
    Eigen::MatrixXd A(m - rank + k, m);
    Eigen::VectorXd b = Eigen::VectorXd::Zero(m - rank + k);
    Index at = 0;
    for (Index i = 0; i < 2 * m; ++i) {
      if (!chosen[static_cast<std::size_t>(i)]) continue;
      A.row(at) = rows.row(i);
      b[at++] = right[i];
    }
    if (k > 0) A.bottomRows(k) = in.impact.Theta;
    FullPivotLu factors;
    factors.set_threshold(1e-12);
    factors.compute(A);
    if (factors.rank() < m) continue;
    const Eigen::VectorXd vertex = factors.solve(b);
    const double size = 1.0 + vertex.lpNorm<Eigen::Infinity>();
    const bool allowed = (A * vertex - b).lpNorm<Eigen::Infinity>() <= 1e-7 * size * A.cwiseAbs().maxCoeff() &&
                         violation_of_signs(in, vertex) <= 1e-7;
    if (allowed && (best.size() == 0 || in.change(vertex) > in.change(best))) best = vertex;
  } while (std::prev_permutation(chosen.begin(), chosen.end()));
  return best;
}

/// Whether no allowed impulses have as much as e b^T M b, where p and w bound their rates: without Theta W p = 0, so
/// that all rates are 0 and all energies that of `least`; else by all vertices.
bool most_is_less(const InImpulses& in, ConstVectorRef least, ConstVectorRef p, ConstVectorRef w) {
  if (!bounds_rates(in, p, w)) return false;
  const double enough = in.impact.ratio - 1.0 - kNoImpact;
  if (in.impact.Theta.rows() == 0) {
    const double rates = in.q.lpNorm<Eigen::Infinity>() + (in.W.cwiseAbs() * least.cwiseAbs()).maxCoeff();
    return (in.q + in.W * least).lpNorm<Eigen::Infinity>() <= 1e-10 * rates && in.change(least) / in.energy < enough;
  }
  if (in.q.size() > kMostForVertices) return false;
  const Eigen::VectorXd most = vertex_of_most_energy(in);
  return most.size() > 0 && in.change(most) / in.energy < enough;
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
bool line_has_none(const InImpulses& in, const Eigen::VectorXd& d) {
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

void on_the_line(const InImpulses& in, const Eigen::VectorXd& d, double tolerance, EnergeticImpactResult& result) {
  for (const double s : roots(in, d)) keep(in, s * d, tolerance, result);
  if (!result.solutions.empty()) return end(result, Status::Solved, "the roots on the line that the law leaves");
  if (!line_has_none(in, d))
    return end(result, Status::Stalled,
               "the roots on the line that the law leaves are within rounding of the conditions");
  result.proof = Eigen::VectorXd::Zero(2 * d.size() + in.impact.Theta.rows());
  result.proof.head(d.size()) = d;
  end(result, Status::Infeasible, "no root on the line that the law leaves keeps the signs");
}

/// From the least energy up: along the plastic impulses, along others that stay inside for ever, or to the vertex of
/// most energy. Allowed impulses are convex, so that the energies between are met on the way.
void from_the_plastic_impact(const InImpulses& in, const Eigen::VectorXd& least, double tolerance,
                             EnergeticImpactResult& result) {
  const Index m = least.size(), k = in.impact.Theta.rows();
  const auto along = [&](const Eigen::VectorXd& d, std::string_view reason) {
    keep(in, least + step_to_energy(in, least, d) * d, tolerance, result);
    if (!result.solutions.empty()) end(result, Status::Solved, reason);
    return !result.solutions.empty();
  };
  if (along(least, "on from the plastic impact along its impulses")) return;
  const Result outward = solve(in.directions(), DualActiveSet{});
  result.iterations += outward.iterations;
  if (!outward.ok()) return end(result, outward.status, outward.reason);
  const Eigen::VectorXd& d = outward.x;
  if (d.dot(in.W * d) > 1e-12 * d.cwiseAbs().dot(in.W.cwiseAbs() * d.cwiseAbs()) &&
      along(d, "on from the plastic impact along impulses that keep all conditions"))
    return;
  if (k > 0 && m <= kMostForVertices) {
    const Eigen::VectorXd most = vertex_of_most_energy(in);
    if (most.size() > 0 && in.change(most) / in.energy >= in.impact.ratio - 1.0 &&
        along(most - least, "between the plastic impact and the vertex of most energy"))
      return;
  }
  result.proof = Eigen::VectorXd::Zero(2 * m + k);
  result.proof.head(m) = least;
  result.proof.segment(m, m) = Eigen::VectorXd::Ones(m) + 0.5 * in.energy * outward.y.head(m);
  result.proof.tail(k) = 0.5 * in.energy * outward.y.tail(k);
  if (most_is_less(in, least, result.proof.segment(m, m), result.proof.tail(k)))
    return end(result, Status::Infeasible, "more energy than any impulses that the conditions allow leave");
  result.proof.resize(0);
  end(result, Status::Stalled, "impulses are bounded, and their greatest energy is not known");
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
    on_the_line(in, directions.col(0), tolerance, result);
  } else {
    from_the_plastic_impact(in, least, tolerance, result);
  }
  if (result.solutions.empty()) result.certificate.residual = std::numeric_limits<double>::quiet_NaN();
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
    return line_has_none(in, directions.col(0));
  if (proof.head(m).isZero(0.0) && proves_infeasible(program, proof.tail(m + k))) return true;
  if (most_is_less(in, proof.head(m), proof.segment(m, m), proof.tail(k))) return true;
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
