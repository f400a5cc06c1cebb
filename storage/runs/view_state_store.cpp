// SPDX-License-Identifier: Apache-2.0
#include "storage/runs/view_state_store.h"

#include "core/base/memory_guard.h"
#include "storage/runs/run_store.h"
#include "storage/sqlite/database.h"

namespace cannery::storage {

Result<std::string> ViewStateStore::read(const std::string& page)
{
    return guardMemory(kRunStoreName, [&]() -> Result<std::string> {
        CANNERY_TRY_ASSIGN(Statement row,
                           m_database->prepare("SELECT json FROM view_state WHERE page = ?"));
        row.bind(0, std::string_view(page));
        CANNERY_TRY_ASSIGN(const bool hasRow, row.step());
        return hasRow ? row.text(0) : std::string();
    });
}

Result<void> ViewStateStore::write(const std::string& page, std::string_view json)
{
    return guardMemory(kRunStoreName, [&]() -> Result<void> {
        if (json.empty()) {
            CANNERY_TRY_ASSIGN(Statement remove,
                               m_database->prepare("DELETE FROM view_state WHERE page = ?"));
            remove.bind(0, std::string_view(page));
            return remove.run();
        }
        CANNERY_TRY_ASSIGN(
            Statement insert,
            m_database->prepare("INSERT OR REPLACE INTO view_state (page, json) VALUES (?, ?)"));
        insert.bind(0, std::string_view(page)).bind(1, json);
        return insert.run();
    });
}

} // namespace cannery::storage
