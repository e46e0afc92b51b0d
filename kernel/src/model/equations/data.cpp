// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/data.hpp>

#include <algorithm>

#include <nonsmooth/numerics/error.hpp>

namespace nonsmooth {

ConstantVector::ConstantVector(std::initializer_list<double> entries) : value_(static_cast<Index>(entries.size())) {
  std::copy(entries.begin(), entries.end(), value_.begin());
}

MatrixData::MatrixData(std::initializer_list<std::initializer_list<double>> rows) {
  const auto m = static_cast<Index>(rows.size());
  const auto n = m == 0 ? Index{0} : static_cast<Index>(rows.begin()->size());
  Eigen::MatrixXd value(m, n);
  Index i = 0;
  for (const auto& row : rows) {
    if (static_cast<Index>(row.size()) != n) {
      throw InvalidArgument("matrix", std::to_string(row.size()) + " entries in row " + std::to_string(i),
                            std::to_string(n) + ", as in row 0");
    }
    Index j = 0;
    for (const double entry : row) value(i, j++) = entry;
    ++i;
  }
  data_ = std::move(value);
}

Index MatrixData::rows() const noexcept {
  if (const auto* d = dense()) return d->rows();
  if (const auto* s = sparse()) return s->rows();
  if (const auto* d = diagonal()) return d->size();
  return 0;
}

Index MatrixData::cols() const noexcept {
  if (const auto* d = dense()) return d->cols();
  if (const auto* s = sparse()) return s->cols();
  if (const auto* d = diagonal()) return d->size();
  return 0;
}

Eigen::MatrixXd MatrixData::to_dense(Index n, bool identity_if_empty) const {
  if (const auto* d = dense()) return *d;
  if (const auto* s = sparse()) return Eigen::MatrixXd(*s);
  if (const auto* d = diagonal()) return d->asDiagonal();
  if (identity_if_empty) return Eigen::MatrixXd::Identity(n, n);
  return Eigen::MatrixXd::Zero(n, n);
}

bool MatrixData::is_diagonal() const {
  if (empty() || diagonal()) return true;
  if (const auto* d = dense()) {
    for (Index j = 0; j < d->cols(); ++j) {
      for (Index i = 0; i < d->rows(); ++i) {
        if (i != j && (*d)(i, j) != 0.0) return false;
      }
    }
    return true;
  }
  if (const auto* s = sparse()) {
    for (Index j = 0; j < s->outerSize(); ++j) {
      for (Sparse::InnerIterator it(*s, j); it; ++it) {
        if (it.row() != it.col() && it.value() != 0.0) return false;
      }
    }
    return true;
  }
  return false;
}

bool MatrixData::all_finite() const {
  if (const auto* d = dense()) return d->allFinite();
  if (const auto* d = diagonal()) return d->allFinite();
  if (const auto* s = sparse()) {
    return std::all_of(s->valuePtr(), s->valuePtr() + s->nonZeros(), [](double value) { return std::isfinite(value); });
  }
  return true;
}

}  // namespace nonsmooth
