// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/export/graph_runner/graph_runner.h"
#include "tests/fuzz/fuzz_support.h"

#include <string>
#include <string_view>

namespace cannery::tests {

/// A folder of a SavedModel with the variables w (2 x 3), b (3) and global_step and the vocabulary
/// a, b, c. Its graph is a seed of the fuzz target `saved_model`, or arbitrary.
class SmallModel
{
public:
    /// Without a saved_model.pb.
    SmallModel();
    /// With the seed of this name.
    explicit SmallModel(const std::string& seed);

    const std::string& name() const { return m_name; }
    const std::string& folder() const { return m_folder.path(); }
    const exporting::NamedTensors& inputs() const { return m_inputs; }
    void write(const std::string& name, std::string_view bytes) const
    {
        m_folder.write(name, bytes);
    }

private:
    FuzzFolder m_folder;
    std::string m_name;
    exporting::NamedTensors m_inputs;
};

/// Small values for the inputs of a signature.
exporting::NamedTensors inputsFor(const storage::Signature& signature);

} // namespace cannery::tests
