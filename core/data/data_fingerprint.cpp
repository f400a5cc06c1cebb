// SPDX-License-Identifier: Apache-2.0
#include "core/data/data_fingerprint.h"

#include "core/base/fingerprint.h"
#include "storage/io/readable_file.h"

#include <fmt/core.h>

#include <span>

namespace cannery::data {

Result<std::string> fingerprintFiles(const std::vector<std::string>& paths)
{
    constexpr std::size_t kBlockBytes = 1U << 20U;
    std::string block(kBlockBytes, '\0');
    std::uint64_t print = 0;
    for (const std::string& path : paths) {
        CANNERY_TRY_ASSIGN(storage::ReadableFile file, storage::ReadableFile::open(path));
        std::uint64_t size = 0;
        while (true) {
            CANNERY_TRY_ASSIGN(const std::size_t got,
                               file.readNext(std::as_writable_bytes(std::span(block))));
            if (got == 0) {
                break;
            }
            size += got;
            print = fingerprintCat64(print, fingerprint64(std::string_view(block).substr(0, got)));
        }
        print = fingerprintCat64(print, size);
    }
    return fmt::format("{:016x}", print);
}

} // namespace cannery::data
