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
    data::DataPart part;
    data::FeatureBatch raw;
    Result<void> done;
    features::EncodedRows rows;
};

data::FeatureRequest requestOf(const features::FeatureEncoder& encoder, const LoadOptions& options)
{
    data::LabelNeed labels = data::LabelNeed::None;
    if (encoder.layout().labelWidth > 0) {
        labels = options.labels == features::Labels::Needed ? data::LabelNeed::Required
                                                            : data::LabelNeed::Optional;
    }
    return {.features = encoder.featureKeys(),
            .labels = labels,
            .threads = options.threads,
            .fingerprint = options.fingerprint};
}

std::size_t threadsOf(const LoadOptions& options)
{
    return static_cast<std::size_t>(std::max(1, options.threads.count));
}

/// Encodes rows as they come from a stream, several chunks at once, and hands them on in order.
class ChunkEncoder
{
public:
    ChunkEncoder(const features::FeatureEncoder& encoder, const LoadOptions& options,
                 const std::vector<std::string>& files)
        : m_encoder(encoder), m_options(options), m_files(files)
    {}

    /// `next` gives rows until there are no more, `take` gets them encoded, `atOnce` chunks or
    /// fewer. What went wrong first, in the order of the rows, is the error.
    template <typename Next, typename Take>
    Result<void> run(std::size_t atOnce, Next&& next, Take&& take)
    {
        std::vector<EncodedChunk> chunks;
        Result<void> read;
        for (bool isAtEnd = false; !isAtEnd;) {
            chunks.clear();
            while (chunks.size() < atOnce && !isAtEnd) {
                Result<std::optional<data::PartBatch>> some = next();
                isAtEnd = !some || !*some;
                if (!some) {
                    read = tl::make_unexpected(std::move(some).error());
                } else if (*some) {
                    add(**std::move(some), chunks);
                }
            }
            encode(chunks);
            for (EncodedChunk& chunk : chunks) {
                CANNERY_TRY(take(chunk));
            }
        }
        return read;
    }

private:
    static void add(data::PartBatch&& some, std::vector<EncodedChunk>& chunks)
    {
        EncodedChunk& chunk = chunks.emplace_back(EncodedChunk{.part = some.part});
        if (some.batch) {
            chunk.raw = *std::move(some.batch);
        } else {
            chunk.done = tl::make_unexpected(std::move(some.batch).error());
        }
    }

    void encode(std::vector<EncodedChunk>& chunks) const
    {
        m_options.threads.runAll(static_cast<std::int64_t>(chunks.size()), [&](std::int64_t index) {
            EncodedChunk& chunk = chunks[static_cast<std::size_t>(index)];
            if (chunk.done) {
                chunk.done = guardMemory(kGuarded, [&] {
                    return m_encoder.encode(chunk.raw, m_options.labels, m_files, chunk.rows);
                });
            }
        });
    }

    const features::FeatureEncoder& m_encoder;
    const LoadOptions& m_options;
    const std::vector<std::string>& m_files;
};

/// Counts the rows of each file.
void countFiles(const data::FeatureBatch& batch, std::vector<std::int64_t>& fileRows)
{
    for (const std::int32_t file : batch.fileIndex) {
        ++fileRows[static_cast<std::size_t>(file)];
    }
}

/// Adds the chunk to the rows of its part; extremes are looked for among those to train on.
Result<void> append(EncodedChunk& chunk, const LoadOptions& options,
                    const std::vector<std::string>& files, features::EncodedDataset& rows)
{
    CANNERY_TRY(std::move(chunk.done));
    CANNERY_TRY(rows.append(chunk.rows));
    if (options.extremes != nullptr && chunk.part == data::DataPart::Train) {
        options.extremes->look(chunk.raw, chunk.rows, files);
    }
    return {};
}

} // namespace

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
        CANNERY_TRY_ASSIGN(const std::unique_ptr<data::FeatureStream> stream,
                           dataset.read(requestOf(encoder, options)));
        LoadedRows loaded{.rows = features::EncodedDataset(encoder.layout(),
                                                           {.memoryLimit = options.memoryLimit})};
        const auto next = [&]() -> Result<std::optional<data::PartBatch>> {
            CANNERY_TRY_ASSIGN(std::optional<data::FeatureBatch> raw, stream->next());
            return raw ? std::optional(data::PartBatch{.batch = *std::move(raw)}) : std::nullopt;
        };
        loaded.fileRows.assign(dataset.files().size(), 0);
        const auto take = [&](EncodedChunk& chunk) {
            countFiles(chunk.raw, loaded.fileRows);
            return append(chunk, options, dataset.files(), loaded.rows);
        };
        CANNERY_TRY(
            ChunkEncoder(encoder, options, dataset.files()).run(threadsOf(options), next, take));
        loaded.report = stream->report();
        return loaded;
    });
}

Result<LoadedParts> loadParts(const data::Dataset& dataset, const features::FeatureEncoder& encoder,
                              const LoadOptions& options)
{
    return guardMemory(kGuarded, [&]() -> Result<LoadedParts> {
        CANNERY_TRY_ASSIGN(const std::unique_ptr<data::PartStream> stream,
                           dataset.readParts(requestOf(encoder, options)));
        const features::EncodedDatasetOptions inMemory{.memoryLimit = options.memoryLimit};
        LoadedParts loaded{.train = features::EncodedDataset(encoder.layout(), inMemory),
                           .eval = features::EncodedDataset(encoder.layout(), inMemory)};
        loaded.trainFileRows.assign(dataset.files().size(), 0);
        Result<void> evalDone; // its error waits: one of the rows to train on comes first
        const auto take = [&](EncodedChunk& chunk) -> Result<void> {
            if (chunk.part == data::DataPart::Eval) {
                evalDone =
                    evalDone ? append(chunk, options, dataset.files(), loaded.eval) : evalDone;
                return {};
            }
            countFiles(chunk.raw, loaded.trainFileRows);
            return append(chunk, options, dataset.files(), loaded.train);
        };
        const auto next = [&] { return stream->next(); };
        // A chunk of the table makes two, which are one thread's work together.
        CANNERY_TRY(ChunkEncoder(encoder, options, dataset.files())
                        .run(2 * threadsOf(options), next, take));
        CANNERY_TRY(std::move(evalDone));
        loaded.report = stream->report();
        return loaded;
    });
}

bool hasEvalData(const spec::Experiment& experiment)
{
    return experiment.data().has_eval() || experiment.data().has_split();
}

} // namespace cannery::train
