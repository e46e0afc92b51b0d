// SPDX-License-Identifier: Apache-2.0
#include "contact_modes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <internal/decompositions.hpp>

namespace nonsmooth::impacts {
namespace {

constexpr double rank_threshold = 1e-10;
constexpr double tolerance = 1e-11;  // of inequalities, of their terms
constexpr std::size_t most_motions = 64;
constexpr double distinct = 1e-8;     // two motions, of the largest term
constexpr double most_choices = 2e4;  // of active inequalities in one singular mode

class Modes {
 public:
  Modes(const Eigen::MatrixXd& W, const Eigen::VectorXd& b, const ProductSet& sets)
      : n_(b.size()), sets_(sets), unit_(n_), W_(n_, n_), b_(n_) {
    // Multipliers in units that make diagonals 1, so that ranks and comparisons do not depend on the data's units.
    for (Index i = 0; i < sets.num_blocks(); ++i) {
      const Index first = sets.offset(i), size = sets.size(i);
      double largest = W.diagonal().segment(first, size).cwiseAbs().maxCoeff();
      if (!(largest > 0.0)) largest = W.middleRows(first, size).cwiseAbs().maxCoeff();
      unit_.segment(first, size).setConstant(largest > 0.0 ? 1.0 / std::sqrt(largest) : 1.0);
    }
    W_ = unit_.asDiagonal() * W * unit_.asDiagonal();
    b_ = unit_.cwiseProduct(b);
    size_ = b_.cwiseAbs().maxCoeff();
    for (Index i = 0; i < sets.num_blocks(); ++i) {
      if (sets[i].kind != SetKind::Box) continue;
      for (const double bound : {sets[i].lower, sets[i].upper}) {
        if (std::isfinite(bound)) size_ = std::max(size_, std::abs(bound) / unit_[sets.offset(i)]);
      }
    }
    A_.resize(n_, n_);
    rhs_.resize(n_);
    C_.resize(3 * n_, n_);
    d_.resize(3 * n_);
  }

  ContactAnswer run() {
    enter(0);
    ContactAnswer answer;
    if (cut_off_) return answer;
    answer.status = found_ ? Status::Solved : Status::Infeasible;
    answer.verdict = several_ ? ContactAnswer::Verdict::Several
                     : found_ ? ContactAnswer::Verdict::Unique
                              : ContactAnswer::Verdict::None;
    if (!found_) {
      answer.detail = "no mode of the contacts satisfies the law (all were tried)";
      return answer;
    }
    answer.lambda = unit_.cwiseProduct(best_);
    if (!several_) return answer;
    const Eigen::VectorXd w = W_ * best_ + b_;
    for (const Motion& other : motions_) {
      const double size = size_ + std::max(best_.cwiseAbs().maxCoeff(), other.lambda.cwiseAbs().maxCoeff());
      if ((w - other.w).cwiseAbs().maxCoeff() > distinct * size)
        answer.others.push_back(unit_.cwiseProduct(other.lambda));
    }
    return answer;
  }

 private:
  using RowVector = Eigen::RowVectorXd;
  struct Motion {
    Eigen::VectorXd lambda, w;
  };

  void hold(Index row) {
    A_.row(row) = W_.row(row);
    rhs_[row] = -b_[row];
  }
  void fix(Index row, double value) {
    A_.row(row).setZero();
    A_(row, row) = 1.0;
    rhs_[row] = value;
  }
  void require_velocity(Index row, double sign) {
    C_.row(num_) = sign * W_.row(row);
    d_[num_++] = sign * b_[row];
  }
  void require_multiplier(Index row, double sign, double constant) {
    C_.row(num_).setZero();
    C_(num_, row) = sign;
    d_[num_++] = constant;
  }

  /// Every mode of block i, and of those after it.
  void enter(Index i) {
    if (cut_off_) return;
    if (i == sets_.num_blocks()) return solve_mode();
    const Index first = sets_.offset(i), last = first + sets_.size(i);
    const BlockSet& set = sets_[i];
    if (set.kind == SetKind::Coulomb2D) return contact(i, first, set.mu);
    rows(i, first, last);
  }

  /// Rows first .. last - 1 of block i, each by itself.
  void rows(Index i, Index row, Index last) {
    if (row == last) return enter(i + 1);
    const BlockSet& set = sets_[i];
    const Index before = num_;
    const auto next = [&] {
      rows(i, row + 1, last);
      num_ = before;
    };
    const bool orthant = set.kind == SetKind::Orthant;
    const double infinity = std::numeric_limits<double>::infinity();
    const double lower = orthant ? 0.0 : set.kind == SetKind::Box ? set.lower / unit_[row] : -infinity;
    const double upper = set.kind == SetKind::Box ? set.upper / unit_[row] : infinity;
    if (lower == upper) {
      fix(row, lower);
      return next();
    }
    if (std::isfinite(lower)) {
      fix(row, lower);
      require_velocity(row, 1.0);
      next();
    }
    if (std::isfinite(upper)) {
      fix(row, upper);
      require_velocity(row, -1.0);
      next();
    }
    hold(row);
    if (std::isfinite(lower)) require_multiplier(row, 1.0, -lower);
    if (std::isfinite(upper)) require_multiplier(row, -1.0, upper);
    next();
  }

  void contact(Index i, Index N, double mu) {
    const Index T = N + 1, before = num_;
    const auto next = [&] {
      enter(i + 1);
      num_ = before;
    };
    fix(N, 0.0);
    fix(T, 0.0);
    require_velocity(N, 1.0);
    next();
    for (const double sign : {1.0, -1.0}) {  // slides: lambda_T = -sign mu lambda_N, sign u_T >= 0
      hold(N);
      fix(T, 0.0);
      A_(T, N) = sign * mu;
      require_multiplier(N, 1.0, 0.0);
      require_velocity(T, sign);
      next();
    }
    if (mu == 0.0) return;
    hold(N);
    hold(T);
    require_multiplier(N, 1.0, 0.0);
    for (const double sign : {1.0, -1.0}) {
      require_multiplier(N, mu, 0.0);
      C_(num_ - 1, T) = sign;
    }
    next();
  }

  [[nodiscard]] bool feasible(const Eigen::VectorXd& lambda) const {
    const double size = size_ + lambda.cwiseAbs().maxCoeff();
    return num_ == 0 || (C_.topRows(num_) * lambda + d_.head(num_)).minCoeff() >= -tolerance * size;
  }

  void take(const Eigen::VectorXd& lambda) {
    const Eigen::VectorXd w = W_ * lambda + b_;
    const auto same = [&](const Motion& known) {
      const double size = size_ + std::max(lambda.cwiseAbs().maxCoeff(), known.lambda.cwiseAbs().maxCoeff());
      return (w - known.w).cwiseAbs().maxCoeff() <= distinct * size;
    };
    if (found_) {
      const double size = size_ + std::max(lambda.cwiseAbs().maxCoeff(), best_.cwiseAbs().maxCoeff());
      several_ = several_ || (w - motions_.front().w).cwiseAbs().maxCoeff() > distinct * size;
    }
    if (motions_.size() <= most_motions && std::none_of(motions_.begin(), motions_.end(), same))
      motions_.push_back({lambda, w});
    if (!found_ || lambda.norm() < (1.0 - distinct) * best_.norm()) best_ = lambda;
    found_ = true;
  }

  void solve_mode() {
    factors_.set_threshold(rank_threshold);
    factors_.compute(A_);
    const Eigen::VectorXd lambda = factors_.solve(rhs_);
    const double size = size_ + lambda.cwiseAbs().maxCoeff();
    if (!((A_ * lambda - rhs_).cwiseAbs().maxCoeff() <= tolerance * size)) return;
    const bool inside = feasible(lambda);
    if (inside) take(lambda);
    if (factors_.rank() < n_) look_at_polyhedron(lambda, inside);
  }

  /// lambda + N y with C (lambda + N y) + d >= 0.
  void look_at_polyhedron(const Eigen::VectorXd& lambda, bool inside) {
    const Eigen::MatrixXd N = singular_values(A_, true).V.rightCols(n_ - factors_.rank());
    const Eigen::MatrixXd CN = C_.topRows(num_) * N;
    const bool moves = (W_ * N).cwiseAbs().maxCoeff() > rank_threshold;
    if (inside && !moves) return;  // all of it is one motion
    SingularValues svd;
    Index rank = 0;
    if (num_ > 0) {
      svd = singular_values(CN, true, rank_threshold);
      rank = CN.cwiseAbs().maxCoeff() > rank_threshold ? svd.rank : 0;
    }
    const auto note_line = [&](const Eigen::MatrixXd& directions) {
      if (directions.cols() > 0 && (W_ * directions).cwiseAbs().maxCoeff() > rank_threshold) several_ = true;
    };
    if (rank == 0) {
      if (inside) note_line(N);
      return;
    }
    const Eigen::MatrixXd across = N * svd.V.leftCols(rank), Cy = CN * svd.V.leftCols(rank);
    const Eigen::VectorXd gap = C_.topRows(num_) * lambda + d_.head(num_);
    bool any = inside;
    choose(rank, [&](const std::vector<Index>& active) {
      const Eigen::MatrixXd system = Cy(active, Eigen::all);
      FullPivotLu lu(system);
      lu.set_threshold(rank_threshold);
      if (!lu.is_invertible()) return;
      const Eigen::VectorXd gaps = -gap(active);
      const Eigen::VectorXd vertex = lambda + across * lu.solve(gaps);
      if (!feasible(vertex)) return;
      any = true;
      take(vertex);
    });
    if (!any) return;
    note_line(N * svd.V.rightCols(N.cols() - rank));
    if (!moves) return;
    choose(rank - 1, [&](const std::vector<Index>& active) {
      Eigen::VectorXd y(rank);
      if (active.empty()) {
        y.setOnes();
      } else {
        const Eigen::MatrixXd system = Cy(active, Eigen::all);
        const SingularValues rays = singular_values(system, true);
        if (rays.values[rank - 2] <= rank_threshold) return;
        y = rays.V.col(rank - 1);
      }
      const Eigen::VectorXd rate = Cy * y;
      if (rate.minCoeff() < -rank_threshold && rate.maxCoeff() > rank_threshold) return;
      note_line(across * y);
    });
  }

  /// Every choice of `count` of the inequalities.
  template <class Visit>
  void choose(Index count, Visit&& visit) {
    if (count > num_) return;
    double choices = 1.0;
    for (Index k = 0; k < count; ++k) choices *= static_cast<double>(num_ - k) / static_cast<double>(k + 1);
    if (choices > most_choices) {
      cut_off_ = true;
      return;
    }
    std::vector<Index> active(static_cast<std::size_t>(count));
    for (Index k = 0; k < count; ++k) active[static_cast<std::size_t>(k)] = k;
    while (true) {
      visit(active);
      Index at = count - 1;
      while (at >= 0 && active[static_cast<std::size_t>(at)] == num_ - count + at) --at;
      if (at < 0) return;
      Index value = ++active[static_cast<std::size_t>(at)];
      for (Index k = at + 1; k < count; ++k) active[static_cast<std::size_t>(k)] = ++value;
    }
  }

  Index n_, num_ = 0;  // rows; inequalities of this mode
  const ProductSet& sets_;
  Eigen::VectorXd unit_;
  Eigen::MatrixXd W_, A_, C_;
  Eigen::VectorXd b_, rhs_, d_, best_;
  std::vector<Motion> motions_;  // each w once
  CompleteOrthogonalFactors factors_;
  double size_ = 0.0;
  bool found_ = false, several_ = false, cut_off_ = false;
};

}  // namespace

ContactAnswer enumerate_modes(const Eigen::MatrixXd& W, const Eigen::VectorXd& b, const ProductSet& sets,
                              Index max_rows) {
  for (Index i = 0; i < sets.num_blocks(); ++i) {
    const SetKind kind = sets[i].kind;
    const bool known = kind == SetKind::Free || kind == SetKind::Orthant || kind == SetKind::Box ||
                       (kind == SetKind::Coulomb2D && sets[i].cohesion == 0.0);
    if (!known || b.size() > max_rows || b.size() == 0) return {};
  }
  ContactAnswer answer = Modes(W, b, sets).run();
  if (answer.status == Status::Solved) answer.w = W * answer.lambda + b;
  return answer;
}

}  // namespace nonsmooth::impacts
