// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/dtype.h"
#include "core/base/result.h"
#include "core/base/shape.h"

#include <cstddef>
#include <functional>
#include <span>
#include <string>

namespace cannery::plan {

/// A tensor of the model's state under its name in TensorFlow's checkpoint: weights, moving
/// statistics, optimizer slots, hyper-parameters, counters. A checkpoint is restored by writing to
/// `bytes`. global_step is not included.
struct StateTensor
{
    std::string name;
    DType dtype = DType::Float32;
    Shape shape;
    /// Row-major; valid while the model exists. Of a String, which is a scalar: its characters.
    std::span<std::byte> bytes;
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

    /// An optimizer's values for the elements of a variable.
    bool isSlot() const { return optimizerState && shape.rank() > 0; }
};

} // namespace cannery::plan
