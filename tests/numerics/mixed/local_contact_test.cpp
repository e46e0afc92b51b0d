// SPDX-License-Identifier: Apache-2.0
// The exact solve of one contact, from whatever slip ratio the last visit left.
#include <gtest/gtest.h>

#include <cmath>

#include "mixed/local_contact.hpp"

namespace nonsmooth::mixed::local::local_contact_test {
namespace {

TEST(LocalContact, AContactThatHardlyTouchedFindsItsWayBack) {
  // W = diag(w, s, s): sliding is r_N = -b_N / w, r_T = -mu r_N b_T / |b_T|. A visit with b_N = -1e-158 leaves a slip
  // ratio |b_T| / (mu r_N) of some 1e157, whose square overflows; the next visits, with an ordinary load, have to slide
  // all the same. Newton ends at two units in the last place of the slip ratio: 1e-12 of r leaves room.
  const double W[9] = {0.27, 0.0, 0.0, 0.0, 0.94, 0.0, 0.0, 0.0, 0.94}, mu = 0.6;
  Radial3D law;
  ASSERT_TRUE(law.prepare(W, mu, false));
  double r[3];
  const double grazing[3] = {-1e-158, 0.05, 0.0}, loaded[3] = {-1e-6, 0.05, 0.0};
  ASSERT_TRUE(law.solve(grazing, r));
  for (int visit = 0; visit < 3; ++visit) {
    ASSERT_TRUE(law.solve(loaded, r));
    EXPECT_NEAR(r[0], 1e-6 / 0.27, 1e-12 * r[0]);
    EXPECT_NEAR(r[1], -mu * r[0], 1e-12 * r[0]);
    EXPECT_NEAR(r[2], 0.0, 1e-12 * r[0]);
  }
}

}  // namespace
}  // namespace nonsmooth::mixed::local::local_contact_test
