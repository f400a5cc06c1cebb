// SPDX-License-Identifier: Apache-2.0
#include "storage/tf/graphs/graph_def_reader.h"
#include "tests/fuzz/fuzz_support.h"
#include "tests/fuzz/fuzz_targets.h"

namespace cannery::tests {

using namespace cannery::storage;

namespace {

/// Every constant has as many values as its shape says.
void checkNodes(const Result<std::vector<GraphNode>>& nodes)
{
    if (!nodes) {
        return;
    }
    for (const GraphNode& node : *nodes) {
        for (const auto& [name, attr] : node.attrs) {
            if (const auto* tensor = std::get_if<HostTensor>(&attr.value())) {
                const auto count = static_cast<std::size_t>(tensor->shape.elementCount());
                FUZZ_REQUIRE(tensor->dtype == DType::String
                                 ? tensor->strings.size() == count
                                 : tensor->bytes.size() == count * byteSize(tensor->dtype));
            }
        }
    }
}

} // namespace

/// A serialized GraphDef.
void fuzzGraphDef(std::string_view bytes)
{
    checkNodes(readGraphDef(bytes));
}

/// The same as protobuf text.
void fuzzGraphDefText(std::string_view bytes)
{
    checkNodes(readGraphDefText(std::string(bytes)));
}

} // namespace cannery::tests
