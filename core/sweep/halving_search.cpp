// SPDX-License-Identifier: Apache-2.0
#include "core/sweep/halving_search.h"

#include "core/sweep/search_catalog.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <utility>

namespace cannery::sweep {

namespace {

/// The steps at which the rungs end.
std::vector<std::int64_t> rungEnds(const spec::Experiment& experiment)
{
    const spec::SuccessiveHalving& halving = experiment.sweep().asha();
    const std::int64_t last = experiment.train_spec().max_steps();
    std::vector<std::int64_t> ends;
    std::int64_t steps = halving.min_steps();
    while (steps < last) {
        ends.push_back(steps);
        const bool isBeyond = steps > last / halving.reduction_factor(); // no overflow
        steps = isBeyond ? last : steps * halving.reduction_factor();
    }
    ends.push_back(last);
    return ends;
}

class HalvingSearch final : public Search
{
public:
    HalvingSearch(const spec::Experiment& experiment, ParameterSpace space)
        : m_space(std::move(space)), m_ends(rungEnds(experiment)), m_rungs(m_ends.size()),
          m_trials(std::min(experiment.sweep().asha().trials(), kMostRuns)),
          m_seed(static_cast<std::uint64_t>(experiment.sweep().asha().seed())),
          m_factor(experiment.sweep().asha().reduction_factor()),
          m_idle(experiment.sweep().parallel_runs() > 0 ? experiment.sweep().parallel_runs()
                                                        : kUsualParallelRuns)
    {}

    void advance(const Scores& scores) override
    {
        while (true) {
            while (m_idle > 0 && begin()) {
                --m_idle;
            }
            if (m_running.empty()) {
                return;
            }
            const auto [time, number] = *m_running.begin();
            const JobKey key = m_jobs[number].key;
            const auto score = scores.find(key);
            if (score == scores.end()) {
                return;
            }
            m_running.erase(m_running.begin());
            m_now = time;
            m_rungs[static_cast<std::size_t>(key.rung)].finished.emplace(score->second, key.trial);
            ++m_idle;
        }
    }

    const std::vector<Job>& jobs() const override { return m_jobs; }
    std::int64_t trials() const override { return m_trials; }

private:
    struct Rung
    {
        std::set<std::pair<double, std::int64_t>> finished; ///< score and trial, best first
        std::set<std::int64_t> promoted;
    };

    /// Begins the next job, if there is one for now.
    bool begin()
    {
        for (std::size_t rung = m_rungs.size() - 1; rung-- > 0;) {
            if (const std::optional<std::int64_t> trial = promotable(m_rungs[rung])) {
                m_rungs[rung].promoted.insert(*trial);
                add({.trial = *trial, .rung = static_cast<std::int64_t>(rung) + 1});
                return true;
            }
        }
        if (m_next == m_trials) {
            return false;
        }
        add({.trial = m_next++});
        return true;
    }

    std::optional<std::int64_t> promotable(const Rung& rung) const
    {
        std::int64_t most = std::ssize(rung.finished) / m_factor;
        for (const auto& [score, trial] : rung.finished) {
            if (most-- == 0 || std::isinf(score)) {
                return std::nullopt; // one that diverged has nothing to continue
            }
            if (!rung.promoted.contains(trial)) {
                return trial;
            }
        }
        return std::nullopt;
    }

    void add(JobKey key)
    {
        const auto rung = static_cast<std::size_t>(key.rung);
        const std::int64_t steps = m_ends[rung] - (rung == 0 ? 0 : m_ends[rung - 1]);
        m_running.emplace(m_now + steps, m_jobs.size());
        Point point = m_space.drawnPoint(m_seed, key.trial);
        std::vector<std::string> overrides = m_space.overrides(point);
        m_jobs.push_back({.key = key,
                          .point = std::move(point),
                          .group = key.trial,
                          .overrides = std::move(overrides),
                          .maxSteps = m_ends[rung]});
    }

    ParameterSpace m_space;
    std::vector<std::int64_t> m_ends;
    std::vector<Rung> m_rungs;
    std::int64_t m_trials;
    std::uint64_t m_seed;
    std::int64_t m_factor;
    std::int64_t m_idle; ///< imagined workers without a job
    std::int64_t m_next = 0;
    std::int64_t m_now = 0; ///< imagined time, in steps
    std::vector<Job> m_jobs;
    std::set<std::pair<std::int64_t, std::size_t>> m_running; ///< end, and index of the job
};

} // namespace

Result<std::unique_ptr<Search>> makeHalvingSearch(const spec::Experiment& experiment,
                                                  ParameterSpace space)
{
    return std::make_unique<HalvingSearch>(experiment, std::move(space));
}

} // namespace cannery::sweep
