// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <nonsmooth/kernel/state.hpp>

#include "dynamics/system_batch.hpp"
#include "model/equations/alpha_weights.hpp"
#include "model/guarded.hpp"

namespace nonsmooth {

/// A mechanical system under the generalised-alpha method, but for its matrices. W = M^-1 pi is what impulses pi = H^T
/// p add to v; for given W and forces f = H^T lambda of joints the equation of motion gives A, linearised about the
/// iterate
///
///     A = A_base + G W + S^-1 f,   G = S^-1 (F_v + h/2 F_q),   S = M / of_a - h gamma F_v - h^2 beta F_q,
///     z = z_base + B W + h gamma S^-1 f,   B = I + h gamma G,  so that A^-1 of the step is B M^-1.
///
/// What f adds is put into A_base and z_base as soon as it is known.
struct AlphaMotion {
  Index system = 0;
  const MechanicalSystem* description = nullptr;
  AlphaWeights weights{1.0};
  bool linear = false;                   ///< mass, by_v = -C, by_q = -K and what is made of them are constant
  Eigen::VectorXd steady;                ///< of a linear system: its constant force
  Index time_function = -1;              ///< or in SystemInputs::time_functions
  bool responds = false;                 ///< B is that of the step's iterate; otherwise the identity
  Eigen::VectorXd reaction;              ///< H^T lambda_k of joints
  Eigen::VectorXd start_a, start_A;      ///< a_k and A_k
  Eigen::VectorXd A, W;                  ///< of the iterate
  bool positions_apart = false;          ///< q is moved by U in place of h W / 2: G is then S^-1 F_v
  bool responds_apart = false;           ///< G and B are of that
  Eigen::VectorXd U;                     ///< of multipliers of positions
  Eigen::VectorXd A_base, z_base, load;  ///< load: M^-1 of impulsive loads
  Eigen::VectorXd v, force, w, scratch;

  void prepare_motion(const DiscretisedSystem& given, SystemInputs& inputs) {
    system = given.system;
    description = given.record.mechanical;
    weights = AlphaWeights(given.scheme().theta);
    const Index n = given.place().n;
    for (Eigen::VectorXd* vector :
         {&reaction, &start_a, &start_A, &A, &W, &U, &A_base, &z_base, &load, &v, &force, &w, &scratch})
      vector->setZero(n);
    const LagrangianLinearSystem* d = given.record.linear_mechanical();
    if (!d) return;
    linear = true;
    steady = d->force.constant() ? *d->force.constant() : Eigen::VectorXd::Zero(n);
    time_function = inputs.add_time_function(d->force, given.system, n);
  }
};

/// Mechanics under the generalised-alpha method. A System is an AlphaMotion with its matrices `mass`, `by_v` = F_v and
/// `by_q` = F_q, dense or sparse, and
///
///     prepare(given, inputs)              its sizes, its matrices and factors where it is linear
///     evaluate_mass(name, q)              mass := M(q), finite, with a positive diagonal, factored
///     linearise(name, t, q)               by_v and by_q at q and its v
///     respond(name, h, buffer)            S, and what G and B are made of, for its positions_apart
///     solve_mass(b, buffer)               b := M^-1 b
///     solve_S(b, buffer)                  b := S^-1 b
///     solve_B(b, buffer)                  b := B^-1 b
///     add_G(sign, x, sum, buffer)         sum += sign G x
///     add_B(x, sum, buffer)               sum += B x
template <class System>
class AlphaBatch : public ListedBatch<System> {
 public:
  using ListedBatch<System>::ListedBatch;

  void prepare(const DiscretisedSystem& given) final {
    System s;
    s.prepare(given, this->inputs_);
    this->list_.push_back(std::move(s));
  }
  [[nodiscard]] bool is_nonlinear() const final { return true; }
  [[nodiscard]] bool iterates() const final {
    return std::any_of(this->list_.begin(), this->list_.end(), [](const System& s) { return !s.linear; });
  }
  [[nodiscard]] bool commit_calls_users() const final { return true; }
  void predict_positions(const StepView& step, Iterate& iterate) final;
  void evaluate(const StepView& step, const Iterate& iterate) final;
  void linearise(const StepView& step, const Iterate& iterate, Eigen::VectorXd& z_free) final;
  void apply_inverse(Index place, MatrixRef b) final;
  void factor_mass(const StepView& step, Index place) final;
  void commit(const Discretisation& discretisation, Eigen::VectorXd& z, State& state) final;
  void retract(const Layout::System& system, Index place, ConstVectorRef w, VectorRef q) final {
    const System& s = this->at(place);
    guarded(system.name, "retract(q, w)", [&] { s.description->retract(q, w); });
  }
  void part_positions(Index place, ConstVectorRef U) final {
    this->at(place).positions_apart = true;
    this->at(place).U = U;
  }
  void join_positions(Index place) final { this->at(place).positions_apart = false; }
  void respond_to_move(double h, Index place, MatrixRef b) final {
    System& s = this->at(place);
    for (Index j = 0; j < b.cols(); ++j) {
      s.scratch.noalias() = s.by_q * b.col(j);
      s.solve_S(s.scratch, this->inputs_.buffer);
      b.col(j) += h * h * s.weights.beta * s.scratch;
    }
  }
  void free_accelerations(const StepView& step, Index place, VectorRef a) final {
    System& s = this->at(place);
    evaluate_start(step, s);
    a = s.force;
    s.solve_mass(a, this->inputs_.buffer);
    require_finite(step.system(s.system).name, "the acceleration M^-1 F", a);
  }
  void set_start_reaction(Index place, ConstVectorRef reaction) final { this->at(place).reaction = reaction; }
  void apply_force_inverse(Index place, MatrixRef b) final {
    System& s = this->at(place);
    s.solve_S(b, this->inputs_.buffer);
    b *= s.weights.gamma;
  }
  void smooth_unknowns(Index place, VectorRef z) const final { z = this->at(place).z_base; }
  void add_smooth(double h, Index place, ConstVectorRef change) final {
    System& s = this->at(place);
    s.z_base += change;
    s.A_base += change / (h * s.weights.gamma);
  }

 private:
  void evaluate_start(const StepView& step, System& s);
  void start(const StepView& step, System& s);
  void take_up(ConstVectorRef z, System& s);
  void evaluate_force(const StepView& step, bool at_end, ConstVectorRef q, ConstVectorRef v, System& s) const;
  void move(const std::string& name, double h, const double* v_k, VectorRef q, System& s) const;
};

/// W and A of the iterate, from z by the linearisation that z answers.
template <class System>
void AlphaBatch<System>::take_up(ConstVectorRef z, System& s) {
  s.W = z - s.z_base;
  s.solve_B(s.W, this->inputs_.buffer);
  s.A = s.A_base;
  s.add_G(1.0, s.W, s.A, this->inputs_.buffer);
}

template <class System>
void AlphaBatch<System>::evaluate_force(const StepView& step, bool at_end, ConstVectorRef q, ConstVectorRef v,
                                        System& s) const {
  if (s.linear) {
    s.force = s.steady;
    if (s.time_function >= 0) {
      const TimeFunction& f = this->inputs_.time_function(s.time_function);
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
  if (const Eigen::VectorXd* held = this->inputs_.feedback_of(s.system)) s.force += *held;
}

/// M and F, without forces of joints, of the state.
template <class System>
void AlphaBatch<System>::evaluate_start(const StepView& step, System& s) {
  const auto& place = step.system(s.system);
  const auto q_k = step.state.positions.segment(place.q, place.nq);
  s.evaluate_mass(place.name, q_k);
  evaluate_force(step, false, q_k, step.state.unknowns.segment(place.z, place.n), s);
}

/// a_k of the state, A_k; the iterate that Newton's iteration starts from. A_k = a(t_k + (alpha_m - alpha_f) h) +
/// O(h^2), so that what it is off a_k by is of the step's length: the state keeps (A - a) / h, which is of none.
/// Without it A_k = a_k.
template <class System>
void AlphaBatch<System>::start(const StepView& step, System& s) {
  const auto& place = step.system(s.system);
  evaluate_start(step, s);
  s.start_a = s.force + s.reaction;
  s.solve_mass(s.start_a, this->inputs_.buffer);
  require_finite(place.name, "the acceleration M^-1 F", s.start_a);
  s.start_A = s.start_a;
  if (step.state.has_differences()) s.start_A += step.h() * step.state.differences.segment(place.z, place.n);
  s.A = s.start_A;
  s.W.setZero();
}

/// q_k := retract(q_k, n + h W / 2), or n + U.
template <class System>
void AlphaBatch<System>::move(const std::string& name, double h, const double* v_k, VectorRef q, System& s) const {
  for (Index i = 0; i < s.w.size(); ++i) {
    s.w[i] = s.weights.position(0.0, h, v_k[i], s.start_A[i], s.A[i]);
    s.w[i] += s.positions_apart ? s.U[i] : 0.5 * h * s.W[i];
  }
  guarded(name, "retract(q, w)", [&] { s.description->retract(q, s.w); });
}

template <class System>
void AlphaBatch<System>::predict_positions(const StepView& step, Iterate& iterate) {
  for (System& s : this->list_) {
    const auto& place = step.system(s.system);
    if (iterate.first) {
      start(step, s);
    } else {
      take_up(iterate.z.segment(place.z, place.n), s);
    }
    const double* v_k = step.state.unknowns.data() + place.z;
    auto q = iterate.q.segment(place.q, place.nq);
    q = step.state.positions.segment(place.q, place.nq);
    move(place.name, step.h(), v_k, q, s);
    iterate.q_middle.segment(place.q, place.nq) = q;
    for (Index i = 0; i < place.n; ++i) s.v[i] = s.weights.velocity(v_k[i], step.h(), s.start_A[i], s.A[i]) + s.W[i];
    if (iterate.first) iterate.z.segment(place.z, place.n) = s.v;  // what Newton's iteration starts from is not v_k
  }
}

template <class System>
void AlphaBatch<System>::evaluate(const StepView& step, const Iterate& iterate) {
  for (System& s : this->list_) {
    const auto& place = step.system(s.system);
    const auto q = iterate.q.segment(place.q, place.nq);
    s.evaluate_mass(place.name, q);
    evaluate_force(step, true, q, s.v, s);
  }
}

template <class System>
void AlphaBatch<System>::linearise(const StepView& step, const Iterate& iterate, Eigen::VectorXd& z_free) {
  const double h = step.h();
  std::vector<double>& buffer = this->inputs_.buffer;
  for (System& s : this->list_) {
    const auto& place = step.system(s.system);
    const AlphaWeights& weights = s.weights;
    if (!s.linear) {
      s.linearise(place.name, step.t_next, iterate.q.segment(place.q, place.nq));
      s.respond(place.name, h, buffer);
    } else if (s.responds_apart != s.positions_apart) {
      s.respond(place.name, h, buffer);
    }
    s.responds = true;
    // A_base = A - S^-1 (M a - F) - G W.
    for (Index i = 0; i < place.n; ++i) s.w[i] = weights.acceleration(s.start_a[i], s.start_A[i], s.A[i]);
    s.scratch = s.force;
    s.scratch.noalias() -= s.mass * s.w;
    s.solve_S(s.scratch, buffer);
    s.A_base = s.A + s.scratch;
    s.add_G(-1.0, s.W, s.A_base, buffer);
    for (Index i = 0; i < place.n; ++i)
      s.z_base[i] = weights.velocity(step.state.unknowns[place.z + i], h, s.start_A[i], s.A_base[i]);
    s.load.setZero();
    for (const ImpulsiveLoad& one : this->inputs_.impulsive_loads) {
      if (one.system == s.system && one.instant > step.state.t && one.instant <= step.t_next) s.load += *one.impulse;
    }
    s.solve_mass(s.load, buffer);
    s.scratch = s.z_base;
    s.add_B(s.load, s.scratch, buffer);
    z_free.segment(place.z, place.n) = s.scratch;
  }
}

template <class System>
void AlphaBatch<System>::apply_inverse(Index place, MatrixRef b) {
  System& s = this->at(place);
  s.solve_mass(b, this->inputs_.buffer);
  if (!s.responds) return;
  for (Index j = 0; j < b.cols(); ++j) {
    s.scratch.setZero();
    s.add_B(b.col(j), s.scratch, this->inputs_.buffer);
    b.col(j) = s.scratch;
  }
}

template <class System>
void AlphaBatch<System>::factor_mass(const StepView& step, Index place) {
  System& s = this->at(place);
  const auto& system = step.system(s.system);
  s.evaluate_mass(system.name, step.state.positions.segment(system.q, system.nq));
  s.responds = false;
}

template <class System>
void AlphaBatch<System>::commit(const Discretisation& discretisation, Eigen::VectorXd& z, State& state) {
  for (System& s : this->list_) {
    const auto& place = discretisation.system(s.system);
    take_up(z.segment(place.z, place.n), s);
    move(place.name, discretisation.h, state.unknowns.data() + place.z, state.positions.segment(place.q, place.nq), s);
    for (Index i = 0; i < place.n; ++i) {
      const double a = s.weights.acceleration(s.start_a[i], s.start_A[i], s.A[i]);
      state.differences[place.z + i] = (s.A[i] - a) / discretisation.h;
    }
  }
}

/// @throws InvalidArgument: the step under which the motion of a linear system without damping would turn its sign.
[[noreturn]] void refuse_alpha_step(const DiscretisedSystem& given);

}  // namespace nonsmooth
