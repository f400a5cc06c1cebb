// SPDX-License-Identifier: Apache-2.0
#pragma once

/// For sources of this room, which are all built for one processor (tests are not). 1 where the
/// engine is built for x86-64-v3 or more, whose kernels are written in intrinsics; 0 on any other
/// processor, where the rows in Eigen's packets take their place.
#if defined(__AVX2__) && defined(__FMA__) && defined(__BMI2__)
#define CANNERY_X86_64_V3 1
#else
#define CANNERY_X86_64_V3 0
#endif
