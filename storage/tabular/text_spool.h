// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "storage/io/file_system.h"
#include "storage/io/inflate.h"
#include "storage/io/readable_file.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>

namespace cannery::storage {

/// The text of a file that cannot be read from the middle because it is compressed or converted: a
/// copy in an unnamed temporary file, written as far as needed. The copy disappears with the
/// process, however that ends. Thread-safe.
class TextSpool
{
public:
    /// `path` is the file's, for errors. The copy goes to TMPDIR, or to /tmp.
    static Result<std::unique_ptr<TextSpool>> create(ByteSource text, const std::string& path);

    /// Copies the text up to this offset, or to its end. Errors: those of the text, no room for the
    /// copy.
    Result<void> reach(std::uint64_t end);
    /// Bytes of the text, after reach(); fewer at its end.
    Result<std::size_t> readAt(std::uint64_t offset, std::span<std::byte> bytes);

private:
    TextSpool(ByteSource text, std::unique_ptr<WritableFile> copy, ReadableFile written,
              std::string path);

    std::mutex m_mutex; ///< guards the following
    ByteSource m_text;
    std::unique_ptr<WritableFile> m_copy;
    ReadableFile m_written;
    std::string m_path;
    bool m_atEnd = false;
};

} // namespace cannery::storage
