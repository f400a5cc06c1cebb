// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/accelerator/accelerator.h"

#include <functional>
#include <utility>

namespace cannery::kernels {

/// Memory that is given back by a function of its device.
class OwnedMemory : public AcceleratorMemory
{
public:
    OwnedMemory(std::byte* data, std::int64_t bytes, std::function<void()> giveBack)
        : m_data(data), m_bytes(bytes), m_giveBack(std::move(giveBack))
    {}
    ~OwnedMemory() override { m_giveBack(); }
    OwnedMemory(const OwnedMemory&) = delete;
    OwnedMemory& operator=(const OwnedMemory&) = delete;

    std::byte* data() const override { return m_data; }
    std::int64_t bytes() const override { return m_bytes; }

private:
    std::byte* m_data;
    std::int64_t m_bytes;
    std::function<void()> m_giveBack;
};

} // namespace cannery::kernels
