// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace cannery::storage {

/// A value of a graph under construction, by the names of its TensorFlow tensors ("node" or
/// "node:1"). Passed from feature columns to layers, and from layers to heads.
struct EmittedValue
{
    /// A dense float tensor [batch, width], or of a sequence [batch, steps, width] padded with
    /// zeros; empty for a sparse value.
    std::string dense;
    /// Of such a sequence: int64 [batch], the number of steps of each row.
    std::string stepCounts;

    /// A SparseTensor of int64 ids [batch, ?]; all empty for a dense value.
    std::string indices;
    std::string ids;
    std::string denseShape;
    /// Float weights aligned with the ids; all 1 if empty.
    std::string weights;

    bool isSparse() const { return dense.empty(); }
};

} // namespace cannery::storage
