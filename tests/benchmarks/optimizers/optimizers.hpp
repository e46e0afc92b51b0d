// SPDX-License-Identifier: Apache-2.0
#pragma once

// Other people's optimizers beside ours, each where it is installed. An answer is judged by our certificates, never by
// what the optimizer says of it.

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <Eigen/Core>

#include <nonsmooth/numerics/cone_program/problem.hpp>
#include <nonsmooth/numerics/mcp/problem.hpp>
#include <nonsmooth/numerics/qp/problem.hpp>

namespace nonsmooth::optimizers {

enum class Verdict : unsigned char { None, Solved, Infeasible, Unbounded };

/// What an optimizer says, with multipliers in the signs of qp::Problem; of a cone program y and z one behind the
/// other.
struct Answer {
  Verdict verdict = Verdict::None;
  Eigen::VectorXd x, y;
  double time = std::numeric_limits<double>::infinity();  ///< CPU time of the solve alone [s]
};

/// A program in an optimizer's own structures, built once; only the solve is timed, by each in its own way.
class Optimizer {
 public:
  Optimizer() = default;
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;
  virtual ~Optimizer() = default;

  [[nodiscard]] virtual std::string name() const = 0;
  /// Solves with the given tolerance of its own test; one that is exact takes none.
  virtual Answer solve(double tolerance) = 0;
  /// It repeats short solves by itself and tells the median.
  [[nodiscard]] virtual bool repeats() const { return false; }
};

/// Goldfarb and Idnani's dual method, dense [R package quadprog]; null where the shared object is not there. Q positive
/// definite: of others the answer is Verdict::None.
[[nodiscard]] std::unique_ptr<Optimizer> quadprog(const qp::SparseProblem& problem);

/// Interior points and filter line search, sparse [Ipopt], as it comes or with its option for linear and quadratic
/// programs.
[[nodiscard]] std::unique_ptr<Optimizer> ipopt(const qp::SparseProblem& problem, bool mehrotra);

/// Interior points [CVXOPT, coneqp and conelp], in a process of Python that times itself; null where it does not start.
/// Matrices are dense or sparse as `dense` says.
[[nodiscard]] std::unique_ptr<Optimizer> cvxopt(const qp::SparseProblem& problem, bool dense);
[[nodiscard]] std::unique_ptr<Optimizer> cvxopt(const cone_program::Problem& problem, bool dense);

/// Newton's methods with line search for F on a box [PETSc, SNESVI]: "vinewtonrsls" on the reduced space,
/// "vinewtonssls" semismooth; steps by the linear solver "lu", "mumps", "gmres ilu" or "gmres multigrid". From
/// Problem::start; the tolerance is one of its own norm of the residual, absolute. F needs a sparse Jacobian, of one
/// pattern.
[[nodiscard]] std::unique_ptr<Optimizer> petsc(const mcp::Problem& problem, const std::string& method,
                                               const std::string& linear_solver);

/// The verdict and the optimal value by simplex steps in exact arithmetic [CGAL]: the judge of small programs.
struct ExactVerdict {
  Verdict verdict = Verdict::None;
  double value = std::numeric_limits<double>::quiet_NaN();  ///< 1/2 x^T Q x + c^T x, rounded once
  double time = 0.0;                                        ///< CPU time [s]
};
[[nodiscard]] ExactVerdict exact(const qp::SparseProblem& problem);

}  // namespace nonsmooth::optimizers
