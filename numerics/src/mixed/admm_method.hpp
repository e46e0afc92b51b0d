// SPDX-License-Identifier: Apache-2.0
#pragma once

// Alternating directions with Anderson's extrapolation, for every family that stops on a measure of its own.

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string_view>
#include <vector>

#include <nonsmooth/numerics/linear_algebra/factorization.hpp>
#include <nonsmooth/numerics/mixed/admm.hpp>

#include "block_cholesky.hpp"
#include "growing_matrix.hpp"
#include "internal.hpp"
#include "newton_system.hpp"
#include "projection_jacobian.hpp"
#include "set_kernels.hpp"

namespace nonsmooth::mixed::internal {

/// Anderson's extrapolation of a fixed point v = v + f(v): the affine combination of the last iterates whose f is
/// smallest. Cost: some 6 n memory flops an iterate.
class Extrapolation {
 public:
  /// Of vectors of n entries, from `memory` differences, none yet. Keeps its memory.
  void prepare(Index n, Index memory);
  void reserve(Index n, Index memory);  ///< memory for as many
  void forget() noexcept { count_ = filled_ = 0; }

  void add(ConstVectorRef v, ConstVectorRef f);

  /// The extrapolated v + f of the last iterate into v. False where the differences carry no information.
  [[nodiscard]] bool apply(VectorRef v);

 private:
  GrowingMatrix<> df_, dg_, gram_, damped_;  // differences of f and of g = v + f; F^T F
  GrowingVector v_, f_, weights_;
  DenseFactorization factors_{Structure::SymmetricPositiveDefinite};
  Index count_ = 0, filled_ = 0;
};

/// The factors of W + R. A W that is symmetric but for a small part E (rounding, gyroscopic terms) is split: Cholesky
/// of the mirrored lower triangle, E times the r of the iteration before on the right-hand side.
class SplittingMatrix {
 public:
  /// Of another problem. Keeps its memory.
  void prepare(const Problem& problem);
  /// Memory for problems like this one, of few rows, whatever the pattern of a symmetric W.
  void reserve(const Problem& problem);
  /// False where W + R is singular.
  [[nodiscard]] bool factorize(ConstVectorRef R);
  /// r := (W + R)^-1 b, exact once r no longer changes; `r` comes in as that of the iteration before, b is overwritten.
  void solve(VectorRef b, VectorRef r) const;

 private:
  struct Lu {
    NewtonSystem system;
    BlockDiagonal A, C;  // R and 1
  };

  /// E = W - S, S the mirrored lower triangle, by rows; false where it is not small or the pattern is unsymmetric.
  [[nodiscard]] bool split();

  const Problem* problem_ = nullptr;
  std::vector<Index> mirror_;  // of block (i, j): block (j, i)
  std::vector<Index> rest_begin_, rest_column_;
  std::vector<double> rest_;  // E; empty where W is symmetric to the last bit
  BlockCholesky cholesky_;
  bool has_cholesky_ = false;
  std::unique_ptr<Lu> lu_;  // where it has not
  bool lu_knows_problem_ = false;
};

/// What AdmmMethod keeps from solve to solve; vectors have an entry a row.
struct AdmmMemory {
  SplittingMatrix matrix;
  Extrapolation extrapolation;
  GrowingVector rho, R, v, z, r, f, b, u, z_before, fallback;

  /// For problems like this one, of few rows, whatever the pattern of a symmetric W.
  void reserve(const Problem& problem, Index iterates);
};

/// The iteration that mixed::Admm's documentation states. `Watch` decides when it ends:
///
///     bool observe(z, u)        looks at an iterate and its u = W z + q; true ends the solve
///     double last()             what observe() compared with the tolerance
///     void finish(status, why)  ends the solve where observe() has not
template <class Watch>
class AdmmMethod {
 public:
  AdmmMethod(const Problem& problem, const Admm& options, AdmmMemory& memory, Watch& watch, Result& result)
      : problem_(problem),
        options_(options),
        watch_(watch),
        result_(result),
        matrix_(memory.matrix),
        extrapolation_(memory.extrapolation),
        rho_(memory.rho),
        R_(memory.R),
        v_(memory.v),
        z_(memory.z),
        r_(memory.r),
        f_(memory.f),
        b_(memory.b),
        u_(memory.u),
        z_before_(memory.z_before),
        fallback_(memory.fallback) {
    const Index n = problem.W.rows();
    matrix_.prepare(problem);
    extrapolation_.prepare(n, options.memory);
    for (GrowingVector* vector : {&rho_, &u_, &f_, &b_}) vector->resize(n);
    natural_scales(problem, VectorRef(rho_));
  }

  void run() {
    penalty_ = options_.penalty;
    r_ = z_ = result_.r;
    problem_.W.multiply_add(z_, problem_.q, u_);
    if (watch_.observe(z_, u_)) return watch_.finish(Status::Stalled, "");
    if (!factorize()) return watch_.finish(Status::NumericalFailure, "W + R is singular");
    // û = u + g of the start, so that a start at a solution is a fixed point.
    v_ = u_;
    for (Index b = 0; b < problem_.K.num_blocks(); ++b)
      modify_velocity(problem_.K[b], v_.segment(problem_.K.offset(b), problem_.K.size(b)));
    v_ = z_ - v_.cwiseQuotient(R_);
    Index next_balance = 20, last_gain = 0, plain_until = 0, patience = 500;
    double best = std::numeric_limits<double>::infinity();
    double reference = std::numeric_limits<double>::infinity();
    fallback_.resize(0);
    while (true) {
      if (!step()) return watch_.finish(Status::NumericalFailure, "numbers overflow");
      ++result_.iterations;
      const double size = weighted(f_);
      const bool last = result_.iterations >= options_.max_iterations;
      if ((last || due(size)) && look(size)) return watch_.finish(Status::Stalled, "");
      if (last) return watch_.finish(Status::IterationLimit, "max_iterations reached");
      if (fallback_.size() > 0 && !(size <= 2.0 * reference)) {
        v_ = fallback_;  // the extrapolated point was worse: on from the plain one, without history
        fallback_.resize(0);
        extrapolation_.forget();
        continue;
      }
      fallback_.resize(0);
      reference = size;
      if (size < 0.9 * best) {
        best = size;
        last_gain = result_.iterations;
      } else if (result_.iterations >= last_gain + patience) {
        // Extrapolation wanders: the plain iteration for a while, each time longer, for that one converges.
        plain_until = result_.iterations + patience;
        last_gain = plain_until;
        patience *= 2;
        extrapolation_.forget();
      }
      compare();
      if (result_.iterations >= next_balance) {
        next_balance = 2 * result_.iterations;
        if (rebalance()) {
          best = std::numeric_limits<double>::infinity();
          extrapolation_.forget();
          if (!factorize()) return watch_.finish(Status::NumericalFailure, "W + R is singular");
          continue;
        }
      }
      if (options_.memory > 0 && result_.iterations >= plain_until) {
        f_ *= options_.relaxation;
        extrapolation_.add(v_, f_);
        fallback_ = v_ + f_;
        if (!extrapolation_.apply(v_)) {
          v_ = fallback_;
          fallback_.resize(0);
        }
      } else {
        v_ += options_.relaxation * f_;
      }
    }
  }

 private:
  /// A look costs a product with W: early, after ten iterations, and where |r - z| foretells that it succeeds.
  [[nodiscard]] bool due(double size) const noexcept {
    const Index k = result_.iterations;
    return k >= last_look_ + 10 || k == 2 || k == 4 || !(size * error_per_size_ > 2.0 * options_.tolerance);
  }

  [[nodiscard]] bool look(double size) {
    last_look_ = result_.iterations;
    problem_.W.multiply_add(z_, problem_.q, u_);
    const bool ends = watch_.observe(z_, u_);
    error_per_size_ = size > 0.0 ? watch_.last() / size : 0.0;
    return ends;
  }

  [[nodiscard]] bool factorize() {
    // One R a block: P_K of a cone is the projection in the norm of R only then. Orthants and boxes take any.
    R_ = penalty_ * rho_.cwiseInverse();
    return matrix_.factorize(R_);
  }

  /// z, r and f = r - z of v.
  [[nodiscard]] bool step() {
    z_before_ = z_;
    z_ = v_;
    for (Index b = 0; b < problem_.K.num_blocks(); ++b)
      project(problem_.K[b], z_.data() + problem_.K.offset(b), problem_.K.size(b));
    b_ = R_.cwiseProduct(2.0 * z_ - v_) - problem_.q;
    f_ = z_ - v_;
    for (Index b = 0; b < problem_.K.num_blocks(); ++b) {
      const Index o = problem_.K.offset(b);
      b_[o] -= R_[o] * velocity_lift(problem_.K[b], f_.data() + o, problem_.K.size(b));
    }
    matrix_.solve(b_, r_);
    f_ = r_ - z_;
    return f_.allFinite();
  }

  /// |x| in the unit of u, so that blocks of different masses count alike.
  template <class X>
  [[nodiscard]] double weighted(const X& x) const {
    return x.cwiseQuotient(rho_).norm();
  }

  /// Notes how the relative changes of r, |r - z| / |z|, and of û = R (z - v), R |z - z_before| / max(|û|, |q|),
  /// compare (where everything sticks û tends to 0, and q is the measure of it).
  void compare() {
    const double velocity = std::max(weighted(z_ - v_), problem_.q.norm() / penalty_);
    const double primal = weighted(f_) * velocity, dual = weighted(z_ - z_before_) * weighted(z_);
    if (!(primal > 0.0) || !(dual > 0.0)) return;
    log_ratio_ += std::log(primal / dual);
    ++compared_;
  }

  /// A better penalty where they lie far apart in the mean since the last change; v keeps û.
  [[nodiscard]] bool rebalance() {
    const double mean = compared_ > 0 ? 0.5 * log_ratio_ / static_cast<double>(compared_) : 0.0;
    log_ratio_ = 0.0;
    compared_ = 0;
    if (refactorizations_ >= options_.max_refactorizations) return false;
    const double ratio = std::clamp(std::exp(mean), 1e-2, 1e2);
    if (ratio < far && ratio > 1.0 / far) return false;
    const double next = std::clamp(penalty_ * ratio, 1e-8, 1e8);
    if (next == penalty_) return false;
    v_ = z_ + (v_ - z_) * (penalty_ / next);
    penalty_ = next;
    ++refactorizations_;
    return true;
  }

  static constexpr double far = 20.0;  // small changes are not worth a factorization and the history

  const Problem& problem_;
  const Admm& options_;
  Watch& watch_;
  Result& result_;
  SplittingMatrix& matrix_;
  Extrapolation& extrapolation_;
  double penalty_ = 1.0, log_ratio_ = 0.0, error_per_size_ = std::numeric_limits<double>::infinity();
  Index refactorizations_ = 0, compared_ = 0, last_look_ = 0;
  GrowingVector &rho_, &R_, &v_, &z_, &r_, &f_, &b_, &u_, &z_before_, &fallback_;
};

}  // namespace nonsmooth::mixed::internal
