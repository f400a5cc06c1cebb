// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/runs/run_summaries.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

namespace cannery::ui {

/// The values of one tag by step. At most kMostSteps are kept: of more, every second, fourth …, and
/// always the first and the latest. One thread.
template <typename Step>
class StepReservoir
{
public:
    static constexpr std::size_t kMostSteps = 500;

    /// A value for a step that is already there replaces the earlier one.
    void add(std::shared_ptr<const Step> step, qint64 bytes)
    {
        const auto place =
            std::lower_bound(m_rows.begin(), m_rows.end(), step->step,
                             [](const Row& row, qint64 at) { return row.step->step < at; });
        if (place != m_rows.end() && place->step->step == step->step) {
            m_bytes += bytes - place->bytes;
            place->step = std::move(step);
            place->bytes = bytes;
            return;
        }
        m_bytes += bytes;
        const Row added{std::move(step), m_logged++, bytes};
        if (place == m_rows.end() && m_rows.size() > 1 && m_rows.back().ordinal % m_stride != 0) {
            m_bytes -= m_rows.back().bytes; // it was only kept for being the latest
            m_rows.back() = added;
        } else {
            m_rows.insert(place, added);
        }
        if (m_rows.size() > kMostSteps) {
            thinOut();
        }
    }

    /// Drops the values at this step and later: a session began here.
    void dropFrom(qint64 step)
    {
        while (!m_rows.empty() && m_rows.back().step->step >= step) {
            m_bytes -= m_rows.back().bytes;
            m_logged = m_rows.back().ordinal;
            m_rows.pop_back();
        }
    }

    /// Keeps about half of the steps. False if there is nothing to drop.
    bool thinOut()
    {
        const std::size_t before = m_rows.size();
        if (before <= 2) {
            return false;
        }
        while (m_rows.size() == before) {
            m_stride *= 2;
            const auto isKept = [this](const Row& row) {
                return row.ordinal % m_stride == 0 || &row == &m_rows.front() ||
                       &row == &m_rows.back();
            };
            std::vector<Row> kept;
            std::copy_if(m_rows.begin(), m_rows.end(), std::back_inserter(kept), isKept);
            m_rows = std::move(kept);
        }
        m_bytes = 0;
        for (const Row& row : m_rows) {
            m_bytes += row.bytes;
        }
        return true;
    }

    bool isEmpty() const { return m_rows.empty(); }
    qint64 bytes() const { return m_bytes; }
    StepHistory<Step> history() const
    {
        StepHistory<Step> history;
        history.logged = m_logged;
        for (const Row& row : m_rows) {
            history.steps.append(row.step);
        }
        return history;
    }

private:
    struct Row
    {
        std::shared_ptr<const Step> step;
        qint64 ordinal = 0;
        qint64 bytes = 0;
    };

    std::vector<Row> m_rows; ///< by step
    qint64 m_stride = 1;
    qint64 m_logged = 0;
    qint64 m_bytes = 0;
};

} // namespace cannery::ui
