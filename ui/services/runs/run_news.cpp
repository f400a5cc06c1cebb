// SPDX-License-Identifier: GPL-3.0-only
#include "ui/services/runs/run_news.h"

#include <iterator>
#include <utility>

namespace cannery::ui {

void RunNews::merge(RunNews later)
{
    if (later.isReset) {
        *this = std::move(later);
        return;
    }
    newSeries.insert(newSeries.end(), std::make_move_iterator(later.newSeries.begin()),
                     std::make_move_iterator(later.newSeries.end()));
    for (auto& [series, update] : later.updates) {
        const auto known = updates.find(series);
        if (known == updates.end()) {
            updates.emplace(series, std::move(update));
        } else {
            known->second.merge(std::move(update));
        }
    }
    loadedFraction = later.loadedFraction;
    problem = std::move(later.problem);
}

std::uint32_t RunNewsWriter::announce(const QString& folder, const std::string& tag)
{
    m_news.newSeries.push_back({m_run, folder, QString::fromStdString(tag)});
    return m_seriesCount++;
}

void RunNewsWriter::update(std::uint32_t series, SeriesUpdate update)
{
    m_news.updates.emplace(series, std::move(update));
}

/// Only the first one counts.
void RunNewsWriter::noteProblem(const std::string& problem)
{
    if (m_news.problem.isEmpty()) {
        m_news.problem = QString::fromStdString(problem);
    }
}

void RunNewsWriter::reset()
{
    m_seriesCount = 0;
    m_news = RunNews{.isReset = true};
}

RunNews RunNewsWriter::take(double loadedFraction)
{
    m_news.loadedFraction = loadedFraction;
    return std::exchange(m_news, {});
}

} // namespace cannery::ui
