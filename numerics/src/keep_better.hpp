// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include <nonsmooth/numerics/certificate.hpp>
#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth::detail {

/// Certifies z (by w as scratch) and keeps it in result if its residual is smaller than the one there. True if it is.
template <class Problem, class Result>
bool keep_better(const Problem& problem, ConstVectorRef z, VectorRef w, Result& result) {
  const Certificate certificate = certify(problem, z, w);
  if (!(certificate.residual < result.certificate.residual) && !std::isnan(result.certificate.residual)) return false;
  result.z = z;
  result.w = w;
  result.certificate = certificate;
  return true;
}

}  // namespace nonsmooth::detail
