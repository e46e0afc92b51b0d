// SPDX-License-Identifier: Apache-2.0
#include "generalised_alpha.hpp"

#include <cmath>
#include <utility>

#include <internal/decompositions.hpp>
#include <internal/round_off.hpp>

#include "hermite_output.hpp"
#include "model/equations/alpha_weights.hpp"
#include "model/memory.hpp"
#include "smooth/step_control.hpp"

namespace nonsmooth::events {
namespace {

constexpr double kSliver = 1e-3;  ///< of a step, below which its last piece is taken explicitly: its error is h^3

class GeneralisedAlphaStepper final : public smooth::Stepper {
 public:
  GeneralisedAlphaStepper(const GeneralisedAlpha& method, const smooth::ErrorControl& control, MechanicalModel& model,
                          SmoothMode& mode, smooth::RightHandSide& flow)
      : model_(model),
        mode_(mode),
        flow_(flow),
        dense_(model),
        manifolds_(model.has_manifolds()),
        n_(model.num_velocities()),
        num_positions_(model.layout().num_positions),
        step_(control.fixed_step),
        weights_(method.rho) {}

  void start(double t, const Eigen::VectorXd& z) override {
    t_ = t_start_ = t;
    z_ = z;
    flow_(t, z, rates_);
    ++evaluations_;
    a_ = rates_.tail(n_);
    A_ = a_;
    matrix_h_ = 0.0;
    dense_made_ = false;
  }

  smooth::Outcome advance(double t_limit) override {
    t_start_ = t_;
    start_z_ = z_;
    start_a_ = a_;
    start_A_ = A_;
    const double end = t_limit - t_ <= 1.1 * step_ ? t_limit : t_ + step_;
    return take(end);
  }

  smooth::Outcome shorten(double t_end) override { return take(t_end); }

  void amend(const Eigen::VectorXd& z) override {
    z_ = z;
    dense_made_ = false;
  }

  [[nodiscard]] bool save(std::vector<double>& numbers) override {
    memory::Writer memory(numbers);
    if (matrix_h_ == 0.0) matrix_.resize(0, 0), rows_by_a_.resize(0, 0);
    remember(memory);
    return true;
  }
  void resume(const std::vector<double>& numbers) override {
    memory::Reader memory(numbers);
    remember(memory);
    if (matrix_h_ > 0.0) factorize();
    dense_made_ = false;
  }

  const smooth::DensePolynomial& dense() override {
    if (!dense_made_) dense_.write(t_start_, t_ - t_start_, {start_z_, start_a_}, {z_, a_});
    dense_made_ = true;
    return dense_.polynomial();
  }

 private:
  template <class Memory>
  void remember(Memory& memory) {
    memory(t_start_, t_, z_, a_, A_, matrix_h_, matrix_);
    if (manifolds_) memory(rows_by_a_);
  }

  /// The velocity whose acceleration is not finite, or the largest: worst().
  void blame(const Eigen::VectorXd& a) {
    Index worst = 0;
    for (Index i = 0; i < n_; ++i) {
      if (std::isfinite(a[worst]) && !(std::abs(a[i]) <= std::abs(a[worst]))) worst = i;
    }
    worst_ = num_positions_ + worst;
  }

  /// z_{k+1} of accelerations a.
  void place(const Eigen::VectorXd& a, double h, Eigen::VectorXd& z) {
    const AlphaWeights weights = weights_;
    A_.resize(n_);
    w_.resize(n_);
    z.resize(num_positions_ + n_);
    const double *const q0 = start_z_.data(), *const v0 = q0 + num_positions_, *const start_A = start_A_.data();
    double *const q = manifolds_ ? w_.data() : z.data(), *const v = z.data() + num_positions_;
    for (Index i = 0; i < n_; ++i) {
      const double A0 = start_A[i],
                   A = weights.of_a * a[i] + weights.of_start_a * start_a_[i] - weights.of_start_A * A0;
      A_[i] = A;
      q[i] = weights.position(manifolds_ ? 0.0 : q0[i], h, v0[i], A0, A);
      v[i] = weights.velocity(v0[i], h, A0, A);
    }
    if (!manifolds_) return;
    z.head(num_positions_) = start_z_.head(num_positions_);
    model_.move_positions(w_, z);
  }

  smooth::Outcome take(double t_end) {
    dense_made_ = false;
    const smooth::Outcome outcome = t_end - t_start_ < kSliver * step_ ? take_sliver(t_end) : solve_step(t_end);
    if (outcome != smooth::Outcome::Taken) {
      a_ = start_a_;
      A_ = start_A_;
    }
    return outcome;
  }

  /// What is left before an instant, by Taylor's formula: constraints divided by h^2 would be round-off there.
  smooth::Outcome take_sliver(double t_end) {
    const double h = t_end - t_start_;
    z_ = start_z_;
    w_ = h * start_z_.tail(n_) + (0.5 * h * h) * start_a_;
    model_.move_positions(w_, z_);
    z_.tail(n_) += h * start_a_;
    flow_(t_end, z_, rates_);
    ++evaluations_;
    a_ = rates_.tail(n_);
    A_ = a_;
    t_ = t_end;
    if (a_.allFinite()) return smooth::Outcome::Taken;
    blame(a_);
    return smooth::Outcome::NotFinite;
  }

  smooth::Outcome solve_step(double t_end) {
    const double h = t_end - t_start_, weight = weights_.of_a;
    const double to_q = h * h * weights_.beta * weight, to_v = h * weights_.gamma * weight;
    const auto& rows = mode_.active_rows();
    const auto count = static_cast<Index>(rows.size());
    const bool redundant = mode_.redundant();
    a_ = start_a_;
    lambda_.setZero(count);
    bool slow = false, renewed = false;
    double last_change = std::numeric_limits<double>::infinity();
    for (int iteration = 0; iteration < 30; ++iteration) {
      place(a_, h, trial_);
      const Eigen::MatrixXd& E = mode_.evaluate_constraints(t_end, trial_);
      ++evaluations_;
      residual_.resize(n_ + count);
      residual_.head(n_) = a_ - model_.a_free;
      if (count > 0 && !redundant) residual_.head(n_).noalias() -= E.lazyProduct(lambda_);
      if (mode_.rubs()) {  // by the state: lambda_ holds positions, and is of first order where velocities are put back
        mode_.rubbing_accelerations(t_end, trial_, rubbed_);
        residual_.head(n_) -= rubbed_;
      }
      for (Index k = 0; k < count; ++k) {
        const bool position = mode_.of_positions(static_cast<std::size_t>(k));
        const Index row = rows[static_cast<std::size_t>(k)];
        residual_[n_ + k] = position ? model_.y[row] : model_.u[row];
      }
      if (!residual_.allFinite()) {
        blame(residual_);
        return smooth::Outcome::NotFinite;
      }
      // The matrix of an earlier step of this length serves as long as corrections fall fast with it.
      if (iteration == 0 ? std::abs(h - matrix_h_) > 1e-9 * h : slow && !renewed) {
        make_matrix(t_end, to_q, to_v, E, rows, redundant);
        matrix_h_ = h;
        renewed = true;
      }
      if (redundant) {
        correct_redundant(to_q, to_v, E, rows);
        a_ -= correction_;
      } else {
        solve_matrix(residual_, correction_);
        a_ -= correction_.head(n_);
        lambda_ -= correction_.tail(count);
      }
      const double size = a_.lpNorm<Eigen::Infinity>() + start_a_.lpNorm<Eigen::Infinity>();
      const double change = correction_.head(n_).lpNorm<Eigen::Infinity>();
      // Positions that are held, known to round-off, give a no better than this; corrections stop falling there.
      const double held = count > 0 ? trial_.head(num_positions_).lpNorm<Eigen::Infinity>() / to_q : 0.0;
      const double noise = 16.0 * eps * (size + held);
      if (change <= 16.0 * eps * size || (change <= noise && change > 0.5 * last_change)) break;
      slow = change > std::max(0.1 * last_change, noise);
      last_change = change;
      // Relations without a given curvature leave noise in a_free, below which corrections do not fall: 1e-9 of what
      // changes velocities in a step.
      const double speed = start_z_.tail(n_).lpNorm<Eigen::Infinity>() + trial_.tail(n_).lpNorm<Eigen::Infinity>();
      if (iteration == 29 && change > std::max(1e-9 * (size + speed / h), noise)) {
        blame(correction_);
        return smooth::Outcome::StepTooSmall;
      }
    }
    place(a_, h, z_);
    t_ = t_end;
    return smooth::Outcome::Taken;
  }

  /// d(residual) / d(a, lambda) at the iterate trial_; without rows that depend on one another: d(residual) / da. On
  /// manifolds differences move w, so that the tangent operator of retract at w is in them: with the identity in its
  /// place corrections would fall no faster than by |w| / 2, w the turn of a step.
  void make_matrix(double t, double to_q, double to_v, const Eigen::MatrixXd& E, const std::vector<Index>& rows,
                   bool redundant) {
    const Index count = redundant ? 0 : static_cast<Index>(rows.size());
    matrix_.setZero(n_ + count, n_ + count);
    if (count > 0) matrix_.topRightCorner(n_, count) = -E;
    for (Index k = 0; k < count; ++k) {
      const bool position = mode_.of_positions(static_cast<std::size_t>(k));
      matrix_.row(n_ + k).head(n_) = (position ? to_q : to_v) * model_.H.row(rows[static_cast<std::size_t>(k)]);
    }
    model_.evaluate_dynamics(t, trial_);  // without what relays at a bound push: it does not depend on the state
    base_ = model_.a_free;
    measure_positions();
    if (manifolds_) rows_by_a_.resize(static_cast<Index>(rows.size()), n_);
    for (Index j = 0; j < n_; ++j) {
      // One direction of q and v together: what a change of a_j moves.
      const double step = std::sqrt(eps) * acceleration_size(j, to_q, to_v);
      if (manifolds_) {
        moved_a_ = a_;
        moved_a_[j] += step;
        place(moved_a_, t - t_start_, moved_);
        differentiate_rows(t, j, step, to_q, to_v, rows);
      } else {
        moved_ = trial_;
        moved_[j] += to_q * step;
        moved_[n_ + j] += to_v * step;
      }
      model_.evaluate_dynamics(t, moved_);
      ++evaluations_;
      matrix_.col(j).head(n_) = -(model_.a_free - base_) / step;
      matrix_(j, j) += 1.0;
    }
    if (manifolds_ && !rows.empty()) {
      model_.evaluate_velocities(t, trial_, mode_.closed());
      for (Index k = 0; k < count; ++k) {
        const bool position = mode_.of_positions(static_cast<std::size_t>(k));
        matrix_.row(n_ + k).head(n_) = (position ? to_q : to_v) * rows_by_a_.row(k);
      }
    }
    factorize();
  }

  /// Column j of rows_by_a_: what the rows change from trial_ to moved_, over what that moves q or v.
  void differentiate_rows(double t, Index j, double step, double to_q, double to_v, const std::vector<Index>& rows) {
    if (rows.empty()) return;
    model_.evaluate_velocities(t, moved_, mode_.closed());
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const bool position = mode_.of_positions(k);
      const double value = position ? model_.y[rows[k]] : model_.u[rows[k]];
      const auto row = static_cast<Index>(k);
      rows_by_a_(row, j) = (value - residual_[n_ + row]) / ((position ? to_q : to_v) * step);
    }
  }

  /// Of each velocity the size of the positions that it moves: |q_j|, on manifolds |T_j| . |q| / |T_j|^2, T_j the
  /// rates of q for a unit of it.
  void measure_positions() {
    if (!manifolds_) {
      sizes_ = trial_.head(n_).cwiseAbs();
      return;
    }
    sizes_.setZero(n_);
    w_.setZero(n_);
    for (Index j = 0; j < n_; ++j) {
      w_[j] = 1.0;
      model_.position_rates(trial_, w_, direction_);
      w_[j] = 0.0;
      const double square = direction_.squaredNorm();
      if (square > 0.0) sizes_[j] = direction_.cwiseAbs().dot(trial_.head(num_positions_).cwiseAbs()) / square;
    }
  }

  void factorize() {
    factor_.compute(matrix_);
    if (matrix_.rows() >= smooth::kSmallSize) return;
    inverse_.resize(matrix_.rows(), matrix_.rows());  // many steps share it
    for (Index j = 0; j < matrix_.rows(); ++j) {
      unit_.setZero(matrix_.rows());
      unit_[j] = 1.0;
      correction_.resize(matrix_.rows());
      factor_.solve(unit_, correction_);
      inverse_.col(j) = correction_;
    }
  }

  /// A size of a_j to which steps of differences are relative: what moves q_j or v_j by as much as they are, but no
  /// less than a thousandth of what moves others so.
  [[nodiscard]] double acceleration_size(Index j, double to_q, double to_v) const {
    const double own = std::max(sizes_[j] / to_q, std::abs(trial_[num_positions_ + j]) / to_v);
    const double all =
        std::max(sizes_.lpNorm<Eigen::Infinity>() / to_q, trial_.tail(n_).lpNorm<Eigen::Infinity>() / to_v);
    return all > 0.0 ? std::max(own, 1e-3 * all) : 1.0 / to_v;  // nothing has a unit there
  }

  /// x = matrix^-1 b.
  void solve_matrix(const Eigen::VectorXd& b, Eigen::VectorXd& x) {
    if (matrix_.rows() < smooth::kSmallSize) {
      x.noalias() = inverse_.lazyProduct(b);
    } else {
      x.resize(b.size());
      factor_.solve(b, x);
    }
  }

  /// The correction of a, and all of lambda, where rows depend on one another. With A = matrix_, the rows' H scaled by
  /// what a change of a moves, s, and V a basis of the multipliers that the mode may choose (LoadShares),
  ///
  ///     A da = E lambda - r,   s H da = -residual,   lambda = V nu:   H A^-1 E V nu = H A^-1 r - residual / s,
  ///
  /// so lambda is shared as by the mode's accelerations, on which friction may depend; H, E and V are those of the
  /// iterate. On manifolds rows_by_a_ takes the place of H.
  void correct_redundant(double to_q, double to_v, const Eigen::MatrixXd& E, const std::vector<Index>& rows) {
    const auto count = static_cast<Index>(rows.size());
    image_ = residual_.head(n_);
    solve_matrix(image_, base_);
    pushed_.resize(n_, count);
    right_.resize(count);
    for (Index k = 0; k < count; ++k) {
      image_ = E.col(k);
      solve_matrix(image_, correction_);
      pushed_.col(k) = correction_;
      right_[k] = moving(rows, k).dot(base_) -
                  residual_[n_ + k] / (mode_.of_positions(static_cast<std::size_t>(k)) ? to_q : to_v);
    }
    mode_.share_multipliers([&](LoadShares& shares, Eigen::VectorXd& lambda) { solve_redundant(rows, shares, lambda); },
                            lambda_);
    correction_ = base_;
    correction_.noalias() -= pushed_.lazyProduct(lambda_);
  }

  void solve_redundant(const std::vector<Index>& rows, LoadShares& shares, Eigen::VectorXd& lambda) {
    if (!shares.is_finite()) return shares.solve(right_, lambda);
    const Index count = right_.size(), rank = shares.rank();
    reduced_matrix_.resize(count, rank);
    for (Index r = 0; r < rank; ++r) {
      nu_.setZero(rank);
      nu_[r] = 1.0;
      shares.expand(nu_, lambda);
      image_.noalias() = pushed_.lazyProduct(lambda);
      for (Index k = 0; k < count; ++k) reduced_matrix_(k, r) = moving(rows, k).dot(image_);
    }
    reduced_.compute_unscaled(reduced_matrix_);
    reduced_.solve(right_, nu_);
    shares.expand(nu_, lambda);
  }

  /// Of active row k what an acceleration moves, over what it moves q or v.
  [[nodiscard]] Eigen::MatrixXd::ConstRowXpr moving(const std::vector<Index>& rows, Index k) const {
    if (manifolds_) return rows_by_a_.row(k);
    return std::as_const(model_.H).row(rows[static_cast<std::size_t>(k)]);
  }

  MechanicalModel& model_;
  SmoothMode& mode_;
  smooth::RightHandSide& flow_;
  HermiteOutput dense_;
  bool dense_made_ = false;
  bool manifolds_;  ///< some system has a retract of its own
  Index n_, num_positions_;
  double step_;
  AlphaWeights weights_;
  Eigen::VectorXd a_, A_, start_a_, start_A_, start_z_, trial_, moved_, base_, residual_, correction_, lambda_, rates_,
      unit_, w_, sizes_, rubbed_;
  Eigen::MatrixXd matrix_, inverse_;
  // On manifolds.
  Eigen::MatrixXd rows_by_a_;  // d(row) / da over what a change of a moves, |J| x n, as old as matrix_
  Eigen::VectorXd moved_a_, direction_;
  // Where rows depend on one another.
  Eigen::MatrixXd pushed_, reduced_matrix_;  // A^-1 E; H A^-1 E V
  LeastNorm reduced_{kDependentRows};        // of reduced_matrix_
  Eigen::VectorXd image_, right_, nu_;
  double matrix_h_ = 0.0;  // factor_ is of a step of this length in this mode; 0: of none
  LuFactors factor_;
};

}  // namespace

std::unique_ptr<smooth::Stepper> make_generalised_alpha(const GeneralisedAlpha& method,
                                                        const smooth::ErrorControl& control, MechanicalModel& model,
                                                        SmoothMode& mode, smooth::RightHandSide& flow) {
  return std::make_unique<GeneralisedAlphaStepper>(method, control, model, mode, flow);
}

}  // namespace nonsmooth::events
