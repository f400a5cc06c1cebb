// SPDX-License-Identifier: Apache-2.0
#include "core/data/sources/npz_rows.h"

#include "storage/io/zip_archive.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <set>
#include <utility>

namespace cannery::data {

namespace {

using storage::NpyKind;

constexpr ErrorKind kOtherLength{
    "npz.other_length",
    "The arrays of {} have different lengths: {} has {}, {} has {}. The first dimension of each is "
    "the example."};
constexpr ErrorKind kDimensions{
    "npz.dimensions",
    "{} of {} has {} dimensions; at most two are read. Save it as array.reshape(len(array), -1)."};
constexpr ErrorKind kManyNpzColumns{
    "npz.too_many_columns", "{} has more than {} columns. Save fewer columns in one archive."};
constexpr ErrorKind kTwoArrays{
    "npz.two_arrays", "{} holds two arrays called {}. Save it again, each with a name of its own."};
constexpr ErrorKind kNoArrays{
    "npz.no_arrays", "{} holds no array with one element or row per example. Write it with "
                     "numpy.savez({}, x=…, y=…)."};
constexpr ErrorKind kShortArray{"npz.breaks_off", "{} of {} breaks off. Write the archive again."};
constexpr ErrorKind kChangedArray{
    "npz.changed", "{} of {} has changed since its header was read. Read the table again."};

constexpr std::string_view kSuffix = ".npy";
constexpr std::size_t kMostColumns = 65536;
/// Rows are skipped by reading them, since members of the archive may be compressed. Few at once,
/// so that skipping needs little memory.
constexpr std::uint64_t kSkippedAtOnce = 256;

std::string arrayName(const std::string& entry)
{
    // numpy.savez adds the ending to each name.
    return entry.ends_with(kSuffix) ? entry.substr(0, entry.size() - kSuffix.size()) : entry;
}

template <typename T>
T valueAt(const char* bytes)
{
    T value{};
    std::memcpy(&value, bytes, sizeof(value));
    return value;
}

std::int64_t integerAt(const char* bytes, std::size_t width)
{
    switch (width) {
    case 1:
        return valueAt<std::int8_t>(bytes);
    case 2:
        return valueAt<std::int16_t>(bytes);
    case 4:
        return valueAt<std::int32_t>(bytes);
    default:
        return valueAt<std::int64_t>(bytes);
    }
}

std::uint64_t unsignedAt(const char* bytes, std::size_t width)
{
    // Only as many bytes as the number has: the rest are 0.
    std::uint64_t value = 0;
    std::memcpy(&value, bytes, width);
    return value;
}

/// numpy keeps a text as code points of 32 bits each (dtype U); here it becomes UTF-8.
void appendCharacter(std::string& text, std::uint32_t code)
{
    const auto put = [&](std::uint32_t byte) { text.push_back(static_cast<char>(byte)); };
    if (code < 0x80U) {
        put(code);
    } else if (code < 0x800U) {
        put(0xC0U | (code >> 6U));
        put(0x80U | (code & 0x3FU));
    } else if (code < 0x10000U) {
        put(0xE0U | (code >> 12U));
        put(0x80U | ((code >> 6U) & 0x3FU));
        put(0x80U | (code & 0x3FU));
    } else {
        put(0xF0U | ((code >> 18U) & 0x07U));
        put(0x80U | ((code >> 12U) & 0x3FU));
        put(0x80U | ((code >> 6U) & 0x3FU));
        put(0x80U | (code & 0x3FU));
    }
}

/// A text of fixed width, without the zeros that fill it up.
void readText(const char* bytes, const NpzPlace& place, std::string& text)
{
    text.clear();
    if (place.kind == NpyKind::Bytes) {
        text.assign(bytes, place.itemBytes);
        // numpy fills a fixed width up with zeros, and cannot tell them from zeros of the text
        // either.
        text.resize(text.find_last_not_of('\0') + 1);
        return;
    }
    std::size_t characters = place.itemBytes / sizeof(std::uint32_t);
    // Zeros behind the text fill the width.
    while (characters > 0 &&
           valueAt<std::uint32_t>(bytes + (characters - 1) * sizeof(std::uint32_t)) == 0) {
        --characters;
    }
    for (std::size_t i = 0; i < characters; ++i) {
        appendCharacter(text, valueAt<std::uint32_t>(bytes + i * sizeof(std::uint32_t)));
    }
}

Result<void> addArray(const std::string& file, const std::string& name,
                      const storage::NpyHeader& header, NpzLayout& layout)
{
    // A scalar has no rows. It is left out and named, not refused.
    if (header.shape.empty()) {
        layout.leftOut.push_back(name);
        return {};
    }
    // Dimensions of 1 hold nothing more: (n, 1, 1) is a column.
    if (header.shape.size() > 2 && header.width() > 1) {
        return fail(ErrorCode::Unimplemented, kDimensions, name, file, header.shape.size());
    }
    // The first array decides how many rows there are.
    if (layout.names.empty()) {
        layout.rows = header.rows();
    } else if (header.rows() != layout.rows) {
        return fail(ErrorCode::InvalidArgument, kOtherLength, file, layout.places.front().array,
                    layout.rows, name, header.rows());
    }
    const std::uint64_t width = header.width();
    // The width is checked alone first: the sum might overflow.
    if (width > kMostColumns || layout.names.size() + width > kMostColumns) {
        return fail(ErrorCode::ResourceExhausted, kManyNpzColumns, file, kMostColumns);
    }
    const bool isPlain = header.shape.size() == 1;
    for (std::uint64_t at = 0; at < width; ++at) {
        // Columns of a matrix are numbered.
        layout.names.push_back(isPlain ? name : fmt::format("{}_{}", name, at));
        layout.places.push_back({name, at, width, header.kind, header.itemBytes});
    }
    return {};
}

} // namespace

Result<NpzLayout> npzLayout(const std::string& file)
{
    CANNERY_TRY_ASSIGN(const storage::ZipArchive archive, storage::ZipArchive::open(file));
    NpzLayout layout;
    std::set<std::string> names;
    for (const storage::ZipEntry& entry : archive.entries()) {
        // One array would hide the other.
        if (!names.insert(arrayName(entry.name)).second) {
            return fail(ErrorCode::InvalidArgument, kTwoArrays, file, arrayName(entry.name));
        }
        CANNERY_TRY_ASSIGN(const storage::NpyArray array, storage::openNpy(archive, entry));
        CANNERY_TRY(addArray(file, arrayName(entry.name), array.header, layout));
    }
    if (layout.names.empty()) {
        return fail(ErrorCode::InvalidArgument, kNoArrays, file, file);
    }
    return layout;
}

Result<NpzRows> NpzRows::open(const std::string& file, const std::vector<NpzPlace>& places,
                              std::uint64_t first)
{
    CANNERY_TRY_ASSIGN(const storage::ZipArchive archive, storage::ZipArchive::open(file));
    NpzRows rows;
    rows.m_file = file;
    // The shortest array decides, should the file have changed since its layout was read.
    rows.m_left = std::numeric_limits<std::uint64_t>::max();
    for (const NpzPlace& place : places) {
        // Columns of one array share its stream and its block: it is decompressed once.
        const auto known =
            std::find_if(rows.m_arrays.begin(), rows.m_arrays.end(),
                         [&](const Array& array) { return array.name == place.array; });
        const auto index = static_cast<std::size_t>(known - rows.m_arrays.begin());
        rows.m_columns.push_back({place, index});
        if (known != rows.m_arrays.end()) {
            continue;
        }
        const auto entry = std::find_if(
            archive.entries().begin(), archive.entries().end(),
            [&](const storage::ZipEntry& one) { return arrayName(one.name) == place.array; });
        if (entry == archive.entries().end()) {
            return fail(ErrorCode::FailedPrecondition, kChangedArray, place.array, file);
        }
        CANNERY_TRY_ASSIGN(storage::NpyArray array, storage::openNpy(archive, *entry));
        // The schema was made from another reading of the file, which may have been replaced.
        const bool isSame = array.header.kind == place.kind &&
                            array.header.itemBytes == place.itemBytes &&
                            array.header.width() == place.width;
        if (!isSame) {
            return fail(ErrorCode::FailedPrecondition, kChangedArray, place.array, file);
        }
        rows.m_left = std::min(rows.m_left, array.header.rows());
        rows.m_arrays.push_back({place.array, std::move(array.bytes),
                                 static_cast<std::size_t>(place.width) * place.itemBytes,
                                 std::string()});
    }
    for (std::uint64_t skipped = 0; skipped < first;) {
        CANNERY_TRY_ASSIGN(const std::size_t got, rows.next(static_cast<std::size_t>(
                                                      std::min(first - skipped, kSkippedAtOnce))));
        // Fewer rows than are to be skipped: the file has changed.
        if (got == 0) {
            break;
        }
        skipped += got;
    }
    return rows;
}

Result<std::size_t> NpzRows::next(std::size_t most)
{
    // The last block is shorter.
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(most, m_left));
    for (Array& array : m_arrays) {
        array.block.resize(count * array.rowBytes);
        std::size_t have = 0;
        // A stream may give less than it is asked for.
        while (have < array.block.size()) {
            CANNERY_TRY_ASSIGN(
                const std::size_t got,
                array.bytes(std::as_writable_bytes(std::span(array.block)).subspan(have)));
            // An archive that breaks off is damaged, not short.
            if (got == 0) {
                return fail(ErrorCode::DataLoss, kShortArray, array.name, m_file);
            }
            have += got;
        }
    }
    m_left -= count;
    return count;
}

const char* NpzRows::cell(const Column& column, std::size_t row) const
{
    const Array& array = m_arrays[column.array];
    return array.block.data() + row * array.rowBytes + column.place.at * column.place.itemBytes;
}

CellFault NpzRows::copyCell(std::size_t place, std::size_t row, std::size_t to, TypedColumn& column)
{
    const Column& from = m_columns[place];
    const char* bytes = cell(from, row);
    const std::size_t width = from.place.itemBytes;
    switch (from.place.kind) {
    case NpyKind::Float:
        return width == sizeof(float) ? column.setFloat(to, valueAt<float>(bytes))
                                      : column.setDouble(to, valueAt<double>(bytes));
    case NpyKind::Integer:
        return column.setInteger(to, integerAt(bytes, width));
    case NpyKind::Boolean:
    case NpyKind::Unsigned: {
        const std::uint64_t value = unsignedAt(bytes, width);
        // No column's type holds more than int64.
        return value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())
                   ? CellFault::TooLarge
                   : column.setInteger(to, static_cast<std::int64_t>(value));
    }
    case NpyKind::Bytes:
    case NpyKind::Unicode:
        readText(bytes, from.place, m_scratch);
        return column.setText(to, m_scratch);
    }
    return CellFault::NotANumber;
}

std::string NpzRows::cellText(std::size_t place, std::size_t row)
{
    const Column& from = m_columns[place];
    const char* bytes = cell(from, row);
    const std::size_t width = from.place.itemBytes;
    std::string text;
    switch (from.place.kind) {
    case NpyKind::Float:
        if (width == sizeof(float)) {
            appendNumber(text, valueAt<float>(bytes));
        } else {
            appendNumber(text, valueAt<double>(bytes));
        }
        break;
    case NpyKind::Integer:
        appendNumber(text, integerAt(bytes, width));
        break;
    case NpyKind::Boolean:
    case NpyKind::Unsigned:
        text = fmt::format("{}", unsignedAt(bytes, width));
        break;
    case NpyKind::Bytes:
    case NpyKind::Unicode:
        readText(bytes, from.place, text);
        break;
    }
    return text;
}

} // namespace cannery::data
