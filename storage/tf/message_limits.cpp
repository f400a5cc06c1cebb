// SPDX-License-Identifier: Apache-2.0
#include "storage/tf/message_limits.h"

#include "storage/io/coding.h"

#include <google/protobuf/descriptor.h>

namespace cannery::storage::detail {

namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

constexpr ErrorKind kTooLarge{
    "tf.message_too_large",
    "A message exceeds the limit of {} {}; the file is damaged, or not meant for this program."};

// Wire types.
constexpr std::uint64_t kVarint = 0;
constexpr std::uint64_t kEightBytes = 1;
constexpr std::uint64_t kBytes = 2;
constexpr std::uint64_t kGroupBegin = 3;
constexpr std::uint64_t kGroupEnd = 4;
constexpr std::uint64_t kFourBytes = 5;

/// Smaller messages cannot exceed the limit: a part takes two bytes.
constexpr std::size_t kSurelySmall = 2 * kMaxMessageParts;

/// Counts the parts of a message of a known type, as the parser will.
class PartCounter
{
public:
    /// False if the bytes end in the middle of a field, or beyond a limit.
    bool count(std::string_view bytes, const Descriptor& descriptor, int depth)
    {
        while (!bytes.empty()) {
            const auto key = getVarint(bytes);
            if (!key || !takeField(bytes, *key, descriptor, depth)) {
                return false;
            }
        }
        return true;
    }
    std::size_t parts() const { return m_parts; }
    std::size_t texts() const { return m_texts; }

private:
    bool takeField(std::string_view& bytes, std::uint64_t key, const Descriptor& descriptor,
                   int depth)
    {
        switch (key & 7U) {
        case kVarint:
            return getVarint(bytes).has_value();
        case kEightBytes:
            return skip(bytes, 8);
        case kFourBytes:
            return skip(bytes, 4);
        case kGroupBegin:
        case kGroupEnd:
            // No message of TensorFlow has groups; as unknown fields they remain one text.
            return ++m_parts <= kMaxMessageParts;
        case kBytes:
            break;
        default:
            return false;
        }
        const auto length = getVarint(bytes);
        if (!length || *length > bytes.size()) {
            return false;
        }
        const std::string_view inner = bytes.substr(0, *length);
        bytes.remove_prefix(*length);
        const FieldDescriptor* field = descriptor.FindFieldByNumber(static_cast<int>(key >> 3U));
        if (field == nullptr || field->type() != FieldDescriptor::TYPE_MESSAGE) {
            return ++m_texts <= kMaxMessageTexts;
        }
        return ++m_parts <= kMaxMessageParts && depth < kMaxMessageDepth &&
               count(inner, *field->message_type(), depth + 1);
    }

    static bool skip(std::string_view& bytes, std::size_t count)
    {
        const bool fits = bytes.size() >= count;
        bytes.remove_prefix(fits ? count : bytes.size());
        return fits;
    }

    std::size_t m_parts = 0;
    std::size_t m_texts = 0;
};

} // namespace

Result<void> checkMessageLimits(std::string_view bytes, const Descriptor& descriptor)
{
    if (bytes.size() > kMaxMessageBytes) {
        return fail(ErrorCode::ResourceExhausted, kTooLarge, kMaxMessageBytes, "bytes");
    }
    if (bytes.size() <= kSurelySmall) {
        return {};
    }
    PartCounter counter;
    counter.count(bytes, descriptor, 0);
    if (counter.parts() > kMaxMessageParts) {
        return fail(ErrorCode::ResourceExhausted, kTooLarge, kMaxMessageParts, "parts");
    }
    if (counter.texts() > kMaxMessageTexts) {
        return fail(ErrorCode::ResourceExhausted, kTooLarge, kMaxMessageTexts, "texts");
    }
    return {};
}

Result<void> checkTextLimits(std::string_view text)
{
    if (text.size() > kMaxMessageBytes) {
        return fail(ErrorCode::ResourceExhausted, kTooLarge, kMaxMessageBytes, "bytes");
    }
    std::size_t parts = 0;
    for (const char c : text) {
        parts += c == '{' || c == '<' || c == '[' || c == ',' ? 1 : 0;
    }
    if (parts > kMaxMessageParts) {
        return fail(ErrorCode::ResourceExhausted, kTooLarge, kMaxMessageParts, "parts");
    }
    return {};
}

} // namespace cannery::storage::detail
