// SPDX-License-Identifier: Apache-2.0
#include <problems/law_distance.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <problems/quad_sets.hpp>

namespace nonsmooth::problems {
namespace {

/// One block with its own u and r, and the best pair that obeys its law so far. What the rounding of r itself moves it
/// off a boundary is no error: no double is nearer.
class LawDistance {
 public:
  LawDistance(Quad rho, const QuadVector& u, const QuadVector& r) : rho_(rho), u_(u), r_(r), best_(infinity) {
    for (const Quad& x : r) last_digits_ = std::max(last_digits_, 32 * epsilon * absolute(x));
  }

  /// A pair that obeys the law.
  void offer(const QuadVector& u, const QuadVector& r) {
    Quad worst = 0;
    for (std::size_t i = 0; i < u.size(); ++i)
      worst = std::max({worst, absolute(u_[i] - u[i]), (absolute(r_[i] - r[i]) - last_digits_) / rho_});
    best_ = std::min(best_, worst);
  }
  [[nodiscard]] Quad best() const { return best_; }

 private:
  Quad rho_;
  const QuadVector &u_, &r_;
  Quad best_, last_digits_ = 0;
};

/// -u in N_[l, h](r): off the bounds u = 0, at the lower one u >= 0, at the upper one u <= 0.
Quad interval_distance(const BlockSet& set, Quad rho, Quad u, Quad r) {
  if (set.kind == SetKind::Free) return absolute(u);
  const Quad low = lower(set), high = upper(set);
  Quad best = std::max(absolute(u), std::max({Quad(0), low - r, r - high}) / rho);
  if (low > -infinity) best = std::min(best, std::max(absolute(r - low) / rho, std::max<Quad>(0, -u)));
  if (high < infinity) best = std::min(best, std::max(absolute(r - high) / rho, std::max<Quad>(0, u)));
  return best;
}

/// The directions in which a group may slide: against u, along r, along r - rho u.
QuadVector direction(int which, Quad rho, const RowGroup& group, const QuadVector& u, const QuadVector& r) {
  QuadVector d(u.size());
  for (Index i = group.first; i < group.first + group.count; ++i)
    d[at(i)] = which == 0 ? -u[at(i)] : which == 1 ? r[at(i)] : r[at(i)] - rho * u[at(i)];
  const Quad length = norm(d, group);
  for (Quad& x : d) x = length > 0 ? x / length : Quad(0);
  if (!(length > 0) && group.count > 0) d[at(group.first)] = 1;
  return d;
}

/// u_0 = 0, u_T = 0 inside the ball |r_T| <= radius, u_T = -s r_T on its boundary; r_0 is free.
Quad ball_distance(Quad radius, Quad rho, const QuadVector& u, const QuadVector& r) {
  const RowGroup all{1, static_cast<Index>(u.size()) - 1, 0.0};
  LawDistance law(rho, u, r);
  QuadVector near_u(u.size()), near_r = r;
  const Quad length = norm(r, all);
  for (std::size_t i = 1; i < r.size() && length > radius; ++i) near_r[i] *= radius / length;
  law.offer(near_u, near_r);
  for (int which = 0; which < 3; ++which) {
    const QuadVector d = direction(which, rho, all, u, r);
    Quad speed = 0;
    for (std::size_t i = 1; i < u.size(); ++i) speed -= u[i] * d[i];
    speed = std::max<Quad>(0, speed);
    for (std::size_t i = 1; i < u.size(); ++i) near_u[i] = -speed * d[i], near_r[i] = radius * d[i];
    law.offer(near_u, near_r);
  }
  return law.best();
}

/// r on the cone |r_G| <= bound_G r_0, û = u + g |u_T| e_0 in its dual, r·û = 0, in modes; slope = mu - g, 0 for
/// contacts: at the apex u_0 >= slope |u_T|; inside u = 0; groups on the boundary have u_G = -s d, r_G = bound r_0 d,
/// u_0 = slope s.
class ConeModes {
 public:
  ConeModes(const std::vector<RowGroup>& groups, Quad slope, Quad rho, const QuadVector& u, const QuadVector& r)
      : groups_(groups), slope_(slope), rho_(rho), u_(u), r_(r), law_(rho, u, r) {}

  [[nodiscard]] Quad distance() {
    apex();
    for (int which = 0; which < 3; ++which) {
      std::vector<QuadVector> directions;
      for (const RowGroup& group : groups_) directions.push_back(direction(which, rho_, group, u_, r_));
      for (unsigned sliding = 0; sliding < 1U << groups_.size(); ++sliding) loaded(sliding, directions);
    }
    return law_.best();
  }

 private:
  void apex() {
    QuadVector near = u_;
    if (groups_.size() == 1) {  // the nearest of the cone u_0 >= slope |u_T| along its own tangential direction
      const Quad length = norm(u_, groups_[0]);
      if (near[0] < slope_ * length) {
        const Quad along = slope_ > 0 ? std::max<Quad>(0, (slope_ * u_[0] + length) / (1 + slope_ * slope_)) : length;
        for (std::size_t i = 1; i < near.size(); ++i) near[i] *= length > 0 ? along / length : Quad(0);
        near[0] = slope_ * along;
      }
    } else {
      near[0] = std::max<Quad>(0, near[0]);
    }
    law_.offer(near, QuadVector(r_.size()));
  }

  /// Groups of `sliding` move against d; of the others those that are outside are taken to the boundary.
  void loaded(unsigned sliding, const std::vector<QuadVector>& directions) {
    std::vector<QuadVector> rays = directions;
    unsigned border = sliding;
    Quad normal = 0;
    for (std::size_t pass = 0; pass <= groups_.size(); ++pass) {
      Quad above = r_[0], below = 1;
      for (std::size_t g = 0; g < groups_.size(); ++g) {
        if ((border >> g & 1U) == 0) continue;
        const Quad bound = groups_[g].bound;
        for (std::size_t i = 0; i < r_.size(); ++i) above += bound * r_[i] * rays[g][i];
        below += bound * bound;
      }
      normal = std::max<Quad>(0, above / below);
      const unsigned before = border;
      for (std::size_t g = 0; g < groups_.size(); ++g) {
        if ((border >> g & 1U) != 0 || norm(r_, groups_[g]) <= groups_[g].bound * normal) continue;
        border |= 1U << g;
        rays[g] = direction(1, rho_, groups_[g], u_, r_);
      }
      if (border == before) break;
    }
    QuadVector near_u(u_.size()), near_r = r_;
    near_r[0] = normal;
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      const RowGroup& group = groups_[g];
      if ((sliding >> g & 1U) != 0) {
        Quad speed = slope_ * u_[0];
        for (std::size_t i = 1; i < u_.size(); ++i) speed -= u_[i] * rays[g][i];
        speed = std::max<Quad>(0, speed / (1 + slope_ * slope_));
        near_u[0] = slope_ * speed;  // several groups: slope 0
        for (Index i = group.first; i < group.first + group.count; ++i) near_u[at(i)] = -speed * rays[g][at(i)];
      }
      if ((border >> g & 1U) != 0)
        for (Index i = group.first; i < group.first + group.count; ++i)
          near_r[at(i)] = group.bound * normal * rays[g][at(i)];
    }
    law_.offer(near_u, near_r);
  }

  const std::vector<RowGroup>& groups_;
  Quad slope_, rho_;
  const QuadVector &u_, &r_;
  LawDistance law_;
};

Quad block_distance(const BlockSet& set, Quad rho, const QuadVector& u, const QuadVector& r) {
  if (set.kind == SetKind::VonMises) return ball_distance(set.radius, rho, u, r);
  const bool friction = has_friction(set);
  const Quad slope = friction ? 0.0 : set.mu - (set.kind == SetKind::DruckerPrager ? set.lift : 0.0);
  return ConeModes(row_groups(set, static_cast<Index>(u.size())), slope, rho, u, r).distance();
}

/// u and the sizes of its terms, in canonical units.
struct Velocity {
  QuadVector u, terms;
  Quad data = 0, given = 0;  // given: the terms of q - W c e_N
};

Velocity velocity(const Eigen::MatrixXd& W, const Eigen::VectorXd& q, const ProductSet& K, const QuadVector& scale,
                  const QuadVector& shifted) {
  const Index n = q.size();
  Velocity result{QuadVector(at(n)), QuadVector(at(n))};
  for (Index i = 0; i < n; ++i) {
    Quad free = q[i], terms = absolute(free), nearest = q[i];
    for (Index b = 0; b < K.num_blocks(); ++b) {
      const Index o = K.offset(b);
      const Quad shift = static_cast<Quad>(W(i, o)) * K[b].cohesion;
      free -= shift, nearest -= shift, terms += absolute(shift);
      for (Index j = o; j < o + K.size(b) && K[b].kind == SetKind::Box; ++j)
        nearest += W(i, j) * std::min<Quad>(std::max<Quad>(0, K[b].lower), K[b].upper);
    }
    result.given = std::max(result.given, terms * scale[at(i)]);
    Quad sum = free;
    for (Index j = 0; j < n; ++j) {
      const Quad term = static_cast<Quad>(W(i, j)) * shifted[at(j)] * scale[at(j)];
      sum += term, terms += absolute(term);
    }
    result.data = std::max({result.data, absolute(free) * scale[at(i)], absolute(nearest) * scale[at(i)]});
    result.u[at(i)] = sum * scale[at(i)];
    result.terms[at(i)] = terms * scale[at(i)];
  }
  return result;
}

/// 1 / the mean of the diagonal of rows first .. last - 1 of W in canonical units; 1 / their largest entry where that
/// is not positive; 1 where they are 0.
Quad step(const Eigen::MatrixXd& W, const QuadVector& scale, Index first, Index last) {
  Quad trace = 0, largest = 0;
  for (Index i = first; i < last; ++i) {
    trace += static_cast<Quad>(W(i, i)) * scale[at(i)] * scale[at(i)];
    for (Index j = 0; j < W.cols(); ++j)
      largest = std::max(largest, absolute(static_cast<Quad>(W(i, j)) * scale[at(i)] * scale[at(j)]));
  }
  if (trace > 0) return static_cast<Quad>(last - first) / trace;
  return largest > 0 ? 1 / largest : Quad(1);
}

QuadVector canonical_scales(const ProductSet& K) {
  QuadVector scale(at(K.num_rows()));
  for (Index b = 0; b < K.num_blocks(); ++b) {
    const Eigen::VectorXd d = canonical_scale(K[b], K.size(b));
    for (Index i = 0; i < K.size(b); ++i) scale[at(K.offset(b) + i)] = d[i];
  }
  return scale;
}

/// r' = D^-1 (r + c e_N).
QuadVector canonical_reactions(const ProductSet& K, const QuadVector& scale, const Eigen::VectorXd& r) {
  QuadVector result(at(K.num_rows()));
  for (Index b = 0; b < K.num_blocks(); ++b)
    for (Index i = K.offset(b); i < K.offset(b) + K.size(b); ++i)
      result[at(i)] = (r[i] + (i == K.offset(b) ? static_cast<Quad>(K[b].cohesion) : Quad(0))) / scale[at(i)];
  return result;
}

double share(Quad part, Quad whole) {
  if (part == 0) return 0.0;
  return whole > 0 ? static_cast<double>(part / whole) : infinity;
}

/// x := A^-1 b by elimination with row pivoting, in place.
void eliminate(std::vector<QuadVector>& A, QuadVector& b) {
  const std::size_t n = b.size();
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < n; ++i)
      if (absolute(A[i][k]) > absolute(A[pivot][k])) pivot = i;
    std::swap(A[k], A[pivot]), std::swap(b[k], b[pivot]);
    for (std::size_t i = k + 1; i < n; ++i) {
      if (A[i][k] == 0) continue;
      const Quad factor = A[i][k] / A[k][k];
      for (std::size_t j = k; j < n; ++j) A[i][j] -= factor * A[k][j];
      b[i] -= factor * b[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j) b[k] -= A[k][j] * b[j];
    b[k] /= A[k][k];
  }
}

}  // namespace

Worth worth(const Eigen::MatrixXd& W, const Eigen::VectorXd& q, const ProductSet& K, const Eigen::VectorXd& r) {
  if (r.size() != q.size() || !r.allFinite()) return {infinity, infinity, infinity};
  const QuadVector scale = canonical_scales(K), reaction = canonical_reactions(K, scale, r);
  const Velocity v = velocity(W, q, K, scale, reaction);
  Quad error = 0, terms = 0;
  Worth result;
  bool bounded = true;
  const auto add = [&](Quad distance, Quad own) {
    error = std::max(error, distance);
    terms = std::max(terms, own);
    result.rows = std::max(result.rows, share(distance, own));
  };
  for (Index b = 0; b < K.num_blocks(); ++b) {
    const Index o = K.offset(b), end = o + K.size(b);
    bounded = bounded && K[b].kind == SetKind::Box && std::isfinite(K[b].lower) && std::isfinite(K[b].upper);
    if (row_wise(K[b])) {
      for (Index i = o; i < end; ++i)
        add(interval_distance(K[b], step(W, scale, i, i + 1), v.u[at(i)], reaction[at(i)]), v.terms[at(i)]);
      continue;
    }
    const QuadVector own_u(v.u.begin() + o, v.u.begin() + end), own_r(reaction.begin() + o, reaction.begin() + end);
    add(block_distance(K[b], step(W, scale, o, end), own_u, own_r),
        *std::max_element(v.terms.begin() + o, v.terms.begin() + end));
  }
  result.residual = share(error, v.data);
  if (!bounded) result.growth = epsilon * share(terms, std::max(v.data, v.given));
  return result;
}

Worth worth(const friction::GlobalProblem& problem, const Eigen::VectorXd& v, const Eigen::VectorXd& r) {
  if (v.size() != problem.f.size() || r.size() != problem.w.size() || !v.allFinite() || !r.allFinite())
    return {infinity, infinity, infinity};
  const Eigen::MatrixXd A(problem.A), H(problem.H);
  const ProductSet& K = problem.K;
  const Index n = A.rows(), m = H.rows();
  const QuadVector scale = canonical_scales(K), reaction = canonical_reactions(K, scale, r);
  std::vector<QuadVector> rows(at(n), QuadVector(at(n)));
  QuadVector free(at(n)), u(at(m)), data(at(m)), terms(at(m)), stop(at(m));
  Quad lost = 0, force = 0, error = 0, largest = 0, momentum_terms = 0, velocity_terms = 0;
  Worth result;
  const auto add = [&](Quad distance, Quad own) {
    error = std::max(error, distance);
    result.rows = std::max(result.rows, share(distance, own));
  };
  for (Index k = 0; k < n; ++k) {
    Quad sum = -static_cast<Quad>(problem.f[k]), applied = problem.f[k];
    Quad own = 0;
    for (Index j = 0; j < n; ++j) {
      const Quad term = static_cast<Quad>(A(k, j)) * v[j];
      sum += term, own += absolute(term), rows[at(k)][at(j)] = A(k, j);
    }
    for (Index i = 0; i < m; ++i) {
      sum -= static_cast<Quad>(H(i, k)) * r[i];
      own += absolute(H(i, k) * reaction[at(i)] * scale[at(i)]);
    }
    for (Index b = 0; b < K.num_blocks(); ++b) applied -= static_cast<Quad>(H(K.offset(b), k)) * K[b].cohesion;
    own += absolute(applied);
    lost = std::max(lost, absolute(sum));
    result.rows = std::max(result.rows, share(absolute(sum), own));
    momentum_terms = std::max(momentum_terms, own);
    force = std::max(force, absolute(applied));
    free[at(k)] = applied;
  }
  eliminate(rows, free);
  QuadVector diagonal(at(m));
  for (Index i = 0; i < m; ++i) {
    u[at(i)] = data[at(i)] = problem.w[i];
    terms[at(i)] = absolute(problem.w[i]);
    for (Index k = 0; k < n; ++k) {
      u[at(i)] += static_cast<Quad>(H(i, k)) * v[k];
      terms[at(i)] += absolute(static_cast<Quad>(H(i, k)) * v[k]);
      data[at(i)] += H(i, k) * free[at(k)];
      diagonal[at(i)] += static_cast<Quad>(H(i, k)) * H(i, k) / A(k, k);
    }
    u[at(i)] *= scale[at(i)];
    terms[at(i)] *= scale[at(i)];
    velocity_terms = std::max(velocity_terms, terms[at(i)]);
    diagonal[at(i)] *= scale[at(i)] * scale[at(i)];
    largest = std::max(largest, absolute(data[at(i)]) * scale[at(i)]);
  }
  for (Index b = 0; b < K.num_blocks(); ++b) {
    const Index o = K.offset(b), size = K.size(b);
    const auto rho = [&](Index first, Index last) {
      Quad sum = 0;
      for (Index i = first; i < last; ++i) sum += diagonal[at(i)];
      return sum > 0 ? static_cast<Quad>(last - first) / sum : Quad(1);
    };
    for (Index i = o; i < o + size; ++i) {
      const Quad own = K[b].kind == SetKind::Orthant ? rho(i, i + 1) : rho(o, o + size);
      stop[at(i)] = own * problem.w[i] * scale[at(i)] * scale[at(i)];
      if (row_wise(K[b])) add(interval_distance(K[b], rho(i, i + 1), u[at(i)], reaction[at(i)]), terms[at(i)]);
    }
    if (row_wise(K[b])) continue;
    const QuadVector own_u(u.begin() + o, u.begin() + o + size),
        own_r(reaction.begin() + o, reaction.begin() + o + size);
    add(block_distance(K[b], rho(o, o + size), own_u, own_r),
        *std::max_element(terms.begin() + o, terms.begin() + o + size));
  }
  for (Index k = 0; k < n; ++k) {
    Quad sum = 0;
    for (Index i = 0; i < m; ++i) sum += H(i, k) * stop[at(i)];
    force = std::max(force, absolute(sum));
  }
  result.residual = std::max(share(error, largest), share(lost, force));
  result.growth = epsilon * std::max(share(velocity_terms, largest), share(momentum_terms, force));
  return result;
}

bool keeps_promise(const Worth& worth, double tolerance) {
  if (worth.residual <= 2.0 * tolerance) return true;
  return worth.rows <= 128.0 * epsilon && worth.growth <= 2e-6;
}

}  // namespace nonsmooth::problems
