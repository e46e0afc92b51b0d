// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <variant>

#include <nonsmooth/io/problem_file.hpp>

namespace nonsmooth::fuzz {

/// Every value bit for bit, so that a zero keeps its sign.
inline bool same(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }

inline bool same(const ConstMatrixRef& a, const ConstMatrixRef& b) {
  if (a.rows() != b.rows() || a.cols() != b.cols()) return false;
  for (Index j = 0; j < a.cols(); ++j) {
    for (Index i = 0; i < a.rows(); ++i) {
      if (!same(a(i, j), b(i, j))) return false;
    }
  }
  return true;
}

inline bool same(const Eigen::SparseMatrix<double>& a, const Eigen::SparseMatrix<double>& b) {
  if (a.rows() != b.rows() || a.cols() != b.cols() || a.nonZeros() != b.nonZeros()) return false;
  for (Index j = 0; j < a.outerSize(); ++j) {
    Eigen::SparseMatrix<double>::InnerIterator y(b, j);
    for (Eigen::SparseMatrix<double>::InnerIterator x(a, j); x; ++x, ++y) {
      if (!y || x.row() != y.row() || !same(x.value(), y.value())) return false;
    }
  }
  return true;
}

inline bool same(const BlockSparseMatrix& a, const BlockSparseMatrix& b) {
  if (a.num_block_rows() != b.num_block_rows() || a.num_blocks() != b.num_blocks()) return false;
  for (Index i = 0; i < a.num_block_rows(); ++i) {
    if (a.offset(i + 1) != b.offset(i + 1) || a.row_begin(i + 1) != b.row_begin(i + 1)) return false;
    for (Index k = a.row_begin(i); k < a.row_begin(i + 1); ++k) {
      if (a.column(k) != b.column(k)) return false;
      const Index area = a.size(i) * a.size(a.column(k));
      if (!std::equal(a.values(k), a.values(k) + area, b.values(k), [](double x, double y) { return same(x, y); })) {
        return false;
      }
    }
  }
  return true;
}

inline bool same(const lcp::Problem& a, const lcp::Problem& b) { return same(a.M, b.M) && same(a.q, b.q); }
inline bool same(const lcp::SparseProblem& a, const lcp::SparseProblem& b) { return same(a.M, b.M) && same(a.q, b.q); }
inline bool same(const relay::Problem& a, const relay::Problem& b) {
  return same(a.M, b.M) && same(a.q, b.q) && same(a.lower, b.lower) && same(a.upper, b.upper);
}
inline bool same(const mlcp::Problem& a, const mlcp::Problem& b) {
  return same(a.A, b.A) && same(a.B, b.B) && same(a.C, b.C) && same(a.D, b.D) && same(a.a, b.a) && same(a.b, b.b) &&
         same(a.lower, b.lower) && same(a.upper, b.upper);
}
inline bool same(const ProductSet& a, const ProductSet& b) {
  if (a.num_blocks() != b.num_blocks()) return false;
  for (Index i = 0; i < a.num_blocks(); ++i) {
    if (!(a[i] == b[i]) || a.size(i) != b.size(i)) return false;
  }
  return true;
}
inline bool same(const mixed::Problem& a, const mixed::Problem& b) {
  return same(a.W, b.W) && same(a.q, b.q) && same(a.K, b.K);
}
inline bool same(const friction::GlobalProblem& a, const friction::GlobalProblem& b) {
  return same(a.A, b.A) && same(a.H, b.H) && same(a.f, b.f) && same(a.w, b.w) && same(a.K, b.K);
}

inline bool same(const relay::SparseProblem& a, const relay::SparseProblem& b) {
  return same(a.M, b.M) && same(a.q, b.q) && same(a.lower, b.lower) && same(a.upper, b.upper);
}
inline bool same(const mlcp::SparseProblem& a, const mlcp::SparseProblem& b) {
  return same(a.A, b.A) && same(a.B, b.B) && same(a.C, b.C) && same(a.D, b.D) && same(a.a, b.a) && same(a.b, b.b) &&
         same(a.lower, b.lower) && same(a.upper, b.upper);
}
inline bool same_program(const auto& a, const auto& b) {
  return same(a.Q, b.Q) && same(a.c, b.c) && same(a.A, b.A) && same(a.row_lower, b.row_lower) &&
         same(a.row_upper, b.row_upper) && same(a.lower, b.lower) && same(a.upper, b.upper);
}
inline bool same(const qp::Problem& a, const qp::Problem& b) { return same_program(a, b); }
inline bool same(const qp::SparseProblem& a, const qp::SparseProblem& b) { return same_program(a, b); }
inline bool same_pairs(const auto& a, const auto& b) {
  return same_program(a, b) && same(a.G, b.G) && same(a.g, b.g) && same(a.H, b.H) && same(a.h, b.h);
}
inline bool same(const mpcc::Problem& a, const mpcc::Problem& b) { return same_pairs(a, b); }
inline bool same(const mpcc::SparseProblem& a, const mpcc::SparseProblem& b) { return same_pairs(a, b); }
inline bool same(const cone_program::Problem& a, const cone_program::Problem& b) {
  return same(a.c, b.c) && same(a.A, b.A) && same(a.b, b.b) && same(a.G, b.G) && same(a.h, b.h) &&
         a.orthant == b.orthant && a.cones == b.cones;
}
inline bool same(const mcp::Problem&, const mcp::Problem&) { return false; }    // no file holds code
inline bool same(const NonlinearMpcc&, const NonlinearMpcc&) { return false; }  // no file holds code
inline bool same(const vi::Box& a, const vi::Box& b) { return same(a.lower, b.lower) && same(a.upper, b.upper); }
inline bool same(const vi::Ball& a, const vi::Ball& b) { return same(a.center, b.center) && same(a.radius, b.radius); }
inline bool same(const vi::HalfSpace& a, const vi::HalfSpace& b) { return same(a.a, b.a) && same(a.b, b.b); }
inline bool same(const vi::Polyhedron& a, const vi::Polyhedron& b) {
  return same(a.A, b.A) && same(a.b, b.b) && same(a.C, b.C) && same(a.d, b.d);
}
inline bool same(const AffineVi& a, const AffineVi& b);
inline bool same(const AffineQuasiVi& a, const AffineQuasiVi& b);
/// Of two variants.
inline bool same_held(const auto& a, const auto& b) {
  return a.index() == b.index() &&
         std::visit([&](const auto& value) { return same(value, std::get<std::decay_t<decltype(value)>>(b)); }, a);
}
inline bool same(const AffineVi& a, const AffineVi& b) {
  return same_held(a.M, b.M) && same(a.q, b.q) &&
         std::equal(a.parts.begin(), a.parts.end(), b.parts.begin(), b.parts.end(),
                    [](const auto& x, const auto& y) { return same_held(x, y); });
}
inline bool same(const AffineQuasiVi& a, const AffineQuasiVi& b) {
  return same(a.base, b.base) && same_held(a.T, b.T) && same(a.t, b.t) &&
         std::equal(a.slopes.begin(), a.slopes.end(), b.slopes.begin(), b.slopes.end(),
                    [](const auto& x, const auto& y) { return same(x.B, y.B) && same(x.D, y.D); });
}

/// The same family, the same shapes and the same values.
inline bool same(const AnyProblem& a, const AnyProblem& b) { return same_held(a, b); }

}  // namespace nonsmooth::fuzz
