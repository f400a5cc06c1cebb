// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/features/bucket_modulo.h"
#include "core/features/column_builder.h"

#include <memory>
#include <string>

namespace cannery::spec {
class FeatureColumn;
} // namespace cannery::spec
namespace cannery::storage {
class GraphDefBuilder;
struct NodeRef;
} // namespace cannery::storage

namespace cannery::features {

/// StringToHashBucketFast: Fingerprint64(bytes) mod buckets, unsigned.
std::int64_t hashBucket(std::string_view text, std::int64_t buckets);
/// The same for an integer, as decimal text: "-5".
std::int64_t hashBucket(std::int64_t number, std::int64_t buckets);
/// The hash alone: of a text, or of an integer as decimal text.
std::uint64_t categoryHash(std::string_view text);
std::uint64_t categoryHash(std::int64_t number);
/// The same as nodes, of a tensor of texts or int64s.
storage::NodeRef emitHashBucket(storage::GraphDefBuilder& graph, const storage::NodeRef& keys,
                                DType keyType, std::int64_t buckets);

/// categorical_column_with_hash_bucket: hashBucket() of every category.
class HashBucketColumn : public FeatureColumn
{
public:
    static Result<ColumnPointer> create(const spec::FeatureColumn& spec, ColumnBuilder& builder);
    /// sequence_categorical_column_with_hash_bucket.
    static Result<ColumnPointer> createSequence(const spec::FeatureColumn& spec,
                                                ColumnBuilder& builder);

    HashBucketColumn(ColumnInfo info, RawUse use)
        : FeatureColumn(std::move(info)), m_use(std::move(use)),
          m_modulo(static_cast<std::uint64_t>(this->info().width))
    {}

    void addUses(std::vector<RawUse>& uses) const override { uses.push_back(m_use); }
    Result<void> encodeIds(const RawRows& rows, EncodeScratch& scratch, IdRows& out) const override;
    bool idsAreBelowWidth() const override { return true; }
    Result<void> encodeSlot(const RawRows& rows, EncodeScratch& scratch,
                            IdBlock& out) const override;
    Result<storage::EmittedValue> emit(FeatureGraph& graph) const override;

private:
    template <typename Ids>
    Result<void> encode(const RawRows& rows, Ids& out) const;

    RawUse m_use;
    BucketModulo m_modulo;
};

} // namespace cannery::features
