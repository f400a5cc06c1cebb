// SPDX-License-Identifier: GPL-3.0-only
#include "ui/services/runs/column_block.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <new>
#include <utility>

namespace cannery::ui {

namespace {

std::size_t byteCount(qsizetype capacity)
{
    return static_cast<std::size_t>(capacity * ColumnBlock::kBytesPerPoint);
}

} // namespace

ColumnBlock::ColumnBlock(void* memory, qsizetype capacity,
                         std::optional<storage::GuardedMapping> mapping)
    : m_memory(memory), m_capacity(capacity), m_mapping(std::move(mapping)),
      m_steps(static_cast<std::int64_t*>(memory)),
      m_seconds(reinterpret_cast<float*>(m_steps + capacity)), m_values(m_seconds + capacity)
{}

ColumnBlock::~ColumnBlock()
{
    if (!m_mapping) {
        ::operator delete(m_memory);
    }
}

std::shared_ptr<ColumnBlock> ColumnBlock::inMemory(qsizetype capacity)
{
    void* memory = ::operator new(byteCount(capacity));
    return std::shared_ptr<ColumnBlock>(new ColumnBlock(memory, capacity));
}

std::shared_ptr<ColumnBlock> ColumnBlock::map(int descriptor, qsizetype capacity)
{
    using storage::GuardedMapping;
    auto mapping = GuardedMapping::map(descriptor, 0, byteCount(capacity),
                                       GuardedMapping::Access::ReadAndWrite);
    if (!mapping) {
        return nullptr;
    }
    void* memory = mapping->begin();
    return std::shared_ptr<ColumnBlock>(new ColumnBlock(memory, capacity, std::move(mapping)));
}

std::shared_ptr<ColumnBlock> ColumnBlock::createFile(const std::string& path, qsizetype capacity)
{
    // Never overwritten: a mapping of an earlier file of this name stays valid.
    ::unlink(path.c_str());
    const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (descriptor < 0) {
        return nullptr;
    }
    std::shared_ptr<ColumnBlock> block;
    // Writing to a page for which the disk has no room would end the process.
    if (::posix_fallocate(descriptor, 0, static_cast<off_t>(byteCount(capacity))) == 0) {
        block = map(descriptor, capacity);
    }
    ::close(descriptor);
    if (!block) {
        ::unlink(path.c_str());
    }
    return block;
}

std::shared_ptr<ColumnBlock> ColumnBlock::openFile(const std::string& path, qsizetype capacity)
{
    const int descriptor = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (descriptor < 0) {
        return nullptr;
    }
    struct stat status = {};
    std::shared_ptr<ColumnBlock> block;
    if (::fstat(descriptor, &status) == 0 &&
        static_cast<std::size_t>(status.st_size) == byteCount(capacity)) {
        block = map(descriptor, capacity);
    }
    ::close(descriptor);
    return block;
}

void ColumnBlock::release() const
{
    if (m_mapping) {
        ::madvise(m_memory, byteCount(m_capacity), MADV_DONTNEED);
    }
}

} // namespace cannery::ui
