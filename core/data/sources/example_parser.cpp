// SPDX-License-Identifier: Apache-2.0
#include "core/data/sources/example_parser.h"

#include "core/base/utf8.h"
#include "core/data/typing/schema.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace cannery::data {

namespace {

using storage::RecordBlock;
using storage::WireKind;
using storage::WireValues;

constexpr ErrorKind kUnusableRecord{
    "tfrecord.unusable_record",
    "{}: record {} {}. Correct the record, or set bad_rows to SKIP to leave it out."};

constexpr std::size_t kWord = sizeof(std::uint64_t);
/// What lies between the key of an entry and its only value: the length of the feature, the kind
/// and length of its list, the tag and length of the value.
constexpr std::size_t kListHeader = 5;
/// More are looked up by name each time.
constexpr std::size_t kMostKnown = 65536;
constexpr std::size_t kShownBytes = 40;

/// Whether the bytes begin with the prefix. Reads whole words.
bool beginsWith(const char* bytes, const std::string& prefix, std::uint64_t lastMask)
{
    const char* known = prefix.data();
    const std::size_t last = prefix.size() - kWord;
    std::uint64_t difference = 0;
    for (std::size_t at = 0; at <= last; at += kWord) {
        std::uint64_t a = 0;
        std::uint64_t b = 0;
        std::memcpy(&a, bytes + at, kWord);
        std::memcpy(&b, known + at, kWord);
        // The last word is compared only as far as the prefix goes.
        difference |= (a ^ b) & (at == last ? lastMask : ~std::uint64_t{0});
    }
    return difference == 0;
}

std::string shown(std::string_view text)
{
    // A text may have any length, and a sentence has not.
    return toUtf8(text.substr(0, kShownBytes)) + (text.size() > kShownBytes ? "…" : "");
}

} // namespace

ExampleParser::ExampleParser(const std::vector<ExampleColumn>& columns, bool keepOffsets)
    : m_plan(columns), m_keepOffsets(keepOffsets), m_written(columns.size(), 0)
{
    for (const ExampleColumn& column : m_plan) {
        m_columns.emplace_back(column.as, column.dtype, column.missingTokens, column.notation);
    }
}

ParsedExamples ExampleParser::parse(const RecordBlock& block, const std::string& path)
{
    ParsedExamples parsed;
    storage::TableChunk& chunk = parsed.chunk;
    chunk.file = block.file;
    chunk.textEnd = block.end;
    parsed.damages = block.damages;
    m_row = 0;
    for (TypedColumn& column : m_columns) {
        // Room for all of them: bad rows are taken out at the end.
        column.start(block.frames.size());
    }
    std::vector<std::uint32_t> good;
    good.reserve(block.frames.size());
    chunk.lines.reserve(block.frames.size());
    for (const RecordBlock::Frame& frame : block.frames) {
        if (!block.isSound(frame)) {
            parsed.damages.push_back(storage::contentDamage(path, block, frame));
            continue;
        }
        if (readRecord(block.payload(frame))) {
            good.push_back(static_cast<std::uint32_t>(m_row));
            chunk.lines.push_back(frame.record + 1);
            if (m_keepOffsets) {
                chunk.offsets.push_back(block.place(frame));
            }
        } else {
            parsed.badRows.push_back({frame.record, block.place(frame),
                                      error(ErrorCode::InvalidArgument, kUnusableRecord, path,
                                            frame.record + 1, m_reason)});
        }
        // The row keeps its place until the block is done.
        finishRow();
    }
    chunk.rows = good.size();
    for (TypedColumn& column : m_columns) {
        storage::TableColumn whole = column.finish(m_row);
        // Usually all are good, and nothing is copied.
        chunk.columns.push_back(good.size() == m_row ? std::move(whole)
                                                     : storage::gather(whole, good));
    }
    return parsed;
}

/// Columns that the record has not set are missing.
void ExampleParser::finishRow()
{
    // Usually every column was set, and none is looked at.
    if (m_set < m_columns.size()) {
        for (std::size_t i = 0; i < m_columns.size(); ++i) {
            if (m_written[i] != m_record) {
                m_columns[i].setMissing(m_row);
            }
        }
    }
    ++m_row;
}

bool ExampleParser::refuse(std::string reason)
{
    m_reason = std::move(reason);
    return false;
}

bool ExampleParser::readRecord(std::string_view record)
{
    ++m_record;
    m_set = 0;
    m_reason.clear();
    storage::WireExample example;
    const bool isRead =
        storage::readExample(record, example) && readFeatures(example.features) &&
        storage::eachFeatureList(example.featureLists,
                                 [&](std::string_view name, std::string_view message) {
                                     return readSequence(name, message);
                                 });
    // The reason that was found first is the one to report.
    return isRead || (m_reason.empty() ? refuse("is not a valid tf.Example") : false);
}

bool ExampleParser::readFeatures(std::string_view map)
{
    std::uint32_t previous = kUnknown;
    std::uint32_t expected = m_first;
    while (!map.empty()) {
        // Records of one writer have their features in the same order, so the next one is compared
        // with what followed last time instead of being looked up.
        if (expected != kUnknown) {
            const char* rest =
                takeExpected(map.data(), map.data() + map.size(), m_features[expected]);
            if (rest != nullptr) {
                map.remove_prefix(static_cast<std::size_t>(rest - map.data()));
                previous = expected;
                expected = m_features[previous].next;
                continue;
            }
        }
        // A reason means that the entry was the expected one, but cannot be used.
        if (!m_reason.empty() || !readUnexpected(map, previous)) {
            return false;
        }
        expected = previous == kUnknown ? kUnknown : m_features[previous].next;
    }
    return true;
}

/// The end of an entry that is this feature with one value, whose lengths all fit one byte; null if
/// it is something else, or cannot be used (m_reason).
const char* ExampleParser::takeExpected(const char* entry, const char* end, Feature& feature)
{
    const std::size_t before = 2 + feature.prefixBytes + kListHeader;
    // Too short to be the expected entry.
    if (static_cast<std::size_t>(end - entry) < before) {
        return nullptr;
    }
    const auto length = static_cast<std::uint8_t>(entry[1]);
    if (entry[0] != storage::detail::kFirstField || length >= 0x80U ||
        static_cast<std::size_t>(end - entry) < std::size_t{2} + length ||
        !beginsWith(entry + 2, feature.prefix, feature.lastMask)) {
        return nullptr;
    }
    const char* list = entry + 2 + feature.prefixBytes;
    const std::size_t rest = length - feature.prefixBytes;
    const auto bytes = static_cast<std::uint8_t>(list[4]);
    // Every length is compared: a match of all of them is a feature with one value, and needs no
    // parser.
    if (rest < kListHeader || static_cast<std::uint8_t>(list[0]) != rest - 1 ||
        static_cast<std::uint8_t>(list[2]) != rest - 3 || list[3] != storage::detail::kFirstField ||
        bytes != rest - kListHeader || feature.seen == m_record ||
        !setExpected(feature, list[1], list + kListHeader, bytes)) {
        return nullptr;
    }
    feature.seen = m_record;
    return entry + 2 + length;
}

bool ExampleParser::setExpected(const Feature& feature, char kind, const char* value,
                                std::size_t bytes)
{
    constexpr char kBytes = 0x0a;
    constexpr char kFloats = 0x12;
    constexpr char kIntegers = 0x1a;
    // Recognized, and of no interest: it is skipped as fast as the others.
    if (feature.columns.empty()) {
        return true;
    }
    // Several columns of one feature are rare, and read in full.
    if (feature.columns.size() > 1) {
        return false;
    }
    const std::uint32_t index = feature.columns.front();
    TypedColumn& column = m_columns[index];
    if (kind == kFloats && bytes == sizeof(float)) {
        float number = 0;
        std::memcpy(&number, value, sizeof(number));
        // "number == number" excludes NaN, which setFloat() makes a missing value.
        // The usual case without calls: this is where the time goes.
        if (column.floats() != nullptr && !column.hasTokens() && number == number) {
            column.floats()[m_row] = number;
        } else if (!note(feature, column.setFloat(m_row, number), {})) {
            return false;
        }
    } else if (kind == kIntegers && bytes > 0) {
        std::string_view packed(value, bytes);
        std::uint64_t number = 0;
        if (!storage::takeVarint(packed, number) || !packed.empty()) {
            return false;
        }
        const auto integer = static_cast<std::int64_t>(number);
        if (column.dtype() == DType::Int64 && !column.hasTokens()) {
            column.integers()[m_row] = integer;
        } else if (!note(feature, column.setInteger(m_row, integer), {})) {
            return false;
        }
    } else if (kind == kBytes && !m_plan[index].isList) {
        // A list with one value is read as a list.
        const std::string_view text(value, bytes);
        const CellFault fault = column.setText(m_row, text);
        if (fault != CellFault::None && !note(feature, fault, text)) {
            return false;
        }
    } else {
        return false;
    }
    m_written[index] = m_record;
    ++m_set;
    return true;
}

/// Reads an entry in full, and remembers that it follows the previous one.
bool ExampleParser::readUnexpected(std::string_view& map, std::uint32_t& previous)
{
    std::string_view name;
    std::string_view message;
    WireValues values;
    if (!storage::detail::takeEntry(map, name, message)) {
        return false;
    }
    // More features than can be remembered: this one is read by nobody.
    const std::uint32_t index = featureOf(name);
    if (index == kUnknown) {
        return true;
    }
    // Next time it is expected here.
    (previous == kUnknown ? m_first : m_features[previous].next) = index;
    previous = index;
    Feature& feature = m_features[index];
    if (feature.columns.empty()) {
        return true;
    }
    return storage::readFeature(message, values) && startFeature(feature) &&
           setList(feature, {&values, 1});
}

bool ExampleParser::startFeature(Feature& feature)
{
    // Which of two would count is undefined.
    return std::exchange(feature.seen, m_record) != m_record ||
           refuse(fmt::format("has feature \"{}\" twice", toUtf8(feature.name)));
}

std::uint32_t ExampleParser::featureOf(std::string_view name)
{
    if (const auto known = m_byName.find(name); known != m_byName.end()) {
        return known->second;
    }
    if (m_features.size() == kMostKnown) {
        return kUnknown;
    }
    const auto index = static_cast<std::uint32_t>(m_features.size());
    Feature& feature = m_features.emplace_back();
    feature.name = name;
    if (name.size() < 0x80U) {
        feature.prefix.push_back(storage::detail::kFirstField);
        feature.prefix.push_back(static_cast<char>(name.size()));
        feature.prefix.append(name);
        feature.prefix.push_back(storage::detail::kSecondField);
    } else {
        feature.prefix.assign(0x80U, '\0'); // is longer than any entry that is compared with it
    }
    feature.prefixBytes = feature.prefix.size();
    feature.prefix.resize((feature.prefixBytes + kWord - 1) / kWord * kWord);
    const std::size_t inLast = feature.prefixBytes - (feature.prefix.size() - kWord);
    // Little-endian: the first bytes of the last word are its low bits.
    feature.lastMask = ~std::uint64_t{0} >> (8 * (kWord - inLast));
    // All columns that read the feature; there may be none.
    for (std::uint32_t i = 0; i < m_plan.size(); ++i) {
        if (m_plan[i].feature == name) {
            feature.columns.push_back(i);
        }
    }
    m_byName.emplace(name, index);
    return index;
}

/// False if the cell cannot hold the value.
bool ExampleParser::note(const Feature& feature, CellFault fault, std::string_view value)
{
    if (fault == CellFault::None) {
        return true;
    }
    // Without a text the fault alone says what is wrong.
    const std::string quoted = value.empty() ? std::string() : " \"" + shown(value) + "\"";
    return refuse(fmt::format("has a value{} in feature \"{}\" that {}", quoted,
                              toUtf8(feature.name), describe(fault)));
}

bool ExampleParser::readSequence(std::string_view name, std::string_view message)
{
    const std::uint32_t index = featureOf(name);
    // A list that nobody reads need not be valid.
    if (index == kUnknown || m_features[index].columns.empty()) {
        return true;
    }
    std::vector<WireValues> steps;
    return storage::eachStep(message,
                             [&](const WireValues& step) {
                                 steps.push_back(step);
                                 return true;
                             }) &&
           startFeature(m_features[index]) && setList(m_features[index], steps);
}

/// Sets the feature's columns to the values of all steps.
bool ExampleParser::setList(const Feature& feature, std::span<const WireValues> steps)
{
    m_list.clear();
    std::size_t count = 0;
    bool isRead = true;
    // Each step's values follow those of the step before.
    for (const WireValues& step : steps) {
        isRead = isRead && appendList(step, count);
    }
    if (!isRead) {
        return m_reason.empty() ? refuse(fmt::format("has a malformed list in feature \"{}\"",
                                                     toUtf8(feature.name)))
                                : false;
    }
    // An empty list is a missing cell, which finishRow() sets.
    if (count == 0) {
        return true;
    }
    for (const std::uint32_t index : feature.columns) {
        const bool isList = m_plan[index].isList || count > 1;
        if (count > 1 && m_plan[index].dtype != DType::String) {
            return refuse(fmt::format("has {} values in feature \"{}\", which is read as one {}: "
                                      "read the column as string, and make a feature of it with "
                                      "split",
                                      count, toUtf8(feature.name), name(m_plan[index].dtype)));
        }
        // A separator inside of a value would make two values of it.
        const auto bars =
            static_cast<std::size_t>(std::count(m_list.begin(), m_list.end(), kListSeparator));
        if (isList && bars + 1 != count) {
            return refuse(fmt::format("has a value with \"{}\" in the list of feature \"{}\", "
                                      "where it separates values",
                                      kListSeparator, toUtf8(feature.name)));
        }
        if (!note(feature, m_columns[index].setText(m_row, m_list), m_list)) {
            return false;
        }
        m_written[index] = m_record;
        ++m_set;
    }
    return true;
}

/// Appends the values to the list's text.
bool ExampleParser::appendList(const WireValues& values, std::size_t& count)
{
    const auto separate = [&] {
        if (count++ > 0) {
            m_list.push_back(kListSeparator);
        }
    };
    const auto number = [&](auto value) {
        separate();
        appendNumber(m_list, value);
    };
    switch (values.kind) {
    case WireKind::None:
        return true;
    case WireKind::Bytes:
        return storage::eachText(values.list, [&](std::string_view text) {
            separate();
            m_list.append(text);
        });
    case WireKind::Floats:
        return storage::eachFloat(values.list, number);
    case WireKind::Integers:
        return storage::eachInteger(values.list, number);
    }
    return false;
}

} // namespace cannery::data
