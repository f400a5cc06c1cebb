// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "storage/io/inflate.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace cannery::storage {

/// The first bytes of a zip archive with anything in it.
inline constexpr std::string_view kZipMark = "PK\x03\x04";
bool isZipMark(std::span<const std::byte> start);

/// Whether a file begins as a zip archive does; false if it cannot be read.
bool beginsAsZip(const std::string& path);

/// The bytes of the only table in a zip archive: its only file, or the only one that is named as a
/// text table (.csv, .tsv, .tab, .txt, .data, .dat). Nothing for another file, a spreadsheet and a
/// damaged archive. Errors: "zip.several_tables", those of ZipArchive::read().
Result<std::optional<ByteSource>> openZippedTable(const std::string& path);

} // namespace cannery::storage
