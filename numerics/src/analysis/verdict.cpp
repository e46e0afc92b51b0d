// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/analysis/verdict.hpp>

namespace nonsmooth::analysis {

std::string_view to_string(Verdict verdict) noexcept {
  switch (verdict) {
    case Verdict::Holds:
      return "holds";
    case Verdict::Fails:
      return "fails";
    case Verdict::NotKnown:
      break;
  }
  return "not known";
}

}  // namespace nonsmooth::analysis
