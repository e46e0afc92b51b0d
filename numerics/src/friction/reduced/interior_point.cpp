// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/friction/interior_point.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <vector>

#include <internal/at.hpp>
#include <internal/check.hpp>
#include <nonsmooth/numerics/friction/gauss_seidel_newton.hpp>

#include "infeasibility.hpp"
#include "interior_iteration.hpp"
#include "linear_algebra/sparse/supernodal_lu.hpp"
#include "mixed/block_cholesky.hpp"
#include "projection_method.hpp"
#include "symmetry.hpp"

namespace nonsmooth::friction {
namespace {

using mixed::internal::BlockDiagonal;
using Block = Eigen::Map<const Eigen::MatrixXd>;

constexpr double round_off = 64.0 * std::numeric_limits<double>::epsilon();  // of a W that was made symmetric

/// u' = W' r' + q' with r = |D q| D r', u' = D u / |D q|, D = rho^1/2 (0 where r vanishes by its set), and the factors
/// of W' + B.
class ReducedSystem : public internal::InteriorSystem {
 public:
  ReducedSystem(const Problem& problem, const InteriorPoint& options, mixed::Result& result)
      : problem_(problem),
        options_(options),
        result_(result),
        monitor_(problem, options.tolerance, options.measure, options.time_limit, result),
        D_(monitor_.rho().cwiseSqrt()),
        W_(problem.W),
        zero_(Eigen::VectorXd::Zero(problem.W.rows())),
        symmetric_(options.term == InteriorPoint::DeSaxce::Outside && internal::is_symmetric(problem.W, round_off)) {
    internal::FrictionCones(problem.K).erase_vanishing(D_);
    q_ = D_.cwiseProduct(problem.q);
    const double size = q_.lpNorm<Eigen::Infinity>();
    size_ = size > 0.0 ? size : 1.0;
    q_ /= size_;
    for (Index i = 0; i < W_.num_block_rows(); ++i)
      for (Index k = W_.row_begin(i); k < W_.row_begin(i + 1); ++k) {
        const Index j = W_.column(k);
        W_.block(i, k) = (D_.segment(W_.offset(i), W_.size(i)).asDiagonal() * problem.W.block(i, k) *
                          D_.segment(W_.offset(j), W_.size(j)).asDiagonal())
                             .eval();
      }
    if (symmetric_) {
      sum_ = W_;
      cholesky_ = std::make_unique<mixed::internal::BlockCholesky>(sum_);
    } else {
      lay_out();
    }
    r_ = u_ = zero_;
    candidate_ = u_of_candidate_ = zero_;
  }

  /// The start, which may be an answer. True where it is.
  [[nodiscard]] bool try_start() {
    problem_.W.multiply_add(result_.r, problem_.q, u_of_candidate_);
    if (monitor_.observe(result_.r, u_of_candidate_)) return true;
    return !result_.r.isZero(0.0) && polish(result_.r);
  }

  bool factorize(const BlockDiagonal& B, const Eigen::VectorXd& shift) override {
    B_ = &B;
    shift_ = shift;
    return symmetric_ ? factorize_symmetric() : factorize_unsymmetric();
  }

  /// Refined once: H spreads over as many decades as tau is small.
  void solve(const Eigen::VectorXd& rhs, Eigen::VectorXd& dr) override {
    dr = rhs;
    solve_in_place(dr);
    B_->multiply(problem_.K, dr, product_);
    product_ += shift_.cwiseProduct(dr);
    W_.multiply_add(dr, product_, product_);
    product_ = rhs - product_;
    solve_in_place(product_);
    dr += product_;
    step_ = dr;
  }

  void advance(double t) override { move_to(r_ + t * step_); }

  void move_to(const Eigen::VectorXd& r) override {
    r_ = r;
    W_.multiply_add(r_, q_, u_);
  }

  /// Of the iterate and of its projection r := P_K(r - rho û), which is on the boundary where the answer is.
  bool observe() override {
    candidate_ = size_ * D_.cwiseProduct(r_);
    if (look()) return true;
    internal::modify_velocity(problem_.K, u_of_candidate_, product_);
    for (Index b = 0; b < problem_.K.num_blocks(); ++b) {
      if (problem_.K[b].kind == SetKind::Free) continue;
      const Index o = problem_.K.offset(b), n = problem_.K.size(b);
      candidate_.segment(o, n) -= monitor_.rho().segment(o, n).cwiseProduct(product_.segment(o, n));
    }
    internal::project(problem_.K, candidate_);
    if (look()) return true;
    if (!(monitor_.best() <= next_polish_)) return false;
    next_polish_ = 0.1 * monitor_.best();
    return polish(candidate_);
  }

  /// Newton steps from `from`. True where they end the solve.
  [[nodiscard]] bool polish(const Eigen::VectorXd& from) {
    if (options_.polish == 0 || monitor_.deadline().passed()) return false;
    const Result polished = friction::solve(problem_, GaussSeidelNewton{.tolerance = options_.tolerance,
                                                                        .measure = options_.measure,
                                                                        .max_steps = options_.polish,
                                                                        .time_limit = monitor_.remaining(),
                                                                        .start = from});
    result_.iterations += polished.iterations;
    return monitor_.observe(polished.r, polished.u);
  }

  void finish(Status otherwise, std::string_view reason) { monitor_.finish(otherwise, reason); }
  [[nodiscard]] const detail::Deadline& deadline() const noexcept { return monitor_.deadline(); }

 private:
  bool look() {
    problem_.W.multiply_add(candidate_, problem_.q, u_of_candidate_);
    return monitor_.observe(candidate_, u_of_candidate_);
  }

  /// The pattern of W with both triangles.
  void lay_out() {
    const Index blocks = W_.num_block_rows();
    struct Entry {
      Index column, block;  // block of W, -1: zero
    };
    std::vector<std::vector<Entry>> rows(at(blocks));
    for (Index i = 0; i < blocks; ++i)
      for (Index k = W_.row_begin(i); k < W_.row_begin(i + 1); ++k) {
        rows[at(i)].push_back({W_.column(k), k});
        if (W_.find(W_.column(k), i) < 0) rows[at(W_.column(k))].push_back({i, -1});
      }
    Index values = 0;
    matrix_.begin.assign(1, 0);
    for (Index i = 0; i < blocks; ++i) {
      std::sort(rows[at(i)].begin(), rows[at(i)].end(),
                [](const Entry& a, const Entry& b) { return a.column < b.column; });
      matrix_.sizes.push_back(W_.size(i));
      for (const Entry& entry : rows[at(i)]) {
        matrix_.column.push_back(entry.column);
        matrix_.value_begin.push_back(values);
        source_.push_back(entry.block);
        values += W_.size(i) * W_.size(entry.column);
      }
      matrix_.begin.push_back(static_cast<Index>(matrix_.column.size()));
    }
    matrix_.values.assign(at(values), 0.0);
    lu_.analyze(matrix_);
  }

  bool factorize_symmetric() {
    for (Index b = 0; b < W_.num_block_rows(); ++b) {
      const Index k = W_.diagonal(b), n = W_.size(b);
      sum_.block(b, k) = W_.block(b, k) + Block(B_->block(b), n, n);
    }
    return cholesky_->factorize(shift_);
  }

  bool factorize_unsymmetric() {
    for (Index b = 0; b < W_.num_block_rows(); ++b)
      for (Index k = matrix_.begin[at(b)]; k < matrix_.begin[at(b + 1)]; ++k) {
        const Index column = matrix_.column[at(k)], n = W_.size(b);
        double* values = matrix_.values.data() + matrix_.value_begin[at(k)];
        if (source_[at(k)] >= 0) std::copy_n(W_.values(source_[at(k)]), n * W_.size(column), values);
        if (column != b) continue;
        for (Index i = 0; i < n * n; ++i) values[i] += B_->block(b)[i];
        for (Index i = 0; i < n; ++i) values[i * n + i] += shift_[W_.offset(b) + i];
      }
    return lu_.factorize(matrix_);
  }

  void solve_in_place(Eigen::VectorXd& x) const {
    if (symmetric_)
      cholesky_->solve_in_place(x);
    else
      lu_.solve_in_place(x.data());
  }

  const Problem& problem_;
  const InteriorPoint& options_;
  mixed::Result& result_;
  internal::Monitor monitor_;
  Eigen::VectorXd D_;
  BlockSparseMatrix W_, sum_;  // W', and with B in its diagonal blocks
  const Eigen::VectorXd zero_;
  const bool symmetric_;
  Eigen::VectorXd q_;
  double size_ = 1.0, next_polish_ = 1e-5;
  std::unique_ptr<mixed::internal::BlockCholesky> cholesky_;
  detail::BlockMatrix matrix_;
  std::vector<Index> source_;  // block of W of each block of matrix_, -1: none
  detail::SupernodalLu lu_;
  const BlockDiagonal* B_ = nullptr;
  Eigen::VectorXd shift_, step_, product_, candidate_, u_of_candidate_;
};

void run_interior_point(const Problem& problem, const InteriorPoint& options, mixed::Result& result) {
  constexpr Index proof_steps = 300;
  ReducedSystem system(problem, options, result);
  if (system.try_start()) return system.finish(Status::Stalled, "");
  if (mixed::internal::find_simple_proof(problem, result.proof)) {
    system.finish(Status::Stalled, "");
    return mixed::internal::end(result, Status::Infeasible, "a contact that no reaction can open: see the proof");
  }
  result.proof.resize(0);
  internal::InteriorIteration iteration(problem.K, system);
  const internal::InteriorEnd end = iteration.run(options.term, options.max_iterations, result.iterations);
  system.finish(end.status, end.reason);
  if (end.status == Status::NotRun || result.ok()) return;
  static_cast<void>(system.polish(Eigen::VectorXd(result.r)));
  system.finish(end.status, end.reason);
  if (result.ok() || system.deadline().passed()) return;
  if (internal::find_proof(problem, proof_steps, result.proof, system.deadline()))
    return mixed::internal::end(result, Status::Infeasible,
                                "no reactions in the cones keep the contacts from closing: see the proof");
  result.proof.resize(0);
}

}  // namespace

void InteriorPoint::validate() const {
  check::positive("friction::InteriorPoint::tolerance", tolerance);
  check::at_least("friction::InteriorPoint::max_iterations", max_iterations, 1);
  check::at_least("friction::InteriorPoint::polish", polish, 0);
  detail::check_time_limit("friction::InteriorPoint::time_limit", time_limit);
}

Result solve(const Problem& problem, const InteriorPoint& options) {
  const bool inside = options.term == InteriorPoint::DeSaxce::Inside;
  return internal::solve_by(problem, options, inside ? "interior point" : "interior point outside",
                            "friction::InteriorPoint::start", true, run_interior_point);
}

}  // namespace nonsmooth::friction
