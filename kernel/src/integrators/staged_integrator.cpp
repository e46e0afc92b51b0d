// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/staged_integrator.hpp>

namespace nonsmooth {

SchemeCoefficients StagedIntegrator::coefficients() const {
  const StageTable stages = table(1.0);
  SchemeCoefficients result;
  result.first_order = true;
  const bool all_implicit =
      stages.a.rows() > 0 && stages.a.rows() == stages.a.cols() && (stages.a.diagonal().array() != 0.0).all();
  result.theta = all_implicit ? 1.0 : 0.0;
  return result;
}

}  // namespace nonsmooth
