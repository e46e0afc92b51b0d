// SPDX-License-Identifier: Apache-2.0
// An economy that produces by activities.
#pragma once

#include <problems/mcp.hpp>

namespace nonsmooth::problems {

/// Five consumers, six commodities and eight activities of production. With prices p, levels y of the activities and
/// incomes i: no market has more demand than supply, no activity earns, each spends what its endowments are worth,
///
///     0 <= p_c ⟂ sum_s a_cs y_s + sum_h e_ch - sum_h D_ch(p, i_h) >= 0,
///     0 <= y_s ⟂ -sum_c a_cs p_c >= 0,      i_h = sum_c p_c e_ch,
///     D_ch = i_h alpha_ch p_c^-sigma_h / sum_k alpha_kh p_k^(1 - sigma_h),   alpha_ch = d_ch / sum_k d_kh.
///
/// F is homogeneous of degree 0, so that the first income is kept at what it is for prices of 1. x = (p, y, i), 19
/// unknowns, from 1. No answer was published with these units; the certificate is the judge. Scarf, Hansen 1973
/// [scarf1973]; data and scale as in SCARFMCP of the GAMS library.
Mcp scarf_activity_analysis();

}  // namespace nonsmooth::problems
