// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/lcp/problem.hpp>

#include <algorithm>
#include <array>
#include <cmath>

#include <internal/check.hpp>
#include <internal/round_off.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "internal.hpp"
#include "message.hpp"
#include "relative_rows.hpp"
#include "solved_to_round_off.hpp"
#include "sparse_entries.hpp"

namespace nonsmooth::lcp {
namespace {

constexpr double round_off_factor = 64.0 * eps;  // the default floor of Certificate

/// The running worst of a certificate. A NaN counts as worse than everything.
struct Worst {
  Certificate c;
  double q_norm = 0.0;
  double magnitude = 0.0;
  nonsmooth::detail::RelativeRows relative;

  Worst() { c.error = 0.0; }
  void add(Index row, double error, double q, double bound) {
    error = std::abs(error);
    if (!(error <= c.error)) {
      if (!std::isnan(c.error)) {
        c.error = error;
        c.worst_row = row;
      }
    } else if (c.worst_row < 0) {
      c.worst_row = row;
    }
    q_norm = std::max(q_norm, std::abs(q));
    if (!(bound <= magnitude)) magnitude = bound;
    relative.add(row, error, bound);
  }
  Certificate finish(double floor) {
    c.round_off = round_off_factor * magnitude;
    c.scale = std::max(q_norm, floor < 0.0 ? c.round_off : floor);
    c.residual = c.error == 0.0 ? 0.0 : c.error / c.scale;  // 0 / 0 is a solution: q = 0, z = 0
    if (std::isinf(c.scale)) c.residual = std::numeric_limits<double>::quiet_NaN();
    relative.tell(c);
    return c;
  }
};

/// min that lets a NaN of either argument through.
double complementarity(double a, double b) { return std::isnan(a) ? a : (a < b ? a : b); }

template <class P>
void validate_common(const P& problem) {
  if (problem.M.rows() < 1) throw InvalidArgument("lcp::Problem::M", "an empty matrix", "at least one row");
  check::shape("lcp::Problem::M", problem.M.rows(), problem.M.cols(), problem.M.rows(), problem.M.rows());
  check::size("lcp::Problem::q", problem.q.size(), problem.M.rows(), "one a row of M");
}

void check_sizes(Index n, Index z, Index w) {
  check::size("lcp::certify: z", z, n, "one a row of M");
  check::size("lcp::certify: w", w, n, "one a row of M");
}

template <class P>
void conclude_any(const P& problem, double tolerance, Result& result, Status otherwise, std::string_view reason) {
  const Index n = problem.q.size();
  result.w.resize(n);
  result.proof.resize(0);
  const bool finite = result.z.size() == n && result.z.allFinite();
  if (!finite) result.z.setZero(n);
  result.certificate = certify(problem, result.z, result.w);
  if (detail::within(problem, tolerance, result.z, result.certificate)) {
    result.status = Status::Solved;
    result.reason = "the certificate is at or below the tolerance";
  } else if (!finite || !std::isfinite(result.certificate.residual)) {
    result.status = Status::NumericalFailure;
    result.reason = "a number overflowed";
  } else if (result.certificate.error <= result.certificate.round_off) {
    result.status = Status::Stalled;
    result.reason = nonsmooth::detail::solved_at_round_off;
  } else {
    result.status = otherwise;
    result.reason = reason;
  }
  result.at_round_off = false;
  nonsmooth::detail::note_round_off(false, result);
}

}  // namespace

void Problem::validate() const {
  validate_common(*this);
  check::finite("lcp::Problem::M", ConstMatrixRef(M));
  check::finite("lcp::Problem::q", ConstVectorRef(q));
}

void SparseProblem::validate() const {
  validate_common(*this);
  nonsmooth::detail::check_finite("lcp::Problem::M", M);
  check::finite("lcp::Problem::q", ConstVectorRef(q));
}

std::string Result::message() const {
  return nonsmooth::detail::message(*this, {.stalled = "try lcp::Automatic, or check the scaling and the class of M",
                                            .infeasible = "the vector `proof` shows that no z >= 0 has M z + q >= 0",
                                            .numerical_failure = "check the scaling of M and q"});
}

Certificate certify(const View& problem, ConstVectorRef z, VectorRef w, double floor) {
  const Index n = problem.q.size();
  check_sizes(n, z.size(), w.size());
  const double* const m = problem.M.data();
  const Index ld = problem.M.outerStride();
  constexpr Index block = 64;  // rows a pass: the sums of absolute values stay on the stack
  std::array<double, block> sum;
  std::array<double, block> bound;
  Worst worst;
  for (Index first = 0; first < n; first += block) {
    const Index count = std::min(block, n - first);
    for (Index i = 0; i < count; ++i) {
      sum[static_cast<std::size_t>(i)] = problem.q[first + i];
      bound[static_cast<std::size_t>(i)] = std::abs(problem.q[first + i]);
    }
    for (Index j = 0; j < n; ++j) {
      const double zj = z[j];
      if (zj == 0.0) continue;
      const double* const column = m + j * ld + first;
      for (Index i = 0; i < count; ++i) {
        const double product = column[i] * zj;
        sum[static_cast<std::size_t>(i)] += product;
        bound[static_cast<std::size_t>(i)] += std::abs(product);
      }
    }
    for (Index i = 0; i < count; ++i) {
      const Index row = first + i;
      double s = m[row * ld + row];
      if (!(s > 0.0)) {
        s = 0.0;
        for (Index j = 0; j < n; ++j) s = std::max(s, std::abs(m[j * ld + row]));
        if (s == 0.0) s = 1.0;
      }
      const double value = sum[static_cast<std::size_t>(i)];
      w[row] = value;
      worst.add(row, complementarity(s * z[row], value), problem.q[row], bound[static_cast<std::size_t>(i)]);
    }
  }
  return worst.finish(floor);
}

Certificate certify(const Problem& problem, ConstVectorRef z, VectorRef w, double floor) {
  return certify(detail::view(problem), z, w, floor);
}

Certificate certify(const SparseProblem& problem, ConstVectorRef z, VectorRef w, double floor) {
  const Index n = problem.q.size();
  check_sizes(n, z.size(), w.size());
  Eigen::VectorXd s(n);
  detail::row_scales(problem, s);
  Eigen::VectorXd bound = problem.q.cwiseAbs();
  w = problem.q;
  for (Index j = 0; j < n; ++j) {
    if (z[j] == 0.0) continue;
    for (Eigen::SparseMatrix<double>::InnerIterator it(problem.M, j); it; ++it) {
      const double product = it.value() * z[j];
      w[it.row()] += product;
      bound[it.row()] += std::abs(product);
    }
  }
  Worst worst;
  for (Index i = 0; i < n; ++i) worst.add(i, complementarity(s[i] * z[i], w[i]), problem.q[i], bound[i]);
  return worst.finish(floor);
}

namespace detail {

void row_scales(const View& problem, VectorRef s) {
  for (Index i = 0; i < s.size(); ++i) {
    s[i] = problem.M(i, i);
    if (s[i] > 0.0) continue;
    s[i] = problem.M.row(i).cwiseAbs().maxCoeff();
    if (s[i] == 0.0) s[i] = 1.0;
  }
}

void row_scales(const SparseProblem& problem, VectorRef s) { nonsmooth::detail::row_scales(problem.M, s); }

namespace {

template <class P, class ErrorOf>
bool within_any(const P& problem, double tolerance, Certificate& certificate, ErrorOf&& extended_error) {
  if (!(certificate.residual <= tolerance)) return false;
  if (certificate.error == 0.0 && certificate.round_off == 0.0) return true;
  if (certificate.round_off <= 64.0 * tolerance * certificate.scale) {
    const double data = problem.q.cwiseAbs().maxCoeff();
    if (certificate.scale <= data || certificate.error <= tolerance * data) return true;
  }
  certificate.error = extended_error();
  certificate.residual = certificate.error == 0.0 ? 0.0 : certificate.error / certificate.scale;
  // A floor that grew with z until it is the scale vouches for nothing: there the data alone are the scale, and what
  // extended precision itself may lose counts as error.
  return certificate.residual <= tolerance && certificate.error + extended_rounding(problem.q.size(), certificate) <=
                                                  tolerance * problem.q.cwiseAbs().maxCoeff();
}

}  // namespace

bool within(const View& problem, double tolerance, ConstVectorRef z, Certificate& certificate) {
  return within_any(problem, tolerance, certificate, [&] {
    long double worst = 0.0L;
    for (Index i = 0; i < z.size(); ++i) {
      long double w = problem.q[i];
      double s = 0.0;
      for (Index j = 0; j < z.size(); ++j) {
        w += static_cast<long double>(problem.M(i, j)) * z[j];
        s = std::max(s, std::abs(problem.M(i, j)));
      }
      if (problem.M(i, i) > 0.0) s = problem.M(i, i);
      if (s == 0.0) s = 1.0;
      worst = std::max(worst, std::abs(std::min(static_cast<long double>(s) * z[i], w)));
    }
    return static_cast<double>(worst);
  });
}

bool within(const SparseProblem& problem, double tolerance, ConstVectorRef z, Certificate& certificate) {
  return within_any(problem, tolerance, certificate, [&] {
    std::vector<long double> w(problem.q.data(), problem.q.data() + problem.q.size());
    Eigen::VectorXd s(z.size());
    row_scales(problem, s);
    for (Index j = 0; j < z.size(); ++j) {
      for (Eigen::SparseMatrix<double>::InnerIterator it(problem.M, j); it; ++it) {
        w[static_cast<std::size_t>(it.row())] += static_cast<long double>(it.value()) * z[j];
      }
    }
    long double worst = 0.0L;
    for (Index i = 0; i < z.size(); ++i) {
      worst =
          std::max(worst, std::abs(std::min(static_cast<long double>(s[i]) * z[i], w[static_cast<std::size_t>(i)])));
    }
    return static_cast<double>(worst);
  });
}

void conclude(const View& problem, double tolerance, Result& result, Status otherwise, std::string_view reason) {
  conclude_any(problem, tolerance, result, otherwise, reason);
}

void conclude(const SparseProblem& problem, double tolerance, Result& result, Status otherwise,
              std::string_view reason) {
  conclude_any(problem, tolerance, result, otherwise, reason);
}

}  // namespace detail
}  // namespace nonsmooth::lcp
