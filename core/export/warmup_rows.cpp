// SPDX-License-Identifier: Apache-2.0
#include "core/export/warmup_rows.h"

#include "core/export/graph_runner/parsed_keys.h"
#include "core/export/served_rows.h"

#include <cstddef>
#include <map>
#include <optional>
#include <string>

namespace cannery::exporting {

namespace {

constexpr ErrorKind kLacksFeature{
    "export.warmup_features",
    "The table lacks an input of the exported model, so its rows cannot be warm-up requests: set "
    "warmup_rows to 0, or leave the feature out of receiver_features."};

const std::string kPredict = "predict";

/// One row of a tensor, as a batch of one.
/// TensorFlow Serving replays each request by itself; one row is the smallest.
storage::HostTensor rowOf(const storage::HostTensor& tensor, std::size_t row)
{
    storage::HostTensor one{.dtype = tensor.dtype, .shape = tensor.shape};
    const auto rows = static_cast<std::size_t>(tensor.shape.dims.front());
    one.shape.dims.front() = 1;
    const auto slice = [&](const auto& all, auto& some) {
        const std::size_t size = all.size() / rows;
        const auto first = all.begin() + static_cast<std::ptrdiff_t>(row * size);
        some.assign(first, first + static_cast<std::ptrdiff_t>(size));
    };
    slice(tensor.bytes, one.bytes);
    slice(tensor.strings, one.strings);
    return one;
}

} // namespace

Result<std::vector<storage::WarmupRequest>> warmupRequests(const storage::MetaGraph& metaGraph,
                                                           std::span<const data::FeatureBatch> rows,
                                                           features::Receiver receiver,
                                                           const std::set<std::string>& numbers)
{
    std::vector<storage::WarmupRequest> requests;
    auto signature = metaGraph.signatures.find(kPredict);
    // k-means has no "predict", so its first signature is used.
    signature = signature == metaGraph.signatures.end() ? metaGraph.signatures.begin() : signature;
    if (signature == metaGraph.signatures.end()) {
        return requests;
    }
    CANNERY_TRY_ASSIGN(const std::vector<storage::GraphNode> nodes,
                       storage::readGraphDef(metaGraph.graph));
    const std::map<std::string, DType> keys = parsedKeys(nodes);
    for (const data::FeatureBatch& batch : rows) {
        const std::optional<ServedRows> served =
            receiver == features::Receiver::Parsing
                ? servedExamples(batch, keys)
                : servedTensors(batch, signature->second.inputs, numbers);
        if (!served) {
            return fail(ErrorCode::NotFound, kLacksFeature);
        }
        for (std::size_t row = 0; row < served->rows.size(); ++row) {
            storage::WarmupRequest& request = requests.emplace_back();
            request.signature = signature->first;
            for (const auto& [key, tensor] : served->inputs) {
                request.inputs[key] = rowOf(tensor, row);
            }
        }
    }
    return requests;
}

} // namespace cannery::exporting
