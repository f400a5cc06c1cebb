// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "storage/tabular/csv/csv_dialect.h"

#include <memory>
#include <string>
#include <string_view>

namespace cannery::storage {

/// Converts UTF-8 to another encoding with the C library's iconv. Used by one thread.
class TextEncoder
{
public:
    /// Errors: the system lacks the converter.
    static Result<TextEncoder> create(TextEncoding encoding, bool isBigEndian);
    TextEncoder(TextEncoder&&) noexcept;
    TextEncoder& operator=(TextEncoder&&) noexcept;
    ~TextEncoder();

    /// The bytes of a text that ends with a whole character. Errors: one that the encoding lacks.
    Result<std::string> encode(std::string_view text);

private:
    class Impl;
    explicit TextEncoder(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

} // namespace cannery::storage
