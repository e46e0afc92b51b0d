// SPDX-License-Identifier: Apache-2.0
#include "projection_jacobian.hpp"

#include <algorithm>
#include <cmath>

#include "rolling_cone.hpp"
#include "set_kernels.hpp"

namespace nonsmooth::mixed::internal {
namespace {

double scaled_norm(const double* x, Index n) noexcept {
  double largest = 0.0;
  for (Index i = 0; i < n; ++i) largest = std::max(largest, std::abs(x[i]));
  if (!(largest > 0.0)) return largest;
  double sum = 0.0;
  for (Index i = 0; i < n; ++i) sum += (x[i] / largest) * (x[i] / largest);
  return largest * std::sqrt(sum);
}

double scaled_tangential_norm(const double* x, Index n) noexcept { return scaled_norm(x + 1, n - 1); }

void set_identity(Index n, double* D) noexcept {
  std::fill(D, D + n * n, 0.0);
  for (Index i = 0; i < n; ++i) D[i * (n + 1)] = 1.0;
}

/// The tangential part of a projection on |x| <= radius at |z_T| = length > radius: (radius / length) (I - s s^T).
void set_disk(const double* z, double length, double radius, Index n, double* D) noexcept {
  const double factor = radius / length;
  for (Index j = 1; j < n; ++j)
    for (Index i = 1; i < n; ++i) D[j * n + i] = factor * ((i == j ? 1.0 : 0.0) - (z[i] / length) * (z[j] / length));
}

void cone_jacobian(double mu, const double* z, Index n, double* D) noexcept {
  const double length = scaled_tangential_norm(z, n);
  if (z[0] <= 0.0 && mu * length <= -z[0]) return std::fill(D, D + n * n, 0.0);
  if (length <= mu * z[0]) return set_identity(n, D);
  // 1/(1+mu^2) and mu/(1+mu^2) by the cosine and sine of the aperture: neither overflows for a large mu.
  const double secant = std::hypot(1.0, mu), cosine = 1.0 / secant, sine = mu / secant;
  const double along = cosine * z[0] + sine * length;
  set_disk(z, length, sine * along, n, D);
  D[0] = cosine * cosine;
  for (Index i = 1; i < n; ++i) {
    const double s = z[i] / length;
    D[i] = D[i * n] = cosine * sine * s;
    for (Index j = 1; j < n; ++j) D[j * n + i] += sine * sine * s * (z[j] / length);
  }
}

void rolling_jacobian(const BlockSet& set, const double* z, Index n, double* D) noexcept {
  const detail::RollingGroups groups = detail::rolling_groups(set, n);
  double length[3] = {};
  for (int k = 0; k < groups.count; ++k) length[k] = scaled_norm(z + groups.groups[k].first, groups.groups[k].size);
  const auto projection = detail::project_on_rolling_cone(groups, z[0], length);
  if (projection.apex) return std::fill(D, D + n * n, 0.0);
  set_identity(n, D);
  if (projection.inside()) return;
  double weight = 1.0;
  for (int k = 0; k < groups.count; ++k)
    if (projection.outside[k]) weight += groups.groups[k].bound * groups.groups[k].bound;
  // Row 0 first: dP_0 / dz_j; the rows of the groups outside follow it.
  D[0] = 1.0 / weight;
  for (int k = 0; k < groups.count; ++k) {
    const detail::RollingGroup& group = groups.groups[k];
    if (!projection.outside[k]) continue;
    for (Index j = group.first; j < group.first + group.size; ++j) D[j * n] = group.bound / weight * (z[j] / length[k]);
  }
  for (int k = 0; k < groups.count; ++k) {
    const detail::RollingGroup& group = groups.groups[k];
    if (!projection.outside[k]) continue;
    const double turn = group.bound * projection.axial / length[k];
    for (Index i = group.first; i < group.first + group.size; ++i) {
      const double s = z[i] / length[k];
      for (Index j = 0; j < n; ++j) {
        D[j * n + i] = group.bound * s * D[j * n];
        if (j >= group.first && j < group.first + group.size)
          D[j * n + i] += turn * ((i == j ? 1.0 : 0.0) - s * (z[j] / length[k]));
      }
    }
  }
}

}  // namespace

bool is_cone(SetKind kind) noexcept {
  return kind == SetKind::SecondOrderCone || kind == SetKind::Coulomb2D || kind == SetKind::Coulomb3D ||
         kind == SetKind::DruckerPrager || kind == SetKind::Rolling;
}

void projection_jacobian(const BlockSet& set, const double* z, Index n, double* D) noexcept {
  switch (set.kind) {
    case SetKind::Free:
      return set_identity(n, D);
    case SetKind::Orthant:
      std::fill(D, D + n * n, 0.0);
      for (Index i = 0; i < n; ++i) D[i * (n + 1)] = z[i] > 0.0 ? 1.0 : 0.0;
      return;
    case SetKind::Box:
      std::fill(D, D + n * n, 0.0);
      for (Index i = 0; i < n; ++i) D[i * (n + 1)] = z[i] > set.lower && z[i] < set.upper ? 1.0 : 0.0;
      return;
    case SetKind::VonMises: {
      set_identity(n, D);
      const double length = scaled_tangential_norm(z, n);
      if (length > set.radius) set_disk(z, length, set.radius, n, D);
      return;
    }
    case SetKind::SecondOrderCone:
    case SetKind::Coulomb2D:
    case SetKind::Coulomb3D:
    case SetKind::DruckerPrager:
      return cone_jacobian(set.mu, z, n, D);
    case SetKind::Rolling:
      return rolling_jacobian(set, z, n, D);
  }
}

void velocity_jacobian(const BlockSet& set, const double* u, Index n, double* t) noexcept {
  std::fill(t, t + n, 0.0);
  if (set.kind == SetKind::Rolling) {
    for (const detail::RollingGroup& group : detail::rolling_groups(set, n)) {
      const double length = scaled_norm(u + group.first, group.size);
      for (Index i = group.first; i < group.first + group.size && length > 0.0; ++i)
        t[i] = group.bound * (u[i] / length);
    }
    return;
  }
  const double gain = lift_factor(set);
  if (gain == 0.0) return;
  const double length = scaled_tangential_norm(u, n);
  if (!(length > 0.0)) return;
  for (Index i = 1; i < n; ++i) t[i] = gain * (u[i] / length);
}

namespace {

/// Prediction form of a rolling cone, where û_0 = v_0 + lift cancels as for Coulomb's law: v_0 = u_0, one disk a group.
void rolling_prediction(const BlockSet& set, double rho, const double* r, const double* u, Index n, double* e,
                        double* A, double* C) noexcept {
  const double z_0 = r[0] - rho * u[0];
  const bool closed = z_0 > 0.0;
  e[0] = closed ? u[0] : r[0] / rho;
  if (A != nullptr) {
    std::fill(A, A + n * n, 0.0);
    std::fill(C, C + n * n, 0.0);
    (closed ? C : A)[0] = closed ? 1.0 : 1.0 / rho;
  }
  for (const detail::RollingGroup& group : detail::rolling_groups(set, n)) {
    const Index first = group.first, end = first + group.size;
    double z[2] = {};
    for (Index i = first; i < end; ++i) z[i - first] = r[i] - rho * u[i];
    const double length = scaled_norm(z, group.size), radius = closed ? group.bound * z_0 : 0.0;
    const bool stick = length <= radius;
    for (Index i = first; i < end; ++i) e[i] = stick ? u[i] : (r[i] - radius * (z[i - first] / length)) / rho;
    if (A == nullptr) continue;
    for (Index i = first; i < end; ++i) {
      if (stick) {
        C[i * (n + 1)] = 1.0;
        continue;
      }
      const double s = z[i - first] / length;
      for (Index j = first; j < end; ++j) {
        const double turn = radius / length * ((i == j ? 1.0 : 0.0) - s * (z[j - first] / length));
        A[j * n + i] = ((i == j ? 1.0 : 0.0) - turn) / rho;
        C[j * n + i] = turn;
      }
      if (!closed) continue;
      A[i] = -group.bound * s / rho;
      C[i] = group.bound * s;
    }
  }
}

/// Prediction form of a cone. A and C may be null: then e alone.
void prediction(const BlockSet& set, double rho, const double* r, const double* u, Index n, double* e, double* A,
                double* C, double* scratch) noexcept {
  if (set.kind == SetKind::Rolling) return rolling_prediction(set, rho, r, u, n, e, A, C);
  const double excess = lift_factor(set) - set.mu, sliding = excess != 0.0 ? scaled_tangential_norm(u, n) : 0.0;
  const double v_0 = u[0] + excess * sliding, z_0 = r[0] - rho * v_0;
  const bool closed = z_0 > 0.0;
  e[0] = closed ? v_0 : r[0] / rho;
  const double radius = closed ? set.mu * z_0 : 0.0;
  double square = 0.0, largest = 0.0;
  for (Index i = 1; i < n; ++i) largest = std::max(largest, std::abs(r[i] - rho * u[i]));
  for (Index i = 1; i < n && largest > 0.0; ++i) {
    const double z = (r[i] - rho * u[i]) / largest;
    square += z * z;
  }
  const double length = largest * std::sqrt(square);
  const bool stick = length <= radius;
  for (Index i = 1; i < n; ++i) e[i] = stick ? u[i] : (r[i] - radius * ((r[i] - rho * u[i]) / length)) / rho;
  if (A == nullptr) return;
  std::fill(A, A + n * n, 0.0);
  std::fill(C, C + n * n, 0.0);
  if (closed) {
    C[0] = 1.0;
    for (Index i = 1; i < n && sliding > 0.0; ++i) C[i * n] = excess * u[i] / sliding;
  } else {
    A[0] = 1.0 / rho;
  }
  if (stick) {
    for (Index i = 1; i < n; ++i) C[i * (n + 1)] = 1.0;
    return;
  }
  double* s = scratch;
  for (Index i = 1; i < n; ++i) s[i] = (r[i] - rho * u[i]) / length;
  const double ratio = radius / length;
  for (Index i = 1; i < n; ++i) {
    for (Index j = 1; j < n; ++j) {
      const double turn = ratio * ((i == j ? 1.0 : 0.0) - s[i] * s[j]);
      A[j * n + i] = ((i == j ? 1.0 : 0.0) - turn) / rho;
      C[j * n + i] = turn;
    }
    if (!closed) continue;
    A[i] = -set.mu * s[i] / rho;
    for (Index j = 0; j < n; ++j) C[j * n + i] += set.mu * s[i] * C[j * n];
  }
}

}  // namespace

void natural_map(const BlockSet& set, Form form, const double* rho, const double* r, const double* u, Index n,
                 double* e) noexcept {
  if (set.kind == SetKind::Orthant || set.kind == SetKind::Box) {
    for (Index i = 0; i < n; ++i) natural_error(set, rho[i], r + i, u + i, e + i, 1);
  } else if (form == Form::Prediction && is_cone(set.kind)) {
    prediction(set, rho[0], r, u, n, e, nullptr, nullptr, nullptr);
  } else {
    natural_error(set, rho[0], r, u, e, n);
  }
}

void linearize_natural_map(const BlockSet& set, Form form, const double* rho, const double* r, const double* u, Index n,
                           double* e, double* A, double* C, double* scratch) noexcept {
  if (form == Form::Prediction && is_cone(set.kind)) return prediction(set, rho[0], r, u, n, e, A, C, scratch);
  natural_map(set, form, rho, r, u, n, e);
  double *D = scratch, *z = scratch + n * n, *t = z + n;
  const double lift = velocity_lift(set, u, n);
  for (Index i = 0; i < n; ++i) z[i] = r[i] - rho[i] * (u[i] + (i == 0 ? lift : 0.0));
  projection_jacobian(set, z, n, D);
  velocity_jacobian(set, u, n, t);
  // e = (r - P(r - rho û)) / rho: A = (I - D) / rho, C = D dû/du; rho varies only where D is diagonal.
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i < n; ++i) {
      A[j * n + i] = ((i == j ? 1.0 : 0.0) - D[j * n + i]) / rho[i];
      C[j * n + i] = D[j * n + i] + D[i] * t[j];
    }
}

void natural_scales(const Problem& problem, Eigen::VectorXd& rho) {
  rho.resize(problem.W.rows());
  natural_scales(problem, VectorRef(rho));
}

void natural_scales(const Problem& problem, VectorRef rho) {
  const BlockSparseMatrix& W = problem.W;
  for (Index b = 0; b < W.num_block_rows(); ++b) {
    const Index offset = W.offset(b), n = W.size(b);
    const bool row_wise = problem.K[b].kind == SetKind::Orthant || problem.K[b].kind == SetKind::Box;
    const double* diagonal = W.values(W.diagonal(b));
    double trace = 0.0;
    for (Index i = 0; i < n; ++i) trace += diagonal[i * (n + 1)];
    for (Index i = 0; i < n; ++i) {
      double scale = row_wise ? diagonal[i * (n + 1)] : trace / static_cast<double>(n);
      if (!(scale > 0.0)) {
        scale = 0.0;
        for (Index k = W.row_begin(b); k < W.row_begin(b + 1); ++k) {
          const auto block = W.block(b, k);
          scale = std::max(scale, row_wise ? block.row(i).cwiseAbs().maxCoeff() : block.cwiseAbs().maxCoeff());
        }
      }
      rho[offset + i] = scale > 0.0 ? 1.0 / scale : 1.0;
    }
  }
}

}  // namespace nonsmooth::mixed::internal
