// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <string>

#include <nonsmooth/kernel/data.hpp>
#include <nonsmooth/kernel/sparse_pattern.hpp>

#include "model/guarded.hpp"
#include "sparse_differences.hpp"

/// What systems of both orders have in common whose matrices are values on a pattern.
namespace nonsmooth {

/// @throws InvalidArgument where the pattern of a `type` is none of n rows, as its `initial` has entries.
void check_pattern(const std::string& type, const SparsePattern& pattern, Index n, const char* initial);

/// The values of a constant mass by number of the entry. @throws InvalidArgument naming the argument, where an entry is
/// not in the pattern.
[[nodiscard]] Eigen::VectorXd mass_on_pattern(const std::string& argument, const MatrixData& mass,
                                              const SparsePattern& pattern);

/// matrix := entries, which are written into zeros; what is beside them stays.
template <class Write>
void write_dense(const SparsePattern& pattern, MatrixRef matrix, Write&& write) {
  Eigen::VectorXd values = Eigen::VectorXd::Zero(pattern.num_entries());
  SparseEntries entries(pattern, values);
  write(entries);
  const Eigen::SparseMatrix<double>& zeros = pattern.zeros();
  for (Index j = 0; j < zeros.cols(); ++j) {
    for (Index k = zeros.outerIndexPtr()[j]; k < zeros.outerIndexPtr()[j + 1]; ++k)
      matrix(zeros.innerIndexPtr()[k], j) = values[k];
  }
}

/// Has a callable of entries write into zeros. @throws PartFailure where it throws, or writes what is not finite.
template <class Call>
void write_entries(const char* name, const SparsePattern& pattern, VectorRef values, Call&& call) {
  values.setZero();
  SparseEntries entries(pattern, values);
  call_part(name, [&] { call(entries); });
  if (values.allFinite()) return;
  Index j = 0;
  const Eigen::SparseMatrix<double>& zeros = pattern.zeros();
  for (Index k = 0; k < values.size(); ++k) {
    while (k >= zeros.outerIndexPtr()[j + 1]) ++j;
    if (std::isfinite(values[k])) continue;
    throw PartFailure{name, "a number that is not finite at (" + std::to_string(zeros.innerIndexPtr()[k]) + ", " +
                                std::to_string(j) + ")"};
  }
}

/// J += sign d part / dx, by its Jacobian where that was given; part(at, F) is called with x moved.
template <class Jacobian, class Call, class Part>
void add_part(double sign, const char* name, const Jacobian& jacobian, const SparseDifferences& differences,
              ConstVectorRef x, SparseEntries& J, Call&& call, Part&& part) {
  const Index entries = J.pattern().num_entries();
  differences::Scratch scratch(jacobian ? entries : SparseDifferences::scratch_size(x.size()));
  if (!jacobian) return differences.add_jacobian(sign, J.pattern(), x, scratch, J.values(), part);
  auto values = scratch.vector(entries);
  write_entries(name, J.pattern(), values, [&](SparseEntries& own) { call(jacobian, own); });
  J.values() += sign * values;
}

}  // namespace nonsmooth
