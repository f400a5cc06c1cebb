// SPDX-License-Identifier: Apache-2.0
#include "storage/tf/graphs/saved_model_writer.h"

#include "storage/io/atomic_write.h"
#include "storage/io/files.h"
#include "storage/tf/checkpoints/checkpoint_writer.h"
#include "storage/tf/graphs/meta_graph_codec.h"
#include "storage/tf/graphs/saved_model_checksums.h"
#include "storage/tf/graphs/version_folders.h"
#include "storage/tf/proto_convert.h"
#include "storage/tf/schema/saved_model.pb.h"

#include <fmt/core.h>

#include <algorithm>
#include <ctime>
#include <set>

namespace cannery::storage {

namespace {

constexpr int kSchemaVersion = 1;
constexpr std::string_view kExtraFolder = "assets.extra";

constexpr ErrorKind kBadFolder{
    "saved_model.bad_folder",
    "A SavedModel cannot be written into '{}': the folder's name contains a zero byte."};

/// Copies a file into the SavedModel and records its checksum under its name there.
Result<void> copyNoted(const std::string& source, const std::string& folder,
                       const std::string& name, detail::FileChecksums& checksums,
                       FileSystem& system)
{
    const std::string target = joinPath(folder, name);
    CANNERY_TRY(makeFolders(parentFolder(target), system));
    CANNERY_TRY_ASSIGN(const CopiedBytes copied, copyFile(source, target, system));
    checksums[name] = {copied.crc, copied.size};
    return {};
}

Result<void> writeAssets(const std::string& folder, std::span<const MetaGraph> metaGraphs,
                         detail::FileChecksums& checksums, FileSystem& system)
{
    std::set<std::string> written;
    for (const MetaGraph& metaGraph : metaGraphs) {
        for (const AssetInfo& asset : metaGraph.assets) {
            // MetaGraphs have the same vocabularies.
            if (!written.insert(asset.fileName).second) {
                continue;
            }
            CANNERY_TRY(copyNoted(asset.sourcePath, folder, joinPath("assets", asset.fileName),
                                  checksums, system));
        }
    }
    return {};
}

Result<void> writeExtraAssets(const std::string& folder, const SavedModelOptions& options,
                              detail::FileChecksums& checksums, FileSystem& system)
{
    for (const auto& [name, source] : options.assetsExtra) {
        CANNERY_TRY(copyNoted(source, folder, joinPath(kExtraFolder, name), checksums, system));
    }
    for (const auto& [name, content] : options.extraContents) {
        const std::string inFolder = joinPath(kExtraFolder, name);
        const std::string target = joinPath(folder, inFolder);
        CANNERY_TRY(makeFolders(parentFolder(target), system));
        CANNERY_TRY(writeFileAtomically(target, content, system));
        checksums[inFolder] = detail::checksumOf(content);
    }
    return {};
}

Result<void> writeInto(const std::string& folder, std::span<const MetaGraph> metaGraphs,
                       std::span<const NamedTensor> tensors, const SavedModelOptions& options,
                       FileSystem& system)
{
    const auto hasVariables = [](const MetaGraph& graph) { return graph.saver.has_value(); };
    if (std::ranges::any_of(metaGraphs, hasVariables)) {
        const std::string variables = joinPath(folder, "variables");
        CANNERY_TRY(system.makeFolder(variables));
        CANNERY_TRY(writeCheckpoint(joinPath(variables, "variables"), tensors, system));
    }
    detail::FileChecksums checksums;
    CANNERY_TRY(writeAssets(folder, metaGraphs, checksums, system));
    CANNERY_TRY(writeExtraAssets(folder, options, checksums, system));
    tensorflow::SavedModel proto;
    proto.set_saved_model_schema_version(kSchemaVersion);
    for (const MetaGraph& metaGraph : metaGraphs) {
        detail::toProto(metaGraph, *proto.add_meta_graphs());
    }
    const std::string bytes =
        options.asText ? detail::printText(proto) : detail::serializeDeterministically(proto);
    const std::string file = options.asText ? "saved_model.pbtxt" : "saved_model.pb";
    checksums[file] = detail::checksumOf(bytes);
    CANNERY_TRY(detail::writeChecksums(folder, checksums, system));
    return writeFileAtomically(joinPath(folder, file), bytes, system);
}

} // namespace

Result<std::string> writeSavedModel(const std::string& base, std::span<const MetaGraph> metaGraphs,
                                    std::span<const NamedTensor> tensors,
                                    const SavedModelOptions& options, FileSystem& system)
{
    if (base.find('\0') != std::string::npos) {
        return fail(ErrorCode::InvalidArgument, kBadFolder, base.c_str());
    }
    CANNERY_TRY(makeFolders(base, system));
    const std::int64_t wanted =
        options.timestamp != 0 ? options.timestamp : static_cast<std::int64_t>(std::time(nullptr));
    CANNERY_TRY_ASSIGN(std::int64_t version, nextVersion(base, wanted));
    const auto finalFolder = [&] { return joinPath(base, versionName(version)); };
    // As tf.estimator names an unfinished export: TF Serving loads numbered folders only.
    const auto temporary = [&] { return joinPath(base, "temp-" + versionName(version)); };
    // Until one is free: another program may export into the same folder.
    for (;; ++version) {
        if (exists(finalFolder())) {
            continue;
        }
        const Result<void> made = system.makeFolder(temporary());
        if (made) {
            break;
        }
        if (made.error().code != ErrorCode::AlreadyExists) {
            return tl::make_unexpected(made.error());
        }
    }
    Result<void> written = writeInto(temporary(), metaGraphs, tensors, options, system);
    if (written && options.check) {
        written = options.check(temporary());
    }
    if (written) {
        written = system.rename(temporary(), finalFolder());
    }
    if (!written) {
        static_cast<void>(removeTree(temporary(), system));
        return tl::make_unexpected(
            std::move(written).error().with(fmt::format("exporting to {}", base)));
    }
    CANNERY_TRY(system.syncFolder(base));
    return finalFolder();
}

} // namespace cannery::storage
