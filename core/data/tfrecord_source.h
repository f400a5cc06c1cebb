// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/data/data_source.h"

#include <string>
#include <vector>

namespace cannery::data {

/// Opens TFRecord files of tf.Example or tf.SequenceExample (paths, globs or folders; plain, GZIP
/// or ZLIB): one column per feature, in order of name. Features with several values become texts
/// that hold them (ColumnSchema::listOf), to be made a feature with `split`. Errors: unreadable
/// files, damaged records among those inspected (unless they are skipped), a described column that
/// no record has.
Result<std::unique_ptr<DataSource>> openTfRecordSource(const spec::DataSource& source,
                                                       const SourceOptions& options);

void setTfRecordFiles(spec::DataSource& source, const std::vector<std::string>& files);

} // namespace cannery::data
