// SPDX-License-Identifier: Apache-2.0
#define NONSMOOTH_EIGEN_INSTANCE template
#include <support/eigen_instances.hpp>
