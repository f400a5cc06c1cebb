// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/data/data_source.h"
#include "core/spec/data.pb.h"

#include <memory>
#include <string>
#include <vector>

// How the sources of an experiment's data are opened. `folder`: that of the experiment, the base of
// the training data's relative paths.

namespace cannery::data {

/// What the data says about each column, and about bad rows.
SourceOptions optionsOf(const spec::Data& data, const std::string& folder);

/// Error: "data.no_train".
Result<std::unique_ptr<DataSource>> openTraining(const spec::Data& data, const std::string& folder,
                                                 ColumnKinds kinds);

/// Opens a source as the data describes its columns; others are texts.
Result<std::unique_ptr<DataSource>> openDescribed(const spec::DataSource& source,
                                                  const std::string& sourceFolder,
                                                  const spec::Data& data);

/// Opens another source whose columns have the training data's types.
Result<std::unique_ptr<DataSource>> openLikeTraining(const spec::DataSource& source,
                                                     const std::string& sourceFolder,
                                                     const spec::Data& data,
                                                     const std::string& folder);

/// The message with the notation of the dates that features are made of, decided by the rows to
/// train on.
Result<spec::Data> withNotationsOfTraining(const spec::Data& data, const std::string& folder);

/// Whether the data says how each column of the training data is read, as that of a run does.
bool describesAll(const spec::Data& data);

/// The columns that the data describes beside those of the schema and the label's.
std::vector<ColumnSchema> columnsBesides(const TableSchema& schema, const spec::Data& data);

} // namespace cannery::data
