// SPDX-License-Identifier: Apache-2.0
#include <problems/reference.hpp>

#include <cstdint>
#include <limits>
#include <vector>

#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <boost/math/tools/toms748_solve.hpp>
#include <boost/numeric/odeint/integrate/integrate_adaptive.hpp>
#include <boost/numeric/odeint/stepper/generation.hpp>
#include <boost/numeric/odeint/stepper/runge_kutta_fehlberg78.hpp>

namespace nonsmooth::problems {

double root_between(const std::function<double(double)>& f, double low, double high) {
  std::uintmax_t steps = 1000;
  const boost::math::tools::eps_tolerance<double> close(std::numeric_limits<double>::digits);
  const auto [below, above] = boost::math::tools::toms748_solve(f, low, high, close, steps);
  return 0.5 * (below + above);
}

double integral_between(const std::function<double(double)>& f, double low, double high) {
  return boost::math::quadrature::gauss_kronrod<double, 31>::integrate(f, low, high, 15, 1e-14);
}

Eigen::VectorXd solve_ode(const std::function<void(double t, ConstVectorRef z, VectorRef rate)>& f,
                          const Eigen::VectorXd& z, double begin, double end) {
  namespace odeint = boost::numeric::odeint;
  using State = std::vector<double>;
  State state(z.begin(), z.end());
  const auto slope = [&](const State& at, State& rate, double t) {
    f(t, Eigen::Map<const Eigen::VectorXd>(at.data(), z.size()), Eigen::Map<Eigen::VectorXd>(rate.data(), z.size()));
  };
  odeint::integrate_adaptive(odeint::make_controlled(1e-14, 1e-14, odeint::runge_kutta_fehlberg78<State>()), slope,
                             state, begin, end, 1e-3 * (end - begin));
  return Eigen::Map<const Eigen::VectorXd>(state.data(), z.size());
}

}  // namespace nonsmooth::problems
