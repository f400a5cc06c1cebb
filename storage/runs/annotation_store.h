// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "storage/runs/run_record.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cannery::storage {

class Database;

/// What came from a store or a file of somebody else, fit to be shown: bytes that are not UTF-8 are
/// replaced, colours that are none are left out.
RunAnnotations asShown(RunAnnotations said);

/// What people say about the runs of a project: title, notes, tags, star, colour, trash. Written by
/// whichever program the person uses; keyed by the run's name, so it outlives a rescan. Beside the
/// store stand copies in the project's annotations/, so it outlives the store too.
class AnnotationStore
{
public:
    /// `database` is the run store's and must outlive this.
    explicit AnnotationStore(Database& database) : m_database(&database) {}

    Result<RunAnnotations> read(const std::string& run);

    /// An empty text takes title, notes or colour away. "runs.not_utf8" for other bytes.
    Result<void> setTitle(const std::string& run, std::string_view title);
    Result<void> setNotes(const std::string& run, std::string_view notes);
    /// "#rrggbb" or empty; "runs.bad_colour" otherwise.
    Result<void> setColour(const std::string& run, std::string_view colour);
    /// A colour of the theme's palette, 0 … 15; "runs.bad_colour_slot" otherwise.
    Result<void> setColourSlot(const std::string& run, std::int64_t slot);
    /// Gives every run of the store without a colour slot the lowest that no other run has (when
    /// all are taken: the lowest of those that the fewest have), oldest run first. A slot once
    /// given stays. Returns whether any was given.
    Result<bool> assignColourSlots();
    Result<void> setStar(const std::string& run, bool star);
    Result<void> addTag(const std::string& run, std::string_view tag);
    Result<void> removeTag(const std::string& run, std::string_view tag);
    /// Hides the run; nothing of it is deleted. `when` in seconds since 1970.
    Result<void> moveToTrash(const std::string& run, double when);
    Result<void> restoreFromTrash(const std::string& run);

    /// Brings the copy of what is said (AnnotationFiles) up to date. Everything above that a person
    /// says does it, after the store has it: "runs.not_copied" when that fails alone.
    Result<void> copy(const std::string& run);
    /// Says all that a copy says, of a run that the store knows nothing of.
    Result<void> restore(const std::string& run, const RunAnnotations& said);

private:
    /// Value: std::string_view, std::int64_t or double. say() brings the copy up to date too.
    template <typename Value>
    Result<void> say(const std::string& run, std::string_view column, Value value);
    template <typename Value>
    Result<void> set(const std::string& run, std::string_view column, Value value);
    Result<std::vector<std::string>> runsWithoutColourSlot();
    Result<std::vector<std::int64_t>> colourSlotUses();
    Result<void> insertTag(const std::string& run, std::string_view tag);
    Result<void> ensureRow(const std::string& run);

    Database* m_database;
};

} // namespace cannery::storage
