// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/layer_buffers.h"

#include <algorithm>
#include <vector>

namespace cannery::layers {

/// The floats of a value of kind Sequence, owned by the layer that makes it. Grows with the steps
/// of a batch, and never shrinks.
class SequenceMemory
{
public:
    /// Binds the value for a batch with these steps; what it held before is undefined.
    void bind(std::span<const std::int64_t> stepOffsets, ValueBuffer& value)
    {
        value.stepOffsets = stepOffsets;
        const auto size = static_cast<std::size_t>(value.stepCount() * value.width);
        m_values.resize(std::max(m_values.size(), size));
        value.writable = m_values.data();
        value.data = value.writable;
        if (value.wantsGradient) {
            m_grads.resize(m_values.size());
            value.grad = m_grads.data();
        }
    }

private:
    std::vector<float> m_values;
    std::vector<float> m_grads;
};

} // namespace cannery::layers
