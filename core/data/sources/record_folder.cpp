// SPDX-License-Identifier: Apache-2.0
#include "core/data/sources/record_folder.h"

#include "core/data/sources/record_signature.h"
#include "storage/io/files.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <string_view>
#include <utility>

namespace cannery::data {

namespace {

constexpr ErrorKind kNoRecordsInFolder{
    "tfrecord.none_in_folder",
    "The folder {} holds no TFRecord file, nor does one below it. Name the folder of the files."};
constexpr ErrorKind kSeveralDataSets{
    "tfrecord.several_data_sets",
    "The folder {} holds several data sets, such as {} and {}. Name the folder of one of them."};
constexpr ErrorKind kNoSuchSplit{"tfrecord.no_such_split",
                                 "{} has no split \"{}\". It has {}. Name one of these splits, or "
                                 "leave 'split' out to read all records."};
constexpr ErrorKind kSeveralSchemas{
    "tfrecord.several_schemas",
    "The folder {} holds several schemas, such as {} and {}. Name one with 'schema'."};

constexpr std::string_view kSplitFolder = "Split-";
constexpr std::string_view kRecordSuffix = ".tfrecord";
constexpr std::string_view kSchemaName = "schema.pbtxt";
constexpr std::string_view kTransformedExamples = "transformed_examples";
constexpr std::string_view kTransformedMetadata = "transformed_metadata";
/// Of summaries that TensorFlow writes, as records too.
constexpr std::string_view kEventFile = ".tfevents";
/// A component of a TFX pipeline writes at most component/output/number/Split-name.
constexpr int kDeepestFolder = 4;
/// More levels are not the output of one component.
constexpr std::size_t kMostFolders = 4096;

/// What one folder holds, as far as it may matter.
struct Folder
{
    std::string path;
    std::vector<std::string> files;
    std::vector<std::string> splits; ///< `Split-` folders
    std::vector<std::string> others; ///< further folders
};

Folder list(const std::string& path)
{
    Folder folder{.path = path};
    const Result<std::vector<std::string>> names = storage::listFolder(path);
    if (!names) {
        // A folder that cannot be listed is as good as empty: the named one was listed before.
        return folder;
    }
    for (const std::string& name : *names) {
        // Hidden files, and marks such as _SUCCESS that pipelines put beside their output.
        if (name.starts_with('.') || name.starts_with('_')) {
            continue;
        }
        std::string inside = storage::joinPath(path, name);
        if (!storage::isFolder(inside)) {
            folder.files.push_back(std::move(inside));
        } else if (name.starts_with(kSplitFolder)) {
            folder.splits.push_back(std::move(inside));
        } else {
            folder.others.push_back(std::move(inside));
        }
    }
    return folder;
}

/// Lists a folder and those below it, level by level, until `isEnough` of a whole level.
template <typename Visit, typename Enough>
void walk(const std::string& top, const Visit& visit, const Enough& isEnough)
{
    std::vector<std::string> level{top};
    std::size_t seen = 0;
    // Level by level, so that what is nearest to the folder that was named is found first.
    for (int depth = 0; depth <= kDeepestFolder && !level.empty() && !isEnough(); ++depth) {
        std::vector<std::string> below;
        for (const std::string& path : level) {
            if (++seen > kMostFolders) {
                return;
            }
            const Folder folder = list(path);
            visit(folder);
            below.insert(below.end(), folder.others.begin(), folder.others.end());
        }
        level = std::move(below);
    }
}

void addRecords(const std::vector<std::string>& files, std::vector<std::string>& records)
{
    for (const std::string& file : files) {
        // Event files are records, too, but of summaries.
        if (storage::baseName(file).find(kEventFile) == std::string::npos && holdsRecords(file)) {
            records.push_back(file);
        }
    }
}

/// The records in a folder and in its splits.
std::vector<std::string> recordsOf(const Folder& folder)
{
    std::vector<std::string> records;
    addRecords(folder.files, records);
    for (const std::string& split : folder.splits) {
        addRecords(list(split).files, records);
    }
    return records;
}

/// The X of `name-X.tfrecord`, with or without what numbers the shards.
std::string splitInName(std::string_view name)
{
    const std::size_t suffix = name.find(kRecordSuffix);
    if (suffix == std::string_view::npos) {
        return {};
    }
    const std::string_view stem = name.substr(0, suffix);
    const std::size_t dash = stem.rfind('-');
    return dash == std::string_view::npos ? std::string() : std::string(stem.substr(dash + 1));
}

/// Whether a file of `top` is in a folder of this name there.
bool isBelow(const std::string& top, const std::string& file, std::string_view folder)
{
    // A part of the path below the named folder, not of the folder's own.
    const std::string part = "/" + std::string(folder) + "/";
    return file.starts_with(top) && ("/" + file.substr(top.size())).find(part) != std::string::npos;
}

std::string quotedNames(const std::set<std::string>& names)
{
    std::string text;
    for (const std::string& name : names) {
        text += (text.empty() ? "\"" : ", \"") + name + "\"";
    }
    return text.empty() ? "no splits" : text;
}

std::set<std::string> namesOfSplits(const std::vector<std::string>& files)
{
    std::set<std::string> splits;
    for (const std::string& file : files) {
        if (std::string split = splitOf(file); !split.empty()) {
            splits.insert(std::move(split));
        }
    }
    return splits;
}

} // namespace

Result<std::vector<std::string>> recordsBelow(const std::string& folder)
{
    // A folder that does not exist deserves its own error.
    CANNERY_TRY(storage::listFolder(folder));
    std::vector<std::string> roots;
    std::vector<std::string> records;
    walk(
        folder,
        [&](const Folder& each) {
            std::vector<std::string> found = recordsOf(each);
            if (!found.empty()) {
                roots.push_back(each.path);
                records = std::move(found);
            }
        },
        [&] { return !roots.empty(); });
    if (roots.empty()) {
        return fail(ErrorCode::NotFound, kNoRecordsInFolder, folder);
    }
    // Records of one level in two folders are two data sets, or two versions: reading both would
    // mix them.
    if (roots.size() > 1) {
        return fail(ErrorCode::InvalidArgument, kSeveralDataSets, folder, roots[0], roots[1]);
    }
    // The order of files decides about the order of rows.
    std::sort(records.begin(), records.end());
    return records;
}

bool hasRecordsBelow(const std::string& folder)
{
    const Result<std::vector<std::string>> found = recordsBelow(folder);
    // Several data sets are records as well, although they must be chosen from.
    return found || found.error().id == kSeveralDataSets.id;
}

std::string splitOf(const std::string& file)
{
    const std::string parent = storage::baseName(storage::parentFolder(file));
    // Shards of a split may also carry its name.
    return parent.starts_with(kSplitFolder) ? parent.substr(kSplitFolder.size())
                                            : splitInName(storage::baseName(file));
}

Result<std::vector<std::string>> filesOfSplit(const std::vector<std::string>& files,
                                              const std::string& split)
{
    // All files, whatever split they belong to.
    if (split.empty()) {
        return files;
    }
    std::vector<std::string> kept;
    for (const std::string& file : files) {
        if (splitOf(file) == split) {
            kept.push_back(file);
        }
    }
    if (kept.empty()) {
        return fail(ErrorCode::NotFound, kNoSuchSplit,
                    files.empty() ? "The data" : storage::parentFolder(files.front()), split,
                    quotedNames(namesOfSplits(files)));
    }
    return kept;
}

std::optional<SplitPair> splitPairOf(const std::vector<std::string>& files)
{
    constexpr std::array<std::string_view, 6> kEvaluated{"eval", "validation", "valid",
                                                         "val",  "dev",        "test"};
    const std::set<std::string> splits = namesOfSplits(files);
    // Without a split to train on, nothing is a pair.
    if (!splits.contains("train")) {
        return std::nullopt;
    }
    // In this order, as "test" may be kept for the very end.
    for (const std::string_view name : kEvaluated) {
        if (splits.contains(std::string(name))) {
            return SplitPair{.train = "train", .eval = std::string(name)};
        }
    }
    return std::nullopt;
}

Result<std::optional<std::string>> schemaBelow(const std::string& folder,
                                               const std::vector<std::string>& files)
{
    const bool areTransformed =
        std::any_of(files.begin(), files.end(), [&](const std::string& file) {
            return isBelow(folder, file, kTransformedExamples);
        });
    std::vector<std::string> schemas;
    walk(
        folder,
        [&](const Folder& each) {
            const bool isTransformed = storage::baseName(each.path) == kTransformedMetadata;
            const std::string path = storage::joinPath(each.path, kSchemaName);
            // TensorFlow Transform has a schema of its own for the examples that it has
            // transformed.
            if (isTransformed == areTransformed &&
                std::find(each.files.begin(), each.files.end(), path) != each.files.end()) {
                schemas.push_back(path);
            }
        },
        // The nearest schema belongs to the records that were found.
        [&] { return !schemas.empty(); });
    if (schemas.size() > 1) {
        return fail(ErrorCode::InvalidArgument, kSeveralSchemas, folder, schemas[0], schemas[1]);
    }
    return schemas.empty() ? std::optional<std::string>() : std::optional(schemas.front());
}

} // namespace cannery::data
