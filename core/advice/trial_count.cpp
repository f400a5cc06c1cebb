// SPDX-License-Identifier: Apache-2.0
#include "core/advice/trial_count.h"

#include <algorithm>
#include <utility>

namespace cannery::advice {

void TrialCount::add(int models)
{
    m_tried += models;
    report(m_tried);
}

void TrialCount::begin(int models, std::size_t jobs)
{
    m_models = models;
    m_jobs = std::max<std::size_t>(jobs, 1);
    m_done = 0;
}

void TrialCount::finishJob(int worker)
{
    const std::size_t done = ++m_done;
    if (worker == 0) { // the searching thread
        report(m_tried + static_cast<int>(done * static_cast<std::size_t>(m_models) / m_jobs));
    }
}

void TrialCount::end()
{
    add(std::exchange(m_models, 0));
}

void TrialCount::report(int tried)
{
    if (m_report && std::exchange(m_reported, tried) != tried) {
        m_report(tried, std::max(tried, m_all));
    }
}

} // namespace cannery::advice
