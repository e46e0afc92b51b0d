// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/cone_program/admm.hpp>

#include <memory>
#include <utility>
#include <vector>

#include <internal/check.hpp>
#include <internal/round_off.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "best.hpp"
#include "cones.hpp"
#include "qp/splitting.hpp"

namespace nonsmooth::cone_program {
namespace {

using Vector = Eigen::VectorXd;

constexpr Index look_every = 20;          // iterations between two looks at the certificate
constexpr int most_refinements = 2;       // of what may be a proof
constexpr double regularisation = 1e-10;  // of the systems for them, scaled

/// min c^T x, A x = b, G x <= h: the cones' rows with the bounds that tell their tips.
qp::SparseProblem as_quadratic(const Problem& problem) {
  const Index n = problem.num_unknowns(), p = problem.num_equations(), m = problem.num_rows();
  qp::SparseProblem rows{.Q = Eigen::SparseMatrix<double>(n, n), .c = problem.c};
  std::vector<Eigen::Triplet<double>> entries;
  const auto put = [&entries](const Eigen::SparseMatrix<double>& block, Index first) {
    for (Index j = 0; j < block.outerSize(); ++j) {
      for (Eigen::SparseMatrix<double>::InnerIterator it(block, j); it; ++it)
        entries.emplace_back(static_cast<int>(first + it.row()), static_cast<int>(j), it.value());
    }
  };
  put(problem.A, 0);
  put(problem.G, p);
  rows.A.resize(p + m, n);
  rows.A.setFromTriplets(entries.begin(), entries.end());
  rows.row_lower.setConstant(p + m, -qp::detail::infinity);
  rows.row_lower.head(p) = problem.b;
  rows.row_upper.resize(p + m);
  rows.row_upper << problem.b, problem.h;
  return rows;
}

class Method {
 public:
  Method(const Problem& problem, const Admm& options, const nonsmooth::detail::Deadline& deadline, Result& result)
      : problem_(problem),
        options_(options),
        result_(result),
        deadline_(deadline),
        splitting_(as_quadratic(problem), problem.cones),
        p_(problem.num_equations()),
        m_(problem.num_rows()) {}

  void run() {
    look(Vector::Zero(problem_.num_unknowns()), Vector::Zero(p_ + m_));
    Status end = Status::IterationLimit;
    std::string_view reason = "max_iterations reached";
    while (!(result_.certificate.residual <= options_.tolerance) && result_.iterations < options_.max_iterations) {
      if (deadline_.passed()) {
        end = Status::TimeLimit;
        reason = "time_limit reached";
        break;
      }
      if (!splitting_.iterate() || !splitting_.finite()) {
        end = Status::NumericalFailure;
        reason = "the factors of the system broke down, or numbers overflowed";
        break;
      }
      ++result_.iterations;
      if (result_.iterations % look_every != 0 && result_.iterations != options_.max_iterations) continue;
      look(splitting_.scaled.x(splitting_.w.value), -splitting_.scaled.y(splitting_.t.multiplier));
      if (prove()) return;
      splitting_.adapt();
    }
    qp::detail::conclude(options_.tolerance, end, reason, result_);
  }

 private:
  /// Certifies x and the multipliers of all rows.
  void look(const Vector& x, const Vector& multipliers) {
    detail::keep_better(problem_, x, multipliers.head(p_), multipliers.tail(m_), result_);
  }

  bool prove() {
    if (result_.certificate.residual < 0.5 * best_) {
      best_ = result_.certificate.residual;
      return false;
    }
    for (Vector candidate : {splitting_.t.change, splitting_.t.multiplier}) {
      for (int pass = 0; pass <= most_refinements; ++pass) {
        Vector proof = -splitting_.scaled.y(candidate);
        into_cones(proof);
        if (proves_infeasible(problem_, proof)) {
          nonsmooth::detail::end_infeasible("the direction in which z grows proves that no x is feasible", proof,
                                            result_);
          return true;
        }
        if (!into_kernel(candidate)) break;
      }
    }
    for (Vector candidate : {splitting_.step, splitting_.x}) {
      for (int pass = 0; pass <= most_refinements; ++pass) {
        Vector direction = splitting_.scaled.x(candidate);
        if (proves_unbounded(problem_, direction)) {
          qp::detail::end_unbounded(std::move(direction), result_);
          return true;
        }
        if (!onto_equations(candidate)) break;
      }
    }
    return false;
  }

  /// The least change to y with (A; G)^T y = 0, by factors that stand: a proof inside of K then needs no more digits.
  bool into_kernel(Vector& y) {
    const Eigen::SparseMatrix<double>& rows = splitting_.scaled.own.A;
    if (!of_kernel_) {
      of_kernel_ = std::make_unique<System>(splitting_.scaled.own);
      if (!of_kernel_->factorize(Vector::Constant(rows.cols(), regularisation), Vector::Ones(rows.rows())))
        return false;
    }
    Vector f = -(rows.transpose() * y), g = Vector::Zero(rows.rows());
    of_kernel_->solve(f, g);
    y += g;
    return y.allFinite();
  }

  /// The least change to d with A d = 0.
  bool onto_equations(Vector& d) {
    if (p_ == 0) return false;
    const Eigen::SparseMatrix<double>& rows = splitting_.scaled.own.A;
    if (!of_equations_) {
      of_equations_ = std::make_unique<System>(splitting_.scaled.own);
      Vector r = Vector::Constant(p_ + m_, qp::detail::infinity);
      r.head(p_).setConstant(regularisation);
      if (!of_equations_->factorize(Vector::Ones(rows.cols()), r)) return false;
    }
    Vector f = Vector::Zero(rows.cols()), g = -(rows * d);
    of_equations_->solve(f, g);
    d += f;
    return d.allFinite();
  }

  /// What rounding leaves outside of K.
  void into_cones(Vector& proof) const {
    detail::for_cones(problem_, [&](Index first, Index size) {
      auto own = proof.segment(p_ + first, size);
      own[0] = std::max(own[0], size > 1 ? (1.0 + 8.0 * eps) * own.tail(size - 1).norm() : 0.0);
    });
  }

  const Problem& problem_;
  const Admm& options_;
  Result& result_;
  const nonsmooth::detail::Deadline& deadline_;
  qp::detail::Splitting<qp::SparseProblem> splitting_;
  Index p_, m_;
  using System = qp::detail::Quasidefinite<qp::SparseProblem>;
  std::unique_ptr<System> of_kernel_, of_equations_;
  double best_ = qp::detail::infinity;
};

}  // namespace

void Admm::validate() const {
  check::positive("cone_program::Admm::tolerance", tolerance);
  check::at_least("cone_program::Admm::max_iterations", max_iterations, 1);
  nonsmooth::detail::check_time_limit("cone_program::Admm::time_limit", time_limit);
}

Result solve(const Problem& problem, const Admm& options) {
  options.validate();
  const nonsmooth::detail::Deadline deadline(options.time_limit);
  problem.validate();
  Result result;
  result.solver = "admm";
  Method(problem, options, deadline, result).run();
  return result;
}

}  // namespace nonsmooth::cone_program
