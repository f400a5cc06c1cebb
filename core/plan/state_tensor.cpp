// SPDX-License-Identifier: Apache-2.0
#include "core/plan/state_tensor.h"

#include "kernels/device/spaced_floats.h"

#include <cstring>

namespace cannery::plan {

StateTensor StateTensor::of(std::string name, const Shape& shape, kernels::MatrixView values)
{
    StateTensor tensor{.name = std::move(name), .shape = shape};
    if (values.contiguous()) {
        tensor.bytes = std::as_writable_bytes(values.flat());
    } else {
        tensor.cells = values;
    }
    return tensor;
}

std::size_t StateTensor::byteCount() const
{
    return bytes.size() + static_cast<std::size_t>(cells.rows) * sizeof(float);
}

void StateTensor::read(std::size_t first, std::span<std::byte> to) const
{
    if (cells.rows == 0) {
        std::memcpy(to.data(), bytes.data() + first, to.size());
        return;
    }
    kernels::copySpaced(cells.at(static_cast<std::int64_t>(first / sizeof(float))), cells.stride,
                        to);
}

std::span<const std::byte> StateTensor::content(std::vector<std::byte>& room) const
{
    if (cells.rows == 0) {
        return bytes;
    }
    room.resize(byteCount());
    read(0, room);
    return room;
}

Result<void> StateTensor::write(const WriteContent& writeContent) const
{
    if (cells.rows == 0) {
        return writeContent(bytes);
    }
    std::vector<std::byte> all(byteCount());
    read(0, all);
    Result<void> written = writeContent(all);
    for (std::int64_t row = 0; written && row < cells.rows; ++row) {
        std::memcpy(cells.at(row), all.data() + row * sizeof(float), sizeof(float));
    }
    return written;
}

} // namespace cannery::plan
