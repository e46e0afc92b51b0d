// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include <nonsmooth/kernel/dynamical_system.hpp>
#include <nonsmooth/kernel/sparse_pattern.hpp>

namespace nonsmooth {

/// M xdot = f(t, x) + feedback + r, where df/dx varies and is sparse: reaction and diffusion, heat with a conductivity
/// of its own temperature, obstacles of such fields, large circuits of nonlinear elements. n = x0.size() states, some
/// 10^2 to 10^6.
///
/// f_dx adds to the entries of one pattern, which is declared once and holds every (i, j) at which M or df/dx has an
/// entry; an entry elsewhere ends the step with the callable's name. It serves Newton's iteration only: the solution
/// does not depend on it. Without it, forward differences of step sqrt(eps) max(1, |x_j|) are taken, by columns that
/// share no row of the pattern at once [curtis1974]: as many calls of f as there are colours, 3 on a line and some 7 in
/// the plane. compare_jacobians() compares it with differences.
///
/// Time-stepping makes A = M - h theta df/dx of it on that pattern, and orders it for its factors once: L L^T where A
/// is symmetric to rounding and positive definite, L U elsewhere. A Newton iteration costs an evaluation, a
/// factorisation, and a solve a row of what is linked; nothing allocates from the second step on, but where pivots of
/// an L U make it fuller than all before. A relation keeps n numbers for each of its rows, of C and of B: some hundred
/// rows. A FirstOrderRelation whose g is nonlinear keeps dg/dx dense, n x n, which limits n to some 10^3; its entries
/// are to be on the pattern too.
///
/// A singular M is for EulerMoreau with theta > 0. EventDriven takes it as a FirstOrderSystem, with dense matrices of
/// all states of the model, which stay practical up to n of some hundreds; compare_jacobians() and analysis::examine()
/// are dense too.
///
/// A rod that reacts, x' = x_{i-1} - 2 x_i + x_{i+1} over the square of the spacing and phi(x_i):
///
///     .pattern = SparsePattern::of_elements(n, {{0, 1}, {1, 2}, ...}),
///     .f_dx = [=](double, ConstVectorRef x, SparseEntries& J) {
///       for (Index i = 0; i < n; ++i) J.add(i, i, phi_dx(x[i]) - 2.0 / (dx * dx)); ...
///     }
struct SparseFirstOrderSystem {
  using Function = std::function<void(double t, ConstVectorRef x, VectorRef value)>;
  using JacobianFunction = std::function<void(double t, ConstVectorRef x, SparseEntries& J)>;

  SparsePattern pattern{};  ///< n x n; required
  MatrixData mass{};        ///< n x n, constant, on the pattern; empty: I
  Function f{};             ///< n, comes in zeroed; none: zero
  JacobianFunction f_dx{};  ///< n x n, comes in zeroed; none: forward differences
  ConstantVector x0{};      ///< n
  Feedback feedback{};      ///< n; none: zero
  std::string name{};       ///< for messages; empty takes "system <number>"
};

/// What a user derives from likewise: a FirstOrderDynamicalSystem that answers for df/dx in entries of a pattern, on
/// which M is too.
class SparseFirstOrderDynamicalSystem : public FirstOrderDynamicalSystem {
 public:
  [[nodiscard]] virtual const SparsePattern& pattern() const = 0;                     ///< n x n, the same at every call
  virtual void f_dx_entries(double t, ConstVectorRef x, SparseEntries& J) const = 0;  ///< comes in zeroed

  bool f_dx(double t, ConstVectorRef x, MatrixRef jacobian) const final;  ///< dense, from the entries
};

/// The class that the description stands for. @throws InvalidArgument: no state, no pattern, one of another size,
/// shapes that differ, non-finite entries, a mass with an entry outside of the pattern, a Jacobian without f.
[[nodiscard]] std::shared_ptr<const FirstOrderDynamicalSystem> make_system(SparseFirstOrderSystem system);

}  // namespace nonsmooth
