// SPDX-License-Identifier: Apache-2.0
#include "storage/tf/checkpoints/checkpoint_state.h"

#include "core/base/memory_guard.h"
#include "storage/io/atomic_write.h"
#include "storage/io/beneath.h"
#include "storage/io/files.h"
#include "storage/io/text_checksum.h"
#include "storage/tf/checkpoints/checkpoint_reader.h"
#include "storage/tf/proto_arena.h"
#include "storage/tf/proto_convert.h"
#include "storage/tf/schema/checkpoint_state.pb.h"

#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>

#include <algorithm>
#include <charconv>

namespace cannery::storage {

namespace {

constexpr std::size_t kMaxStateBytes = std::size_t{4} << 20U;

constexpr ErrorKind kStateDamaged{"checkpoint.state_damaged",
                                  "The file {} cannot be read: line {}: {}. Name a checkpoint, or "
                                  "resume training, which repairs the file."};

constexpr ErrorKind kOutside{"checkpoint.state_outside",
                             "The file {} names the checkpoint {}, which is not in its folder. "
                             "Delete the file, or name a checkpoint."};

/// Keeps the first problem.
class FirstError final : public google::protobuf::io::ErrorCollector
{
public:
    void AddError(int line, google::protobuf::io::ColumnNumber, const std::string& message) override
    {
        if (m_message.empty()) {
            m_line = line + 1;
            m_message = message;
        }
    }
    int line() const { return m_line; }
    const std::string& message() const { return m_message; }

private:
    int m_line = 0;
    std::string m_message;
};

std::string statePath(const std::string& folder)
{
    return joinPath(folder, "checkpoint");
}

/// Relative to the folder if it is below it.
std::string relativeTo(const std::string& folder, const std::string& path)
{
    const std::string prefix = joinPath(folder, "");
    return path.rfind(prefix, 0) == 0 ? path.substr(prefix.size()) : path;
}

/// The checkpoint meant by a name in the file: always below the folder.
Result<std::string> resolved(const std::string& folder, const std::string& name)
{
    const std::string below = relativeTo(folder, name);
    if (isNameBeneath(below)) {
        return joinPath(folder, below);
    }
    // An absolute path may be of a folder that was moved: its last part holds wherever that is now.
    const std::string last = baseName(name);
    if (name.empty() || name.front() != '/' || !isNameBeneath(last)) {
        return fail(ErrorCode::DataLoss, kOutside, statePath(folder), name);
    }
    return joinPath(folder, last);
}

Result<std::optional<CheckpointState>> readState(const std::string& folder)
{
    const std::string path = statePath(folder);
    if (!exists(path)) {
        return std::optional<CheckpointState>();
    }
    CANNERY_TRY_ASSIGN(const std::string text, readWholeFile(path, kMaxStateBytes));
    if (!hasSoundChecksum(text)) {
        return fail(ErrorCode::DataLoss, kStateDamaged, path, 2,
                    "the checksum does not match (delete its line after editing the file)");
    }
    FirstError problem;
    google::protobuf::TextFormat::Parser parser;
    parser.RecordErrorsTo(&problem);
    parser.SetRecursionLimit(kMaxMessageDepth);
    google::protobuf::Arena arena;
    tensorflow::CheckpointState& proto = detail::onArena<tensorflow::CheckpointState>(arena);
    if (!parser.ParseFromString(text, &proto)) {
        return fail(ErrorCode::DataLoss, kStateDamaged, path, problem.line(), problem.message());
    }
    if (proto.model_checkpoint_path().empty()) {
        return fail(ErrorCode::DataLoss, kStateDamaged, path, 1, "no model_checkpoint_path");
    }
    CheckpointState state;
    CANNERY_TRY_ASSIGN(state.latest, resolved(folder, proto.model_checkpoint_path()));
    for (const std::string& name : proto.all_model_checkpoint_paths()) {
        CANNERY_TRY_ASSIGN(std::string checkpoint, resolved(folder, name));
        state.all.push_back(std::move(checkpoint));
    }
    state.timestamps.assign(proto.all_model_checkpoint_timestamps().begin(),
                            proto.all_model_checkpoint_timestamps().end());
    state.lastPreserved = proto.last_preserved_timestamp();
    return std::optional(std::move(state));
}

} // namespace

Result<std::optional<CheckpointState>> readCheckpointState(const std::string& folder)
{
    return guardMemory(folder, [&] { return readState(folder); });
}

bool isOwnCheckpointState(const std::string& folder)
{
    const std::string path = statePath(folder);
    const auto text = guardMemory(
        folder, [&]() -> Result<std::string> { return readWholeFile(path, kMaxStateBytes); });
    return text && hasChecksumLine(*text) && hasSoundChecksum(*text);
}

Result<void> writeCheckpointState(const std::string& folder, const CheckpointState& state,
                                  FileSystem& system)
{
    tensorflow::CheckpointState proto;
    proto.set_model_checkpoint_path(relativeTo(folder, state.latest));
    for (const std::string& path : state.all) {
        proto.add_all_model_checkpoint_paths(relativeTo(folder, path));
    }
    proto.mutable_all_model_checkpoint_timestamps()->Add(state.timestamps.begin(),
                                                         state.timestamps.end());
    proto.set_last_preserved_timestamp(state.lastPreserved);
    // After the first line, which users' scripts parse as the newest checkpoint.
    const std::string text = detail::printText(proto);
    return writeFileAtomically(statePath(folder), withChecksumLine(text, text.find('\n') + 1),
                               system);
}

Result<std::optional<std::string>> latestCheckpoint(const std::string& folder)
{
    CANNERY_TRY_ASSIGN(const std::optional<CheckpointState> state, readCheckpointState(folder));
    // As tf.train.latest_checkpoint(), which finds nothing if the files are gone.
    if (!state || !checkpointExists(state->latest)) {
        return std::optional<std::string>();
    }
    return std::optional(state->latest);
}

std::optional<std::int64_t> checkpointStep(const std::string& prefix)
{
    const std::size_t dash = prefix.rfind('-');
    if (dash == std::string::npos) {
        return std::nullopt;
    }
    std::int64_t step = 0;
    const char* end = prefix.data() + prefix.size();
    const auto [stop, problem] = std::from_chars(prefix.data() + dash + 1, end, step);
    if (problem != std::errc() || stop != end || step < 0) {
        return std::nullopt;
    }
    return step;
}

} // namespace cannery::storage
