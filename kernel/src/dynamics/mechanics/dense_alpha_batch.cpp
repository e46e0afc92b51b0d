// SPDX-License-Identifier: Apache-2.0
// The nonsmooth generalised-alpha method with dense matrices.
#include "dense_alpha_batch.hpp"

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

namespace nonsmooth {

void refuse_alpha_step(const DiscretisedSystem& given) {
  throw InvalidArgument("TimeSteppingOptions::step",
                        check::text(given.h()) + " under GeneralisedAlpha for " + given.place().name,
                        "a shorter one, as motion that grows within the step would turn its sign");
}

void DenseAlphaSystem::prepare(const DiscretisedSystem& given, SystemInputs& inputs) {
  prepare_motion(given, inputs);
  const Index n = given.place().n;
  for (Eigen::MatrixXd* matrix : {&mass, &by_v, &by_q, &S, &G, &B}) matrix->setZero(n, n);
  if (!linear) return;
  const LagrangianLinearSystem& d = *given.record.linear_mechanical();
  mass = d.mass.to_dense(n, true);
  by_v = -d.damping.to_dense(n);
  by_q = -d.stiffness.to_dense(n);
  mass_factor.compute(mass);
  respond(given.place().name, given.h(), inputs.buffer);
  if (S.isApprox(S.transpose()) && !is_positive_definite(S)) refuse_alpha_step(given);
}

void DenseAlphaSystem::evaluate_mass(const std::string& name, ConstVectorRef q) {
  if (linear) return;
  mass.setZero();
  guarded(name, "mass(q)", [&] { description->mass(q, mass); });
  require_finite(name, "mass(q)", mass);
  if (!(mass.diagonal().minCoeff() > 0.0))
    throw CallableFailure{"mass(q) of " + name + " returned a diagonal entry that is not positive"};
  mass_factor.compute(mass);
}

void DenseAlphaSystem::linearise(const std::string& name, double t, ConstVectorRef q) {
  for (Eigen::MatrixXd* jacobian : {&by_v, &by_q}) jacobian->setZero();
  guarded(name, "force_dv", [&] { description->force_dv(t, q, v, by_v); });
  guarded(name, "force_dq", [&] { description->force_dq(t, q, v, by_q); });
  require_finite(name, "force_dv", by_v);
  require_finite(name, "force_dq", by_q);
}

void DenseAlphaSystem::respond(const std::string& name, double h, std::vector<double>& buffer) {
  S = mass / weights.of_a - h * weights.gamma * by_v - h * h * weights.beta * by_q;
  S_factor.compute(S);
  responds_apart = positions_apart;
  G = by_v;
  if (!positions_apart) G += 0.5 * h * by_q;
  S_factor.solve_in_place(G, buffer);
  B = h * weights.gamma * G;
  B.diagonal().array() += 1.0;
  B_factor.compute(B);
  if (linear) return;
  require_finite(name, "the matrix M (1-alpha_m)/(1-alpha_f) - h gamma dF/dv - h^2 beta dF/dq (singular?)", B);
}

}  // namespace nonsmooth
