// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/dtype.h"
#include "core/base/result.h"
#include "core/base/shape.h"
#include "kernels/device/tensor_view.h"

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace cannery::plan {

/// A tensor of the model's state under its name in TensorFlow's checkpoint: weights, moving
/// statistics, optimizer slots, hyper-parameters, counters. A checkpoint is restored by write().
/// global_step is not included.
struct StateTensor
{
    std::string name;
    DType dtype = DType::Float32;
    Shape shape;
    /// Row-major; valid while the model exists. Of a String, which is a scalar: its characters.
    std::span<std::byte> bytes;
    /// Instead of `bytes`, for floats that are not back to back: one column, see cells.h.
    kernels::MatrixView cells = {};
    bool trainable = false; ///< a trainable variable (what warm start moves)
    bool optimizerState = false;
    /// Only needed to continue exactly, and unknown to TensorFlow: not saved while it is empty, and
    /// a checkpoint may lack it.
    bool isOptional = false;
    /// Set for a tensor whose content decides its size, such as a serialized message: it is
    /// restored by this call with any shape, instead of through `bytes`. Refuses content that is
    /// damaged or does not fit, and is then unchanged.
    std::function<Result<void>(const Shape& shape, std::span<const std::byte> content)> restore =
        nullptr;

    /// Of these float values, in `bytes` or `cells`.
    static StateTensor of(std::string name, const Shape& shape, kernels::MatrixView values);

    /// An optimizer's values for the elements of a variable.
    bool isSlot() const { return optimizerState && shape.rank() > 0; }

    /// Size of the content.
    std::size_t byteCount() const;
    /// Copies the content from a byte on, which is the first of an element.
    void read(std::size_t first, std::span<std::byte> to) const;
    /// The whole content; where it is not back to back, a copy of it in `room`.
    std::span<const std::byte> content(std::vector<std::byte>& room) const;
    /// Calls writeContent(bytes) to change the whole content, which it is given; an error of that
    /// call is returned, and `cells` are then unchanged.
    using WriteContent = std::function<Result<void>(std::span<std::byte> bytes)>;
    Result<void> write(const WriteContent& writeContent) const;
};

} // namespace cannery::plan
