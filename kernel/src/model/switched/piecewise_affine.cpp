// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/piecewise_affine.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/qp.hpp>

#include "model/describe.hpp"

namespace nonsmooth {
namespace {

constexpr Index kMostPlanes = 8;
constexpr double kSamePlane = 1e-12;  ///< of unit normals, of two offsets, and of two functions' gradients
constexpr double kThin = 1e-9;        ///< of the offsets of the planes that bound a pattern: no inside
constexpr double kRoundOff = 64.0 * std::numeric_limits<double>::epsilon();  ///< of the largest offset, or 1
constexpr double kJump = 1e-9;                                               ///< of the terms of two fields

/// a . x = d, |a| = 1, the largest entry of a positive.
struct Plane {
  Eigen::VectorXd a;
  double d = 0.0;
};

std::string text_of_point(const Eigen::VectorXd& x) {
  std::string list = "x = (";
  for (Index k = 0; k < x.size(); ++k) list += (k > 0 ? ", " : "") + check::text(x[k]);
  return list + ")";
}

/// The distinct hyperplanes of rows, and which patterns of the signs of a_j . x - d_j occur.
class Arrangement {
 public:
  Arrangement(std::string argument, Index n) : argument_(std::move(argument)), n_(n) {}

  /// The number of a half-space row . x <= offset.
  Index add(const Eigen::VectorXd& row, double offset) {
    Index largest = 0;
    row.cwiseAbs().maxCoeff(&largest);
    const int orientation = row[largest] > 0.0 ? 1 : -1;
    const double length = orientation * row.norm();
    rows_.push_back({{row / length, offset / length}, -1, orientation});
    return static_cast<Index>(rows_.size()) - 1;
  }
  /// The distinct planes of all rows, then a point inside of each pattern that occurs.
  void find_patterns() {
    if (rows_.empty()) return;
    for (const Row& row : rows_) largest_ = std::max(largest_, std::abs(row.plane.d));
    for (Row& row : rows_) {
      for (Index j = 0; j < count() && row.number < 0; ++j) {
        const Plane& own = planes_[static_cast<std::size_t>(j)];
        const int turn = same(own, row.plane, 1) ? 1 : same(own, row.plane, -1) ? -1 : 0;
        if (turn == 0) continue;
        row.number = j;
        row.orientation *= turn;
      }
      if (row.number >= 0) continue;
      row.number = count();
      planes_.push_back(row.plane);
      check::within(argument_ + ": distinct hyperplanes", count(), 1, kMostPlanes);
    }
    for (Index pattern = 0; pattern < num_patterns(); ++pattern) insides_.push_back(inside_of(pattern));
  }
  /// The sign of a row's row . x - offset on a pattern.
  [[nodiscard]] int side(Index pattern, Index row) const {
    const Row& own = rows_[static_cast<std::size_t>(row)];
    return own.orientation * sign(pattern, own.number);
  }
  /// Two patterns with a facet in common: they differ in planes that are parallel, and no pattern lies between. The
  /// first of these planes; -1: they have none.
  [[nodiscard]] Index common_facet(Index one, Index other) const {
    const Index differing = one ^ other;
    if (differing == 0 || !inside(one) || !inside(other)) return -1;
    const Index first = std::countr_zero(static_cast<std::uint32_t>(differing));
    for (Index j = first + 1; j < count(); ++j) {
      if ((differing >> j & 1) == 0) continue;
      const double off = std::min((normal(j) - normal(first)).norm(), (normal(j) + normal(first)).norm());
      if (off > kThin) return -1;
    }
    for (Index part = (differing - 1) & differing; part > 0; part = (part - 1) & differing)
      if (inside(one ^ part)) return -1;
    return first;
  }
  [[nodiscard]] Index count() const noexcept { return static_cast<Index>(planes_.size()); }
  [[nodiscard]] Index num_patterns() const noexcept { return Index{1} << count(); }
  [[nodiscard]] static int sign(Index pattern, Index plane) { return pattern >> plane & 1 ? 1 : -1; }

  [[nodiscard]] const std::optional<Eigen::VectorXd>& inside(Index pattern) const {
    return insides_[static_cast<std::size_t>(pattern)];
  }
  [[nodiscard]] const Eigen::VectorXd& normal(Index plane) const { return planes_[static_cast<std::size_t>(plane)].a; }
  /// Where the line between points inside of two patterns meets a plane.
  [[nodiscard]] Eigen::VectorXd between(Index one, Index other, Index plane) const {
    const Plane& own = planes_[static_cast<std::size_t>(plane)];
    const Eigen::VectorXd &x = *inside(one), &y = *inside(other);
    const double from = own.a.dot(x) - own.d, to = own.a.dot(y) - own.d;
    return x + from / (from - to) * (y - x);
  }
  /// The one that occurs and differs in the fewest signs; itself, if it does.
  [[nodiscard]] Index nearest(Index pattern) const {
    Index best = -1;
    int least = std::numeric_limits<int>::max();
    for (Index other = 0; other < num_patterns(); ++other) {
      const int distance = std::popcount(static_cast<std::uint32_t>(pattern ^ other));
      if (inside(other) && distance < least) best = other, least = distance;
    }
    return best;
  }
  [[nodiscard]] std::vector<SwitchingFunction> switches() const {
    std::vector<SwitchingFunction> list;
    for (const Plane& plane : planes_) {
      const auto own = std::make_shared<const Plane>(plane);
      list.push_back({.name = "plane " + std::to_string(list.size()),
                      .value = [own](double, ConstVectorRef x) { return own->a.dot(x) - own->d; },
                      .gradient = [own](double, ConstVectorRef, VectorRef gradient) { gradient = own->a; },
                      .rate = [](double, ConstVectorRef) { return 0.0; }});
    }
    return list;
  }
  /// Of x' = A x + b on a pattern.
  [[nodiscard]] FilippovRegion region(Index pattern, std::string name, Eigen::MatrixXd A, Eigen::VectorXd b) const {
    FilippovRegion region{.name = std::move(name)};
    for (Index j = 0; j < count(); ++j) region.signs.push_back(sign(pattern, j));
    const auto field = std::make_shared<const std::pair<Eigen::MatrixXd, Eigen::VectorXd>>(std::move(A), std::move(b));
    region.f = [field](double, ConstVectorRef x, VectorRef value) {
      value.noalias() = field->first * x;
      value += field->second;
    };
    region.f_dx = [field](double, ConstVectorRef, MatrixRef jacobian) { jacobian = field->first; };
    return region;
  }

 private:
  struct Row {
    Plane plane;
    Index number = -1;
    int orientation = 1;  ///< the row's normal is that times the plane's, by a positive number
  };

  /// Of one plane, the second turned by 1 or -1.
  [[nodiscard]] bool same(const Plane& one, const Plane& other, int turn) const {
    const double size = std::max(std::abs(one.d), std::abs(other.d));
    return (one.a - turn * other.a).lpNorm<Eigen::Infinity>() <= kSamePlane &&
           std::abs(one.d - turn * other.d) <= kSamePlane * size + kRoundOff * std::max(1.0, largest_);
  }

  /// max r, S_j (a_j . x - d_j) - r >= 0, r <= D, in (x, r).
  [[nodiscard]] std::optional<Eigen::VectorXd> inside_of(Index pattern) const {
    const double largest = largest_ > 0.0 ? largest_ : 1.0;
    const Index p = count();
    qp::Problem problem{.Q = Eigen::MatrixXd::Zero(n_ + 1, n_ + 1),
                        .c = -Eigen::VectorXd::Unit(n_ + 1, n_),
                        .A = Eigen::MatrixXd::Constant(p, n_ + 1, -1.0),
                        .row_lower = Eigen::VectorXd(p),
                        .upper = Eigen::VectorXd::Constant(n_ + 1, std::numeric_limits<double>::infinity())};
    problem.upper[n_] = largest;
    for (Index j = 0; j < p; ++j) {
      const Plane& plane = planes_[static_cast<std::size_t>(j)];
      problem.A.row(j).head(n_) = sign(pattern, j) * plane.a.transpose();
      problem.row_lower[j] = sign(pattern, j) * plane.d;
    }
    const qp::Result result = qp::solve(problem);
    if (!result) throw InvalidArgument(argument_, "hyperplanes of which " + result.message(), "a decided program");
    const Eigen::VectorXd distances = problem.A.leftCols(n_) * result.x.head(n_) - problem.row_lower;
    const double least = distances.minCoeff();
    double bounding = 0.0;  // the largest offset of the planes that are as near
    for (Index j = 0; j < p; ++j)
      if (distances[j] <= 2.0 * least) bounding = std::max(bounding, std::abs(planes_[static_cast<std::size_t>(j)].d));
    if (!(least > std::max(kThin * bounding, kRoundOff * largest))) return {};
    return result.x.head(n_);
  }

  std::string argument_;
  Index n_;
  double largest_ = 0.0;  ///< |d_j| of all rows
  std::vector<Row> rows_;
  std::vector<Plane> planes_;
  std::vector<std::optional<Eigen::VectorXd>> insides_;
};

std::string name_of(const PiecewiseAffineSystem& system, Index cell) {
  const std::string& name = system.cells[static_cast<std::size_t>(cell)].name;
  return name.empty() ? "cell " + std::to_string(cell) : name;
}

void check_cells(const PiecewiseAffineSystem& system, Index n) {
  check::at_least("PiecewiseAffineSystem::cells: number", static_cast<Index>(system.cells.size()), 1);
  for (Index i = 0; i < static_cast<Index>(system.cells.size()); ++i) {
    const AffineCell& cell = system.cells[static_cast<std::size_t>(i)];
    const std::string who = " of " + name_of(system, i), type = "PiecewiseAffineSystem::cells: ";
    check::shape(type + "A" + who, cell.A.rows(), cell.A.cols(), n, n);
    check::finite(type + "A" + who, ConstMatrixRef(cell.A));
    if (cell.b.size() > 0) check::size(type + "b" + who, cell.b.size(), n, "n");
    check::finite(type + "b" + who, ConstVectorRef(cell.b));
    check::size(type + "e" + who, cell.e.size(), cell.E.rows(), "a row of E each");
    if (cell.E.rows() > 0) check::shape(type + "E" + who, cell.E.rows(), cell.E.cols(), cell.E.rows(), n);
    check::finite(type + "E" + who, ConstMatrixRef(cell.E));
    check::finite(type + "e" + who, ConstVectorRef(cell.e));
    for (Index row = 0; row < cell.E.rows(); ++row) {
      if (cell.E.row(row).isZero(0.0))
        throw InvalidArgument(type + "row " + std::to_string(row) + " of E" + who, "zeros", "a hyperplane");
    }
  }
}

Eigen::VectorXd offset_of(const AffineCell& cell, Index n) {
  return cell.b.size() > 0 ? cell.b : Eigen::VectorXd::Zero(n);
}

/// @throws InvalidArgument for neighbours whose fields are not one on their common facet
void check_continuity(const PiecewiseAffineSystem& system, const Arrangement& planes, const std::vector<Index>& cell_of,
                      Index n) {
  for (Index pattern = 0; pattern < planes.num_patterns(); ++pattern) {
    for (Index other = pattern + 1; other < planes.num_patterns(); ++other) {
      const Index first = cell_of[static_cast<std::size_t>(pattern)], second = cell_of[static_cast<std::size_t>(other)];
      const Index j = first == second ? -1 : planes.common_facet(pattern, other);
      if (j < 0) continue;
      const AffineCell &one = system.cells[static_cast<std::size_t>(first)],
                       &two = system.cells[static_cast<std::size_t>(second)];
      const Eigen::VectorXd x = planes.between(pattern, other, j);
      // On the facet and along it: the field's jump there, and that of its derivative within the plane.
      const Eigen::VectorXd a = planes.normal(j);
      const Eigen::MatrixXd jump = one.A - two.A, along = jump - jump * a * a.transpose();
      const Eigen::VectorXd gap = jump * x + offset_of(one, n) - offset_of(two, n);
      const double terms = (one.A.cwiseAbs() + two.A.cwiseAbs()).maxCoeff(),
                   size = ((one.A.cwiseAbs() + two.A.cwiseAbs()) * x.cwiseAbs() + offset_of(one, n).cwiseAbs() +
                           offset_of(two, n).cwiseAbs())
                              .maxCoeff();
      if (gap.lpNorm<Eigen::Infinity>() <= kJump * size && along.cwiseAbs().maxCoeff() <= kJump * terms) continue;
      throw InvalidArgument("PiecewiseAffineSystem::continuous",
                            "fields of " + name_of(system, first) + " and " + name_of(system, second) +
                                " that differ on their common facet, by " + check::text(gap.lpNorm<Eigen::Infinity>()) +
                                " at " + text_of_point(x) + " and their A along it by " +
                                check::text(along.cwiseAbs().maxCoeff()),
                            "one field there, or continuous = false");
    }
  }
}

/// The functions of one component, each two compared by the side of the plane on which they are equal.
class Comparisons {
 public:
  Comparisons(const std::vector<std::vector<AffineFunction>>& groups, Arrangement& planes) : planes_(planes) {
    for (const auto& group : groups) {
      ends_.push_back(pieces_.size() + group.size());
      for (const AffineFunction& piece : group) pieces_.push_back(&piece);
    }
    rows_.assign(pieces_.size(), std::vector<Index>(pieces_.size(), -1));
    for (std::size_t k = 0; k < pieces_.size(); ++k) {
      for (std::size_t l = 0; l < k; ++l) {
        const AffineFunction &one = *pieces_[k], &other = *pieces_[l];
        const Eigen::VectorXd difference = one.a - other.a;
        // Parallel ones never meet, and what round-off left of a difference is no normal.
        const double size = one.a.lpNorm<Eigen::Infinity>() + other.a.lpNorm<Eigen::Infinity>();
        if (difference.lpNorm<Eigen::Infinity>() > kSamePlane * size)
          rows_[k][l] = planes.add(difference, other.b - one.b);
      }
    }
  }
  /// max min on a pattern that occurs.
  [[nodiscard]] const AffineFunction& active(Index pattern) const {
    std::size_t greatest = 0, first = 0;
    for (const std::size_t end : ends_) {
      std::size_t least = first;
      for (std::size_t k = first + 1; k < end; ++k)
        if (below(pattern, k, least)) least = k;
      if (first == 0 || below(pattern, greatest, least)) greatest = least;
      first = end;
    }
    return *pieces_[greatest];
  }

 private:
  [[nodiscard]] bool below(Index pattern, std::size_t one, std::size_t other) const {
    if (one < other) return order(pattern, other, one) > 0;
    return order(pattern, one, other) < 0;
  }
  /// The sign of piece k less piece l, k > l.
  [[nodiscard]] int order(Index pattern, std::size_t k, std::size_t l) const {
    if (rows_[k][l] >= 0) return planes_.side(pattern, rows_[k][l]);
    const double gap = pieces_[k]->b - pieces_[l]->b;
    return gap < 0.0 ? -1 : gap > 0.0 ? 1 : 0;
  }

  const Arrangement& planes_;
  std::vector<const AffineFunction*> pieces_;
  std::vector<std::size_t> ends_;         ///< of groups
  std::vector<std::vector<Index>> rows_;  ///< of k less l, k > l; -1: parallel
};

}  // namespace

FilippovSystem to_filippov(const PiecewiseAffineSystem& system) {
  const Index n = system.x0.size();
  describe::check_initial("PiecewiseAffineSystem", "x0", system.x0, n);
  check_cells(system, n);
  const std::string argument = "PiecewiseAffineSystem::cells";
  Arrangement planes(argument, n);
  std::vector<std::vector<Index>> rows(system.cells.size());
  for (std::size_t i = 0; i < system.cells.size(); ++i) {
    const AffineCell& cell = system.cells[i];
    for (Index row = 0; row < cell.E.rows(); ++row) rows[i].push_back(planes.add(cell.E.row(row), cell.e[row]));
  }
  planes.find_patterns();
  if (planes.count() == 0)
    throw InvalidArgument(argument, "no hyperplane", "at least one: else a FirstOrderLinearSystem");
  std::vector<Index> cell_of(static_cast<std::size_t>(planes.num_patterns()), -1);
  std::vector<char> used(system.cells.size(), 0);
  for (Index pattern = 0; pattern < planes.num_patterns(); ++pattern) {
    if (!planes.inside(pattern)) continue;
    Index& own = cell_of[static_cast<std::size_t>(pattern)];
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const bool within =
          std::all_of(rows[i].begin(), rows[i].end(), [&](Index row) { return planes.side(pattern, row) < 0; });
      if (!within) continue;
      if (own >= 0) {
        throw InvalidArgument(argument,
                              name_of(system, own) + " and " + name_of(system, static_cast<Index>(i)) +
                                  " that overlap, at " + text_of_point(*planes.inside(pattern)),
                              "cells that meet in their boundaries alone");
      }
      own = static_cast<Index>(i);
      used[i] = 1;
    }
    if (own < 0) {
      throw InvalidArgument(argument,
                            "cells that do not cover: " + text_of_point(*planes.inside(pattern)) + " is in none",
                            "cells that cover all of R^n");
    }
  }
  for (std::size_t i = 0; i < used.size(); ++i) {
    if (!used[i])
      throw InvalidArgument(argument, name_of(system, static_cast<Index>(i)) + ", which has no inside",
                            "a cell of R^n");
  }
  if (system.continuous) check_continuity(system, planes, cell_of, n);
  FilippovSystem result{.x0 = system.x0, .switches = planes.switches(), .meaning = system.meaning, .name = system.name};
  for (Index pattern = 0; pattern < planes.num_patterns(); ++pattern) {
    const Index cell = cell_of[static_cast<std::size_t>(planes.nearest(pattern))];
    const AffineCell& own = system.cells[static_cast<std::size_t>(cell)];
    result.regions.push_back(planes.region(pattern, name_of(system, cell), own.A, offset_of(own, n)));
  }
  return result;
}

FilippovSystem to_filippov(const MaxMinSystem& system) {
  const Index n = system.x0.size();
  describe::check_initial("MaxMinSystem", "x0", system.x0, n);
  check::size("MaxMinSystem::rates", static_cast<Index>(system.rates.size()), n, "one a component of x");
  const std::string argument = "MaxMinSystem::rates";
  Arrangement planes(argument, n);
  std::vector<Comparisons> comparisons;
  for (std::size_t i = 0; i < system.rates.size(); ++i) {
    const std::string who = argument + "[" + std::to_string(i) + "]";
    if (system.rates[i].empty()) throw InvalidArgument(who, "a max of nothing", "at least one min");
    for (const auto& group : system.rates[i]) {
      if (group.empty()) throw InvalidArgument(who, "a min of nothing", "at least one function");
      for (const AffineFunction& piece : group) {
        check::size(who + ": a", piece.a.size(), n, "n");
        check::finite(who + ": a", ConstVectorRef(piece.a));
        check::finite(who + ": b", piece.b);
      }
    }
    comparisons.emplace_back(system.rates[i], planes);
  }
  planes.find_patterns();
  if (planes.count() == 0)
    throw InvalidArgument(argument, "no two functions that meet", "at least two: else a FirstOrderLinearSystem");
  FilippovSystem result{.x0 = system.x0, .switches = planes.switches(), .name = system.name};
  for (Index pattern = 0; pattern < planes.num_patterns(); ++pattern) {
    const Index own = planes.nearest(pattern);
    Eigen::MatrixXd A(n, n);
    Eigen::VectorXd b(n);
    for (Index i = 0; i < n; ++i) {
      const AffineFunction& active = comparisons[static_cast<std::size_t>(i)].active(own);
      A.row(i) = active.a.transpose();
      b[i] = active.b;
    }
    result.regions.push_back(planes.region(pattern, "", std::move(A), std::move(b)));
  }
  return result;
}

}  // namespace nonsmooth
