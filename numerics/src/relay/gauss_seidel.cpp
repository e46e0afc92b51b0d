// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/relay/gauss_seidel.hpp>

#include <algorithm>
#include <vector>

#include <internal/check.hpp>
#include <internal/sparse_factors.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "internal.hpp"

namespace nonsmooth::relay {
namespace {

/// Rows of a dense M, and the factors of its free block.
class DenseRows {
 public:
  explicit DenseRows(const View& problem) : M_(problem.M), view_(problem) {}
  [[nodiscard]] double diagonal(Index i) const { return M_(i, i); }
  [[nodiscard]] double product(Index i, const Eigen::VectorXd& z) const { return M_.row(i).dot(z); }
  bool factorize(const std::vector<Index>& free) { return lu_.factorize_principal(view_.M, free); }
  void solve_in_place(Eigen::VectorXd& x) const { lu_.solve_in_place(x); }

 private:
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> M_;
  const View& view_;
  nonsmooth::detail::DenseLu lu_;
};

/// The same of a sparse one.
class SparseRows {
 public:
  explicit SparseRows(const SparseProblem& problem) : M_(problem.M), diagonal_(problem.M.diagonal()) {}
  [[nodiscard]] double diagonal(Index i) const { return diagonal_[i]; }
  [[nodiscard]] double product(Index i, const Eigen::VectorXd& z) const {
    double sum = 0.0;
    for (RowMatrix::InnerIterator it(M_, i); it; ++it) sum += it.value() * z[it.col()];
    return sum;
  }
  bool factorize(const std::vector<Index>& free) {
    if (free.empty()) return true;
    std::vector<Index> place(static_cast<std::size_t>(M_.cols()), -1);
    for (std::size_t k = 0; k < free.size(); ++k) place[static_cast<std::size_t>(free[k])] = static_cast<Index>(k);
    std::vector<Eigen::Triplet<double>> entries;
    for (std::size_t k = 0; k < free.size(); ++k) {
      for (RowMatrix::InnerIterator it(M_, free[k]); it; ++it) {
        const Index column = place[static_cast<std::size_t>(it.col())];
        if (column >= 0) entries.emplace_back(static_cast<int>(k), static_cast<int>(column), it.value());
      }
    }
    const auto size = static_cast<Index>(free.size());
    Eigen::SparseMatrix<double> block(size, size);
    block.setFromTriplets(entries.begin(), entries.end());
    return lu_.compute(block);
  }
  void solve_in_place(Eigen::VectorXd& x) const { lu_.solve_in_place(x); }

 private:
  using RowMatrix = Eigen::SparseMatrix<double, Eigen::RowMajor>;
  RowMatrix M_;
  Eigen::VectorXd diagonal_;
  SparseLuFactors lu_;
};

/// One run: z, and where the sweeps ended.
template <class P, class Rows>
class Sweeps {
 public:
  Sweeps(const P& problem, const GaussSeidel& options, Result& result)
      : problem_(problem), options_(options), result_(result), rows_(problem) {
    result_.solver = "gauss-seidel";
    detail::clamp(problem_, z_);
    keep();
    for (Index i = 0; i < z_.size(); ++i) {
      if (problem_.lower[i] == -detail::infinity && problem_.upper[i] == detail::infinity) {
        free_.push_back(i);
      } else if (problem_.lower[i] < problem_.upper[i]) {
        bounded_.push_back(i);
      }
    }
    step_.resize(static_cast<Index>(free_.size()));
  }

  void run() {
    const bool positive =
        std::all_of(bounded_.begin(), bounded_.end(), [this](Index i) { return rows_.diagonal(i) > 0.0; });
    if (!positive) return conclude(Status::NumericalFailure, "a diagonal entry of a row with bounds is not positive");
    if (!rows_.factorize(free_)) return conclude(Status::NumericalFailure, "the block of the free rows is singular");
    while (!(result_.certificate.residual <= options_.tolerance) && result_.iterations < options_.max_sweeps) {
      if (deadline_.passed()) return conclude(Status::TimeLimit, "time_limit reached");
      sweep();
      ++result_.iterations;
      if (result_.iterations % options_.check_every != 0 && result_.iterations != options_.max_sweeps) continue;
      if (!z_.allFinite()) return conclude(Status::NumericalFailure, "the sweeps diverged");
      solve_free();  // as they follow from the last sweep
      keep();
    }
    conclude(Status::IterationLimit, "max_sweeps reached");
  }

 private:
  void sweep() {
    solve_free();
    for (const Index i : bounded_) {
      const double w = problem_.q[i] + rows_.product(i, z_);
      z_[i] = detail::clamp(z_[i] - options_.relaxation * w / rows_.diagonal(i), problem_.lower[i], problem_.upper[i]);
    }
  }

  void solve_free() {
    if (free_.empty()) return;
    for (std::size_t k = 0; k < free_.size(); ++k)
      step_[static_cast<Index>(k)] = -(problem_.q[free_[k]] + rows_.product(free_[k], z_));
    rows_.solve_in_place(step_);
    for (std::size_t k = 0; k < free_.size(); ++k) z_[free_[k]] += step_[static_cast<Index>(k)];
  }

  void keep() { detail::keep_better(problem_, z_, scratch_, result_); }
  void conclude(Status end, std::string_view reason) {
    detail::conclude(problem_, options_.tolerance, result_, end, reason);
  }

  const P& problem_;
  const GaussSeidel& options_;
  Result& result_;
  const nonsmooth::detail::Deadline deadline_{options_.time_limit};
  Rows rows_;
  std::vector<Index> free_, bounded_;
  Eigen::VectorXd z_ = Eigen::VectorXd::Zero(problem_.q.size()), scratch_ = z_, step_;
};

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
  const View view = detail::view(problem);
  Sweeps<View, DenseRows>(view, options, result).run();
  return result;
}

Result solve(const SparseProblem& problem, const GaussSeidel& options) {
  problem.validate();
  options.validate();
  Result result;
  Sweeps<SparseProblem, SparseRows>(problem, options, result).run();
  return result;
}

}  // namespace nonsmooth::relay
