// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/relay/reformulations.hpp>

#include <string>
#include <vector>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "internal.hpp"

namespace nonsmooth::relay {

Eigen::VectorXd AsLcp::recover(ConstVectorRef x) const { return offset + map * x; }

AsLcp as_lcp(const Problem& problem) {
  problem.validate();
  const Index n = problem.q.size();
  struct Unknown {
    Index row;
    double sign;      // of z in x
    bool multiplier;  // of the upper bound of a row with both
  };
  AsLcp form;
  form.offset.setZero(n);
  std::vector<Unknown> unknowns;
  for (Index i = 0; i < n; ++i) {
    const bool below = problem.lower[i] > -detail::infinity;
    const bool above = problem.upper[i] < detail::infinity;
    form.offset[i] = below ? problem.lower[i] : (above ? problem.upper[i] : 0.0);
    if (problem.lower[i] == problem.upper[i]) continue;
    unknowns.push_back({i, below || !above ? 1.0 : -1.0, false});
    if (below && above) unknowns.push_back({i, 0.0, true});
    if (!below && !above) unknowns.push_back({i, -1.0, false});
  }
  const Index size = std::max<Index>(1, static_cast<Index>(unknowns.size()));
  form.map.setZero(n, size);
  form.problem.M.setZero(size, size);
  form.problem.q.setZero(size);
  if (unknowns.empty()) form.problem.M(0, 0) = 1.0;
  const Eigen::VectorXd q = problem.q + problem.M * form.offset;
  for (Index k = 0; k < static_cast<Index>(unknowns.size()); ++k) {
    const Unknown& one = unknowns[static_cast<std::size_t>(k)];
    if (one.multiplier) {
      // u - l - x_{k-1} >= 0, with the multiplier added to the row of w.
      form.problem.M(k, k - 1) = -1.0;
      form.problem.M(k - 1, k) = 1.0;
      form.problem.q[k] = problem.upper[one.row] - problem.lower[one.row];
      continue;
    }
    form.map(one.row, k) = one.sign;
    form.problem.q[k] = one.sign * q[one.row];
    for (Index j = 0; j < static_cast<Index>(unknowns.size()); ++j) {
      const Unknown& other = unknowns[static_cast<std::size_t>(j)];
      if (!other.multiplier) form.problem.M(k, j) = one.sign * other.sign * problem.M(one.row, other.row);
    }
  }
  return form;
}

Problem from_lcp(const lcp::Problem& problem) {
  problem.validate();
  const Index n = problem.q.size();
  return {problem.M, problem.q, Eigen::VectorXd::Zero(n), Eigen::VectorXd::Constant(n, detail::infinity)};
}

Avi as_avi(const Problem& problem) {
  problem.validate();
  const Index n = problem.q.size();
  std::vector<std::pair<Index, double>> rows;
  for (Index i = 0; i < n; ++i) {
    if (problem.lower[i] > -detail::infinity) rows.emplace_back(i, 1.0);
  }
  for (Index i = 0; i < n; ++i) {
    if (problem.upper[i] < detail::infinity) rows.emplace_back(i, -1.0);
  }
  const Index k = static_cast<Index>(rows.size());
  Avi avi{problem.M, problem.q, Eigen::MatrixXd::Zero(k, n), Eigen::VectorXd(k)};
  for (Index r = 0; r < k; ++r) {
    const auto [i, sign] = rows[static_cast<std::size_t>(r)];
    avi.A(r, i) = sign;
    avi.b[r] = sign > 0.0 ? problem.lower[i] : -problem.upper[i];
  }
  return avi;
}

Problem from_avi(const Avi& avi) {
  const Index n = avi.M.rows();
  if (avi.A.rows() > 0) check::shape("relay::Avi::A", avi.A.rows(), avi.A.cols(), avi.A.rows(), n);
  check::size("relay::Avi::b", avi.b.size(), avi.A.rows(), "one a row of A");
  check::finite("relay::Avi::A", ConstMatrixRef(avi.A));
  check::finite("relay::Avi::b", ConstVectorRef(avi.b));
  Problem problem{avi.M, avi.q, Eigen::VectorXd::Constant(n, -detail::infinity),
                  Eigen::VectorXd::Constant(n, detail::infinity)};
  for (Index r = 0; r < avi.A.rows(); ++r) {
    Index column = -1;
    Index entries = 0;
    for (Index j = 0; j < n; ++j) {
      if (avi.A(r, j) == 0.0) continue;
      column = j;
      ++entries;
    }
    if (entries != 1) {
      throw InvalidArgument("relay::Avi::A", std::to_string(entries) + " entries in row " + std::to_string(r),
                            "one entry a row, for a box");
    }
    const double bound = avi.b[r] / avi.A(r, column);
    if (avi.A(r, column) > 0.0) {
      problem.lower[column] = std::max(problem.lower[column], bound);
    } else {
      problem.upper[column] = std::min(problem.upper[column], bound);
    }
  }
  problem.validate();
  return problem;
}

}  // namespace nonsmooth::relay
