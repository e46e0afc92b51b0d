// SPDX-License-Identifier: Apache-2.0
// fuzz_friction [instances] [seed] [first] [others]: random problems of frictional contact, planar, spatial, elliptic,
// cohesive, rolling, and all of them mixed with bilateral and frictionless blocks, each through friction::Automatic,
// where W is symmetric through the global form's automatic choice, and through `others` (1) more entries of the
// registry. Contacts are chained, on islands, or more than their bodies have velocities for; velocities are planted,
// degenerate, 0, drawn, or such that there is no solution; a third is usual, the others have one trait: no friction,
// next to none, a lot of it, W unsymmetric, masses over 8 decades, contacts between bodies that cannot move.
//
// Fails if an answer called Solved is above the tolerance by an independent certificate, if a proof of infeasibility is
// false, if a problem without a solution is called Solved, or if automatic leaves more than a hundredth of the
// problems of a class known to be solvable without their verdict. Instance k alone: fuzz_friction 1 SEED k.
// Exit status: 0, 1 if it fails, 2 for an argument that cannot be used.
#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <utility>

#include <nonsmooth/numerics/friction.hpp>

#include "../problems/contacts.hpp"
#include "../problems/proof_judge.hpp"
#include "judge.hpp"

namespace {

using namespace nonsmooth;
using namespace nonsmooth::fuzz;
using problems::ContactDraw;
using problems::ContactFriction;
using problems::ContactGraph;
using problems::ContactLaw;
using problems::Contacts;
using problems::ContactVelocity;

constexpr double tolerance = 1e-8;

ContactDraw recipe(std::mt19937_64& random) {
  ContactDraw how;
  how.law = static_cast<ContactLaw>(random() % 6);
  how.graph = static_cast<ContactGraph>(random() % 3);
  using enum ContactVelocity;
  constexpr std::array velocities{Planted, Planted, Planted, Degenerate, Degenerate, Zero, Any, Any, Any, Closing};
  how.velocity = velocities[random() % velocities.size()];
  how.contacts = random() % 100 == 0 ? 12 : 1 + static_cast<Index>(random() % 6);
  if (how.velocity == Closing) how.contacts = std::max<Index>(2, how.contacts);
  switch (random() % 9) {
    case 0:
      how.friction = ContactFriction::None;
      break;
    case 1:
      how.friction = ContactFriction::Tiny;
      break;
    case 2:
      how.friction = ContactFriction::Large;
      break;
    case 3:
      how.unsymmetric = true;
      break;
    case 4:
      how.decades = 8.0;
      break;
    case 5:
      how.fixed = true;
      break;
    default:
      break;
  }
  return how;
}

friction::GlobalProblem global_form(const Contacts& contacts) {
  friction::GlobalProblem global;
  global.A = Eigen::MatrixXd(contacts.mass.asDiagonal()).sparseView();
  global.H = contacts.H.sparseView();
  global.f.setZero(contacts.mass.size());
  global.w = contacts.problem.q;
  global.K = contacts.problem.K;
  return global;
}

void run(Judge& judge, std::mt19937_64& random) {
  constexpr std::array laws{"plane", "space", "elliptic", "cohesive", "rolling", "every law"};
  const ContactDraw how = recipe(random);
  const Contacts contacts = problems::random_contacts(how, random);
  const Instance what{laws[static_cast<std::size_t>(how.law)], contacts.name, contacts.problem.q.size(),
                      contacts.verdict, contacts.known_class};
  const friction::Problem& p = contacts.problem;
  const auto worth = [&](const Eigen::VectorXd& r) { return problems::worth(contacts.W, p.q, p.K, r); };
  if (contacts.r.size() > 0) judge.check_planted(what, worth(contacts.r));
  const auto answer = [&](const auto& result) {
    return answer_of(result, worth(result.r), problems::proof_holds(contacts.W, p.q, p.K, result.proof));
  };
  judge.run(what, friction::registry(), random, [&](const friction::Entry& entry) {
    return answer(entry.solver.solve(p, Limits{.tolerance = tolerance}));
  });
  if (how.unsymmetric) return;
  judge.also(what, "global automatic", [&] {
    return answer(friction::solve(global_form(contacts), friction::GlobalAutomatic{.tolerance = tolerance}));
  });
}

}  // namespace

int main(int argc, char** argv) {
  const auto arguments = fuzz::arguments("fuzz_friction", 1'000, 1, argc, argv);
  if (!arguments) return 2;
  return fuzz::fuzz(*arguments, tolerance, run);
}
