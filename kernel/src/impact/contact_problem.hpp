// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nonsmooth/kernel/one_step_ns_problem.hpp>
#include <nonsmooth/numerics/certificate.hpp>
#include <nonsmooth/numerics/sets.hpp>
#include <nonsmooth/numerics/status.hpp>
#include <nonsmooth/numerics/types.hpp>

/// The small dense problems of an instant: velocities after an impact, accelerations at the start of a mode.
namespace nonsmooth::impacts {

/// The answer of a small problem w = W lambda + b, -ŵ in N_K(lambda), block by block (sets.hpp).
struct ContactAnswer {
  enum class Verdict : unsigned char {
    NotCounted,  ///< solved, without a look at further solutions
    Unique,      ///< by enumeration
    Several,     ///< by enumeration, or proved otherwise
    None,        ///< by enumeration, or by a certificate
  };
  Status status = Status::NotRun;  ///< Infeasible with Verdict::None
  Verdict verdict = Verdict::NotCounted;
  Eigen::VectorXd lambda, w;
  /// Several: the other w that enumeration came upon, one lambda each (of a polyhedron of them its vertices), at most
  /// 64. Of islands, one differs from `lambda` at a time.
  std::vector<Eigen::VectorXd> others;
  std::string_view solver = "ContactModes";  ///< of islands, the last one's
  std::string detail;                        ///< why it is not Solved
};

/// Orthant, Free, Box and Coulomb blocks; W may be singular or unsymmetric. By islands (islands.hpp), each of them with
/// a verdict of its own, the worst of which counts: None, Several, NotCounted. Where an island has no answer but all
/// together have one to their round-off, that is it. Where W is positive definite and no contact has friction, the
/// solution is unique and found by mixed::Automatic. Otherwise, with at most 8 rows and planar friction, every mode is
/// tried (see contact_modes.hpp): None says that there is no solution, Several that there are motions w to choose from;
/// lambda is then the smallest. Else mixed::Automatic, and the verdict is NotCounted, or None with a proof. Solved
/// where the certificate's residual is at most 1e-11 or its error at most its round_off. Cost of trying all modes: 0.5
/// ms for 8 orthants or 4 planar contacts, 50 ms for 8 boxes.
/// @throws InvalidArgument sizes that differ, values that are not finite.
[[nodiscard]] ContactAnswer solve_contact_problem(const Eigen::MatrixXd& W, const Eigen::VectorXd& b,
                                                  const ProductSet& sets);

/// What an instant calls Solved: a residual of at most 1e-11, or an error within the round-off of the problem's data.
[[nodiscard]] bool is_solved(const Certificate& certificate) noexcept;

/// problem.reduced := (W, b, sets), blocks of W that are zero left out.
void write_problem(const Eigen::MatrixXd& W, const Eigen::VectorXd& b, const ProductSet& sets, mixed::Problem& problem);
/// problem.result := r, u = W r + q and how far they are from the law; no values where r has another size.
void write_result(Status status, std::string_view solver, const Eigen::VectorXd& r, OneStepNSProblem& problem);

}  // namespace nonsmooth::impacts
