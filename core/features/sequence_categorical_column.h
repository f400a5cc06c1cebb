// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/features/column_builder.h"

#include <string>
#include <vector>

namespace cannery::features {

/// The sequence_categorical_column_with_* functions: the ids of a plain categorical column, one per
/// step of a list. A step that has no category (an unknown word, an empty cell) keeps its place as
/// -1, except at the end of a row of fixed length, where it means that the sequence is over. A row
/// may have no steps.
class SequenceCategoricalColumn : public FeatureColumn
{
public:
    /// `ids`: a column of one raw feature, as if it were no sequence.
    static ColumnPointer of(ColumnPointer ids);

    SequenceCategoricalColumn(ColumnInfo info, ColumnPointer ids, std::string feature)
        : FeatureColumn(std::move(info)), m_ids(std::move(ids)), m_feature(std::move(feature))
    {}

    void addUses(std::vector<RawUse>& uses) const override { m_ids->addUses(uses); }
    /// Errors: those of the plain column, "features.no_list".
    Result<void> encodeIds(const RawRows& rows, EncodeScratch& scratch, IdRows& out) const override;
    std::string idText(std::int64_t id) const override { return m_ids->idText(id); }
    Result<storage::EmittedValue> emit(FeatureGraph& graph) const override;

private:
    ColumnPointer m_ids;
    std::string m_feature;
};

/// Error "features.no_list" unless the feature holds lists.
Result<void> expectList(const data::FeatureValues& values, const std::string& column);

} // namespace cannery::features
