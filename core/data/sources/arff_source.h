// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/data/sources/data_source.h"

#include <string>
#include <vector>

namespace cannery::data {

/// Opens files of Weka (storage/tabular/arff_text.h). Attributes that are nominal, strings or dates
/// are texts; numbers are typed as those of a CSV file. Errors: a header that cannot be read, files
/// with other attributes, rows with another number of values (unless bad rows are skipped).
Result<std::unique_ptr<DataSource>> openArffSource(const spec::DataSource& source,
                                                   const SourceOptions& options);

void setArffFiles(spec::DataSource& source, const std::vector<std::string>& files);

/// Whether a file begins with a relation or an attribute.
bool isArff(const std::string& path);

} // namespace cannery::data
