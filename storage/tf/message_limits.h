// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <string_view>

namespace google::protobuf {
class Descriptor;
} // namespace google::protobuf

namespace cannery::storage {

/// Maximum bytes of one message read from a file; TensorFlow itself writes none beyond 2 GiB.
inline constexpr std::size_t kMaxMessageBytes = std::size_t{512} << 20U;
/// Maximum nesting of messages; protobuf's own limit, named here for the text format.
inline constexpr int kMaxMessageDepth = 100;
/// Maximum number of messages within one message: nodes of a graph, their attributes, values of a
/// summary. Two bytes in a file become a hundred in memory.
inline constexpr std::size_t kMaxMessageParts = std::size_t{1} << 20U;
/// Maximum number of texts within one message: the words of a vocabulary.
inline constexpr std::size_t kMaxMessageTexts = std::size_t{4} << 20U;
/// Maximum bytes in one message of values that are stated once and repeated many times.
inline constexpr std::size_t kMaxFilledBytes = std::size_t{128} << 20U;

/// Only for the sources of storage/tf.
namespace detail {

/// Checks the bytes of a message of this type before anything is allocated for it. An error if it
/// exceeds a limit above ("tf.message_too_large"), which it names. Does not check whether the bytes
/// are such a message.
Result<void> checkMessageLimits(std::string_view bytes,
                                const google::protobuf::Descriptor& descriptor);

/// The same for the text format: at most the same number of messages.
Result<void> checkTextLimits(std::string_view text);

} // namespace detail

} // namespace cannery::storage
