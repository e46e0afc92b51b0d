// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/relay/problem.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>

#include <internal/check.hpp>
#include <internal/round_off.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "internal.hpp"
#include "message.hpp"
#include "solved_to_round_off.hpp"
#include "sparse_entries.hpp"

namespace nonsmooth::relay {
namespace {

constexpr double round_off_factor = 64.0 * eps;  // the default floor of Certificate

double scale_of_row(ConstMatrixRef M, Index i) {
  if (M(i, i) > 0.0) return M(i, i);
  const double largest = M.row(i).cwiseAbs().maxCoeff();
  return largest > 0.0 ? largest : 1.0;
}

}  // namespace

namespace {

template <class P>
void validate_common(const P& problem) {
  const Index n = problem.M.rows();
  if (n < 1) throw InvalidArgument("relay::Problem::M", "an empty matrix", "at least one row");
  check::shape("relay::Problem::M", n, problem.M.cols(), n, n);
  check::size("relay::Problem::q", problem.q.size(), n, "one a row of M");
  check::size("relay::Problem::lower", problem.lower.size(), n, "one a row of M");
  check::size("relay::Problem::upper", problem.upper.size(), n, "one a row of M");
  nonsmooth::detail::check_finite("relay::Problem::M", problem.M);
  check::finite("relay::Problem::q", ConstVectorRef(problem.q));
  for (Index i = 0; i < n; ++i) {
    const double lower = problem.lower[i];
    const double upper = problem.upper[i];
    const auto found = [i](double value) {
      std::ostringstream out;
      out.precision(17);
      out << value << " in entry " << i;
      return out.str();
    };
    if (!(lower < detail::infinity)) {
      throw InvalidArgument("relay::Problem::lower", found(lower), "numbers below infinity");
    }
    if (!(upper > -detail::infinity)) {
      throw InvalidArgument("relay::Problem::upper", found(upper), "numbers above -infinity");
    }
    if (!(lower <= upper)) {
      throw InvalidArgument("relay::Problem::lower", found(lower), "at most the upper bound " + found(upper));
    }
  }
}

}  // namespace

void Problem::validate() const { validate_common(*this); }
void SparseProblem::validate() const { validate_common(*this); }

std::string Result::message() const {
  return nonsmooth::detail::message(
      *this, {.stalled = "try relay::Automatic, or check the scaling and the class of M",
              .infeasible = "the vector `proof` shows that no z within the bounds gives w the signs it needs",
              .numerical_failure = "check the scaling of M and q"});
}

Certificate certify(const View& problem, ConstVectorRef z, VectorRef w, double floor) {
  const Index n = problem.q.size();
  check::size("relay::certify: z", z.size(), n, "one a row of M");
  check::size("relay::certify: w", w.size(), n, "one a row of M");
  const double* const m = problem.M.data();
  const Index ld = problem.M.outerStride();
  constexpr Index block = 64;  // rows a pass: the sums stay on the stack
  std::array<double, block> sum;
  std::array<double, block> bound;
  std::array<double, block> reference;
  detail::Worst worst;
  for (Index first = 0; first < n; first += block) {
    const Index count = std::min(block, n - first);
    for (Index i = 0; i < count; ++i) {
      const std::size_t k = static_cast<std::size_t>(i);
      sum[k] = reference[k] = problem.q[first + i];
      bound[k] = std::abs(problem.q[first + i]);
    }
    for (Index j = 0; j < n; ++j) {
      const double zj = z[j];
      const double* const column = m + j * ld + first;
      if (zj != 0.0) {
        for (Index i = 0; i < count; ++i) {
          const double product = column[i] * zj;
          sum[static_cast<std::size_t>(i)] += product;
          bound[static_cast<std::size_t>(i)] += std::abs(product);
        }
      }
      const double nearest = detail::clamp(0.0, problem.lower[j], problem.upper[j]);
      if (nearest != 0.0) {
        for (Index i = 0; i < count; ++i) reference[static_cast<std::size_t>(i)] += column[i] * nearest;
      }
    }
    for (Index i = 0; i < count; ++i) {
      const Index row = first + i;
      const std::size_t k = static_cast<std::size_t>(i);
      w[row] = sum[k];
      const double s = scale_of_row(problem.M, row);
      worst.add(row, detail::row_error(s, z[row], sum[k], problem.lower[row], problem.upper[row]), problem.q[row],
                reference[k], bound[k]);
    }
  }
  return worst.finish(floor);
}

Certificate certify(const Problem& problem, ConstVectorRef z, VectorRef w, double floor) {
  return certify(detail::view(problem), z, w, floor);
}

Certificate certify(const SparseProblem& problem, ConstVectorRef z, VectorRef w, double floor) {
  const Index n = problem.q.size();
  check::size("relay::certify: z", z.size(), n, "one a row of M");
  check::size("relay::certify: w", w.size(), n, "one a row of M");
  w = problem.q;
  Eigen::VectorXd bound = problem.q.cwiseAbs(), reference = problem.q, s(n);
  nonsmooth::detail::for_each_entry(problem.M, [&](Index i, Index j, double value) {
    const double product = value * z[j];
    w[i] += product;
    bound[i] += std::abs(product);
    const double nearest = detail::clamp(0.0, problem.lower[j], problem.upper[j]);
    if (nearest != 0.0) reference[i] += value * nearest;
  });
  nonsmooth::detail::row_scales(problem.M, s);
  detail::Worst worst;
  for (Index i = 0; i < n; ++i) {
    worst.add(i, detail::row_error(s[i], z[i], w[i], problem.lower[i], problem.upper[i]), problem.q[i], reference[i],
              bound[i]);
  }
  return worst.finish(floor);
}

bool proves_infeasible(const Problem& problem, ConstVectorRef y, double tolerance) {
  return detail::proves_infeasible(detail::view(problem), y, tolerance);
}

bool proves_infeasible(const SparseProblem& problem, ConstVectorRef y, double tolerance) {
  return detail::proves_infeasible(problem, y, tolerance);
}

namespace detail {

void Worst::add(Index row, double error, double q, double reference, double bound) {
  error = std::abs(error);
  if (!(error <= c_.error)) {
    if (!std::isnan(c_.error)) {
      c_.error = error;
      c_.worst_row = row;
    }
  } else if (c_.worst_row < 0) {
    c_.worst_row = row;
  }
  scale_ = std::max({scale_, std::abs(q), std::abs(reference)});
  if (!(bound <= magnitude_)) magnitude_ = bound;
  relative_.add(row, error, bound);
}

Certificate Worst::finish(double floor) {
  c_.round_off = round_off_factor * magnitude_;
  c_.scale = std::max(scale_, floor < 0.0 ? c_.round_off : floor);
  c_.residual = c_.error == 0.0 ? 0.0 : c_.error / c_.scale;  // 0 / 0 is a solution: q = 0, z = 0
  if (std::isinf(c_.scale)) c_.residual = std::numeric_limits<double>::quiet_NaN();
  relative_.tell(c_);
  return c_;
}

void row_scales(const View& problem, VectorRef s) {
  for (Index i = 0; i < s.size(); ++i) s[i] = scale_of_row(problem.M, i);
}

void row_scales(const SparseProblem& problem, VectorRef s) { nonsmooth::detail::row_scales(problem.M, s); }

namespace {

/// The worst error and the size of the data, rows summed in extended precision; what that loses counts as error.
struct ExtendedRows {
  long double worst = 0.0L, data = 0.0L;
  bool add(double s, double z, double q, const ExtendedSum& w, long double reference, double lower, double upper) {
    for (const long double end : {w.value() - w.lost(), w.value() + w.lost()}) {  // the error grows with w
      const long double error = std::abs(row_error<long double>(s, z, end, lower, upper));
      if (std::isnan(error)) return false;
      worst = std::max(worst, error);
    }
    data = std::max({data, std::abs(static_cast<long double>(q)), std::abs(reference)});
    return true;
  }
};

/// `add_rows(sums)` gives the rows to an ExtendedRows; false where one is NaN.
template <class AddRows>
bool within_any(double tolerance, Certificate& certificate, AddRows&& add_rows) {
  if (!(certificate.residual <= tolerance)) return false;
  if (certificate.error == 0.0 && certificate.round_off == 0.0) return true;
  // Above its floor the scale is that of the data.
  if (certificate.scale > certificate.round_off && certificate.round_off <= 64.0 * tolerance * certificate.scale) {
    return true;
  }
  // A floor that has grown with z until it is the scale vouches for nothing: there the data alone count.
  ExtendedRows rows;
  if (!add_rows(rows)) return false;
  certificate.error = static_cast<double>(rows.worst);
  certificate.residual = certificate.error == 0.0 ? 0.0 : certificate.error / certificate.scale;
  return rows.worst <= tolerance * rows.data;
}

}  // namespace

bool within(const View& problem, double tolerance, ConstVectorRef z, Certificate& certificate) {
  return within_any(tolerance, certificate, [&](ExtendedRows& rows) {
    for (Index i = 0; i < z.size(); ++i) {
      ExtendedSum w(problem.q[i]);
      long double reference = problem.q[i];
      for (Index j = 0; j < z.size(); ++j) {
        w.add(problem.M(i, j), z[j]);
        reference += static_cast<long double>(problem.M(i, j)) * clamp(0.0, problem.lower[j], problem.upper[j]);
      }
      if (!rows.add(scale_of_row(problem.M, i), z[i], problem.q[i], w, reference, problem.lower[i], problem.upper[i]))
        return false;
    }
    return true;
  });
}

bool within(const SparseProblem& problem, double tolerance, ConstVectorRef z, Certificate& certificate) {
  return within_any(tolerance, certificate, [&](ExtendedRows& rows) {
    std::vector<ExtendedSum> w(problem.q.data(), problem.q.data() + problem.q.size());
    std::vector<long double> reference(problem.q.data(), problem.q.data() + problem.q.size());
    nonsmooth::detail::for_each_entry(problem.M, [&](Index i, Index j, double value) {
      const auto row = static_cast<std::size_t>(i);
      w[row].add(value, z[j]);
      reference[row] += static_cast<long double>(value) * clamp(0.0, problem.lower[j], problem.upper[j]);
    });
    Eigen::VectorXd s(z.size());
    nonsmooth::detail::row_scales(problem.M, s);
    for (Index i = 0; i < z.size(); ++i) {
      const auto row = static_cast<std::size_t>(i);
      if (!rows.add(s[i], z[i], problem.q[i], w[row], reference[row], problem.lower[i], problem.upper[i])) return false;
    }
    return true;
  });
}

namespace {

template <class P>
void conclude_any(const P& problem, double tolerance, Result& result, Status otherwise, std::string_view reason) {
  const Index n = problem.q.size();
  result.w.resize(n);
  result.proof.resize(0);
  const bool finite = result.z.size() == n && result.z.allFinite();
  if (!finite) result.z.setZero(n);
  clamp(problem, result.z);
  result.certificate = certify(problem, result.z, result.w);
  if (within(problem, tolerance, result.z, result.certificate)) {
    result.status = Status::Solved;
    result.reason = "the certificate is at or below the tolerance";
  } else if (!finite || !std::isfinite(result.certificate.residual)) {
    result.status = Status::NumericalFailure;
    result.reason = "a number overflowed";
  } else if (result.certificate.residual <= tolerance || result.certificate.error <= result.certificate.round_off) {
    result.status = Status::Stalled;
    result.reason = nonsmooth::detail::solved_at_round_off;
  } else {
    result.status = otherwise;
    result.reason = reason;
  }
  result.at_round_off = false;
  if (result.status != Status::Solved)
    nonsmooth::detail::note_round_off(problem.lower.allFinite() && problem.upper.allFinite(), result);
}

}  // namespace

void conclude(const View& problem, double tolerance, Result& result, Status otherwise, std::string_view reason) {
  conclude_any(problem, tolerance, result, otherwise, reason);
}

void conclude(const SparseProblem& problem, double tolerance, Result& result, Status otherwise,
              std::string_view reason) {
  conclude_any(problem, tolerance, result, otherwise, reason);
}

namespace {

/// `column(j, add)` calls add(i, M_ij) for the entries of a column.
template <class P, class Column>
bool proves_infeasible_any(const P& problem, ConstVectorRef y, double tolerance, Column&& column) {
  const Index n = problem.q.size();
  if (y.size() != n || !y.allFinite()) return false;
  const double rounding = tolerance < 0.0 ? 4.0 * eps : tolerance;
  for (Index i = 0; i < n; ++i) {
    const bool below = problem.lower[i] > -infinity;
    const bool above = problem.upper[i] < infinity;
    if (below && above ? y[i] != 0.0 : (below ? y[i] < 0.0 : above && y[i] > 0.0)) return false;
  }
  // The largest value of y·(M z + q) over the box.
  long double largest = 0.0L;
  long double magnitude = 0.0L;
  for (Index i = 0; i < n; ++i) {
    const long double product = static_cast<long double>(problem.q[i]) * y[i];
    largest += product;
    magnitude += std::abs(product);
  }
  for (Index j = 0; j < n; ++j) {
    long double sum = 0.0L;
    long double bound = 0.0L;
    column(j, [&](Index i, double entry) {
      const long double product = static_cast<long double>(entry) * y[i];
      sum += product;
      bound += std::abs(product);
    });
    double end = sum > 0.0L ? problem.upper[j] : problem.lower[j];
    if (std::isinf(end)) {
      if (!(std::abs(sum) <= rounding * bound)) return false;
      end = clamp(0.0, problem.lower[j], problem.upper[j]);  // round-off of a zero
    }
    largest += sum * end;
    magnitude += bound * std::abs(end);
  }
  return largest < -rounding * magnitude;
}

}  // namespace

bool proves_infeasible(const View& problem, ConstVectorRef y, double tolerance) {
  return proves_infeasible_any(problem, y, tolerance, [&](Index j, auto&& add) {
    for (Index i = 0; i < problem.q.size(); ++i) add(i, problem.M(i, j));
  });
}

bool proves_infeasible(const SparseProblem& problem, ConstVectorRef y, double tolerance) {
  return proves_infeasible_any(problem, y, tolerance, [&](Index j, auto&& add) {
    for (Eigen::SparseMatrix<double>::InnerIterator it(problem.M, j); it; ++it) add(it.row(), it.value());
  });
}

double num_bases(const View& problem) {
  double count = 1.0;
  for (Index i = 0; i < problem.q.size(); ++i) {
    const bool below = problem.lower[i] > -infinity;
    const bool above = problem.upper[i] < infinity;
    if (problem.lower[i] == problem.upper[i]) continue;
    count *= below && above ? 3.0 : (below || above ? 2.0 : 1.0);
  }
  return count;
}

}  // namespace detail
}  // namespace nonsmooth::relay
