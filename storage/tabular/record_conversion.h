// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "storage/tabular/csv/csv_errors.h"
#include "storage/tabular/text_conversion.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace cannery::storage {

/// Converts the records of one file, one after the other. One thread.
class RecordConverter
{
public:
    virtual ~RecordConverter() = default;

    /// The length of the next record at the front of the text, with what separates it from its
    /// neighbours; 0 if more text is needed, which `isWhole` rules out. Standard: a line.
    virtual std::size_t recordEnd(std::string_view text, bool isWhole);
    /// Appends the record as a line of CSV, without a line end; false if it is no row. An error is
    /// the end of a sentence: "it is not a JSON object".
    virtual tl::expected<bool, std::string> append(std::string_view record, std::string& csv) = 0;
};

/// What the conversion of the files of one pass has met. Thread-safe.
class ConversionLog
{
public:
    /// `mostRefused`: records that are kept of those left out; all are counted.
    explicit ConversionLog(std::size_t files, std::size_t mostRefused = 1000)
        : m_mostRefused(mostRefused), m_shifts(files)
    {}

    /// A line of the converted text is from this line of the file, and so are those behind it.
    void place(std::size_t file, std::uint64_t line, std::uint64_t origin);
    void refuse(BadRow row);

    /// Whether a line of the converted text is from a line with another number.
    bool isShifted(std::size_t file) const;
    /// The line of the file that a line of the converted text is from.
    std::uint64_t originOf(std::size_t file, std::uint64_t line) const;
    /// Records that were left out so far, from the `from`-th on.
    std::vector<BadRow> refused(std::size_t from) const;
    std::uint64_t refusedCount() const;

private:
    struct Shift
    {
        std::uint64_t line = 0;
        std::uint64_t origin = 0;
    };

    std::size_t m_mostRefused;
    mutable std::mutex m_mutex; ///< guards the following
    std::vector<std::vector<Shift>> m_shifts;
    std::vector<BadRow> m_refused; ///< the first ones
    std::uint64_t m_refusedCount = 0;
};

/// How the files of a table are converted, record by record.
class RecordConversion final : public TextConversion
{
public:
    using Make = std::function<std::unique_ptr<RecordConverter>()>;

    /// `skips`: records that cannot be converted are left out; otherwise the first one ends the
    /// text. `log` may be null.
    RecordConversion(Make make, std::vector<std::string> paths, bool skips,
                     std::shared_ptr<ConversionLog> log);

    ByteSource convert(ByteSource text, std::size_t file) const override;

    /// The same for another pass.
    std::shared_ptr<const RecordConversion> loggedIn(std::shared_ptr<ConversionLog> log) const;

private:
    Make m_make;
    std::vector<std::string> m_paths;
    bool m_skips;
    std::shared_ptr<ConversionLog> m_log;
};

} // namespace cannery::storage
