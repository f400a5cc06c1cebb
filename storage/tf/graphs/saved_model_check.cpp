// SPDX-License-Identifier: Apache-2.0
#include "core/base/memory_guard.h"
#include "storage/io/beneath.h"
#include "storage/io/files.h"
#include "storage/tf/checkpoints/checkpoint_reader.h"
#include "storage/tf/graphs/saved_model_checksums.h"
#include "storage/tf/graphs/saved_model_reader.h"
#include "storage/tf/proto_arena.h"
#include "storage/tf/proto_convert.h"
#include "storage/tf/schema/graph.pb.h"

#include <fmt/core.h>

#include <unordered_map>
#include <unordered_set>

namespace cannery::storage {

namespace {

constexpr ErrorKind kIncomplete{"saved_model.incomplete",
                                "The SavedModel in {} is not complete: {}. Export it again."};

/// Checks one MetaGraph of a folder; each function returns what is wrong, or nothing.
class Checker
{
public:
    /// `verified`: keys of the checkpoint whose values were found valid; grows.
    Checker(const std::string& folder, const MetaGraph& metaGraph,
            std::unordered_set<std::string>& verified)
        : m_folder(folder), m_metaGraph(metaGraph), m_verified(verified)
    {}

    Result<void> check(const std::optional<std::string>& checkpoint)
    {
        CANNERY_TRY_ASSIGN(const bool parsed, detail::parseMessage(m_metaGraph.graph, m_graph));
        if (!parsed) {
            return incomplete("its graph is not a GraphDef");
        }
        for (const tensorflow::NodeDef& node : m_graph.node()) {
            if (!m_nodes.emplace(node.name(), &node).second) {
                return incomplete(fmt::format("two nodes are called {}", node.name()));
            }
        }
        CANNERY_TRY(checkInputs());
        CANNERY_TRY(checkSignatures());
        CANNERY_TRY(checkCollections());
        CANNERY_TRY(checkAssets());
        if (m_metaGraph.saver) {
            CANNERY_TRY(checkSaver());
            if (!checkpoint) {
                return incomplete("variables/variables.index is missing");
            }
            return checkVariables(*checkpoint);
        }
        return {};
    }

private:
    tl::unexpected<Error> incomplete(const std::string& what) const
    {
        return fail(ErrorCode::DataLoss, kIncomplete, m_folder, what);
    }

    const tensorflow::NodeDef* find(const NodeRef& reference) const
    {
        const auto found = m_nodes.find(reference.node);
        return found == m_nodes.end() ? nullptr : found->second;
    }

    Result<void> need(const std::string& name, std::string_view who) const
    {
        if (find(NodeRef(name)) == nullptr) {
            return incomplete(fmt::format("{} names {}, which is not in the graph", who, name));
        }
        return {};
    }

    Result<void> checkInputs() const
    {
        for (const tensorflow::NodeDef& node : m_graph.node()) {
            for (const std::string& input : node.input()) {
                const std::string name = input.substr(input.starts_with('^') ? 1 : 0);
                CANNERY_TRY(need(name, node.name()));
            }
        }
        return {};
    }

    Result<void> checkInfo(const TensorInfo& info, const std::string& who) const
    {
        if (info.sparse) {
            CANNERY_TRY(need(info.sparse->values, who));
            CANNERY_TRY(need(info.sparse->indices, who));
            return need(info.sparse->denseShape, who);
        }
        return need(info.name, who);
    }

    Result<void> checkSignatures() const
    {
        if (m_metaGraph.signatures.empty()) {
            return incomplete("it has no signature");
        }
        for (const auto& [key, signature] : m_metaGraph.signatures) {
            const std::string who = "the signature " + key;
            for (const auto& [name, info] : signature.inputs) {
                CANNERY_TRY(checkInfo(info, who));
            }
            for (const auto& [name, info] : signature.outputs) {
                CANNERY_TRY(checkInfo(info, who));
            }
        }
        return {};
    }

    Result<void> checkCollections() const
    {
        for (const VariableInfo& variable : m_metaGraph.variables) {
            for (const std::string& name :
                 {variable.variable, variable.initializer, variable.snapshot}) {
                CANNERY_TRY(need(name, "the collection of variables"));
            }
        }
        for (const std::string& table : m_metaGraph.tableInitializers) {
            CANNERY_TRY(need(table, "the collection of tables"));
        }
        if (!m_metaGraph.initOp.empty()) {
            CANNERY_TRY(need(m_metaGraph.initOp, "the collection of the init operation"));
        }
        return {};
    }

    Result<void> checkAssets() const
    {
        for (const AssetInfo& asset : m_metaGraph.assets) {
            CANNERY_TRY(need(asset.tensor, "the collection of assets"));
            const std::string assets = joinPath(m_folder, "assets");
            if (!exists(joinPath(assets, asset.fileName))) {
                return incomplete(fmt::format("assets/{} is missing", asset.fileName));
            }
            CANNERY_TRY(checkBeneath(assets, asset.fileName));
        }
        return {};
    }

    Result<void> checkSaver() const
    {
        for (const std::string& name :
             {m_metaGraph.saver->filenameTensor, m_metaGraph.saver->saveTensor,
              m_metaGraph.saver->restoreOp}) {
            CANNERY_TRY(need(name, "the saver"));
        }
        return {};
    }

    static const tensorflow::AttrValue* attr(const tensorflow::NodeDef& node, const char* name)
    {
        const auto found = node.attr().find(name);
        return found == node.attr().end() ? nullptr : &found->second;
    }

    /// The names that a RestoreV2 node reads.
    Result<const HostTensor*> restoredNames(const tensorflow::NodeDef& restore)
    {
        // Once per node: one may restore thousands of variables.
        if (const auto known = m_restored.find(&restore); known != m_restored.end()) {
            return &known->second;
        }
        const tensorflow::NodeDef* names =
            restore.input_size() < 3 ? nullptr : find(NodeRef(restore.input(1)));
        const tensorflow::AttrValue* value = names == nullptr ? nullptr : attr(*names, "value");
        const tensorflow::AttrValue* dtypes = attr(restore, "dtypes");
        if (value == nullptr || dtypes == nullptr) {
            return incomplete(fmt::format("{} has no names", restore.name()));
        }
        CANNERY_TRY_ASSIGN(HostTensor tensor, detail::tensorFromProto(value->tensor()));
        if (static_cast<int>(tensor.strings.size()) != dtypes->list().type_size()) {
            return incomplete(fmt::format("{} has other names than types", restore.name()));
        }
        return &m_restored.emplace(&restore, std::move(tensor)).first->second;
    }

    /// Follows an assignment back to what it restores: RestoreV2, possibly through an Identity.
    const tensorflow::NodeDef* restoreBehind(const tensorflow::NodeDef& assign, int& output) const
    {
        NodeRef source(assign.input(1));
        const tensorflow::NodeDef* node = find(source);
        if (node != nullptr && node->op() == "Identity" && node->input_size() > 0) {
            source = NodeRef(node->input(0));
            node = find(source);
        }
        output = source.output;
        return node != nullptr && node->op() == "RestoreV2" ? node : nullptr;
    }

    /// A variable's shape may be unknown, completely or in a dimension.
    static bool fits(const Shape& shape, const tensorflow::TensorShapeProto& stated)
    {
        bool good = stated.unknown_rank() || stated.dim_size() == shape.rank();
        for (int i = 0; good && !stated.unknown_rank() && i < stated.dim_size(); ++i) {
            const std::int64_t size = stated.dim(i).size();
            good = size < 0 || size == shape.dims[static_cast<std::size_t>(i)];
        }
        return good;
    }

    Result<void> checkVariable(const CheckpointReader& reader, const tensorflow::NodeDef& assign,
                               const tensorflow::NodeDef& restore, int output)
    {
        CANNERY_TRY_ASSIGN(const HostTensor* const names, restoredNames(restore));
        const tensorflow::NodeDef* handle = find(NodeRef(assign.input(0)));
        const tensorflow::AttrValue* typeAttr =
            handle == nullptr ? nullptr : attr(*handle, "dtype");
        const tensorflow::AttrValue* shapeAttr =
            handle == nullptr ? nullptr : attr(*handle, "shape");
        if (output < 0 || output >= static_cast<int>(names->strings.size()) ||
            typeAttr == nullptr || shapeAttr == nullptr) {
            return incomplete(fmt::format("{} restores nothing", assign.name()));
        }
        const std::string& key = names->strings[static_cast<std::size_t>(output)];
        const auto dtype = static_cast<DType>(typeAttr->type());
        const auto& shape = shapeAttr->shape();
        const CheckpointEntry* entry = reader.find(key);
        if (entry == nullptr || entry->dtype != dtype || !fits(entry->shape, shape)) {
            return incomplete(
                fmt::format("its variables hold no {} in the shape of the graph", key));
        }
        // MetaGraphs share their variables: each value is read once.
        if (m_verified.count(key) == 0) {
            CANNERY_TRY(reader.read(key));
            m_verified.insert(key);
        }
        return {};
    }

    Result<void> checkVariables(const std::string& checkpoint)
    {
        CANNERY_TRY_ASSIGN(const CheckpointReader reader, CheckpointReader::open(checkpoint));
        for (const tensorflow::NodeDef& node : m_graph.node()) {
            int output = 0;
            const tensorflow::NodeDef* restore =
                node.op() == "AssignVariableOp" && node.input_size() >= 2
                    ? restoreBehind(node, output)
                    : nullptr;
            if (restore != nullptr) {
                CANNERY_TRY(checkVariable(reader, node, *restore, output));
            }
        }
        return {};
    }

    const std::string& m_folder;
    const MetaGraph& m_metaGraph;
    std::unordered_set<std::string>& m_verified;
    google::protobuf::Arena m_arena;
    tensorflow::GraphDef& m_graph = detail::onArena<tensorflow::GraphDef>(m_arena);
    std::unordered_map<std::string, const tensorflow::NodeDef*> m_nodes;
    std::unordered_map<const tensorflow::NodeDef*, HostTensor> m_restored; ///< names, by node
};

/// Checks that every file in the list of checksums exists unchanged.
Result<void> checkFiles(const std::string& folder)
{
    CANNERY_TRY_ASSIGN(const detail::FileChecksums checksums, detail::readChecksums(folder));
    for (const auto& [name, checksum] : checksums) {
        if (!exists(joinPath(folder, name))) {
            return fail(ErrorCode::DataLoss, kIncomplete, folder, name + " is missing");
        }
        CANNERY_TRY_ASSIGN(const std::string bytes, readWholeFileBeneath(folder, name));
        CANNERY_TRY(detail::compareChecksum(folder, name, bytes, checksums));
    }
    return {};
}

} // namespace

Result<void> checkSavedModel(const std::string& folder)
{
    return guardMemory(folder, [&]() -> Result<void> {
        CANNERY_TRY_ASSIGN(const SavedModelContent content, readSavedModel(folder));
        CANNERY_TRY(checkFiles(folder));
        std::unordered_set<std::string> verified;
        for (const MetaGraph& metaGraph : content.metaGraphs) {
            CANNERY_TRY(Checker(folder, metaGraph, verified).check(content.checkpointPrefix));
        }
        return {};
    });
}

} // namespace cannery::storage
