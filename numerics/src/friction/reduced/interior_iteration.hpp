// SPDX-License-Identifier: Apache-2.0
#pragma once

// The primal-dual iteration that InteriorPoint and GlobalInteriorPoint share; they differ in how u depends on r.

#include <string_view>
#include <vector>

#include <nonsmooth/numerics/friction/interior_point.hpp>

#include "convex_inner.hpp"
#include "interior_cones.hpp"
#include "outer_loop.hpp"

namespace nonsmooth::friction::internal {

/// An affine u(r), in units where q and the diagonal blocks of W are of order one. In the global form r carries a v
/// with it, and momentum is one more equation of every solve().
class InteriorSystem {
 public:
  virtual ~InteriorSystem() = default;

  [[nodiscard]] const GrowingVector& r() const noexcept { return r_; }
  [[nodiscard]] const GrowingVector& u() const noexcept { return u_; }
  /// Factors of W + B + diag(shift). False where it is singular. B stays alive until the next call.
  [[nodiscard]] virtual bool factorize(const mixed::internal::BlockDiagonal& B, ConstVectorRef shift) = 0;
  /// dr with (W + B + diag(shift)) dr = rhs, in the global form plus what momentum lacks.
  virtual void solve(ConstVectorRef rhs, VectorRef dr) = 0;
  virtual void advance(double t) = 0;          ///< r += t dr of the last solve(), u with it
  virtual void move_to(ConstVectorRef r) = 0;  ///< r anew, u with it
  /// Looks at the iterate. True where the solve ends: solved, or its time is up, or its numbers are not finite.
  [[nodiscard]] virtual bool observe() = 0;

 protected:
  /// On vectors that outlive it.
  InteriorSystem(GrowingVector& r, GrowingVector& u) : r_(r), u_(u) {}

  GrowingVector &r_, &u_;
};

/// Why an iteration ended; Status::NotRun where InteriorSystem::observe() ended it.
struct InteriorEnd {
  Status status;
  std::string_view reason;
};

/// See friction::InteriorPoint for the equations; the letters are the same. Keeps its memory: with De Saxcé's term
/// inside nothing is allocated for a product of no more blocks, rows and cones than one before.
class InteriorIteration {
 public:
  /// Steps until the system has seen enough. `iterations` counts them, up to `limit`.
  [[nodiscard]] InteriorEnd run(const ProductSet& K, InteriorSystem& system, InteriorPoint::DeSaxce term, Index limit,
                                Index& iterations);
  /// Of K; what run() does first.
  void prepare(const ProductSet& K);
  [[nodiscard]] const FrictionCones& cones() const noexcept { return cones_; }  ///< of K

 private:
  using Term = InteriorPoint::DeSaxce;

  [[nodiscard]] InteriorEnd run_inside(Index limit, Index& iterations);
  [[nodiscard]] InteriorEnd run_outside(Index limit, Index& iterations);
  void start(double size);
  void look(Term term);
  /// One predictor and corrector from what look() saw. False where no direction is found.
  [[nodiscard]] bool step(Term term);
  /// Of c_.
  void direction();
  void correct(double target);
  [[nodiscard]] double step_to_boundary() const;
  void regularize(double t);
  [[nodiscard]] bool factorize();
  [[nodiscard]] Eigen::VectorXd gains() const;

  const ProductSet* K_ = nullptr;
  InteriorSystem* system_ = nullptr;
  FrictionCones cones_;
  double degree_ = 1.0;  // number of cones, at least 1
  std::vector<NesterovTodd> scaling_;
  ConePoint x_, y_, dx_, dy_, c_, z_;
  GrowingMatrix<3> D_;
  GrowingMatrix<2> t_;  // of T^-1 = 1 - e t^T
  GrowingVector s_;     // De Saxcé's term / mu of each cone
  GrowingVector residual_, lifted_, rhs_, dr_;
  GrowingVector alpha_, shift_;  // proximal weight of each block; of each row
  mixed::internal::BlockDiagonal B_;
  double barrier_ = 1.0;  // x·y / degree
};

}  // namespace nonsmooth::friction::internal
