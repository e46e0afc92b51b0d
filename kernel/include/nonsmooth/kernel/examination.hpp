// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth {

/// What a simulation does with what it finds when it looks at its model before the first step.
enum class Examination : unsigned char {
  Refuse,  ///< what is wrong in every run in which it acts is InvalidArgument; the rest is told
  Report,  ///< all are told, none refused
  Off,     ///< the model is not looked at
};

/// One thing that was found in a model before its first step.
struct Remark {
  enum class Kind : unsigned char {
    /// A first-order row with an unbounded multiplier that acts on a derivative of y too high for the scheme: value =
    /// the relative degree, the number of the first non-zero one of D, C M^-1 B, C M^-1 A M^-1 B, ...
    RelativeDegree,
    /// A multiplier of a first-order row that acts on no derivative of y: what bounds y cannot be held.
    Unreached,
    /// The problem of a step of linear first-order systems, with W = D + h C (M - h theta A)^-1 B, may have several
    /// answers, or none: W is neither a P-matrix nor monotone. Steps that have several are told by their reports.
    Ambiguity,
    /// The initial state lies inside an obstacle, or off an equality: value = the depth, or the distance [unit of y].
    Interpenetration,
    /// A first-order system with a singular mass under EulerMoreau with theta < 1: value = (1 - theta) / theta, by
    /// which
    /// algebraic unknowns throw back in each step what a multiplier or input made them jump.
    AlgebraicRinging,
  };
  Kind kind = Kind::RelativeDegree;
  std::string subject;   ///< "row 0 of stop"
  double value = 0.0;    ///< see Kind
  bool refused = false;  ///< by Examination::Refuse
  std::string found;     ///< what was found
  std::string expected;  ///< what would do

  [[nodiscard]] std::string message() const { return subject + ": found " + found + "; expected " + expected; }
};

using Remarks = std::vector<Remark>;

}  // namespace nonsmooth
