// SPDX-License-Identifier: Apache-2.0
// The best iterate of a cone program; not installed.
#pragma once

#include <nonsmooth/numerics/cone_program/problem.hpp>

#include "portfolio.hpp"
#include "qp/internal.hpp"

namespace nonsmooth::cone_program::detail {

/// Certifies (x, y, z) and keeps it in result where its residual is smaller than the one there. True if it is.
inline bool keep_better(const Problem& problem, ConstVectorRef x, ConstVectorRef y, ConstVectorRef z, Result& result) {
  Eigen::VectorXd s(problem.num_rows());
  Figures figures;
  const Certificate certificate = certify(problem, x, y, z, s, &figures);
  const double best = result.certificate.residual;
  const bool first = result.x.size() != problem.num_unknowns();
  if (!first && !nonsmooth::detail::is_better(certificate.residual, best)) return false;
  result.x = x;
  result.y = y;
  result.z = z;
  result.s = s;
  result.figures = figures;
  result.certificate = certificate;
  return true;
}

}  // namespace nonsmooth::cone_program::detail
