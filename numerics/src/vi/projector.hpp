// SPDX-License-Identifier: Apache-2.0
// P_K, watched where a caller wrote it; not installed.
#pragma once

#include <array>

#include <nonsmooth/numerics/vi/convex_set.hpp>

namespace nonsmooth::vi::detail {

/// Projects, and looks at what a user's callable made: at the first 8 calls and at each whose number is a power of two.
class Projector {
 public:
  explicit Projector(const ConvexSet& K) : K_(K), accuracy_(K.user_accuracy()) {}

  /// @throws InvalidArgument "vi::UserSet::project" for what is no projection.
  ProjectionReport operator()(ConstVectorRef y, VectorRef x);

  [[nodiscard]] const ConvexSet& set() const noexcept { return K_; }

 private:
  void watch(ConstVectorRef y, ConstVectorRef x);

  const ConvexSet& K_;
  double accuracy_;
  Index calls_ = 0, kept_ = 0;
  struct Met {
    Eigen::VectorXd y, x;  // x = P_K(y)
  };
  std::array<Met, 4> met_;
};

}  // namespace nonsmooth::vi::detail
