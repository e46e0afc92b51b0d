// SPDX-License-Identifier: Apache-2.0
// Siconos's numerics by its drivers. Left out, because they end the program or never return: LCP QP, NSQP (built
// without their QP code), NEWTONMIN (NaN called solved), sparse Newton and PSOR (segmentation fault); MLCP RPGS (NaN
// called solved), PGS_SBM.
#include <benchmarks/peer/complementarity.hpp>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include <LCP_Solvers.h>
#include <LinearComplementarityProblem.h>
#include <MLCP_Solvers.h>
#include <MixedLinearComplementarityProblem.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <NumericsSparseMatrix.h>
#include <RelayProblem.h>
#include <SolverOptions.h>
#include <lcp_cst.h>
#include <mlcp_cst.h>
#include <relay_cst.h>

namespace peer {
namespace {

struct Named {
  const char* name;
  int id;
};

class Base : public Complementarity {
 public:
  std::vector<std::string> solvers() const override {
    std::vector<std::string> names;
    for (const Named& solver : named_) names.emplace_back(solver.name);
    return names;
  }

  int run(const std::string& solver, double tolerance, int max_iterations) override {
    const auto found = std::find_if(named_.begin(), named_.end(), [&](const Named& n) { return solver == n.name; });
    if (found == named_.end()) return -1;
    SolverOptions* options = solver_options_create(found->id);
    options->dparam[SICONOS_DPARAM_TOL] = tolerance;
    options->iparam[SICONOS_IPARAM_MAX_ITER] = max_iterations;
    std::fill(z.begin(), z.end(), 0.0);
    std::fill(w_.begin(), w_.end(), 0.0);
    const int info = drive(options);
    solver_options_delete(options);
    std::free(options);
    return info;
  }

 protected:
  virtual int drive(SolverOptions* options) = 0;

  std::vector<Named> named_;
  std::vector<double> w_, M_, q_;
};

NumericsMatrix* dense(long rows, long columns, std::vector<double>& values) {
  return NM_create_from_data(NM_DENSE, static_cast<int>(rows), static_cast<int>(columns), values.data());
}

void free_view(NumericsMatrix* M) {  // the values are ours
  M->matrix0 = nullptr;
  NM_clear(M);
  std::free(M);
}

class Lcp final : public Base {
 public:
  Lcp(const std::vector<double>& M, const std::vector<double>& q) {
    M_ = M;
    q_ = q;
    const auto n = static_cast<long>(q.size());
    problem_.size = static_cast<int>(n);
    problem_.M = dense(n, n, M_);
    problem_.q = q_.data();
    z.assign(q.size(), 0.0);
    w_ = z;
    named_ = {{"LEMKE", SICONOS_LCP_LEMKE},
              {"PIVOT", SICONOS_LCP_PIVOT},
              {"PGS", SICONOS_LCP_PGS},
              {"CPG", SICONOS_LCP_CPG},
              {"NEWTON_FB", SICONOS_LCP_NEWTON_FB_FBLSA},
              {"NEWTON_MIN_FB", SICONOS_LCP_NEWTON_MIN_FBLSA}};
  }
  ~Lcp() override { free_view(problem_.M); }

 protected:
  int drive(SolverOptions* options) override {
    return linearComplementarity_driver(&problem_, z.data(), w_.data(), options);
  }

 private:
  LinearComplementarityProblem problem_{};
};

class SparseLcp final : public Base {
 public:
  SparseLcp(const std::vector<long>& row, const std::vector<long>& column, const std::vector<double>& value,
            const std::vector<double>& q) {
    q_ = q;
    const int n = static_cast<int>(q.size());
    problem_.size = n;
    problem_.M = NM_create(NM_SPARSE, n, n);
    NM_triplet_alloc(problem_.M, static_cast<long>(value.size()) + 1);
    problem_.M->matrix2->origin = NSM_TRIPLET;
    for (std::size_t k = 0; k < value.size(); ++k) {
      NM_entry(problem_.M, static_cast<int>(row[k]), static_cast<int>(column[k]), value[k]);
    }
    problem_.q = q_.data();
    z.assign(q.size(), 0.0);
    w_ = z;
    named_ = {{"PGS", SICONOS_LCP_PGS}};
  }
  ~SparseLcp() override {
    NM_clear(problem_.M);
    std::free(problem_.M);
  }

 protected:
  int drive(SolverOptions* options) override {
    return linearComplementarity_driver(&problem_, z.data(), w_.data(), options);
  }

 private:
  LinearComplementarityProblem problem_{};
};

class Mlcp final : public Base {
 public:
  Mlcp(long free, long constrained, const std::vector<double>& M, const std::vector<double>& q) {
    M_ = M;
    q_ = q;
    const auto rows = static_cast<long>(q.size());
    blocks_rows_ = {0, static_cast<int>(free), static_cast<int>(free + constrained)};
    problem_.isStorageType1 = 1;
    problem_.n = static_cast<int>(free);
    problem_.m = static_cast<int>(constrained);
    problem_.blocksRows = blocks_rows_.data();
    problem_.blocksIsComp = blocks_are_complementarity_.data();
    problem_.M = dense(rows, free + constrained, M_);
    problem_.q = q_.data();
    // Its own splitting of M writes out of bounds with more equalities than complementarity rows, so it is done here.
    const long equalities = rows - constrained;
    const auto part = [&](long row, long count_rows, long column, long count_columns) {
      std::vector<double> values;
      for (long j = column; j < column + count_columns; ++j) {
        for (long i = row; i < row + count_rows; ++i) values.push_back(M_[static_cast<std::size_t>(j * rows + i)]);
      }
      return values;
    };
    A_ = part(0, equalities, 0, free);
    C_ = part(0, equalities, free, constrained);
    D_ = part(equalities, constrained, 0, free);
    B_ = part(equalities, constrained, free, constrained);
    problem_.isStorageType2 = 1;
    problem_.A = A_.data();
    problem_.B = B_.data();
    problem_.C = C_.data();
    problem_.D = D_.data();
    problem_.a = q_.data();
    problem_.b = q_.data() + equalities;
    // Some of its solvers write n + 2 m entries and more.
    z.assign(static_cast<std::size_t>(2 * (rows + free + constrained) + 64), 0.0);
    w_ = z;
    named_ = {{"PGS", SICONOS_MLCP_PGS}, {"FB", SICONOS_MLCP_FB}};
    if (constrained <= 12) named_.push_back({"ENUM", SICONOS_MLCP_ENUM});
    if (rows == free + constrained) named_.push_back({"LEMKE", SICONOS_MLCP_LCP_LEMKE});
  }
  ~Mlcp() override { free_view(problem_.M); }

 protected:
  int drive(SolverOptions* options) override {
    mlcp_driver_init(&problem_, options);
    return mlcp_driver(&problem_, z.data(), w_.data(), options);  // mlcp_driver_reset would free twice
  }

 private:
  std::vector<int> blocks_rows_, blocks_are_complementarity_ = {0, 1};
  std::vector<double> A_, B_, C_, D_;
  MixedLinearComplementarityProblem problem_{};
};

class Relay final : public Base {
 public:
  Relay(const std::vector<double>& M, const std::vector<double>& q, const std::vector<double>& lower,
        const std::vector<double>& upper)
      : lower_(lower), upper_(upper) {
    M_ = M;
    q_ = q;
    const auto n = static_cast<long>(q.size());
    problem_.size = static_cast<int>(n);
    problem_.M = dense(n, n, M_);
    problem_.q = q_.data();
    problem_.lb = lower_.data();
    problem_.ub = upper_.data();
    z.assign(q.size(), 0.0);
    w_ = z;
    named_ = {{"PGS", SICONOS_RELAY_PGS}, {"LEMKE", SICONOS_RELAY_LEMKE}, {"AVI", SICONOS_RELAY_AVI_CAOFERRIS}};
  }
  ~Relay() override { free_view(problem_.M); }

 protected:
  int drive(SolverOptions* options) override { return relay_driver(&problem_, z.data(), w_.data(), options); }

 private:
  std::vector<double> lower_, upper_;
  RelayProblem problem_{};
};

}  // namespace

std::unique_ptr<Complementarity> lcp(const std::vector<double>& M, const std::vector<double>& q) {
  return std::make_unique<Lcp>(M, q);
}
std::unique_ptr<Complementarity> sparse_lcp(const std::vector<long>& row, const std::vector<long>& column,
                                            const std::vector<double>& value, const std::vector<double>& q) {
  return std::make_unique<SparseLcp>(row, column, value, q);
}
std::unique_ptr<Complementarity> mlcp(long free, long constrained, const std::vector<double>& M,
                                      const std::vector<double>& q) {
  return std::make_unique<Mlcp>(free, constrained, M, q);
}
std::unique_ptr<Complementarity> relay(const std::vector<double>& M, const std::vector<double>& q,
                                       const std::vector<double>& lower, const std::vector<double>& upper) {
  return std::make_unique<Relay>(M, q, lower, upper);
}

}  // namespace peer
