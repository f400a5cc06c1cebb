// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/data/data_source.h"

#include <string>
#include <vector>

namespace cannery::app {

/// A column that predicts the label almost without error: it was probably derived from the label,
/// or became known after it.
struct Leak
{
    std::string column;
    double share = 0; ///< of the rows whose label the column alone predicts, or |correlation|
};

/// Looks for leaks among `columns` in up to 100,000 rows: categories and small integers by the
/// majority label of each value, numbers by their correlation with a numeric label.
Result<std::vector<Leak>> findLeaks(const data::DataSource& source, const std::string& label,
                                    bool classification, const std::vector<std::string>& columns);

} // namespace cannery::app
