// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/spec/experiment.pb.h"
#include "core/sweep/parameter_space.h"

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cannery::sweep {

/// A stage of a trial: all of it, or one rung of successive halving.
struct JobKey
{
    std::int64_t trial = 0; ///< from 0
    std::int64_t rung = 0;

    auto operator<=>(const JobKey&) const = default;
};

/// What a run has to do: train a trial, or continue it.
struct Job
{
    JobKey key;
    Point point;
    std::int64_t group = 0;               ///< trials of one group differ by their fold alone
    std::vector<std::string> overrides;   ///< of the experiment, as --set takes them
    std::optional<std::int64_t> maxSteps; ///< in place of train_spec.max_steps
};

/// How good finished jobs are: less is better, infinity for a trial that diverged.
using Scores = std::map<JobKey, double>;

/// A method of a sweep. It decides what to try next from the scores so far, and from nothing else:
/// neither the time nor the order in which jobs end matters, so that the same experiment tries the
/// same values on every machine, after every interruption. One thread.
class Search
{
public:
    virtual ~Search() = default;

    /// Decides as much as the scores allow. They contain those of the calls before.
    virtual void advance(const Scores& scores) = 0;
    /// All jobs that are decided, in the order in which they begin. Those without a score may run
    /// now, side by side. A search has ended when all have one.
    virtual const std::vector<Job>& jobs() const = 0;
    /// How many trials there will be.
    virtual std::int64_t trials() const = 0;
};

} // namespace cannery::sweep
