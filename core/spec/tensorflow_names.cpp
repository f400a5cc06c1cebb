// SPDX-License-Identifier: Apache-2.0
#include "core/spec/tensorflow_names.h"

#include "core/base/catalog.h"
#include "core/spec/experiment.pb.h"

#include <fmt/ranges.h>

#include <algorithm>

namespace cannery::spec {

namespace {

constexpr ErrorKind kDangling{"spec.dangling_column", "There is no feature_column named '{0}'.{1}"};
constexpr ErrorKind kCycle{"spec.column_cycle",
                           "The feature column '{0}' is made of itself: {1}. Make one of these of "
                           "something else."};
constexpr ErrorKind kTooManyLevels{
    "spec.column_depth",
    "The feature column '{0}' stands on more than {1} others in a row: make it of fewer."};
constexpr ErrorKind kTooMany{
    "spec.column_parts",
    "The feature column '{0}' is made of more than {1} parts: make it of fewer."};
constexpr ErrorKind kNoKind{"spec.member_required",
                            "The feature_column '{0}' does not say which kind of column it is."};

/// Columns within columns, and columns that are met on the way: crosses of crosses of one column
/// double with every level.
constexpr std::size_t kMostLevels = 100;
constexpr int kMostParts = 10'000;

/// Walks from column to column and notices when it comes back to one it came from.
class Walker
{
public:
    explicit Walker(const ColumnIndex& columns) : m_columns(columns) {}

    Result<std::vector<std::string>> names(const std::string& handle);
    Result<void> leaves(const std::string& handle, std::vector<CrossLeaf>& out);
    Result<void> features(const std::string& handle, std::vector<std::string>& out);

private:
    Result<const FeatureColumn*> enter(const std::string& handle);
    void leave() { m_way.pop_back(); }
    Result<std::vector<std::string>> namesOf(const FeatureColumn& column);
    Result<void> featuresOf(const FeatureColumn& column, std::vector<std::string>& out);
    Result<std::vector<std::string>> suffixed(const std::string& handle, std::string_view suffix);
    Result<std::vector<std::string>> crossName(const FeatureColumn& column);

    const ColumnIndex& m_columns;
    std::vector<std::string> m_way;
    int m_parts = 0;
};

Result<const FeatureColumn*> Walker::enter(const std::string& handle)
{
    const FeatureColumn* column = m_columns.find(handle);
    if (column == nullptr) {
        std::vector<std::string> known;
        for (const FeatureColumn& other : m_columns.experiment().feature_column()) {
            known.push_back(other.name());
        }
        return fail(ErrorCode::NotFound, kDangling, handle, suggestion(handle, known));
    }
    const bool again = std::find(m_way.begin(), m_way.end(), handle) != m_way.end();
    m_way.push_back(handle);
    if (m_way.size() > kMostLevels) {
        return fail(ErrorCode::InvalidArgument, kTooManyLevels, m_way.front(), kMostLevels);
    }
    if (++m_parts > kMostParts) {
        return fail(ErrorCode::InvalidArgument, kTooMany, m_way.front(), kMostParts);
    }
    if (again) {
        return fail(ErrorCode::InvalidArgument, kCycle, handle,
                    fmt::format("{}", fmt::join(m_way, " -> ")));
    }
    return column;
}

Result<std::vector<std::string>> Walker::names(const std::string& handle)
{
    CANNERY_TRY_ASSIGN(const FeatureColumn* column, enter(handle));
    auto result = namesOf(*column);
    leave();
    return result;
}

Result<std::vector<std::string>> Walker::suffixed(const std::string& handle,
                                                  std::string_view suffix)
{
    CANNERY_TRY_ASSIGN(std::vector<std::string> inner, names(handle));
    inner.front() += suffix;
    inner.resize(1);
    return inner;
}

Result<std::vector<std::string>> Walker::crossName(const FeatureColumn& column)
{
    std::vector<CrossLeaf> found;
    leave(); // `leaves` enters it again
    const auto walked = leaves(column.name(), found);
    m_way.push_back(column.name());
    if (!walked) {
        return tl::make_unexpected(walked.error());
    }
    std::vector<std::string> parts;
    for (const CrossLeaf& leaf : found) {
        if (!leaf.isColumn) {
            parts.push_back(leaf.name);
            continue;
        }
        CANNERY_TRY_ASSIGN(const std::vector<std::string> inner, names(leaf.name));
        parts.push_back(inner.front());
    }
    std::sort(parts.begin(), parts.end());
    return std::vector<std::string>{fmt::format("{}", fmt::join(parts, "_X_"))};
}

Result<std::vector<std::string>> Walker::namesOf(const FeatureColumn& column)
{
    using Names = std::vector<std::string>;
    switch (column.kind_case()) {
    case FeatureColumn::kNumericColumn:
        return Names{column.numeric_column().key()};
    case FeatureColumn::kBucketizedColumn:
        return suffixed(column.bucketized_column().source_column(), "_bucketized");
    case FeatureColumn::kCategoricalColumnWithVocabularyList:
        return Names{column.categorical_column_with_vocabulary_list().key()};
    case FeatureColumn::kCategoricalColumnWithVocabularyFile:
        return Names{column.categorical_column_with_vocabulary_file().key()};
    case FeatureColumn::kCategoricalColumnWithHashBucket:
        return Names{column.categorical_column_with_hash_bucket().key()};
    case FeatureColumn::kCategoricalColumnWithIdentity:
        return Names{column.categorical_column_with_identity().key()};
    case FeatureColumn::kCrossedColumn:
        return crossName(column);
    case FeatureColumn::kWeightedCategoricalColumn:
        return suffixed(column.weighted_categorical_column().categorical_column(),
                        "_weighted_by_" +
                            column.weighted_categorical_column().weight_feature_key());
    case FeatureColumn::kIndicatorColumn:
        return suffixed(column.indicator_column().categorical_column(), "_indicator");
    case FeatureColumn::kEmbeddingColumn:
        return suffixed(column.embedding_column().categorical_column(), "_embedding");
    case FeatureColumn::kSharedEmbeddings: {
        Names all;
        for (const std::string& categorical : column.shared_embeddings().categorical_columns()) {
            CANNERY_TRY_ASSIGN(const Names one, suffixed(categorical, "_shared_embedding"));
            all.push_back(one.front());
        }
        if (!all.empty()) {
            return all;
        }
        break;
    }
    case FeatureColumn::KIND_NOT_SET:
        break;
    }
    return fail(ErrorCode::InvalidArgument, kNoKind, column.name());
}

Result<void> Walker::leaves(const std::string& handle, std::vector<CrossLeaf>& out)
{
    CANNERY_TRY_ASSIGN(const FeatureColumn* column, enter(handle));
    for (const InputReference& key : column->crossed_column().key()) {
        const FeatureColumn* inner = key.has_column() ? m_columns.find(key.column()) : nullptr;
        if (inner != nullptr && inner->has_crossed_column()) {
            CANNERY_TRY(leaves(key.column(), out));
        } else {
            out.push_back({key.has_column() ? key.column() : key.feature(), key.has_column()});
        }
    }
    leave();
    return {};
}

Result<void> Walker::features(const std::string& handle, std::vector<std::string>& out)
{
    CANNERY_TRY_ASSIGN(const FeatureColumn* column, enter(handle));
    CANNERY_TRY(featuresOf(*column, out));
    leave();
    return {};
}

Result<void> Walker::featuresOf(const FeatureColumn& column, std::vector<std::string>& out)
{
    const auto add = [&](const std::string& feature) -> Result<void> {
        if (std::find(out.begin(), out.end(), feature) == out.end()) {
            out.push_back(feature);
        }
        return {};
    };
    switch (column.kind_case()) {
    case FeatureColumn::kNumericColumn:
        return add(column.numeric_column().key());
    case FeatureColumn::kBucketizedColumn:
        return features(column.bucketized_column().source_column(), out);
    case FeatureColumn::kCategoricalColumnWithVocabularyList:
        return add(column.categorical_column_with_vocabulary_list().key());
    case FeatureColumn::kCategoricalColumnWithVocabularyFile:
        return add(column.categorical_column_with_vocabulary_file().key());
    case FeatureColumn::kCategoricalColumnWithHashBucket:
        return add(column.categorical_column_with_hash_bucket().key());
    case FeatureColumn::kCategoricalColumnWithIdentity:
        return add(column.categorical_column_with_identity().key());
    case FeatureColumn::kCrossedColumn:
        for (const InputReference& key : column.crossed_column().key()) {
            CANNERY_TRY(key.has_column() ? features(key.column(), out) : add(key.feature()));
        }
        return {};
    case FeatureColumn::kWeightedCategoricalColumn:
        CANNERY_TRY(features(column.weighted_categorical_column().categorical_column(), out));
        return add(column.weighted_categorical_column().weight_feature_key());
    case FeatureColumn::kIndicatorColumn:
        return features(column.indicator_column().categorical_column(), out);
    case FeatureColumn::kEmbeddingColumn:
        return features(column.embedding_column().categorical_column(), out);
    case FeatureColumn::kSharedEmbeddings:
        for (const std::string& categorical : column.shared_embeddings().categorical_columns()) {
            CANNERY_TRY(features(categorical, out));
        }
        return {};
    case FeatureColumn::KIND_NOT_SET:
        return {};
    }
    return {};
}

} // namespace

ColumnIndex::ColumnIndex(const Experiment& experiment) : m_experiment(&experiment)
{
    m_columns.reserve(static_cast<std::size_t>(experiment.feature_column_size()));
    for (const FeatureColumn& column : experiment.feature_column()) {
        m_columns.emplace(column.name(), &column);
    }
}

const FeatureColumn* ColumnIndex::find(std::string_view name) const
{
    const auto found = m_columns.find(name);
    return found == m_columns.end() ? nullptr : found->second;
}

Result<std::vector<std::string>> tensorflowNames(const ColumnIndex& columns,
                                                 std::string_view columnName)
{
    return Walker(columns).names(std::string(columnName));
}

Result<std::string> tensorflowName(const ColumnIndex& columns, std::string_view columnName)
{
    CANNERY_TRY_ASSIGN(const std::vector<std::string> names, tensorflowNames(columns, columnName));
    return names.front();
}

Result<std::vector<CrossLeaf>> crossLeaves(const ColumnIndex& columns, std::string_view columnName)
{
    std::vector<CrossLeaf> leaves;
    CANNERY_TRY(Walker(columns).leaves(std::string(columnName), leaves));
    return leaves;
}

Result<std::string> sharedEmbeddingCollection(const ColumnIndex& columns,
                                              std::string_view columnName)
{
    const FeatureColumn* column = columns.find(columnName);
    if (column != nullptr &&
        !column->shared_embeddings().shared_embedding_collection_name().empty()) {
        return column->shared_embeddings().shared_embedding_collection_name();
    }
    std::vector<std::string> categorical;
    if (column != nullptr) {
        for (const std::string& handle : column->shared_embeddings().categorical_columns()) {
            CANNERY_TRY_ASSIGN(std::string name, tensorflowName(columns, handle));
            categorical.push_back(std::move(name));
        }
    }
    std::sort(categorical.begin(), categorical.end());
    return fmt::format("{}_shared_embedding", fmt::join(categorical, "_"));
}

Result<std::vector<std::string>> rawFeatures(const ColumnIndex& columns,
                                             std::string_view columnName)
{
    std::vector<std::string> features;
    CANNERY_TRY(Walker(columns).features(std::string(columnName), features));
    return features;
}

} // namespace cannery::spec
