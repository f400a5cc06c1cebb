// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/data/sources/data_source.h"

#include <string>
#include <vector>

namespace cannery::data {

/// Opens files of LIBSVM (storage/tabular/libsvm_text.h): the columns label, qid if there is one,
/// and f1, f2 and so on up to the number that the message sets, or else to the largest in the
/// files, for which they are read once before. Errors: a line that is none of this format (unless
/// bad rows are skipped), more columns than are read.
Result<std::unique_ptr<DataSource>> openLibsvmSource(const spec::DataSource& source,
                                                     const SourceOptions& options);

void setLibsvmFiles(spec::DataSource& source, const std::vector<std::string>& files);

/// Whether the first lines of a file are of this format.
bool isLibsvm(const std::string& path);

} // namespace cannery::data
