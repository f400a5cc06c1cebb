// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <utility>

namespace cannery::advice {

/// How many models a search has tried, of how many.
using TrialReport = std::function<void(int tried, int all)>;

/// Counts the models of a search as they are tried and reports them, always on the searching
/// thread.
class TrialCount
{
public:
    explicit TrialCount(TrialReport report) : m_report(std::move(report)) {}

    /// So many more models are going to be tried.
    void expect(int models) { m_all += models; }
    /// They were tried.
    void add(int models);

    /// The next `jobs` jobs try `models` models together.
    void begin(int models, std::size_t jobs);
    /// One of them is done. Any thread of a pool; `worker` as in ThreadPool::parallelFor().
    void finishJob(int worker);
    /// All of them are done.
    void end();

private:
    void report(int tried);

    TrialReport m_report;
    int m_all = 0;
    int m_tried = 0;
    int m_reported = 0;
    int m_models = 0; ///< of the jobs at work
    std::size_t m_jobs = 1;
    std::atomic<std::size_t> m_done = 0;
};

} // namespace cannery::advice
