// SPDX-License-Identifier: Apache-2.0
// Siconos's variational inequalities and second-order cones. Debian's package has the drivers of both, and no headers
// of their problems: the two structures are declared here as its documentation has them, and known answers are asked of
// each solver before anything is measured, so that another layout is told and not timed.
#include <benchmarks/peer/variational.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <initializer_list>
#include <stdexcept>

#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <SolverOptions.h>

struct VariationalInequality {
  int size;
  void* env;
  void (*F)(void* self, int n, double* x, double* F);
  void (*compute_nabla_F)(void* self, int n, double* x, NumericsMatrix* J);
  void (*ProjectionOnX)(void* self, double* x, double* PX);
  double normVI;
  int istheNormVIset;
  void* set;
  NumericsMatrix* nabla_F;
};

struct SecondOrderConeLinearComplementarityProblem {
  int n;
  int nc;
  NumericsMatrix* M;
  double* q;
  unsigned int* coneIndex;
  double* tau;
};

extern "C" VariationalInequality* variationalInequality_new(int size);

namespace peer {
namespace {

constexpr int extragradient = 1000, fixed_point = 1001, gauss_seidel = 1100;

int solve_with(int id, double tolerance, int max_iterations, const std::function<int(SolverOptions*)>& driver) {
  SolverOptions* options = solver_options_create(id);
  options->dparam[SICONOS_DPARAM_TOL] = tolerance;
  options->iparam[SICONOS_IPARAM_MAX_ITER] = max_iterations;
  const int info = driver(options);
  solver_options_delete(options);
  std::free(options);
  return info;
}

void expect_near(double found, double expected, const char* what) {
  if (!(std::abs(found - expected) <= 1e-6))
    throw std::runtime_error(std::string(what) + ": another layout of structures");
}

class Inequality final : public Complementarity {
 public:
  explicit Inequality(Variational inequality) : inequality_(std::move(inequality)) {
    z.assign(static_cast<std::size_t>(inequality_.size), 0.0);
    w_ = z;
    problem_ = variationalInequality_new(inequality_.size);
    problem_->env = this;
    problem_->F = [](void* self, int, double* x, double* F) { of(self).inequality_.value(x, F); };
    problem_->ProjectionOnX = [](void* self, double* y, double* x) { of(self).inequality_.project(y, x); };
  }
  ~Inequality() override { std::free(problem_); }

  // Its hyperplane projection ends at residuals of 1e-2 on planted problems, after 20,000 iterations.
  std::vector<std::string> solvers() const override { return {"extragradient", "fixed point"}; }

  int run(const std::string& solver, double tolerance, int max_iterations) override {
    const int id = solver == "extragradient" ? extragradient : fixed_point;
    std::fill(z.begin(), z.end(), 0.0);
    std::fill(w_.begin(), w_.end(), 0.0);
    problem_->istheNormVIset = 0;
    return solve_with(id, tolerance, max_iterations, [this](SolverOptions* options) {
      return variationalInequality_driver(problem_, z.data(), w_.data(), options);
    });
  }

 private:
  /// Its callbacks are given the problem, or what the problem has as `env`.
  static Inequality& of(void* self) {
    return *static_cast<Inequality*>(static_cast<VariationalInequality*>(self)->env);
  }

  Variational inequality_;
  std::vector<double> w_;
  VariationalInequality* problem_ = nullptr;
};

class Cones final : public Complementarity {
 public:
  Cones(const std::vector<double>& M, const std::vector<double>& q, const std::vector<int>& rows)
      : q_(q), tau_(rows.size(), 1.0), index_(1, 0) {
    for (const int count : rows) index_.push_back(index_.back() + static_cast<unsigned int>(count));
    z.assign(q.size(), 0.0);
    w_ = z;
    const int n = static_cast<int>(q.size());
    problem_ = {n, static_cast<int>(rows.size()), NM_create(NM_DENSE, n, n), q_.data(), index_.data(), tau_.data()};
    std::copy(M.begin(), M.end(), problem_.M->matrix0);
  }
  ~Cones() override {
    NM_clear(problem_.M);
    std::free(problem_.M);
  }

  std::vector<std::string> solvers() const override { return {"block gauss-seidel"}; }

  int run(const std::string&, double tolerance, int max_iterations) override {
    std::fill(z.begin(), z.end(), 0.0);
    std::fill(w_.begin(), w_.end(), 0.0);
    return solve_with(gauss_seidel, tolerance, max_iterations, [this](SolverOptions* options) {
      return soclcp_driver(&problem_, z.data(), w_.data(), options);
    });
  }

 private:
  std::vector<double> q_, w_, tau_;
  std::vector<unsigned int> index_;
  SecondOrderConeLinearComplementarityProblem problem_{};
};

}  // namespace

std::unique_ptr<Complementarity> variational(const Variational& inequality) {
  // F = 2 x - (5, 1) on the unit disk: (5, 1) / sqrt(26).
  static const bool known = [] {
    Inequality disk({2,
                     [](const double* x, double* F) {
                       F[0] = 2.0 * x[0] - 5.0;
                       F[1] = 2.0 * x[1] - 1.0;
                     },
                     [](const double* y, double* x) {
                       const double s = 1.0 / std::max(1.0, std::hypot(y[0], y[1]));
                       x[0] = s * y[0];
                       x[1] = s * y[1];
                     }});
    for (const std::string& solver : disk.solvers()) {
      disk.run(solver, 1e-8, 1000);
      expect_near(disk.z[0], 5.0 / std::sqrt(26.0), "variational inequalities");
      expect_near(disk.z[1], 1.0 / std::sqrt(26.0), "variational inequalities");
    }
    return true;
  }();
  static_cast<void>(known);
  return std::make_unique<Inequality>(inequality);
}

std::unique_ptr<Complementarity> second_order_cones(const std::vector<double>& M, const std::vector<double>& q,
                                                    const std::vector<int>& rows) {
  // M = I, q = -(1, 2, 0): the projection of (1, 2, 0), (1.5, 1.5, 0).
  static const bool known = [] {
    Cones one({1, 0, 0, 0, 1, 0, 0, 0, 1}, {-1, -2, 0}, {3});
    one.run({}, 1e-8, 1000);
    expect_near(one.z[0], 1.5, "second-order cones");
    expect_near(one.z[1], 1.5, "second-order cones");
    return true;
  }();
  static_cast<void>(known);
  return std::make_unique<Cones>(M, q, rows);
}

}  // namespace peer
