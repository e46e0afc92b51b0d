// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/lcp/switched.hpp>

#include <algorithm>
#include <cstdint>

#include <internal/check.hpp>

#include "scaled_solve.hpp"

namespace nonsmooth::lcp {
namespace {

constexpr Index kMostSwitched = 16;
constexpr double kZero = 1e-12;

enum class Held : unsigned char { Yes, No, WithinRounding, IsZero };

/// The candidate of a set of rows, and what its terms are.
class Candidate {
 public:
  explicit Candidate(const SwitchedProblem& problem) : problem_(problem), n_(problem.b.size()) {}

  /// False where V_SS, rows and columns scaled to entries about 1, is singular to 1e-12.
  bool take(std::uint32_t set) {
    set_ = set;
    rows_.clear();
    for (Index i = 0; i < n_; ++i)
      if (in(i)) rows_.push_back(i);
    lambda_ = lambda_zero_ = Eigen::VectorXd::Zero(n_);
    if (!rows_.empty() && !solve_rows()) return false;
    y_ = problem_.A * lambda_ + problem_.b;
    v_ = problem_.V * lambda_ + problem_.c;
    y_zero_ = kZero * (problem_.A.cwiseAbs() * lambda_.cwiseAbs() + problem_.b.cwiseAbs());
    v_zero_ = kZero * (problem_.V.cwiseAbs() * lambda_.cwiseAbs() + problem_.c.cwiseAbs());
    y_zero_ += problem_.A.cwiseAbs() * lambda_zero_;
    v_zero_ += problem_.V.cwiseAbs() * lambda_zero_;
    return true;
  }

  /// Whether the condition of row i holds, and lambda_i > 0 just in the set.
  [[nodiscard]] Held held(Index i) const {
    const bool open = y_[i] > y_zero_[i], closed = y_[i] < -y_zero_[i];
    if (in(i)) {
      if (lambda_[i] < -lambda_zero_[i] || (open && lambda_[i] > lambda_zero_[i])) return Held::No;
      if (lambda_[i] <= lambda_zero_[i]) return Held::IsZero;
      return closed || y_[i] <= 0.0 ? Held::Yes : Held::WithinRounding;
    }
    if (open || v_[i] >= -v_zero_[i]) return Held::Yes;
    return closed ? Held::No : Held::WithinRounding;
  }
  [[nodiscard]] const Eigen::VectorXd& lambda() const noexcept { return lambda_; }

 private:
  /// lambda_S, and what rounding may be in it.
  bool solve_rows() {
    Eigen::VectorXd solved, solved_zero;
    if (!nonsmooth::detail::solve_scaled(problem_.V(rows_, rows_), problem_.c(rows_), kZero, solved, solved_zero))
      return false;
    lambda_(rows_) = solved;
    lambda_zero_(rows_) = solved_zero;
    return true;
  }

  [[nodiscard]] bool in(Index i) const { return (set_ >> i & 1U) != 0; }

  const SwitchedProblem& problem_;
  Index n_;
  std::uint32_t set_ = 0;
  std::vector<Index> rows_;
  Eigen::VectorXd lambda_, lambda_zero_, y_, v_, y_zero_, v_zero_;
};

}  // namespace

void SwitchedProblem::validate() const {
  const Index n = b.size();
  check::within("SwitchedProblem::b: rows", n, 1, kMostSwitched);
  check::shape("SwitchedProblem::A", A.rows(), A.cols(), n, n);
  check::shape("SwitchedProblem::V", V.rows(), V.cols(), n, n);
  check::size("SwitchedProblem::c", c.size(), n, "one a row");
  check::finite("SwitchedProblem::A", ConstMatrixRef(A));
  check::finite("SwitchedProblem::b", ConstVectorRef(b));
  check::finite("SwitchedProblem::V", ConstMatrixRef(V));
  check::finite("SwitchedProblem::c", ConstVectorRef(c));
}

SwitchedResult solve(const SwitchedProblem& problem) {
  problem.validate();
  const Index n = problem.b.size();
  const std::uint32_t sets = std::uint32_t{1} << n;
  SwitchedResult result;
  result.solver = "enumeration of sets";
  result.proof = Eigen::VectorXd::Zero(static_cast<Index>(sets));
  Candidate candidate(problem);
  std::vector<char> solves(sets, 0);
  for (std::uint32_t set = 0; set < sets; ++set, ++result.iterations) {
    if (!candidate.take(set)) {
      result.complete = false;
      continue;
    }
    Index broken = -1;
    bool doubtful = false;
    std::uint32_t smaller = set;  // without the rows of lambda_i = 0: an earlier set, with the same lambda
    for (Index i = 0; i < n && broken < 0; ++i) {
      const Held held = candidate.held(i);
      if (held == Held::No) broken = i;
      if (held == Held::IsZero) smaller &= ~(std::uint32_t{1} << i);
      doubtful = doubtful || held == Held::WithinRounding;
    }
    if (broken >= 0) {
      result.proof[static_cast<Index>(set)] = static_cast<double>(broken);
    } else if (smaller != set) {
      solves[set] = solves[smaller];
      result.complete = result.complete && solves[set] != 0;
    } else if (doubtful) {
      result.complete = false;
    } else {
      solves[set] = 1;
      result.solutions.push_back(candidate.lambda());
    }
  }
  const bool none = result.solutions.empty() && result.complete;
  if (!none) result.proof.resize(0);
  if (!result.solutions.empty()) result.certificate.residual = kZero;
  result.status = !result.solutions.empty() ? Status::Solved : none ? Status::Infeasible : Status::Stalled;
  result.reason = !result.solutions.empty() ? "every set was tried"
                  : none                    ? "every set breaks a condition"
                                            : "a set is singular, or within rounding";
  return result;
}

bool proves_none(const SwitchedProblem& problem, ConstVectorRef proof) {
  problem.validate();
  const Index n = problem.b.size(), sets = Index{1} << n;
  if (proof.size() != sets) return false;
  Candidate candidate(problem);
  for (Index set = 0; set < sets; ++set) {
    const double row = proof[set];
    if (!(row >= 0.0 && row < static_cast<double>(n)) || !candidate.take(static_cast<std::uint32_t>(set)) ||
        candidate.held(static_cast<Index>(row)) != Held::No)
      return false;
  }
  return true;
}

}  // namespace nonsmooth::lcp
