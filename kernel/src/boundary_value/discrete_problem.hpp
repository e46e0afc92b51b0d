// SPDX-License-Identifier: Apache-2.0
// A boundary value problem on a mesh as one mixed complementarity problem; not installed.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <nonsmooth/kernel/boundary_value.hpp>
#include <nonsmooth/numerics/mlcp/problem.hpp>
#include <nonsmooth/numerics/nonlinear_map.hpp>

namespace nonsmooth::boundary_value::detail {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

/// x before the end of an interval of length h from x after its beginning, and the mean of x over its ends needs
/// nothing more:  E x- = F x + G u + g.
struct Interval {
  Eigen::MatrixXd E, F, G;
  Eigen::VectorXd g;
};

/// e^{A s} and what it makes of a(t) = a_0 + t a_1 and of a constant input:  x(s) = Phi x(0) + Phi_0 a_0 + Phi_1 a_1.
struct Flow {
  Eigen::MatrixXd Phi, Phi_0, Phi_1;
  Flow(const Eigen::MatrixXd& A, double s);
};

/// The flow of the last length that was asked for: a mesh of one length needs one exponential.
class FlowCache {
 public:
  /// Instants of a horizon T are rounded to some eps T: lengths that differ by no more are one. A outlives this.
  FlowCache(const Eigen::MatrixXd& A, double T);
  /// True where the flow is another than before.
  bool set(double s);
  [[nodiscard]] const Flow& flow() const { return *flow_; }

 private:
  const Eigen::MatrixXd& A_;
  double apart_, s_ = 0.0;
  std::optional<Flow> flow_;
};

/// a(t) over an interval as a_0 + s a_1, s from its beginning, that a at Gauss's two points gives: what is left is
/// orthogonal to lines, an error of h^4 in x(T).
struct Drift {
  Eigen::VectorXd a_0, a_1;
  Drift(const std::function<void(double t, VectorRef value)>& a, double begin, double h, Index n);
};

/// Rows whose multipliers have atoms at an instant, with their columns of B and rows of C.
struct AtomRows {
  std::vector<Index> rows;
  Eigen::MatrixXd B, C;

  [[nodiscard]] Index size() const noexcept { return C.rows(); }
};

/// All rows that act at instants but `without`, in order.
[[nodiscard]] AtomRows atom_rows(const Problem& problem, const std::vector<Index>& without);

/// The discrete problem of boundary_value.hpp: unknowns u = (x_0, ..., x_N), v in the order of time, of an interval the
/// rows that act on it before those at the instant that ends it.
class DiscreteProblem {
 public:
  /// `t`: N + 1 instants; the problem has been validated and outlives this.
  DiscreteProblem(const Problem& problem, Eigen::VectorXd t, Scheme scheme, double theta);

  [[nodiscard]] const Eigen::VectorXd& t() const noexcept { return t_; }
  [[nodiscard]] Index num_intervals() const noexcept { return t_.size() - 1; }
  [[nodiscard]] Index num_states() const noexcept { return n_; }
  [[nodiscard]] Index num_constrained() const noexcept { return m_; }
  /// The place in v of row i at column k of Solution::u; -1 where it does not act.
  [[nodiscard]] Index place(Index i, Index k) const;

  /// Of each entry of v the entry of the same row an instant before, where that row acts at instants and its relative
  /// degree r is 3 or more, of linear problems; else -1. Such a row holds its neighbours: with w = 0 at two instants a
  /// third between them adds h^r times what is known, so that sets of neighbours are singular to rounding on fine
  /// meshes, and of a run of rows with w < 0 the least is to be held, as exchange algorithms have it.
  [[nodiscard]] std::vector<Index> earlier_rows() const;

  /// The mixed problem: f linearised at (u, v); linear problems look at none. False where f or its Jacobian is not
  /// finite, which not_finite() tells.
  [[nodiscard]] bool linearise(ConstVectorRef u, ConstVectorRef v, mlcp::SparseProblem& linear);
  [[nodiscard]] const std::string& not_finite() const noexcept { return not_finite_; }

  /// Adjoints of the intervals for the boundary rows y (n): what a combination of all rows is in which no x appears
  /// but x_0. Of linear problems.
  [[nodiscard]] Eigen::VectorXd adjoint(ConstVectorRef y);

  void write(const mlcp::SparseProblem& linear, ConstVectorRef u, ConstVectorRef v, Solution& solution) const;

 private:
  [[nodiscard]] bool interval(Index k, ConstVectorRef u, ConstVectorRef v, Interval& of);
  void exact_interval(Index k, Interval& of);
  [[nodiscard]] bool theta_interval(Index k, ConstVectorRef u, ConstVectorRef v, Interval& of);
  bool tell_not_finite(const std::string& callable, double t);  // false
  /// What acts at t_k.
  [[nodiscard]] const AtomRows& atoms(Index k) const;
  /// Where the atoms of t_k are in v.
  [[nodiscard]] Index first_atom(Index k) const;
  void write_bounds(Index first, const std::vector<Index>& list, double time, mlcp::SparseProblem& linear) const;
  void make_map();
  void place_rows();

  const Problem& p_;
  Eigen::VectorXd t_;
  Scheme scheme_;
  double theta_;
  Index n_, m_ = 0;                      // states; entries of v
  std::vector<Index> on_intervals_;      // rows i that act on intervals
  AtomRows at_start_, inside_, at_end_;  // and those that act at 0, between, at T
  std::vector<Index> first_;             // of the entries of v of column k of Solution::u; N + 2
  Eigen::MatrixXd B_on_, C_on_, D_on_;   // columns of B, rows of C and what D has on intervals
  FlowCache flow_;
  NonlinearMap map_;  // f at time_
  double time_ = 0.0;
  std::string not_finite_;
};

/// The mesh of the options: instants, or N steps of one length. @throws InvalidArgument.
[[nodiscard]] Eigen::VectorXd mesh_of(const Problem& problem, const Options& options);
[[nodiscard]] Scheme scheme_of(const Problem& problem, const Options& options);

/// What acts in row i.
[[nodiscard]] Acts acts_of(const Problem& problem, Index i);
[[nodiscard]] double lower_of(const Problem& problem, Index i);
[[nodiscard]] double upper_of(const Problem& problem, Index i);

/// Tries to prove that the discrete problem has no solution; sets Status::Infeasible, the proof and the reason.
[[nodiscard]] bool prove_contradiction(DiscreteProblem& discrete, const Problem& problem,
                                       const mlcp::SparseProblem& linear, Solution& solution);
/// The same of conditions that no ends meet which are off by less than `tolerance` of b and c.
[[nodiscard]] bool prove_ends_contradict(const Problem& problem, double tolerance, Solution& solution);
[[nodiscard]] bool prove_infeasible(const mlcp::SparseProblem& linear, double time_limit, Solution& solution);

}  // namespace nonsmooth::boundary_value::detail
