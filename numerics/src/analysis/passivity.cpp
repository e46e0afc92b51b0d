// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <complex>

#include <nonsmooth/numerics/analysis/linear_system.hpp>

#include "linear_form.hpp"
#include "matrix_tests.hpp"
#include "passivity_witness.hpp"
#include "verified_storage.hpp"

namespace nonsmooth::analysis {
namespace {

detail::StandardForm with_shift(detail::StandardForm form, double shift) {
  form.A.diagonal().array() += shift;
  return form;
}

/// Strict passivity with the largest of the rates 1e-7, 1e-6, ..., times |A|, up to the first that is not verified.
void examine_strictly(const detail::BalancedForm& form, Passivity& result) {
  constexpr double least_rate = 1e-7;
  const double norm = std::max(form.system.A.norm(), 1.0);
  for (double rate = least_rate; rate <= 1.0; rate *= 10.0) {
    const auto found = detail::verified_storage(with_shift(form.system, 0.5 * rate * norm));
    if (!found) break;
    result.strictly_passive = detail::holds("a storage function that decays was verified");
    result.strictly_passive.value = found->value;
    result.strictly_passive.round_off = found->round_off;
    result.rate = rate * norm * form.rate;
  }
  if (result.strictly_passive.holds()) return;
  if (const auto witness = detail::find_passivity_witness(with_shift(form.system, 0.5 * least_rate * norm))) {
    result.strictly_passive = detail::fails("no rate of 1e-7 of the norm of A");
    result.strictly_passive.value = witness->value;
    result.strictly_passive.round_off = witness->round_off;
    return;
  }
  result.strictly_passive = detail::not_known("no storage function that decays was verified, and no witness found");
}

}  // namespace

Passivity passivity(const LinearComplementaritySystem& system) {
  const detail::BalancedForm form = detail::balanced(detail::standard_form(system));
  Passivity result;
  if (const auto found = detail::verified_storage(form.system)) {
    result.passive = detail::holds("a storage function was verified");
    result.passive.value = found->value;
    result.passive.round_off = found->round_off;
    const Eigen::VectorXd unscale = form.state.cwiseInverse();
    result.P = unscale.asDiagonal() * found->P * unscale.asDiagonal() / form.rate;
    examine_strictly(form, result);
    return result;
  }
  const auto witness = detail::find_passivity_witness(form.system);
  if (!witness) {
    result.passive = detail::not_known("no storage function was verified, and no witness found");
    result.strictly_passive = detail::not_known("passivity is not known");
    return result;
  }
  result.passive = detail::fails(witness->reason);
  result.passive.value = witness->value;
  result.passive.round_off = witness->round_off;
  result.strictly_passive = detail::fails("not passive");
  result.frequency = witness->s * form.rate;
  // lambda = S lambda', and x = T x' for an eigenvector.
  const bool of_state = witness->v.size() == form.state.size() && witness->reason.starts_with("an eigenvalue");
  result.direction = (of_state ? form.state : form.port).cast<std::complex<double>>().asDiagonal() * witness->v;
  return result;
}

}  // namespace nonsmooth::analysis
