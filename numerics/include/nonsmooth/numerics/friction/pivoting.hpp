// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace nonsmooth::friction {

/// What solves the linear complementarity problem that a contact problem has been turned into.
enum class Pivoting : unsigned char {
  Automatic,  ///< lcp::Automatic, mlcp::Automatic with bilateral rows: cheap algorithms first, pivoting after them
  Lemke,      ///< lcp::Lemke, mlcp::Lemke with bilateral rows
};

}  // namespace nonsmooth::friction
