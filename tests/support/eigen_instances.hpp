// SPDX-License-Identifier: Apache-2.0
// Test code is compiled with -O1. The factorizations, matrix-vector products and vector solves of Eigen that it shares
// with the libraries are instantiated once, with the libraries' flags (eigen_instances.cpp): otherwise the linker,
// which keeps one copy, may keep a test's.
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <Eigen/QR>

#ifndef NONSMOOTH_EIGEN_INSTANCE
#define NONSMOOTH_EIGEN_INSTANCE extern template
#endif

NONSMOOTH_EIGEN_INSTANCE class Eigen::PartialPivLU<Eigen::MatrixXd>;
NONSMOOTH_EIGEN_INSTANCE class Eigen::FullPivLU<Eigen::MatrixXd>;
NONSMOOTH_EIGEN_INSTANCE class Eigen::LLT<Eigen::MatrixXd>;
NONSMOOTH_EIGEN_INSTANCE class Eigen::ColPivHouseholderQR<Eigen::MatrixXd>;
NONSMOOTH_EIGEN_INSTANCE class Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd>;

// y += a A x of both storages, and the triangular solves of L, U and unit L.
NONSMOOTH_EIGEN_INSTANCE struct Eigen::internal::general_matrix_vector_product<
    Eigen::Index, double, Eigen::internal::const_blas_data_mapper<double, Eigen::Index, Eigen::ColMajor>,
    Eigen::ColMajor, false, double, Eigen::internal::const_blas_data_mapper<double, Eigen::Index, Eigen::RowMajor>,
    false, 0>;
NONSMOOTH_EIGEN_INSTANCE struct Eigen::internal::general_matrix_vector_product<
    Eigen::Index, double, Eigen::internal::const_blas_data_mapper<double, Eigen::Index, Eigen::RowMajor>,
    Eigen::RowMajor, false, double, Eigen::internal::const_blas_data_mapper<double, Eigen::Index, Eigen::ColMajor>,
    false, 0>;
NONSMOOTH_EIGEN_INSTANCE struct Eigen::internal::triangular_solve_vector<double, double, Eigen::Index, Eigen::OnTheLeft,
                                                                         Eigen::Lower, false, Eigen::ColMajor>;
NONSMOOTH_EIGEN_INSTANCE struct Eigen::internal::triangular_solve_vector<double, double, Eigen::Index, Eigen::OnTheLeft,
                                                                         Eigen::Upper, false, Eigen::ColMajor>;
NONSMOOTH_EIGEN_INSTANCE struct Eigen::internal::triangular_solve_vector<double, double, Eigen::Index, Eigen::OnTheLeft,
                                                                         Eigen::UnitLower, false, Eigen::ColMajor>;
