// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <nonsmooth/numerics/error.hpp>

#include "../number.hpp"
#include "siconos_matrix.hpp"
#include "siconos_text.hpp"

namespace nonsmooth::problem_files {
namespace {

[[noreturn]] void refuse(const std::string& found, const std::string& expected) {
  throw InvalidArgument("write_problem: problem", found, expected + ", as Siconos's text holds; use .h5");
}

void append_line(std::string& text, Index value) { text += std::to_string(value) + '\n'; }

void append_rows(std::string& text, const Eigen::MatrixXd& matrix) {
  for (Index i = 0; i < matrix.rows() && matrix.cols() > 0; ++i) append_vector(text, matrix.row(i).transpose());
}

/// One entry a block, taken by `entry`.
template <class Entry>
void append_parameters(std::string& text, const ProductSet& K, Entry entry) {
  Eigen::VectorXd value(K.num_blocks());
  for (Index i = 0; i < K.num_blocks(); ++i) value[i] = K[i].*entry;
  append_vector(text, value);
}

template <class Lcp>
std::string lcp_text(const Lcp& problem) {
  std::string text;
  append_line(text, problem.q.size());
  append_siconos_matrix(text, problem.M);
  append_vector(text, problem.q);
  return text;
}

template <class Relay>
std::string bounded_text(const Relay& problem) {
  std::string text;
  append_line(text, problem.q.size());
  append_siconos_matrix(text, problem.M);
  append_vector(text, problem.q);
  append_vector(text, problem.lower);
  append_vector(text, problem.upper);
  return text;
}

std::string relay_text(const mixed::Problem& problem) {
  std::string text;
  append_line(text, problem.q.size());
  append_siconos_matrix(text, problem.W.to_sparse());
  append_vector(text, problem.q);
  Eigen::VectorXd lower(problem.q.size()), upper(problem.q.size());
  for (Index i = 0; i < problem.K.num_blocks(); ++i) {
    if (problem.K[i].unit != 1.0) refuse("block " + std::to_string(i) + " with a unit of its own", "boxes without one");
    lower.segment(problem.K.offset(i), problem.K.size(i)).setConstant(problem.K[i].lower);
    upper.segment(problem.K.offset(i), problem.K.size(i)).setConstant(problem.K[i].upper);
  }
  append_vector(text, lower);
  append_vector(text, upper);
  return text;
}

std::string mlcp_text(const mlcp::Problem& problem) {
  if (problem.lower.size() + problem.upper.size() > 0) refuse("an mlcp with bounds", "an mlcp with 0 <= v");
  const Index n = problem.num_free(), m = problem.num_constrained(), p = problem.num_equalities();
  const bool square = p == n;  // Siconos reads A, B, C, D of a rectangular problem as if it were square
  std::string text = square ? "1\n1\n" : "1\n0\n";
  append_line(text, n);
  append_line(text, m);
  text += n > 0 && m > 0 ? "0 " + std::to_string(n) + ' ' : "0 ";
  text += std::to_string(n + m) + '\n';
  if (n > 0) text += "0 ";
  if (m > 0) text += "1 ";
  text += '\n';
  Eigen::MatrixXd M(p + m, n + m);
  M.topLeftCorner(p, n) = problem.A;
  M.topRightCorner(p, m) = problem.C;
  M.bottomLeftCorner(m, n) = problem.D;
  M.bottomRightCorner(m, m) = problem.B;
  append_siconos_matrix(text, M);
  Eigen::VectorXd q(p + m);
  q.head(p) = problem.a;
  q.tail(m) = problem.b;
  append_vector(text, q);
  if (!square) return text;
  append_rows(text, problem.A);
  append_rows(text, problem.B);
  append_rows(text, problem.C);
  append_rows(text, problem.D);
  append_vector(text, problem.a);
  append_vector(text, problem.b);
  return text;
}

std::string soclcp_text(const mixed::Problem& problem) {
  std::string text;
  append_line(text, problem.q.size());
  append_line(text, problem.K.num_blocks());
  append_siconos_matrix(text, problem.W);
  append_vector(text, problem.q);
  for (Index i = 0; i <= problem.K.num_blocks(); ++i) text += std::to_string(problem.K.offset(i)) + ' ';
  text += '\n';
  append_parameters(text, problem.K, &BlockSet::mu);
  return text;
}

/// "dimension, number of blocks" of a problem whose blocks are all of one size and kind.
void append_blocks(std::string& text, const ProductSet& K) {
  for (Index i = 1; i < K.num_blocks(); ++i) {
    if (K[i].kind != K[0].kind) refuse("blocks of two kinds", "one kind of block");
    if (K.size(i) != K.size(0)) refuse("blocks of two sizes", "blocks of one size");
  }
  append_line(text, K.size(0));
  append_line(text, K.num_blocks());
}

/// What the layouts of friction have no place for.
void require_plain(const ProductSet& K, Index i) {
  const BlockSet& set = K[i];
  const std::string block = "block " + std::to_string(i);
  if (set.kind == SetKind::Coulomb3D && set.mu_2 >= 0.0) refuse(block + " with mu_2", "isotropic friction");
  if (set.cohesion != 0.0) refuse(block + " with cohesion", "friction without cohesion");
  if (set.kind != SetKind::Rolling) return;
  if (set.spinning != 0.0) refuse(block + " with spinning friction", "rolling friction without it");
  if (K.size(i) != 3 && K.size(i) != 5) {
    refuse(block + " of " + std::to_string(K.size(i)) + " rows", "3 or 5 rows of rolling friction");
  }
}

/// mu of every contact, then mu_r where they roll. With a point in each mu_r: a bare 0 or 1 at the end is the flag of
/// older files.
void append_contacts(std::string& text, const ProductSet& K) {
  for (Index i = 0; i < K.num_blocks(); ++i) require_plain(K, i);
  append_parameters(text, K, &BlockSet::mu);
  if (K.count(SetKind::Rolling) == 0) return;
  for (Index i = 0; i < K.num_blocks(); ++i) {
    const std::string word = number(K[i].rolling);
    text += word + (word.find_first_not_of("0123456789") == std::string::npos ? ".0 " : " ");
  }
  text += '\n';
}

std::string friction_text(const mixed::Problem& problem) {
  std::string text;
  append_blocks(text, problem.K);
  append_siconos_matrix(text, problem.W);
  append_vector(text, problem.q);
  append_contacts(text, problem.K);
  if (problem.K[0].kind == SetKind::Rolling && problem.K.size(0) == 3) {
    text += "# " + std::string(rolling_remark) + '\n';
  }
  return text;
}

/// See siconos_friction.cpp for the letters.
std::string global_text(const friction::GlobalProblem& problem) {
  std::string text;
  const ProductSet& K = problem.K;
  if (K.count(SetKind::Coulomb2D) + K.count(SetKind::Coulomb3D) + K.count(SetKind::Rolling) != K.num_blocks()) {
    refuse("blocks of other kinds than friction in a global form", "friction alone");
  }
  if (K.num_blocks() == 0) {
    text = "3\n0\n";
  } else {
    append_blocks(text, K);
  }
  append_siconos_matrix(text, problem.A);
  append_siconos_matrix(text, Eigen::SparseMatrix<double>(problem.H.transpose()));
  append_vector(text, problem.f);
  append_vector(text, problem.w);
  append_contacts(text, K);
  return text;
}

std::string plasticity_text(const mixed::Problem& problem) {
  const bool von_mises = problem.K[0].kind == SetKind::VonMises;
  std::string text;
  append_blocks(text, problem.K);
  append_line(text, von_mises ? 2 : 1);
  append_siconos_matrix(text, problem.W);
  append_vector(text, problem.q);
  append_parameters(text, problem.K, von_mises ? &BlockSet::radius : &BlockSet::mu);
  if (!von_mises) append_parameters(text, problem.K, &BlockSet::lift);
  return text;
}

std::string generic_text(const mixed::Problem& problem) {
  std::string text;
  append_siconos_matrix(text, problem.W);
  append_vector(text, problem.q);
  for (Index i = 0; i < problem.K.num_blocks(); ++i) {
    const BlockSet& set = problem.K[i];
    const std::string block = "block " + std::to_string(i);
    switch (set.kind) {
      case SetKind::Orthant:
        text += "0\n";
        break;
      case SetKind::Free:
        text += "2\n";
        break;
      case SetKind::Coulomb3D:
        require_plain(problem.K, i);
        text += "4\n";
        append_vector(text, Eigen::VectorXd::Constant(1, set.mu));
        break;
      case SetKind::Box:
        if (set.lower != -1.0 || set.upper != 1.0) refuse(block + " with bounds", "boxes [-1, 1]");
        if (set.unit != 1.0) refuse(block + " with a unit of its own", "boxes without one");
        text += "9\n";
        break;
      case SetKind::Coulomb2D:
        refuse(block + " of 2D friction, whose mu would be lost", "other kinds");
      case SetKind::SecondOrderCone:
      case SetKind::DruckerPrager:
      case SetKind::Rolling:
      case SetKind::VonMises:
        refuse(block + " of a cone", "orthants, free blocks, boxes and 3D friction in a problem of several kinds");
    }
  }
  return text;
}

std::string text_of(const lcp::Problem& problem) { return lcp_text(problem); }
std::string text_of(const lcp::SparseProblem& problem) { return lcp_text(problem); }
std::string text_of(const relay::Problem& problem) { return bounded_text(problem); }
std::string text_of(const relay::SparseProblem& problem) { return bounded_text(problem); }
std::string text_of(const mlcp::Problem& problem) { return mlcp_text(problem); }
std::string text_of(const friction::GlobalProblem& problem) { return global_text(problem); }
std::string text_of(const mlcp::SparseProblem&) { refuse("an mlcp with sparse matrices", "dense ones"); }
std::string text_of(const qp::Problem&) { refuse("a qp", "complementarity and friction"); }
std::string text_of(const qp::SparseProblem&) { refuse("a qp", "complementarity and friction"); }
std::string text_of(const mcp::Problem&) { refuse("an mcp, whose F is code", "complementarity and friction as data"); }
std::string text_of(const AffineVi&) { refuse("a vi", "complementarity and friction"); }
std::string text_of(const AffineQuasiVi&) { refuse("a quasi", "complementarity and friction"); }
std::string text_of(const cone_program::Problem&) { refuse("a cone program", "complementarity and friction"); }
std::string text_of(const mpcc::Problem&) { refuse("an mpcc", "complementarity and friction"); }
std::string text_of(const mpcc::SparseProblem&) { refuse("an mpcc", "complementarity and friction"); }
std::string text_of(const NonlinearMpcc&) { refuse("an mpcc", "complementarity and friction"); }
std::string text_of(const mixed::Problem& problem) {
  switch (class_of(problem)) {
    case ProblemClass::Relay:
      return relay_text(problem);
    case ProblemClass::SocLcp:
      return soclcp_text(problem);
    case ProblemClass::Friction:
    case ProblemClass::RollingFriction:
      return friction_text(problem);
    case ProblemClass::Plasticity:
      return plasticity_text(problem);
    case ProblemClass::Mixed:
    case ProblemClass::Lcp:
    case ProblemClass::Mlcp:
    case ProblemClass::GlobalFriction:
    case ProblemClass::GlobalRollingFriction:
    case ProblemClass::Qp:
    case ProblemClass::Vi:
    case ProblemClass::ConeProgram:
    case ProblemClass::Mcp:
    case ProblemClass::Mpcc:
    case ProblemClass::Quasi:
      break;
  }
  return generic_text(problem);
}

}  // namespace

std::string siconos_text_of(const AnyProblem& problem, std::string_view title) {
  std::string text = std::visit([](const auto& value) { return text_of(value); }, problem);
  // The mark keeps a title from being read as numbers.
  for (std::size_t begin = 0; begin < title.size();) {
    const std::size_t end = std::min(title.find('\n', begin), title.size());
    text += "# " + std::string(title.substr(begin, end - begin)) + '\n';
    begin = end + 1;
  }
  return text;
}

}  // namespace nonsmooth::problem_files
