// SPDX-License-Identifier: Apache-2.0
#include "core/spec/embedding_columns.h"

#include "core/spec/tensorflow_names.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace cannery::spec {

namespace {

constexpr ErrorKind kCheckpointPair{
    "spec.checkpoint_pair",
    "ckpt_to_load_from and tensor_name_in_ckpt belong together: give both or neither."};
constexpr ErrorKind kSharedKinds{
    "spec.shared_kinds",
    "'{0}' is a {1}, but '{2}' is a {3}: columns that share a table must be of the same kind."};
constexpr ErrorKind kSharedSizes{
    "spec.shared_sizes",
    "'{0}' has {1} ids, but '{2}' has {3}: columns that share a table need the same number."};

template <typename Embedding>
void checkCheckpointPair(const ColumnCheck& check, const Embedding& column)
{
    if (column.has_ckpt_to_load_from() != column.has_tensor_name_in_ckpt()) {
        check.report(check.path.child(column.has_ckpt_to_load_from() ? "ckpt_to_load_from"
                                                                     : "tensor_name_in_ckpt"),
                     error(ErrorCode::InvalidArgument, kCheckpointPair));
    }
}

/// Truncated normal with mean 0 and standard deviation 1/sqrt(dimension).
/// The default of TensorFlow's embedding_column.
template <typename Embedding>
void resolveInitializer(Embedding& embedding)
{
    if (embedding.initializer().kind_case() == Initializer::KIND_NOT_SET &&
        embedding.dimension() > 0) {
        TruncatedNormalInitializer& normal =
            *embedding.mutable_initializer()->mutable_truncated_normal();
        normal.set_mean(0);
        normal.set_stddev(1.0 / std::sqrt(static_cast<double>(embedding.dimension())));
    }
}

/// For a weighted column, the column that it weights decides.
const FeatureColumn* sharedBy(const ValidationContext& context, const std::string& name)
{
    const FeatureColumn* column = context.column(name);
    // Bounded by the number of columns: a circle is reported elsewhere and must not hang here.
    for (int depth = 0; column != nullptr && depth < context.experiment.feature_column_size();
         ++depth) {
        const auto below = sourcesIn(*column, columnKind(*column).crossed_by());
        if (below.empty() || !below.front().isColumn) {
            break;
        }
        column = context.column(below.front().name);
    }
    return column;
}

void checkAlike(const ColumnCheck& check, const SharedEmbeddings& column)
{
    const FeatureColumn* first = nullptr;
    for (int i = 0; i < column.categorical_columns_size(); ++i) {
        const std::string& name = column.categorical_columns(i);
        const SpecPath path = check.path.child("categorical_columns").element(i);
        const FeatureColumn* source = sharedBy(check.context, name);
        if (source == nullptr || !gives(*source, ColumnKind::IDS)) {
            continue;
        }
        if (first == nullptr) {
            first = source;
            continue;
        }
        const auto size = idCount(check.context.columns, *source);
        const auto firstSize = idCount(check.context.columns, *first);
        if (source->kind_case() != first->kind_case()) {
            // One table has rows for the ids of all of them, so these must mean the same.
            check.report(path, error(ErrorCode::InvalidArgument, kSharedKinds, name,
                                     kindName(*source), first->name(), kindName(*first)));
        } else if (size && firstSize && *size != *firstSize) {
            check.report(path, error(ErrorCode::InvalidArgument, kSharedSizes, name, *size,
                                     first->name(), *firstSize));
        }
    }
}

} // namespace

void checkEmbeddingColumn(const ColumnCheck& check)
{
    checkCheckpointPair(check, check.column.embedding_column());
}

void resolveEmbeddingColumn(FeatureColumn& column, const Experiment&, const ResolveOptions&)
{
    resolveInitializer(*column.mutable_embedding_column());
}

void checkSharedEmbeddings(const ColumnCheck& check)
{
    checkAlike(check, check.column.shared_embeddings());
    checkCheckpointPair(check, check.column.shared_embeddings());
}

void resolveSharedEmbeddings(FeatureColumn& column, const Experiment& experiment,
                             const ResolveOptions&)
{
    SharedEmbeddings& shared = *column.mutable_shared_embeddings();
    resolveInitializer(shared);
    const auto collection = sharedEmbeddingCollection(experiment, column.name());
    if (shared.shared_embedding_collection_name().empty() && collection) {
        shared.set_shared_embedding_collection_name(*collection);
    }
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
    // TensorFlow names a collection after its columns in sorted order.
    std::sort(categorical.begin(), categorical.end());
    return fmt::format("{}_shared_embedding", fmt::join(categorical, "_"));
}

} // namespace cannery::spec
