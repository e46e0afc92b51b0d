// SPDX-License-Identifier: Apache-2.0
// The best iterate of a cone program; not installed.
#pragma once

#include <nonsmooth/numerics/cone_program/problem.hpp>

#include "qp/internal.hpp"

namespace nonsmooth::cone_program::detail {

/// Certifies (x, y, z) and keeps it in result where its residual is smaller than the one there, or where both are at
/// the tolerance its complementarity. True if it is.
inline bool keep_better(const Problem& problem, ConstVectorRef x, ConstVectorRef y, ConstVectorRef z, Result& result,
                        double tolerance = 0.0) {
  Eigen::VectorXd s(problem.num_rows());
  Figures figures;
  const Certificate certificate = certify(problem, x, y, z, s, &figures);
  const Certificate& best = result.certificate;
  const bool first = result.x.size() != problem.num_unknowns();
  const bool better = best.residual <= tolerance ? certificate.residual <= tolerance &&
                                                       figures.complementarity < result.figures.complementarity
                                                 : certificate.residual < best.residual;
  if (!first && !better && !(std::isnan(best.residual) && !std::isnan(certificate.residual))) return false;
  result.x = x;
  result.y = y;
  result.z = z;
  result.s = s;
  result.figures = figures;
  result.certificate = certificate;
  return true;
}

}  // namespace nonsmooth::cone_program::detail
