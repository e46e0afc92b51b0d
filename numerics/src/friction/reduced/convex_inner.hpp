// SPDX-License-Identifier: Apache-2.0
#pragma once

// The convex problems inside Tresca, Haslinger, Panagiotopoulos and ConeRelaxation, and the extrapolation outside.

#include <vector>

#include <nonsmooth/numerics/friction/inner_solver.hpp>
#include <nonsmooth/numerics/friction/problem.hpp>
#include <nonsmooth/numerics/qp/dual_active_set.hpp>

namespace nonsmooth::friction::internal {

/// Solves a problem without friction's gain from `start`.
[[nodiscard]] mixed::Result solve_inner(const Problem& problem, InnerSolver solver, double tolerance, double time_limit,
                                        const Eigen::VectorXd& start);

/// |r_T| <= coefficient r_N on `rows` rows of a friction block from row `first` of the whole.
struct Disk {
  Index block, normal, first, rows;
  double coefficient;
};
[[nodiscard]] std::vector<Disk> disks_of(const ProductSet& K);

/// The rows of a problem on which normal and tangential parts are sets of their own: orthants for the normals, boxes
/// and disks of given radius for the tangents. A disk of two rows or more is a von Mises block, whose free first row
/// couples with nothing.
class SplitProblem {
 public:
  enum class Part : unsigned char { All, Normal, Tangential };

  /// Rows of Free blocks belong to every part.
  SplitProblem(const Problem& problem, Part part);

  /// coefficient r_N of every disk of the problem, 0 where r_N < 0.
  [[nodiscard]] Eigen::VectorXd thresholds(const Eigen::VectorXd& r) const;
  /// The rows of the part, and the way back.
  [[nodiscard]] Eigen::VectorXd rows_of(const Eigen::VectorXd& r) const;
  void set_rows(const Eigen::VectorXd& x, Eigen::VectorXd& r) const;

  /// Solves for the rows of the part, all others of r held; the radius of disk k is thresholds[k], the tolerance one
  /// on the error itself [unit of q]. `held` is scratch of the size of r. Returns the inner solver's result; r is left
  /// alone where that is not finite.
  mixed::Result solve(const Eigen::VectorXd& thresholds, InnerSolver solver, double tolerance, double time_limit,
                      Eigen::VectorXd& r, Eigen::VectorXd& held);

 private:
  struct Piece {
    SetKind kind;
    Index block, first, rows;  // first row within the block
    Index disk;                // its number, or -1
    [[nodiscard]] bool padded() const noexcept { return kind == SetKind::VonMises; }
    [[nodiscard]] Index size() const noexcept { return rows + (padded() ? 1 : 0); }
  };
  /// visit(row of the split problem, row of the whole), padding left out.
  template <class Visit>
  void each_row(Visit visit) const {
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      const Piece& p = pieces_[i];
      const Index to = split_.W.offset(static_cast<Index>(i)) + (p.padded() ? 1 : 0);
      for (Index k = 0; k < p.rows; ++k) visit(to + k, problem_.K.offset(p.block) + p.first + k);
    }
  }
  void list_pieces(Part part);
  void lay_out();
  void set_up_program();
  [[nodiscard]] bool solve_program(double tolerance, double time_limit, mixed::Result& result);

  const Problem& problem_;
  std::vector<Disk> disks_;
  std::vector<Piece> pieces_;
  std::vector<Index> begin_;  // of each block's pieces
  Problem split_;
  Eigen::VectorXd x_, q_;
  // Of one part, where the sets are bounds and W is symmetric: min x·W x / 2 + q·x within them, from the active set of
  // the last one.
  bool quadratic_ = false;
  Index solves_ = 0, programs_ = 0;  // by InnerSolver::Hybrid, and as programs
  qp::Problem program_;
  qp::Result answer_;
  qp::DualActiveSetWorkspace active_set_;
};

/// Anderson's extrapolation of a fixed point x = x + f(x).
class Anderson {
 public:
  Anderson(Index n, Index memory) : dx_(n, memory), df_(n, memory) {}
  void forget() noexcept { count_ = 0; }
  /// The next iterate from x and f = f(x): extrapolated where the differences carry information, else x + f.
  [[nodiscard]] Eigen::VectorXd next(const Eigen::VectorXd& x, const Eigen::VectorXd& f);

 private:
  Eigen::MatrixXd dx_, df_;
  Eigen::VectorXd x_, f_;
  Index count_ = 0;
};

}  // namespace nonsmooth::friction::internal
