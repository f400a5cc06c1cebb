// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/features/encode_scratch.h"
#include "core/features/encoded_rows.h"
#include "core/features/id_rows.h"
#include "core/features/raw_order.h"
#include "core/features/raw_rows.h"
#include "core/features/raw_use.h"
#include "storage/tf/graphs/emitted_value.h"

#include <cstdint>
#include <string>
#include <vector>

namespace cannery::features {

class FeatureGraph;

/// Name and width of a column that has its own slot.
struct ColumnInfo
{
    std::string name;           ///< our handle
    std::string tensorflowName; ///< "age_bucketized"
    SlotKind kind = SlotKind::Dense;
    std::int64_t width = 0; ///< floats per row or step, or number of buckets
    bool weighted = false;
    bool isSequence = false; ///< numbers or an id per step
};

/// One member of the family: how raw features become the numbers of one slot, both here (dense
/// values or ids) and as equivalent TensorFlow nodes. Immutable. Encoding allocates nothing once
/// its outputs and the scratch memory have grown.
class FeatureColumn
{
public:
    explicit FeatureColumn(ColumnInfo info) : m_info(std::move(info)) {}
    virtual ~FeatureColumn() = default;

    const ColumnInfo& info() const { return m_info; }

    /// Adds the raw features that it reads, in order of use.
    virtual void addUses(std::vector<RawUse>& uses) const = 0;

    /// Adds the raw numbers at which its ids change.
    virtual void addEdges(std::vector<RawEdges>& edges) const;

    /// rows × width floats; SlotKind::Dense only.
    virtual Result<void> encodeDense(const RawRows& rows, DenseBlock& out) const;
    /// SlotKind::Sequence only.
    virtual Result<void> encodeSteps(const RawRows& rows, SequenceBlock& out) const;
    /// SlotKind::Ids only.
    virtual Result<void> encodeIds(const RawRows& rows, EncodeScratch& scratch, IdRows& out) const;
    Result<void> encodeIds(const RawRows& rows, IdRows& out) const;
    /// Whether every id is below the number of buckets, for any rows; then encodeSlot() returns the
    /// ids in a slot's format.
    virtual bool idsAreBelowWidth() const { return false; }
    virtual Result<void> encodeSlot(const RawRows& rows, EncodeScratch& scratch,
                                    IdBlock& out) const;

    /// What an id below the width stands for, for people: a word, a number, a range. Empty if
    /// nothing does alone, as for a hash bucket.
    virtual std::string idText(std::int64_t id) const;

    virtual Result<storage::EmittedValue> emit(FeatureGraph& graph) const = 0;

private:
    ColumnInfo m_info;
};

} // namespace cannery::features
