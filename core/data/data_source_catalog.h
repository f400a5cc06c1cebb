// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/data/data_source.h"

#include <array>
#include <string_view>

namespace cannery::data {

/// One kind of data source: the case of spec::DataSource, its field's name, and how it is opened.
struct DataSourceRow
{
    spec::DataSource::KindCase key;
    std::string_view name;
    Result<std::unique_ptr<DataSource>> (*open)(const spec::DataSource& source,
                                                const SourceOptions& options);
};

/// All kinds of data source.
const std::array<DataSourceRow, 1>& dataSourceCatalog();

} // namespace cannery::data
