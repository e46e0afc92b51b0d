// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <nonsmooth/numerics/mixed/problem.hpp>

#include "newton_system.hpp"
#include "projection_jacobian.hpp"

namespace nonsmooth::mixed::internal {

/// The natural map e(r, u) of all blocks of K, in either form, and its derivatives. K stays where it is until
/// prepare().
class NaturalMap {
 public:
  NaturalMap() = default;
  explicit NaturalMap(const ProductSet& K);
  /// That of another product. Keeps its memory.
  void prepare(const ProductSet& K);

  void evaluate(Form form, ConstVectorRef rho, ConstVectorRef r, ConstVectorRef u, VectorRef e) const;
  /// The same, with A and C.
  void linearize(Form form, ConstVectorRef rho, ConstVectorRef r, ConstVectorRef u, VectorRef e);
  /// A := A + by / rho.
  void shift(double by, ConstVectorRef rho);
  /// A := A + C alpha / rho: the derivative where u has a proximal term alpha (r - center) / rho.
  void add_proximal_term(double alpha, ConstVectorRef rho);

  BlockDiagonal A, C;  ///< de/dr and de/du, of the last linearize()

 private:
  const ProductSet* K_ = nullptr;
  std::vector<double> scratch_;
};

}  // namespace nonsmooth::mixed::internal
