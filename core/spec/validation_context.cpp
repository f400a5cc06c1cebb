// SPDX-License-Identifier: Apache-2.0
#include "core/spec/validation_context.h"

namespace cannery::spec {

void ValidationContext::report(const SpecPath& path, Error error, Severity severity)
{
    Problem problem;
    problem.severity = severity;
    problem.fieldPath = path.toString();
    problem.error = std::move(error);
    addProblem(problems, std::move(problem));
}

const FeatureColumn* ValidationContext::column(std::string_view name) const
{
    const FeatureColumn* found = columns.find(name);
    const bool usable = found != nullptr && found->kind_case() != FeatureColumn::KIND_NOT_SET;
    return usable ? found : nullptr;
}

const Feature* ValidationContext::madeFeature(std::string_view name) const
{
    for (const Feature& feature : experiment.data().feature()) {
        if (feature.name() == name) {
            return &feature;
        }
    }
    return nullptr;
}

std::optional<std::vector<std::string>> ValidationContext::features() const
{
    if (!tableColumns) {
        return std::nullopt;
    }
    std::vector<std::string> names = *tableColumns;
    for (const Feature& feature : experiment.data().feature()) {
        names.push_back(feature.name());
    }
    return names;
}

bool isDense(const FeatureColumn& column)
{
    return column.has_numeric_column() || column.has_bucketized_column() ||
           column.has_indicator_column() || column.has_embedding_column() ||
           column.has_shared_embeddings();
}

bool isCategorical(const FeatureColumn& column)
{
    return column.has_bucketized_column() || !isDense(column);
}

std::string kindName(const FeatureColumn& column)
{
    const auto* oneof = FeatureColumn::descriptor()->FindOneofByName("kind");
    const auto* field = column.GetReflection()->GetOneofFieldDescriptor(column, oneof);
    return field == nullptr ? std::string() : field->name();
}

std::int64_t elementCount(const google::protobuf::RepeatedField<std::int64_t>& shape,
                          std::int64_t unset)
{
    std::int64_t count = shape.empty() ? unset : 1;
    for (const std::int64_t dim : shape) {
        const bool fits = dim > 0 && count <= (std::int64_t{1} << 40) / dim;
        count = fits ? count * dim : 0;
    }
    return count;
}

std::optional<std::int64_t> bucketCount(const ColumnIndex& columns, const FeatureColumn& column)
{
    switch (column.kind_case()) {
    case FeatureColumn::kBucketizedColumn: {
        const FeatureColumn* source = columns.find(column.bucketized_column().source_column());
        if (source == nullptr) {
            return std::nullopt;
        }
        return (column.bucketized_column().boundaries_size() + 1) *
               elementCount(source->numeric_column().shape(), 1);
    }
    case FeatureColumn::kCategoricalColumnWithVocabularyList: {
        const auto& vocabulary = column.categorical_column_with_vocabulary_list();
        return vocabulary.vocabulary_list_size() + vocabulary.num_oov_buckets();
    }
    case FeatureColumn::kCategoricalColumnWithVocabularyFile: {
        const auto& vocabulary = column.categorical_column_with_vocabulary_file();
        if (!vocabulary.has_vocabulary_size()) {
            return std::nullopt;
        }
        return vocabulary.vocabulary_size() + vocabulary.num_oov_buckets();
    }
    case FeatureColumn::kCategoricalColumnWithHashBucket:
        return column.categorical_column_with_hash_bucket().hash_bucket_size();
    case FeatureColumn::kCategoricalColumnWithIdentity:
        return column.categorical_column_with_identity().num_buckets();
    case FeatureColumn::kCrossedColumn:
        return column.crossed_column().hash_bucket_size();
    case FeatureColumn::kWeightedCategoricalColumn: {
        const FeatureColumn* inner =
            columns.find(column.weighted_categorical_column().categorical_column());
        const bool deeper = inner != nullptr && !inner->has_weighted_categorical_column();
        return deeper ? bucketCount(columns, *inner) : std::nullopt;
    }
    default:
        return std::nullopt;
    }
}

std::vector<std::string> labelColumns(const Data& data)
{
    std::vector<std::string> columns;
    const auto add = [&](const auto& label) {
        if (label.has_column()) {
            columns.push_back(label.column());
        } else if (label.has_split()) {
            columns.push_back(label.split().column());
        }
        columns.insert(columns.end(), label.columns().column().begin(),
                       label.columns().column().end());
    };
    add(data.label());
    for (const HeadLabel& head : data.label().heads().head()) {
        add(head);
    }
    return columns;
}

} // namespace cannery::spec
