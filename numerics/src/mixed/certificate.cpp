// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include <nonsmooth/numerics/mixed/problem.hpp>

#include "canonical.hpp"
#include "cone_errors.hpp"
#include "hidden_error.hpp"
#include "local.hpp"
#include "relative_rows.hpp"
#include "set_kernels.hpp"

namespace nonsmooth::mixed {
namespace {

/// Collects the worst block error, the size of q and the size of the terms of u.
struct Worst {
  double error = 0.0, data = 0.0, terms = 0.0, block_terms = 0.0, block_error = 0.0;
  Index row = -1, block_row = -1;
  detail::RelativeRows relative;

  void begin_block() noexcept {
    block_terms = block_error = 0.0;
    block_row = -1;
  }
  void add(Index i, double value) noexcept {
    const double size = std::abs(value);
    if (size <= block_error || std::isnan(block_error)) return;  // a NaN counts as the worst, and stays
    block_error = size;
    block_row = i;
  }
  /// True if errors of at most `size` in this block, and rounding that hides at most `hidden`, change nothing: most
  /// blocks need no look at their rows. False for a NaN.
  [[nodiscard]] bool unmoved_by(double size, double hidden) const noexcept {
    const double most = std::max(size, hidden);
    return most <= error && most <= relative.largest() * block_terms;
  }
  /// The errors of a block, a row or a cone, are relative to the largest of its terms: rows of a cone have one unit.
  void end_block() noexcept {
    if (block_row < 0) return;  // exact
    if (!(block_error <= error) && !std::isnan(error)) {
      error = block_error;
      row = block_row;
    }
    relative.add(block_row, block_error, block_terms);
  }
  void add_terms(double q, double sum) noexcept {
    data = std::max(data, std::abs(q));
    block_terms = std::max(block_terms, sum);
    terms = std::max(terms, sum);
  }
  [[nodiscard]] Certificate finish(double floor) const noexcept {
    Certificate certificate;
    certificate.round_off = 64.0 * std::numeric_limits<double>::epsilon() * terms;
    certificate.error = error;
    relative.tell(certificate);
    certificate.scale = std::max(data, floor < 0.0 ? certificate.round_off : floor);
    if (!std::isfinite(certificate.scale)) {  // terms of u overflowed: nothing is known of the error
      certificate.residual = std::numeric_limits<double>::quiet_NaN();
      certificate.worst_row = row;
      return certificate;
    }
    // Scale 0 means q = 0 and r = 0 (or a floor of 0): only an exact answer has no error then.
    certificate.residual =
        certificate.scale > 0.0 ? error / certificate.scale : (error == 0.0 ? 0.0 : error / 0x1p-1022);
    certificate.worst_row = row;
    return certificate;
  }
};

/// Of a box that does not hold 0, data_scale() tells the scale: a shift of r and its bounds then changes no residual.
[[nodiscard]] bool excludes_zero(local::Interval bounds) noexcept { return bounds.lower > 0.0 || bounds.upper < 0.0; }

Certificate certify_rows(const Problem& problem, const double* r, double* u, double floor) {
  const BlockSparseMatrix& W = problem.W;
  const double* values = W.values(0);
  const double* q = problem.q.data();
  Worst worst;
  bool shifted = false;
  const Index n = W.num_block_rows();
  for (Index i = 0; i < n; ++i) {
    double sum = q[i], terms = std::abs(q[i]);
    for (Index k = W.row_begin(i); k < W.row_begin(i + 1); ++k) {
      const double term = values[k] * r[W.column(k)];
      sum += term;
      terms += std::abs(term);
    }
    u[i] = sum;
    worst.begin_block();
    worst.add_terms(q[i], terms);
    const BlockSet& set = problem.K[i];
    if (set.kind == SetKind::Free) {
      worst.add(i, sum);
    } else {
      const double diagonal = values[W.diagonal(i)];
      const double s = diagonal > 0.0 ? diagonal : local::largest_entry(W, i, 0, 1);
      const local::Interval bounds = local::interval(set);
      worst.add(i, local::interval_error(bounds, s, r[i], sum));
      shifted |= excludes_zero(bounds);
    }
    worst.end_block();
  }
  if (shifted) worst.data = std::max(worst.data, internal::data_scale(problem));
  return worst.finish(floor);
}

/// What rounding may hide of the errors of a planar contact. Apart, as it is rare: the errors themselves are then
/// inlined into the loop over contacts.
[[gnu::noinline]] void add_hidden_planar_error(double mu, double rho, const double* r, double u_N, double u_T,
                                               Index row, Worst& worst) noexcept {
  // How far r is outside K: mu r_N rounds to where |r_T| is.
  if (const double outside = std::fma(-mu, r[0], std::abs(r[1])); outside > 0.0)
    worst.add(row + 1, outside / (rho * std::hypot(1.0, mu)));
  if (r[1] * u_T > 0.0) worst.add(row + 1, 1.0 / (1.0 / std::abs(u_T) + rho / std::abs(r[1])));  // it drives sliding
  const double u[2] = {u_N, u_T}, balanced = internal::balanced_rho(r, u, mu * std::abs(u_T), 2, rho);
  if (!(balanced > 0.0)) return;
  const auto error = local::coulomb_2d_error(mu, balanced, r[0], r[1], u_N, u_T);
  worst.add(row, error.N);
  worst.add(row + 1, error.T);
}

/// The errors of a planar contact, penetration or a gap that opens under a force, and once more where rounding may hide
/// some of it.
inline void add_planar_error(double mu, double rho, const double* r, double u_N, double u_T, Index row,
                             Worst& worst) noexcept {
  const double u[2] = {u_N, u_T};
  const bool sticks = internal::sticks_inside({.kind = SetKind::Coulomb2D, .mu = mu}, rho, mu * std::abs(u_T), r, u, 2);
  const auto error =
      sticks ? local::Error2D{u_N + std::abs(u_T), u_T} : local::coulomb_2d_error(mu, rho, r[0], r[1], u_N, u_T);
  const double push = internal::size_of(r, 2) / rho, hidden = internal::hidden_share * push;
  const double opening = internal::opening_error(0.0, u_N, 0.0, push);
  if (worst.unmoved_by(std::max(std::abs(error.N) + std::abs(error.T), opening), 2.0 * hidden)) return;
  worst.add(row, error.N);
  worst.add(row + 1, error.T);
  worst.add(row, opening);
  if (!sticks && hidden > worst.block_error) add_hidden_planar_error(mu, rho, r, u_N, u_T, row, worst);
}

Certificate certify_coulomb_2d(const Problem& problem, const double* r, double* u, double floor) {
  const BlockSparseMatrix& W = problem.W;
  const double* q = problem.q.data();
  const double* v = W.values(0);
  Worst worst;
  const Index n = W.num_block_rows();
  for (Index i = 0; i < n; ++i) {
    double u_N = q[2 * i], u_T = q[2 * i + 1];
    double a_N = std::abs(u_N), a_T = std::abs(u_T), trace = 0.0;
    const Index diagonal = W.diagonal(i);
    for (Index k = W.row_begin(i); k < W.row_begin(i + 1); ++k, v += 4) {
      const Index j = 2 * W.column(k);
      const double N = r[j], T = r[j + 1];
      const double nn = v[0] * N, tn = v[1] * N, nt = v[2] * T, tt = v[3] * T;
      u_N += nn + nt;
      u_T += tn + tt;
      a_N += std::abs(nn) + std::abs(nt);
      a_T += std::abs(tn) + std::abs(tt);
      if (k == diagonal) trace = v[0] + v[3];
    }
    u[2 * i] = u_N;
    u[2 * i + 1] = u_T;
    worst.begin_block();
    worst.add_terms(q[2 * i], a_N);
    worst.add_terms(q[2 * i + 1], a_T);
    const double rho = trace > 0.0 ? 2.0 / trace : 1.0 / local::largest_entry(W, i, 0, 2);
    add_planar_error(problem.K[i].mu, rho, r + 2 * i, u_N, u_T, 2 * i, worst);
    worst.end_block();
  }
  return worst.finish(floor);
}

/// The largest entry of e and its row, and |e|_1; a NaN is the largest.
struct LargestEntry {
  double size = 0.0, total = 0.0;
  Index row = 0;
  void add(Index k, double e) noexcept {
    const double found = std::abs(e);
    total += found;
    if (found <= size || std::isnan(size)) return;
    size = found;
    row = k;
  }
};

/// Of e of a block of any cone or cylinder.
inline LargestEntry largest_error(const BlockSet& set, double rho, double lift, const double* r, const double* u,
                                  Index rows) noexcept {
  LargestEntry largest;
  internal::for_each_error(set, rho, u[0] + lift, r, u, rows, [&](Index k, double e) { largest.add(k, e); });
  return largest;
}

/// What rounding may hide of it. Apart, as of planar contacts.
[[gnu::noinline]] void add_hidden_error(const BlockSet& set, double rho, double lift, const double* r, const double* u,
                                        Index rows, Index offset, Worst& worst) noexcept {
  if (const double balanced = internal::balanced_rho(r, u, lift, rows, rho); balanced > 0.0) {
    const LargestEntry again = largest_error(set, balanced, lift, r, u, rows);
    worst.add(offset + again.row, again.size);
  }
  for (const detail::RollingGroup& group : detail::rolling_groups(set, rows))
    worst.add(offset + group.first, internal::misalignment(group, rho, r, u));
}

/// The errors of a block of any cone or cylinder, where û is in K*, and once more where rounding may hide some of it.
inline void add_cone_error(const BlockSet& set, double rho, const double* r, const double* u, Index rows, Index offset,
                           Worst& worst) noexcept {
  const bool is_cone = set.kind != SetKind::VonMises && set.kind != SetKind::Rolling;  // most blocks of most problems
  double lift = is_cone ? lift_factor(set) * internal::tangential_speed(u, rows) : velocity_lift(set, u, rows);
  if (!std::isfinite(lift)) lift = velocity_lift(set, u, rows);  // the squares alone may have overflowed
  const bool sticks = internal::sticks_inside(set, rho, lift, r, u, rows);
  if (sticks) lift /= set.mu;
  const double push = internal::size_of(r, rows) / rho, hidden = internal::hidden_share * push;
  const double opening = internal::opening_error(set, push, u, rows);
  const LargestEntry largest = largest_error(set, rho, lift, r, u, rows);
  // |e|_1 bounds what shows with any larger rho.
  if (worst.unmoved_by(std::max(largest.total, opening) + hidden, 2.0 * hidden)) return;
  worst.add(offset + largest.row, largest.size);
  worst.add(offset, opening);
  if (!sticks && hidden > worst.block_error) add_hidden_error(set, rho, lift, r, u, rows, offset, worst);
}

/// As certify_blocks, every block a contact in space: the columns of W's blocks one after another, each r once.
Certificate certify_coulomb_3d(const Problem& problem, const double* r, double* u, double floor) {
  const BlockSparseMatrix& W = problem.W;
  const double* q = problem.q.data();
  const double* v = W.values(0);
  Worst worst;
  const Index n = W.num_block_rows();
  for (Index i = 0; i < n; ++i) {
    double sum[3], terms[3], trace = 0.0;
    for (Index k = 0; k < 3; ++k) terms[k] = std::abs(sum[k] = q[3 * i + k]);
    const Index diagonal = W.diagonal(i);
    for (Index k = W.row_begin(i); k < W.row_begin(i + 1); ++k) {
      if (k == diagonal) trace = v[0] + v[4] + v[8];
      for (const double* value = r + 3 * W.column(k); value < r + 3 * W.column(k) + 3; ++value, v += 3) {
        for (Index row = 0; row < 3; ++row) {
          const double term = v[row] * *value;
          sum[row] += term;
          terms[row] += std::abs(term);
        }
      }
    }
    worst.begin_block();
    for (Index k = 0; k < 3; ++k) {
      u[3 * i + k] = sum[k];
      worst.add_terms(q[3 * i + k], terms[k]);
    }
    const double rho = trace > 0.0 ? 3.0 / trace : 1.0 / local::largest_entry(W, i, 0, 3);
    add_cone_error(problem.K[i], rho, r + 3 * i, u + 3 * i, 3, 3 * i, worst);
    worst.end_block();
  }
  return worst.finish(floor);
}

/// The largest entry of a block's rows of D W D, or 1 where all are 0; D of the block is `scale`.
double largest_scaled_entry(const Problem& problem, Index b, const double* scale) {
  const BlockSparseMatrix& W = problem.W;
  double largest = 0.0, column_scale[internal::most_scaled_rows];
  for (Index k = W.row_begin(b); k < W.row_begin(b + 1); ++k) {
    const Index j = W.column(k), columns = W.size(j);
    const bool canonical = is_canonical(problem.K[j], columns);
    if (!canonical) static_cast<void>(internal::canonical_set(problem.K[j], columns, column_scale));
    const double* value = W.values(k);
    for (Index c = 0; c < columns; ++c)
      for (Index i = 0; i < W.size(b); ++i, ++value)
        largest = std::max(largest, scale[i] * std::abs(*value) * (canonical ? 1.0 : column_scale[c]));
  }
  return largest > 0.0 ? largest : 1.0;
}

/// The error of row i of a Free, Orthant or Box block, whose unit is `scale`.
void add_row_error(const Problem& problem, Index b, Index i, double scale, double r, double u, Worst& worst) noexcept {
  const Index row = problem.W.offset(b) + i, rows = problem.W.size(b);
  const BlockSet& set = problem.K[b];
  if (set.kind == SetKind::Free) return worst.add(row, u);
  const double entry = problem.W.values(problem.W.diagonal(b))[i * rows + i];
  const double s = entry > 0.0 ? entry : local::largest_entry(problem.W, b, i, i + 1);
  worst.add(row, scale * local::interval_error(local::interval(set), s, r, u));
}

/// u = W r + q. Errors, q and terms are those of the canonical form (see BlockSet), taken block by block as they come:
/// r' = D^-1 (r + c e_N), u' = D u, q' = D (q - W c e_N).
template <bool all_canonical>
Certificate certify_blocks(const Problem& problem, const double* r, double* u, double floor) {
  const BlockSparseMatrix& W = problem.W;
  const double* q = problem.q.data();
  Worst worst;
  bool shifted = false;
  BlockSet canonical;
  double scale[internal::most_scaled_rows], scaled_r[internal::most_scaled_rows], scaled_u[internal::most_scaled_rows];
  for (Index b = 0; b < W.num_block_rows(); ++b) {
    const Index offset = W.offset(b), rows = W.size(b);
    const bool plain = all_canonical || is_canonical(problem.K[b], rows);
    if (!plain) canonical = internal::canonical_set(problem.K[b], rows, scale);
    const BlockSet& own = problem.K[b];
    const bool by_rows = own.kind == SetKind::Free || own.kind == SetKind::Orthant || own.kind == SetKind::Box;
    if (by_rows && own.kind != SetKind::Free) shifted |= excludes_zero(local::interval(own));
    worst.begin_block();
    for (Index i = 0; i < rows; ++i) {
      double sum = q[offset + i], terms = std::abs(sum), data = sum;
      for (Index k = W.row_begin(b); k < W.row_begin(b + 1); ++k) {
        const Index j = W.column(k), first = W.offset(j), columns = W.size(j);
        const double* value = W.values(k) + i;
        for (Index c = 0; c < columns; ++c) {
          const double term = value[c * rows] * r[first + c];
          sum += term;
          terms += std::abs(term);
        }
        if constexpr (!all_canonical) {  // W r + q = W (r + c e_N) + (q - W c e_N)
          if (const double cohesion = problem.K[j].cohesion; cohesion > 0.0) {
            terms += std::abs(value[0] * (r[first] + cohesion)) - std::abs(value[0] * r[first]);
            data -= value[0] * cohesion;
          }
        }
      }
      u[offset + i] = sum;
      if constexpr (!all_canonical) terms += std::abs(data) - std::abs(q[offset + i]);
      worst.add_terms(plain ? data : scale[i] * data, plain ? terms : scale[i] * terms);
      if (by_rows) {  // each row has a unit of its own
        add_row_error(problem, b, i, plain ? 1.0 : scale[i], r[offset + i], sum, worst);
        worst.end_block();
        worst.begin_block();
      }
    }
    const BlockSet& set = plain ? problem.K[b] : canonical;
    const double* diagonal = W.values(W.diagonal(b));
    const double* rb = r + offset;
    const double* ub = u + offset;
    if (!plain) {
      internal::scale_block(problem.K[b], scale, rb, ub, rows, scaled_r, scaled_u);
      rb = scaled_r;
      ub = scaled_u;
    }
    switch (set.kind) {
      case SetKind::Free:
      case SetKind::Orthant:
      case SetKind::Box:
        break;  // row by row above
      case SetKind::SecondOrderCone:
      case SetKind::Coulomb2D:
      case SetKind::Coulomb3D:
      case SetKind::DruckerPrager:
      case SetKind::Rolling:
      case SetKind::VonMises: {
        double trace = 0.0;
        for (Index i = 0; i < rows; ++i) trace += diagonal[i * rows + i] * (plain ? 1.0 : scale[i] * scale[i]);
        const double rho = trace > 0.0 ? static_cast<double>(rows) / trace
                           : plain     ? 1.0 / local::largest_entry(W, b, 0, rows)
                                       : 1.0 / largest_scaled_entry(problem, b, scale);
        if (set.kind == SetKind::Coulomb2D)
          add_planar_error(set.mu, rho, rb, ub[0], ub[1], offset, worst);
        else
          add_cone_error(set, rho, rb, ub, rows, offset, worst);
        break;
      }
    }
    worst.end_block();
  }
  if (shifted) worst.data = std::max(worst.data, internal::data_scale(problem));
  return worst.finish(floor);
}

}  // namespace

double internal::data_scale(const Problem& problem) {
  const BlockSparseMatrix& W = problem.W;
  double size = 0.0, scale[internal::most_scaled_rows];
  for (Index b = 0; b < W.num_block_rows(); ++b) {
    const Index offset = W.offset(b), rows = W.size(b);
    const bool plain = is_canonical(problem.K[b], rows);
    if (!plain) static_cast<void>(canonical_set(problem.K[b], rows, scale));
    for (Index i = 0; i < rows; ++i) {
      double data = problem.q[offset + i], shifted = data;
      for (Index k = W.row_begin(b); k < W.row_begin(b + 1); ++k) {
        const Index j = W.column(k);
        const BlockSet& set = problem.K[j];
        const double* value = W.values(k) + i;
        if (set.cohesion > 0.0) data -= value[0] * set.cohesion, shifted -= value[0] * set.cohesion;
        if (set.kind != SetKind::Box) continue;
        const double nearest = std::min(std::max(0.0, set.lower), set.upper);
        for (Index c = 0; c < W.size(j); ++c) shifted += value[c * rows] * nearest;
      }
      size = std::max(size, (plain ? 1.0 : scale[i]) * std::max(std::abs(data), std::abs(shifted)));
    }
  }
  return size;
}

Certificate certify(const Problem& problem, ConstVectorRef r, VectorRef u, double floor) {
  if (problem.W.num_block_rows() == 0) return Worst{}.finish(floor);
  if (!problem.K.is_canonical()) return certify_blocks<false>(problem, r.data(), u.data(), floor);
  const Index uniform = problem.W.uniform_size();
  if (uniform == 1 && problem.K.count(SetKind::SecondOrderCone) == 0)
    return certify_rows(problem, r.data(), u.data(), floor);
  if (uniform == 2 && problem.K.all(SetKind::Coulomb2D)) return certify_coulomb_2d(problem, r.data(), u.data(), floor);
  if (uniform == 3 && problem.K.all(SetKind::Coulomb3D)) return certify_coulomb_3d(problem, r.data(), u.data(), floor);
  return certify_blocks<true>(problem, r.data(), u.data(), floor);
}

}  // namespace nonsmooth::mixed
