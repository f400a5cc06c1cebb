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

/// What people say about the runs of a project: title, notes, tags, star, colour, trash. Written by
/// whichever program the person uses; keyed by the run's name, so it outlives a rescan.
class AnnotationStore
{
public:
    /// `database` is the run store's and must outlive this.
    explicit AnnotationStore(Database& database) : m_database(&database) {}

    Result<RunAnnotations> read(const std::string& run);

    /// An empty text takes title, notes or colour away.
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

private:
    /// Value: std::string_view or std::int64_t.
    template <typename Value>
    Result<void> set(const std::string& run, std::string_view column, Value value);
    Result<std::vector<std::string>> runsWithoutColourSlot();
    Result<std::vector<std::int64_t>> colourSlotUses();
    Result<void> ensureRow(const std::string& run);

    Database* m_database;
};

} // namespace cannery::storage
