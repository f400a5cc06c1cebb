// SPDX-License-Identifier: Apache-2.0
#include "core/train/non_finite.h"

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

std::optional<NonFinite> lookAtRows(const features::EncodedRows& rows,
                                    const features::InputLayout& layout)
{
    for (const features::InputSlot& slot : layout.slots) {
        const auto block = static_cast<std::size_t>(slot.block);
        const std::vector<float>& values = slot.kind == features::SlotKind::Dense
                                               ? rows.dense[block].values
                                               : rows.ids[block].weights;
        if (auto found = look(slot.column, std::as_bytes(std::span(values)))) {
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
    for (const plan::StateTensor& tensor : state) {
        if (tensor.dtype != DType::Float32) {
            continue;
        }
        if (auto found = look(tensor.name, tensor.bytes)) {
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
