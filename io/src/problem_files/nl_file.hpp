// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <nonsmooth/numerics/types.hpp>

#include "nl_expressions.hpp"

namespace nonsmooth::problem_files {

/// The two sides of a row or a variable; a row may complement a variable instead.
struct NlRange {
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  Index complements = -1;                     ///< a variable, or -1
  bool has_lower = false, has_upper = false;  ///< of a row that complements: which bounds its variable has

  [[nodiscard]] bool is_free() const noexcept { return std::isinf(lower) && std::isinf(upper); }
  [[nodiscard]] bool is_equation() const noexcept { return complements < 0 && lower == upper; }
};

struct NlTerm {
  Index variable = 0;
  double factor = 0.0;
};

/// A row or an objective: an expression and a linear part.
struct NlBody {
  Index root = -1;  ///< of NlFile::expressions; -1: none
  std::vector<NlTerm> linear{};
};

/// What a .nl file says.
struct NlFile {
  Index num_variables = 0;
  NlExpressions expressions{};
  std::vector<NlBody> rows{}, objectives{};
  std::vector<bool> maximised{};  ///< of each objective
  std::vector<NlRange> row_ranges{}, variable_ranges{};
  Eigen::VectorXd start{};  ///< empty: none is given
};

/// The text form, or the binary one, which begins with b. @throws FormatError "NAME, line N: found ..., expected ...",
/// of bytes behind the header "NAME, byte N behind the header: ...".
[[nodiscard]] NlFile read_nl_file(std::string_view file, std::string_view name);

}  // namespace nonsmooth::problem_files
