// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <span>

namespace cannery::trees {

/// A device that sums the gradients of leaves beside the CPU. It has the table as bins. One caller
/// at a time.
class LeafDevice
{
public:
    virtual ~LeafDevice() = default;

    /// Where the packed gradients of all rows are set, before a tree grows from them.
    virtual std::span<std::uint64_t> gradients() = 0;
    /// They are set.
    virtual void beginTree() = 0;
    /// Whether a leaf has so many rows that it sums them sooner than the CPU.
    virtual bool takes(std::int64_t rows) const = 0;
    /// Begins to sum the gradients of these rows, each of which is there once. They may change when
    /// this returns.
    virtual void add(std::span<const std::uint32_t> rows) = 0;
    /// Waits for the sums, once after each add(): those of all columns, in the order of
    /// LeafHistogram. They stay until the next add(). Errors: of the device.
    virtual Result<std::span<const std::int64_t>> finish() = 0;
};

} // namespace cannery::trees
