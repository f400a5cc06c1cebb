// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace cannery::pictures {

/// Kernels of TensorFlow's ScaleAndTranslate, of t = abs(distance):
///   Triangle       1 - t                                              up to 1
///   KeysCubic      (3/2 t - 5/2) t² + 1;  ((-1/2 t + 5/2) t - 4) t + 2    up to 2
///   MitchellCubic  (7/6 t - 2) t² + 8/9;  ((-7/18 t + 2) t - 10/3) t + 16/9    up to 2
///   LanczosR       R sin(πt) sin(πt / R) / (πt)²                      up to R
///   Gaussian       exp(-2 t²)                                         up to 3/2
enum class Kernel
{
    Triangle,
    KeysCubic,
    MitchellCubic,
    Lanczos3,
    Lanczos5,
    Gaussian,
};

/// The pixels that an output pixel is made of, and their weights, which sum to 1.
struct KernelSpan
{
    std::int64_t begin = 0;
    std::vector<float> weights;
};

/// A span for each of `out` positions along a side of `in` pixels, as ScaleAndTranslate computes
/// them in float32: weight k(abs(q + 1/2 - centre) / s) for pixel q, s = max(in / out, 1) with
/// antialias, else 1; pixels outside are left out, and the others normalized.
std::vector<KernelSpan> kernelSpans(Kernel kernel, std::int64_t in, std::int64_t out,
                                    bool antialias);

} // namespace cannery::pictures
