// SPDX-License-Identifier: Apache-2.0
#include "description.hpp"

#include <cmath>
#include <variant>

#include <Eigen/SparseCore>

namespace nonsmooth::command {
namespace {

double norm(const auto& q) { return q.size() == 0 ? 0.0 : q.cwiseAbs().maxCoeff(); }

double relative(double difference, double largest) { return largest == 0.0 ? 0.0 : difference / largest; }

void describe_matrix(Description& description, const Eigen::MatrixXd& M) {
  description.nonzeros = (M.array() != 0.0).count();
  if (M.rows() == M.cols() && M.size() > 0) {
    description.asymmetry = relative((M - M.transpose()).cwiseAbs().maxCoeff(), M.cwiseAbs().maxCoeff());
  }
}

void describe_matrix(Description& description, const Eigen::SparseMatrix<double>& M) {
  const auto largest = [](const Eigen::SparseMatrix<double>& matrix) {
    double value = 0.0;
    for (Index j = 0; j < matrix.outerSize(); ++j) {
      for (Eigen::SparseMatrix<double>::InnerIterator entry(matrix, j); entry; ++entry) {
        value = std::max(value, std::abs(entry.value()));
      }
    }
    return value;
  };
  for (Index j = 0; j < M.outerSize(); ++j) {
    for (Eigen::SparseMatrix<double>::InnerIterator entry(M, j); entry; ++entry) {
      if (entry.value() != 0.0) ++description.nonzeros;
    }
  }
  const Eigen::SparseMatrix<double> transposed = M.transpose();
  description.asymmetry = relative(largest(M - transposed), largest(M));
}

/// Blocks in the order in which a kind first comes.
void count(std::vector<BlockCount>& blocks, std::string_view set, Index rows, Index number = 1) {
  if (number == 0) return;
  for (BlockCount& block : blocks) {
    if (block.set == set && block.rows == rows) {
      block.count += number;
      return;
    }
  }
  blocks.push_back({std::string(set), rows, number});
}

std::string_view bound_name(double lower, double upper) {
  if (!std::isfinite(lower) && !std::isfinite(upper)) return "equality";
  if (lower == 0.0 && !std::isfinite(upper)) return "complementarity";
  if (!std::isfinite(upper)) return "lower bound";
  return std::isfinite(lower) ? "box" : "upper bound";
}

std::string_view set_name(const BlockSet& set) {
  switch (set.kind) {
    case SetKind::Free:
      return "equality";
    case SetKind::Orthant:
      return "complementarity";
    case SetKind::Box:
      return bound_name(set.lower, set.upper);
    case SetKind::SecondOrderCone:
      return "second-order cone";
    case SetKind::Coulomb2D:
      return "coulomb 2d";
    case SetKind::Coulomb3D:
      return "coulomb 3d";
    case SetKind::DruckerPrager:
      return "drucker-prager";
    case SetKind::VonMises:
      return "von mises";
    case SetKind::Rolling:
      return "rolling";
  }
  return "unknown";
}

void count_sets(std::vector<BlockCount>& blocks, const ProductSet& K) {
  for (Index i = 0; i < K.num_blocks(); ++i) {
    // A block of an orthant or a box is that many rows of one.
    const SetKind kind = K[i].kind;
    const bool by_rows = kind == SetKind::Free || kind == SetKind::Orthant || kind == SetKind::Box;
    count(blocks, set_name(K[i]), by_rows ? 1 : K.size(i), by_rows ? K.size(i) : 1);
  }
}

template <class P>
Description describe_lcp(const P& problem, std::string_view storage) {
  Description description{.storage = storage, .q_norm = norm(problem.q), .blocks{}};
  describe_matrix(description, problem.M);
  count(description.blocks, "complementarity", 1, problem.q.size());
  return description;
}

Description describe_one(const lcp::Problem& problem) { return describe_lcp(problem, "dense"); }
Description describe_one(const lcp::SparseProblem& problem) { return describe_lcp(problem, "sparse"); }

Description describe_one(const relay::Problem& problem) {
  Description description{.storage = "dense", .q_norm = norm(problem.q), .blocks{}};
  describe_matrix(description, problem.M);
  for (Index i = 0; i < problem.q.size(); ++i) {
    count(description.blocks, bound_name(problem.lower[i], problem.upper[i]), 1);
  }
  return description;
}

Description describe_one(const mlcp::Problem& problem) {
  const Index n = problem.num_free(), p = problem.num_equalities(), m = problem.num_constrained();
  Description description{
      .storage = "dense", .unknowns = n + m, .q_norm = std::max(norm(problem.a), norm(problem.b)), .blocks{}};
  Eigen::MatrixXd M(p + m, n + m);
  M.topLeftCorner(p, n) = problem.A;
  M.topRightCorner(p, m) = problem.C;
  M.bottomLeftCorner(m, n) = problem.D;
  M.bottomRightCorner(m, m) = problem.B;
  describe_matrix(description, M);
  count(description.blocks, "equality", 1, p);
  for (Index i = 0; i < m; ++i) {
    const double lower = problem.lower.size() == 0 ? 0.0 : problem.lower[i];
    const double upper = problem.upper.size() == 0 ? std::numeric_limits<double>::infinity() : problem.upper[i];
    count(description.blocks, bound_name(lower, upper), 1);
  }
  return description;
}

Description describe_one(const mixed::Problem& problem) {
  Description description{.storage = "block sparse", .q_norm = norm(problem.q), .blocks{}};
  describe_matrix(description, problem.W.to_sparse());
  count_sets(description.blocks, problem.K);
  return description;
}

/// Of the matrix [A, -H^T; H, 0]; what is symmetric is A.
Description describe_one(const friction::GlobalProblem& problem) {
  Description description{.storage = "sparse", .q_norm = std::max(norm(problem.f), norm(problem.w)), .blocks{}};
  describe_matrix(description, problem.A);
  description.nonzeros += 2 * (problem.H.coeffs() != 0.0).count();
  count(description.blocks, "equality", 1, problem.f.size());
  count_sets(description.blocks, problem.K);
  return description;
}

}  // namespace

Description describe(const AnyProblem& problem) {
  Description description = std::visit([](const auto& one) { return describe_one(one); }, problem);
  description.rows = num_rows_of(problem);
  if (description.unknowns == 0) description.unknowns = description.rows;
  return description;
}

}  // namespace nonsmooth::command
