// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <nonsmooth/io/problem_file.hpp>

namespace nonsmooth::command {

/// Blocks of one kind and size.
struct BlockCount {
  std::string set;  ///< "complementarity", "equality", "box", "second-order cone", "coulomb 3d", ...
  Index rows = 1;   ///< of each block
  Index count = 0;
};

/// What can be said of a problem without solving it.
struct Description {
  std::string_view storage;  ///< "dense", "sparse", "block sparse"
  Index rows = 0;
  Index unknowns = 0;  ///< differs from rows only for an mlcp
  Index nonzeros = 0;  ///< entries of the matrix that are not zero, of maps of code of slopes at the start; of a global
                       ///< form: of [A, -H^T; H, 0], of a qp of [Q, -A^T; A, 0], of a cone program of [0, A^T, G^T; A,
                       ///< 0, 0; G, 0, 0], of an mpcc of [Q, -B^T; B, 0], B = (A; G; H)
  /// max |M_ij - M_ji| / max |M_ij|; nan where the matrix is not square. Of a global form: of A, of a qp and an mpcc:
  /// of Q.
  double asymmetry = std::numeric_limits<double>::quiet_NaN();
  double q_norm = 0.0;  ///< max |q_i|; of an mlcp max |(a, b)_i|, of a global form max |(f, w)_i|, of a program max
                        ///< |c_i| or max |(c, b, h)_i|
  std::vector<BlockCount> blocks;

  /// Up to 1e-12, which a text of 13 digits leaves.
  [[nodiscard]] bool symmetric() const noexcept { return asymmetry <= 1e-12; }
};

[[nodiscard]] Description describe(const AnyProblem& problem);

}  // namespace nonsmooth::command
