// SPDX-License-Identifier: Apache-2.0
#include "core/train/preparation/dataset_loader.h"

#include "core/base/memory_guard.h"
#include "core/data/rows/row_reason.h"
#include "core/features/usable_rows.h"
#include "core/spec/spec_resolver.h"
#include "core/train/preparation/normalizer_check.h"
#include "core/train/preparation/normalizer_statistics.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace cannery::train {
namespace {

/// The name to report when memory runs out.
constexpr std::string_view kGuarded = "the rows of the table";

constexpr ErrorKind kNoneUsable{
    "data.none_usable", "None of the {} rows {} can be used, and all are left out. The first: {}"};

struct EncodedChunk
{
    data::DataPart part;
    data::FeatureBatch raw; ///< of the rows that are used
    Result<features::LeftOutRows> done;
    features::EncodedRows rows;
};

features::RowPolicy policyOf(const features::FeatureEncoder& encoder)
{
    return features::RowPolicy::of(encoder.experiment().data());
}

data::FeatureRequest requestOf(const features::FeatureEncoder& encoder, const LoadOptions& options)
{
    // Unsupervised models read no labels, so the table need not have any.
    data::LabelNeed labels = data::LabelNeed::None;
    if (encoder.layout().labelWidth > 0) {
        labels = options.labels == features::Labels::Needed ? data::LabelNeed::Required
                                                            : data::LabelNeed::Optional;
    }
    return {.features = encoder.featureKeys(),
            .labels = labels,
            .threads = options.threads,
            .fingerprint = options.fingerprint,
            .keepsUnusable = policyOf(encoder).skipsBad};
}

std::size_t threadsOf(const LoadOptions& options)
{
    // Without lent threads, the caller works alone.
    return static_cast<std::size_t>(std::max(1, options.threads.count));
}

/// The batches of a stream of one part, as those of several parts come.
auto batchesOf(data::FeatureStream& stream)
{
    return [&stream]() -> Result<std::optional<data::PartBatch>> {
        CANNERY_TRY_ASSIGN(std::optional<data::FeatureBatch> raw, stream.next());
        return raw ? std::optional(data::PartBatch{.batch = *std::move(raw)}) : std::nullopt;
    };
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
            // The memory of the chunks is used again and again.
            chunks.clear();
            while (chunks.size() < atOnce && !isAtEnd) {
                Result<std::optional<data::PartBatch>> some = next();
                // After an error nothing more is read; what was read before it comes first.
                isAtEnd = !some || !*some;
                if (!some) {
                    read = tl::make_unexpected(std::move(some).error());
                } else if (*some) {
                    add(**std::move(some), chunks);
                }
            }
            // All at once; afterwards one by one, in the order of the table.
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
            // A batch that could not be read takes its place among the others, so that the first
            // error is reported.
            chunk.done = tl::make_unexpected(std::move(some.batch).error());
        }
    }

    void encode(std::vector<EncodedChunk>& chunks) const
    {
        m_options.threads.runAll(static_cast<std::int64_t>(chunks.size()), [&](std::int64_t index) {
            EncodedChunk& chunk = chunks[static_cast<std::size_t>(index)];
            if (chunk.done) {
                chunk.done = guardMemory(kGuarded, [&] {
                    return features::encodeUsable(m_encoder, m_policy, chunk.raw, m_options.labels,
                                                  m_files, chunk.rows);
                });
            }
        });
    }

    const features::FeatureEncoder& m_encoder;
    features::RowPolicy m_policy = policyOf(m_encoder);
    const LoadOptions& m_options;
    const std::vector<std::string>& m_files;
};

/// Counts the rows that were read and then left out.
class LeftOutCount
{
public:
    void add(const features::LeftOutRows& left)
    {
        m_bad += left.bad.size();
        m_unlabelled += left.unlabelled.size();
        for (const data::UnusableRow& row : left.bad) {
            // Sentences are for people: some hundred say it all.
            if (m_sentences.size() < kMostSentences) {
                m_sentences.push_back(data::reasonOf(row.error.sentence));
            }
        }
    }

    void add(const LeftOutCount& other)
    {
        m_bad += other.m_bad;
        m_unlabelled += other.m_unlabelled;
        // The rows to train on come first, and those to evaluate on fill up what is left.
        const std::size_t room = kMostSentences - m_sentences.size();
        m_sentences.insert(m_sentences.end(), other.m_sentences.begin(),
                           other.m_sentences.begin() + static_cast<std::ptrdiff_t>(std::min(
                                                           room, other.m_sentences.size())));
    }

    /// "data.none_usable" if these were all rows of the part.
    Result<void> check(const features::EncodedDataset& rows, std::string_view purpose) const
    {
        const std::uint64_t count = m_bad + m_unlabelled;
        // An empty table is reported elsewhere.
        if (rows.rowCount() > 0 || count == 0) {
            return {};
        }
        return fail(ErrorCode::InvalidArgument, kNoneUsable, count, purpose,
                    m_sentences.empty() ? "it has no label." : m_sentences.front());
    }

    void addTo(data::ReadReport& report) const
    {
        report.badRowCount += m_bad + m_unlabelled;
        const std::size_t room = kMostSentences - std::min(kMostSentences, report.badRows.size());
        report.badRows.insert(report.badRows.end(), m_sentences.begin(),
                              m_sentences.begin() +
                                  static_cast<std::ptrdiff_t>(std::min(room, m_sentences.size())));
        if (m_unlabelled > 0) {
            report.warnings.push_back(
                m_unlabelled == 1
                    ? "1 row has no label and is left out"
                    : fmt::format("{} rows have no label and are left out", m_unlabelled));
        }
    }

private:
    static constexpr std::size_t kMostSentences = 100;
    std::uint64_t m_bad = 0;
    std::uint64_t m_unlabelled = 0;
    std::vector<std::string> m_sentences;
};

/// Reading and encoding, as rows of the table that are left out; the reader's sentences, too, end
/// before the advice to leave such rows out.
template <typename Stream>
data::ReadReport reportOf(const Stream& stream, const LeftOutCount& leftOut)
{
    data::ReadReport report = stream.report();
    // What the reader left out and what the encoder left out become one list.
    for (std::string& sentence : report.badRows) {
        sentence = data::reasonOf(sentence);
    }
    leftOut.addTo(report);
    return report;
}

/// Counts the rows of each file.
/// Rows are counted before any is left out: what matters is which files the table was read from.
void countFiles(const data::FeatureBatch& batch, std::vector<std::int64_t>& fileRows)
{
    for (const std::int32_t file : batch.fileIndex) {
        ++fileRows[static_cast<std::size_t>(file)];
    }
}

/// Adds the chunk to the rows of its part; extremes are looked for among those to train on.
Result<void> append(EncodedChunk& chunk, const LoadOptions& options,
                    const std::vector<std::string>& files, features::EncodedDataset& rows,
                    LeftOutCount& leftOut)
{
    CANNERY_TRY_ASSIGN(const features::LeftOutRows left, std::move(chunk.done));
    leftOut.add(left);
    // All rows of the chunk were left out.
    if (chunk.rows.rowCount == 0) {
        return {};
    }
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
        // The statistics are computed while resolving, which has no way of failing by itself.
        if (statistics.failure()) {
            return tl::make_unexpected(*statistics.failure());
        }
        if (resolved.data().has_train()) {
            // What is chosen for a table, such as a file's delimiter, must not change when the run
            // goes on.
            trainData.source().pin(*resolved.mutable_data()->mutable_train());
        }
        // The columns of the experiment are part of those of the table.
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
        loaded.fileRows.assign(dataset.files().size(), 0);
        LeftOutCount leftOut;
        // One chunk for each thread.
        const auto take = [&](EncodedChunk& chunk) {
            countFiles(chunk.raw, loaded.fileRows);
            return append(chunk, options, dataset.files(), loaded.rows, leftOut);
        };
        CANNERY_TRY(ChunkEncoder(encoder, options, dataset.files())
                        .run(threadsOf(options), batchesOf(*stream), take));
        // The first file stands for the table in the sentence.
        CANNERY_TRY(leftOut.check(loaded.rows, "of " + dataset.files().front()));
        loaded.report = reportOf(*stream, leftOut);
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
        LeftOutCount trainLeft;
        LeftOutCount evalLeft;
        Result<void> evalDone; // its error waits: one of the rows to train on comes first
        const auto take = [&](EncodedChunk& chunk) -> Result<void> {
            if (chunk.part == data::DataPart::Eval) {
                evalDone = evalDone ? append(chunk, options, dataset.files(), loaded.eval, evalLeft)
                                    : evalDone;
                return {};
            }
            countFiles(chunk.raw, loaded.trainFileRows);
            return append(chunk, options, dataset.files(), loaded.train, trainLeft);
        };
        const auto next = [&] { return stream->next(); };
        // A chunk of the table makes two, which are one thread's work together.
        CANNERY_TRY(ChunkEncoder(encoder, options, dataset.files())
                        .run(2 * threadsOf(options), next, take));
        CANNERY_TRY(std::move(evalDone));
        CANNERY_TRY(trainLeft.check(loaded.train, "to train on"));
        CANNERY_TRY(evalLeft.check(loaded.eval, "to evaluate on"));
        trainLeft.add(evalLeft);
        loaded.report = reportOf(*stream, trainLeft);
        return loaded;
    });
}

Result<void> visitUsedRows(const data::Dataset& dataset, const features::FeatureEncoder& encoder,
                           const LoadOptions& options, const UsedRowsVisitor& visit)
{
    return guardMemory(kGuarded, [&]() -> Result<void> {
        const auto take = [&](EncodedChunk& chunk) -> Result<void> {
            CANNERY_TRY(std::move(chunk.done));
            visit(chunk.part, chunk.raw);
            return {};
        };
        ChunkEncoder chunks(encoder, options, dataset.files());
        if (dataset.isSplit()) {
            CANNERY_TRY_ASSIGN(const std::unique_ptr<data::PartStream> stream,
                               dataset.readParts(requestOf(encoder, options)));
            return chunks.run(
                2 * threadsOf(options), [&] { return stream->next(); }, take);
        }
        CANNERY_TRY_ASSIGN(const std::unique_ptr<data::FeatureStream> stream,
                           dataset.read(requestOf(encoder, options)));
        return chunks.run(threadsOf(options), batchesOf(*stream), take);
    });
}

Result<UsedRows> countUsedRows(const data::Dataset& dataset,
                               const features::FeatureEncoder& encoder, const LoadOptions& options)
{
    UsedRows used;
    CANNERY_TRY(visitUsedRows(
        dataset, encoder, options, [&](data::DataPart part, const data::FeatureBatch& rows) {
            const bool isOther = dataset.isSplit() && part == data::DataPart::Eval;
            (isOther ? used.otherRows : used.rows) += rows.rowCount;
        }));
    return used;
}

bool hasEvalData(const spec::Experiment& experiment)
{
    return experiment.data().has_eval() || experiment.data().has_split();
}

} // namespace cannery::train
