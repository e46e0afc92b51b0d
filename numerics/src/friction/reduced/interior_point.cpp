// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/friction/interior_point.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include <internal/at.hpp>
#include <internal/check.hpp>
#include <nonsmooth/numerics/friction/gauss_seidel_newton.hpp>

#include "both_triangles.hpp"
#include "gauss_seidel_newton_workspace.hpp"
#include "infeasibility.hpp"
#include "interior_iteration.hpp"
#include "interior_point_workspace.hpp"
#include "linear_algebra/sparse/supernodal_lu.hpp"
#include "mixed/block_cholesky.hpp"
#include "mixed/proof_memory.hpp"
#include "projection_method.hpp"
#include "symmetry.hpp"

namespace nonsmooth::friction {

/// Vectors have an entry a row.
struct internal::InteriorPointMemory {
  MonitorMemory<GrowingVector> monitor;
  GrowingVector r, u, D, q, zero, shift, step, product, candidate, u_of_candidate;
  BlockSparseMatrix W, sum;  // W', and with B in its diagonal blocks
  BothTriangles pattern;
  detail::BlockMatrix matrix;
  detail::SupernodalLu lu;
  std::unique_ptr<mixed::internal::BlockCholesky> cholesky;  // of `sum`, where that is symmetric
  InteriorIteration iteration;
  GaussSeidelNewtonWorkspace newton;
  Result polished;
  KeptMemory<mixed::internal::ProofMemory> proofs;
};

namespace {

using mixed::internal::BlockDiagonal;
using Block = Eigen::Map<const Eigen::MatrixXd>;

constexpr double round_off = 64.0 * std::numeric_limits<double>::epsilon();  // of a W that was made symmetric

/// u' = W' r' + q' with r = |D q| D r', u' = D u / |D q|, D = rho^1/2 (0 where r vanishes by its set), and the factors
/// of W' + B.
class ReducedSystem : public internal::InteriorSystem {
 public:
  ReducedSystem(const Problem& problem, const InteriorPoint& options, internal::InteriorPointMemory& memory,
                mixed::Result& result)
      : InteriorSystem(memory.r, memory.u),
        problem_(problem),
        options_(options),
        result_(result),
        memory_(memory),
        monitor_(problem, options.tolerance, options.measure, options.time_limit, &memory.monitor, result),
        D_(memory.D),
        W_(memory.W),
        q_(memory.q),
        shift_(memory.shift),
        step_(memory.step),
        product_(memory.product),
        candidate_(memory.candidate),
        u_of_candidate_(memory.u_of_candidate),
        symmetric_(options.term == InteriorPoint::DeSaxce::Outside && internal::is_symmetric(problem.W, round_off)) {
    const Index rows = problem.W.rows();
    D_ = monitor_.rho().cwiseSqrt();
    memory.iteration.prepare(problem.K);
    memory.iteration.cones().erase_vanishing(D_);
    q_ = D_.cwiseProduct(problem.q);
    const double size = q_.lpNorm<Eigen::Infinity>();
    size_ = size > 0.0 ? size : 1.0;
    q_ /= size_;
    scale_matrix();
    if (symmetric_) {
      memory.sum = W_;
      memory.cholesky = std::make_unique<mixed::internal::BlockCholesky>(memory.sum);
    } else {
      lay_out();
    }
    for (GrowingVector* vector : {&r_, &u_, &memory.zero, &candidate_, &u_of_candidate_}) vector->setZero(rows);
    for (GrowingVector* vector : {&shift_, &step_, &product_}) vector->resize(rows);
  }

  /// The start, which may be an answer. True where it is.
  [[nodiscard]] bool try_start() {
    problem_.W.multiply_add(result_.r, problem_.q, u_of_candidate_);
    if (monitor_.observe(result_.r, u_of_candidate_)) return true;
    return !result_.r.isZero(0.0) && polish(result_.r);
  }

  bool factorize(const BlockDiagonal& B, ConstVectorRef shift) override {
    B_ = &B;
    shift_ = shift;
    return symmetric_ ? factorize_symmetric() : factorize_unsymmetric();
  }

  /// Refined once: H spreads over as many decades as tau is small.
  void solve(ConstVectorRef rhs, VectorRef dr) override {
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

  void advance(double t) override {
    r_ += t * step_;
    W_.multiply_add(r_, q_, u_);
  }

  void move_to(ConstVectorRef r) override {
    r_ = r;
    W_.multiply_add(r_, q_, u_);
  }

  /// Of the iterate and of its projection r := P_K(r - rho û), which is on the boundary where the answer is.
  bool observe() override {
    candidate_ = size_ * D_.cwiseProduct(r_);
    if (look()) return true;
    product_ = u_of_candidate_;
    for (Index b = 0; b < problem_.K.num_blocks(); ++b) {
      if (problem_.K[b].kind == SetKind::Free) continue;
      const Index o = problem_.K.offset(b), n = problem_.K.size(b);
      nonsmooth::modify_velocity(problem_.K[b], product_.segment(o, n));
      candidate_.segment(o, n) -= monitor_.rho().segment(o, n).cwiseProduct(product_.segment(o, n));
    }
    internal::project(problem_.K, candidate_);
    if (look()) return true;
    if (!(monitor_.best() <= next_polish_)) return false;
    next_polish_ = 0.1 * monitor_.best();
    return polish(candidate_);
  }

  /// Newton steps from `from`. True where they end the solve.
  [[nodiscard]] bool polish(ConstVectorRef from) {
    if (options_.polish == 0 || monitor_.deadline().passed()) return false;
    Result& polished = memory_.polished;
    memory_.newton.solve(problem_,
                         {.tolerance = options_.tolerance,
                          .measure = options_.measure,
                          .max_steps = options_.polish,
                          .time_limit = monitor_.remaining()},
                         from, polished);
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

  /// W_ := W' = D W D.
  void scale_matrix() {
    W_ = problem_.W;
    for (Index i = 0; i < W_.num_block_rows(); ++i)
      for (Index k = W_.row_begin(i); k < W_.row_begin(i + 1); ++k) {
        const Index n = W_.size(i), column = W_.column(k);
        double* values = W_.values(k);
        for (Index j = 0; j < W_.size(column); ++j)
          for (Index row = 0; row < n; ++row, ++values)
            *values = D_[W_.offset(i) + row] * *values * D_[W_.offset(column) + j];
      }
  }

  void lay_out() {
    const internal::BothTriangles& pattern = memory_.pattern;
    detail::BlockMatrix& matrix = memory_.matrix;
    memory_.pattern.prepare(W_);
    matrix.clear();
    Index values = 0;
    for (Index i = 0; i < W_.num_block_rows(); ++i) {
      matrix.sizes.push_back(W_.size(i));
      for (Index k = pattern.begin(i); k < pattern.begin(i + 1); ++k) {
        matrix.column.push_back(pattern[k].column);
        matrix.value_begin.push_back(values);
        values += W_.size(i) * W_.size(pattern[k].column);
      }
      matrix.begin.push_back(pattern.begin(i + 1));
    }
    matrix.values.assign(at(values), 0.0);
    memory_.lu.analyze(matrix);
  }

  bool factorize_symmetric() {
    for (Index b = 0; b < W_.num_block_rows(); ++b) {
      const Index k = W_.diagonal(b), n = W_.size(b);
      memory_.sum.block(b, k) = W_.block(b, k) + Block(B_->block(b), n, n);
    }
    return memory_.cholesky->factorize(shift_);
  }

  bool factorize_unsymmetric() {
    const internal::BothTriangles& pattern = memory_.pattern;
    detail::BlockMatrix& matrix = memory_.matrix;
    for (Index b = 0; b < W_.num_block_rows(); ++b)
      for (Index k = pattern.begin(b); k < pattern.begin(b + 1); ++k) {
        const Index source = pattern[k].block, column = pattern[k].column, n = W_.size(b);
        double* values = matrix.values.data() + matrix.value_begin[at(k)];
        if (source >= 0) std::copy_n(W_.values(source), n * W_.size(column), values);
        if (column != b) continue;
        for (Index i = 0; i < n * n; ++i) values[i] += B_->block(b)[i];
        for (Index i = 0; i < n; ++i) values[i * n + i] += shift_[W_.offset(b) + i];
      }
    return memory_.lu.factorize(matrix);
  }

  void solve_in_place(VectorRef x) const {
    if (symmetric_)
      memory_.cholesky->solve_in_place(x);
    else
      memory_.lu.solve_in_place(x.data());
  }

  const Problem& problem_;
  const InteriorPoint& options_;
  mixed::Result& result_;
  internal::InteriorPointMemory& memory_;
  internal::BasicMonitor<GrowingVector> monitor_;
  GrowingVector& D_;
  BlockSparseMatrix& W_;
  GrowingVector &q_, &shift_, &step_, &product_, &candidate_, &u_of_candidate_;
  const bool symmetric_;
  double size_ = 1.0, next_polish_ = 1e-5;
  const BlockDiagonal* B_ = nullptr;
};

constexpr std::string_view interior_start = "friction::InteriorPoint::start";

/// The pattern of blocks of these sizes that has them all.
void lay_out_full(const BlockSparseMatrix& W, BlockSparseMatrix& full) {
  std::vector<Index> sizes;
  for (Index b = 0; b < W.num_block_rows(); ++b) sizes.push_back(W.size(b));
  full.begin_pattern(sizes);
  for (Index b = 0; b < W.num_block_rows(); ++b) {
    for (Index column = 0; column < W.num_block_rows(); ++column) full.insert(column);
    full.next_row();
  }
  full.end_pattern();
}

[[nodiscard]] std::string_view interior_name(const InteriorPoint& options) {
  return options.term == InteriorPoint::DeSaxce::Inside ? "interior point" : "interior point outside";
}

void run_interior_point(const Problem& problem, const InteriorPoint& options, internal::InteriorPointMemory& memory,
                        mixed::Result& result) {
  constexpr Index proof_steps = 300;
  ReducedSystem system(problem, options, memory, result);
  if (system.try_start()) return system.finish(Status::Stalled, "");
  if (mixed::internal::find_simple_proof(problem, result.proof)) {
    system.finish(Status::Stalled, "");
    return mixed::internal::end(result, Status::Infeasible, "a contact that no reaction can open: see the proof");
  }
  result.proof.resize(0);
  const internal::InteriorEnd end =
      memory.iteration.run(problem.K, system, options.term, options.max_iterations, result.iterations);
  system.finish(end.status, end.reason);
  if (end.status == Status::NotRun || result.ok()) return;
  static_cast<void>(system.polish(result.r));
  system.finish(end.status, end.reason);
  if (result.ok() || system.deadline().passed()) return;
  if (internal::find_proof(problem, proof_steps, system.deadline(), memory.proofs.get(), result.proof))
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
  return internal::solve_by(problem, options, interior_name(options), interior_start, true,
                            [](const Problem& form, const InteriorPoint& given, mixed::Result& result) {
                              internal::InteriorPointMemory memory;
                              run_interior_point(form, given, memory, result);
                            });
}

namespace internal {

bool InteriorPointWorkspace::reserve(const Problem& problem) {
  const Index rows = problem.W.rows(), blocks = problem.W.num_block_rows();
  if (rows > most_rows || (rows <= rows_ && blocks <= blocks_)) return false;
  rows_ = std::max(rows_, rows);
  blocks_ = std::max(blocks_, blocks);
  InteriorPointMemory& own = memory_.get();
  for (GrowingVector* vector : {&own.monitor.rho, &own.monitor.error, &own.monitor.best_r, &own.monitor.u, &own.r,
                                &own.u, &own.D, &own.q, &own.zero, &own.shift, &own.step, &own.product, &own.candidate,
                                &own.u_of_candidate, &own.polished.r, &own.polished.u})
    vector->resize(rows_);
  lay_out_full(problem.W, own.W);
  own.pattern.reserve(blocks_);
  own.matrix.reserve(blocks_, rows_);
  own.lu.reserve(blocks_, rows_);
  own.iteration.prepare(problem.K);
  own.newton.reserve(problem);
  return true;
}

void InteriorPointWorkspace::solve(const Problem& problem, const InteriorPoint& options, ConstVectorRef r,
                                   Result& result) {
  problem.validate();
  options.validate();
  check_sets(interior_name(options), problem.K, true);
  const auto run = [this](const Problem& of, const InteriorPoint& by, mixed::Result& found) {
    run_interior_point(of, by, memory_.get(), found);
  };
  solve_canonical_into(problem, options, interior_name(options), interior_start, r, run, result);
}

}  // namespace internal

}  // namespace nonsmooth::friction
