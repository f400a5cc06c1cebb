// SPDX-License-Identifier: Apache-2.0
#include "tests/support/emulated_device/idle_device.h"

#include <algorithm>

using namespace cannery::kernels;

namespace cannery::tests {

namespace {

class Memory : public AcceleratorMemory
{
public:
    explicit Memory(std::int64_t bytes)
        : m_bytes(static_cast<std::size_t>(std::max<std::int64_t>(bytes, 1)))
    {}
    std::byte* data() const override { return m_bytes.data(); }
    std::int64_t bytes() const override { return static_cast<std::int64_t>(m_bytes.size()); }

private:
    mutable std::vector<std::byte> m_bytes;
};

} // namespace

Result<std::unique_ptr<AcceleratorMemory>> IdleDevice::allocate(std::int64_t bytes)
{
    return std::make_unique<Memory>(bytes);
}

Result<std::unique_ptr<AcceleratorMemory>> IdleDevice::allocatePinned(std::int64_t bytes)
{
    return std::make_unique<Memory>(bytes);
}

Result<std::unique_ptr<AcceleratorGraph>>
IdleDevice::prepare(std::span<const Operation> /*operations*/)
{
    return std::make_unique<AcceleratorGraph>();
}

} // namespace cannery::tests
