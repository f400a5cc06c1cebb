// SPDX-License-Identifier: Apache-2.0
#include "core/train/preparation/embedding_tables.h"

#include "core/features/column_builder.h"
#include "core/features/feature_column_catalog.h"
#include "core/spec/column_kinds.h"
#include "core/spec/tensorflow_names.h"

#include <fmt/core.h>

#include <algorithm>

namespace cannery::train {

namespace {

constexpr std::string_view kWeights = "/embedding_weights";

/// What a variable's name ends in, and whose it is.
struct NamedTable
{
    std::string ending;
    EmbeddingVariable table;
};

/// The tables of one feature column, as core/estimators/column_lowering.cpp names them.
std::vector<NamedTable> tablesOf(const spec::FeatureColumn& column, const spec::ColumnIndex& all)
{
    const features::FeatureColumnRow* row = features::findFeatureColumnRow(column.kind_case());
    if (row == nullptr || row->lookup == nullptr) {
        return {};
    }
    const Result<features::ColumnLookup> lookup = row->lookup(column, all);
    const Result<std::vector<std::string>> names = spec::tensorflowNames(all, column.name());
    const std::vector<spec::ColumnSource> wrapped = spec::sourcesOf(column);
    // A column whose settings are wrong has no tables; checks report it.
    if (!lookup || !lookup->table || !names || names->size() != wrapped.size()) {
        return {};
    }
    // One shared collection is a single table that several columns read.
    std::vector<NamedTable> tables;
    for (std::size_t i = 0; i < wrapped.size(); ++i) {
        const bool isShared = !lookup->table->collection.empty();
        tables.push_back(
            {.ending = isShared ? "/" + spec::scopeSafe(lookup->table->collection)
                                : fmt::format("/{}{}", spec::scopeSafe((*names)[i]), kWeights),
             .table = {.column = column.name(), .wrapped = wrapped[i].name}});
    }
    return tables;
}

} // namespace

std::vector<EmbeddingVariable> embeddingsAmong(const std::vector<std::string>& variables,
                                               const spec::Experiment& experiment)
{
    const spec::ColumnIndex columns(experiment);
    std::vector<NamedTable> known;
    for (const spec::FeatureColumn& column : experiment.feature_column()) {
        const std::vector<NamedTable> own = tablesOf(column, columns);
        known.insert(known.end(), own.begin(), own.end());
    }
    std::vector<EmbeddingVariable> found;
    for (const std::string& variable : variables) {
        const auto named = std::find_if(known.begin(), known.end(), [&](const NamedTable& each) {
            // The name may be below any scope, of a part of the model or of an optimizer.
            return ("/" + variable).ends_with(each.ending);
        });
        // By its name alone, another program's table can be shown as well.
        if (named != known.end() || variable.ends_with(kWeights)) {
            EmbeddingVariable table = named != known.end() ? named->table : EmbeddingVariable();
            table.name = variable;
            found.push_back(std::move(table));
        }
    }
    return found;
}

Result<std::vector<std::string>> rowTexts(const EmbeddingVariable& table, std::int64_t rows,
                                          const spec::Experiment& experiment,
                                          const std::string& folder)
{
    features::ColumnPointer column;
    // Texts are known only for an experiment's column; rows have numbers otherwise.
    if (!table.wrapped.empty()) {
        features::ColumnBuilder builder(experiment, folder);
        CANNERY_TRY_ASSIGN(column, builder.categorical(table.wrapped, table.column));
    }
    std::vector<std::string> texts(static_cast<std::size_t>(rows));
    // The column is null if it was not found, and texts stay empty.
    for (std::int64_t id = 0; id < rows && column != nullptr; ++id) {
        texts[static_cast<std::size_t>(id)] = column->idText(id);
    }
    return texts;
}

} // namespace cannery::train
