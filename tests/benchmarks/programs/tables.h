// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace cannery::benchmarks {

/// A table of numbers like that of the HIGGS set: standard normal columns (nearly: sums of four
/// uniform numbers) and a label of 0 or 1 that depends on the columns one by one and in pairs, with
/// noise. Every row is a pure function of (seed, row), in integer arithmetic but for a last
/// multiplication, so any range can be made alone, with the same bits on every machine.
class HiggsLike
{
public:
    explicit HiggsLike(int columns = 28, std::uint64_t seed = 1);

    int columns() const { return m_columns; }
    /// Fills `features` (columns() of them) and returns the label.
    int makeRow(std::int64_t row, std::span<float> features) const;

private:
    int m_columns;
    std::uint64_t m_seed;
};

/// A table like that of the Criteo set: 13 counts and 26 categories whose ids follow Zipf's law by
/// octaves (an id of [2^k, 2^(k+1)) is as likely as one of any other k), up to 2^24 of them, as
/// eight hexadecimal digits. The label follows planted weights of categories and counts, with
/// noise. A pure function of (seed, row).
class CriteoLike
{
public:
    static constexpr int kCounts = 13;
    static constexpr int kCategories = 26;

    struct Row
    {
        int label = 0;
        std::array<std::int32_t, kCounts> counts{};
        std::array<std::uint32_t, kCategories> categories{}; ///< written as %08x
    };

    explicit CriteoLike(std::uint64_t seed = 1) : m_seed(seed) {}
    Row makeRow(std::int64_t row) const;

private:
    std::uint64_t m_seed;
};

/// How rows stand in a file.
enum class TableFormat
{
    Csv,          ///< a header, the label first
    VowpalWabbit, ///< criteo_like: "-1 |i a=12 b=3 … |c a=0f3c9a1b …"
    Floats,       ///< higgs_like: float32 per row, the label first, little-endian
    Ids,          ///< criteo_like: int32 per row: label, counts, TensorFlow's hash of categories
};

struct TableRange
{
    std::int64_t first = 0;
    std::int64_t count = 0;
};

/// Buckets of each category in TableFormat::Ids.
inline constexpr std::int64_t kIdBuckets = 40000;

/// Appends rows to `text`; a Csv header stands before row 0 only.
void appendRows(const HiggsLike& table, TableRange range, TableFormat format, std::string& text);
void appendRows(const CriteoLike& table, TableRange range, TableFormat format, std::string& text);

/// Writes the rows 0 to `rows` to a file; false when it cannot.
template <typename Table>
bool writeTable(const Table& table, std::int64_t rows, TableFormat format, const std::string& path);

} // namespace cannery::benchmarks
