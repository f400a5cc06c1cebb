// SPDX-License-Identifier: Apache-2.0
#include "core/export/graph_runner/op_call.h"
#include "core/export/graph_runner/strided.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <iterator>
#include <numeric>

namespace cannery::exporting {

using storage::HostTensor;

namespace {

/// A permutation or selection of a tensor's elements: element i of the result is element from(i).
template <typename From>
HostTensor rearranged(const HostTensor& source, const Shape& shape, const From& from)
{
    const auto count = static_cast<std::size_t>(shape.elementCount());
    HostTensor result{.dtype = source.dtype, .shape = shape};
    if (source.dtype == DType::String) {
        result.strings.reserve(count);
        for (std::size_t i = 0; i < count; ++i) {
            result.strings.push_back(source.strings[static_cast<std::size_t>(from(i))]);
        }
        return result;
    }
    const std::size_t size = byteSize(source.dtype);
    result.bytes.resize(count * size);
    for (std::size_t i = 0; i < count; ++i) {
        std::memcpy(result.bytes.data() + i * size,
                    source.bytes.data() + static_cast<std::size_t>(from(i)) * size, size);
    }
    return result;
}

/// Appends the elements [first, first + count) of a tensor of the same dtype.
void append(HostTensor& target, const HostTensor& source, std::int64_t first, std::int64_t count)
{
    if (source.dtype == DType::String) {
        target.strings.insert(target.strings.end(), source.strings.begin() + first,
                              source.strings.begin() + first + count);
        return;
    }
    const auto size = static_cast<std::int64_t>(byteSize(source.dtype));
    target.bytes.insert(target.bytes.end(), source.bytes.begin() + first * size,
                        source.bytes.begin() + (first + count) * size);
}

HostTensor walked(const HostTensor& source, const Shape& shape, std::vector<std::int64_t> strides,
                  std::int64_t origin)
{
    Walk walk(shape, std::move(strides));
    return rearranged(source, shape, [&](std::size_t) {
        const std::int64_t place = origin + walk.offset();
        walk.next();
        return place;
    });
}

Result<void> shape(OpCall& call)
{
    CANNERY_TRY_ASSIGN(const HostTensor* tensor, call.input(0));
    if (call.attrOr("out_type", DType::Int32) == DType::Int64) {
        call.give(HostTensor::of(tensor->shape.dims));
    } else {
        call.give(HostTensor::of(
            std::vector<std::int32_t>(tensor->shape.dims.begin(), tensor->shape.dims.end())));
    }
    return {};
}

Result<void> reshape(OpCall& call)
{
    CANNERY_TRY_ASSIGN(const HostTensor* tensor, call.input(0));
    CANNERY_TRY_ASSIGN(std::vector<std::int64_t> dims, call.integers(1));
    const std::int64_t count = tensor->shape.elementCount();
    Shape known;
    std::copy_if(dims.begin(), dims.end(), std::back_inserter(known.dims),
                 [](std::int64_t dimension) { return dimension != -1; });
    CANNERY_TRY_ASSIGN(const std::int64_t fixed, call.room(known, *tensor));
    const std::size_t open = dims.size() - known.dims.size();
    if (open > 1 || (fixed == 0 ? count != 0 : count % fixed != 0) ||
        (open == 0 && fixed != count)) {
        return call.invalid("cannot give its input that shape");
    }
    std::replace(dims.begin(), dims.end(), std::int64_t{-1}, fixed == 0 ? 0 : count / fixed);
    HostTensor result = *tensor;
    result.shape = Shape(std::move(dims));
    call.give(std::move(result));
    return {};
}

Result<void> expandDims(OpCall& call)
{
    CANNERY_TRY_ASSIGN(const HostTensor* tensor, call.input(0));
    CANNERY_TRY_ASSIGN(std::int64_t axis, call.integer(1));
    const auto rank = static_cast<std::int64_t>(tensor->shape.rank());
    axis += axis < 0 ? rank + 1 : 0;
    if (axis < 0 || axis > rank) {
        return call.invalid("has an axis beyond its input");
    }
    HostTensor result = *tensor;
    result.shape.dims.insert(result.shape.dims.begin() + axis, 1);
    call.give(std::move(result));
    return {};
}

Result<void> pack(OpCall& call)
{
    CANNERY_TRY_ASSIGN(const HostTensor* first, call.input(0));
    if (call.attrOr("axis", std::int64_t{0}) != 0) {
        return call.invalid("packs along another axis than the first");
    }
    HostTensor result{.dtype = first->dtype, .shape = first->shape};
    result.shape.dims.insert(result.shape.dims.begin(),
                             static_cast<std::int64_t>(call.inputs.size()));
    for (std::size_t i = 0; i < call.inputs.size(); ++i) {
        CANNERY_TRY_ASSIGN(const HostTensor* tensor, call.input(i));
        if (tensor->dtype != first->dtype || tensor->shape != first->shape) {
            return call.invalid("packs tensors that differ in shape or type");
        }
        CANNERY_TRY(call.room(result.shape, *tensor));
        append(result, *tensor, 0, tensor->shape.elementCount());
    }
    call.give(std::move(result));
    return {};
}

Result<void> tile(OpCall& call)
{
    CANNERY_TRY_ASSIGN(const HostTensor* tensor, call.input(0));
    CANNERY_TRY_ASSIGN(const std::vector<std::int64_t> multiples, call.integers(1));
    const Shape& from = tensor->shape;
    if (multiples.size() != from.dims.size()) {
        return call.invalid("has not one multiple for each dimension");
    }
    Shape shape = from;
    for (std::size_t i = 0; i < multiples.size(); ++i) {
        if (__builtin_mul_overflow(shape.dims[i], multiples[i], &shape.dims[i])) {
            return call.invalid("repeats its input too often");
        }
    }
    CANNERY_TRY(call.room(shape, *tensor));
    const std::vector<std::int64_t> source = rowMajorStrides(from);
    const std::vector<std::int64_t> target = rowMajorStrides(shape);
    call.give(rearranged(*tensor, shape, [&](std::size_t index) {
        std::int64_t place = 0;
        for (std::size_t i = 0; i < source.size(); ++i) {
            const std::int64_t at = static_cast<std::int64_t>(index) / target[i] % shape.dims[i];
            place += at % from.dims[i] * source[i];
        }
        return place;
    }));
    return {};
}

Result<void> fill(OpCall& call)
{
    CANNERY_TRY_ASSIGN(std::vector<std::int64_t> dims, call.integers(0));
    CANNERY_TRY_ASSIGN(const HostTensor* value, call.input(1));
    const Shape shape(std::move(dims));
    CANNERY_TRY(call.room(shape, *value));
    if (value->shape.elementCount() != 1) {
        return call.invalid("fills with something else than one value");
    }
    call.give(rearranged(*value, shape, [](std::size_t) { return 0; }));
    return {};
}

/// For one dimension: its first index, its length, and whether it is removed.
struct SliceRange
{
    std::int64_t begin = 0;
    std::int64_t size = 0;
    bool shrinks = false;
};

HostTensor sliced(const HostTensor& tensor, const std::vector<SliceRange>& ranges)
{
    const std::vector<std::int64_t> own = rowMajorStrides(tensor.shape);
    Shape shape;
    std::vector<std::int64_t> strides;
    std::int64_t origin = 0;
    for (std::size_t i = 0; i < own.size(); ++i) {
        const SliceRange range =
            i < ranges.size() ? ranges[i] : SliceRange{.size = tensor.shape.dims[i]};
        origin += range.begin * own[i];
        if (!range.shrinks) {
            shape.dims.push_back(range.size);
            strides.push_back(own[i]);
        }
    }
    return walked(tensor, shape, std::move(strides), origin);
}

/// Number of dimensions that a mask of 64 bits can distinguish.
constexpr std::size_t kMaskBits = 63;

Result<void> stridedSlice(OpCall& call)
{
    CANNERY_TRY_ASSIGN(const HostTensor* tensor, call.input(0));
    CANNERY_TRY_ASSIGN(const std::vector<std::int64_t> begin, call.integers(1));
    CANNERY_TRY_ASSIGN(const std::vector<std::int64_t> end, call.integers(2));
    CANNERY_TRY_ASSIGN(const std::vector<std::int64_t> strides, call.integers(3));
    const auto mask = [&](const char* name) { return call.attrOr(name, std::int64_t{0}); };
    if (mask("ellipsis_mask") != 0 || mask("new_axis_mask") != 0 ||
        begin.size() > std::min(tensor->shape.dims.size(), kMaskBits) ||
        end.size() != begin.size() || strides.size() != begin.size()) {
        return call.invalid("slices in a way that is not known");
    }
    std::vector<SliceRange> ranges;
    for (std::size_t i = 0; i < begin.size(); ++i) {
        const std::int64_t bit = std::int64_t{1} << i;
        const std::int64_t size = tensor->shape.dims[i];
        const auto place = [size](std::int64_t at) {
            return std::clamp<std::int64_t>(at < 0 ? at + size : at, 0, size);
        };
        const std::int64_t from = (mask("begin_mask") & bit) != 0 ? 0 : place(begin[i]);
        const std::int64_t to = (mask("end_mask") & bit) != 0 ? size : place(end[i]);
        const bool shrinks = (mask("shrink_axis_mask") & bit) != 0;
        if (strides[i] != 1 || (shrinks && (from >= size || begin[i] < -size))) {
            return call.invalid("slices in a way that is not known");
        }
        ranges.push_back({.begin = from,
                          .size = shrinks ? 1 : std::max<std::int64_t>(0, to - from),
                          .shrinks = shrinks});
    }
    call.give(sliced(*tensor, ranges));
    return {};
}

Result<void> slice(OpCall& call)
{
    CANNERY_TRY_ASSIGN(const HostTensor* tensor, call.input(0));
    CANNERY_TRY_ASSIGN(const std::vector<std::int64_t> begin, call.integers(1));
    CANNERY_TRY_ASSIGN(const std::vector<std::int64_t> size, call.integers(2));
    const std::size_t rank = tensor->shape.dims.size();
    if (begin.size() != rank || size.size() != rank) {
        return call.invalid("has not one beginning and size for each dimension");
    }
    std::vector<SliceRange> ranges;
    for (std::size_t i = 0; i < rank; ++i) {
        const std::int64_t all = tensor->shape.dims[i];
        const std::int64_t count =
            size[i] == -1 ? all - std::clamp<std::int64_t>(begin[i], 0, all) : size[i];
        if (begin[i] < 0 || begin[i] > all || count < 0 || count > all - begin[i]) {
            return call.invalid("slices beyond its input");
        }
        ranges.push_back({.begin = begin[i], .size = count});
    }
    call.give(sliced(*tensor, ranges));
    return {};
}

Result<void> concat(OpCall& call)
{
    const std::size_t count = call.inputs.size() - 1;
    CANNERY_TRY_ASSIGN(std::int64_t axis, call.integer(count));
    CANNERY_TRY_ASSIGN(const HostTensor* first, call.input(0));
    axis += axis < 0 ? first->shape.rank() : 0;
    if (axis < 0 || axis >= first->shape.rank() || count == 0) {
        return call.invalid("has an axis beyond its inputs");
    }
    const auto at = static_cast<std::size_t>(axis);
    HostTensor result{.dtype = first->dtype, .shape = first->shape};
    result.shape.dims[at] = 0;
    for (std::size_t i = 0; i < count; ++i) {
        CANNERY_TRY_ASSIGN(const HostTensor* tensor, call.input(i));
        Shape same = tensor->shape;
        if (same.rank() == first->shape.rank()) {
            same.dims[at] = first->shape.dims[at];
        }
        std::int64_t& length = result.shape.dims[at];
        if (tensor->dtype != first->dtype || same != first->shape ||
            __builtin_add_overflow(length, tensor->shape.dims[at], &length)) {
            return call.invalid("joins tensors that do not fit together");
        }
        CANNERY_TRY(call.room(result.shape, *tensor));
    }
    Shape outside;
    outside.dims.assign(result.shape.dims.begin(), result.shape.dims.begin() + axis);
    const std::int64_t outer = result.shape.elementCount() == 0 ? 0 : outside.elementCount();
    for (std::int64_t block = 0; block < outer; ++block) {
        for (std::size_t i = 0; i < count; ++i) {
            const HostTensor& tensor = call.inputs[i]->tensor;
            const std::int64_t length = tensor.shape.elementCount() / outer;
            append(result, tensor, block * length, length);
        }
    }
    call.give(std::move(result));
    return {};
}

Result<void> gather(OpCall& call)
{
    CANNERY_TRY_ASSIGN(const HostTensor* params, call.input(0));
    CANNERY_TRY_ASSIGN(const HostTensor* indices, call.input(1));
    CANNERY_TRY_ASSIGN(const std::vector<std::int64_t> places, call.integers(1));
    CANNERY_TRY_ASSIGN(const std::int64_t axis, call.integer(2));
    if (axis != 0 || params->shape.rank() < 1 || call.attrOr("batch_dims", std::int64_t{0}) != 0) {
        return call.invalid("gathers along another axis than the first");
    }
    const std::int64_t rows = params->shape.dims[0];
    const std::int64_t width = rows == 0 ? 0 : params->shape.elementCount() / rows;
    HostTensor result{.dtype = params->dtype, .shape = indices->shape};
    result.shape.dims.insert(result.shape.dims.end(), params->shape.dims.begin() + 1,
                             params->shape.dims.end());
    CANNERY_TRY(call.room(result.shape, *params));
    for (const std::int64_t place : places) {
        if (place < 0 || place >= rows) {
            return call.invalid("gathers a row that is not there");
        }
        append(result, *params, place * width, width);
    }
    call.give(std::move(result));
    return {};
}

Result<void> gatherNd(OpCall& call)
{
    CANNERY_TRY_ASSIGN(const HostTensor* params, call.input(0));
    CANNERY_TRY_ASSIGN(const HostTensor* indices, call.input(1));
    CANNERY_TRY_ASSIGN(const std::vector<std::int64_t> places, call.integers(1));
    const Shape& from = params->shape;
    const std::int64_t depth = indices->shape.rank() == 0 ? 0 : indices->shape.dims.back();
    if (depth < 1 || depth > from.rank()) {
        return call.invalid("has indices that do not fit its input");
    }
    const std::vector<std::int64_t> strides = rowMajorStrides(from);
    const std::int64_t width = strides[static_cast<std::size_t>(depth - 1)];
    HostTensor result{.dtype = params->dtype};
    result.shape.dims.assign(indices->shape.dims.begin(), indices->shape.dims.end() - 1);
    result.shape.dims.insert(result.shape.dims.end(), from.dims.begin() + depth, from.dims.end());
    CANNERY_TRY(call.room(result.shape, *params));
    for (std::size_t i = 0; i < places.size(); i += static_cast<std::size_t>(depth)) {
        std::int64_t offset = 0;
        for (std::size_t k = 0; k < static_cast<std::size_t>(depth); ++k) {
            if (places[i + k] < 0 || places[i + k] >= from.dims[k]) {
                return call.invalid("gathers an element that is not there");
            }
            offset += places[i + k] * strides[k];
        }
        append(result, *params, offset, width);
    }
    call.give(std::move(result));
    return {};
}

Result<void> where(OpCall& call)
{
    CANNERY_TRY_ASSIGN(const HostTensor* tensor, call.input(0));
    CANNERY_TRY_ASSIGN(const auto values, call.values<bool>(0));
    const std::vector<std::int64_t> strides = rowMajorStrides(tensor->shape);
    std::vector<std::int64_t> places;
    std::int64_t count = 0;
    CANNERY_TRY(call.room(Shape{static_cast<std::int64_t>(values.size()), tensor->shape.rank()},
                          sizeof(std::int64_t)));
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!values[i]) {
            continue;
        }
        ++count;
        for (std::size_t k = 0; k < strides.size(); ++k) {
            places.push_back(static_cast<std::int64_t>(i) / strides[k] % tensor->shape.dims[k]);
        }
    }
    call.give(HostTensor::of(places, Shape{count, tensor->shape.rank()}));
    return {};
}

Result<void> range(OpCall& call)
{
    CANNERY_TRY_ASSIGN(const std::int64_t start, call.integer(0));
    CANNERY_TRY_ASSIGN(const std::int64_t limit, call.integer(1));
    CANNERY_TRY_ASSIGN(const std::int64_t delta, call.integer(2));
    if (start != 0 || delta != 1 || call.inputs[1]->tensor.dtype != DType::Int32) {
        return call.invalid("does not count from 0 in int32");
    }
    const Shape shape{std::max<std::int64_t>(limit, 0)};
    CANNERY_TRY_ASSIGN(const std::int64_t count, call.room(shape, sizeof(std::int32_t)));
    std::vector<std::int32_t> numbers(static_cast<std::size_t>(count));
    std::iota(numbers.begin(), numbers.end(), 0);
    call.give(HostTensor::of(numbers));
    return {};
}

Result<void> select(OpCall& call)
{
    CANNERY_TRY_ASSIGN(const HostTensor* condition, call.input(0));
    CANNERY_TRY_ASSIGN(const auto chosen, call.values<bool>(0));
    CANNERY_TRY_ASSIGN(const HostTensor* yes, call.input(1));
    CANNERY_TRY_ASSIGN(const HostTensor* no, call.input(2));
    std::optional<Shape> shape = broadcast(yes->shape, no->shape);
    shape = shape ? broadcast(*shape, condition->shape) : shape;
    if (!shape || yes->dtype != no->dtype) {
        return call.invalid("chooses between tensors that do not fit together");
    }
    CANNERY_TRY(call.room(*shape, *yes));
    CANNERY_TRY(call.room(*shape, *no));
    Walk conditions(*shape, broadcastStrides(condition->shape, *shape));
    Walk left(*shape, broadcastStrides(yes->shape, *shape));
    Walk right(*shape, broadcastStrides(no->shape, *shape));
    HostTensor result{.dtype = yes->dtype, .shape = *shape};
    for (std::int64_t i = shape->elementCount(); i > 0; --i) {
        const bool isYes = chosen[static_cast<std::size_t>(conditions.offset())];
        append(result, isYes ? *yes : *no, isYes ? left.offset() : right.offset(), 1);
        conditions.next();
        left.next();
        right.next();
    }
    call.give(std::move(result));
    return {};
}

Result<void> oneHot(OpCall& call)
{
    CANNERY_TRY_ASSIGN(const HostTensor* indices, call.input(0));
    CANNERY_TRY_ASSIGN(const std::vector<std::int64_t> ids, call.integers(0));
    CANNERY_TRY_ASSIGN(const std::int64_t depth, call.integer(1));
    CANNERY_TRY_ASSIGN(const auto on, call.values<float>(2));
    CANNERY_TRY_ASSIGN(const auto off, call.values<float>(3));
    const std::int64_t axis = call.attrOr("axis", std::int64_t{-1});
    if (on.size() != 1 || off.size() != 1 || (axis != -1 && axis != indices->shape.rank())) {
        return call.invalid("has not one value for on and off, or not the last axis");
    }
    Shape shape = indices->shape;
    shape.dims.push_back(depth);
    CANNERY_TRY_ASSIGN(const std::int64_t count, call.room(shape, sizeof(float)));
    std::vector<float> values(static_cast<std::size_t>(count), off[0]);
    for (std::size_t i = 0; i < ids.size(); ++i) {
        if (ids[i] >= 0 && ids[i] < depth) {
            values[i * static_cast<std::size_t>(depth) + static_cast<std::size_t>(ids[i])] = on[0];
        }
    }
    call.give(HostTensor::of(values, shape));
    return {};
}

Result<void> identity(OpCall& call)
{
    CANNERY_TRY(call.input(0));
    call.outputs.push_back(*call.inputs[0]);
    return {};
}

Result<void> zerosLike(OpCall& call)
{
    CANNERY_TRY_ASSIGN(const HostTensor* tensor, call.input(0));
    call.give(HostTensor::zeros(tensor->dtype, tensor->shape));
    return {};
}

Result<void> nothing(OpCall&)
{
    return {};
}

Result<void> constant(OpCall& call)
{
    CANNERY_TRY_ASSIGN(HostTensor value, call.attr<HostTensor>("value"));
    call.give(std::move(value));
    return {};
}

constexpr std::array kOps{
    OpRow{"ConcatV2", concat},
    OpRow{"Const", constant},
    OpRow{"ExpandDims", expandDims},
    OpRow{"Fill", fill},
    OpRow{"GatherNd", gatherNd},
    OpRow{"GatherV2", gather},
    OpRow{"Identity", identity},
    OpRow{"NoOp", nothing},
    OpRow{"OneHot", oneHot},
    OpRow{"Pack", pack},
    OpRow{"PlaceholderWithDefault", identity},
    OpRow{"Range", range},
    OpRow{"Reshape", reshape},
    OpRow{"SelectV2", select},
    OpRow{"Shape", shape},
    OpRow{"Slice", slice},
    OpRow{"StridedSlice", stridedSlice},
    OpRow{"Tile", tile},
    OpRow{"Where", where},
    OpRow{"ZerosLike", zerosLike},
};

} // namespace

std::span<const OpRow> arrayOps()
{
    return kOps;
}

} // namespace cannery::exporting
