// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cannery/console/console.h"
#include "core/survey/remark_list.h"

#include <vector>

namespace cannery::app {

/// "note: sentence" for each, on stderr.
void printRemarks(const std::vector<survey::TableRemark>& remarks, const Console& console);

} // namespace cannery::app
