// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/device/tensor_view.h"
#include "kernels/math/activations.h"

namespace cannery::kernels::cpu {

/// dst = activation(dst), on the calling thread.
void activate(Activation activation, MatrixView dst);

} // namespace cannery::kernels::cpu
