// SPDX-License-Identifier: Apache-2.0
#include "sparse_systems.hpp"

#include <tuple>
#include <utility>

#include <nonsmooth/numerics/error.hpp>

#include "model/describe.hpp"
#include "model/guarded.hpp"
#include "sparse_values.hpp"

namespace nonsmooth {
namespace {

using SparseMatrix = Eigen::SparseMatrix<double>;

void validate(const SparseLagrangianSystem& system) {
  const std::string type = "SparseLagrangianSystem";
  const Index n = system.q0.size();
  describe::check_initial(type, "q0", system.q0, n);
  if (system.v0.size() != 0) describe::check_initial(type, "v0", system.v0, n);
  check_pattern(type, system.pattern, n, "q0");
  if (system.mass_of_q && !system.mass.empty())
    throw InvalidArgument(type + "::mass_of_q", "a function beside a constant mass", "one of both");
  describe::check_mass(type + "::mass", system.mass, n);
  for (const auto& [field, part, derivative] : {std::tuple{"internal_dq", &system.internal, &system.internal_dq},
                                                std::tuple{"internal_dv", &system.internal, &system.internal_dv},
                                                std::tuple{"force_dq", &system.force, &system.force_dq},
                                                std::tuple{"force_dv", &system.force, &system.force_dv}}) {
    if (*derivative && !*part)
      throw InvalidArgument(type + "::" + field, "the Jacobian of a part that is missing", "the part, or neither");
  }
  describe::check_vector(type + "::external", system.external, n);
  describe::check_prescribed(type, system.prescribed, n);
  describe::check_impulses(type, system.impulses, n);
}

}  // namespace

void SparseMechanicalSystem::mass(ConstVectorRef q, MatrixRef M) const {
  write_dense(pattern(), M, [&](SparseEntries& entries) { mass_entries(q, entries); });
}
void SparseMechanicalSystem::force_dq(double t, ConstVectorRef q, ConstVectorRef v, MatrixRef J) const {
  write_dense(pattern(), J, [&](SparseEntries& entries) { force_dq_entries(t, q, v, entries); });
}
void SparseMechanicalSystem::force_dv(double t, ConstVectorRef q, ConstVectorRef v, MatrixRef J) const {
  write_dense(pattern(), J, [&](SparseEntries& entries) { force_dv_entries(t, q, v, entries); });
}

CallableSparseSystem::CallableSparseSystem(SparseLagrangianSystem description) : description_(std::move(description)) {
  const SparseLagrangianSystem& d = description_;
  if (!d.mass_of_q) mass_ = mass_on_pattern("SparseLagrangianSystem::mass", d.mass, d.pattern);
  if ((d.internal && !(d.internal_dq && d.internal_dv)) || (d.force && !(d.force_dq && d.force_dv)))
    differences_ = SparseDifferences(d.pattern);
}

void CallableSparseSystem::mass_entries(ConstVectorRef q, SparseEntries& M) const {
  if (description_.mass_of_q) {
    write_entries("mass_of_q", M.pattern(), M.values(), [&](SparseEntries& own) { description_.mass_of_q(q, own); });
  } else {
    M.values() = mass_;
  }
}

void CallableSparseSystem::force(double t, ConstVectorRef q, ConstVectorRef v, VectorRef F) const {
  const SparseLagrangianSystem& d = description_;
  if (d.internal) {
    call_part("internal", [&] { d.internal(t, q, v, F); });
    F = -F;
  }
  if (const auto* constant = d.external.constant()) F += *constant;
  const auto add = [&F](const char* name, auto&& call) {
    differences::Scratch scratch(F.size());
    auto part = scratch.vector(F.size());
    part.setZero();
    call_part(name, [&] { call(VectorRef(part)); });
    F += part;
  };
  if (d.force) add("force", [&](VectorRef part) { d.force(t, q, v, part); });
  if (const auto* function = d.external.function()) add("external", [&](VectorRef part) { (*function)(t, part); });
}

void CallableSparseSystem::force_dq_entries(double t, ConstVectorRef q, ConstVectorRef v, SparseEntries& J) const {
  const SparseLagrangianSystem& d = description_;
  const auto add = [&](double sign, const char* name, const char* of, const auto& part, const auto& jacobian) {
    if (!part) return;
    add_part(
        sign, name, jacobian, differences_, q, J, [&](const auto& f, SparseEntries& own) { f(t, q, v, own); },
        [&](ConstVectorRef at, VectorRef F) { call_part(of, [&] { part(t, at, v, F); }); });
  };
  add(-1.0, "internal_dq", "internal", d.internal, d.internal_dq);
  add(1.0, "force_dq", "force", d.force, d.force_dq);
}

void CallableSparseSystem::force_dv_entries(double t, ConstVectorRef q, ConstVectorRef v, SparseEntries& J) const {
  const SparseLagrangianSystem& d = description_;
  const auto add = [&](double sign, const char* name, const char* of, const auto& part, const auto& jacobian) {
    if (!part) return;
    add_part(
        sign, name, jacobian, differences_, v, J, [&](const auto& f, SparseEntries& own) { f(t, q, v, own); },
        [&](ConstVectorRef at, VectorRef F) { call_part(of, [&] { part(t, q, at, F); }); });
  };
  add(-1.0, "internal_dv", "internal", d.internal, d.internal_dv);
  add(1.0, "force_dv", "force", d.force, d.force_dv);
}

Eigen::SparseMatrix<double> sparse_mass(const SparseMechanicalSystem& system, ConstVectorRef q) {
  SparseMatrix M = system.pattern().zeros();
  Eigen::Map<Eigen::VectorXd> values(M.valuePtr(), M.nonZeros());
  SparseEntries entries(system.pattern(), values);
  system.mass_entries(q, entries);
  return M;
}

Eigen::VectorXd momentum_of(const MechanicalSystem& system, ConstVectorRef q, ConstVectorRef v) {
  if (const auto* sparse = dynamic_cast<const SparseMechanicalSystem*>(&system)) return sparse_mass(*sparse, q) * v;
  Eigen::MatrixXd M = Eigen::MatrixXd::Zero(v.size(), v.size());
  system.mass(q, M);
  return M * v;
}

std::shared_ptr<const MechanicalSystem> make_system(SparseLagrangianSystem system) {
  validate(system);
  if (system.v0.size() == 0) system.v0 = Eigen::VectorXd::Zero(system.q0.size());
  return std::make_shared<const CallableSparseSystem>(std::move(system));
}

}  // namespace nonsmooth
