// SPDX-License-Identifier: Apache-2.0
#include "core/export/graph_runner/op_call.h"
#include "storage/io/beneath.h"
#include "storage/io/files.h"

#include <array>
#include <limits>

namespace cannery::exporting {

using storage::HostTensor;

namespace {

// TextFileIndex of tf.lookup.
constexpr std::int64_t kWholeLine = -2; ///< value of key_index and value_index
constexpr std::int64_t kLineNumber = -1;

/// Keys or values of a table with this type of them as text; integers in decimal.
Result<std::vector<std::string>> textsOf(const OpCall& call, std::size_t index, DType type)
{
    CANNERY_TRY_ASSIGN(const HostTensor* tensor, call.input(index));
    if (tensor->dtype != type) {
        return call.invalid("has keys or values of another type than its table");
    }
    if (tensor->dtype == DType::String) {
        return tensor->strings;
    }
    CANNERY_TRY_ASSIGN(const std::vector<std::int64_t> numbers, call.integers(index));
    std::vector<std::string> texts;
    for (const std::int64_t number : numbers) {
        texts.push_back(std::to_string(number));
    }
    return texts;
}

Result<LookupTable*> tableOf(OpCall& call)
{
    CANNERY_TRY(call.input(0));
    const auto found = call.resources.tables.find(call.inputs[0]->resource);
    if (found == call.resources.tables.end()) {
        // The table is created when its handle is evaluated, hence before its initializer.
        return call.invalid("looks up in a table that is not there");
    }
    return &found->second;
}

Result<void> varHandle(OpCall& call)
{
    CANNERY_TRY_ASSIGN(std::string name, call.attr<std::string>("shared_name"));
    call.outputs.push_back({.resource = std::move(name)});
    // A resource travels as its name: variables are in the checkpoint under it.
    return {};
}

/// What the graph has assigned hides what the export stores, which stays as it is.
Result<HostTensor> variableOf(OpCall& call)
{
    CANNERY_TRY(call.input(0));
    const auto assigned = call.resources.assigned.find(call.inputs[0]->resource);
    if (assigned != call.resources.assigned.end()) {
        return assigned->second;
    }
    if (!call.resources.variables) {
        return call.invalid("reads a variable, and the export has none");
    }
    return call.resources.variables->read(call.inputs[0]->resource);
}

Result<void> readVariable(OpCall& call)
{
    CANNERY_TRY_ASSIGN(HostTensor value, variableOf(call));
    call.give(std::move(value));
    return {};
}

Result<void> assignVariable(OpCall& call)
{
    CANNERY_TRY(call.input(0));
    CANNERY_TRY_ASSIGN(const HostTensor* value, call.input(1));
    call.resources.assigned[call.inputs[0]->resource] = *value;
    return {};
}

Result<void> assignAddVariable(OpCall& call)
{
    CANNERY_TRY_ASSIGN(HostTensor sum, variableOf(call));
    // Only float variables are added to here; the steps of an optimizer are never run.
    CANNERY_TRY_ASSIGN(const auto amounts, call.values<float>(1));
    if (sum.dtype != DType::Float32 || sum.shape != call.inputs[1]->tensor.shape) {
        return call.invalid("adds something of another kind than the variable's value");
    }
    const std::span<float> sums = sum.values<float>();
    for (std::size_t i = 0; i < sums.size(); ++i) {
        sums[i] += amounts[i];
    }
    call.resources.assigned[call.inputs[0]->resource] = std::move(sum);
    return {};
}

/// A row that is not there is an error, as for TensorFlow on a CPU.
Result<void> resourceGather(OpCall& call)
{
    CANNERY_TRY_ASSIGN(const HostTensor table, variableOf(call));
    CANNERY_TRY_ASSIGN(const HostTensor* places, call.input(1));
    CANNERY_TRY_ASSIGN(const std::vector<std::int64_t> rows, call.integers(1));
    if (table.dtype != DType::Float32 || table.shape.rank() < 1 ||
        call.attrOr("batch_dims", std::int64_t{0}) != 0) {
        return call.invalid("gathers from something else than a table of numbers");
    }
    const auto values = table.values<float>();
    const std::int64_t count = table.shape.dims[0];
    const std::int64_t width = count == 0 ? 0 : table.shape.elementCount() / count;
    Shape shape = places->shape;
    shape.dims.insert(shape.dims.end(), table.shape.dims.begin() + 1, table.shape.dims.end());
    CANNERY_TRY(call.room(shape, sizeof(float)));
    std::vector<float> result;
    for (const std::int64_t row : rows) {
        if (row < 0 || row >= count) {
            return call.invalid("gathers a row that is not there");
        }
        result.insert(result.end(), values.begin() + row * width,
                      values.begin() + (row + 1) * width);
    }
    call.give(HostTensor::of(result, shape));
    return {};
}

Result<void> hashTable(OpCall& call)
{
    // By the name of the node, not shared_name: tables of one graph are distinct nodes.
    LookupTable& table = call.resources.tables[call.node.name];
    table.keyType = call.attrOr("key_dtype", DType::String);
    table.valueType = call.attrOr("value_dtype", DType::Int64);
    call.outputs.push_back({.resource = call.node.name});
    return {};
}

/// A table that is filled stays as it is. A key may come again with the same value.
Result<void> fill(const OpCall& call, LookupTable& table, std::vector<std::string> keys,
                  std::vector<std::string> values)
{
    if (table.isFilled) {
        return {};
    }
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const auto [entry, isNew] = table.entries.try_emplace(std::move(keys[i]), values[i]);
        if (!isNew && entry->second != values[i]) {
            return call.invalid("gives the key " + entry->first + " two values");
        }
    }
    table.isFilled = true;
    return {};
}

Result<void> importTable(OpCall& call)
{
    CANNERY_TRY_ASSIGN(LookupTable* const table, tableOf(call));
    CANNERY_TRY_ASSIGN(std::vector<std::string> keys, textsOf(call, 1, table->keyType));
    CANNERY_TRY_ASSIGN(std::vector<std::string> values, textsOf(call, 2, table->valueType));
    if (keys.size() != values.size() || keys.empty() || call.inputs[1]->tensor.shape.rank() != 1) {
        return call.invalid("has not one value for each key of a list");
    }
    return fill(call, *table, std::move(keys), std::move(values));
}

/// The first lines of a vocabulary, all for -1. TensorFlow refuses an empty one, and too few.
Result<std::vector<std::string>> wordsOf(const OpCall& call, const std::string& text,
                                         std::int64_t wanted)
{
    const std::size_t most =
        wanted < 0 ? std::numeric_limits<std::size_t>::max() : static_cast<std::size_t>(wanted);
    std::vector<std::string> words;
    for (std::size_t begin = 0; begin < text.size() && words.size() < most;) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        std::string line = text.substr(begin, end - begin);
        // As TensorFlow's line reader, for files written on Windows.
        if (line.ends_with('\r')) {
            line.pop_back();
        }
        begin = end + 1;
        // A carriage return after the last line is none.
        if (line.empty() && end == text.size()) {
            break;
        }
        if (line.empty()) {
            return call.invalid("reads a vocabulary with an empty line");
        }
        words.push_back(std::move(line));
    }
    if (words.empty() || (wanted >= 0 && words.size() < most)) {
        return call.invalid("reads a vocabulary with too few words");
    }
    return words;
}

Result<void> tableFromFile(OpCall& call)
{
    CANNERY_TRY_ASSIGN(LookupTable* const table, tableOf(call));
    CANNERY_TRY_ASSIGN(const HostTensor* path, call.input(1));
    if (path->strings.size() != 1 || call.attrOr("key_index", std::int64_t{0}) != kWholeLine ||
        call.attrOr("value_index", std::int64_t{0}) != kLineNumber) {
        return call.invalid("reads a file in a way that is not known");
    }
    // The graph may contain any constant here: only the model's own assets are read.
    const std::string assets = storage::joinPath(call.resources.assets, "");
    const std::string& file = path->strings.front();
    const std::string inside = file.starts_with(assets) ? file.substr(assets.size()) : file;
    CANNERY_TRY_ASSIGN(
        const std::string text,
        storage::readWholeFileBeneath(call.resources.assets, inside, kMaxVocabularyBytes));
    const std::int64_t size = call.attrOr("vocab_size", std::int64_t{-1});
    CANNERY_TRY_ASSIGN(std::vector<std::string> words, wordsOf(call, text, size));
    std::vector<std::string> numbers;
    for (std::size_t i = 0; i < words.size(); ++i) {
        numbers.push_back(std::to_string(i));
    }
    return fill(call, *table, std::move(words), std::move(numbers));
}

Result<void> findInTable(OpCall& call)
{
    CANNERY_TRY_ASSIGN(LookupTable* const table, tableOf(call));
    if (!table->isFilled) {
        return call.invalid("looks up in a table that nothing has filled");
    }
    CANNERY_TRY_ASSIGN(const HostTensor* keyTensor, call.input(1));
    CANNERY_TRY_ASSIGN(const std::vector<std::string> keys, textsOf(call, 1, table->keyType));
    CANNERY_TRY_ASSIGN(const std::vector<std::string> fallback, textsOf(call, 2, table->valueType));
    if (fallback.size() != 1) {
        return call.invalid("has not one value for what is not found");
    }
    CANNERY_TRY(call.room(keyTensor->shape, sizeof(std::string) + fallback.front().size()));
    std::vector<std::string> found;
    for (const std::string& key : keys) {
        const auto entry = table->entries.find(key);
        found.push_back(entry == table->entries.end() ? fallback.front() : entry->second);
    }
    if (table->valueType == DType::String) {
        call.give(HostTensor::ofStrings(std::move(found), keyTensor->shape));
        return {};
    }
    std::vector<std::int64_t> numbers;
    for (const std::string& text : found) {
        numbers.push_back(std::strtoll(text.c_str(), nullptr, 10));
    }
    call.give(HostTensor::of(numbers, keyTensor->shape));
    return {};
}

Result<void> tableSize(OpCall& call)
{
    CANNERY_TRY_ASSIGN(LookupTable* const table, tableOf(call));
    call.give(HostTensor::scalar(static_cast<std::int64_t>(table->entries.size())));
    return {};
}

constexpr std::array kOps{
    OpRow{"AssignAddVariableOp", assignAddVariable},
    OpRow{"AssignVariableOp", assignVariable},
    OpRow{"HashTableV2", hashTable},
    OpRow{"InitializeTableFromTextFileV2", tableFromFile},
    OpRow{"InitializeTableV2", importTable},
    OpRow{"LookupTableFindV2", findInTable},
    OpRow{"LookupTableImportV2", importTable},
    OpRow{"LookupTableSizeV2", tableSize},
    OpRow{"ReadVariableOp", readVariable},
    OpRow{"ResourceGather", resourceGather},
    OpRow{"VarHandleOp", varHandle},
};

} // namespace

std::span<const OpRow> stateOps()
{
    return kOps;
}

} // namespace cannery::exporting
