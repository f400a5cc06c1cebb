// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/coordinator/types.h"

#include <atomic>
#include <mutex>
#include <utility>
#include <vector>

namespace cannery::strategies {

/// Notes of a cluster until the training thread passes them on. Any thread may add some; looking
/// whether there are any costs no lock.
class NoteBox
{
public:
    void add(const coordinator::Note& note)
    {
        const std::lock_guard lock(m_mutex);
        m_notes.push_back(note);
        m_hasNotes = true;
    }

    std::vector<coordinator::Note> take()
    {
        if (!m_hasNotes.exchange(false)) {
            return {};
        }
        const std::lock_guard lock(m_mutex);
        return std::exchange(m_notes, {});
    }

private:
    std::atomic<bool> m_hasNotes = false;
    std::mutex m_mutex;
    std::vector<coordinator::Note> m_notes;
};

} // namespace cannery::strategies
