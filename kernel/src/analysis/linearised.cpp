// SPDX-License-Identifier: Apache-2.0
#include "linearised.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/equations/first_order.hpp"
#include "model/linked_systems.hpp"
#include "model/prepared_law.hpp"

namespace nonsmooth::analysis::detail {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

/// d value(x) / dx by central differences of steps cbrt(eps) and twice that, and what they leave open: their difference
/// and the round-off of the values.
template <class Value>
void central_differences(ConstVectorRef x, Matrix& J, Matrix& error, Value&& value) {
  constexpr double kEps = std::numeric_limits<double>::epsilon();
  for (Index j = 0; j < x.size(); ++j) {
    const double step = std::cbrt(kEps) * std::max(1.0, std::abs(x[j]));
    const auto slope = [&](double width, Vector& size) {
      Vector at = x, after = Vector::Zero(J.rows()), before = Vector::Zero(J.rows());
      at[j] = x[j] + width;
      value(ConstVectorRef(at), VectorRef(after));
      at[j] = x[j] - width;
      value(ConstVectorRef(at), VectorRef(before));
      size = after.cwiseAbs() + before.cwiseAbs();
      return Vector((after - before) / (2.0 * width));
    };
    Vector size(J.rows());
    const Vector far = slope(2.0 * step, size);
    J.col(j) = slope(step, size);
    error.col(j) = (J.col(j) - far).cwiseAbs() + 4.0 * kEps / step * size;
  }
}

void add_system(const NonSmoothDynamicalSystem::System& record, double t, Index at, Linearised& model) {
  const Index n = record.n;
  const FirstOrderSystemEvaluator system = FirstOrderSystemEvaluator::of(record);
  const Vector x = model.x.segment(at, n);
  Matrix J(n, n);
  Vector f(n);
  const bool by_differences = system.differentiate(t, x, J, [n](ConstVectorRef about, Matrix& jacobian, auto&& value) {
    Matrix error(n, n);
    central_differences(about, jacobian, error, value);
  });
  model.M.block(at, at, n, n) = system.mass().to_dense(n, true);
  model.A.block(at, at, n, n) = J;
  model.constant = model.constant && system.has_constant_matrix();
  model.driven = model.driven || system.feedback();
  if (system.linear) {
    system.b(t, f);
    model.driven = model.driven || system.linear->A.function() || system.linear->b.function();
  } else {
    system.f(t, x, f);
    f = f - J * x;
    model.linear_systems = false;
    model.by_differences = model.by_differences || by_differences;
  }
  model.a.segment(at, n) = f;
}

/// One interaction's C, D, B and e on the stacked states of its systems.
struct Rows {
  Matrix C, D, B, g_x;
  Matrix C_error, D_error, B_error;
  Vector e, g0;  ///< g0 = g - g_x x - B lambda
  bool by_differences = false;

  Rows(Index m, Index n)
      : C(Matrix::Zero(m, n)),
        D(Matrix::Zero(m, m)),
        B(Matrix::Zero(n, m)),
        g_x(Matrix::Zero(n, n)),
        C_error(Matrix::Zero(m, n)),
        D_error(Matrix::Zero(m, m)),
        B_error(Matrix::Zero(n, m)),
        e(Vector::Zero(m)),
        g0(Vector::Zero(n)) {}
};

Rows linear_rows(const FirstOrderRelationEvaluator& relation, double t, Index m, Index n) {
  Rows rows(m, n);
  relation.C(t, rows.C);
  relation.D(t, rows.D);
  relation.B(t, rows.B);
  relation.e(t, rows.e);
  return rows;
}

Rows nonlinear_rows(const FirstOrderRelationEvaluator& relation, double t, const Vector& x, const Vector& lambda) {
  const Index n = x.size();
  Rows rows(lambda.size(), n);
  Matrix unused = Matrix::Zero(n, n);
  const auto derivative = [&](const FirstOrderDerivative& which, Matrix& J, Matrix& error) {
    if (relation.differentiate(which, t, x, lambda, J, [&](ConstVectorRef about, Matrix& jacobian, auto&& value) {
          central_differences(about, jacobian, error, value);
        }))
      rows.by_differences = true;
  };
  derivative(kOutputByState, rows.C, rows.C_error);
  derivative(kOutputByMultipliers, rows.D, rows.D_error);
  derivative(kInputByState, rows.g_x, unused);
  derivative(kInputByMultipliers, rows.B, rows.B_error);
  relation.h(t, x, lambda, rows.e);
  rows.e -= rows.C * x + rows.D * lambda;
  relation.g(t, x, lambda, rows.g0);
  rows.g0 -= rows.g_x * x + rows.B * lambda;
  return rows;
}

/// What the laws of an interaction add to y, block by block.
Vector offsets_of(const PreparedLaw& law, Index rows) {
  Vector offset = Vector::Zero(rows);
  if (law.offset.size() == 0) return offset;
  for (Index r = 0; r < rows; ++r) offset[r] = law.offset[r % law.size];
  return offset;
}

/// Which entries of the island's x an interaction's stacked states are.
std::vector<Index> columns_of(const NonSmoothDynamicalSystem::InteractionRecord& record, const Layout& layout,
                              const std::vector<Index>& first_state) {
  std::vector<Index> columns;
  for (const LinkedSystem& linked : linked_systems(layout, record.systems)) {
    for (Index j = 0; j < linked.n; ++j) columns.push_back(first_state[static_cast<std::size_t>(linked.system)] + j);
  }
  return columns;
}

}  // namespace

Linearised linearise(const NonSmoothDynamicalSystem& model, const State& state, const Island& island) {
  const Layout& layout = *state.layout();
  std::vector<Index> first_state(layout.systems.size(), 0);
  Index n = 0, m = 0;
  for (const Index s : island.systems) {
    first_state[static_cast<std::size_t>(s)] = n;
    n += layout.systems[static_cast<std::size_t>(s)].n;
  }
  for (const Index i : island.interactions) m += layout.interactions[static_cast<std::size_t>(i)].rows;
  Linearised result{.M = Matrix::Zero(n, n),
                    .A = Matrix::Zero(n, n),
                    .B = Matrix::Zero(n, m),
                    .C = Matrix::Zero(m, n),
                    .D = Matrix::Zero(m, m),
                    .B_error = Matrix::Zero(n, m),
                    .C_error = Matrix::Zero(m, n),
                    .D_error = Matrix::Zero(m, m),
                    .a = Vector::Zero(n),
                    .b = Vector::Zero(m),
                    .x = Vector::Zero(n),
                    .lambda = Vector::Zero(m)};
  for (const Index s : island.systems) {
    const Layout::System& place = layout.systems[static_cast<std::size_t>(s)];
    const Index at = first_state[static_cast<std::size_t>(s)];
    result.x.segment(at, place.n) = state.unknowns.segment(place.z, place.n);
    add_system(system_at(model, state, s), state.t, at, result);
  }
  Index row = 0;
  for (const Index i : island.interactions) {
    const auto& record = interaction_at(model, state, i);
    const Layout::Interaction& place = layout.interactions[static_cast<std::size_t>(i)];
    const std::vector<Index> columns = columns_of(record, layout, first_state);
    const Vector x = result.x(columns), lambda = state.multipliers.segment(place.row, place.rows);
    const FirstOrderRelationEvaluator relation = FirstOrderRelationEvaluator::of(record);
    const Rows rows = relation.linear ? linear_rows(relation, state.t, place.rows, x.size())
                                      : nonlinear_rows(relation, state.t, x, lambda);
    if (!relation.has_constant_matrices()) {
      result.constant = result.relations_constant = false;
      result.driven = result.driven || relation.linear;
    }
    if (relation.linear && relation.linear->e.function()) result.outputs_driven = result.driven = true;
    const auto own = Eigen::seqN(row, place.rows);
    result.C(own, columns) += rows.C;
    result.D(own, own) = rows.D;
    result.B(columns, own) += rows.B;
    result.A(columns, columns) += rows.g_x;
    result.a(columns) += rows.g0;
    result.B_error(columns, own) += rows.B_error;
    result.C_error(own, columns) += rows.C_error;
    result.D_error(own, own) = rows.D_error;
    result.b(own) = rows.e + offsets_of(*record.law, place.rows);
    result.by_differences = result.by_differences || rows.by_differences;
    result.lambda(own) = lambda;
    row += place.rows;
  }
  return result;
}

}  // namespace nonsmooth::analysis::detail
