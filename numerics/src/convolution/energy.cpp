// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/convolution/energy.hpp>

#include <internal/check.hpp>

namespace nonsmooth::convolution {

ContactWork contact_work(const Result& result) {
  const Index N = result.steps();
  check::at_least("convolution::contact_work: steps", N, 1);
  ContactWork work{Eigen::VectorXd(N), Eigen::VectorXd(N), Eigen::VectorXd(N)};
  // delta(zeta) = 1 - zeta, and (1 - zeta)^2 / 2 besides under Bdf2. At t <= 0 nothing has acted yet; q begins with one
  // backward difference.
  const double second = result.rule == Rule::Bdf2 ? 0.5 : 0.0;
  const Eigen::VectorXd none = Eigen::VectorXd::Zero(result.p.rows());
  Eigen::VectorXd q = result.w0, w = result.w0, answer = none, of_q = none,
                  of_w = none;  // the last values and differences
  for (Index n = 0; n < N; ++n) {
    const Eigen::VectorXd z = result.p.col(n) / result.h;
    const Eigen::VectorXd next = result.w.col(n) - result.q.col(n);
    const Eigen::VectorXd step_of_q = result.q.col(n) - q, step_of_answer = next - answer;
    const Eigen::VectorXd step_of_w = result.w.col(n) - w;
    if (n == 0) of_q = step_of_q, of_w = step_of_q;
    work.free[n] = z.dot(step_of_q + second * (step_of_q - of_q));
    work.body[n] = z.dot(step_of_answer + second * (step_of_answer - (of_w - of_q)));
    work.contact[n] = z.dot(step_of_w + second * (step_of_w - of_w));
    q = result.q.col(n), w = result.w.col(n), answer = next, of_q = step_of_q, of_w = step_of_w;
  }
  return work;
}

}  // namespace nonsmooth::convolution
