// SPDX-License-Identifier: Apache-2.0
#include <problems/program_judge.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <Eigen/QR>

#include <problems/quad.hpp>

namespace nonsmooth::problems {
namespace {

using Eigen::MatrixXd, Eigen::VectorXd;
using mpcc::Stationarity;

constexpr double no_end = std::numeric_limits<double>::infinity();
constexpr double double_eps = std::numeric_limits<double>::epsilon();

/// A sum of products with the sum of their sizes.
struct QuadSum {
  Quad value = 0, terms = 0;

  void add(double a, double b) {
    const Quad term = static_cast<Quad>(a) * b;
    value += term;
    terms += absolute(term);
  }
  [[nodiscard]] bool vanishes(double part) const { return absolute(value) <= part * terms; }
};

template <class Row>
QuadSum quad_product(const Row& row, const VectorXd& x) {
  QuadSum sum;
  for (Index j = 0; j < x.size(); ++j) sum.add(row[j], x[j]);
  return sum;
}

double bound_or(const VectorXd& bounds, Index i, double none) { return bounds.size() > 0 ? bounds[i] : none; }

/// BoundedRows of a program with both bounds, whatever its family.
struct BoundedRows {
  MatrixXd A;
  VectorXd low, high;
};

void append(BoundedRows& rows, const MatrixXd& A, const VectorXd& low, const VectorXd& high) {
  const Index m = rows.A.rows(), more = A.rows();
  if (more == 0) return;
  rows.A.conservativeResize(m + more, A.cols());
  rows.low.conservativeResize(m + more);
  rows.high.conservativeResize(m + more);
  rows.A.bottomRows(more) = A;
  for (Index i = 0; i < more; ++i) {
    rows.low[m + i] = bound_or(low, i, -no_end);
    rows.high[m + i] = bound_or(high, i, no_end);
  }
}

bool farkas(const BoundedRows& rows, const VectorXd& lower, const VectorXd& upper, const VectorXd& y) {
  const Index m = rows.A.rows(), n = rows.A.cols();
  if (y.size() != m || !y.allFinite()) return false;
  Quad least = 0, most = 0;  // of y^T t and of r^T x
  for (Index i = 0; i < m; ++i) {
    if (y[i] == 0.0) continue;
    const double at = y[i] > 0.0 ? rows.low[i] : rows.high[i];
    if (!std::isfinite(at)) return false;
    least += static_cast<Quad>(y[i]) * at;
  }
  for (Index j = 0; j < n; ++j) {
    const QuadSum r = quad_product(rows.A.col(j), y);
    const double at = r.value > 0 ? bound_or(upper, j, no_end) : bound_or(lower, j, -no_end);
    if (std::isfinite(at)) {
      most += r.value * at;
    } else if (!r.vanishes(8.0 * double_eps)) {
      return false;
    }
  }
  return most < least;
}

/// No row or bound is left along d.
bool recedes(const BoundedRows& rows, const VectorXd& lower, const VectorXd& upper, const VectorXd& d) {
  for (Index i = 0; i < rows.A.rows(); ++i) {
    const QuadSum moved = quad_product(rows.A.row(i), d);
    if (moved.vanishes(8.0 * double_eps)) continue;
    if (std::isfinite(moved.value > 0 ? rows.high[i] : rows.low[i])) return false;
  }
  for (Index j = 0; j < d.size(); ++j) {
    if (d[j] > 0.0 && std::isfinite(bound_or(upper, j, no_end))) return false;
    if (d[j] < 0.0 && std::isfinite(bound_or(lower, j, -no_end))) return false;
  }
  return true;
}

BoundedRows rows_of(const qp::Problem& problem) {
  BoundedRows rows{MatrixXd(0, problem.num_unknowns()), {}, {}};
  append(rows, problem.A, problem.row_lower, problem.row_upper);
  return rows;
}

BoundedRows rows_of(const mpcc::Problem& problem) {
  BoundedRows rows{MatrixXd(0, problem.num_unknowns()), {}, {}};
  append(rows, problem.A, problem.row_lower, problem.row_upper);
  append(rows, problem.G, -problem.g, {});
  append(rows, problem.H, -problem.h, {});
  return rows;
}

/// Each half-line and cone by its first row and its size.
template <class Visit>
bool each_cone(const cone_program::Problem& problem, const Visit& holds) {
  for (Index i = 0; i < problem.orthant; ++i) {
    if (!holds(i, Index{1})) return false;
  }
  Index first = problem.orthant;
  for (const Index size : problem.cones) {
    if (!holds(first, size)) return false;
    first += size;
  }
  return true;
}

/// A side of a pair, and what it is compared with.
struct SideValue {
  double value, terms;
};
SideValue side(const MatrixXd& G, const VectorXd& g, Index i, const VectorXd& x) {
  const QuadSum sum = quad_product(G.row(i), x);
  const double least = 1e-4 * G.row(i).cwiseAbs().maxCoeff() * x.cwiseAbs().maxCoeff();  // of an x_j that rounding left
  return {static_cast<double>(sum.value + g[i]), std::abs(g[i]) + static_cast<double>(sum.terms) + least};
}

double slope_size(const mpcc::Problem& problem, const VectorXd& x) {
  return problem.c.cwiseAbs().maxCoeff() + (problem.Q.cwiseAbs() * x.cwiseAbs()).maxCoeff();
}

/// |slope - sum_k w_k columns_k| at the least over w >= 0, by active sets (Lawson, Hanson).
double least_distance(const MatrixXd& columns, const VectorXd& slope) {
  const Index count = columns.cols();
  VectorXd w = VectorXd::Zero(count), rest = slope;
  std::vector<Index> used;
  for (Index pass = 0; pass < 4 * count + 4; ++pass) {
    Index best = -1;
    double most = 1e-12 * slope.norm();
    for (Index k = 0; k < count; ++k) {
      const double gain = columns.col(k).dot(rest);
      if (gain <= most || std::find(used.begin(), used.end(), k) != used.end()) continue;
      most = gain;
      best = k;
    }
    if (best < 0) break;
    used.push_back(best);
    for (;;) {
      MatrixXd chosen(slope.size(), static_cast<Index>(used.size()));
      for (std::size_t i = 0; i < used.size(); ++i) chosen.col(static_cast<Index>(i)) = columns.col(used[i]);
      const VectorXd fit = chosen.colPivHouseholderQr().solve(slope);
      double length = 1.0;
      std::size_t leaves = used.size();
      for (std::size_t i = 0; i < used.size(); ++i) {
        const double now = w[used[i]], then = fit[static_cast<Index>(i)];
        if (then > 0.0 || now - then <= 0.0) continue;
        if (now / (now - then) >= length) continue;
        length = now / (now - then);
        leaves = i;
      }
      for (std::size_t i = 0; i < used.size(); ++i) w[used[i]] += length * (fit[static_cast<Index>(i)] - w[used[i]]);
      if (leaves == used.size()) break;
      w[used[leaves]] = 0.0;
      used.erase(used.begin() + static_cast<std::ptrdiff_t>(leaves));
      if (used.empty()) break;
    }
    rest = slope - columns * w;
  }
  return rest.norm();
}

/// Columns with the unit norm of what multipliers >= 0 push along.
class Pushes {
 public:
  template <class Row>
  void add(const Row& row, double sign) {
    VectorXd column = sign * VectorXd(row);
    const double norm = column.norm();
    if (norm > 0.0) columns_.push_back(column / norm);
  }
  [[nodiscard]] MatrixXd matrix(Index n) const {
    MatrixXd all(n, static_cast<Index>(columns_.size()));
    for (std::size_t k = 0; k < columns_.size(); ++k) all.col(static_cast<Index>(k)) = columns_[k];
    return all;
  }

 private:
  std::vector<VectorXd> columns_;
};

/// Of the rows and bounds that x is at.
Pushes active_pushes(const mpcc::Problem& problem, const VectorXd& x, double near) {
  Pushes pushes;
  const Index m = problem.A.rows();
  for (Index i = 0; i < m; ++i) {
    const QuadSum row = quad_product(problem.A.row(i), x);
    const double low = bound_or(problem.row_lower, i, -no_end), high = bound_or(problem.row_upper, i, no_end);
    const double terms = static_cast<double>(row.terms), value = static_cast<double>(row.value);
    if (value - low <= near * (terms + std::abs(low))) pushes.add(problem.A.row(i), 1.0);
    if (high - value <= near * (terms + std::abs(high))) pushes.add(problem.A.row(i), -1.0);
  }
  for (Index j = 0; j < x.size(); ++j) {
    const double low = bound_or(problem.lower, j, -no_end), high = bound_or(problem.upper, j, no_end);
    const auto at = [&](double end) { return end != 0.0 ? std::abs(end) : x.cwiseAbs().maxCoeff(); };
    if (std::isfinite(low) && x[j] - low <= near * at(low)) pushes.add(VectorXd::Unit(x.size(), j), 1.0);
    if (std::isfinite(high) && high - x[j] <= near * at(high)) pushes.add(VectorXd::Unit(x.size(), j), -1.0);
  }
  return pushes;
}

}  // namespace

bool farkas_holds(const qp::Problem& problem, const VectorXd& y) {
  return farkas(rows_of(problem), problem.lower, problem.upper, y);
}

bool ray_holds(const qp::Problem& problem, const VectorXd& d) {
  if (d.size() != problem.num_unknowns() || !d.allFinite()) return false;
  for (Index i = 0; i < d.size(); ++i) {
    if (!quad_product(problem.Q.row(i), d).vanishes(8.0 * double_eps)) return false;
  }
  return recedes(rows_of(problem), problem.lower, problem.upper, d) && quad_product(problem.c, d).value < 0;
}

bool farkas_holds(const cone_program::Problem& problem, const VectorXd& multipliers) {
  const Index p = problem.b.size(), m = problem.h.size(), n = problem.c.size();
  if (multipliers.size() != p + m || !multipliers.allFinite()) return false;
  bool curved = false;
  const bool inside = each_cone(problem, [&](Index first, Index size) {
    Quad square = 0;
    for (Index i = 1; i < size; ++i)
      square += static_cast<Quad>(multipliers[p + first + i]) * multipliers[p + first + i];
    curved = curved || (first >= problem.orthant && multipliers[p + first] != 0.0);
    return multipliers[p + first] >= 0.0 && root(square) <= multipliers[p + first] * (1 + Quad(16 * double_eps));
  });
  QuadSum value;
  std::vector<QuadSum> columns(static_cast<std::size_t>(n));
  const auto add = [&](const Eigen::SparseMatrix<double>& matrix, Index first) {
    const MatrixXd full = matrix;
    for (Index j = 0; j < full.cols(); ++j) {
      for (Index i = 0; i < full.rows(); ++i)
        columns[static_cast<std::size_t>(j)].add(full(i, j), multipliers[first + i]);
    }
  };
  if (p > 0) add(problem.A, 0);
  if (m > 0) add(problem.G, p);
  for (Index i = 0; i < p + m; ++i) value.add(i < p ? problem.b[i] : problem.h[i - p], multipliers[i]);
  const double part = curved ? 1.01e-9 : 128.0 * double_eps;
  return inside && value.value < 0 && !value.vanishes(0.99 * (curved ? 1e-9 : 64.0 * double_eps)) &&
         std::all_of(columns.begin(), columns.end(), [part](const QuadSum& sum) { return sum.vanishes(part); });
}

bool ray_holds(const cone_program::Problem& problem, const VectorXd& d) {
  if (d.size() != problem.c.size() || !d.allFinite()) return false;
  const double part = problem.cones.empty() ? 128.0 * double_eps : 1.01e-9;
  const MatrixXd A = problem.A, G = problem.G;
  // What c^T d may lose where the errors of d are taken away, one unknown of each row moved.
  Quad repair = 0;
  const auto dearest = [&](const auto& row) {
    Quad most = 0;
    for (Index j = 0; j < row.size(); ++j)
      if (row[j] != 0.0) most = std::max(most, absolute(static_cast<Quad>(problem.c[j]) / row[j]));
    return most;
  };
  for (Index i = 0; i < problem.b.size(); ++i) {
    const QuadSum row = quad_product(A.row(i), d);
    if (!row.vanishes(part)) return false;
    repair += absolute(row.value) * dearest(A.row(i));
  }
  const bool inside = each_cone(problem, [&](Index first, Index size) {
    Quad square = 0, largest = 0, cost = dearest(G.row(first));
    const QuadSum head = quad_product(G.row(first), d);
    largest = head.terms;
    for (Index i = 1; i < size; ++i) {
      const QuadSum row = quad_product(G.row(first + i), d);
      square += row.value * row.value;
      largest = std::max(largest, row.terms);
      cost = std::max(cost, dearest(G.row(first + i)));
    }
    // What leaves a cone by a distance e has |tail| - head up to sqrt(2) e.
    const Quad off = root(square) + head.value;
    if (off > 0) repair += off * cost;
    return off <= Quad(1.42 * part) * largest;
  });
  return inside && quad_product(problem.c, d).value < -repair;
}

bool farkas_holds(const mpcc::Problem& problem, const VectorXd& multipliers) {
  return farkas(rows_of(problem), problem.lower, problem.upper, multipliers);
}

bool ray_holds(const mpcc::Problem& problem, const VectorXd& x, const VectorXd& d) {
  const Index n = problem.num_unknowns();
  if (x.size() != n || d.size() != n || !x.allFinite() || !d.allFinite()) return false;
  constexpr double near = 1e-8;
  if (!recedes(rows_of(problem), problem.lower, problem.upper, d)) return false;
  for (Index i = 0; i < problem.A.rows(); ++i) {
    const QuadSum row = quad_product(problem.A.row(i), x);
    const double low = bound_or(problem.row_lower, i, -no_end), high = bound_or(problem.row_upper, i, no_end);
    if (low - row.value > near * (row.terms + std::abs(low)) || row.value - high > near * (row.terms + std::abs(high)))
      return false;
  }
  for (Index i = 0; i < problem.num_pairs(); ++i) {
    const SideValue a = side(problem.G, problem.g, i, x), b = side(problem.H, problem.h, i, x);
    if (a.value < -near * a.terms || b.value < -near * b.terms) return false;
    const bool stays_G = a.value <= near * a.terms && quad_product(problem.G.row(i), d).vanishes(8.0 * double_eps);
    const bool stays_H = b.value <= near * b.terms && quad_product(problem.H.row(i), d).vanishes(8.0 * double_eps);
    if (!stays_G && !stays_H) return false;
  }
  QuadSum slope, curvature;
  for (Index i = 0; i < n; ++i) {
    slope.add(problem.c[i], d[i]);
    for (Index j = 0; j < n; ++j) {
      const Quad Qd = static_cast<Quad>(problem.Q(i, j)) * d[j];
      slope.value += Qd * x[i], slope.terms += absolute(Qd * x[i]);
      curvature.value += Qd * d[i], curvature.terms += absolute(Qd * d[i]);
    }
  }
  return curvature.value <= 64.0 * double_eps * curvature.terms && slope.value < -64.0 * double_eps * slope.terms;
}

Stationarity stationarity_by_signs(const mpcc::Problem& problem, const VectorXd& x, const VectorXd& u,
                                   const VectorXd& v) {
  double largest = slope_size(problem, x);
  const auto push = [](const MatrixXd& rows, const VectorXd& multipliers, Index i) {
    return multipliers[i] * rows.row(i).cwiseAbs().maxCoeff();
  };
  for (Index i = 0; i < u.size(); ++i)
    largest = std::max({largest, std::abs(push(problem.G, u, i)), std::abs(push(problem.H, v, i))});
  Stationarity found = Stationarity::Strong;
  for (Index i = 0; i < u.size(); ++i) {
    const SideValue a = side(problem.G, problem.g, i, x), b = side(problem.H, problem.h, i, x);
    if (std::abs(a.value) > 1e-9 * a.terms || std::abs(b.value) > 1e-9 * b.terms) continue;
    const double of_u = push(problem.G, u, i), of_v = push(problem.H, v, i), little = 1e-7 * largest;
    const bool below_u = of_u<-little, below_v = of_v<-little, above_u = of_u> little, above_v = of_v> little;
    if ((below_u && above_v) || (above_u && below_v)) {
      found = std::min(found, Stationarity::Weak);
    } else if (below_u && below_v) {
      found = std::min(found, Stationarity::Clarke);
    } else if (below_u || below_v) {
      found = std::min(found, Stationarity::Mordukhovich);
    }
  }
  return found;
}

bool stationary_on_every_piece(const mpcc::Problem& problem, const VectorXd& x) {
  constexpr double near = 1e-6, allowed = 1e-4;
  const Index n = problem.num_unknowns(), k = problem.num_pairs();
  const VectorXd slope = problem.Q * x + problem.c;
  const Pushes rows = active_pushes(problem, x, near);
  std::vector<Index> both;
  Pushes sides = rows;
  for (Index i = 0; i < k; ++i) {
    const SideValue a = side(problem.G, problem.g, i, x), b = side(problem.H, problem.h, i, x);
    if (std::abs(a.value) <= near * a.terms && std::abs(b.value) <= near * b.terms) {
      both.push_back(i);
      continue;
    }
    const bool of_G = a.value * b.terms <= b.value * a.terms;
    for (const double sign : {1.0, -1.0}) sides.add(of_G ? problem.G.row(i) : problem.H.row(i), sign);
  }
  for (unsigned long bits = 0; bits < (1UL << both.size()); ++bits) {
    Pushes piece = sides;
    for (std::size_t j = 0; j < both.size(); ++j) {
      const bool of_G = ((bits >> j) & 1UL) != 0;
      piece.add(problem.G.row(both[j]), 1.0);
      piece.add(problem.H.row(both[j]), 1.0);
      piece.add(of_G ? problem.G.row(both[j]) : problem.H.row(both[j]), -1.0);
    }
    if (least_distance(piece.matrix(n), slope) > allowed * slope_size(problem, x)) return false;
  }
  return true;
}

}  // namespace nonsmooth::problems
