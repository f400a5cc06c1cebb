// SPDX-License-Identifier: Apache-2.0
#include "core/estimators/column_lowering.h"

#include "core/graph/initializers.h"
#include "core/spec/tensorflow_names.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>

namespace cannery::estimators {

namespace {

constexpr ErrorKind kUnknownColumn{"estimators.unknown_column",
                                   "The estimator names the feature column '{}', which is not "
                                   "among the columns that the data was encoded with."};
constexpr ErrorKind kDuplicateColumn{
    "estimators.duplicate_column",
    "Two feature columns of one estimator have the TensorFlow name '{}'; leave one out."};

/// One column as TensorFlow counts them.
struct Column
{
    std::string name; ///< TensorFlow's
    std::string slot; ///< handle of the column whose slot it reads
    graph::ValueKind kind = graph::ValueKind::Dense;
    /// An embedding, when set; `shared` names its table.
    const spec::EmbeddingColumn* embedding = nullptr;
    std::string shared;
};

graph::ValueKind kindOf(const spec::FeatureColumn& column, const ColumnScope& scope)
{
    switch (column.kind_case()) {
    case spec::FeatureColumn::kNumericColumn:
        return graph::ValueKind::Dense;
    case spec::FeatureColumn::kIndicatorColumn:
        return graph::ValueKind::Indicator;
    case spec::FeatureColumn::kBucketizedColumn:
        return scope.categoriesStay ? graph::ValueKind::Ids : graph::ValueKind::Indicator;
    default:
        return graph::ValueKind::Ids;
    }
}

/// The arguments of shared embeddings that an embedding column has too.
spec::EmbeddingColumn asEmbedding(const spec::SharedEmbeddings& shared)
{
    spec::EmbeddingColumn embedding;
    embedding.set_dimension(shared.dimension());
    embedding.set_combiner(shared.combiner());
    embedding.set_trainable(shared.trainable());
    embedding.set_use_safe_embedding_lookup(shared.use_safe_embedding_lookup());
    if (shared.has_initializer()) {
        *embedding.mutable_initializer() = shared.initializer();
    }
    if (shared.has_max_norm()) {
        embedding.set_max_norm(shared.max_norm());
    }
    if (shared.has_ckpt_to_load_from()) {
        embedding.set_ckpt_to_load_from(shared.ckpt_to_load_from());
        embedding.set_tensor_name_in_ckpt(shared.tensor_name_in_ckpt());
    }
    return embedding;
}

/// Lowers the columns of one part.
class ColumnLowering
{
public:
    ColumnLowering(LoweringContext& context, const ColumnScope& scope)
        : m_context(context), m_scope(scope), m_specs(context.request.experiment)
    {
        const std::vector<features::InputSlot>& slots = context.request.layout.slots;
        for (std::size_t slot = 0; slot < slots.size(); ++slot) {
            m_slots.emplace(slots[slot].column, static_cast<int>(slot));
        }
    }

    Result<void> expand(const std::string& handle)
    {
        const spec::FeatureColumn* column = m_specs.find(handle);
        if (column == nullptr) {
            return fail(ErrorCode::NotFound, kUnknownColumn, handle);
        }
        CANNERY_TRY_ASSIGN(const std::vector<std::string> names,
                           spec::tensorflowNames(m_specs, handle));
        if (column->has_shared_embeddings()) {
            return expandShared(handle, column->shared_embeddings(), names);
        }
        Column& expanded = m_columns.emplace_back();
        expanded.name = names.front();
        expanded.kind = kindOf(*column, m_scope);
        expanded.slot = handle;
        if (column->has_indicator_column()) {
            expanded.slot = column->indicator_column().categorical_column();
        } else if (column->has_embedding_column()) {
            expanded.slot = column->embedding_column().categorical_column();
            expanded.embedding = &column->embedding_column();
        }
        return {};
    }

    Result<std::vector<graph::ValueId>> lower()
    {
        std::sort(m_columns.begin(), m_columns.end(),
                  [](const Column& left, const Column& right) { return left.name < right.name; });
        std::vector<graph::ValueId> values;
        for (std::size_t index = 0; index < m_columns.size(); ++index) {
            const Column& column = m_columns[index];
            if (index > 0 && column.name == m_columns[index - 1].name) {
                return fail(ErrorCode::InvalidArgument, kDuplicateColumn, column.name);
            }
            CANNERY_TRY_ASSIGN(const graph::ValueId value, lowerColumn(column));
            values.push_back(value);
        }
        return values;
    }

private:
    Result<void> expandShared(const std::string& handle, const spec::SharedEmbeddings& shared,
                              const std::vector<std::string>& names)
    {
        CANNERY_TRY_ASSIGN(const std::string collection,
                           spec::sharedEmbeddingCollection(m_specs, handle));
        m_embeddings.push_back(std::make_unique<spec::EmbeddingColumn>(asEmbedding(shared)));
        for (int index = 0; index < shared.categorical_columns_size(); ++index) {
            m_columns.push_back({.name = names[static_cast<std::size_t>(index)],
                                 .slot = shared.categorical_columns(index),
                                 .kind = graph::ValueKind::Ids,
                                 .embedding = m_embeddings.back().get(),
                                 .shared = collection});
        }
        return {};
    }

    Result<graph::ValueId> lowerColumn(const Column& column)
    {
        const features::InputLayout& layout = m_context.request.layout;
        const auto found = m_slots.find(column.slot);
        if (found == m_slots.end()) {
            return fail(ErrorCode::NotFound, kUnknownColumn, column.slot);
        }
        const int slot = found->second;
        const features::InputSlot& input = layout.slots[static_cast<std::size_t>(slot)];
        const graph::Input source{.slot = slot, .block = input.block};
        if (column.embedding == nullptr) {
            return m_context.builder.addInput(column.name, column.kind, input.width, source);
        }
        const graph::ValueId ids = m_context.builder.addInput(
            input.tensorflowName, graph::ValueKind::Ids, input.width, source);
        const std::string node = m_scope.node + "/" + graph::scopeSafe(column.name);
        CANNERY_TRY_ASSIGN(const graph::VariableId table, tableOf(column, node, input.width));
        spec::Layer layer;
        layer.mutable_embedding()->set_dimension(column.embedding->dimension());
        layer.mutable_embedding()->set_combiner(column.embedding->combiner());
        layer.mutable_embedding()->set_use_safe_embedding_lookup(
            column.embedding->use_safe_embedding_lookup());
        if (column.embedding->has_max_norm()) {
            layer.mutable_embedding()->set_max_norm(column.embedding->max_norm());
        }
        return m_context.builder.addNode(node, layer, {ids},
                                         {.outputName = column.name, .variables = {table}});
    }

    Result<graph::VariableId> tableOf(const Column& column, const std::string& node,
                                      std::int64_t buckets)
    {
        const auto known = m_context.sharedTables.find(column.shared);
        if (!column.shared.empty() && known != m_context.sharedTables.end()) {
            return known->second;
        }
        const spec::EmbeddingColumn& embedding = *column.embedding;
        const double stddev = 1.0 / std::sqrt(static_cast<double>(embedding.dimension()));
        graph::Variable table;
        table.name =
            column.shared.empty() ? node + "/embedding_weights" : graph::scopeSafe(column.shared);
        table.shape = {buckets, embedding.dimension()};
        table.initializer =
            embedding.has_initializer() ? embedding.initializer() : graph::truncatedNormal(stddev);
        table.trainable = embedding.trainable();
        table.gradient = graph::GradientKind::Sparse;
        table.scope = m_scope.variables;
        table.initialCheckpoint = {embedding.ckpt_to_load_from(), embedding.tensor_name_in_ckpt()};
        CANNERY_TRY_ASSIGN(const graph::VariableId id,
                           m_context.builder.addVariable(std::move(table)));
        if (!column.shared.empty()) {
            m_context.sharedTables.emplace(column.shared, id);
        }
        return id;
    }

    LoweringContext& m_context;
    const ColumnScope& m_scope;
    const spec::ColumnIndex m_specs;
    std::vector<Column> m_columns;
    std::unordered_map<std::string_view, int> m_slots;                ///< of the layout, by column
    std::vector<std::unique_ptr<spec::EmbeddingColumn>> m_embeddings; ///< of shared ones
};

} // namespace

Result<std::vector<graph::ValueId>> lowerColumns(LoweringContext& context,
                                                 const std::vector<std::string>& handles,
                                                 const ColumnScope& scope)
{
    ColumnLowering lowering(context, scope);
    for (const std::string& handle : handles) {
        CANNERY_TRY(lowering.expand(handle));
    }
    return lowering.lower();
}

} // namespace cannery::estimators
