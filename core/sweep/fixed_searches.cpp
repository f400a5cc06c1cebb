// SPDX-License-Identifier: Apache-2.0
#include "core/sweep/fixed_searches.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>

namespace cannery::sweep {

namespace {

constexpr ErrorKind kTooManyRuns{"sweep.too_many_runs",
                                 "The sweep has more than {} runs: give fewer values."};

class FixedSearch final : public Search
{
public:
    explicit FixedSearch(std::vector<Job> jobs) : m_jobs(std::move(jobs)) {}

    void advance(const Scores&) override {}
    const std::vector<Job>& jobs() const override { return m_jobs; }
    std::int64_t trials() const override { return std::ssize(m_jobs); }

private:
    std::vector<Job> m_jobs;
};

std::unique_ptr<Search> fixed(std::vector<Job> jobs)
{
    return std::make_unique<FixedSearch>(std::move(jobs));
}

/// Assigned as a whole, whatever split the experiment has.
std::string foldOverride(const spec::CrossValidation& validation, std::int64_t fold)
{
    return fmt::format("data.split={{ fold {{ folds: {} fold: {} seed: {} stratify: {} }} }}",
                       validation.folds(), fold, validation.seed(), validation.stratify());
}

} // namespace

Result<std::unique_ptr<Search>> makeGridSearch(const spec::Experiment&, ParameterSpace space)
{
    if (space.gridSize() > kMostRuns) {
        return fail(ErrorCode::InvalidArgument, kTooManyRuns, kMostRuns);
    }
    std::vector<Job> jobs;
    for (std::int64_t trial = 0; trial < space.gridSize(); ++trial) {
        const Point point = space.gridPoint(trial);
        jobs.push_back({.key = {.trial = trial},
                        .point = point,
                        .group = trial,
                        .overrides = space.overrides(point)});
    }
    return fixed(std::move(jobs));
}

Result<std::unique_ptr<Search>> makeRandomSearch(const spec::Experiment& experiment,
                                                 ParameterSpace space)
{
    const spec::RandomSearch& random = experiment.sweep().random();
    std::vector<Job> jobs;
    for (std::int64_t trial = 0; trial < std::min(random.trials(), kMostRuns); ++trial) {
        const Point point = space.drawnPoint(static_cast<std::uint64_t>(random.seed()), trial);
        jobs.push_back({.key = {.trial = trial},
                        .point = point,
                        .group = trial,
                        .overrides = space.overrides(point)});
    }
    return fixed(std::move(jobs));
}

Result<std::unique_ptr<Search>> makeCrossValidation(const spec::Experiment& experiment,
                                                    ParameterSpace space)
{
    const spec::CrossValidation& validation = experiment.sweep().k_fold();
    if (space.gridSize() > kMostRuns / validation.folds()) {
        return fail(ErrorCode::InvalidArgument, kTooManyRuns, kMostRuns);
    }
    std::vector<Job> jobs;
    for (std::int64_t group = 0; group < space.gridSize(); ++group) {
        const Point point = space.gridPoint(group);
        for (std::int64_t fold = 0; fold < validation.folds(); ++fold) {
            Job job{.key = {.trial = group * validation.folds() + fold},
                    .point = point,
                    .group = group,
                    .overrides = space.overrides(point)};
            if (experiment.data().has_eval()) {
                job.overrides.emplace_back("data.eval=");
            }
            job.overrides.push_back(foldOverride(validation, fold));
            jobs.push_back(std::move(job));
        }
    }
    return fixed(std::move(jobs));
}

} // namespace cannery::sweep
