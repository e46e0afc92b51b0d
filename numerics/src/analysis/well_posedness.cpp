// SPDX-License-Identifier: Apache-2.0
// Index, existence and uniqueness.
#include <algorithm>
#include <cmath>

#include <internal/at.hpp>
#include <internal/decompositions.hpp>
#include <internal/round_off.hpp>
#include <nonsmooth/numerics/analysis/linear_system.hpp>

#include "linear_form.hpp"
#include "verified_storage.hpp"

namespace nonsmooth::analysis {
namespace {

/// Whether no lambda != 0 has B lambda = 0 and (D + D^T) lambda = 0.
Verdict moves_or_resists(const detail::StandardForm& form) {
  const Index n = form.states(), m = form.outputs();
  Eigen::MatrixXd stacked(n + m, m);
  stacked << form.B, form.D + form.D.transpose();
  const SingularValues values = singular_values(stacked, false);
  const double round_off = static_cast<double>(n + m) * eps * values.values[0] + form.B_error.norm();
  const Verdict zero = detail::zero_to_round_off(values.values[m - 1], round_off);
  if (zero == Verdict::NotKnown) return zero;
  return zero == Verdict::Holds ? Verdict::Fails : Verdict::Holds;
}

/// Rows (columns) of the first Markov parameters in which they do not vanish, and whether that matrix is P.
Verdict leading_coefficients_p(const MarkovParameters& parameters, bool rows) {
  const Index m = parameters.H.front().rows();
  Eigen::MatrixXd leading(m, m);
  MatrixOptions options{.entry_error = Eigen::MatrixXd(m, m)};
  for (Index i = 0; i < m; ++i) {
    bool found = false;
    for (std::size_t k = 0; k < parameters.H.size() && !found; ++k) {
      for (Index j = 0; j < m && !found; ++j) {
        const Verdict zero =
            rows ? parameters.is_zero(static_cast<Index>(k), i, j) : parameters.is_zero(static_cast<Index>(k), j, i);
        if (zero == Verdict::NotKnown) return zero;
        found = zero == Verdict::Fails;
      }
      if (!found) continue;
      const Eigen::MatrixXd &H = parameters.H[k], &error = parameters.round_off[k];
      leading.row(i) = rows ? Eigen::RowVectorXd(H.row(i)) : Eigen::RowVectorXd(H.col(i).transpose());
      options.entry_error.row(i) =
          rows ? Eigen::RowVectorXd(error.row(i)) : Eigen::RowVectorXd(error.col(i).transpose());
    }
    if (!found) return Verdict::Fails;
  }
  return classify(leading, options).p.verdict;  // of the columns: the transposed matrix, which is P as well or not
}

Verdict leading_is_p(const MarkovParameters& parameters, Index r) {
  if (r < 0) return Verdict::NotKnown;
  const MatrixOptions options{.entry_error = parameters.round_off[at(r)]};
  return classify(parameters.H[at(r)], options).p.verdict;
}

/// A shift of A by -rho I adds 2 rho P to K(P): what hinders a storage function then is D and C B alone.
bool passive_after_shift(const detail::StandardForm& form) {
  detail::BalancedForm scaled = detail::balanced(form);
  for (const double rho : {4.0, 256.0}) {
    detail::StandardForm shifted = scaled.system;
    shifted.A.diagonal().array() -= rho * std::max(1.0, shifted.A.norm());
    if (detail::verified_storage(shifted)) return true;
  }
  return false;
}

/// One output, by the sign of its first Markov parameter; an output that nothing reaches, of any number.
bool refuted(const LinearComplementaritySystem& system, const RelativeDegree& degree,
             const MarkovParameters& parameters, WellPosedness& result) {
  const Index m = system.C.rows(), last = static_cast<Index>(parameters.H.size()) - 1;
  for (Index i = 0; i < m; ++i) {
    const Index r = degree.of_output[at(i)];
    const double size = system.C.row(i).norm();
    if (size == 0.0) continue;
    // Far enough for a drift b to count for nothing.
    const double far = system.b.size() > 0 ? 1.0 + 2.0 * std::abs(system.b[i]) / (size * size) : 1.0;
    if (r > last) {
      result.theorem = Theorem::OutputNeverReached;
      result.existence = Verdict::Fails;
    } else if (m == 1 && r >= 0 && parameters.H[at(r)](0, 0) < 0.0) {
      result.theorem = Theorem::NegativeMarkovParameter;
      result.existence = result.uniqueness = result.unique_multiplier = Verdict::Fails;
    } else {
      continue;
    }
    result.solutions = "initial solutions, impulses at t = 0 included";
    result.initial_state = -far * system.C.row(i).transpose();
    return true;
  }
  return false;
}

void conclude_passive(const LinearComplementaritySystem& system, const detail::StandardForm& form,
                      WellPosedness& result) {
  result.uniqueness = Verdict::Holds;
  result.unique_multiplier = moves_or_resists(form);
  const bool no_drift = system.b.size() == 0 || system.b.isZero(0.0);
  result.existence = no_drift || result.unique_multiplier == Verdict::Holds ? Verdict::Holds : Verdict::NotKnown;
  if (result.existence == Verdict::NotKnown) result.why_not = "a drift of y may leave no admissible state";
  if (result.unique_multiplier == Verdict::Holds) {
    result.theorem = Theorem::PassiveFullRank;
  } else {
    result.theorem = Theorem::PassiveMaximalMonotone;
    result.unique_multiplier = Verdict::NotKnown;
  }
  result.solutions = "x absolutely continuous for t > 0, one jump at t = 0 where x(0) is not admissible";
}

}  // namespace

ComplementarityIndex complementarity_index(const LinearComplementaritySystem& system) {
  const detail::StandardForm form = detail::standard_form(system);
  if (classify(form.D).p.holds()) return {.index = 0, .reason = "D is a P-matrix"};
  const MarkovParameters parameters = markov_parameters(system);
  const Index r = relative_degree(system).uniform();
  if (r >= 1 && leading_is_p(parameters, r) == Verdict::Holds) {
    return {.index = r, .reason = "uniform relative degree, the leading Markov parameter is a P-matrix"};
  }
  if (moves_or_resists(form) == Verdict::Holds && passive_after_shift(form)) {
    return {.index = 1, .reason = "passive after a shift of A, D + D^T singular, (B; D + D^T) of full column rank"};
  }
  return {};
}

WellPosedness examine_solutions(const LinearComplementaritySystem& system) {
  const detail::StandardForm form = detail::standard_form(system);
  WellPosedness result;
  if (classify(form.D).p.holds()) {
    result.existence = result.uniqueness = result.unique_multiplier = Verdict::Holds;
    result.theorem = Theorem::FeedthroughIsP;
    result.solutions = "x continuously differentiable for all t >= 0";
    return result;
  }
  if (passive_after_shift(form)) {
    conclude_passive(system, form, result);
    return result;
  }
  const MarkovParameters parameters = markov_parameters(system);
  if (refuted(system, relative_degree(system), parameters, result)) return result;
  if (leading_coefficients_p(parameters, true) == Verdict::Holds ||
      leading_coefficients_p(parameters, false) == Verdict::Holds) {
    result.existence = result.uniqueness = result.unique_multiplier = Verdict::Holds;
    result.theorem = Theorem::LeadingCoefficientsAreP;
    result.solutions = "one initial solution, impulses at t = 0 included; local in time";
    return result;
  }
  result.why_not =
      "D is no P-matrix, no storage function for a shifted A was verified, and neither leading coefficient matrix is P";
  return result;
}

}  // namespace nonsmooth::analysis
