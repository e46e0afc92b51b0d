// SPDX-License-Identifier: Apache-2.0
// Siconos's Newton methods for nonlinear complementarity, by its mixed form without equations, which is what its own
// nonlinear family (ncp_driver) runs too, beside PATH, which Debian's package is built without; they abort where the
// Jacobian is sparse. Variational inequalities and second-order cones are in variational.cpp; Cao-Ferris pivots end the
// program on polyhedra, for want of lp_solve; on boxes they are among the relays of complementarity_peer.cpp.
#include <benchmarks/peer/nonlinear.hpp>

#include <algorithm>
#include <cstdlib>

#include <MCP_cst.h>
#include <MixedComplementarityProblem.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <SolverOptions.h>

namespace peer {
namespace {

class Nonlinear final : public Complementarity {
 public:
  explicit Nonlinear(const NonlinearMap& map) : map_(map) {
    const int n = static_cast<int>(map_.first.size()) - 1;
    entries_.resize(map_.row.size());
    z.assign(static_cast<std::size_t>(n), 0.0);
    F_ = z;
    problem_ = mixedComplementarityProblem_new();
    problem_->n1 = 0;
    problem_->n2 = n;
    problem_->env = this;
    problem_->compute_Fmcp = [](void* self, int, double* at, double* F) {
      static_cast<Nonlinear*>(self)->map_.value(at, F);
    };
    problem_->compute_nabla_Fmcp = [](void* self, int, double* at, NumericsMatrix* J) {
      static_cast<Nonlinear*>(self)->write(at, J->matrix0);
    };
    problem_->nabla_Fmcp = NM_create(NM_DENSE, n, n);
  }
  ~Nonlinear() override { mixedComplementarityProblem_free(problem_); }

  std::vector<std::string> solvers() const override { return {"FB", "min"}; }

  int run(const std::string& solver, double tolerance, int max_iterations) override {
    SolverOptions* options =
        solver_options_create(solver == "FB" ? SICONOS_MCP_NEWTON_FB_FBLSA : SICONOS_MCP_NEWTON_MIN_FBLSA);
    options->dparam[SICONOS_DPARAM_TOL] = tolerance;
    options->iparam[SICONOS_IPARAM_MAX_ITER] = max_iterations;
    std::fill(z.begin(), z.end(), 0.0);
    std::fill(F_.begin(), F_.end(), 0.0);
    const int info = mcp_driver(problem_, z.data(), F_.data(), options);
    solver_options_delete(options);
    std::free(options);
    return info;
  }

 private:
  void write(const double* at, double* J) {
    map_.jacobian(at, entries_.data());
    const std::size_t n = z.size();
    std::fill(J, J + n * n, 0.0);
    for (std::size_t column = 0; column < n; ++column) {
      for (auto k = static_cast<std::size_t>(map_.first[column]); k < static_cast<std::size_t>(map_.first[column + 1]);
           ++k)
        J[column * n + static_cast<std::size_t>(map_.row[k])] = entries_[k];
    }
  }

  NonlinearMap map_;
  std::vector<double> F_, entries_;
  MixedComplementarityProblem* problem_ = nullptr;
};

}  // namespace

std::unique_ptr<Complementarity> nonlinear(const NonlinearMap& map) { return std::make_unique<Nonlinear>(map); }

}  // namespace peer
