// SPDX-License-Identifier: Apache-2.0
#include "core/features/hash_bucket_column.h"

#include "core/base/fingerprint.h"
#include "core/features/category_cells.h"
#include "core/features/feature_graph.h"
#include "core/features/sequence_categorical_column.h"
#include "core/spec/feature_columns.pb.h"

#include <array>
#include <charconv>

namespace cannery::features {

std::uint64_t categoryHash(std::string_view text)
{
    return fingerprint64(text);
}

std::uint64_t categoryHash(std::int64_t number)
{
    // TensorFlow turns an integer into text before it is hashed, hence the digits.
    std::array<char, 24> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    return fingerprint64(
        std::string_view(digits.data(), static_cast<std::size_t>(end - digits.data())));
}

std::int64_t hashBucket(std::string_view text, std::int64_t buckets)
{
    return static_cast<std::int64_t>(categoryHash(text) % static_cast<std::uint64_t>(buckets));
}

std::int64_t hashBucket(std::int64_t number, std::int64_t buckets)
{
    return static_cast<std::int64_t>(categoryHash(number) % static_cast<std::uint64_t>(buckets));
}

storage::NodeRef emitHashBucket(storage::GraphDefBuilder& graph, const storage::NodeRef& keys,
                                DType keyType, std::int64_t buckets)
{
    const storage::NodeRef texts =
        keyType == DType::String ? keys
                                 : graph.add("AsString", "AsString", {keys}, {{"T", keyType}});
    return graph.add("StringToHashBucketFast", "hash_bucket", {texts}, {{"num_buckets", buckets}});
}

namespace {

/// `Message`: buckets for a value per row or per step.
template <typename Message>
Result<ColumnPointer> columnOfBuckets(const Message& column, const spec::FeatureColumn& spec,
                                      ColumnBuilder& builder)
{
    RawUse use;
    use.feature = column.key();
    use.role = RawRole::Category;
    use.dtype = isInteger(static_cast<DType>(column.dtype())) ? DType::Int64 : DType::String;
    CANNERY_TRY_ASSIGN(ColumnInfo info,
                       builder.info(spec.name(), SlotKind::Ids, column.hash_bucket_size()));
    return std::make_shared<const HashBucketColumn>(std::move(info), std::move(use));
}

} // namespace

Result<ColumnPointer> HashBucketColumn::create(const spec::FeatureColumn& spec,
                                               ColumnBuilder& builder)
{
    return columnOfBuckets(spec.categorical_column_with_hash_bucket(), spec, builder);
}

Result<ColumnPointer> HashBucketColumn::createSequence(const spec::FeatureColumn& spec,
                                                       ColumnBuilder& builder)
{
    CANNERY_TRY_ASSIGN(
        ColumnPointer ids,
        columnOfBuckets(spec.sequence_categorical_column_with_hash_bucket(), spec, builder));
    return SequenceCategoricalColumn::of(std::move(ids));
}

template <typename Ids>
Result<void> HashBucketColumn::encode(const RawRows& rows, Ids& out) const
{
    CANNERY_TRY_ASSIGN(const data::FeatureValues* values, rows.find(m_use.feature));
    CANNERY_TRY(checkCategoryType(*values, m_use.dtype, info().name));
    const auto idOf = [modulo = m_modulo](const auto& cell) {
        return static_cast<std::int64_t>(modulo(categoryHash(cell)));
    };
    readCategories(*values, rows, idOf, out);
    return {};
}

Result<void> HashBucketColumn::encodeIds(const RawRows& rows, EncodeScratch&, IdRows& out) const
{
    return encode(rows, out);
}

Result<void> HashBucketColumn::encodeSlot(const RawRows& rows, EncodeScratch&, IdBlock& out) const
{
    return encode(rows, out);
}

Result<storage::EmittedValue> HashBucketColumn::emit(FeatureGraph& graph) const
{
    CANNERY_TRY_ASSIGN(SparseNodes cells, graph.category(m_use.feature));
    cells.values = emitHashBucket(graph.graph(), cells.values, m_use.dtype, info().width);
    return cells.value();
}

} // namespace cannery::features
