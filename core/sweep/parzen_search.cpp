// SPDX-License-Identifier: Apache-2.0
#include "core/sweep/parzen_search.h"

#include "core/sweep/parzen_density.h"
#include "core/sweep/search_catalog.h"
#include "kernels/device/random.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

namespace cannery::sweep {

namespace {

constexpr double kGoodShare = 0.15;
constexpr int kCandidates = 24;
/// Sets the draws from the densities apart from those of ParameterSpace::drawnPoint().
constexpr std::uint64_t kDraws = std::uint64_t{1} << 63U;

class ParzenSearch final : public Search
{
public:
    ParzenSearch(const spec::Experiment& experiment, ParameterSpace space)
        : m_space(std::move(space)),
          m_trials(std::min(experiment.sweep().tpe().trials(), kMostRuns)),
          m_startup(experiment.sweep().tpe().startup_trials()),
          m_seed(static_cast<std::uint64_t>(experiment.sweep().tpe().seed())),
          m_lag(experiment.sweep().parallel_runs() > 0 ? experiment.sweep().parallel_runs()
                                                       : kUsualParallelRuns)
    {}

    void advance(const Scores& scores) override
    {
        for (std::int64_t trial = std::ssize(m_jobs); trial < m_trials; ++trial) {
            const std::int64_t known =
                trial < m_startup ? 0 : std::max<std::int64_t>(0, trial - m_lag + 1);
            if (!addScores(scores, known)) {
                return;
            }
            Point point = known == 0 ? m_space.drawnPoint(m_seed, trial) : propose(trial, known);
            std::vector<std::string> overrides = m_space.overrides(point);
            m_jobs.push_back({.key = {.trial = trial},
                              .point = std::move(point),
                              .group = trial,
                              .overrides = std::move(overrides)});
        }
    }

    const std::vector<Job>& jobs() const override { return m_jobs; }
    std::int64_t trials() const override { return m_trials; }

private:
    /// Takes over the scores of the first `count` trials; false if one is missing.
    bool addScores(const Scores& scores, std::int64_t count)
    {
        while (std::ssize(m_scores) < count) {
            const auto found = scores.find({.trial = std::ssize(m_scores)});
            if (found == scores.end()) {
                return false;
            }
            m_scores.push_back(found->second);
        }
        return true;
    }

    /// @param known how many trials, from the first on, to learn from; at least one.
    Point propose(std::int64_t trial, std::int64_t known) const
    {
        std::vector<std::size_t> order;
        for (std::size_t i = 0; i < static_cast<std::size_t>(known); ++i) {
            order.push_back(i);
        }
        std::stable_sort(order.begin(), order.end(),
                         [&](std::size_t a, std::size_t b) { return m_scores[a] < m_scores[b]; });
        const auto good =
            static_cast<std::size_t>(std::ceil(kGoodShare * static_cast<double>(known)));
        std::vector<ParzenDensity> ofGood;
        std::vector<ParzenDensity> ofOthers;
        for (std::size_t axis = 0; axis < m_space.axes().size(); ++axis) {
            const auto densityOf = [&](std::size_t from, std::size_t to) {
                std::vector<double> values;
                for (std::size_t i = from; i < to; ++i) {
                    values.push_back(m_jobs[order[i]].point[axis]);
                }
                return ParzenDensity(m_space.axes()[axis], values);
            };
            ofGood.push_back(densityOf(0, good));
            ofOthers.push_back(densityOf(good, order.size()));
        }
        return bestOf(trial, ofGood, ofOthers);
    }

    Point bestOf(std::int64_t trial, const std::vector<ParzenDensity>& ofGood,
                 const std::vector<ParzenDensity>& ofOthers) const
    {
        kernels::RandomStream random(m_seed, kDraws + static_cast<std::uint64_t>(trial));
        Point best;
        double bestGain = -std::numeric_limits<double>::infinity();
        for (int candidate = 0; candidate < kCandidates; ++candidate) {
            Point point;
            double gain = 0;
            for (std::size_t axis = 0; axis < ofGood.size(); ++axis) {
                point.push_back(ofGood[axis].draw(random));
                gain +=
                    ofGood[axis].logDensity(point.back()) - ofOthers[axis].logDensity(point.back());
            }
            if (best.empty() || gain > bestGain) {
                best = std::move(point);
                bestGain = gain;
            }
        }
        return best;
    }

    ParameterSpace m_space;
    std::int64_t m_trials;
    std::int64_t m_startup;
    std::uint64_t m_seed;
    std::int64_t m_lag;
    std::vector<Job> m_jobs;
    std::vector<double> m_scores; ///< of the first trials
};

} // namespace

Result<std::unique_ptr<Search>> makeParzenSearch(const spec::Experiment& experiment,
                                                 ParameterSpace space)
{
    return std::make_unique<ParzenSearch>(experiment, std::move(space));
}

} // namespace cannery::sweep
