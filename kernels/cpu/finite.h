// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/device/tensor_view.h"
#include "kernels/device/thread_pool.h"

namespace cannery::kernels::cpu {

/// Whether no value is NaN or infinite.
bool areFinite(ThreadPool& pool, ConstMatrixView values);
bool areFinite(ThreadPool& pool, std::span<const float> values);

} // namespace cannery::kernels::cpu
