// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/mixed/gauss_seidel.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <nonsmooth/numerics/error.hpp>

#include "internal.hpp"
#include "local.hpp"

#include <Eigen/LU>

namespace nonsmooth::mixed {
namespace {

/// What a sweep found: the largest |W_ii (r_new - r_old)|, a velocity that predicts the certificate's error.
using Change = double;

enum class Kernel : unsigned char { Rows, Coulomb2D, Blocks };

}  // namespace

struct GaussSeidelWorkspace::Implementation {
  Kernel kernel = Kernel::Blocks;
  std::vector<double> best;                   // the best iterate that is not the current one
  std::vector<double> inverse, lower, upper;  // a row of Free, Orthant, Box blocks: 1 / W_kk and bounds
  std::vector<local::Coulomb2D> contacts;     // Kernel::Coulomb2D: one a block; Blocks: one a Coulomb block
  std::vector<Eigen::PartialPivLU<Eigen::MatrixXd>> factors;  // Free blocks of several rows, in order
  std::vector<Index> local_index;                             // Blocks: position in `contacts` or `factors`, else -1
  std::vector<double> scratch;                                // Blocks: b of one block

  /// Lays the local factors. Returns the row of the first block without a local solution, or -1.
  Index prepare(const Problem& problem);
  [[nodiscard]] Change sweep(const Problem& problem, double relaxation, double* r);

 private:
  Index prepare_rows(const Problem& problem);
  Index prepare_contacts(const Problem& problem);
  Index prepare_blocks(const Problem& problem);
  [[nodiscard]] Change sweep_rows(const Problem& problem, double relaxation, double* r) const;
  [[nodiscard]] Change sweep_contacts(const Problem& problem, double relaxation, double* r) const;
  [[nodiscard]] Change sweep_blocks(const Problem& problem, double relaxation, double* r);
};

namespace {

[[nodiscard]] bool supported(const BlockSet& set, Index size) noexcept {
  return set.kind != SetKind::Coulomb3D && !(set.kind == SetKind::SecondOrderCone && size > 1);
}

/// r + relaxation (target - r), back in the planar cone (the cone is convex, so only relaxation > 1 can leave it).
void relax_contact(double mu, double relaxation, double old_N, double old_T, double& r_N, double& r_T) noexcept {
  r_N = old_N + relaxation * (r_N - old_N);
  r_T = old_T + relaxation * (r_T - old_T);
  const double slope = std::abs(r_T);
  if (slope <= mu * r_N) return;
  const double along = mu * slope <= -r_N ? 0.0 : (r_N + mu * slope) / (1.0 + mu * mu);
  r_T = std::copysign(mu * along, r_T);
  r_N = along;
}

void grow(std::vector<double>& buffer, Index size) {
  if (static_cast<Index>(buffer.size()) < size) buffer.resize(static_cast<std::size_t>(size));
}

}  // namespace

Index GaussSeidelWorkspace::Implementation::prepare_rows(const Problem& problem) {
  const Index n = problem.W.rows();
  grow(inverse, n);
  grow(lower, n);
  grow(upper, n);
  const double* values = problem.W.values(0);
  for (Index i = 0; i < n; ++i) {
    const double diagonal = values[problem.W.diagonal(i)];
    const BlockSet& set = problem.K[i];
    // A bilateral row only needs a nonzero diagonal, an inequality a positive one.
    if (set.kind == SetKind::Free ? diagonal == 0.0 : !(diagonal > 0.0)) return i;
    const auto k = static_cast<std::size_t>(i);
    const auto bounds = local::interval(set);
    inverse[k] = 1.0 / diagonal;
    lower[k] = bounds.lower;
    upper[k] = bounds.upper;
  }
  return -1;
}

Index GaussSeidelWorkspace::Implementation::prepare_contacts(const Problem& problem) {
  const Index n = problem.W.num_block_rows();
  if (static_cast<Index>(contacts.size()) < n) contacts.resize(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i)
    if (!contacts[static_cast<std::size_t>(i)].prepare(problem.W.values(problem.W.diagonal(i)), problem.K[i].mu))
      return 2 * i;
  return -1;
}

Index GaussSeidelWorkspace::Implementation::prepare_blocks(const Problem& problem) {
  const BlockSparseMatrix& W = problem.W;
  const Index blocks = W.num_block_rows(), n = W.rows();
  grow(inverse, n);
  local_index.assign(static_cast<std::size_t>(blocks), -1);
  std::size_t num_contacts = 0, num_factors = 0;
  Index largest = 1;
  for (Index b = 0; b < blocks; ++b) {
    const BlockSet& set = problem.K[b];
    const Index rows = W.size(b), offset = W.offset(b);
    const double* diagonal = W.values(W.diagonal(b));
    largest = std::max(largest, rows);
    if (!supported(set, rows)) return offset;
    if (set.kind == SetKind::Coulomb2D) {
      if (num_contacts == contacts.size()) contacts.emplace_back();
      local_index[static_cast<std::size_t>(b)] = static_cast<Index>(num_contacts);
      if (!contacts[num_contacts++].prepare(diagonal, set.mu)) return offset;
    } else if (set.kind == SetKind::Free && rows > 1) {
      if (num_factors == factors.size()) factors.emplace_back();
      auto& factor = factors[num_factors];
      local_index[static_cast<std::size_t>(b)] = static_cast<Index>(num_factors++);
      factor.compute(Eigen::Map<const Eigen::MatrixXd>(diagonal, rows, rows));
      // A pivot at the round-off of the block's entries: the block is singular as far as its data can tell.
      const auto pivots = factor.matrixLU().diagonal().cwiseAbs();
      const double size = Eigen::Map<const Eigen::MatrixXd>(diagonal, rows, rows).cwiseAbs().maxCoeff();
      if (!(pivots.minCoeff() > static_cast<double>(rows) * std::numeric_limits<double>::epsilon() * size))
        return offset;
    } else {
      for (Index i = 0; i < rows; ++i) {
        const double entry = diagonal[i * rows + i];
        if (set.kind == SetKind::Free ? entry == 0.0 : !(entry > 0.0)) return offset + i;
        inverse[static_cast<std::size_t>(offset + i)] = 1.0 / entry;
      }
    }
  }
  grow(scratch, 2 * largest);
  return -1;
}

Index GaussSeidelWorkspace::Implementation::prepare(const Problem& problem) {
  const Index uniform = problem.W.uniform_size();
  if (uniform == 1) {
    kernel = Kernel::Rows;
    return prepare_rows(problem);
  }
  if (uniform == 2 && problem.K.all(SetKind::Coulomb2D)) {
    kernel = Kernel::Coulomb2D;
    return prepare_contacts(problem);
  }
  kernel = Kernel::Blocks;
  return prepare_blocks(problem);
}

Change GaussSeidelWorkspace::Implementation::sweep(const Problem& problem, double relaxation, double* r) {
  switch (kernel) {
    case Kernel::Rows:
      return sweep_rows(problem, relaxation, r);
    case Kernel::Coulomb2D:
      return sweep_contacts(problem, relaxation, r);
    case Kernel::Blocks:
      break;
  }
  return sweep_blocks(problem, relaxation, r);
}

Change GaussSeidelWorkspace::Implementation::sweep_rows(const Problem& problem, double relaxation, double* r) const {
  const BlockSparseMatrix& W = problem.W;
  const Index n = W.rows();
  const double* values = W.values(0);
  const double* q = problem.q.data();
  Change change = 0.0;
  for (Index i = 0; i < n; ++i) {
    double u = q[i];
    const Index end = W.row_begin(i + 1);
    for (Index k = W.row_begin(i); k < end; ++k) u += values[k] * r[W.column(k)];
    const auto at = static_cast<std::size_t>(i);
    const double step = relaxation * inverse[at] * u;
    const double value = std::min(std::max(r[i] - step, lower[at]), upper[at]);
    change = std::max(change, std::abs((value - r[i]) * values[W.diagonal(i)]));
    r[i] = value;
  }
  return change;
}

Change GaussSeidelWorkspace::Implementation::sweep_contacts(const Problem& problem, double relaxation,
                                                            double* r) const {
  const BlockSparseMatrix& W = problem.W;
  const Index n = W.num_block_rows();
  const double* v = W.values(0);
  const double* q = problem.q.data();
  const local::Coulomb2D* contact = contacts.data();
  Change change = 0.0;
  Index k = 0;
  for (Index i = 0; i < n; ++i, ++contact) {
    double b_N = q[2 * i], b_T = q[2 * i + 1];
    const Index diagonal = W.diagonal(i), end = W.row_begin(i + 1);
    const auto accumulate = [&](Index last) {
      for (; k < last; ++k, v += 4) {
        const double* x = r + 2 * W.column(k);
        b_N += v[0] * x[0] + v[2] * x[1];
        b_T += v[1] * x[0] + v[3] * x[1];
      }
    };
    accumulate(diagonal);
    ++k, v += 4;
    accumulate(end);
    const double old_N = r[2 * i], old_T = r[2 * i + 1];
    double r_N = old_N, r_T = old_T;
    contact->solve(b_N, b_T, r_N, r_T);
    if (relaxation != 1.0) relax_contact(contact->mu, relaxation, old_N, old_T, r_N, r_T);
    change = std::max(change, std::max(contact->W_NN * std::abs(r_N - old_N), contact->W_TT * std::abs(r_T - old_T)));
    r[2 * i] = r_N;
    r[2 * i + 1] = r_T;
  }
  return change;
}

Change GaussSeidelWorkspace::Implementation::sweep_blocks(const Problem& problem, double relaxation, double* r) {
  const BlockSparseMatrix& W = problem.W;
  const double* q = problem.q.data();
  double* b = scratch.data();
  Change change = 0.0;
  for (Index block = 0; block < W.num_block_rows(); ++block) {
    const Index rows = W.size(block), offset = W.offset(block), diagonal = W.diagonal(block);
    const double* W_ii = W.values(diagonal);
    double* ri = r + offset;
    std::copy_n(q + offset, rows, b);
    for (Index k = W.row_begin(block); k < W.row_begin(block + 1); ++k) {
      if (k == diagonal) continue;
      const Index j = W.column(k), columns = W.size(j);
      const double* x = r + W.offset(j);
      const double* v = W.values(k);
      for (Index c = 0; c < columns; ++c, v += rows)
        for (Index i = 0; i < rows; ++i) b[i] += v[i] * x[c];
    }
    const BlockSet& set = problem.K[block];
    const auto at = static_cast<std::size_t>(local_index[static_cast<std::size_t>(block)]);
    if (set.kind == SetKind::Coulomb2D) {
      const local::Coulomb2D& contact = contacts[at];
      const double old_N = ri[0], old_T = ri[1];
      contact.solve(b[0], b[1], ri[0], ri[1]);
      if (relaxation != 1.0) relax_contact(contact.mu, relaxation, old_N, old_T, ri[0], ri[1]);
      change = std::max({change, contact.W_NN * std::abs(ri[0] - old_N), contact.W_TT * std::abs(ri[1] - old_T)});
    } else if (set.kind == SetKind::Free && rows > 1) {
      // u of the block at the current r is what the local solve removes: that is its change.
      for (Index c = 0; c < rows; ++c)
        for (Index i = 0; i < rows; ++i) b[i] += W_ii[c * rows + i] * ri[c];
      Eigen::Map<Eigen::VectorXd> u(b, rows), step(b + rows, rows);
      change = std::max(change, u.cwiseAbs().maxCoeff());
      step.noalias() = factors[at].permutationP() * u;
      factors[at].matrixLU().triangularView<Eigen::UnitLower>().solveInPlace(step);
      factors[at].matrixLU().triangularView<Eigen::Upper>().solveInPlace(step);
      for (Index i = 0; i < rows; ++i) ri[i] -= relaxation * step[i];
    } else {
      const auto bounds = local::interval(set);
      for (Index i = 0; i < rows; ++i) {
        double u = b[i];
        for (Index c = 0; c < rows; ++c) u += W_ii[c * rows + i] * ri[c];
        const double step = relaxation * inverse[static_cast<std::size_t>(offset + i)] * u;
        const double value = std::min(std::max(ri[i] - step, bounds.lower), bounds.upper);
        change = std::max(change, std::abs((value - ri[i]) * W_ii[i * rows + i]));
        ri[i] = value;
      }
    }
  }
  return change;
}

GaussSeidelWorkspace::GaussSeidelWorkspace() : implementation_(std::make_unique<Implementation>()) {}
GaussSeidelWorkspace::~GaussSeidelWorkspace() = default;
GaussSeidelWorkspace::GaussSeidelWorkspace(GaussSeidelWorkspace&&) noexcept = default;
GaussSeidelWorkspace& GaussSeidelWorkspace::operator=(GaussSeidelWorkspace&&) noexcept = default;

void GaussSeidelWorkspace::solve(const Problem& problem, const GaussSeidel& options, Result& result) {
  if (!implementation_) implementation_ = std::make_unique<Implementation>();
  Implementation& work = *implementation_;
  internal::begin(problem, "block gauss-seidel", result);
  const Index n = problem.W.rows();
  const double tolerance = options.tolerance;

  Certificate& certificate = result.certificate;
  certificate = certify(problem, result.r, result.u);
  if (certificate.residual <= tolerance) return internal::end(result, Status::Solved, "the start is a solution");
  if (const Index row = work.prepare(problem); row >= 0) {
    bool known = true;
    for (Index b = 0; b < problem.K.num_blocks(); ++b) known = known && supported(problem.K[b], problem.K.size(b));
    certificate.worst_row = row;
    return internal::end(result, Status::NumericalFailure,
                         known ? "a block's diagonal is not positive (or is singular): it has no local solution"
                               : "a cone without an exact local solve in this solver");
  }

  grow(work.best, n);
  Certificate best = certificate;
  std::copy_n(result.r.data(), n, work.best.data());
  bool current_is_best = true;
  const auto restore = [&] {
    if (current_is_best) return;
    std::copy_n(work.best.data(), n, result.r.data());
    certificate = certify(problem, result.r, result.u);
  };

  // A sweep's change predicts the error of the next certificate up to a factor that failed checks teach.
  double factor = 1.0;
  double* r = result.r.data();
  for (Index sweep = 1; sweep <= options.max_sweeps; ++sweep) {
    const double change = work.sweep(problem, options.relaxation, r);
    result.iterations = sweep;
    // One block alone is solved by its first visit, however far that went.
    const bool plausible = change <= factor * tolerance * best.scale || (sweep == 1 && problem.K.num_blocks() == 1);
    if (!plausible && sweep % options.check_every != 0 && sweep != options.max_sweeps && std::isfinite(change)) {
      current_is_best = false;
      continue;
    }
    const double previous = certificate.error;
    certificate = certify(problem, result.r, result.u);
    if (certificate.residual <= tolerance) return internal::end(result, Status::Solved, "");
    if (!std::isfinite(certificate.residual) || !std::isfinite(change)) {
      current_is_best = false;
      restore();
      return internal::end(result, Status::NumericalFailure, "the sweeps diverged to numbers that are not finite");
    }
    current_is_best = certificate.residual < best.residual;
    if (current_is_best) {
      best = certificate;
      std::copy_n(result.r.data(), n, work.best.data());
    }
    if (plausible) factor = std::min(0.5 * factor, 0.5 * change / certificate.error);
    // Sweeps can't go below what round-off leaves in u; while the error still halves they may go on.
    const bool at_round_off = certificate.error <= certificate.round_off && certificate.error > 0.5 * previous;
    if (change == 0.0 || at_round_off) {
      restore();
      return internal::end(result, Status::Stalled,
                           at_round_off ? "at round-off: the tolerance is below what the data allow"
                                        : "a sweep changed nothing: a block found no local solution");
    }
  }
  restore();
  internal::end(result, Status::IterationLimit, "max_sweeps reached");
}

void GaussSeidel::validate() const {
  check::positive("mixed::GaussSeidel::tolerance", tolerance);
  check::at_least("mixed::GaussSeidel::max_sweeps", max_sweeps, 1);
  check::at_least("mixed::GaussSeidel::check_every", check_every, 1);
  if (!(relaxation > 0.0 && relaxation < 2.0))
    throw InvalidArgument("mixed::GaussSeidel::relaxation", std::to_string(relaxation), "a number in (0, 2)");
}

Result solve(const Problem& problem, const GaussSeidel& options) {
  problem.validate();
  options.validate();
  for (Index b = 0; b < problem.K.num_blocks(); ++b)
    if (!supported(problem.K[b], problem.K.size(b)))
      throw InvalidArgument("mixed::Problem::K",
                            std::string(problem.K[b].kind == SetKind::Coulomb3D ? "Coulomb3D" : "SecondOrderCone") +
                                " at block " + std::to_string(b),
                            "Free, Orthant, Box or Coulomb2D blocks, the sets GaussSeidel solves exactly");
  Result result;
  GaussSeidelWorkspace workspace;
  workspace.solve(problem, options, result);
  return result;
}

}  // namespace nonsmooth::mixed
