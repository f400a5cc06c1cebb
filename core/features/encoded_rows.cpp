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

const std::vector<std::int64_t>& stepOffsetsOf(const InputLayout& layout, int slot,
                                               const EncodedRows& rows)
{
    const InputSlot& sequence = layout.slots[static_cast<std::size_t>(slot)];
    const auto block = static_cast<std::size_t>(sequence.block);
    return sequence.kind == SlotKind::Sequence ? rows.sequences[block].rowOffsets
                                               : rows.ids[block].rowOffsets;
}

} // namespace cannery::features
