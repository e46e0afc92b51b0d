// SPDX-License-Identifier: Apache-2.0
#include "impact_problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Cholesky>

#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/mixed/registry.hpp>
#include <nonsmooth/numerics/mixed/workspace.hpp>

#include "contact_modes.hpp"
#include "multiple_impact.hpp"

namespace nonsmooth::events {
namespace {

using Rule = ImpactContact::Rule;

constexpr double law_tolerance = 1e-11;  // Certificate::residual of what is called Solved
constexpr Index most_rows_enumerated = 8;

mixed::Problem block_problem(const Eigen::MatrixXd& W, const Eigen::VectorXd& b, const ProductSet& sets) {
  mixed::Problem problem;
  const Index blocks = sets.num_blocks();
  std::vector<Index> sizes;
  for (Index i = 0; i < blocks; ++i) sizes.push_back(sets.size(i));
  problem.W.begin_pattern(sizes);
  for (Index i = 0; i < blocks; ++i) {
    for (Index j = 0; j < blocks; ++j) {
      const auto block = W.block(sets.offset(i), sets.offset(j), sets.size(i), sets.size(j));
      if (!block.isZero(0.0)) problem.W.insert(j);
    }
    problem.W.next_row();
  }
  problem.W.end_pattern();
  for (Index i = 0; i < blocks; ++i) {
    for (Index k = problem.W.row_begin(i); k < problem.W.row_begin(i + 1); ++k) {
      const Index j = problem.W.column(k);
      problem.W.block(i, k) = W.block(sets.offset(i), sets.offset(j), sets.size(i), sets.size(j));
    }
  }
  problem.q = b;
  problem.K = sets;
  return problem;
}

/// True if every principal minor is positive for certain, and no friction makes the law non-monotone.
bool surely_unique(const Eigen::MatrixXd& W, const ProductSet& sets) {
  for (Index i = 0; i < sets.num_blocks(); ++i) {
    const SetKind kind = sets[i].kind;
    if ((kind == SetKind::Coulomb2D || kind == SetKind::Coulomb3D) && sets[i].mu > 0.0) return false;
  }
  const Eigen::VectorXd unit = W.diagonal().cwiseAbs().cwiseSqrt().cwiseInverse();
  if (!unit.allFinite()) return false;
  const Eigen::MatrixXd scaled = unit.asDiagonal() * (0.5 * (W + W.transpose())) * unit.asDiagonal();
  const Eigen::LLT<Eigen::MatrixXd> factors(scaled);
  return factors.info() == Eigen::Success && factors.matrixLLT().diagonal().cwiseAbs().minCoeff() > 1e-5;
}

/// Whether lambda satisfies the law, from the data alone.
bool certified(const mixed::Problem& problem, ContactAnswer& answer) {
  const Certificate certificate = mixed::certify(problem, answer.lambda, answer.w);
  return certificate.residual <= law_tolerance || certificate.error <= certificate.round_off;
}

/// Rows of the contacts in their order, checked.
void check_problem(const ImpactProblem& problem) {
  const Index n = problem.u_minus.size();
  check::shape("ImpactProblem::W", problem.W.rows(), problem.W.cols(), n, n);
  check::finite("ImpactProblem::W", ConstMatrixRef(problem.W));
  check::finite("ImpactProblem::u_minus", ConstVectorRef(problem.u_minus));
  check::range("ImpactProblem::impulse_step", problem.impulse_step, 0.0, std::numeric_limits<double>::max());
  Index next = 0;
  const ImpactContact* law = nullptr;
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    const ImpactContact& contact = problem.contacts[i];
    const std::string name = "ImpactProblem::contacts[" + std::to_string(i) + "]";
    check::at_least(name + ".size", contact.size, 1);
    if (contact.first != next) {
      throw InvalidArgument(name + ".first", std::to_string(contact.first),
                            std::to_string(next) + ", where the contact before ends");
    }
    next += contact.size;
    if (contact.rule == Rule::Bilateral) continue;
    if (contact.size > 3) throw InvalidArgument(name + ".size", std::to_string(contact.size), "1 to 3 rows");
    const double largest = std::numeric_limits<double>::max();
    check::range(name + ".restitution", contact.restitution, 0.0, contact.rule == Rule::Newton ? largest : 1.0);
    check::range(name + ".tangential_restitution", contact.tangential_restitution, -1.0, 1.0);
    check::range(name + ".friction", contact.friction, 0.0, largest);
    if (contact.rule == Rule::Poisson && contact.size > 1 && contact.tangential_restitution != 0.0) {
      throw InvalidArgument(name + ".tangential_restitution", std::to_string(contact.tangential_restitution),
                            "0: Poisson's law has a restitution of the normal impulse only");
    }
    if (contact.rule == Rule::LiuZhaoBrogliato) {
      check::positive(name + ".stiffness", contact.stiffness);
      check::range(name + ".exponent", contact.exponent, 1.0, largest);
      if (contact.size != 1) {
        throw InvalidArgument(name + ".size", std::to_string(contact.size), "1: this law has no friction");
      }
    }
    if (law == nullptr) law = &contact;
    if (law->rule != contact.rule) {
      throw InvalidArgument(name + ".rule", "another law than that of the contacts before",
                            "one impact law for all unilateral contacts of an impact");
    }
    if (contact.rule == Rule::LiuZhaoBrogliato && problem.impulse_step > 0.0 && contact.exponent != law->exponent) {
      throw InvalidArgument(name + ".exponent", std::to_string(contact.exponent),
                            "one exponent for all contacts where impulse_step > 0");
    }
  }
  check::size("ImpactProblem::u_minus", n, next, "one for each row of the contacts");
  for (std::size_t i = 0; law != nullptr && i < problem.contacts.size(); ++i) {
    if (law->rule == Rule::LiuZhaoBrogliato && problem.contacts[i].rule == Rule::Bilateral) {
      throw InvalidArgument("ImpactProblem::contacts[" + std::to_string(i) + "].rule", "Bilateral",
                            "no bilateral rows beside contacts with the law of Liu, Zhao and Brogliato");
    }
  }
}

BlockSet unilateral(const ImpactContact& contact) {
  BlockSet set;
  set.kind = contact.size == 1 ? SetKind::Orthant : contact.size == 2 ? SetKind::Coulomb2D : SetKind::Coulomb3D;
  set.mu = contact.size == 1 ? 0.0 : contact.friction;
  return set;
}

BlockSet bilateral() {
  BlockSet set;
  set.kind = SetKind::Free;
  return set;
}

ProductSet laws(const ImpactProblem& problem) {
  ProductSet sets;
  for (const ImpactContact& contact : problem.contacts) {
    sets.push_back(contact.rule == Rule::Bilateral ? bilateral() : unilateral(contact), contact.size);
  }
  return sets;
}

void finish(const ImpactProblem& problem, const ContactAnswer& answer, ImpactResult& result) {
  result.status = answer.status;
  result.detail = answer.detail;
  result.u_plus = problem.u_minus + problem.W * result.p;
  result.energy_change = 0.5 * result.p.dot(result.u_plus + problem.u_minus);
}

ImpactResult solve_newton(const ImpactProblem& problem) {
  Eigen::VectorXd b = problem.u_minus;
  for (const ImpactContact& contact : problem.contacts) {
    if (contact.rule == Rule::Bilateral) continue;
    b[contact.first] *= 1.0 + contact.restitution;
    b.segment(contact.first + 1, contact.size - 1) *= 1.0 + contact.tangential_restitution;
  }
  const ContactAnswer answer = solve_contact_problem(problem.W, b, laws(problem));
  ImpactResult result;
  result.p = answer.lambda;
  finish(problem, answer, result);
  return result;
}

/// Compression to p_c, then p_e with 0 <= u_N ⟂ p_eN - e p_cN >= 0 and |p_eT| <= mu p_eN. The part e p_cN is known, and
/// its friction has a fixed bound: the disk of radius mu p_eN is the sum of two, so each such contact has a second set
/// of tangential rows of its own, and the largest power of the sum is the sum of the largest ones.
ImpactResult solve_poisson(const ImpactProblem& problem) {
  ImpactResult result;
  ContactAnswer answer = solve_contact_problem(problem.W, problem.u_minus, laws(problem));
  result.p = answer.lambda;
  finish(problem, answer, result);
  if (answer.status != Status::Solved) return result;
  const Eigen::VectorXd compression = answer.lambda;
  Eigen::VectorXd given = Eigen::VectorXd::Zero(compression.size());
  ProductSet sets;
  std::vector<Index> rows;  // of the problem, for each row of the larger one; -1: a row that balances itself
  for (const ImpactContact& contact : problem.contacts) {
    const bool fixed = contact.rule == Rule::Bilateral;
    sets.push_back(fixed ? bilateral() : unilateral(contact), contact.size);
    for (Index r = 0; r < contact.size; ++r) rows.push_back(contact.first + r);
    if (fixed) continue;
    given[contact.first] = contact.restitution * compression[contact.first];
    const double bound = contact.friction * given[contact.first];
    if (contact.size == 1 || !(bound > 0.0)) continue;
    BlockSet set;
    set.lower = -bound;
    set.upper = bound;
    set.radius = contact.size == 3 ? bound : 0.0;
    set.kind = contact.size == 2 ? SetKind::Box : SetKind::VonMises;
    if (contact.size == 3) rows.push_back(-1);
    sets.push_back(set, contact.size == 2 ? 1 : 3);
    for (Index r = 1; r < contact.size; ++r) rows.push_back(contact.first + r);
  }
  if (given.isZero(0.0)) return result;
  const Eigen::VectorXd start = result.u_plus + problem.W * given;
  const auto n = static_cast<Index>(rows.size());
  Eigen::MatrixXd W = Eigen::MatrixXd::Identity(n, n) * problem.W.diagonal().maxCoeff();
  Eigen::VectorXd b = Eigen::VectorXd::Zero(n);
  for (Index i = 0; i < n; ++i) {
    const Index row = rows[static_cast<std::size_t>(i)];
    if (row < 0) continue;
    b[i] = start[row];
    for (Index j = 0; j < n; ++j) {
      const Index column = rows[static_cast<std::size_t>(j)];
      W(i, j) = column < 0 ? 0.0 : problem.W(row, column);
    }
  }
  answer = solve_contact_problem(W, b, sets);
  result.p = compression + given;
  for (Index i = 0; i < answer.lambda.size(); ++i) {
    if (rows[static_cast<std::size_t>(i)] >= 0) result.p[rows[static_cast<std::size_t>(i)]] += answer.lambda[i];
  }
  finish(problem, answer, result);
  return result;
}

}  // namespace

ContactAnswer solve_contact_problem(const Eigen::MatrixXd& W, const Eigen::VectorXd& b, const ProductSet& sets) {
  check::shape("W", W.rows(), W.cols(), b.size(), b.size());
  check::size("b", b.size(), sets.num_rows(), "one for each row of the sets");
  check::finite("W", ConstMatrixRef(W));
  check::finite("b", ConstVectorRef(b));
  ContactAnswer answer;
  if (b.size() == 0) {
    answer.status = Status::Solved;
    answer.verdict = ContactAnswer::Verdict::Unique;
    return answer;
  }
  const mixed::Problem problem = block_problem(W, b, sets);
  answer.w.resize(b.size());
  if (b.size() <= most_rows_enumerated && !surely_unique(W, sets)) {
    ContactAnswer counted = enumerate_modes(W, b, sets, most_rows_enumerated);
    if (counted.status == Status::Solved && certified(problem, counted)) return counted;
    if (counted.verdict == ContactAnswer::Verdict::None) answer = counted;
  }
  const std::string none = answer.detail;
  const mixed::Result solved = mixed::solve(problem, {.tolerance = 0.1 * law_tolerance});
  answer.verdict = ContactAnswer::Verdict::NotCounted;
  answer.lambda = solved.r;
  answer.w = solved.u;
  answer.status = solved.status;
  answer.detail = solved.ok() ? std::string() : solved.message();
  if (solved.status == Status::Infeasible) {
    answer.verdict = ContactAnswer::Verdict::None;
  } else if (certified(problem, answer)) {
    answer.status = Status::Solved;
    answer.detail.clear();
    if (surely_unique(W, sets)) answer.verdict = ContactAnswer::Verdict::Unique;
  } else {
    if (solved.ok()) answer.status = Status::Stalled;
    if (!none.empty()) {
      answer.status = Status::Infeasible;
      answer.verdict = ContactAnswer::Verdict::None;
      answer.detail = none;
    }
  }
  return answer;
}

ImpactResult solve_impact(const ImpactProblem& problem) {
  check_problem(problem);
  Rule rule = Rule::Newton;
  for (const ImpactContact& contact : problem.contacts) {
    if (contact.rule != Rule::Bilateral) rule = contact.rule;
  }
  switch (rule) {
    case Rule::LiuZhaoBrogliato:
      return solve_multiple_impact(problem);
    case Rule::Poisson:
      return solve_poisson(problem);
    case Rule::Newton:
    case Rule::Bilateral:
      break;
  }
  return solve_newton(problem);
}

}  // namespace nonsmooth::events
