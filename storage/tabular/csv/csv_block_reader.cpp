// SPDX-License-Identifier: Apache-2.0
#include "storage/tabular/csv/csv_block_reader.h"

#include "storage/io/cached_files.h"
#include "storage/tabular/csv/csv_errors.h"
#include "storage/tabular/csv/csv_limits.h"
#include "storage/tabular/csv/csv_scanner.h"
#include "storage/tabular/text_bytes.h"
#include "storage/tabular/text_conversion.h"
#include "storage/tabular/text_stream.h"

#include <algorithm>
#include <cstring>

namespace cannery::storage {

std::string_view CsvBlock::text() const
{
    return {buffer.data() + kTextPadding, length};
}

class CsvBlockReader::Impl
{
public:
    Impl(const CsvFiles& files, std::size_t blockBytes, ByteObserver* observer)
        : m_files(files), m_blockBytes(std::max<std::size_t>(blockBytes, 64)),
          m_recordBytes(std::max(kCsvRecordBytes.value(), m_blockBytes)), m_observer(observer)
    {}

    Result<bool> next(CsvBlock& block)
    {
        while (m_file < m_files.paths.size()) {
            if (!m_source) {
                CANNERY_TRY(openFile());
            }
            CANNERY_TRY_ASSIGN(const bool hasRows, nextOfFile(block));
            if (hasRows) {
                return true;
            }
            m_source = nullptr;
            ++m_file;
            if (m_observer != nullptr) {
                m_observer->endFile();
            }
        }
        return false;
    }

    std::uint64_t bytesRead() const { return m_bytesRead; }

private:
    Result<void> openFile()
    {
        CANNERY_TRY_ASSIGN(ByteSource bytes, m_files.kept->open(m_file));
        if (m_observer != nullptr) {
            bytes = observed(std::move(bytes));
        }
        CANNERY_TRY_ASSIGN(m_source, openText(m_files, m_file, std::move(bytes)));
        m_line = 1;
        m_offset = 0;
        m_carry.clear();
        m_atEnd = false;
        m_atStart = true;
        return {};
    }

    ByteSource observed(ByteSource source) const
    {
        return [source = std::move(source),
                observer = m_observer](std::span<std::byte> bytes) -> Result<std::size_t> {
            CANNERY_TRY_ASSIGN(const std::size_t got, source(bytes));
            observer->see(bytes.first(got));
            return got;
        };
    }

    /// One block of the current file; false if nothing is left of it.
    Result<bool> nextOfFile(CsvBlock& block)
    {
        reserve(block, m_blockBytes);
        std::size_t have = m_carry.size();
        if (have > m_blockBytes) {
            reserve(block, have);
        }
        std::copy(m_carry.begin(), m_carry.end(), block.buffer.data() + kTextPadding);
        std::size_t wanted = std::max(m_blockBytes, have);
        // What is above the rows is not CSV: its quotes open nothing.
        const std::size_t above =
            m_atStart && !m_files.rowsBegin.empty() ? m_files.rowsBegin[m_file] : 0;
        const std::size_t most = above + m_recordBytes;
        while (true) {
            CANNERY_TRY_ASSIGN(have, fill(block, have, wanted));
            std::string_view text(block.buffer.data() + kTextPadding, have);
            if (have == 0) {
                return false;
            }
            if (have > above || m_atEnd) {
                text = m_atEnd ? withoutEndMark(text) : text;
                const std::size_t skipped = std::min(above, text.size());
                const RecordsEnd found =
                    findRecordsEnd(text.substr(skipped), m_files.dialect, m_atEnd);
                if (found.end > 0 || m_atEnd) {
                    finishBlock(block, text, skipped, skipped + found.end);
                    return block.length > 0 || !m_carry.empty() || !m_atEnd;
                }
            }
            if (have >= most) {
                return fail(ErrorCode::ResourceExhausted, kRecordTooLong, m_files.paths[m_file],
                            m_line + countLines(text.substr(0, above)), m_recordBytes,
                            kCsvRecordBytes.variable);
            }
            // Doubled, so that a long record is scanned a constant number of times on average.
            wanted = std::min(most, wanted * 2);
            reserve(block, wanted);
        }
    }

    static void reserve(CsvBlock& block, std::size_t bytes)
    {
        if (block.buffer.size() < bytes + 2 * kTextPadding) {
            block.buffer.resize(bytes + 2 * kTextPadding);
        }
    }

    Result<std::size_t> fill(CsvBlock& block, std::size_t have, std::size_t wanted)
    {
        if (m_atEnd || have >= wanted) {
            return have;
        }
        const std::span<char> room(block.buffer.data() + kTextPadding + have, wanted - have);
        CANNERY_TRY_ASSIGN(const std::size_t got, m_source(std::as_writable_bytes(room)));
        m_atEnd = got < room.size();
        m_bytesRead += got;
        return have + got;
    }

    void finishBlock(CsvBlock& block, std::string_view text, std::size_t begin, std::size_t end)
    {
        m_atStart = false;
        m_line += countLines(text.substr(0, begin));
        m_carry.assign(text.substr(end));
        block.file = m_file;
        block.firstLine = m_line;
        block.length = end - begin;
        block.offset = m_offset + begin;
        m_offset += end;
        m_line += countLines(text.substr(begin, end - begin));
        char* start = block.buffer.data() + kTextPadding;
        if (begin > 0) {
            std::memmove(start, start + begin, block.length);
        }
        // Nothing after the text may look like a part of it.
        std::memset(start + block.length, 0, kTextPadding);
    }

    CsvFiles m_files;
    std::size_t m_blockBytes;
    std::size_t m_recordBytes; ///< maximum size of a record
    ByteObserver* m_observer;
    std::size_t m_file = 0;
    ByteSource m_source; ///< empty if no file is open
    std::string m_carry;
    std::uint64_t m_line = 1;
    std::uint64_t m_offset = 0; ///< of the carried text in the file's decoded text
    std::uint64_t m_bytesRead = 0;
    bool m_atEnd = false;
    bool m_atStart = true;
};

CsvBlockReader::CsvBlockReader(const CsvFiles& files, std::size_t blockBytes,
                               ByteObserver* observer)
    : m_impl(std::make_unique<Impl>(files, blockBytes, observer))
{}

CsvBlockReader::~CsvBlockReader() = default;
CsvBlockReader::CsvBlockReader(CsvBlockReader&&) noexcept = default;
CsvBlockReader& CsvBlockReader::operator=(CsvBlockReader&&) noexcept = default;

Result<bool> CsvBlockReader::next(CsvBlock& block)
{
    return m_impl->next(block);
}

std::uint64_t CsvBlockReader::bytesRead() const
{
    return m_impl->bytesRead();
}

} // namespace cannery::storage
