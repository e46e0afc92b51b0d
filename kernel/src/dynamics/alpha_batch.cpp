// SPDX-License-Identifier: Apache-2.0
// The nonsmooth generalised-alpha method: accelerations of forces by their own recurrence, impulses beside them.
#include "alpha_batch.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <internal/check.hpp>
#include <nonsmooth/kernel/state.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "model/guarded.hpp"

namespace nonsmooth {
namespace {

/// W and A of the iterate, from z by the linearisation that z answers.
void take_up(ConstVectorRef z, std::vector<double>& buffer, AlphaSystem& s) {
  s.W = z - s.z_base;
  s.B_factor.solve_in_place(s.W, buffer);
  s.A = s.A_base;
  s.A.noalias() += s.G * s.W;
}

/// @throws InvalidArgument where S is symmetric and has left the side that it is on for short steps.
void require_definite(const DiscretisedSystem& given, const Eigen::MatrixXd& S) {
  if (!S.isApprox(S.transpose()) || is_positive_definite(S)) return;
  throw InvalidArgument("TimeSteppingOptions::step",
                        check::text(given.h()) + " under GeneralisedAlpha for " + given.place().name,
                        "a shorter one, as motion that grows within the step would turn its sign");
}

}  // namespace

void AlphaBatch::prepare(const DiscretisedSystem& given) {
  AlphaSystem s;
  s.system = given.system;
  s.description = given.record.mechanical;
  s.weights = AlphaWeights(given.scheme().theta);
  const Index n = given.place().n;
  for (Eigen::MatrixXd* matrix : {&s.mass, &s.by_v, &s.by_q, &s.S, &s.G, &s.B}) matrix->setZero(n, n);
  for (Eigen::VectorXd* vector :
       {&s.start_a, &s.start_A, &s.A, &s.W, &s.U, &s.A_base, &s.z_base, &s.load, &s.v, &s.force, &s.w, &s.scratch})
    vector->setZero(n);
  if (const LagrangianLinearSystem* d = given.record.linear_mechanical()) {
    s.linear = true;
    s.mass = d->mass.to_dense(n, true);
    s.by_v = -d->damping.to_dense(n);
    s.by_q = -d->stiffness.to_dense(n);
    s.steady = d->force.constant() ? *d->force.constant() : Eigen::VectorXd::Zero(n);
    s.time_function = inputs_.add_time_function(d->force, given.system, n);
    s.mass_factor.compute(s.mass);
    respond(given.h(), s);
    require_definite(given, s.S);
  }
  list_.push_back(std::move(s));
}

bool AlphaBatch::iterates() const {
  return std::any_of(list_.begin(), list_.end(), [](const AlphaSystem& s) { return !s.linear; });
}

void AlphaBatch::evaluate_mass(const std::string& name, ConstVectorRef q, AlphaSystem& s) const {
  if (s.linear) return;
  s.mass.setZero();
  guarded(name, "mass(q)", [&] { s.description->mass(q, s.mass); });
  require_finite(name, "mass(q)", s.mass);
  if (!(s.mass.diagonal().minCoeff() > 0.0))
    throw CallableFailure{"mass(q) of " + name + " returned a diagonal entry that is not positive"};
  s.mass_factor.compute(s.mass);
}

void AlphaBatch::evaluate_force(const StepView& step, bool at_end, ConstVectorRef q, ConstVectorRef v,
                                AlphaSystem& s) const {
  if (s.linear) {
    s.force = s.steady;
    if (s.time_function >= 0) {
      const TimeFunction& f = inputs_.time_function(s.time_function);
      s.force = at_end ? f.after : f.before;
    }
    s.force.noalias() += s.by_v * v;
    s.force.noalias() += s.by_q * q;
  } else {
    const std::string& name = step.system(s.system).name;
    s.force.setZero();
    guarded(name, "force(t, q, v)", [&] { s.description->force(at_end ? step.t_next : step.state.t, q, v, s.force); });
    require_finite(name, "force(t, q, v)", s.force);
  }
  if (const Eigen::VectorXd* held = inputs_.feedback_of(s.system)) s.force += *held;
}

/// S, G and B of the matrices.
void AlphaBatch::respond(double h, AlphaSystem& s) {
  const AlphaWeights& weights = s.weights;
  s.S = s.mass / weights.of_a - h * weights.gamma * s.by_v - h * h * weights.beta * s.by_q;
  s.S_factor.compute(s.S);
  s.responds_apart = s.positions_apart;
  s.G = s.by_v;
  if (!s.positions_apart) s.G += 0.5 * h * s.by_q;
  s.S_factor.solve_in_place(s.G, inputs_.buffer);
  s.B = h * weights.gamma * s.G;
  s.B.diagonal().array() += 1.0;
  s.B_factor.compute(s.B);
}

/// a_k of the state, A_k; the iterate that Newton's iteration starts from. A_k = a(t_k + (alpha_m - alpha_f) h) +
/// O(h^2), so that what it is off a_k by is of the step's length: the state keeps (A - a) / h, which is of none.
/// Without it A_k = a_k.
void AlphaBatch::start(const StepView& step, AlphaSystem& s) {
  const auto& place = step.system(s.system);
  const auto q_k = step.state.positions.segment(place.q, place.nq);
  evaluate_mass(place.name, q_k, s);
  evaluate_force(step, false, q_k, step.state.unknowns.segment(place.z, place.n), s);
  s.start_a = s.force;
  s.mass_factor.solve_in_place(s.start_a, inputs_.buffer);
  require_finite(place.name, "the acceleration M^-1 F", s.start_a);
  s.start_A = s.start_a;
  if (step.state.has_differences()) s.start_A += step.h() * step.state.differences.segment(place.z, place.n);
  s.A = s.start_A;
  s.W.setZero();
}

/// q_k := retract(q_k, n + h W / 2), or n + U.
void AlphaBatch::move(const std::string& name, double h, const double* v_k, VectorRef q, AlphaSystem& s) const {
  for (Index i = 0; i < s.w.size(); ++i) {
    s.w[i] = s.weights.position(0.0, h, v_k[i], s.start_A[i], s.A[i]);
    s.w[i] += s.positions_apart ? s.U[i] : 0.5 * h * s.W[i];
  }
  guarded(name, "retract(q, w)", [&] { s.description->retract(q, s.w); });
}

void AlphaBatch::predict_positions(const StepView& step, Iterate& iterate) {
  for (AlphaSystem& s : list_) {
    const auto& place = step.system(s.system);
    if (iterate.first) {
      start(step, s);
    } else {
      take_up(iterate.z.segment(place.z, place.n), inputs_.buffer, s);
    }
    const double* v_k = step.state.unknowns.data() + place.z;
    auto q = iterate.q.segment(place.q, place.nq);
    q = step.state.positions.segment(place.q, place.nq);
    move(place.name, step.h(), v_k, q, s);
    iterate.q_middle.segment(place.q, place.nq) = q;
    for (Index i = 0; i < place.n; ++i) s.v[i] = s.weights.velocity(v_k[i], step.h(), s.start_A[i], s.A[i]) + s.W[i];
  }
}

void AlphaBatch::evaluate(const StepView& step, const Iterate& iterate) {
  for (AlphaSystem& s : list_) {
    const auto& place = step.system(s.system);
    const auto q = iterate.q.segment(place.q, place.nq);
    evaluate_mass(place.name, q, s);
    evaluate_force(step, true, q, s.v, s);
  }
}

void AlphaBatch::linearise(const StepView& step, const Iterate& iterate, Eigen::VectorXd& z_free) {
  const double h = step.h();
  for (AlphaSystem& s : list_) {
    const auto& place = step.system(s.system);
    const auto q = iterate.q.segment(place.q, place.nq);
    const AlphaWeights& weights = s.weights;
    if (!s.linear) {
      for (Eigen::MatrixXd* jacobian : {&s.by_v, &s.by_q}) jacobian->setZero();
      guarded(place.name, "force_dv", [&] { s.description->force_dv(step.t_next, q, s.v, s.by_v); });
      guarded(place.name, "force_dq", [&] { s.description->force_dq(step.t_next, q, s.v, s.by_q); });
      require_finite(place.name, "force_dv", s.by_v);
      require_finite(place.name, "force_dq", s.by_q);
      respond(h, s);
      require_finite(place.name, "the matrix M (1-alpha_m)/(1-alpha_f) - h gamma dF/dv - h^2 beta dF/dq (singular?)",
                     s.B);
    } else if (s.responds_apart != s.positions_apart) {
      respond(h, s);
    }
    s.responds = true;
    // A_base = A - S^-1 (M a - F) - G W.
    for (Index i = 0; i < place.n; ++i) s.w[i] = weights.acceleration(s.start_a[i], s.start_A[i], s.A[i]);
    s.scratch = s.force;
    s.scratch.noalias() -= s.mass * s.w;
    s.S_factor.solve_in_place(s.scratch, inputs_.buffer);
    s.A_base = s.A + s.scratch;
    s.A_base.noalias() -= s.G * s.W;
    for (Index i = 0; i < place.n; ++i)
      s.z_base[i] = weights.velocity(step.state.unknowns[place.z + i], h, s.start_A[i], s.A_base[i]);
    s.load.setZero();
    for (const ImpulsiveLoad& one : inputs_.impulsive_loads) {
      if (one.system == s.system && one.instant > step.state.t && one.instant <= step.t_next) s.load += *one.impulse;
    }
    s.mass_factor.solve_in_place(s.load, inputs_.buffer);
    s.scratch = s.z_base;
    s.scratch.noalias() += s.B * s.load;
    z_free.segment(place.z, place.n) = s.scratch;
  }
}

void AlphaBatch::apply_inverse(Index place, MatrixRef b) {
  AlphaSystem& s = at(place);
  s.mass_factor.solve_in_place(b, inputs_.buffer);
  if (!s.responds) return;
  for (Index j = 0; j < b.cols(); ++j) {
    s.scratch.noalias() = s.B * b.col(j);
    b.col(j) = s.scratch;
  }
}

void AlphaBatch::factor_mass(const StepView& step, Index place) {
  AlphaSystem& s = at(place);
  const auto& system = step.system(s.system);
  evaluate_mass(system.name, step.state.positions.segment(system.q, system.nq), s);
  s.responds = false;
}

void AlphaBatch::commit(const Discretisation& discretisation, Eigen::VectorXd& z, State& state) {
  for (AlphaSystem& s : list_) {
    const auto& place = discretisation.system(s.system);
    take_up(z.segment(place.z, place.n), inputs_.buffer, s);
    move(place.name, discretisation.h, state.unknowns.data() + place.z, state.positions.segment(place.q, place.nq), s);
    for (Index i = 0; i < place.n; ++i) {
      const double a = s.weights.acceleration(s.start_a[i], s.start_A[i], s.A[i]);
      state.differences[place.z + i] = (s.A[i] - a) / discretisation.h;
    }
  }
}

void AlphaBatch::retract(const Layout::System& system, Index place, ConstVectorRef w, VectorRef q) {
  const AlphaSystem& s = at(place);
  guarded(system.name, "retract(q, w)", [&] { s.description->retract(q, w); });
}

}  // namespace nonsmooth
