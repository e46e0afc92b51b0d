// SPDX-License-Identifier: Apache-2.0
#include "optimizers.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include <petscsnes.h>

#include <benchmarks/timing.hpp>

namespace nonsmooth::optimizers {
namespace {

/// PETSc's errors, which leave it in no good state, as exceptions.
void check(PetscErrorCode error) {
  if (error != 0) throw std::runtime_error("PETSc: error " + std::to_string(error));
}

/// Initialised once, for as long as the process runs: MPI cannot start again.
struct Library {
  Library() {
    check(PetscInitializeNoArguments());
    check(PetscPopSignalHandler());
    check(PetscPushErrorHandler(PetscReturnErrorHandler, nullptr));  // codes, nothing printed
  }
  ~Library() { PetscFinalize(); }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
};

class OfPetsc final : public Optimizer {
 public:
  OfPetsc(const mcp::Problem& problem, std::string method, std::string linear_solver)
      : problem_(problem), method_(std::move(method)), linear_solver_(std::move(linear_solver)) {
    static const Library library;
    const auto n = static_cast<PetscInt>(problem.size());
    x0_ = problem.start.size() > 0 ? problem.start : Eigen::VectorXd::Zero(problem.size());
    problem.F.jacobian(x0_, J_);
    J_.makeCompressed();
    make_rows();
    check(VecCreateSeq(PETSC_COMM_SELF, n, &x_));
    for (Vec* v : {&f_, &lower_, &upper_}) check(VecDuplicate(x_, v));
    check(MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, n, n, row_.data(), column_.data(), value_.data(), &matrix_));
    for (PetscInt i = 0; i < n; ++i) {
      check(VecSetValue(lower_, i, std::max(problem.lower[i], PETSC_NINFINITY), INSERT_VALUES));
      check(VecSetValue(upper_, i, std::min(problem.upper[i], PETSC_INFINITY), INSERT_VALUES));
    }
    for (Vec v : {lower_, upper_}) {
      check(VecAssemblyBegin(v));
      check(VecAssemblyEnd(v));
    }
    create_solver();
  }
  ~OfPetsc() override {
    SNESDestroy(&solver_);
    MatDestroy(&matrix_);
    for (Vec* v : {&x_, &f_, &lower_, &upper_}) VecDestroy(v);
  }

  std::string name() const override { return method_ + ", " + linear_solver_; }

  Answer solve(double tolerance) override {
    const auto n = static_cast<PetscInt>(problem_.size());
    const double start = benchmarks::cpu_seconds();
    double* values = nullptr;
    check(VecGetArray(x_, &values));
    std::copy(x0_.data(), x0_.data() + n, values);
    check(VecRestoreArray(x_, &values));
    check(SNESSetTolerances(solver_, tolerance, 0.0, 0.0, 200, 10000));
    Answer answer;
    if (SNESSolve(solver_, nullptr, x_) != 0) return answer;  // a matrix that it cannot factor, for one
    answer.time = benchmarks::cpu_seconds() - start;
    SNESConvergedReason reason{};
    check(SNESGetConvergedReason(solver_, &reason));
    answer.verdict = reason > 0 ? Verdict::Solved : Verdict::None;
    check(VecGetArray(x_, &values));
    answer.x = Eigen::Map<const Eigen::VectorXd>(values, n);
    check(VecRestoreArray(x_, &values));
    return answer;
  }

 private:
  /// The pattern row by row, and where its entries are in J_, which is stored column by column.
  void make_rows() {
    Eigen::SparseMatrix<double> places = J_;
    for (Index k = 0; k < places.nonZeros(); ++k) places.valuePtr()[k] = static_cast<double>(k);
    const Eigen::SparseMatrix<double, Eigen::RowMajor> rows = places;
    row_.assign(rows.outerIndexPtr(), rows.outerIndexPtr() + rows.rows() + 1);
    column_.assign(rows.innerIndexPtr(), rows.innerIndexPtr() + rows.nonZeros());
    for (Index k = 0; k < rows.nonZeros(); ++k) place_.push_back(static_cast<Index>(rows.valuePtr()[k]));
    value_.resize(place_.size());
  }

  void create_solver() {
    check(SNESCreate(PETSC_COMM_SELF, &solver_));
    check(SNESSetType(solver_, method_.c_str()));
    check(SNESSetFunction(solver_, f_, value, this));
    check(SNESSetJacobian(solver_, matrix_, matrix_, jacobian, this));
    check(SNESVISetVariableBounds(solver_, lower_, upper_));
    KSP steps = nullptr;
    PC factors = nullptr;
    check(SNESGetKSP(solver_, &steps));
    check(KSPGetPC(steps, &factors));
    const bool direct = linear_solver_ == "lu" || linear_solver_ == "mumps";
    check(KSPSetType(steps, direct ? KSPPREONLY : KSPGMRES));
    check(KSPSetTolerances(steps, 1e-6, PETSC_DEFAULT, PETSC_DEFAULT, 500));
    check(PCSetType(factors, direct ? PCLU : linear_solver_ == "gmres ilu" ? PCILU : PCGAMG));
    if (direct) check(PCFactorSetMatSolverType(factors, linear_solver_ == "lu" ? MATSOLVERPETSC : MATSOLVERMUMPS));
  }

  static PetscErrorCode value(SNES, Vec x, Vec f, void* self) {
    auto& own = *static_cast<OfPetsc*>(self);
    const double* from = nullptr;
    double* to = nullptr;
    PetscFunctionBegin;
    PetscCall(VecGetArrayRead(x, &from));
    PetscCall(VecGetArray(f, &to));
    own.problem_.F.value(Eigen::Map<const Eigen::VectorXd>(from, own.problem_.size()),
                         Eigen::Map<Eigen::VectorXd>(to, own.problem_.size()));
    PetscCall(VecRestoreArrayRead(x, &from));
    PetscCall(VecRestoreArray(f, &to));
    PetscFunctionReturn(0);
  }

  static PetscErrorCode jacobian(SNES, Vec x, Mat, Mat matrix, void* self) {
    auto& own = *static_cast<OfPetsc*>(self);
    const double* from = nullptr;
    PetscFunctionBegin;
    PetscCall(VecGetArrayRead(x, &from));
    own.problem_.F.jacobian(Eigen::Map<const Eigen::VectorXd>(from, own.problem_.size()), own.J_);
    PetscCall(VecRestoreArrayRead(x, &from));
    double* values = nullptr;
    PetscCall(MatSeqAIJGetArray(matrix, &values));
    for (std::size_t k = 0; k < own.place_.size(); ++k) values[k] = own.J_.valuePtr()[own.place_[k]];
    PetscCall(MatSeqAIJRestoreArray(matrix, &values));
    PetscCall(MatAssemblyBegin(matrix, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(matrix, MAT_FINAL_ASSEMBLY));
    PetscFunctionReturn(0);
  }

  const mcp::Problem& problem_;
  std::string method_, linear_solver_;
  Eigen::VectorXd x0_;
  Eigen::SparseMatrix<double> J_;
  std::vector<PetscInt> row_, column_;
  std::vector<double> value_;
  std::vector<Index> place_;
  Vec x_ = nullptr, f_ = nullptr, lower_ = nullptr, upper_ = nullptr;
  Mat matrix_ = nullptr;
  SNES solver_ = nullptr;
};

}  // namespace

std::unique_ptr<Optimizer> petsc(const mcp::Problem& problem, const std::string& method,
                                 const std::string& linear_solver) {
  return std::make_unique<OfPetsc>(problem, method, linear_solver);
}

}  // namespace nonsmooth::optimizers
