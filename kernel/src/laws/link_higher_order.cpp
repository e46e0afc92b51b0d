// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/higher_order.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>
#include <utility>

#include <internal/check.hpp>
#include <internal/decompositions.hpp>
#include <nonsmooth/numerics/analysis/linear_system.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "model/equations/differences.hpp"
#include "model/equations/first_order.hpp"
#include "model/linked_systems.hpp"
#include "model/prepared_law.hpp"
#include "nested_cones.hpp"

namespace nonsmooth {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
using analysis::DegreeKind;
using analysis::Verdict;

constexpr const char* kWho = "link_higher_order: ";

[[noreturn]] void refuse(const std::string& argument, const std::string& found, const std::string& expected) {
  throw InvalidArgument(kWho + argument, found, expected);
}

std::string text(const Matrix& matrix) {
  std::ostringstream stream;
  stream << matrix.format(Eigen::IOFormat(6, Eigen::DontAlignCols, ", ", "; ", "", "", "[", "]"));
  return stream.str();
}

void require_complementarity(const NonSmoothDynamicalSystem::InteractionRecord& record) {
  const PreparedLaw& law = *record.law;
  const bool plain = law.is_its_block() && law.size == 1 && law.auxiliary == 0 && law.coupling.size() == 0 &&
                     law.offset.size() == 0 && law.parts.size() == 1 && law.parts[0].set.kind == SetKind::Orthant;
  if (!plain) refuse(record.name, law.law->name(), "ComplementarityLaw without shifts, 0 <= w ⟂ lambda >= 0");
}

/// M x' = A x + B lambda + a, w = C x + D lambda + b of an interaction and its systems.
analysis::LinearComplementaritySystem system_of(const NonSmoothDynamicalSystem& model,
                                                const NonSmoothDynamicalSystem::InteractionRecord& record) {
  if (!record.first_order)
    refuse(record.name, "a relation of mechanics", "one of first-order systems; contacts of mechanics have MoreauJean");
  const auto relation = FirstOrderRelationEvaluator::of(record);
  if (!relation.linear || !relation.has_constant_matrices() || relation.linear->e.function())
    refuse(record.name, "a relation that is nonlinear or depends on time", "constant C, D, B and e");
  Index n = 0;
  for (const std::uint32_t slot : record.systems) n += model.systems()[slot].n;
  const Index m = record.rows;
  analysis::LinearComplementaritySystem result{.A = Matrix::Zero(n, n),
                                               .B = relation.linear->B.to_dense(n),
                                               .C = relation.linear->C.to_dense(n),
                                               .D = relation.linear->D.to_dense(m),
                                               .M = Matrix::Identity(n, n),
                                               .a = Vector::Zero(n),
                                               .b = Vector::Zero(m)};
  if (const Vector* e = relation.linear->e.constant()) result.b = *e;
  Index at = 0;
  for (const std::uint32_t slot : record.systems) {
    const auto& system = model.systems()[slot];
    const FirstOrderLinearSystem* linear = system.linear_first_order();
    if (!linear || linear->A.function() || linear->b.function())
      refuse(system.name, "a system that is nonlinear or depends on time",
             "a FirstOrderLinearSystem with constant A, b");
    if (system.description->feedback())
      refuse(system.name, "a feedback, which is sampled at the start of a step",
             "none: one that is linear is part of A");
    result.A.block(at, at, system.n, system.n) = linear->A.to_dense(system.n);
    result.M.block(at, at, system.n, system.n) = linear->mass.to_dense(system.n, true);
    if (const Vector* b = linear->b.constant()) result.a.segment(at, system.n) = *b;
    at += system.n;
  }
  result.validate();
  return result;
}

/// r, where every output has it. @throws InvalidArgument with what was found
Index uniform_degree(const std::string& name, const analysis::LinearComplementaritySystem& system,
                     const analysis::MarkovParameters& markov) {
  const auto m = system.B.cols();
  bool zero = true;
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j < m; ++j) zero = zero && markov.is_zero(0, i, j) == Verdict::Holds;
  if (!zero) {
    const bool definite = analysis::classify(system.D).positive_definite.holds();
    refuse(name,
           (definite ? "D = " + text(system.D) + ", which is positive definite: relative degree 0"
                     : "D = " + text(system.D) + ", which is neither zero nor definite: no relative degree"),
           definite ? "D = 0; lambda is a function of x, and EulerMoreau integrates it"
                    : "D = 0: outputs with direct feedthrough in another interaction");
  }
  const analysis::RelativeDegree degree = analysis::relative_degree(system);
  if (degree.kind == DegreeKind::Uniform) return degree.uniform();
  std::string numbers;
  for (const Index r : degree.of_output)
    numbers += (numbers.empty() ? "" : ", ") + (r < 0                 ? std::string("not known")
                                                : r > system.A.rows() ? std::string("none")
                                                                      : std::to_string(r));
  const std::string found = "relative degrees (" + numbers + ") of its outputs";
  switch (degree.kind) {
    case DegreeKind::Vector:
      refuse(name, found + ", which are not the same",
             "one r for all outputs; those of another apart, where the multipliers of neither enter below level r of "
             "the other");
    case DegreeKind::NotRegular:
      refuse(name, found + " with a singular matrix of the leading rows, " + text(degree.decoupling),
             "a regular C A^{r-1} B");
    case DegreeKind::Infinite:
      refuse(name, found, "outputs that lambda reaches");
    case DegreeKind::NotKnown:
    case DegreeKind::Uniform:
      break;
  }
  refuse(name, found + ", hidden by round-off", "matrices whose products C A^k B are zero or not, in better units");
}

/// The form, and what a step needs beside it.
HigherOrderData form_of(const std::string& name, const analysis::LinearComplementaritySystem& system) {
  const analysis::MarkovParameters markov = analysis::markov_parameters(system);
  HigherOrderData data;
  HigherOrderForm& form = data.form;
  form.outputs = system.B.cols();
  form.degree = uniform_degree(name, system, markov);
  const auto r = static_cast<std::size_t>(form.degree);
  form.H = markov.H[r];
  const analysis::MatrixClasses classes = analysis::classify(form.H, {.entry_error = markov.round_off[r]});
  if (!classes.positive_definite.holds() && !classes.p.holds())
    refuse(name, "C A^{r-1} B = " + text(form.H) + " with r = " + std::to_string(form.degree) + ", no P-matrix",
           "a P-matrix (of one output: positive), by which multipliers open what they act on");
  analysis::ZeroDynamics zero = analysis::zero_dynamics(system);
  if (zero.exists != Verdict::Holds)
    refuse(name, "no zero-dynamics form: " + std::string(zero.reason), "matrices that are less ill-conditioned");
  form.W = std::move(zero.W);
  form.A_z = std::move(zero.A_z);
  return data;
}

/// z = C_z x + e_z, and B_z, M E_i of each level: the unit vectors of z, pulled back.
FirstOrderLinearRelation relation_of(const analysis::LinearComplementaritySystem& system, HigherOrderData& data) {
  const HigherOrderForm& form = data.form;
  const Index r = form.degree, rows = r * form.outputs, n = form.W.rows();
  const LuFactors mass(system.M), basis(form.W);
  const Vector own_drift = mass.solve(system.a);
  data.drift = form.W * own_drift;
  Matrix B = system.M * basis.solve(Matrix(Matrix::Identity(n, rows)));
  Vector e = Vector::Zero(rows);
  for (Index i = 0; i < form.outputs; ++i) {
    B.col(i * r + r - 1) = system.B.col(i);
    e[i * r] = system.b[i];
    for (Index level = 1; level < r; ++level) e[i * r + level] = data.drift[i * r + level - 1];
  }
  data.offset = Vector::Zero(n);
  data.offset.head(rows) = e;
  return {.C = form.W.topRows(rows), .B = B, .e = e};
}

/// Positive d with diag(d) H^-1 symmetric, where there are such; else empty. 1 where H is.
Vector symmetrising(const Matrix& inverse) {
  const Index m = inverse.rows();
  const double zero = 1e-13 * inverse.norm();
  Vector d = Vector::Zero(m);
  std::vector<Index> reached;
  for (Index start = 0; start < m; ++start) {
    if (d[start] > 0.0) continue;
    d[start] = 1.0;
    reached.assign(1, start);
    while (!reached.empty()) {
      const Index i = reached.back();
      reached.pop_back();
      for (Index j = 0; j < m; ++j) {
        if (d[j] > 0.0 || std::abs(inverse(j, i)) <= zero) continue;
        d[j] = d[i] * inverse(i, j) / inverse(j, i);
        if (!(d[j] > 0.0)) return {};
        reached.push_back(j);
      }
    }
  }
  const Matrix scaled = d.asDiagonal() * inverse;
  return (scaled - scaled.transpose()).norm() <= 1e-12 * scaled.norm() ? d : Vector();
}

/// |W A W^-1| and what drives z, in a metric S = diag(d) H^-1 of level r, in which z+ · H mu_r = sum of d_i z_i+ mu_i =
/// 0.
void bound(HigherOrderData& data) {
  HigherOrderForm& form = data.form;
  form.rate = form.forcing = std::numeric_limits<double>::quiet_NaN();
  const Matrix inverse_H = LuFactors(form.H).inverse();
  const Vector d = symmetrising(inverse_H);
  if (d.size() == 0) return;
  Matrix S = d.asDiagonal() * inverse_H;
  S = 0.5 * (S + S.transpose()).eval();
  const SymmetricEigen roots = symmetric_eigen(S);
  if (!roots.converged || !(roots.values.minCoeff() > 0.0)) return;
  const Index n = form.W.rows(), r = form.degree;
  Matrix scale = Matrix::Identity(n, n), inverse = scale;
  const Matrix root = roots.V * roots.values.cwiseSqrt().asDiagonal() * roots.V.transpose();
  const Matrix inverse_root = roots.V * roots.values.cwiseSqrt().cwiseInverse().asDiagonal() * roots.V.transpose();
  for (Index i = 0; i < form.outputs; ++i) {
    for (Index j = 0; j < form.outputs; ++j) {
      scale(i * r + r - 1, j * r + r - 1) = root(i, j);
      inverse(i * r + r - 1, j * r + r - 1) = inverse_root(i, j);
    }
  }
  const Matrix A = scale * form.A_z * inverse;
  const SymmetricEigen squares = symmetric_eigen(A.transpose() * A);
  if (!squares.converged) return;
  form.rate = std::sqrt(std::max(0.0, squares.values.maxCoeff()));
  form.forcing = (scale * (data.drift - form.A_z * data.offset)).norm();
  data.metric_offset = scale * data.offset;
  data.metric = scale * form.W;
}

/// dr/dlambda of an interaction of first-order systems, at t = 0 and the model's start. True: a constant matrix.
bool multiplier_input(const NonSmoothDynamicalSystem& model, const NonSmoothDynamicalSystem::InteractionRecord& record,
                      Index n, Matrix& input) {
  const auto relation = FirstOrderRelationEvaluator::of(record);
  if (relation.linear && !relation.linear->B.function()) {
    input = relation.linear->B.to_dense(n);
    return true;
  }
  const State start = model.initial_state();
  const Vector x = stacked_unknowns(linked_systems(*model.layout(), record.systems), start.unknowns);
  const Vector none = Vector::Zero(record.rows);
  input.resize(n, record.rows);
  relation.differentiate(kInputByMultipliers, 0.0, x, none, input,
                         [](ConstVectorRef at, Matrix& jacobian, const auto& function) {
                           differences::jacobian(at, jacobian, [&](ConstVectorRef point, VectorRef value) {
                             value.setZero();
                             function(point, value);
                           });
                         });
  return false;
}

/// M^-1 B of an interaction, in the rows of the systems that the process has too. True: of a constant B.
bool shared_input(const NonSmoothDynamicalSystem& model, const NonSmoothDynamicalSystem::InteractionRecord& process,
                  const NonSmoothDynamicalSystem::InteractionRecord& other, Matrix& pushed) {
  const auto size_of = [&model](std::uint32_t slot) { return model.systems()[slot].n; };
  Index n = 0, all = 0;
  for (const std::uint32_t slot : process.systems) n += size_of(slot);
  for (const std::uint32_t slot : other.systems) all += size_of(slot);
  Matrix input;
  const bool constant = multiplier_input(model, other, all, input);
  pushed = Matrix::Zero(n, other.rows);
  Index at = 0;
  for (const std::uint32_t slot : process.systems) {
    const auto& system = model.systems()[slot];
    Index from = 0;
    for (const std::uint32_t theirs : other.systems) {
      if (theirs == slot) {
        const Matrix mass = FirstOrderSystemEvaluator::of(system).mass().to_dense(system.n, true);
        pushed.middleRows(at, system.n) = LuFactors(mass).solve(Matrix(input.middleRows(from, system.n)));
      }
      from += size_of(theirs);
    }
    at += system.n;
  }
  return constant;
}

}  // namespace

void require_levels(const NonSmoothDynamicalSystem& model, const NonSmoothDynamicalSystem::InteractionRecord& process) {
  const HigherOrderForm& form = nested_cones(*process.law->law)->data().form;
  for (const auto& other : model.interactions()) {
    if (!other.alive || &other == &process || !other.first_order) continue;
    if (std::find_first_of(other.systems.begin(), other.systems.end(), process.systems.begin(),
                           process.systems.end()) == other.systems.end())
      continue;
    Matrix pushed;
    const double zero = shared_input(model, process, other, pushed) ? 1e-11 : 1e-7;
    const Matrix moved = form.W.size() > 0 ? Matrix(form.W * pushed) : pushed;
    for (Index row = 0; row < form.outputs * form.degree; ++row) {
      const Index level = row % form.degree;
      if (level + 1 == form.degree) continue;
      const double of_row = form.W.size() > 0 ? form.W.row(row).norm() : 1.0;
      for (Index j = 0; j < other.rows; ++j) {
        if (std::abs(moved(row, j)) <= zero * of_row * pushed.col(j).norm()) continue;
        std::ostringstream number;
        number << moved(row, j);
        throw InvalidArgument(
            "interactions of the systems of " + process.name,
            other.name + ", whose multipliers enter at level " + std::to_string(level + 1) + " of " +
                std::to_string(form.degree) + ": C A^" + std::to_string(level) + " B of it is " + number.str(),
            "0 below level " + std::to_string(form.degree) + ": the levels are w, w', ... no more otherwise");
      }
    }
  }
}

HigherOrderHandles link_higher_order(NonSmoothDynamicalSystem& model, InteractionHandle interaction,
                                     const HigherOrderOptions& options) {
  check::range("HigherOrderOptions::closed", options.closed, 0.0, 1e-3);
  (void)model.layout()->index(interaction);
  const NonSmoothDynamicalSystem::InteractionRecord record = model.interactions()[interaction.slot];
  require_complementarity(record);
  const analysis::LinearComplementaritySystem system = system_of(model, record);
  HigherOrderData data = form_of(record.name, system);
  data.options = options;
  const FirstOrderLinearRelation relation = relation_of(system, data);
  bound(data);
  HigherOrderHandles handles{.form = data.form};
  Interaction process{
      .relation = relation,
      .law = std::make_shared<const NestedConesLaw>(std::make_shared<const HigherOrderData>(std::move(data))),
      .name = record.name};
  for (const std::uint32_t slot : record.systems)
    process.systems.push_back({interaction.model, slot, model.systems()[slot].generation});
  NonSmoothDynamicalSystem changed = model;
  changed.remove(interaction);
  handles.levels = changed.add(std::move(process));
  model = std::move(changed);
  return handles;
}

Eigen::VectorXd atoms(const State& state, InteractionHandle levels) { return state.last_step * state.lambda(levels); }

std::vector<LevelCertificate> certify_levels(const NonSmoothDynamicalSystem& model, const State& before,
                                             const State& after, InteractionHandle levels) {
  const Layout& layout = *model.layout();
  const Index place = layout.index(levels);
  for (const State* state : {&before, &after})
    if (!state->layout() || state->layout()->revision != layout.revision)
      throw InvalidArgument("certify_levels", "a state of another revision", "one of the model's present revision");
  const auto& record = model.interactions()[levels.slot];
  const NestedConesLaw* law = nested_cones(*record.law->law);
  if (!law)
    throw InvalidArgument("certify_levels: levels", record.name, "an interaction that link_higher_order() made");
  if (after.steps != before.steps + 1)
    throw InvalidArgument("certify_levels: after", "a state that is not one step behind `before`", "the next state");
  const HigherOrderForm& form = law->data().form;
  const Index r = form.degree, rows = record.rows, memory = layout.interactions[static_cast<std::size_t>(place)].memory;
  const double h = after.last_step;
  const auto systems = linked_systems(layout, record.systems);
  const Vector x = stacked_unknowns(systems, before.unknowns), x_next = stacked_unknowns(systems, after.unknowns);
  const Vector mu = atoms(after, levels), z = before.y(levels), z_next = after.y(levels);
  Vector left(rows), pushed = Vector::Zero(rows);
  if (form.W.size() > 0) {
    for (Index i = 0; i < form.outputs; ++i) {
      pushed.segment(i * r, r) = mu.segment(i * r, r);
      pushed[i * r + r - 1] = 0.0;
      for (Index j = 0; j < form.outputs; ++j) pushed[i * r + r - 1] += form.H(i, j) * mu[j * r + r - 1];
    }
    left = (form.W * (x_next - x) - h * (form.A_z * (form.W * x_next) + law->data().drift)).head(rows);
  } else {  // in coordinates that begin with the levels
    Vector rate = Vector::Zero(x.size()), input = rate;
    model.systems()[record.systems.front()].first_order->f(after.t, x_next, rate);
    record.first_order->g(after.t, x_next, mu, input);
    left = (x_next - x - h * rate).head(rows);
    pushed = input.head(rows);
  }
  std::vector<LevelCertificate> result(static_cast<std::size_t>(r));
  for (Index i = 0; i < form.outputs; ++i) {
    const Index first = i * r;
    const Index acting = law->acting(z.segment(first, r), before.law_memory.segment(memory + first, r), h);
    for (Index level = 0; level < r; ++level) {
      LevelCertificate& own = result[static_cast<std::size_t>(level)];
      const Index row = first + level;
      own.unbalanced = std::max(own.unbalanced, std::abs(left[row] - pushed[row]));
      if (level >= acting) {
        own.resting = std::max(own.resting, std::abs(mu[row]));
        continue;
      }
      ++own.acting;
      own.outside = std::max(own.outside, -z_next[row]);
      own.attracting = std::max(own.attracting, -mu[row]);
      own.product = std::max(own.product, std::abs(z_next[row] * mu[row]));
    }
  }
  return result;
}

}  // namespace nonsmooth
