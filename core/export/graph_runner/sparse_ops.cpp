// SPDX-License-Identifier: Apache-2.0
#include "core/base/fingerprint.h"
#include "core/export/graph_runner/op_call.h"
#include "core/export/graph_runner/strided.h"

#include <algorithm>
#include <array>
#include <limits>

namespace cannery::exporting {

using storage::HostTensor;

namespace {

/// Whether each place comes after the one before it.
bool areInOrder(const std::vector<std::int64_t>& places, std::size_t rank)
{
    for (std::size_t at = rank; rank > 0 && at < places.size(); at += rank) {
        const auto place = places.begin() + static_cast<std::ptrdiff_t>(at);
        const auto width = static_cast<std::ptrdiff_t>(rank);
        if (!std::lexicographical_compare(place - width, place, place, place + width)) {
            return false;
        }
    }
    return true;
}

template <typename T>
Result<void> denseOf(OpCall& call)
{
    CANNERY_TRY_ASSIGN(const std::vector<std::int64_t> indices, call.integers(0));
    CANNERY_TRY_ASSIGN(std::vector<std::int64_t> dims, call.integers(1));
    CANNERY_TRY_ASSIGN(const auto values, call.values<T>(2));
    CANNERY_TRY_ASSIGN(const auto fallback, call.values<T>(3));
    const Shape shape(std::move(dims));
    CANNERY_TRY_ASSIGN(const std::int64_t count, call.room(shape, sizeof(T)));
    const std::vector<std::int64_t> strides = rowMajorStrides(shape);
    // A sparse tensor has one index per dimension for each value.
    if (fallback.size() != 1 || indices.size() != values.size() * strides.size()) {
        return call.invalid("has not one place for each value");
    }
    if (call.attrOr("validate_indices", true) && !areInOrder(indices, strides.size())) {
        return call.invalid("has places twice or out of order");
    }
    std::vector<T> dense(static_cast<std::size_t>(count), fallback[0]);
    for (std::size_t entry = 0; entry < values.size(); ++entry) {
        std::int64_t place = 0;
        for (std::size_t k = 0; k < strides.size(); ++k) {
            const std::int64_t at = indices[entry * strides.size() + k];
            if (at < 0 || at >= shape.dims[k]) {
                return call.invalid("has an entry beyond its shape");
            }
            place += at * strides[k];
        }
        // A dimension of 0 leaves no room for any entry, whatever its index.
        if (dense.empty()) {
            return call.invalid("has an entry beyond its shape");
        }
        dense[static_cast<std::size_t>(place)] = values[entry];
    }
    call.give(HostTensor::of(dense, shape));
    return {};
}

Result<void> sparseToDense(OpCall& call)
{
    CANNERY_TRY_ASSIGN(const HostTensor* values, call.input(2));
    switch (values->dtype) {
    case DType::Int64:
        return denseOf<std::int64_t>(call);
    case DType::Int32:
        return denseOf<std::int32_t>(call);
    default:
        return denseOf<float>(call);
    }
}

/// Appends one element to another tensor of the same dtype.
void appendElement(HostTensor& target, const HostTensor& source, std::size_t index)
{
    if (source.dtype == DType::String) {
        target.strings.push_back(source.strings[index]);
        return;
    }
    const std::size_t size = byteSize(source.dtype);
    target.bytes.insert(target.bytes.end(),
                        source.bytes.begin() + static_cast<std::ptrdiff_t>(index * size),
                        source.bytes.begin() + static_cast<std::ptrdiff_t>((index + 1) * size));
}

/// One entry with the default value in every empty row. Entries are in row order.
Result<void> sparseFillEmptyRows(OpCall& call)
{
    CANNERY_TRY_ASSIGN(const std::vector<std::int64_t> indices, call.integers(0));
    CANNERY_TRY_ASSIGN(const HostTensor* values, call.input(1));
    CANNERY_TRY_ASSIGN(const std::vector<std::int64_t> dims, call.integers(2));
    CANNERY_TRY_ASSIGN(const HostTensor* fallback, call.input(3));
    if (dims.size() != 2 || values->dtype != fallback->dtype ||
        fallback->shape.elementCount() < 1 ||
        indices.size() / 2 != static_cast<std::size_t>(values->shape.elementCount()) ||
        indices.size() % 2 != 0) {
        return call.invalid("fills something else than rows");
    }
    // Filling may add an entry per row, even to a tensor without any.
    CANNERY_TRY(call.room(Shape{dims[0], 2}, sizeof(std::int64_t)));
    CANNERY_TRY(call.room(Shape{dims[0]}, *fallback));
    std::vector<std::int64_t> filled;
    HostTensor result{.dtype = values->dtype};
    std::size_t entry = 0;
    for (std::int64_t row = 0; row < dims[0]; ++row) {
        const std::size_t before = filled.size();
        for (; 2 * entry < indices.size() && indices[2 * entry] == row; ++entry) {
            filled.insert(filled.end(), {row, indices[2 * entry + 1]});
            appendElement(result, *values, entry);
        }
        if (filled.size() == before) {
            filled.insert(filled.end(), {row, 0});
            appendElement(result, *fallback, 0);
        }
    }
    if (2 * entry != indices.size()) {
        return call.invalid("has an entry beyond its rows or out of their order");
    }
    const auto count = static_cast<std::int64_t>(filled.size() / 2);
    result.shape = Shape{count};
    call.give(HostTensor::of(filled, Shape{count, 2}));
    call.give(std::move(result));
    return {};
}

/// A row's values in each input of a cross.
struct CrossInput
{
    std::vector<std::vector<std::uint64_t>> rows;
};

Result<CrossInput> crossInput(const OpCall& call, std::size_t index, std::size_t count)
{
    CANNERY_TRY_ASSIGN(const std::vector<std::int64_t> indices, call.integers(index));
    CANNERY_TRY_ASSIGN(const HostTensor* values, call.input(count + index));
    CANNERY_TRY_ASSIGN(const std::vector<std::int64_t> dims, call.integers(2 * count + index));
    CANNERY_TRY(call.room(Shape{dims.empty() ? 0 : dims[0]}, sizeof(CrossInput)));
    if (indices.size() % 2 != 0 ||
        indices.size() / 2 != static_cast<std::size_t>(values->shape.elementCount())) {
        return call.invalid("has not one place for each value");
    }
    const bool isText = values->dtype == DType::String;
    std::vector<std::int64_t> numbers;
    if (!isText) {
        CANNERY_TRY_ASSIGN(numbers, call.integers(count + index));
    }
    CrossInput input{.rows = std::vector<std::vector<std::uint64_t>>(
                         dims.empty() ? 0 : static_cast<std::size_t>(dims[0]))};
    for (std::size_t entry = 0; 2 * entry < indices.size(); ++entry) {
        const auto row = static_cast<std::size_t>(indices[2 * entry]);
        if (row >= input.rows.size()) {
            return call.invalid("has an entry beyond its rows");
        }
        // SparseCross hashes texts with Fingerprint64 and takes integers as they are.
        input.rows[row].push_back(isText ? fingerprint64(values->strings[entry])
                                         : static_cast<std::uint64_t>(numbers[entry]));
    }
    return input;
}

/// Hashes of all combinations of a row, with the last input varying fastest (TensorFlow's
/// SparseCross).
std::vector<std::int64_t> crossRow(const std::vector<CrossInput>& inputs, std::size_t row,
                                   std::uint64_t key, std::uint64_t buckets)
{
    std::vector<std::uint64_t> hashes{key};
    for (const CrossInput& input : inputs) {
        std::vector<std::uint64_t> longer;
        for (const std::uint64_t hash : hashes) {
            for (const std::uint64_t value : input.rows[row]) {
                longer.push_back(fingerprintCat64(hash, value));
            }
        }
        hashes = std::move(longer);
    }
    std::vector<std::int64_t> ids;
    for (const std::uint64_t hash : hashes) {
        ids.push_back(static_cast<std::int64_t>(hash % buckets));
    }
    return ids;
}

Result<void> sparseCross(OpCall& call)
{
    CANNERY_TRY_ASSIGN(const std::int64_t count, call.attr<std::int64_t>("N"));
    CANNERY_TRY_ASSIGN(const std::int64_t buckets, call.attr<std::int64_t>("num_buckets"));
    CANNERY_TRY_ASSIGN(const std::int64_t key, call.attr<std::int64_t>("hash_key"));
    const auto n = static_cast<std::size_t>(count);
    if (n > call.inputs.size() || call.inputs.size() != 3 * n || n == 0) {
        return call.invalid("crosses something else than sparse columns");
    }
    std::vector<CrossInput> inputs;
    for (std::size_t i = 0; i < n; ++i) {
        CANNERY_TRY_ASSIGN(CrossInput input, crossInput(call, i, n));
        if (i > 0 && input.rows.size() != inputs.front().rows.size()) {
            return call.invalid("crosses columns of several batches");
        }
        inputs.push_back(std::move(input));
    }
    // Without buckets TensorFlow takes ids modulo the largest int64.
    const std::uint64_t modulus =
        buckets > 0 ? static_cast<std::uint64_t>(buckets)
                    : static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    std::vector<std::int64_t> indices;
    std::vector<std::int64_t> values;
    std::int64_t widest = 0;
    for (std::size_t row = 0; row < inputs.front().rows.size(); ++row) {
        // How many ids a row gives is a product over the columns: checked before they are made.
        Shape combinations{static_cast<std::int64_t>(values.size() + 1)};
        for (const CrossInput& input : inputs) {
            combinations.dims.push_back(static_cast<std::int64_t>(input.rows[row].size()));
        }
        CANNERY_TRY(call.room(combinations, 4 * sizeof(std::int64_t)));
        const std::vector<std::int64_t> ids =
            crossRow(inputs, row, static_cast<std::uint64_t>(key), modulus);
        for (std::size_t i = 0; i < ids.size(); ++i) {
            indices.insert(indices.end(),
                           {static_cast<std::int64_t>(row), static_cast<std::int64_t>(i)});
            values.push_back(ids[i]);
        }
        widest = std::max(widest, static_cast<std::int64_t>(ids.size()));
    }
    const auto entries = static_cast<std::int64_t>(values.size());
    call.give(HostTensor::of(indices, Shape{entries, 2}));
    call.give(HostTensor::of(values));
    call.give(HostTensor::of(
        std::vector<std::int64_t>{static_cast<std::int64_t>(inputs.front().rows.size()), widest}));
    return {};
}

Result<void> hashBucket(OpCall& call)
{
    CANNERY_TRY_ASSIGN(const HostTensor* texts, call.input(0));
    CANNERY_TRY_ASSIGN(const std::int64_t buckets, call.attr<std::int64_t>("num_buckets"));
    if (texts->dtype != DType::String || buckets < 1) {
        return call.invalid("hashes something else than texts into buckets");
    }
    std::vector<std::int64_t> result;
    for (const std::string& text : texts->strings) {
        result.push_back(
            static_cast<std::int64_t>(fingerprint64(text) % static_cast<std::uint64_t>(buckets)));
    }
    call.give(HostTensor::of(result, texts->shape));
    return {};
}

Result<void> asString(OpCall& call)
{
    CANNERY_TRY_ASSIGN(const HostTensor* tensor, call.input(0));
    CANNERY_TRY_ASSIGN(const std::vector<std::int64_t> values, call.integers(0));
    std::vector<std::string> texts;
    for (const std::int64_t value : values) {
        texts.push_back(std::to_string(value));
    }
    call.give(HostTensor::ofStrings(std::move(texts), tensor->shape));
    return {};
}

constexpr std::array kOps{
    OpRow{"AsString", asString},
    OpRow{"SparseCross", sparseCross},
    OpRow{"SparseFillEmptyRows", sparseFillEmptyRows},
    OpRow{"SparseToDense", sparseToDense},
    OpRow{"StringToHashBucketFast", hashBucket},
};

} // namespace

std::span<const OpRow> sparseOps()
{
    return kOps;
}

} // namespace cannery::exporting
