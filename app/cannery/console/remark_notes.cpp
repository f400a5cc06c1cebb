// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/console/remark_notes.h"

namespace cannery::app {

void printRemarks(const std::vector<survey::TableRemark>& remarks, const Console& console)
{
    for (const survey::TableRemark& remark : remarks) {
        console.note("note: " + remark.error.sentence);
    }
}

} // namespace cannery::app
