// SPDX-License-Identifier: Apache-2.0
// Square matrices whose classes are known by construction, and small integer ones judged by exact integer arithmetic.
#pragma once

#include <random>
#include <string>
#include <vector>

#include <Eigen/Core>

#include <nonsmooth/numerics/analysis/matrix_classes.hpp>

namespace nonsmooth::problems {

using analysis::Finding;
using analysis::MatrixClasses;

/// What is known of one class.
struct KnownClass {
  Finding MatrixClasses::*member;
  std::string name;
  bool holds;
};

struct ClassifiedMatrix {
  std::string name;
  Eigen::MatrixXd M;
  std::vector<KnownClass> known;
};

inline constexpr int num_matrix_families = 13;

/// A matrix of a family, 0 <= family < num_matrix_families, of 1 to 12 rows (20 now and then).
[[nodiscard]] ClassifiedMatrix random_classified_matrix(int family, std::mt19937_64& random);

}  // namespace nonsmooth::problems
