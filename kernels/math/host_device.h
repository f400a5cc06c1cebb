// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Marks a function that a GPU runs too. Such a function calls only functions that are marked
/// themselves, constexpr ones and those of <cmath>. It says nothing to any other compiler.
#ifdef __CUDACC__
#define CANNERY_HOST_DEVICE __host__ __device__
#else
#define CANNERY_HOST_DEVICE
#endif
