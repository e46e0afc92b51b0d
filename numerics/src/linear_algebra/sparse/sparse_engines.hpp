// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <memory>
#include <string_view>
#include <vector>

#include <nonsmooth/numerics/linear_algebra/factorization.hpp>

/// What SparseFactorization chooses from.
namespace nonsmooth::sparse_engines {

using Sparse = Eigen::SparseMatrix<double>;

/// Factors of one kind. A is compressed, square, finite and not empty; factorize() has seen the pattern in analyze().
class Engine {
 public:
  virtual ~Engine() = default;
  virtual bool analyze(const Sparse& A) = 0;
  virtual bool factorize(const Sparse& A) = 0;
  virtual void solve(MatrixRef b, bool transposed) = 0;
  [[nodiscard]] virtual std::string_view name() const noexcept = 0;

 protected:
  Engine() = default;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// | D^-1 |A^-1||A| D |_inf above 1 / (n eps), by Hager's estimator for the 1-norm of B = F A^-T D^-1, F = |A| D e.
  bool is_ill_conditioned(const Sparse& A);

 private:
  std::vector<double> estimate_;  // vectors of the estimator
};

/// What n rows of elimination may be off by, of the entries that they eliminate.
[[nodiscard]] inline double round_off(Index n) noexcept {
  return static_cast<double>(n) * std::numeric_limits<double>::epsilon();
}

/// CHOLMOD's L L^T (cholmod_engine.cpp): simplicial, or supernodal in a build with NONSMOOTH_WITH_GPL.
[[nodiscard]] std::unique_ptr<Engine> make_cholmod();

/// @throws InvalidArgument for Lapack, which has no sparse factors.
[[nodiscard]] std::unique_ptr<Engine> make_engine(Structure structure, Backend backend);

}  // namespace nonsmooth::sparse_engines
