// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <nonsmooth/kernel/dynamical_system.hpp>

/// What the classes of descriptions ask of data before they take them, and make of them.
namespace nonsmooth::describe {

/// n x n and finite, where it is a constant.
void check_square(const std::string& argument, const MatrixData& data, Index n);
/// n entries, finite, where it is a constant.
void check_vector(const std::string& argument, const VectorData& data, Index n);
/// n entries, at least one, finite.
void check_initial(const std::string& type, const char* field, const ConstantVector& value, Index n);
/// A constant, rows x cols and finite; rows = -1 accepts any number.
void check_constant(const std::string& argument, const MatrixData& data, Index rows, Index cols);
/// Constant, n x n, finite, symmetric to rounding and positive definite by the factors that Cholesky gives; or empty.
void check_mass(const std::string& argument, const MatrixData& data, Index n);
/// Constant, n x n and finite; it may be singular.
void check_mass_of_first_order(const std::string& argument, const MatrixData& mass, Index n);

/// Each component once, in [0, n), with a function.
void check_prescribed(const std::string& type, const std::vector<PrescribedVelocity>& list, Index n);
/// n entries at an instant each, finite.
void check_impulses(const std::string& type, const std::vector<PrescribedImpulse>& list, Index n);

/// A constant is dense from here on.
void make_dense(MatrixData& data);
/// A v for a constant matrix; where it is empty nothing, or v itself.
[[nodiscard]] Eigen::VectorXd product(const MatrixData& A, ConstVectorRef v, bool identity_if_empty = false);

}  // namespace nonsmooth::describe
