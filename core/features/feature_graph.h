// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/features/raw_schema.h"
#include "core/features/sparse_nodes.h"
#include "storage/tf/graphs/emitted_value.h"
#include "storage/tf/graphs/graph_def_builder.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cannery::features {

class FeatureColumn;

/// A raw feature as the receiver provides it in the graph: a dense tensor, or cells, or both
/// (padded rows of any length).
struct RawTensor
{
    RawFeature feature; ///< as described by the data
    DType dtype = DType::Invalid;
    std::optional<storage::NodeRef> dense; ///< [batch, shape of a row]
    std::optional<SparseNodes> cells;
    /// Whether NaN, or kNoNumber among integers, stands for a number that is missing.
    bool mayLackNumbers = false;
};

/// The context in which columns emit nodes: the graph, and the raw features, whose missing and
/// empty cells mean what they meant in training.
class FeatureGraph
{
public:
    explicit FeatureGraph(storage::GraphDefBuilder& graph) : m_graph(&graph) {}

    storage::GraphDefBuilder& graph() { return *m_graph; }
    void addRaw(RawTensor raw);

    /// Floats of a dense feature, [batch, elements]. `defaults` are those of the column, one per
    /// element, for numbers that the receiver leaves missing and the table has no default for; NaN,
    /// or none: such a number stays missing.
    Result<storage::NodeRef> number(const std::string& feature,
                                    const std::vector<double>& defaults = {});
    /// Floats of a list, row by row.
    Result<SparseNodes> listOfNumbers(const std::string& feature);
    /// Texts or int64s of a feature, without "no category" cells.
    Result<SparseNodes> category(const std::string& feature);
    /// Texts or int64s of a feature as a cross takes them, and whether they were sparse in
    /// training.
    struct CrossKey
    {
        SparseNodes cells;
        bool isText = false;
        bool isSparse = false;
    };
    Result<CrossKey> crossKey(const std::string& feature);
    /// Floats aligned with these cells of another feature.
    Result<storage::NodeRef> weights(const std::string& feature, const std::string& idFeature,
                                     const SparseNodes& ids);
    /// A column's value; the same column is emitted once.
    Result<storage::EmittedValue> column(const FeatureColumn& column);

private:
    const RawTensor& raw(const std::string& feature) const;
    Result<SparseNodes> makeCategory(const RawTensor& raw);
    Result<SparseNodes> makeCrossKey(const RawTensor& raw);

    storage::GraphDefBuilder* m_graph;
    std::map<std::string, RawTensor> m_raw; ///< categories as texts or int64, numbers unchanged
    std::map<std::string, SparseNodes> m_categories;
    std::map<std::string, CrossKey> m_crossKeys;
    std::map<const FeatureColumn*, storage::EmittedValue> m_columns;
};

/// A name that TensorFlow allows in scopes: other characters become '_'.
std::string scopeName(std::string_view name);

} // namespace cannery::features
