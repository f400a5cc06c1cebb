// SPDX-License-Identifier: Apache-2.0
#include "core/train/loop/non_finite.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>

namespace cannery::train {
namespace {

std::optional<NonFinite> look(const std::string& name, std::span<const std::byte> floats)
{
    NonFinite found{.name = name,
                    .values = static_cast<std::int64_t>(floats.size() / sizeof(float))};
    for (std::size_t place = 0; place + sizeof(float) <= floats.size(); place += sizeof(float)) {
        float value = 0;
        std::memcpy(&value, floats.data() + place, sizeof(value));
        found.nans += std::isnan(value) ? 1 : 0;
        found.infinities += std::isinf(value) ? 1 : 0;
    }
    return found.nans + found.infinities > 0 ? std::optional(std::move(found)) : std::nullopt;
}

/// The floats of a slot: its numbers, or the weights of its ids.
const std::vector<float>& floatsOf(const features::EncodedRows& rows,
                                   const features::InputSlot& slot)
{
    const auto block = static_cast<std::size_t>(slot.block);
    switch (slot.kind) {
    case features::SlotKind::Dense:
        return rows.dense[block].values;
    case features::SlotKind::Sequence:
        return rows.sequences[block].values;
    case features::SlotKind::Ids:
        break;
    }
    return rows.ids[block].weights;
}

std::optional<NonFinite> lookAtRows(const features::EncodedRows& rows,
                                    const features::InputLayout& layout)
{
    for (const features::InputSlot& slot : layout.slots) {
        if (auto found = look(slot.column, std::as_bytes(std::span(floatsOf(rows, slot))))) {
            return found;
        }
    }
    if (auto found = look("label", std::as_bytes(std::span(rows.labels)))) {
        return found;
    }
    return look("weight", std::as_bytes(std::span(rows.weights)));
}

} // namespace

std::optional<NonFinite> firstNonFinite(const features::EncodedRows& rows,
                                        const features::InputLayout& layout,
                                        std::span<const plan::StateTensor> state)
{
    if (auto found = rows.rowCount == 0 ? std::nullopt : lookAtRows(rows, layout)) {
        return found;
    }
    std::vector<std::byte> copy;
    for (const plan::StateTensor& tensor : state) {
        if (tensor.dtype != DType::Float32) {
            continue;
        }
        if (auto found = look(tensor.name, tensor.content(copy))) {
            return found;
        }
    }
    return std::nullopt;
}

std::string describe(const NonFinite& tensor)
{
    return fmt::format("{} (NaN in {}, infinite in {} of {} values)", tensor.name, tensor.nans,
                       tensor.infinities, tensor.values);
}

} // namespace cannery::train
