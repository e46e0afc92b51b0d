// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include <nonsmooth/numerics/friction/problem.hpp>

namespace nonsmooth::friction {

/// Two levels: Newton steps that reach through the whole pile, over-relaxed Gauss-Seidel sweeps that mend what such a
/// step breaks contact by contact.
///
/// A Newton step solves (A + C (W + alpha / rho)) dr = -e with A = de/dr, C = de/du of Alart and Curnier's equations
/// e(r, W r + q) = 0 and rho of each block as in Certificate. It is taken in full, projected on K, and however large
/// the error after it, the sweeps that follow decide: they undo what the wrong guess of a mode (open, stick, slip) did
/// near its contact and keep the long waves that they themselves would need 1e5 sweeps for. Up to three Newton steps
/// come first; one that lowers |e| takes no sweeps, so that near a solution this is Newton's method. A cycle is kept
/// where |e| falls below the largest of the last three values. alpha falls with every cycle kept and rises where one is
/// refused; where it has risen too far, the last trial is taken as it is and alpha starts anew, with another number of
/// sweeps and another relaxation: among many nearly equal sets of modes the way on may lead uphill.
///
/// An attempt that takes too long is given up: which way arrives is chaotic, and those that do mostly arrive early.
/// With 1000 to 5000 blocks the attempts take 170, 150, 60, 120 and 60 steps, then twice as many: as above; from r = 0
/// where that is another start; with four times the sweeps and ten times alpha; as above; as the third from the best
/// point so far. The last three also solve parts: between the Newton steps and the sweeps, up to 30 times, the 60
/// blocks around one of the largest errors, which is where wrong modes are, with the other reactions held (steps in
/// parts are not counted). Smaller and larger problems make two attempts, of 300 and 700 steps, the second with an
/// alpha for each contact that Newton's steps worsen.
///
/// What the method is for: piles and walls of thousands of contacts, hyperstatic, with masses of many orders, where
/// sweeps crawl, Newton's method alone cycles and interior points lose their way. Coulomb, Rolling, Orthant and Free
/// blocks, any W; blocks without a local solution (redundant bilateral rows) leave Newton's steps alone to work. No
/// proof that it converges; a problem without a solution ends IterationLimit. Cost of a cycle: one to three
/// multifrontal LUs of the rows of closed contacts, and the sweeps. Source: Alart, Curnier 1991 [alart1991] for e; the
/// two levels as in Gräser, Kornhuber 2009 [graeser2009].
struct GaussSeidelNewton {
  double tolerance = 1e-10;                ///< of the measure: measure <= tolerance; > 0
  Measure measure = Measure::Certificate;  ///< what the tolerance bounds
  Index max_steps = 1000;                  ///< Newton steps, >= 1; piles take 10 to 400
  Index sweeps = 50;                       ///< after Newton steps that raise the error, >= 0; they cost as much as one
  double relaxation = 1.3;                 ///< of the sweeps, in (0, 2): beyond 1 they also leave repelling points
  double regularization = 1e-2;            ///< alpha of the first step [-], > 0: a share of W's mean local eigenvalue
  double time_limit = std::numeric_limits<double>::infinity();  ///< [s], > 0
  Eigen::VectorXd start{};                                      ///< r to start from, projected on K; empty: 0

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// @throws InvalidArgument as Problem::validate and GaussSeidelNewton::validate, for another set, and for a start of
/// another size than q.
[[nodiscard]] Result solve(const Problem& problem, const GaussSeidelNewton& options);

}  // namespace nonsmooth::friction
