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

/// Makes data from a foreign store or file safe to display: bytes that are not UTF-8 are replaced,
/// invalid colours are dropped.
RunAnnotations asShown(RunAnnotations annotations);

/// Users' annotations of a project's runs: title, notes, tags, star, colour, trash. Written by any
/// program that the user runs; keyed by the run's name, so they survive a rescan. Copies in the
/// project's annotations/ let them survive the store, too.
class AnnotationStore
{
public:
    /// `database` is the run store's and must outlive this object.
    explicit AnnotationStore(Database& database) : m_database(&database) {}

    Result<RunAnnotations> read(const std::string& run);

    /// An empty text removes title, notes or colour. "runs.not_utf8" for invalid UTF-8.
    Result<void> setTitle(const std::string& run, std::string_view title);
    Result<void> setNotes(const std::string& run, std::string_view notes);
    /// "#rrggbb" or empty; "runs.bad_colour" otherwise.
    Result<void> setColour(const std::string& run, std::string_view colour);
    /// A colour of the theme's palette, 0 … 15; "runs.bad_colour_slot" otherwise.
    Result<void> setColourSlot(const std::string& run, std::int64_t slot);
    /// Assigns every run of the store without a colour slot the lowest that no other run has (if
    /// all are taken: the lowest of the least used), oldest run first. An assigned slot never
    /// changes. Returns whether any was assigned.
    Result<bool> assignColourSlots();
    Result<void> setStar(const std::string& run, bool star);
    Result<void> addTag(const std::string& run, std::string_view tag);
    Result<void> removeTag(const std::string& run, std::string_view tag);
    /// Hides the run without deleting anything. `when` in seconds since 1970.
    Result<void> moveToTrash(const std::string& run, double when);
    Result<void> restoreFromTrash(const std::string& run);

    /// Updates the copy of the annotations (AnnotationFiles). All of the setters above do so after
    /// updating the store: "runs.not_copied" if only that fails.
    Result<void> copy(const std::string& run);
    /// Restores all annotations from a copy, for a run without any in the store.
    Result<void> restore(const std::string& run, const RunAnnotations& annotations);

private:
    /// Value: std::string_view, std::int64_t or double. setAndCopy() also updates the copy.
    template <typename Value>
    Result<void> setAndCopy(const std::string& run, std::string_view column, Value value);
    template <typename Value>
    Result<void> set(const std::string& run, std::string_view column, Value value);
    Result<std::vector<std::string>> runsWithoutColourSlot();
    Result<std::vector<std::int64_t>> colourSlotUses();
    Result<void> insertTag(const std::string& run, std::string_view tag);
    Result<void> ensureRow(const std::string& run);

    Database* m_database;
};

} // namespace cannery::storage
