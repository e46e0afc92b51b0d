// SPDX-License-Identifier: Apache-2.0
#pragma once

// Eigen objects cross the library's border by value: a user's -march=native must not change their alignment.
#if !defined(EIGEN_MAX_ALIGN_BYTES) || EIGEN_MAX_ALIGN_BYTES != 64
#error "Nonsmooth needs EIGEN_MAX_ALIGN_BYTES=64: link Nonsmooth::numerics, or take the flags of nonsmooth-numerics.pc"
#endif

#include <Eigen/Core>

namespace nonsmooth {

/// Every size, row and offset: signed, 64 bits, zero-based.
using Index = Eigen::Index;

/// A vector that is read; any contiguous Eigen expression binds to it without a copy.
using ConstVectorRef = Eigen::Ref<const Eigen::VectorXd>;
/// A vector that is written in place; its size is fixed by the caller.
using VectorRef = Eigen::Ref<Eigen::VectorXd>;
/// A matrix that is read, column-major, with any outer stride.
using ConstMatrixRef = Eigen::Ref<const Eigen::MatrixXd, 0, Eigen::OuterStride<>>;
/// A matrix that is written in place; its shape is fixed by the caller.
using MatrixRef = Eigen::Ref<Eigen::MatrixXd, 0, Eigen::OuterStride<>>;

}  // namespace nonsmooth
