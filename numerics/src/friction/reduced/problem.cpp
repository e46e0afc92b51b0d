// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/friction/problem.hpp>

namespace nonsmooth::friction {

bool supports(const ProductSet& K) noexcept {
  return K.count(SetKind::Coulomb2D) + K.count(SetKind::Coulomb3D) + K.count(SetKind::Rolling) +
             K.count(SetKind::Orthant) + K.count(SetKind::Free) ==
         K.num_blocks();
}

}  // namespace nonsmooth::friction
