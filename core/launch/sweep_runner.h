// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/spec/experiment.pb.h"
#include "core/sweep/search.h"
#include "storage/runs/run_record.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace cannery::launch {

/// What has become of a job of a sweep.
struct TrialResult
{
    sweep::Job job;
    std::string run;
    std::int64_t globalStep = 0;               ///< of the evaluation
    std::vector<storage::MetricValue> metrics; ///< of the last evaluation; empty if it diverged
    double score = 0; ///< less is better; infinity: it diverged, or its metric is not a number

    bool hasDiverged() const { return metrics.empty(); }
    std::map<std::string, double> metricsByName() const;
};

struct SweepRequest
{
    std::string experimentFile;  ///< absolute; its folder is the project
    spec::Experiment experiment; ///< checked
    /// When set, the trainings save and end, then so does the sweep.
    const std::atomic<bool>& stop;
    /// Called with each job that ends, and the share of the sweep that is done, on the thread that
    /// called runSweep().
    std::function<void(const TrialResult&, double)> ended;
};

struct SweepOutcome
{
    std::string sweep;                ///< its name in the project
    std::vector<TrialResult> results; ///< of the jobs that have one, in the search's order
    bool isComplete = false;
};

/// The experiment of a job: with the job's values, and without the sweep. An error names the trial
/// and what does not fit.
Result<spec::Experiment> experimentOf(const spec::Experiment& experiment, const sweep::Job& job);

/// Checks the experiments of all jobs that the search has decided, and that their evaluations have
/// the metric of the sweep. `folder`: of the project.
Result<void> checkJobs(const spec::Experiment& experiment, const sweep::Search& search,
                       const std::string& folder);

/// Trains the jobs of a search as runs of the project, each in a `cannery train` process of its
/// own, several at once, until all have ended. Continues where an earlier call for the same
/// experiment was interrupted, however it ended: the state is in the run store, and a training
/// continues from its checkpoint. Jobs that another process trains already are waited for. A trial
/// whose loss is not a number counts as the worst; any other failure lets the running trainings
/// end, and is returned. "sweep.no_metric" before anything trains, "sweep.not_evaluated".
Result<SweepOutcome> runSweep(const SweepRequest& request, sweep::Search& search);

/// How many jobs of an experiment train at once on this machine, and with how many threads each.
struct SweepShares
{
    std::int64_t runs = 1;
    std::int64_t threads = 1;
};
SweepShares sharesOf(const spec::Experiment& experiment, std::int64_t trials, int cores);

} // namespace cannery::launch
