// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/dtype.h"
#include "storage/tf/graphs/emitted_value.h"
#include "storage/tf/graphs/graph_def_builder.h"

#include <cstdint>

namespace cannery::features {

/// The three tensors of a SparseTensor.
struct SparseNodes
{
    storage::NodeRef indices; ///< int64 [n, 2]
    storage::NodeRef values;  ///< [n]
    storage::NodeRef shape;   ///< int64 [2]

    /// As ids of a column; int64 values.
    storage::EmittedValue value() const;
};

/// The cells of a dense tensor [batch, n] that differ from a scalar: how TensorFlow turns dense
/// categories into a SparseTensor.
SparseNodes cellsUnequal(storage::GraphDefBuilder& graph, const storage::NodeRef& dense,
                         const storage::NodeRef& ignored, DType dtype);
/// The cells of a dense float tensor [batch, n] that are numbers: NaN fills up the rows of lists.
SparseNodes cellsOfNumbers(storage::GraphDefBuilder& graph, const storage::NodeRef& dense);
/// All cells of a dense tensor [batch, n].
SparseNodes cellsOfDense(storage::GraphDefBuilder& graph, const storage::NodeRef& dense,
                         DType dtype);
/// The cells whose value differs from a scalar.
SparseNodes withoutValue(storage::GraphDefBuilder& graph, const SparseNodes& cells,
                         const storage::NodeRef& ignored, DType dtype);
/// With one cell of this value added to every empty row.
SparseNodes withRowsFilled(storage::GraphDefBuilder& graph, const SparseNodes& cells,
                           const storage::NodeRef& value, DType dtype);
/// This many rows (an int32 scalar) without any cell.
SparseNodes noCells(storage::GraphDefBuilder& graph, const storage::NodeRef& batchSize,
                    DType dtype);
/// The floats of lists, without gaps, cut into steps of `width`; what a row lacks is `padding`.
storage::EmittedValue stepsOf(storage::GraphDefBuilder& graph, const SparseNodes& cells,
                              std::int64_t width, float padding);

} // namespace cannery::features
