// SPDX-License-Identifier: Apache-2.0
#include <problems/finance.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace nonsmooth::problems {

double AmericanPut::perpetual_boundary() const {
  const double g = 2.0 * rate / (volatility * volatility);
  return strike * g / (1.0 + g);
}

double AmericanPut::perpetual_value(double spot) const {
  const double g = 2.0 * rate / (volatility * volatility), boundary = perpetual_boundary();
  return spot <= boundary ? strike - spot : (strike - boundary) * std::pow(spot / boundary, -g);
}

double binomial_value(const AmericanPut& put, double spot, int steps) {
  const double dt = put.maturity / steps, up = std::exp(put.volatility * std::sqrt(dt));
  const double discount = std::exp(-put.rate * dt), p = (1.0 / discount - 1.0 / up) / (up - 1.0 / up);
  std::vector<double> price(2 * static_cast<std::size_t>(steps) + 1);  // spot up^(k - steps)
  for (std::size_t k = 0; k < price.size(); ++k) price[k] = spot * std::pow(up, double(k) - double(steps));
  std::vector<double> value(static_cast<std::size_t>(steps) + 1);
  for (std::size_t i = 0; i < value.size(); ++i) value[i] = std::max(0.0, put.strike - price[2 * i]);
  for (int step = steps - 1; step >= 0; --step) {
    for (int i = 0; i <= step; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const double hold = discount * (p * value[at + 1] + (1.0 - p) * value[at]);
      value[at] = std::max(hold, put.strike - price[static_cast<std::size_t>(2 * i - step + steps)]);
    }
  }
  return value[0];
}

AmericanPutGrid::AmericanPutGrid(const AmericanPut& put, Index half, double width)
    : h_(width / double(half)), L_(2 * half - 1, 2 * half - 1), spot_(2 * half - 1), payoff_(2 * half - 1) {
  const Index n = spot_.size();
  const double diffusion = 0.5 * put.volatility * put.volatility / (h_ * h_);
  const double drift = (put.rate - 0.5 * put.volatility * put.volatility) / (2.0 * h_);
  const auto spot = [&](Index i) { return put.strike * std::exp(double(i + 1 - half) * h_); };
  const auto payoff = [&](Index i) { return std::max(0.0, put.strike - spot(i)); };
  std::vector<Eigen::Triplet<double>> entries;
  L_payoff_.resize(n);
  for (Index i = 0; i < n; ++i) {
    const double below = diffusion - drift, above = diffusion + drift, here = -2.0 * diffusion - put.rate;
    entries.emplace_back(int(i), int(i), here);
    if (i > 0) entries.emplace_back(int(i), int(i - 1), below);
    if (i + 1 < n) entries.emplace_back(int(i), int(i + 1), above);
    spot_[i] = spot(i), payoff_[i] = payoff(i);
    L_payoff_[i] = below * payoff(i - 1) + here * payoff(i) + above * payoff(i + 1);
  }
  L_.setFromTriplets(entries.begin(), entries.end());
}

lcp::SparseProblem AmericanPutGrid::step(ConstVectorRef z_before, double dt, double theta) const {
  Eigen::SparseMatrix<double> identity(L_.rows(), L_.cols());
  identity.setIdentity();
  return {identity - theta * dt * L_, -dt * L_payoff_ - z_before - (1.0 - theta) * dt * (L_ * z_before)};
}

lcp::SparseProblem AmericanPutGrid::perpetual() const { return {-L_, -L_payoff_}; }

double AmericanPutGrid::value(ConstVectorRef z, double spot) const {
  const double at = std::log(spot / spot_[0]) / h_;
  const Index i = std::clamp<Index>(static_cast<Index>(at), 0, spot_.size() - 2);
  const double weight = at - double(i);
  const double time_value = (1.0 - weight) * z[i] + weight * z[i + 1];
  return time_value + std::max(0.0, spot_[spot_.size() / 2] - spot);
}

double AmericanPutGrid::boundary(ConstVectorRef z) const {
  Index i = spot_.size() / 2;
  while (i > 0 && z[i] > 0.0) --i;
  return spot_[i];
}

std::vector<PutEntry> huang() {
  return {{35, .2, 1, 0.0062}, {35, .2, 4, 0.2004}, {35, .2, 7, 0.4328}, {40, .2, 1, 0.8522}, {40, .2, 4, 1.5798},
          {40, .2, 7, 1.9904}, {45, .2, 1, 5.0000}, {45, .2, 4, 5.0883}, {45, .2, 7, 5.2670}, {35, .3, 1, 0.0774},
          {35, .3, 4, 0.6975}, {35, .3, 7, 1.2198}, {40, .3, 1, 1.3099}, {40, .3, 4, 2.4825}, {40, .3, 7, 3.1696},
          {45, .3, 1, 5.0597}, {45, .3, 4, 5.7056}, {45, .3, 7, 6.2436}, {35, .4, 1, 0.2466}, {35, .4, 4, 1.3460},
          {35, .4, 7, 2.1549}, {40, .4, 1, 1.7681}, {40, .4, 4, 3.3874}, {40, .4, 7, 4.3526}, {45, .4, 1, 5.2868},
          {45, .4, 4, 6.5099}, {45, .4, 7, 7.3830}};
}

}  // namespace nonsmooth::problems
