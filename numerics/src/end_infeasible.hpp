// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <utility>

#include <nonsmooth/numerics/status.hpp>

namespace nonsmooth::detail {

/// Turns a result that has been concluded Infeasible, by a proof that was found behind it.
template <class Result, class Proof>
void end_infeasible(std::string_view reason, Proof&& proof, Result& result) {
  result.status = Status::Infeasible;
  result.at_round_off = false;
  result.reason = reason;
  result.proof = std::forward<Proof>(proof);
}

}  // namespace nonsmooth::detail
