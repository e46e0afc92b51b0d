// SPDX-License-Identifier: Apache-2.0
#include "describe.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>

#include <nonsmooth/numerics/error.hpp>

namespace nonsmooth::describe {
namespace {

template <class... Cases>
struct Overload : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overload(Cases...) -> Overload<Cases...>;  // clang 14 does not deduce aggregates by itself

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

/// Symmetric to rounding, and a positive diagonal: what can be told of a mass without factoring it.
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
  } else {
    const auto& dense = *data.dense();
    for (Index i = 0; i < n; ++i) check_diagonal(i, dense(i, i));
    if ((dense - dense.transpose()).norm() > 1e-12 * dense.norm()) {
      throw InvalidArgument(argument, "a matrix that is not symmetric", "M = M^T");
    }
    if (dense.llt().info() != Eigen::Success) {
      throw InvalidArgument(argument, "a matrix that is not positive definite", "a positive definite mass");
    }
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
  for (const PrescribedVelocity& prescribed : system.prescribed) {
    if (prescribed.component < 0 || prescribed.component >= n) {
      throw InvalidArgument(type + "::prescribed", "component " + std::to_string(prescribed.component),
                            "a component in [0, " + std::to_string(n - 1) + "]");
    }
    if (std::count_if(
            system.prescribed.begin(), system.prescribed.end(),
            [&prescribed](const PrescribedVelocity& other) { return other.component == prescribed.component; }) > 1) {
      throw InvalidArgument(type + "::prescribed", "component " + std::to_string(prescribed.component) + " twice",
                            "each component once");
    }
    if (!prescribed.velocity) throw InvalidArgument(type + "::prescribed", "no function", "velocity(t)");
  }
}

void validate(const LagrangianSystem& system) {
  check_initial("LagrangianSystem", "q0", system.q0, system.q0.size());
  if (system.v0.size() != 0) check_initial("LagrangianSystem", "v0", system.v0, system.q0.size());
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

LawBlock block_of(const Law& law, bool first_order) {
  LawBlock block;
  std::visit(
      Overload{
          [&](const ComplementarityLaw&) { block.set.kind = SetKind::Orthant; },
          [&](const NewtonImpactLaw& newton) {
            check::range("NewtonImpactLaw::restitution", newton.restitution, 0.0, 1.0);
            block.set.kind = SetKind::Orthant;
            block.unilateral = true;
            block.restitution = newton.restitution;
          },
          [&](const NewtonImpactFrictionLaw& friction) {
            check::range("NewtonImpactFrictionLaw::restitution", friction.restitution, 0.0, 1.0);
            check::range("NewtonImpactFrictionLaw::tangential_restitution", friction.tangential_restitution, 0.0, 1.0);
            check::range("NewtonImpactFrictionLaw::friction", friction.friction, 0.0,
                         std::numeric_limits<double>::max());
            block.set.kind = SetKind::Coulomb2D;
            block.set.mu = friction.friction;
            block.size = 2;
            block.unilateral = true;
            block.restitution = friction.restitution;
            block.tangential_restitution = friction.tangential_restitution;
          },
          [&](const EqualityLaw&) { block.set.kind = SetKind::Free; },
          [&](const RelayLaw& relay) {
            if (!(relay.lower <= relay.upper)) {
              throw InvalidArgument(
                  "RelayLaw", "lower = " + std::to_string(relay.lower) + ", upper = " + std::to_string(relay.upper),
                  "lower <= upper");
            }
            block.set.kind = SetKind::Box;
            block.set.lower = relay.lower;
            block.set.upper = relay.upper;
            block.bounds_are_forces = !first_order;
          },
          [&](const std::shared_ptr<const NonSmoothLaw>& custom) {
            if (!custom) throw InvalidArgument("NonSmoothLaw", "a null pointer", "a law");
            block.size = custom->block_size();
            check::at_least("NonSmoothLaw::block_size", block.size, 1);
            block.set = custom->set();
            block.unilateral = custom->unilateral();
            block.custom = custom;
          },
      },
      law);
  ProductSet trial;  // the set's own parameters are checked where sets are known
  trial.push_back(block.set, block.size);
  return block;
}

void check_law_fits(const LawBlock& law, bool first_order) {
  if (first_order && law.unilateral) {
    throw InvalidArgument("law", "an impact law on a first-order relation",
                          "ComplementarityLaw, RelayLaw or EqualityLaw (impacts need velocities)");
  }
  if (!first_order && !law.custom && law.set.kind == SetKind::Orthant && !law.unilateral) {
    throw InvalidArgument(
        "law", "ComplementarityLaw on a mechanical relation",
        "NewtonImpactLaw (restitution 0 for a plastic contact): positions do not jump, velocities do");
  }
}

}  // namespace nonsmooth::describe
