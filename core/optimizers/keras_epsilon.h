// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace cannery::optimizers {

/// Keras treats an epsilon of 0 as unset, and uses its own default.
inline double kerasEpsilon(double epsilon)
{
    return epsilon == 0.0 ? 1e-7 : epsilon;
}

} // namespace cannery::optimizers
