// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/data/data_source.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cannery::data {

/// One kind of data source: the case of spec::DataSource, the name of its field, how it is opened,
/// and where its message names files.
struct DataSourceRow
{
    spec::DataSource::KindCase key;
    std::string_view name;
    Result<std::unique_ptr<DataSource>> (*open)(const spec::DataSource& source,
                                                const SourceOptions& options);
    /// Makes the message refer to other files that are read in the same way.
    void (*setFiles)(spec::DataSource& source, const std::vector<std::string>& files);
    /// Texts besides "" that its message says stand for a missing cell in every column; null: the
    /// message has no such field.
    std::vector<std::string> (*missingTokens)(const spec::DataSource& source) = nullptr;
    /// Whether a file or folder is of this kind, by its content; null: of any other content.
    bool (*recognizes)(const std::string& path) = nullptr;
};

/// All kinds of data source.
std::span<const DataSourceRow> dataSourceCatalog();

/// A source of other files, read in the same way. An unset source stays unset.
spec::DataSource withFiles(spec::DataSource source, const std::vector<std::string>& files);

/// A source that reads this file or folder, of the kind that its content says.
spec::DataSource sourceOfFile(const std::string& path);

/// Texts besides "" that stand for a missing cell in every column of a source; none when unset.
std::vector<std::string> missingTokens(const spec::DataSource& source);

} // namespace cannery::data
