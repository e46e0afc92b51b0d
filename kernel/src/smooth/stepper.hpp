// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include <nonsmooth/kernel/smooth_integrators.hpp>
#include <nonsmooth/numerics/types.hpp>

/// Integration of a smooth phase zdot = f(t, z), one step after the other, each with a polynomial of its inside.
namespace nonsmooth::smooth {

/// f(t, z). It may throw what a user's callable threw; steppers let that pass.
class RightHandSide {
 public:
  virtual ~RightHandSide() = default;
  [[nodiscard]] virtual Index size() const = 0;
  virtual void operator()(double t, const Eigen::VectorXd& z, Eigen::VectorXd& zdot) = 0;  ///< zdot has the size

  // The same equations with multipliers lambda among the unknowns, r(t, z, zdot, lambda) = 0: linear in zdot and lambda
  // and regular in both together (index 1). Without multipliers: zdot - f(t, z) = 0.

  /// As long as the phase lasts.
  [[nodiscard]] virtual Index num_multipliers() const { return 0; }
  /// The rates and multipliers that satisfy the equations; resized where needed.
  virtual void consistent_rates(double t, const Eigen::VectorXd& z, Eigen::VectorXd& zdot, Eigen::VectorXd& lambda) {
    zdot.resize(size()), lambda.resize(0);
    (*this)(t, z, zdot);
  }
  /// r has size() + num_multipliers() entries; resized where needed.
  virtual void residual(double t, const Eigen::VectorXd& z, const Eigen::VectorXd& zdot, const Eigen::VectorXd& lambda,
                        Eigen::VectorXd& r) {
    static_cast<void>(lambda);
    r.resize(size());
    (*this)(t, z, r);
    r = zdot - r;
  }
};

/// z(t0 + s h) = sum over k <= degree of coefficients.col(k) s^k, s in [0, 1]. Allocates nothing once it was as large.
struct DensePolynomial {
  double t0 = 0.0, h = 0.0;
  Index degree = 0;
  Eigen::MatrixXd coefficients;  ///< n x (at least degree + 1)

  [[nodiscard]] double end() const noexcept { return t0 + h; }
  void evaluate(double t, Eigen::VectorXd& z) const;  ///< Horner; z resized where needed
};

/// Error control: |error_i| <= absolute + relative max(|z_i|, |z_next,i|), root mean square over i.
struct ErrorControl {
  double relative = 1e-10, absolute = 1e-12;
  double fixed_step = 0.0;    ///< > 0: every step has this length, and errors are not looked at
  double initial_step = 0.0;  ///< 0: found from f
  double largest_step = 0.0;  ///< 0: no bound
};

enum class Outcome : unsigned char {
  Taken,
  StepTooSmall,  ///< the error cannot be met with a step above 16 eps |t|; or Newton's iteration does not converge
  NotFinite,     ///< f gave a value that is not finite, however short the step
};

/// One integration method and its memory. Usage: start(), then advance() again and again; after an advance(), z(), t()
/// and dense() are those of the step just taken, which shorten() may replace and amend() correct.
class Stepper {
 public:
  virtual ~Stepper() = default;

  /// New initial values: all memory of earlier steps but the length of the last is dropped.
  virtual void start(double t, const Eigen::VectorXd& z) = 0;
  /// One step that meets the error control, from t() to at most t_limit > t(). Where t_limit is nearer than a step and
  /// a tenth, the step ends at t_limit to the bit.
  virtual Outcome advance(double t_limit) = 0;
  /// The step just taken again from its start, ending at t_end in (t_start(), its first end]: to the full order of the
  /// method, not that of dense(). May be called several times; the last counts.
  virtual Outcome shorten(double t_end) = 0;
  /// Replaces z at t() by a nearby one (drift removed): memory is kept.
  virtual void amend(const Eigen::VectorXd& z) = 0;

  /// What the next advance() depends on, as numbers; false: the method does not tell. resume() goes on from there as if
  /// all steps before had been taken, without dense() of the last; `numbers` are of a stepper of the same method.
  [[nodiscard]] virtual bool save(std::vector<double>& numbers) { return numbers.clear(), false; }
  virtual void resume(const std::vector<double>& numbers) { static_cast<void>(numbers); }
  /// The same where start() comes before the next advance(): what outlasts start(), for resume() as well.
  [[nodiscard]] virtual bool save_to_start(std::vector<double>& numbers) { return save(numbers); }

  [[nodiscard]] double t_start() const noexcept { return t_start_; }  ///< of the step just taken
  [[nodiscard]] double t() const noexcept { return t_; }
  [[nodiscard]] const Eigen::VectorXd& z() const noexcept { return z_; }
  /// On [t_start(), t()], through both ends. Made when asked for.
  [[nodiscard]] virtual const DensePolynomial& dense() = 0;
  [[nodiscard]] Index evaluations() const noexcept { return evaluations_; }  ///< of f, since the stepper was made
  [[nodiscard]] Index rejected() const noexcept { return rejected_; }        ///< steps
  /// After an outcome other than Taken: the entry of z whose rate was not finite, or whose error (or last correction of
  /// Newton's) was the largest against its tolerance; -1 where it is not known.
  [[nodiscard]] Index worst() const noexcept { return worst_; }

 protected:
  double t_start_ = 0.0, t_ = 0.0;
  Eigen::VectorXd z_;
  Index evaluations_ = 0, rejected_ = 0, worst_ = -1;
};

/// @throws InvalidArgument for Cvode and Ida where they are not available. GeneralisedAlpha is made by the mechanical
/// mode itself.
[[nodiscard]] std::unique_ptr<Stepper> make_stepper(const DormandPrince& method, const ErrorControl& control,
                                                    RightHandSide& f);
[[nodiscard]] std::unique_ptr<Stepper> make_stepper(const RadauIIA& method, const ErrorControl& control,
                                                    RightHandSide& f);
[[nodiscard]] std::unique_ptr<Stepper> make_stepper(const Cvode& method, const ErrorControl& control, RightHandSide& f);
/// Integrates the implicit form.
[[nodiscard]] std::unique_ptr<Stepper> make_stepper(const Ida& method, const ErrorControl& control, RightHandSide& f);

}  // namespace nonsmooth::smooth
