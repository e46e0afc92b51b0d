// SPDX-License-Identifier: Apache-2.0
#include "description.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>
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

template <class P>
Description describe_relay(const P& problem, std::string_view storage) {
  Description description{.storage = storage, .q_norm = norm(problem.q), .blocks{}};
  describe_matrix(description, problem.M);
  for (Index i = 0; i < problem.q.size(); ++i) {
    count(description.blocks, bound_name(problem.lower[i], problem.upper[i]), 1);
  }
  return description;
}

Description describe_one(const relay::Problem& problem) { return describe_relay(problem, "dense"); }
Description describe_one(const relay::SparseProblem& problem) { return describe_relay(problem, "sparse"); }

/// (A C; D B), where nothing is made dense.
template <class Matrix>
Eigen::SparseMatrix<double> put_together(const Matrix& A, const Matrix& C, const Matrix& D, const Matrix& B) {
  std::vector<Eigen::Triplet<double>> entries;
  const auto add = [&](const Matrix& part, Index row, Index column) {
    const Eigen::SparseMatrix<double> stored = [&] {
      if constexpr (std::is_same_v<Matrix, Eigen::MatrixXd>) {
        return Eigen::SparseMatrix<double>(part.sparseView());
      } else {
        return part;
      }
    }();
    for (Index j = 0; j < stored.outerSize(); ++j) {
      for (Eigen::SparseMatrix<double>::InnerIterator entry(stored, j); entry; ++entry) {
        entries.emplace_back(static_cast<int>(row + entry.row()), static_cast<int>(column + j), entry.value());
      }
    }
  };
  add(A, 0, 0);
  add(C, 0, A.cols());
  add(D, A.rows(), 0);
  add(B, A.rows(), A.cols());
  Eigen::SparseMatrix<double> M(A.rows() + B.rows(), A.cols() + B.cols());
  M.setFromTriplets(entries.begin(), entries.end());
  return M;
}

template <class P>
Description describe_mlcp(const P& problem, std::string_view storage) {
  const Index n = problem.num_free(), p = problem.num_equalities(), m = problem.num_constrained();
  Description description{
      .storage = storage, .unknowns = n + m, .q_norm = std::max(norm(problem.a), norm(problem.b)), .blocks{}};
  if (const auto M = put_together(problem.A, problem.C, problem.D, problem.B); M.rows() == M.cols()) {
    describe_matrix(description, M);
  } else {
    for (const double entry : M.coeffs()) description.nonzeros += entry != 0.0 ? 1 : 0;
  }
  count(description.blocks, "equality", 1, p);
  for (Index i = 0; i < m; ++i) {
    const double lower = problem.lower.size() == 0 ? 0.0 : problem.lower[i];
    const double upper = problem.upper.size() == 0 ? std::numeric_limits<double>::infinity() : problem.upper[i];
    count(description.blocks, bound_name(lower, upper), 1);
  }
  return description;
}

Description describe_one(const mlcp::Problem& problem) { return describe_mlcp(problem, "dense"); }
Description describe_one(const mlcp::SparseProblem& problem) { return describe_mlcp(problem, "sparse"); }

Index nonzeros_of(const Eigen::MatrixXd& matrix) { return (matrix.array() != 0.0).count(); }
Index nonzeros_of(const Eigen::SparseMatrix<double>& matrix) { return (matrix.coeffs() != 0.0).count(); }

/// Of the matrix [Q, -A^T; A, 0]; what is symmetric is Q. Bounds that are not given are infinite.
template <class P>
Description describe_program(const P& problem, std::string_view storage) {
  Description description{.storage = storage, .q_norm = norm(problem.c), .blocks{}};
  describe_matrix(description, problem.Q);
  description.nonzeros += 2 * nonzeros_of(problem.A);
  const auto kind = [](const Eigen::VectorXd& lower, const Eigen::VectorXd& upper, Index i,
                       const std::array<std::string_view, 3>& free_bounded_fixed) {
    const double low = lower.size() > 0 ? lower[i] : -std::numeric_limits<double>::infinity();
    const double high = upper.size() > 0 ? upper[i] : std::numeric_limits<double>::infinity();
    return free_bounded_fixed[low == high ? 2 : std::isfinite(low) || std::isfinite(high) ? 1 : 0];
  };
  for (Index i = 0; i < problem.num_unknowns(); ++i) {
    count(description.blocks,
          kind(problem.lower, problem.upper, i, {"free unknown", "bounded unknown", "fixed unknown"}), 1);
  }
  for (Index i = 0; i < problem.num_rows(); ++i) {
    count(description.blocks, kind(problem.row_lower, problem.row_upper, i, {"free row", "inequality", "equality"}), 1);
  }
  return description;
}
Description describe_one(const qp::Problem& problem) { return describe_program(problem, "dense"); }
Description describe_one(const qp::SparseProblem& problem) { return describe_program(problem, "sparse"); }

/// Of the matrix [Q, -A^T, -G^T, -H^T; A, 0, 0, 0; G, 0, 0, 0; H, 0, 0, 0].
template <class P>
Description describe_mpcc(const P& problem, std::string_view storage) {
  Description description = describe_program(problem, storage);
  description.nonzeros += 2 * (nonzeros_of(problem.G) + nonzeros_of(problem.H));
  count(description.blocks, "complementary pair", 2, problem.num_pairs());
  return description;
}
Description describe_one(const mpcc::Problem& problem) { return describe_mpcc(problem, "dense"); }
Description describe_one(const mpcc::SparseProblem& problem) { return describe_mpcc(problem, "sparse"); }

/// Of f'' and the Jacobians at the start.
Description describe_one(const NonlinearMpcc& problem) {
  const mpcc::NonlinearProblem& program = problem.program;
  const Index n = problem.num_unknowns();
  const Eigen::VectorXd x = problem.start.size() > 0 ? problem.start : Eigen::VectorXd::Zero(n).eval();
  const auto slopes = [&](const NonlinearMap& map) {  // what is not finite is shown as it is
    Eigen::SparseMatrix<double> J(map.num_values, n);
    if (map.num_values > 0) map.jacobian(x, J);
    return J;
  };
  mpcc::SparseProblem linear{.Q = Eigen::SparseMatrix<double>(n, n),
                             .c = Eigen::MatrixXd(slopes(program.f)).row(0).transpose(),
                             .A = slopes(program.c),
                             .row_lower = program.row_lower,
                             .row_upper = program.row_upper,
                             .lower = program.lower,
                             .upper = program.upper,
                             .G = slopes(program.G),
                             .g = Eigen::VectorXd::Zero(problem.num_pairs()),
                             .H = slopes(program.H),
                             .h = Eigen::VectorXd::Zero(problem.num_pairs())};
  program.hessian(x, Eigen::VectorXd::Zero(problem.num_rows()), linear.g, linear.g, linear.Q);
  return describe_mpcc(linear, "sparse");
}

/// Of the matrix [0, A^T, G^T; A, 0, 0; G, 0, 0].
Description describe_one(const cone_program::Problem& problem) {
  Description description{.storage = "sparse",
                          .nonzeros = 2 * (nonzeros_of(problem.A) + nonzeros_of(problem.G)),
                          .asymmetry = 0.0,
                          .q_norm = std::max({norm(problem.c), norm(problem.b), norm(problem.h)}),
                          .blocks{}};
  count(description.blocks, "free unknown", 1, problem.num_unknowns());
  count(description.blocks, "equality", 1, problem.num_equations());
  count(description.blocks, "inequality", 1, problem.orthant);
  for (const Index rows : problem.cones) count(description.blocks, "second-order cone", rows);
  return description;
}

/// Of F and its Jacobian at the start, within the bounds.
Description describe_one(const mcp::Problem& problem) {
  Eigen::VectorXd x = problem.start.size() > 0 ? problem.start : Eigen::VectorXd::Zero(problem.size()).eval();
  x = x.cwiseMax(problem.lower).cwiseMin(problem.upper);
  Eigen::VectorXd f(problem.size());
  Eigen::SparseMatrix<double> J(problem.size(), problem.size());
  static_cast<void>(evaluate(problem.F, x, f));  // what is not finite is shown as it is
  static_cast<void>(evaluate_jacobian(problem.F, x, f, problem.lower, problem.upper, J));
  Description description{.storage = "sparse", .q_norm = norm(f), .blocks{}};
  describe_matrix(description, J);
  for (Index i = 0; i < problem.size(); ++i) {
    count(description.blocks, bound_name(problem.lower[i], problem.upper[i]), 1);
  }
  return description;
}

/// Without slopes no side moves.
Description describe_inequality(const AffineVi& problem, const std::vector<AffineQuasiVi::Slopes>& slopes) {
  Description description{.storage = problem.is_sparse() ? "sparse" : "dense", .q_norm = norm(problem.q), .blocks{}};
  std::visit([&](const auto& M) { describe_matrix(description, M); }, problem.M);
  for (std::size_t i = 0; i < problem.parts.size(); ++i) {
    const AffineVi::Part& part = problem.parts[i];
    const bool moves = !slopes.empty() && slopes[i].B.size() + slopes[i].D.size() > 0;
    if (const auto* const blocks = std::get_if<ProductSet>(&part)) {
      count_sets(description.blocks, *blocks);
    } else if (const auto* const box = std::get_if<vi::Box>(&part)) {
      for (Index row = 0; row < box->lower.size(); ++row) {
        count(description.blocks, bound_name(box->lower[row], box->upper[row]), 1);
      }
    } else {
      count(description.blocks, moves ? "moving polyhedron" : name_of(part), num_rows_of(part));
    }
  }
  return description;
}
Description describe_one(const AffineVi& problem) { return describe_inequality(problem, {}); }
Description describe_one(const AffineQuasiVi& problem) {
  Description description = describe_inequality(problem.base, problem.slopes);
  if (problem.t.size() > 0) count(description.blocks, "translation", problem.size());
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
