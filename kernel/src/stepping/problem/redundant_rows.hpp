// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include <Eigen/Core>
#include <Eigen/SparseCore>

#include <internal/sparse_room.hpp>
#include <nonsmooth/kernel/one_step_ns_problem.hpp>

#include "dependent_rows.hpp"
#include "dynamics/system_inputs.hpp"

namespace nonsmooth::analysis::detail {
class ConstraintGraph;
}

namespace nonsmooth {

/// Equality rows of closed loops that depend on one another, in a problem u = W r + q, W = H A^-1 H^T.
///
/// Rows F of joints that share loops are scaled, Ŵ = S W_FF S with S = diag(W_FF)^(-1/2), so that units do not matter.
/// Cholesky's factors with the largest pivot next leave pivots that are squares of what is left of a row by those
/// before it, in the metric of A^-1; rows left with less than `dependent` count as dependent. N, m x k with orthonormal
/// columns, is what Ŵ then takes to (nearly) zero. The rows become the nearest ones that depend exactly,
/// H := (I - A B^T) H with A = S^-1 N and B = S N:
///
///     W := (I - A B^T) W (I - B A^T) + A A^T,    q := (I - A B^T) q.
///
/// u then misses only the combinations B^T u, which no reaction can change by more than `dependent` and which drift
/// makes nonzero: least squares in the scaled rows. A A^T makes A^T r = 0: of all reactions that do the same,
/// those with the least sum of W_kk r_k^2. Nothing else changes: H^T r is that of the original rows.
///
/// Loops also close over bodies of whose velocities some are prescribed, which move as the ground does there. A row
/// that no reaction moves, W_kk = 0, takes no part: its entry of S counts as 0, that of S^-1 too, and its row of N is
/// 0. Loops with rows that contradict each other stay as they are, and the solver finds no solution: of a step where
/// |B^T q| is more than ten times what is left of the rows makes of the absolute terms of q; of a projection where more
/// than half of the gaps S y is in B^T y. Cost O(m^3 / 3) a loop and matrix.
///
/// Loops of more than 400 rows are looked at as sparse ones (DependentRows): of W some of their diagonals alone change,
/// and reactions are shared after the solution. Where ties among them measure the ground as well, or may do, what
/// closes without that is looked at first, loop by loop: with what depends on others there the rest is proven
/// independent, or all of it is looked at as one. Rows count as not examined where no proof says that those
/// found are all.
///
/// What is left: at linearised gaps q also has what a step recovers of drift, recovery y / h, whose combinations B^T y
/// / h are no contradiction. Where drift outweighs the other terms of q, a loop that starts off its manifold, its rows
/// may count as contradicting, and stay as they are.
class RedundantRows {
 public:
  using FirstRows = EqualityRows;

  /// Rows once found dependent stay so until the next step, and those that measured the ground do: Newton's iteration
  /// is about one system of equations.
  void begin_step();
  /// Equalities of rigid joints, by block in ascending order.
  std::vector<FirstRows>& candidates() { return candidates_; }
  /// Finds the loops of the candidates. Allocates where the candidates are others than last time.
  void find_loops(const OneStepNSProblem& problem, const SystemInputs& inputs);
  /// Writes W and q as above. `terms`: absolute ones that each row's q is the sum of, or gaps (Projection).
  /// `same_matrix`: W is that of the last call. True where W changed, as seen by a solver.
  bool settle(const Eigen::VectorXd& terms, double dependent, bool same_matrix, OneStepNSProblem& problem);
  /// Before a solver starts from r: reactions that do the same and suit W. After it: shared ones, and W without what
  /// large loops added, so that u = W r + q again. Nothing of a problem that was not solved.
  void begin_solution(double* r);
  void end_solution(OneStepNSProblem& problem);
  /// Between them: solves a problem that is one large loop and nothing else, settled, by Cholesky's factors of its rows
  /// that do not depend on others, refined until the certificate is within `tolerance`, or at round-off; end_solution()
  /// then refines what it shared. False: it is not such a one, or does not get there, and r is what it was. Allocates
  /// nothing once it has been called.
  [[nodiscard]] bool solve_alone(double tolerance, OneStepNSProblem& problem);
  /// The last solution was that, and after it a correction r of the reactions for what velocities still have in its
  /// rows: r := r - S (L L^T)^-1 S u, u without combinations that no reaction changes. False: no factors.
  [[nodiscard]] bool solved_alone() const { return alone_; }
  [[nodiscard]] bool correct(const BlockSparseMatrix& W, double* u, double* r);
  /// The same of u = H v + w in the global form: w := (I - A B^T) w; replace() then writes H. `products`: W_FF, the
  /// blocks of W between rows of one loop. Large loops with circuits through hundreds of rows stay as they are, as H
  /// would get full columns.
  void settle(const Eigen::VectorXd& terms, double dependent, const BlockSparseMatrix& products,
              OneStepNSProblem& problem);
  /// H := [(I - A B^T) H, A], H with as many empty columns at its end as rows count as dependent: velocities of unit
  /// mass that nothing else moves, A^T r = 0, so that W is that of the reduced form. `writer`: what wrote H.
  void replace(SparseWriter& writer, Eigen::SparseMatrix<double>& H);
  /// W as it was assembled.
  void put_back(OneStepNSProblem& problem);
  /// Rows that counted as dependent in the last settle().
  [[nodiscard]] Index count() const;
  /// Rows of large loops that, with those found dependent, are not proven to be independent in the last settle().
  [[nodiscard]] Index unexamined() const;
  [[nodiscard]] bool any_loops() const { return !loops_.empty() || !large_.empty(); }
  /// By number, of a block of the problem: two of one loop have the same, large ones too; -1: in
  /// none.
  [[nodiscard]] Index loop_of(Index block) const { return group_of_[static_cast<std::size_t>(block)]; }
  /// Calls visit(block) for each block of a loop.
  template <class Visit>
  void for_each_block(Visit&& visit) const {
    for (const Loop& loop : loops_)
      for (const FirstRows& part : loop.parts) visit(part.block);
    for (const LargeLoop& loop : large_)
      for (const FirstRows& part : loop.parts) visit(part.block);
  }

 private:
  struct Loop {
    std::vector<Index> members;  ///< among the candidates
    std::vector<FirstRows> parts;
    std::vector<Index> rows;     ///< of the problem, part by part
    std::vector<Index> order;    ///< of the pivots, then of what takes no part
    std::vector<Index> columns;  ///< blocks that its rows of W have, where it is settled
    Index dependent = 0, least = 0;
    Index moved = 0;         ///< rows that reactions move: the first of `order`
    double remainder = 0.0;  ///< what is left of all dependent rows
    bool settled = false;
    Index within = -1;      ///< a large loop
    Index first_share = 0;  ///< of its columns of A among those of all
    Eigen::VectorXd scale;  ///< diagonal of S
    Eigen::MatrixXd factor, N;

    /// Entry k of S^-1 x.
    [[nodiscard]] double unscaled(Index k, double x) const { return scale[k] > 0.0 ? x / scale[k] : 0.0; }
  };
  /// A loop of more than 400 rows: `rows` of it are in none of loops_. Where it is settled those within are not.
  struct LargeLoop {
    std::vector<Index> members;  ///< among the candidates
    std::vector<FirstRows> parts;
    Index rows = 0;
    DependentRows dependent;
    bool settled = false;
    bool left = false;  ///< as it is in the global form, by circuits through hundreds of rows: counts as not examined
  };
  /// Where a row of the problem is in a loop that is settled; none: -1.
  struct RowOfLoop {
    Index loop = -1, row = 0;
  };
  struct Identity {
    Index interaction = -1, local = 0, rows = 0;
    bool ground = false;
    friend bool operator==(const Identity&, const Identity&) = default;
  };

  /// Rows of the block measure the ground, or did in this step.
  [[nodiscard]] bool has_measured(const OneStepNSProblem::Block& block, bool ground);
  [[nodiscard]] Index rows_of(const std::vector<Index>& ties, const std::vector<std::vector<Index>>& members) const;
  /// The loop of ties that are a part, `members` of each among the candidates. Of one that is too large what closes in
  /// `between`, which has no edges of ties that measure the ground; null: nothing. Rows that are in no loop.
  Index add_loops(const std::vector<Index>& ties, const std::vector<std::vector<Index>>& members,
                  const analysis::detail::ConstraintGraph* between);
  /// Blocks of the problem for the members of loops.
  void number_blocks(const OneStepNSProblem& problem);
  /// Looks for dependent rows, of large loops beside those that were found in loops_.
  void look(const BlockSparseMatrix& W, double dependent);
  /// Which loops are settled, as their rows do not contradict each other. True where it is not as it was.
  [[nodiscard]] bool choose_settled(bool projection, const double* q, const Eigen::VectorXd& terms);
  /// q := (I - A B^T) q of all loops.
  void take_away(double* q);
  /// Ŵ into `factor`, rows that reactions move before the others.
  static void write_scaled(const BlockSparseMatrix& W, Loop& loop);
  static void find_dependent(const BlockSparseMatrix& W, double dependent, Loop& loop);
  static void find_kernel(Loop& loop);
  /// B^T q of the loop's rows, entry c.
  [[nodiscard]] static double combination(const Loop& loop, Index c, const double* q);
  [[nodiscard]] static bool contradicts(bool projection, const double* q, const Eigen::VectorXd& terms,
                                        const Loop& loop);
  /// |B^T q| = `missed` is more than drift makes of terms of `size` in rows of which `remainder` is left.
  [[nodiscard]] static bool is_contradiction(bool projection, double missed, double remainder, double size);
  /// W with E E^T of large loops that are settled, or without it.
  void double_diagonals(bool twice, BlockSparseMatrix& W);
  /// q := (I - A B^T) q.
  static void take_away(const Loop& loop, double* q);
  void lay_pattern(const BlockSparseMatrix& from, BlockSparseMatrix& W);
  void number_rows(Index first, Index rows, std::vector<Eigen::Triplet<double>>& entries);
  void replace(const Loop& loop, BlockSparseMatrix& W);

  std::shared_ptr<const Layout> layout_;  ///< of the loops
  std::vector<FirstRows> candidates_;
  std::vector<Identity> known_, identities_;
  std::vector<std::pair<Index, Index>> measured_;  ///< interaction and local, ascending, of what did in this step
  std::vector<Loop> loops_;
  std::vector<LargeLoop> large_;
  std::vector<Index> loop_of_, group_of_, sizes_, stamp_;  ///< by block of the problem
  std::vector<char> left_out_;                             ///< by row of the problem: dependent
  BlockSparseMatrix other_;  ///< W as it was assembled where it was replaced, else scratch
  bool replaced_ = false, doubled_ = false;
  bool alone_ = false;       ///< the last solution is solve_alone()'s
  double threshold_ = -1.0;  ///< of the last settle()
  Eigen::MatrixXd products_;
  std::vector<RowOfLoop> row_of_loop_;  ///< what replace() needs: by row of the problem
  std::vector<Index> touched_;          ///< loops in a column of H
  std::vector<double> combined_;        ///< B^T H of that column
};

}  // namespace nonsmooth
