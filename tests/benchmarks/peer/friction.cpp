// SPDX-License-Identifier: Apache-2.0
// Siconos's numerics by its drivers. Left out: solvers that abort on every problem (the PLI loop of NSN_AC, PFP), those
// of the convex relaxation (SOCLCP, the interior point of the global form), and first-order ones that never win.
#include <benchmarks/peer/friction.hpp>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <GlobalFrictionContactProblem.h>
#include <GlobalRollingFrictionContactProblem.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <NumericsSparseMatrix.h>
#include <RollingFrictionContactProblem.h>
#include <SolverOptions.h>
#include <SparseBlockMatrix.h>

namespace peer {
namespace {

/// A solver and what sets it apart from its defaults.
struct Variant {
  const char* name;
  int id;
  int local = 0;            ///< solver of one contact, 0: its default
  bool full_error = false;  ///< stop on the true error, not on the change of a sweep
  bool balance = false;     ///< ADMM: sparse storage, residual balancing, first rho from norms
  int max_iterations = 100'000'000;
};

template <class T>
T* copy(const std::vector<T>& values) {
  T* result = static_cast<T*>(std::malloc(std::max<std::size_t>(values.size(), 1) * sizeof(T)));
  std::copy(values.begin(), values.end(), result);
  return result;
}

NumericsMatrix* block_matrix(int dimension, const Blocks& blocks) {
  const std::size_t rows = blocks.row_begin.size() - 1, count = blocks.column.size();
  const auto size = static_cast<std::size_t>(dimension * dimension);
  SparseBlockStructuredMatrix* S = SBM_new();
  std::vector<unsigned> ends;
  for (std::size_t i = 1; i <= rows; ++i)
    ends.push_back(static_cast<unsigned>(static_cast<std::size_t>(dimension) * i));
  S->nbblocks = static_cast<unsigned>(count);
  S->blocknumber0 = S->blocknumber1 = static_cast<unsigned>(rows);
  S->blocksize0 = copy(ends);
  S->blocksize1 = copy(ends);
  S->filled1 = rows + 1;
  S->filled2 = count;
  S->index1_data = copy(blocks.row_begin);
  S->index2_data = copy(blocks.column);
  S->block = static_cast<double**>(std::malloc(count * sizeof(double*)));
  for (std::size_t k = 0; k < count; ++k) {
    S->block[k] = static_cast<double*>(std::malloc(size * sizeof(double)));
    std::memcpy(S->block[k], blocks.values.data() + k * size, size * sizeof(double));
  }
  const int n = dimension * static_cast<int>(rows);
  return NM_new_SBM(n, n, S);
}

NumericsMatrix* sparse_matrix(const Triplets& triplets, bool transposed) {
  const int rows = transposed ? triplets.columns : triplets.rows;
  const int columns = transposed ? triplets.rows : triplets.columns;
  NumericsMatrix* M = NM_create(NM_SPARSE, rows, columns);
  NM_triplet_alloc(M, static_cast<long>(triplets.value.size()) + 1);
  M->matrix2->origin = NSM_TRIPLET;
  for (std::size_t k = 0; k < triplets.value.size(); ++k) {
    const int i = transposed ? triplets.column[k] : triplets.row[k];
    const int j = transposed ? triplets.row[k] : triplets.column[k];
    NM_entry(M, i, j, triplets.value[k]);
  }
  return M;
}

/// What all of the peer's problems have in common: our vectors, which it does not own.
template <class Problem>
Problem* fill(Problem* problem, int dimension, NumericsMatrix* M, std::vector<double>& q, std::vector<double>& mu) {
  problem->dimension = dimension;
  problem->numberOfContacts = static_cast<int>(mu.size());
  problem->M = M;
  problem->q = q.data();
  problem->mu = mu.data();
  return problem;
}

class Base : public Friction {
 public:
  Base(const std::vector<double>& q, const Coefficients& coefficients)
      : u_(q.size(), 0.0), q_(q), mu_(coefficients.mu), rolling_(coefficients.rolling) {
    r = u_;
  }

  std::vector<std::string> solvers() const override {
    std::vector<std::string> names;
    for (const Variant& variant : variants_) names.emplace_back(variant.name);
    return names;
  }

  int run(const std::string& solver, double tolerance) override {
    const auto found =
        std::find_if(variants_.begin(), variants_.end(), [&](const Variant& v) { return solver == v.name; });
    if (found == variants_.end()) return -1;
    SolverOptions* options = solver_options_create(found->id);
    options->dparam[SICONOS_DPARAM_TOL] = tolerance;
    options->iparam[SICONOS_IPARAM_MAX_ITER] = found->max_iterations;
    if (found->local != 0) solver_options_update_internal(options, 0, found->local);
    if (found->full_error) {
      options->iparam[SICONOS_FRICTION_3D_IPARAM_ERROR_EVALUATION] = SICONOS_FRICTION_3D_NSGS_ERROR_EVALUATION_FULL;
    }
    if (found->balance) {
      options->iparam[SICONOS_FRICTION_3D_ADMM_IPARAM_SPARSE_STORAGE] = SICONOS_FRICTION_3D_ADMM_FORCED_SPARSE_STORAGE;
      options->iparam[SICONOS_FRICTION_3D_ADMM_IPARAM_RHO_STRATEGY] =
          SICONOS_FRICTION_3D_ADMM_RHO_STRATEGY_SCALED_RESIDUAL_BALANCING;
      options->iparam[SICONOS_FRICTION_3D_ADMM_IPARAM_INITIAL_RHO] = SICONOS_FRICTION_3D_ADMM_INITIAL_RHO_NORM_INF;
    }
    std::fill(r.begin(), r.end(), 0.0);
    std::fill(u_.begin(), u_.end(), 0.0);
    const int info = drive(options);
    solver_options_delete(options);
    std::free(options);
    return info;
  }

 protected:
  virtual int drive(SolverOptions* options) = 0;

  std::vector<Variant> variants_;
  std::vector<double> u_, q_, mu_, rolling_;
};

class Reduced final : public Base {
 public:
  Reduced(int dimension, const Blocks& W, const std::vector<double>& q, const Coefficients& coefficients)
      : Base(q, coefficients),
        problem_(fill(frictionContactProblem_new(), dimension, block_matrix(dimension, W), q_, mu_)) {
    if (dimension == 2) {
      variants_ = {{"NSGS", SICONOS_FRICTION_2D_NSGS},
                   {"CPG", SICONOS_FRICTION_2D_CPG},
                   {"LEMKE", SICONOS_FRICTION_2D_LEMKE},
                   {"ENUM", SICONOS_FRICTION_2D_ENUM}};
    } else {
      constexpr int iterated_projection = SICONOS_FRICTION_3D_ONECONTACT_ProjectionOnConeWithLocalIteration;
      constexpr int quartic_newton = SICONOS_FRICTION_3D_ONECONTACT_QUARTIC_NU;
      variants_ = {{"NSGS", SICONOS_FRICTION_3D_NSGS},
                   {"NSGS_F", SICONOS_FRICTION_3D_NSGS, 0, true},
                   {"NSGS_PLI_F", SICONOS_FRICTION_3D_NSGS, iterated_projection, true},
                   {"NSGS_QNU_F", SICONOS_FRICTION_3D_NSGS, quartic_newton, true},
                   {"NSN_AC", SICONOS_FRICTION_3D_NSN_AC, 0, false, false, 2000},
                   {"ADMM", SICONOS_FRICTION_3D_ADMM},
                   {"ADMM_BAL", SICONOS_FRICTION_3D_ADMM, 0, false, true}};
    }
  }

  ~Reduced() override {
    problem_->q = nullptr;
    problem_->mu = nullptr;
    frictionContactProblem_free(problem_);
  }

 protected:
  int drive(SolverOptions* options) override {
    return problem_->dimension == 2 ? fc2d_driver(problem_, r.data(), u_.data(), options)
                                    : fc3d_driver(problem_, r.data(), u_.data(), options);
  }

 private:
  FrictionContactProblem* problem_;
};

class Rolling final : public Base {
 public:
  Rolling(int dimension, const Blocks& W, const std::vector<double>& q, const Coefficients& coefficients)
      : Base(q, coefficients),
        problem_(fill(rollingFrictionContactProblem_new(), dimension, block_matrix(dimension, W), q_, mu_)) {
    problem_->mu_r = rolling_.data();
    if (dimension == 3) {
      constexpr int projection = SICONOS_ROLLING_FRICTION_2D_ONECONTACT_ProjectionOnCone;
      variants_ = {{"NSGS", SICONOS_ROLLING_FRICTION_2D_NSGS},
                   {"NSGS_F", SICONOS_ROLLING_FRICTION_2D_NSGS, 0, true},
                   {"NSGS_PC_F", SICONOS_ROLLING_FRICTION_2D_NSGS, projection, true}};
    } else {
      constexpr int projection = SICONOS_ROLLING_FRICTION_3D_ONECONTACT_ProjectionOnCone;
      variants_ = {{"NSGS", SICONOS_ROLLING_FRICTION_3D_NSGS},
                   {"NSGS_F", SICONOS_ROLLING_FRICTION_3D_NSGS, 0, true},
                   {"NSGS_PC_F", SICONOS_ROLLING_FRICTION_3D_NSGS, projection, true},
                   {"ADMM", SICONOS_ROLLING_FRICTION_3D_ADMM},
                   {"ADMM_BAL", SICONOS_ROLLING_FRICTION_3D_ADMM, 0, false, true}};
    }
  }

  ~Rolling() override {
    problem_->q = nullptr;
    problem_->mu = nullptr;
    problem_->mu_r = nullptr;
    rollingFrictionContactProblem_free(problem_);
  }

 protected:
  int drive(SolverOptions* options) override {
    return problem_->dimension == 3 ? rolling_fc2d_driver(problem_, r.data(), u_.data(), options)
                                    : rolling_fc3d_driver(problem_, r.data(), u_.data(), options);
  }

 private:
  RollingFrictionContactProblem* problem_;
};

class Global final : public Base {
 public:
  Global(int dimension, const Triplets& A, const Triplets& H, const std::vector<double>& f,
         const std::vector<double>& w, const Coefficients& coefficients)
      : Base(w, coefficients), f_(f), v_(f.size(), 0.0) {
    if (rolling_.empty()) {
      problem_ = fill(globalFrictionContactProblem_new(), dimension, sparse_matrix(A, false), f_, mu_);
      problem_->H = sparse_matrix(H, true);
      problem_->b = q_.data();
      variants_ = {{"NSGS_WR", SICONOS_GLOBAL_FRICTION_3D_NSGS_WR},
                   {"NSGS_WR_F", SICONOS_GLOBAL_FRICTION_3D_NSGS_WR, 0, true},
                   {"NSGS", SICONOS_GLOBAL_FRICTION_3D_NSGS},
                   {"ADMM", SICONOS_GLOBAL_FRICTION_3D_ADMM},
                   {"ADMM_BAL", SICONOS_GLOBAL_FRICTION_3D_ADMM, 0, false, true},
                   {"ADMM_WR", SICONOS_GLOBAL_FRICTION_3D_ADMM_WR},
                   {"NSN_AC", SICONOS_GLOBAL_FRICTION_3D_NSN_AC, 0, false, false, 2000},
                   {"NSN_AC_WR", SICONOS_GLOBAL_FRICTION_3D_NSN_AC_WR, 0, false, false, 2000}};
    } else {
      rolling_problem_ = fill(globalRollingFrictionContactProblem_new(), dimension, sparse_matrix(A, false), f_, mu_);
      rolling_problem_->H = sparse_matrix(H, true);
      rolling_problem_->b = q_.data();
      rolling_problem_->mu_r = rolling_.data();
      variants_ = {{"NSGS_WR", SICONOS_GLOBAL_ROLLING_FRICTION_3D_NSGS_WR},
                   {"NSGS_WR_F", SICONOS_GLOBAL_ROLLING_FRICTION_3D_NSGS_WR, 0, true}};
    }
  }

 protected:
  int drive(SolverOptions* options) override {
    std::fill(v_.begin(), v_.end(), 0.0);
    return problem_ != nullptr ? gfc3d_driver(problem_, r.data(), u_.data(), v_.data(), options)
                               : g_rolling_fc3d_driver(rolling_problem_, r.data(), u_.data(), v_.data(), options);
  }

 private:
  std::vector<double> f_, v_;
  // One of the two; left to the end of the process: its free() frees what is ours.
  GlobalFrictionContactProblem* problem_ = nullptr;
  GlobalRollingFrictionContactProblem* rolling_problem_ = nullptr;
};

}  // namespace

std::unique_ptr<Friction> friction(int dimension, const Blocks& W, const std::vector<double>& q,
                                   const Coefficients& coefficients) {
  if (!coefficients.rolling.empty()) return std::make_unique<Rolling>(dimension, W, q, coefficients);
  return std::make_unique<Reduced>(dimension, W, q, coefficients);
}

std::unique_ptr<Friction> global_friction(int dimension, const Triplets& A, const Triplets& H,
                                          const std::vector<double>& f, const std::vector<double>& w,
                                          const Coefficients& coefficients) {
  return std::make_unique<Global>(dimension, A, H, f, w, coefficients);
}

}  // namespace peer
