// SPDX-License-Identifier: Apache-2.0
#include "describe.hpp"

#include <algorithm>

#include <internal/check.hpp>
#include <internal/decompositions.hpp>
#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/linear_algebra/factorization.hpp>

namespace nonsmooth::describe {
namespace {

std::string shape(Index rows, Index cols) { return std::to_string(rows) + " x " + std::to_string(cols); }

[[noreturn]] void refuse_indefinite(const std::string& argument) {
  throw InvalidArgument(argument, "a matrix that is not positive definite", "a positive definite mass");
}

}  // namespace

void check_square(const std::string& argument, const MatrixData& data, Index n) {
  if (data.empty() || data.function()) return;
  check::shape(argument, data.rows(), data.cols(), n, n);
  if (!data.all_finite()) throw InvalidArgument(argument, "an entry that is not finite", "finite entries");
}

void check_vector(const std::string& argument, const VectorData& data, Index n) {
  if (const auto* constant = data.constant()) {
    check::size(argument, constant->size(), n, "one a coordinate");
    check::finite(argument, ConstVectorRef(*constant));
  }
}

void check_initial(const std::string& type, const char* field, const ConstantVector& value, Index n) {
  const std::string argument = type + "::" + field;
  if (n < 1) throw InvalidArgument(argument, "no entry", "the initial value of every coordinate, at least one");
  check::size(argument, value.size(), n, "one a coordinate");
  check::finite(argument, ConstVectorRef(value.value()));
}

void check_constant(const std::string& argument, const MatrixData& data, Index rows, Index cols) {
  if (data.function()) throw InvalidArgument(argument, "a function", "a constant matrix");
  if (data.empty()) throw InvalidArgument(argument, "nothing", "a constant matrix");
  if ((rows >= 0 && data.rows() != rows) || data.cols() != cols || data.rows() < 1) {
    throw InvalidArgument(argument, "a " + shape(data.rows(), data.cols()) + " matrix",
                          (rows >= 0 ? std::to_string(rows) : std::string("m")) + " x " + std::to_string(cols) +
                              " (columns as the linked systems have coordinates, rows as the relation)");
  }
  if (!data.all_finite()) throw InvalidArgument(argument, "an entry that is not finite", "finite entries");
}

void check_mass_of_first_order(const std::string& argument, const MatrixData& mass, Index n) {
  if (mass.function()) throw InvalidArgument(argument, "a function of time", "a constant matrix");
  check_square(argument, mass, n);
}

void check_mass(const std::string& argument, const MatrixData& data, Index n) {
  if (data.function()) throw InvalidArgument(argument, "a function of time", "a constant matrix");
  check_square(argument, data, n);
  if (data.empty()) return;
  const auto check_diagonal = [&argument](Index i, double entry) {
    if (!(entry > 0.0)) {
      throw InvalidArgument(argument, "diagonal entry " + std::to_string(i) + " = " + std::to_string(entry),
                            "positive diagonal entries (a mass is positive definite)");
    }
  };
  if (const auto* d = data.diagonal()) {
    for (Index i = 0; i < n; ++i) check_diagonal(i, (*d)[i]);
  } else if (const auto* s = data.sparse()) {
    const Eigen::VectorXd diagonal = s->diagonal();
    for (Index i = 0; i < n; ++i) check_diagonal(i, diagonal[i]);
    const MatrixData::Sparse transposed = s->transpose();
    if ((*s - transposed).norm() > 1e-12 * s->norm()) {
      throw InvalidArgument(argument, "a matrix that is not symmetric", "M = M^T");
    }
    SparseFactorization factor(Structure::SymmetricPositiveDefinite, Backend::Automatic);
    if (!factor.factorize(*s)) refuse_indefinite(argument);
  } else {
    const auto& dense = *data.dense();
    for (Index i = 0; i < n; ++i) check_diagonal(i, dense(i, i));
    if ((dense - dense.transpose()).norm() > 1e-12 * dense.norm()) {
      throw InvalidArgument(argument, "a matrix that is not symmetric", "M = M^T");
    }
    if (!is_positive_definite(dense)) refuse_indefinite(argument);
  }
}

void check_prescribed(const std::string& type, const std::vector<PrescribedVelocity>& list, Index n) {
  for (const PrescribedVelocity& prescribed : list) {
    if (prescribed.component < 0 || prescribed.component >= n) {
      throw InvalidArgument(type + "::prescribed", "component " + std::to_string(prescribed.component),
                            "a component in [0, " + std::to_string(n - 1) + "]");
    }
    if (std::count_if(list.begin(), list.end(), [&prescribed](const PrescribedVelocity& other) {
          return other.component == prescribed.component;
        }) > 1) {
      throw InvalidArgument(type + "::prescribed", "component " + std::to_string(prescribed.component) + " twice",
                            "each component once");
    }
    if (!prescribed.velocity) throw InvalidArgument(type + "::prescribed", "no function", "velocity(t)");
  }
}

void check_impulses(const std::string& type, const std::vector<PrescribedImpulse>& list, Index n) {
  for (const PrescribedImpulse& load : list) {
    check::finite((type + "::impulses: instant").c_str(), load.instant);
    check::size(type + "::impulses", load.impulse.size(), n, "one a coordinate");
    check::finite(type + "::impulses", ConstVectorRef(load.impulse.value()));
  }
}

void make_dense(MatrixData& data) {
  if (data.sparse() || data.diagonal()) data = data.to_dense(data.cols());
}

Eigen::VectorXd product(const MatrixData& A, ConstVectorRef v, bool identity_if_empty) {
  if (const auto* dense = A.dense()) return *dense * v;
  if (const auto* sparse = A.sparse()) return *sparse * v;
  if (const auto* diagonal = A.diagonal()) return diagonal->cwiseProduct(v);
  return identity_if_empty ? Eigen::VectorXd(v) : Eigen::VectorXd::Zero(v.size());
}

}  // namespace nonsmooth::describe
