// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/base/shape.h"
#include "core/graph/lowered_model.h"

#include <nlohmann/json_fwd.hpp>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace cannery::tests {

/// What the rule of README.md makes weights from, besides their names.
struct WeightRule
{
    std::string salt;
    double gain = 1.0;
};

/// The values of a variable.
std::vector<float> weightsByRule(const WeightRule& rule, const std::string& name,
                                 const Shape& shape);
/// Pixels from 0 to 255.
std::vector<float> pictureByRule(const std::string& salt, std::size_t count);

/// The file of resources/networks that has the application of a case; it may not be there.
std::filesystem::path networkFileOf(const nlohmann::json& applicationCase);

/// A network of resources/networks with the picture size, the classes and the end of a case.
class ApplicationRun
{
public:
    /// Errors: those of lowering.
    static Result<std::unique_ptr<ApplicationRun>> create(const nlohmann::json& applicationCase);

    /// The names of all layers, as written.
    const std::vector<std::string>& layers() const { return m_layers; }
    /// Numbers in the variables up to the case's output, or in those that are trained.
    std::int64_t parameters(bool areTrained) const;
    /// What the layer of the case gives for its pictures; probabilities of its classes.
    std::vector<float> output() const;

private:
    bool isInCase(const graph::Variable& variable) const;

    WeightRule m_rule;
    std::string m_outputLayer;
    bool m_hasTop = false;
    std::int64_t m_batch = 0;
    std::vector<std::int64_t> m_pictureShape;
    std::vector<std::string> m_layers;
    graph::LoweredModel m_model;
};

} // namespace cannery::tests
