// SPDX-License-Identifier: Apache-2.0
// What the MLCP solvers share; not installed.
#pragma once

#include <algorithm>

#include <internal/deadline.hpp>
#include <nonsmooth/numerics/mlcp/problem.hpp>
#include <nonsmooth/numerics/relay/problem.hpp>

#include "end_infeasible.hpp"
#include "relay/internal.hpp"
#include "solved_to_round_off.hpp"

namespace nonsmooth::mlcp::detail {

template <class P>
double lower(const P& problem, Index i) {
  return problem.lower.size() ? problem.lower[i] : 0.0;
}
template <class P>
double upper(const P& problem, Index i) {
  return problem.upper.size() ? problem.upper[i] : relay::detail::infinity;
}

/// The relay problem in z = (u, v): M = (A C; D B), bounds of u infinite. Where p > n, columns of zeros, where p < n,
/// rows of zeros fill the free block up to max(n, p). Not validated.
relay::Problem relay_form(const Problem& problem);
relay::SparseProblem relay_form(const SparseProblem& problem);

/// Rows of a certificate of the form without the zeros that fill its f free rows up from p.
void drop_padding(Index p, Index f, Certificate& certificate);

/// The relay form's answer in this family's terms; certificate and status carry over, as the form has the same rows.
Result from_relay(const Problem& problem, relay::Result&& result);
Result from_relay(const SparseProblem& problem, relay::Result&& result);

/// Turns an open result Solved where its errors are the rounding of its own terms (../solved_to_round_off.hpp).
template <class P>
void tell_round_off(const P& problem, Result& result) {
  const bool bounded = problem.num_free() == 0 && problem.upper.size() > 0 && problem.upper.allFinite() &&
                       (problem.lower.size() == 0 || problem.lower.allFinite());
  nonsmooth::detail::tell_round_off(bounded, result);
}

/// The relay form's refinement (../relay/refinement.hpp) in this family's terms.
void refine(const Problem& problem, double tolerance, Index max_iterations, const nonsmooth::detail::Deadline& deadline,
            Result& result);

/// True if the certificate allows Solved; as lcp::detail::within.
bool within(const Problem& problem, double tolerance, ConstVectorRef u, ConstVectorRef v, Certificate& certificate);
bool within(const SparseProblem& problem, double tolerance, ConstVectorRef u, ConstVectorRef v,
            Certificate& certificate);

}  // namespace nonsmooth::mlcp::detail
