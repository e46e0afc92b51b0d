// SPDX-License-Identifier: Apache-2.0
#pragma once

// LU of a sparse matrix of dense blocks; not installed.

#include <vector>

#include <nonsmooth/numerics/types.hpp>

#include "minimum_degree.hpp"
#include "postorder.hpp"

namespace nonsmooth::detail {

/// A square matrix of dense blocks on a pattern that is structurally symmetric, values of any symmetry.
/// Blocks of block row i are begin[i] .. begin[i + 1] - 1, sorted by block column, the diagonal among them; block k's
/// values, size(row) x size(column) and column-major, start at value_begin[k].
struct BlockMatrix {
  std::vector<Index> sizes, begin, column, value_begin;
  std::vector<double> values;

  [[nodiscard]] Index num_blocks() const noexcept { return static_cast<Index>(sizes.size()); }
  /// An empty pattern, to be written anew.
  void clear();
  /// Memory for any pattern of up to so many blocks and rows; for few rows.
  void reserve(Index blocks, Index rows);
};

/// P A = L U by the multifrontal method: approximate minimum degree on the graph of the blocks, supernodes that take a
/// few explicit zeros, each front a small dense matrix, so that nearly all the work is products of dense matrices.
/// Rows are interchanged within a supernode alone: for matrices whose diagonal blocks are regular, as A + C W of a
/// Newton step is; a pivot that vanishes all the same is a failure, never a division by zero.
///
/// Some ten times faster than a column LU on the Delassus matrix of a pile, whose columns share their patterns. The
/// dense products are OpenBLAS's on one thread, whatever number it was told: the bits do not depend on it.
/// Source: Duff, Reid 1983 [duff1983].
class SupernodalLu {
 public:
  /// Orders and lays out; needed again for another pattern or other sizes. Keeps its memory.
  void analyze(const BlockMatrix& A);
  /// Memory for any matrix of up to so many blocks and rows, whatever its pattern. For few rows: the fronts that wait
  /// for their parents may take some rows^3 / 7 values.
  void reserve(Index blocks, Index rows);
  /// False where a pivot vanishes or an entry is not finite. A's pattern is that of analyze().
  [[nodiscard]] bool factorize(const BlockMatrix& A);
  /// x := A^-1 x of the last factors.
  void solve_in_place(double* x) const;

  [[nodiscard]] double flops() const noexcept { return flops_; }  ///< of one factorization

 private:
  struct Node {
    Index first = 0, last = 0;                              // block columns, in the order of elimination
    Index rows_begin = 0, rows_end = 0;                     // of the blocks below them, in rows_
    Index width = 0, height = 0;                            // pivots, and rows below them, in scalars
    Index pivots = 0, lower = 0, upper = 0;                 // where the parts of its factors begin
    Index first_child = -1, last_child = -1, sibling = -1;  // nodes, in their order
    Index update = 0;                                       // where it lies in stack_ until the parent has taken it
  };
  /// A node as columns are joined: its block columns, the rows below them and the explicit zeros, in scalars.
  struct Draft {
    Index first, last, height;
    double zeros;
  };

  void order(const BlockMatrix& A);
  void find_tree(const BlockMatrix& A);
  void postorder();
  void find_nodes(const BlockMatrix& A);
  void count_below(const BlockMatrix& A);
  void draft_nodes();
  void list_rows(const BlockMatrix& A, Node& node, Index number);
  void link(const Node& node, Index number);
  void lay_out_stack();
  /// Scalars of the block columns first .. last - 1.
  [[nodiscard]] Index span(Index first, Index last) const {
    return start_[static_cast<std::size_t>(last)] - start_[static_cast<std::size_t>(first)];
  }
  void assemble(const BlockMatrix& A, const Node& node);
  void extend_add(const Node& child, const double* from, const Node& node, double* to);
  [[nodiscard]] bool eliminate(const Node& node, double* update);

  std::vector<Index> order_, position_, start_, parent_;  // by elimination: block, its place, first scalar; the tree
  std::vector<Index> mirror_;                             // of block (i, j): block (j, i)
  std::vector<Index> offset_;                             // first scalar row of each block, in A's order
  std::vector<Node> nodes_;
  std::vector<Index> rows_, local_;
  std::vector<double> factors_;
  std::vector<double> stack_;  // of updates: subtrees are contiguous, so that a node's children end it
  std::vector<int> swaps_;
  std::vector<Index> relative_;
  mutable std::vector<double> x_, part_;
  // Scratch of analyze(), by block in the order of elimination.
  MinimumDegree degree_;
  Postorder postorder_;
  std::vector<Index> ancestor_, renumbered_, swap_, below_, mark_;
  std::vector<Draft> drafts_;
  double flops_ = 0.0;
};

}  // namespace nonsmooth::detail
