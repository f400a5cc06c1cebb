// SPDX-License-Identifier: Apache-2.0
#include "core/export/graph_runner/op_call.h"
#include "storage/tf/example_codec.h"

#include <array>

namespace cannery::exporting {

using storage::Example;
using storage::FeatureValues;
using storage::HostTensor;

namespace {

/// The values of one feature in all examples, concatenated.
struct Elements
{
    std::vector<std::string> texts;
    std::vector<float> floats;
    std::vector<std::int64_t> integers;

    HostTensor tensor(DType dtype, const Shape& shape) const
    {
        switch (dtype) {
        case DType::String:
            return HostTensor::ofStrings(texts, shape);
        case DType::Float32:
            return HostTensor::of(floats, shape);
        default:
            return HostTensor::of(integers, shape);
        }
    }
};

/// Number of appended elements; nothing if the feature holds another type.
std::optional<std::int64_t> append(const FeatureValues& values, DType dtype, Elements& out)
{
    const auto add = [](const auto* source, auto& target) -> std::optional<std::int64_t> {
        if (source == nullptr) {
            return std::nullopt;
        }
        target.insert(target.end(), source->begin(), source->end());
        return static_cast<std::int64_t>(source->size());
    };
    switch (dtype) {
    case DType::String:
        return add(std::get_if<std::vector<std::string>>(&values), out.texts);
    case DType::Float32:
        return add(std::get_if<std::vector<float>>(&values), out.floats);
    default:
        return add(std::get_if<std::vector<std::int64_t>>(&values), out.integers);
    }
}

void append(const HostTensor& tensor, Elements& out)
{
    switch (tensor.dtype) {
    case DType::String:
        out.texts.insert(out.texts.end(), tensor.strings.begin(), tensor.strings.end());
        break;
    case DType::Float32: {
        const auto values = tensor.values<float>();
        out.floats.insert(out.floats.end(), values.begin(), values.end());
        break;
    }
    case DType::Int64: {
        const auto values = tensor.values<std::int64_t>();
        out.integers.insert(out.integers.end(), values.begin(), values.end());
        break;
    }
    default:
        break;
    }
}

const FeatureValues* valuesOf(const Example& example, const std::string& key)
{
    const auto found = example.features.find(key);
    // A feature without a kind is as good as absent, as for TensorFlow's parser.
    const bool isThere =
        found != example.features.end() && !std::holds_alternative<std::monostate>(found->second);
    return isThere ? &found->second : nullptr;
}

/// Parses the examples of one ParseExampleV2.
class Parser
{
public:
    Parser(OpCall& call, std::vector<Example> examples)
        : m_call(call), m_examples(std::move(examples))
    {}

    Result<void> parse()
    {
        CANNERY_TRY_ASSIGN(const HostTensor* sparseKeys, m_call.input(2));
        CANNERY_TRY_ASSIGN(const HostTensor* denseKeys, m_call.input(3));
        const auto sparseTypes = m_call.attrOr("sparse_types", std::vector<DType>{});
        const auto denseTypes = m_call.attrOr("Tdense", std::vector<DType>{});
        const auto shapes = m_call.attrOr("dense_shapes", std::vector<Shape>{});
        // The graph comes from a file: its lists are compared before they are indexed.
        if (sparseTypes.size() != sparseKeys->strings.size() ||
            denseTypes.size() != denseKeys->strings.size() || shapes.size() != denseTypes.size() ||
            m_call.inputs.size() != kFirstDefault + denseTypes.size()) {
            return m_call.invalid("has not one type for each of its keys");
        }
        for (const std::vector<DType>& types : {sparseTypes, denseTypes}) {
            for (const DType type : types) {
                if (type != DType::String && type != DType::Float32 && type != DType::Int64) {
                    return m_call.invalid("parses into " + std::string(name(type)));
                }
            }
        }
        const std::size_t n = sparseTypes.size();
        m_call.outputs.resize(3 * n + denseTypes.size());
        for (std::size_t i = 0; i < n; ++i) {
            CANNERY_TRY(parseSparse(sparseKeys->strings[i], sparseTypes[i], i, n));
        }
        for (std::size_t i = 0; i < denseTypes.size(); ++i) {
            CANNERY_TRY(parseDense(denseKeys->strings[i], denseTypes[i], shapes[i], i, n));
        }
        return {};
    }

private:
    // Inputs: serialized, names, sparse_keys, dense_keys, ragged_keys, then a default for each
    // dense key. Outputs: indices, values and shapes of all sparse keys, then the dense tensors.
    static constexpr std::size_t kFirstDefault = 5;

    Result<void> parseSparse(const std::string& key, DType dtype, std::size_t index, std::size_t n)
    {
        Elements elements;
        std::vector<std::int64_t> places;
        std::int64_t widest = 0;
        for (std::size_t row = 0; row < m_examples.size(); ++row) {
            const FeatureValues* values = valuesOf(m_examples[row], key);
            if (values == nullptr) {
                continue;
            }
            const std::optional<std::int64_t> count = append(*values, dtype, elements);
            if (!count) {
                return m_call.invalid("is given another type of " + key + " than it parses");
            }
            for (std::int64_t i = 0; i < *count; ++i) {
                places.insert(places.end(), {static_cast<std::int64_t>(row), i});
            }
            // The dense shape of a sparse tensor: as wide as the example with most values.
            widest = std::max(widest, *count);
        }
        const auto count = static_cast<std::int64_t>(places.size() / 2);
        const auto rows = static_cast<std::int64_t>(m_examples.size());
        m_call.outputs[index].tensor = HostTensor::of(places, Shape{count, 2});
        m_call.outputs[n + index].tensor = elements.tensor(dtype, Shape{count});
        m_call.outputs[2 * n + index].tensor =
            HostTensor::of(std::vector<std::int64_t>{rows, widest});
        return {};
    }

    Result<void> parseDense(const std::string& key, DType dtype, const Shape& shape,
                            std::size_t index, std::size_t n)
    {
        CANNERY_TRY_ASSIGN(const HostTensor* fallback, m_call.input(kFirstDefault + index));
        Shape rows = shape;
        rows.dims.insert(rows.dims.begin(), static_cast<std::int64_t>(m_examples.size()));
        CANNERY_TRY(
            m_call.room(rows, dtype == DType::String ? sizeof(std::string) : sizeof(std::int64_t)));
        // An empty default means that the value is required.
        const bool hasFallback = fallback->shape.elementCount() > 0;
        if (fallback->dtype != dtype || (hasFallback && fallback->shape != shape)) {
            return m_call.invalid("has a default of another type or shape than " + key);
        }
        Elements elements;
        for (const Example& example : m_examples) {
            const FeatureValues* values = valuesOf(example, key);
            if (values != nullptr) {
                if (append(*values, dtype, elements) != shape.elementCount()) {
                    return m_call.invalid("is given another type or number of " + key);
                }
            } else if (hasFallback) {
                append(*fallback, elements);
            } else {
                return m_call.invalid("is not given " + key + ", which it needs");
            }
        }
        m_call.outputs[3 * n + index].tensor = elements.tensor(dtype, rows);
        return {};
    }

    OpCall& m_call;
    std::vector<Example> m_examples;
};

Result<void> parseExamples(OpCall& call)
{
    CANNERY_TRY_ASSIGN(const HostTensor* serialized, call.input(0));
    CANNERY_TRY_ASSIGN(const HostTensor* names, call.input(1));
    if (serialized->dtype != DType::String || serialized->shape.rank() != 1) {
        return call.invalid("parses something else than a list of texts");
    }
    if (names->shape.elementCount() != 0 && names->shape != serialized->shape) {
        return call.invalid("has not one name for each text");
    }
    std::vector<Example> examples;
    for (const std::string& bytes : serialized->strings) {
        CANNERY_TRY_ASSIGN(Example example, storage::parseExample(bytes));
        examples.push_back(std::move(example));
    }
    return Parser(call, std::move(examples)).parse();
}

constexpr std::array kOps{OpRow{"ParseExampleV2", parseExamples}};

} // namespace

std::span<const OpRow> parseOps()
{
    return kOps;
}

} // namespace cannery::exporting
