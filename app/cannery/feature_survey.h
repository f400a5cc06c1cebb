// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cannery/hashed_values.h"
#include "core/base/lent_threads.h"
#include "core/base/result.h"

#include <filesystem>
#include <string>
#include <vector>

namespace cannery::data {
class Dataset;
} // namespace cannery::data
namespace cannery::spec {
class Experiment;
} // namespace cannery::spec

namespace cannery::app {

/// What `preview` reports about the hashed and crossed feature columns of an experiment: the values
/// that the training rows have, the label in each, and which of them share a bucket.
struct FeatureSurvey
{
    std::vector<std::string> targets; ///< see LabelTargets::names()
    bool areShares = false;
    std::vector<HashedColumn> columns;
};

/// One pass over the training rows if there are such columns. A column that cannot be counted says
/// so in its `problem`. Errors: of reading.
Result<FeatureSurvey> surveyFeatures(const spec::Experiment& resolved,
                                     const std::filesystem::path& folder,
                                     const data::Dataset& trainData, const LentThreads& threads);

/// The share of values to be expected to share a bucket, if each falls into any of them alike.
double expectedSharing(const HashedColumn& column);

/// `"targets"`, `"targets_are"` ("shares" or "means") and `"columns"` as one JSON object.
std::string surveyJson(const FeatureSurvey& survey);

/// The same to be read: for each column a sentence and a table of its most frequent values.
std::vector<std::string> surveyLines(const FeatureSurvey& survey);

} // namespace cannery::app
