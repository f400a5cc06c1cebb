// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <string>
#include <string_view>

namespace cannery::storage {

class Database;

/// What the pages of the workbench remember about a project ("runs", "train"): one JSON text for
/// each page, whose meaning only the page knows. Any program may write; the last one counts.
class ViewStateStore
{
public:
    /// `database` is the run store's and must outlive this.
    explicit ViewStateStore(Database& database) : m_database(&database) {}

    /// Empty for a page that has remembered nothing.
    Result<std::string> read(const std::string& page);
    /// Replaces what the page remembered; an empty text forgets it.
    Result<void> write(const std::string& page, std::string_view json);

private:
    Database* m_database;
};

} // namespace cannery::storage
