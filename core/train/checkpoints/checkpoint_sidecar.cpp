// SPDX-License-Identifier: Apache-2.0
#include "core/train/checkpoints/checkpoint_sidecar.h"

#include "storage/io/atomic_write.h"
#include "storage/io/files.h"
#include "storage/io/text_checksum.h"
#include "storage/tf/checkpoints/checkpoint_state.h"

#include <charconv>
#include <string_view>

namespace cannery::train {
namespace {

constexpr ErrorKind kDamaged{"train.sidecar_damaged",
                             "{} is damaged or belongs to another checkpoint; delete it to resume "
                             "from the checkpoint with the input at its start."};

/// Removes "<key> <value>\n" from the beginning of a text.
bool takeLine(std::string_view& text, std::string_view key, std::string& value)
{
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos || !text.starts_with(key)) {
        return false;
    }
    std::string_view rest = text.substr(key.size(), end - key.size());
    // The line may end after its key, as "input" does.
    if (!rest.empty() && rest.front() == ' ') {
        rest.remove_prefix(1);
    }
    value = rest;
    text.remove_prefix(end + 1);
    return true;
}

/// Removes the first line and, since version 2, the checksum of everything after it.
bool takeHeader(std::string_view& text)
{
    std::string version;
    std::string checksum;
    if (!takeLine(text, "cannery_checkpoint", version)) {
        return false;
    }
    // Version 1 was written without a checksum and is still read.
    return version == "1" || (version == "2" && takeLine(text, "crc32c", checksum) &&
                              checksum == storage::checksumText(text));
}

std::optional<CheckpointSidecar> parse(std::string_view text)
{
    CheckpointSidecar sidecar;
    std::string step;
    std::string nothing;
    if (!takeHeader(text) || !takeLine(text, "global_step", step) ||
        !takeLine(text, "data_fingerprint", sidecar.dataFingerprint) ||
        !takeLine(text, "engine", sidecar.engine) || !takeLine(text, "input", nothing)) {
        return std::nullopt;
    }
    const auto [end, code] =
        std::from_chars(step.data(), step.data() + step.size(), sidecar.globalStep);
    if (code != std::errc() || end != step.data() + step.size()) {
        return std::nullopt;
    }
    // Everything else is the input's own text.
    sidecar.input = text;
    return sidecar;
}

} // namespace

std::string sidecarPath(const std::string& checkpointPrefix)
{
    return checkpointPrefix + ".cannery";
}

Result<void> writeSidecar(const std::string& checkpointPrefix, const CheckpointSidecar& sidecar,
                          storage::FileSystem& system)
{
    const std::string text =
        fmt::format("global_step {}\ndata_fingerprint {}\nengine {}\ninput\n{}", sidecar.globalStep,
                    sidecar.dataFingerprint, sidecar.engine, sidecar.input);
    return storage::writeFileAtomically(
        sidecarPath(checkpointPrefix),
        // The checksum is above what it covers, so that one pass reads the file.
        fmt::format("cannery_checkpoint 2\ncrc32c {}\n{}", storage::checksumText(text), text),
        system);
}

Result<std::optional<CheckpointSidecar>> readSidecar(const std::string& checkpointPrefix)
{
    const std::string path = sidecarPath(checkpointPrefix);
    if (!storage::exists(path)) {
        return std::nullopt;
    }
    // A sidecar is a few lines; a limit keeps a damaged folder from filling the memory.
    CANNERY_TRY_ASSIGN(const std::string text, storage::readWholeFile(path, 1U << 20U));
    std::optional<CheckpointSidecar> sidecar = parse(text);
    // A sidecar that was copied along with another checkpoint's files names the wrong step.
    if (!sidecar || sidecar->globalStep != storage::checkpointStep(checkpointPrefix)) {
        return fail(ErrorCode::DataLoss, kDamaged, path);
    }
    return sidecar;
}

} // namespace cannery::train
