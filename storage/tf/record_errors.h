// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/error.h"

#include <cstddef>
#include <cstdint>

/// What can be wrong with the frames of a TFRecord file. Sentences count its records from 1.
namespace cannery::storage {

inline constexpr std::size_t kRecordHeaderBytes = 12;
inline constexpr std::size_t kRecordTrailerBytes = 4;

inline constexpr ErrorKind kFrameBreaksOff{
    "tfrecord.breaks_off",
    "The TFRecord file {} is truncated in record {} (byte {}). Write or download it again."};
inline constexpr ErrorKind kFrameDamaged{
    "tfrecord.damaged",
    "The TFRecord file {} is damaged in record {} (byte {}): the checksum of its {} is wrong. "
    "Write or download it again."};
inline constexpr ErrorKind kFrameTooLong{
    "tfrecord.too_long", "Record {} of the TFRecord file {} (byte {}) has {} bytes; at most {} are "
                         "read. Write smaller records."};

} // namespace cannery::storage
