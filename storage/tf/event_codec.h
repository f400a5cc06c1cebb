// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/tf/event_reader.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

/// Event messages into our values; only for the sources of storage/tf.
namespace cannery::storage::detail {

/// Names of plugins by tag: only the first value of a tag need say it.
using TagPlugins = std::map<std::string, std::string>;

/// The plugin that earlier events named for a tag; empty when none did.
using KnownPlugin = std::function<std::string_view(const std::string& tag)>;

/// Nothing when the bytes are no event. What this one says of plugins goes into `learned`, which
/// the caller adds to what it knows when the event is behind it: one that was decoded only in part
/// has then taught nothing.
std::optional<Event> decodeEvent(std::string_view payload, const KnownPlugin& known,
                                 TagPlugins& learned);

} // namespace cannery::storage::detail
