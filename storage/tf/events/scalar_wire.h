// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

/// Event messages in wire format; only for the sources of storage/tf.
namespace cannery::storage::detail {

/// SessionLog.START.
constexpr std::uint64_t kSessionStart = 1;

/// One value of a summary. Views into the payload.
struct WireScalar
{
    enum class Kind : std::uint8_t
    {
        Nothing,      ///< a histogram, an image, a sound, or no value at all
        SimpleValue,  ///< TF1
        ScalarTensor, ///< a rank-0 tensor of one float, as TF2 writes
        OtherTensor,
    };
    std::string_view tag;
    std::string_view plugin;
    bool hasPlugin = false; ///< a metadata message was present
    Kind kind = Kind::Nothing;
    float value = 0;
};

struct WireEvent
{
    double wallTime = 0;
    std::int64_t step = 0;
};

/// Reads an event of scalars. False if anything in it deviates from the common writers (an unknown
/// field, a second message of one kind, a session log, invalid bytes): such an event is for the
/// full decoder. Does not inspect histograms, images, sounds and graphs.
bool scanEvent(std::string_view payload, WireEvent& event, std::vector<WireScalar>& scalars);

} // namespace cannery::storage::detail
