// SPDX-License-Identifier: Apache-2.0
#include "storage/tabular/text_spool.h"

#include "storage/io/files.h"

#include <cstdlib>
#include <random>
#include <unistd.h>
#include <utility>
#include <vector>

namespace cannery::storage {

namespace {

constexpr ErrorKind kNoRoomForText{
    "csv.no_room_for_text",
    "{} is compressed or converted, and its text cannot be kept in {} for browsing. Free some "
    "space there, set TMPDIR to a folder with enough space, or unpack the file and save it as "
    "UTF-8."};

constexpr std::size_t kPieceBytes = std::size_t{1} << 20U;

std::string spoolFolder()
{
    const char* folder = std::getenv("TMPDIR");
    return folder != nullptr && *folder != '\0' ? folder : "/tmp";
}

Error noRoom(const std::string& path, const Error& reason)
{
    return error(ErrorCode::ResourceExhausted, kNoRoomForText, path, spoolFolder())
        .with(reason.message());
}

} // namespace

TextSpool::TextSpool(ByteSource text, std::unique_ptr<WritableFile> copy, ReadableFile written,
                     std::string path)
    : m_text(std::move(text)), m_copy(std::move(copy)), m_written(std::move(written)),
      m_path(std::move(path))
{}

Result<std::unique_ptr<TextSpool>> TextSpool::create(ByteSource text, const std::string& path)
{
    // Random, as other users may write to the same folder and could guess a name.
    std::random_device random;
    const std::string name = joinPath(spoolFolder(), fmt::format(".cannery-text-{}-{:08x}{:08x}",
                                                                 ::getpid(), random(), random()));
    auto copy = realFileSystem().create(name);
    if (!copy) {
        return tl::make_unexpected(noRoom(path, copy.error()));
    }
    auto written = ReadableFile::open(name);
    CANNERY_TRY(realFileSystem().removeFile(name));
    if (!written) {
        return tl::make_unexpected(std::move(written).error());
    }
    return std::unique_ptr<TextSpool>(
        new TextSpool(std::move(text), std::move(*copy), std::move(*written), path));
}

Result<void> TextSpool::reach(std::uint64_t end)
{
    const std::lock_guard lock(m_mutex);
    std::vector<std::byte> piece;
    while (!m_atEnd && m_copy->size() < end) {
        piece.resize(kPieceBytes);
        CANNERY_TRY_ASSIGN(const std::size_t got, m_text(piece));
        m_atEnd = got < piece.size();
        Result<void> kept = m_copy->append(std::span(piece).first(got));
        // Readers use another descriptor, which sees only what has been flushed.
        if (kept) {
            kept = m_copy->flush();
        }
        if (!kept) {
            return tl::make_unexpected(noRoom(m_path, kept.error()));
        }
    }
    return {};
}

Result<std::size_t> TextSpool::readAt(std::uint64_t offset, std::span<std::byte> bytes)
{
    CANNERY_TRY(reach(offset + bytes.size()));
    return m_written.readAt(offset, bytes);
}

} // namespace cannery::storage
