// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/lent_threads.h"
#include "core/base/result.h"
#include "core/spec/data.pb.h"
#include "core/survey/remark_list.h"

#include <string>
#include <vector>

namespace cannery::survey {

/// What to watch out for in a table of which nothing but its source is known, as if a model read
/// every column. Takes one pass; rows that cannot be read are left out.
Result<std::vector<TableRemark>> remarksOfTable(const spec::Data& data, const std::string& folder,
                                                const LentThreads& threads);

} // namespace cannery::survey
