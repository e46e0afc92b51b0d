// SPDX-License-Identifier: Apache-2.0
#include "network.hpp"

#include <algorithm>

double Group::flow(double P) const { return std::clamp(demand - (P - alone) / congestion, 0.0, demand); }

double Network::flow(double P) const {
  double sum = 0.0;
  for (const Group& group : groups) sum += group.flow(P);
  return sum;
}

double Network::toll(double P) const { return P - alone - congestion * flow(P); }

double Network::revenue(double P) const { return toll(P) * flow(P); }

double Network::all_time(double P) const {
  double sum = (alone + congestion * flow(P)) * flow(P);
  for (const Group& group : groups) {
    const double other = group.demand - group.flow(P);
    sum += other * (group.alone + group.congestion * other);
  }
  return sum;
}
