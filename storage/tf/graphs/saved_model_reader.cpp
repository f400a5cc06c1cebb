// SPDX-License-Identifier: Apache-2.0
#include "storage/tf/graphs/saved_model_reader.h"

#include "core/base/memory_guard.h"
#include "storage/io/files.h"
#include "storage/tf/checkpoints/checkpoint_reader.h"
#include "storage/tf/graphs/meta_graph_codec.h"
#include "storage/tf/graphs/saved_model_checksums.h"
#include "storage/tf/proto_arena.h"
#include "storage/tf/proto_convert.h"
#include "storage/tf/schema/saved_model.pb.h"

namespace cannery::storage {

namespace {

constexpr std::string_view kBinaryFile = "saved_model.pb";
constexpr std::string_view kTextFile = "saved_model.pbtxt";

constexpr ErrorKind kNoSavedModel{
    "saved_model.missing", "There is no SavedModel in {}: neither saved_model.pb nor .pbtxt."};
constexpr ErrorKind kSavedModelDamaged{
    "saved_model.damaged", "The file {} is not a SavedModel, or is damaged. Export it again."};

Result<SavedModelContent> contentOf(const std::string& folder)
{
    const std::string binary = joinPath(folder, kBinaryFile);
    const std::string text = joinPath(folder, kTextFile);
    const bool isBinary = exists(binary);
    if (!isBinary && !exists(text)) {
        return fail(ErrorCode::NotFound, kNoSavedModel, folder);
    }
    // As in TensorFlow, the binary file comes first if there are both.
    const std::string& path = isBinary ? binary : text;
    CANNERY_TRY_ASSIGN(const std::string bytes, readWholeFile(path, kMaxMessageBytes));
    CANNERY_TRY_ASSIGN(const detail::FileChecksums checksums, detail::readChecksums(folder));
    CANNERY_TRY(detail::compareChecksum(folder, baseName(path), bytes, checksums));
    google::protobuf::Arena arena;
    tensorflow::SavedModel& proto = detail::onArena<tensorflow::SavedModel>(arena);
    CANNERY_TRY_ASSIGN(const bool parsed, isBinary ? detail::parseMessage(bytes, proto)
                                                   : detail::parseText(bytes, proto));
    if (!parsed || proto.meta_graphs_size() == 0) {
        return fail(ErrorCode::DataLoss, kSavedModelDamaged, path);
    }
    SavedModelContent content;
    for (const tensorflow::MetaGraphDef& metaGraph : proto.meta_graphs()) {
        CANNERY_TRY_ASSIGN(MetaGraph read, detail::fromProto(metaGraph));
        content.metaGraphs.push_back(std::move(read));
    }
    const std::string prefix = joinPath(folder, "variables/variables");
    if (checkpointExists(prefix)) {
        content.checkpointPrefix = prefix;
    }
    return content;
}

} // namespace

bool isSavedModel(const std::string& folder)
{
    return exists(joinPath(folder, kBinaryFile)) || exists(joinPath(folder, kTextFile));
}

Result<SavedModelContent> readSavedModel(const std::string& folder)
{
    return guardMemory(folder, [&] { return contentOf(folder); });
}

} // namespace cannery::storage
