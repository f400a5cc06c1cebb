#pragma once

#include "storage/tf/event_reader.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>

/// Event messages into our values; only for the sources of storage/tf.
namespace cannery::storage::detail {

/// Names of plugins by tag: only the first value of a tag need say it.
using TagPlugins = std::map<std::string, std::string>;

/// Nothing when the bytes are no event.
std::optional<Event> decodeEvent(std::string_view payload, TagPlugins& plugins);

} // namespace cannery::storage::detail
