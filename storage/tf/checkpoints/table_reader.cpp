// SPDX-License-Identifier: Apache-2.0
#include "storage/tf/checkpoints/table_reader.h"

#include "core/base/memory_guard.h"
#include "storage/io/coding.h"
#include "storage/io/crc32c.h"

#include <snappy-c.h>

// LevelDB's own reader is not used: it allocates what a block handle claims before it checks
// whether the file has it.
namespace cannery::storage {

namespace {

constexpr std::uint64_t kMagic = 0xdb4775248b80fb57ULL;
constexpr std::size_t kFooterBytes = 48;
constexpr std::size_t kTrailerBytes = 5;
/// Snappy's densest element copies 64 bytes with 3.
constexpr std::size_t kMaxSnappyRatio = 32;

constexpr ErrorKind kTableDamaged{
    "tf.table_damaged",
    "The index file {} is damaged: {}. Use another checkpoint or write it again."};

constexpr ErrorKind kTooLarge{
    "tf.table_too_large",
    "The index file {} exceeds the limit of {} {} after decompression. Use another checkpoint."};

struct Handle
{
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
};

class TableParser
{
public:
    TableParser(std::string_view bytes, const std::string& name) : m_bytes(bytes), m_name(name) {}

    Result<std::vector<TableRow>> parse()
    {
        CANNERY_TRY_ASSIGN(const Handle indexHandle, footer());
        CANNERY_TRY_ASSIGN(const std::string index, block(indexHandle));
        std::vector<TableRow> blocks;
        CANNERY_TRY(entries(index, blocks));
        std::vector<TableRow> rows;
        for (const TableRow& row : blocks) {
            std::string_view value = row.value;
            CANNERY_TRY_ASSIGN(const Handle data, handle(value));
            CANNERY_TRY_ASSIGN(const std::string content, block(data));
            CANNERY_TRY(entries(content, rows));
            if (!rows.empty() && row.key < rows.back().key) {
                return damaged("a block holds keys beyond its own");
            }
        }
        return rows;
    }

private:
    tl::unexpected<Error> damaged(std::string_view what) const
    {
        return fail(ErrorCode::DataLoss, kTableDamaged, m_name, what);
    }

    Result<Handle> handle(std::string_view& text) const
    {
        const auto offset = getVarint(text);
        const auto size = offset ? getVarint(text) : std::nullopt;
        if (!size) {
            return damaged("the place of a block is not a number");
        }
        return Handle{*offset, *size};
    }

    Result<Handle> footer() const
    {
        if (m_bytes.size() < kFooterBytes) {
            return damaged("it is too short");
        }
        std::string_view text = m_bytes.substr(m_bytes.size() - kFooterBytes);
        std::string_view magic = text.substr(kFooterBytes - sizeof(kMagic));
        if (getFixed<std::uint64_t>(magic) != kMagic) {
            return damaged("it does not end as a table does");
        }
        // The first one is of the block with filters, which a checkpoint has none of.
        CANNERY_TRY(handle(text));
        return handle(text);
    }

    Result<std::string> block(const Handle& where) const
    {
        const std::size_t room = m_bytes.size() - kFooterBytes;
        if (where.size > room || room - where.size < kTrailerBytes ||
            where.offset > room - where.size - kTrailerBytes) {
            return damaged("a block lies outside the file");
        }
        // The checksum covers the byte behind the block as well, which names the compression.
        const std::string_view body = m_bytes.substr(where.offset, where.size);
        const std::string_view checked = m_bytes.substr(where.offset, where.size + 1);
        std::string_view trailer = m_bytes.substr(where.offset + where.size + 1, 4);
        if (getFixed<std::uint32_t>(trailer) != maskCrc(crc32c(checked))) {
            return damaged("a checksum is wrong");
        }
        switch (checked.back()) {
        case 0:
            return std::string(body);
        case 1:
            return unpacked(body);
        default:
            return damaged("a block is packed in an unknown way");
        }
    }

    Result<std::string> unpacked(std::string_view body) const
    {
        std::size_t size = 0;
        if (snappy_uncompressed_length(body.data(), body.size(), &size) != SNAPPY_OK ||
            size / kMaxSnappyRatio > body.size()) {
            return damaged("a packed block states an impossible size");
        }
        if (size > kMaxTableBytes) {
            return fail(ErrorCode::ResourceExhausted, kTooLarge, m_name, kMaxTableBytes, "bytes");
        }
        std::string content(size, '\0');
        if (snappy_uncompress(body.data(), body.size(), content.data(), &size) != SNAPPY_OK ||
            size != content.size()) {
            return damaged("a packed block cannot be unpacked");
        }
        return content;
    }

    /// Appends the entries of one block.
    Result<void> entries(std::string_view content, std::vector<TableRow>& rows)
    {
        if (content.size() < sizeof(std::uint32_t)) {
            return damaged("a block is too short");
        }
        std::string_view last = content.substr(content.size() - sizeof(std::uint32_t));
        const std::uint64_t restarts = *getFixed<std::uint32_t>(last);
        if (restarts > content.size() / sizeof(std::uint32_t) - 1) {
            return damaged("a block is too short for its restart points");
        }
        std::string_view text =
            content.substr(0, content.size() - (restarts + 1) * sizeof(std::uint32_t));
        std::string key;
        while (!text.empty()) {
            CANNERY_TRY_ASSIGN(std::string_view value, entry(text, key));
            if (!rows.empty() && key <= rows.back().key) {
                return damaged("its keys are not in order");
            }
            CANNERY_TRY(charge(rows.size(), key.size() + value.size()));
            rows.push_back({key, std::string(value)});
        }
        return {};
    }

    /// Takes one entry off the text: completes the key in place, returns the value.
    Result<std::string_view> entry(std::string_view& text, std::string& key) const
    {
        const auto shared = getVarint(text);
        const auto unshared = shared ? getVarint(text) : std::nullopt;
        const auto valueSize = unshared ? getVarint(text) : std::nullopt;
        if (!valueSize || *shared > key.size() || *unshared > text.size() ||
            *valueSize > text.size() - *unshared) {
            return damaged("an entry is longer than its block");
        }
        key.resize(*shared);
        key.append(text.substr(0, *unshared));
        const std::string_view value = text.substr(*unshared, *valueSize);
        text.remove_prefix(*unshared + *valueSize);
        return value;
    }

    /// Accounts for one more row of this many bytes.
    Result<void> charge(std::size_t rows, std::size_t bytes)
    {
        m_used += sizeof(TableRow) + bytes;
        if (rows >= kMaxTableRows) {
            return fail(ErrorCode::ResourceExhausted, kTooLarge, m_name, kMaxTableRows, "rows");
        }
        if (m_used > kMaxTableBytes) {
            return fail(ErrorCode::ResourceExhausted, kTooLarge, m_name, kMaxTableBytes, "bytes");
        }
        return {};
    }

    std::string_view m_bytes;
    const std::string& m_name;
    std::size_t m_used = 0;
};

} // namespace

Result<std::vector<TableRow>> readTable(std::string_view bytes, const std::string& name)
{
    return guardMemory(name, [&] { return TableParser(bytes, name).parse(); });
}

} // namespace cannery::storage
