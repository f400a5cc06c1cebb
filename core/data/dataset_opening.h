// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/data/sources/data_source.h"
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

/// Opens another source whose columns have the training data's types.
Result<std::unique_ptr<DataSource>> openLikeTraining(const spec::DataSource& source,
                                                     const std::string& sourceFolder,
                                                     const spec::Data& data,
                                                     const std::string& folder);

/// The message with the notation of the dates that features are made of, decided by the rows to
/// train on.
Result<spec::Data> withNotationsOfTraining(const spec::Data& data, const std::string& folder);

/// Opens rows to predict, completed by the columns that only the training data has, other than
/// those of the label; `absent` gets their names.
Result<std::unique_ptr<DataSource>> openRowsToPredict(const spec::DataSource& source,
                                                      const spec::Data& data,
                                                      const std::string& folder,
                                                      std::vector<std::string>& absent);

} // namespace cannery::data
