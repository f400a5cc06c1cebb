// SPDX-License-Identifier: Apache-2.0
#include "core/data/sources/example_rows.h"

#include "core/base/memory_guard.h"
#include "core/data/data_errors.h"
#include "storage/io/file_stamp.h"
#include "storage/io/readable_file.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <optional>
#include <utility>

namespace cannery::data {

namespace {

constexpr ErrorKind kRecordsChanged{
    "tfrecord.changed", "{} has changed since its rows were read. Read the table again."};

constexpr std::uint64_t kMostAtOnce = std::uint64_t{1} << 20U;

/// The value as a text, as it was before it was converted.
std::string textOf(const storage::TableColumn& column, std::size_t row)
{
    std::string text;
    if (column.isValid(row)) {
        std::visit(
            [&](const auto& values) {
                if constexpr (std::is_same_v<std::decay_t<decltype(values)>, StringColumn>) {
                    text = values[row];
                } else {
                    appendNumber(text, values[row]);
                }
            },
            column.values);
    }
    return text;
}

class ExampleRows final : public RowReader
{
public:
    ExampleRows(const RecordFiles& files, std::vector<ExampleColumn> columns)
        : m_files(files), m_columns(std::move(columns)), m_parser(m_columns, true)
    {
        for (const std::string& path : files.paths) {
            // The stamps of now: offsets are of the files as they are.
            m_stamps.push_back(storage::stampOf(path));
        }
    }

    Result<std::vector<std::vector<std::string>>> read(const RowRange& range) const override
    {
        const std::lock_guard lock(m_mutex);
        return guardMemory(m_files.paths[range.file], [&] { return readRange(range); });
    }

    Result<std::string> rowText(std::size_t file, std::uint64_t offset) const override
    {
        // A record has no text that could be shown.
        return fmt::format("a record at byte {} of {}", offset, m_files.paths[file]);
    }

    Result<void> reach(std::size_t /*file*/, std::uint64_t /*end*/) const override { return {}; }

private:
    Result<std::vector<std::vector<std::string>>> readRange(const RowRange& range) const
    {
        const std::string& path = m_files.paths[range.file];
        if (storage::stampOf(path) != m_stamps[range.file]) {
            // Offsets into another file would point anywhere.
            return fail(ErrorCode::FailedPrecondition, kRecordsChanged, path);
        }
        CANNERY_TRY(moveTo(range));
        std::vector<std::vector<std::string>> rows;
        while (m_at < range.end) {
            // Blocks may end behind the range, so little is read at once.
            const auto wanted = static_cast<std::size_t>(std::min(range.end - m_at, kMostAtOnce));
            CANNERY_TRY_ASSIGN(const bool isThere, m_reader->next(m_block, wanted));
            if (!isThere) {
                break;
            }
            m_block.offset += m_base;
            m_at = m_block.end + m_base;
            addRows(range, path, rows);
        }
        return rows;
    }

    /// Opens the file so that the next block begins at or before the range.
    Result<void> moveTo(const RowRange& range) const
    {
        // A compressed file is read from its start; going on is possible only forward.
        if (m_reader && m_file == range.file && m_at <= range.begin && m_isPacked) {
            return {};
        }
        const std::string& path = m_files.paths[range.file];
        CANNERY_TRY_ASSIGN(storage::ReadableFile opened, storage::ReadableFile::open(path));
        auto file = std::make_shared<storage::ReadableFile>(std::move(opened));
        m_file = range.file;
        CANNERY_TRY(openAt(file, 0));
        if (!m_isPacked) {
            // In a plain file, reading can begin at the row itself.
            CANNERY_TRY(openAt(file, range.begin));
        }
        return {};
    }

    Result<void> openAt(const std::shared_ptr<storage::ReadableFile>& file,
                        std::uint64_t offset) const
    {
        auto place = std::make_shared<std::uint64_t>(offset);
        CANNERY_TRY_ASSIGN(storage::RecordBlockReader reader,
                           storage::RecordBlockReader::open(
                               [file, place](std::span<std::byte> bytes) -> Result<std::size_t> {
                                   // The stream reads on from wherever it is.
                                   CANNERY_TRY_ASSIGN(const std::size_t got,
                                                      file->readAt(*place, bytes));
                                   *place += got;
                                   return got;
                               },
                               m_files.paths[m_file]));
        m_isPacked = reader.compression() != storage::Compression::None;
        m_reader.emplace(std::move(reader));
        m_base = offset;
        m_at = offset;
        return {};
    }

    void addRows(const RowRange& range, const std::string& path,
                 std::vector<std::vector<std::string>>& rows) const
    {
        const ParsedExamples parsed = m_parser.parse(m_block, path);
        for (std::size_t row = 0; row < parsed.chunk.rows; ++row) {
            const std::uint64_t place = parsed.chunk.offsets[row];
            // A block can have rows before and after the range.
            if (place < range.begin || place >= range.end) {
                continue;
            }
            std::vector<std::string>& cells = rows.emplace_back();
            for (const storage::TableColumn& column : parsed.chunk.columns) {
                cells.push_back(textOf(column, row));
            }
        }
    }

    const RecordFiles& m_files;
    std::vector<ExampleColumn> m_columns;
    std::vector<std::optional<storage::FileStamp>> m_stamps;
    mutable std::mutex m_mutex; ///< guards the following
    mutable ExampleParser m_parser;
    mutable storage::RecordBlock m_block;
    mutable std::optional<storage::RecordBlockReader> m_reader;
    mutable std::size_t m_file = 0;
    mutable std::uint64_t m_base = 0; ///< where the reader began, in a plain file
    mutable std::uint64_t m_at = 0;   ///< where its next block begins
    mutable bool m_isPacked = false;
};

} // namespace

std::unique_ptr<RowReader> exampleRows(const RecordFiles& files, std::vector<ExampleColumn> columns)
{
    return std::make_unique<ExampleRows>(files, std::move(columns));
}

} // namespace cannery::data
