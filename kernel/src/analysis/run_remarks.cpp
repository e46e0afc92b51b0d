// SPDX-License-Identifier: Apache-2.0
#include "run_remarks.hpp"

#include <algorithm>
#include <sstream>
#include <utility>

namespace nonsmooth {
namespace {

RunRemarks::iterator remark_of(RunRemark::Kind kind, const std::string& subject, RunRemarks& remarks) {
  return std::find_if(remarks.begin(), remarks.end(),
                      [&](const RunRemark& r) { return r.kind == kind && r.subject == subject; });
}

}  // namespace

std::string RunRemark::message() const {
  std::ostringstream text;
  text << subject << ": ";
  switch (kind) {
    case Kind::ImpulsiveMultiplier:
      text << "a multiplier of size 1/h in " << count << " steps, the first to t = " << first_t
           << " s: it is an impulse h lambda, at most " << worst;
      break;
    case Kind::EnergyGain:
      text << "energy from nowhere in " << count << " steps, the first to t = " << first_t << " s: at most " << worst
           << " in one";
      break;
    case Kind::SeveralAnswers:
      text << "several answers, " << count << " times, first at t = " << first_t << " s: at most " << worst
           << " others than the one taken";
      break;
    case Kind::ImpactGain:
      text << count << " impacts gave energy, the first at t = " << first_t << " s: at most " << worst
           << " J; Newton's law may do so with friction or different coefficients of restitution, Poisson's with both";
      break;
    case Kind::Passage:
      text << "gone through in one step, " << count << " times, the first to t = " << first_t << " s: at most " << worst
           << " m beyond where they met; shorter steps, or MoreauJean with theta = 1 and forecast = 1";
      break;
    case Kind::Penetration:
      text << "inside by more than h times the fastest approach in " << count << " steps, the first to t = " << first_t
           << " s: contacts by at most " << worst
           << " m; a projection or StewartTrinkle keeps them out, a smaller tolerance or step makes it less";
      break;
    case Kind::PassageUnknown:
      text << "not followed to the end of " << count << " steps, the first to t = " << first_t
           << " s: whether bodies went through one another in the last " << worst
           << " of the way is not known, as they fly along each other or spin so fast; shorter steps tell";
      break;
    case Kind::TurnUnknown:
      text << "turned by half a turn or more in " << count << " steps, the first to t = " << first_t << " s: at most "
           << worst << " turns in one; which turn it is at is not known, shorter steps tell";
      break;
    case Kind::RedundancyUnknown:
      text << "the dependent ones found are not proven to be all in " << count << " steps, the first to t = " << first_t
           << " s: " << worst << " rows whose reactions may not be unique";
      break;
    case Kind::Unwatched:
      if (worst == 0.0) {
        text
            << "not watched from t = " << first_t
            << " s on: whether bodies go through one another at contacts that are linked to a mesh or a height "
               "field or whose depth is not known, that depend on time or that a scheme which keeps its unknown solves";
        break;
      }
      text << "not watched in " << count << " steps, the first to t = " << first_t << " s, as they were made in "
           << worst << " parts at most: passages, energy and impacts that gain";
      break;
    case Kind::BoundExceeded:
      text << "more growth in " << count << " steps, the first to t = " << first_t
           << " s, than the scheme of a higher-order process can make: (1 - h rate) |z+| above |z| + h forcing by at "
              "most "
           << worst << " of it; a smaller tolerance of the one-step problem, or states that nobody writes";
      break;
    case Kind::StepProblem:
      text << "Newton's iteration on modes failed in " << count << " steps, the first to t = " << first_t
           << " s, which were found as programs with complementarity constraints, with residuals of at most " << worst;
      break;
    case Kind::SlidingInstead:
      text << "slid " << count << " times, first from t = " << first_t
           << " on, in the place of a saw-tooth, which is at most " << worst << " away";
      break;
  }
  return text.str();
}

void add_remark(RunRemark::Kind kind, const std::string& subject, double t, double value, RunRemarks& remarks,
                Index count) {
  const auto same = remark_of(kind, subject, remarks);
  if (same == remarks.end()) {
    if (count > 0) remarks.push_back({kind, subject, t, count, value});
  } else {
    same->count += count;
    same->worst = std::max(same->worst, value);
  }
}

void begin_remark(RunRemark::Kind kind, std::string&& subject, double t, RunRemarks& remarks) {
  if (remark_of(kind, subject, remarks) == remarks.end()) remarks.push_back({kind, std::move(subject), t, 0, 0.0});
}

}  // namespace nonsmooth
