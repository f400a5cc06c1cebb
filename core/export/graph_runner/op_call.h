// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "storage/tf/checkpoints/checkpoint_reader.h"
#include "storage/tf/graphs/graph_def_reader.h"
#include "storage/tf/tensor.h"

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace cannery::exporting {

/// What flows along an edge of a GraphDef: a tensor, or the name of a variable or table.
struct RunValue
{
    storage::HostTensor tensor;
    std::string resource;
};

/// A lookup table, filled once; integers are stored as decimal text.
struct LookupTable
{
    DType keyType = DType::String;
    DType valueType = DType::Int64;
    bool isFilled = false;
    std::unordered_map<std::string, std::string> entries;
};

/// Maximum bytes of all tensors that the nodes of a graph create in one run, not counting copies of
/// its variables; a small graph can request any amount.
inline constexpr std::size_t kMaxRunBytes = std::size_t{192} << 20U;
/// The same while a model is loaded, when only its lookup tables are filled.
inline constexpr std::size_t kMaxLoadBytes = std::size_t{128} << 20U;
/// Maximum number of products in one matrix multiplication.
inline constexpr double kMaxProducts = 1e10;
/// Maximum bytes of one vocabulary file.
inline constexpr std::size_t kMaxVocabularyBytes = std::size_t{128} << 20U;

/// State that lives as long as a loaded model.
struct RunResources
{
    std::optional<storage::CheckpointReader> variables;
    std::map<std::string, LookupTable> tables;           ///< by the node that creates them
    std::map<std::string, storage::HostTensor> assigned; ///< variables whose value has changed
    std::string assets;                   ///< the folder to which file names are confined
    std::size_t bytesLeft = kMaxRunBytes; ///< of the current run
    std::int64_t iterationsLeft = 0;      ///< of its loops
    std::size_t loopBytesLeft = 0;        ///< that all its iterations together may write
};

/// One evaluation of one node.
struct OpCall
{
    const storage::GraphNode& node;
    std::vector<const RunValue*> inputs;
    RunResources& resources;
    std::vector<RunValue> outputs;

    /// Appends an output.
    void give(storage::HostTensor tensor) { outputs.push_back({.tensor = std::move(tensor)}); }

    /// An attribute of this type; "export.graph_invalid" if the node has none.
    template <typename T>
    Result<T> attr(const std::string& name) const
    {
        const auto found = node.attrs.find(name);
        if (found != node.attrs.end()) {
            if (const T* value = std::get_if<T>(&found->second.value())) {
                return *value;
            }
        }
        return invalid("lacks the attribute " + name);
    }
    template <typename T>
    T attrOr(const std::string& name, T fallback) const
    {
        const Result<T> value = attr<T>(name);
        return value ? *value : fallback;
    }

    Result<const storage::HostTensor*> input(std::size_t index) const;
    /// Elements of an input that must be of this type.
    template <typename T>
    Result<std::span<const T>> values(std::size_t index) const
    {
        CANNERY_TRY_ASSIGN(const storage::HostTensor* tensor, input(index));
        if (tensor->dtype != storage::dtypeOf<T>()) {
            return invalid("has an input of another type than it takes");
        }
        return tensor->values<T>();
    }
    /// Checks before a tensor of this shape is created: known dimensions, and within the run's
    /// remaining bytes. Returns its number of elements.
    Result<std::int64_t> room(const Shape& shape, std::size_t elementBytes) const;
    /// The same for elements like those of `like`.
    Result<std::int64_t> room(const Shape& shape, const storage::HostTensor& like) const;

    /// An int32 or int64 input as integers.
    Result<std::vector<std::int64_t>> integers(std::size_t index) const;
    /// The only element of such an input.
    Result<std::int64_t> integer(std::size_t index) const;

    /// "export.graph_invalid": the node, its op and what is wrong.
    tl::unexpected<Error> invalid(const std::string& what) const;
};

/// Bytes that a tensor takes in memory.
std::size_t heldBytes(const storage::HostTensor& tensor);

/// Evaluates a node by plain loops: the definition of the operation, without our own kernels.
using OpFunction = Result<void> (*)(OpCall&);

struct OpRow
{
    std::string_view key; ///< TensorFlow's name of the operation
    OpFunction run;
};

// Every operation that our exporter emits, group by group.
std::span<const OpRow> arrayOps();
std::span<const OpRow> attentionOps();
std::span<const OpRow> conversionOps();
std::span<const OpRow> imageOps();
std::span<const OpRow> mathOps();
std::span<const OpRow> mergingOps();
std::span<const OpRow> reductionOps();
std::span<const OpRow> reshapingOps();
std::span<const OpRow> sequenceOps();
std::span<const OpRow> sparseOps();
std::span<const OpRow> stateOps();
std::span<const OpRow> parseOps();

/// Null for an operation that is in none of the groups.
OpFunction findOp(std::string_view name);

} // namespace cannery::exporting
