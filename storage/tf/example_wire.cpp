// SPDX-License-Identifier: Apache-2.0
#include "storage/tf/example_wire.h"

#include "storage/io/coding.h"

namespace cannery::storage {

namespace {

constexpr std::uint64_t kWireTypes = 7;
constexpr std::uint64_t kVarint = 0;
constexpr std::uint64_t kFixed64 = 1;
constexpr std::uint64_t kLengthDelimited = 2;
constexpr std::uint64_t kFixed32 = 5;

bool takeFixed(std::string_view& bytes, std::size_t count)
{
    if (bytes.size() < count) {
        return false;
    }
    bytes.remove_prefix(count);
    return true;
}

void putBytes(std::string& to, char tag, std::string_view bytes)
{
    to.push_back(tag);
    putVarint(to, bytes.size());
    to.append(bytes);
}

} // namespace

bool skipField(std::string_view& bytes, std::uint64_t tag)
{
    std::uint64_t number = 0;
    std::string_view content;
    switch (tag & kWireTypes) {
    case kVarint:
        return takeVarint(bytes, number);
    case kFixed64:
        return takeFixed(bytes, sizeof(std::uint64_t));
    case kLengthDelimited:
        return takeBytes(bytes, content);
    case kFixed32:
        return takeFixed(bytes, sizeof(std::uint32_t));
    default:
        return false;
    }
}

bool readFeature(std::string_view message, WireValues& values)
{
    values = {};
    while (!message.empty()) {
        std::uint64_t tag = 0;
        if (!takeVarint(message, tag)) {
            return false;
        }
        const std::uint64_t field = tag >> 3U;
        // Fields of a newer version are skipped, as protobuf does.
        if ((tag & kWireTypes) != kLengthDelimited || field < 1 || field > 3) {
            if (!skipField(message, tag)) {
                return false;
            }
            continue;
        }
        if (!takeBytes(message, values.list)) {
            return false;
        }
        values.kind = static_cast<WireKind>(field);
    }
    return true;
}

bool detail::takeEntry(std::string_view& map, std::string_view& name, std::string_view& value)
{
    std::string_view entry;
    if (map.front() != kFirstField) {
        return false;
    }
    map.remove_prefix(1);
    if (!takeBytes(map, entry) || entry.empty() || entry.front() != kFirstField) {
        return false;
    }
    entry.remove_prefix(1);
    if (!takeBytes(entry, name) || entry.empty() || entry.front() != kSecondField) {
        return false;
    }
    entry.remove_prefix(1);
    return takeBytes(entry, value) && entry.empty();
}

namespace {

/// A piece of a part, joined with the pieces before it.
bool takePart(std::string_view& record, std::string_view& part, std::string& merged)
{
    std::string_view piece;
    if (!takeBytes(record, piece)) {
        return false;
    }
    if (part.empty()) {
        part = piece;
    } else {
        // Protobuf merges a message that occurs several times, and its pieces put together are that
        // message.
        merged.assign(std::string(part)).append(piece);
        part = merged;
    }
    return true;
}

} // namespace

bool readExample(std::string_view record, WireExample& example)
{
    example = {};
    while (!record.empty()) {
        std::uint64_t tag = 0;
        if (!takeVarint(record, tag)) {
            return false;
        }
        constexpr std::uint64_t kFeatures = (1U << 3U) | kLengthDelimited;
        constexpr std::uint64_t kFeatureLists = (2U << 3U) | kLengthDelimited;
        const bool isRead =
            tag == kFeatures       ? takePart(record, example.features, example.mergedFeatures)
            : tag == kFeatureLists ? takePart(record, example.featureLists, example.mergedLists)
                                   : skipField(record, tag);
        if (!isRead) {
            return false;
        }
    }
    return true;
}

void ExampleWriter::addTexts(std::string_view name, std::span<const std::string_view> values)
{
    m_list.clear();
    for (const std::string_view value : values) {
        putBytes(m_list, detail::kFirstField, value);
    }
    addFeature(name, WireKind::Bytes);
}

void ExampleWriter::addFloats(std::string_view name, std::span<const float> values)
{
    m_list.clear();
    putBytes(m_list, detail::kFirstField,
             {reinterpret_cast<const char*>(values.data()), values.size_bytes()});
    addFeature(name, WireKind::Floats);
}

void ExampleWriter::addIntegers(std::string_view name, std::span<const std::int64_t> values)
{
    // TensorFlow packs numbers into one field.
    std::string packed;
    for (const std::int64_t value : values) {
        putVarint(packed, static_cast<std::uint64_t>(value));
    }
    m_list.clear();
    putBytes(m_list, detail::kFirstField, packed);
    addFeature(name, WireKind::Integers);
}

/// Adds an entry with the list that was just made.
void ExampleWriter::addFeature(std::string_view name, WireKind kind)
{
    const char tag = static_cast<char>((static_cast<unsigned>(kind) << 3U) | kLengthDelimited);
    std::string feature;
    putBytes(feature, tag, m_list);
    std::string entry;
    putBytes(entry, detail::kFirstField, name);
    putBytes(entry, detail::kSecondField, feature);
    putBytes(m_map, detail::kFirstField, entry);
}

std::string_view ExampleWriter::finish()
{
    m_record.clear();
    putBytes(m_record, detail::kFirstField, m_map);
    m_map.clear();
    return m_record;
}

} // namespace cannery::storage
