// SPDX-License-Identifier: Apache-2.0
#include "core/plan/variables.h"

#include "core/plan/weights/initial_values.h"
#include "storage/tf/checkpoints/checkpoint_reader.h"
#include "storage/tf/checkpoints/checkpoint_state.h"

#include <algorithm>

namespace cannery::plan {

namespace {

constexpr ErrorKind kNoCheckpoint{
    "plan.no_initial_checkpoint",
    "There is no checkpoint at '{}' to initialize '{}' from; check ckpt_to_load_from."};

Result<void> load(const graph::Variable& variable, const std::filesystem::path& folder,
                  std::span<float> values)
{
    const std::string path = (folder / variable.initialCheckpoint.path).string();
    std::string prefix = path;
    if (std::filesystem::is_directory(path)) {
        CANNERY_TRY_ASSIGN(const std::optional<std::string> latest,
                           storage::latestCheckpoint(path));
        prefix = latest.value_or(path);
    }
    if (!storage::checkpointExists(prefix)) {
        return fail(ErrorCode::NotFound, kNoCheckpoint, path, variable.name);
    }
    CANNERY_TRY_ASSIGN(const storage::CheckpointReader reader,
                       storage::CheckpointReader::open(prefix));
    auto read = reader.readInto(variable.initialCheckpoint.name, DType::Float32, variable.shape,
                                std::as_writable_bytes(values));
    if (!read) {
        return tl::make_unexpected(
            std::move(read).error().with("reading the initial values of " + variable.name));
    }
    return {};
}

} // namespace

Result<Variables> Variables::create(const graph::LayerGraph& graph, std::uint64_t seed,
                                    const std::filesystem::path& folder,
                                    std::span<const std::int64_t> cellSizes)
{
    Variables variables;
    for (std::size_t index = 0; index < graph.variables.size(); ++index) {
        const graph::Variable& variable = graph.variables[index];
        const std::int64_t count = variable.shape.elementCount();
        const bool table = variable.shape.rank() == 2;
        const std::int64_t rows = table ? variable.shape.dims[0] : 1;
        const std::int64_t cols = table ? variable.shape.dims[1] : count;
        const std::int64_t stride = std::max(cols, cellSizes[index]);
        variables.m_places.push_back({.offset = variables.m_arena.add(rows * stride),
                                      .rows = rows,
                                      .cols = cols,
                                      .stride = stride});
    }
    variables.m_arena.allocate();
    for (std::size_t index = 0; index < graph.variables.size(); ++index) {
        const graph::Variable& variable = graph.variables[index];
        if (cellSizes[index] > 0) {
            continue; // zeros
        }
        const std::span<float> values = variables.span(static_cast<graph::VariableId>(index));
        if (variable.initialCheckpoint.path.empty()) {
            drawInitialValues(variable, seed, values);
        } else {
            CANNERY_TRY(load(variable, folder, values));
        }
    }
    return variables;
}

kernels::MatrixView Variables::values(graph::VariableId id)
{
    const Place& place = m_places[static_cast<std::size_t>(id)];
    return {m_arena.at(place.offset), place.rows, place.cols, place.stride};
}

} // namespace cannery::plan
