// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/friction/switched.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "lcp/scaled_solve.hpp"
#include "sliding_directions.hpp"

namespace nonsmooth::friction {
namespace {

constexpr Index kMostInThePlane = 7, kMostInSpace = 4;
constexpr double kSwitchedZero = 1e-12;    ///< of the terms of a condition
constexpr double kDirectionalZero = 1e-9;  ///< of those with directions: roots to 1e-15 by |J^-1| up to 1e4, and V's
constexpr double kSameAnswer = 1e-8;       ///< of the largest entries

enum class Contact : unsigned char { Off, Smooth, Sticks, Slides };
enum class Condition : unsigned char { Holds, Broken, WithinRounding, OnTheEdge };

/// What each contact does; along: t of those that slide, (t1) or (t1, t2).
struct Mode {
  std::vector<Contact> contacts;
  Eigen::MatrixXd along;
};

/// All modes of a problem, numbered: of each contact off, and v_N = 0 without friction, else sticking, sliding to
/// either side in the plane, sliding in space.
class Modes {
 public:
  explicit Modes(const SwitchedProblem& problem) : problem_(problem) {
    for (Index i = 0; i < problem.mu.size(); ++i) number_ *= choices(i);
  }
  [[nodiscard]] Index number() const noexcept { return number_; }
  [[nodiscard]] Mode mode(Index number) const {
    const Index n = problem_.mu.size();
    Mode mode{.contacts = std::vector<Contact>(static_cast<std::size_t>(n), Contact::Off),
              .along = Eigen::MatrixXd::Zero(problem_.dimension - 1, n)};
    for (Index i = 0; i < n; ++i) {
      const Index choice = number % choices(i);
      number /= choices(i);
      if (choice == 0) continue;
      Contact& contact = mode.contacts[static_cast<std::size_t>(i)];
      contact = problem_.mu[i] == 0.0 ? Contact::Smooth : choice == 1 ? Contact::Sticks : Contact::Slides;
      if (contact == Contact::Slides) mode.along(0, i) = choice == 2 ? 1.0 : -1.0;
    }
    return mode;
  }

 private:
  [[nodiscard]] Index choices(Index i) const { return problem_.mu[i] == 0.0 ? 2 : problem_.dimension == 2 ? 4 : 3; }
  const SwitchedProblem& problem_;
  Index number_ = 1;
};

/// r of a mode with directions, and what its terms are.
class SwitchedCandidate {
 public:
  explicit SwitchedCandidate(const SwitchedProblem& problem)
      : problem_(problem), n_(problem.b.size()), d_(problem.dimension) {}

  /// False where the equations of the mode are singular to 1e-12.
  bool take(const Mode& mode) {
    mode_ = &mode;
    rows_.clear();
    const Index all = d_ * n_;
    Eigen::MatrixXd pushes = Eigen::MatrixXd::Zero(all, all);
    Index unknowns = 0;
    zero_ = kSwitchedZero;
    for (Index i = 0; i < n_; ++i) {
      const Contact contact = of(i);
      if (contact == Contact::Off) continue;
      const Index first = d_ * i;
      for (Index row = 0; row < (contact == Contact::Sticks ? d_ : 1); ++row) {
        rows_.push_back(first + row);
        pushes(first + row, unknowns) = 1.0;
        if (contact == Contact::Slides)
          pushes.col(unknowns).segment(first + 1, d_ - 1) = -problem_.mu[i] * mode.along.col(i);
        ++unknowns;
      }
      if (contact == Contact::Slides && d_ == 3) zero_ = kDirectionalZero;
    }
    r_ = r_zero_ = Eigen::VectorXd::Zero(all);
    if (unknowns > 0) {
      const Eigen::MatrixXd used = pushes.leftCols(unknowns);
      const Eigen::MatrixXd matrix = (problem_.V * used)(rows_, Eigen::all);
      Eigen::VectorXd x, x_zero;
      if (!nonsmooth::detail::solve_scaled(matrix, problem_.c(rows_), kSwitchedZero, x, x_zero)) return false;
      r_ = used * x;
      r_zero_ = used.cwiseAbs() * (x_zero * (zero_ / kSwitchedZero));
    }
    y_ = problem_.A * r_ + problem_.b;
    v_ = problem_.V * r_ + problem_.c;
    const Eigen::VectorXd size = r_.cwiseAbs();
    y_zero_ = zero_ * (problem_.A.cwiseAbs() * size + problem_.b.cwiseAbs()) + problem_.A.cwiseAbs() * r_zero_;
    v_zero_ = zero_ * (problem_.V.cwiseAbs() * size + problem_.c.cwiseAbs()) + problem_.V.cwiseAbs() * r_zero_;
    return true;
  }

  [[nodiscard]] Condition condition(Index i) const {
    const bool open = y_[i] > y_zero_[i], closed = y_[i] < -y_zero_[i];
    const Index N = d_ * i;
    if (of(i) == Contact::Off) {
      if (open || v_[N] >= -v_zero_[N]) return Condition::Holds;
      return closed ? Condition::Broken : Condition::WithinRounding;
    }
    // The least of what must be >= 0, with its rounding: at 0 the contact is on the edge to another mode.
    Condition found = closed || y_[i] <= 0.0 ? Condition::Holds : open ? Condition::Broken : Condition::WithinRounding;
    const auto require = [&](double value, double zero) {
      if (value < -zero) found = Condition::Broken;
      if (found == Condition::Holds && value <= zero) found = Condition::OnTheEdge;
    };
    if (open && r_[N] <= r_zero_[N] && r_[N] >= -r_zero_[N]) return Condition::OnTheEdge;
    require(r_[N], r_zero_[N]);
    const auto tangent = Eigen::seqN(N + 1, d_ - 1);
    if (of(i) == Contact::Sticks) {
      const double slack = problem_.mu[i] * r_[N] - r_(tangent).norm();
      const double zero = zero_ * (problem_.mu[i] * std::abs(r_[N]) + r_(tangent).norm()) +
                          problem_.mu[i] * r_zero_[N] + r_zero_(tangent).norm();
      if (slack < -zero) found = Condition::Broken;  // at 0 it sticks: sliding with v_T = 0 is on that edge
    } else if (of(i) == Contact::Slides) {
      require(v_(tangent).dot(mode_->along.col(i)), v_zero_(tangent).norm());
    }
    return found;
  }
  [[nodiscard]] const Eigen::VectorXd& r() const noexcept { return r_; }
  [[nodiscard]] double zero() const noexcept { return zero_; }

 private:
  [[nodiscard]] Contact of(Index i) const { return mode_->contacts[static_cast<std::size_t>(i)]; }

  const SwitchedProblem& problem_;
  Index n_, d_;
  const Mode* mode_ = nullptr;
  double zero_ = kSwitchedZero;
  std::vector<Index> rows_;
  Eigen::VectorXd r_, r_zero_, y_, v_, y_zero_, v_zero_;
};

/// The mode with each choice of directions that it may have: itself, but where contacts slide in space. `complete` is
/// set to false where there may be others.
std::vector<Mode> with_directions(const SwitchedProblem& problem, const Mode& mode, bool& complete) {
  std::vector<Index> sliding, held;
  for (Index i = 0; i < problem.mu.size(); ++i) {
    const Contact contact = mode.contacts[static_cast<std::size_t>(i)];
    if (contact == Contact::Slides) sliding.push_back(i);
    if (contact == Contact::Smooth) held.push_back(3 * i);
    for (Index row = 0; contact == Contact::Sticks && row < 3; ++row) held.push_back(3 * i + row);
  }
  if (problem.dimension == 2 || sliding.empty()) return {mode};
  std::vector<Index> rows;
  for (const Index i : sliding)
    for (Index row = 0; row < 3; ++row) rows.push_back(3 * i + row);
  nonsmooth::detail::SlidingContacts contacts{
      .V = problem.V(rows, rows), .c = problem.c(rows), .mu = problem.mu(sliding)};
  if (!held.empty()) {  // what holds their rows at rest, eliminated
    Eigen::VectorXd x, x_zero;
    const Eigen::MatrixXd V = problem.V(held, held), into = problem.V(rows, held);
    if (!nonsmooth::detail::solve_scaled(V, problem.c(held), kSwitchedZero, x, x_zero)) {
      complete = false;
      return {};
    }
    contacts.c += into * x;
    for (Index j = 0; j < contacts.V.cols(); ++j) {
      const Eigen::VectorXd column = problem.V(held, rows[static_cast<std::size_t>(j)]);
      if (nonsmooth::detail::solve_scaled(V, column, kSwitchedZero, x, x_zero)) contacts.V.col(j) += into * x;
    }
  }
  const nonsmooth::detail::SlidingDirections found = nonsmooth::detail::sliding_directions(contacts);
  complete = complete && found.complete;
  std::vector<Mode> result;
  for (const Eigen::VectorXd& angles : found.angles) {
    result.push_back(mode);
    for (std::size_t j = 0; j < sliding.size(); ++j) {
      const double angle = angles[static_cast<Index>(j)];
      result.back().along.col(sliding[j]) << std::cos(angle), std::sin(angle);
    }
  }
  return result;
}

/// What became of one mode: the contact that every candidate of it breaks; -1 where that is not one and the same.
struct ModeVerdict {
  Index broken = -1;
  bool none = true;  ///< none of its candidates may be a solution
};

class Enumeration {
 public:
  explicit Enumeration(const SwitchedProblem& problem) : problem_(problem), candidate_(problem) {}

  ModeVerdict look_at(const Mode& mode, SwitchedResult& result) {
    ModeVerdict verdict;
    for (const Mode& one : with_directions(problem_, mode, result.complete)) {
      ++result.iterations;
      if (!candidate_.take(one)) {
        result.complete = verdict.none = false;
        continue;
      }
      Condition worst = Condition::Holds;
      for (Index i = 0; i < problem_.b.size() && worst != Condition::Broken; ++i) {
        const Condition of = candidate_.condition(i);
        if (of == Condition::Broken) verdict.broken = i;
        if (of == Condition::Broken || worst == Condition::Holds || of == Condition::WithinRounding)
          worst = of == Condition::Holds ? worst : of;
      }
      if (worst == Condition::Broken) continue;
      verdict.none = false;
      if (worst == Condition::Holds && !known(result)) {
        result.solutions.push_back(candidate_.r());
        residual_ = std::max(residual_, candidate_.zero());
      } else if (worst != Condition::Holds) {
        doubts_.push_back(candidate_.r());
      }
    }
    return verdict;
  }

  /// Candidates on an edge or within rounding that are no solution of another mode.
  [[nodiscard]] bool has_doubts(const SwitchedResult& result) const {
    return std::any_of(doubts_.begin(), doubts_.end(), [&](const Eigen::VectorXd& r) { return !among(r, result); });
  }
  [[nodiscard]] double residual() const noexcept { return residual_; }

 private:
  [[nodiscard]] bool known(const SwitchedResult& result) const { return among(candidate_.r(), result); }
  static bool among(const Eigen::VectorXd& r, const SwitchedResult& result) {
    return std::any_of(result.solutions.begin(), result.solutions.end(), [&](const Eigen::VectorXd& other) {
      const double size = std::max(r.lpNorm<Eigen::Infinity>(), other.lpNorm<Eigen::Infinity>());
      return (r - other).lpNorm<Eigen::Infinity>() <= kSameAnswer * size;
    });
  }

  const SwitchedProblem& problem_;
  SwitchedCandidate candidate_;
  std::vector<Eigen::VectorXd> doubts_;
  double residual_ = 0.0;
};

}  // namespace

void SwitchedProblem::validate() const {
  check::within("SwitchedProblem::dimension", dimension, 2, 3);
  const Index n = b.size();
  check::within("SwitchedProblem::b: contacts", n, 1, dimension == 2 ? kMostInThePlane : kMostInSpace);
  check::shape("SwitchedProblem::A", A.rows(), A.cols(), n, dimension * n);
  check::shape("SwitchedProblem::V", V.rows(), V.cols(), dimension * n, dimension * n);
  check::size("SwitchedProblem::c", c.size(), dimension * n, "d a contact");
  check::size("SwitchedProblem::mu", mu.size(), n, "one a contact");
  check::finite("SwitchedProblem::A", ConstMatrixRef(A));
  check::finite("SwitchedProblem::b", ConstVectorRef(b));
  check::finite("SwitchedProblem::V", ConstMatrixRef(V));
  check::finite("SwitchedProblem::c", ConstVectorRef(c));
  check::finite("SwitchedProblem::mu", ConstVectorRef(mu));
  if (mu.minCoeff() < 0.0)
    throw InvalidArgument("SwitchedProblem::mu", check::text(mu.minCoeff()), "coefficients of friction >= 0");
}

SwitchedResult solve(const SwitchedProblem& problem) {
  problem.validate();
  SwitchedResult result;
  result.solver = "enumeration of modes";
  const Modes modes(problem);
  Enumeration enumeration(problem);
  result.proof = Eigen::VectorXd::Constant(modes.number(), -1.0);
  for (Index k = 0; k < modes.number(); ++k)
    result.proof[k] = static_cast<double>(enumeration.look_at(modes.mode(k), result).broken);
  if (enumeration.has_doubts(result)) result.complete = false;
  const bool any = !result.solutions.empty(), none = !any && result.complete;
  if (!none) result.proof.resize(0);
  if (any) result.certificate.residual = enumeration.residual();
  result.status = any ? Status::Solved : none ? Status::Infeasible : Status::Stalled;
  result.reason = any    ? "every mode was tried"
                  : none ? "every mode breaks a condition"
                         : "a mode is singular, within rounding, or its directions were not told apart";
  return result;
}

bool proves_none(const SwitchedProblem& problem, ConstVectorRef proof) {
  problem.validate();
  const Modes modes(problem);
  if (proof.size() != modes.number()) return false;
  SwitchedCandidate candidate(problem);
  Enumeration enumeration(problem);
  for (Index k = 0; k < modes.number(); ++k) {
    const Mode mode = modes.mode(k);
    const bool sliding = std::count(mode.contacts.begin(), mode.contacts.end(), Contact::Slides) > 0;
    if (problem.dimension == 3 && sliding) {
      SwitchedResult result;
      if (!enumeration.look_at(mode, result).none || !result.complete) return false;
      continue;
    }
    if (!(proof[k] >= 0.0 && proof[k] < static_cast<double>(problem.b.size())) || !candidate.take(mode) ||
        candidate.condition(static_cast<Index>(proof[k])) != Condition::Broken)
      return false;
  }
  return true;
}

}  // namespace nonsmooth::friction
