// SPDX-License-Identifier: Apache-2.0
#include "core/train/preparation/row_cache.h"

#include "core/base/memory_guard.h"
#include "core/features/encoding_signature.h"
#include "core/features/feature_column.h"
#include "core/features/row_file.h"
#include "core/spec/spec_resolver.h"
#include "core/spec/text/text_format.h"
#include "core/train/records/engine_name.h"
#include "storage/io/file_stamp.h"
#include "storage/io/files.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace cannery::train {

namespace {

constexpr ErrorKind kNotKept{"train.cache_not_kept", "The encoded rows are not kept in {}."};
constexpr ErrorKind kUnsettled{
    "train.cache_unsettled",
    "The encoded rows are not kept in {}: {} changed while it was read, or just before. The next "
    "run keeps them."};
constexpr ErrorKind kNotAFile{
    "train.cache_no_file",
    "The encoded rows are not kept in {}: {} is not a regular file, so a change would go "
    "unnoticed."};

constexpr std::uint64_t kBytesOfBlock = std::uint64_t{2} << 20U;
constexpr std::int64_t kMostRowsOfBlock = 16384;
constexpr std::string_view kGuarded = "the encoded rows";

using Begin = std::chrono::system_clock::time_point;

std::string stampsText(const std::vector<std::string>& files)
{
    std::string text;
    for (const std::string& file : files) {
        const std::optional<storage::FileStamp> stamp = storage::stampOf(file);
        // A file without a stamp differs from any that has one.
        text += "file " + file + ' ' + (stamp ? storage::toText(*stamp) : "none") + '\n';
    }
    return text;
}

/// What the training rows are read from: the same before and after an experiment is resolved.
std::string dataText(const RowCacheRequest& request)
{
    spec::Data data = spec::resolve(request.experiment).data();
    // As they were found in the table: what the experiment leaves open may change with it.
    data.clear_column();
    for (spec::Column& column : request.trainData.resolvedColumns()) {
        *data.add_column() = std::move(column);
    }
    return spec::printMessage(data) + stampsText(request.trainData.files());
}

/// The files read besides the training table.
std::vector<std::string> otherFiles(const features::FeatureEncoder& encoder,
                                    const data::Dataset* evalData, const std::string& folder)
{
    std::vector<std::string> files;
    if (evalData != nullptr) {
        // An evaluation of other files has other rows, so they are part of what the cache was made
        // from.
        files = evalData->files();
    }
    for (const std::string& file : features::filesReadBy(encoder)) {
        files.push_back(storage::joinPath(folder, file));
    }
    return files;
}

Result<void> appendRows(features::RowFileWriter& file, const features::EncodedDataset& rows)
{
    const std::uint64_t rowBytes =
        rows.byteCount() / static_cast<std::uint64_t>(std::max<std::int64_t>(rows.rowCount(), 1));
    // Blocks of some megabytes: each has a checksum, and a reader needs memory for one.
    const std::int64_t inBlock = std::clamp<std::int64_t>(
        static_cast<std::int64_t>(kBytesOfBlock / std::max<std::uint64_t>(rowBytes, 1)), 1,
        kMostRowsOfBlock);
    features::EncodedRows some;
    for (std::int64_t first = 0; first < rows.rowCount(); first += inBlock) {
        const std::int64_t count = std::min(inBlock, rows.rowCount() - first);
        CANNERY_TRY(rows.gatherRange(first, count, some));
        CANNERY_TRY(file.append(some));
    }
    return {};
}

/// The slots with a value for each step.
std::vector<int> sequencesOf(const features::FeatureEncoder& encoder)
{
    std::vector<int> sequences;
    for (std::size_t slot = 0; slot < encoder.columns().size(); ++slot) {
        if (encoder.columns()[slot]->info().isSequence) {
            sequences.push_back(static_cast<int>(slot));
        }
    }
    return sequences;
}

features::FeatureNumbers toNumbers(const KnownStatistics& known)
{
    features::FeatureNumbers numbers;
    numbers.set_feature(known.feature);
    // A feature without numbers is kept as well, so that nobody looks for them again.
    numbers.set_has_numbers(known.numbers.has_value());
    if (known.numbers) {
        numbers.set_mean(known.numbers->mean);
        numbers.set_stddev(known.numbers->stddev);
        numbers.set_min(known.numbers->min);
        numbers.set_max(known.numbers->max);
    }
    return numbers;
}

KnownStatistics fromNumbers(const features::FeatureNumbers& numbers)
{
    KnownStatistics known{.feature = numbers.feature()};
    if (numbers.has_numbers()) {
        known.numbers = spec::ColumnStatistics{.mean = numbers.mean(),
                                               .stddev = numbers.stddev(),
                                               .min = numbers.min(),
                                               .max = numbers.max()};
    }
    return known;
}

features::RowFileHeader headerOf(const DataSummary& summary)
{
    features::RowFileHeader header;
    header.set_train_rows(summary.trainRows);
    header.set_eval_rows(summary.evalRows);
    header.set_skipped_rows(summary.skippedRows);
    header.set_fingerprint(summary.fingerprint);
    for (const std::string& warning : summary.warnings) {
        header.add_warnings(warning);
    }
    return header;
}

/// Why the file may not be written, or nothing.
std::optional<Error> whyNotToKeep(const std::string& path, const std::vector<std::string>& files,
                                  Begin begin)
{
    for (const std::string& file : files) {
        const std::optional<storage::FileStamp> stamp = storage::stampOf(file);
        if (!stamp) {
            // Only a regular file has a time that changes with its content.
            return error(ErrorCode::FailedPrecondition, kNotAFile, path, file);
        }
        // A file written within its clock's resolution could change again without a sign.
        if (!storage::wasSettled(*stamp, begin)) {
            return error(ErrorCode::FailedPrecondition, kUnsettled, path, file);
        }
    }
    return std::nullopt;
}

} // namespace

struct RowCache::State
{
    std::string path; ///< empty if the experiment keeps no rows
    std::string folder;
    std::string data; ///< dataText() of the experiment
    std::vector<std::string> trainFiles;
    Begin begin;
    storage::FileSystem* system = nullptr;
    std::optional<features::RowFileReader> reader; ///< if the file was made from the same data
    std::optional<Error> damage;

    std::string encodingText(const features::FeatureEncoder& encoder,
                             const data::Dataset* evalData) const;
    Result<void> loadRows(std::int64_t count, const features::FeatureEncoder& encoder,
                          features::EncodedDataset& rows);
    Result<void> load(const features::FeatureEncoder& encoder, std::uint64_t memoryLimit,
                      EncodedData& out);
    Result<void> write(features::RowFileHeader header, const EncodedData& data) const;
};

std::string RowCache::State::encodingText(const features::FeatureEncoder& encoder,
                                          const data::Dataset* evalData) const
{
    // The engine's name is part of it: another build may encode otherwise.
    return engineName() + '\n' + features::encodingSignature(encoder) +
           stampsText(otherFiles(encoder, evalData, folder));
}

RowCache::RowCache(std::unique_ptr<State> state) : m_state(std::move(state)) {}
RowCache::RowCache(RowCache&&) noexcept = default;
RowCache& RowCache::operator=(RowCache&&) noexcept = default;
RowCache::~RowCache() = default;

Result<RowCache> RowCache::open(const RowCacheRequest& request)
{
    auto state = std::make_unique<State>();
    const std::string& file = request.experiment.run_config().cache_file();
    // Without a file to keep, nothing of the rest is needed.
    if (file.empty()) {
        return RowCache(std::move(state));
    }
    return guardMemory(kGuarded, [&]() -> Result<RowCache> {
        state->path = storage::joinPath(request.folder, file);
        state->folder = request.folder;
        state->data = dataText(request);
        state->trainFiles = request.trainData.files();
        state->begin = request.begin;
        state->system = request.system != nullptr ? request.system : &storage::realFileSystem();
        Result<features::RowFileReader> reader = features::RowFileReader::open(state->path);
        // A file that is missing or of other data is not an error: it is written after the rows
        // were read. A damaged one is mentioned, and replaced.
        if (reader && reader->header().data() == state->data) {
            state->reader.emplace(std::move(*reader));
        } else if (!reader && reader.error().code == ErrorCode::DataLoss) {
            state->damage = std::move(reader).error();
        } else if (!reader && reader.error().code != ErrorCode::NotFound) {
            return tl::make_unexpected(std::move(reader).error());
        }
        return RowCache(std::move(state));
    });
}

std::vector<KnownStatistics> RowCache::statistics() const
{
    std::vector<KnownStatistics> known;
    if (m_state->reader) {
        for (const features::FeatureNumbers& numbers : m_state->reader->header().numbers()) {
            known.push_back(fromNumbers(numbers));
        }
    }
    return known;
}

Result<void> RowCache::State::loadRows(std::int64_t count, const features::FeatureEncoder& encoder,
                                       features::EncodedDataset& rows)
{
    const std::vector<int> sequences = sequencesOf(encoder);
    features::EncodedRows some;
    // By the header's count; the file has no end of a part.
    while (rows.rowCount() < count) {
        CANNERY_TRY(reader->next(encoder.layout(), sequences, some));
        CANNERY_TRY(rows.append(some));
    }
    return {};
}

Result<void> RowCache::State::load(const features::FeatureEncoder& encoder,
                                   std::uint64_t memoryLimit, EncodedData& out)
{
    const features::RowFileHeader& header = reader->header();
    CANNERY_TRY(loadRows(header.train_rows(), encoder, out.trainRows));
    if (!header.has_eval()) {
        return {};
    }
    out.evalRows.emplace(encoder.layout(),
                         features::EncodedDatasetOptions{.memoryLimit = memoryLimit});
    return loadRows(header.eval_rows(), encoder, *out.evalRows);
}

Result<std::optional<EncodedData>> RowCache::load(const features::FeatureEncoder& encoder,
                                                  const data::Dataset* evalData,
                                                  std::uint64_t memoryLimit)
{
    State& state = *m_state;
    if (!state.reader ||
        state.reader->header().encoding() != state.encodingText(encoder, evalData)) {
        // Rows of other columns or vocabularies: the table is read, and the file replaced.
        return std::nullopt;
    }
    return guardMemory(kGuarded, [&]() -> Result<std::optional<EncodedData>> {
        EncodedData data{
            .trainRows = features::EncodedDataset(encoder.layout(), {.memoryLimit = memoryLimit})};
        Result<void> loaded = state.load(encoder, memoryLimit, data);
        // Found only now, as blocks are checked while they are read: the table is read instead.
        if (!loaded && loaded.error().code == ErrorCode::DataLoss) {
            state.damage = std::move(loaded).error();
            return std::nullopt;
        }
        CANNERY_TRY(std::move(loaded));
        const features::RowFileHeader& header = state.reader->header();
        data.summary = {.trainRows = header.train_rows(),
                        .evalRows = header.eval_rows(),
                        .skippedRows = header.skipped_rows(),
                        .warnings = {header.warnings().begin(), header.warnings().end()},
                        .fingerprint = header.fingerprint(),
                        .notes = {fmt::format("The encoded rows come from {}.", state.path)}};
        return std::optional(std::move(data));
    });
}

Result<void> RowCache::State::write(features::RowFileHeader header, const EncodedData& data) const
{
    CANNERY_TRY_ASSIGN(features::RowFileWriter file,
                       features::RowFileWriter::create(path, std::move(header), *system));
    CANNERY_TRY(appendRows(file, data.trainRows));
    if (data.evalRows) {
        CANNERY_TRY(appendRows(file, *data.evalRows));
    }
    return file.commit();
}

Result<void> RowCache::keep(const features::FeatureEncoder& encoder, const data::Dataset* evalData,
                            const std::vector<KnownStatistics>& statistics, EncodedData& data)
{
    State& state = *m_state;
    // The experiment keeps no rows.
    if (state.path.empty()) {
        return {};
    }
    // Taken before the warnings below: those are of this run only.
    features::RowFileHeader header = headerOf(data.summary); // with warnings of the rows alone
    if (state.damage) {
        data.summary.warnings.push_back(state.damage->message());
    }
    // All files that the rows came from must have been settled.
    std::vector<std::string> files = otherFiles(encoder, evalData, state.folder);
    files.insert(files.end(), state.trainFiles.begin(), state.trainFiles.end());
    if (const auto reason = whyNotToKeep(state.path, files, state.begin)) {
        data.summary.warnings.push_back(reason->message());
        return {};
    }
    header.set_data(state.data);
    header.set_encoding(state.encodingText(encoder, evalData));
    header.set_has_eval(data.evalRows.has_value());
    for (const KnownStatistics& known : statistics) {
        *header.add_numbers() = toNumbers(known);
    }
    Result<void> written = guardMemory(kGuarded, [&] { return state.write(header, data); });
    // Any other failure costs the next run some time, but not this one its training.
    // Cancelled by the user: training ends here.
    if (!written && written.error().code == ErrorCode::Cancelled) {
        return written;
    }
    if (!written) {
        data.summary.warnings.push_back(error(ErrorCode::Unknown, kNotKept, state.path)
                                            .with(written.error().message())
                                            .message());
        return {};
    }
    data.summary.notes.push_back(fmt::format("The encoded rows are kept in {}.", state.path));
    return {};
}

} // namespace cannery::train
