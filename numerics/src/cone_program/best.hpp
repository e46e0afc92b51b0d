// SPDX-License-Identifier: Apache-2.0
// The best iterate of a cone program; not installed.
#pragma once

#include <nonsmooth/numerics/cone_program/problem.hpp>

#include "certificate.hpp"
#include "portfolio.hpp"
#include "qp/internal.hpp"

namespace nonsmooth::cone_program::detail {

/// Certifies (x, y, z) and keeps it in result where its residual is smaller than the one there. True if it is. Of c = 0
/// the multipliers 0 solve the dual, of b = 0 and h = 0 the point 0 the program: these are taken as they are, as
/// iterates that come to 0 keep errors of their own size.
inline bool keep_better(const Certifier& certifier, ConstVectorRef x_found, ConstVectorRef y_found,
                        ConstVectorRef z_found, Result& result) {
  const Problem& problem = certifier.problem();
  const bool no_slope = problem.c.isZero(0.0), at_zero = problem.b.isZero(0.0) && problem.h.isZero(0.0);
  const double of_x = at_zero ? 0.0 : 1.0, of_multipliers = no_slope ? 0.0 : 1.0;
  const Eigen::VectorXd x = of_x * x_found, y = of_multipliers * y_found, z = of_multipliers * z_found;
  Eigen::VectorXd s(problem.num_rows());
  Figures figures;
  const Certificate certificate = certifier.certify(x, y, z, s, figures);
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
