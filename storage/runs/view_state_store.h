// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <string>
#include <string_view>

namespace cannery::storage {

class Database;

/// The saved state of the workbench's pages for a project ("runs", "train"): one JSON text per
/// page, interpreted only by that page. Any program may write; the last one wins.
class ViewStateStore
{
public:
    /// `database` is the run store's and must outlive this object.
    explicit ViewStateStore(Database& database) : m_database(&database) {}

    /// Empty for a page without saved state.
    Result<std::string> read(const std::string& page);
    /// Replaces the page's state; an empty text removes it.
    Result<void> write(const std::string& page, std::string_view json);

private:
    Database* m_database;
};

} // namespace cannery::storage
