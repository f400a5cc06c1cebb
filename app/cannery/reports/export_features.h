// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/reports/export.pb.h"

#include <string>
#include <vector>

namespace cannery::app {

/// A feature that a client sends to a SavedModel.
struct ExportFeature
{
    std::string name;
    std::string dtype;  ///< "float", "int64", "string"
    std::string values; ///< "one", "4 (2 × 2)", "any number"
    bool isRequired = false;
    std::string fallback; ///< what it is where it is left out, as JSON; empty if there is nothing
    std::string column;   ///< of the table that it was learned from, if that has another name
    std::string sample;   ///< a value that it accepts, as JSON
};

/// What the tf.Examples of a SavedModel hold, or its inputs if it takes tensors.
struct ExportFeatures
{
    bool areOfExamples = false;
    std::vector<ExportFeature> list;
    /// A request of TF Serving's REST interface, and where it goes: "POST /v1/models/NAME:predict".
    std::string request;
    std::string path;
};

/// Of the graph that serves; for models of ours, with what their experiment says.
Result<ExportFeatures> featuresOfExport(const std::string& folder);

/// A line for each feature, and the request.
std::vector<std::string> featureLines(const ExportFeatures& features);

/// The same for programs.
reports::Serving servingReport(const ExportFeatures& features);

} // namespace cannery::app
