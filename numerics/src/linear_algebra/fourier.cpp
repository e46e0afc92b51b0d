// SPDX-License-Identifier: Apache-2.0
#include <internal/fourier.hpp>

#include <unsupported/Eigen/FFT>

#include <internal/at.hpp>

namespace nonsmooth {

struct FourierTransform::Implementation {
  Eigen::FFT<double> transform{Eigen::default_fft_impl<double>(), Eigen::FFT<double>::HalfSpectrum};
};

FourierTransform::FourierTransform() : implementation_(std::make_unique<Implementation>()) {}
FourierTransform::~FourierTransform() = default;
FourierTransform::FourierTransform(FourierTransform&&) noexcept = default;
FourierTransform& FourierTransform::operator=(FourierTransform&&) noexcept = default;

void FourierTransform::forward(const std::vector<double>& x, std::vector<std::complex<double>>& X) {
  implementation_->transform.fwd(X, x);
}

void FourierTransform::inverse(const std::vector<std::complex<double>>& X, Index n, std::vector<double>& x) {
  x.resize(at(n));
  implementation_->transform.inv(x.data(), X.data(), n);
}

}  // namespace nonsmooth
