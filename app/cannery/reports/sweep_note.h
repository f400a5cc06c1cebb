// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/runs/job_note.h"

#include <string>
#include <vector>

namespace cannery::app {

/// Tells the user's windows of a sweep in a terminal, as long as this lives: they show it among
/// their jobs, and can stop it. If the note cannot be written, they do not, and nothing else
/// changes. One thread.
class SweepNote
{
public:
    /// `experimentFile`: absolute.
    SweepNote(const std::string& experimentFile, const std::vector<std::string>& overrides);
    ~SweepNote();
    SweepNote(const SweepNote&) = delete;
    SweepNote& operator=(const SweepNote&) = delete;

    /// `share` of the sweep is done.
    void advance(double share, const std::string& message);

private:
    std::string m_path; ///< empty if the user has no folder for it
    storage::JobNote m_note;
};

} // namespace cannery::app
