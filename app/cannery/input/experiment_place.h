// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace cannery::app {

/// The path of a table that may be a folder, without a slash at the end.
std::filesystem::path withoutSlash(const std::filesystem::path& table);

/// Where the experiment of a table is written: next to it.
std::filesystem::path experimentBeside(const std::filesystem::path& table);

/// What the experiment of a table is called: "sales" of sales.csv, "1.0.0" of a folder 1.0.0.
std::string nameOfTable(const std::filesystem::path& table);

/// The path of a table for an experiment in a folder.
std::string relativeTo(const std::filesystem::path& folder, const std::filesystem::path& table);

} // namespace cannery::app
