// SPDX-License-Identifier: Apache-2.0
#include "storage/runs/queue_store.h"

#include "core/base/json_text.h"
#include "core/base/memory_guard.h"
#include "storage/runs/process_identity.h"
#include "storage/runs/run_store.h"
#include "storage/sqlite/database.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <unistd.h>
#include <utility>

namespace cannery::storage {
namespace {

constexpr ErrorKind kNotFound{
    "queue.not_found", "The queue has no entry {}; 'cannery queue list' shows those it has."};
constexpr ErrorKind kStarted{
    "queue.started", "Entry {} of the queue is being trained already; stop its run instead."};

constexpr std::array kStates{
    std::pair{QueueState::Waiting, std::string_view("Waiting")},
    std::pair{QueueState::Started, std::string_view("Started")},
    std::pair{QueueState::Failed, std::string_view("Failed")},
};

constexpr std::string_view kColumns = "id, experiment_file, experiment_text, overrides, title, "
                                      "state, reason, added_at, started_at, process_id, "
                                      "process_start";

/// Unknown words, of a damaged or foreign store, are Waiting: nothing is lost, nothing is running.
QueueState stateOf(const std::string& text)
{
    for (const auto& [state, word] : kStates) {
        if (word == text) {
            return state;
        }
    }
    return QueueState::Waiting;
}

/// Nothing instead of an error: one damaged row must not make the whole queue unreadable.
std::vector<std::string> textsOf(const std::string& json)
{
    std::vector<std::string> texts;
    const nlohmann::json list = nlohmann::json::parse(json, nullptr, false);
    if (list.is_array()) {
        for (const nlohmann::json& text : list) {
            texts.push_back(text.is_string() ? text.get<std::string>() : std::string());
        }
    }
    return texts;
}

QueueEntry entryOf(const Statement& row)
{
    return {.id = row.integer(0),
            .experimentFile = row.text(1),
            .experimentText = row.text(2),
            .overrides = textsOf(row.text(3)),
            .title = row.text(4),
            .state = stateOf(row.text(5)),
            .reason = row.text(6),
            .addedAt = row.real(7),
            .startedAt = row.optionalReal(8),
            .processId = row.integer(9),
            .processStart = row.text(10)};
}

} // namespace

std::string_view name(QueueState state)
{
    return kStates[static_cast<std::size_t>(state)].second;
}

Result<QueueEntry> QueueStore::add(QueueEntry entry)
{
    return guardMemory(kRunStoreName, [&]() -> Result<QueueEntry> {
        entry.state = QueueState::Waiting;
        CANNERY_TRY_ASSIGN(
            Statement insert,
            m_database->prepare(
                "INSERT INTO queue (place, experiment_file, experiment_text, overrides, title, "
                "added_at) VALUES ((SELECT coalesce(max(place), 0) + 1 FROM queue), ?, ?, ?, ?, "
                "?)"));
        const std::string overrides = jsonText(nlohmann::json(entry.overrides));
        insert.bind(0, std::string_view(entry.experimentFile))
            .bind(1, std::string_view(entry.experimentText))
            .bind(2, std::string_view(overrides))
            .bind(3, std::string_view(entry.title))
            .bind(4, entry.addedAt);
        CANNERY_TRY(insert.run());
        entry.id = m_database->lastInsertId();
        return entry;
    });
}

Result<std::vector<QueueEntry>> QueueStore::list()
{
    return guardMemory(kRunStoreName, [&]() -> Result<std::vector<QueueEntry>> {
        CANNERY_TRY_ASSIGN(
            Statement rows,
            m_database->prepare(fmt::format("SELECT {} FROM queue ORDER BY place, id", kColumns)));
        std::vector<QueueEntry> entries;
        while (true) {
            CANNERY_TRY_ASSIGN(const bool hasRow, rows.step());
            if (!hasRow) {
                return entries;
            }
            entries.push_back(entryOf(rows));
        }
    });
}

Result<QueueEntry> QueueStore::find(std::int64_t id)
{
    return guardMemory(kRunStoreName, [&]() -> Result<QueueEntry> {
        CANNERY_TRY_ASSIGN(Statement row, m_database->prepare(fmt::format(
                                              "SELECT {} FROM queue WHERE id = ?", kColumns)));
        row.bind(0, id);
        CANNERY_TRY_ASSIGN(const bool hasRow, row.step());
        if (!hasRow) {
            return cannery::fail(ErrorCode::NotFound, kNotFound, id);
        }
        return entryOf(row);
    });
}

/// A process that has died without finishing leaves its entry Started; that may be removed.
Result<void> QueueStore::remove(std::int64_t id)
{
    return guardMemory(kRunStoreName, [&]() -> Result<void> {
        return m_database->transaction([&]() -> Result<void> {
            CANNERY_TRY_ASSIGN(const QueueEntry entry, find(id));
            if (entry.state == QueueState::Started &&
                isProcessAlive(entry.processId, entry.processStart)) {
                return cannery::fail(ErrorCode::FailedPrecondition, kStarted, id);
            }
            return erase(id);
        });
    });
}

Result<void> QueueStore::move(std::int64_t id, std::int64_t place)
{
    return guardMemory(kRunStoreName, [&]() -> Result<void> {
        return m_database->transaction([&]() -> Result<void> {
            CANNERY_TRY(find(id));
            CANNERY_TRY_ASSIGN(std::vector<QueueEntry> entries, list());
            const auto isIt = [&](const QueueEntry& entry) { return entry.id == id; };
            const auto from = std::find_if(entries.begin(), entries.end(), isIt);
            QueueEntry moved = std::move(*from);
            entries.erase(from);
            const auto last = static_cast<std::int64_t>(entries.size());
            entries.insert(entries.begin() + std::clamp<std::int64_t>(place, 0, last),
                           std::move(moved));
            CANNERY_TRY_ASSIGN(Statement update,
                               m_database->prepare("UPDATE queue SET place = ? WHERE id = ?"));
            // All are numbered anew: places of a list are dense only if nothing was removed.
            std::int64_t next = 1;
            for (const QueueEntry& entry : entries) {
                update.bind(0, next++).bind(1, entry.id);
                CANNERY_TRY(update.run());
            }
            return {};
        });
    });
}

/// A training that has started keeps the path that its process was given.
Result<void> QueueStore::moveFile(std::string_view from, std::string_view to)
{
    return guardMemory(kRunStoreName, [&]() -> Result<void> {
        CANNERY_TRY_ASSIGN(Statement update,
                           m_database->prepare("UPDATE queue SET experiment_file = ? WHERE "
                                               "experiment_file = ? AND state <> ?"));
        update.bind(0, to).bind(1, from).bind(2, name(QueueState::Started));
        return update.run();
    });
}

/// Looking and claiming are one transaction, so that two runners never take the same entry.
Result<std::optional<QueueEntry>> QueueStore::takeNext(double when)
{
    return guardMemory(kRunStoreName, [&]() -> Result<std::optional<QueueEntry>> {
        std::optional<QueueEntry> taken;
        const Result<void> done = m_database->transaction([&]() -> Result<void> {
            CANNERY_TRY_ASSIGN(std::vector<QueueEntry> entries, list());
            for (QueueEntry& entry : entries) {
                if (entry.state == QueueState::Waiting) {
                    CANNERY_TRY(claim(entry, when));
                    taken = std::move(entry);
                    break;
                }
            }
            return {};
        });
        CANNERY_TRY(done);
        return taken;
    });
}

Result<QueueEntry> QueueStore::take(std::int64_t id, double when)
{
    return guardMemory(kRunStoreName, [&]() -> Result<QueueEntry> {
        QueueEntry taken;
        const Result<void> done = m_database->transaction([&]() -> Result<void> {
            CANNERY_TRY_ASSIGN(taken, find(id));
            // Its runner may have died: then another one may take it.
            if (taken.state == QueueState::Started &&
                isProcessAlive(taken.processId, taken.processStart)) {
                return cannery::fail(ErrorCode::FailedPrecondition, kStarted, id);
            }
            return claim(taken, when);
        });
        CANNERY_TRY(done);
        return taken;
    });
}

Result<void> QueueStore::finish(std::int64_t id)
{
    return guardMemory(kRunStoreName, [&]() -> Result<void> { return erase(id); });
}

Result<void> QueueStore::fail(std::int64_t id, std::string_view reason)
{
    return guardMemory(kRunStoreName,
                       [&]() -> Result<void> { return setState(id, QueueState::Failed, reason); });
}

Result<void> QueueStore::putBack(std::int64_t id)
{
    return guardMemory(kRunStoreName,
                       [&]() -> Result<void> { return setState(id, QueueState::Waiting, {}); });
}

Result<void> QueueStore::setState(std::int64_t id, QueueState state, std::string_view reason)
{
    CANNERY_TRY_ASSIGN(
        Statement update,
        m_database->prepare("UPDATE queue SET state = ?, reason = ?, started_at = NULL, "
                            "process_id = 0, process_start = '' WHERE id = ?"));
    update.bind(0, name(state)).bind(1, reason).bind(2, id);
    return update.run();
}

Result<void> QueueStore::claim(QueueEntry& entry, double when)
{
    entry.state = QueueState::Started;
    entry.reason.clear();
    entry.startedAt = when;
    entry.processId = getpid();
    // Numbers of processes are given again; with its start, a process is known for sure.
    entry.processStart = processStartTime(entry.processId);
    CANNERY_TRY_ASSIGN(
        Statement update,
        m_database->prepare("UPDATE queue SET state = ?, reason = '', started_at = ?, "
                            "process_id = ?, process_start = ? WHERE id = ?"));
    update.bind(0, name(entry.state))
        .bind(1, when)
        .bind(2, entry.processId)
        .bind(3, std::string_view(entry.processStart))
        .bind(4, entry.id);
    return update.run();
}

Result<void> QueueStore::erase(std::int64_t id)
{
    CANNERY_TRY_ASSIGN(Statement remove, m_database->prepare("DELETE FROM queue WHERE id = ?"));
    remove.bind(0, id);
    return remove.run();
}

} // namespace cannery::storage
