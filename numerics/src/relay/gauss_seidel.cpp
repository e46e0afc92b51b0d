// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/relay/gauss_seidel.hpp>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "internal.hpp"

namespace nonsmooth::relay {
namespace {

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

void run(const View& problem, const GaussSeidel& options, Result& result) {
  const Index n = problem.q.size();
  const nonsmooth::detail::Deadline deadline(options.time_limit);
  result.solver = "gauss-seidel";
  Eigen::VectorXd z = Eigen::VectorXd::Zero(n);
  Eigen::VectorXd scratch(n);
  detail::clamp(problem, z);
  detail::keep_better(problem, z, scratch, result);
  std::vector<Index> free, bounded;
  bool positive = true;
  for (Index i = 0; i < n; ++i) {
    if (problem.lower[i] == -detail::infinity && problem.upper[i] == detail::infinity) {
      free.push_back(i);
    } else if (problem.lower[i] < problem.upper[i]) {
      bounded.push_back(i);
      positive = positive && problem.M(i, i) > 0.0;
    }
  }
  nonsmooth::detail::DenseLu lu;
  Status end = Status::IterationLimit;
  std::string_view reason = "max_sweeps reached";
  if (!positive) {
    end = Status::NumericalFailure;
    reason = "a diagonal entry of a row with bounds is not positive";
  } else if (!lu.factorize_principal(problem.M, free)) {
    end = Status::NumericalFailure;
    reason = "the block of the free rows is singular";
  } else {
    const RowMatrix M = problem.M;
    Eigen::VectorXd step(static_cast<Index>(free.size()));
    while (!(result.certificate.residual <= options.tolerance) && result.iterations < options.max_sweeps) {
      if (deadline.passed()) {
        end = Status::TimeLimit;
        reason = "time_limit reached";
        break;
      }
      for (std::size_t k = 0; k < free.size(); ++k) {
        step[static_cast<Index>(k)] = -(problem.q[free[k]] + M.row(free[k]).dot(z));
      }
      lu.solve_in_place(step);
      for (std::size_t k = 0; k < free.size(); ++k) z[free[k]] += step[static_cast<Index>(k)];
      for (const Index i : bounded) {
        const double w = problem.q[i] + M.row(i).dot(z);
        z[i] = detail::clamp(z[i] - options.relaxation * w / M(i, i), problem.lower[i], problem.upper[i]);
      }
      ++result.iterations;
      if (result.iterations % options.check_every != 0 && result.iterations != options.max_sweeps) continue;
      if (!z.allFinite()) {
        end = Status::NumericalFailure;
        reason = "the sweeps diverged";
        break;
      }
      if (!free.empty()) {  // the free rows as they follow from the last sweep
        for (std::size_t k = 0; k < free.size(); ++k) {
          step[static_cast<Index>(k)] = -(problem.q[free[k]] + M.row(free[k]).dot(z));
        }
        lu.solve_in_place(step);
        for (std::size_t k = 0; k < free.size(); ++k) z[free[k]] += step[static_cast<Index>(k)];
      }
      detail::keep_better(problem, z, scratch, result);
    }
  }
  detail::conclude(problem, options.tolerance, result, end, reason);
}

}  // namespace

void GaussSeidel::validate() const {
  check::positive("relay::GaussSeidel::tolerance", tolerance);
  check::at_least("relay::GaussSeidel::max_sweeps", max_sweeps, 1);
  check::positive("relay::GaussSeidel::relaxation", relaxation);
  if (!(relaxation < 2.0)) {
    throw InvalidArgument("relay::GaussSeidel::relaxation", std::to_string(relaxation), "a number in (0, 2)");
  }
  check::at_least("relay::GaussSeidel::check_every", check_every, 1);
  nonsmooth::detail::check_time_limit("relay::GaussSeidel::time_limit", time_limit);
}

Result solve(const Problem& problem, const GaussSeidel& options) {
  problem.validate();
  options.validate();
  Result result;
  run(detail::view(problem), options, result);
  return result;
}

}  // namespace nonsmooth::relay
