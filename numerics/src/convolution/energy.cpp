// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/convolution/energy.hpp>

#include <internal/check.hpp>

namespace nonsmooth::convolution {

ContactWork contact_work(const Result& result) {
  const Index N = result.steps();
  check::at_least("convolution::contact_work: steps", N, 1);
  ContactWork work{Eigen::VectorXd(N), Eigen::VectorXd(N), Eigen::VectorXd(N)};
  Eigen::VectorXd w = result.w0, q = result.w0;  // at t = 0 nothing has acted yet
  for (Index n = 0; n < N; ++n) {
    const Eigen::VectorXd z = result.p.col(n) / result.h;
    work.contact[n] = z.dot(result.w.col(n) - w);
    work.free[n] = z.dot(result.q.col(n) - q);
    work.body[n] = z.dot((result.w.col(n) - result.q.col(n)) - (w - q));
    w = result.w.col(n);
    q = result.q.col(n);
  }
  return work;
}

}  // namespace nonsmooth::convolution
