// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth {

/// What a simulation does with what it finds when it looks at its model before the first step.
enum class Examination : unsigned char {
  Refuse,  ///< what is wrong in every run in which it acts is InvalidArgument; the rest is told
  Report,  ///< all are told, none refused
  Off,     ///< the model is not looked at
};

/// One thing that was found in a model before its first step.
struct Remark {
  enum class Kind : unsigned char {
    /// A first-order row with an unbounded multiplier that acts on a derivative of y too high for the scheme: value =
    /// the relative degree, the number of the first non-zero one of D, C M^-1 B, C M^-1 A M^-1 B, ... Of an equality:
    /// from 2 on, where errors in derivatives of y ring under the scheme. By events: from 2 on.
    RelativeDegree,
    /// A multiplier of a first-order row that acts on no derivative of y: what bounds y cannot be held.
    Unreached,
    /// The problem of a step of linear first-order systems, with W = D + h g w C (M - h theta A)^-1 B (the hold's own
    /// integral in the place of h (...)^-1), may have several answers, or none: W is neither a P-matrix nor monotone;
    /// of more than 10 rows: it is no P-matrix for certain. Steps of up to 4 rows that have several are told by their
    /// reports. By events: W = D + h C B for a short h, and instants that have several motions are told.
    Ambiguity,
    /// The initial state lies inside an obstacle, or off an equality, by more than 1e-9 of the terms that y is the sum
    /// of, and more than a projection leaves where there is one: value = the depth, or the distance [unit of y]. Two
    /// linked rows that are opposite and leave no room, as of stops the wrong way about, are told together: value is
    /// what is missing. Refused: a joint (MechanicalRelation::is_joint) that starts open by more than closed_joint, in
    /// a simulation that begins or that it joins by an edit; what drifts in a run is none. By events: what a repair of
    /// the initial state moved; without one all these are refused, by their rows.
    Interpenetration,
    /// A first-order system with a singular mass under EulerMoreau with theta < 1: value = (1 - theta) / theta, by
    /// which algebraic unknowns throw back in each step what a multiplier or input made them jump.
    AlgebraicRinging,
  };
  Kind kind = Kind::RelativeDegree;
  std::string subject;   ///< "row 0 of stop"
  double value = 0.0;    ///< see Kind
  bool refused = false;  ///< by Examination::Refuse
  std::string found;     ///< what was found
  std::string expected;  ///< what would do

  [[nodiscard]] std::string message() const { return subject + ": found " + found + "; expected " + expected; }
};

using Remarks = std::vector<Remark>;

/// One thing that was noticed in steps of a run. None stops it: each says where to look.
struct RunRemark {
  enum class Kind : unsigned char {
    /// A multiplier of a first-order row without a bound that is of size 1/h: an impulse h lambda. In one step (or two)
    /// it moves a state by more than a thousandth of its size so far, and 10 times more than the state moves in the
    /// step before, in the one after and without it; it makes up for 10 times more of y than the step's free motion
    /// changed, or acts on a derivative of y; and h lambda C B lambda is above 10 |lambda D lambda|, which would bound
    /// it. Known when the step after it is made; advance_to tries that step on a copy of the state where its last step
    /// may have been one, so that models are asked up to two steps beyond its end. worst = the largest h |lambda|.
    ImpulsiveMultiplier,
    /// A model without inputs has more energy after the step than before, beyond round-off, the tolerance of the
    /// one-step problem and what the scheme is known to add. worst = the largest gain, [J] for mechanics.
    EnergyGain,
    /// The step has several answers (StepReport::other_ends), or several motions go on from an instant of an
    /// event-driven run (first_t: the first of them), or from where a FilippovSystem is that slides along other
    /// surfaces than before for the second step: the step has one of them, and alternatives() have none. worst = the
    /// largest number of others.
    SeveralAnswers,
    /// An impact whose contacts did more work than they took, p·(u+ + u-) / 2 > 0 over the contacts that act on one
    /// another: the law's own, of Newton's with friction or with coefficients that differ (Kane, Levinson 1985
    /// [kanelevinson1985]), of Poisson's with both. Of steps and of instants, beyond round-off,
    /// 1e-8 of the terms, and in a step what its forces might have done in it. subject: the contact that did most and
    /// the law of its impacts; worst = the largest gain of one impact [J].
    ImpactGain,
    /// A body went through another in one step: along the normal where they met on its straight way, or where they
    /// overlapped as it began, more of the way was left than their source sees (ContactSource::passage_depth; of
    /// contacts that are linked MechanicalRelation::passage_depth), and after it they were apart, on the other side or
    /// in each other where the contact pushes more than 60 degrees aside of that normal. Shorter steps do not, nor does
    /// MoreauJean with theta = forecast = 1 where contacts are found. worst = the largest such way [m].
    Passage,
    /// A rigid contact is deeper inside, where a step begins, than the way that the approaches so far explain, h times
    /// the fastest (StepReport::penetration and approach; (2 - forecast - theta) h where that is more), and deeper than
    /// any was at the run's start or a projection leaves alone: what steps add up, of residuals of the one-step
    /// problems and of normals that turn
    /// under what slides. A projection or StewartTrinkle keeps it out, a shorter step makes it less. subject: the first
    /// such contact; worst = the deepest of all [m].
    Penetration,
    /// Whether bodies went through one another in a step is not known to its end: they fly so near along each other, or
    /// spin so fast, that a thousand places on its way did not reach its end. worst = the largest part of a way that
    /// was not looked at [-].
    PassageUnknown,
    /// A coordinate that counts turns, or a motor that follows one, went by half a turn or more in a step, h |u| at the
    /// mean velocity: how many turns it is at is not known from then on. Shorter steps tell. subject: its interaction;
    /// worst = the most turns of a step.
    TurnUnknown,
    /// Equality rows in loops of more than 400 rows, where no proof says that the rows found to depend on others are
    /// all (StepReport::unexamined_rows): reactions may then be any that act alike, and their solver may fail. worst =
    /// the most of such rows.
    RedundancyUnknown,
    /// A step was made in parts (OnFailure::Subdivide), and none of them was looked at for passages, energy and
    /// impacts that gain. worst = the most parts of a step. With worst = 0, once as a run begins: contacts of shapes
    /// that are linked and not looked at for passages, as they are with a mesh, depend on time, or are under a scheme
    /// that keeps its unknown (SchatzmanPaoli). subject: the first of them, and how many more.
    Unwatched,
    /// A higher-order process grew by more than its scheme can: (1 - h rate) |z_{k+1}| > |z_k| + h forcing, beyond 1e-9
    /// of it and
    /// ten errors of the one-step problem, where h rate < 1 and no other interaction acts on its systems
    /// (link_higher_order). The problem of the step was not solved, or states were written by an observer. worst = the
    /// largest of these ratios, less 1.
    BoundExceeded,
    /// Elements: Newton's iteration on the modes of a step failed, or did not determine its step functions though x' is
    /// unique; what was left of the step was found as one program with complementarity constraints. Its switches are
    /// not among the events. worst = the largest residual of its certificate, to which the step is known.
    StepProblem,
    /// An automaton slid where two of its modes would have switched to and fro faster than it was to follow
    /// (HybridAutomaton::sliding_interval); first_t: the start of the first such time, count: how many. worst = the
    /// largest distance of the motion that switches from the one that slides, a bound to first order in the width of
    /// the band [unit of x].
    SlidingInstead,
  };
  Kind kind = Kind::ImpulsiveMultiplier;
  std::string subject;   ///< "row 0 of stop", "the mechanical systems"
  double first_t = 0.0;  ///< the end of the first such step [s]
  Index count = 0;       ///< of such steps
  double worst = 0.0;    ///< see Kind

  [[nodiscard]] std::string message() const;
};

/// One a kind and subject, in the order in which they were noticed.
using RunRemarks = std::vector<RunRemark>;

}  // namespace nonsmooth
