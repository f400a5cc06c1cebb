// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/data/sources/data_source.h"
#include "core/data/sources/record_folder.h"

#include <optional>
#include <string>
#include <vector>

namespace cannery::data {

/// Opens TFRecord files of tf.Example or tf.SequenceExample (paths, globs or folders; plain, GZIP
/// or ZLIB): one column per feature, in order of name. Features with several values become texts
/// that hold them (ColumnSchema::listOf), to be made a feature with `split`. Without a `schema`,
/// the schema.pbtxt of the only folder named is followed; with an empty one, none. Errors:
/// unreadable files, damaged records among those inspected (unless they are skipped), a described
/// column that no record has.
Result<std::unique_ptr<DataSource>> openTfRecordSource(const spec::DataSource& source,
                                                       const SourceOptions& options);

/// Reads all records of other files.
void setTfRecordFiles(spec::DataSource& source, const std::vector<std::string>& files);

/// The schema that the records are read with; empty if there is none. Error: a folder with several.
Result<std::string> tfRecordSchema(const spec::DataSource& source, const std::string& folder);

/// The source's splits to train and to evaluate on, if its files have such.
std::optional<SplitPair> tfRecordSplits(const spec::DataSource& source);

} // namespace cannery::data
