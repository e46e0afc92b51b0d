// SPDX-License-Identifier: Apache-2.0
// quadprog's routine as the R package's shared object has it, without R around: min 1/2 x^T D x - d^T x, the columns of
// A^T x >= b, the first of them equations. It overwrites D with its factor, and turns columns of equations around,
// even after the last step, so that the sign of their multipliers is lost: these are found anew, untimed.
#include "optimizers.hpp"

#include <dlfcn.h>

#include <Eigen/QR>

#include <benchmarks/timing.hpp>

#include "one_sided.hpp"

namespace nonsmooth::optimizers {
namespace {

using Routine = void(double* D, double* d, int* leading, int* n, double* x, double* multipliers, double* value,
                     double* A, double* b, int* leading_of_A, int* columns, int* equations, int* active,
                     int* num_active, int* iterations, double* work, int* error);

Routine* routine() {
  static void* const library = dlopen(NONSMOOTH_QUADPROG, RTLD_NOW | RTLD_LOCAL);
  return library == nullptr ? nullptr : reinterpret_cast<Routine*>(dlsym(library, "qpgen2_"));
}

class Quadprog final : public Optimizer {
 public:
  explicit Quadprog(const qp::SparseProblem& problem) : rows_(problem), Q_(problem.Q), d_(-problem.c) {
    const auto n = problem.num_unknowns();
    num_rows_ = problem.num_rows();
    const auto equations = static_cast<Index>(rows_.e.size()), all = equations + static_cast<Index>(rows_.d.size());
    columns_.setZero(n, all);
    b_.resize(all);
    for (const auto& entry : rows_.E) columns_(entry.col(), entry.row()) += entry.value();
    for (const auto& entry : rows_.C) columns_(entry.col(), equations + entry.row()) += entry.value();
    for (Index i = 0; i < all; ++i)
      b_[i] = i < equations ? rows_.e[static_cast<std::size_t>(i)] : rows_.d[static_cast<std::size_t>(i - equations)];
    const Index least = std::min(n, all);
    work_.resize(2 * n + least * (least + 5) / 2 + 2 * all + 1);
    active_.resize(static_cast<std::size_t>(all));
  }

  std::string name() const override { return "quadprog"; }

  Answer solve(double) override {
    Answer answer;
    const double start = benchmarks::cpu_seconds();
    Eigen::MatrixXd D = Q_, A = columns_;  // as its own interface copies them
    Eigen::VectorXd d = d_, b = b_, multipliers(b_.size());
    answer.x.resize(d_.size());
    int n = static_cast<int>(d_.size()), columns = static_cast<int>(b_.size()), error = 0, num_active = 0;
    int equations = static_cast<int>(rows_.e.size()), iterations[2] = {0, 0};
    double value = 0.0;
    routine()(D.data(), d.data(), &n, &n, answer.x.data(), multipliers.data(), &value, A.data(), b.data(), &n, &columns,
              &equations, active_.data(), &num_active, iterations, work_.data(), &error);
    answer.time = benchmarks::cpu_seconds() - start;
    answer.verdict = error == 0 ? Verdict::Solved : error == 1 ? Verdict::Infeasible : Verdict::None;
    answer.y.setZero(num_rows_);
    Eigen::VectorXd rest = Q_ * answer.x - d_;  // less what the inequalities carry
    for (Index i = equations; i < columns; ++i) {
      OneSided::gather(rows_.inequalities[static_cast<std::size_t>(i - equations)], multipliers[i], answer.y);
      rest -= multipliers[i] * columns_.col(i);
    }
    if (equations > 0 && rest.allFinite()) {
      const Eigen::VectorXd of_equations = columns_.leftCols(equations).colPivHouseholderQr().solve(rest);
      for (Index i = 0; i < equations; ++i)
        OneSided::gather(rows_.equations[static_cast<std::size_t>(i)], of_equations[i], answer.y);
    }
    return answer;
  }

 private:
  OneSided rows_;
  Eigen::MatrixXd Q_, columns_;
  Eigen::VectorXd d_, b_, work_;
  std::vector<int> active_;
  Index num_rows_ = 0;
};

}  // namespace

std::unique_ptr<Optimizer> quadprog(const qp::SparseProblem& problem) {
  return routine() == nullptr ? nullptr : std::make_unique<Quadprog>(problem);
}

}  // namespace nonsmooth::optimizers
