// SPDX-License-Identifier: Apache-2.0
// Markov parameters and relative degree.
#include <nonsmooth/numerics/analysis/linear_system.hpp>

#include <algorithm>
#include <limits>

#include <internal/at.hpp>
#include <internal/round_off.hpp>

#include "linear_form.hpp"

namespace nonsmooth::analysis {
namespace {

/// Whether every entry of row i of H_k is zero.
Verdict row_is_zero(const MarkovParameters& parameters, Index k, Index i) {
  Verdict result = Verdict::Holds;
  for (Index j = 0; j < parameters.H[at(k)].cols(); ++j) {
    const Verdict entry = parameters.is_zero(k, i, j);
    if (entry == Verdict::Fails) return entry;
    if (entry == Verdict::NotKnown) result = entry;
  }
  return result;
}

/// The first k for which test(k) fails to be zero; -1 where that is not known, n + 1 where there is none.
template <class Test>
Index first_nonzero(Index last, Test&& test) {
  for (Index k = 0; k <= last; ++k) {
    const Verdict zero = test(k);
    if (zero == Verdict::NotKnown) return -1;
    if (zero == Verdict::Fails) return k;
  }
  return last + 1;
}

DegreeKind kind_of(const RelativeDegree& degree, Index last) {
  if (std::ranges::count(degree.of_output, last + 1) > 0) return DegreeKind::Infinite;
  if (std::ranges::count(degree.of_output, -1) > 0) return DegreeKind::NotKnown;
  if (degree.regular.fails()) return DegreeKind::NotRegular;
  if (degree.regular.verdict == Verdict::NotKnown) return DegreeKind::NotKnown;
  const bool same = std::ranges::count(degree.of_output, degree.of_output.front()) == std::ssize(degree.of_output);
  return same ? DegreeKind::Uniform : DegreeKind::Vector;
}

}  // namespace

Verdict MarkovParameters::is_zero(Index k, Index i, Index j) const {
  return detail::zero_to_round_off(H[at(k)](i, j), round_off[at(k)](i, j));
}

MarkovParameters markov_parameters(const LinearComplementaritySystem& system) {
  const detail::StandardForm form = detail::standard_form(system);
  const Index n = form.states();
  MarkovParameters result;
  result.H.push_back(form.D);
  result.round_off.emplace_back(Eigen::MatrixXd::Zero(form.D.rows(), form.D.cols()));
  Eigen::MatrixXd row = form.C, terms = form.C.cwiseAbs();
  Eigen::MatrixXd data = Eigen::MatrixXd::Zero(form.C.rows(), n);  // what the errors of A make of C A^(k-1)
  for (Index k = 1; k <= n; ++k) {
    const double unit = static_cast<double>((n + 2) * (k + 2)) * eps;
    result.H.emplace_back(row * form.B);
    result.round_off.emplace_back(unit * (terms * form.B.cwiseAbs()) + data * form.B.cwiseAbs() + terms * form.B_error);
    if (k == n) break;
    data = (data * form.A.cwiseAbs() + terms * form.A_error).eval();
    row = (row * form.A).eval();
    terms = (terms * form.A.cwiseAbs()).eval();
    // Powers grow or shrink beyond all numbers; rows in other units have the same zeros, but no H to speak of.
    if (!terms.allFinite()) break;
  }
  while (static_cast<Index>(result.H.size()) <= n) {
    result.H.emplace_back(Eigen::MatrixXd::Zero(form.C.rows(), form.B.cols()));
    result.round_off.emplace_back(
        Eigen::MatrixXd::Constant(form.C.rows(), form.B.cols(), std::numeric_limits<double>::max()));
  }
  return result;
}

Index RelativeDegree::uniform() const noexcept { return kind == DegreeKind::Uniform ? of_output.front() : -1; }

RelativeDegree relative_degree(const LinearComplementaritySystem& system) {
  const MarkovParameters parameters = markov_parameters(system);
  const Index last = static_cast<Index>(parameters.H.size()) - 1, m = parameters.H.front().rows();
  RelativeDegree degree;
  degree.first = first_nonzero(last, [&](Index k) {
    Verdict zero = Verdict::Holds;
    for (Index i = 0; i < m && zero != Verdict::Fails; ++i) {
      const Verdict row = row_is_zero(parameters, k, i);
      if (row != Verdict::Holds) zero = row;
    }
    return zero;
  });
  if (degree.first > last) degree.first = -1;
  bool complete = true;
  for (Index i = 0; i < m; ++i) {
    degree.of_output.push_back(first_nonzero(last, [&](Index k) { return row_is_zero(parameters, k, i); }));
    complete = complete && degree.of_output.back() >= 0 && degree.of_output.back() <= last;
  }
  degree.regular.reason = "some output has no known degree";
  if (complete) {
    degree.decoupling.resize(m, m);
    MatrixOptions options{.entry_error = Eigen::MatrixXd(m, m)};
    for (Index i = 0; i < m; ++i) {
      degree.decoupling.row(i) = parameters.H[at(degree.of_output[at(i)])].row(i);
      options.entry_error.row(i) = parameters.round_off[at(degree.of_output[at(i)])].row(i);
    }
    const Finding singular = classify(degree.decoupling, options).singular;
    degree.regular = singular;
    degree.regular.verdict = singular.fails() ? Verdict::Holds : singular.holds() ? Verdict::Fails : Verdict::NotKnown;
  }
  degree.kind = kind_of(degree, last);
  return degree;
}

}  // namespace nonsmooth::analysis
