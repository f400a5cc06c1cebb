// SPDX-License-Identifier: Apache-2.0
#include "core/advice/trainable_text.h"

#include "core/data/dataset.h"
#include "core/estimators/estimator_catalog.h"
#include "core/features/feature_encoder.h"
#include "core/spec/problem.h"
#include "core/spec/spec_validator.h"
#include "core/spec/text/parsed_experiment.h"
#include "core/train/preparation/dataset_loader.h"
#include "kernels/device/thread_pool.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace cannery::advice {

namespace {

constexpr ErrorKind kNotTrainable{"new.not_trainable",
                                  "The experiment for this table would not train, so it is not "
                                  "written: {} If a column is to blame, "
                                  "leave it out with --leave-out."};

/// The error that ends training.
std::optional<Error> endingError(std::vector<spec::Problem> problems)
{
    const auto found = std::ranges::find(problems, spec::Severity::Error, &spec::Problem::severity);
    return found == problems.end() ? std::nullopt : std::optional(std::move(found->error));
}

Result<void> checkRows(const spec::Experiment& experiment, const std::string& folder,
                       const data::Dataset& trainData, const LentThreads& threads)
{
    CANNERY_TRY_ASSIGN(const spec::Experiment resolved,
                       train::resolveWithStatistics(experiment, trainData, 1, threads));
    CANNERY_TRY_ASSIGN(const features::FeatureEncoder encoder,
                       features::FeatureEncoder::create(resolved, folder));
    CANNERY_TRY(estimators::lower(resolved, encoder.layout()));
    const train::LoadOptions options{.threads = threads};
    CANNERY_TRY(train::countUsedRows(trainData, encoder, options));
    if (!train::hasEvalData(experiment) || trainData.isSplit()) {
        return {};
    }
    CANNERY_TRY_ASSIGN(const data::Dataset evalData,
                       data::Dataset::openEval(experiment.data(), folder, trainData));
    CANNERY_TRY(train::countUsedRows(evalData, encoder, options));
    return {};
}

Result<void> checkText(const std::string& text, const std::string& folder)
{
    const spec::ParsedExperiment parsed = spec::parseExperiment(text);
    if (std::optional<Error> problem = endingError(parsed.problems)) {
        return tl::make_unexpected(*std::move(problem));
    }
    CANNERY_TRY_ASSIGN(
        const data::Dataset trainData,
        data::Dataset::open(parsed.experiment.data(), folder, data::DataPart::Train));
    if (std::optional<Error> problem = endingError(
            spec::validate(parsed.experiment, {.knownColumns = trainData.schema().names()}))) {
        return tl::make_unexpected(*std::move(problem));
    }
    kernels::ThreadPool pool(kernels::threadCount(0));
    return checkRows(parsed.experiment, folder, trainData, kernels::lend(pool));
}

} // namespace

Result<void> checkTrains(const std::string& text, const std::filesystem::path& folder)
{
    return checkText(text, folder.string()).map_error([](const Error& found) {
        return error(found.code, kNotTrainable, found.message());
    });
}

std::string inOneLine(std::string_view text)
{
    std::string line(text);
    std::ranges::replace_if(
        line, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }, ' ');
    return line;
}

} // namespace cannery::advice
