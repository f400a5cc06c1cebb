// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <string_view>

namespace google::protobuf {
class Descriptor;
} // namespace google::protobuf

namespace cannery::storage {

/// Bytes of one message that is read from a file; TensorFlow itself writes none beyond 2 GiB.
inline constexpr std::size_t kMaxMessageBytes = std::size_t{512} << 20U;
/// Levels of messages within messages; protobuf's own limit, named here for the text format.
inline constexpr int kMaxMessageDepth = 100;
/// Messages within one message: nodes of a graph, their attributes, values of a summary. Two bytes
/// in a file become a hundred in memory.
inline constexpr std::size_t kMaxMessageParts = std::size_t{1} << 20U;
/// Texts within one message: the words of a vocabulary.
inline constexpr std::size_t kMaxMessageTexts = std::size_t{4} << 20U;
/// Bytes that values which a message states once and means often may grow to, in one message.
inline constexpr std::size_t kMaxFilledBytes = std::size_t{128} << 20U;

/// Only for the sources of storage/tf.
namespace detail {

/// Looks at the bytes of a message of this type, before anything is allocated for it. An error
/// when it is larger than the limits above ("tf.message_too_large"), which it names. Says nothing
/// of whether the bytes are such a message.
Result<void> checkMessageLimits(std::string_view bytes,
                                const google::protobuf::Descriptor& descriptor);

/// The same for the text format: no more than as many messages.
Result<void> checkTextLimits(std::string_view text);

} // namespace detail

} // namespace cannery::storage
