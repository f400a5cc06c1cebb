// SPDX-License-Identifier: Apache-2.0
#include "core/data/sources/libsvm_source.h"

#include "core/base/memory_guard.h"
#include "core/data/sources/converted_source.h"
#include "storage/tabular/libsvm_text.h"

#include <algorithm>
#include <charconv>
#include <system_error>
#include <utility>

namespace cannery::data {

namespace {

constexpr ErrorKind kNoPairs{
    "data.no_libsvm_values",
    "{} holds no line such as \"1 3:0.5 7:2\". Name a file in the format of LIBSVM."};

constexpr std::size_t kLibsvmRecognisedBytes = std::size_t{256} << 10U;

using storage::LibsvmShape;

void addLines(std::string_view text, LibsvmShape& shape)
{
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        // A line that cannot be read is refused, or left out, when the rows are.
        static_cast<void>(storage::addToShape(text.substr(0, end), shape));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
}

/// The columns of the training data, which other files may not reach.
void addColumnsOf(const TableSchema& like, LibsvmShape& shape)
{
    for (const ColumnSchema& column : like.columns) {
        std::uint64_t number = 0;
        const char* end = column.name.data() + column.name.size();
        // Names as the converter gives them: the query, a feature 0, and the others.
        if (column.name == "qid") {
            shape.hasQuery = true;
        } else if (column.name == "f0") {
            shape.hasZero = true;
        } else if (column.name.starts_with('f') &&
                   std::from_chars(column.name.data() + 1, end, number).ptr == end) {
            // A name from elsewhere may have any number.
            shape.largest = std::max(shape.largest, std::min(number, LibsvmShape::kMostFeatures));
        }
    }
}

/// What is whole in some lines need not be so in others.
void declareNumbers(TableSchema& schema)
{
    for (ColumnSchema& column : schema.columns) {
        if (column.name.starts_with('f') && isInteger(column.dtype)) {
            column.dtype = column.dtype == DType::Int32 ? DType::Float32 : DType::Float64;
            column.reason = "values of LIBSVM are real numbers";
        }
    }
}

Result<std::unique_ptr<DataSource>> openLines(const spec::DataSource& source,
                                              const SourceOptions& options)
{
    const spec::LibsvmSource& message = source.libsvm();
    ConvertedTable table;
    CANNERY_TRY_ASSIGN(table.paths,
                       textFiles({message.files().begin(), message.files().end()}, options));
    LibsvmShape shape;
    // All files: a feature may occur in the last line only.
    for (const std::string& path : table.paths) {
        CANNERY_TRY(seeLines(path, [&](std::string_view text) {
            addLines(text, shape);
            return true;
        }));
    }
    // The experiment's number holds, even if the files have fewer.
    if (message.has_features()) {
        shape.largest = static_cast<std::uint64_t>(
            std::clamp<std::int64_t>(message.features(), 1, LibsvmShape::kMostFeatures));
    }
    if (shape.largest == 0) {
        return fail(ErrorCode::InvalidArgument, kNoPairs, table.paths.front());
    }
    // Rows to predict need the columns of training, with zeros.
    if (options.like != nullptr) {
        addColumnsOf(*options.like, shape);
    }
    table.names = storage::libsvmColumns(shape);
    table.make = [shape] { return storage::makeLibsvmConverter(shape); };
    table.declare = declareNumbers;
    return openConverted(std::move(table), options);
}

} // namespace

Result<std::unique_ptr<DataSource>> openLibsvmSource(const spec::DataSource& source,
                                                     const SourceOptions& options)
{
    return guardMemory("a LIBSVM file", [&] { return openLines(source, options); });
}

void setLibsvmFiles(spec::DataSource& source, const std::vector<std::string>& files)
{
    source.mutable_libsvm()->clear_files();
    for (const std::string& file : files) {
        source.mutable_libsvm()->add_files(file);
    }
}

bool isLibsvm(const std::string& path)
{
    const Result<std::string> start =
        guardMemory(path, [&] { return startOfText(path, kLibsvmRecognisedBytes); });
    return start && storage::beginsAsLibsvm(*start);
}

} // namespace cannery::data
