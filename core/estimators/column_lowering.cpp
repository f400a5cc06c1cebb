// SPDX-License-Identifier: Apache-2.0
#include "core/estimators/column_lowering.h"

#include "core/features/feature_column_catalog.h"
#include "core/graph/initializers.h"
#include "core/spec/column_kinds.h"
#include "core/spec/tensorflow_names.h"

#include <algorithm>
#include <cmath>
#include <memory>
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

/// One column, counted as in TensorFlow.
struct Column
{
    std::string name; ///< TensorFlow's
    std::string slot; ///< handle of the column whose slot it reads
    graph::ValueKind kind = graph::ValueKind::Dense;
    bool isSequence = false;
    std::shared_ptr<const features::EmbeddingTable> table; ///< of an embedding, otherwise null
};

/// For a column with its own slot.
graph::ValueKind kindOf(const spec::FeatureColumn& column, const ColumnScope& scope)
{
    if (!spec::gives(column, spec::ColumnKind::IDS)) {
        return spec::gives(column, spec::ColumnKind::SEQUENCE) ? graph::ValueKind::Sequence
                                                               : graph::ValueKind::Dense;
    }
    // A column that gives both, as a bucketized one, is expanded by a network and stays ids in a
    // linear model.
    const bool isCounted = !scope.categoriesStay && spec::gives(column, spec::ColumnKind::DENSE);
    return isCounted ? graph::ValueKind::Indicator : graph::ValueKind::Ids;
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
        m_columns.reserve(slots.size());
    }

    Result<void> expand(const std::string& handle)
    {
        const spec::FeatureColumn* column = m_specs.find(handle);
        if (column == nullptr) {
            return fail(ErrorCode::NotFound, kUnknownColumn, handle);
        }
        const auto* row = features::findFeatureColumnRow(column->kind_case());
        if (row == nullptr || row->lookup == nullptr) {
            CANNERY_TRY_ASSIGN(const int slot, slotOf(handle));
            m_columns.push_back({.name = inputOf(slot).tensorflowName,
                                 .slot = handle,
                                 .kind = kindOf(*column, m_scope),
                                 .table = nullptr});
            return {};
        }
        CANNERY_TRY_ASSIGN(const std::vector<std::string> names,
                           spec::tensorflowNames(m_specs, handle));
        CANNERY_TRY_ASSIGN(features::ColumnLookup lookup, row->lookup(*column, m_specs));
        expandWrapped(names, spec::sourcesOf(*column), std::move(lookup));
        return {};
    }

    /// In the order of TensorFlow's names, as its models take columns: it decides which rows of the
    /// first layer's weights belong to which column.
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
    void expandWrapped(const std::vector<std::string>& names,
                       const std::vector<spec::ColumnSource>& wrapped,
                       features::ColumnLookup lookup)
    {
        std::shared_ptr<const features::EmbeddingTable> table;
        if (lookup.table) {
            // Shared by all columns of shared_embeddings.
            table = std::make_shared<features::EmbeddingTable>(*std::move(lookup.table));
        }
        for (std::size_t i = 0; i < wrapped.size(); ++i) {
            const spec::FeatureColumn* source = m_specs.find(wrapped[i].name);
            m_columns.push_back(
                {.name = names[i],
                 .slot = wrapped[i].name,
                 .kind = table ? graph::ValueKind::Ids : graph::ValueKind::Indicator,
                 .isSequence =
                     source != nullptr && spec::gives(*source, spec::ColumnKind::SEQUENCE),
                 .table = table});
        }
    }

    Result<int> slotOf(const std::string& column) const
    {
        const auto found = m_slots.find(column);
        if (found == m_slots.end()) {
            return fail(ErrorCode::NotFound, kUnknownColumn, column);
        }
        return found->second;
    }

    const features::InputSlot& inputOf(int slot) const
    {
        return m_context.request.layout.slots[static_cast<std::size_t>(slot)];
    }

    Result<graph::ValueId> lowerColumn(const Column& column)
    {
        CANNERY_TRY_ASSIGN(const int slot, slotOf(column.slot));
        const features::InputSlot& input = inputOf(slot);
        const graph::Input source{.slot = slot, .block = input.block};
        if (column.table == nullptr) {
            return m_context.builder.addInput({.name = column.name,
                                               .kind = column.kind,
                                               .width = input.width,
                                               .isSequence = column.isSequence},
                                              source);
        }
        const graph::ValueId ids = m_context.builder.addInput({.name = input.tensorflowName,
                                                               .kind = graph::ValueKind::Ids,
                                                               .width = input.width,
                                                               .isSequence = column.isSequence},
                                                              source);
        // The scopes of TensorFlow's input layers, which checkpoints name variables by.
        const std::string node = m_scope.node + "/" + spec::scopeSafe(column.name);
        CANNERY_TRY_ASSIGN(const graph::VariableId table, tableOf(column, node, input.width));
        spec::Layer layer;
        *layer.mutable_embedding() = column.table->lookup;
        return m_context.builder.addNode(node, layer, {ids},
                                         {.outputName = column.name, .variables = {table}});
    }

    Result<graph::VariableId> tableOf(const Column& column, const std::string& node,
                                      std::int64_t buckets)
    {
        const features::EmbeddingTable& wanted = *column.table;
        // shared_embedding_columns: the first column makes the table, the others use it.
        const auto known = m_context.sharedTables.find(wanted.collection);
        if (!wanted.collection.empty() && known != m_context.sharedTables.end()) {
            return known->second;
        }
        const std::int64_t dimension = wanted.lookup.dimension();
        graph::Variable table;
        table.name = wanted.collection.empty() ? node + "/embedding_weights"
                                               : spec::scopeSafe(wanted.collection);
        table.shape = {buckets, dimension};
        // The default of tf.feature_column.embedding_column.
        table.initializer = wanted.initializer.value_or(
            graph::truncatedNormal(1.0 / std::sqrt(static_cast<double>(dimension))));
        table.trainable = wanted.trainable;
        table.gradient = graph::GradientKind::Sparse;
        table.scope = m_scope.variables;
        table.initialCheckpoint = {wanted.checkpoint, wanted.tensorInCheckpoint};
        CANNERY_TRY_ASSIGN(const graph::VariableId id,
                           m_context.builder.addVariable(std::move(table)));
        if (!wanted.collection.empty()) {
            m_context.sharedTables.emplace(wanted.collection, id);
        }
        return id;
    }

    LoweringContext& m_context;
    const ColumnScope& m_scope;
    const spec::ColumnIndex m_specs;
    std::vector<Column> m_columns;
    std::unordered_map<std::string_view, int> m_slots; ///< of the layout, by column
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
