// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/services/runs/series_cache.h"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The index of a SeriesCache in bytes.
///
///   index  = "CNSERIES" version folder sessions files tags series crc32c of all before
///   series = tag, counts, times, segments, checksums of the columns,
///            then the capacity of the file of columns; or 0 and the columns themselves
namespace cannery::ui {

/// Finds a tag's file of columns with this capacity; null if it does not exist.
using OpenColumns = std::function<std::shared_ptr<ColumnBlock>(std::uint32_t, qsizetype)>;

std::string encodeSeriesIndex(const std::string& eventFolder,
                              const std::vector<EventFileState>& files,
                              const storage::ScalarTags& tags, std::uint32_t session,
                              std::uint32_t sessionFile,
                              std::span<const SeriesCache::Entry> series);

/// Empty if a byte of it or of the columns has changed, or if it belongs to another folder.
std::optional<SeriesCache::Content> decodeSeriesIndex(std::string_view bytes,
                                                      const std::string& eventFolder,
                                                      const OpenColumns& openColumns);

/// Only the tags of series with points; empty if the index is not valid.
std::vector<std::string> tagsOfSeriesIndex(std::string_view bytes, const std::string& eventFolder);

} // namespace cannery::ui
