// SPDX-License-Identifier: Apache-2.0
#include <problems/filippov_cards.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <nonsmooth/numerics/error.hpp>

namespace nonsmooth::problems {
namespace {

SwitchingFunction threshold(Index k, double level = 0.0) {
  return {.name = "x" + std::to_string(k) + " = " + std::to_string(level),
          .value = [=](double, ConstVectorRef x) { return x[k] - level; },
          .gradient = [=](double, ConstVectorRef, VectorRef gradient) { gradient[k] = 1.0; }};
}

/// x' = A x + b where the signs are as given.
FilippovRegion linear(std::vector<int> signs, const Eigen::MatrixXd& A, const Eigen::VectorXd& b) {
  return {.signs = std::move(signs),
          .f = [A, b](double, ConstVectorRef x, VectorRef f) { f = A * x + b; },
          .f_dx = [A](double, ConstVectorRef, MatrixRef J) { J = A; }};
}

std::vector<double> equally_far_apart(double last, Index count) {
  std::vector<double> list;
  for (Index i = 1; i <= count; ++i) list.push_back(last * static_cast<double>(i) / static_cast<double>(count));
  return list;
}

/// x after a time h of x' = A x + b, by its power series.
Eigen::VectorXd flow(const Eigen::MatrixXd& A, const Eigen::VectorXd& b, const Eigen::VectorXd& x, double h) {
  Eigen::VectorXd term = h * (A * x + b), sum = x;
  for (int k = 2; k < 60; ++k) {
    sum += term;
    term = (h / k) * (A * term);
  }
  return sum;
}

/// alpha_j of a band: between the fields to both sides, by what leads to its middle.
double band_weight(double c, double above, double below, double tau) {
  const double eta = tau * std::max(std::abs(above), std::abs(below));
  const double side = c > 0.0 ? 1.0 : 0.0;
  if (std::abs(c) > eta || above >= 0.0 || below <= 0.0) return side;
  return std::clamp((-c / tau - below) / (above - below), 0.0, 1.0);
}

double weight(const FilippovRegion& region, const Eigen::VectorXd& alpha) {
  double w = 1.0;
  for (Index j = 0; j < alpha.size(); ++j) {
    const int sign = region.signs[static_cast<std::size_t>(j)];
    if (sign != 0) w *= sign > 0 ? alpha[j] : 1.0 - alpha[j];
  }
  return w;
}

/// grad c_j . f + (c_j)_t with alpha_j in the place of what alpha holds there. `f` is scratch.
double rate_with(const FilippovSystem& system, Index j, double alpha_j, double t, ConstVectorRef x,
                 Eigen::VectorXd& alpha, Eigen::VectorXd& f, Eigen::VectorXd& gradient) {
  const SwitchingFunction& c = system.switches[static_cast<std::size_t>(j)];
  const double kept = std::exchange(alpha[j], alpha_j);
  gradient.setZero();
  c.gradient(t, x, gradient);
  double rate = c.rate ? c.rate(t, x) : 0.0;
  for (const FilippovRegion& region : system.regions) {
    const double w = weight(region, alpha);
    if (w == 0.0) continue;
    f.setZero();
    region.f(t, x, f);
    rate += w * gradient.dot(f);
  }
  alpha[j] = kept;
  return rate;
}

}  // namespace

FilippovCard simple_relay_card() {
  FilippovCard card{
      .name = "SimpleExampleRelay",
      .system = {.x0 = {1.0, -1.0}, .switches = {threshold(0), threshold(1)}, .meaning = FilippovMeaning::MultiAffine},
      .instants = equally_far_apart(0.9, 10),
      .exact = {}};
  for (const int s0 : {1, -1})
    for (const int s1 : {1, -1})
      card.system.regions.push_back(
          linear({s0, s1}, Eigen::MatrixXd::Zero(2, 2), Eigen::Vector2d(-2.0 * s0, -2.0 * s1)));
  for (const double t : card.instants) {
    const double x = std::max(1.0 - 2.0 * t, 0.0);
    card.exact.emplace_back(Eigen::Vector2d(x, -x));
  }
  return card;
}

FilippovCard relay_oscillator_card() {
  constexpr double xi = -0.07, omega = 10.0, l = 0.05;
  const Eigen::Matrix3d A{{-(2.0 * xi * omega + l), 1.0, 0.0},
                          {-(2.0 * xi * omega * l + omega * omega), 0.0, 1.0},
                          {-l * omega * omega, 0.0, 0.0}};
  const Eigen::Vector3d B(1.0, -2.0, 1.0);
  FilippovCard card{.name = "RelayOscillatorWithSliding",
                    .system = {.x0 = {0.0, 0.5, 0.0},
                               .switches = {threshold(0)},
                               .regions = {linear({1}, A, -B), linear({-1}, A, B)}},
                    .instants = equally_far_apart(10.0, 10),
                    .exact = {}};

  Eigen::Matrix3d sliding = A;  // l = -x_1, and x_0 stays 0
  sliding.col(1) -= B;
  sliding.row(0).setZero();
  const Eigen::Vector3d none = Eigen::Vector3d::Zero();
  const auto after = [&](int mode, const Eigen::VectorXd& x, double h) {
    return mode == 0 ? flow(sliding, none, x, h) : flow(A, -mode * B, x, h);
  };
  const auto ends = [](int mode, const Eigen::VectorXd& x) {
    return mode == 0 ? std::abs(x[1]) > 1.0 : mode * x[0] < -1e-14;
  };
  Eigen::VectorXd x = Eigen::Vector3d(0.0, 0.5, 0.0);
  int mode = 0;
  double t = 0.0;
  for (const double T : card.instants) {
    while (t < T) {
      const double h = std::min(1e-3, T - t);
      Eigen::VectorXd next = after(mode, x, h);
      double taken = h;
      if (ends(mode, next)) {
        double low = 0.0;
        for (int i = 0; i < 60; ++i) {
          const double middle = 0.5 * (low + taken);
          (ends(mode, after(mode, x, middle)) ? taken : low) = middle;
        }
        next = after(mode, x, taken);
        next[0] = 0.0;
        mode = mode != 0 && std::abs(next[1]) < 1.0 ? 0 : next[1] > 0.0 ? 1 : -1;
      }
      x = next;
      t += taken;
    }
    card.exact.push_back(x);
  }
  return card;
}

FilippovCard unfolded_ball_card() {
  constexpr double g = 9.81, kappa = 0.5;
  FilippovCard card{
      .name = "Zhuravlev",
      .system = {.x0 = {1.0, 10.0}, .switches = {threshold(0), threshold(1)}, .meaning = FilippovMeaning::MultiAffine},
      .instants = equally_far_apart(1.8, 10),
      .exact = {}};
  for (const int s0 : {1, -1})
    for (const int s1 : {1, -1}) {
      const double turned = 1.0 - kappa * s0 * s1;
      card.system.regions.push_back(
          linear({s0, s1}, Eigen::Matrix2d{{0.0, turned}, {0.0, 0.0}}, Eigen::Vector2d(0.0, -g * s0 / turned)));
    }
  // Heights of a ball: h = h_0 + u s - g s^2 / 2 in each flight, u after an impact a third of that before it.
  for (const double t : card.instants) {
    double start = 0.0, height = 1.0, u = 5.0, side = 1.0;
    double length = (u + std::sqrt(u * u + 2.0 * g * height)) / g;
    while (t > start + length && length > 1e-12) {
      start += length;
      u = (g * length - u) / 3.0;
      length = 2.0 * u / g;
      height = 0.0;
      side = -side;
    }
    const double s = t - start, speed = u - g * s;
    if (s > length) {
      card.exact.emplace_back(Eigen::Vector2d::Zero());
    } else {
      card.exact.emplace_back(Eigen::Vector2d(side * (height + u * s - 0.5 * g * s * s),
                                              side * speed / (speed > 0.0 ? 1.0 - kappa : 1.0 + kappa)));
    }
  }
  return card;
}

FilippovCard gene_network_card() {
  constexpr double decay0 = 4.5, decay1 = 1.5, made = 40.0;
  FilippovCard card{.name = "StepSystem",
                    .system = {.x0 = {1.0, 6.0},
                               .switches = {threshold(0, 4.0), threshold(1, 4.0), threshold(0, 8.0), threshold(1, 8.0)},
                               .meaning = FilippovMeaning::MultiAffine},
                    .instants = equally_far_apart(1.0, 10),
                    .exact = {}};
  const Eigen::Matrix2d A{{-decay0, 0.0}, {0.0, -decay1}};
  for (int pattern = 0; pattern < 16; ++pattern) {
    std::vector<int> s(4);
    for (int j = 0; j < 4; ++j) s[static_cast<std::size_t>(j)] = (pattern >> j & 1) != 0 ? 1 : -1;
    card.system.regions.push_back(
        linear(s, A, Eigen::Vector2d(s[1] > 0 && s[2] < 0 ? made : 0.0, s[0] > 0 && s[3] < 0 ? made : 0.0)));
  }
  // x_0 runs towards 40/4.5, past 4, and stays at 8; x_1 decays until then, and runs towards 40/1.5 to 8.
  const double top0 = made / decay0, top1 = made / decay1;
  const double at_4 = std::log((top0 - 1.0) / (top0 - 4.0)) / decay0, then = 6.0 * std::exp(-decay1 * at_4);
  for (const double t : card.instants)
    card.exact.emplace_back(Eigen::Vector2d(
        std::min(8.0, top0 - (top0 - 1.0) * std::exp(-decay0 * t)),
        t < at_4 ? 6.0 * std::exp(-decay1 * t) : std::min(8.0, top1 - (top1 - then) * std::exp(-decay1 * (t - at_4)))));
  return card;
}

std::vector<FilippovCard> filippov_cards() {
  return {simple_relay_card(), relay_oscillator_card(), unfolded_ball_card(), gene_network_card()};
}

FirstOrderSystem smoothed(const FilippovSystem& system, double width) {
  if (!(width > 0.0)) throw InvalidArgument("width", std::to_string(width), "width > 0");
  const Index p = static_cast<Index>(system.switches.size());
  const auto alpha_at = [switches = system.switches, width, p](double t, ConstVectorRef x) {
    Eigen::VectorXd alpha(p);
    for (Index j = 0; j < p; ++j)
      alpha[j] = 0.5 * (1.0 + std::tanh(switches[static_cast<std::size_t>(j)].value(t, x) / width));
    return alpha;
  };
  const auto f = [system, alpha_at](double t, ConstVectorRef x, VectorRef value) {
    const Eigen::VectorXd alpha = alpha_at(t, x);
    Eigen::VectorXd field(x.size());
    for (const FilippovRegion& region : system.regions) {
      const double w = weight(region, alpha);
      if (w == 0.0) continue;
      field.setZero();
      region.f(t, x, field);
      value += w * field;
    }
  };
  const auto f_dx = [system, alpha_at, width, p](double t, ConstVectorRef x, MatrixRef J) {
    const Eigen::VectorXd alpha = alpha_at(t, x);
    Eigen::VectorXd field(x.size()), gradient(x.size());
    Eigen::MatrixXd jacobian(x.size(), x.size());
    for (const FilippovRegion& region : system.regions) {
      const double w = weight(region, alpha);
      if (w != 0.0) {
        jacobian.setZero();
        region.f_dx(t, x, jacobian);
        J += w * jacobian;
      }
      for (Index j = 0; j < p; ++j) {  // f_i times the derivative of its weight by alpha_j
        const double slope = 2.0 * alpha[j] * (1.0 - alpha[j]) / width;
        const int sign = region.signs[static_cast<std::size_t>(j)];
        if (slope == 0.0 || sign == 0) continue;
        Eigen::VectorXd others = alpha;
        others[j] = sign > 0 ? 1.0 : 0.0;
        const double rest = weight(region, others);
        if (rest == 0.0) continue;
        field.setZero();
        gradient.setZero();
        region.f(t, x, field);
        system.switches[static_cast<std::size_t>(j)].gradient(t, x, gradient);
        J += (sign * rest * slope) * field * gradient.transpose();
      }
    }
  };
  return {.f = f, .f_dx = f_dx, .x0 = system.x0, .name = system.name};
}

SwitchedModel::SwitchedModel(FilippovSystem system, double h) : system_(std::move(system)), h_(h) {
  if (!(h > 0.0)) throw InvalidArgument("h", std::to_string(h), "h > 0");
  x_ = system_.x0.value();
  trial_ = field_ = gradient_ = x_;
  alpha_ = Eigen::VectorXd::Zero(static_cast<Index>(system_.switches.size()));
  stages_.resize(x_.size(), 4);
}

void SwitchedModel::rates(double t, ConstVectorRef x, VectorRef value) {
  const double tau = 2.0 * h_;
  for (Index j = 0; j < alpha_.size(); ++j)
    alpha_[j] = system_.switches[static_cast<std::size_t>(j)].value(t, x) > 0.0 ? 1.0 : 0.0;
  constexpr int kSweeps = 50;
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    double change = 0.0;
    for (Index j = 0; j < alpha_.size(); ++j) {
      const double c = system_.switches[static_cast<std::size_t>(j)].value(t, x);
      const double above = rate_with(system_, j, 1.0, t, x, alpha_, field_, gradient_);
      const double below = rate_with(system_, j, 0.0, t, x, alpha_, field_, gradient_);
      const double next = band_weight(c, above, below, tau);
      change = std::max(change, std::abs(next - std::exchange(alpha_[j], next)));
    }
    if (change < 1e-14) break;
  }
  value.setZero();
  for (const FilippovRegion& region : system_.regions) {
    const double w = weight(region, alpha_);
    if (w == 0.0) continue;
    field_.setZero();
    region.f(t, x, field_);
    value += w * field_;
  }
}

const Eigen::VectorXd& SwitchedModel::advance(Index steps) {
  for (const Index end = taken_ + steps; taken_ < end; ++taken_) {
    const double t = static_cast<double>(taken_) * h_;
    rates(t, x_, stages_.col(0));
    trial_ = x_ + 0.5 * h_ * stages_.col(0);
    rates(t + 0.5 * h_, trial_, stages_.col(1));
    trial_ = x_ + 0.5 * h_ * stages_.col(1);
    rates(t + 0.5 * h_, trial_, stages_.col(2));
    trial_ = x_ + h_ * stages_.col(2);
    rates(t + h_, trial_, stages_.col(3));
    x_ += h_ / 6.0 * (stages_.col(0) + 2.0 * stages_.col(1) + 2.0 * stages_.col(2) + stages_.col(3));
  }
  return x_;
}

}  // namespace nonsmooth::problems
