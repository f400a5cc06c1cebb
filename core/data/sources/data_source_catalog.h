// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/data/sources/data_source.h"
#include "core/data/sources/record_folder.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cannery::data {

/// One of the tables that a file holds.
struct NamedTable
{
    std::string name;
    std::vector<std::string> columns; ///< none if the file does not say
};

/// Rows are counted up to this number: beyond it, counting takes long.
inline constexpr std::uint64_t kMostRowsCounted = 1'000'000;

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
    /// Whether a file or folder is of this kind, by its content; null if any other content is of
    /// this kind.
    bool (*recognizes)(const std::string& path) = nullptr;
    /// A schema.pbtxt that the rows are read with, empty for none; null if there is no such source.
    Result<std::string> (*schemaFile)(const spec::DataSource& source,
                                      const std::string& folder) = nullptr;
    /// The splits that its field `split` can name; null if it has no such field.
    std::optional<SplitPair> (*splits)(const spec::DataSource& source) = nullptr;
    /// The tables of a file, of which its fields `table` and `query` choose; null if a file is one.
    Result<std::vector<NamedTable>> (*tables)(const std::string& file) = nullptr;
    /// The number of rows of one of them, kMostRowsCounted + 1 if there are more than that; null
    /// if a file is one table.
    Result<std::uint64_t> (*countRows)(const std::string& file, const std::string& table) = nullptr;
    bool isJson = false; ///< its rows are JSON objects
    /// Sets the fields that say how the file of the message is read, so that others are read
    /// likewise; null if every file says so itself.
    void (*describe)(spec::DataSource& source) = nullptr;
    /// The column that is there to be predicted, if the source has it; empty if none is.
    std::string_view label = {};
    std::string_view identifier = {}; ///< the column that tells rows apart, likewise
    bool rowsAreFiles = false;        ///< each is a file, which may be damaged by itself
};

/// All kinds of data source.
std::span<const DataSourceRow> dataSourceCatalog();

/// Whether the rows of a source are JSON objects.
bool isJson(const spec::DataSource& source);

/// A source of other files, read in the same way. An unset source stays unset.
spec::DataSource withFiles(spec::DataSource source, const std::vector<std::string>& files);

/// A source that reads this file or folder, of the kind that its content says.
spec::DataSource sourceOfFile(const std::string& path);

/// The schema.pbtxt that a source's rows are read with: named by its message, or found with its
/// files; empty if there is none. `folder`: base of relative paths.
Result<std::string> schemaFile(const spec::DataSource& source, const std::string& folder);

/// The columns of a kind of source that are there to be predicted, and to tell rows apart; the
/// source need not have them.
std::string_view labelOf(const spec::DataSource& source);
std::string_view identifierOf(const spec::DataSource& source);

/// Whether each row of a source is a file, which may be damaged by itself.
bool rowsAreFiles(const spec::DataSource& source);

/// The splits of a source's files that its field `split` can name, to train and to evaluate on.
std::optional<SplitPair> splitsOf(const spec::DataSource& source);

/// Texts besides "" that stand for a missing cell in every column of a source; none when unset.
std::vector<std::string> missingTokens(const spec::DataSource& source);

} // namespace cannery::data
