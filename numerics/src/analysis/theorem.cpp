// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/analysis/theorem.hpp>

namespace nonsmooth::analysis {
namespace {

struct Entry {
  std::string_view text, citation;
};

Entry entry_of(Theorem theorem) noexcept {
  switch (theorem) {
    case Theorem::NotKnown:
      break;
    case Theorem::FeedthroughIsP:
      return {"D is a P-matrix: lambda is a Lipschitz function of x", "cottle1992"};
    case Theorem::PassiveFullRank:
      return {"passive after a shift of A, (B; D + D^T) of full column rank", "camlibel2002"};
    case Theorem::PassiveMaximalMonotone:
      return {"passive after a shift of A: maximal monotone with a Lipschitz perturbation", "camlibel2014"};
    case Theorem::OutputNeverReached:
      return {"lambda never reaches an output that may be negative", "heemels1999"};
    case Theorem::NegativeMarkovParameter:
      return {"one output, first Markov parameter negative: C x(0) < 0 has no solution, C x(0) > 0 two", "heemels1999"};
    case Theorem::LeadingCoefficientsAreP:
      return {"the leading row or column coefficient matrix is a P-matrix", "heemels1999"};
    case Theorem::BoundedIntervals:
      return {"bounded intervals, D = 0: a differential inclusion with convex values", "filippov1988"};
    case Theorem::NoUnilateralContact:
      return {"no unilateral contact: an ordinary differential equation", ""};
    case Theorem::IndependentConstraints:
      return {"independent constraints without friction; analytic data for uniqueness", "ballard2000"};
    case Theorem::ContradictingVelocities:
      return {"bilateral rows that ask for two velocities at once", ""};
  }
  return {"not known", ""};
}

}  // namespace

std::string_view to_string(Theorem theorem) noexcept { return entry_of(theorem).text; }
std::string_view citation(Theorem theorem) noexcept { return entry_of(theorem).citation; }

}  // namespace nonsmooth::analysis
