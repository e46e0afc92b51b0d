// SPDX-License-Identifier: Apache-2.0
// Random second-order cone programs, planted and judged: with and without equations, degenerate, linear, in units over
// decades, infeasible by any margin, infeasible without a proof, unbounded; automatic and one drawn solver each.
//
//     fuzz_cone_program [instances] [seed] [first] [others]
//
// Solved must hold by an independent certificate and have the planted value; a proof is judged in quadruple precision.
#include <cmath>

#include <nonsmooth/numerics/cone_program.hpp>
#include <problems/cone_program.hpp>
#include <problems/program_judge.hpp>
#include <problems/random_matrices.hpp>

#include "judge.hpp"

namespace nonsmooth {
namespace {

using Eigen::VectorXd;
using fuzz::Answer;
using fuzz::Instance;
using fuzz::Judge;
using problems::ConeProgram;
using problems::ConeShape;
using problems::Verdict;

constexpr double tolerance = 1e-8;

struct Drawn {
  ConeProgram cone;
  Instance what;
};

ConeShape draw_shape(problems::Random& random) {
  ConeShape shape{.n = problems::whole(random, 1, 10), .orthant = problems::whole(random, 0, 8)};
  shape.equations = problems::whole(random, 0, shape.n / 3);
  const Index cones = problems::whole(random, 0, 5);
  for (Index i = 0; i < cones; ++i) shape.cones.push_back(problems::whole(random, 1, 5));
  return shape;
}

/// Unknowns, equations, half-lines and cones in units of their own.
void rescale(ConeProgram& one, problems::Random& random, double decades) {
  cone_program::Problem& problem = one.problem;
  const auto unit = [&] { return std::pow(10.0, problems::uniform(random, -0.5, 0.5) * decades); };
  const auto units = [&](Index size) { return VectorXd::NullaryExpr(size, unit).eval(); };
  const VectorXd columns = units(problem.num_unknowns()), equations = units(problem.num_equations());
  VectorXd rows = units(problem.num_rows());
  Index first = problem.orthant;
  for (const Index size : problem.cones) {
    rows.segment(first, size).setConstant(unit());
    first += size;
  }
  problem.c = columns.cwiseProduct(problem.c);
  problem.A = equations.asDiagonal() * problem.A * columns.asDiagonal();
  problem.b = equations.cwiseProduct(problem.b);
  problem.G = rows.asDiagonal() * problem.G * columns.asDiagonal();
  problem.h = rows.cwiseProduct(problem.h);
  one.x = one.x.cwiseQuotient(columns);
  one.y = one.y.cwiseQuotient(equations);
  one.z = one.z.cwiseQuotient(rows);
}

/// x_1 >= |(x_1, x_2, 1)| beside a planted program: x_1 - |(x_1, 1)| comes to 0 as x_1 grows, and has no proof.
ConeProgram without_proof(const ConeShape& shape, std::uint64_t seed) {
  ConeProgram one = problems::planted_cone_program(shape, seed);
  cone_program::Problem& problem = one.problem;
  const Index m = problem.num_rows(), n = problem.num_unknowns();
  Eigen::MatrixXd G = Eigen::MatrixXd::Zero(m + 3, n);
  if (m > 0) G.topRows(m) = problem.G;
  G(m, 0) = G(m + 1, 0) = -1.0;
  problem.G = G.sparseView();
  problem.h.conservativeResize(m + 3);
  problem.h.tail(3) << 0.0, 0.0, 1.0;
  problem.cones.push_back(3);
  return one;
}

Drawn draw(problems::Random& random) {
  const std::uint64_t kind = random() % 12, seed = random();
  ConeShape shape = draw_shape(random);
  const auto planted = [&](const char* name, bool known) {
    return Drawn{problems::planted_cone_program(shape, seed),
                 {"cone program", name, shape.n, Verdict::Solvable, known}};
  };
  switch (kind) {
    case 0:
    case 1:
    case 2:
      return planted("planted", true);
    case 3:
    case 4:
      shape.degenerate = 0.5;
      return planted("degenerate", true);
    case 5:
      shape.orthant += 4;
      shape.cones.clear();
      return planted("linear", true);
    case 6: {
      Drawn drawn = planted("six decades", false);
      rescale(drawn.cone, random, 6.0);
      return drawn;
    }
    case 7:
    case 8: {
      shape.orthant += 2;  // of one row alone the planted G is rounding
      const ConeProgram one = problems::infeasible_cone_program(shape, seed);
      // Of two rows a small entry of G may be rounding of large ones: then x_j of 1e13 makes up for it.
      const bool known = cone_program::proves_infeasible(one.problem, one.proof);
      return {one, {"cone program", "infeasible", shape.n, Verdict::Infeasible, known}};
    }
    case 9: {              // the planted value of b^T y + h^T z, -1, comes down to -1e-6
      shape.orthant += 2;  // of one row alone the planted G is rounding
      Drawn drawn{problems::infeasible_cone_program(shape, seed),
                  {"cone program", "barely infeasible", shape.n, Verdict::Infeasible, false}};
      const VectorXd z = drawn.cone.proof.tail(drawn.cone.problem.num_rows());
      drawn.cone.problem.h += z * ((1.0 - std::pow(10.0, problems::uniform(random, -6.0, 0.0))) / z.squaredNorm());
      return drawn;
    }
    case 10:
      return {problems::unbounded_cone_program(shape, seed),
              {"cone program", "unbounded", shape.n, Verdict::Infeasible, shape.n > shape.equations}};
    default:
      return {without_proof(shape, seed),
              {"cone program", "infeasible without a proof", shape.n, Verdict::Unknown, false}};
  }
}

Answer judged(const Drawn& drawn, const cone_program::Result& result) {
  const cone_program::Problem& problem = drawn.cone.problem;
  problems::Worth worth{.residual = problems::independent_residual(problem, result.x, result.y, result.z),
                        .rows = result.certificate.row_residual};
  if (result.status == Status::Solved && drawn.what.verdict == Verdict::Solvable) {
    // Residuals times multipliers and unknowns: some twenty terms, of which the largest may be a hundred of the others.
    const VectorXd& x = drawn.cone.x;
    const double terms = problem.c.cwiseAbs().dot(x.cwiseAbs()) + problem.b.cwiseAbs().dot(drawn.cone.y.cwiseAbs()) +
                         problem.h.cwiseAbs().dot(drawn.cone.z.cwiseAbs());
    if (!(std::abs(problem.c.dot(result.x) - problem.c.dot(x)) <= 1e-4 * terms)) worth = {.residual = 1.0, .rows = 1.0};
  }
  const bool holds = result.unbounded() ? problems::ray_holds(problem, result.direction)
                                        : problems::farkas_holds(problem, result.proof);
  return fuzz::answer_of(result, worth, holds);
}

}  // namespace
}  // namespace nonsmooth

int main(int argc, char** argv) {
  using namespace nonsmooth;
  const auto arguments = fuzz::arguments("fuzz_cone_program", 10'000, 1, argc, argv);
  if (!arguments) return 2;
  return fuzz::fuzz(*arguments, tolerance, [&](Judge& judge, std::mt19937_64& random) {
    const Drawn drawn = draw(random);
    const ConeProgram& one = drawn.cone;
    if (drawn.what.verdict == Verdict::Solvable && drawn.what.known_class) {
      VectorXd s(one.problem.num_rows());
      judge.check_planted(drawn.what,
                          {.residual = problems::independent_residual(one.problem, one.x, one.y, one.z),
                           .rows = cone_program::certify(one.problem, one.x, one.y, one.z, s).row_residual});
    }
    judge.run(drawn.what, cone_program::registry(), random, [&](const cone_program::Entry& entry) {
      const Limits limits{.tolerance = tolerance,
                          .max_iterations = entry.name == "admm" || !drawn.what.known_class ? 500 : 0};
      return judged(drawn, entry.solver.solve(one.problem, limits));
    });
  });
}
