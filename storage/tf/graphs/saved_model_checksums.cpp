// SPDX-License-Identifier: Apache-2.0
#include "storage/tf/graphs/saved_model_checksums.h"

#include "storage/io/atomic_write.h"
#include "storage/io/crc32c.h"
#include "storage/io/files.h"
#include "storage/tf/graphs/saved_model_writer.h"

#include <fmt/core.h>

#include <charconv>
#include <optional>

namespace cannery::storage::detail {

namespace {

constexpr const char* kExtra = "assets.extra";
constexpr std::string_view kBegin = "crc32c ";
constexpr std::size_t kMaxListBytes = std::size_t{4} << 20U;
constexpr std::size_t kHexDigits = 8;

constexpr ErrorKind kListDamaged{"saved_model.checksums_damaged",
                                 "The checksums {} of a SavedModel are damaged. Export it again, "
                                 "or delete them if you trust the rest."};
constexpr ErrorKind kFileDamaged{"saved_model.file_damaged",
                                 "The file {} of the SavedModel {} is damaged: it differs from "
                                 "what was exported. Export it again."};

std::string listPath(const std::string& folder)
{
    return joinPath(joinPath(folder, kExtra), kChecksumsFile);
}

/// A number of this base and the separator after it.
template <typename T>
std::optional<T> takeNumber(std::string_view& text, int base, char end)
{
    T value{};
    const char* const last = text.data() + text.size();
    const auto [stop, problem] = std::from_chars(text.data(), last, value, base);
    if (problem != std::errc() || stop == last || *stop != end) {
        return std::nullopt;
    }
    text.remove_prefix(static_cast<std::size_t>(stop - text.data()) + 1);
    return value;
}

std::optional<FileChecksums> parseList(std::string_view text)
{
    if (!text.starts_with(kBegin) || text.size() <= kBegin.size() + kHexDigits ||
        text[kBegin.size() + kHexDigits] != '\n') {
        return std::nullopt;
    }
    const std::string_view digits = text.substr(kBegin.size(), kHexDigits);
    text.remove_prefix(kBegin.size() + kHexDigits + 1);
    // The list has a checksum of its own: a damaged line would accuse a sound file.
    if (digits != fmt::format("{:08x}", crc32c(text))) {
        return std::nullopt;
    }
    FileChecksums checksums;
    while (!text.empty()) {
        const auto crc = takeNumber<std::uint32_t>(text, 16, ' ');
        const auto size = crc ? takeNumber<std::uint64_t>(text, 10, ' ') : std::nullopt;
        const std::size_t end = text.find('\n');
        if (!size || end == std::string_view::npos) {
            return std::nullopt;
        }
        checksums[std::string(text.substr(0, end))] = {*crc, *size};
        text.remove_prefix(end + 1);
    }
    return checksums;
}

} // namespace

FileChecksum checksumOf(std::string_view bytes)
{
    return {crc32c(bytes), bytes.size()};
}

Result<void> writeChecksums(const std::string& folder, const FileChecksums& checksums,
                            FileSystem& system)
{
    std::string lines;
    for (const auto& [name, checksum] : checksums) {
        // A name with a line break does not fit into the list.
        if (name.find('\n') == std::string::npos) {
            lines += fmt::format("{:08x} {} {}\n", checksum.crc, checksum.size, name);
        }
    }
    CANNERY_TRY(makeFolders(joinPath(folder, kExtra), system));
    return writeFileAtomically(listPath(folder),
                               fmt::format("{}{:08x}\n{}", kBegin, crc32c(lines), lines), system);
}

Result<FileChecksums> readChecksums(const std::string& folder)
{
    const std::string path = listPath(folder);
    if (!exists(path)) {
        return FileChecksums{};
    }
    CANNERY_TRY_ASSIGN(const std::string text, readWholeFile(path, kMaxListBytes));
    std::optional<FileChecksums> checksums = parseList(text);
    if (!checksums) {
        return fail(ErrorCode::DataLoss, kListDamaged, path);
    }
    return std::move(checksums).value();
}

Result<void> compareChecksum(const std::string& folder, const std::string& name,
                             std::string_view bytes, const FileChecksums& checksums)
{
    const auto listed = checksums.find(name);
    if (listed != checksums.end() && listed->second != checksumOf(bytes)) {
        return fail(ErrorCode::DataLoss, kFileDamaged, name, folder);
    }
    return {};
}

} // namespace cannery::storage::detail
