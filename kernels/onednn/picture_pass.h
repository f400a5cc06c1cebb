// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/ops/convolution.h"

#include <memory>
#include <span>

namespace cannery::kernels::onednn {

enum class PassKind : std::uint8_t
{
    Forward,
    SrcGradient,
    KernelGradient,
};

/// The arrays of a pass over one image. One of them is written: dst, src or the kernel.
struct PictureArrays
{
    const float* src = nullptr;
    const float* kernel = nullptr; ///< in the layout of the library
    const float* bias = nullptr;   ///< of the forward pass
    const float* dst = nullptr;
};

/// A pass of a convolution over one image by a primitive of oneDNN, made and tried out when it is
/// planned. Nothing is thrown: false means that memory was short or the library failed.
class PicturePass
{
public:
    /// Null if the library refuses the shape or has nothing but its plain loops for it, or if
    /// memory is short.
    static std::unique_ptr<PicturePass> planned(const ConvolutionProblem& problem, PassKind kind);

    ~PicturePass();
    PicturePass(const PicturePass&) = delete;
    PicturePass& operator=(const PicturePass&) = delete;

    /// Of a kernel in the layout of the library.
    std::int64_t kernelFloats() const;
    /// Whether the other pass has kernels in the same layout.
    bool hasKernelOf(const PicturePass& other) const;
    /// Of working memory for compute().
    std::int64_t scratchFloats() const;

    /// Before any of the following, and not beside one: what the workers 0 to `count` - 1 need.
    /// Once made it is kept.
    bool prepareFor(int count);
    /// A kernel of the contract in the layout of the library.
    bool pack(const float* kernel, float* packed);
    /// The way back, for a pass that writes a kernel.
    bool unpack(const float* packed, float* kernel);
    /// On the calling thread, which is that of the worker.
    bool compute(int worker, const PictureArrays& arrays, float* scratch);

private:
    struct Parts;
    explicit PicturePass(std::unique_ptr<Parts> parts);
    std::unique_ptr<Parts> m_parts;
};

} // namespace cannery::kernels::onednn
