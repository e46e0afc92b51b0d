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

namespace nonsmooth::relay {
namespace {

constexpr double round_off_factor = 64.0 * eps;  // the default floor of Certificate

double scale_of_row(ConstMatrixRef M, Index i) {
  if (M(i, i) > 0.0) return M(i, i);
  const double largest = M.row(i).cwiseAbs().maxCoeff();
  return largest > 0.0 ? largest : 1.0;
}

}  // namespace

void Problem::validate() const {
  if (M.rows() < 1) throw InvalidArgument("relay::Problem::M", "an empty matrix", "at least one row");
  check::shape("relay::Problem::M", M.rows(), M.cols(), M.rows(), M.rows());
  check::size("relay::Problem::q", q.size(), M.rows(), "one a row of M");
  check::size("relay::Problem::lower", lower.size(), M.rows(), "one a row of M");
  check::size("relay::Problem::upper", upper.size(), M.rows(), "one a row of M");
  check::finite("relay::Problem::M", ConstMatrixRef(M));
  check::finite("relay::Problem::q", ConstVectorRef(q));
  for (Index i = 0; i < lower.size(); ++i) {
    const auto found = [i](double value) {
      std::ostringstream out;
      out.precision(17);
      out << value << " in entry " << i;
      return out.str();
    };
    if (!(lower[i] < detail::infinity)) {
      throw InvalidArgument("relay::Problem::lower", found(lower[i]), "numbers below infinity");
    }
    if (!(upper[i] > -detail::infinity)) {
      throw InvalidArgument("relay::Problem::upper", found(upper[i]), "numbers above -infinity");
    }
    if (!(lower[i] <= upper[i])) {
      throw InvalidArgument("relay::Problem::lower", found(lower[i]), "at most the upper bound " + found(upper[i]));
    }
  }
}

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

bool proves_infeasible(const Problem& problem, ConstVectorRef y, double tolerance) {
  return detail::proves_infeasible(detail::view(problem), y, tolerance);
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

bool within(const View& problem, double tolerance, ConstVectorRef z, Certificate& certificate) {
  if (!(certificate.residual <= tolerance)) return false;
  if (certificate.error == 0.0 && certificate.round_off == 0.0) return true;
  // Above its floor the scale is that of the data.
  if (certificate.scale > certificate.round_off && certificate.round_off <= 64.0 * tolerance * certificate.scale) {
    return true;
  }
  // A floor that has grown with z until it is the scale vouches for nothing: there the data alone count, and what
  // extended precision itself loses counts as error.
  long double worst = 0.0L;
  long double data = 0.0L;
  for (Index i = 0; i < z.size(); ++i) {
    ExtendedSum w(problem.q[i]);
    long double reference = problem.q[i];
    for (Index j = 0; j < z.size(); ++j) {
      w.add(problem.M(i, j), z[j]);
      reference += static_cast<long double>(problem.M(i, j)) * clamp(0.0, problem.lower[j], problem.upper[j]);
    }
    const long double s = scale_of_row(problem.M, i);
    for (const long double end : {w.value() - w.lost(), w.value() + w.lost()}) {  // the error grows with w
      const long double error = std::abs(row_error<long double>(s, z[i], end, problem.lower[i], problem.upper[i]));
      if (std::isnan(error)) return false;
      worst = std::max(worst, error);
    }
    data = std::max({data, std::abs(static_cast<long double>(problem.q[i])), std::abs(reference)});
  }
  certificate.error = static_cast<double>(worst);
  certificate.residual = certificate.error == 0.0 ? 0.0 : certificate.error / certificate.scale;
  return worst <= tolerance * data;
}

void conclude(const View& problem, double tolerance, Result& result, Status otherwise, std::string_view reason) {
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

bool proves_infeasible(const View& problem, ConstVectorRef y, double tolerance) {
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
    for (Index i = 0; i < n; ++i) {
      const long double product = static_cast<long double>(problem.M(i, j)) * y[i];
      sum += product;
      bound += std::abs(product);
    }
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
