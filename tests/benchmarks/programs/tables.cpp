// SPDX-License-Identifier: Apache-2.0
#include "tests/benchmarks/programs/tables.h"

#include "core/base/fingerprint.h"
#include "kernels/device/random.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <fstream>
#include <iterator>

namespace cannery::benchmarks {

namespace {

/// What a block of random numbers is for: the third word of the counter.
constexpr std::uint32_t kLabelNoise = 0x80000000U;
constexpr std::uint32_t kPlantedWeights = 0xC0000000U;
constexpr std::uint32_t kCategoryNames = 0xE0000000U;

using Block = std::array<std::uint32_t, 4>;

Block randomBlock(std::uint64_t seed, std::uint64_t row, std::uint32_t what)
{
    return kernels::philox(
        {static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(row >> 32), what, 0x7461626CU},
        {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
}

/// Four uniform numbers of 16 bits added, less their mean: 0.5 to 2^18 - 4 around 0.
std::int32_t bellShaped(std::uint32_t first, std::uint32_t second)
{
    const std::uint32_t sum =
        (first & 0xFFFFU) + (first >> 16) + (second & 0xFFFFU) + (second >> 16);
    return static_cast<std::int32_t>(sum) - 2 * 0xFFFF;
}

/// Of bellShaped(): 65536 * sqrt(4 / 12).
constexpr double kBellDeviation = 37837.227;

double normal(std::uint32_t first, std::uint32_t second)
{
    return bellShaped(first, second) / kBellDeviation;
}

/// 1 with a chance that rises with the logit.
int noisyLabel(double logit, std::uint64_t seed, std::uint64_t row)
{
    const Block noise = randomBlock(seed, row, kLabelNoise);
    return logit + normal(noise[0], noise[1]) > 0 ? 1 : 0;
}

/// Ids of [2^k, 2^(k+1)) for an evenly drawn k below `octaves`.
std::uint32_t zipfId(std::uint32_t octaveBits, std::uint32_t idBits, std::uint32_t octaves)
{
    const auto octave = static_cast<std::uint32_t>((std::uint64_t{octaveBits} * octaves) >> 32);
    return (1U << octave) + (octave == 0 ? 0 : idBits >> (32 - octave));
}

/// Some categories have few values, some ten million and more, as in Criteo's table.
std::uint32_t octavesOf(int category)
{
    constexpr std::array<std::uint32_t, 8> kOctaves = {24, 9, 22, 5, 18, 3, 13, 11};
    return kOctaves[static_cast<std::size_t>(category) % kOctaves.size()];
}

template <typename Value>
void appendBytes(std::string& text, Value value)
{
    std::array<char, sizeof(Value)> bytes{};
    std::memcpy(bytes.data(), &value, sizeof(Value));
    text.append(bytes.data(), bytes.size());
}

void appendHeader(std::string& text, char first, int firstCount, char second, int secondCount)
{
    text += "label";
    for (int column = 0; column < firstCount; ++column) {
        fmt::format_to(std::back_inserter(text), ",{}{}", first, column);
    }
    for (int column = 0; column < secondCount; ++column) {
        fmt::format_to(std::back_inserter(text), ",{}{}", second, column);
    }
    text += '\n';
}

void appendCsv(const CriteoLike::Row& row, std::string& text)
{
    fmt::format_to(std::back_inserter(text), "{}", row.label);
    for (const std::int32_t count : row.counts) {
        fmt::format_to(std::back_inserter(text), ",{}", count);
    }
    for (const std::uint32_t category : row.categories) {
        fmt::format_to(std::back_inserter(text), ",{:08x}", category);
    }
    text += '\n';
}

void appendVowpalWabbit(const CriteoLike::Row& row, std::string& text)
{
    text += row.label == 1 ? "1 |i" : "-1 |i";
    char name = 'a';
    for (const std::int32_t count : row.counts) {
        fmt::format_to(std::back_inserter(text), " {}={}", name++, count);
    }
    text += " |c";
    name = 'a';
    for (const std::uint32_t category : row.categories) {
        fmt::format_to(std::back_inserter(text), " {}={:08x}", name++, category);
    }
    text += '\n';
}

void appendIds(const CriteoLike::Row& row, std::string& text)
{
    appendBytes(text, static_cast<std::int32_t>(row.label));
    for (const std::int32_t count : row.counts) {
        appendBytes(text, count);
    }
    for (const std::uint32_t category : row.categories) {
        const std::uint64_t hash = fingerprint64(fmt::format("{:08x}", category));
        appendBytes(text, static_cast<std::int32_t>(hash % kIdBuckets));
    }
}

} // namespace

HiggsLike::HiggsLike(int columns, std::uint64_t seed) : m_columns(columns), m_seed(seed) {}

int HiggsLike::makeRow(std::int64_t row, std::span<float> features) const
{
    const auto number = static_cast<std::uint64_t>(row);
    double logit = 0;
    double before = 0;
    for (int column = 0; column < m_columns; column += 2) {
        const Block bits = randomBlock(m_seed, number, static_cast<std::uint32_t>(column / 2));
        for (int side = 0; side < 2 && column + side < m_columns; ++side) {
            const auto index = static_cast<std::size_t>(2 * side);
            const double value = normal(bits[index], bits[index + 1]);
            const int place = column + side;
            features[static_cast<std::size_t>(place)] = static_cast<float>(value);
            logit += (place * 7 % 11 - 5) * 0.06 * value;
            logit += side == 1 ? (place * 5 % 7 - 3) * 0.12 * value * before : 0;
            before = value;
        }
    }
    return noisyLabel(logit, m_seed, number);
}

CriteoLike::Row CriteoLike::makeRow(std::int64_t row) const
{
    const auto number = static_cast<std::uint64_t>(row);
    Row result;
    double logit = -0.5;
    for (int column = 0; column < kCounts; ++column) {
        const Block bits = randomBlock(m_seed, number, static_cast<std::uint32_t>(column));
        const std::uint32_t value = zipfId(bits[0], bits[1], 12) - 1;
        result.counts[static_cast<std::size_t>(column)] = static_cast<std::int32_t>(value);
        logit += (column % 5 - 2) * 0.02 * static_cast<double>(std::bit_width(value));
    }
    for (int column = 0; column < kCategories; ++column) {
        const Block bits =
            randomBlock(m_seed, number, static_cast<std::uint32_t>(kCounts + column));
        const std::uint32_t id = zipfId(bits[0], bits[1], octavesOf(column));
        const auto key = static_cast<std::uint32_t>(column);
        const Block planted = randomBlock(id, key, kPlantedWeights);
        logit += 0.25 * normal(planted[0], planted[1]);
        result.categories[static_cast<std::size_t>(column)] =
            randomBlock(id, key, kCategoryNames)[0];
    }
    result.label = noisyLabel(logit, m_seed, number);
    return result;
}

void appendRows(const HiggsLike& table, TableRange range, TableFormat format, std::string& text)
{
    if (format == TableFormat::Csv && range.first == 0) {
        appendHeader(text, 'f', table.columns(), ' ', 0);
    }
    std::vector<float> features(static_cast<std::size_t>(table.columns()));
    for (std::int64_t row = range.first; row < range.first + range.count; ++row) {
        const int label = table.makeRow(row, features);
        if (format == TableFormat::Floats) {
            appendBytes(text, static_cast<float>(label));
            for (const float value : features) {
                appendBytes(text, value);
            }
            continue;
        }
        fmt::format_to(std::back_inserter(text), "{}", label);
        for (const float value : features) {
            fmt::format_to(std::back_inserter(text), ",{}", value);
        }
        text += '\n';
    }
}

void appendRows(const CriteoLike& table, TableRange range, TableFormat format, std::string& text)
{
    if (format == TableFormat::Csv && range.first == 0) {
        appendHeader(text, 'i', CriteoLike::kCounts, 'c', CriteoLike::kCategories);
    }
    for (std::int64_t row = range.first; row < range.first + range.count; ++row) {
        const CriteoLike::Row made = table.makeRow(row);
        if (format == TableFormat::Ids) {
            appendIds(made, text);
        } else if (format == TableFormat::VowpalWabbit) {
            appendVowpalWabbit(made, text);
        } else {
            appendCsv(made, text);
        }
    }
}

template <typename Table>
bool writeTable(const Table& table, std::int64_t rows, TableFormat format, const std::string& path)
{
    constexpr std::int64_t kPiece = 4096;
    std::ofstream file(path, std::ios::binary);
    std::string text;
    for (std::int64_t first = 0; first < rows && file; first += kPiece) {
        text.clear();
        appendRows(table, {first, std::min(kPiece, rows - first)}, format, text);
        file.write(text.data(), static_cast<std::streamsize>(text.size()));
    }
    file.close();
    return static_cast<bool>(file);
}

template bool writeTable(const HiggsLike&, std::int64_t, TableFormat, const std::string&);
template bool writeTable(const CriteoLike&, std::int64_t, TableFormat, const std::string&);

} // namespace cannery::benchmarks
