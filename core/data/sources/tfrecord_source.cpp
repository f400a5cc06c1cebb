// SPDX-License-Identifier: Apache-2.0
#include "core/data/sources/tfrecord_source.h"

#include "core/base/catalog.h"
#include "core/base/memory_guard.h"
#include "core/data/data_errors.h"
#include "core/data/data_fingerprint.h"
#include "core/data/sources/example_inference.h"
#include "core/data/sources/example_rows.h"
#include "core/data/sources/example_stream.h"
#include "core/data/sources/record_files.h"
#include "core/data/typing/column_settlement.h"
#include "core/data/typing/schema_index.h"
#include "storage/io/files.h"
#include "storage/tf/metadata_schema.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace cannery::data {

namespace {

constexpr ErrorKind kOtherType{
    "tfrecord.other_type",
    "{}: feature \"{}\" is {} in the schema, but {} in the records. Correct one of them."};
constexpr ErrorKind kSeveralValues{
    "tfrecord.several_values", "{}: feature \"{}\" has one value in the schema, but some records "
                               "have several. Give it a value_count, or correct the records."};
/// Enough to find the features, if their types are known.
constexpr std::uint64_t kNamesBytes = std::uint64_t{1} << 20U;

struct Policies
{
    bool skipDamages = false;
    bool skipBadRecords = false;
};

class TfRecordSource : public DataSource
{
public:
    TfRecordSource(RecordFiles files, TableSchema schema, Policies policies)
        : m_files(std::move(files)), m_schema(std::move(schema)), m_policies(policies)
    {}

    const TableSchema& schema() const override { return m_schema; }
    const std::vector<std::string>& files() const override { return m_files.paths; }
    Result<std::string> fingerprint() const override
    {
        return fingerprintOf(*m_files.kept, m_files.paths.size());
    }

    Result<std::unique_ptr<ChunkStream>> read(const ChunkRequest& request) const override
    {
        ExampleStreamOptions options{.skipDamages = m_policies.skipDamages,
                                     .skipBadRecords = m_policies.skipBadRecords,
                                     .request = request};
        const SchemaIndex known(m_schema);
        for (const ColumnRequest& wanted : request.columns) {
            const ColumnSchema* column = known.find(wanted.column);
            if (column == nullptr) {
                return fail(ErrorCode::NotFound, kNoSuchColumn, m_files.paths.front(),
                            wanted.column, suggestion(wanted.column, m_schema.names()));
            }
            // A column that is read twice has another name the second time.
            options.columns.push_back(readingOf(*column, wanted.dtype.value_or(column->dtype),
                                                wanted.as.empty() ? column->name : wanted.as));
        }
        return streamExamples(m_files, std::move(options));
    }

    Result<std::unique_ptr<RowReader>> rowReader() const override
    {
        std::vector<ExampleColumn> columns;
        for (const ColumnSchema& column : m_schema.columns) {
            columns.push_back(readingOf(column, column.dtype, column.name));
        }
        return exampleRows(m_files, std::move(columns));
    }

    Result<std::vector<std::vector<std::string>>> preview(std::size_t maxRows) const override
    {
        // Rows that cannot be read are skipped in a preview; a pass reports them.
        ExampleStreamOptions options{
            .skipDamages = true, .skipBadRecords = true, .request = {.maxRows = maxRows}};
        for (const ColumnSchema& column : m_schema.columns) {
            // As texts, so that every cell can be shown.
            options.columns.push_back(readingOf(column, DType::String, column.name));
        }
        const std::unique_ptr<ChunkStream> stream = streamExamples(m_files, std::move(options));
        std::vector<std::vector<std::string>> rows;
        while (rows.size() < maxRows) {
            CANNERY_TRY_ASSIGN(const std::optional<storage::TableChunk> chunk, stream->next());
            if (!chunk) {
                break;
            }
            for (std::size_t row = 0; row < chunk->rows && rows.size() < maxRows; ++row) {
                std::vector<std::string>& cells = rows.emplace_back();
                for (const storage::TableColumn& column : chunk->columns) {
                    cells.emplace_back(column.strings()[row]);
                }
            }
        }
        return rows;
    }

private:
    static ExampleColumn readingOf(const ColumnSchema& column, DType dtype, std::string as)
    {
        return {.feature = column.name,
                .as = std::move(as),
                .dtype = dtype,
                .missingTokens = column.missingTokens,
                .notation = column.notation,
                // Only a text has room for several values.
                .isList = column.listOf.has_value() && dtype == DType::String};
    }

    RecordFiles m_files;
    TableSchema m_schema;
    Policies m_policies;
};

/// Columns that no inspected record has, but that others may have: a feature may be missing.
void addUnseenColumns(const SourceOptions& options, TableSchema& schema)
{
    const auto add = [&](const std::string& name, bool mayBeMissing) {
        // After all rows, a feature that none has is only a column if it may be missing.
        // What all records lack, and nothing allows to be missing, is a mistake.
        if (schema.find(name) != nullptr || (schema.sawAllRows && !mayBeMissing)) {
            return;
        }
        ColumnSchema column{.name = name, .index = schema.columns.size()};
        // Only with a type that is known can an unseen column be read.
        if (settle(options, column)) {
            column.missingTokens = missingTokensOf({}, options, name);
            column.notation = notationOf(options, name, '.');
            schema.columns.push_back(std::move(column));
        }
    };
    for (const spec::Column& column : options.columns) {
        add(column.name(), column.has_default_value());
    }
    if (options.like != nullptr) {
        for (const ColumnSchema& column : options.like->columns) {
            add(column.name, column.missing > 0 || column.defaultValue.has_value());
        }
    }
}

DType typeInSchema(storage::MetadataType type, DType found)
{
    switch (type) {
    case storage::MetadataType::Bytes:
        return DType::String;
    case storage::MetadataType::Integer:
        return DType::Int64;
    case storage::MetadataType::Float:
        return DType::Float32;
    case storage::MetadataType::Unknown:
        break;
    }
    return found;
}

/// The schema file's word on types and lists. A feature that no record has is a column whose cells
/// are all missing, unless some environment of the schema is without it, as serving is without
/// labels; one that the schema lacks is left out.
Result<void> follow(const storage::MetadataSchema& metadata, const std::string& file,
                    TableSchema& schema)
{
    std::vector<ColumnSchema> columns;
    for (const storage::MetadataFeature& feature : metadata.features) {
        // TensorFlow leaves such features out as well.
        if (feature.isDeprecated) {
            continue;
        }
        const ColumnSchema* seen = schema.find(feature.name);
        if (seen == nullptr && metadata.mayLack(feature)) {
            continue;
        }
        ColumnSchema column = seen != nullptr ? *seen : ColumnSchema{.name = feature.name};
        const DType found = column.listOf.value_or(column.dtype);
        const DType dtype = typeInSchema(feature.type, found);
        // The schema's word on the number of values counts, if it has one.
        const bool isList = feature.saysCount() ? feature.isList() : column.listOf.has_value();
        // Without a value, a feature has shown no type that could contradict.
        if (seen != nullptr && seen->values > 0 && found != dtype) {
            return fail(ErrorCode::InvalidArgument, kOtherType, file, feature.name, name(dtype),
                        name(found));
        }
        // Records with lists do not fit a schema with one value.
        if (column.listOf && !isList) {
            return fail(ErrorCode::InvalidArgument, kSeveralValues, file, feature.name);
        }
        column.index = columns.size();
        column.dtype = isList ? DType::String : dtype;
        column.listOf = isList ? std::optional(dtype) : std::nullopt;
        column.reason = "as the schema says";
        if (seen == nullptr) {
            column.kind = ColumnKind::Empty;
            column.kindReason = "no record has it";
        }
        // The schema can make numbers into categories; texts need no word for it.
        if (feature.isCategorical && seen != nullptr && seen->kind == ColumnKind::Number) {
            column.kind = ColumnKind::Category;
            column.kindReason = "the schema says so";
        }
        columns.push_back(std::move(column));
    }
    // Columns that the schema does not have would surprise whoever wrote it.
    for (const ColumnSchema& column : schema.columns) {
        if (metadata.find(column.name) == nullptr) {
            schema.warnings.push_back(
                fmt::format("feature {} is not in the schema; it is left out", column.name));
        }
    }
    schema.columns = std::move(columns);
    return {};
}

std::vector<std::string> patternsOf(const spec::TfRecordSource& message, const std::string& folder)
{
    std::vector<std::string> patterns;
    for (const std::string& file : message.files()) {
        patterns.push_back(storage::joinPath(folder, file));
    }
    return patterns;
}

Result<std::string> schemaOf(const spec::TfRecordSource& message, const std::string& folder,
                             const RecordFiles& files)
{
    if (message.has_schema()) {
        // An empty name means: no schema, even if there is one.
        return message.schema().empty() ? std::string()
                                        : storage::joinPath(folder, message.schema());
    }
    const std::vector<std::string> patterns = patternsOf(message, folder);
    // Only a folder that is named by itself: files of several folders may have several schemas.
    if (patterns.size() != 1 || !storage::isFolder(patterns.front())) {
        return std::string();
    }
    CANNERY_TRY_ASSIGN(const std::optional<std::string> found,
                       schemaBelow(patterns.front(), files.paths));
    return found.value_or("");
}

Result<std::unique_ptr<DataSource>> openRecords(const spec::DataSource& source,
                                                const SourceOptions& options)
{
    const spec::TfRecordSource& message = source.tfrecord();
    const Policies policies{.skipDamages = message.corrupt() == spec::BadRows::SKIP,
                            .skipBadRecords = options.badRows == spec::BadRows::SKIP};
    CANNERY_TRY_ASSIGN(RecordFiles files,
                       findRecordFiles(patternsOf(message, options.folder), message.split()));
    CANNERY_TRY_ASSIGN(const std::string schemaFile, schemaOf(message, options.folder, files));
    ExampleInferenceOptions inference{.skipDamages = policies.skipDamages,
                                      .skipBadRecords = policies.skipBadRecords,
                                      .kinds = options.kinds};
    // The types are those of the training, so only the names of features are looked for.
    if (options.like != nullptr) {
        inference.maxBytes = kNamesBytes;
    }
    CANNERY_TRY_ASSIGN(TableSchema schema, inferExamples(files, inference));
    // After the records: their evidence is compared with it.
    if (!schemaFile.empty()) {
        CANNERY_TRY_ASSIGN(const storage::MetadataSchema metadata,
                           storage::readMetadataSchema(schemaFile));
        CANNERY_TRY(follow(metadata, schemaFile, schema));
    }
    for (ColumnSchema& column : schema.columns) {
        column.missingTokens = missingTokensOf({}, options, column.name);
        column.notation = notationOf(options, column.name, '.');
        settle(options, column);
    }
    addUnseenColumns(options, schema);
    // An experiment that describes a column which does not exist is wrong.
    CANNERY_TRY(checkDescribedColumns(options, schema.names(), files.paths.front()));
    return std::unique_ptr<DataSource>(
        std::make_unique<TfRecordSource>(std::move(files), std::move(schema), policies));
}

} // namespace

Result<std::unique_ptr<DataSource>> openTfRecordSource(const spec::DataSource& source,
                                                       const SourceOptions& options)
{
    return guardMemory("a table", [&] { return openRecords(source, options); });
}

void setTfRecordFiles(spec::DataSource& source, const std::vector<std::string>& files)
{
    source.mutable_tfrecord()->clear_files();
    // The files are all that is read; the split would choose among them again.
    source.mutable_tfrecord()->clear_split();
    for (const std::string& file : files) {
        source.mutable_tfrecord()->add_files(file);
    }
}

Result<std::string> tfRecordSchema(const spec::DataSource& source, const std::string& folder)
{
    const spec::TfRecordSource& message = source.tfrecord();
    CANNERY_TRY_ASSIGN(const RecordFiles files,
                       findRecordFiles(patternsOf(message, folder), message.split()));
    return schemaOf(message, folder, files);
}

std::optional<SplitPair> tfRecordSplits(const spec::DataSource& source)
{
    const spec::TfRecordSource& message = source.tfrecord();
    const Result<RecordFiles> files = findRecordFiles(patternsOf(message, ""), message.split());
    // Files that cannot be found are reported when they are read.
    return files ? splitPairOf(files->paths) : std::nullopt;
}

} // namespace cannery::data
