// SPDX-License-Identifier: Apache-2.0
#include "core/export/graph_runner/op_call.h"
#include "core/export/graph_runner/strided.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace cannery::exporting {

using storage::HostTensor;

namespace {

Result<const HostTensor*> numbersIn(const OpCall& call, std::size_t index)
{
    CANNERY_TRY_ASSIGN(const HostTensor* tensor, call.input(index));
    if (tensor->dtype == DType::String) {
        return call.invalid("takes no texts");
    }
    return tensor;
}

Result<void> transpose(OpCall& call)
{
    CANNERY_TRY_ASSIGN(const HostTensor* tensor, numbersIn(call, 0));
    CANNERY_TRY_ASSIGN(const std::vector<std::int64_t> order, call.integers(1));
    std::vector<std::int64_t> sorted = order;
    std::sort(sorted.begin(), sorted.end());
    // The sorted order of a permutation is 0, 1, 2 …
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        if (sorted[i] != static_cast<std::int64_t>(i)) {
            return call.invalid("has not each dimension once");
        }
    }
    if (order.size() != tensor->shape.dims.size()) {
        return call.invalid("has not one place for each dimension");
    }
    HostTensor result{.dtype = tensor->dtype};
    const std::vector<std::int64_t> from = rowMajorStrides(tensor->shape);
    std::vector<std::int64_t> strides;
    for (const std::int64_t dimension : order) {
        result.shape.dims.push_back(tensor->shape.dims[static_cast<std::size_t>(dimension)]);
        strides.push_back(from[static_cast<std::size_t>(dimension)]);
    }
    const std::size_t size = byteSize(tensor->dtype);
    CANNERY_TRY_ASSIGN(const std::int64_t count, call.room(result.shape, size));
    result.bytes.resize(static_cast<std::size_t>(count) * size);
    Walk walk(result.shape, std::move(strides));
    for (std::size_t at = 0; at < result.bytes.size(); at += size) {
        std::memcpy(result.bytes.data() + at,
                    tensor->bytes.data() + static_cast<std::size_t>(walk.offset()) * size, size);
        walk.next();
    }
    call.give(std::move(result));
    return {};
}

/// Gives a tensor in equal parts along a dimension, each in this shape.
void giveParts(OpCall& call, const HostTensor& tensor, std::size_t axis, std::int64_t parts,
               const Shape& shape)
{
    // A run is contiguous in the source: the elements of one part at one outer index.
    const std::int64_t along = parts == 0 ? 0 : tensor.shape.dims[axis] / parts;
    const std::size_t run = static_cast<std::size_t>(rowMajorStrides(tensor.shape)[axis] * along) *
                            byteSize(tensor.dtype);
    for (std::int64_t index = 0; index < parts; ++index) {
        HostTensor part{.dtype = tensor.dtype, .shape = shape};
        for (std::size_t at = static_cast<std::size_t>(index) * run; at < tensor.bytes.size();
             at += run * static_cast<std::size_t>(parts)) {
            part.bytes.insert(part.bytes.end(),
                              tensor.bytes.begin() + static_cast<std::ptrdiff_t>(at),
                              tensor.bytes.begin() + static_cast<std::ptrdiff_t>(at + run));
        }
        call.give(std::move(part));
    }
}

/// More than any layer has gates: parts may be empty.
constexpr std::int64_t kMostParts = 16;

/// Equal parts along a dimension.
Result<void> split(OpCall& call)
{
    CANNERY_TRY_ASSIGN(std::int64_t axis, call.integer(0));
    CANNERY_TRY_ASSIGN(const HostTensor* tensor, numbersIn(call, 1));
    CANNERY_TRY_ASSIGN(const std::int64_t parts, call.attr<std::int64_t>("num_split"));
    axis += axis < 0 ? tensor->shape.rank() : 0;
    if (axis < 0 || axis >= tensor->shape.rank() || parts < 1 || parts > kMostParts ||
        tensor->shape.dims[static_cast<std::size_t>(axis)] % parts != 0) {
        return call.invalid("cannot be cut into that many parts");
    }
    CANNERY_TRY(call.room(tensor->shape, byteSize(tensor->dtype)));
    Shape part = tensor->shape;
    part.dims[static_cast<std::size_t>(axis)] /= parts;
    giveParts(call, *tensor, static_cast<std::size_t>(axis), parts, part);
    return {};
}

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
    CANNERY_TRY(call.room(tensor->shape, byteSize(tensor->dtype)));
    Shape part = tensor->shape;
    part.dims.erase(part.dims.begin() + axis);
    giveParts(call, *tensor, static_cast<std::size_t>(axis), count, part);
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

/// Replaces whole entries along the first dimension.
Result<void> scatterUpdate(OpCall& call)
{
    CANNERY_TRY_ASSIGN(const HostTensor* tensor, numbersIn(call, 0));
    CANNERY_TRY_ASSIGN(const std::vector<std::int64_t> places, call.integers(1));
    CANNERY_TRY_ASSIGN(const HostTensor* updates, numbersIn(call, 2));
    const Shape& listed = call.inputs[1]->tensor.shape;
    // Only updates of whole entries occur, as a loop writes the output of a step.
    const bool isByFirst = listed.rank() == 2 && listed.dims[1] == 1 && tensor->shape.rank() > 0;
    Shape wanted = tensor->shape;
    if (isByFirst) {
        wanted.dims[0] = static_cast<std::int64_t>(places.size());
    }
    if (!isByFirst || updates->shape != wanted || updates->dtype != tensor->dtype) {
        return call.invalid("has updates that do not fit its input");
    }
    CANNERY_TRY(call.room(tensor->shape, *tensor));
    HostTensor result = *tensor;
    const std::size_t width = places.empty() ? 0 : updates->bytes.size() / places.size();
    for (std::size_t i = 0; i < places.size(); ++i) {
        if (places[i] < 0 || places[i] >= tensor->shape.dims[0]) {
            return call.invalid("updates an entry that is not there");
        }
        std::copy_n(updates->bytes.begin() + static_cast<std::ptrdiff_t>(i * width), width,
                    result.bytes.begin() + places[i] * static_cast<std::ptrdiff_t>(width));
    }
    call.give(std::move(result));
    return {};
}

/// A value within a loop: see while_loop.h.
Result<void> passOn(OpCall& call)
{
    CANNERY_TRY(call.input(0));
    call.outputs.push_back(*call.inputs[0]);
    return {};
}

Result<void> outsideOfLoop(OpCall& call)
{
    return call.invalid("belongs to no loop");
}

constexpr std::array kOps{
    OpRow{"Enter", passOn},
    OpRow{"Exit", outsideOfLoop},
    OpRow{"LoopCond", passOn},
    OpRow{"Merge", outsideOfLoop},
    OpRow{"NextIteration", passOn},
    OpRow{"ReverseSequence", reverseSequence},
    OpRow{"Split", split},
    OpRow{"Switch", outsideOfLoop},
    OpRow{"TensorScatterUpdate", scatterUpdate},
    OpRow{"Transpose", transpose},
    OpRow{"Unpack", unpack},
};

} // namespace

std::span<const OpRow> sequenceOps()
{
    return kOps;
}

} // namespace cannery::exporting
