// SPDX-License-Identifier: Apache-2.0
#include "core/features/encoded_rows.h"

namespace cannery::features {

int InputLayout::slotOf(const std::string& column) const
{
    for (std::size_t i = 0; i < slots.size(); ++i) {
        if (slots[i].column == column) {
            return static_cast<int>(i);
        }
    }
    return -1;
}

} // namespace cannery::features
