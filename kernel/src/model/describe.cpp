// SPDX-License-Identifier: Apache-2.0
#include "describe.hpp"

#include <algorithm>
#include <cmath>

#include <internal/check.hpp>
#include <internal/decompositions.hpp>
#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/linear_algebra/factorization.hpp>

namespace nonsmooth::describe {
namespace {

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

[[noreturn]] void refuse_indefinite(const std::string& argument) {
  throw InvalidArgument(argument, "a matrix that is not positive definite", "a positive definite mass");
}

/// Symmetric to rounding, positive definite by the factors that Cholesky gives.
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

}  // namespace

namespace {

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

}  // namespace

void validate(const LagrangianLinearSystem& system) {
  const std::string type = "LagrangianLinearSystem";
  const Index n = system.q0.size();
  check_initial(type, "q0", system.q0, n);
  if (system.v0.size() != 0) check_initial(type, "v0", system.v0, n);
  check_mass(type + "::mass", system.mass, n);
  for (const auto& [field, data] : {std::pair{"damping", &system.damping}, std::pair{"stiffness", &system.stiffness}}) {
    if (data->function()) throw InvalidArgument(type + "::" + field, "a function of time", "a constant matrix");
    check_square(type + "::" + field, *data, n);
  }
  check_vector(type + "::force", system.force, n);
  check_prescribed(type, system.prescribed, n);
  check_impulses(type, system.impulses, n);
}

void validate(const LagrangianSystem& system) {
  const std::string type = "LagrangianSystem";
  const Index n = system.q0.size();
  check_initial(type, "q0", system.q0, n);
  if (system.v0.size() != 0) check_initial(type, "v0", system.v0, n);
  check_vector(type + "::external", system.external, n);
  check_prescribed(type, system.prescribed, n);
  check_impulses(type, system.impulses, n);
}

void validate(const FirstOrderLinearSystem& system) {
  const std::string type = "FirstOrderLinearSystem";
  const Index n = system.x0.size();
  check_initial(type, "x0", system.x0, n);
  if (system.mass.function()) throw InvalidArgument(type + "::mass", "a function of time", "a constant matrix");
  check_square(type + "::mass", system.mass, n);
  check_square(type + "::A", system.A, n);
  check_vector(type + "::b", system.b, n);
}

void validate(const FirstOrderSystem& system) {
  const std::string type = "FirstOrderSystem";
  const Index n = system.x0.size();
  check_initial(type, "x0", system.x0, n);
  if (system.mass.function()) throw InvalidArgument(type + "::mass", "a function of time", "a constant matrix");
  check_square(type + "::mass", system.mass, n);
}

void validate(const SweepingProcess& system) {
  check_initial("SweepingProcess", "x0", system.x0, system.x0.size());
  if (!system.project) throw InvalidArgument("SweepingProcess::project", "no function", "the projection on C(t)");
}

}  // namespace nonsmooth::describe
