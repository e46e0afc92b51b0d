// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/model_checks.hpp>

#include <cmath>
#include <limits>
#include <sstream>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "model/equations/first_order.hpp"
#include "model/equations/lagrangian_systems.hpp"
#include "model/equations/relation_evaluator.hpp"
#include "model/linked_systems.hpp"
#include "model/prepared_law.hpp"
#include "row_basis.hpp"

namespace nonsmooth {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

double centred_step(double x) {
  static const double kStep = std::cbrt(std::numeric_limits<double>::epsilon());
  return kStep * std::max(1.0, std::abs(x));
}

class Comparison {
 public:
  explicit Comparison(double tolerance) : tolerance_(tolerance) {}

  /// `value(w)` is the function at the point moved by w along the tangent directions; x gives the steps' sizes.
  template <class Value>
  void add(const std::string& function, const Matrix& given, const Vector& x, Value&& value) {
    Matrix differences(given.rows(), given.cols());
    Vector w = Vector::Zero(given.cols());
    for (Index j = 0; j < given.cols(); ++j) {
      const double step = centred_step(j < x.size() ? x[j] : 1.0);
      w[j] = step;
      const Vector after = value(w);
      w[j] = -step;
      differences.col(j) = (after - value(w)) / (2.0 * step);
      w[j] = 0.0;
    }
    const double scale = 1.0 + (given.size() > 0 ? given.cwiseAbs().maxCoeff() : 0.0);
    JacobianMismatch worst;
    double largest = tolerance_ * scale;
    for (Index j = 0; j < given.cols(); ++j) {
      for (Index i = 0; i < given.rows(); ++i) {
        const double difference = std::abs(given(i, j) - differences(i, j));
        if (difference <= largest) continue;  // a NaN goes through
        largest = difference;
        worst = {function, i, j, given(i, j), differences(i, j)};
      }
    }
    if (!worst.function.empty()) mismatches.push_back(worst);
  }

  std::vector<JacobianMismatch> mismatches;

 private:
  double tolerance_;
};

void compare(const MechanicalSystem& system, const std::string& name, double t, const Vector& q, const Vector& v,
             Comparison& comparison) {
  const Index n = v.size();
  const auto force = [&](const Vector& at_q, const Vector& at_v) {
    Vector F = Vector::Zero(n);
    system.force(t, at_q, at_v, F);
    return F;
  };
  const auto* callable = dynamic_cast<const CallableSystem*>(&system);
  Matrix J = Matrix::Zero(n, n);
  if (!callable || callable->gives_dq()) {
    system.force_dq(t, q, v, J);
    comparison.add("force_dq of " + name, J, q.size() == n ? q : Vector::Ones(n), [&](const Vector& w) {
      Vector moved = q;
      system.retract(moved, w);
      return force(moved, v);
    });
  }
  if (!callable || callable->gives_dv()) {
    J.setZero();
    system.force_dv(t, q, v, J);
    comparison.add("force_dv of " + name, J, v, [&](const Vector& w) { return force(q, v + w); });
  }
}

void compare(const FirstOrderDynamicalSystem& system, const std::string& name, double t, const Vector& x,
             Comparison& comparison) {
  Matrix J = Matrix::Zero(x.size(), x.size());
  if (!system.f_dx(t, x, J)) return;
  comparison.add("f_dx of " + name, J, x, [&](const Vector& w) {
    Vector f = Vector::Zero(x.size());
    system.f(t, x + w, f);
    return f;
  });
}

/// The linked systems, and their values stacked.
struct Stack {
  Stack(const Layout& layout, const NonSmoothDynamicalSystem::InteractionRecord& record, const State& state)
      : systems(linked_systems(layout, record.systems)),
        q(stacked_positions(systems, state.positions)),
        z(stacked_unknowns(systems, state.unknowns)) {}

  std::vector<LinkedSystem> systems;
  Vector q, z;
};

/// Positions moved along tangent directions.
Vector moved_positions(const NonSmoothDynamicalSystem& model, const Stack& at, const Vector& w) {
  Vector q = at.q;
  Index position = 0;
  for (const LinkedSystem& linked : at.systems) {
    const auto slot = model.layout()->systems[static_cast<std::size_t>(linked.system)].slot;
    model.systems()[slot].mechanical->retract(q.segment(position, linked.nq), w.segment(linked.column, linked.n));
    position += linked.nq;
  }
  return q;
}

void compare(const NonSmoothDynamicalSystem& model, const MechanicalRelation& relation, const std::string& name,
             double t, const Stack& at, const Vector& lambda, Comparison& comparison) {
  const Index m = relation.rows();
  const RelationEvaluator evaluator(relation);
  const auto h = [&](double time, const Vector& q, const Vector& force) {
    Vector y = Vector::Constant(m, std::numeric_limits<double>::quiet_NaN());
    evaluator.h(time, q, force, y);
    return y;
  };
  Matrix H(m, at.z.size());
  evaluator.H(t, at.q, lambda, H);
  Vector h_t(m);
  evaluator.h_t(t, at.q, h_t);
  for (Index row = 0; row < m; ++row) {
    if (relation.is_gradient(row)) continue;
    H.row(row).setZero();  // as differences of its y are
    h_t[row] = 0.0;
  }
  comparison.add("H of " + name, H, at.q.size() == at.z.size() ? at.q : Vector::Ones(at.z.size()),
                 [&](const Vector& w) { return h(t, moved_positions(model, at, w), lambda); });
  comparison.add("h_t of " + name, h_t, Vector::Constant(1, t),
                 [&](const Vector& w) { return h(t + w[0], at.q, lambda); });
  if (!relation.is_compliant()) return;
  Matrix D(m, m);
  evaluator.compliance(t, at.q, lambda, D);
  comparison.add("D of " + name, D, lambda, [&](const Vector& w) { return h(t, at.q, lambda + w); });
}

void compare(const FirstOrderInputOutputRelation& relation, const std::string& name, double t, const Vector& x,
             const Vector& lambda, Comparison& comparison) {
  for (const auto* derivative : {&kOutputByState, &kOutputByMultipliers, &kInputByState, &kInputByMultipliers}) {
    const bool by_lambda = derivative->by_lambda;
    const Vector& about = by_lambda ? lambda : x;
    Matrix J = Matrix::Zero(derivative->of_input ? x.size() : relation.rows(), about.size());
    if (!(relation.*derivative->given)(t, x, lambda, J)) continue;
    comparison.add(derivative->name + (" of " + name), J, about, [&](const Vector& w) {
      Vector value = Vector::Zero(J.rows());
      const Vector moved = about + w;
      (relation.*derivative->function)(t, by_lambda ? x : moved, by_lambda ? moved : lambda, value);
      return value;
    });
  }
}

void check_revision(const char* argument, const Layout& layout, const State& state) {
  if (!state.layout() || state.layout()->revision != layout.revision)
    throw InvalidArgument(argument, "a state of another revision", "one of the model's present revision");
}

/// The diagonal of M(q), by unknown; 1 where there is no mass.
Vector mass_diagonal(const NonSmoothDynamicalSystem& model, const State& state) {
  Vector diagonal = Vector::Ones(model.layout()->num_unknowns);
  for (const auto& place : model.layout()->systems) {
    const MechanicalSystem* const system = model.systems()[place.slot].mechanical;
    if (!system) continue;
    Matrix M = Matrix::Zero(place.n, place.n);
    system->mass(state.positions.segment(place.q, place.nq), M);
    diagonal.segment(place.z, place.n) = (M.diagonal().array() > 0.0).select(M.diagonal(), 1.0);
  }
  return diagonal;
}

/// 1, and 0 where a velocity is prescribed; by unknown.
Vector moved_by_reactions(const NonSmoothDynamicalSystem& model) {
  Vector moved = Vector::Ones(model.layout()->num_unknowns);
  for (const auto& place : model.layout()->systems) {
    const MechanicalSystem* const system = model.systems()[place.slot].mechanical;
    if (!system) continue;
    for (const PrescribedVelocity& one : system->prescribed()) moved[place.z + one.component] = 0.0;
  }
  return moved;
}

}  // namespace

std::string JacobianMismatch::message() const {
  std::ostringstream text;
  text << function << ": entry (" << row << ", " << column << ") is " << given << ", differences give " << difference;
  return text.str();
}

std::vector<JacobianMismatch> compare_jacobians(const NonSmoothDynamicalSystem& model, const State& state,
                                                double tolerance) {
  check::positive("compare_jacobians: tolerance", tolerance);
  const auto layout = model.layout();
  check_revision("compare_jacobians: state", *layout, state);
  Comparison comparison(tolerance);
  for (const auto& place : layout->systems) {
    const auto& record = model.systems()[place.slot];
    const Vector z = state.unknowns.segment(place.z, place.n);
    if (record.mechanical && !record.mechanical->linear())
      compare(*record.mechanical, place.name, state.t, state.positions.segment(place.q, place.nq), z, comparison);
    if (record.first_order && !record.first_order->linear())
      compare(*record.first_order, place.name, state.t, z, comparison);
  }
  for (const auto& place : layout->interactions) {
    const auto& record = model.interactions()[place.slot];
    const Stack at(*layout, record, state);
    const Vector multipliers = state.multipliers.segment(place.row, place.rows);
    if (record.mechanical) {
      if (record.mechanical->constant_jacobian()) continue;
      const Vector lambda = state.last_step > 0.0 ? Vector(multipliers / state.last_step) : multipliers;
      compare(model, *record.mechanical, place.name, state.t, at, lambda, comparison);
    } else if (!record.first_order->linear()) {
      compare(*record.first_order, place.name, state.t, at.z, multipliers, comparison);
    }
  }
  return comparison.mismatches;
}

void verify_jacobians(const NonSmoothDynamicalSystem& model, const State& state, double tolerance) {
  const auto mismatches = compare_jacobians(model, state, tolerance);
  if (mismatches.empty()) return;
  const JacobianMismatch& first = mismatches.front();
  throw InvalidArgument(
      first.function,
      "entry (" + std::to_string(first.row) + ", " + std::to_string(first.column) +
          ") = " + std::to_string(first.given),
      std::to_string(first.difference) + ", as centred differences give" +
          (mismatches.size() > 1 ? " (and " + std::to_string(mismatches.size() - 1) + " more functions disagree)"
                                 : std::string()));
}

std::vector<InteractionHandle> redundant_constraints(const NonSmoothDynamicalSystem& model, const State& state) {
  const auto layout = model.layout();
  check_revision("redundant_constraints: state", *layout, state);
  std::vector<InteractionHandle> redundant;
  analysis::detail::RowBasis basis(mass_diagonal(model, state));
  const Vector moved = moved_by_reactions(model);
  Vector coefficients;
  for (const auto& place : layout->interactions) {
    const auto& record = model.interactions()[place.slot];
    const MechanicalRelation* relation = record.mechanical;
    if (!relation || relation->is_compliant()) continue;
    const Stack at(*layout, record, state);
    Matrix H(place.rows, at.z.size());
    RelationEvaluator(*relation).H(state.t, at.q, H);
    bool dependent = false;
    for (Index r = 0; r < place.rows; ++r) {
      if (!record.law->holds(r % record.law->size)) continue;
      Vector row = Vector::Zero(layout->num_unknowns);
      for (const LinkedSystem& linked : at.systems)
        row.segment(linked.z, linked.n) = H.row(r).segment(linked.column, linked.n).transpose();
      if (!basis.joins(row.cwiseProduct(moved), 1e-10, coefficients)) dependent = true;
    }
    if (dependent) redundant.push_back({layout->model, place.slot, layout->interaction_generation[place.slot]});
  }
  return redundant;
}

}  // namespace nonsmooth
