// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace cannery::launch {

/// What an engine in the background reports to its supervisor, one JSON object per line of a pipe.
struct Announcement
{
    std::string opened; ///< the folder it trains in, as soon as it is known
    std::string run; ///< its name, once the run is described: from then on everything is in files
    std::string folder; ///< of that run, absolute
    std::string error;  ///< as `--json` prints it; no run has begun
};
Announcement parseAnnouncement(std::string_view line);
std::string announcementText(const Announcement& announcement);
/// Writes a line; nobody may be listening any more.
void announce(int pipe, const Announcement& announcement);
/// An absolute path without a slash at its end.
std::string announcedFolder(const std::string& folder);

} // namespace cannery::launch
