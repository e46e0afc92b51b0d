// SPDX-License-Identifier: Apache-2.0
// fuzz_examination [instances] [seed] [first]: random models of which the examination's verdicts are known by
// construction, through analysis::examine.
//
//   circuits     linear complementarity systems of known class, as one system or as several that relations tie
//   nonlinear    chains x_1' = x_2, ..., x_r' = g lambda in other coordinates, of known relative degree
//   mechanisms   bilateral rows of known rank, consistent or not, in units that differ by 10^12
//   friction     one contact in the plane below Painlevé's bound: random steps must have one answer
//
// Fails if a verdict is wrong or more than a hundredth of what is known is left NotKnown. Instance k alone:
// fuzz_examination 1 SEED k. Exit status: 0, 1 if it fails, 2 for an argument that cannot be used.
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <random>

#include <nonsmooth/kernel.hpp>

#include "../problems/analysis_systems.hpp"
#include "../problems/random_matrices.hpp"
#include "judge.hpp"
#include "verdict_table.hpp"

namespace {

using namespace nonsmooth;
using analysis::Verdict;
using fuzz::Table;
using problems::entries;
using problems::Random;
using problems::uniform;
using problems::whole;
using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

Verdict known(bool holds) { return holds ? Verdict::Holds : Verdict::Fails; }

void run_circuit(Table& table, Random& random) {
  problems::ClassifiedSystem instance =
      problems::random_classified_system(static_cast<int>(random() % problems::num_system_families), random);
  const analysis::LinearComplementaritySystem& given = instance.system;
  const Index n = given.A.rows(), m = given.C.rows();
  NonSmoothDynamicalSystem model;
  const SystemHandle circuit = model.add(FirstOrderLinearSystem{
      .mass = given.M.size() > 0 ? MatrixData(given.M) : MatrixData(), .A = given.A, .x0 = Vector(Vector::Zero(n))});
  // Row by row, or as one interaction.
  const bool apart = random() % 2 == 0 && (given.D.size() == 0 || given.D.isDiagonal(0.0));
  for (Index i = 0; i < (apart ? m : 1); ++i) {
    const Index rows = apart ? 1 : m;
    const Matrix D = given.D.size() > 0 ? Matrix(given.D.block(i, i, rows, rows)) : Matrix::Zero(rows, rows);
    model.link(circuit,
               FirstOrderLinearRelation{
                   .C = Matrix(given.C.middleRows(i, rows)), .D = D, .B = Matrix(given.B.middleCols(i, rows))},
               ComplementarityLaw{});
  }
  const analysis::ModelExamination found = analysis::examine(model);
  const analysis::FirstOrderIsland& island = found.first_order.front();
  instance.system = island.system;
  if (given.M.size() == 0) instance.system.M.resize(0, 0);
  for (const problems::SystemVerdict& verdict : problems::judge_system(instance))
    table.count("circuit, " + instance.name, verdict.name, verdict.found, verdict.holds);
  table.count("circuit, " + instance.name, "one island",
              known(found.first_order.size() == 1 && found.mechanical.empty()), true);
}

/// z_i' = z_{i+1}, z_r' = (1 + z_1^2 / 2) lambda, y = z_1 + c z_1^3, in the coordinates x_1 = z_1, x_i = z_i + a_i
/// sin(z_{i-1}), an automorphism whose inverse is explicit.
void run_nonlinear(Table& table, Random& random) {
  const Index r = whole(random, 1, 3), n = r + whole(random, 0, 2);
  const Vector a = entries(random, n, 1);
  const double cubic = uniform(random, 0.0, 1.0);
  const auto to_chain = [a](ConstVectorRef x) {
    Vector z = x;
    for (Index i = 1; i < z.size(); ++i) z[i] -= a[i] * std::sin(z[i - 1]);
    return z;
  };
  const auto push = [a](const Vector& z, const Vector& dz) {  // dx of dz
    Vector dx = dz;
    for (Index i = 1; i < dx.size(); ++i) dx[i] += a[i] * std::cos(z[i - 1]) * dz[i - 1];
    return dx;
  };
  NonSmoothDynamicalSystem model;
  const SystemHandle system = model.add(FirstOrderSystem{.f =
                                                             [=](double, ConstVectorRef x, VectorRef f) {
                                                               const Vector z = to_chain(x);
                                                               Vector dz = Vector::Zero(n);
                                                               for (Index i = 0; i + 1 < r; ++i) dz[i] = z[i + 1];
                                                               for (Index i = r; i < n; ++i) dz[i] = z[0] - z[i];
                                                               f = push(z, dz);
                                                             },
                                                         .x0 = Vector(entries(random, n, 1))});
  model.link(system,
             FirstOrderRelation{.h = [cubic](double, ConstVectorRef x, ConstVectorRef,
                                             VectorRef y) { y[0] = x[0] + cubic * x[0] * x[0] * x[0]; },
                                .g =
                                    [=](double, ConstVectorRef x, ConstVectorRef lambda, VectorRef g) {
                                      const Vector z = to_chain(x);
                                      Vector dz = Vector::Zero(n);
                                      dz[r - 1] = (1.0 + 0.5 * z[0] * z[0]) * lambda[0];
                                      g = push(z, dz);
                                    }},
             ComplementarityLaw{});
  const Index degree = analysis::examine(model).first_order.front().degree.of_output.front();
  // 3 and more are not told, as documented.
  table.count("nonlinear chain of " + std::to_string(r), "relative degree", known(degree == (r <= 2 ? r : -1)), true);
}

/// Rows of known rank: `rank` random ones, the others combinations of them; positions that satisfy all, but for the
/// rows whose b is moved. Coordinates, rows and masses have units of their own.
void run_mechanism(Table& table, Random& random) {
  const Index n = whole(random, 2, 8), rank = whole(random, 1, n), extra = whole(random, 0, 3);
  const Matrix independent = entries(random, rank, n);
  Matrix H(rank + extra, n);
  H << independent, entries(random, extra, rank) * independent;
  const Vector q = entries(random, n, 1);
  Vector b = -H * q;
  const bool moved = extra > 0 && random() % 2 == 0;
  if (moved) b[rank + whole(random, 0, extra - 1)] += uniform(random, 0.1, 1.0);
  const Vector unit = Vector::NullaryExpr(n, [&random] { return std::pow(10.0, uniform(random, -6.0, 6.0)); });
  const Vector scale =
      Vector::NullaryExpr(rank + extra, [&random] { return std::pow(10.0, uniform(random, -6.0, 6.0)); });
  const Matrix root = entries(random, n, n);
  const Matrix M = unit.asDiagonal() * (root * root.transpose() + Matrix::Identity(n, n)) * unit.asDiagonal();
  NonSmoothDynamicalSystem model;
  const SystemHandle body =
      model.add(LagrangianLinearSystem{.mass = Matrix(0.5 * (M + M.transpose())), .q0 = Vector(q.cwiseQuotient(unit))});
  for (Index i = 0; i < H.rows(); ++i) {
    model.link(body,
               LagrangianLinearRelation{.H = Matrix(scale[i] * H.row(i) * unit.asDiagonal()),
                                        .b = Vector(Vector::Constant(1, scale[i] * b[i]))},
               EqualityLaw{});
  }
  const analysis::MechanicalIsland island = analysis::examine(model).mechanical.front();
  const char* family = moved ? "mechanism, inconsistent" : "mechanism";
  // A rank that random rows miss by 1e-10 is met once in 10^9 instances.
  table.count(family, "hyperstatic degree", known(island.hyperstatic_degree == extra), true);
  table.count(family, "degrees of freedom", known(island.degrees_of_freedom == n - rank), true);
  table.count(family, "contradicting", known(island.contradicting.empty()), !moved);
  if (!moved) table.count(family, "multipliers unique", island.solutions.unique_multiplier, extra == 0);
}

/// One contact in the plane on a body of random mass and Jacobian; random velocities and forces ask the steps.
void run_friction(Table& table, Random& random) {
  Matrix L = entries(random, 3, 3).triangularView<Eigen::Lower>();
  L.diagonal() = L.diagonal().cwiseAbs() + Vector::Constant(3, 0.3);
  const Matrix M = L * L.transpose(), H = entries(random, 2, 3);
  const Matrix half = L.triangularView<Eigen::Lower>().solve(Matrix(H.transpose()));
  const Matrix W = half.transpose() * half;
  const double bound = W(0, 0) / std::abs(W(0, 1)), share = std::pow(10.0, uniform(random, -1.0, 1.0));
  NonSmoothDynamicalSystem model;
  const SystemHandle body = model.add(LagrangianLinearSystem{.mass = Matrix(0.5 * (M + M.transpose())),
                                                             .force = Vector(10.0 * entries(random, 3, 1)),
                                                             .q0 = Vector(Vector::Zero(3)),
                                                             .v0 = Vector(entries(random, 3, 1))});
  model.link(body, LagrangianLinearRelation{.H = H}, NewtonImpactFrictionLaw{.friction = share * bound});
  const analysis::MechanicalIsland island = analysis::examine(model).mechanical.front();
  table.count("friction", "above the bound", known(island.friction.front().above()), share >= 1.0);
  table.count("friction", "a step's velocity is unique", island.unique_step, share < 1.0);
  if (share >= 1.0) return;
  const auto answers = possible_steps(model, {.step = 1e-2}, 1e-2, model.initial_state());
  table.check("friction", answers.size() == 1 ? "" : "unique, and has " + std::to_string(answers.size()) + " answers");
}

}  // namespace

int main(int argc, char** argv) {
  const auto arguments = fuzz::arguments("fuzz_examination", 2'000, 0, argc, argv);
  if (!arguments) return 2;
  Table table;
  for (long k = arguments->first; k < arguments->first + arguments->instances; ++k) {
    Random random(arguments->seed * 1'000'003 + static_cast<std::uint64_t>(k));
    table.start(k);
    switch (random() % 4) {
      case 0:
        run_circuit(table, random);
        break;
      case 1:
        run_nonlinear(table, random);
        break;
      case 2:
        run_mechanism(table, random);
        break;
      default:
        run_friction(table, random);
    }
  }
  const bool hold = table.report();
  std::cout << arguments->instances << " instances from seed " << arguments->seed << (hold ? ": ok\n" : ": FAILED\n");
  return hold ? EXIT_SUCCESS : EXIT_FAILURE;
}
