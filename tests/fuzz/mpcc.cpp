// SPDX-License-Identifier: Apache-2.0
// Random quadratic programs with complementarity constraints, planted and judged: with both sides 0 on many pairs, with
// pairs twice, convex on pieces alone, in units over decades, infeasible, of empty pieces, unbounded; automatic and one
// drawn solver each, among them the relaxation of sparse data.
//
//     fuzz_mpcc [instances] [seed] [first] [others]
//
// Solved must hold by an independent certificate, the stationarity by the signs of the multipliers and, where it is B
// or S, by least squares with signs on every piece; of convex programs no value is below the least of all pieces, and
// branch and bound, and automatic where it says so, has just that. Proofs are judged in quadruple precision.
#include <cmath>

#include <nonsmooth/numerics/mpcc.hpp>
#include <problems/mpcc.hpp>
#include <problems/program_judge.hpp>
#include <problems/random_matrices.hpp>

#include "judge.hpp"

namespace nonsmooth {
namespace {

using Eigen::MatrixXd, Eigen::VectorXd;
using fuzz::Answer;
using fuzz::Instance;
using fuzz::Judge;
using mpcc::Stationarity;
using problems::Mpcc;
using problems::MpccShape;
using problems::Verdict;

constexpr double tolerance = 1e-9;

struct Drawn {
  Mpcc one;
  Instance what;
  bool convex = true;
};

void twice(MatrixXd& rows, VectorXd& values) {
  rows = rows.replicate(2, 1).eval();
  values = values.replicate(2, 1).eval();
}

/// Unknowns, rows and both sides of every pair in units of their own.
void rescale(mpcc::Problem& problem, problems::Random& random, double decades) {
  const auto units = [&](Index size) {
    const auto unit = [&] { return std::pow(10.0, problems::uniform(random, -0.5, 0.5) * decades); };
    return VectorXd::NullaryExpr(size, unit).eval();
  };
  const VectorXd x = units(problem.num_unknowns()), rows = units(problem.num_rows());
  const VectorXd a = units(problem.num_pairs()), b = units(problem.num_pairs());
  const MatrixXd Q = x.asDiagonal() * problem.Q * x.asDiagonal();
  problem.Q = 0.5 * (Q + Q.transpose());
  problem.c = x.cwiseProduct(problem.c);
  problem.A = (rows.asDiagonal() * problem.A * x.asDiagonal()).eval();
  problem.row_lower = rows.cwiseProduct(problem.row_lower);
  problem.row_upper = rows.cwiseProduct(problem.row_upper);
  problem.lower = problem.lower.cwiseQuotient(x);
  problem.upper = problem.upper.cwiseQuotient(x);
  problem.G = (a.asDiagonal() * problem.G * x.asDiagonal()).eval();
  problem.g = a.cwiseProduct(problem.g);
  problem.H = (b.asDiagonal() * problem.H * x.asDiagonal()).eval();
  problem.h = b.cwiseProduct(problem.h);
}

/// No piece has a point, the set without complementarity has: both sides of the first pair are asked to be 1/2.
Mpcc empty_pieces(const MpccShape& shape, std::uint64_t seed) {
  Mpcc one = problems::planted_mpcc(shape, seed);
  mpcc::Problem& problem = one.problem;
  const Index m = problem.num_rows();
  problem.A.conservativeResize(m + 2, Eigen::NoChange);
  problem.A.bottomRows(2) << problem.G.row(0), problem.H.row(0);
  problem.row_lower.conservativeResize(m + 2);
  problem.row_upper.conservativeResize(m + 2);
  problem.row_lower.tail(2) << 0.5 - problem.g[0], 0.5 - problem.h[0];
  problem.row_upper.tail(2).setConstant(std::numeric_limits<double>::infinity());
  return one;
}

Drawn draw(problems::Random& random) {
  const std::uint64_t kind = random() % 12, seed = random();
  MpccShape shape{.n = problems::whole(random, 2, 7), .m = problems::whole(random, 0, 3)};
  shape.pairs = problems::whole(random, 1, std::min<Index>(4, shape.n));
  const auto what = [&](const char* name, Verdict verdict, bool known) {
    return Instance{"mpcc", name, shape.n, verdict, known};
  };
  const auto planted = [&](const char* name, bool known) {
    return Drawn{problems::planted_mpcc(shape, seed), what(name, Verdict::Solvable, known)};
  };
  switch (kind) {
    case 0:
    case 1:
      return planted("planted", true);
    case 2:
    case 3:
      shape.biactive = 0.6;
      return planted("biactive", true);
    case 4: {
      shape.pairs = std::min<Index>(shape.pairs, 2);
      shape.biactive = 0.3;
      Drawn drawn = planted("pairs twice", true);
      twice(drawn.one.problem.G, drawn.one.problem.g);
      twice(drawn.one.problem.H, drawn.one.problem.h);
      return drawn;
    }
    case 5:
    case 6: {
      shape.biactive = 0.2;
      shape.indefinite = true;
      Drawn drawn = planted("convex on pieces", true);
      drawn.convex = false;
      return drawn;
    }
    case 7: {
      shape.biactive = 0.2;
      Drawn drawn = planted("four decades", false);
      rescale(drawn.one.problem, random, 4.0);
      return drawn;
    }
    case 8:
      return {problems::infeasible_mpcc(shape, seed), what("infeasible", Verdict::Infeasible, true)};
    case 9:
      return {empty_pieces(shape, seed), what("empty pieces", Verdict::Infeasible, false)};
    default:
      shape.n += shape.pairs + 1;  // sides that are 0 stay independent beside what moves
      return {problems::unbounded_mpcc(shape, seed), what("unbounded", Verdict::Unknown, true)};
  }
}

/// Whether what is said of a solution is true.
bool told_truly(const Drawn& drawn, const mpcc::Result& result, bool global) {
  const mpcc::Problem& problem = drawn.one.problem;
  const Stationarity signs = problems::stationarity_by_signs(problem, result.x, result.u, result.v);
  if (result.stationarity < Stationarity::Clarke) return false;
  if (result.stationarity != Stationarity::Bouligand && signs < result.stationarity) return false;
  if (result.stationarity >= Stationarity::Bouligand && !problems::stationary_on_every_piece(problem, result.x))
    return false;
  if (drawn.what.name == "unbounded") return !global;  // a minimiser of another piece, which is a local answer
  if (!drawn.convex) return true;
  const double least = problems::least_of_pieces(problem), value = result.figures.value;
  const double terms = result.x.cwiseAbs().dot(problem.Q.cwiseAbs() * result.x.cwiseAbs()) +
                       problem.c.cwiseAbs().dot(result.x.cwiseAbs());
  return value >= least - 1e-7 * terms && (!global || value <= least + 1e-7 * terms);
}

Answer judged(const Drawn& drawn, const mpcc::Result& result, bool global) {
  const mpcc::Problem& problem = drawn.one.problem;
  // Of other scales than the certificate's, as in the contract suite.
  problems::Worth worth{
      .residual = 1e-2 * problems::independent_residual(problem, result.x, result.y, result.u, result.v),
      .rows = result.certificate.row_residual};
  if (result.status == Status::Solved && drawn.what.verdict != Verdict::Infeasible &&
      !told_truly(drawn, result, global))
    worth = {.residual = 1.0, .rows = 1.0};
  const bool holds = result.unbounded() ? problems::ray_holds(problem, result.x, result.direction)
                                        : problems::farkas_holds(problem, result.proof);
  return fuzz::answer_of(result, worth, holds);
}

mpcc::SparseProblem sparse(const mpcc::Problem& p) {
  return {.Q = p.Q.sparseView(),
          .c = p.c,
          .A = p.A.sparseView(),
          .row_lower = p.row_lower,
          .row_upper = p.row_upper,
          .lower = p.lower,
          .upper = p.upper,
          .G = p.G.sparseView(),
          .g = p.g,
          .H = p.H.sparseView(),
          .h = p.h};
}

constexpr std::string_view of_sparse = "relaxation of sparse data";

/// The registry and what takes the same program as sparse data.
const std::vector<mpcc::Entry>& solvers() {
  static const std::vector<mpcc::Entry> all = [] {
    std::vector<mpcc::Entry> entries = mpcc::registry();
    entries.push_back({of_sparse, "", entries.front().solver});
    return entries;
  }();
  return all;
}

}  // namespace
}  // namespace nonsmooth

int main(int argc, char** argv) {
  using namespace nonsmooth;
  const auto arguments = fuzz::arguments("fuzz_mpcc", 10'000, 1, argc, argv);
  if (!arguments) return 2;
  return fuzz::fuzz(*arguments, tolerance, [&](Judge& judge, std::mt19937_64& random) {
    const Drawn drawn = draw(random);
    if (drawn.what.name == "infeasible")
      judge.check_planted_proof(drawn.what, problems::farkas_holds(drawn.one.problem, drawn.one.proof));
    if (drawn.what.name == "unbounded")
      judge.check_planted_proof(drawn.what, problems::ray_holds(drawn.one.problem, drawn.one.x, drawn.one.proof));
    judge.run(drawn.what, solvers(), random, [&](const mpcc::Entry& entry) {
      if (entry.name == of_sparse) {
        const mpcc::NonlinearRelaxation options{.tolerance = tolerance, .max_steps = 100};
        return judged(drawn, mpcc::solve(sparse(drawn.one.problem), options), false);
      }
      const mpcc::Result result = entry.solver.solve(drawn.one.problem, {.tolerance = tolerance});
      return judged(drawn, result,
                    entry.name == "branch and bound" || result.reason.starts_with("the tree is exhausted"));
    });
  });
}
