// SPDX-License-Identifier: Apache-2.0
#include "core/data/sources/data_source_catalog.h"

#include "core/base/catalog.h"
#include "core/data/rows/row_reader.h"
#include "core/data/sources/arff_source.h"
#include "core/data/sources/csv_source.h"
#include "core/data/sources/fixed_width_source.h"
#include "core/data/sources/image_folder_source.h"
#include "core/data/sources/image_listing.h"
#include "core/data/sources/json_lines_source.h"
#include "core/data/sources/libsvm_source.h"
#include "core/data/sources/npz_source.h"
#include "core/data/sources/record_files.h"
#include "core/data/sources/sqlite_source.h"
#include "core/data/sources/sqlite_tables.h"
#include "core/data/sources/tfrecord_source.h"

#include <array>
#include <optional>

namespace cannery::data {

namespace {

constexpr ErrorKind kNoSource{
    "data.no_source",
    "The data names no source. Write one, such as csv {{ files: \"train.csv\" }}."};

constexpr ErrorKind kNotBrowsable{
    "data.not_browsable", "{} can only be read from its beginning, and is not browsed. Save the "
                          "table as CSV to browse it."};

/// Can be read only once.
constexpr std::string_view kStandardInput = "/dev/stdin";

constexpr auto kCatalog = std::to_array<DataSourceRow>({
    // CSV recognizes nothing: it is what everything else is.
    {spec::DataSource::kCsv, "csv", openCsvSource, setCsvFiles, csvMissingTokens},
    {spec::DataSource::kTfrecord, "tfrecord", openTfRecordSource, setTfRecordFiles, nullptr,
     areRecords, tfRecordSchema, tfRecordSplits},
    {spec::DataSource::kSqlite, "sqlite", openSqliteSource, setSqliteFiles, nullptr, isSqlite,
     nullptr, nullptr, sqliteTables, sqliteRowCount},
    {spec::DataSource::kNpz, "npz", openNpzSource, setNpzFiles, nullptr, isNpz},
    {spec::DataSource::kJsonLines, "json_lines", openJsonLinesSource, setJsonLinesFiles,
     jsonLinesMissingTokens, isJsonLines, nullptr, nullptr, nullptr, nullptr, true},
    {spec::DataSource::kArff, "arff", openArffSource, setArffFiles, nullptr, isArff},
    {spec::DataSource::kLibsvm, "libsvm", openLibsvmSource, setLibsvmFiles, nullptr, isLibsvm},
    {spec::DataSource::kFixedWidth, "fixed_width", openFixedWidthSource, setFixedWidthFiles,
     nullptr, isFixedWidth, nullptr, nullptr, nullptr, nullptr, false, describeFixedWidth},
    {spec::DataSource::kImageFolder, "image_folder", openImageFolderSource, setImageFolder, nullptr,
     hasImagesBelow, nullptr, imageFolderSplits, nullptr, nullptr, false, describeImages, "label",
     "path", true},
});

} // namespace

std::span<const DataSourceRow> dataSourceCatalog()
{
    return kCatalog;
}

bool isJson(const spec::DataSource& source)
{
    const DataSourceRow* row = findRow(kCatalog, source.kind_case());
    return row != nullptr && row->isJson;
}

spec::DataSource withFiles(spec::DataSource source, const std::vector<std::string>& files)
{
    // A source of no kind has no files to replace.
    if (const DataSourceRow* row = findRow(kCatalog, source.kind_case())) {
        row->setFiles(source, files);
    }
    return source;
}

spec::DataSource sourceOfFile(const std::string& path)
{
    spec::DataSource source;
    const DataSourceRow* other = nullptr;
    for (const DataSourceRow& row : kCatalog) {
        // The kind without a test is the one for all other files.
        if (row.recognizes == nullptr) {
            other = &row;
        } else if (path != kStandardInput && row.recognizes(path)) {
            // Looking into standard input would take its first bytes away.
            row.setFiles(source, {path});
            // What was found out about the file is written down, such as where columns begin.
            if (row.describe != nullptr) {
                row.describe(source);
            }
            return source;
        }
    }
    other->setFiles(source, {path});
    return source;
}

Result<std::string> schemaFile(const spec::DataSource& source, const std::string& folder)
{
    const DataSourceRow* row = findRow(kCatalog, source.kind_case());
    return row != nullptr && row->schemaFile != nullptr ? row->schemaFile(source, folder)
                                                        : std::string();
}

std::string_view labelOf(const spec::DataSource& source)
{
    const DataSourceRow* row = findRow(kCatalog, source.kind_case());
    return row != nullptr ? row->label : std::string_view();
}

std::string_view identifierOf(const spec::DataSource& source)
{
    const DataSourceRow* row = findRow(kCatalog, source.kind_case());
    return row != nullptr ? row->identifier : std::string_view();
}

bool rowsAreFiles(const spec::DataSource& source)
{
    const DataSourceRow* row = findRow(kCatalog, source.kind_case());
    return row != nullptr && row->rowsAreFiles;
}

std::optional<SplitPair> splitsOf(const spec::DataSource& source)
{
    const DataSourceRow* row = findRow(kCatalog, source.kind_case());
    return row != nullptr && row->splits != nullptr ? row->splits(source) : std::nullopt;
}

std::vector<std::string> missingTokens(const spec::DataSource& source)
{
    const DataSourceRow* row = findRow(kCatalog, source.kind_case());
    // Most kinds have no texts that could mean "missing".
    const bool hasTokens = row != nullptr && row->missingTokens != nullptr;
    return hasTokens ? row->missingTokens(source) : std::vector<std::string>();
}

Result<std::unique_ptr<RowReader>> DataSource::rowReader() const
{
    return fail(ErrorCode::Unimplemented, kNotBrowsable, files().front());
}

Result<std::unique_ptr<DataSource>> openDataSource(const spec::DataSource& source,
                                                   const SourceOptions& options)
{
    const DataSourceRow* row = findRow(kCatalog, source.kind_case());
    if (row == nullptr) {
        return fail(ErrorCode::InvalidArgument, kNoSource);
    }
    return row->open(source, options);
}

} // namespace cannery::data
