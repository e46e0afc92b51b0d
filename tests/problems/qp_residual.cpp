// SPDX-License-Identifier: Apache-2.0
#include <problems/qp_residual.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace nonsmooth::problems {
namespace {

using Wide = long double;
using WideVector = Eigen::Matrix<Wide, Eigen::Dynamic, 1>;
using WideMatrix = Eigen::Matrix<Wide, Eigen::Dynamic, Eigen::Dynamic>;

constexpr Wide rounding = 64 * Wide(std::numeric_limits<double>::epsilon());

/// A program and (x, y) in extended precision, with every bound.
struct WideProgram {
  WideMatrix Q, A;
  WideVector c, x, y, low, high, row_low, row_high;

  WideProgram(const qp::Problem& problem, const Eigen::VectorXd& at, const Eigen::VectorXd& multipliers)
      : Q(problem.Q.cast<Wide>()),
        A(problem.A.cast<Wide>()),
        c(problem.c.cast<Wide>()),
        x(at.cast<Wide>()),
        y(multipliers.cast<Wide>()),
        low(filled(problem.lower, x.size(), -std::numeric_limits<double>::infinity())),
        high(filled(problem.upper, x.size(), std::numeric_limits<double>::infinity())),
        row_low(filled(problem.row_lower, y.size(), -std::numeric_limits<double>::infinity())),
        row_high(filled(problem.row_upper, y.size(), std::numeric_limits<double>::infinity())) {
    if (A.rows() == 0) A.resize(0, x.size());
    nearest = low.cwiseMax(WideVector::Zero(x.size())).cwiseMin(high);
    row_nearest = row_low.cwiseMax(WideVector::Zero(y.size())).cwiseMin(row_high);
    Qx = Q * x;
    Ax = A * x;
    s = Qx + c - A.transpose() * y;
    row_terms = A.cwiseAbs() * x.cwiseAbs();
    slope_terms = Q.cwiseAbs() * x.cwiseAbs() + c.cwiseAbs() + A.cwiseAbs().transpose() * y.cwiseAbs();
  }
  static WideVector filled(const Eigen::VectorXd& bounds, Index size, double none) {
    return bounds.size() > 0 ? WideVector(bounds.cast<Wide>()) : WideVector(WideVector::Constant(size, none));
  }

  WideVector nearest, row_nearest, Qx, Ax, s, row_terms, slope_terms;
};

Wide largest(const WideVector& v) { return v.size() > 0 ? v.cwiseAbs().maxCoeff() : 0.0L; }

Wide over(Wide error, Wide scale, Wide otherwise) {
  return error <= 0 ? 0.0L : error / (scale > 0 ? scale : otherwise);
}

/// The bound that a multiplier pushes on, infinite where that is not there.
Wide pushed(Wide multiplier, Wide low, Wide high) { return multiplier > 0 ? low : high; }

/// How far values are outside of their bounds: over the largest bound that counts, or each over its own size. `could`:
/// what values that are 0 up to rounding could be.
Wide outside(const WideVector& value, const WideVector& low, const WideVector& high, const WideVector& multiplier,
             const WideVector& terms, Wide scale, const WideVector& own, const WideVector& could) {
  Wide error = 0, worst = 0, most = 0;
  bool zero = true;
  for (Index k = 0; k < value.size(); ++k) {
    const Wide off = std::max({low[k] - value[k], value[k] - high[k], 0.0L});
    error = std::max(error, off);
    const Wide violated = std::abs(value[k] < low[k] ? low[k] : high[k]), at = pushed(multiplier[k], low[k], high[k]);
    if (off > 0) scale = std::max(scale, violated);
    if (off == 0 && multiplier[k] != 0 && std::isfinite(at)) scale = std::max(scale, std::min(std::abs(at), terms[k]));
    const Wide size = std::max(violated, own[k]);
    if (off > 0 && size > 0) worst = std::max(worst, off / (size + terms[k]));
    if (off > 0) {
      zero = zero && terms[k] <= rounding * could[k];
      most = std::max(most, could[k]);
    }
  }
  if (scale == 0 && zero) scale = most;
  return std::max(worst, over(error, scale, largest(terms)));
}

/// max_j |M_ij| size_j.
WideVector row_sizes(const WideMatrix& M, const WideVector& size) {
  if (M.rows() == 0) return WideVector(0);
  return (M.cwiseAbs() * size.asDiagonal()).rowwise().maxCoeff();
}

/// max_j size_j / |M_ij| over entries that are not 0.
WideVector quotients(const WideMatrix& M, const WideVector& size) {
  WideVector found = WideVector::Zero(M.rows());
  for (Index i = 0; i < M.rows(); ++i)
    for (Index j = 0; j < M.cols(); ++j)
      if (M(i, j) != 0) found[i] = std::max(found[i], std::abs(size[j] / M(i, j)));
  return found;
}

WideVector slope_sizes(const WideProgram& at) { return at.c.cwiseAbs() + at.Qx.cwiseAbs(); }

/// max_i |M_ij| size_i.
WideVector column_sizes(const WideMatrix& M, const WideVector& size) {
  return M.rows() > 0 ? row_sizes(M.transpose(), size) : WideVector(WideVector::Zero(M.cols()));
}

/// What slopes ask of each multiplier, by itself and through up to two other rows.
WideVector asked_multipliers(const WideProgram& at, const WideVector& slope) {
  WideVector asked = quotients(at.A, slope);
  for (int hop = 0; hop < 2; ++hop) {
    WideVector handed = quotients(at.A, column_sizes(at.A, asked));
    for (Index i = 0; i < asked.size(); ++i) {
      const Wide entry = largest(at.A.row(i).transpose());
      if (entry > 0) handed[i] = std::min(handed[i], largest(slope) / entry);
    }
    asked = asked.cwiseMax(handed);
  }
  return asked;
}

/// How far x_j may go along `sign`.
Wide room(const WideProgram& at, Index j, int sign) {
  Wide most = sign > 0 ? at.high[j] - at.x[j] : at.x[j] - at.low[j];
  if (most <= rounding * std::abs(at.x[j])) return 0;
  for (Index i = 0; i < at.y.size(); ++i) {
    const Wide entry = at.A(i, j) * sign;
    if (entry == 0) continue;
    const Wide slack = entry > 0 ? at.row_high[i] - at.Ax[i] : at.Ax[i] - at.row_low[i];
    most = std::min(most, slack <= rounding * at.row_terms[i] ? 0.0L : slack / std::abs(entry));
  }
  return most;
}

/// The most that the value falls by along one unknown, and the dual value by one slope that nothing balances.
Wide falls(const WideProgram& at) {
  Wide most = 0;
  for (Index j = 0; j < at.x.size(); ++j) {
    const Wide curvature = at.Q(j, j), slope = at.c[j] + at.Qx[j];
    const bool open = !std::isfinite(pushed(at.s[j], at.low[j], at.high[j]));
    if (curvature > 0 && open && std::abs(at.s[j]) > rounding * at.slope_terms[j])
      most = std::max(most, at.s[j] * at.s[j] / (2 * curvature));
    if (std::abs(slope) <= rounding * at.slope_terms[j]) continue;
    Wide step = room(at, j, slope > 0 ? -1 : 1);
    if (curvature > 0) step = std::min(step, std::abs(slope) / curvature);
    if (std::isfinite(step)) most = std::max(most, std::abs(slope) * step - curvature * step * step / 2);
  }
  return most;
}

/// Multipliers times distances, and the largest of what the value is made of.
struct Products {
  Wide sum = 0, size = 0;
};

Products products(const WideProgram& at) {
  const WideVector slope = slope_sizes(at), asked = asked_multipliers(at, slope);
  const WideVector of_x = at.x.cwiseAbs();
  const Wide curved = at.x.dot(at.Qx) / 2,
             parts = of_x.dot(at.Q.cwiseAbs() * of_x) / 2;  // known to rounding of its parts
  Products found{.size = std::max({std::abs(curved), rounding * parts, largest(at.c.cwiseProduct(at.x))})};
  WideVector most = slope;
  for (Index i = 0; i < at.y.size(); ++i) {
    const Wide bound = pushed(at.y[i], at.row_low[i], at.row_high[i]);
    if (at.y[i] == 0) continue;
    const Wide counted = std::min(std::abs(at.y[i]), asked[i]);
    most = most.cwiseMax(counted * at.A.row(i).transpose().cwiseAbs());
    if (!std::isfinite(bound)) continue;
    const Wide off = std::abs(at.Ax[i] - bound), terms = at.row_terms[i] + std::abs(bound);
    found.sum += (counted == 0 || off <= rounding * terms ? counted : std::abs(at.y[i])) * off;
    found.size = std::max(found.size, std::abs(counted * bound));
  }
  for (Index j = 0; j < at.s.size(); ++j) {
    const Wide bound = pushed(at.s[j], at.low[j], at.high[j]);
    if (at.s[j] == 0 || !std::isfinite(bound)) continue;
    const Wide counted = std::min(std::abs(at.s[j]), most[j]);
    const Wide off = std::abs(at.x[j] - bound), terms = std::abs(at.x[j]) + std::abs(bound);
    found.sum += (counted == 0 || off <= rounding * terms ? counted : std::abs(at.s[j])) * off;
    found.size = std::max(found.size, std::abs(counted * bound));
  }
  return found;
}

/// The largest part of each row, at x or with an unknown at its first bound that is not 0.
WideVector reached_rows(const WideProgram& at) {
  WideVector first(at.x.size());
  for (Index j = 0; j < at.x.size(); ++j) {
    first[j] = std::numeric_limits<Wide>::infinity();
    for (const Wide bound : {at.low[j], at.high[j]})
      if (bound != 0) first[j] = std::min(first[j], std::abs(bound));
    for (Index i = 0; i < at.y.size(); ++i)
      for (const Wide bound : {at.row_low[i], at.row_high[i]})
        if (bound != 0 && at.A(i, j) != 0) first[j] = std::min(first[j], std::abs(bound / at.A(i, j)));
    if (!std::isfinite(first[j])) first[j] = 0;
  }
  return at.row_terms.cwiseMax(row_sizes(at.A, first));
}

Wide slopes(const WideProgram& at, const WideVector& of_x, Wide value) {
  const WideVector reached = reached_rows(at);
  const WideVector of_y = quotients(at.A, at.c);
  const WideVector otherwise =
      row_sizes(at.Q, of_x)
          .cwiseMax(at.A.rows() > 0 ? row_sizes(at.A.transpose(), of_y) : WideVector(WideVector::Zero(at.x.size())));
  Wide error = 0, worst = 0;
  for (Index j = 0; j < at.s.size(); ++j) {
    if (at.s[j] == 0 || std::isfinite(pushed(at.s[j], at.low[j], at.high[j]))) continue;
    const Wide off = std::abs(at.s[j]), most = largest(slope_sizes(at));
    Wide unknown = std::max(std::abs(at.x[j]), of_x[j]);
    // Nothing balances the slope of an unknown along which the value falls forever.
    const bool forever = at.Q(j, j) == 0 && !std::isfinite(room(at, j, at.c[j] > 0 ? -1 : 1));
    if (forever && std::abs(at.c[j]) > rounding * largest(at.c)) worst = std::max(worst, 1.0L);
    for (Index i = 0; i < at.y.size(); ++i) {
      if (at.y[i] != 0 && at.A(i, j) != 0) unknown = std::max(unknown, reached[i] / std::abs(at.A(i, j)));
    }
    const Wide of_value = unknown > 0 ? std::min(most, value / unknown) : most;
    const Wide size = std::max({std::abs(at.c[j]), otherwise[j], of_value});
    error = std::max(error, off);
    if (size > 0) worst = std::max(worst, off / (size + at.slope_terms[j]));
  }
  for (Index i = 0; i < at.y.size(); ++i) {
    if (at.y[i] == 0 || std::isfinite(pushed(at.y[i], at.row_low[i], at.row_high[i]))) continue;
    const Wide off = std::abs(at.y[i]);
    error = std::max(error, off * largest(at.A.row(i).transpose()));
    if (of_y[i] > 0) worst = std::max(worst, off / (of_y[i] + off));
  }
  const Wide scale = std::max(largest(at.c), largest(at.Q * at.nearest + at.c));
  return std::max(worst, over(error, scale, largest(at.slope_terms)));
}

}  // namespace

double independent_residual(const qp::Problem& problem, const Eigen::VectorXd& x, const Eigen::VectorXd& y) {
  const WideProgram at(problem, x, y);
  WideVector of_x = at.nearest.cwiseAbs();
  for (Index j = 0; j < x.size(); ++j) {
    if (at.Q(j, j) > 0) of_x[j] = std::max(of_x[j], std::abs(at.c[j]) / at.Q(j, j));
  }
  if (at.A.rows() > 0) of_x = of_x.cwiseMax(quotients(at.A.transpose(), at.row_nearest));
  const Products work = products(at);
  const Wide most = largest(of_x.cwiseProduct(at.c));
  const bool told = work.size > rounding * most;
  const Wide value = told ? work.size : most > 0 ? most : std::numeric_limits<Wide>::infinity();
  const Wide slope = slopes(at, of_x, value);
  const WideVector steepness = slope_sizes(at);
  WideVector could(x.size());
  const auto by_value = [&](Index j, Wide all) {
    Wide size = largest(at.x);
    if (steepness[j] > 0) size = std::min(size, all / steepness[j]);
    if (at.Q(j, j) > 0) size = std::min(size, std::sqrt(2 * all / at.Q(j, j)));
    return size;
  };
  Wide alone_falls = 0;
  for (Index j = 0; j < x.size(); ++j) {
    const Wide alone = at.Q(j, j) > 0 ? std::abs(at.c[j]) / at.Q(j, j) : 0.0L;
    could[j] = std::max(alone, by_value(j, work.size));
    alone_falls = std::max(alone_falls, std::abs(at.c[j]) * alone);
    if (steepness[j] > 0 || of_x[j] <= rounding * largest(at.x)) of_x[j] = std::max(of_x[j], by_value(j, value));
  }
  const Wide rows = outside(at.Ax, at.row_low, at.row_high, at.y, at.row_terms, largest(at.A * at.nearest),
                            row_sizes(at.A, of_x), row_sizes(at.A, could));
  const Wide bounds = outside(at.x, at.low, at.high, at.s, at.x.cwiseAbs(), 0.0L, of_x, WideVector::Zero(x.size()));
  const bool nothing = std::max(work.size, work.sum) <= rounding * alone_falls;
  const Wide off = std::max(work.sum, falls(at));
  return static_cast<double>(std::max({rows, bounds, slope, over(off, nothing ? alone_falls : work.size, off)}));
}

}  // namespace nonsmooth::problems
