// SPDX-License-Identifier: Apache-2.0
#include <initializer_list>

#include <internal/check.hpp>
#include <internal/round_off.hpp>

#include "certificate_parts.hpp"
#include "internal.hpp"
#include "own_error.hpp"

namespace nonsmooth::qp {
namespace {

using detail::add_product, detail::close_to_each, detail::column_product, detail::counted, detail::Fall, detail::grow,
    detail::is_more_than_rounding, detail::Part, detail::Products, detail::pushes_on_nothing, detail::Relative;
using nonsmooth::detail::Buffer, nonsmooth::detail::OwnError;

/// What the certificate is made of, at (x, y).
template <class P>
struct Look {
  Look(const P& given, ConstVectorRef at, ConstVectorRef multipliers, VectorRef slopes, Buffer& scratch)
      : problem(given),
        x(at),
        y(multipliers),
        s(slopes),
        n(x.size()),
        m(y.size()),
        all(scratch.vector(4 * n + 6 * m)),
        Qx(all.data(), n),
        s_terms(all.data() + n, n),
        nearest(all.data() + 2 * n, n),
        Ax(all.data() + 3 * n, m),
        Ax_terms(all.data() + 3 * n + m, m),
        A_nearest(all.data() + 3 * n + 2 * m, m),
        row_sizes(all.data() + 3 * n + 3 * m, m),
        own_rows(all.data() + 3 * n + 4 * m, m),
        own_multipliers(all.data() + 3 * n + 5 * m, m),
        own_unknowns(all.data() + 3 * n + 6 * m, n) {
    all.head(3 * n + 4 * m).setZero();  // sizes of each are set where they are asked for
  }

  using Map = Eigen::Map<Eigen::VectorXd>;
  const P& problem;
  ConstVectorRef x, y;
  VectorRef s;
  Index n, m;
  Map all, Qx, s_terms, nearest, Ax, Ax_terms, A_nearest, row_sizes;
  Map own_rows, own_multipliers, own_unknowns;  // sizes in the units of each
  bool sized = false;                           // row_sizes are there
  Part rows, bounds, stationarity;
  Relative relative;
  OwnError own_primal, own_stationarity;
  bool rounding_is_all = true;  // of errors of rows, bounds and slopes
  Products products, asked;     // of all of each multiplier; the scale of what slopes ask for
  Fall fall;
  double quadratic = 0.0, linear = 0.0, linear_terms = 0.0, linear_scale = 0.0;

  void look() {
    multiply();
    look_at_rows();
    look_at_unknowns();
    const bool counts = !rounding_is_all || is_more_than_rounding(products.size, objective_size());
    asked = counts ? asked_products() : products;
  }

  void multiply() {
    add_product(problem.Q, x, Qx, s_terms);
    add_product(problem.A, x, Ax, Ax_terms);
    bool shifted = false;
    for (Index j = 0; j < n; ++j) {
      double sum = 0.0, terms = 0.0;
      if (m > 0) column_product(problem.A, j, y, sum, terms);
      s[j] = Qx[j] + problem.c[j] - sum;
      s_terms[j] += std::abs(problem.c[j]) + terms;
      nearest[j] = detail::clamp(0.0, detail::lower(problem, j), detail::upper(problem, j));
      shifted = shifted || nearest[j] != 0.0;
      stationarity.scale = std::max(stationarity.scale, std::abs(problem.c[j]));
    }
    if (shifted) scale_at_nearest();
  }

  /// Scales where boxes exclude 0.
  void scale_at_nearest() {
    for (Index j = 0; j < n; ++j) {
      if (nearest[j] == 0.0) continue;
      detail::column(problem.A, j, [&](Index i, double value) { A_nearest[i] += value * nearest[j]; });
    }
    for (Index i = 0; i < m; ++i) rows.scale = std::max(rows.scale, std::abs(A_nearest[i]));
    for (Index j = 0; j < n; ++j) {
      double sum = problem.c[j];
      detail::column(problem.Q, j, [&](Index i, double value) { sum += value * nearest[i]; });
      stationarity.scale = std::max(stationarity.scale, std::abs(sum));
    }
  }

  /// max_j |A_ij|.
  void size_rows() {
    sized = true;
    for (Index j = 0; j < n; ++j) {
      detail::column(problem.A, j,
                     [&](Index i, double value) { row_sizes[i] = std::max(row_sizes[i], std::abs(value)); });
    }
  }

  void look_at_rows() {
    for (Index i = 0; i < m; ++i) {
      const double low = detail::row_lower(problem, i), high = detail::row_upper(problem, i);
      const double size = counted(Ax[i], Ax_terms[i], y[i], low, high), terms = Ax_terms[i] + size;
      rows.scale = std::max(rows.scale, size);
      const double outside = std::abs(Ax[i] - detail::clamp(Ax[i], low, high));
      rows.add(i, outside, terms);
      relative.add(i, outside, terms);
      rounding_is_all = rounding_is_all && !is_more_than_rounding(outside, Ax_terms[i]);
      products.add(i, y[i], Ax[i], low, high);
      if (!pushes_on_nothing(y[i], low, high)) continue;
      if (!sized) size_rows();
      stationarity.add(i, std::abs(y[i]) * row_sizes[i], 0.0);
      relative.add(i, 1.0, 1.0);
      rounding_is_all = false;
    }
  }

  void look_at_unknowns() {
    for (Index j = 0; j < n; ++j) {
      const double low = detail::lower(problem, j), high = detail::upper(problem, j);
      const double size = counted(x[j], std::abs(x[j]), s[j], low, high), terms = std::abs(x[j]) + size;
      bounds.scale = std::max(bounds.scale, size);
      const double outside = std::abs(x[j] - detail::clamp(x[j], low, high));
      bounds.add(m + j, outside, terms);
      relative.add(m + j, outside, terms);
      const double slope = pushes_on_nothing(s[j], low, high) ? std::abs(s[j]) : 0.0;
      stationarity.add(m + j, slope, s_terms[j]);
      relative.add(m + j, slope, s_terms[j]);
      rounding_is_all = rounding_is_all && !is_more_than_rounding(outside, std::abs(x[j])) &&
                        !is_more_than_rounding(slope, s_terms[j]);
      products.add(m + j, s[j], x[j], low, high);
      quadratic += 0.5 * x[j] * Qx[j];
      linear += problem.c[j] * x[j];
      linear_terms += std::abs(problem.c[j] * x[j]);
      linear_scale = std::max(linear_scale, std::abs(problem.c[j] * x[j]));
    }
  }

  /// The slope of the objective that is not yet balanced.
  [[nodiscard]] double slope_size(Index j) const { return std::abs(problem.c[j]) + std::abs(Qx[j]); }
  /// The largest part of the objective.
  [[nodiscard]] double objective_size() const { return std::max(std::abs(quadratic), linear_scale); }
  /// What complementarity and gap are compared with.
  [[nodiscard]] double value_size() const { return std::max(objective_size(), asked.scale); }
  /// The same; where it is rounding of what unknowns as large as data say are worth, the latter, and infinite, so that
  /// it says nothing, where that is 0.
  [[nodiscard]] double told_value_size() const {
    const double most = own_unknowns.cwiseProduct(problem.c.cwiseAbs()).maxCoeff();
    if (is_more_than_rounding(value_size(), most)) return value_size();
    return most > 0.0 ? most : detail::infinity;
  }

  /// What of x_j moves the value by all of itself, by slope or curvature; at most `largest`.
  [[nodiscard]] double size_by_value(Index j, double whole, double largest) const {
    const double slope = slope_size(j), curvature = problem.Q.coeff(j, j);
    double size = largest;
    if (slope > 0.0) size = std::min(size, whole / slope);
    if (curvature > 0.0) size = std::min(size, std::sqrt(2.0 * (whole / curvature)));
    return size;
  }

  /// What x_j is without the others, rows and bounds.
  [[nodiscard]] double size_alone(Index j) const {
    const double curvature = problem.Q.coeff(j, j);
    return curvature > 0.0 ? std::abs(problem.c[j]) / curvature : 0.0;
  }
  /// The largest value that one of these falls by.
  [[nodiscard]] double value_alone() const {
    double most = 0.0;
    for (Index j = 0; j < n; ++j) most = std::max(most, std::abs(problem.c[j]) * size_alone(j));
    return most;
  }

  /// A scale of rows that have none, where those with errors are 0 to rounding of what x could be.
  void look_at_zero_rows() {
    if (rows.error == 0.0 || rows.scale > 0.0) return;
    const double whole = value_size(), largest = x.lpNorm<Eigen::Infinity>();
    own_rows.setZero();
    for (Index j = 0; j < n; ++j) {
      const double most = std::max(size_by_value(j, whole, largest), size_alone(j));
      detail::column(problem.A, j,
                     [&](Index i, double value) { own_rows[i] = std::max(own_rows[i], std::abs(value) * most); });
    }
    double scale = 0.0;
    for (Index i = 0; i < m; ++i) {
      if (Ax[i] >= detail::row_lower(problem, i) && Ax[i] <= detail::row_upper(problem, i)) continue;
      if (is_more_than_rounding(Ax_terms[i], own_rows[i])) return;
      scale = std::max(scale, own_rows[i]);
    }
    rows.scale = scale;
  }

  /// What bounds, rows and columns of other entries say of the size of unknowns and multipliers.
  void size_each() {
    own_multipliers.setZero();
    for (Index i = 0; i < m; ++i)
      own_rows[i] = std::abs(detail::clamp(0.0, detail::row_lower(problem, i), detail::row_upper(problem, i)));
    for (Index j = 0; j < n; ++j) {
      const double slope = std::abs(problem.c[j]);
      double size = std::max(std::abs(nearest[j]), size_alone(j));
      detail::column(problem.A, j, [&](Index i, double value) {
        grow(size, own_rows[i], value);
        grow(own_multipliers[i], slope, value);
      });
      own_unknowns[j] = size;
    }
  }

  /// The same errors, each in units of its own row or column.
  void look_at_each() {
    look_at_zero_rows();
    size_each();
    const double whole = told_value_size();
    look_at_each_slope(whole);
    // What moves the value by all of itself counts too, from here on.
    const double largest = x.lpNorm<Eigen::Infinity>();
    own_rows.setZero();
    for (Index j = 0; j < n; ++j) {
      const bool is_told = slope_size(j) == 0.0 && is_more_than_rounding(own_unknowns[j], largest);
      if (!is_told) own_unknowns[j] = std::max(own_unknowns[j], size_by_value(j, whole, largest));
      detail::column(problem.A, j, [&](Index i, double value) {
        own_rows[i] = std::max(own_rows[i], std::abs(value) * own_unknowns[j]);
      });
    }
    const auto look = [this](Index at, double value, double terms, double low, double high, double size) {
      if (value >= low && value <= high) return;
      const double bound = value < low ? low : high;
      own_primal.add(at, std::abs(value - bound), std::max(std::abs(bound), size), terms);
    };
    for (Index i = 0; i < m; ++i)
      look(i, Ax[i], Ax_terms[i], detail::row_lower(problem, i), detail::row_upper(problem, i), own_rows[i]);
    for (Index j = 0; j < n; ++j)
      look(m + j, x[j], std::abs(x[j]), detail::lower(problem, j), detail::upper(problem, j), own_unknowns[j]);
  }

  /// How far x_j may go along `sign` before a row or its own bound stops it.
  [[nodiscard]] double room(Index j, double sign) const {
    double most = sign > 0.0 ? detail::upper(problem, j) - x[j] : x[j] - detail::lower(problem, j);
    if (!is_more_than_rounding(most, std::abs(x[j]))) return 0.0;
    detail::column(problem.A, j, [&](Index i, double value) {
      if (value == 0.0 || most == 0.0) return;
      const double slack =
          value * sign > 0.0 ? detail::row_upper(problem, i) - Ax[i] : Ax[i] - detail::row_lower(problem, i);
      if (slack < most * std::abs(value))
        most = is_more_than_rounding(slack, Ax_terms[i]) ? slack / std::abs(value) : 0.0;
    });
    return most;
  }

  /// Whether the value falls forever along x_j alone, and not by rounding.
  [[nodiscard]] bool falls_forever(Index j, double largest_cost) const {
    const double cost = problem.c[j];
    if (!is_more_than_rounding(std::abs(cost), largest_cost) || problem.Q.coeff(j, j) > 0.0) return false;
    return room(j, cost > 0.0 ? -1.0 : 1.0) == detail::infinity;
  }

  /// The largest part of each row, at x or where an unknown gets to the first of its bounds that is not 0, of its own
  /// or by a row.
  void reach_rows() {
    own_rows = Ax_terms;
    for (Index j = 0; j < n; ++j) {
      double first = detail::infinity;
      const auto meet = [&first](double bound, double entry) {
        if (bound != 0.0 && entry != 0.0) first = std::min(first, std::abs(bound / entry));
      };
      meet(detail::lower(problem, j), 1.0);
      meet(detail::upper(problem, j), 1.0);
      detail::column(problem.A, j, [&](Index i, double value) {
        meet(detail::row_lower(problem, i), value);
        meet(detail::row_upper(problem, i), value);
      });
      if (!std::isfinite(first)) continue;
      detail::column(problem.A, j,
                     [&](Index i, double value) { own_rows[i] = std::max(own_rows[i], std::abs(value) * first); });
    }
  }

  void look_at_each_slope(double whole) {
    const double largest_cost = problem.c.cwiseAbs().maxCoeff();
    double steepest = 0.0;
    bool reached = false;  // own_rows are there
    for (Index j = 0; j < n; ++j) steepest = std::max(steepest, slope_size(j));
    for (Index i = 0; i < m; ++i) {
      if (pushes_on_nothing(y[i], detail::row_lower(problem, i), detail::row_upper(problem, i)))
        own_stationarity.add(i, std::abs(y[i]), own_multipliers[i], std::abs(y[i]));
    }
    for (Index j = 0; j < n; ++j) {
      if (!pushes_on_nothing(s[j], detail::lower(problem, j), detail::upper(problem, j))) continue;
      if (!own_stationarity.is_worse(std::abs(s[j]), std::abs(problem.c[j]) + s_terms[j])) continue;
      const bool is_close = std::abs(s[j]) <= close_to_each * s_terms[j];
      if (!is_close && falls_forever(j, largest_cost)) {  // nothing balances it
        own_stationarity.add(m + j, std::abs(s[j]), std::abs(s[j]), 0.0);
        continue;
      }
      double unknown = std::max(std::abs(x[j]), own_unknowns[j]);
      if (!is_close) {
        if (!reached) reach_rows();
        reached = true;
        detail::column(problem.A, j, [&](Index i, double value) {
          if (y[i] != 0.0) grow(unknown, own_rows[i], value);  // what would count in the row that it is in
        });
      }
      double size = unknown > 0.0 ? std::min(steepest, whole / unknown) : steepest;
      size = std::max(size, std::abs(problem.c[j]));
      if (!own_stationarity.is_worse(std::abs(s[j]), size + s_terms[j])) continue;  // the more so with more
      const auto count = [&size](double value, double of_entry) { size = std::max(size, std::abs(value) * of_entry); };
      detail::column(problem.Q, j, [&](Index i, double value) { count(value, own_unknowns[i]); });
      detail::column(problem.A, j, [&](Index i, double value) { count(value, own_multipliers[i]); });
      own_stationarity.add(m + j, std::abs(s[j]), size, s_terms[j]);
    }
  }

  /// The largest multipliers that slopes can ask for: each row for those of its own unknowns, and for what other rows
  /// hand on, no more than the steepest there is.
  void ask_multipliers() {
    if (!sized) size_rows();
    double steepest = 0.0;
    own_multipliers.setZero();
    for (Index j = 0; j < n; ++j) {
      const double own = slope_size(j);
      steepest = std::max(steepest, own);
      detail::column(problem.A, j, [&](Index i, double value) { grow(own_multipliers[i], own, value); });
    }
    bool enough = true;
    for (Index i = 0; i < m; ++i) enough = enough && std::abs(y[i]) <= own_multipliers[i];
    if (enough) return;
    constexpr int hops = 2;
    for (int hop = 0; hop < hops; ++hop) {
      own_rows = own_multipliers;
      for (Index j = 0; j < n; ++j) {
        double most = 0.0;
        detail::column(problem.A, j,
                       [&](Index i, double value) { most = std::max(most, std::abs(value) * own_rows[i]); });
        detail::column(problem.A, j, [&](Index i, double value) {
          const double largest_entry = row_sizes[i];  // 0 with value alone
          grow(own_multipliers[i],
               largest_entry > 0.0 ? std::min(most, steepest * std::abs(value) / largest_entry) : 0.0, value);
        });
      }
    }
  }

  /// The products of multipliers as large as slopes can ask for: more is a difference of rows, which is 0 in every
  /// slope, so that fewer rows have multipliers without it.
  [[nodiscard]] Products asked_products() {
    ask_multipliers();
    Products found;
    for (Index i = 0; i < m; ++i) {
      own_multipliers[i] = std::min(std::abs(y[i]), own_multipliers[i]);
      found.add(i, std::copysign(own_multipliers[i], y[i]), y[i], Ax_terms[i], Ax[i], detail::row_lower(problem, i),
                detail::row_upper(problem, i));
    }
    for (Index j = 0; j < n; ++j) {
      double most = slope_size(j);
      detail::column(problem.A, j,
                     [&](Index i, double value) { most = std::max(most, std::abs(value) * own_multipliers[i]); });
      found.add(m + j, std::copysign(std::min(std::abs(s[j]), most), s[j]), s[j], std::abs(x[j]), x[j],
                detail::lower(problem, j), detail::upper(problem, j));
    }
    return found;
  }

  /// What moving one unknown alone takes from the value, and what one slope that nothing balances takes from the dual
  /// one.
  void look_at_falls() {
    for (Index j = 0; j < n; ++j) {
      const double curvature = problem.Q.coeff(j, j), slope = std::abs(s[j]);
      if (curvature > 0.0 && is_more_than_rounding(slope, s_terms[j]) &&
          pushes_on_nothing(s[j], detail::lower(problem, j), detail::upper(problem, j)))
        fall.add(m + j, 0.5 * slope * (slope / curvature));
      const double descent = problem.c[j] + Qx[j], steep = std::abs(descent);
      if (!is_more_than_rounding(steep, s_terms[j])) continue;
      const double step = room(j, descent > 0.0 ? -1.0 : 1.0);
      if (step == 0.0) continue;
      if (curvature * step >= steep)
        fall.add(m + j, 0.5 * steep * (steep / curvature));
      else if (std::isfinite(step))
        fall.add(m + j, (steep - 0.5 * curvature * step) * step);
    }
  }

  Certificate finish(Figures& figures) {
    Part work;
    work.scale = value_size();
    // A value of 0, and products that are rounding beside what it could be.
    const double largest_error = std::max(asked.size, fall.value);
    if (is_more_than_rounding(largest_error, work.scale)) {
      const double alone = value_alone();
      if (!is_more_than_rounding(std::max(work.scale, asked.size), alone)) work.scale = alone;
    }
    const double terms = products.terms + std::abs(quadratic) + linear_terms;
    work.add(asked.row, asked.size, terms);
    work.add(fall.row, fall.value, std::max(terms, fall.value));
    relative.add(products.row, products.size, terms);
    figures.primal = std::max({rows.residual(), bounds.residual(), own_primal.residual});
    figures.stationarity = std::max(stationarity.residual(), own_stationarity.residual);
    figures.complementarity = asked.size == 0.0 ? 0.0 : asked.size / work.unit();
    const double gap = std::max(std::abs(asked.sum), fall.value);
    figures.gap = gap == 0.0 ? 0.0 : gap / work.unit();
    figures.value = quadratic + linear;
    figures.dual_value = figures.value - products.sum;
    const Part* worst = &rows;
    for (const Part* part : std::initializer_list<const Part*>{&bounds, &stationarity, &work}) {
      if (!(part->residual() <= worst->residual()) && !std::isnan(worst->residual())) worst = part;
    }
    Certificate certificate;
    certificate.residual = worst->residual();
    certificate.error = worst->error;
    certificate.scale = worst->unit();
    certificate.round_off = 64.0 * eps * worst->terms;
    certificate.worst_row = worst->row >= 0 ? worst->row : 0;
    own_primal.raise(certificate);
    own_stationarity.raise(certificate);
    certificate.row_residual = relative.worst;
    certificate.worst_relative_row = relative.row;
    return certificate;
  }
};

template <class P>
Certificate certify_with(const P& problem, ConstVectorRef x, ConstVectorRef y, VectorRef s, Figures* figures) {
  check::size("qp::certify: x", x.size(), problem.num_unknowns(), "one an entry of c");
  check::size("qp::certify: y", y.size(), problem.num_rows(), "one a row of A");
  check::size("qp::certify: s", s.size(), problem.num_unknowns(), "one an entry of c");
  Buffer scratch;
  Figures own;
  return detail::certify(problem, x, y, s, figures ? *figures : own, scratch);
}

}  // namespace

template <class P>
Certificate detail::certify(const P& problem, ConstVectorRef x, ConstVectorRef y, VectorRef s, Figures& figures,
                            Buffer& scratch) {
  Look<P> look(problem, x, y, s, scratch);
  look.look();
  if (!look.rounding_is_all) look.look_at_each();
  if (look.relative.worst > close_to_each) look.look_at_falls();
  return look.finish(figures);
}

Certificate detail::certify_linearized(const SparseProblem& problem, ConstVectorRef x, ConstVectorRef y, VectorRef s,
                                       Figures& figures, Buffer& scratch) {
  Look<SparseProblem> look(problem, x, y, s, scratch);
  look.look();
  return look.finish(figures);
}

template Certificate detail::certify(const Problem&, ConstVectorRef, ConstVectorRef, VectorRef, Figures&, Buffer&);
template Certificate detail::certify(const SparseProblem&, ConstVectorRef, ConstVectorRef, VectorRef, Figures&,
                                     Buffer&);

Certificate certify(const Problem& problem, ConstVectorRef x, ConstVectorRef y, VectorRef s, Figures* figures) {
  return certify_with(problem, x, y, s, figures);
}
Certificate certify(const SparseProblem& problem, ConstVectorRef x, ConstVectorRef y, VectorRef s, Figures* figures) {
  return certify_with(problem, x, y, s, figures);
}

}  // namespace nonsmooth::qp
