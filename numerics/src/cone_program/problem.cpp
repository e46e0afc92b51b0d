// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/cone_program/problem.hpp>

#include <cmath>
#include <initializer_list>
#include <string>

#include <internal/at.hpp>
#include <internal/check.hpp>
#include <internal/round_off.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "cones.hpp"
#include "message.hpp"
#include "sparse_entries.hpp"

namespace nonsmooth::cone_program {
namespace {

using Sparse = Eigen::SparseMatrix<double>;
using Iterator = Sparse::InnerIterator;

void check_matrix(const std::string& name, const Sparse& matrix, Index rows, Index columns) {
  if (rows > 0 || matrix.rows() > 0) check::shape(name, matrix.rows(), matrix.cols(), rows, columns);
  nonsmooth::detail::check_finite(name, matrix);
}

/// Sums in extended precision, and of absolute values.
struct Sum {
  long double value = 0.0L, terms = 0.0L;

  void add(double a, double b) {
    const long double term = static_cast<long double>(a) * b;
    value += term;
    terms += std::abs(term);
  }
};

std::vector<Sum> product(const Sparse& matrix, ConstVectorRef v) {
  std::vector<Sum> rows(at(matrix.rows()));
  for (Index j = 0; j < matrix.outerSize(); ++j) {
    for (Iterator it(matrix, j); it; ++it) rows[at(it.row())].add(it.value(), v[j]);
  }
  return rows;
}

void add_transposed(const Sparse& matrix, ConstVectorRef v, std::vector<Sum>& columns) {
  for (Index j = 0; j < matrix.outerSize(); ++j) {
    for (Iterator it(matrix, j); it; ++it) columns[at(j)].add(it.value(), v[it.row()]);
  }
}

using Wide = Eigen::Matrix<long double, Eigen::Dynamic, 1>;

/// The distance of v to its cone. A large v next to the boundary is outside by less than doubles have of v_0: (1e9,
/// 1e9, 10) by 5e-8 / sqrt 2, beside 1e-7.
template <class V>
double distance(const V& v) {
  const long double rest = v.tail(v.size() - 1).norm(), inside = v[0] - rest;
  if (inside >= 0.0L) return 0.0;
  return static_cast<double>(v[0] <= -rest ? std::hypot(v[0], rest) : -inside / std::sqrt(2.0L));
}

/// What a proof may leave of its terms: rounding where rows alone push, 1e-9 where second-order cones do.
double allowed(double tolerance, bool cones_push) {
  if (tolerance >= 0.0) return tolerance;
  return cones_push ? 1e-9 : 64.0 * eps;
}

/// A proof of infeasibility is to exclude x so many times as large as its own terms suggest; a direction of descent is
/// to fall by so many times what taking away its errors may cost.
constexpr double kFarFromFeasible = 10.0;

/// The largest |c_j| / |a_ij| of each row.
std::vector<double> steepest(const Sparse& matrix, const Eigen::VectorXd& c) {
  std::vector<double> ratio(at(matrix.rows()), 0.0);
  for (Index j = 0; j < matrix.outerSize(); ++j) {
    for (Iterator it(matrix, j); it; ++it) {
      if (it.value() != 0.0) ratio[at(it.row())] = std::max(ratio[at(it.row())], std::abs(c[j] / it.value()));
    }
  }
  return ratio;
}

bool vanish(const std::vector<Sum>& sums, double tolerance) {
  for (const Sum& sum : sums) {
    if (!(std::abs(sum.value) <= tolerance * sum.terms)) return false;
  }
  return true;
}

/// The worst error of one part, over the data or the terms of the part; and over its own terms.
struct Part {
  double error = 0.0, data = 0.0, terms = 0.0, relative = 0.0;
  Index row = -1, relative_row = -1;

  void add(Index at_row, double own_error, double own_data, double own_terms) {
    data = std::max(data, own_data);
    terms = std::max(terms, own_terms);
    if (own_error > relative * own_terms) {
      relative = own_error / own_terms;
      relative_row = at_row;
    }
    if (own_error <= error || std::isnan(error)) return;
    error = own_error;
    row = at_row;
  }
  [[nodiscard]] double unit() const { return data > 0.0 ? data : terms; }
  [[nodiscard]] double residual() const { return error == 0.0 ? 0.0 : error / unit(); }
};

/// The worst error over what its own row, cone or column says of its size.
struct Own {
  double residual = 0.0, error = 0.0, unit = 0.0;
  Index row = -1;

  /// `size`: of the data, 0 where there is none to compare with.
  void add(Index at_row, double own_error, double size, double own_terms) {
    if (!(size > 0.0) || !(own_error > residual * (size + own_terms))) return;
    *this = {own_error / (size + own_terms), own_error, size + own_terms, at_row};
  }
};

/// What the right-hand sides of rows say of unknowns, max_i |right_i| / |M_ij|, or those of columns of multipliers.
struct Sizes {
  Eigen::VectorXd x, y, z;  // n, p and m
};

Sizes sizes_of(const Problem& problem) {
  Sizes sizes{Eigen::VectorXd::Zero(problem.num_unknowns()), Eigen::VectorXd::Zero(problem.num_equations()),
              Eigen::VectorXd::Zero(problem.num_rows())};
  const auto look = [&](const Sparse& matrix, const Eigen::VectorXd& right, Eigen::VectorXd& multipliers) {
    for (Index j = 0; j < matrix.outerSize(); ++j) {
      for (Iterator it(matrix, j); it; ++it) {
        const double entry = std::abs(it.value());
        if (entry == 0.0) continue;
        sizes.x[j] = std::max(sizes.x[j], std::abs(right[it.row()]) / entry);
        multipliers[it.row()] = std::max(multipliers[it.row()], std::abs(problem.c[j]) / entry);
      }
    }
  };
  look(problem.A, problem.b, sizes.y);
  look(problem.G, problem.h, sizes.z);
  return sizes;
}

/// max_j |M_ij| size_j of each row.
Eigen::VectorXd row_sizes(const Sparse& matrix, Index rows, const Eigen::VectorXd& sizes) {
  Eigen::VectorXd found = Eigen::VectorXd::Zero(rows);
  for (Index j = 0; j < matrix.outerSize(); ++j) {
    for (Iterator it(matrix, j); it; ++it) found[it.row()] = std::max(found[it.row()], std::abs(it.value()) * sizes[j]);
  }
  return found;
}

/// max_i |M_ij| size_i of column j.
double column_size(const Sparse& matrix, Index j, const Eigen::VectorXd& sizes) {
  double found = 0.0;
  if (j >= matrix.outerSize()) return found;
  for (Iterator it(matrix, j); it; ++it) found = std::max(found, std::abs(it.value()) * sizes[it.row()]);
  return found;
}

/// Errors each by its own: figures of rows and cones, and of columns and multipliers.
struct OwnErrors {
  Own primal, dual;
};

OwnErrors own_errors(const Problem& problem, const Sizes& sizes, const Wide& s, const Wide& z,
                     const std::vector<Sum>& Ax, const std::vector<Sum>& Gx, const std::vector<Sum>& slopes) {
  const Index p = problem.num_equations(), m = problem.num_rows();
  const Eigen::VectorXd A_sizes = row_sizes(problem.A, p, sizes.x), G_sizes = row_sizes(problem.G, m, sizes.x);
  const auto either = [](double data, double otherwise) { return data > 0.0 ? data : otherwise; };
  OwnErrors own;
  for (Index i = 0; i < p; ++i) {
    const Sum& row = Ax[at(i)];
    own.primal.add(i, std::abs(double(row.value - problem.b[i])), either(std::abs(problem.b[i]), A_sizes[i]),
                   double(row.terms));
  }
  detail::for_cones(problem, [&](Index first, Index size) {
    double terms = 0.0;
    for (Index i = first; i < first + size; ++i) terms = std::max(terms, double(Gx[at(i)].terms));
    const double data = problem.h.segment(first, size).cwiseAbs().maxCoeff();
    own.primal.add(p + first, distance(s.segment(first, size)), either(data, G_sizes.segment(first, size).maxCoeff()),
                   terms);
    const auto multipliers = z.segment(first, size);
    own.dual.add(p + first, distance(multipliers), sizes.z.segment(first, size).maxCoeff(), double(multipliers.norm()));
  });
  for (Index j = 0; j < problem.num_unknowns(); ++j) {
    const Sum& slope = slopes[at(j)];
    const double otherwise = std::max(column_size(problem.A, j, sizes.y), column_size(problem.G, j, sizes.z));
    own.dual.add(p + m + j, std::abs(double(slope.value + problem.c[j])), either(std::abs(problem.c[j]), otherwise),
                 double(slope.terms));
  }
  return own;
}

/// sum |right_i m_i| of the multipliers m of rows, each no larger than c asks for (Figures::gap).
double asked_terms(const Sparse& matrix, const Eigen::VectorXd& right, ConstVectorRef multipliers,
                   const Eigen::VectorXd& of_c, double steepest) {
  Eigen::VectorXd entries = Eigen::VectorXd::Zero(right.size());
  for (Index j = 0; j < matrix.outerSize(); ++j) {
    for (Iterator it(matrix, j); it; ++it) entries[it.row()] = std::max(entries[it.row()], std::abs(it.value()));
  }
  double sum = 0.0;
  for (Index i = 0; i < right.size(); ++i) {
    if (entries[i] == 0.0) continue;
    const double most = std::max(of_c[i], steepest / entries[i]);
    sum += std::abs(right[i]) * std::min(std::abs(multipliers[i]), most);
  }
  return sum;
}

/// The values into `own`, and the gap between them.
Part gap_between_values(const Problem& problem, const Sizes& sizes, ConstVectorRef x, ConstVectorRef y,
                        ConstVectorRef z, Figures& own) {
  Sum value, dual_value;
  for (Index j = 0; j < x.size(); ++j) value.add(problem.c[j], x[j]);
  for (Index i = 0; i < y.size(); ++i) dual_value.add(-problem.b[i], y[i]);
  for (Index i = 0; i < z.size(); ++i) dual_value.add(-problem.h[i], z[i]);
  own.value = double(value.value);
  own.dual_value = double(dual_value.value);
  const double steepest = problem.c.cwiseAbs().maxCoeff();
  const double asked = double(value.terms) + asked_terms(problem.A, problem.b, y, sizes.y, steepest) +
                       asked_terms(problem.G, problem.h, z, sizes.z, steepest);
  Part gap;
  gap.add(y.size() + z.size(), std::abs(double(value.value - dual_value.value)), asked,
          double(value.terms + dual_value.terms));
  return gap;
}

/// What is worst of the parts, and of rows by themselves where that is more.
Certificate worst_of(std::initializer_list<const Part*> parts, const OwnErrors& by_themselves) {
  const Part *worst = *parts.begin(), *relative = worst;
  for (const Part* part : parts) {
    if (!(part->residual() <= worst->residual()) && !std::isnan(worst->residual())) worst = part;
    if (part->relative > relative->relative) relative = part;
  }
  Certificate certificate;
  certificate.residual = worst->residual();
  certificate.error = worst->error;
  certificate.scale = worst->unit();
  certificate.round_off = 64.0 * eps * worst->terms;
  certificate.worst_row = std::max<Index>(worst->row, 0);
  for (const Own& part : {by_themselves.primal, by_themselves.dual}) {
    if (!(part.residual > certificate.residual)) continue;
    certificate.residual = part.residual;
    certificate.error = part.error;
    certificate.scale = part.unit;
    certificate.round_off = 64.0 * eps * part.unit;
    certificate.worst_row = part.row;
  }
  certificate.row_residual = relative->relative;
  certificate.worst_relative_row = relative->relative_row;
  return certificate;
}

double largest_entry(const Sparse& matrix) {
  return matrix.nonZeros() > 0 ? Sparse(matrix).coeffs().cwiseAbs().maxCoeff() : 0.0;
}

/// Figures::complementarity, of slopes that have their terms without |c|.
double complementarity(const Problem& problem, ConstVectorRef s, ConstVectorRef z, const std::vector<Sum>& Gx,
                       const std::vector<Sum>& slopes) {
  Eigen::VectorXd share = Eigen::VectorXd::Zero(z.size());  // max_j |G_ij| / terms of dual equation j
  for (Index j = 0; j < problem.G.outerSize(); ++j) {
    const double terms = std::abs(problem.c[j]) + double(slopes[at(j)].terms);
    for (Iterator it(problem.G, j); it && terms > 0.0; ++it)
      share[it.row()] = std::max(share[it.row()], std::abs(it.value()) / terms);
  }
  double worst = 0.0;
  detail::for_cones(problem, [&](Index first, Index size) {
    if (problem.h.segment(first, size).isZero(0.0)) return;
    double terms = 0.0, product = 0.0;
    for (Index i = first; i < first + size; ++i) {
      terms = std::max(terms, std::abs(problem.h[i]) + double(Gx[at(i)].terms));
      product += s[i] * z[i];
    }
    worst = std::max(worst, std::abs(product) / terms * share.segment(first, size).maxCoeff());
  });
  return worst;
}

}  // namespace

void Problem::validate() const {
  const Index n = num_unknowns();
  if (n < 1) throw InvalidArgument("cone_program::Problem::c", "no entries", "at least one");
  check_matrix("cone_program::Problem::A", A, num_equations(), n);
  check_matrix("cone_program::Problem::G", G, num_rows(), n);
  check::finite("cone_program::Problem::c", ConstVectorRef(c));
  check::finite("cone_program::Problem::b", ConstVectorRef(b));
  check::finite("cone_program::Problem::h", ConstVectorRef(h));
  check::at_least("cone_program::Problem::orthant", orthant, 0);
  Index rows = orthant;
  for (const Index size : cones) {
    check::at_least("cone_program::Problem::cones", size, 1);
    rows += size;
  }
  if (rows != num_rows()) {
    throw InvalidArgument("cone_program::Problem::cones", std::to_string(rows) + " rows with the orthant's",
                          std::to_string(num_rows()) + ", the rows of G");
  }
}

std::string Result::message() const {
  return nonsmooth::detail::message(
      *this, {.stalled = "bring the units of the rows closer together, or take "
                         "a larger tolerance",
              .infeasible = direction.size() > 0 ? "a bound on what `direction` moves is missing, for x of up to some "
                                                   "1e9 of the data"
                                                 : "the rows where `proof` is not 0 contradict each other, for x of "
                                                   "up to some 1e9 of the data",
              .numerical_failure = "look at the scaling of the rows"});
}

Certificate certify(const Problem& problem, ConstVectorRef x, ConstVectorRef y, ConstVectorRef z, VectorRef s,
                    Figures* figures) {
  const Index n = problem.num_unknowns(), p = problem.num_equations(), m = problem.num_rows();
  check::size("cone_program::certify: x", x.size(), n, "one an entry of c");
  check::size("cone_program::certify: y", y.size(), p, "one a row of A");
  check::size("cone_program::certify: z", z.size(), m, "one a row of G");
  check::size("cone_program::certify: s", s.size(), m, "one a row of G");
  Part equations, cones, dual;
  const std::vector<Sum> Ax = product(problem.A, x), Gx = product(problem.G, x);
  for (Index i = 0; i < p; ++i) {
    const Sum& row = Ax[at(i)];
    const double size = std::abs(problem.b[i]);
    equations.add(i, std::abs(double(row.value - problem.b[i])), size, double(row.terms) + size);
  }
  Wide wide_s(m);
  for (Index i = 0; i < m; ++i) wide_s[i] = problem.h[i] - Gx[at(i)].value;
  s = wide_s.cast<double>();
  const Wide wide_z = z.cast<long double>();
  detail::for_cones(problem, [&](Index first, Index size) {
    const double error = distance(wide_s.segment(first, size));
    double data = 0.0, terms = 0.0;
    for (Index i = first; i < first + size; ++i) {
      data = std::max(data, std::abs(problem.h[i]));
      terms = std::max(terms, double(Gx[at(i)].terms));
    }
    if (!(error > 0.0)) data = std::min(data, terms);  // what x is far from says nothing of errors elsewhere
    cones.add(p + first, error, data, data + terms);
  });
  std::vector<Sum> slopes(at(n));
  add_transposed(problem.A, y, slopes);
  add_transposed(problem.G, z, slopes);
  for (Index j = 0; j < n; ++j) {
    const double size = std::abs(problem.c[j]);
    dual.add(p + m + j, std::abs(double(slopes[at(j)].value + problem.c[j])), size, double(slopes[at(j)].terms) + size);
  }
  const double entry = largest_entry(problem.G);
  detail::for_cones(problem, [&](Index first, Index size) {
    const auto own = wide_z.segment(first, size);
    dual.add(p + first, entry * distance(own), 0.0, entry * double(own.norm()));
  });
  Figures own;
  own.complementarity = complementarity(problem, s, z, Gx, slopes);
  const Sizes sizes = sizes_of(problem);
  const Part gap = gap_between_values(problem, sizes, x, y, z, own);
  const OwnErrors by_themselves = own_errors(problem, sizes, wide_s, wide_z, Ax, Gx, slopes);
  own.primal = std::max({equations.residual(), cones.residual(), by_themselves.primal.residual});
  own.dual = std::max(dual.residual(), by_themselves.dual.residual);
  own.gap = gap.residual();
  if (figures) *figures = own;
  return worst_of({&equations, &cones, &dual, &gap}, by_themselves);
}

bool proves_infeasible(const Problem& problem, ConstVectorRef proof, double tolerance) {
  const Index p = problem.num_equations(), m = problem.num_rows();
  if (proof.size() != p + m || !proof.allFinite()) return false;
  tolerance = allowed(tolerance, !proof.tail(m - problem.orthant).isZero(0.0));
  bool inside = true;
  detail::for_cones(problem, [&](Index first, Index size) {
    inside = inside && detail::depth(proof.segment(p + first, size)) >= 0.0;
  });
  if (!inside) return false;
  Sum value;
  for (Index i = 0; i < p; ++i) value.add(problem.b[i], proof[i]);
  for (Index i = 0; i < m; ++i) value.add(problem.h[i], proof[p + i]);
  if (!(value.value < -tolerance * value.terms)) return false;
  std::vector<Sum> columns(at(problem.num_unknowns()));
  add_transposed(problem.A, proof.head(p), columns);
  add_transposed(problem.G, proof.tail(m), columns);
  if (!vanish(columns, tolerance)) return false;
  // What is left of column j is made up for by an x_j of |value| / |left|. An x whose terms in the columns are those of
  // the value, x_j = terms of it / terms of j, must be far from that.
  double left = 0.0;
  for (const Sum& column : columns)
    if (column.terms > 0.0) left += double(std::abs(column.value) / column.terms);
  return double(-value.value) >= kFarFromFeasible * left * double(value.terms);
}

bool proves_unbounded(const Problem& problem, ConstVectorRef d, double tolerance) {
  if (d.size() != problem.num_unknowns() || !d.allFinite()) return false;
  tolerance = allowed(tolerance, problem.num_rows() > problem.orthant);
  Sum slope;
  for (Index j = 0; j < d.size(); ++j) slope.add(problem.c[j], d[j]);
  if (!(slope.value < -tolerance * slope.terms)) return false;
  const std::vector<Sum> Ad = product(problem.A, d), Gd = product(problem.G, d);
  if (!vanish(Ad, tolerance)) return false;
  // A step that takes away what a row is off by may cost c^T d the largest |c_j| / |G_ij| of it for each unit.
  const std::vector<double> cost_A = steepest(problem.A, problem.c), cost_G = steepest(problem.G, problem.c);
  double cost = 0.0;
  for (std::size_t i = 0; i < Ad.size(); ++i) cost += double(std::abs(Ad[i].value)) * cost_A[i];
  bool inside = true;
  detail::for_cones(problem, [&](Index first, Index size) {
    Wide moved(size);
    double terms = 0.0, dearest = 0.0;
    for (Index i = 0; i < size; ++i) {
      moved[i] = -Gd[at(first + i)].value;
      terms = std::max(terms, double(Gd[at(first + i)].terms));
      dearest = std::max(dearest, cost_G[at(first + i)]);
    }
    const double off = distance(moved);
    inside = inside && off <= tolerance * terms;
    cost += off * dearest;
  });
  return inside && double(-slope.value) >= kFarFromFeasible * cost;
}

}  // namespace nonsmooth::cone_program
