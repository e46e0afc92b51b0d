// SPDX-License-Identifier: Apache-2.0
#include "linearised.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/prepared_law.hpp"

namespace nonsmooth::analysis::detail {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

Matrix value_of(const MatrixData& data, double t, Index rows, Index columns, bool identity_if_empty = false) {
  Matrix value = Matrix::Zero(rows, columns);
  if (const auto* function = data.function()) {
    (*function)(t, value);
  } else if (!data.empty()) {
    value = data.to_dense(rows);
  } else if (identity_if_empty) {
    value.setIdentity();
  }
  return value;
}

Vector value_of(const VectorData& data, double t, Index size) {
  Vector value = Vector::Zero(size);
  if (const auto* function = data.function()) {
    (*function)(t, value);
  } else if (data.constant() != nullptr) {
    value = *data.constant();
  }
  return value;
}

/// d value(x) / dx by central differences of steps cbrt(eps) and twice that, and what they leave open: their difference
/// and the round-off of the values.
template <class Value>
void central_differences(const Vector& x, Matrix& J, Matrix& error, Value&& value) {
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
  const Vector x = model.x.segment(at, n);
  if (const auto* linear = record.linear_first_order()) {
    model.M.block(at, at, n, n) = linear->mass.to_dense(n, true);
    model.A.block(at, at, n, n) = value_of(linear->A, t, n, n);
    model.a.segment(at, n) = value_of(linear->b, t, n);
    model.constant = model.constant && linear->A.function() == nullptr;
    model.driven = model.driven || linear->A.function() || linear->b.function() || linear->feedback;
    return;
  }
  const FirstOrderDynamicalSystem& system = *record.first_order;
  model.M.block(at, at, n, n) = system.mass().to_dense(n, true);
  model.constant = model.linear_systems = false;
  model.driven = model.driven || system.feedback();
  Vector f = Vector::Zero(n);
  Matrix J = Matrix::Zero(n, n);
  system.f(t, x, f);
  if (!system.f_dx(t, x, J)) {
    Matrix error(n, n);
    central_differences(x, J, error, [&](ConstVectorRef moved, VectorRef value) { system.f(t, moved, value); });
    model.by_differences = true;
  }
  model.A.block(at, at, n, n) = J;
  model.a.segment(at, n) = f - J * x;
}

/// One interaction's C, D, B and e on the stacked states of its systems.
struct Rows {
  Matrix C, D, B, g_x;
  Matrix C_error, D_error, B_error;
  Vector e, g0;  ///< g0 = g - g_x x - B lambda
  bool by_differences = false;

  Rows() = default;
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

Rows linear_rows(const FirstOrderLinearRelation& relation, double t, Index m, Index n, Linearised& model) {
  const auto shaped = [&](const MatrixData& data, Index rows, Index columns) {
    Matrix value = Matrix::Zero(rows, columns);
    if (const auto* function = data.function()) {
      (*function)(t, value);
      model.constant = model.relations_constant = false;
      model.driven = true;
    } else if (const auto* dense = data.dense()) {
      value = *dense;
    } else if (const auto* sparse = data.sparse()) {
      value = Matrix(*sparse);
    } else if (const auto* diagonal = data.diagonal()) {
      value.diagonal() = *diagonal;
    }
    return value;
  };
  model.outputs_driven = model.outputs_driven || relation.e.function();
  model.driven = model.driven || model.outputs_driven;
  Rows rows(m, n);
  rows.C = shaped(relation.C, m, n);
  rows.D = shaped(relation.D, m, m);
  rows.B = shaped(relation.B, n, m);
  rows.e = value_of(relation.e, t, m);
  return rows;
}

Rows nonlinear_rows(const FirstOrderInputOutputRelation& relation, double t, const Vector& x, const Vector& lambda) {
  const Index m = relation.rows(), n = x.size();
  Rows rows(m, n);
  Matrix unused = Matrix::Zero(n, n);
  using Of = FirstOrderInputOutputRelation;
  using Function = void (Of::*)(double, ConstVectorRef, ConstVectorRef, VectorRef) const;
  using Jacobian = bool (Of::*)(double, ConstVectorRef, ConstVectorRef, MatrixRef) const;
  const auto derivative = [&](Jacobian given, Function function, bool by_lambda, Matrix& J, Matrix& error) {
    if ((relation.*given)(t, x, lambda, J)) return;
    rows.by_differences = true;
    if (by_lambda) {
      central_differences(lambda, J, error,
                          [&](ConstVectorRef moved, VectorRef v) { (relation.*function)(t, x, moved, v); });
    } else {
      central_differences(x, J, error,
                          [&](ConstVectorRef moved, VectorRef v) { (relation.*function)(t, moved, lambda, v); });
    }
  };
  derivative(&Of::h_dx, &Of::h, false, rows.C, rows.C_error);
  derivative(&Of::h_dlambda, &Of::h, true, rows.D, rows.D_error);
  derivative(&Of::g_dx, &Of::g, false, rows.g_x, unused);
  derivative(&Of::g_dlambda, &Of::g, true, rows.B, rows.B_error);
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
  for (const std::uint32_t slot : record.systems) {
    const Index system = layout.system_of_slot[slot];
    const Index n = layout.systems[static_cast<std::size_t>(system)].n;
    for (Index j = 0; j < n; ++j) columns.push_back(first_state[static_cast<std::size_t>(system)] + j);
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
    Rows rows;
    if (const auto* linear = record.first_order->linear()) {
      rows = linear_rows(*linear, state.t, place.rows, x.size(), result);
    } else {
      rows = nonlinear_rows(*record.first_order, state.t, x, lambda);
      result.constant = result.relations_constant = false;
    }
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
