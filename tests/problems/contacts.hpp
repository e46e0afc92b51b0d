// SPDX-License-Identifier: Apache-2.0
// Random problems of frictional contact over every law, with solutions planted or existence known, problems without a
// solution. Every draw comes from the engine passed.
#pragma once

#include <random>
#include <string>

#include <nonsmooth/numerics/friction/problem.hpp>

#include <problems/lcp.hpp>

namespace nonsmooth::problems {

enum class ContactLaw : unsigned char { Plane, Space, Elliptic, Cohesive, Rolling, Every };
enum class ContactGraph : unsigned char {
  Chain,    ///< contact i between the bodies i and i + 1
  Islands,  ///< each contact between two bodies of its own
  Few,      ///< all on one or two bodies: more rows than they have velocities
};
enum class ContactVelocity : unsigned char { Planted, Degenerate, Zero, Any, Closing };
enum class ContactFriction : unsigned char { None, Tiny, Usual, Large };

struct ContactDraw {
  ContactLaw law = ContactLaw::Space;
  ContactGraph graph = ContactGraph::Chain;
  ContactVelocity velocity = ContactVelocity::Planted;
  ContactFriction friction = ContactFriction::Usual;
  bool unsymmetric = false;  ///< a skew part in the inverse mass matrix of each body
  double decades = 0.0;      ///< of the masses
  bool fixed = false;        ///< every fourth contact is between bodies that cannot move: its rows of H are 0
  Index contacts = 1;
};

/// u = W r + q with W = H B H^T, B = A^-1 block-diagonal, 6 x 6 a body.
struct Contacts {
  std::string name;
  friction::Problem problem;
  Eigen::MatrixXd W, H;  ///< dense
  Eigen::VectorXd mass;  ///< B = diag(mass)^-1 where nothing is unsymmetric
  Verdict verdict = Verdict::Solvable;
  bool known_class = true;
  Eigen::VectorXd r{};  ///< a solution where one was planted
};

/// A problem as drawn. Closing: two contacts of one body face each other and both close, so that there is no solution;
/// it needs two contacts. Any velocity has a solution where H has independent rows and A is symmetric [acary2011], and
/// q = 0 has r = 0.
Contacts random_contacts(const ContactDraw& how, std::mt19937_64& random);

}  // namespace nonsmooth::problems
