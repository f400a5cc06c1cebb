// SPDX-License-Identifier: Apache-2.0
#include "core/export/served_rows.h"

#include "storage/tf/example_codec.h"

#include <algorithm>
#include <limits>

namespace cannery::exporting {

using storage::HostTensor;

namespace {

/// The content of TensorFlow's dense tensors where a row has no category.
constexpr std::int64_t kNoCategory = -1;

const data::FeatureValues* find(const data::FeatureBatch& batch, const std::string& name)
{
    const auto found = std::find_if(batch.features.begin(), batch.features.end(),
                                    [&](const auto& feature) { return feature.name == name; });
    return found == batch.features.end() ? nullptr : &*found;
}

/// The elements of a row, in the feature's flat array.
struct Range
{
    std::size_t begin = 0;
    std::size_t end = 0;
    std::size_t size() const { return end - begin; }
};

Range rangeOf(const data::FeatureValues& values, std::int64_t row)
{
    const auto at = static_cast<std::size_t>(row);
    if (values.sparse) {
        return {static_cast<std::size_t>(values.rowOffsets[at]),
                static_cast<std::size_t>(values.rowOffsets[at + 1])};
    }
    const auto width = static_cast<std::size_t>(values.shape.elementCount());
    return {at * width, (at + 1) * width};
}

bool isMissing(const data::FeatureValues& values, std::size_t element)
{
    return !values.valid.empty() && values.valid[element] == 0;
}

std::size_t missingCount(const data::FeatureValues& values, const Range& range)
{
    std::size_t count = 0;
    for (std::size_t i = range.begin; i < range.end; ++i) {
        count += isMissing(values, i) ? 1 : 0;
    }
    return count;
}

/// Texts have no numbers; their dtype never leads here.
template <typename T>
std::vector<T> numbersOf(const data::FeatureValues& values, const Range& range)
{
    std::vector<T> numbers;
    std::visit(
        [&](const auto& elements) {
            if constexpr (!std::is_same_v<std::decay_t<decltype(elements)>, StringColumn>) {
                for (std::size_t i = range.begin; i < range.end; ++i) {
                    numbers.push_back(static_cast<T>(elements[i]));
                }
            }
        },
        values.elements);
    return numbers;
}

std::vector<std::string> textsOf(const data::FeatureValues& values, const Range& range)
{
    std::vector<std::string> texts;
    if (const auto* column = std::get_if<StringColumn>(&values.elements)) {
        for (std::size_t i = range.begin; i < range.end; ++i) {
            texts.emplace_back((*column)[i]);
        }
    }
    return texts;
}

/// An Example has three types of list only: integers of any width travel as int64.
storage::FeatureValues exampleValues(const data::FeatureValues& values, const Range& range,
                                     DType dtype)
{
    switch (dtype) {
    case DType::String:
        return textsOf(values, range);
    case DType::Float32:
        return numbersOf<float>(values, range);
    default:
        return numbersOf<std::int64_t>(values, range);
    }
}

/// Nothing for a row that an example cannot express.
std::optional<storage::Example> exampleOf(const data::FeatureBatch& batch, std::int64_t row,
                                          const std::map<std::string, DType>& keys)
{
    storage::Example example;
    for (const auto& [key, dtype] : keys) {
        const data::FeatureValues* values = find(batch, key);
        if (values == nullptr) {
            continue;
        }
        const Range range = rangeOf(*values, row);
        const std::size_t missing = missingCount(*values, range);
        if (range.size() == 0 || missing == range.size()) {
            // A feature with no value is left out: the parsing node then puts in its default, as it
            // does for a row with an empty cell.
            continue;
        }
        if (missing > 0 && dtype != DType::String) {
            // Lists of an Example have no gaps, and a float list no missing number, so such a row
            // can be fed as tensors only.
            return std::nullopt;
        }
        example.features[key] = exampleValues(*values, range, dtype);
    }
    return example;
}

/// Whether a row has every float that a dense tensor needs; what a numeric column reads may be
/// missing.
bool isComplete(const data::FeatureValues& values, std::int64_t row, bool isNumber)
{
    return isNumber || !isFloating(values.dtype) || missingCount(values, rangeOf(values, row)) == 0;
}

/// Zeros and "", where nothing else is put.
HostTensor emptyOf(DType dtype, const Shape& shape)
{
    if (dtype == DType::String) {
        return HostTensor::ofStrings(
            std::vector<std::string>(static_cast<std::size_t>(shape.elementCount())), shape);
    }
    return HostTensor::zeros(dtype, shape);
}

/// `missing` takes the place of a missing cell.
template <typename T>
void put(HostTensor& tensor, std::size_t first, const data::FeatureValues& values,
         const Range& range, T missing)
{
    const std::vector<T> numbers = numbersOf<T>(values, range);
    const std::span<T> all = tensor.values<T>();
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        all[first + i] = isMissing(values, range.begin + i) ? missing : numbers[i];
    }
}

/// A missing number or category among integers.
template <typename T>
T noInteger(bool isNumber)
{
    return isNumber ? std::numeric_limits<T>::min() : static_cast<T>(kNoCategory);
}

void putRow(HostTensor& tensor, std::size_t first, const data::FeatureValues& values,
            const Range& range, bool isNumber)
{
    switch (tensor.dtype) {
    case DType::String: {
        // A missing text is "", which TensorFlow drops from a dense tensor of texts as it does -1
        // from integers.
        const std::vector<std::string> texts = textsOf(values, range);
        std::copy(texts.begin(), texts.end(),
                  tensor.strings.begin() + static_cast<std::ptrdiff_t>(first));
        break;
    }
    case DType::Float32:
        put(tensor, first, values, range, std::numeric_limits<float>::quiet_NaN());
        break;
    case DType::Float64:
        put(tensor, first, values, range, std::numeric_limits<double>::quiet_NaN());
        break;
    case DType::Int32:
        put(tensor, first, values, range, noInteger<std::int32_t>(isNumber));
        break;
    case DType::Int64:
        put(tensor, first, values, range, noInteger<std::int64_t>(isNumber));
        break;
    default:
        break;
    }
}

/// -1 where an integer tensor has no category, and NaN where a float tensor has no number, for rows
/// shorter than the longest.
void fillWithNothing(HostTensor& tensor)
{
    if (tensor.dtype == DType::Int64) {
        std::ranges::fill(tensor.values<std::int64_t>(), kNoCategory);
    } else if (tensor.dtype == DType::Int32) {
        std::ranges::fill(tensor.values<std::int32_t>(), static_cast<std::int32_t>(kNoCategory));
    } else if (tensor.dtype == DType::Float32) {
        std::ranges::fill(tensor.values<float>(), std::numeric_limits<float>::quiet_NaN());
    }
}

HostTensor tensorOf(const data::FeatureValues& values, DType dtype,
                    const std::vector<std::int64_t>& rows, bool isNumber)
{
    Shape shape{static_cast<std::int64_t>(rows.size())};
    std::size_t width = 0;
    if (values.sparse) {
        for (const std::int64_t row : rows) {
            // TensorFlow's dense tensors of a ragged feature are as wide as their longest row.
            width = std::max(width, rangeOf(values, row).size());
        }
        shape.dims.push_back(static_cast<std::int64_t>(width));
    } else {
        width = static_cast<std::size_t>(values.shape.elementCount());
        shape.dims.insert(shape.dims.end(), values.shape.dims.begin(), values.shape.dims.end());
    }
    HostTensor tensor = emptyOf(dtype, shape);
    // Whatever a shorter row lacks is filled with what its column ignores.
    fillWithNothing(tensor);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        putRow(tensor, i * width, values, rangeOf(values, rows[i]), isNumber);
    }
    return tensor;
}

} // namespace

ServedRows servedExamples(const data::FeatureBatch& batch, const std::map<std::string, DType>& keys)
{
    ServedRows served;
    std::vector<std::string> examples;
    for (std::int64_t row = 0; row < batch.rowCount; ++row) {
        if (const std::optional<storage::Example> example = exampleOf(batch, row, keys)) {
            examples.push_back(storage::serializeExample(*example));
            served.rows.push_back(row);
        }
    }
    served.inputs["examples"] = HostTensor::ofStrings(std::move(examples));
    return served;
}

std::optional<ServedRows> servedTensors(const data::FeatureBatch& batch,
                                        const std::map<std::string, storage::TensorInfo>& inputs,
                                        const std::set<std::string>& numbers)
{
    ServedRows served;
    for (std::int64_t row = 0; row < batch.rowCount; ++row) {
        bool complete = true;
        for (const auto& [key, info] : inputs) {
            const data::FeatureValues* values = find(batch, key);
            if (values == nullptr) {
                return std::nullopt;
            }
            complete = complete && isComplete(*values, row, numbers.contains(key));
        }
        if (complete) {
            served.rows.push_back(row);
        }
    }
    for (const auto& [key, info] : inputs) {
        served.inputs[key] =
            tensorOf(*find(batch, key), info.dtype, served.rows, numbers.contains(key));
    }
    return served;
}

} // namespace cannery::exporting
