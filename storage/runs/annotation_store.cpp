// SPDX-License-Identifier: Apache-2.0
#include "storage/runs/annotation_store.h"

#include "core/base/memory_guard.h"
#include "core/base/utf8.h"
#include "storage/runs/annotation_files.h"
#include "storage/runs/run_name.h"
#include "storage/runs/run_store.h"
#include "storage/sqlite/database.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

namespace cannery::storage {
namespace {

constexpr ErrorKind kBadColour{"runs.bad_colour", "'{}' is not a colour; write it as #rrggbb."};
constexpr ErrorKind kBadSlot{"runs.bad_colour_slot",
                             "There is no colour slot {}; they are numbered from 0 to {}."};
constexpr ErrorKind kBadTag{"runs.bad_tag", "A tag needs at least one visible character."};

constexpr ErrorKind kNotUtf8{"runs.not_utf8",
                             "The {} is not UTF-8 (byte 0x{} at offset {}); write it in UTF-8."};

constexpr ErrorKind kNotCopied{
    "runs.not_copied", "The annotations of {} are saved in the run store, but their copy in {}/ "
                       "could not be written: {} 'cannery runs rescan' writes it again."};

/// What is written is limited: every program displays it for good. Offsets count from 1.
Result<void> checkUtf8(std::string_view what, std::string_view text)
{
    const std::size_t at = findInvalidUtf8(text);
    if (at != std::string_view::npos) {
        const auto byte = static_cast<unsigned>(static_cast<unsigned char>(text[at]));
        return fail(ErrorCode::InvalidArgument, kNotUtf8, what, fmt::format("{:02x}", byte),
                    at + 1);
    }
    return {};
}

bool isColour(std::string_view text)
{
    return text.size() == 7 && text.front() == '#' &&
           std::all_of(text.begin() + 1, text.end(),
                       [](unsigned char letter) { return std::isxdigit(letter) != 0; });
}

} // namespace

RunAnnotations asShown(RunAnnotations annotations)
{
    annotations.title = toUtf8(annotations.title);
    annotations.notes = toUtf8(annotations.notes);
    for (std::string& tag : annotations.tags) {
        tag = toUtf8(tag);
    }
    if (!isColour(annotations.colour)) {
        annotations.colour.clear();
    }
    if (annotations.colourSlot &&
        (*annotations.colourSlot < 0 || *annotations.colourSlot >= kColourSlots)) {
        annotations.colourSlot.reset();
    }
    return annotations;
}

Result<RunAnnotations> AnnotationStore::read(const std::string& run)
{
    return guardMemory(kRunStoreName, [&]() -> Result<RunAnnotations> {
        RunAnnotations annotations;
        CANNERY_TRY_ASSIGN(Statement row,
                           m_database->prepare("SELECT title, notes, star, colour, trashed_at, "
                                               "colour_slot FROM annotations WHERE run = ?"));
        row.bind(0, std::string_view(run));
        CANNERY_TRY_ASSIGN(const bool hasRow, row.step());
        if (hasRow) {
            annotations.title = row.text(0);
            annotations.notes = row.text(1);
            annotations.star = row.integer(2) != 0;
            annotations.colour = row.text(3);
            annotations.trashedAt = row.optionalReal(4);
            annotations.colourSlot = row.optionalInteger(5);
        }
        CANNERY_TRY_ASSIGN(
            Statement tags,
            m_database->prepare("SELECT tag FROM annotation_tags WHERE run = ? ORDER BY tag"));
        tags.bind(0, std::string_view(run));
        while (true) {
            CANNERY_TRY_ASSIGN(const bool hasTag, tags.step());
            if (!hasTag) {
                return asShown(std::move(annotations));
            }
            annotations.tags.push_back(tags.text(0));
        }
    });
}

/// The store comes first and stays if the copy fails: the copy can be written from it (rescan).
Result<void> AnnotationStore::copy(const std::string& run)
{
    const std::filesystem::path store = m_database->path();
    if (store.empty()) {
        return {}; // in memory
    }
    CANNERY_TRY_ASSIGN(const RunAnnotations annotations, read(run));
    Result<void> written = AnnotationFiles(store.parent_path().string()).write(run, annotations);
    if (!written) {
        return fail(written.error().code, kNotCopied, run, kAnnotationsFolder,
                    written.error().message());
    }
    return {};
}

Result<void> AnnotationStore::restore(const std::string& run, const RunAnnotations& annotations)
{
    return guardMemory(kRunStoreName, [&]() -> Result<void> {
        return m_database->transaction([&]() -> Result<void> {
            CANNERY_TRY(ensureRow(run));
            CANNERY_TRY_ASSIGN(
                Statement update,
                m_database->prepare("UPDATE annotations SET title = ?, notes = ?, star = ?, colour "
                                    "= ?, trashed_at = ?, colour_slot = ? WHERE run = ?"));
            update.bind(0, std::string_view(annotations.title))
                .bind(1, std::string_view(annotations.notes))
                .bind(2, std::int64_t{annotations.star ? 1 : 0})
                .bind(3, std::string_view(annotations.colour))
                .bind(4, annotations.trashedAt)
                .bind(5, annotations.colourSlot)
                .bind(6, std::string_view(run));
            CANNERY_TRY(update.run());
            for (const std::string& tag : annotations.tags) {
                CANNERY_TRY(insertTag(run, tag));
            }
            return {};
        });
    });
}

Result<void> AnnotationStore::setTitle(const std::string& run, std::string_view title)
{
    return guardMemory(kRunStoreName, [&]() -> Result<void> {
        CANNERY_TRY(checkUtf8("title", title));
        return setAndCopy(run, "title", title);
    });
}

Result<void> AnnotationStore::setNotes(const std::string& run, std::string_view notes)
{
    return guardMemory(kRunStoreName, [&]() -> Result<void> {
        CANNERY_TRY(checkUtf8("note", notes));
        return setAndCopy(run, "notes", notes);
    });
}

Result<void> AnnotationStore::setColour(const std::string& run, std::string_view colour)
{
    return guardMemory(kRunStoreName, [&]() -> Result<void> {
        if (!colour.empty() && !isColour(colour)) {
            return fail(ErrorCode::InvalidArgument, kBadColour, colour);
        }
        return setAndCopy(run, "colour", colour);
    });
}

Result<void> AnnotationStore::setColourSlot(const std::string& run, std::int64_t slot)
{
    return guardMemory(kRunStoreName, [&]() -> Result<void> {
        if (slot < 0 || slot >= kColourSlots) {
            return fail(ErrorCode::InvalidArgument, kBadSlot, slot, kColourSlots - 1);
        }
        return setAndCopy(run, "colour_slot", slot);
    });
}

Result<bool> AnnotationStore::assignColourSlots()
{
    return guardMemory(kRunStoreName, [&]() -> Result<bool> {
        CANNERY_TRY_ASSIGN(const std::vector<std::string> seen, runsWithoutColourSlot());
        if (seen.empty()) {
            return false; // no write transaction if there is nothing to do
        }
        const Result<void> done = m_database->transaction([&]() -> Result<void> {
            // Asked again inside the transaction: another program may have assigned some meanwhile.
            CANNERY_TRY_ASSIGN(const std::vector<std::string> runs, runsWithoutColourSlot());
            CANNERY_TRY_ASSIGN(std::vector<std::int64_t> uses, colourSlotUses());
            for (const std::string& run : runs) {
                // The first of equal ones: the lowest slot among the least used.
                const auto slot = std::min_element(uses.begin(), uses.end());
                ++*slot;
                CANNERY_TRY(set<std::int64_t>(run, "colour_slot", slot - uses.begin()));
            }
            return {};
        });
        CANNERY_TRY(done);
        return true;
    });
}

Result<std::vector<std::string>> AnnotationStore::runsWithoutColourSlot()
{
    CANNERY_TRY_ASSIGN(
        Statement rows,
        m_database->prepare("SELECT name FROM runs LEFT JOIN annotations ON run = name WHERE "
                            "colour_slot IS NULL ORDER BY created_at, name"));
    std::vector<std::string> runs;
    while (true) {
        CANNERY_TRY_ASSIGN(const bool hasRow, rows.step());
        if (!hasRow) {
            return runs;
        }
        runs.push_back(rows.text(0));
    }
}

Result<std::vector<std::int64_t>> AnnotationStore::colourSlotUses()
{
    CANNERY_TRY_ASSIGN(
        Statement rows,
        m_database->prepare("SELECT colour_slot, count(*) FROM runs JOIN annotations ON run = name "
                            "WHERE colour_slot IS NOT NULL GROUP BY colour_slot"));
    std::vector<std::int64_t> uses(static_cast<std::size_t>(kColourSlots), 0);
    while (true) {
        CANNERY_TRY_ASSIGN(const bool hasRow, rows.step());
        if (!hasRow) {
            return uses;
        }
        const std::int64_t slot = rows.integer(0);
        // A newer or foreign program may have written others, which no theme of ours has.
        if (slot >= 0 && slot < kColourSlots) {
            uses[static_cast<std::size_t>(slot)] = rows.integer(1);
        }
    }
}

Result<void> AnnotationStore::setStar(const std::string& run, bool star)
{
    return guardMemory(kRunStoreName, [&]() -> Result<void> {
        return setAndCopy<std::int64_t>(run, "star", star ? 1 : 0);
    });
}

Result<void> AnnotationStore::addTag(const std::string& run, std::string_view tag)
{
    return guardMemory(kRunStoreName, [&]() -> Result<void> {
        if (tag.find_first_not_of(" \t\r\n") == std::string_view::npos) {
            return fail(ErrorCode::InvalidArgument, kBadTag);
        }
        CANNERY_TRY(checkUtf8("tag", tag));
        // Tags are in a table of their own, which needs no row of annotations, so ensureRow() does
        // not check the name here.
        CANNERY_TRY(checkRunName(run));
        CANNERY_TRY(insertTag(run, tag));
        return copy(run);
    });
}

Result<void> AnnotationStore::insertTag(const std::string& run, std::string_view tag)
{
    CANNERY_TRY_ASSIGN(
        Statement insert,
        m_database->prepare("INSERT OR IGNORE INTO annotation_tags (run, tag) VALUES (?, ?)"));
    insert.bind(0, std::string_view(run)).bind(1, tag);
    return insert.run();
}

Result<void> AnnotationStore::removeTag(const std::string& run, std::string_view tag)
{
    return guardMemory(kRunStoreName, [&]() -> Result<void> {
        CANNERY_TRY_ASSIGN(
            Statement remove,
            m_database->prepare("DELETE FROM annotation_tags WHERE run = ? AND tag = ?"));
        remove.bind(0, std::string_view(run)).bind(1, tag);
        CANNERY_TRY(remove.run());
        return copy(run);
    });
}

Result<void> AnnotationStore::moveToTrash(const std::string& run, double when)
{
    return guardMemory(kRunStoreName,
                       [&]() -> Result<void> { return setAndCopy(run, "trashed_at", when); });
}

Result<void> AnnotationStore::restoreFromTrash(const std::string& run)
{
    return guardMemory(kRunStoreName, [&]() -> Result<void> {
        // Without ensureRow(): a run without a row is not in the trash.
        CANNERY_TRY_ASSIGN(
            Statement update,
            m_database->prepare("UPDATE annotations SET trashed_at = NULL WHERE run = ?"));
        update.bind(0, std::string_view(run));
        CANNERY_TRY(update.run());
        return copy(run);
    });
}

template <typename Value>
Result<void> AnnotationStore::setAndCopy(const std::string& run, std::string_view column,
                                         Value value)
{
    CANNERY_TRY(set(run, column, value));
    return copy(run);
}

template <typename Value>
Result<void> AnnotationStore::set(const std::string& run, std::string_view column, Value value)
{
    return m_database->transaction([&]() -> Result<void> {
        CANNERY_TRY(ensureRow(run));
        // A column cannot be bound. `column` is always a literal of this file, never a user's text.
        CANNERY_TRY_ASSIGN(Statement update,
                           m_database->prepare(
                               fmt::format("UPDATE annotations SET {} = ? WHERE run = ?", column)));
        update.bind(0, value).bind(1, std::string_view(run));
        return update.run();
    });
}

Result<void> AnnotationStore::ensureRow(const std::string& run)
{
    // The name becomes that of a file below annotations/.
    CANNERY_TRY(checkRunName(run));
    CANNERY_TRY_ASSIGN(Statement insert,
                       m_database->prepare("INSERT OR IGNORE INTO annotations (run) VALUES (?)"));
    insert.bind(0, std::string_view(run));
    return insert.run();
}

} // namespace cannery::storage
