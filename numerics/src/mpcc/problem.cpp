// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/mpcc/problem.hpp>

#include <cmath>
#include <string>
#include <type_traits>
#include <utility>

#include <internal/at.hpp>
#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/qp.hpp>

#include "lcp/symmetry.hpp"
#include "linearization.hpp"
#include "message.hpp"
#include "pieces.hpp"
#include "qp/internal.hpp"
#include "sparse_entries.hpp"

namespace nonsmooth::mpcc {
namespace {

using detail::Side;
using detail::Sides;

constexpr double zero_part = 1e-8;  // of the largest multiplier times its row, up to which one counts as 0

template <class Matrix>
void check_matrix(const std::string& name, const Matrix& matrix, Index rows, Index columns) {
  if (rows > 0 || matrix.size() > 0) check::shape(name, matrix.rows(), matrix.cols(), rows, columns);
  nonsmooth::detail::check_finite(name, matrix);
}

/// Multipliers u and v in the unit of the slopes, and the largest of them and of c.
struct Pushes {
  Eigen::VectorXd u, v;
  double largest;
};
template <class P>
Pushes pushes(const P& problem, ConstVectorRef u, ConstVectorRef v) {
  Pushes found{u.cwiseProduct(detail::row_sizes(problem.G)), v.cwiseProduct(detail::row_sizes(problem.H)),
               problem.c.cwiseAbs().maxCoeff()};
  for (Index i = 0; i < u.size(); ++i)
    found.largest = std::max({found.largest, std::abs(found.u[i]), std::abs(found.v[i])});
  return found;
}

/// By the signs on beta.
Stationarity of_signs(const Pushes& push, const std::vector<Index>& beta) {
  Stationarity found = Stationarity::Strong;
  for (const Index i : beta) {
    const auto sign = [&](double own) { return std::abs(own) <= zero_part * push.largest ? 0 : own > 0.0 ? 1 : -1; };
    const int of_u = sign(push.u[i]), of_v = sign(push.v[i]);
    Stationarity own = Stationarity::Strong;
    if (of_u * of_v < 0)
      own = Stationarity::Weak;
    else if (of_u < 0 && of_v < 0)
      own = Stationarity::Clarke;
    else if (of_u < 0 || of_v < 0)
      own = Stationarity::Mordukhovich;
    found = std::min(found, own);
  }
  return found;
}

/// `linearized`: as detail::certify_linearized.
template <class P>
Certificate certify_any(const P& problem, ConstVectorRef x, ConstVectorRef y, ConstVectorRef u, ConstVectorRef v,
                        VectorRef s, Look* look, bool linearized = false) {
  const Index m = problem.num_rows(), k = problem.num_pairs();
  check::size("mpcc::certify: x", x.size(), problem.num_unknowns(), "one an entry of c");
  check::size("mpcc::certify: y", y.size(), m, "one a row of A");
  check::size("mpcc::certify: u", u.size(), k, "one a row of G");
  check::size("mpcc::certify: v", v.size(), k, "one a row of H");
  check::size("mpcc::certify: s", s.size(), problem.num_unknowns(), "one an entry of c");
  const detail::Pairs pairs = detail::pairs_at(problem, x);
  Sides sides = detail::smaller_sides(pairs);
  const Pushes push = pushes(problem, u, v);
  for (Index i = 0; i < k; ++i) {
    // The other side is an equation too where that is the smaller error of its negative multiplier.
    const bool of_G = sides[at(i)] == Side::G;
    const double other = of_G ? push.v[i] : push.u[i];
    const double side = of_G ? pairs.b[i] : pairs.a[i], terms = of_G ? pairs.b_terms[i] : pairs.a_terms[i];
    if (other < 0.0 && -other * terms >= side * push.largest) sides[at(i)] = Side::None;
  }
  Eigen::VectorXd multipliers(m + 2 * k);
  multipliers << y, u, v;
  Look own;
  nonsmooth::detail::Buffer scratch;
  const auto program = detail::program_of(problem, sides);
  Certificate certificate;
  if constexpr (std::is_same_v<P, SparseProblem>) {
    if (linearized) certificate = qp::detail::certify_linearized(program, x, multipliers, s, own.figures, scratch);
  }
  if (!linearized) certificate = qp::detail::certify(program, x, multipliers, s, own.figures, scratch);
  own.biactive = detail::biactive_pairs(pairs);
  if (std::isfinite(certificate.residual)) own.stationarity = of_signs(push, own.biactive);
  if (look) *look = own;
  return certificate;
}

/// `type`: the name of P, for messages.
template <class P>
void validate_any(const P& problem, const std::string& type) {
  const Index n = problem.num_unknowns(), m = problem.num_rows(), k = problem.num_pairs();
  const auto name = [&type](const char* field) { return type + "::" + field; };
  if (n < 1) throw InvalidArgument(name("c"), "no entries", "at least one");
  check::shape(name("Q"), problem.Q.rows(), problem.Q.cols(), n, n);
  nonsmooth::detail::check_finite(name("Q"), problem.Q);
  check::finite(name("c"), ConstVectorRef(problem.c));
  check_matrix(name("A"), problem.A, m, n);
  check_matrix(name("G"), problem.G, k, n);
  check_matrix(name("H"), problem.H, k, n);
  check::size(name("h"), problem.h.size(), k, "one an entry of g");
  check::finite(name("g"), ConstVectorRef(problem.g));
  check::finite(name("h"), ConstVectorRef(problem.h));
  qp::detail::check_bounds(name("row_lower").c_str(), name("row_upper").c_str(), problem.row_lower, problem.row_upper,
                           m, "one a row of A, or none");
  qp::detail::check_bounds(name("lower").c_str(), name("upper").c_str(), problem.lower, problem.upper, n,
                           "one an entry of c, or none");
  lcp::detail::require_symmetric(name("Q"), problem.Q, "as x^T Q x has no other part");
}

}  // namespace

void Problem::validate() const { validate_any(*this, "mpcc::Problem"); }
void SparseProblem::validate() const { validate_any(*this, "mpcc::SparseProblem"); }

std::string_view to_string(Stationarity stationarity) noexcept {
  switch (stationarity) {
    case Stationarity::Weak:
      return "W";
    case Stationarity::Clarke:
      return "C";
    case Stationarity::Mordukhovich:
      return "M";
    case Stationarity::Bouligand:
      return "B";
    case Stationarity::Strong:
      return "S";
    case Stationarity::None:
      break;
  }
  return "none";
}

std::string Result::message() const {
  std::string text = nonsmooth::detail::message(
      *this,
      {.stalled = "try mpcc::BranchAndBound, or another start",
       .infeasible = direction.size() > 0
                         ? "a bound on what `direction` moves is missing"
                         : "the rows where `proof` is not 0 contradict each other or bounds, complementary or not",
       .numerical_failure = "look at the scaling of the rows"});
  if (status == Status::Infeasible || status == Status::NotRun) return text;
  text += "; stationarity: ";
  text += to_string(stationarity);
  return text + ", pairs with both sides 0: " + std::to_string(biactive.size());
}

Certificate certify(const Problem& problem, ConstVectorRef x, ConstVectorRef y, ConstVectorRef u, ConstVectorRef v,
                    VectorRef s, Look* look) {
  return certify_any(problem, x, y, u, v, s, look);
}
Certificate certify(const SparseProblem& problem, ConstVectorRef x, ConstVectorRef y, ConstVectorRef u,
                    ConstVectorRef v, VectorRef s, Look* look) {
  return certify_any(problem, x, y, u, v, s, look);
}

Certificate detail::certify_linearized(const SparseProblem& linear, ConstVectorRef x, ConstVectorRef y,
                                       ConstVectorRef u, ConstVectorRef v, VectorRef s, Look* look) {
  return certify_any(linear, x, y, u, v, s, look, true);
}

bool is_bouligand_stationary(const Problem& problem, ConstVectorRef x, double tolerance) {
  check::size("mpcc::is_bouligand_stationary: x", x.size(), problem.num_unknowns(), "one an entry of c");
  check::positive("mpcc::is_bouligand_stationary: tolerance", tolerance);
  const detail::Pairs pairs = detail::pairs_at(problem, x);
  const std::vector<Index> beta = detail::biactive_pairs(pairs);
  if (beta.size() > 10) return false;
  Sides sides = detail::smaller_sides(pairs);
  bool on_one = false;
  for (unsigned bits = 0; bits < (1U << beta.size()); ++bits) {
    for (std::size_t j = 0; j < beta.size(); ++j) sides[at(beta[j])] = (bits >> j) & 1U ? Side::H : Side::G;
    qp::Problem program = detail::program_of(problem, sides);
    if (bits == 0) {
      Eigen::VectorXd s(x.size());
      qp::Figures figures;
      static_cast<void>(qp::certify(program, x, Eigen::VectorXd::Zero(program.num_rows()), s, &figures));
      if (!(figures.primal <= detail::feasible)) return false;
    }
    const std::optional<qp::Result> least =
        detail::solve_on_equations(std::move(program), qp::Automatic{.tolerance = std::min(tolerance, 1e-9)});
    if (!least) return false;
    if (least->status == Status::Infeasible && !least->unbounded()) continue;  // x is on it by rounding alone
    if (!least->ok() || detail::gain(problem, x, least->x) > tolerance) return false;
    on_one = true;
  }
  return on_one;
}

bool proves_infeasible(const Problem& problem, ConstVectorRef proof, double tolerance) {
  return qp::proves_infeasible(detail::program_of(problem, Sides(at(problem.num_pairs()), Side::Both)), proof,
                               tolerance);
}
bool proves_infeasible(const SparseProblem& problem, ConstVectorRef proof, double tolerance) {
  return qp::proves_infeasible(detail::program_of(problem, Sides(at(problem.num_pairs()), Side::Both)), proof,
                               tolerance);
}

bool proves_unbounded(const Problem& problem, ConstVectorRef x, ConstVectorRef d, double tolerance) {
  if (x.size() != problem.num_unknowns() || d.size() != x.size() || !x.allFinite()) return false;
  const detail::Pairs pairs = detail::pairs_at(problem, x);
  Sides sides = detail::smaller_sides(pairs);
  for (const Index i : detail::biactive_pairs(pairs)) {  // either side: the one that d stays on
    const auto G = problem.G.row(i), H = problem.H.row(i);
    const double along_G = std::abs(G.dot(d)) * H.cwiseAbs().maxCoeff();
    sides[at(i)] = along_G <= std::abs(H.dot(d)) * G.cwiseAbs().maxCoeff() ? Side::G : Side::H;
  }
  qp::Problem piece = detail::program_of(problem, sides);
  Eigen::VectorXd s(x.size());
  qp::Figures figures;
  static_cast<void>(qp::certify(piece, x, Eigen::VectorXd::Zero(piece.num_rows()), s, &figures));
  static_cast<void>(detail::make_convex(piece));  // Q d = 0 is asked along the equations alone
  return figures.primal <= 1e-9 && qp::proves_unbounded(piece, d, tolerance);
}

}  // namespace nonsmooth::mpcc
