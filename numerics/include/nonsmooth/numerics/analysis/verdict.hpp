// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <string_view>
#include <vector>

#include <Eigen/Core>

#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth::analysis {

/// What is known about a property. Holds and Fails are never guesses; what round-off hides, or no test reaches, is
/// NotKnown.
enum class Verdict : unsigned char { NotKnown, Holds, Fails };

[[nodiscard]] std::string_view to_string(Verdict verdict) noexcept;  ///< "not known", "holds", "fails"

/// A verdict with what it rests on.
struct Finding {
  Verdict verdict = Verdict::NotKnown;
  std::string_view reason =
      "not examined";       ///< static text: the theorem or the test that decided, or what was in the way
  Eigen::VectorXd witness;  ///< a vector that shows it; each property says which. Empty if there is none
  std::vector<Index> rows;  ///< an index set that shows it, ascending; empty if there is none
  double value = std::numeric_limits<double>::quiet_NaN();      ///< the number that decided, where there is one
  double round_off = std::numeric_limits<double>::quiet_NaN();  ///< the bound on its error

  [[nodiscard]] bool holds() const noexcept { return verdict == Verdict::Holds; }
  [[nodiscard]] bool fails() const noexcept { return verdict == Verdict::Fails; }
};

}  // namespace nonsmooth::analysis
