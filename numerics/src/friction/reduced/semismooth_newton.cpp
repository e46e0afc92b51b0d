// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/friction/semismooth_newton.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

#include <internal/check.hpp>
#include <nonsmooth/numerics/friction/extragradient.hpp>

#include "adaptive_step.hpp"
#include "mixed/block_sweeps.hpp"
#include "mixed/fischer_burmeister_function.hpp"
#include "mixed/projection_jacobian.hpp"
#include "projection_method.hpp"
#include "rolling_cone.hpp"
#include "semismooth_newton_workspace.hpp"
#include "tangential_length.hpp"

namespace nonsmooth::friction {

/// Vectors have an entry a row, but for the last values.
struct internal::SemismoothNewtonMemory {
  MonitorMemory<GrowingVector> monitor;
  mixed::internal::BlockSweeps sweeps;
  mixed::internal::BlockDiagonal A, C;  // de/dr and de/du
  mixed::internal::NewtonSystem system;
  GrowingVector scratch;  // of one block
  GrowingVector r, u, inside, e, step, product, trial, trial_u, trial_e, zero;
  std::vector<double> history;  // |e|^2 / 2 of the last points
};

namespace {

using Formulation = SemismoothNewton::Formulation;
using mixed::internal::BlockDiagonal;
using mixed::internal::Form;

constexpr std::string_view semismooth_start = "friction::SemismoothNewton::start";

[[nodiscard]] bool is_contact(const BlockSet& set) noexcept { return mixed::internal::is_cone(set.kind); }

/// A contact with disks of the current reaction's radius. A and C may be null: then e alone.
void jean_moreau(const BlockSet& set, double rho, const double* r, const double* u, Index n, double* e, double* A,
                 double* C) noexcept {
  const bool closed = r[0] - rho * u[0] > 0.0;
  e[0] = closed ? u[0] : r[0] / rho;
  if (A != nullptr) {
    std::fill(A, A + n * n, 0.0);
    std::fill(C, C + n * n, 0.0);
    (closed ? C : A)[0] = closed ? 1.0 : 1.0 / rho;
  }
  for (const detail::RollingGroup& group : detail::rolling_groups(set, n)) {
    double z[2] = {};
    for (Index i = 0; i < group.size; ++i) z[i] = r[group.first + i] - rho * u[group.first + i];
    const double radius = group.bound * std::max(0.0, r[0]), length = internal::tangential_length(z, group.size);
    for (Index i = 0; i < group.size; ++i) {
      const Index row = group.first + i;
      if (length <= radius) {
        e[row] = u[row];
        if (C != nullptr) C[row * (n + 1)] = 1.0;
        continue;
      }
      const double s_i = z[i] / length, ratio = radius / length;
      e[row] = (r[row] - radius * s_i) / rho;
      if (A == nullptr) continue;
      for (Index j = 0; j < group.size; ++j) {
        const double one = i == j ? 1.0 : 0.0, turn = ratio * (one - s_i * (z[j] / length));
        A[(group.first + j) * n + row] = (one - turn) / rho;
        C[(group.first + j) * n + row] = turn;
      }
      if (r[0] > 0.0) A[row] = -group.bound * s_i / rho;
    }
  }
}

/// The Fischer-Burmeister function of (r, û) with |u_T| rounded off over a width `rounding`.
void jordan(const BlockSet& set, double rho, double rounding, const double* r, const double* u, Index n, double* e,
            double* A, double* C) noexcept {
  double x[3] = {}, y[3] = {}, dx[9], dy[9];
  const bool derivatives = A != nullptr;
  if (derivatives) {
    std::fill(A, A + n * n, 0.0);
    std::fill(C, C + n * n, 0.0);
  }
  if (!(set.mu > 0.0)) {
    x[0] = r[0] / rho;
    y[0] = u[0];
    mixed::fischer_burmeister(x, y, 1, e, derivatives ? dx : nullptr, derivatives ? dy : nullptr);
    for (Index i = 1; i < n; ++i) e[i] = -r[i] / rho;
    if (!derivatives) return;
    A[0] = dx[0] / rho;
    C[0] = dy[0];
    for (Index i = 1; i < n; ++i) A[i * (n + 1)] = -1.0 / rho;
    return;
  }
  const double slip = internal::tangential_length(u + 1, n - 1), rounded = std::hypot(slip, rounding);
  for (Index i = 0; i < n; ++i) {
    x[i] = (i == 0 ? set.mu : 1.0) * (r[i] / rho);
    y[i] = i == 0 ? u[0] / set.mu + (rounded - rounding) : u[i];
  }
  mixed::fischer_burmeister(x, y, n, e, derivatives ? dx : nullptr, derivatives ? dy : nullptr);
  if (!derivatives) return;
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i < n; ++i) {
      A[j * n + i] = dx[j * n + i] * (j == 0 ? set.mu : 1.0) / rho;
      C[j * n + i] = j == 0 ? dy[i] / set.mu : dy[j * n + i] + (rounded > 0.0 ? dy[i] * (u[j] / rounded) : 0.0);
    }
}

[[nodiscard]] std::string_view name_of(Formulation formulation) noexcept {
  switch (formulation) {
    case Formulation::AlartCurnier:
      return "alart-curnier";
    case Formulation::JeanMoreau:
      return "jean-moreau";
    case Formulation::NaturalMap:
      return "natural newton";
    case Formulation::FischerBurmeister:
      break;
  }
  return "fischer-burmeister";
}

/// e of all blocks with its derivatives.
class SemismoothNewtonEquations {
 public:
  SemismoothNewtonEquations(const Problem& problem, Formulation formulation, const GrowingVector& rho,
                            internal::SemismoothNewtonMemory& memory)
      : A(memory.A), C(memory.C), problem_(problem), formulation_(formulation), rho_(rho), scratch_(memory.scratch) {
    A.prepare(problem.K);
    C.prepare(problem.K);
    Index widest = 1;
    for (Index b = 0; b < problem.K.num_blocks(); ++b) widest = std::max(widest, problem.K.size(b));
    scratch_.resize(widest * (widest + 3));
  }

  /// e and |e|^2 / 2, with A = de/dr and C = de/du where `derivatives`.
  double evaluate(const GrowingVector& r, const GrowingVector& u, GrowingVector& e, bool derivatives) {
    for (Index b = 0; b < problem_.K.num_blocks(); ++b) {
      const Index o = problem_.K.offset(b), n = problem_.K.size(b);
      const BlockSet& set = problem_.K[b];
      const double *rho = rho_.data() + o, *r_b = r.data() + o, *u_b = u.data() + o;
      double *e_b = e.data() + o, *a = derivatives ? A.block(b) : nullptr, *c = derivatives ? C.block(b) : nullptr;
      const Form form = formulation_ == Formulation::NaturalMap ? Form::Natural : Form::Prediction;
      if (formulation_ == Formulation::JeanMoreau && is_contact(set))
        jean_moreau(set, rho[0], r_b, u_b, n, e_b, a, c);
      else if (formulation_ == Formulation::FischerBurmeister && is_contact(set))
        jordan(set, rho[0], rounding, r_b, u_b, n, e_b, a, c);
      else if (derivatives)
        mixed::internal::linearize_natural_map(set, form, rho, r_b, u_b, n, e_b, a, c, scratch_.data());
      else
        mixed::internal::natural_map(set, form, rho, r_b, u_b, n, e_b);
    }
    return 0.5 * e.squaredNorm();
  }

  /// A + by / rho, with the sign of each block's derivatives.
  void shift(double by) {
    for (Index b = 0; b < problem_.K.num_blocks(); ++b) {
      const Index o = problem_.K.offset(b), n = problem_.K.size(b);
      const bool falling = formulation_ == Formulation::FischerBurmeister && is_contact(problem_.K[b]);
      for (Index i = 0; i < n; ++i) A.block(b)[i * (n + 1)] += (falling ? -by : by) / rho_[o + i];
    }
  }

  BlockDiagonal &A, &C;
  double rounding = 0.0;  ///< of |u_T| [unit of q]

 private:
  const Problem& problem_;
  const Formulation formulation_;
  const GrowingVector& rho_;
  GrowingVector& scratch_;
};

using GrowingMonitor = internal::BasicMonitor<GrowingVector>;

/// `count` iterations of the extragradient method from r, fewer where no step is accepted.
void extragradient(const Problem& problem, const GrowingMonitor& monitor, Index count, GrowingVector& r) {
  const Extragradient options;
  internal::AdaptiveStep step(problem, options, monitor.rho(), r);
  for (Index k = 0; k < count && !monitor.deadline().passed() && step.predict(); ++k) {
    step.correct(step.y_v);
    step.r.swap(step.y);
    step.refresh();
    step.adapt();
  }
  if (step.r.allFinite()) r = step.r;
}

void run_semismooth_newton(const Problem& problem, const SemismoothNewton& options,
                           internal::SemismoothNewtonMemory& memory, mixed::Result& result) {
  GrowingMonitor monitor(problem, options.tolerance, options.measure, options.time_limit, &memory.monitor, result);
  GrowingVector &r = memory.r, &u = memory.u, &inside = memory.inside, &e = memory.e, &step = memory.step;
  GrowingVector &product = memory.product, &trial = memory.trial, &trial_u = memory.trial_u, &zero = memory.zero;
  for (GrowingVector* vector : {&u, &e, &step, &product, &trial, &trial_u, &memory.trial_e})
    vector->resize(problem.W.rows());
  zero.setZero(problem.W.rows());
  r = result.r;
  problem.W.multiply_add(r, problem.q, u);
  if (monitor.observe(r, u)) return monitor.finish(Status::Stalled, "");
  mixed::internal::BlockSweeps& sweeps = memory.sweeps;
  const bool by_contact = options.first == SemismoothNewton::Start::GaussSeidel;
  const bool can_sweep = !by_contact || sweeps.prepare(problem, mixed::GaussSeidel::Local::Exact) < 0;
  const auto sweep = [&] {
    if (by_contact)
      for (Index k = 0; k < options.sweeps; ++k) (void)sweeps.sweep(problem, 1.0, monitor.deadline(), r.data());
    else
      extragradient(problem, monitor, options.sweeps, r);
    problem.W.multiply_add(r, problem.q, u);
    return monitor.observe(r, u);
  };
  if (can_sweep && sweep()) return monitor.finish(Status::Stalled, "");

  SemismoothNewtonEquations equations(problem, options.formulation, monitor.rho(), memory);
  mixed::internal::NewtonSystem& system = memory.system;
  system.prepare(problem);
  const bool outside = options.formulation == Formulation::FischerBurmeister;  // its iterates are not in K
  equations.rounding = 1e-3 * monitor.last() * monitor.scale();
  std::vector<double>& history = memory.history;
  history.clear();
  Index refusals = 0;
  while (result.iterations < options.max_steps) {
    const double value = equations.evaluate(r, u, e, true);
    history.push_back(value);
    if (static_cast<Index>(history.size()) > options.memory) history.erase(history.begin());
    const double reference = *std::max_element(history.begin(), history.end());
    bool regular = false, moved = false;
    double added = 0.0;
    for (double shift = 0.0; shift <= 1.0 && !regular; shift = shift == 0.0 ? 1e-10 : 100.0 * shift) {
      equations.shift(shift - added);
      added = shift;
      regular = system.factorize(equations.A, equations.C);
    }
    if (regular) {
      step = -e;
      system.solve_in_place(step);
      problem.W.multiply_add(step, zero, product);
      double t = 1.0;
      for (int halving = 0; halving < 15 && !moved && step.allFinite(); ++halving, t *= 0.5) {
        trial = r + t * step;
        trial_u = u + t * product;
        moved =
            equations.evaluate(trial, trial_u, memory.trial_e, false) <= reference - options.decrease * 2.0 * t * value;
      }
    }
    ++result.iterations;
    if (moved && trial != r) {
      r = trial;
      problem.W.multiply_add(r, problem.q, u);
    } else {
      if (!can_sweep || options.sweeps == 0 || ++refusals > 5)
        return monitor.finish(Status::Stalled, "no descent: a stationary point of the merit function, or round-off");
      history.clear();
      internal::project(problem.K, r);
      if (sweep()) break;
    }
    if (outside) {
      inside = r;
      internal::project(problem.K, inside);
      problem.W.multiply_add(inside, problem.q, trial_u);
      if (monitor.observe(inside, trial_u)) break;
      equations.rounding = std::min(equations.rounding, 1e-3 * monitor.last() * monitor.scale());
    } else if (monitor.observe(r, u)) {
      break;
    }
  }
  monitor.finish(Status::IterationLimit, "max_steps reached");
}

}  // namespace

void SemismoothNewton::validate() const {
  check::positive("friction::SemismoothNewton::tolerance", tolerance);
  check::at_least("friction::SemismoothNewton::max_steps", max_steps, 1);
  check::at_least("friction::SemismoothNewton::memory", memory, 1);
  check::positive("friction::SemismoothNewton::decrease", decrease);
  check::range("friction::SemismoothNewton::decrease", decrease, 0.0, 0.5);
  check::at_least("friction::SemismoothNewton::sweeps", sweeps, 0);
  detail::check_time_limit("friction::SemismoothNewton::time_limit", time_limit);
}

Result solve(const Problem& problem, const SemismoothNewton& options) {
  const bool rolling = options.formulation != SemismoothNewton::Formulation::FischerBurmeister;
  return internal::solve_by(problem, options, name_of(options.formulation), semismooth_start, rolling,
                            [](const Problem& form, const SemismoothNewton& given, mixed::Result& result) {
                              internal::SemismoothNewtonMemory memory;
                              run_semismooth_newton(form, given, memory, result);
                            });
}

void internal::SemismoothNewtonWorkspace::solve(const Problem& problem, const SemismoothNewton& options,
                                                ConstVectorRef r, Result& result) {
  problem.validate();
  options.validate();
  const std::string_view name = name_of(options.formulation);
  check_sets(name, problem.K, options.formulation != Formulation::FischerBurmeister);
  const auto run = [this](const Problem& of, const SemismoothNewton& by, mixed::Result& found) {
    run_semismooth_newton(of, by, memory_.get(), found);
  };
  solve_canonical_into(problem, options, name, semismooth_start, r, run, result);
}

}  // namespace nonsmooth::friction
