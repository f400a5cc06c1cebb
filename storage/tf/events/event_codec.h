// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/tf/events/event_reader.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

/// Converts Event messages into our values; only for the sources of storage/tf.
namespace cannery::storage::detail {

using TagPlugins = EventReader::Plugins;

/// The plugin that earlier events named for a tag; empty if none did.
using KnownPlugin = std::function<std::string_view(const std::string& tag)>;

/// Nothing if the bytes are not an event. Plugins named by this event go into `learned`, which the
/// caller merges once the event has been consumed: a partially decoded event must not have an
/// effect.
std::optional<Event> decodeEvent(std::string_view payload, const KnownPlugin& known,
                                 TagPlugins& learned);

} // namespace cannery::storage::detail
