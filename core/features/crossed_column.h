// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/features/bucket_modulo.h"
#include "core/features/column_builder.h"
#include "core/features/feature_graph.h"

#include <cstdint>
#include <string>
#include <vector>

namespace cannery::spec {
class FeatureColumn;
} // namespace cannery::spec

namespace cannery::features {

/// crossed_column, TensorFlow's SparseCross: h = hash_key, then h = FingerprintCat64(h, v) for
/// every input, id = h mod buckets. v is Fingerprint64 of a text, an integer or an id itself.
///
/// A row gives the product of its inputs' values, with the last input varying fastest; an input
/// without a value leaves the row empty. Columns and sparse features come before dense features,
/// whatever order they are listed in. In a dense feature the empty text is a value, and a missing
/// integer is -1.
class CrossedColumn : public FeatureColumn
{
public:
    /// A leaf: an unmodified raw feature, or a categorical column.
    struct Input
    {
        std::string feature;
        ColumnPointer column;
    };

    /// Error: "features.cross_input".
    static Result<ColumnPointer> create(const spec::FeatureColumn& spec, ColumnBuilder& builder);

    CrossedColumn(ColumnInfo info, std::vector<Input> inputs, std::uint64_t hashKey)
        : FeatureColumn(std::move(info)), m_inputs(std::move(inputs)), m_hashKey(hashKey),
          m_modulo(static_cast<std::uint64_t>(this->info().width))
    {}

    void addUses(std::vector<RawUse>& uses) const override;
    void addEdges(std::vector<RawEdges>& edges) const override;
    Result<void> encodeIds(const RawRows& rows, EncodeScratch& scratch, IdRows& out) const override;
    bool idsAreBelowWidth() const override { return true; }
    Result<void> encodeSlot(const RawRows& rows, EncodeScratch& scratch,
                            IdBlock& out) const override;
    Result<storage::EmittedValue> emit(FeatureGraph& graph) const override;

private:
    template <typename Ids>
    Result<void> encode(const RawRows& rows, EncodeScratch& scratch, Ids& out) const;
    /// The inputs in the order in which they are hashed, into scratch.crossed.
    Result<void> readInputs(const RawRows& rows, EncodeScratch& scratch) const;
    Result<std::vector<FeatureGraph::CrossKey>> emitInputs(FeatureGraph& graph) const;

    std::vector<Input> m_inputs;
    std::uint64_t m_hashKey;
    BucketModulo m_modulo;
};

} // namespace cannery::features
