// SPDX-License-Identifier: Apache-2.0
#include "storage/tabular/record_conversion.h"

#include "storage/tabular/csv/csv_limits.h"
#include "storage/tabular/csv/csv_scanner.h"
#include "storage/tabular/text_bytes.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <optional>
#include <span>
#include <utility>

namespace cannery::storage {

namespace {

constexpr ErrorKind kBadRecord{"csv.bad_record",
                               "{}:{}: {}. Correct it, or set bad_rows to SKIP to leave it out."};

constexpr std::size_t kConvertedPieceBytes = std::size_t{256} << 10U;

/// The records of one file.
class ConvertedText
{
public:
    ConvertedText(ByteSource text, std::unique_ptr<RecordConverter> converter, std::string path,
                  std::size_t file, bool skips, std::shared_ptr<ConversionLog> log)
        : m_text(std::move(text)), m_converter(std::move(converter)), m_path(std::move(path)),
          m_file(file), m_skips(skips), m_log(std::move(log))
    {}

    Result<std::size_t> read(std::span<std::byte> room)
    {
        std::size_t have = 0;
        while (true) {
            const std::size_t count = std::min(room.size() - have, m_ready.size() - m_given);
            std::memcpy(room.data() + have, m_ready.data() + m_given, count);
            have += count;
            m_given += count;
            if (have == room.size() || (m_atEnd && m_taken == m_input.size())) {
                return have;
            }
            // Only when all of it is given: offsets of refused rows count from the start of the
            // converted text.
            m_made += m_ready.size();
            m_ready.clear();
            m_given = 0;
            CANNERY_TRY(convertSome());
        }
    }

private:
    /// Reads more text if no whole record is left, and converts what is whole.
    Result<void> convertSome()
    {
        std::size_t end = nextEnd();
        while (end == 0 && !m_atEnd) {
            CANNERY_TRY(readMore());
            end = nextEnd();
        }
        while (end > 0 && m_ready.size() < kConvertedPieceBytes) {
            CANNERY_TRY(convert(std::string_view(m_input).substr(m_taken, end)));
            m_taken += end;
            end = nextEnd();
        }
        return {};
    }

    std::size_t nextEnd() const
    {
        const std::string_view rest = std::string_view(m_input).substr(m_taken);
        return rest.empty() ? 0 : m_converter->recordEnd(rest, m_atEnd);
    }

    Result<void> readMore()
    {
        m_input.erase(0, m_taken);
        m_taken = 0;
        const std::size_t have = m_input.size();
        // No record has ended in all that is there. The limit is that of a CSV record.
        if (have >= kCsvRecordBytes.value()) {
            return fail(ErrorCode::ResourceExhausted, kRecordTooLong, m_path, m_line,
                        kCsvRecordBytes.value(), kCsvRecordBytes.variable);
        }
        // Doubles, so that a long record is searched for its end a logarithmic number of times.
        const std::size_t wanted = std::max(kConvertedPieceBytes, have);
        m_input.resize(have + wanted);
        const auto room = std::as_writable_bytes(std::span(m_input)).subspan(have);
        CANNERY_TRY_ASSIGN(const std::size_t got, m_text(room));
        m_input.resize(have + got);
        m_atEnd = got < wanted;
        if (std::exchange(m_isStart, false) && m_input.starts_with(kByteOrderMark)) {
            m_input.erase(0, kByteOrderMark.size());
        }
        return {};
    }

    Result<void> convert(std::string_view record)
    {
        // The line where the record's text begins, not that of the blank lines before it.
        const std::size_t begin = std::min(record.find_first_not_of(kTextBlanks), record.size());
        const std::uint64_t line = m_line + countLines(record.substr(0, begin));
        m_line += countLines(record);
        const std::size_t before = m_ready.size();
        const tl::expected<bool, std::string> isRow = m_converter->append(record, m_ready);
        if (!isRow) {
            // A converter may have written part of the row before it found the fault.
            m_ready.resize(before);
            Error error =
                cannery::error(ErrorCode::InvalidArgument, kBadRecord, m_path, line, isRow.error());
            if (!m_skips) {
                return tl::make_unexpected(std::move(error));
            }
            if (m_log) {
                m_log->refuse({m_file, line, m_made + before, std::move(error)});
            }
            return {};
        }
        if (*isRow) {
            if (m_log) {
                m_log->place(m_file, m_madeLine, line);
            }
            if (m_ready.size() == before) {
                m_ready += "\"\""; // a line without any letter would be no row
            }
            m_ready += '\n';
            // Quoted cells may contain line ends.
            m_madeLine += countLines(std::string_view(m_ready).substr(before));
        }
        return {};
    }

    ByteSource m_text;
    std::unique_ptr<RecordConverter> m_converter;
    std::string m_path;
    std::size_t m_file;
    bool m_skips;
    std::shared_ptr<ConversionLog> m_log;
    std::string m_input;
    std::size_t m_taken = 0; ///< of the input
    std::string m_ready;
    std::size_t m_given = 0;  ///< of what is ready
    std::uint64_t m_line = 1; ///< of the file, where the input that is not taken begins
    std::uint64_t m_made = 0; ///< converted bytes before those that are ready
    std::uint64_t m_madeLine = 1;
    bool m_atEnd = false;
    bool m_isStart = true;
};

} // namespace

std::size_t RecordConverter::recordEnd(std::string_view text, bool isWhole)
{
    const std::size_t end = text.find('\n');
    return end != std::string_view::npos ? end + 1 : isWhole ? text.size() : 0;
}

void ConversionLog::place(std::size_t file, std::uint64_t line, std::uint64_t origin)
{
    const std::lock_guard lock(m_mutex);
    std::vector<Shift>& shifts = m_shifts[file];
    // Text may be converted more than once. Lines up to the last shift are known then.
    const bool isKnown = !shifts.empty() && shifts.back().line >= line;
    const Shift last = shifts.empty() ? Shift{} : shifts.back();
    // Only where the distance changes: a file with one row a line needs no entry at all. Unsigned
    // differences wrap the same way on both sides.
    if (!isKnown && origin - line != last.origin - last.line) {
        shifts.push_back({line, origin});
    }
}

void ConversionLog::refuse(BadRow row)
{
    const std::lock_guard lock(m_mutex);
    ++m_refusedCount;
    if (m_refused.size() < m_mostRefused) {
        m_refused.push_back(std::move(row));
    }
}

bool ConversionLog::isShifted(std::size_t file) const
{
    const std::lock_guard lock(m_mutex);
    return !m_shifts[file].empty();
}

std::uint64_t ConversionLog::originOf(std::size_t file, std::uint64_t line) const
{
    const std::lock_guard lock(m_mutex);
    const std::vector<Shift>& shifts = m_shifts[file];
    const auto after = std::upper_bound(
        shifts.begin(), shifts.end(), line,
        [](std::uint64_t searched, const Shift& shift) { return searched < shift.line; });
    return after == shifts.begin() ? line
                                   : std::prev(after)->origin + (line - std::prev(after)->line);
}

std::vector<BadRow> ConversionLog::refused(std::size_t from) const
{
    const std::lock_guard lock(m_mutex);
    const auto begin = static_cast<std::ptrdiff_t>(std::min(from, m_refused.size()));
    return {m_refused.begin() + begin, m_refused.end()};
}

std::uint64_t ConversionLog::refusedCount() const
{
    const std::lock_guard lock(m_mutex);
    return m_refusedCount;
}

RecordConversion::RecordConversion(Make make, std::vector<std::string> paths, bool skips,
                                   std::shared_ptr<ConversionLog> log)
    : m_make(std::move(make)), m_paths(std::move(paths)), m_skips(skips), m_log(std::move(log))
{}

ByteSource RecordConversion::convert(ByteSource text, std::size_t file) const
{
    auto converted = std::make_shared<ConvertedText>(std::move(text), m_make(), m_paths[file], file,
                                                     m_skips, m_log);
    return [converted](std::span<std::byte> room) { return converted->read(room); };
}

std::shared_ptr<const RecordConversion>
RecordConversion::loggedIn(std::shared_ptr<ConversionLog> log) const
{
    return std::make_shared<const RecordConversion>(m_make, m_paths, m_skips, std::move(log));
}

} // namespace cannery::storage
