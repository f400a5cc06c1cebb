// SPDX-License-Identifier: Apache-2.0
#include "core/export/graph_runner/op_call.h"
#include "core/export/graph_runner/strided.h"

#include <algorithm>
#include <array>

namespace cannery::exporting {

using storage::HostTensor;

namespace {

/// More steps than a network that is unrolled can have: each is some nodes of the graph.
constexpr std::int64_t kMostUnpacked = 1 << 20;

/// The places along one dimension as tensors of their own.
Result<void> unpack(OpCall& call)
{
    CANNERY_TRY_ASSIGN(const HostTensor* tensor, call.input(0));
    CANNERY_TRY_ASSIGN(const std::int64_t count, call.attr<std::int64_t>("num"));
    std::int64_t axis = call.attrOr("axis", std::int64_t{0});
    axis += axis < 0 ? tensor->shape.rank() : 0;
    if (tensor->dtype == DType::String || axis < 0 || axis >= tensor->shape.rank() || count < 0 ||
        count > kMostUnpacked || tensor->shape.dims[static_cast<std::size_t>(axis)] != count) {
        return call.invalid("cannot be taken apart into that many tensors");
    }
    const std::size_t size = byteSize(tensor->dtype);
    CANNERY_TRY(call.room(tensor->shape, size));
    HostTensor part{.dtype = tensor->dtype, .shape = tensor->shape};
    part.shape.dims.erase(part.shape.dims.begin() + axis);
    // What is contiguous in the source: the elements of one place of the outer dimensions.
    const std::size_t run =
        static_cast<std::size_t>(rowMajorStrides(tensor->shape)[static_cast<std::size_t>(axis)]) *
        size;
    for (std::int64_t index = 0; index < count; ++index) {
        HostTensor cut = part;
        for (std::size_t at = static_cast<std::size_t>(index) * run; at < tensor->bytes.size();
             at += run * static_cast<std::size_t>(count)) {
            cut.bytes.insert(cut.bytes.end(),
                             tensor->bytes.begin() + static_cast<std::ptrdiff_t>(at),
                             tensor->bytes.begin() + static_cast<std::ptrdiff_t>(at + run));
        }
        call.give(std::move(cut));
    }
    return {};
}

/// The first entries of each row, as many as its length, from the last to the first. Rows are
/// dimension 0, entries dimension 1: nothing else is emitted.
Result<void> reverseSequence(OpCall& call)
{
    CANNERY_TRY_ASSIGN(const HostTensor* tensor, call.input(0));
    CANNERY_TRY_ASSIGN(const std::vector<std::int64_t> lengths, call.integers(1));
    const std::vector<std::int64_t>& dims = tensor->shape.dims;
    const bool isByRow = call.attrOr("seq_dim", std::int64_t{0}) == 1 &&
                         call.attrOr("batch_dim", std::int64_t{0}) == 0;
    if (tensor->dtype == DType::String || !isByRow || dims.size() < 2 ||
        static_cast<std::int64_t>(lengths.size()) != dims[0]) {
        return call.invalid("has no rows of steps with a length for each");
    }
    CANNERY_TRY(call.room(tensor->shape, *tensor));
    HostTensor result = *tensor;
    const std::size_t run =
        static_cast<std::size_t>(rowMajorStrides(tensor->shape)[1]) * byteSize(tensor->dtype);
    for (std::size_t row = 0; row < lengths.size(); ++row) {
        if (lengths[row] < 0 || lengths[row] > dims[1]) {
            return call.invalid("has a row that is longer than its tensor");
        }
        const std::size_t first = row * static_cast<std::size_t>(dims[1]);
        const auto count = static_cast<std::size_t>(lengths[row]);
        for (std::size_t step = 0; step < count; ++step) {
            std::copy_n(tensor->bytes.begin() +
                            static_cast<std::ptrdiff_t>((first + count - 1 - step) * run),
                        run,
                        result.bytes.begin() + static_cast<std::ptrdiff_t>((first + step) * run));
        }
    }
    call.give(std::move(result));
    return {};
}

constexpr std::array kRecurrentOps{
    OpRow{"ReverseSequence", reverseSequence},
    OpRow{"Unpack", unpack},
};

} // namespace

std::span<const OpRow> recurrentOps()
{
    return kRecurrentOps;
}

} // namespace cannery::exporting
