// SPDX-License-Identifier: Apache-2.0
#include "fingerprint_parts.hpp"
#include "model/bodies/rigid_body.hpp"
#include "model/equations/lagrangian_systems.hpp"
#include "model/inclusions/process_with_law.hpp"
#include "model/switched/filippov.hpp"
#include "model/switched/hybrid_automaton.hpp"

namespace nonsmooth::fingerprint {
namespace {

constexpr Index kMostDense = 1024;  ///< unknowns of a system whose M is made dense

std::string prescribed_text(const std::vector<PrescribedVelocity>& prescribed) {
  std::string text;
  for (const PrescribedVelocity& one : prescribed) {
    text += (text.empty() ? "" : ", ") + std::to_string(one.component) + " a function, at t = 0 " +
            asked([&] { return fingerprint::text(one.velocity(0.0)); });
  }
  return text;
}

std::string impulses_text(const std::vector<PrescribedImpulse>& impulses) {
  std::string text;
  for (const PrescribedImpulse& one : impulses) {
    text += (text.empty() ? "" : ", ") + fingerprint::text(one.impulse.value()) +
            " at t = " + fingerprint::text(one.instant);
  }
  return text;
}

/// A matrix of a system: in entries, of a SparseMechanicalSystem, or dense.
template <class InEntries, class Dense>
std::string matrix_of(const MechanicalSystem& system, Index n, InEntries in_entries, Dense dense) {
  return asked([&]() -> std::string {
    if (const auto* sparse = dynamic_cast<const SparseMechanicalSystem*>(&system)) {
      Eigen::SparseMatrix<double> value = sparse->pattern().zeros();
      SparseEntries entries(sparse->pattern(), Eigen::Map<Eigen::VectorXd>(value.valuePtr(), value.nonZeros()));
      in_entries(*sparse, entries);
      return text(value);
    }
    if (n > kMostDense) return "not asked";
    Eigen::MatrixXd value = Eigen::MatrixXd::Zero(n, n);
    dense(value);
    return (value.array() == 0.0).all() ? "0" : matrix_text(value);
  });
}

/// M, F and its derivatives, without which a damper of a body at rest would leave no trace.
void add_motion(const MechanicalSystem& system, const Eigen::VectorXd& q, const Eigen::VectorXd& v, Index n,
                Line& line) {
  line.add("M", matrix_of(
                    system, n, [&](const auto& own, SparseEntries& M) { own.mass_entries(q, M); },
                    [&](MatrixRef M) { system.mass(q, M); }));
  line.add("F", asked([&] {
             Eigen::VectorXd F = Eigen::VectorXd::Zero(n);
             system.force(0.0, q, v, F);
             return text(F);
           }));
  line.add("F_q", matrix_of(
                      system, n, [&](const auto& own, SparseEntries& J) { own.force_dq_entries(0.0, q, v, J); },
                      [&](MatrixRef J) { system.force_dq(0.0, q, v, J); }));
  line.add("F_v", matrix_of(
                      system, n, [&](const auto& own, SparseEntries& J) { own.force_dv_entries(0.0, q, v, J); },
                      [&](MatrixRef J) { system.force_dv(0.0, q, v, J); }));
}

void add_mechanical(const NonSmoothDynamicalSystem::System& record, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                    Line& line) {
  const MechanicalSystem& system = *record.mechanical;
  line.add("q0", text(q)).add("v0", text(v));
  if (const LagrangianLinearSystem* linear = record.linear_mechanical()) {
    line.add("M", text(linear->mass, record.n, record.n))
        .add("C", text(linear->damping, record.n, record.n))
        .add("K", text(linear->stiffness, record.n, record.n))
        .add("F", text(linear->force, record.n));
  } else {
    const char* const how = dynamic_cast<const CallableSystem*>(&system) ? "functions, at the initial values" : "";
    if (*how != '\0') line.add("M and F", how);
    add_motion(system, q, v, record.n, line);
    if (const auto* body = dynamic_cast<const RigidBodySystem*>(&system))
      line.add("gyroscopic", body->gyroscopic_varies() ? "implicit" : "explicit, or none");
  }
  if (!system.prescribed().empty()) line.add("prescribed", prescribed_text(system.prescribed()));
  if (!system.impulses().empty()) line.add("impulses", impulses_text(system.impulses()));
}

/// Of a FilippovSystem: switching functions, gradients and fields at t = 0 and x0.
void add_fields(const FilippovFields& fields, const Eigen::VectorXd& x, Line& line) {
  line.add("meaning", fields.is_hull() ? "hull" : "multi-affine");
  Eigen::VectorXd value(x.size());
  for (Index j = 0; j < fields.num_surfaces(); ++j) {
    line.add(fields.surface_name(j), asked([&] {
               fields.gradient(j, 0.0, x, value);
               return text(fields.value(j, 0.0, x)) + ", gradient " + text(value);
             }));
  }
  for (Index i = 0; i < fields.num_regions(); ++i) {
    std::string signs;
    for (const int sign : fields.system().regions[static_cast<std::size_t>(i)].signs)
      signs += sign > 0 ? "+" : sign < 0 ? "-" : "0";
    line.add(fields.region_name(i), signs + " f " + asked([&] {
                                      fields.field(i, 0.0, x, value);
                                      return text(value);
                                    }));
  }
}

/// Of a HybridAutomaton: fields, guards and invariants at t = 0 and x0, where they may be asked.
void add_automaton(const AutomatonFields& fields, Line& line) {
  const Eigen::VectorXd x = fields.automaton().x0.value();
  Eigen::VectorXd value(x.size());
  if (const double interval = fields.automaton().sliding_interval; interval > 0.0)
    line.add("sliding_interval", text(interval));
  for (Index m = 0; m < fields.num_modes(); ++m) {
    const AutomatonMode& mode = fields.mode(m);
    line.add(mode.name,
             "f " + asked([&] {
               fields.field(m, 0.0, x, value);
               return text(value);
             }) +
                 (mode.invariant.value ? ", invariant " + asked([&] { return text(mode.invariant.value(0.0, x)); })
                                       : std::string()));
  }
  for (Index k = 0; k < static_cast<Index>(fields.automaton().transitions.size()); ++k) {
    const AutomatonTransition& one = fields.transition(k);
    line.add(fields.transition_name(k), one.from + " to " + one.to + (one.reset ? ", resets, guard " : ", guard ") +
                                            asked([&] { return text(one.guard.value(0.0, x)); }));
  }
}

void add_first_order(const NonSmoothDynamicalSystem::System& record, const Eigen::VectorXd& x, Line& line) {
  line.add("x0", text(x));
  if (const auto* process = dynamic_cast<const FilippovProcess*>(record.first_order))
    return add_fields(*process->fields(), x, line);
  if (const auto* process = dynamic_cast<const AutomatonProcess*>(record.first_order))
    return add_automaton(*process->fields(), line);
  if (const FirstOrderLinearSystem* linear = record.linear_first_order()) {
    line.add("M", text(linear->mass, record.n, record.n))
        .add("A", text(linear->A, record.n, record.n))
        .add("b", text(linear->b, record.n));
    return;
  }
  line.add("M", text(record.first_order->mass(), record.n, record.n)).add("f at the initial values", asked([&] {
                                                                            Eigen::VectorXd f =
                                                                                Eigen::VectorXd::Zero(record.n);
                                                                            record.first_order->f(0.0, x, f);
                                                                            return text(f);
                                                                          }));
}

}  // namespace

std::string line_of(Index number, const NonSmoothDynamicalSystem::System& record) {
  Line line("system " + std::to_string(number) + ", " + record.name);
  const DynamicalSystem& system = *record.description;
  line.add("class", class_name(typeid(system))).add("nq", record.nq).add("n", record.n);
  const Eigen::VectorXd z = system.initial_unknowns();
  if (record.mechanical) add_mechanical(record, system.initial_position(), z, line);
  if (record.first_order) add_first_order(record, z, line);
  if (record.with_law) record.with_law->add_to(line);
  if (system.feedback()) line.add("feedback", "a function, not asked");
  return line.take();
}

}  // namespace nonsmooth::fingerprint
