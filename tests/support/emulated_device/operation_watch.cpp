// SPDX-License-Identifier: Apache-2.0
#include "tests/support/emulated_device/operation_watch.h"

#include <algorithm>
#include <iterator>

using namespace cannery::kernels;

namespace cannery::tests {

namespace {

/// The bits that are turned: of 0 they make about 12, and no number of any type stays as it is. A
/// NaN would hide what is added to it.
constexpr std::byte kTurned{0x41};

} // namespace

OperationWatch::OperationWatch(const DeviceMemory& memory, const std::vector<UsedMemory>& uses)
    : m_memory(memory), m_before(take())
{
    for (const auto& [block, bytes] : m_before) {
        m_uses[block].resize(bytes.size(), Use::None);
    }
    for (const UsedMemory& used : uses) {
        auto& [block, marks] = *std::prev(m_uses.upper_bound(used.begin));
        const std::span<Use> all = std::span(marks).subspan(
            static_cast<std::size_t>(used.begin - block), static_cast<std::size_t>(used.bytes));
        for (std::int64_t row = 0; row < used.bytes; row += used.strideBytes) {
            const std::int64_t length = std::min(used.rowBytes, used.bytes - row);
            for (Use& mark :
                 all.subspan(static_cast<std::size_t>(row), static_cast<std::size_t>(length))) {
                mark = mark == Use::Write || used.written ? Use::Write : Use::Read;
            }
        }
    }
}

OperationWatch::~OperationWatch()
{
    for (const auto& [block, bytes] : m_before) {
        std::ranges::copy(bytes, const_cast<std::byte*>(block));
    }
}

OperationWatch::Memory OperationWatch::take() const
{
    Memory memory;
    for (const auto& [block, bytes] : m_memory.blocks()) {
        memory[block].assign(block, block + bytes);
    }
    return memory;
}

template <typename Function>
void OperationWatch::forEachByte(const Memory& memory, const Function& function) const
{
    for (const auto& [block, bytes] : memory) {
        const std::vector<Use>& uses = m_uses.at(block);
        for (std::size_t index = 0; index < bytes.size(); ++index) {
            function(const_cast<std::byte*>(block) + index, bytes[index], uses[index]);
        }
    }
}

void OperationWatch::disguise() const
{
    forEachByte(m_before, [](std::byte* address, std::byte before, Use use) {
        *address = use == Use::None ? before ^ kTurned : before;
    });
}

std::string OperationWatch::compare(const Memory& once) const
{
    bool readsMore = false;
    bool writesMore = false;
    forEachByte(once, [&](const std::byte* address, std::byte first, Use use) {
        readsMore = readsMore || (use == Use::Write && *address != first);
    });
    forEachByte(m_before, [&](const std::byte* address, std::byte before, Use use) {
        writesMore = writesMore || (use == Use::None && *address != (before ^ kTurned)) ||
                     (use == Use::Read && *address != before);
    });
    if (readsMore) {
        return "reads memory that it does not name";
    }
    return writesMore ? "writes memory that it does not name" : std::string();
}

} // namespace cannery::tests
