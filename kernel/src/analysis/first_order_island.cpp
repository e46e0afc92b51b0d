// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include <internal/decompositions.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "dynamics/first_order/descriptor_form.hpp"
#include "dynamics/mechanics/iteration_matrix.hpp"
#include "linearised.hpp"
#include "model/inclusions/process_with_law.hpp"
#include "model/prepared_law.hpp"

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

LawClass class_of(const PreparedLaw& law) {
  if (law.shifts || law.memory > 0 || law.varies == LawVaries::Slip || law.varies == LawVaries::Step ||
      !law.has_monotone_coupling())
    return LawClass::Other;
  if (law.auxiliary > 0 || law.coupling.size() > 0) return LawClass::Monotone;
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

bool is_bounded(const PreparedLaw& law) {
  if (!law.is_its_block() || law.auxiliary > 0) return false;
  return std::all_of(law.parts.begin(), law.parts.end(), [](const LawBlock::Part& part) {
    return part.set.kind == SetKind::Box && std::isfinite(part.set.lower) && std::isfinite(part.set.upper);
  });
}

/// Zero, not zero, or not known, of values with an error: the largest decides.
Verdict vanishes(const Vector& value, const Vector& error) {
  if ((value.cwiseAbs() - 4.0 * error).maxCoeff() > 0.0) return Verdict::Fails;
  return (value.cwiseAbs() - error).maxCoeff() <= 0.0 ? Verdict::Holds : Verdict::NotKnown;
}

/// d(C(x) M^-1 f(x))/dx w for the columns w, by central differences of two steps, and their error: the Lie derivatives
/// L_g L_f h. The linearisation's C A B lacks what C and f's own turning add.
void second_lie_derivatives(const NonSmoothDynamicalSystem& model, const State& state, const Island& island,
                            const Linearised& here, const Matrix& directions, Matrix& value, Matrix& error) {
  constexpr double kEps = std::numeric_limits<double>::epsilon();
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
  // C itself may come from differences of the step cbrt(eps): its error of 1e-10 asks for a longer one here.
  const double step = std::pow(kEps, 0.2) * std::max(1.0, here.x.cwiseAbs().maxCoeff());
  for (Index j = 0; j < directions.cols(); ++j) {
    const double length = directions.col(j).cwiseAbs().maxCoeff();
    value.col(j).setZero();
    error.col(j).setZero();
    if (!(length > 0.0)) continue;
    const Vector w = directions.col(j) / length;
    const auto slope = [&](double width, Vector& size) {
      const Vector after = rate(here.x + width * w), before = rate(here.x - width * w);
      size = after.cwiseAbs() + before.cwiseAbs();
      return Vector(length / (2.0 * width) * (after - before));
    };
    Vector size;
    const Vector far = slope(2.0 * step, size);
    value.col(j) = slope(step, size);
    error.col(j) = (value.col(j) - far).cwiseAbs() + length * (here.by_differences ? 1e-9 : 4.0 * kEps) / step * size;
  }
}

/// Degrees of a nonlinear island at the state, up to 2: D, C B and L_g L_f h row by row, each with its error.
void degrees_along_the_state(const NonSmoothDynamicalSystem& model, const State& state, const Island& island,
                             const Linearised& here, RelativeDegree& degree) {
  constexpr double kEps = std::numeric_limits<double>::epsilon();
  const Index m = here.D.rows();
  const LuFactors mass(here.M);
  const Matrix directions = mass.solve(here.B), directions_error = mass.solve(here.B_error).cwiseAbs();
  const Matrix CB = here.C * directions;
  const Matrix CB_error = here.C_error * directions.cwiseAbs() + here.C.cwiseAbs() * directions_error +
                          16.0 * kEps * here.C.cwiseAbs() * directions.cwiseAbs();
  Matrix second(m, m), second_error(m, m);
  second_lie_derivatives(model, state, island, here, directions, second, second_error);
  degree = {};
  degree.of_output.assign(static_cast<std::size_t>(m), -1);
  for (Index i = 0; i < m; ++i) {
    const Verdict zero[3] = {vanishes(here.D.row(i), here.D_error.row(i)), vanishes(CB.row(i), CB_error.row(i)),
                             vanishes(second.row(i), second_error.row(i))};
    Index r = 0;
    while (r < 3 && zero[r] == Verdict::Holds) ++r;
    if (r == 3 || zero[r] != Verdict::Fails) continue;
    degree.of_output[static_cast<std::size_t>(i)] = r;
    if (degree.first < 0 || r < degree.first) degree.first = r;
  }
}

/// What the island leaves of a theorem about 0 <= y ⟂ lambda >= 0 and constant matrices. P-matrices D serve all
/// intervals; what is passive after a shift of A serves maximal monotone laws, and any A that is Lipschitz-continuous.
WellPosedness for_island(WellPosedness orthant, const FirstOrderIsland& island, const Linearised& here) {
  const bool bounded = std::all_of(island.bounded.begin(), island.bounded.end(), [](bool row) { return row; });
  const bool p = orthant.theorem == Theorem::FeedthroughIsP;
  const bool passive =
      orthant.theorem == Theorem::PassiveFullRank || orthant.theorem == Theorem::PassiveMaximalMonotone;
  WellPosedness none;
  if (!here.relations_constant) {
    none.why_not = "relations that are nonlinear or depend on time";
    return none;
  }
  if ((p || passive) && !here.linear_systems) orthant.solutions = "local in time, while f is Lipschitz-continuous";
  if (p && island.laws <= LawClass::Intervals) return orthant;
  if (passive && island.laws != LawClass::Other) {
    const bool may_drift = here.outputs_driven && orthant.unique_multiplier != Verdict::Holds;
    if (bounded) {
      orthant.existence = Verdict::Holds;
    } else if (may_drift || island.laws == LawClass::Monotone) {
      orthant.existence = Verdict::NotKnown;
      orthant.why_not = may_drift ? "a drift of y may leave no admissible state" : "the domain of the law";
    }
    return orthant;
  }
  if (island.laws == LawClass::Complementarity && island.constant && !island.driven) return orthant;
  if (bounded && here.D.isZero(0.0)) {
    none.existence = Verdict::Holds;
    none.theorem = Theorem::BoundedIntervals;
    none.solutions = here.linear_systems ? "x absolutely continuous; several may start from one state"
                                         : "local in time, while f is continuous; several may start from one state";
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

/// A singular mass of index 1: algebraic unknowns reduced away (DescriptorForm), M = I; or why not.
std::string reduce_descriptor(Linearised& here) {
  if (!iteration_matrix::is_singular(here.M)) return {};
  if (!here.linear_systems || here.by_differences) return "a singular mass in a nonlinear system";
  const Index index = pencil_index(here.M, here.A).index;
  if (index == PencilIndex::kSingular) return "a singular pencil s M - A";
  if (index == PencilIndex::kUnknown) return "a singular mass whose pencil has an index lost in round-off";
  if (index != 1) return "a singular mass whose pencil has index " + std::to_string(index);
  const DescriptorForm form = DescriptorForm::of(here.M, here.A);
  std::vector<Index> moving;  // the coordinates that N keeps
  for (Index i = 0; i < form.N.rows(); ++i) {
    if (!form.N.row(i).isZero(0.0)) moving.push_back(i);
  }
  const Matrix A = form.W * here.A, B = form.W * here.B, C = here.C * form.X;
  here.D -= here.C * form.Z * here.B;
  here.b -= here.C * form.Z * here.a;
  here.a = Vector(form.W * here.a)(moving).eval();
  here.A = A(moving, moving);
  here.B = B(moving, Eigen::all);
  here.C = C(Eigen::all, moving);
  const auto n = static_cast<Index>(moving.size());
  here.M = Matrix::Identity(n, n);
  here.B_error = Matrix::Zero(n, here.B.cols());
  here.C_error = Matrix::Zero(here.C.rows(), n);
  return {};
}

/// What is known of a system that has its law within it; empty where there is none.
std::string remark_of_process(const NonSmoothDynamicalSystem& model, const State& state, const Island& island) {
  for (const Index s : island.systems)
    if (const ProcessWithLaw* process = system_at(model, state, s).with_law) return process->remark();
  return {};
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
    result.laws = std::max(result.laws, class_of(*record.law));
    for (Index r = 0; r < record.rows; ++r) {
      result.rows.push_back("row " + std::to_string(r) + " of " + record.name);
      result.bounded.push_back(is_bounded(*record.law));
    }
    m += record.rows;
  }
  result.why_not = remark_of_process(model, state, island);
  if (!result.why_not.empty()) return result;
  if (n > options.most_states || m > options.most_states) {
    result.why_not = std::to_string(n) + " states and " + std::to_string(m) + " rows, more than most_states";
    return result;
  }
  Linearised here = linearise(model, state, island);
  result.constant = here.constant;
  result.driven = here.driven;
  for (const auto* part : {&here.M, &here.A, &here.B, &here.C, &here.D}) {
    if (!part->allFinite()) result.why_not = "numbers that are not finite";
  }
  if (!here.a.allFinite() || !here.b.allFinite()) result.why_not = "numbers that are not finite";
  if (result.why_not.empty()) result.why_not = reduce_descriptor(here);
  if (!result.why_not.empty()) return result;
  result.system = {.A = here.A, .B = here.B, .C = here.C, .D = here.D, .M = here.M, .a = here.a, .b = here.b};
  const LuFactors mass(here.M);
  const Matrix A = mass.solve(here.A), B = mass.solve(here.B);
  result.free_rates = rates_of(A);
  if (m == 0) {
    result.why_not = "no interaction: an ordinary differential equation";
    return result;
  }
  result.system.validate();
  result.markov = markov_parameters(result.system);
  result.degree = relative_degree(result.system);
  result.D = classify(here.D, {.max_exact = options.most_exact, .entry_error = here.D_error});
  const Matrix CB_error = result.markov.round_off[1] + here.C_error * B.cwiseAbs() +
                          here.C.cwiseAbs() * mass.solve(here.B_error).cwiseAbs();
  result.CB = classify(result.markov.H[1], {.max_exact = options.most_exact, .entry_error = CB_error});
  result.passivity = passivity(result.system);
  result.controllable = controllability(result.system);
  result.observable = observability(result.system);
  result.solutions = for_island(examine_solutions(result.system), result, here);
  if (here.by_differences) {
    result.index.reason = "Jacobians by differences";
  } else {
    result.zero_dynamics = zero_dynamics(result.system);
    result.index = complementarity_index(result.system);
  }
  result.held_rates = held_rates(result, A, B);
  if (!here.constant) degrees_along_the_state(model, state, island, here, result.degree);
  return result;
}

}  // namespace detail
}  // namespace nonsmooth::analysis
