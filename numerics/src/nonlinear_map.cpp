// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/nonlinear_map.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <internal/check.hpp>
#include <internal/round_off.hpp>
#include <nonsmooth/numerics/error.hpp>

namespace nonsmooth {
namespace {

constexpr double unbounded = std::numeric_limits<double>::infinity();

double size_of(const NonlinearMap& map, ConstVectorRef x, Index j) {
  return std::max(std::abs(x[j]), map.sizes.size() > 0 ? map.sizes[j] : 1.0);
}

/// "3", or "3 (demand)" where there are names.
std::string named(Index i, const std::vector<std::string>& names) {
  std::string text = std::to_string(i);
  if (static_cast<std::size_t>(i) < names.size()) text += " (" + names[static_cast<std::size_t>(i)] + ")";
  return text;
}

/// "(1, 0.5, ...)"; where `shown` is beyond the first entries, "(1, 0.5, ..., [12] = 3)".
std::string point(ConstVectorRef x, Index shown) {
  constexpr Index most = 8;
  const Index count = std::min(x.size(), shown >= most ? most - 1 : most);
  std::string text = "(";
  for (Index i = 0; i < count; ++i) text += (i > 0 ? ", " : "") + check::text(x[i]);
  if (count < x.size()) text += ", ...";
  if (shown >= most && shown < x.size()) text += ", [" + std::to_string(shown) + "] = " + check::text(x[shown]);
  return text + ")";
}

std::optional<NotFinite> first_not_finite(ConstVectorRef f, ConstVectorRef x, Index unknown) {
  if (check::all_finite(f)) return {};
  for (Index i = 0; i < f.size(); ++i) {
    if (!std::isfinite(f[i])) return NotFinite{.component = i, .unknown = unknown, .value = f[i], .x = x};
  }
  return {};
}

/// The two steps of a difference of length h: the first is the one to prefer; 0: none within the bounds.
std::array<double, 2> steps_within(double x, double h, double lower, double upper) {
  if (x + h <= upper) return {h, x - h >= lower ? -h : 0.0};
  if (x - h >= lower) return {-h, 0.0};
  const double above = upper - x, below = x - lower;  // both shorter than h; x may be outside
  return above >= below ? std::array<double, 2>{above, 0.0} : std::array<double, 2>{-below, 0.0};
}

/// Calls column(j, values) for the forward differences of each column that varies.
template <class Column>
std::optional<NotFinite> differences(const NonlinearMap& map, ConstVectorRef x, ConstVectorRef f, ConstVectorRef lower,
                                     ConstVectorRef upper, const Column& column) {
  const double root = std::sqrt(eps);
  Eigen::VectorXd moved = x, values(map.num_values);
  for (Index j = 0; j < map.num_unknowns; ++j) {
    const double low = lower.size() > 0 ? lower[j] : -unbounded, high = upper.size() > 0 ? upper[j] : unbounded;
    if (low == high) continue;
    std::optional<NotFinite> found;
    for (const double step : steps_within(x[j], root * size_of(map, x, j), low, high)) {
      if (step == 0.0) continue;
      moved[j] = x[j] + step;
      if (low <= x[j] && x[j] <= high) moved[j] = std::clamp(moved[j], low, high);  // rounding leaves it not
      found = evaluate(map, moved, values);
      if (found) continue;
      values = (values - f) / (moved[j] - x[j]);  // the step as it was rounded
      found = first_not_finite(values, x, j);     // finite on both sides, and not between
      if (found) continue;
      break;
    }
    if (found) {
      found->unknown = j;
      return found;
    }
    column(j, values);
    moved[j] = x[j];
  }
  return {};
}

void check_point(const NonlinearMap& map, ConstVectorRef x, ConstVectorRef lower, ConstVectorRef upper) {
  const auto sized = [&](const char* argument, Index found) {
    check::size("NonlinearMap '" + map.name + "': " + argument, found, map.num_unknowns, "one an unknown");
  };
  sized("x", x.size());
  if (lower.size() > 0) sized("lower", lower.size());
  if (upper.size() > 0) sized("upper", upper.size());
}

void check_names(const char* argument, const std::vector<std::string>& names, Index expected) {
  if (!names.empty()) check::size(argument, static_cast<Index>(names.size()), expected, "or none");
}

/// What differences around x say of one column: the hull of the one-sided ones and how sure they are.
struct ColumnDifferences {
  Eigen::VectorXd low, high, middle, doubt;
  bool known = false;
};

class Comparison {
 public:
  Comparison(const NonlinearMap& map, ConstVectorRef x, ConstVectorRef f)
      : map_(map), x_(x), f_(f), moved_(x), values_(f.size()) {}

  ColumnDifferences column(Index j, double low, double high) {
    const double h = std::cbrt(eps) * size_of(map_, x_, j);
    ColumnDifferences found;
    std::array<Eigen::VectorXd, 2> mean, side;  // of each step length; of the longer steps to each side
    std::array<double, 2> longer{};             // these steps, 0 where there is none
    found.low.setConstant(f_.size(), unbounded);
    found.high.setConstant(f_.size(), -unbounded);
    const auto take = [&found](const auto& slopes) {
      found.low = found.low.cwiseMin(slopes);
      found.high = found.high.cwiseMax(slopes);
    };
    for (std::size_t level = 0; level < 2; ++level) {
      int sides = 0;
      mean[level].setZero(f_.size());
      const auto steps = steps_within(x_[j], level == 0 ? h : 0.5 * h, low, high);
      for (std::size_t k = 0; k < 2; ++k) {
        const double step = steps[k];
        if (step == 0.0 || !slope(j, step)) continue;
        ++sides;
        mean[level] += values_;
        take(values_);
        if (level == 0) {
          side[k] = values_;
          longer[k] = step;
        } else if (longer[k] / step > 1.5) {  // what this side tends to, beside a kink the derivative of it
          take(values_ + (values_ - side[k]) * (step / (longer[k] - step)));
        }
      }
      if (sides == 0) return found;
      mean[level] /= sides;
    }
    found.known = true;
    found.middle = mean[1];
    found.doubt = 3.0 * (mean[1] - mean[0]).cwiseAbs() + (8.0 * eps / h) * f_.cwiseAbs();
    return found;
  }

 private:
  bool slope(Index j, double step) {
    moved_[j] = x_[j] + step;
    const bool finite = !evaluate(map_, moved_, values_);
    values_ = (values_ - f_) / (moved_[j] - x_[j]);
    moved_[j] = x_[j];
    return finite;
  }

  const NonlinearMap& map_;
  ConstVectorRef x_, f_;
  Eigen::VectorXd moved_, values_;
};

}  // namespace

void NonlinearMap::validate() const {
  check::at_least("NonlinearMap::num_unknowns", num_unknowns, 1);
  check::at_least("NonlinearMap::num_values", num_values, 1);
  if (!value) throw InvalidArgument("NonlinearMap::value", "no callable", "one that writes F(x)");
  if (jacobian && dense_jacobian)
    throw InvalidArgument("NonlinearMap::dense_jacobian", "a second Jacobian", "a sparse or a dense one, or none");
  if (sizes.size() > 0) {
    check::size("NonlinearMap::sizes", sizes.size(), num_unknowns, "one an unknown, or none");
    for (Index j = 0; j < sizes.size(); ++j)
      check::positive("NonlinearMap::sizes: entry " + std::to_string(j), sizes[j]);
  }
  check_names("NonlinearMap::unknown_names", unknown_names, num_unknowns);
  check_names("NonlinearMap::value_names", value_names, num_values);
}

std::string NotFinite::message(const NonlinearMap& map) const {
  std::string text = check::text(value) + " in component " + named(component, map.value_names) + " of " + map.name;
  if (unknown >= 0) text += "'s derivative by unknown " + named(unknown, map.unknown_names);
  return text + " at x = " + point(x, unknown >= 0 ? unknown : component);
}

std::optional<NotFinite> evaluate(const NonlinearMap& map, ConstVectorRef x, VectorRef f) {
  f.setConstant(std::numeric_limits<double>::quiet_NaN());
  map.value(x, f);
  return first_not_finite(f, x, -1);
}

std::optional<NotFinite> evaluate_jacobian(const NonlinearMap& map, ConstVectorRef x, ConstVectorRef f,
                                           ConstVectorRef lower, ConstVectorRef upper, Eigen::SparseMatrix<double>& J) {
  const Index m = map.num_values, n = map.num_unknowns;
  if (!map.jacobian) {
    if (map.dense_jacobian) {
      Eigen::MatrixXd dense;
      std::optional<NotFinite> found = evaluate_jacobian(map, x, f, lower, upper, dense);
      J = dense.sparseView(0.0, 0.0);  // zeros alone are left out
      J.makeCompressed();
      return found;
    }
    std::vector<Eigen::Triplet<double>> entries;
    std::optional<NotFinite> found = differences(map, x, f, lower, upper, [&](Index j, const Eigen::VectorXd& values) {
      for (Index i = 0; i < m; ++i) {
        if (values[i] != 0.0) entries.emplace_back(static_cast<int>(i), static_cast<int>(j), values[i]);
      }
    });
    J.resize(m, n);
    J.setFromTriplets(entries.begin(), entries.end());
    return found;
  }
  if (J.rows() != m || J.cols() != n) J.resize(m, n);
  map.jacobian(x, J);
  check::shape("NonlinearMap '" + map.name + "': jacobian", J.rows(), J.cols(), m, n);
  J.makeCompressed();
  if (check::all_finite(Eigen::Map<const Eigen::VectorXd>(J.valuePtr(), J.nonZeros()))) return {};
  for (Index j = 0; j < n; ++j) {
    for (Eigen::SparseMatrix<double>::InnerIterator entry(J, j); entry; ++entry) {
      if (!std::isfinite(entry.value()))
        return NotFinite{.component = entry.row(), .unknown = j, .value = entry.value(), .x = x};
    }
  }
  return {};
}

std::optional<NotFinite> evaluate_jacobian(const NonlinearMap& map, ConstVectorRef x, ConstVectorRef f,
                                           ConstVectorRef lower, ConstVectorRef upper, Eigen::MatrixXd& J) {
  if (map.jacobian) {
    Eigen::SparseMatrix<double> sparse;
    std::optional<NotFinite> found = evaluate_jacobian(map, x, f, lower, upper, sparse);
    J = sparse;
    return found;
  }
  J.setZero(map.num_values, map.num_unknowns);
  if (!map.dense_jacobian) {
    return differences(map, x, f, lower, upper, [&](Index j, const Eigen::VectorXd& values) { J.col(j) = values; });
  }
  map.dense_jacobian(x, J);
  for (Index j = 0; j < J.cols(); ++j) {
    if (std::optional<NotFinite> found = first_not_finite(J.col(j), x, j)) return found;
  }
  return {};
}

std::string JacobianComparison::message(const NonlinearMap& map) const {
  std::string text;
  if (row < 0) {
    text = "the Jacobian of " + map.name + " agrees with differences";
  } else {
    text = "entry (" + named(row, map.value_names) + ", " + named(column, map.unknown_names) + ") of the Jacobian of " +
           map.name + " is " + check::text(given) + ", differences give " + check::text(difference);
  }
  text += " at x = " + point(x, column);
  if (wrong_entries > 1) text += "; " + std::to_string(wrong_entries) + " entries differ";
  if (skipped_columns > 0) {
    text += "; " + std::to_string(skipped_columns) + (skipped_columns == 1 ? " column was" : " columns were") +
            " not compared: F is not finite beside x";
  }
  return text;
}

JacobianComparison compare_jacobian(const NonlinearMap& map, ConstVectorRef x, ConstVectorRef lower,
                                    ConstVectorRef upper, double tolerance) {
  map.validate();
  check_point(map, x, lower, upper);
  check::positive("compare_jacobian: tolerance", tolerance);
  JacobianComparison result;
  result.x = x;
  if (!map.has_jacobian()) return result;
  Eigen::VectorXd f(map.num_values);
  Eigen::SparseMatrix<double> J;
  std::optional<NotFinite> found = evaluate(map, x, f);
  if (!found) found = evaluate_jacobian(map, x, f, lower, upper, J);
  if (found) throw InvalidArgument("NonlinearMap '" + map.name + "'", found->message(map), "finite numbers");
  Comparison differences(map, x, f);
  Eigen::VectorXd given(map.num_values);
  for (Index j = 0; j < map.num_unknowns; ++j) {
    const double low = lower.size() > 0 ? lower[j] : -unbounded, high = upper.size() > 0 ? upper[j] : unbounded;
    const ColumnDifferences column = differences.column(j, low, high);
    if (!column.known) {
      ++result.skipped_columns;
      continue;
    }
    given.setZero();
    for (Eigen::SparseMatrix<double>::InnerIterator entry(J, j); entry; ++entry) given[entry.row()] = entry.value();
    for (Index i = 0; i < map.num_values; ++i) {
      const double size = std::max(std::abs(given[i]), std::abs(column.middle[i]));
      const double outside = std::max({column.low[i] - given[i], given[i] - column.high[i], 0.0}) - column.doubt[i];
      const double error = outside > 0.0 ? outside / size : 0.0;
      if (error > tolerance) ++result.wrong_entries;
      if (error > result.error) {
        result.error = error;
        result.row = i;
        result.column = j;
        result.given = given[i];
        result.difference = column.middle[i];
      }
    }
  }
  result.agrees = result.wrong_entries == 0;
  return result;
}

}  // namespace nonsmooth
