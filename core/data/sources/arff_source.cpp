// SPDX-License-Identifier: Apache-2.0
#include "core/data/sources/arff_source.h"

#include "core/base/memory_guard.h"
#include "core/data/sources/converted_source.h"
#include "storage/tabular/arff_text.h"

#include <algorithm>
#include <utility>

namespace cannery::data {

namespace {

constexpr ErrorKind kNoArffData{
    "data.no_arff_data",
    "{} declares no attributes before @data, or its header is longer than {} bytes. Name a file "
    "that Weka has written."};
constexpr ErrorKind kOtherAttributes{
    "data.other_arff_attributes",
    "{} has other attributes than {}. All files of a source need the same."};

constexpr std::size_t kMostHeaderBytes = std::size_t{16} << 20U;
constexpr std::size_t kArffRecognisedBytes = std::size_t{64} << 10U;

using storage::ArffAttribute;

Result<std::vector<ArffAttribute>> attributesOf(const std::string& path)
{
    CANNERY_TRY_ASSIGN(const std::string start, startOfText(path, kMostHeaderBytes));
    CANNERY_TRY_ASSIGN(storage::ArffHeader header, storage::parseArffHeader(start, path));
    // The header lists the columns, and may be long, but not as long as a file.
    if (!header.isWhole || header.attributes.empty()) {
        return fail(ErrorCode::InvalidArgument, kNoArffData, path, kMostHeaderBytes);
    }
    return std::move(header.attributes);
}

std::vector<std::string> namesOf(const std::vector<ArffAttribute>& attributes)
{
    std::vector<std::string> names;
    for (const ArffAttribute& attribute : attributes) {
        names.push_back(attribute.name);
    }
    return names;
}

void declareTexts(const std::vector<ArffAttribute>& attributes, TableSchema& schema)
{
    for (ColumnSchema& column : schema.columns) {
        // Numbers that the header declares to be texts are class names.
        if (attributes[column.index].isText && column.dtype != DType::String) {
            column.dtype = DType::String;
            column.reason = "the file declares texts";
            column.kind = column.kind == ColumnKind::Number ? ColumnKind::Category : column.kind;
            // A word among texts is a value like any other.
            column.suggestedMissingTokens.clear();
        }
    }
}

Result<std::unique_ptr<DataSource>> openRelations(const spec::DataSource& source,
                                                  const SourceOptions& options)
{
    const spec::ArffSource& message = source.arff();
    ConvertedTable table;
    CANNERY_TRY_ASSIGN(table.paths,
                       textFiles({message.files().begin(), message.files().end()}, options));
    CANNERY_TRY_ASSIGN(std::vector<ArffAttribute> attributes, attributesOf(table.paths.front()));
    table.names = namesOf(attributes);
    for (const std::string& path : table.paths) {
        CANNERY_TRY_ASSIGN(const std::vector<ArffAttribute> others, attributesOf(path));
        // Converted one after the other, as one table.
        if (namesOf(others) != table.names) {
            return fail(ErrorCode::InvalidArgument, kOtherAttributes, path, table.paths.front());
        }
    }
    table.make = [attributes] { return storage::makeArffConverter(attributes); };
    table.declare = [attributes](TableSchema& schema) { declareTexts(attributes, schema); };
    return openConverted(std::move(table), options);
}

} // namespace

Result<std::unique_ptr<DataSource>> openArffSource(const spec::DataSource& source,
                                                   const SourceOptions& options)
{
    return guardMemory("an ARFF file", [&] { return openRelations(source, options); });
}

void setArffFiles(spec::DataSource& source, const std::vector<std::string>& files)
{
    source.mutable_arff()->clear_files();
    for (const std::string& file : files) {
        source.mutable_arff()->add_files(file);
    }
}

bool isArff(const std::string& path)
{
    // Any error means that it is not such a file.
    const Result<std::string> start =
        guardMemory(path, [&] { return startOfText(path, kArffRecognisedBytes); });
    return start && storage::beginsAsArff(*start);
}

} // namespace cannery::data
