// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "storage/tf/graphs/saved_model.h"
#include "storage/tf/tensor.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace cannery::exporting {

class Disturbance;

using NamedTensors = std::map<std::string, storage::HostTensor>;

/// Runs one of our SavedModels as a server would: with its own graph, variables and vocabulary
/// files, and none of the code that trained it. Plain loops over exactly the operations that we
/// emit; for verifying what was written, not for serving. One thread.
class GraphRunner
{
public:
    /// Reads a folder and fills its lookup tables. Errors: unreadable content;
    /// "export.graph_unsupported" for an unknown operation, by its name.
    /// Of several graphs, the one with this tag; if there is none, the first.
    static Result<GraphRunner> load(const std::string& folder, std::string_view tag = "serve");
    GraphRunner(GraphRunner&&) noexcept;
    GraphRunner& operator=(GraphRunner&&) noexcept;
    ~GraphRunner();

    const std::map<std::string, storage::Signature>& signatures() const;

    /// The outputs of a signature for these inputs, each by its key in the signature.
    /// "export.no_signature", "export.no_input", "export.graph_invalid".
    Result<NamedTensors> run(const std::string& signature, const NamedTensors& inputs);
    /// Only these outputs. A variable that an output changes keeps its value for later runs.
    Result<NamedTensors> run(const std::string& signature, const NamedTensors& inputs,
                             const std::vector<std::string>& outputs);
    /// All outputs as they are when the arithmetic on the way to them is disturbed: every number
    /// that a sum, a product or a function takes is moved by this part of its size, up or down at
    /// random. Buckets, comparisons and casts are those of run().
    Result<NamedTensors> runDisturbed(const std::string& signature, const NamedTensors& inputs,
                                      float amount, std::uint64_t seed);

    /// From now on runs what TensorFlow's graph optimizer would make of the arithmetic (see
    /// rewriteArithmetic()). Returns whether that is anything else.
    bool optimize();

    /// Keys that the graph parses from tf.Examples, with the expected type of each; empty if it
    /// parses none.
    std::map<std::string, DType> parsedKeys() const;

private:
    struct State;
    explicit GraphRunner(std::unique_ptr<State> state);
    static Result<GraphRunner> loadFolder(const std::string& folder, std::string_view tag);
    Result<NamedTensors> runSignature(const std::string& signature, const NamedTensors& inputs,
                                      const std::vector<std::string>& outputs,
                                      Disturbance* disturbance = nullptr);
    std::vector<std::string> outputsOf(const std::string& signature) const;

    std::unique_ptr<State> m_state;
};

} // namespace cannery::exporting
