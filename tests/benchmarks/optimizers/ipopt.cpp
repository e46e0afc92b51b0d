// SPDX-License-Identifier: Apache-2.0
#include "optimizers.hpp"

#include <algorithm>

#define HAVE_CSTDDEF  // its headers ask what its own build knew
#include <IpIpoptApplication.hpp>
#include <IpTNLP.hpp>

#include <benchmarks/timing.hpp>

namespace nonsmooth::optimizers {
namespace {

constexpr double kLongest = 20.0;  // [s]
constexpr double kNone = 2e19;     // a bound that is none

/// The program as Ipopt asks for it: values, and matrices in triplets that stay.
class Program final : public Ipopt::TNLP {
 public:
  explicit Program(const qp::SparseProblem& problem) : problem_(problem) {}

  Answer answer;

  bool get_nlp_info(Ipopt::Index& n, Ipopt::Index& m, Ipopt::Index& jacobian, Ipopt::Index& hessian,
                    IndexStyleEnum& style) override {
    n = static_cast<Ipopt::Index>(problem_.num_unknowns());
    m = static_cast<Ipopt::Index>(problem_.num_rows());
    jacobian = static_cast<Ipopt::Index>(problem_.A.nonZeros());
    hessian = 0;
    each_below([&](Index, Index, double) { ++hessian; });
    style = C_STYLE;
    return true;
  }

  bool get_bounds_info(Ipopt::Index n, double* lower, double* upper, Ipopt::Index m, double* row_lower,
                       double* row_upper) override {
    const auto copy = [](const Eigen::VectorXd& from, Ipopt::Index size, double missing, double* to) {
      for (Ipopt::Index i = 0; i < size; ++i) to[i] = from.size() == 0 ? missing : std::clamp(from[i], -kNone, kNone);
    };
    copy(problem_.lower, n, -kNone, lower);
    copy(problem_.upper, n, kNone, upper);
    copy(problem_.row_lower, m, -kNone, row_lower);
    copy(problem_.row_upper, m, kNone, row_upper);
    return true;
  }

  bool get_starting_point(Ipopt::Index n, bool, double* x, bool, double*, double*, Ipopt::Index, bool,
                          double*) override {
    std::fill(x, x + n, 0.0);
    return true;
  }

  bool eval_f(Ipopt::Index n, const double* x, bool, double& value) override {
    const Eigen::Map<const Eigen::VectorXd> at(x, n);
    value = at.dot(0.5 * (problem_.Q * at) + problem_.c);
    return true;
  }

  bool eval_grad_f(Ipopt::Index n, const double* x, bool, double* gradient) override {
    Eigen::Map<Eigen::VectorXd>(gradient, n) = problem_.Q * Eigen::Map<const Eigen::VectorXd>(x, n) + problem_.c;
    return true;
  }

  bool eval_g(Ipopt::Index n, const double* x, bool, Ipopt::Index m, double* rows) override {
    Eigen::Map<Eigen::VectorXd>(rows, m) = problem_.A * Eigen::Map<const Eigen::VectorXd>(x, n);
    return true;
  }

  bool eval_jac_g(Ipopt::Index, const double*, bool, Ipopt::Index, Ipopt::Index, Ipopt::Index* row,
                  Ipopt::Index* column, double* value) override {
    for (Index j = 0; j < problem_.A.outerSize(); ++j) {
      for (Eigen::SparseMatrix<double>::InnerIterator it(problem_.A, j); it; ++it) {
        if (value == nullptr) {
          *row++ = static_cast<Ipopt::Index>(it.row());
          *column++ = static_cast<Ipopt::Index>(j);
        } else {
          *value++ = it.value();
        }
      }
    }
    return true;
  }

  bool eval_h(Ipopt::Index, const double*, bool, double factor, Ipopt::Index, const double*, bool, Ipopt::Index,
              Ipopt::Index* row, Ipopt::Index* column, double* value) override {
    each_below([&](Index i, Index j, double entry) {
      if (value == nullptr) {
        *row++ = static_cast<Ipopt::Index>(i);
        *column++ = static_cast<Ipopt::Index>(j);
      } else {
        *value++ = factor * entry;
      }
    });
    return true;
  }

  void finalize_solution(Ipopt::SolverReturn, Ipopt::Index n, const double* x, const double*, const double*,
                         Ipopt::Index m, const double*, const double* lambda, double, const Ipopt::IpoptData*,
                         Ipopt::IpoptCalculatedQuantities*) override {
    answer.x = Eigen::Map<const Eigen::VectorXd>(x, n);
    answer.y = -Eigen::Map<const Eigen::VectorXd>(lambda, m);
  }

 private:
  template <class Visit>
  void each_below(const Visit& visit) const {
    for (Index j = 0; j < problem_.Q.outerSize(); ++j) {
      for (Eigen::SparseMatrix<double>::InnerIterator it(problem_.Q, j); it; ++it) {
        if (it.row() >= j) visit(it.row(), j, it.value());
      }
    }
  }

  const qp::SparseProblem& problem_;
};

class OfIpopt final : public Optimizer {
 public:
  OfIpopt(const qp::SparseProblem& problem, bool mehrotra) : problem_(problem), mehrotra_(mehrotra) {}

  std::string name() const override { return mehrotra_ ? "Ipopt, Mehrotra" : "Ipopt"; }

  Answer solve(double tolerance) override {
    const double start = benchmarks::cpu_seconds();
    Ipopt::SmartPtr<Ipopt::IpoptApplication> application = new Ipopt::IpoptApplication(false);
    const auto options = application->Options();
    options->SetIntegerValue("print_level", 0);
    options->SetStringValue("sb", "yes");
    options->SetNumericValue("tol", std::max(tolerance, 1e-14));
    options->SetNumericValue("max_cpu_time", kLongest);
    options->SetNumericValue("bound_relax_factor", 0.0);
    options->SetNumericValue("constr_viol_tol", std::max(tolerance, 1e-14));
    options->SetNumericValue("acceptable_tol", std::max(tolerance, 1e-14));
    for (const char* constant : {"hessian_constant", "jac_c_constant", "jac_d_constant"})
      options->SetStringValue(constant, "yes");
    if (mehrotra_) options->SetStringValue("mehrotra_algorithm", "yes");
    application->Initialize("");
    Ipopt::SmartPtr<Program> program = new Program(problem_);
    const Ipopt::ApplicationReturnStatus end = application->OptimizeTNLP(Ipopt::SmartPtr<Ipopt::TNLP>(program));
    Answer answer = program->answer;
    answer.time = benchmarks::cpu_seconds() - start;
    answer.verdict = end == Ipopt::Solve_Succeeded || end == Ipopt::Solved_To_Acceptable_Level ? Verdict::Solved
                     : end == Ipopt::Infeasible_Problem_Detected                               ? Verdict::Infeasible
                     : end == Ipopt::Diverging_Iterates                                        ? Verdict::Unbounded
                                                                                               : Verdict::None;
    return answer;
  }

 private:
  const qp::SparseProblem& problem_;
  bool mehrotra_;
};

}  // namespace

std::unique_ptr<Optimizer> ipopt(const qp::SparseProblem& problem, bool mehrotra) {
  return std::make_unique<OfIpopt>(problem, mehrotra);
}

}  // namespace nonsmooth::optimizers
