// SPDX-License-Identifier: Apache-2.0
#include "first_order.hpp"

namespace nonsmooth {

void evaluate(const char* what, const VectorData& data, double t, VectorRef value) {
  if (const auto* constant = data.constant()) {
    value = *constant;
  } else {
    value.setZero();
    if (const auto* function = data.function()) call_part(what, [&] { (*function)(t, value); });
  }
}

void evaluate(const char* what, const MatrixData& data, double t, MatrixRef value) {
  if (const auto* dense = data.dense()) {
    value = *dense;
  } else if (const auto* sparse = data.sparse()) {
    value = *sparse;
  } else if (const auto* diagonal = data.diagonal()) {
    value = diagonal->asDiagonal();
  } else {
    value.setZero();
    if (const auto* function = data.function()) call_part(what, [&] { (*function)(t, value); });
  }
}

void FirstOrderSystemEvaluator::f(double t, ConstVectorRef x, VectorRef value, Eigen::MatrixXd& matrix) const {
  if (!linear) return f(t, x, value);
  b(t, value);
  if (const auto* dense = linear->A.dense()) {
    value.noalias() += *dense * x;
  } else if (!linear->A.empty()) {
    A(t, matrix);
    value.noalias() += matrix * x;
  }
}

}  // namespace nonsmooth
