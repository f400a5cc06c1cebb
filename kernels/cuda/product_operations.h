// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/cuda/cuda_launcher.h"
#include "kernels/cuda/product_layout.h"

#include <cstdint>

/// What products need beside the library's kernels.
namespace cannery::kernels::cuda {

/// Queues any product by our own kernels, without its activation; see bodies::thinProduct().
void queueThinProduct(CudaLauncher& launcher, const Product& product);

/// Queues dst = the factor as bfloat16, columns `stride` numbers apart: a multiple of
/// kBFloat16Group. dst is as aligned as a workspace.
void queueRounding(CudaLauncher& launcher, const FactorLayout& factor, std::uint16_t* dst,
                   std::int64_t stride);

/// As many numbers are written at once.
inline constexpr std::int64_t kBFloat16Group = 8;

} // namespace cannery::kernels::cuda
