// SPDX-License-Identifier: Apache-2.0
#include "certificate.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include <internal/at.hpp>
#include <internal/check.hpp>
#include <internal/round_off.hpp>

#include "cones.hpp"
#include "extended_sums.hpp"
#include "own_error.hpp"

namespace nonsmooth::cone_program {
namespace {

using detail::distance, detail::for_cones, detail::Sum, detail::Wide;
using nonsmooth::detail::for_each_entry, nonsmooth::detail::OwnError;
using Sparse = Eigen::SparseMatrix<double>;

/// The worst error of one part, over the data or the terms of the part; and over its own terms.
struct Part {
  double error = 0.0, data = 0.0, terms = 0.0, relative = 0.0;
  double size = 0.0;            // of what the terms with errors could be
  bool rounding_is_all = true;  // of these terms
  Index row = -1, relative_row = -1;

  /// `own_size`: what the data elsewhere say that the terms could be, 0 where they say nothing.
  void add(Index at_row, double own_error, double own_data, double own_terms, double own_size = 0.0) {
    data = std::max(data, own_data);
    terms = std::max(terms, own_terms);
    if (own_error > 0.0) {
      size = std::max(size, own_size);
      rounding_is_all = rounding_is_all && own_terms <= 64.0 * eps * own_size;
    }
    if (own_error > relative * own_terms) {
      relative = own_error / own_terms;
      relative_row = at_row;
    }
    if (own_error <= error || std::isnan(error)) return;
    error = own_error;
    row = at_row;
  }
  [[nodiscard]] double unit() const { return data > 0.0 ? data : rounding_is_all && size > 0.0 ? size : terms; }
  [[nodiscard]] double residual() const { return error == 0.0 ? 0.0 : error / unit(); }
};

/// most = max(most, part / entry), both >= 0, by a division where it grows alone; an entry of 0 says nothing.
void grow(double& most, double part, double entry) {
  if (part > most * entry && entry != 0.0) most = part / entry;
}

/// rows += M x and columns += M^T y.
void multiply(const Sparse& M, ConstVectorRef x, ConstVectorRef y, std::vector<Sum>& rows, std::vector<Sum>& columns) {
  for_each_entry(M, [&](Index i, Index j, double value) {
    rows[at(i)].add(value, x[j]);
    columns[at(j)].add(value, y[i]);
  });
}

/// What is worst of the parts, and of rows by themselves where that is more.
Certificate worst_of(std::initializer_list<const Part*> parts, const OwnError& primal, const OwnError& dual) {
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
  primal.raise(certificate);
  dual.raise(certificate);
  certificate.row_residual = relative->relative;
  certificate.worst_relative_row = relative->relative_row;
  return certificate;
}

double either(double data, double otherwise) { return data > 0.0 ? data : otherwise; }

/// What A, G and their transposes make of one (x, y, z), and the errors.
struct Look {
  const Problem& problem;
  const detail::DataSizes& sizes;
  ConstVectorRef x, y, z;
  std::vector<Sum> Ax, Gx, slopes;  // slopes: A^T y + G^T z
  Wide s, wide_z;
  Part equations, cones, dual, gap;
  OwnError own_primal, own_dual;

  Look(const Problem& given, const detail::DataSizes& of_data, ConstVectorRef at_x, ConstVectorRef at_y,
       ConstVectorRef at_z)
      : problem(given),
        sizes(of_data),
        x(at_x),
        y(at_y),
        z(at_z),
        Ax(at(at_y.size())),
        Gx(at(at_z.size())),
        slopes(at(at_x.size())),
        s(at_z.size()),
        wide_z(at_z.cast<long double>()) {
    multiply(problem.A, x, y, Ax, slopes);
    multiply(problem.G, x, z, Gx, slopes);
    for (Index i = 0; i < s.size(); ++i) s[i] = problem.h[i] - Gx[at(i)].value;
  }

  void look_at_equations() {
    for (Index i = 0; i < y.size(); ++i) {
      const Sum& row = Ax[at(i)];
      const double error = std::abs(double(row.value - problem.b[i])), size = std::abs(problem.b[i]);
      equations.add(i, error, size, double(row.terms) + size, sizes.A_rows[i]);
      own_primal.add(i, error, either(size, sizes.A_rows[i]), double(row.terms));
    }
  }

  void look_at_cones() {
    const Index p = y.size();
    for_cones(problem, [&](Index first, Index size) {
      double terms = 0.0;
      for (Index i = first; i < first + size; ++i) terms = std::max(terms, double(Gx[at(i)].terms));
      const double error = distance(s.segment(first, size));
      const double data = problem.h.segment(first, size).cwiseAbs().maxCoeff();
      // What x is far from says nothing of errors elsewhere.
      const double counted = error > 0.0 ? data : std::min(data, terms);
      cones.add(p + first, error, counted, counted + terms, sizes.G_rows.segment(first, size).maxCoeff());
      own_primal.add(p + first, error, either(data, sizes.G_rows.segment(first, size).maxCoeff()), terms);
    });
  }

  void look_at_slopes() {
    const Index p = y.size(), m = z.size();
    for_cones(problem, [&](Index first, Index size) {
      const auto own = wide_z.segment(first, size);
      const double error = distance(own), norm = double(own.norm());
      dual.add(p + first, sizes.largest_of_G * error, 0.0, sizes.largest_of_G * norm);
      own_dual.add(p + first, error, sizes.Z.segment(first, size).maxCoeff(), norm);
    });
    for (Index j = 0; j < x.size(); ++j) {
      const Sum& slope = slopes[at(j)];
      const double error = std::abs(double(slope.value + problem.c[j])), size = std::abs(problem.c[j]);
      dual.add(p + m + j, error, size, double(slope.terms) + size, sizes.columns[j]);
      own_dual.add(p + m + j, error, either(size, sizes.columns[j]), double(slope.terms));
    }
  }

  /// The values into `figures`, and the gap between them.
  void look_at_values(Figures& figures) {
    Sum value, dual_value;
    double asked = 0.0;  // of multipliers no larger than c asks for
    for (Index j = 0; j < x.size(); ++j) value.add(problem.c[j], x[j]);
    const auto look = [&](const Eigen::VectorXd& right, ConstVectorRef multipliers, const Eigen::VectorXd& most) {
      for (Index i = 0; i < right.size(); ++i) {
        dual_value.add(-right[i], multipliers[i]);
        asked += std::abs(right[i]) * std::min(std::abs(multipliers[i]), most[i]);
      }
    };
    look(problem.b, y, sizes.asked_y);
    look(problem.h, z, sizes.asked_z);
    figures.value = double(value.value);
    figures.dual_value = double(dual_value.value);
    gap.add(y.size() + z.size(), std::abs(double(value.value - dual_value.value)), double(value.terms) + asked,
            double(value.terms + dual_value.terms));
  }

  /// Figures::complementarity.
  [[nodiscard]] double complementarity() const {
    Eigen::VectorXd share = Eigen::VectorXd::Zero(z.size());  // max_j |G_ij| / terms of dual equation j
    Eigen::VectorXd inverse(x.size());
    for (Index j = 0; j < x.size(); ++j) {
      const double terms = std::abs(problem.c[j]) + double(slopes[at(j)].terms);
      inverse[j] = terms > 0.0 ? 1.0 / terms : 0.0;
    }
    for_each_entry(problem.G, [&](Index i, Index j, double value) {
      share[i] = std::max(share[i], std::abs(value) * inverse[j]);
    });
    double worst = 0.0;
    for_cones(problem, [&](Index first, Index size) {
      if (problem.h.segment(first, size).isZero(0.0)) return;
      double terms = 0.0, product = 0.0;
      for (Index i = first; i < first + size; ++i) {
        terms = std::max(terms, std::abs(problem.h[i]) + double(Gx[at(i)].terms));
        product += double(s[i]) * z[i];
      }
      worst = std::max(worst, std::abs(product) / terms * share.segment(first, size).maxCoeff());
    });
    return worst;
  }
};

}  // namespace

detail::DataSizes::DataSizes(const Problem& problem)
    : X(Vector::Zero(problem.num_unknowns())),
      Y(Vector::Zero(problem.num_equations())),
      Z(Vector::Zero(problem.num_rows())),
      A_rows(Vector::Zero(Y.size())),
      G_rows(Vector::Zero(Z.size())),
      columns(Vector::Zero(X.size())) {
  const double steepest = problem.c.cwiseAbs().maxCoeff();
  const auto asked = [steepest](const Vector& multipliers, const Vector& largest) {
    Vector most(largest.size());
    for (Index i = 0; i < most.size(); ++i)
      most[i] = largest[i] > 0.0 ? std::max(multipliers[i], steepest / largest[i]) : 0.0;
    return most;
  };
  asked_y = asked(Y, look(problem, problem.A, problem.b, Y));
  const Vector largest = look(problem, problem.G, problem.h, Z);
  if (largest.size() > 0) largest_of_G = largest.maxCoeff();
  asked_z = asked(Z, largest);
  const auto size = [this](const Sparse& M, const Vector& multipliers, Vector& rows) {
    for_each_entry(M, [&](Index i, Index j, double value) {
      const double entry = std::abs(value);
      rows[i] = std::max(rows[i], entry * X[j]);
      columns[j] = std::max(columns[j], entry * multipliers[i]);
    });
  };
  size(problem.A, Y, A_rows);
  size(problem.G, Z, G_rows);
}

Eigen::VectorXd detail::DataSizes::look(const Problem& problem, const Sparse& M, const Vector& right,
                                        Vector& multipliers) {
  Vector largest = Vector::Zero(right.size());
  for_each_entry(M, [&](Index i, Index j, double value) {
    const double entry = std::abs(value);
    largest[i] = std::max(largest[i], entry);
    grow(X[j], std::abs(right[i]), entry);
    grow(multipliers[i], std::abs(problem.c[j]), entry);
  });
  return largest;
}

Certificate detail::Certifier::certify(ConstVectorRef x, ConstVectorRef y, ConstVectorRef z, VectorRef s,
                                       Figures& figures) const {
  Look look(problem_, sizes_, x, y, z);
  look.look_at_equations();
  look.look_at_cones();
  look.look_at_slopes();
  look.look_at_values(figures);
  s = look.s.cast<double>();
  figures.primal = std::max({look.equations.residual(), look.cones.residual(), look.own_primal.residual});
  figures.dual = std::max(look.dual.residual(), look.own_dual.residual);
  figures.gap = look.gap.residual();
  figures.complementarity = look.complementarity();
  return worst_of({&look.equations, &look.cones, &look.dual, &look.gap}, look.own_primal, look.own_dual);
}

Certificate certify(const Problem& problem, ConstVectorRef x, ConstVectorRef y, ConstVectorRef z, VectorRef s,
                    Figures* figures) {
  check::size("cone_program::certify: x", x.size(), problem.num_unknowns(), "one an entry of c");
  check::size("cone_program::certify: y", y.size(), problem.num_equations(), "one a row of A");
  check::size("cone_program::certify: z", z.size(), problem.num_rows(), "one a row of G");
  check::size("cone_program::certify: s", s.size(), problem.num_rows(), "one a row of G");
  Figures own;
  return detail::Certifier(problem).certify(x, y, z, s, figures ? *figures : own);
}

}  // namespace nonsmooth::cone_program
