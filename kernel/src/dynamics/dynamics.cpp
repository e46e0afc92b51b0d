// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/dynamics.hpp>

#include <cmath>
#include <limits>
#include <type_traits>

#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/linear_algebra/factorization.hpp>

#include "model/equations/first_order.hpp"
#include "model/equations/relation_evaluator.hpp"
#include "model/equations/sparse_systems.hpp"
#include "model/inclusions/process_with_law.hpp"
#include "model/linked_systems.hpp"

namespace nonsmooth {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

class Dynamics {
 public:
  Dynamics(const char* function, const NonSmoothDynamicalSystem& model, const State& state)
      : function_(function), model_(model), state_(state), layout_(model.layout()) {
    if (!state.layout() || state.layout()->revision != layout_->revision)
      throw InvalidArgument(name("state"), "a state of another revision or model", "one of the model's present one");
  }

  [[nodiscard]] const Layout& layout() const { return *layout_; }
  [[nodiscard]] std::string name(const char* argument) const { return std::string(function_) + ": " + argument; }

  /// Of the systems linked, one behind the other.
  [[nodiscard]] Vector inputs(const NonSmoothDynamicalSystem::InteractionRecord& interaction,
                              const Layout::Interaction& place) const {
    const auto linked = linked_systems(*layout_, interaction.systems);
    const Vector x = stacked_unknowns(linked, state_.unknowns);
    const Index columns = x.size();
    const double t = state_.t;
    if (interaction.mechanical) {
      const MechanicalRelation& relation = *interaction.mechanical;
      const Vector q = stacked_positions(linked, state_.positions), force = state_.force(handle(place));
      Matrix H(place.rows, columns);
      if (const Matrix* constant = relation.constant_jacobian()) {
        H = *constant;
      } else {
        RelationEvaluator(relation, place.name).H(t, q, force, H);
      }
      return H.transpose() * force;
    }
    const Vector lambda = state_.multipliers.segment(place.row, place.rows);
    Vector g(columns);
    FirstOrderRelationEvaluator::of(interaction).g(t, x, lambda, g);
    return g;
  }

  /// Where the system's part begins in what inputs() returns; -1: it is not linked.
  [[nodiscard]] Index column_of(const NonSmoothDynamicalSystem::InteractionRecord& interaction,
                                std::uint32_t slot) const {
    for (const LinkedSystem& linked : linked_systems(*layout_, interaction.systems)) {
      if (linked.system == layout_->system_of_slot[slot]) return linked.column;
    }
    return -1;
  }

  void require_rates() const {
    if (!state_.contacts.empty()) {
      throw InvalidArgument(name("state"), "one with detected contacts",
                            "contacts that are linked: a state keeps their forces, not their directions");
    }
  }

  /// M^-1 (F + inputs); `value` comes in as the inputs.
  void solve(const Layout::System& place, Vector& value) const {
    const auto& system = model_.systems()[place.slot];
    if (const auto* body = system.linear_mechanical()) return solve(*body, place, value);
    if (system.mechanical) return solve(*system.mechanical, place, value);
    if (system.first_order) return solve(FirstOrderSystemEvaluator::of(system), place, value);
    throw InvalidArgument(name("system"), std::string("the ") + system.with_law->kind() + " " + place.name,
                          "a system with a rate: what its own law drags may jump with it");
  }

 private:
  [[nodiscard]] InteractionHandle handle(const Layout::Interaction& place) const {
    return {layout_->model, place.slot, layout_->interaction_generation[place.slot]};
  }
  void add(const Layout::System& place, const char* what, const VectorData& data, Vector& value) const {
    if (data.empty()) return;
    Vector term(value.size());
    evaluate(place.name, what, data, state_.t, term);
    value += term;
  }
  void add_sample(const Layout::System& place, const Feedback& feedback, Vector& value) const {
    if (!feedback) return;
    Vector term = Vector::Zero(value.size());
    guarded(place.name, "the feedback", [&] { feedback(state_, term); });
    value += term;
  }

  void solve(const LagrangianLinearSystem& body, const Layout::System& place, Vector& value) const {
    const auto q = state_.positions.segment(place.q, place.nq), v = state_.unknowns.segment(place.z, place.n);
    add(place, "force(t)", body.force, value);
    add_sample(place, model_.systems()[place.slot].description->feedback(), value);
    subtract_product(body.damping, v, value);
    subtract_product(body.stiffness, q, value);
    solve_mass(body.mass, model_.systems()[place.slot].mechanical->prescribed(), place, value);
  }

  void solve(const MechanicalSystem& body, const Layout::System& place, Vector& value) const {
    const Vector q = state_.positions.segment(place.q, place.nq), v = state_.unknowns.segment(place.z, place.n);
    Vector force = Vector::Zero(place.n);
    guarded(place.name, "force(t, q, v)", [&] { body.force(state_.t, q, v, force); });
    const auto* sparse = dynamic_cast<const SparseMechanicalSystem*>(&body);
    MatrixData M;
    guarded(place.name, "mass(q)", [&] { M = sparse ? MatrixData(sparse_mass(*sparse, q)) : dense_mass(body, q); });
    value += force;
    add_sample(place, body.feedback(), value);
    solve_mass(M, body.prescribed(), place, value);
  }

  void solve(const FirstOrderSystemEvaluator& circuit, const Layout::System& place, Vector& value) const {
    const Vector x = state_.unknowns.segment(place.z, place.n);
    if (circuit.linear) {
      add(place, "b(t)", circuit.linear->b, value);
    } else {
      Vector f(place.n);
      circuit.f(state_.t, x, f);
      value += f;
    }
    add_sample(place, circuit.feedback(), value);
    if (circuit.linear && circuit.linear->A.function()) {
      Matrix A(place.n, place.n);
      circuit.A(state_.t, A);
      value += A * x;
    } else if (circuit.linear) {
      subtract_product(circuit.linear->A, -x, value);
    }
    solve_mass(circuit.mass(), {}, place, value);
  }

  static MatrixData dense_mass(const MechanicalSystem& body, const Vector& q) {
    const Index n = body.initial_velocity().size();
    Matrix M = Matrix::Zero(n, n);
    body.mass(q, M);
    return M;
  }

  static void subtract_product(const MatrixData& A, const Vector& x, Vector& value) {
    if (const auto* sparse = A.sparse()) {
      value -= *sparse * x;
    } else if (const auto* diagonal = A.diagonal()) {
      value -= diagonal->cwiseProduct(x);
    } else if (const auto* dense = A.dense()) {
      value -= *dense * x;
    }
  }

  void solve_mass(const MatrixData& mass, const std::vector<PrescribedVelocity>& prescribed,
                  const Layout::System& place, Vector& value) const {
    if (mass.empty() && prescribed.empty()) return;
    if (const auto* diagonal = mass.diagonal(); diagonal != nullptr && prescribed.empty()) {
      if ((diagonal->array() == 0.0).any()) refuse_mass(place);
      value = value.cwiseQuotient(*diagonal);
    } else if (const auto* sparse = mass.sparse(); sparse != nullptr && prescribed.empty()) {
      SparseFactorization factor;
      if (!factor.factorize(*sparse)) refuse_mass(place);
      factor.solve_in_place(value);
    } else {
      solve_dense(mass.to_dense(place.n, true), prescribed, place, value);
    }
  }

  /// Rows of prescribed entries say what their rate is.
  void solve_dense(Matrix M, const std::vector<PrescribedVelocity>& prescribed, const Layout::System& place,
                   Vector& value) const {
    for (const PrescribedVelocity& motion : prescribed) {
      M.row(motion.component).setZero();
      M(motion.component, motion.component) = 1.0;
      guarded(place.name, "the prescribed velocity",
              [&] { value[motion.component] = slope(motion.velocity, state_.t); });
    }
    DenseFactorization factor;
    if (!factor.factorize(M)) refuse_mass(place);
    factor.solve_in_place(value);
  }

  /// By central differences, whose error of h^2 / 6 of the third derivative meets that of rounding, eps / h, there.
  static double slope(const std::function<double(double)>& function, double t) {
    const double h = std::cbrt(std::numeric_limits<double>::epsilon()) * std::max(1.0, std::abs(t));
    return (function(t + h) - function(t - h)) / (2.0 * h);
  }

  [[noreturn]] void refuse_mass(const Layout::System& place) const {
    throw InvalidArgument(name("mass of " + place.name), "a singular matrix", "a regular one: others leave rates open");
  }
  [[nodiscard]] std::string name(const std::string& argument) const { return name(argument.c_str()); }

  const char* function_;
  const NonSmoothDynamicalSystem& model_;
  const State& state_;
  std::shared_ptr<const Layout> layout_;
};

/// Callables that fail are the caller's to know of.
template <class Call>
auto told(const char* function, Call&& call) {
  try {
    return call();
  } catch (const CallableFailure& failure) {
    throw InvalidArgument(std::string(function) + ": model", failure.detail, "functions that can be asked there");
  }
}

}  // namespace

Eigen::VectorXd input_of(const NonSmoothDynamicalSystem& model, const State& state, InteractionHandle interaction,
                         SystemHandle system) {
  const Dynamics dynamics("input_of", model, state);
  const Layout::Interaction& place = dynamics.layout().at(interaction);
  const Layout::System& of = dynamics.layout().at(system);
  const auto& record = model.interactions()[place.slot];
  const Index column = dynamics.column_of(record, of.slot);
  if (column < 0) {
    throw InvalidArgument("input_of: system", of.name + ", which " + place.name + " does not link",
                          "a system of the interaction");
  }
  return told("input_of", [&] { return Vector(dynamics.inputs(record, place).segment(column, of.n)); });
}

Eigen::VectorXd rates_of(const NonSmoothDynamicalSystem& model, const State& state, SystemHandle system) {
  const Dynamics dynamics("rates_of", model, state);
  dynamics.require_rates();
  const Layout::System& of = dynamics.layout().at(system);
  return told("rates_of", [&] {
    Vector value = Vector::Zero(of.n);
    for (const Layout::Interaction& place : dynamics.layout().interactions) {
      const auto& record = model.interactions()[place.slot];
      if (const Index column = dynamics.column_of(record, of.slot); column >= 0)
        value += dynamics.inputs(record, place).segment(column, of.n);
    }
    dynamics.solve(of, value);
    return value;
  });
}

Eigen::VectorXd rates_of(const NonSmoothDynamicalSystem& model, const State& state) {
  const Dynamics dynamics("rates_of", model, state);
  dynamics.require_rates();
  const Layout& layout = dynamics.layout();
  return told("rates_of", [&] {
    Vector all = Vector::Zero(layout.num_unknowns);
    for (const Layout::Interaction& place : layout.interactions) {
      const auto& record = model.interactions()[place.slot];
      const Vector inputs = dynamics.inputs(record, place);
      for (const LinkedSystem& linked : linked_systems(layout, record.systems))
        all.segment(linked.z, linked.n) += inputs.segment(linked.column, linked.n);
    }
    for (const Layout::System& of : layout.systems) {
      Vector value = all.segment(of.z, of.n);
      dynamics.solve(of, value);
      all.segment(of.z, of.n) = value;
    }
    return all;
  });
}

}  // namespace nonsmooth
