#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace cannery::storage {

/// A file's bytes in the address space, read-only, without a copy. For files that nobody shortens
/// meanwhile: touching a page that is gone ends the process.
class MappedFile
{
public:
    static Result<MappedFile> open(const std::string& path);
    MappedFile(MappedFile&& other) noexcept;
    MappedFile& operator=(MappedFile&& other) noexcept;
    ~MappedFile();

    std::span<const std::byte> bytes() const { return m_bytes; }
    std::string_view text() const
    {
        return {reinterpret_cast<const char*>(m_bytes.data()), m_bytes.size()};
    }

private:
    explicit MappedFile(std::span<const std::byte> bytes) : m_bytes(bytes) {}

    std::span<const std::byte> m_bytes;
};

} // namespace cannery::storage
