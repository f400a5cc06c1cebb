// SPDX-License-Identifier: Apache-2.0
#include "core/train/dataset_loader.h"

#include "core/base/memory_guard.h"
#include "core/spec/spec_resolver.h"
#include "core/train/normalizer_check.h"
#include "core/train/normalizer_statistics.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace cannery::train {
namespace {

/// The name to report when memory runs out.
constexpr std::string_view kGuarded = "the rows of the table";

struct EncodedChunk
{
    data::FeatureBatch raw;
    Result<void> done;
    features::EncodedRows rows;
};

void encodeAll(std::vector<EncodedChunk>& chunks, const features::FeatureEncoder& encoder,
               const LoadOptions& options, const std::vector<std::string>& files)
{
    options.threads.runAll(static_cast<std::int64_t>(chunks.size()), [&](std::int64_t index) {
        EncodedChunk& chunk = chunks[static_cast<std::size_t>(index)];
        chunk.done = guardMemory(
            kGuarded, [&] { return encoder.encode(chunk.raw, options.labels, files, chunk.rows); });
    });
}

} // namespace

Result<spec::Experiment> resolveWithStatistics(const spec::Experiment& experiment,
                                               const std::string& folder,
                                               std::optional<std::int64_t> seed)
{
    CANNERY_TRY_ASSIGN(const data::Dataset trainData,
                       data::Dataset::open(experiment.data(), folder, data::DataPart::Train));
    return resolveWithStatistics(experiment, trainData, seed);
}

Result<spec::Experiment> resolveWithStatistics(const spec::Experiment& experiment,
                                               const data::Dataset& trainData,
                                               std::optional<std::int64_t> seed,
                                               const LentThreads& threads)
{
    NormalizerStatistics statistics(experiment, trainData, threads);
    return resolveWithStatistics(experiment, trainData, statistics, seed);
}

Result<spec::Experiment> resolveWithStatistics(const spec::Experiment& experiment,
                                               const data::Dataset& trainData,
                                               NormalizerStatistics& statistics,
                                               std::optional<std::int64_t> seed)
{
    return guardMemory(kGuarded, [&]() -> Result<spec::Experiment> {
        spec::Experiment resolved = spec::resolve(
            experiment,
            {.statistics = [&](std::string_view feature) { return statistics.of(feature); },
             .seed = seed});
        if (statistics.failure()) {
            return tl::make_unexpected(*statistics.failure());
        }
        if (statistics.wereAsked()) {
            if (std::vector<Error> flat = statistics.withoutDeviation(); !flat.empty()) {
                return tl::make_unexpected(std::move(flat.front()));
            }
        }
        resolved.mutable_data()->clear_column();
        for (spec::Column& column : trainData.resolvedColumns()) {
            *resolved.mutable_data()->add_column() = std::move(column);
        }
        return resolved;
    });
}

Result<LoadedRows> loadRows(const data::Dataset& dataset, const features::FeatureEncoder& encoder,
                            const LoadOptions& options)
{
    return guardMemory(kGuarded, [&]() -> Result<LoadedRows> {
        const bool needsLabels = options.labels == features::Labels::Needed;
        const auto atOnce = static_cast<std::size_t>(std::max(1, options.threads.count));
        CANNERY_TRY_ASSIGN(const std::unique_ptr<data::FeatureStream> stream,
                           dataset.read({.features = encoder.featureKeys(),
                                         .labels = needsLabels ? data::LabelNeed::Required
                                                               : data::LabelNeed::Optional,
                                         .threads = options.threads,
                                         .fingerprint = options.fingerprint}));
        LoadedRows loaded{.rows = features::EncodedDataset(encoder.layout(),
                                                           {.memoryLimit = options.memoryLimit})};
        std::vector<EncodedChunk> chunks;
        for (bool atEnd = false; !atEnd;) {
            chunks.clear();
            while (chunks.size() < atOnce && !atEnd) {
                CANNERY_TRY_ASSIGN(std::optional<data::FeatureBatch> raw, stream->next());
                atEnd = !raw;
                if (raw) {
                    chunks.push_back({.raw = *std::move(raw)});
                }
            }
            if (chunks.empty()) {
                break;
            }
            encodeAll(chunks, encoder, options, dataset.files());
            for (EncodedChunk& chunk : chunks) {
                CANNERY_TRY(std::move(chunk.done));
                CANNERY_TRY(loaded.rows.append(chunk.rows));
                if (options.extremes != nullptr) {
                    options.extremes->look(chunk.raw, chunk.rows, dataset.files());
                }
            }
        }
        loaded.report = stream->report();
        return loaded;
    });
}

bool hasEvalData(const spec::Experiment& experiment)
{
    return experiment.data().has_eval() || experiment.data().has_split();
}

} // namespace cannery::train
