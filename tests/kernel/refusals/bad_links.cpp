// SPDX-License-Identifier: Apache-2.0
// Malformed links: relations, laws and what they join: refused by an exception that names the argument, what was found
// and what is expected.
#include "kernel/bad_input.hpp"

namespace nonsmooth::bad_links_test {
namespace {

using namespace bad_input;

class BadLink : public Linking {};

TEST_F(BadLink, NoSystem) {
  expect_link_refused({}, height(), NewtonImpactLaw{}, {"Interaction::systems", "no system", "one or several"});
  expect_link_refused({}, output(), ComplementarityLaw{}, {"Interaction::systems", "no system", "one or several"});
}

TEST_F(BadLink, OneSystemTwice) {
  LagrangianLinearRelation relation;
  relation.H = {{1.0, -1.0}};
  expect_link_refused({mechanical, mechanical}, relation, NewtonImpactLaw{},
                      {"Interaction::systems", "ball twice", "each system once"});
}

TEST_F(BadLink, SystemsOfAnotherOrder) {
  expect_link_refused({electrical}, height(), NewtonImpactLaw{},
                      {"Interaction::systems", "first-order capacitor", "mechanical"});
  expect_link_refused({mechanical}, output(), ComplementarityLaw{},
                      {"Interaction::systems", "mechanical ball", "first-order"});
  LagrangianLinearRelation both;
  both.H = {{1.0, 1.0}};
  expect_link_refused({mechanical, electrical}, both, NewtonImpactLaw{}, {"Interaction::systems", "capacitor"});
}

TEST_F(BadLink, MatricesOfAnotherShape) {
  LagrangianLinearRelation relation;
  relation.H = {{1.0, 0.0}};
  expect_link_refused({mechanical}, relation, NewtonImpactLaw{}, {"LagrangianLinearRelation::H", "1 x 2", "m x 1"});
  relation = {};
  expect_link_refused({mechanical}, relation, NewtonImpactLaw{}, {"LagrangianLinearRelation::H", "nothing"});
  relation.H = {{1.0}};
  relation.b = {0.0, 1.0};
  expect_link_refused({mechanical}, relation, NewtonImpactLaw{},
                      {"LagrangianLinearRelation::b", "2 entries", "1 entry"});
  auto first = output();
  first.B = {{1.0, 2.0}};
  expect_link_refused({electrical}, first, ComplementarityLaw{}, {"FirstOrderLinearRelation::B", "1 x 2", "1 x 1"});
  first = output();
  first.D = {{1.0, 2.0}, {3.0, 4.0}};
  expect_link_refused({electrical}, first, ComplementarityLaw{}, {"FirstOrderLinearRelation::D", "2 x 2", "1 x 1"});
  first = output();
  first.e = {1.0, 2.0};
  expect_link_refused({electrical}, first, ComplementarityLaw{},
                      {"FirstOrderLinearRelation::e", "2 entries", "1 entry"});
  first = output();
  first.C = {};
  expect_link_refused({electrical}, first, ComplementarityLaw{}, {"FirstOrderLinearRelation::C", "nothing"});
}

TEST_F(BadLink, EntriesThatAreNotFinite) {
  LagrangianLinearRelation relation;
  relation.H = {{kNaN}};
  expect_link_refused({mechanical}, relation, NewtonImpactLaw{}, {"LagrangianLinearRelation::H", "not finite"});
  relation = height();
  relation.b = {kInfinity};
  expect_link_refused({mechanical}, relation, NewtonImpactLaw{}, {"LagrangianLinearRelation::b", "inf", "finite"});
  auto first = output();
  first.D = {{kNaN}};
  expect_link_refused({electrical}, first, ComplementarityLaw{}, {"FirstOrderLinearRelation::D", "not finite"});
  first = output();
  first.e = {kNaN};
  expect_link_refused({electrical}, first, ComplementarityLaw{}, {"FirstOrderLinearRelation::e", "nan", "finite"});
}

TEST_F(BadLink, FunctionsWhereConstantsAreNeeded) {
  LagrangianLinearRelation relation;
  relation.H = [](double, MatrixRef H) { H(0, 0) = 1.0; };
  expect_link_refused({mechanical}, relation, NewtonImpactLaw{},
                      {"LagrangianLinearRelation::H", "a function", "constant"});
}

TEST_F(BadLink, RowsThatDoNotMatchTheLaw) {
  expect_link_refused({mechanical}, height(), NewtonImpactFrictionLaw{},
                      {"Interaction::relation", "1 rows", "multiple of 2"});
  LagrangianLinearRelation three;
  three.H = {{1.0}, {1.0}, {1.0}};
  expect_link_refused({mechanical}, three, NewtonImpactFrictionLaw{},
                      {"Interaction::relation", "3 rows", "multiple of 2"});
}

TEST_F(BadLink, RelationsWithoutFunctionOrRows) {
  expect_link_refused({mechanical}, ScleronomousRelation{}, NewtonImpactLaw{},
                      {"ScleronomousRelation::h", "no function"});
  ScleronomousRelation relation;
  relation.rows = 0;
  relation.h = [](ConstVectorRef, VectorRef) {};
  expect_link_refused({mechanical}, relation, NewtonImpactLaw{}, {"ScleronomousRelation::rows", "0", "at least 1"});
}

TEST_F(BadLink, LawsThatDoNotFitTheRelation) {
  expect_link_refused({mechanical}, height(), ComplementarityLaw{},
                      {"law", "ComplementarityLaw on a mechanical relation", "NewtonImpactLaw"});
  expect_link_refused({electrical}, output(), NewtonImpactLaw{},
                      {"law", "an impact law on a first-order relation", "ComplementarityLaw"});
  auto two = output();
  two.C = {{1.0}, {1.0}};
  two.B = {{1.0, 1.0}};
  expect_link_refused({electrical}, two, NewtonImpactFrictionLaw{}, {"law", "impact law on a first-order relation"});
}

TEST_F(BadLink, LawParametersOutOfRange) {
  for (const double e : {-0.1, 1.1, kNaN, kInfinity}) {
    expect_link_refused({mechanical}, height(), NewtonImpactLaw{e}, {"NewtonImpactLaw::restitution", "[0, 1]"});
  }
  LagrangianLinearRelation two;
  two.H = {{1.0}, {1.0}};
  NewtonImpactFrictionLaw law;
  law.restitution = 2.0;
  expect_link_refused({mechanical}, two, law, {"NewtonImpactFrictionLaw::restitution", "2", "[0, 1]"});
  law = {};
  law.tangential_restitution = -1.0;
  expect_link_refused({mechanical}, two, law, {"NewtonImpactFrictionLaw::tangential_restitution", "-1", "[0, 1]"});
  for (const double mu : {-0.3, kNaN, kInfinity}) {
    law = {};
    law.friction = mu;
    expect_link_refused({mechanical}, two, law, {"NewtonImpactFrictionLaw::friction", "[0, "});
  }
  expect_link_refused({electrical}, output(), RelayLaw{1.0, -1.0},
                      {"RelayLaw", "lower = 1", "upper = -1", "lower <= upper"});
  expect_link_refused({electrical}, output(), RelayLaw{kNaN, 1.0}, {"RelayLaw", "nan", "lower <= upper"});
}

}  // namespace
}  // namespace nonsmooth::bad_links_test
