// SPDX-License-Identifier: Apache-2.0
#include "sparse_systems.hpp"

#include <cmath>
#include <tuple>
#include <utility>

#include <nonsmooth/numerics/error.hpp>

#include "describe.hpp"
#include "guarded.hpp"

namespace nonsmooth {
namespace {

using SparseMatrix = Eigen::SparseMatrix<double>;

void validate(const SparseLagrangianSystem& system) {
  const std::string type = "SparseLagrangianSystem";
  const Index n = system.q0.size();
  describe::check_initial(type, "q0", system.q0, n);
  if (system.v0.size() != 0) describe::check_initial(type, "v0", system.v0, n);
  if (system.pattern.size() != n) {
    throw InvalidArgument(
        type + "::pattern",
        system.pattern.size() == 0 ? "none" : "one of " + std::to_string(system.pattern.size()) + " rows",
        "one of " + std::to_string(n) + " rows, as q0 has entries");
  }
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

/// The values of a constant mass by number of the entry.
Eigen::VectorXd mass_on_pattern(const MatrixData& mass, const SparsePattern& pattern) {
  Eigen::VectorXd values = Eigen::VectorXd::Zero(pattern.num_entries());
  const auto put = [&](Index row, Index column, double value) {
    if (value == 0.0) return;
    const Index place = pattern.find(row, column);
    if (place < 0) {
      throw InvalidArgument("SparseLagrangianSystem::mass",
                            "an entry at (" + std::to_string(row) + ", " + std::to_string(column) + ")",
                            "entries of the pattern alone");
    }
    values[place] = value;
  };
  if (const auto* sparse = mass.sparse()) {
    for (Index j = 0; j < sparse->cols(); ++j) {
      for (SparseMatrix::InnerIterator entry(*sparse, j); entry; ++entry) put(entry.row(), j, entry.value());
    }
  } else if (const auto* dense = mass.dense()) {
    for (Index j = 0; j < dense->cols(); ++j) {
      for (Index i = 0; i < dense->rows(); ++i) put(i, j, (*dense)(i, j));
    }
  } else {
    const auto* diagonal = mass.diagonal();
    for (Index i = 0; i < pattern.size(); ++i) put(i, i, diagonal ? (*diagonal)[i] : 1.0);
  }
  return values;
}

/// matrix := entries, which are written into zeros; what is beside them stays.
template <class Write>
void write_dense(const SparsePattern& pattern, MatrixRef matrix, Write&& write) {
  Eigen::VectorXd values = Eigen::VectorXd::Zero(pattern.num_entries());
  SparseEntries entries(pattern, values);
  write(entries);
  const SparseMatrix& zeros = pattern.zeros();
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
  const SparseMatrix& zeros = pattern.zeros();
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
  if (!d.mass_of_q) mass_ = mass_on_pattern(d.mass, d.pattern);
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

SparseDifferences::SparseDifferences(const SparsePattern& pattern) {
  // The pattern is symmetric: the columns that have an entry in row i are the rows of column i.
  const SparseMatrix& zeros = pattern.zeros();
  const auto n = static_cast<std::size_t>(pattern.size());
  std::vector<Index> colour(n, -1), seen_by;
  std::vector<std::vector<Index>> columns_of;
  const auto for_each_row = [&zeros](Index j, auto&& visit) {
    for (Index k = zeros.outerIndexPtr()[j]; k < zeros.outerIndexPtr()[j + 1]; ++k) visit(zeros.innerIndexPtr()[k]);
  };
  for (Index j = 0; j < pattern.size(); ++j) {
    for_each_row(j, [&](Index row) {
      for_each_row(row, [&](Index other) {
        if (const Index taken = colour[static_cast<std::size_t>(other)]; taken >= 0)
          seen_by[static_cast<std::size_t>(taken)] = j;
      });
    });
    std::size_t first = 0;
    while (first < seen_by.size() && seen_by[first] == j) ++first;
    if (first == seen_by.size()) {
      seen_by.push_back(-1);
      columns_of.emplace_back();
    }
    colour[static_cast<std::size_t>(j)] = static_cast<Index>(first);
    columns_of[first].push_back(j);
  }
  for (const std::vector<Index>& columns : columns_of) {
    columns_.insert(columns_.end(), columns.begin(), columns.end());
    begin_.push_back(static_cast<Index>(columns_.size()));
  }
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
