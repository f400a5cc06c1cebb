// SPDX-License-Identifier: Apache-2.0
#include "core/data/dataset_opening.h"

#include "core/data/data_errors.h"
#include "core/data/pipeline/feature_maker.h"
#include "core/data/sources/completed_source.h"
#include "core/data/typing/date_columns.h"

#include <algorithm>

namespace cannery::data {

namespace {

/// Of features, the label, and the labels of several heads.
std::map<std::string, std::string> separatorsOf(const spec::Data& data)
{
    std::map<std::string, std::string> separators;
    // The first one counts: a feature before a label.
    const auto add = [&](const auto& split) {
        separators.emplace(split.column(), split.separator());
    };
    for (const spec::Feature& feature : data.feature()) {
        if (feature.has_split()) {
            add(feature.split());
        }
    }
    if (data.label().has_split()) {
        add(data.label().split());
    }
    for (const spec::HeadLabel& head : data.label().heads().head()) {
        if (head.has_split()) {
            add(head.split());
        }
    }
    return separators;
}

} // namespace

SourceOptions optionsOf(const spec::Data& data, const std::string& folder)
{
    SourceOptions options;
    options.folder = folder;
    options.columns.assign(data.column().begin(), data.column().end());
    options.badRows = data.bad_rows();
    options.separators = separatorsOf(data);
    return options;
}

namespace {

/// Opens a source as the data describes its columns; others are texts.
Result<std::unique_ptr<DataSource>> openDescribed(const spec::DataSource& source,
                                                  const std::string& sourceFolder,
                                                  const spec::Data& data)
{
    SourceOptions options = optionsOf(data, sourceFolder);
    // A schema without columns: nothing of another table is known.
    const TableSchema nothing;
    options.like = &nothing;
    return openDataSource(source, options);
}

/// Whether the data says how each column of the training data is read, as that of a run does.
bool describesAll(const spec::Data& data)
{
    // Without the type of even one column, the table must be looked at.
    return data.column_size() > 0 &&
           std::ranges::all_of(data.column(),
                               [](const spec::Column& column) { return column.has_dtype(); });
}

/// The columns that the data describes beside those of the schema and the label's.
std::vector<ColumnSchema> columnsBesides(const TableSchema& schema, const spec::Data& data)
{
    const std::vector<std::string> ofLabel = labelColumns(data);
    std::vector<ColumnSchema> others;
    for (const spec::Column& column : data.column()) {
        const bool isLabel =
            std::find(ofLabel.begin(), ofLabel.end(), column.name()) != ofLabel.end();
        // A label need not be there, and the schema's own columns are.
        if (isLabel || !column.has_dtype() || schema.find(column.name()) != nullptr) {
            continue;
        }
        ColumnSchema& other = others.emplace_back();
        other.name = column.name();
        other.index = schema.columns.size() + others.size() - 1;
        other.dtype = static_cast<DType>(column.dtype());
        other.reason = "as the experiment says";
        if (column.has_default_value()) {
            other.defaultValue = column.default_value();
        }
    }
    return others;
}

} // namespace

Result<std::unique_ptr<DataSource>> openTraining(const spec::Data& data, const std::string& folder,
                                                 ColumnKinds kinds)
{
    if (!data.has_train()) {
        return fail(ErrorCode::InvalidArgument, kNoTrain);
    }
    SourceOptions options = optionsOf(data, folder);
    options.kinds = kinds;
    return openDataSource(data.train(), options);
}

Result<spec::Data> withNotationsOfTraining(const spec::Data& data, const std::string& folder)
{
    spec::Data features = data;
    // The split is by a column of the training data, whose notation it states itself.
    features.clear_split();
    if (!lacksDateNotations(features)) {
        return data;
    }
    // Types are of no interest here, and guessing them takes a pass.
    Result<std::unique_ptr<DataSource>> training = openTraining(data, folder, ColumnKinds::Unknown);
    if (!training) {
        return tl::make_unexpected(std::move(training).error().with(
            "the notation of dates is decided by the training data"));
    }
    CANNERY_TRY_ASSIGN(features, withDateNotations(features, **training));
    return withDateNotationsOf(data, features);
}

Result<std::unique_ptr<DataSource>> openLikeTraining(const spec::DataSource& source,
                                                     const std::string& sourceFolder,
                                                     const spec::Data& data,
                                                     const std::string& folder)
{
    CANNERY_TRY_ASSIGN(std::unique_ptr<DataSource> opened,
                       openDescribed(source, sourceFolder, data));
    const auto isDescribed = [&](const ColumnSchema& column) {
        return std::any_of(
            data.column().begin(), data.column().end(),
            [&](const spec::Column& row) { return row.name() == column.name && row.has_dtype(); });
    };
    const std::vector<ColumnSchema>& columns = opened->schema().columns;
    // Usual for a run, which has its columns stated: no look at the training data is needed.
    if (std::all_of(columns.begin(), columns.end(), isDescribed)) {
        return opened;
    }
    Result<std::unique_ptr<DataSource>> training = openTraining(data, folder, ColumnKinds::Guessed);
    if (!training) {
        return tl::make_unexpected(
            std::move(training).error().with("the types of columns come from the training data"));
    }
    SourceOptions options = optionsOf(data, sourceFolder);
    options.like = &(*training)->schema();
    return openDataSource(source, options);
}

Result<std::unique_ptr<DataSource>> openRowsToPredict(const spec::DataSource& source,
                                                      const spec::Data& data,
                                                      const std::string& folder,
                                                      std::vector<std::string>& absent)
{
    // A complete description makes the training data unnecessary, which may be gone.
    CANNERY_TRY_ASSIGN(std::unique_ptr<DataSource> opened,
                       describesAll(data) ? openDescribed(source, "", data)
                                          : openLikeTraining(source, "", data, folder));
    std::vector<ColumnSchema> missing = columnsBesides(opened->schema(), data);
    // The caller's list is reused from file to file.
    absent.clear();
    for (const ColumnSchema& column : missing) {
        absent.push_back(column.name);
    }
    return completedSource(std::move(opened), std::move(missing));
}

} // namespace cannery::data
