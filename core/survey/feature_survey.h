// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/lent_threads.h"
#include "core/base/result.h"
#include "core/reports/preview.pb.h"
#include "core/survey/hashed_values.h"

#include <filesystem>
#include <string>
#include <vector>

namespace cannery::data {
class Dataset;
} // namespace cannery::data
namespace cannery::spec {
class Experiment;
} // namespace cannery::spec

namespace cannery::survey {

/// What `preview` reports about the hashed and crossed feature columns of an experiment: the values
/// in the training rows, the label for each, and which of them share a bucket.
struct FeatureSurvey
{
    std::vector<std::string> targets; ///< see LabelTargets::names()
    bool areShares = false;
    std::vector<HashedColumn> columns;
};

/// Takes one pass over the training rows if there are such columns. A column that cannot be counted
/// has a `problem`. Errors: those of reading.
Result<FeatureSurvey> surveyFeatures(const spec::Experiment& resolved,
                                     const std::filesystem::path& folder,
                                     const data::Dataset& trainData, const LentThreads& threads);

/// The expected share of values that share a bucket if every bucket is equally likely.
double expectedSharing(const HashedColumn& column);

/// The survey as the answer has it.
reports::FeatureSurvey surveyReport(const FeatureSurvey& survey);

/// The same for people: a sentence for each column and a table of its most frequent values.
std::vector<std::string> surveyLines(const FeatureSurvey& survey);

} // namespace cannery::survey
