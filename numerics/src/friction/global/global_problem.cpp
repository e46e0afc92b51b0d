// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/friction/global_problem.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "global_bodies.hpp"
#include "global_internal.hpp"
#include "message.hpp"
#include "mixed/cone_errors.hpp"
#include "mixed/hidden_error.hpp"
#include "mixed/local.hpp"
#include "relative_rows.hpp"
#include "rolling_cone.hpp"
#include "set_kernels.hpp"
#include "solved_to_round_off.hpp"

namespace nonsmooth::friction {
namespace {

using Sparse = Eigen::SparseMatrix<double>;

bool is_supported(SetKind kind) noexcept {
  return kind == SetKind::Coulomb2D || kind == SetKind::Coulomb3D || kind == SetKind::Rolling ||
         kind == SetKind::Orthant || kind == SetKind::Free;
}

void check_entries(const char* argument, const Sparse& matrix) {
  if (matrix.isCompressed() && Eigen::Map<const Eigen::VectorXd>(matrix.valuePtr(), matrix.nonZeros()).allFinite())
    return;
  for (Index j = 0; j < matrix.outerSize(); ++j)
    for (Sparse::InnerIterator entry(matrix, j); entry; ++entry)
      if (!std::isfinite(entry.value()))
        throw InvalidArgument(
            argument,
            std::to_string(entry.value()) + " at row " + std::to_string(entry.row()) + ", column " + std::to_string(j),
            "a finite number");
}

std::string shape(const Sparse& matrix) {
  return std::to_string(matrix.rows()) + " x " + std::to_string(matrix.cols());
}

void require_contacts(const GlobalProblem& problem) {
  if (problem.w.size() == 0)
    throw InvalidArgument("friction::GlobalProblem::w", "no entries", "at least one contact to reduce to");
}

}  // namespace

void GlobalProblem::validate() const {
  const Index n = A.rows(), m = w.size();
  if (n == 0 || A.cols() != n) throw InvalidArgument("friction::GlobalProblem::A", shape(A), "a square matrix");
  check::size("friction::GlobalProblem::f", f.size(), n, "one a row of A");
  check::size("friction::GlobalProblem::w", m, K.num_rows(), "one a row of K");
  if (H.rows() != m || (m > 0 && H.cols() != n))
    throw InvalidArgument("friction::GlobalProblem::H", shape(H),
                          std::to_string(m) + " x " + std::to_string(n) + ", as w and A say");
  check_entries("friction::GlobalProblem::A", A);
  check_entries("friction::GlobalProblem::H", H);
  check::finite("friction::GlobalProblem::f", ConstVectorRef(f));
  check::finite("friction::GlobalProblem::w", ConstVectorRef(w));
  for (Index b = 0; b < K.num_blocks(); ++b)
    if (!is_supported(K[b].kind))
      throw InvalidArgument("friction::GlobalProblem::K", "another set in block " + std::to_string(b),
                            "Coulomb2D, Coulomb3D, Rolling, Orthant or Free");
}

std::string GlobalResult::message() const {
  return detail::message(*this,
                         {.stalled = "look at the worst row: a redundant contact, or a tolerance below round-off",
                          .infeasible = "look at the contacts that the nonzero entries of `proof` name",
                          .numerical_failure = "look at the balance: A nearly singular, or data over many decades"});
}

Problem to_reduced(const GlobalProblem& problem) {
  problem.validate();
  require_contacts(problem);
  const internal::Bodies bodies(problem);
  const internal::BodyFactors factors(problem, bodies);
  Problem reduced;
  factors.reduced_matrix(reduced.W);
  GrowingVector free;
  factors.solve(problem.f, free);
  reduced.q = problem.H * free + problem.w;
  reduced.K = problem.K;
  return reduced;
}

Eigen::VectorXd velocities(const GlobalProblem& problem, ConstVectorRef r) {
  problem.validate();
  require_contacts(problem);
  check::size("friction::velocities: r", r.size(), problem.w.size(), "one a row of H");
  check::finite("friction::velocities: r", r);
  const internal::Bodies bodies(problem);
  GrowingVector v;
  internal::BodyFactors(problem, bodies).velocities(r, v);
  return v;
}

namespace internal {

void GlobalCanonicalForm::assign(const GlobalProblem& problem) {
  scaling_.assign(problem.K);
  problem_.K = scaling_.sets();
  room_of_A_.copy(problem.A, problem_.A);
  room_of_H_.copy(problem.H, problem_.H);
  for (Index j = 0; j < problem_.H.outerSize(); ++j)
    for (Sparse::InnerIterator entry(problem_.H, j); entry; ++entry)
      entry.valueRef() = scaling_.scale()[entry.row()] * entry.value();
  problem_.w = problem.w.cwiseProduct(scaling_.scale());
  problem_.f.resize(problem.f.size());
  problem_.f.noalias() = problem.f - problem.H.transpose() * scaling_.shift();
}

void GlobalCanonicalForm::restore(GlobalResult& result) const {
  const Index m = problem_.w.size();
  if (result.r.size() == m) scaling_.from_canonical(result.r);
  if (result.u.size() == m) scaling_.velocity_from_canonical(result.u);
  if (result.proof.size() == m) scaling_.proof_from_canonical(result.proof);
}

void empty(std::string_view solver, GlobalResult& result) {
  for (GrowingVector* vector : {&result.v, &result.r, &result.u}) vector->resize(0);
  static_cast<Outcome&>(result) = {};
  result.solver = solver;
  result.balance = std::numeric_limits<double>::quiet_NaN();
  result.figures = {};
  result.decisions.clear();
}

void positive_diagonal(const Sparse& A, GrowingVector& d) {
  d.resize(A.cols());
  for (Index j = 0; j < A.cols(); ++j) {
    double diagonal = 0.0, largest = 0.0;
    for (Sparse::InnerIterator entry(A, j); entry; ++entry) {
      if (entry.row() == j) diagonal = entry.value();
      largest = std::max(largest, std::abs(entry.value()));
    }
    d[j] = diagonal > 0.0 ? diagonal : (largest > 0.0 ? largest : 1.0);
  }
}

GlobalScales global_scales(const GlobalProblem& problem) {
  const Bodies bodies(problem);
  GlobalScales scales;
  if (problem.w.size() == 0 || bodies.largest() > small_body) {
    find_scales(problem, nullptr, scales);
  } else {
    const BodyFactors factors(problem, bodies);
    find_scales(problem, &factors, scales);
  }
  return scales;
}

void find_scales(const GlobalProblem& problem, const BodyFactors* factors, GlobalScales& scales) {
  const ProductSet& K = problem.K;
  const Index n = problem.A.rows(), m = K.num_rows();
  scales.force = problem.f.size() > 0 ? problem.f.lpNorm<Eigen::Infinity>() : 0.0;
  scales.rho.resize(m);
  scales.rho.setOnes();
  scales.q = problem.w;
  if (m == 0) return;
  GrowingVector &d = scales.scratch.diagonal, &free = scales.scratch.free, &D = scales.scratch.D;
  if (factors != nullptr && factors->diagonal() != nullptr)
    d = factors->diagonal()->cwiseAbs();
  else
    positive_diagonal(problem.A, d);
  if (factors != nullptr)
    factors->solve(problem.f, free);
  else
    free = problem.f.cwiseQuotient(d);
  D.setZero(m);
  const Columns H(problem.H);
  for (Index k = 0; k < n; ++k)
    for (Index i = H.begin(k), end = H.end(k); i < end; ++i) {
      D[H.row[i]] += H.value[i] * (H.value[i] / d[k]);
      scales.q[H.row[i]] += H.value[i] * free[k];
    }
  for (Index b = 0; b < K.num_blocks(); ++b) {
    const Index o = K.offset(b), size = K.size(b);
    const double mean = D.segment(o, size).mean();
    for (Index i = o; i < o + size; ++i) {
      const double scale = K[b].kind == SetKind::Orthant ? D[i] : mean;
      if (scale > 0.0) scales.rho[i] = 1.0 / scale;
    }
  }
  if (problem.w.isZero(0.0)) return;
  GrowingVector& stop = scales.scratch.stop;
  stop = scales.rho.cwiseProduct(problem.w);
  for (Index k = 0; k < n; ++k) {
    double force = 0.0;
    for (Index i = H.begin(k), end = H.end(k); i < end; ++i) force += H.value[i] * stop[H.row[i]];
    scales.force = std::max(scales.force, std::abs(force));
  }
}

namespace {

/// As in the reduced form: penetration, a gap that opens under a force, and where rounding may hide e, e once more with
/// terms of equal size and friction that does not oppose sliding.
void show_hidden_errors(const BlockSet& set, double rho, const double* r, const double* u, VectorRef error) {
  const Index n = error.size();
  const double push = mixed::internal::size_of(r, n) / rho;
  const double opening = mixed::internal::opening_error(set, push, u, n);
  if (opening > std::abs(error[0])) error[0] = opening;
  if (!(mixed::internal::hidden_share * push > error.lpNorm<Eigen::Infinity>())) return;
  for (const detail::RollingGroup& group : detail::rolling_groups(set, n))
    if (const double e = mixed::internal::misalignment(group, rho, r, u); e > std::abs(error[group.first]))
      error[group.first] = e;
  const double balanced = mixed::internal::balanced_rho(r, u, velocity_lift(set, u, n), n, rho);
  if (balanced == 0.0) return;
  std::array<double, 6> again;  // a contact has at most as many rows
  natural_error(set, balanced, r, u, again.data(), n);
  for (Index i = 0; i < n; ++i)
    if (const double e = again[static_cast<std::size_t>(i)]; !(std::abs(e) <= std::abs(error[i]))) error[i] = e;
}

/// |u_T| of all groups of a contact that sticks with mu > 1, which is what counts of û there (see Certificate); -1 of
/// others, and of those in other units than the canonical ones.
double sticking_lift(const BlockSet& set, double rho, const double* r, const double* u, Index n) {
  if (!(set.mu > 1.0) || !is_canonical(set, n)) return -1.0;
  const double lift = velocity_lift(set, u, n);
  return mixed::internal::sticks_inside(set, rho, lift, r, u, n) ? lift / set.mu : -1.0;
}

/// A v - f, and the sizes of its terms.
void free_momentum(const GlobalProblem& problem, ConstVectorRef v, GrowingVector& momentum, GrowingVector& terms) {
  const Index n = problem.A.rows();
  const Columns A(problem.A);
  if (is_plain_diagonal(problem.A)) {
    const Eigen::Map<const Eigen::VectorXd> diagonal(A.value, n);
    momentum = diagonal.cwiseProduct(v) - problem.f;
    terms = diagonal.cwiseProduct(v).cwiseAbs() + problem.f.cwiseAbs();
    return;
  }
  momentum = -problem.f;
  terms = problem.f.cwiseAbs();
  for (Index k = 0; k < n; ++k)
    for (Index i = A.begin(k), end = A.end(k); i < end; ++i) {
      const double term = A.value[i] * v[k];
      momentum[A.row[i]] += term;
      terms[A.row[i]] += std::abs(term);
    }
}

}  // namespace

Certificate certify(const GlobalProblem& problem, const GlobalScales& scales, ConstVectorRef v, ConstVectorRef r,
                    VectorRef u, double& balance, double& balance_noise, double floor) {
  constexpr double unit = 64.0 * std::numeric_limits<double>::epsilon();
  const Index n = problem.A.rows(), m = problem.w.size();
  // One walk over A and one over H give momentum, velocities and the sizes of their terms.
  GrowingVector &momentum = scales.scratch.momentum, &momentum_terms = scales.scratch.momentum_terms;
  GrowingVector &terms = scales.scratch.terms, &error = scales.scratch.error;
  terms = problem.w.cwiseAbs();
  u = problem.w;
  const Columns H(problem.H);
  free_momentum(problem, v, momentum, momentum_terms);
  for (Index k = 0; k < n && m > 0; ++k) {
    double pull = 0.0, size = 0.0;
    for (Index i = H.begin(k), end = H.end(k); i < end; ++i) {
      const Index row = H.row[i];
      const double term = H.value[i] * v[k], force = H.value[i] * r[row];
      u[row] += term;
      terms[row] += std::abs(term);
      pull += force;
      size += std::abs(force);
    }
    momentum[k] -= pull;
    momentum_terms[k] += size;
  }
  balance_noise = unit * momentum_terms.maxCoeff();
  const double force = std::max(scales.force, balance_noise);
  const double lost = momentum.hasNaN() ? std::numeric_limits<double>::quiet_NaN() : momentum.lpNorm<Eigen::Infinity>();
  balance = force > 0.0 ? lost / force : (lost == 0.0 ? 0.0 : lost / 0x1p-1022);
  if (force > 0.0) balance_noise /= force;

  Certificate certificate;
  certificate.round_off = m > 0 ? unit * terms.maxCoeff() : 0.0;
  certificate.error = 0.0;
  error.resize(m);
  nonsmooth::detail::RelativeRows relative;
  const ProductSet& K = problem.K;
  for (Index b = 0; b < K.num_blocks(); ++b) {
    const Index o = K.offset(b), size = K.size(b);
    if (K[b].kind == SetKind::Orthant) {
      for (Index i = o; i < o + size; ++i)
        natural_error(K[b], scales.rho[i], r.data() + i, u.data() + i, error.data() + i, 1);
    } else if (K[b].kind == SetKind::Coulomb2D) {
      const auto planar = mixed::local::coulomb_2d_error(K[b].mu, scales.rho[o], r[o], r[o + 1], u[o], u[o + 1]);
      error[o] = planar.N;
      error[o + 1] = planar.T;
    } else {
      natural_error(K[b], scales.rho[o], r.data() + o, u.data() + o, error.data() + o, size);
    }
    if (const double lift = sticking_lift(K[b], scales.rho[o], r.data() + o, u.data() + o, size); lift >= 0.0) {
      mixed::internal::for_each_error(K[b], scales.rho[o], u[o] + lift, r.data() + o, u.data() + o, size,
                                      [&](Index i, double e) { error[o + i] = e; });
      const double push = mixed::internal::size_of(r.data() + o, size) / scales.rho[o];
      const double opening = mixed::internal::opening_error(K[b], push, u.data() + o, size);
      if (opening > std::abs(error[o])) error[o] = opening;
    } else if (K[b].kind != SetKind::Orthant && K[b].kind != SetKind::Free) {
      show_hidden_errors(K[b], scales.rho[o], r.data() + o, u.data() + o, error.segment(o, size));
    }
    const bool rows = K[b].kind == SetKind::Orthant || K[b].kind == SetKind::Free;
    const double largest = rows ? 0.0 : terms.segment(o, size).maxCoeff();  // rows of a cone have one unit
    for (Index i = o; i < o + size; ++i) relative.add(i, error[i], rows ? terms[i] : largest);
  }
  for (Index k = 0; k < n; ++k) relative.add(m + k, momentum[k], momentum_terms[k]);
  relative.tell(certificate);
  for (Index i = 0; i < m; ++i)
    if (!(std::abs(error[i]) <= certificate.error) && !std::isnan(certificate.error)) {  // a NaN is the worst
      certificate.error = std::abs(error[i]);
      certificate.worst_row = i;
    }
  const double data = m > 0 ? scales.q.lpNorm<Eigen::Infinity>() : 0.0;
  certificate.scale = std::max(data, floor < 0.0 ? certificate.round_off : floor);
  const double share = certificate.scale > 0.0 ? certificate.error / certificate.scale
                                               : (certificate.error == 0.0 ? 0.0 : certificate.error / 0x1p-1022);
  const bool finite = std::isfinite(certificate.scale) && std::isfinite(force) && !std::isnan(balance);
  certificate.residual =
      finite && !std::isnan(share) ? std::max(share, balance) : std::numeric_limits<double>::quiet_NaN();
  return certificate;
}

bool keep_better(const GlobalProblem& problem, const GlobalScales& scales, ConstVectorRef v, ConstVectorRef r,
                 GlobalResult& result) {
  if (!v.allFinite() || !r.allFinite()) return false;
  GrowingVector& u = scales.scratch.u;
  u.resize(problem.w.size());
  double balance = 0.0, noise = 0.0;
  const Certificate certificate = certify(problem, scales, v, r, u, balance, noise);
  if (!(certificate.residual < result.certificate.residual) && !std::isnan(result.certificate.residual)) return false;
  result.v = v;
  result.r = r;
  result.u = u;
  result.certificate = certificate;
  result.balance = balance;
  return true;
}

double measured(const GlobalProblem& problem, const GlobalScales& scales, Measure measure, const GlobalResult& result) {
  // No iterate yet: the certificate is NaN.
  const bool none = problem.w.size() == 0 || result.u.size() != problem.w.size();
  if (measure == Measure::Certificate || none) return result.certificate.residual;
  const auto figures = mixed::internal::friction_figures(scales.q, problem.K, result.r, result.u);
  return std::max(figures.natural_map, result.balance);
}

void conclude(const GlobalProblem& problem, const GlobalScales& scales, double tolerance, Measure measure,
              GlobalResult& result, Status otherwise, std::string_view reason) {
  if (result.v.size() != problem.A.rows() || !result.v.allFinite()) result.v.setZero(problem.A.rows());
  if (result.r.size() != problem.w.size() || !result.r.allFinite()) result.r.setZero(problem.w.size());
  result.u.resize(problem.w.size());
  double noise = 0.0;
  const Certificate certificate = certify(problem, scales, result.v, result.r, result.u, result.balance, noise);
  result.certificate = certificate;
  result.status = otherwise;
  result.reason = reason;
  if (problem.w.size() > 0) result.figures = mixed::internal::friction_figures(scales.q, problem.K, result.r, result.u);
  const bool noisy = certificate.round_off > 64.0 * tolerance * certificate.scale || noise > 64.0 * tolerance;
  const bool by_figure = measure == Measure::NaturalMap && problem.w.size() > 0;
  const double found = by_figure ? std::max(result.figures.natural_map, result.balance) : certificate.residual;
  if (found <= tolerance) {
    result.status = noisy ? Status::Stalled : Status::Solved;
    if (noisy) result.reason = "at round-off: terms cancel in u or in the balance of momentum";
  } else if (!std::isfinite(certificate.residual)) {
    result.status = Status::NumericalFailure;
    result.reason = "numbers overflow: data over too many decades";
  } else if (otherwise != Status::TimeLimit && otherwise != Status::Infeasible) {
    const bool laws = certificate.error <= std::max(certificate.round_off, tolerance * certificate.scale);
    if (laws && result.balance <= std::max(noise, tolerance) && measure == Measure::Certificate) {
      result.status = Status::Stalled;
      result.reason = "at round-off: the tolerance is below what the data allow";
    }
  }
  result.at_round_off = false;
  if (measure == Measure::Certificate && noise <= 64.0 * nonsmooth::detail::largest_rounding)
    nonsmooth::detail::note_round_off(false, result);
  if (!result.at_round_off && result.reason.starts_with("at round-off: the tolerance"))
    result.reason = "no progress any more: what is left is of the size of rounding";
}

}  // namespace internal

Certificate certify(const GlobalProblem& problem, ConstVectorRef v, ConstVectorRef r, VectorRef u, double& balance,
                    double floor) {
  problem.validate();
  check::size("friction::certify: v", v.size(), problem.f.size(), "one a row of A");
  check::size("friction::certify: r", r.size(), problem.w.size(), "one a row of H");
  check::size("friction::certify: u", u.size(), problem.w.size(), "one a row of H");
  double noise = 0.0;
  if (problem.K.is_canonical())
    return internal::certify(problem, internal::global_scales(problem), v, r, u, balance, noise, floor);
  const internal::GlobalCanonicalForm form(problem);
  Eigen::VectorXd scaled = r;
  form.scaling().to_canonical(scaled);
  const Certificate certificate =
      internal::certify(form.problem(), internal::global_scales(form.problem()), v, scaled, u, balance, noise, floor);
  form.scaling().velocity_from_canonical(u);
  return certificate;
}

}  // namespace nonsmooth::friction
