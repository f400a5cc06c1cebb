// SPDX-License-Identifier: Apache-2.0
#include "core/train/row_cache.h"

#include "core/base/interruption.h"
#include "core/base/memory_guard.h"
#include "core/features/encoding_signature.h"
#include "core/spec/spec_resolver.h"
#include "core/spec/text_format.h"
#include "core/train/engine_name.h"
#include "core/train/row_cache_block.h"
#include "storage/io/atomic_write.h"
#include "storage/io/file_stamp.h"
#include "storage/io/files.h"
#include "storage/io/readable_file.h"
#include "storage/tf/record_file.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace cannery::train {

namespace {

constexpr ErrorKind kNotOurs{
    "train.cache_not_ours",
    "{} does not hold encoded rows and is not replaced. Name another file in "
    "run_config.cache_file."};
constexpr ErrorKind kDamaged{"train.cache_damaged",
                             "The encoded rows in {} are damaged. The next run that uses them "
                             "reads its table and writes the "
                             "file anew."};
constexpr ErrorKind kNotKept{"train.cache_not_kept", "The encoded rows are not kept in {}."};
constexpr ErrorKind kUnsettled{
    "train.cache_unsettled",
    "The encoded rows are not kept in {}: {} changed while it was read, or just before. The next "
    "run keeps them."};
constexpr ErrorKind kNotAFile{
    "train.cache_no_file",
    "The encoded rows are not kept in {}: {} is not a regular file, so nobody can tell whether it "
    "has changed."};

constexpr std::string_view kMagic = "cannery encoded rows";
/// Frame of the first record, tag and length of its first field.
constexpr std::size_t kMagicOffset = 14;
constexpr std::uint64_t kBytesOfBlock = std::uint64_t{2} << 20U;
constexpr std::int64_t kMostRowsOfBlock = 16384;
constexpr std::string_view kGuarded = "the encoded rows";

using Begin = std::chrono::system_clock::time_point;

std::string stampsText(const std::vector<std::string>& files)
{
    std::string text;
    for (const std::string& file : files) {
        const std::optional<storage::FileStamp> stamp = storage::stampOf(file);
        text += "file " + file + ' ' + (stamp ? storage::toText(*stamp) : "none") + '\n';
    }
    return text;
}

/// What the training rows are read from. The same for an experiment and for what it resolves to.
std::string dataText(const RowCacheRequest& request)
{
    spec::Data data = spec::resolve(request.experiment).data();
    data.clear_column();
    for (spec::Column& column : request.trainData.resolvedColumns()) {
        *data.add_column() = std::move(column);
    }
    return spec::printMessage(data) + stampsText(request.trainData.files());
}

/// Files that are read beside the training table.
std::vector<std::string> otherFiles(const features::FeatureEncoder& encoder,
                                    const data::Dataset* evalData, const std::string& folder)
{
    std::vector<std::string> files;
    if (evalData != nullptr) {
        files = evalData->files();
    }
    for (const std::string& file : features::filesReadBy(encoder)) {
        files.push_back(storage::joinPath(folder, file));
    }
    return files;
}

/// Whether the file begins as ours do; true of an empty one, which there is no harm in replacing.
Result<bool> isOurs(const std::string& path)
{
    CANNERY_TRY_ASSIGN(const storage::ReadableFile file, storage::ReadableFile::open(path));
    std::string start(kMagicOffset + kMagic.size(), '\0');
    CANNERY_TRY_ASSIGN(const std::size_t got,
                       file.readAt(0, std::as_writable_bytes(std::span(start))));
    return got == 0 || std::string_view(start).substr(kMagicOffset) == kMagic;
}

Error damageOf(const std::string& path, const std::optional<Error>& reason = std::nullopt)
{
    Error damaged = error(ErrorCode::DataLoss, kDamaged, path);
    return reason ? std::move(damaged).with(reason->message()) : damaged;
}

/// What a reader says of damage becomes "train.cache_damaged".
template <typename T>
Result<T> named(Result<T> read, const std::string& path)
{
    const bool isDamage = !read && read.error().code == ErrorCode::DataLoss;
    return isDamage ? tl::make_unexpected(damageOf(path, read.error())) : std::move(read);
}

/// The file's records after its header.
Result<storage::RecordReader> openRows(const std::string& path, RowCacheHeader& header)
{
    CANNERY_TRY_ASSIGN(const bool ours, isOurs(path));
    if (!ours) {
        return fail(ErrorCode::FailedPrecondition, kNotOurs, path);
    }
    CANNERY_TRY_ASSIGN(storage::RecordReader reader,
                       storage::RecordReader::open(path, storage::Compression::None));
    CANNERY_TRY_ASSIGN(const auto first, named(reader.next(), path));
    if (!first || !header.ParseFromArray(first->data(), static_cast<int>(first->size()))) {
        return tl::make_unexpected(damageOf(path));
    }
    return reader;
}

/// The next rows of the file.
Result<void> readBlock(storage::RecordReader& reader, const std::string& path, RowCacheBlock& block)
{
    CANNERY_TRY(goOnUnlessInterrupted());
    CANNERY_TRY_ASSIGN(const auto record, named(reader.next(), path));
    const bool isBlock =
        record && block.ParseFromArray(record->data(), static_cast<int>(record->size()));
    return isBlock && block.rows() > 0 ? Result<void>() : tl::make_unexpected(damageOf(path));
}

Result<void> appendBlock(storage::AtomicFile& file, const google::protobuf::Message& message)
{
    CANNERY_TRY(goOnUnlessInterrupted());
    return file.append(storage::frameRecord(message.SerializeAsString()));
}

Result<void> appendRows(storage::AtomicFile& file, const features::EncodedDataset& rows)
{
    const std::uint64_t rowBytes =
        rows.byteCount() / static_cast<std::uint64_t>(std::max<std::int64_t>(rows.rowCount(), 1));
    const std::int64_t inBlock = std::clamp<std::int64_t>(
        static_cast<std::int64_t>(kBytesOfBlock / std::max<std::uint64_t>(rowBytes, 1)), 1,
        kMostRowsOfBlock);
    features::EncodedRows some;
    for (std::int64_t first = 0; first < rows.rowCount(); first += inBlock) {
        const std::int64_t count = std::min(inBlock, rows.rowCount() - first);
        CANNERY_TRY(rows.gatherRange(first, count, some));
        CANNERY_TRY(appendBlock(file, toBlock(some)));
    }
    return {};
}

FeatureNumbers toNumbers(const KnownStatistics& known)
{
    FeatureNumbers numbers;
    numbers.set_feature(known.feature);
    numbers.set_has_numbers(known.numbers.has_value());
    if (known.numbers) {
        numbers.set_mean(known.numbers->mean);
        numbers.set_stddev(known.numbers->stddev);
        numbers.set_min(known.numbers->min);
        numbers.set_max(known.numbers->max);
    }
    return numbers;
}

KnownStatistics fromNumbers(const FeatureNumbers& numbers)
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

/// Nothing when the file may be written: else why not.
std::optional<Error> whyNotToKeep(const std::string& path, const std::vector<std::string>& files,
                                  Begin begin)
{
    for (const std::string& file : files) {
        const std::optional<storage::FileStamp> stamp = storage::stampOf(file);
        if (!stamp) {
            return error(ErrorCode::FailedPrecondition, kNotAFile, path, file);
        }
        if (!storage::wasSettled(*stamp, begin)) {
            return error(ErrorCode::FailedPrecondition, kUnsettled, path, file);
        }
    }
    return std::nullopt;
}

} // namespace

struct RowCache::State
{
    std::string path; ///< empty: the experiment keeps no rows
    std::string folder;
    std::string data; ///< that the experiment reads now
    std::vector<std::string> trainFiles;
    Begin begin;
    storage::FileSystem* system = nullptr;
    std::optional<storage::RecordReader> reader; ///< behind the header of rows of the same data
    RowCacheHeader header;
    std::optional<Error> damage;

    std::string encodingText(const features::FeatureEncoder& encoder,
                             const data::Dataset* evalData) const;
    Result<void> loadRows(std::int64_t count, const features::InputLayout& layout,
                          features::EncodedDataset& rows);
    Result<void> load(const features::InputLayout& layout, std::uint64_t memoryLimit,
                      EncodedData& out);
    Result<void> write(const EncodedData& data) const;
};

std::string RowCache::State::encodingText(const features::FeatureEncoder& encoder,
                                          const data::Dataset* evalData) const
{
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
        Result<storage::RecordReader> reader = openRows(state->path, state->header);
        if (reader && state->header.data() == state->data) {
            state->reader.emplace(std::move(*reader));
        } else if (!reader && reader.error().code == ErrorCode::DataLoss) {
            state->damage = std::move(reader).error();
        } else if (!reader && reader.error().code != ErrorCode::NotFound) {
            return tl::make_unexpected(std::move(reader).error());
        }
        return RowCache(std::move(state));
    });
}

bool RowCache::isUsed() const
{
    return !m_state->path.empty();
}

std::vector<KnownStatistics> RowCache::statistics() const
{
    std::vector<KnownStatistics> known;
    if (m_state->reader) {
        for (const FeatureNumbers& numbers : m_state->header.numbers()) {
            known.push_back(fromNumbers(numbers));
        }
    }
    return known;
}

Result<void> RowCache::State::loadRows(std::int64_t count, const features::InputLayout& layout,
                                       features::EncodedDataset& rows)
{
    RowCacheBlock block;
    features::EncodedRows some;
    while (rows.rowCount() < count) {
        CANNERY_TRY(readBlock(*reader, path, block));
        if (!fromBlock(block, layout, some) || rows.rowCount() + some.rowCount > count) {
            return tl::make_unexpected(damageOf(path));
        }
        CANNERY_TRY(rows.append(some));
    }
    return {};
}

Result<void> RowCache::State::load(const features::InputLayout& layout, std::uint64_t memoryLimit,
                                   EncodedData& out)
{
    CANNERY_TRY(loadRows(header.train_rows(), layout, out.trainRows));
    if (!header.has_eval()) {
        return {};
    }
    out.evalRows.emplace(layout, features::EncodedDatasetOptions{.memoryLimit = memoryLimit});
    return loadRows(header.eval_rows(), layout, *out.evalRows);
}

Result<std::optional<EncodedData>> RowCache::load(const features::FeatureEncoder& encoder,
                                                  const data::Dataset* evalData,
                                                  std::uint64_t memoryLimit)
{
    State& state = *m_state;
    if (!state.reader || state.header.encoding() != state.encodingText(encoder, evalData)) {
        return std::nullopt;
    }
    return guardMemory(kGuarded, [&]() -> Result<std::optional<EncodedData>> {
        EncodedData data{
            .trainRows = features::EncodedDataset(encoder.layout(), {.memoryLimit = memoryLimit})};
        Result<void> loaded = state.load(encoder.layout(), memoryLimit, data);
        if (!loaded && loaded.error().code == ErrorCode::DataLoss) {
            state.damage = std::move(loaded).error();
            return std::nullopt;
        }
        CANNERY_TRY(std::move(loaded));
        const RowCacheHeader& header = state.header;
        data.summary = {.trainRows = header.train_rows(),
                        .evalRows = header.eval_rows(),
                        .skippedRows = header.skipped_rows(),
                        .warnings = {header.warnings().begin(), header.warnings().end()},
                        .fingerprint = header.fingerprint(),
                        .notes = {fmt::format("The encoded rows come from {}.", state.path)}};
        return std::optional(std::move(data));
    });
}

Result<void> RowCache::State::write(const EncodedData& data) const
{
    CANNERY_TRY(storage::makeFolders(storage::parentFolder(path), *system));
    storage::removeAbandoned(path, *system);
    CANNERY_TRY_ASSIGN(storage::AtomicFile file, storage::AtomicFile::create(path, *system));
    CANNERY_TRY(appendBlock(file, header));
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
    if (!isUsed()) {
        return {};
    }
    const std::vector<std::string> warnings = data.summary.warnings; // of the rows alone
    if (state.damage) {
        data.summary.warnings.push_back(state.damage->message());
    }
    std::vector<std::string> files = otherFiles(encoder, evalData, state.folder);
    files.insert(files.end(), state.trainFiles.begin(), state.trainFiles.end());
    if (const auto reason = whyNotToKeep(state.path, files, state.begin)) {
        data.summary.warnings.push_back(reason->message());
        return {};
    }
    RowCacheHeader& header = state.header;
    header.Clear();
    header.set_magic(std::string(kMagic));
    header.set_data(state.data);
    header.set_encoding(state.encodingText(encoder, evalData));
    for (const KnownStatistics& known : statistics) {
        *header.add_numbers() = toNumbers(known);
    }
    header.set_train_rows(data.trainRows.rowCount());
    header.set_has_eval(data.evalRows.has_value());
    header.set_eval_rows(data.evalRows ? data.evalRows->rowCount() : 0);
    header.set_skipped_rows(data.summary.skippedRows);
    for (const std::string& warning : warnings) {
        header.add_warnings(warning);
    }
    header.set_fingerprint(data.summary.fingerprint);
    Result<void> written = guardMemory(kGuarded, [&] { return state.write(data); });
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

Result<void> verifyRowCache(const std::string& path)
{
    RowCacheHeader header;
    CANNERY_TRY_ASSIGN(storage::RecordReader reader, openRows(path, header));
    const std::int64_t count = header.train_rows() + header.eval_rows();
    RowCacheBlock block;
    for (std::int64_t rows = 0; rows < count; rows += block.rows()) {
        CANNERY_TRY(readBlock(reader, path, block));
    }
    return {};
}

} // namespace cannery::train
