// SPDX-License-Identifier: Apache-2.0
#include "moving_part.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <internal/check.hpp>

#include "solved_to_round_off.hpp"

namespace nonsmooth::mcp::detail {
namespace {

constexpr int most_passes = 20;  // over the affine rows

/// What an affine row can be on the box: f + sum_j J_j (y_j - x_j), l <= y <= h, and the rounding of it.
struct AffineRange {
  double low, high, rounding;
};

AffineRange range_of(const Eigen::SparseMatrix<double, Eigen::RowMajor>& J, Index i, double f, const Eigen::VectorXd& x,
                     const Eigen::VectorXd& lower, const Eigen::VectorXd& upper) {
  AffineRange range{f, f, std::abs(f)};
  for (Eigen::SparseMatrix<double, Eigen::RowMajor>::InnerIterator entry(J, i); entry; ++entry) {
    const Index j = entry.col();
    const double slope = entry.value();
    if (slope == 0.0) continue;
    const double down = slope * (lower[j] - x[j]), up = slope * (upper[j] - x[j]);
    range.low += std::min(down, up);
    range.high += std::max(down, up);
    range.rounding += std::abs(slope * x[j]);
    for (const double part : {down, up}) {
      if (std::isfinite(part)) range.rounding += std::abs(part);
    }
  }
  range.rounding *= 64.0 * eps;
  return range;
}

}  // namespace

bool may_shrink(const Problem& problem) noexcept {
  return !problem.affine_rows.empty() || (problem.lower.array() == problem.upper.array()).any();
}

/// What the callables of the rest work with: they fill in the unknowns that stay.
struct MovingPart::Shared {
  const NonlinearMap& F;
  std::vector<Index> moving;
  std::vector<int> place;  // of each unknown among those that move, -1: none
  Eigen::VectorXd x, f;    // of the whole problem
  Eigen::SparseMatrix<double> J;
  Eigen::MatrixXd dense_J;
  std::optional<NotFinite> last{};  // what was not finite
  bool now = false;                 // in the last call
  const Eigen::VectorXd none{};

  void set(ConstVectorRef y) {
    for (std::size_t k = 0; k < moving.size(); ++k) x[moving[k]] = y[static_cast<Index>(k)];
    now = false;
  }

  void tell(double value, Index component, Index unknown) {
    if (now || std::isfinite(value)) return;
    now = true;
    last = NotFinite{component, unknown, value, x};
  }

  void value(ConstVectorRef y, VectorRef out) {
    set(y);
    static_cast<void>(evaluate(F, x, f));  // rows that left are not asked to be finite
    for (std::size_t k = 0; k < moving.size(); ++k) {
      out[static_cast<Index>(k)] = f[moving[k]];
      tell(f[moving[k]], moving[k], -1);
    }
  }

  void jacobian(ConstVectorRef y, Eigen::SparseMatrix<double>& out) {
    set(y);
    static_cast<void>(evaluate_jacobian(F, x, f, none, none, J));
    const auto n = static_cast<Index>(moving.size());
    out.resize(n, n);
    out.reserve(J.nonZeros());
    for (Index k = 0; k < n; ++k) {
      const Index j = moving[static_cast<std::size_t>(k)];
      out.startVec(k);
      for (Eigen::SparseMatrix<double>::InnerIterator entry(J, j); entry; ++entry) {
        const int row = place[static_cast<std::size_t>(entry.row())];
        if (row < 0) continue;
        out.insertBack(row, k) = entry.value();
        tell(entry.value(), entry.row(), j);
      }
    }
    out.finalize();
  }

  void dense_jacobian(ConstVectorRef y, MatrixRef out) {
    set(y);
    static_cast<void>(evaluate_jacobian(F, x, f, none, none, dense_J));
    out = dense_J(moving, moving);
    if (check::all_finite(out.reshaped())) return;
    for (const Index j : moving) {
      for (const Index i : moving) tell(dense_J(i, j), i, j);
    }
  }
};

MovingPart::MovingPart(const Problem& problem, const Eigen::VectorXd& x)
    : problem_(problem), lower_(problem.lower), upper_(problem.upper) {
  if (!problem.affine_rows.empty()) hold_by_affine_rows(x);
  for (Index i = 0; i < problem.size(); ++i) {
    if (lower_[i] < upper_[i]) moving_.push_back(i);
  }
  if (is_all()) {
    rest_ = problem;
    rest_.affine_rows.clear();
  } else {
    make_rest();
  }
}

MovingPart::~MovingPart() = default;

void MovingPart::hold_by_affine_rows(const Eigen::VectorXd& x) {
  Eigen::VectorXd f(problem_.size());
  Eigen::SparseMatrix<double> columns;
  ++values_;
  if (evaluate(problem_.F, x, f)) return;
  ++jacobians_;
  if (evaluate_jacobian(problem_.F, x, f, problem_.lower, problem_.upper, columns)) return;
  const Eigen::SparseMatrix<double, Eigen::RowMajor> J = columns;
  bool changes = true;
  for (int pass = 0; changes && pass < most_passes; ++pass) {
    changes = false;
    for (const Index i : problem_.affine_rows) {
      if (lower_[i] == upper_[i]) continue;
      const AffineRange range = range_of(J, i, f[i], x, lower_, upper_);
      if (range.low > range.rounding && std::isfinite(lower_[i])) {
        upper_[i] = lower_[i];
      } else if (range.high < -range.rounding && std::isfinite(upper_[i])) {
        lower_[i] = upper_[i];
      } else {
        continue;
      }
      changes = true;
    }
  }
}

void MovingPart::make_rest() {
  const Index n = problem_.size();
  const NonlinearMap& F = problem_.F;
  shared_ = std::make_unique<Shared>(Shared{.F = F,
                                            .moving = moving_,
                                            .place = std::vector<int>(static_cast<std::size_t>(n), -1),
                                            .x = lower_,
                                            .f = Eigen::VectorXd(n),
                                            .J = {},
                                            .dense_J = {}});
  for (std::size_t k = 0; k < moving_.size(); ++k) {
    shared_->place[static_cast<std::size_t>(moving_[k])] = static_cast<int>(k);
  }
  rest_.F.num_unknowns = rest_.F.num_values = static_cast<Index>(moving_.size());
  rest_.F.name = F.name;
  rest_.F.value = [shared = shared_.get()](ConstVectorRef y, VectorRef f) { shared->value(y, f); };
  if (F.jacobian)
    rest_.F.jacobian = [shared = shared_.get()](ConstVectorRef y, Eigen::SparseMatrix<double>& J) {
      shared->jacobian(y, J);
    };
  if (F.dense_jacobian)
    rest_.F.dense_jacobian = [shared = shared_.get()](ConstVectorRef y, MatrixRef J) { shared->dense_jacobian(y, J); };
  rest_.F.sizes = restricted(F.sizes);
  rest_.lower = lower_(moving_);
  rest_.upper = upper_(moving_);
  rest_.start = restricted(problem_.start);
  rest_.scale = data_scale(problem_, values_);
}

Eigen::VectorXd MovingPart::restricted(const Eigen::VectorXd& x) const {
  if (x.size() == 0) return {};
  return x(moving_);
}

std::string MovingPart::not_finite() const { return shared_ && shared_->now ? message() : std::string(); }

std::string MovingPart::message() const {
  return shared_ && shared_->last ? shared_->last->message(problem_.F) : std::string();
}

Result MovingPart::whole(Result&& found, double tolerance) const {
  Result result = std::move(found);
  result.values += values_;
  result.jacobians += jacobians_;
  if (is_all()) return result;
  if (!result.not_finite.empty()) result.not_finite = message();
  Eigen::VectorXd x = lower_, f(problem_.size());
  if (!empty()) x(moving_) = result.x;
  Jacobian jacobian(problem_);
  ++result.values;
  std::optional<NotFinite> bad = evaluate(problem_.F, x, f);
  if (!bad) {
    ++result.jacobians;
    bad = jacobian.evaluate(problem_, x, f);
  }
  result.x = x;
  result.w = f;
  result.certificate = {};
  if (bad) {
    result.status = Status::NumericalFailure;
    result.reason = "F is not finite";
    result.not_finite = bad->message(problem_.F);
    result.certificate.worst_row = bad->component;
    return result;
  }
  result.certificate = certify(problem_, rest_.scale, x, f, jacobian);
  const bool to_rounding = result.status == Status::Solved && result.at_round_off;
  if (within(result.certificate, tolerance)) {
    if (result.status != Status::Solved) result.reason = "the certificate is at or below the tolerance";
    result.status = Status::Solved;
  } else if (result.status == Status::Solved) {
    result.status = Status::Stalled;
    result.reason =
        "solved in the unknowns that can move, not as a whole: rows said to be affine that are not, or "
        "rounding";
  }
  result.at_round_off = result.at_round_off && result.status == Status::Solved;
  nonsmooth::detail::note_round_off(problem_.lower.allFinite() && problem_.upper.allFinite(), result);
  if (to_rounding) nonsmooth::detail::call_solved(result);
  return result;
}

}  // namespace nonsmooth::mcp::detail
