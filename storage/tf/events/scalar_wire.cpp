// SPDX-License-Identifier: Apache-2.0
#include "storage/tf/events/scalar_wire.h"

#include "storage/io/coding.h"

#include <optional>

namespace cannery::storage::detail {

namespace {

// Field number and wire type, as one byte: number * 8 + type (0 varint, 1 eight bytes, 2 text,
// 5 four bytes). Event:
constexpr std::uint8_t kWallTime = 0x09;
constexpr std::uint8_t kStep = 0x10;
constexpr std::uint8_t kGraph = 0x22;
constexpr std::uint8_t kSummary = 0x2a;
constexpr std::uint8_t kMetaGraph = 0x4a;
// Summary:
constexpr std::uint8_t kSummaryValue = 0x0a;
// Summary.Value:
constexpr std::uint8_t kTag = 0x0a;
constexpr std::uint8_t kSimpleValue = 0x15;
constexpr std::uint8_t kImage = 0x22;
constexpr std::uint8_t kHistogram = 0x2a;
constexpr std::uint8_t kAudio = 0x32;
constexpr std::uint8_t kTensor = 0x42;
constexpr std::uint8_t kMetadata = 0x4a;
// SummaryMetadata and its PluginData:
constexpr std::uint8_t kPluginData = 0x0a;
constexpr std::uint8_t kDisplayName = 0x12;
constexpr std::uint8_t kDescription = 0x1a;
constexpr std::uint8_t kDataClass = 0x20;
constexpr std::uint8_t kPluginName = 0x0a;
constexpr std::uint8_t kPluginContent = 0x12;
// TensorProto:
constexpr std::uint8_t kDtype = 0x08;
constexpr std::uint8_t kShape = 0x12;
constexpr std::uint8_t kContent = 0x22;
constexpr std::uint8_t kFloats = 0x2a;
constexpr std::uint8_t kOneFloat = 0x2d;
constexpr std::uint64_t kFloat32 = 1;

/// Reads the fields of a message one by one; `ok` becomes false at the first invalid byte.
struct Wire
{
    std::string_view bytes;
    bool ok = true;

    bool hasMore() const { return ok && !bytes.empty(); }

    std::uint8_t key()
    {
        const auto byte = static_cast<std::uint8_t>(bytes.front());
        bytes.remove_prefix(1);
        return byte;
    }
    std::uint64_t varint()
    {
        if (!bytes.empty() && static_cast<std::uint8_t>(bytes.front()) < 0x80U) {
            return key();
        }
        return taken(getVarint(bytes));
    }
    template <typename T>
    T fixed()
    {
        return taken(getFixed<T>(bytes));
    }
    std::string_view text()
    {
        const std::uint64_t length = varint();
        if (!ok || length > bytes.size()) {
            ok = false;
            return {};
        }
        const std::string_view text = bytes.substr(0, length);
        bytes.remove_prefix(length);
        return text;
    }

private:
    template <typename T>
    T taken(std::optional<T> value)
    {
        ok = ok && value.has_value();
        return value.value_or(T{});
    }
};

/// Protobuf refuses texts that are not UTF-8. Where there is doubt, the decision is left to it.
bool isUtf8ForSure(std::string_view text)
{
    for (const char c : text) {
        if ((c & 0x80) != 0) {
            return false;
        }
    }
    return true;
}

/// Rank 0 and one float, or another tensor.
bool scanTensor(std::string_view bytes, WireScalar& scalar)
{
    Wire wire{bytes};
    std::uint64_t dtype = 0;
    bool isRankZero = true;
    int values = 0;
    scalar.kind = WireScalar::Kind::OtherTensor;
    while (wire.hasMore()) {
        std::string_view raw;
        switch (wire.key()) {
        case kDtype:
            dtype = wire.varint();
            continue;
        case kShape:
            isRankZero = wire.text().empty() && isRankZero;
            continue;
        case kContent:
        case kFloats:
            raw = wire.text();
            break;
        case kOneFloat:
            scalar.value = wire.fixed<float>();
            ++values;
            continue;
        default:
            return true;
        }
        // Several numbers or none: not a scalar, whatever follows.
        if (raw.size() != sizeof(float)) {
            return wire.ok;
        }
        scalar.value = *getFixed<float>(raw);
        ++values;
    }
    if (dtype == kFloat32 && isRankZero && values == 1) {
        scalar.kind = WireScalar::Kind::ScalarTensor;
    }
    return wire.ok;
}

/// False, here and below, for what this scanner does not know: then Protobuf reads the event.
bool scanPluginData(std::string_view bytes, WireScalar& scalar)
{
    Wire wire{bytes};
    while (wire.hasMore()) {
        switch (wire.key()) {
        case kPluginName:
            scalar.plugin = wire.text();
            break;
        case kPluginContent:
            wire.text();
            break;
        default:
            return false;
        }
    }
    return wire.ok && isUtf8ForSure(scalar.plugin);
}

bool scanMetadata(std::string_view bytes, WireScalar& scalar)
{
    Wire wire{bytes};
    int pluginDatas = 0;
    while (wire.hasMore()) {
        switch (wire.key()) {
        case kPluginData:
            if (++pluginDatas > 1 || !scanPluginData(wire.text(), scalar)) {
                return false;
            }
            break;
        case kDisplayName:
        case kDescription:
            if (!isUtf8ForSure(wire.text())) {
                return false;
            }
            break;
        case kDataClass:
            wire.varint();
            break;
        default:
            return false;
        }
    }
    return wire.ok;
}

bool scanValue(std::string_view bytes, WireScalar& scalar)
{
    Wire wire{bytes};
    int values = 0;
    int metadatas = 0;
    while (wire.hasMore()) {
        switch (wire.key()) {
        case kTag:
            scalar.tag = wire.text();
            break;
        case kSimpleValue:
            scalar.value = wire.fixed<float>();
            scalar.kind = WireScalar::Kind::SimpleValue;
            ++values;
            break;
        case kImage:
        case kHistogram:
        case kAudio:
            wire.text();
            ++values;
            break;
        case kTensor:
            if (!scanTensor(wire.text(), scalar)) {
                return false;
            }
            ++values;
            break;
        case kMetadata:
            if (!scanMetadata(wire.text(), scalar)) {
                return false;
            }
            scalar.hasPlugin = true;
            ++metadatas;
            break;
        default:
            return false;
        }
    }
    // Of several, Protobuf keeps the last value and joins the metadata.
    return wire.ok && values <= 1 && metadatas <= 1;
}

bool scanSummary(std::string_view bytes, std::vector<WireScalar>& scalars)
{
    Wire wire{bytes};
    while (wire.hasMore()) {
        if (wire.key() != kSummaryValue || !scanValue(wire.text(), scalars.emplace_back())) {
            return false;
        }
    }
    return wire.ok;
}

} // namespace

bool scanEvent(std::string_view payload, WireEvent& event, std::vector<WireScalar>& scalars)
{
    Wire wire{payload};
    int contents = 0;
    while (wire.hasMore()) {
        switch (wire.key()) {
        case kWallTime:
            event.wallTime = wire.fixed<double>();
            break;
        case kStep:
            event.step = static_cast<std::int64_t>(wire.varint());
            break;
        case kGraph:
        case kMetaGraph:
            wire.text();
            ++contents;
            break;
        case kSummary:
            if (!scanSummary(wire.text(), scalars)) {
                return false;
            }
            ++contents;
            break;
        default:
            return false;
        }
    }
    return wire.ok && contents <= 1;
}

} // namespace cannery::storage::detail
