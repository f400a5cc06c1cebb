// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

/// tf.Example and tf.SequenceExample read from their wire format in place, without a message
/// object. Strict where TensorFlow's fast parser is: a map entry is a key, then a value. Views
/// point into the record.
namespace cannery::storage {

static_assert(std::endian::native == std::endian::little, "floats are read in place");

/// Takes a number in base 128 off the front; false if there is none.
inline bool takeVarint(std::string_view& bytes, std::uint64_t& value)
{
    value = 0;
    const std::size_t most = bytes.size() < 10 ? bytes.size() : 10;
    for (std::size_t i = 0; i < most; ++i) {
        const auto byte = static_cast<std::uint8_t>(bytes[i]);
        value |= std::uint64_t{byte & 0x7fU} << (7 * i);
        if (byte < 0x80U) {
            bytes.remove_prefix(i + 1);
            return i < 9 || byte <= 1;
        }
    }
    return false;
}

/// Takes a length and as many bytes off the front.
inline bool takeBytes(std::string_view& bytes, std::string_view& value)
{
    std::uint64_t length = 0;
    if (!takeVarint(bytes, length) || length > bytes.size()) {
        return false;
    }
    value = bytes.substr(0, length);
    bytes.remove_prefix(length);
    return true;
}

/// Takes a field of an unknown kind off the front.
bool skipField(std::string_view& bytes, std::uint64_t tag);

enum class WireKind : std::uint8_t
{
    None, ///< a feature without values of any kind: missing
    Bytes,
    Floats,
    Integers,
};

/// One feature's values: the content of its list message.
struct WireValues
{
    WireKind kind = WireKind::None;
    std::string_view list;
};

/// A Feature message; false if it is none.
bool readFeature(std::string_view message, WireValues& values);

namespace detail {
constexpr char kFirstField = 0x0a;  ///< field 1, with a length
constexpr char kSecondField = 0x12; ///< field 2, with a length
constexpr char kFixed32Field = 0x0d;
constexpr char kVarintField = 0x08;

/// Takes one entry of a map off the front.
bool takeEntry(std::string_view& map, std::string_view& name, std::string_view& value);
} // namespace detail

/// Calls use(std::string_view) for each value. False: the list is malformed; some values may have
/// been seen. This and the following allocate nothing.
template <typename Use>
bool eachText(std::string_view list, Use&& use)
{
    while (!list.empty()) {
        std::string_view value;
        if (list.front() != detail::kFirstField) {
            return false;
        }
        list.remove_prefix(1);
        if (!takeBytes(list, value)) {
            return false;
        }
        use(value);
    }
    return true;
}

/// The same for floats, packed or not.
template <typename Use>
bool eachFloat(std::string_view list, Use&& use)
{
    const auto take = [&](std::string_view& bytes) {
        float value = 0;
        std::memcpy(&value, bytes.data(), sizeof(value));
        bytes.remove_prefix(sizeof(value));
        use(value);
    };
    while (!list.empty()) {
        const char tag = list.front();
        list.remove_prefix(1);
        std::string_view packed;
        if (tag == detail::kFirstField && takeBytes(list, packed)) {
            if (packed.size() % sizeof(float) != 0) {
                return false;
            }
            while (!packed.empty()) {
                take(packed);
            }
        } else if (tag == detail::kFixed32Field && list.size() >= sizeof(float)) {
            take(list);
        } else {
            return false;
        }
    }
    return true;
}

/// The same for integers, packed or not.
template <typename Use>
bool eachInteger(std::string_view list, Use&& use)
{
    std::uint64_t value = 0;
    while (!list.empty()) {
        const char tag = list.front();
        list.remove_prefix(1);
        std::string_view packed;
        if (tag == detail::kFirstField && takeBytes(list, packed)) {
            while (!packed.empty()) {
                if (!takeVarint(packed, value)) {
                    return false;
                }
                use(static_cast<std::int64_t>(value));
            }
        } else if (tag == detail::kVarintField && takeVarint(list, value)) {
            use(static_cast<std::int64_t>(value));
        } else {
            return false;
        }
    }
    return true;
}

/// The parts of a record. A view, so it is not copied.
struct WireExample
{
    std::string_view features;     ///< a map of Features, or the context of a sequence
    std::string_view featureLists; ///< a map of FeatureLists; empty for a tf.Example
    std::string mergedFeatures;    ///< the bytes of either that occur in several pieces
    std::string mergedLists;
};

/// False if the record is neither a tf.Example nor a tf.SequenceExample. Parts that occur several
/// times, as in messages that were merged by concatenation, count as one.
bool readExample(std::string_view record, WireExample& example);

/// Calls use(name, WireValues) for every entry of a Features map, in its order; use returns whether
/// to go on. False: the map is malformed, or use has said so.
template <typename Use>
bool eachFeature(std::string_view map, Use&& use)
{
    while (!map.empty()) {
        std::string_view name;
        std::string_view message;
        WireValues values;
        if (!detail::takeEntry(map, name, message) || !readFeature(message, values) ||
            !use(name, values)) {
            return false;
        }
    }
    return true;
}

/// Calls use(name, message) for every entry of a FeatureLists map; the same otherwise.
template <typename Use>
bool eachFeatureList(std::string_view map, Use&& use)
{
    while (!map.empty()) {
        std::string_view name;
        std::string_view message;
        if (!detail::takeEntry(map, name, message) || !use(name, message)) {
            return false;
        }
    }
    return true;
}

/// Calls use(WireValues) for every step of a FeatureList message; the same otherwise.
template <typename Use>
bool eachStep(std::string_view message, Use&& use)
{
    while (!message.empty()) {
        std::string_view feature;
        WireValues values;
        if (message.front() != detail::kFirstField) {
            return false;
        }
        message.remove_prefix(1);
        if (!takeBytes(message, feature) || !readFeature(feature, values) || !use(values)) {
            return false;
        }
    }
    return true;
}

/// Writes the features of one tf.Example, in the order of the calls. A feature that is not added is
/// missing.
class ExampleWriter
{
public:
    void addTexts(std::string_view name, std::span<const std::string_view> values);
    void addFloats(std::string_view name, std::span<const float> values);
    void addIntegers(std::string_view name, std::span<const std::int64_t> values);

    /// The serialized example, valid until the next call; the next one begins empty.
    std::string_view finish();

private:
    void addFeature(std::string_view name, WireKind kind);

    std::string m_map;
    std::string m_list;
    std::string m_record;
};

} // namespace cannery::storage
