// SPDX-License-Identifier: Apache-2.0
#include "core/export/graph_runner/graph_runner.h"

#include "core/base/memory_guard.h"
#include "core/export/graph_runner/disturbance.h"
#include "core/export/graph_runner/op_call.h"
#include "core/export/graph_runner/parsed_keys.h"
#include "core/export/graph_runner/rewrites.h"
#include "core/export/graph_runner/while_loop.h"
#include "storage/io/files.h"
#include "storage/tf/graphs/saved_model_reader.h"

#include <algorithm>
#include <charconv>
#include <deque>
#include <set>

namespace cannery::exporting {

using storage::GraphNode;
using storage::HostTensor;

namespace {

constexpr ErrorKind kNoGraph{"export.no_graph", "The SavedModel in {} contains no graph."};
constexpr ErrorKind kUnsupported{
    "export.graph_unsupported",
    "The exported graph has the operation {} (node {}), which cannot be checked here."};
constexpr ErrorKind kNoSignature{"export.no_signature", "The SavedModel has no signature {}."};
constexpr ErrorKind kNoSignatureOutput{"export.no_signature_output",
                                       "The signature {} has no output {}."};
constexpr ErrorKind kNoInput{"export.no_input", "The signature {} needs the input {}."};
constexpr ErrorKind kNoNode{"export.no_node", "The exported graph has no node {}."};
constexpr ErrorKind kCircle{"export.graph_circle", "The exported graph has a cycle at {}."};
constexpr ErrorKind kNestedLoop{"export.graph_nested_loop",
                                "The loop of the exported graph that ends at {} is within another "
                                "one, which cannot be checked here."};
constexpr ErrorKind kEndless{"export.graph_endless",
                             "The loop of the exported graph that ends at {} does not end within "
                             "100000 iterations or 8 GiB of tensors."};
constexpr ErrorKind kNoOutput{"export.no_output", "The node {} of the exported graph has no {}."};

/// A variable is read, possibly passed on, and read again by another part of the graph.
constexpr std::size_t kVariableCopies = 4;
/// The value of a loop's variable, where it is merged, where it goes on.
constexpr std::size_t kLoopCopies = 3;

struct Edge
{
    std::string node;
    std::size_t output = 0;
};

/// Names without a port mean output 0.
Edge edgeOf(const std::string& tensor)
{
    const std::size_t colon = tensor.rfind(':');
    if (colon == std::string::npos) {
        return {tensor};
    }
    Edge edge{tensor.substr(0, colon)};
    std::from_chars(tensor.data() + colon + 1, tensor.data() + tensor.size(), edge.output);
    return edge;
}

} // namespace

struct GraphRunner::State
{
    storage::MetaGraph metaGraph;
    std::vector<GraphNode> nodes;
    NodesByName byName;
    RunResources resources;
    std::map<std::string, RunValue> assets; ///< by node: where the file is now
    std::size_t variableBytes = 0;

    void indexNodes()
    {
        for (const GraphNode& node : nodes) {
            byName[node.name] = &node;
        }
    }
};

namespace {

/// Values of one run; each node is evaluated once.
class Evaluation
{
public:
    Evaluation(const NodesByName& nodes, RunResources& resources,
               const std::map<std::string, RunValue>& fed)
        : m_nodes(nodes), m_resources(resources)
    {
        for (const auto& [node, value] : fed) {
            m_done[node] = {value};
        }
    }

    /// As disturbed; what decides by numbers does so as in the undisturbed evaluation.
    void disturb(Disturbance& disturbance, const Evaluation* undisturbed)
    {
        m_disturbance = &disturbance;
        m_undisturbed = undisturbed;
    }

    Result<const RunValue*> value(const std::string& tensor)
    {
        const Edge edge = edgeOf(tensor);
        CANNERY_TRY_ASSIGN(const std::vector<RunValue>* values, outputs(edge.node));
        if (edge.output >= values->size()) {
            return fail(ErrorCode::InvalidArgument, kNoOutput, edge.node,
                        fmt::format("output {}", edge.output));
        }
        return &(*values)[edge.output];
    }

    /// With an explicit stack: a graph may be too deep for recursion.
    Result<const std::vector<RunValue>*> outputs(const std::string& name)
    {
        std::vector<std::string> waiting{name};
        while (!waiting.empty()) {
            // Copied: pushing to the stack may move what it refers to.
            const std::string current = waiting.back();
            if (m_done.count(current) != 0) {
                waiting.pop_back();
                continue;
            }
            const auto found = m_nodes.find(current);
            if (found == m_nodes.end()) {
                return fail(ErrorCode::InvalidArgument, kNoNode, current);
            }
            const GraphNode& node = *found->second;
            // The first visit pushes what the node needs, the second one finds all of it done.
            if (m_begun.insert(current).second) {
                CANNERY_TRY(pushNeeded(node, waiting));
                continue;
            }
            if (isExit(node)) {
                CANNERY_TRY(runLoop(node));
                continue;
            }
            CANNERY_TRY_ASSIGN(std::vector<RunValue> values, evaluate(node));
            m_done.emplace(current, std::move(values));
        }
        return &m_done.at(name);
    }

private:
    /// Pending inputs of a node, the first on top.
    Result<void> pushNeeded(const GraphNode& node, std::vector<std::string>& waiting)
    {
        if (findOp(node.op) == nullptr) {
            return fail(ErrorCode::Unimplemented, kUnsupported, node.op, node.name);
        }
        CANNERY_TRY_ASSIGN(const std::vector<std::string> inputs, inputsOf(node));
        std::vector<std::string> needed = node.controls;
        for (const std::string& input : inputs) {
            needed.push_back(edgeOf(input).node);
        }
        // In reverse, so that they are evaluated in the order of the graph.
        for (auto each = needed.rbegin(); each != needed.rend(); ++each) {
            if (m_done.count(*each) != 0) {
                continue;
            }
            // What was started and is not finished depends on this node: a cycle.
            if (m_begun.count(*each) != 0) {
                return fail(ErrorCode::InvalidArgument, kCircle, *each);
            }
            waiting.push_back(std::move(*each));
        }
        return {};
    }

    /// What must be there before a node: for the end of a loop, what enters the loop.
    Result<std::vector<std::string>> inputsOf(const GraphNode& node)
    {
        // An Exit needs what enters its loop, not its own input: the loop runs as a whole.
        if (!isExit(node)) {
            return node.inputs;
        }
        if (m_isIteration) {
            return fail(ErrorCode::Unimplemented, kNestedLoop, node.name);
        }
        CANNERY_TRY_ASSIGN(const WhileLoop loop, loopOf(m_nodes, node));
        return loop.inputs();
    }

    /// Everything that enters is available. Afterwards all ends of the loop are.
    Result<void> runLoop(const GraphNode& exit)
    {
        CANNERY_TRY_ASSIGN(const WhileLoop loop, loopOf(m_nodes, exit));
        // Iterations are evaluations of their own: their values must not be taken for those of the
        // graph.
        Evaluation body(m_nodes, m_resources, {});
        body.m_isIteration = true;
        body.m_disturbance = m_disturbance;
        for (const GraphNode* enter : loop.enters) {
            CANNERY_TRY_ASSIGN(std::vector<RunValue> entered, evaluate(*enter));
            body.m_done.emplace(enter->name, std::move(entered));
        }
        std::vector<RunValue> values;
        for (const WhileLoop::Variable& variable : loop.variables) {
            values.push_back(body.m_done.at(variable.initial).front());
        }
        const std::size_t before = m_resources.bytesLeft;
        CANNERY_TRY_ASSIGN(bool goesOn, body.beginIteration(loop, values));
        while (goesOn) {
            CANNERY_TRY(body.finishIteration(loop, values));
            body.forgetIteration(loop);
            CANNERY_TRY(countIteration(exit, before));
            CANNERY_TRY_ASSIGN(goesOn, body.beginIteration(loop, values));
        }
        // All exits of the frame at once, as each of them would otherwise run the loop again.
        for (std::size_t i = 0; i < values.size(); ++i) {
            m_done.emplace(loop.variables[i].exit, std::vector<RunValue>{values[i]});
        }
        return {};
    }

    /// Only what entered the loop stays.
    void forgetIteration(const WhileLoop& loop)
    {
        std::erase_if(m_done, [&](const auto& done) {
            return std::ranges::find(loop.enters, done.first, &GraphNode::name) ==
                   loop.enters.end();
        });
        m_begun.clear();
    }

    /// Feeds the variables; returns the condition.
    Result<bool> beginIteration(const WhileLoop& loop, const std::vector<RunValue>& values)
    {
        for (std::size_t i = 0; i < values.size(); ++i) {
            const WhileLoop::Variable& variable = loop.variables[i];
            const std::size_t copies = kLoopCopies * heldBytes(values[i].tensor);
            const OpCall merge{.node = *m_nodes.at(variable.merge), .resources = m_resources};
            CANNERY_TRY(merge.room(Shape{static_cast<std::int64_t>(copies)}, 1));
            m_resources.bytesLeft -= copies;
            m_done[variable.merge] = {values[i]};
            // Switch has two outputs, (false, true); an iteration only ever reads the second one.
            m_done[variable.choice] = {RunValue(), values[i]};
        }
        CANNERY_TRY_ASSIGN(const RunValue* condition, value(loop.condition));
        const storage::HostTensor& tensor = condition->tensor;
        if (tensor.dtype != DType::Bool || tensor.bytes.size() != 1) {
            return fail(ErrorCode::InvalidArgument, kNoOutput, loop.condition, "single bool");
        }
        return tensor.values<bool>()[0];
    }

    Result<void> finishIteration(const WhileLoop& loop, std::vector<RunValue>& values)
    {
        std::vector<RunValue> next;
        // All new values first: the next value of one variable may be computed from another one.
        for (const WhileLoop::Variable& variable : loop.variables) {
            CANNERY_TRY_ASSIGN(const RunValue* made, value(variable.next));
            next.push_back(*made);
        }
        values = std::move(next);
        return {};
    }

    /// What an iteration made is gone, but its time is spent.
    Result<void> countIteration(const GraphNode& exit, std::size_t bytesBefore)
    {
        // Memory is given back after each iteration, but the sum over all is limited too, so that a
        // loop over large tensors ends.
        const std::size_t made = bytesBefore - m_resources.bytesLeft;
        if (made > m_resources.loopBytesLeft || m_resources.iterationsLeft-- <= 0) {
            return fail(ErrorCode::ResourceExhausted, kEndless, exit.name);
        }
        m_resources.loopBytesLeft -= made;
        m_resources.bytesLeft = bytesBefore;
        return {};
    }

    /// Everything that the node needs is available.
    Result<std::vector<RunValue>> evaluate(const GraphNode& node)
    {
        // A comparison that came out differently in a disturbed run would be measured as rounding,
        // so decisions are those of the undisturbed one.
        if (m_undisturbed != nullptr && decides(node.op)) {
            const auto decided = m_undisturbed->m_done.find(node.name);
            if (decided != m_undisturbed->m_done.end()) {
                return decided->second;
            }
        }
        OpCall call{.node = node, .resources = m_resources};
        // A deque: addresses of earlier elements stay valid.
        std::deque<RunValue> disturbed;
        for (const std::string& input : node.inputs) {
            CANNERY_TRY_ASSIGN(const RunValue* given, value(input));
            if (m_disturbance != nullptr && given->tensor.dtype == DType::Float32 &&
                rounds(node.op)) {
                given = &disturbed.emplace_back(m_disturbance->of(*given));
            }
            call.inputs.push_back(given);
        }
        // The operation has checked its own tensors beforehand; this deducts what it gave.
        CANNERY_TRY(findOp(node.op)(call));
        for (const RunValue& output : call.outputs) {
            const std::size_t bytes = heldBytes(output.tensor);
            CANNERY_TRY(call.room(Shape{static_cast<std::int64_t>(bytes)}, 1));
            m_resources.bytesLeft -= bytes;
        }
        return std::move(call.outputs);
    }

    const NodesByName& m_nodes;
    RunResources& m_resources;
    bool m_isIteration = false; ///< of a loop
    Disturbance* m_disturbance = nullptr;
    const Evaluation* m_undisturbed = nullptr;
    std::map<std::string, std::vector<RunValue>> m_done;
    std::set<std::string> m_begun;
};

} // namespace

GraphRunner::GraphRunner(std::unique_ptr<State> state) : m_state(std::move(state)) {}
GraphRunner::GraphRunner(GraphRunner&&) noexcept = default;
GraphRunner& GraphRunner::operator=(GraphRunner&&) noexcept = default;
GraphRunner::~GraphRunner() = default;

Result<GraphRunner> GraphRunner::load(const std::string& folder, std::string_view tag)
{
    return guardMemory(folder, [&] { return loadFolder(folder, tag); });
}

Result<GraphRunner> GraphRunner::loadFolder(const std::string& folder, std::string_view tag)
{
    CANNERY_TRY_ASSIGN(storage::SavedModelContent content, storage::readSavedModel(folder));
    if (content.metaGraphs.empty()) {
        return fail(ErrorCode::DataLoss, kNoGraph, folder);
    }
    auto state = std::make_unique<State>();
    const auto hasTag = [&](const storage::MetaGraph& graph) {
        return std::ranges::find(graph.tags, tag) != graph.tags.end();
    };
    // Without the tag, the first graph, as in a SavedModel by another program.
    auto chosen = std::ranges::find_if(content.metaGraphs, hasTag);
    state->metaGraph =
        std::move(chosen == content.metaGraphs.end() ? content.metaGraphs.front() : *chosen);
    CANNERY_TRY_ASSIGN(state->nodes, storage::readGraphDef(state->metaGraph.graph));
    state->indexNodes();
    if (content.checkpointPrefix) {
        CANNERY_TRY_ASSIGN(storage::CheckpointReader reader,
                           storage::CheckpointReader::open(*content.checkpointPrefix));
        for (const std::string& file : reader.files()) {
            state->variableBytes += storage::fileSize(file).value_or(0);
        }
        state->resources.variables.emplace(std::move(reader));
    }
    const std::string assets = storage::joinPath(folder, "assets");
    state->resources.assets = assets;
    state->resources.bytesLeft = kMaxLoadBytes;
    for (const storage::AssetInfo& asset : state->metaGraph.assets) {
        // As a loader does: asset tensors are fed the path of the file as it is now.
        state->assets[edgeOf(asset.tensor).node].tensor =
            HostTensor::scalarString(storage::joinPath(assets, asset.fileName));
    }
    // Tables stay filled: their initializers run once, as in a loader.
    Evaluation evaluation(state->byName, state->resources, state->assets);
    for (const std::string& initializer : state->metaGraph.tableInitializers) {
        CANNERY_TRY(evaluation.outputs(edgeOf(initializer).node));
    }
    // Metrics of an evaluation graph begin at zero, which only their initializers set.
    for (const storage::VariableInfo& variable : state->metaGraph.localVariables) {
        CANNERY_TRY(evaluation.outputs(edgeOf(variable.initializer).node));
    }
    return GraphRunner(std::move(state));
}

const std::map<std::string, storage::Signature>& GraphRunner::signatures() const
{
    return m_state->metaGraph.signatures;
}

std::vector<std::string> GraphRunner::outputsOf(const std::string& signature) const
{
    std::vector<std::string> outputs;
    if (const auto found = signatures().find(signature); found != signatures().end()) {
        for (const auto& [key, info] : found->second.outputs) {
            outputs.push_back(key);
        }
    }
    return outputs;
}

Result<NamedTensors> GraphRunner::run(const std::string& signature, const NamedTensors& inputs)
{
    return guardMemory(signature,
                       [&] { return runSignature(signature, inputs, outputsOf(signature)); });
}

Result<NamedTensors> GraphRunner::run(const std::string& signature, const NamedTensors& inputs,
                                      const std::vector<std::string>& outputs)
{
    return guardMemory(signature, [&] { return runSignature(signature, inputs, outputs); });
}

Result<NamedTensors> GraphRunner::runDisturbed(const std::string& signature,
                                               const NamedTensors& inputs, float amount,
                                               std::uint64_t seed)
{
    Disturbance disturbance(amount, seed);
    return guardMemory(signature, [&] {
        return runSignature(signature, inputs, outputsOf(signature), &disturbance);
    });
}

bool GraphRunner::optimize()
{
    const bool isChanged = rewriteArithmetic(m_state->nodes);
    m_state->byName.clear();
    m_state->indexNodes();
    return isChanged;
}

Result<NamedTensors> GraphRunner::runSignature(const std::string& signature,
                                               const NamedTensors& inputs,
                                               const std::vector<std::string>& wanted,
                                               Disturbance* disturbance)
{
    // Each run may copy every variable a few times, so the limit grows with the model.
    m_state->resources.bytesLeft = kMaxRunBytes + kVariableCopies * m_state->variableBytes;
    m_state->resources.iterationsLeft = kMaxIterations;
    m_state->resources.loopBytesLeft = kMaxLoopBytes;
    const auto found = m_state->metaGraph.signatures.find(signature);
    if (found == m_state->metaGraph.signatures.end()) {
        return fail(ErrorCode::NotFound, kNoSignature, signature);
    }
    std::map<std::string, RunValue> fed = m_state->assets;
    for (const auto& [key, info] : found->second.inputs) {
        const auto given = inputs.find(key);
        if (given == inputs.end()) {
            return fail(ErrorCode::InvalidArgument, kNoInput, signature, key);
        }
        fed[edgeOf(info.name).node].tensor = given->second;
    }
    Evaluation undisturbed(m_state->byName, m_state->resources, fed);
    Evaluation evaluation(m_state->byName, m_state->resources, fed);
    // The undisturbed run first: its decisions are what the disturbed one repeats.
    if (disturbance != nullptr) {
        for (const std::string& key : wanted) {
            CANNERY_TRY(undisturbed.value(found->second.outputs.at(key).name));
        }
        m_state->resources.bytesLeft = kMaxRunBytes + kVariableCopies * m_state->variableBytes;
        evaluation.disturb(*disturbance, &undisturbed);
    }
    NamedTensors outputs;
    for (const std::string& key : wanted) {
        const auto output = found->second.outputs.find(key);
        if (output == found->second.outputs.end()) {
            return fail(ErrorCode::NotFound, kNoSignatureOutput, signature, key);
        }
        CANNERY_TRY_ASSIGN(const RunValue* value, evaluation.value(output->second.name));
        outputs[key] = value->tensor;
    }
    return outputs;
}

std::map<std::string, DType> GraphRunner::parsedKeys() const
{
    return exporting::parsedKeys(m_state->nodes);
}

} // namespace cannery::exporting
