// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/dtype.h"
#include "core/data/rows/fingerprint_set.h"
#include "core/data/typing/date_evidence.h"
#include "core/data/typing/notation_evidence.h"
#include "core/data/typing/schema.h"

#include <cstdint>
#include <memory_resource>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cannery::data {

/// What the cells of one column have shown so far.
class TypeEvidence
{
public:
    /// What one column may take of the memory that it is given.
    static constexpr std::size_t kMostListBytes = 9U << 10U;

    /// `memory` must outlive it.
    explicit TypeEvidence(ColumnKinds kinds = ColumnKinds::Guessed,
                          std::pmr::memory_resource* memory = std::pmr::get_default_resource())
        : m_kinds(kinds), m_pending(memory)
    {}

    /// Inspects a cell that is not missing. `number`: the same as the number parsers read it, with
    /// their padding, or nothing if it is not a number; then it counts as text.
    void observe(std::string_view text, std::optional<std::string_view> number, std::uint64_t line);
    /// The same for a cell in another notation.
    void observeWritten(std::string_view text, storage::NotationReader& reader, std::uint64_t line);
    void observeMissing() { ++missing; }
    /// A cell that is missing among numbers, but a text among texts: NaN, blanks, " NA".
    void observePerhapsMissing(std::string_view text, std::uint64_t line);
    /// After the last cell. The columns of a short table are counted in `spare`, one after the
    /// other.
    void finish(FingerprintSet& spare);

    /// The narrowest of int32, int64, float32, float64 and string that holds every cell, widened in
    /// that order as in make_csv_dataset, except: integers beyond int64 make a string (a float
    /// would merge neighbours), NaN and infinities are numbers, and so are numbers with a plus
    /// sign.
    DType dtype() const;
    /// A sentence that gives the reason.
    std::string reason() const;
    /// How the numbers of a column of texts are written, if it may hold numbers. `haveCommas`: the
    /// decimal mark of the table is a comma.
    NotationFinding notation(bool haveCommas) const;
    /// Whether some of its numbers have a decimal point and cannot have a separator of thousands.
    bool needsPoint() const { return texts == 0 && m_notation.needsPoint(); }
    /// Up to a limit, the texts of infinite numbers, as they are written.
    const std::vector<std::string>& infiniteTexts() const { return m_infiniteTexts; }

    /// Whether its integers are codes: some begin with 0, all have as many digits, at least three,
    /// and they are not times of the day such as 0830.
    bool areCodes() const;

    bool countsDistinct() const { return m_kinds == ColumnKinds::Guessed; }
    /// Distinct values as a fraction of all values.
    double uniqueness() const;

    std::uint64_t values = 0;
    std::uint64_t missing = 0;
    std::uint64_t int32s = 0;
    std::uint64_t int64s = 0; ///< beyond int32
    std::uint64_t beyondInt64 = 0;
    std::uint64_t floats = 0;     ///< finite in float32, infinities included
    std::uint64_t doubles = 0;    ///< finite in float64 only
    std::uint64_t outOfRange = 0; ///< beyond float64
    std::uint64_t nan = 0;        ///< missing among numbers
    std::uint64_t zeros = 0;      ///< integers
    std::uint64_t infinite = 0;
    std::uint64_t texts = 0;
    std::uint64_t leadingZeros = 0;
    std::uint64_t spaced = 0; ///< texts with a space inside
    std::uint64_t barred = 0; ///< texts with a vertical bar inside
    std::uint64_t totalLength = 0;
    std::uint64_t compactDays = 0; ///< integers such as 20240501
    DateNumbers dateNumbers;
    DateEvidence dates;
    bool countsUp = true; ///< integers, each one more than its predecessor
    /// At most ColumnSchema's limit, and complete after finish(), if countsDistinct().
    std::uint64_t distinct = 0;

    struct Sighting
    {
        std::string text;
        std::uint64_t line = 0;
    };
    Sighting firstText;
    Sighting firstBeyondInt64;
    Sighting firstOutOfRange;

private:
    void observeInteger(std::int64_t value, std::string_view text);
    bool observeNumber(std::string_view text, std::string_view number, std::uint64_t line);
    void observeText(std::string_view text, std::uint64_t line);
    void noteInfinite(std::string_view text);
    std::string textReason() const;
    void countPending(FingerprintSet& prints);

    ColumnKinds m_kinds;
    FingerprintSet m_prints; ///< of distinct values
    /// The fingerprints of the latest values, which are not counted yet: a list takes less memory
    /// than a set, and a short table's columns have no more.
    std::pmr::vector<std::uint64_t> m_pending;
    std::int64_t m_lastInteger = 0;
    std::size_t m_fewestDigits = ~std::size_t{0}; ///< of the integers
    std::size_t m_mostDigits = 0;
    bool m_areClockTimes = true; ///< HHMM
    std::uint64_t m_integers = 0;
    std::uint64_t m_valuesWhenFull = 0; ///< values seen when `m_prints` became full
    NotationEvidence m_notation;
    std::vector<std::string> m_infiniteTexts;
    std::uint64_t m_perhapsMissing = 0;
    Sighting m_firstPerhapsMissing;
};

} // namespace cannery::data
