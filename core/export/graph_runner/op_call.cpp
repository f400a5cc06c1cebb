// SPDX-License-Identifier: Apache-2.0
#include "core/export/graph_runner/op_call.h"

#include "core/base/catalog.h"

#include <algorithm>

namespace cannery::exporting {

namespace {

constexpr ErrorKind kInvalid{"export.graph_invalid",
                             "The node {} ({}) of the exported graph {}; the export is unusable."};

constexpr ErrorKind kTooLarge{"export.graph_too_large",
                              "The node {} ({}) of the exported graph needs a tensor of shape {}, "
                              "which exceeds the limit of {} bytes per run."};

} // namespace

std::size_t heldBytes(const storage::HostTensor& tensor)
{
    std::size_t bytes = tensor.bytes.size() + tensor.strings.size() * sizeof(std::string);
    for (const std::string& text : tensor.strings) {
        bytes += text.size();
    }
    return bytes;
}

Result<std::int64_t> OpCall::room(const Shape& shape, std::size_t elementBytes) const
{
    bool isEmpty = false;
    for (const std::int64_t dim : shape.dims) {
        if (dim < 0) {
            return invalid("makes a tensor of shape " + shape.toString());
        }
        isEmpty = isEmpty || dim == 0;
    }
    // An empty tensor is fine however long its other dimensions are; their product is not computed.
    std::int64_t count = isEmpty ? 0 : 1;
    const std::size_t most = resources.bytesLeft / std::max<std::size_t>(elementBytes, 1);
    for (const std::int64_t dim : shape.dims) {
        // Divided instead of multiplied, so that no product overflows.
        if (count != 0 &&
            static_cast<std::uint64_t>(dim) > most / static_cast<std::size_t>(count)) {
            return fail(ErrorCode::ResourceExhausted, kTooLarge, node.name, node.op,
                        shape.toString(), kMaxRunBytes);
        }
        count *= dim;
    }
    return count;
}

Result<std::int64_t> OpCall::room(const Shape& shape, const storage::HostTensor& like) const
{
    // Texts count with the longest one, as each element of the result may be that one.
    std::size_t each = byteSize(like.dtype);
    if (like.dtype == DType::String) {
        for (const std::string& text : like.strings) {
            each = std::max(each, sizeof(std::string) + text.size());
        }
    }
    return room(shape, each);
}

Result<const storage::HostTensor*> OpCall::input(std::size_t index) const
{
    if (index >= inputs.size()) {
        return invalid(fmt::format("lacks its input {}", index));
    }
    return &inputs[index]->tensor;
}

Result<std::vector<std::int64_t>> OpCall::integers(std::size_t index) const
{
    CANNERY_TRY_ASSIGN(const storage::HostTensor* tensor, input(index));
    if (tensor->dtype == DType::Int64) {
        const auto values = tensor->values<std::int64_t>();
        return std::vector<std::int64_t>(values.begin(), values.end());
    }
    if (tensor->dtype == DType::Int32) {
        const auto values = tensor->values<std::int32_t>();
        return std::vector<std::int64_t>(values.begin(), values.end());
    }
    return invalid(fmt::format("has {} where integers belong", name(tensor->dtype)));
}

Result<std::int64_t> OpCall::integer(std::size_t index) const
{
    CANNERY_TRY_ASSIGN(const std::vector<std::int64_t> values, integers(index));
    if (values.size() != 1) {
        return invalid(fmt::format("has {} values where one belongs", values.size()));
    }
    return values.front();
}

tl::unexpected<Error> OpCall::invalid(const std::string& what) const
{
    return fail(ErrorCode::InvalidArgument, kInvalid, node.name, node.op, what);
}

OpFunction findOp(std::string_view name)
{
    for (const std::span<const OpRow> group :
         {arrayOps(), attentionOps(), conversionOps(), imageOps(), mathOps(), mergingOps(),
          parseOps(), reductionOps(), reshapingOps(), sequenceOps(), sparseOps(), stateOps()}) {
        if (const OpRow* row = findRow(group, name)) {
            return row->run;
        }
    }
    return nullptr;
}

} // namespace cannery::exporting
