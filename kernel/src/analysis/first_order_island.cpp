// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include <internal/decompositions.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "../differences.hpp"
#include "../iteration_matrix.hpp"
#include "../law_blocks.hpp"
#include "partition.hpp"

namespace nonsmooth::analysis {

std::string_view to_string(LawClass laws) noexcept {
  switch (laws) {
    case LawClass::Complementarity:
      return "complementarity";
    case LawClass::Intervals:
      return "intervals";
    case LawClass::Monotone:
      return "monotone";
    case LawClass::Other:
      break;
  }
  return "other";
}

namespace detail {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

LawClass class_of(const LawBlock& law) {
  if (law.custom) return LawClass::Other;
  if (law.auxiliary > 0 || law.shockley || law.coupling.size() > 0) return LawClass::Monotone;
  LawClass result = law.offset.size() > 0 ? LawClass::Intervals : LawClass::Complementarity;
  for (const LawBlock::Part& part : law.parts) {
    if (part.set.kind == SetKind::Box || part.set.kind == SetKind::Free) {
      result = std::max(result, LawClass::Intervals);
    } else if (part.set.kind != SetKind::Orthant) {
      result = LawClass::Other;
    }
  }
  return result;
}

bool is_bounded(const LawBlock& law) {
  if (law.custom || law.shockley || law.auxiliary > 0) return false;
  return std::all_of(law.parts.begin(), law.parts.end(), [](const LawBlock::Part& part) {
    return part.set.kind == SetKind::Box && std::isfinite(part.set.lower) && std::isfinite(part.set.upper);
  });
}

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

/// The island's right-hand side and outputs about the state, and how they came about.
struct Linearised {
  Matrix M, A, B, C, D;
  Vector a, b;  ///< f - A x - g_x x..., y - C x - D lambda at the state
  Vector x, lambda;
  bool constant = true, driven = false;
  bool relations_constant = true;  ///< B, C and D are: what theorems about D and C B need
  bool outputs_driven = false;     ///< e is a function of time
};

void add_system(const NonSmoothDynamicalSystem::System& record, double t, Index at, Linearised& model) {
  const Index n = record.n;
  const Vector x = model.x.segment(at, n);
  if (const auto* linear = std::get_if<std::shared_ptr<const FirstOrderLinearSystem>>(&record.description)) {
    model.M.block(at, at, n, n) = (*linear)->mass.to_dense(n, true);
    model.A.block(at, at, n, n) = value_of((*linear)->A, t, n, n);
    model.a.segment(at, n) = value_of((*linear)->b, t, n);
    model.constant = model.constant && (*linear)->A.function() == nullptr;
    model.driven = model.driven || (*linear)->A.function() || (*linear)->b.function() || (*linear)->feedback;
    return;
  }
  const FirstOrderSystem& system = *std::get<std::shared_ptr<const FirstOrderSystem>>(record.description);
  model.M.block(at, at, n, n) = system.mass.to_dense(n, true);
  model.constant = false;
  model.driven = model.driven || system.feedback;
  if (!system.f) return;
  Vector f = Vector::Zero(n);
  Matrix J = Matrix::Zero(n, n);
  system.f(t, x, f);
  if (system.f_dx) {
    system.f_dx(t, x, J);
  } else {
    differences::jacobian(x, J, [&](ConstVectorRef moved, VectorRef value) { system.f(t, moved, value); });
  }
  model.A.block(at, at, n, n) = J;
  model.a.segment(at, n) = f - J * x;
}

/// One interaction's C, D, B and e on the stacked states of its systems.
struct Rows {
  Matrix C, D, B, g_x;
  Vector e, g0;  ///< g0 = g - g_x x - B lambda
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
  return {.C = shaped(relation.C, m, n),
          .D = shaped(relation.D, m, m),
          .B = shaped(relation.B, n, m),
          .g_x = Matrix::Zero(n, n),
          .e = value_of(relation.e, t, m),
          .g0 = Vector::Zero(n)};
}

Rows nonlinear_rows(const FirstOrderRelation& relation, double t, const Vector& x, const Vector& lambda) {
  const Index m = relation.rows, n = x.size();
  Rows rows{.C = Matrix::Zero(m, n),
            .D = Matrix::Zero(m, m),
            .B = Matrix::Zero(n, m),
            .g_x = Matrix::Zero(n, n),
            .e = Vector::Zero(m),
            .g0 = Vector::Zero(n)};
  const auto derivative = [&](const FirstOrderRelation::Jacobian& given, const FirstOrderRelation::Function& function,
                              bool by_lambda, Matrix& J) {
    if (given) {
      given(t, x, lambda, J);
    } else if (by_lambda) {
      differences::jacobian(lambda, J, [&](ConstVectorRef moved, VectorRef v) { function(t, x, moved, v); });
    } else {
      differences::jacobian(x, J, [&](ConstVectorRef moved, VectorRef v) { function(t, moved, lambda, v); });
    }
  };
  derivative(relation.h_dx, relation.h, false, rows.C);
  derivative(relation.h_dlambda, relation.h, true, rows.D);
  derivative(relation.g_dx, relation.g, false, rows.g_x);
  derivative(relation.g_dlambda, relation.g, true, rows.B);
  relation.h(t, x, lambda, rows.e);
  rows.e -= rows.C * x + rows.D * lambda;
  relation.g(t, x, lambda, rows.g0);
  rows.g0 -= rows.g_x * x + rows.B * lambda;
  return rows;
}

/// Which entries of the island's x an interaction's stacked states are.
std::vector<Index> columns_of(const NonSmoothDynamicalSystem::Interaction& record, const Layout& layout,
                              const std::vector<Index>& first_state) {
  std::vector<Index> columns;
  for (const std::uint32_t slot : record.systems) {
    const Index system = layout.system_of_slot[slot];
    const Index n = layout.systems[static_cast<std::size_t>(system)].n;
    for (Index j = 0; j < n; ++j) columns.push_back(first_state[static_cast<std::size_t>(system)] + j);
  }
  return columns;
}

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
    if (const auto* linear = std::get_if<std::shared_ptr<const FirstOrderLinearRelation>>(&record.relation)) {
      rows = linear_rows(**linear, state.t, place.rows, x.size(), result);
    } else {
      rows = nonlinear_rows(*std::get<std::shared_ptr<const FirstOrderRelation>>(record.relation), state.t, x, lambda);
      result.constant = result.relations_constant = false;
    }
    const auto own = Eigen::seqN(row, place.rows);
    result.C(own, columns) += rows.C;
    result.D(own, own) = rows.D;
    result.B(columns, own) += rows.B;
    result.A(columns, columns) += rows.g_x;
    result.a(columns) += rows.g0;
    result.b(own) = rows.e;
    result.lambda(own) = lambda;
    row += place.rows;
  }
  return result;
}

/// Lie derivatives at the state. The linearisation knows D and C B; C A B lacks what C and f's own turning add:
/// d(C(x) M^-1 f(x))/dx M^-1 B, by central differences. A change below 1e-6 of its terms counts as none: higher degrees
/// stay not known.
void degrees_along_the_state(const NonSmoothDynamicalSystem& model, const State& state, const Island& island,
                             const Linearised& here, RelativeDegree& degree) {
  const Index n = here.A.rows(), m = here.D.rows();
  const LuFactors mass(here.M);
  const Matrix directions = mass.solve(here.B);
  const auto rate = [&](const Vector& x) {
    State moved = state;
    Index at = 0;
    for (const Index s : island.systems) {
      const Layout::System& place = state.layout()->systems[static_cast<std::size_t>(s)];
      moved.unknowns.segment(place.z, place.n) = x.segment(at, place.n);
      at += place.n;
    }
    const Linearised there = linearise(model, moved, island);
    return Vector(there.C * LuFactors(there.M).solve(Vector(there.A * x + there.a)));
  };
  const double step = std::cbrt(std::numeric_limits<double>::epsilon()) * std::max(1.0, here.x.cwiseAbs().maxCoeff());
  Matrix second = Matrix::Zero(m, m);
  Vector size = Vector::Zero(m);
  for (Index j = 0; j < m; ++j) {
    const double length = directions.col(j).cwiseAbs().maxCoeff();
    if (!(length > 0.0)) continue;
    const Vector w = step / length * directions.col(j);
    const Vector after = rate(here.x + w), before = rate(here.x - w);
    second.col(j) = length / (2.0 * step) * (after - before);
    size = size.cwiseMax(length / step * (after.cwiseAbs() + before.cwiseAbs()));
  }
  const Vector smooth = (here.C.cwiseAbs() * here.A.cwiseAbs()).rowwise().sum() * directions.cwiseAbs().maxCoeff();
  degree.kind = DegreeKind::NotKnown;
  degree.first = -1;
  degree.decoupling.resize(0, 0);
  degree.regular = {};
  degree.of_output.assign(static_cast<std::size_t>(m), -1);
  for (Index i = 0; i < m; ++i) {
    Index& own = degree.of_output[static_cast<std::size_t>(i)];
    const Vector CB = (here.C.row(i) * directions).cwiseAbs(), terms = here.C.row(i).cwiseAbs() * directions.cwiseAbs();
    if (here.D.row(i).cwiseAbs().maxCoeff() > 1e-7 * (1.0 + here.D.cwiseAbs().maxCoeff())) {
      own = 0;
    } else if (((CB - 1e-7 * terms).array() > 0.0).any()) {
      own = 1;
    } else if (n > 0 && second.row(i).cwiseAbs().maxCoeff() > 1e-6 * (smooth[i] + 1e-4 * size[i])) {
      own = 2;
    }
    if (own >= 0 && (degree.first < 0 || own < degree.first)) degree.first = own;
  }
}

/// What the island leaves of a theorem about 0 <= y ⟂ lambda >= 0 and constant matrices. P-matrices D serve all
/// intervals; what is passive after a shift of A serves maximal monotone laws, and any A that is Lipschitz-continuous.
WellPosedness for_island(WellPosedness orthant, const FirstOrderIsland& island, const Linearised& here) {
  const bool bounded = std::all_of(island.bounded.begin(), island.bounded.end(), [](bool row) { return row; });
  const bool p = orthant.source == "cottle1992";
  const bool passive = orthant.source == "camlibel2002" || orthant.source == "camlibel2014";
  WellPosedness none;
  if (!here.relations_constant) {
    none.why_not = "relations that are nonlinear or depend on time";
    return none;
  }
  if (p && island.laws <= LawClass::Intervals) return orthant;
  if (passive && island.laws != LawClass::Other) {
    if (bounded) {
      orthant.existence = Verdict::Holds;
    } else if (here.outputs_driven && orthant.unique_multiplier != Verdict::Holds) {
      orthant.existence = Verdict::NotKnown;
      orthant.why_not = "a drift of y may leave no admissible state";
    }
    return orthant;
  }
  if (island.laws == LawClass::Complementarity && island.constant && !island.driven) return orthant;
  if (bounded && here.D.isZero(0.0)) {
    none.existence = Verdict::Holds;
    none.theorem = "bounded intervals, D = 0: a differential inclusion with convex values";
    none.source = "filippov1988";
    none.solutions = "x absolutely continuous; several may start from one state";
    none.why_not = "uniqueness: no storage function for a shifted A was verified";
    return none;
  }
  none.why_not = island.laws == LawClass::Other ? "laws that are no monotone maps"
                 : orthant.why_not.empty()      ? "the theorem is of complementarity with constant matrices"
                                                : orthant.why_not;
  return none;
}

Eigen::VectorXcd held_rates(const FirstOrderIsland& island, const Matrix& A, const Matrix& B) {
  const Matrix& D = island.system.D;
  if (D.size() > 0 && !D.isZero(0.0)) {
    if (iteration_matrix::is_singular(D)) return {};
    return rates_of(A - B * LuFactors(D).solve(island.system.C));
  }
  return island.zero_dynamics.exists == Verdict::Holds ? rates_of(island.zero_dynamics.A_xi) : Eigen::VectorXcd();
}

bool has_sweeping_process(const NonSmoothDynamicalSystem& model, const State& state, const Island& island) {
  return std::any_of(island.systems.begin(), island.systems.end(), [&](Index s) {
    return std::holds_alternative<std::shared_ptr<const SweepingProcess>>(system_at(model, state, s).description);
  });
}

}  // namespace

Eigen::VectorXcd rates_of(const Matrix& A) {
  if (A.rows() == 0) return {};
  const GeneralEigen eigen = general_eigen(A);
  return eigen.converged ? eigen.values : Eigen::VectorXcd();
}

FirstOrderIsland examine_first_order(const NonSmoothDynamicalSystem& model, const State& state, const Island& island,
                                     const ExaminationOptions& options) {
  const Layout& layout = *state.layout();
  FirstOrderIsland result;
  Index n = 0, m = 0;
  for (const Index s : island.systems) {
    result.systems.push_back(layout.systems[static_cast<std::size_t>(s)].name);
    n += layout.systems[static_cast<std::size_t>(s)].n;
  }
  for (const Index i : island.interactions) {
    const auto& record = interaction_at(model, state, i);
    result.interactions.push_back(record.name);
    result.laws = std::max(result.laws, class_of(record.law));
    for (Index r = 0; r < record.rows; ++r) {
      result.rows.push_back("row " + std::to_string(r) + " of " + record.name);
      result.bounded.push_back(is_bounded(record.law));
    }
    m += record.rows;
  }
  if (has_sweeping_process(model, state, island)) {
    result.why_not = "a sweeping process: one solution where its convex set moves Lipschitz-continuously";
    return result;
  }
  if (n > options.most_states || m > options.most_states) {
    result.why_not = std::to_string(n) + " states and " + std::to_string(m) + " rows, more than most_states";
    return result;
  }
  const Linearised here = linearise(model, state, island);
  result.constant = here.constant;
  result.driven = here.driven;
  if (iteration_matrix::is_singular(here.M)) {
    result.why_not = "a singular mass";
    return result;
  }
  const LuFactors mass(here.M);
  const Matrix A = mass.solve(here.A), B = mass.solve(here.B);
  result.free_rates = rates_of(A);
  if (m == 0) {
    result.why_not = "no interaction: an ordinary differential equation";
    return result;
  }
  result.system = {.A = here.A, .B = here.B, .C = here.C, .D = here.D, .M = here.M, .a = here.a, .b = here.b};
  if (!here.A.allFinite() || !here.B.allFinite() || !here.C.allFinite() || !here.D.allFinite()) {
    result.why_not = "matrices that are not finite";
    return result;
  }
  const MatrixOptions exact{.max_exact = options.most_exact};
  result.markov = markov_parameters(result.system);
  result.degree = relative_degree(result.system);
  result.D = classify(here.D, exact);
  result.CB = classify(result.markov.H.size() > 1 ? result.markov.H[1] : Matrix(here.C * B), exact);
  result.zero_dynamics = zero_dynamics(result.system);
  result.passivity = passivity(result.system);
  result.controllable = controllability(result.system);
  result.observable = observability(result.system);
  result.index = complementarity_index(result.system);
  result.solutions = for_island(examine_solutions(result.system), result, here);
  result.held_rates = held_rates(result, A, B);
  if (!here.constant) degrees_along_the_state(model, state, island, here, result.degree);
  return result;
}

}  // namespace detail
}  // namespace nonsmooth::analysis
