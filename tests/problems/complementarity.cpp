// SPDX-License-Identifier: Apache-2.0
#include <problems/complementarity.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace nonsmooth::problems {

double draw(std::mt19937_64& random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}

Eigen::VectorXd draw(std::mt19937_64& random, Index n, double low, double high) {
  return Eigen::VectorXd::NullaryExpr(n, [&] { return draw(random, low, high); });
}

namespace {

const char* name_of_class(MatrixClass kind) {
  constexpr const char* names[] = {"pd",        "positive real", "p",           "psd", "monotone",   "kkt", "m-matrix",
                                   "laplacian", "copositive",    "copositive+", "z",   "sufficient", "any"};
  return names[static_cast<int>(kind)];
}

}  // namespace

Eigen::MatrixXd random_matrix(MatrixClass kind, Index n, std::mt19937_64& random) {
  const auto gram = [&](Index rows, Index rank) -> Eigen::MatrixXd {
    const Eigen::MatrixXd A = normal_matrix(random, rows, rank);
    return A * A.transpose() / double(rank);
  };
  const auto skew = [&](Index rows) -> Eigen::MatrixXd {
    const Eigen::MatrixXd B = normal_matrix(random, rows, rows) / std::sqrt(double(rows));
    return B - B.transpose();
  };
  const auto apart = [&](const Eigen::MatrixXd& M) -> Eigen::MatrixXd {
    const Eigen::VectorXd d = draw(random, n, 0.2, 5.0), e = draw(random, n, 0.2, 5.0);
    return d.asDiagonal() * M * e.asDiagonal();
  };
  const Index half = std::max<Index>(1, n / 2);
  const Eigen::MatrixXd one = Eigen::MatrixXd::Identity(n, n);
  switch (kind) {
    case MatrixClass::PositiveDefinite:
      return gram(n, n) + 0.5 * one;
    case MatrixClass::PositiveReal:
      return gram(n, n) + 0.5 * one + skew(n);
    case MatrixClass::P: {
      const Eigen::MatrixXd M = gram(n, n) + 0.5 * one + skew(n);
      return apart(M);
    }
    case MatrixClass::PositiveSemidefinite:
      return gram(n, half);
    case MatrixClass::Monotone:
      return gram(n, half) + skew(n);
    case MatrixClass::Kkt: {
      Eigen::MatrixXd M = Eigen::MatrixXd::Zero(n, n);
      M.topLeftCorner(half, half) = gram(half, std::max<Index>(1, half - 1));
      M.bottomLeftCorner(n - half, half) = normal_matrix(random, n - half, half);
      M.topRightCorner(half, n - half) = -M.bottomLeftCorner(n - half, half).transpose();
      return M;
    }
    case MatrixClass::MMatrix:
    case MatrixClass::Laplacian: {
      Eigen::MatrixXd M = Eigen::MatrixXd::Zero(n, n);
      for (Index i = 0; i < n; ++i) {
        for (Index j = 0; j < i; ++j) {
          if (j + 1 == i || draw(random, 0.0, 1.0) < 0.3) M(i, j) = M(j, i) = -draw(random, 0.1, 1.0);
        }
      }
      if (kind == MatrixClass::MMatrix) M.triangularView<Eigen::StrictlyUpper>() = 0.5 * M;
      M.diagonal() = -(M + M.transpose()).rowwise().sum() / (kind == MatrixClass::MMatrix ? 1.0 : 2.0);
      if (kind == MatrixClass::MMatrix) M.diagonal().array() += 0.1;
      return M;
    }
    case MatrixClass::StrictlyCopositive:
    case MatrixClass::CopositivePlus: {
      Eigen::MatrixXd M = normal_matrix(random, n, n).cwiseMax(0.0);
      M.diagonal().array() += 0.1;
      if (kind == MatrixClass::StrictlyCopositive || n < 2) return M;
      M.bottomRows(n - half).setZero();
      M.rightCols(n - half).setZero();
      M.bottomRightCorner(n - half, n - half) = gram(n - half, std::max<Index>(1, (n - half) / 2));
      return M + skew(n);
    }
    case MatrixClass::Z: {
      Eigen::MatrixXd M = -normal_matrix(random, n, n).cwiseMax(0.0);
      M.diagonal() = draw(random, n, -0.5, double(n));
      return M;
    }
    case MatrixClass::Sufficient: {
      const Eigen::MatrixXd M = gram(n, half) + skew(n);
      return apart(M);
    }
    case MatrixClass::Any:
      break;
  }
  return normal_matrix(random, n, n);
}

namespace {

/// Bounds [0, inf) for an LCP; else a mixture of free, half-bounded and bounded rows, `all_finite` bounded ones only.
void draw_boxed_bounds(relay::Problem& problem, std::mt19937_64& random, bool lcp, bool all_finite) {
  const Index n = problem.q.size();
  problem.lower.setZero(n);
  problem.upper.setConstant(n, unbounded);
  for (Index i = 0; i < n && !lcp; ++i) {
    const std::uint64_t kind = all_finite ? 3 : random() % 5;
    if (kind == 0) continue;
    problem.lower[i] = draw(random, -2.0, 0.0), problem.upper[i] = draw(random, 0.1, 2.0);
    if (kind == 1) problem.lower[i] = -unbounded;
    if (kind == 2) problem.lower[i] = -unbounded, problem.upper[i] = unbounded;
  }
}

/// q such that a z with about a third of its rows at a bound solves.
void plant_boxed(Boxed& boxed, std::mt19937_64& random, double degenerate) {
  const relay::Problem& p = boxed.problem;
  const Index n = p.M.rows();
  boxed.z.resize(n);
  Eigen::VectorXd w = Eigen::VectorXd::Zero(n);
  for (Index i = 0; i < n; ++i) {
    const bool below = std::isfinite(p.lower[i]), above = std::isfinite(p.upper[i]);
    const double side = draw(random, 0.0, 1.0), gap = draw(random, 0.1, 1.0);
    const double low = below ? p.lower[i] : (above ? p.upper[i] - 2.0 : -1.0);
    boxed.z[i] = low + gap * (above ? std::min(0.9 * (p.upper[i] - low), 1.0) : 1.0);
    if (!below && !above) continue;
    const bool at_upper = above && (!below || side > 0.5);
    if (degenerate > 0.0 && draw(random, 0.0, 1.0) < degenerate) {
      boxed.z[i] = at_upper ? p.upper[i] : p.lower[i];
    } else if (draw(random, 0.0, 1.0) < 0.5) {
      boxed.z[i] = at_upper ? p.upper[i] : p.lower[i];
      w[i] = at_upper ? -gap : gap;
    }
  }
  boxed.problem.q = w - p.M * boxed.z;
}

/// The same problem in other units: row and column i times d_i (and so z_i and its bounds over d_i), by powers of two.
void rescale_boxed(Boxed& boxed, std::mt19937_64& random, double decades) {
  relay::Problem& p = boxed.problem;
  for (Index i = 0; i < p.q.size(); ++i) {
    const double d = std::exp2(std::round(draw(random, -decades / 4.0, decades / 4.0) * std::log2(10.0)));
    p.M.row(i) *= d, p.M.col(i) *= d, p.q[i] *= d, p.lower[i] /= d, p.upper[i] /= d;
    if (boxed.z.size() > 0) boxed.z[i] /= d;
  }
}

}  // namespace

Boxed random_boxed(MatrixClass kind, const Draw& options, bool lcp, std::mt19937_64& random) {
  Boxed boxed{name_of_class(kind), {random_matrix(kind, options.n, random), {}, {}, {}}};
  boxed.problem.q.setZero(options.n);
  // Copositivity and Z are of the orthant; P and monotony carry over to boxes, and a bounded box always solves.
  const bool of_orthant =
      kind == MatrixClass::StrictlyCopositive || kind == MatrixClass::CopositivePlus || kind == MatrixClass::Z;
  const bool all_finite = !lcp && (of_orthant || kind == MatrixClass::Any);
  draw_boxed_bounds(boxed.problem, random, lcp, all_finite);
  boxed.known_class = kind != MatrixClass::Any || all_finite;
  if (all_finite) boxed.name += ", bounded";
  plant_boxed(boxed, random, options.degenerate);
  if (options.decades > 0.0) rescale_boxed(boxed, random, options.decades);
  return boxed;
}

Boxed random_infeasible_boxed(const Draw& options, bool lcp, std::mt19937_64& random) {
  const Index n = options.n;
  Boxed boxed{"psd, infeasible", {Eigen::MatrixXd(n, n), Eigen::VectorXd(n), {}, {}}, Verdict::Infeasible};
  relay::Problem& p = boxed.problem;
  draw_boxed_bounds(p, random, lcp, false);
  p.lower[0] = 0.0, p.upper[0] = unbounded;
  Eigen::VectorXd y(n);
  for (Index i = 0; i < n; ++i) {
    const bool below = std::isfinite(p.lower[i]), above = std::isfinite(p.upper[i]);
    y[i] = draw(random, 0.1, 1.0) * (below && above ? 0.0 : (below ? 1.0 : (above || random() % 2 == 0 ? -1.0 : 1.0)));
  }
  y.normalize();
  const Eigen::MatrixXd A = normal_matrix(random, n, n), B = A - y * (y.transpose() * A);
  const Eigen::MatrixXd C = normal_matrix(random, n, n), S = C - y * (y.transpose() * C);
  const Eigen::MatrixXd T = S - (S * y) * y.transpose();
  p.M = n == 1 ? Eigen::MatrixXd::Zero(1, 1)
               : Eigen::MatrixXd(B * B.transpose() + (T - T.transpose()) / std::sqrt(double(n)));
  p.q = normal_matrix(random, n, 1);
  p.q -= (p.q.dot(y) + 1.0) * y;
  return boxed;
}

Boxed random_unsolvable(Index n, std::mt19937_64& random) {
  Boxed boxed{
      "feasible, unsolvable", {Eigen::MatrixXd::Zero(n, n), Eigen::VectorXd(n), {}, {}}, Verdict::Unsolvable, false};
  relay::Problem& p = boxed.problem;
  draw_boxed_bounds(p, random, true, false);
  if (n > 2) {
    p.M.bottomRightCorner(n - 2, n - 2) = random_matrix(MatrixClass::PositiveDefinite, n - 2, random);
    p.M.bottomLeftCorner(n - 2, 2) = normal_matrix(random, n - 2, 2);
    p.q.tail(n - 2) = normal_matrix(random, n - 2, 1);
  }
  p.M(0, 1) = draw(random, 0.5, 2.0);
  p.q[0] = -draw(random, 0.5, 2.0), p.q[1] = draw(random, 0.5, 2.0);
  return boxed;
}

mlcp::Problem to_mlcp(const relay::Problem& p, std::vector<Index>& rows) {
  rows.clear();
  const auto free = [&](Index i) { return std::isinf(p.lower[i]) && std::isinf(p.upper[i]); };
  for (Index i = 0; i < p.q.size(); ++i) {
    if (free(i)) rows.push_back(i);
  }
  const auto n = static_cast<Index>(rows.size()), m = p.q.size() - n;
  for (Index i = 0; i < p.q.size(); ++i) {
    if (!free(i)) rows.push_back(i);
  }
  const Eigen::MatrixXd M = p.M(rows, rows);
  const Eigen::VectorXd q = p.q(rows), lower = p.lower(rows), upper = p.upper(rows);
  return {M.topLeftCorner(n, n),
          M.bottomRightCorner(m, m),
          M.topRightCorner(n, m),
          M.bottomLeftCorner(m, n),
          q.head(n),
          q.tail(m),
          lower.tail(m),
          upper.tail(m)};
}

double independent_residual(const Boxed& boxed, const Eigen::VectorXd& z) {
  const relay::Problem& p = boxed.problem;
  const Index n = p.q.size();
  if (z.size() != n || !z.allFinite()) return std::numeric_limits<double>::infinity();
  long double error = 0.0L, q_norm = 0.0L, magnitude = 0.0L;
  for (Index i = 0; i < n; ++i) {
    long double w = p.q[i], sum = std::abs(p.q[i]), row = 0.0L, nearest = p.q[i];
    for (Index j = 0; j < n; ++j) {
      nearest += static_cast<long double>(p.M(i, j)) * std::clamp(0.0, p.lower[j], p.upper[j]);
      const long double product = static_cast<long double>(p.M(i, j)) * z[j];
      w += product, sum += std::abs(product);
      row = std::max(row, std::abs(static_cast<long double>(p.M(i, j))));
    }
    const long double s = p.M(i, i) > 0.0 ? p.M(i, i) : (row > 0.0L ? row : 1.0L);
    // s (z - P(z - w/s)): the middle of s (z - u), w and s (z - l).
    long double e = w;
    if (std::isfinite(p.lower[i])) e = std::min(e, s * (static_cast<long double>(z[i]) - p.lower[i]));
    if (std::isfinite(p.upper[i])) e = std::max(e, s * (static_cast<long double>(z[i]) - p.upper[i]));
    error = std::max(error, std::abs(e));
    // The data's own scale: q, and M z + q at the point of the bounds that is nearest to 0.
    q_norm = std::max({q_norm, std::abs(static_cast<long double>(p.q[i])), std::abs(nearest)});
    magnitude = std::max(magnitude, sum);
  }
  // What the sums themselves may have lost counts as error, and the data alone are the scale: no z vouches for itself.
  error += static_cast<long double>(n) * 0x1p-64L * magnitude;
  return error == 0.0L ? 0.0 : static_cast<double>(error / q_norm);
}

bool independent_proof(const relay::Problem& p, const Eigen::VectorXd& y) {
  if (y.size() != p.q.size() || !y.allFinite()) return false;
  long double value = 0.0L, terms = 0.0L;
  for (Index i = 0; i < y.size(); ++i) {
    const bool below = std::isfinite(p.lower[i]), above = std::isfinite(p.upper[i]);
    if ((below && y[i] < 0.0) || (above && y[i] > 0.0)) return false;
    value += static_cast<long double>(p.q[i]) * y[i], terms += std::abs(static_cast<long double>(p.q[i]) * y[i]);
  }
  for (Index j = 0; j < y.size(); ++j) {
    long double c = 0.0L, sum = 0.0L;
    for (Index i = 0; i < y.size(); ++i) {
      const long double product = static_cast<long double>(p.M(i, j)) * y[i];
      c += product, sum += std::abs(product);
    }
    const long double bound = c > 0.0L ? p.upper[j] : p.lower[j];  // c z is largest there
    if (std::isinf(bound)) {
      if (std::abs(c) > 64.0L * static_cast<long double>(y.size()) * 0x1p-52L * sum) return false;
      const long double other = c > 0.0L ? p.lower[j] : p.upper[j];
      if (std::isfinite(other)) value += c * other;
    } else {
      value += c * bound, terms += std::abs(c * bound);
    }
  }
  return value < -1e-10L * terms;
}

}  // namespace nonsmooth::problems
